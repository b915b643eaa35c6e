//! Requests of a client that is in the past, or that need another run.

use crate::api::{
    BreakpointRequest, Changes, Failure, FailureKind, GetChanges, GetOutputSteps, Investigator, LastChange,
    LastChangeQuery, OutputStep, Request, RequestId, Unfold, Unfolded, WatchRequest,
};
use crate::debug::history::time_machine::TimeMachine;

impl TimeMachine<'_> {
    /// Changes breakpoints in both engines.
    pub fn breakpoint_request(&mut self, id: RequestId, request: BreakpointRequest) {
        if let BreakpointRequest::SetData(_) = request {
            let message = "Cannot set data breakpoints: this is the past";
            return self.engine.respond(id, Err(Failure::new(FailureKind::Past, message)));
        }
        let answer = self.engine.breakpoints.borrow_mut().change(Some(self.vm), request);
        self.engine.respond(id, answer);
        self.synchronize();
    }

    /// Changes watches in both engines; the worker evaluates them and responds.
    pub fn watch_request(&mut self, id: RequestId, request: WatchRequest) {
        let _ = self.engine.inspection.watch_request(None, request.clone());
        self.take_new_settings();
        self.pass_on(id, Request::Watch(request));
        self.synchronize();
    }

    /// Has the instance that the client looks at carry out a request.
    pub fn pass_on(&mut self, id: RequestId, request: Request) {
        self.ask_worker(id, request);
        self.forward_until_answered(id);
    }
}

impl Investigator for TimeMachine<'_> {
    fn last_change(&mut self, question: LastChangeQuery) -> Result<Box<LastChange>, Failure> {
        self.last_change_of(question)
    }

    fn changes(&mut self, question: GetChanges) -> Result<Box<Changes>, Failure> {
        self.changes_of(question)
    }

    fn output_steps(&mut self, question: GetOutputSteps) -> Result<Vec<OutputStep>, Failure> {
        self.steps_of_output(&question)
    }

    fn unfold(&mut self, question: Unfold) -> Result<Box<Unfolded>, Failure> {
        self.unfold_statement(&question)
    }
}
