//! Decides which requests are for the past: those that need another run, and those of a client that is there.

use crate::api::{BreakpointRequest, Failure, FailureKind, Inspect, Query, Request, RequestId, Resume};
use crate::debug::history::time_machine::TimeMachine;

impl TimeMachine<'_> {
    /// Handles a request to the stopped program, if it concerns its past; else returns it.
    pub fn request(&mut self, id: RequestId, request: Request) -> Option<(RequestId, Request)> {
        match request {
            Request::Inspect(Inspect::LastChange(question)) => self.last_change(id, question),
            Request::Inspect(Inspect::Changes(question)) => self.changes(id, question),
            Request::Inspect(Inspect::OutputSteps(question)) => self.output_steps(id, &question),
            Request::Inspect(Inspect::Unfold(question)) => self.unfold(id, &question),
            Request::Resume(how) if self.history.past.is_some() || matches!(how, Resume::Travel(_)) => {
                self.travel(id, how);
            }
            request if self.history.past.is_some() => return self.request_in_past(id, request),
            request => return Some((id, request)),
        }
        None
    }

    /// Handles a request while the client is in the past; returns it if it has to be handled as usual.
    fn request_in_past(&mut self, id: RequestId, request: Request) -> Option<(RequestId, Request)> {
        match request {
            Request::Breakpoint(BreakpointRequest::SetData(_)) => {
                let message = "Cannot set data breakpoints: this is the past";
                self.engine.respond(id, Err(Failure::new(FailureKind::Past, message)));
            }
            Request::Breakpoint(request) => {
                let answer = self.engine.breakpoints.borrow_mut().change(Some(self.vm), request);
                self.engine.respond(id, answer);
                self.synchronize();
            }
            Request::Watch(request) => {
                // Both engines have the watch, but the worker evaluates it and responds.
                let _ = self.engine.inspection.watch_request(None, request.clone());
                self.take_new_settings();
                self.ask_worker(id, Request::Watch(request));
                self.forward_until_answered(id);
                self.synchronize();
            }
            Request::Inspect(_) | Request::Query(Query::State(_) | Query::Threads(_)) => {
                self.ask_worker(id, request);
                self.forward_until_answered(id);
            }
            Request::Query(Query::Source(_) | Query::Modules(_))
            | Request::Initialize(_)
            | Request::Start(_)
            | Request::RunCell(_)
            | Request::SetDebugging(_)
            | Request::Restart(_)
            | Request::Resume(_)
            | Request::Pause
            | Request::Kill
            | Request::Terminate
            | Request::Detach
            | Request::Attach(_)
            | Request::Disconnect { .. }
            | Request::GetProcesses
            | Request::ReleaseChild(_)
            | Request::Input { .. } => return Some((id, request)),
        }
        None
    }
}
