//! The debug engine: breakpoints, stepping, frames and variables as data, evaluation at a stop.
//!
//! Runs on the interpreter's thread; a session on another thread talks to it through channels of plain
//! data ([`Request`], [`Event`]) and a [`InterruptHandle`] that wakes a running program. Knows nothing of JSON
//! or terminals.

mod breakpoints;
mod changes;
pub(crate) mod control;
mod engine;
mod evaluate;
mod inspect;
mod line_table;
mod messages;
mod preview;
mod run;
mod stepper;

pub use control::InterruptHandle;
pub use engine::Client;
pub use inspect::problem as runtime_problem;
pub use messages::{
    BreakpointSpec, BreakpointState, Ended, Evaluated, Event, Frame, Location, Problem, Request, Resume,
    StopReason, Stopped, Variable,
};
pub use preview::{Limits, preview};
pub use run::{KeepAlive, LoadFailure, Loaded, Source, is_error, load, problem, run};
