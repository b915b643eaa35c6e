//! The description of the protocol for programs: an OpenRPC document. A test makes it from the table of commands
//! (`protocol/ez/commands`) and from the types that are written (`protocol/ez/wire.rs`), and compares it with the
//! one in `openrpc.json`:
//!
//! ```sh
//! UPDATE_SPEC=1 cargo test --lib description      # writes openrpc.json
//! ```
//!
//! It describes version 2. What version 1 lacks has `x-since` 2; `x-serverVersion` is the version of `ez`. `x-events` are the events, by their names:
//! `x-unasked` those that come without a command, too. Of a method, `x-answers` are the events that can answer it,
//! `x-first` is the one that comes before the answer, and `x-unless` of a parameter are those that can stand for it.

#[cfg(test)]
mod document;
#[cfg(test)]
mod parameters;
#[cfg(test)]
mod types;

#[cfg(test)]
pub use types::{Event, event, since_2};

/// The document.
pub const DOCUMENT: &str = include_str!("openrpc.json");

/// The document without line ends, as JSON.
pub fn in_one_line() -> String {
    // Those within texts are escaped.
    DOCUMENT.lines().map(str::trim_start).collect()
}
