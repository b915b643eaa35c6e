//! The debug API: what a front end asks of a session ([`Request`]), how it is answered ([`Response`] or
//! [`Failure`]), and what it is sent without a request ([`Event`]).
//!
//! Plain data in the terms of a debugger's user. Every message exists once, here: the session passes requests
//! on, the engine (`crate::debug`) carries them out, and each front end (`crate::protocol`) encodes them for
//! its protocol. How a program runs and how messages are encoded is not known here. All types may be sent to
//! other threads.

mod breakpoint;
mod event;
mod failure;
mod last_change;
mod launch;
mod location;
mod request;
mod response;
mod value;
mod watch;

pub use crate::host::Capability;
pub use breakpoint::{
    Breakpoint, BreakpointId, BreakpointOptions, BreakpointPlace, Container, DataSpec, DataTarget,
    ExceptionBreakpoint, ExceptionFilter, ExceptionSpec, FunctionSpec, LinePlace, LineSpec, OptionsChange,
};
pub use event::{Event, Exited, Moment, Progress, Raised, Returned, StopReason, Stopped, Written};
pub use failure::{Failure, FailureKind, Problem, WrongExpression};
pub use last_change::{ChangeCause, LastChange, LastChangeQuery};
pub use launch::{Attach, EnvironmentChanges, Launch, Restart, SourceText};
pub use location::{Frame, Location, ModuleInfo, ModuleKind, Position};
pub use request::{
    BreakpointRequest, Evaluate, Inspect, KILLED, Needs, Purpose, Query, Request, RequestId, Resume, Travel,
    WatchRequest,
};
pub use response::{
    Attached, Completion, CompletionKind, Initialized, Response, State, Status, StepTarget, StoppedAt,
};
pub use value::{Cut, Described, Handle, Limits, ObjectId, Scope, Value, Variable};
pub use watch::{Watch, WatchId};
