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
mod inspect;
mod last_change;
mod launch;
mod location;
mod query;
mod question;
mod request;
mod response;
mod state;
mod value;
mod watch;

pub use crate::host::Capability;
pub(crate) use breakpoint::BreakpointHandler;
pub use breakpoint::{
    Breakpoint, BreakpointChange, BreakpointId, BreakpointOptions, BreakpointPlace, BreakpointRequest,
    ChangeBreakpoint, ClearBreakpoint, Container, DataSpec, DataTarget, DisableBreakpoint, EnableBreakpoint,
    ExceptionBreakpoint, ExceptionFilter, ExceptionSpec, FunctionSpec, GetBreakpoints, GetLocations,
    LinePlace, LineSpec, OptionsChange, RemoveBreakpoint, SetBreakpoint, SetBreakpoints, SetDataBreakpoints,
    SetExceptionBreakpoints, SetFunctionBreakpoints,
};
pub use event::{Event, Exited, Moment, Progress, Raised, Returned, StopReason, Stopped, Written};
pub use failure::{Failure, FailureKind, Problem, WrongExpression};
pub(crate) use inspect::Inspector;
pub use inspect::{
    Children, Completion, CompletionKind, Evaluate, GetChildren, GetCompletions, GetStackTrace,
    GetStepTargets, GetVariables, Inspect, Purpose, SetVariable, StackTrace, StepTarget,
};
pub use last_change::{ChangeCause, LastChange, LastChangeQuery};
pub use launch::{Attach, EnvironmentChanges, Launch, Restart, SourceText};
pub use location::{Frame, Location, ModuleInfo, ModuleKind, Position};
pub(crate) use query::Queried;
pub use query::{
    Attached, GetModules, GetSource, GetState, GetThreads, Query, SourceFile, State, Status, StoppedAt,
};
pub use question::{Disconnect, Input, Kill, Pause, Question, Start, Terminate};
pub use request::{KILLED, Request, RequestId, Resume, Travel};
pub use response::{Answer, Done, Initialized, Response, Restarted};
pub use state::{Needs, Obstacle, SessionState};
pub use value::{Cut, Described, Handle, Limits, ObjectId, Scope, Value, Variable};
pub(crate) use watch::WatchHandler;
pub use watch::{AddWatch, GetWatches, RemoveWatch, Watch, WatchAdded, WatchId, WatchRequest};
