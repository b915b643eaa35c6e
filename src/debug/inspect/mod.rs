//! Looking at a stopped program: frames, variables, values, evaluation, watches, and what has changed.

pub mod changes;
pub mod completions;
pub mod describe;
pub mod effects;
pub mod evaluate;
pub mod evaluation_hook;
pub mod failure_report;
pub mod frames;
pub mod handles;
pub mod leading_digits;
pub mod passed;
pub mod queries;
pub mod requests;
pub mod rich;
pub mod temporaries;
pub mod variable_snapshot;
pub mod variables;
pub mod watch_requests;
pub mod watchdog;
pub mod watches;
