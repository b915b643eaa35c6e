//! Breakpoints that the client sets before it is known where the program is. The session of this process answers; if the
//! program is in another one, they are set there again, and keep the numbers that the client knows.

use std::sync::Arc;

use serde_json::json;

use crate::protocol::{Messages, Received};
use ez_engine::api::{
    Breakpoint, BreakpointAnswer, BreakpointId, BreakpointRequest, Failure, Request, RequestNumber, Response,
    Status,
};

use super::DapFrontEnd;
use super::breakpoints::WireBreakpoint;
use super::client::BreakpointNumbers;

/// The requests about breakpoints made before a program was named, in order.
#[derive(Default)]
pub(super) struct EarlyBreakpoints(Vec<EarlyRequest>);

/// One of them.
struct EarlyRequest {
    id: RequestNumber,
    request: BreakpointRequest,
    /// The breakpoints that the client was told of.
    told: Vec<BreakpointId>,
}

impl EarlyBreakpoints {
    /// Records the breakpoints in the response to a request, if it is one of these.
    pub fn note_told(&mut self, id: RequestNumber, result: &Result<Response, Failure>) {
        if let (Some(early), Ok(response)) = (self.0.iter_mut().find(|early| early.id == id), result) {
            early.told = set(response).iter().map(|breakpoint| breakpoint.id).collect();
        }
    }
}

/// The breakpoints that were set by a request for several.
fn set(response: &Response) -> &[Breakpoint] {
    match response {
        Response::Breakpoint(BreakpointAnswer::SetAll(all) | BreakpointAnswer::SetFunctions(all)) => all,
        _ => &[],
    }
}

impl DapFrontEnd {
    /// Records a request about breakpoints if it may have to be repeated.
    pub(super) fn note_early(&mut self, id: RequestNumber, request: &Request) {
        let may_be_elsewhere =
            self.phase == Status::NotInitialized && !self.listens && !self.elsewhere.is_used();
        if let (true, Request::Breakpoint(request)) = (may_be_elsewhere, request) {
            self.early.0.push(EarlyRequest { id, request: request.clone(), told: Vec::new() });
        }
    }

    /// Makes the requests once more, in the session of another process.
    pub(super) fn repeat_early(&mut self, work: &mut Vec<Received>) {
        let EarlyBreakpoints(early) = std::mem::take(&mut self.early);
        if self.debugging.off {
            return;
        }
        let last = early.iter().flat_map(|early| &early.told).max().map_or(0, |id| id.0);
        if let Some(client) = &mut self.client {
            client.numbers = Arc::new(BreakpointNumbers::after(last));
        }
        for EarlyRequest { request, told, .. } in early {
            self.ask_itself(Request::Breakpoint(request), work, move |this, response, out| {
                this.set_again(&told, set(response), out);
            });
        }
    }

    fn set_again(&mut self, told: &[BreakpointId], now: &[Breakpoint], out: &mut Messages) {
        if let Some(client) = &mut self.client {
            let numbers = Arc::make_mut(&mut client.numbers);
            told.iter().zip(now).for_each(|(told, breakpoint)| numbers.keep(breakpoint.id, *told));
        }
        for breakpoint in now {
            let shown = WireBreakpoint::new(breakpoint, &self.client(), false);
            self.numbering.event(out, "breakpoint", json!({"reason": "changed", "breakpoint": shown}));
        }
    }
}
