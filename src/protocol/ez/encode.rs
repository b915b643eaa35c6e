//! Encodes events, and what the answers to several commands contain; shortens what does not fit into an event.

use std::borrow::Cow;
use std::path::Path;

use serde_json::value::RawValue;

use crate::protocol::json::{cut_json, json_len};
use crate::protocol::value_text::{Notation, type_text, value_text};
use ez_engine::api::{self, Problem};

use super::sink::Sink;
use super::wire;

/// Maximum size of a line with a list (`variables`, `stackTrace`, warnings of `initialized`), in bytes.
pub const LIST_LIMIT: usize = 30 * 1024 - 512;

/// Maximum size of an event's main text as JSON, in bytes.
pub const TEXT_LIMIT: usize = 20 * 1024;

/// Maximum size of a secondary text such as a name or help, in bytes.
pub const SMALL_LIMIT: usize = 4 * 1024;

/// A problem of the program as it is written, without its stack.
pub fn report(problem: &Problem) -> wire::Report<'_> {
    wire::Report {
        message: cut_json(&problem.message, TEXT_LIMIT),
        code: Some(problem.code.as_str()),
        severity: Some(problem.severity.as_str()),
        location: problem.location.as_ref().map(location),
        help: problem.help.as_deref().map(|help| cut_json(help, SMALL_LIMIT)),
        ..wire::Report::default()
    }
}

/// Writes an `error` event about the program.
pub fn problem(out: &mut Sink, problem: &Problem, id: Option<&RawValue>) {
    let mut data = report(problem);
    let place = problem.location.as_ref().map_or(0, location_size);
    let help = data.help.as_ref().map_or(0, |help| json_len(help));
    let used = json_len(&data.message) + help + place + 512;
    data.stack = frames(&problem.stack, None, LIST_LIMIT.saturating_sub(used));
    out.error(&data, id);
}

/// Writes an `error` event about a command; `command` is its name, if it is known.
pub fn error(out: &mut Sink, message: &str, command: Option<&str>, id: Option<&RawValue>) {
    let message = cut_json(message, TEXT_LIMIT);
    out.error(&wire::Report { message, command, ..wire::Report::default() }, id);
}

/// Writes an `error` event of a command whose program cannot be read or run, for version 2: with its kind.
pub fn no_program(out: &mut Sink, failure: &api::Failure, command: Option<&str>, id: Option<&RawValue>) {
    let message = cut_json(&failure.message, TEXT_LIMIT);
    let kind = if failure.unreadable().is_some() { "unreadable" } else { "noProgram" };
    out.error(&wire::Report { message, command, kind: Some(kind), ..wire::Report::default() }, id);
}

/// Writes an `error` event about an expression, for version 2: with code and position.
pub fn wrong_expression(
    out: &mut Sink,
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
    out.error(&data, id);
}

/// Writes the event `stopped`, without the changed variables; `more`: with the additions of version 2.
pub fn stopped(out: &mut Sink, stopped: &api::Stopped, more: bool, id: Option<&RawValue>) {
    let text = stopped.text.as_deref().map(|text| cut_json(text, TEXT_LIMIT / 4));
    let data = wire::Stopped {
        reason: stopped.reason.name(),
        location: location(&stopped.location),
        breakpoint_id: stopped.reason.breakpoint().map(|id| id.0),
        text,
        more: more.then(|| stopped_more(stopped, out.notation)),
    };
    out.add("stopped", data, id);
}

fn stopped_more(stopped: &api::Stopped, notation: Notation) -> wire::StoppedMore<'_> {
    let (written, raised) = (stopped.written.as_ref(), stopped.raised.as_ref());
    let returned = |returned: &'_ api::Returned| wire::ReturnValue {
        function: Cow::Owned(cut_json(&returned.function, SMALL_LIMIT).into_owned()),
        value: value_text(&returned.value.value, notation, SMALL_LIMIT),
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
        by: stopped.by.as_deref(),
        hits: stopped.hits,
        return_value: stopped.returned.as_ref().map(returned),
        old_value: written.and_then(|written| Some(value_text(&written.old.as_ref()?.value, notation, 1024))),
        new_value: written.map(|written| value_text(&written.new.value, notation, 1024)),
        written_at: written.map(|written| location(&written.at)),
        code: raised.and_then(|raised| raised.code.as_deref()).map(|code| cut_json(code, 256)),
        help: raised.and_then(|raised| raised.help.as_deref()).map(|help| cut_json(help, SMALL_LIMIT)),
        stack: raised.map(|raised| frames(&raised.stack, None, SMALL_LIMIT)).unwrap_or_default(),
        breakpoint_ids: stopped.breakpoints.iter().map(|id| id.0).take(100).collect(),
        difference: stopped.difference.as_deref().map(difference),
    }
}

/// How far the output is as it is expected, as it is written.
pub fn output_state(output: &api::OutputState) -> wire::OutputState<'_> {
    let found = output.difference.as_deref();
    wire::OutputState { matched: output.matched, difference: found.map(difference) }
}

/// A difference of the output, as it is written.
pub fn difference(found: &api::Difference) -> wire::Difference<'_> {
    let (written, before) = (found.written.as_ref(), found.before.as_ref());
    wire::Difference {
        offset: found.offset,
        line: found.line,
        column: found.column,
        expected: found.expected,
        actual: found.actual,
        expected_line: &found.expected_line,
        actual_line: &found.actual_line,
        left_out: found.left_out,
        expected_more: found.expected_more,
        actual_more: found.actual_more,
        is_unfinished: found.is_unfinished,
        written_at: written.map(|written| location(&written.location)),
        step: written.and_then(|written| written.step),
        within: found.within,
        before_at: before.map(|before| location(&before.location)),
        before_step: before.and_then(|before| before.step),
    }
}

/// A path as text. All paths here are UTF-8: they come from a client or an import.
pub fn path_text(path: &Path) -> &str {
    path.to_str().unwrap_or("")
}

fn path(location: &api::Location) -> &str {
    path_text(&location.path)
}

/// A position in a file, as it is written.
pub fn location(location: &api::Location) -> wire::Location<'_> {
    wire::Location { file: Some(path(location)), line: location.line, column: location.column }
}

/// The data of the event `progress`.
pub fn progress(progress: &api::Progress) -> wire::Progress<'_> {
    let api::Progress { title, percentage, is_over } = progress;
    wire::Progress { title: cut_json(title, SMALL_LIMIT), percentage: *percentage, done: *is_over }
}

/// Approximate size of a position in bytes.
pub fn location_size(location: &api::Location) -> usize {
    json_len(path(location)) + 64
}

/// The innermost frames that fit into `room` bytes. With `total`, the number of all frames, they have the
/// additions of version 2.
pub fn frames(list: &[api::Frame], total: Option<usize>, mut room: usize) -> Vec<wire::Frame<'_>> {
    let mut frames = Vec::new();
    for frame in list {
        let function = cut_json(&frame.function, SMALL_LIMIT);
        let module = frame.module.as_deref().map_or(0, json_len);
        let size = location_size(&frame.location) + json_len(&function) + module + 128;
        let Some(left) = room.checked_sub(size) else { break };
        room = left;
        let api::Location { line, column, .. } = frame.location;
        let more = total.map(|total| wire::FrameMore {
            // Counted from the outermost frame, so that a frame has the same id at every stop.
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
