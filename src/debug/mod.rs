//! The debug engine: breakpoints, stepping, frames and variables as data, evaluation at a stop.
//!
//! Runs on the interpreter's thread ([`serve()`]). Requests of the debug API reach it through a channel, and
//! an [`InterruptHandle`] makes a running program look at them; responses and events go to its [`Client`].
//! Knows nothing of how messages look, of other threads or of sessions.

mod breakpoints;
mod changes;
mod client;
mod completions;
pub(crate) mod control;
mod data_breakpoints;
mod data_stops;
mod describe;
mod effects;
mod engine;
mod errors;
mod evaluate;
mod exceptions;
mod frames;
mod guard;
mod handles;
mod hits;
mod inspect;
mod leading_digits;
mod line_table;
mod load;
mod past;
mod paths;
mod placing;
mod program;
mod queries;
mod replayed;
mod running;
mod serve;
mod shown;
mod step_targets;
mod stepper;
mod stops;
mod temporaries;
mod time;
mod variables;
mod watchdog;
mod watches;
mod watching;

pub use client::{Client, Message};
pub use control::InterruptHandle;
pub use frames::runtime_problem;
pub use load::{LoadFailure, Loaded, Source, is_error, load, problem};
pub use serve::{HostSetup, KeepAlive, MakeHost, Setup, serve};
pub use time::checkpoints::Pace;
