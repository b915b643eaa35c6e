//! Responses and events to lines: what of them fits into an event, and how it looks.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::api::{self, Problem};
use crate::protocol::Messages;
use crate::protocol::json::{cut_json, json_len, write_json};
use crate::protocol::value_text::{type_text, value_text};

use super::wire;

/// How many bytes the line of a list may have: `variables`, `stackTrace`, the warnings in `initialized`.
pub const LIST_LIMIT: usize = 30 * 1024 - 512;

/// How many bytes one text of an event may take as JSON.
pub const TEXT_LIMIT: usize = 20 * 1024;

/// How many bytes a lesser text beside it may take: a name, a help.
pub const SMALL_LIMIT: usize = 4 * 1024;

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
    let (shown, rest) = fitting(warnings, LIST_LIMIT.saturating_sub(json_len(file)));
    let data = wire::Initialized {
        file,
        warnings: shown,
        protocol_version: version.map(|version| version.min(super::VERSION)),
        capabilities: version.map(capabilities),
    };
    add(out, "initialized", data, id);
    further_warnings(out, rest);
}

/// `restarted`; warnings that do not fit follow in `warnings`.
pub fn restarted(out: &mut Messages, initialized: &api::Initialized, id: Option<&RawValue>) {
    let api::Initialized { file, warnings } = initialized;
    let (shown, rest) = fitting(warnings, LIST_LIMIT.saturating_sub(json_len(file)));
    add(out, "restarted", wire::Restarted { file, warnings: shown }, id);
    further_warnings(out, rest);
}

fn further_warnings(out: &mut Messages, mut rest: &[Problem]) {
    while !rest.is_empty() {
        let (shown, later) = fitting(rest, LIST_LIMIT);
        add(out, "warnings", wire::Warnings { warnings: shown }, None);
        rest = later;
    }
}

/// What a client of this version is told that the server can do.
pub fn capabilities(version: u32) -> wire::Capabilities {
    wire::Capabilities(if version >= 2 { CAPABILITIES } else { CAPABILITIES_1 })
}

/// What version 1 has.
const CAPABILITIES_1: &[&str] = &["conditionalBreakpoints", "pause", "input", "stackTraceTotal", "deny"];

/// What version 2 has.
pub const CAPABILITIES: &[&str] = &[
    "conditionalBreakpoints",
    "pause",
    "input",
    "stackTraceTotal",
    "deny",
    "arguments",
    "environment",
    "stopOnEntry",
    "keepAlive",
    "source",
    "restart",
    "kill",
    "state",
    "memoryLimit",
    "hitConditions",
    "logPoints",
    "functionBreakpoints",
    "exceptionBreakpoints",
    "dataBreakpoints",
    "breakpointLocations",
    "runTo",
    "stepTargets",
    "returnValues",
    "children",
    "setVariable",
    "evaluateContexts",
    "completions",
    "watches",
    "history",
    "replay",
];

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
    data.stack = frames(&problem.stack, None, LIST_LIMIT.saturating_sub(used));
    add(out, "error", data, id);
}

/// `error` about a command, or about a message that names none.
pub fn error(out: &mut Messages, message: &str, command: Option<&str>, id: Option<&RawValue>) {
    let message = cut_json(message, TEXT_LIMIT);
    add(out, "error", wire::Report { message, command, ..wire::Report::default() }, id);
}

/// `error` about an expression of a client that speaks version 2: with code and place.
pub fn wrong_expression(
    out: &mut Messages,
    failure: &api::Failure,
    command: Option<&str>,
    id: Option<&RawValue>,
) {
    let place = |at: api::Position| wire::Location { file: None, line: at.line, column: at.column };
    let data = wire::Report {
        message: cut_json(&failure.message, TEXT_LIMIT),
        command,
        code: failure.wrong.map(|wrong| wrong.code.as_str()),
        location: failure.wrong.and_then(|wrong| wrong.position).map(place),
        ..wire::Report::default()
    };
    add(out, "error", data, id);
}

/// `stopped`, without what has changed; `more`: with what version 2 adds.
pub fn stopped(out: &mut Messages, stopped: &api::Stopped, more: bool, id: Option<&RawValue>) {
    let text = stopped.text.as_deref().map(|text| cut_json(text, TEXT_LIMIT / 4));
    let data = wire::Stopped {
        reason: stopped.reason.name(),
        location: location(&stopped.location),
        breakpoint_id: stopped.reason.breakpoint().map(|id| id.0),
        text,
        more: more.then(|| stopped_more(stopped)),
    };
    add(out, "stopped", data, id);
}

fn stopped_more(stopped: &api::Stopped) -> wire::StoppedMore<'_> {
    let (written, raised) = (stopped.written.as_ref(), stopped.raised.as_ref());
    let returned = |returned: &'_ api::Returned| wire::ReturnValue {
        function: Cow::Owned(cut_json(&returned.function, SMALL_LIMIT).into_owned()),
        value: value_text(&returned.value.value, SMALL_LIMIT),
        type_name: Cow::Owned(cut_json(&type_text(&returned.value), SMALL_LIMIT).into_owned()),
        declared_type: Cow::Owned(cut_json(&returned.value.declared_type, SMALL_LIMIT).into_owned()),
        reference: returned.value.handle.map(|handle| handle.0.get()),
    };
    wire::StoppedMore {
        description: cut_json(&stopped.description, SMALL_LIMIT),
        thread_id: 1,
        frame_count: stopped.frame_count,
        step: stopped.step,
        moment: stopped.moment.map(Into::into),
        hits: stopped.hits,
        return_value: stopped.returned.as_ref().map(returned),
        old_value: written.map(|written| value_text(&written.old.value, 1024)),
        new_value: written.map(|written| value_text(&written.new.value, 1024)),
        written_at: written.map(|written| location(&written.at)),
        code: raised.and_then(|raised| raised.code.as_deref()).map(|code| cut_json(code, 256)),
        help: raised.and_then(|raised| raised.help.as_deref()).map(|help| cut_json(help, SMALL_LIMIT)),
        stack: raised.map(|raised| frames(&raised.stack, None, SMALL_LIMIT)).unwrap_or_default(),
        breakpoint_ids: stopped.breakpoints.iter().map(|id| id.0).take(100).collect(),
    }
}

/// `stackTrace`; `more`: with what version 2 adds.
pub fn stack_trace(out: &mut Messages, all: &[api::Frame], total: usize, more: bool, id: Option<&RawValue>) {
    let frames = frames(all, more.then_some(total), LIST_LIMIT - 128);
    add(out, "stackTrace", wire::StackTrace { frames, total }, id);
}

/// A path as text. Only UTF-8 paths come from a client or can be imported.
pub fn path_text(path: &Path) -> &str {
    path.to_str().unwrap_or("")
}

fn path(location: &api::Location) -> &str {
    path_text(&location.path)
}

/// A place in a file.
pub fn location(location: &api::Location) -> wire::Location<'_> {
    wire::Location { file: Some(path(location)), line: location.line, column: location.column }
}

/// The data of `progress`.
pub fn progress(progress: &api::Progress) -> wire::Progress<'_> {
    let api::Progress { title, percentage, is_over } = progress;
    wire::Progress { title: cut_json(title, SMALL_LIMIT), percentage: *percentage, done: *is_over }
}

/// About how many bytes a location takes.
fn location_size(location: &api::Location) -> usize {
    json_len(path(location)) + 64
}

/// As many frames as fit, innermost first; with what version 2 adds, if the number of all frames is given.
fn frames(list: &[api::Frame], total: Option<usize>, mut room: usize) -> Vec<wire::Frame<'_>> {
    let mut frames = Vec::new();
    for frame in list {
        let function = cut_json(&frame.function, SMALL_LIMIT);
        let module = frame.module.as_deref().map_or(0, json_len);
        let size = location_size(&frame.location) + json_len(&function) + module + 128;
        let Some(left) = room.checked_sub(size) else { break };
        room = left;
        let api::Location { line, column, .. } = frame.location;
        let more = total.map(|total| wire::FrameMore {
            // Counted from the outermost frame, so that a frame keeps its number from stop to stop.
            id: total.saturating_sub(frame.index),
            module: frame.module.as_deref(),
            is_main: frame.function == "main",
            end_line: frame.end.line,
            end_column: frame.end.column,
        });
        let file = path(&frame.location);
        frames.push(wire::Frame { index: frame.index, function, file, line, column, more });
    }
    frames
}

#[cfg(test)]
mod tests;
