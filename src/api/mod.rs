//! The debug API: what a front end asks of a session ([`Request`]), what it is answered ([`Response`] or
//! [`Failure`]), and what it is told without having asked ([`Event`]).
//!
//! Plain data in the terms of somebody who debugs an EZ program. Every message exists once, here: the
//! session passes requests on, the engine (`crate::debug`) carries them out, and each front end
//! (`crate::protocol`) has a table that says how a message looks on the wire. Nothing here knows how a
//! program runs or how messages are encoded, and all of it may cross threads.

mod breakpoint;
mod event;
mod failure;
mod location;
mod request;
mod response;
mod value;

pub use crate::host::Capability;
pub use breakpoint::{Breakpoint, BreakpointId, BreakpointSpec};
pub use event::{Event, Exited, StopReason, Stopped};
pub use failure::{Failure, FailureKind, Problem};
pub use location::{Frame, Location};
pub use request::{BreakpointRequest, Inspect, Launch, Needs, Request, RequestId, Resume};
pub use response::{Initialized, Response};
pub use value::{Cut, Described, Handle, Limits, Scope, Value, Variable};
