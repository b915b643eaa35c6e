//! The debug engine: breakpoints, stepping, frames and variables as data, evaluation at a stop.
//!
//! Runs on the interpreter's thread; a session on another thread talks to it through channels of plain
//! data ([`Request`], [`Event`]) and a [`Control`] that wakes a running program. Knows nothing of JSON
//! or terminals.

mod breakpoints;
pub(crate) mod control;
mod engine;
mod evaluate;
mod inspect;
mod messages;
mod places;
mod preview;
mod run;
mod stepper;
mod watch;

pub use control::Control;
pub use engine::Client;
pub use inspect::problem as runtime_problem;
pub use messages::{
    BreakpointSpec, BreakpointState, Ended, Evaluated, Event, Frame, Location, Problem, Request, Resume,
    StopReason, Stopped, Variable,
};
pub use preview::{Limits, preview};
pub use run::{LoadFailure, Loaded, Remains, Source, is_error, load, problem, run};
