//! The custom request `unfold`: how a statement computed its result.

use serde_json::{Map, Value, json};

use crate::protocol::radix::Radix;
use crate::protocol::rewriting::{Line, lines, prefix, source_text};
use crate::protocol::value_text::{Notation, preview};
use ez_engine::api::{
    Condition, Described, Limits, Part, PartArgument, PartResult, Unfold, UnfoldTarget, Unfolded,
};

use super::client::Client;
use super::variables::radix;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

/// Maximum size of a value, in bytes.
const VALUE: usize = 1024;

pub const REQUESTS: &[(&str, Handler)] = &[("unfold", DapFrontEnd::unfold)];

impl DapFrontEnd {
    fn unfold(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let target = match (params.count("step", 1)?, params.flag("next")?) {
            (Some(_), true) => return Err("wrong parameter 'next': there is 'step', too".into()),
            (Some(step), false) => UnfoldTarget::Step(step),
            (None, true) => UnfoldTarget::Next,
            (None, false) => UnfoldTarget::Last,
        };
        let radix = radix(params)?;
        self.needs_history()?;
        let condition_steps = params.flag("conditionSteps")?;
        let question =
            Unfold { target, frame: self.frame(params)?, limits: Limits::PREVIEW, condition_steps };
        self.ask(from, question, work, move |this, from, unfolded, out| {
            let body = body(&this.client(), unfolded, radix);
            this.numbering.success(out, from, Some(body));
        });
        Ok(())
    }
}

/// What the line protocol answers, with positions as the client counts them.
fn body(client: &Client, unfolded: &Unfolded, radix: Radix) -> Value {
    let (path, start) = (&unfolded.location.path, &unfolded.location);
    let column = |line: u32, column: u32| client.column_in(path, line, column);
    let line = |Line { text, start, length, part }: &Line| {
        let mut shown = json!({ "text": text, "start": start, "length": length });
        if let (Some(part), Some(shown)) = (part, shown.as_object_mut()) {
            shown.insert("part".into(), (*part).into());
        }
        shown
    };
    let part = |part: &Part| {
        let mut shown = part_of(part, radix);
        shown.insert("line".into(), client.line(part.start.line).into());
        shown.insert("column".into(), column(part.start.line, part.start.column).into());
        shown.insert("endLine".into(), client.line(part.end.line).into());
        shown.insert("endColumn".into(), column(part.end.line, part.end.column).into());
        Value::Object(shown)
    };
    let mut body = json!({
        "step": unfolded.step,
        "source": client.source(path),
        "line": client.line(start.line),
        "column": column(start.line, start.column),
        "endLine": client.line(unfolded.end.line),
        "endColumn": column(unfolded.end.line, unfolded.end.column),
        "statement": unfolded.statement.name(),
        "prefix": prefix(unfolded),
        "lines": lines(unfolded, radix, Notation::Braces).iter().map(line).collect::<Vec<Value>>(),
        "parts": unfolded.parts.iter().map(part).collect::<Vec<Value>>(),
    });
    let condition = |Condition { at, holds, step }: &Condition| {
        let mut shown = Map::new();
        shown.insert("line".into(), client.line(at.line).into());
        shown.insert("column".into(), column(at.line, at.column).into());
        shown.extend(holds.map(|holds| ("value".into(), holds.into())));
        shown.extend(step.map(|step| ("step".into(), step.into())));
        Value::from(shown)
    };
    if let Some(body) = body.as_object_mut() {
        if !unfolded.conditions.is_empty() {
            let conditions: Vec<Value> = unfolded.conditions.iter().map(condition).collect();
            body.insert("conditions".into(), conditions.into());
        }
        body.extend(unfolded.incomplete.as_deref().map(|why| ("incomplete".into(), why.into())));
        body.extend(unfolded.truncated.then(|| ("truncated".into(), true.into())));
    }
    body
}

fn argument(argument: &PartArgument) -> Value {
    let mut shown = Map::new();
    shown.extend(argument.text.as_deref().map(|text| ("text".into(), text.into())));
    shown.extend(argument.part.map(|part| ("part".into(), part.into())));
    shown.extend(argument.by_reference.then(|| ("byReference".into(), true.into())));
    shown.into()
}

fn part_of(part: &Part, radix: Radix) -> Map<String, Value> {
    let mut shown = Map::new();
    let mut add = |name: &str, value: Value| drop(shown.insert(name.into(), value));
    let text =
        |value: &Described| Value::from(preview(&radix.value(&value.value), Notation::Braces, VALUE).0);
    add("text", source_text(part).into());
    add("kind", part.kind.name().into());
    if let Some(parent) = part.parent {
        add("parent", parent.into());
    }
    if let Some((first, last)) = part.steps {
        add("stepIn", first.into());
        add("stepOut", last.into());
    }
    if !part.arguments.is_empty() {
        add("arguments", part.arguments.iter().map(argument).collect());
    }
    if let Some(effect) = part.effect {
        add("effect", effect.name().into());
    }
    if let Some(place) = &part.place {
        add("textStart", place.start.into());
        add("textEnd", place.end.into());
    }
    match &part.result {
        PartResult::Value(value) => {
            add("value", text(value));
            add("type", value.declared_type.as_str().into());
        }
        PartResult::Nothing => {}
        PartResult::Skipped(why) => add("skipped", why.as_str().into()),
        PartResult::Written { target, old, new } => {
            add("target", target.as_str().into());
            old.iter().for_each(|old| add("oldValue", text(old)));
            new.iter().for_each(|new| add("newValue", text(new)));
        }
        PartResult::Failed { message, code } => {
            add("message", message.as_str().into());
            add("code", code.as_str().into());
        }
    }
    shown
}
