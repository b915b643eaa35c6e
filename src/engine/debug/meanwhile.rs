//! What becomes of a request that comes while the engine does something else: evaluates, or makes a journey.

use crate::api::{BreakpointRequest, Query, Request, WatchRequest};

/// How a request is treated that comes meanwhile.
pub enum Meanwhile {
    /// It interrupts what is being done, and is answered at once.
    Pause,
    /// It ends the program, and is answered at once, or later.
    Terminate,
    /// It interrupts what is being done, and is carried out afterwards.
    Interrupt(Request),
    Breakpoint(BreakpointRequest),
    Watch(WatchRequest),
    Query(Query),
    /// It is carried out afterwards.
    Later(Request),
}

/// What has interrupted an evaluation.
#[derive(Clone, Copy, Default)]
pub struct Interruption {
    /// A request to pause.
    pub paused: bool,
    /// The end of the program.
    pub terminated: bool,
    /// The time limit.
    pub timed_out: bool,
}

impl From<Request> for Meanwhile {
    fn from(request: Request) -> Meanwhile {
        match request {
            Request::Pause => Meanwhile::Pause,
            Request::Terminate => Meanwhile::Terminate,
            Request::Restart(_) | Request::Kill | Request::Detach => Meanwhile::Interrupt(request),
            Request::Breakpoint(request) => Meanwhile::Breakpoint(request),
            Request::Watch(request) => Meanwhile::Watch(request),
            Request::Query(query) => Meanwhile::Query(query),
            request => Meanwhile::Later(request),
        }
    }
}
