//! Events to lines.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::debug::{self, Problem, StopReason};
use crate::protocol::Encoder;
use crate::session::{Failure, RequestId, SessionEvent};
use crate::value::Stream;

use super::VERSION;
use super::messages as m;
use super::shorten::{cut_json, json_len, level, shorten};

/// How long the line of a list may be: `variables`, `stackTrace`, the warnings in `initialized`.
const LIST_LIMIT: usize = 30 * 1024 - 512;

/// How long one text of an event may be, as JSON.
const TEXT_LIMIT: usize = 20 * 1024;

/// How long the lesser texts beside it may be.
const SMALL_LIMIT: usize = 4 * 1024;

/// Writes events as lines of SPEC.md.
#[derive(Debug)]
pub struct EzEncoder;

impl Encoder for EzEncoder {
    fn event(
        &mut self,
        tag: Option<&RequestId>,
        event: &SessionEvent,
        out: &mut Vec<u8>,
    ) -> Option<SessionEvent> {
        let line = Line { tag, out };
        match event {
            SessionEvent::Initialized { file, warnings, version } => {
                return line.initialized(file, warnings, *version);
            }
            SessionEvent::Warnings(warnings) => return line.warnings(warnings),
            SessionEvent::Started => line.write("started", m::Nothing {}),
            SessionEvent::Stopped(stopped) => line.stopped(stopped),
            SessionEvent::VariableUpdate(variable) => line.variable_update(variable),
            SessionEvent::Error(failure) => line.error(failure),
            SessionEvent::Exited { status } => line.write("exited", m::Exited { exit_code: *status }),
            SessionEvent::Terminated => line.write("terminated", m::Nothing {}),
            SessionEvent::Variables { frame, variables } => line.variables(*frame, variables),
            SessionEvent::StackTrace { frames, total } => line.stack_trace(frames, *total),
            SessionEvent::Evaluated { expression, value } => line.write(
                "evaluateResult",
                m::EvaluateResult {
                    expression: &cut_json(expression, SMALL_LIMIT),
                    result: &shorten(&value.result, TEXT_LIMIT),
                    type_name: &cut_json(&value.type_name, SMALL_LIMIT),
                },
            ),
            SessionEvent::BreakpointSet { file, line: at, id } => {
                line.write("breakpointSet", m::BreakpointSet { file, line: *at, id: *id });
            }
            SessionEvent::BreakpointCleared { file, line: at } => {
                line.write("breakpointCleared", m::BreakpointCleared { file, line: *at });
            }
            SessionEvent::InputRequested => line.write("inputRequested", m::Nothing {}),
        }
        None
    }

    fn output(&mut self, stream: Stream, text: &str, out: &mut Vec<u8>) {
        let start: &[u8] = match stream {
            Stream::Stdout => br#"{"type":"event","event":"output","data":{"category":"stdout","text":"#,
            Stream::Stderr => br#"{"type":"event","event":"output","data":{"category":"stderr","text":"#,
        };
        out.extend_from_slice(start);
        quoted(text, out);
        out.extend_from_slice(b"}}\n");
    }
}

/// A text as a JSON string. Output is written at a rate at which the general way is felt.
fn quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| is_escaped(*byte)) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let Some((byte, tail)) = tail.split_first() else { break };
        rest = tail;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            other => out.extend_from_slice(format!("\\u{other:04x}").as_bytes()),
        }
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// Whether a byte is written in another way.
fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// A line that is to be added to `out`.
struct Line<'a> {
    tag: Option<&'a RequestId>,
    out: &'a mut Vec<u8>,
}

impl Line<'_> {
    fn write<T: Serialize>(self, event: &'static str, data: T) {
        // A tag is the JSON text of an `id`.
        let id = self.tag.and_then(|tag| serde_json::from_str::<&RawValue>(&tag.0).ok());
        let envelope = m::Envelope { kind: "event", event, data, id };
        // Nothing in the messages can fail to be written, and a vector takes all.
        let _ = serde_json::to_writer(&mut *self.out, &envelope);
        self.out.push(b'\n');
    }

    fn initialized(self, file: &str, warnings: &[Problem], version: Option<u32>) -> Option<SessionEvent> {
        let (shown, rest) = fitting(warnings, LIST_LIMIT.saturating_sub(json_len(file)));
        let data = m::Initialized {
            file,
            warnings: shown.iter().map(|(warning, texts)| texts.report(warning)).collect(),
            protocol_version: version.map(|version| version.min(VERSION)),
            capabilities: version.map(|_| m::Capabilities {
                conditional_breakpoints: true,
                pause: true,
                input: true,
                stack_trace_total: true,
                deny: true,
            }),
        };
        self.write("initialized", data);
        rest
    }

    fn warnings(self, warnings: &[Problem]) -> Option<SessionEvent> {
        let (shown, rest) = fitting(warnings, LIST_LIMIT);
        let reports = shown.iter().map(|(warning, texts)| texts.report(warning)).collect();
        self.write("warnings", m::Warnings { warnings: reports });
        rest
    }

    fn error(self, failure: &Failure) {
        let texts = Texts::of(&failure.message, failure.help.as_deref());
        let command = failure.command.as_deref().map(|name| cut_json(name, SMALL_LIMIT));
        let place = failure.location.as_ref().map(Place::of);
        let used = json_len(&texts.message) + json_len(&texts.help) + place.map_or(0, |p| p.size()) + 512;
        let frames = frames(&failure.stack, LIST_LIMIT.saturating_sub(used));
        let data = m::Report {
            message: &texts.message,
            code: failure.code.map(|code| code.as_str()),
            severity: failure.severity.map(|severity| severity.as_str()),
            location: place.map(Place::message),
            command: command.as_deref(),
            help: texts.help(),
            stack: frames,
        };
        self.write("error", data);
    }

    fn stopped(self, stopped: &debug::Stopped) {
        let (reason, breakpoint_id) = match stopped.reason {
            StopReason::Entry => ("entry", None),
            StopReason::Step => ("step", None),
            StopReason::Breakpoint(id) => ("breakpoint", Some(id)),
            StopReason::Pause => ("pause", None),
        };
        let location = Place::of(&stopped.location).message();
        let text = stopped.text.as_deref().map(|text| cut_json(text, TEXT_LIMIT));
        self.write("stopped", m::Stopped { reason, location, breakpoint_id, text: text.as_deref() });
    }

    fn variable_update(self, variable: &debug::Variable) {
        let data = m::VariableUpdate {
            name: &variable.name,
            value: &shorten(&variable.value, TEXT_LIMIT),
            type_name: &variable.type_name,
            frame_index: 0,
        };
        self.write("variableUpdate", data);
    }

    fn variables(self, frame: usize, variables: &[debug::Variable]) {
        // Names and types are not cut; every value keeps at least an ellipsis.
        let fixed = |v: &debug::Variable| json_len(&v.name) + json_len(&v.type_name) + 36;
        let mut room = LIST_LIMIT - 128;
        let mut shown = 0;
        for variable in variables {
            match room.checked_sub(fixed(variable) + json_len("…")) {
                Some(left) => room = left,
                None => break,
            }
            shown += 1;
        }
        let shown = variables.get(..shown).unwrap_or(variables);
        let sizes: Vec<usize> = shown.iter().map(|v| json_len(&v.value)).collect();
        let room = LIST_LIMIT - 128 - shown.iter().map(fixed).sum::<usize>();
        let most = level(&sizes, room);
        let values: Vec<Cow<str>> = shown.iter().map(|v| shorten(&v.value, most)).collect();
        let list: Vec<m::Variable> = shown
            .iter()
            .zip(&values)
            .map(|(v, value)| m::Variable { name: &v.name, value, type_name: &v.type_name })
            .collect();
        let truncated = list.len() < variables.len();
        self.write("variables", m::Variables { frame_index: frame, variables: &list, truncated });
    }

    fn stack_trace(self, list: &[debug::Frame], total: usize) {
        let frames = frames(list, LIST_LIMIT - 128);
        self.write("stackTrace", m::StackTrace { frames: &frames, total });
    }
}

/// Message and help, cut so that they fit into an event.
struct Texts<'a> {
    message: Cow<'a, str>,
    help: Cow<'a, str>,
}

impl<'a> Texts<'a> {
    fn of(message: &'a str, help: Option<&'a str>) -> Texts<'a> {
        Texts { message: cut_json(message, TEXT_LIMIT), help: cut_json(help.unwrap_or(""), SMALL_LIMIT) }
    }

    fn help(&self) -> Option<&str> {
        (!self.help.is_empty()).then_some(&*self.help)
    }

    /// One of a list of warnings.
    fn report<'b>(&'b self, warning: &'b Problem) -> m::Report<'b> {
        m::Report {
            message: &self.message,
            code: Some(warning.code.as_str()),
            severity: Some(warning.severity.as_str()),
            location: warning.location.as_ref().map(|location| Place::of(location).message()),
            command: None,
            help: self.help(),
            stack: Vec::new(),
        }
    }
}

/// As many warnings as there is room for with their texts, at least one, and what tells the rest.
fn fitting(warnings: &[Problem], mut room: usize) -> (Vec<(&Problem, Texts<'_>)>, Option<SessionEvent>) {
    let mut shown = Vec::new();
    for warning in warnings {
        let texts = Texts::of(&warning.message, warning.help.as_deref());
        let place = warning.location.as_ref().map_or(0, |location| Place::of(location).size());
        let size = json_len(&texts.message) + json_len(&texts.help) + place + 128;
        match room.checked_sub(size) {
            Some(left) => room = left,
            None if shown.is_empty() => room = 0,
            None => break,
        }
        shown.push((warning, texts));
    }
    let rest = warnings.get(shown.len()..).filter(|rest| !rest.is_empty());
    let rest = rest.map(|rest| SessionEvent::Warnings(rest.to_vec()));
    (shown, rest)
}

/// A location whose path is text.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Place<'a> {
    fn of(location: &'a debug::Location) -> Place<'a> {
        // Only UTF-8 paths come from a client or can be imported.
        let file = location.path.to_str().unwrap_or("");
        Place { file, line: location.line, column: location.column }
    }

    fn size(self) -> usize {
        json_len(self.file) + 64
    }

    fn message(self) -> m::Location<'a> {
        m::Location { file: self.file, line: self.line, column: self.column }
    }
}

/// As many frames as fit, innermost first.
fn frames(list: &[debug::Frame], mut room: usize) -> Vec<m::Frame<'_>> {
    let mut frames = Vec::new();
    for frame in list {
        let place = Place::of(&frame.location);
        let size = place.size() + json_len(&frame.function) + 64;
        let Some(left) = room.checked_sub(size) else { break };
        room = left;
        frames.push(m::Frame {
            index: frame.index,
            function: &frame.function,
            file: place.file,
            line: place.line,
            column: place.column,
        });
    }
    frames
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
