//! Running a program: loading and starting it, where steps end, stops, and requests meanwhile.

pub mod cell_session;
pub mod cells;
pub mod hook;
pub mod replayed;
pub mod serve;
pub mod state;
pub mod step_targets;
pub mod stepper;
pub mod stop_events;
