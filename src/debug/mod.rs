//! The debug engine: breakpoints, stepping, frames and variables as data, evaluation at a stop.
//!
//! Runs on the interpreter's thread; a session on another thread talks to it through channels of plain
//! data ([`Request`], [`Event`]) and a [`Control`] that wakes a running program. Knows nothing of JSON
//! or terminals.

mod control;
mod messages;

pub use control::Control;
pub use messages::{
    BreakpointSpec, BreakpointState, Ended, Evaluated, Event, Frame, Location, Problem, Request, Resume, StopReason,
    Stopped, Variable,
};
