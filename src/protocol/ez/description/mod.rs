//! The description of the protocol for programs: an OpenRPC document. A test makes it from the table of commands
//! (`protocol/ez/commands`) and from the types that are written (`protocol/ez/wire.rs`), and compares it with the
//! one in `openrpc.json`. `.ci/make` writes that, and what is made from it: the tables of SPEC.md, and the Python
//! package's commands, values and events.
//!
//! What its own keywords mean is in SPEC.md, section 13.

#[cfg(test)]
mod allowed;
#[cfg(test)]
mod document;
#[cfg(test)]
mod parameters;
#[cfg(test)]
mod types;

#[cfg(test)]
pub use parameters::{Described, Shape};
#[cfg(test)]
pub use types::{Cause, Event, Status, StopReason, event, since_2};

/// The document.
pub const DOCUMENT: &str = include_str!("openrpc.json");

/// The document without line ends, as JSON.
pub fn in_one_line() -> String {
    // Those within texts are escaped.
    DOCUMENT.lines().map(str::trim_start).collect()
}
