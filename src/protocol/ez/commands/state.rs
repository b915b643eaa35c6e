//! Commands that tell the state of the session: `attach`, `getState`, `getThreads`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::value::RawValue;

use super::loading::server_version;
use super::parameters::{NOTATION, PROTOCOL_VERSION, TOKEN};
use super::{Ask, Command, Context, ask};
use crate::protocol::ez::breakpoints::{breakpoint, breakpoint_changed, filters};
use crate::protocol::ez::capabilities::{Capabilities, capabilities};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{SMALL_LIMIT, TEXT_LIMIT, location, output_state};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::values::watch;
use crate::protocol::ez::wire::{
    Breakpoint, ExceptionFilter, GuestItem, Location, Moment, OutputState, Watch, written,
};
use crate::protocol::ez::{PendingCommand, VERSION};
use crate::protocol::json::cut_json;
use crate::protocol::parameter::{Optional, Text, parameters};
use crate::protocol::params::Params;
use crate::protocol::value_text::Notation;
use ez_engine::api::{
    self, Attach, Attached, BreakpointLocation, ChangeReason, GetState, GetThreads, State, Status, write_json,
};

pub const COMMANDS: &[Command] = &[
    Command::since_2("attach", "Takes over a session that exists, over a socket.", attach)
        .takes(&[&TOKEN, &PROTOCOL_VERSION, &NOTATION, &NAME])
        .answered_by(&["attached"]),
    Command::since_2("getState", "Asks for all that a client needs to show the session.", get_state)
        .answered_by(&["state"])
        .capability("state"),
    Command::since_2("getThreads", "Asks for the thread of the program.", get_threads)
        .answered_by(&["threads"]),
];

parameters! {
    /// The name of a guest, for the others.
    NAME: Optional<Text> = "name", Text, since_2();
}

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<StateData>("state", 2, "All that a client needs to show the session.").is::<StateData>(),
    event::<AttachedData>("attached", 2, "The session that the client has taken over.").is::<StateData>(),
    event::<ThreadsData>("threads", 2, "The thread of the program."),
];

written! {
    /// What the session is doing, and what it has.
    #[cfg_attr(test, schemars(rename = "StateFields"))]
    #[serde(rename_all = "camelCase")]
    struct StateData<'a> {
        /// What the session is doing.
        #[cfg_attr(test, schemars(with = "crate::protocol::ez::description::Status"))]
        status: &'static str,
        /// The program's file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
        /// Where the program is stopped.
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<Location<'a>>,
        /// Why it stopped.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "Option<crate::protocol::ez::description::StopReason>"))]
        reason: Option<&'static str>,
        /// The reason as a sentence.
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<Cow<'a, str>>,
        /// As [`ez_engine::api::Stopped::step`].
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(description = ez_engine::api::STEP))]
        step: Option<u64>,
        /// How many calls are in progress.
        #[serde(skip_serializing_if = "Option::is_none")]
        frame_count: Option<usize>,
        /// The exit code of the program that has ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// The breakpoints at lines.
        breakpoints: Vec<Breakpoint<'a>>,
        /// The breakpoints at functions.
        function_breakpoints: Vec<Breakpoint<'a>>,
        /// The breakpoints at writes.
        data_breakpoints: Vec<Breakpoint<'a>>,
        /// The errors at which the program stops.
        exception_filters: Vec<ExceptionFilter<'a>>,
        /// The watches.
        watches: Vec<Watch<'a>>,
        /// Whether items of a list are left out.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        /// Whether the program's history is kept.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        history: bool,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        moment: Option<Moment>,
        /// How far the output is as it is expected.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<OutputState<'a>>,
    }

    #[serde(rename_all = "camelCase")]
    struct AttachedData<'a> {
        #[serde(flatten)]
        state: StateData<'a>,
        /// Bytes of output that were discarded while no client was connected.
        #[serde(skip_serializing_if = "Option::is_none")]
        dropped_output: Option<u64> = 1..,
        /// The version in use, for a client that asked for one.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 1)))]
        protocol_version: Option<u32> = 1..,
        /// What the server can do, for a client that asked for a version.
        #[serde(skip_serializing_if = "Option::is_none")]
        capabilities: Option<Capabilities>,
        /// The version of the server, as `ez --version` prints it in brackets.
        #[serde(rename = "version", skip_serializing_if = "Option::is_none")]
        server_version: Option<&'static str>,
        /// What this client is, if it is a guest.
        #[serde(skip_serializing_if = "Option::is_none")]
        guest: Option<GuestItem<'a>>,
    }

    struct ThreadsData {
        /// The thread of the program.
        threads: [ThreadItem; 1],
    }

    /// A thread.
    #[cfg_attr(test, schemars(rename = "Thread"))]
    struct ThreadItem {
        /// The thread: 1.
        id: u32 = 1..,
        /// Its name: `main`.
        name: &'static str,
        /// What it is doing.
        #[cfg_attr(test, schemars(with = "crate::protocol::ez::description::Status"))]
        status: &'static str,
    }
}

fn attach(params: &Params, context: Context) -> Result<Ask, String> {
    let supported = context.supported(params)?;
    let version = supported.unwrap_or(1);
    let notation = NOTATION.read(params)?.unwrap_or_default();
    let name = NAME.read(params)?;
    let attach = Attach { launch: None, name, shows_breakpoints: true };
    let asked = ask(attach, move |client, asked, attached, out| {
        client.settle_with(version, notation, out);
        // The next `stopped` event then has no `id`.
        let runs = attached.state.status == Status::Running;
        client.running = runs.then(PendingCommand::default);
        write_attached(out, attached, supported, asked.id());
    })?;
    Ok(Ask { version: Some(version), ..asked })
}

/// Writes the event `attached`. `version` is the highest version that the client supports, if it said so.
fn write_attached(out: &mut Sink, attached: &Attached, version: Option<u32>, id: Option<&RawValue>) {
    let state = state_data(&attached.state, out.notation);
    let lists = [&state.breakpoints, &state.function_breakpoints, &state.data_breakpoints];
    let shown: BTreeSet<u32> = lists.into_iter().flatten().map(|breakpoint| breakpoint.id).collect();
    let data = AttachedData {
        state,
        dropped_output: Some(attached.dropped_output).filter(|bytes| *bytes > 0),
        protocol_version: version.map(|version| version.min(VERSION)),
        capabilities: version.map(capabilities),
        server_version: server_version(version),
        guest: attached.guest.as_ref().map(GuestItem::from),
    };
    out.add("attached", data, id);
    // A guest replaces only breakpoints that it was told of.
    if attached.guest.is_some() && version >= Some(2) {
        let is_left_out = |breakpoint: &&api::Breakpoint| !shown.contains(&breakpoint.id.0);
        for breakpoint in attached.state.breakpoints.iter().filter(is_left_out) {
            breakpoint_changed(out, breakpoint, ChangeReason::New, None, None);
        }
    }
}

fn get_state(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetState, |_, asked, state, out| out.add("state", state_data(state, out.notation), asked.id()))
}

fn state_data(state: &State, notation: Notation) -> StateData<'_> {
    let stop = state.stop.as_ref();
    let moment = stop.and_then(|stop| stop.moment);
    let of_kind = |wanted: fn(&BreakpointLocation) -> bool| {
        state.breakpoints.iter().filter(move |b| wanted(&b.place)).map(breakpoint).collect()
    };
    let mut data = StateData {
        status: state.status.name(),
        file: state.file.as_deref(),
        location: stop.map(|stop| location(&stop.location)),
        reason: stop.map(|stop| stop.reason.name()),
        description: stop.map(|stop| cut_json(&stop.description, SMALL_LIMIT)),
        step: stop.map(|stop| stop.step),
        frame_count: stop.map(|stop| stop.frame_count),
        exit_code: state.exit_status,
        breakpoints: of_kind(|place| matches!(place, BreakpointLocation::Line { .. })),
        function_breakpoints: of_kind(|place| matches!(place, BreakpointLocation::Function { .. })),
        data_breakpoints: of_kind(|place| matches!(place, BreakpointLocation::Data { .. })),
        exception_filters: filters(&state.exceptions),
        watches: state.watches.iter().map(|w| watch(w, false, notation)).collect(),
        truncated: false,
        history: state.keeps_history,
        moment: moment.map(Into::into),
        output: state.output.as_ref().map(output_state),
    };
    let mut room = TEXT_LIMIT - 2 * SMALL_LIMIT * if data.output.is_some() { 2 } else { 1 };
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

fn get_threads(_: &Params, _: Context) -> Result<Ask, String> {
    ask(GetThreads, |_, asked, status, out| {
        let thread = ThreadItem { id: 1, name: "main", status: status.name() };
        out.add("threads", ThreadsData { threads: [thread] }, asked.id());
    })
}
