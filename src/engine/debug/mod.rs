//! The debug engine: breakpoints, stepping, inspection and evaluation.
//!
//! It runs on the interpreter's thread ([`serve()`]). Requests of the debug API reach it through a channel, and
//! an [`InterruptHandle`] makes a running program look at them; responses and events go to its [`EngineClient`].
//! Protocols, sessions and other threads are not known here.
//!
//! [`Engine`](engine::Engine) runs one program; [`RunState`](running::state::RunState) says what has become of it. It
//! inspects it by an [`Inspection`](inspect::inspection::Inspection), and shows its past by a
//! [`TimeMachine`](history::time_machine::TimeMachine).
//!
//! * [`running`]: loading, running, where a step ends, stops, and requests meanwhile.
//! * [`breakpoints`]: what stops a program, and the requests about that.
//! * [`inspect`]: frames, variables, values, evaluation, watches, and what has changed since the last stop.
//! * [`history`]: going back in time.

mod breakpoints;
mod client;
pub(crate) mod control;
mod engine;
mod history;
mod inspect;
mod load;
mod meanwhile;
mod paths;
mod program;
mod running;
mod settings;

pub use breakpoints::published::PublishedBreakpoints;
pub use client::{EngineClient, Message};
pub use control::InterruptHandle;
pub use history::checkpoints::Pace;
pub use history::worker::instances::run_instance;
pub use inspect::failure_report::{ReportForm, failure_report};
pub use inspect::frames::runtime_problem;
pub use load::{LoadFailure, Loaded, Source, is_error, load, problem};
pub use running::loading::{HostSetup, MakeHost, Setup};
pub use running::serve::{KeepAlive, serve};
