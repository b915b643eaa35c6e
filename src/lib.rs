//! An interpreter for the EZ language and, above all, its debug engine.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

#[cfg(not(target_family = "wasm"))]
#[macro_use]
mod clients;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod protocol;
#[cfg(target_family = "wasm")]
pub mod web;

#[cfg(test)]
#[path = "../fuzz/replay.rs"]
mod replay;

/// What the targets of `fuzz` have in this package, since it is private.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::clients::lsp::fuzz::target as lsp;
    #[cfg(feature = "kernel")]
    pub use crate::protocol::jupyter::fuzz_zmtp as zmtp;
}
