//! Child processes of the program, and sessions of child processes.

use std::time::Duration;

use crate::api::{
    ChildEnd, ChildProcess, Done, Event, Failure, FailureKind, Processes, Request, RequestId, Response,
    Resume,
};

use super::{Action, Machine, OWN_REQUEST, Stage};

/// How long child processes may take to end before the program is ended without waiting for them.
const CHILDREN_GRACE: Duration = Duration::from_millis(500);

/// The child processes that have not ended, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Children(Vec<ChildProcess>);

impl Machine {
    /// A child process has announced itself.
    pub fn child_announced(&mut self, mut child: ChildProcess, _: Duration) {
        let ends = matches!(
            self.status,
            Stage::Over | Stage::Failed { .. } | Stage::Ending { .. } | Stage::EndingChildren { .. }
        );
        // Without a client, nobody could release it.
        child.held = child.entrance.is_some() && self.has_client() && !self.ending.commands;
        let answer = match child.entrance {
            _ if ends => ChildAnswer::End,
            Some(_) => ChildAnswer::Follow { held: child.held },
            None => ChildAnswer::Run,
        };
        self.actions.push(Action::AnswerChild(child.pid, answer));
        if !ends {
            self.actions.push(Action::TellOwner(Event::ChildStarted(Box::new(child.clone()))));
            self.children.0.push(child);
        }
    }

    /// A child process has been started.
    pub fn child_started(&mut self, pid: u32) {
        for child in self.children.0.iter_mut().filter(|child| child.pid == pid) {
            child.held = false;
        }
    }

    /// A child process has ended.
    pub fn child_ended(&mut self, end: ChildEnd, now: Duration) {
        let before = self.children.0.len();
        self.children.0.retain(|child| child.pid != end.pid);
        if self.children.0.len() == before || self.status == Stage::Over {
            return;
        }
        self.actions.push(Action::TellOwner(Event::ChildEnded(end)));
        if let Stage::EndingChildren { then } = self.status
            && self.children.0.is_empty()
        {
            self.after_children(then);
        }
        self.advance(now);
    }

    pub(super) fn processes(&self) -> Processes {
        Processes(self.children.0.clone())
    }

    pub(super) fn release_child(&mut self, id: RequestId, pid: u32) {
        let Some(child) = self.children.0.iter_mut().find(|child| child.pid == pid) else {
            let message = format!("wrong parameter 'pid': no child process has the id {pid}");
            return self.respond(id, Err(Failure::new(FailureKind::NotFound, message)));
        };
        let was_held = std::mem::take(&mut child.held);
        // The response has to come first: the process may end at once.
        self.respond(id, Ok(Response::Done(Done::ChildReleased)));
        if was_held {
            self.actions.push(Action::ReleaseChild(pid));
        }
    }

    /// No client is left that could release child processes.
    pub(super) fn release_children(&mut self) {
        for child in self.children.0.iter_mut().filter(|child| child.held) {
            child.held = false;
            self.actions.push(Action::ReleaseChild(child.pid));
        }
    }

    /// Tells a new client of the child processes.
    pub(super) fn tell_children(&mut self) {
        let told = self.children.0.iter().map(|child| Event::ChildStarted(Box::new(child.clone())));
        self.actions.extend(told.map(Action::TellOwner));
    }

    /// Ends the program, after its child processes.
    pub(super) fn kill(&mut self, id: RequestId) {
        self.end_children(AfterChildren::Kill { id, is_stopped: self.status == Stage::Stopped });
    }

    /// Ends the child processes, if there are any; then the program is ended.
    pub(super) fn end_children(&mut self, then: AfterChildren) {
        if self.children.0.is_empty() || !self.engine_lives {
            return self.after_children(then);
        }
        let runs = self.status == Stage::Running;
        if runs {
            // The commands that the program waits for end: it must not go on.
            self.ask(OWN_REQUEST, Request::Pause);
        }
        self.ending.is_paused_for = runs;
        self.status = Stage::EndingChildren { then };
        if !runs {
            self.tell_children_to_end();
        }
        self.begin_wait(CHILDREN_GRACE);
    }

    /// Tells the child processes to end, once the program does not go on.
    pub(super) fn tell_children_to_end(&mut self) {
        if let Stage::EndingChildren { .. } = self.status {
            self.actions.extend(self.children.0.iter().map(|child| Action::EndChild(child.pid)));
        }
    }

    /// Whether the session ends, or has ended.
    pub(super) fn is_ending(&self) -> bool {
        matches!(
            self.status,
            Stage::Over | Stage::EndingChildren { then: AfterChildren::End { .. } } | Stage::Ending { .. }
        )
    }

    /// The child processes have ended, or have had the time for it.
    pub(super) fn after_children(&mut self, then: AfterChildren) {
        match then {
            AfterChildren::End { patient } => self.end_program(patient),
            AfterChildren::Kill { id, is_stopped } => {
                self.status = if is_stopped { Stage::Stopped } else { Stage::Running };
                self.ask(id, Request::Kill);
            }
        }
    }

    /// The session of a child process: the session of its parent lets the program start, if no client has done
    /// so, and does not hold it again.
    pub fn release(&mut self, now: Duration) {
        let was_released = self.clients.release();
        let is_new = matches!(self.status, Stage::NotInitialized | Stage::Loading | Stage::Ready);
        if !was_released && is_new {
            self.request(Request::Start(None), now);
        }
    }

    /// The session of a child process: that of its parent has ended. A client that is there decides what the
    /// program does.
    pub fn parent_gone(&mut self, now: Duration) {
        self.clients.release();
        self.run_on(now);
    }

    /// The program does not wait for a client that may never come: a child process, or one that goes on without
    /// clients.
    pub(super) fn run_on(&mut self, now: Duration) {
        let is_asked = || {
            self.queue.iter().any(|incoming| incoming.id == OWN_REQUEST)
                || self.asked.iter().any(|asked| asked.request == Request::Detach)
        };
        let Some(starts) = self.clients.lets_run(self.lifetime).filter(|_| !is_asked()) else { return };
        let request = match self.status {
            Stage::NotInitialized | Stage::Loading | Stage::Ready if starts => Request::Start(None),
            Stage::Stopped => Request::Resume(Resume::Continue),
            Stage::NotInitialized
            | Stage::Loading
            | Stage::Ready
            | Stage::Running
            | Stage::Exited
            | Stage::Failed { .. }
            | Stage::EndingChildren { .. }
            | Stage::Ending { .. }
            | Stage::Over => return,
        };
        self.request(request, now);
    }
}

/// What follows when the child processes have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterChildren {
    /// The end of the session. `patient` as in [`Action::Finish`].
    End { patient: bool },
    /// The end of the program, for this request. `is_stopped`: it was stopped.
    Kill { id: RequestId, is_stopped: bool },
}

/// How the announcement of a child process is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildAnswer {
    /// It is to run in a session, and, if it is `held`, to wait for a client.
    Follow { held: bool },
    /// It is to run without a session.
    Run,
    /// It is to end, because the session ends.
    End,
}
