//! The state of the engine: what has become of the session's program.

use crate::api::{RequestId, Restart, SessionState, Status, StoppedAt};
use crate::debug::running::cell_session::Inspected;
use ez_runtime::interp::vm::Vm;

/// What has become of the program.
pub enum RunState {
    Empty,
    /// In a session of cells: none runs. With the program in which things are evaluated, if any were.
    Idle(Option<Box<Inspected>>),
    /// It is loaded. `starts`: it is to run as soon as no request is being handled.
    Ready {
        vm: Vm,
        starts: bool,
    },
    /// It runs, or is stopped: then at `stop`. Its interpreter owns itself. `ending`: the request that ends it.
    Running {
        stop: Option<StoppedAt>,
        ending: Option<EndRequest>,
    },
    /// It has ended with this status. Dropping the interpreter may take long, and is left until the engine ends or
    /// another program is loaded.
    Exited {
        status: i32,
        vm: Vm,
    },
}

/// A request that ends the program, and is answered when it has ended.
pub enum EndRequest {
    Restart(RequestId, Box<Restart>),
    Kill(RequestId),
}

impl RunState {
    /// A program that has just been started.
    pub const STARTED: RunState = RunState::Running { stop: None, ending: None };

    /// The interpreter of a program that does not run.
    pub fn idle_vm(&mut self) -> Option<&mut Vm> {
        match self {
            RunState::Ready { vm, .. } | RunState::Exited { vm, .. } => Some(vm),
            RunState::Idle(inspected) => inspected.as_mut().map(|inspected| &mut inspected.vm),
            RunState::Empty | RunState::Running { .. } => None,
        }
    }

    /// Where the program is stopped.
    pub fn stop(&self) -> Option<&StoppedAt> {
        match self {
            RunState::Running { stop, .. } => stop.as_ref(),
            RunState::Empty | RunState::Idle(_) | RunState::Ready { .. } | RunState::Exited { .. } => None,
        }
    }

    /// The exit status, once the program has ended.
    pub fn exit_status(&self) -> Option<i32> {
        match self {
            RunState::Exited { status, .. } => Some(*status),
            RunState::Empty | RunState::Idle(_) | RunState::Ready { .. } | RunState::Running { .. } => None,
        }
    }

    /// The program has stopped there, or is resumed.
    pub fn set_stop(&mut self, at: Option<StoppedAt>) {
        if let RunState::Running { stop, .. } = self {
            *stop = at;
        }
    }

    /// The program is about to end because of a request.
    pub fn end_for(&mut self, request: EndRequest) {
        if let RunState::Running { ending, .. } = self {
            *ending = Some(request);
        }
    }

    /// The request because of which the program has ended.
    pub fn take_end_request(&mut self) -> Option<EndRequest> {
        match self {
            RunState::Running { ending, .. } => ending.take(),
            RunState::Empty | RunState::Idle(_) | RunState::Ready { .. } | RunState::Exited { .. } => None,
        }
    }

    /// A program that is loaded is to start.
    pub fn set_starting(&mut self) {
        if let RunState::Ready { starts, .. } = self {
            *starts = true;
        }
    }

    /// The interpreter of a program that is loaded and not started: it is started now.
    pub fn take_ready(&mut self) -> Option<Vm> {
        match std::mem::replace(self, RunState::STARTED) {
            RunState::Ready { vm, .. } => Some(vm),
            other => {
                *self = other;
                None
            }
        }
    }

    /// The state as far as it decides which requests are possible. `named`: a program was named, even if it could
    /// not be loaded.
    pub fn session_state(&self, named: bool) -> SessionState {
        match self {
            RunState::Empty if named => SessionState::NotLoaded,
            RunState::Empty => SessionState::Empty,
            RunState::Idle(_) => SessionState::Idle,
            RunState::Ready { .. } => SessionState::Ready,
            RunState::Running { stop: None, .. } => SessionState::Running,
            RunState::Running { stop: Some(_), .. } => SessionState::Stopped,
            RunState::Exited { .. } => SessionState::Exited,
        }
    }

    /// The status of the program, for clients.
    pub fn status(&self) -> Status {
        self.session_state(false).status()
    }
}
