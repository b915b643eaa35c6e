//! Events that answer questions about the session, its program and its names.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::api::{self, BreakpointPlace, CompletionKind, ModuleKind, Status};
use crate::protocol::json::{cut_json, write_json};

use super::breakpoints::{breakpoint, filters};
use super::encode::{LIST_LIMIT, SMALL_LIMIT, TEXT_LIMIT, capabilities, location, path_text};
use super::parts::{divided, paged};
use super::sink::Sink;
use super::values::watch;
use super::wire;

/// The name of a state in the protocol.
fn status_name(status: Status) -> &'static str {
    match status {
        Status::NotInitialized => "notInitialized",
        Status::Ready => "ready",
        Status::Running => "running",
        Status::Stopped => "stopped",
        Status::Exited => "exited",
    }
}

/// Writes the event `state`.
pub fn state(out: &mut Sink, state: &api::State, id: Option<&RawValue>) {
    out.add("state", state_data(state), id);
}

/// Writes the event `attached`. `version` is the highest version that the client supports, if it said so.
pub fn attached(out: &mut Sink, attached: &api::Attached, version: Option<u32>, id: Option<&RawValue>) {
    let data = wire::Attached {
        state: state_data(&attached.state),
        dropped_output: Some(attached.dropped_output).filter(|bytes| *bytes > 0),
        protocol_version: version.map(|version| version.min(super::VERSION)),
        capabilities: version.map(capabilities),
    };
    out.add("attached", data, id);
}

fn state_data(state: &api::State) -> wire::State<'_> {
    let stop = state.stop.as_ref();
    let moment = stop.and_then(|stop| stop.moment);
    let of_kind = |wanted: fn(&BreakpointPlace) -> bool| {
        state.breakpoints.iter().filter(move |b| wanted(&b.place)).map(breakpoint).collect()
    };
    let mut data = wire::State {
        status: status_name(state.status),
        file: state.file.as_deref(),
        location: stop.map(|stop| location(&stop.location)),
        reason: stop.map(|stop| stop.reason.name()),
        description: stop.map(|stop| cut_json(&stop.description, SMALL_LIMIT)),
        step: stop.map(|stop| stop.step),
        frame_count: stop.map(|stop| stop.frame_count),
        exit_code: state.exit_status,
        breakpoints: of_kind(|place| matches!(place, BreakpointPlace::Line { .. })),
        function_breakpoints: of_kind(|place| matches!(place, BreakpointPlace::Function { .. })),
        data_breakpoints: of_kind(|place| matches!(place, BreakpointPlace::Data { .. })),
        exception_filters: filters(&state.exceptions),
        watches: state.watches.iter().map(|w| watch(w, false)).collect(),
        truncated: false,
        history: state.keeps_history,
        moment: moment.map(Into::into),
    };
    let mut room = TEXT_LIMIT - 2 * SMALL_LIMIT;
    let whole = [
        fit(&mut data.function_breakpoints, &mut room),
        fit(&mut data.data_breakpoints, &mut room),
        fit(&mut data.watches, &mut room),
        fit(&mut data.breakpoints, &mut room),
    ];
    data.truncated = whole.contains(&false);
    data
}

/// Shortens a list to what fits into `room` bytes, and reduces `room`; returns whether the list is complete.
fn fit(list: &mut Vec<impl Serialize>, room: &mut usize) -> bool {
    let mut bytes = Vec::new();
    let fitting = list.iter().take_while(|item| {
        bytes.clear();
        write_json(&mut bytes, item);
        let left = room.checked_sub(bytes.len() + 1);
        *room = left.unwrap_or(*room);
        left.is_some()
    });
    let count = fitting.count();
    let whole = count == list.len();
    list.truncate(count);
    whole
}

/// Writes the event `watches`.
pub fn watches(out: &mut Sink, all: &[api::Watch], id: Option<&RawValue>) {
    let all = all.iter().map(|w| watch(w, false)).collect();
    paged(all, out.limit(LIST_LIMIT - 256), id, |watches, part, id| {
        out.add("watches", wire::Watches { watches, part }, id);
    });
}

/// Writes the event `threads`.
pub fn threads(out: &mut Sink, status: Status, id: Option<&RawValue>) {
    let thread = wire::Thread { id: 1, name: "main", status: status_name(status) };
    out.add("threads", wire::Threads { threads: [thread] }, id);
}

/// Writes the event `source`.
pub fn source(out: &mut Sink, path: &Path, text: &str, id: Option<&RawValue>) {
    let file = path_text(path);
    divided(text, out.limit(TEXT_LIMIT), id, |text, part, id| {
        out.add("source", wire::Source { file, text, part }, id);
    });
}

/// Writes the event `modules`.
pub fn modules(out: &mut Sink, all: &[api::ModuleInfo], id: Option<&RawValue>) {
    let all = all.iter().map(module).collect();
    paged(all, out.limit(LIST_LIMIT - 256), id, |modules, part, id| {
        out.add("modules", wire::Modules { modules, part }, id);
    });
}

/// Writes the event `stepTargets`.
pub fn step_targets(out: &mut Sink, all: &[api::StepTarget], id: Option<&RawValue>) {
    let all = all.iter().map(target).collect();
    paged(all, out.limit(LIST_LIMIT - 256), id, |targets, part, id| {
        out.add("stepTargets", wire::StepTargets { targets, part }, id);
    });
}

/// Writes the event `completions`.
pub fn completions(out: &mut Sink, all: &[api::Completion], id: Option<&RawValue>) {
    let completion = |found: &'_ api::Completion| wire::Completion {
        label: Cow::Owned(cut_json(&found.label, SMALL_LIMIT).into_owned()),
        kind: match found.kind {
            CompletionKind::Variable => "variable",
            CompletionKind::Constant => "constant",
            CompletionKind::Function => "function",
            CompletionKind::Field => "field",
            CompletionKind::Member => "member",
            CompletionKind::Type => "type",
            CompletionKind::Module => "module",
            CompletionKind::Keyword => "keyword",
        },
        start: found.start,
        length: found.length,
        detail: (!found.detail.is_empty()).then(|| Cow::Owned(cut_json(&found.detail, 512).into_owned())),
    };
    let all: Vec<wire::Completion> = all.iter().map(completion).collect();
    paged(all, out.limit(LIST_LIMIT - 256), id, |targets, part, id| {
        out.add("completions", wire::Completions { targets, part }, id);
    });
}

fn module(module: &api::ModuleInfo) -> wire::Module<'_> {
    wire::Module {
        name: &module.name,
        file: module.path.as_deref().map(path_text),
        kind: match module.kind {
            ModuleKind::Main => "main",
            ModuleKind::User => "user",
            ModuleKind::Library => "library",
        },
    }
}

fn target(target: &api::StepTarget) -> wire::StepTarget<'_> {
    wire::StepTarget {
        id: target.id,
        label: &target.label,
        line: target.start.line,
        column: target.start.column,
        end_line: target.end.line,
        end_column: target.end.column,
    }
}
