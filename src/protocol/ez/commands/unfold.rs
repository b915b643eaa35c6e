//! The command `unfold`: how a statement computed its result.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Ask, Command, Context, ask};
use crate::api::{
    CallEffect, Described, Limits, Part, PartArgument, PartResult, Unfold, UnfoldTarget, Unfolded,
};
use crate::protocol::ez::encode::{LIST_LIMIT, SMALL_LIMIT, location};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::Location;
use crate::protocol::json::{cut_json, json_len, write_json};
use crate::protocol::params::Params;
use crate::protocol::radix::Radix;
use crate::protocol::rewriting::{Line, lines, prefix, source_text};
use crate::protocol::value_text::{Notation, preview, type_text};

pub const COMMANDS: &[Command] = &[Command::new("unfold", unfold).capability("unfold")];

/// Maximum size of a value's text, in bytes of JSON.
const VALUE: usize = 256;

/// Maximum number of conditions.
const MAX_CONDITIONS: usize = 100;

/// Maximum size of all lines, in bytes of JSON.
const LINES: usize = LIST_LIMIT / 2;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UnfoldedData<'a> {
    step: u64,
    location: Location<'a>,
    end_line: u32,
    end_column: u32,
    statement: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<ConditionItem>,
    prefix: Cow<'a, str>,
    lines: Vec<LineItem>,
    parts: Vec<PartItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize)]
struct ConditionItem {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArgumentItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_reference: bool,
}

#[derive(Serialize)]
struct LineItem {
    text: String,
    start: usize,
    length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<usize>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct PartItem {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    declared_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object_id: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    step_out: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<ArgumentItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

fn unfold(params: &Params, _: Context) -> Result<Ask, String> {
    let (frame, radix) = (params.frame()?, params.radix()?);
    let target = match (params.count("step", 1)?, params.flag("next")?) {
        (Some(_), true) => return Err("wrong parameter 'next': there is 'step', too".into()),
        (Some(step), false) => UnfoldTarget::Step(step),
        (None, true) => UnfoldTarget::Next,
        (None, false) => UnfoldTarget::Last,
    };
    ask(Unfold { target, frame, limits: Limits::PREVIEW }, move |_, asked, found, out| {
        unfolded(out, found, radix, asked.id());
    })
}

/// Writes the event `unfolded`. Parts for which there is no room are left out.
fn unfolded(out: &mut Sink, unfolded: &Unfolded, radix: Radix, id: Option<&RawValue>) {
    // The last ones are the nearest.
    let first = unfolded.conditions.len().saturating_sub(MAX_CONDITIONS);
    let conditions = unfolded.conditions.iter().skip(first);
    let conditions: Vec<ConditionItem> =
        conditions.map(|at| ConditionItem { line: at.line, column: at.column }).collect();
    let (lines, used) = fitting_lines(lines(unfolded, radix, out.notation));
    let used = used + conditions.len() * 40;
    let mut room = LIST_LIMIT.saturating_sub(used + 2 * SMALL_LIMIT + 256);
    let mut parts = Vec::new();
    for part in &unfolded.parts {
        let shown = part_item(part, radix, out.notation);
        let mut bytes = Vec::new();
        write_json(&mut bytes, &shown);
        let Some(left) = room.checked_sub(bytes.len() + 1) else { break };
        room = left;
        parts.push(shown);
    }
    let truncated = unfolded.truncated || parts.len() < unfolded.parts.len();
    let kept = parts.len();
    let lines = lines.into_iter();
    let lines = lines.map(|line| LineItem { part: line.part.filter(|part| *part < kept), ..line });
    let lines = lines.collect();
    for part in &mut parts {
        part.parent = part.parent.filter(|parent| *parent < kept);
        part.arguments.iter_mut().for_each(|it| it.part = it.part.filter(|part| *part < kept));
    }
    let prefix = prefix(unfolded);
    let data = UnfoldedData {
        step: unfolded.step,
        location: location(&unfolded.location),
        end_line: unfolded.end.line,
        end_column: unfolded.end.column,
        statement: unfolded.statement.name(),
        conditions,
        prefix: cut_json(&prefix, SMALL_LIMIT),
        lines,
        parts,
        incomplete: unfolded.incomplete.as_deref().map(|why| cut_json(why, SMALL_LIMIT)),
        truncated,
    };
    out.add("unfolded", data, id);
}

/// The lines, the last of them left out if there is no room for all, and their size in bytes of JSON.
fn fitting_lines(all: Vec<Line>) -> (Vec<LineItem>, usize) {
    let (mut shown, mut used) = (Vec::new(), 0);
    for Line { text, start, length, part } in all {
        used += json_len(&text) + 60;
        if used > LINES {
            break;
        }
        shown.push(LineItem { text, start, length, part });
    }
    (shown, used.min(LINES))
}

fn argument_item(argument: &PartArgument) -> ArgumentItem {
    let text = argument.text.as_deref();
    ArgumentItem {
        text: text.map(|text| cut_json(text, VALUE).into_owned()),
        part: argument.part,
        by_reference: argument.by_reference,
    }
}

fn part_item(part: &Part, radix: Radix, notation: Notation) -> PartItem {
    let text = source_text(part);
    let shown = |value: &Option<Described>| {
        value.as_ref().map(|value| preview(&radix.value(&value.value), notation, VALUE).0)
    };
    let mut data = PartItem {
        line: part.start.line,
        column: part.start.column,
        end_line: part.end.line,
        end_column: part.end.column,
        text: cut_json(&text, VALUE).into_owned(),
        kind: part.kind.name(),
        parent: part.parent,
        step_in: part.steps.map(|(first, _)| first),
        step_out: part.steps.map(|(_, last)| last),
        arguments: part.arguments.iter().map(argument_item).collect(),
        effect: part.effect.map(CallEffect::name),
        ..PartItem::default()
    };
    match &part.result {
        PartResult::Value(value) => {
            let (text, truncated) = preview(&radix.value(&value.value), notation, VALUE);
            data.value = Some(text);
            data.type_name = Some(cut_json(&type_text(value), SMALL_LIMIT).into_owned());
            data.declared_type = Some(cut_json(&value.declared_type, SMALL_LIMIT).into_owned());
            data.children = value.object.map(|_| value.children);
            data.object_id = value.object.map(|object| object.0.get());
            data.truncated = truncated;
        }
        PartResult::Nothing => {}
        PartResult::Skipped(why) => data.skipped = Some(why.clone()),
        PartResult::Written { target, old, new } => {
            data.target = Some(cut_json(target, VALUE).into_owned());
            (data.old_value, data.new_value) = (shown(old), shown(new));
        }
        PartResult::Failed { message, code } => {
            data.message = Some(cut_json(message, SMALL_LIMIT).into_owned());
            data.code = Some(code.clone());
        }
    }
    data
}
