//! Responses and events to lines: what of them fits into an event, and how it looks.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::api::{self, Breakpoint, Described, Problem, StopReason};
use crate::protocol::Messages;
use crate::protocol::json::{cut_json, json_len, level, write_json};
use crate::protocol::value_text::{type_text, value_text, whole_text};

use super::wire;

/// How many bytes the line of a list may have: `variables`, `stackTrace`, the warnings in `initialized`.
const LIST_LIMIT: usize = 30 * 1024 - 512;

/// How many bytes one text of an event may take as JSON.
const TEXT_LIMIT: usize = 20 * 1024;

/// How many bytes a lesser text beside it may take: a name, a help.
const SMALL_LIMIT: usize = 4 * 1024;

/// Bytes of a value that are shown in a list of variables, however many there are: that of any number up
/// to 40 digits.
const LEAST_VALUE: usize = 42;

/// Adds an event.
pub fn add(out: &mut Messages, event: &'static str, data: impl Serialize, id: Option<&RawValue>) {
    // An `id` is written as it came, but on one line like all else.
    let escaped = id.and_then(escape_id);
    let id = escaped.as_deref().or(id);
    out.add(|bytes| {
        write_json(bytes, &wire::Envelope { kind: "event", event, data, id });
        bytes.push(b'\n');
    });
}

/// The `id` with line separators escaped, if it has any.
fn escape_id(id: &RawValue) -> Option<Box<RawValue>> {
    const SEPARATORS: [(char, &str); 3] =
        [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];
    let text = id.get();
    if !text.contains(SEPARATORS.map(|(separator, _)| separator)) {
        return None;
    }
    let escaped = SEPARATORS
        .iter()
        .fold(text.to_string(), |text, (separator, escape)| text.replace(*separator, escape));
    RawValue::from_string(escaped).ok()
}

/// The parts of `warnings` that fit into `initialized` beside the file; the rest follows in `warnings`.
pub fn initialized(
    out: &mut Messages,
    initialized: &api::Initialized,
    version: Option<u32>,
    id: Option<&RawValue>,
) {
    let api::Initialized { file, warnings } = initialized;
    let (shown, mut rest) = fitting(warnings, LIST_LIMIT.saturating_sub(json_len(file)));
    let capabilities = wire::Capabilities {
        conditional_breakpoints: true,
        pause: true,
        input: true,
        stack_trace_total: true,
        deny: true,
    };
    let data = wire::Initialized {
        file,
        warnings: shown,
        protocol_version: version.map(|version| version.min(super::VERSION)),
        capabilities: version.map(|_| capabilities),
    };
    add(out, "initialized", data, id);
    while !rest.is_empty() {
        let (shown, later) = fitting(rest, LIST_LIMIT);
        add(out, "warnings", wire::Warnings { warnings: shown }, None);
        rest = later;
    }
}

/// As many warnings as there is room for, at least one if there are any, and the others.
fn fitting(warnings: &[Problem], mut room: usize) -> (Vec<wire::Report<'_>>, &[Problem]) {
    let mut shown = Vec::new();
    for warning in warnings {
        let report = report(warning);
        let help = report.help.as_ref().map_or(0, |help| json_len(help));
        let place = warning.location.as_ref().map_or(0, location_size);
        match room.checked_sub(json_len(&report.message) + help + place + 128) {
            Some(left) => room = left,
            None if shown.is_empty() => room = 0,
            None => break,
        }
        shown.push(report);
    }
    let rest = warnings.get(shown.len()..).unwrap_or_default();
    (shown, rest)
}

/// A problem of the program, without its stack.
fn report(problem: &Problem) -> wire::Report<'_> {
    wire::Report {
        message: cut_json(&problem.message, TEXT_LIMIT),
        code: Some(problem.code.as_str()),
        severity: Some(problem.severity.as_str()),
        location: problem.location.as_ref().map(location),
        help: problem.help.as_deref().map(|help| cut_json(help, SMALL_LIMIT)),
        ..wire::Report::default()
    }
}

/// `error` about the program.
pub fn problem(out: &mut Messages, problem: &Problem, id: Option<&RawValue>) {
    let mut data = report(problem);
    let place = problem.location.as_ref().map_or(0, location_size);
    let help = data.help.as_ref().map_or(0, |help| json_len(help));
    let used = json_len(&data.message) + help + place + 512;
    data.stack = frames(&problem.stack, LIST_LIMIT.saturating_sub(used));
    add(out, "error", data, id);
}

/// `error` about a command, or about a message that names none.
pub fn error(out: &mut Messages, message: &str, command: Option<&str>, id: Option<&RawValue>) {
    let message = cut_json(message, TEXT_LIMIT);
    add(out, "error", wire::Report { message, command, ..wire::Report::default() }, id);
}

/// `error` about a breakpoint whose condition turned out to be wrong.
pub fn wrong_breakpoint(out: &mut Messages, breakpoint: &Breakpoint) {
    let Breakpoint { id, spec, path, message, .. } = breakpoint;
    let why = message.as_deref().unwrap_or_default();
    let message = format!("Breakpoint {} ({}:{}): {why}", id.0, spec.file, spec.line);
    let data = wire::Report {
        message: cut_json(&message, TEXT_LIMIT).into_owned().into(),
        location: Some(wire::Location { file: path.to_str().unwrap_or(""), line: spec.line, column: 1 }),
        command: Some("setBreakpoint"),
        breakpoint_id: Some(id.0),
        ..wire::Report::default()
    };
    add(out, "error", data, None);
}

/// `stopped`, without what has changed.
pub fn stopped(out: &mut Messages, stopped: &api::Stopped, id: Option<&RawValue>) {
    let (reason, breakpoint_id) = match stopped.reason {
        StopReason::Entry => ("entry", None),
        StopReason::Step => ("step", None),
        StopReason::Breakpoint(id) => ("breakpoint", Some(id.0)),
        StopReason::Pause => ("pause", None),
    };
    let text = stopped.text.as_deref().map(|text| cut_json(text, TEXT_LIMIT));
    let data = wire::Stopped { reason, location: location(&stopped.location), breakpoint_id, text };
    add(out, "stopped", data, id);
}

/// `variableUpdate`.
pub fn variable_update(out: &mut Messages, changed: &api::Variable) {
    let value = value_text(&changed.held.value, TEXT_LIMIT);
    let data = wire::VariableUpdate { variable: variable(changed, value), frame_index: 0 };
    add(out, "variableUpdate", data, None);
}

fn variable(variable: &api::Variable, value: String) -> wire::Variable<'_> {
    wire::Variable {
        name: cut_json(&variable.name, SMALL_LIMIT),
        value,
        type_name: type_name(&variable.held),
    }
}

fn type_name(described: &Described) -> Cow<'_, str> {
    Cow::Owned(cut_json(&type_text(described), SMALL_LIMIT).into_owned())
}

/// `variables`: names and types are not cut, long values all to the same length; the last ones are left
/// out where that is not enough.
pub fn variables(out: &mut Messages, frame: usize, all: &[api::Variable], id: Option<&RawValue>) {
    let texts: Vec<(wire::Variable, usize)> = all
        .iter()
        .map(|v| variable(v, whole_text(&v.held.value)))
        .map(|v| {
            let size = json_len(&v.value);
            (v, size)
        })
        .collect();
    // `{"name":…,"value":…,"type":…},`
    let fixed = |v: &wire::Variable| json_len(&v.name) + json_len(&v.type_name) + 27;
    let mut room = LIST_LIMIT - 128;
    let mut shown = 0;
    for (variable, size) in &texts {
        match room.checked_sub(fixed(variable) + LEAST_VALUE.min(*size)) {
            Some(left) => room = left,
            None => break,
        }
        shown += 1;
    }
    let mut texts = texts;
    texts.truncate(shown);
    let sizes: Vec<usize> = texts.iter().map(|(_, size)| *size).collect();
    let room = LIST_LIMIT - 128 - texts.iter().map(|(v, _)| fixed(v)).sum::<usize>();
    let most = level(&sizes, room).max(LEAST_VALUE);
    let variables = texts
        .into_iter()
        .zip(all)
        .map(|((mut variable, size), described)| {
            if size > most {
                variable.value = value_text(&described.held.value, most);
            }
            variable
        })
        .collect();
    let data = wire::Variables { frame_index: frame, variables, truncated: shown < all.len() };
    add(out, "variables", data, id);
}

/// `stackTrace`.
pub fn stack_trace(out: &mut Messages, all: &[api::Frame], total: usize, id: Option<&RawValue>) {
    add(out, "stackTrace", wire::StackTrace { frames: frames(all, LIST_LIMIT - 128), total }, id);
}

/// `evaluateResult`.
pub fn evaluated(out: &mut Messages, expression: &str, value: &Described, id: Option<&RawValue>) {
    let data = wire::EvaluateResult {
        expression: cut_json(expression, SMALL_LIMIT),
        result: value_text(&value.value, TEXT_LIMIT),
        type_name: type_name(value),
    };
    add(out, "evaluateResult", data, id);
}

fn path(location: &api::Location) -> &str {
    // Only UTF-8 paths come from a client or can be imported.
    location.path.to_str().unwrap_or("")
}

fn location(location: &api::Location) -> wire::Location<'_> {
    wire::Location { file: path(location), line: location.line, column: location.column }
}

/// About how many bytes a location takes.
fn location_size(location: &api::Location) -> usize {
    json_len(path(location)) + 64
}

/// As many frames as fit, innermost first.
fn frames(list: &[api::Frame], mut room: usize) -> Vec<wire::Frame<'_>> {
    let mut frames = Vec::new();
    for frame in list {
        let function = cut_json(&frame.function, SMALL_LIMIT);
        let size = location_size(&frame.location) + json_len(&function) + 64;
        let Some(left) = room.checked_sub(size) else { break };
        room = left;
        let api::Location { line, column, .. } = frame.location;
        frames.push(wire::Frame { index: frame.index, function, file: path(&frame.location), line, column });
    }
    frames
}

#[cfg(test)]
mod tests;
