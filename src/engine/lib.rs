//! Debugs programs of the teaching language EZ: stops, steps, breakpoints, values, evaluation, the past; what programs
//! received from outside, recorded and replayed; and sessions, which carry out a client's requests in order.
//!
//! It knows programs, as `ez_language` has checked them, and `ez_runtime`, which runs them. What is asked and answered
//! is plain data (`api`): no protocol is known here, nor how bytes reach a client, nor who the client is.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod api;
pub mod debug;
pub mod recording;
pub mod session;

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

/// What the targets of `fuzz` have in this package, since it is private.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::session::fuzz_machine as machine;
}
