//! The command `getStackTrace`.

use serde_json::value::RawValue;

use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, frames};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::{Frame, written};
use crate::protocol::parameter::{Optional, Whole, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{GetStackTrace, StackTrace};

pub const COMMANDS: &[Command] =
    &[Command::new("getStackTrace", "Asks for the calls in progress, innermost first.", get_stack_trace)
        .takes(&[&START, &COUNT])
        .answered_by(&["stackTrace"])];

parameters! {
    /// The first frame (default: 0).
    START: Optional<Whole> = "start", Whole::NUMBER, since_2();
    /// How many at most (default: 100).
    COUNT: Optional<Whole> = "count", Whole(0, FRAMES), since_2();
}

/// Default and maximum number of frames in a `stackTrace`.
const FRAMES: u32 = 100;

#[cfg(test)]
pub const EVENTS: &[Event] = &[event::<StackTraceData>("stackTrace", 1, "The calls in progress.")];

written! {
    struct StackTraceData<'a> {
        /// The frames, innermost first.
        frames: Vec<Frame<'a>>,
        /// How many frames there are.
        total: usize,
    }
}

fn get_stack_trace(params: &Params, _: Context) -> Result<Ask, String> {
    let start = START.read(params)?.unwrap_or(0) as usize;
    let count = COUNT.read(params)?.unwrap_or(FRAMES) as usize;
    ask(GetStackTrace { start, count }, |client, asked, trace, out| {
        stack_trace(out, trace, client.speaks_2(), asked.id());
    })
}

/// Writes the event `stackTrace`; `more`: with the additions of version 2.
pub fn stack_trace(out: &mut Sink, trace: &StackTrace, more: bool, id: Option<&RawValue>) {
    let total = trace.total;
    let frames = frames(&trace.frames, more.then_some(total), LIST_LIMIT - 128);
    out.add("stackTrace", StackTraceData { frames, total }, id);
}
