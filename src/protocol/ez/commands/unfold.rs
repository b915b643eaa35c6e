//! The command `unfold`: how a statement computed its result.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::parameters::{FRAME_INDEX, RADIX, frame};
use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, SMALL_LIMIT, location};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::{Location, written};
use crate::protocol::json::{cut_json, json_len};
use crate::protocol::parameter::{Bool, Counted, Optional, parameters};
use crate::protocol::params::Params;
use crate::protocol::radix::Radix;
use crate::protocol::rewriting::{Line, lines, prefix, source_text};
use crate::protocol::value_text::{Notation, preview, type_text};
use ez_engine::api::{
    CallEffect, Condition, Described, Limits, Part, PartArgument, PartResult, Unfold, UnfoldTarget, Unfolded,
    write_json,
};

pub const COMMANDS: &[Command] =
    &[Command::since_2("unfold", "Asks what the expressions of a statement computed.", unfold)
        .takes(&[&FRAME_INDEX, &STEP, &NEXT, &RADIX, &CONDITION_STEPS])
        .answered_by(&["unfolded"])
        .capability("unfold")];

parameters! {
    /// The first statement from this step on; not with `next`.
    STEP: Optional<Counted> = "step", Counted(1);
    /// The next statement in the frame (default: the last one).
    NEXT: Optional<Bool> = "next", Bool;
    /// Whether `conditions` have their steps, which takes longer (default: false).
    CONDITION_STEPS: Optional<Bool> = "conditionSteps", Bool;
}

/// Maximum size of a value's text, in bytes of JSON.
const VALUE: usize = 256;

/// Maximum number of conditions.
const MAX_CONDITIONS: usize = 100;

/// Maximum size of all lines, in bytes of JSON.
const LINES: usize = LIST_LIMIT / 2;

#[cfg(test)]
pub const EVENTS: &[Event] =
    &[event::<UnfoldedData>("unfolded", 2, "What the expressions of a statement computed.")];

written! {
    #[serde(rename_all = "camelCase")]
    struct UnfoldedData<'a> {
        /// The step of the statement.
        step: u64,
        /// The statement.
        location: Location<'a>,
        /// The line in which it ends.
        end_line: u32 = 1..,
        /// The column in which it ends.
        end_column: u32 = 1..,
        /// The kind of the statement.
        #[cfg_attr(test, schemars(extend("enum" = ["declaration", "assignment", "update", "expression", "return", "if", "when", "for", "for_each", "as_long_as", "other"])))]
        statement: &'static str,
        /// The heads that decided that it is executed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        conditions: Vec<ConditionItem>,
        /// The text of the statement before the expression.
        prefix: Cow<'a, str>,
        /// The expression, rewritten step by step.
        lines: Vec<LineItem>,
        /// What was computed, in this order.
        parts: Vec<PartItem>,
        /// Why not everything was computed.
        #[serde(skip_serializing_if = "Option::is_none")]
        incomplete: Option<Cow<'a, str>>,
        /// Whether parts are left out.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    }

    /// The place of a head that decided that a statement is executed.
    #[cfg_attr(test, schemars(rename = "Condition"))]
    struct ConditionItem {
        /// The line, from 1.
        line: u32 = 1..,
        /// The column, from 1.
        column: u32 = 1..,
        /// What the condition was; missing for `when`, `for` and `for_each`.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<bool>,
        /// The step at which it was computed last before the statement, with `conditionSteps`.
        #[serde(skip_serializing_if = "Option::is_none")]
        step: Option<u64>,
    }

    /// An argument of a call of a function of the program.
    #[cfg_attr(test, schemars(rename = "PartArgument"))]
    #[serde(rename_all = "camelCase")]
    struct ArgumentItem {
        /// The argument as it is written; missing if the parameter has its default value.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The index of the part that has its value.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<usize>,
        /// Whether the parameter has a `&`.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        by_reference: bool,
    }

    /// The expression with one more part replaced by its value.
    #[cfg_attr(test, schemars(rename = "RewrittenLine"))]
    struct LineItem {
        /// The rewritten expression.
        text: String,
        /// The first character that is new, from 0.
        start: usize,
        /// How many characters are new.
        length: usize,
        /// The index of the part whose value is new.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<usize>,
    }

    /// An expression of a statement, and what it computed.
    #[derive(Default)]
    #[cfg_attr(test, schemars(rename = "UnfoldedPart"))]
    #[serde(rename_all = "camelCase")]
    struct PartItem {
        /// The line, from 1.
        line: u32 = 1..,
        /// The column, from 1.
        column: u32 = 1..,
        /// The line in which it ends.
        end_line: u32 = 1..,
        /// The column in which it ends.
        end_column: u32 = 1..,
        /// The expression as it is written.
        text: String,
        /// What it is.
        #[cfg_attr(test, schemars(extend("enum" = ["variable", "element", "field", "call", "operator", "conversion", "interpolation", "range", "literal", "write", "error"])))]
        kind: &'static str,
        /// The index of the part to which it belongs.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<usize>,
        /// The value, as it is shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The type of the value.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        type_name: Option<String>,
        /// The type with which it was declared.
        #[serde(skip_serializing_if = "Option::is_none")]
        declared_type: Option<String>,
        /// How many parts the value has.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 0)))]
        children: Option<usize>,
        /// The number of the array, map or struct.
        #[serde(skip_serializing_if = "Option::is_none")]
        object_id: Option<u64> = 1..,
        /// Whether the value is cut.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        /// The first step in the body of the called function.
        #[serde(skip_serializing_if = "Option::is_none")]
        step_in: Option<u64> = 1..,
        /// The last step in the body of the called function.
        #[serde(skip_serializing_if = "Option::is_none")]
        step_out: Option<u64> = 1..,
        /// The arguments of a call, one for each parameter.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<ArgumentItem>,
        /// What a call does beside its result.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("enum" = ["input", "change"])))]
        effect: Option<&'static str>,
        /// Where the text of the value begins in the text that the part makes, or prints, to which it belongs, in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        text_start: Option<usize>,
        /// Where it ends there.
        #[serde(skip_serializing_if = "Option::is_none")]
        text_end: Option<usize>,
        /// What is written to.
        #[serde(skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// The value before a write.
        #[serde(skip_serializing_if = "Option::is_none")]
        old_value: Option<String>,
        /// The value after a write.
        #[serde(skip_serializing_if = "Option::is_none")]
        new_value: Option<String>,
        /// Why it was not computed.
        #[serde(skip_serializing_if = "Option::is_none")]
        skipped: Option<String>,
        /// What the error is.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// The code of the error.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    }
}

fn unfold(params: &Params, _: Context) -> Result<Ask, String> {
    let (frame, radix) = (frame(params)?, RADIX.read(params)?.unwrap_or_default());
    let target = match (STEP.read(params)?, NEXT.read(params)?.unwrap_or_default()) {
        (Some(_), true) => return Err("wrong parameter 'next': there is 'step', too".into()),
        (Some(step), false) => UnfoldTarget::Step(step),
        (None, true) => UnfoldTarget::Next,
        (None, false) => UnfoldTarget::Last,
    };
    let condition_steps = CONDITION_STEPS.read(params)?.unwrap_or_default();
    ask(Unfold { target, frame, limits: Limits::PREVIEW, condition_steps }, move |_, asked, found, out| {
        unfolded(out, found, radix, asked.id());
    })
}

/// Writes the event `unfolded`. Parts for which there is no room are left out.
fn unfolded(out: &mut Sink, unfolded: &Unfolded, radix: Radix, id: Option<&RawValue>) {
    // The last ones are the nearest.
    let first = unfolded.conditions.len().saturating_sub(MAX_CONDITIONS);
    let conditions = unfolded.conditions.iter().skip(first);
    let conditions: Vec<ConditionItem> = conditions.map(condition_item).collect();
    let (lines, used) = fitting_lines(lines(unfolded, radix, out.notation));
    let used = used + conditions.len() * 80;
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

fn condition_item(condition: &Condition) -> ConditionItem {
    let Condition { at, holds, step } = *condition;
    ConditionItem { line: at.line, column: at.column, value: holds, step }
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
        text_start: part.place.as_ref().map(|place| place.start),
        text_end: part.place.as_ref().map(|place| place.end),
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
