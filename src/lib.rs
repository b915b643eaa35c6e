//! The command `ez` for programs of the teaching language EZ: its arguments, the protocols of editors, notebooks and
//! other clients, what carries their bytes, and clients of its own: `ez debug`, `ez repl`, `ez mcp` and the like.
//!
//! It knows how requests and events are written, and shows what it is answered. What a program means is known to
//! `ez_language`, how it runs to `ez_runtime`, and how it is debugged to `ez_engine`: none of it is decided here.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

#[cfg(not(target_family = "wasm"))]
#[macro_use]
mod clients;
/// What a page has of them.
#[cfg(target_family = "wasm")]
mod clients {
    pub mod cause;
    pub mod computation;
    pub mod past;
}
#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod protocol;
#[cfg(target_family = "wasm")]
pub mod web;

#[cfg(test)]
#[path = "../fuzz/replay.rs"]
mod replay;
// Its tests need no page.
#[cfg(test)]
#[path = "web/turns.rs"]
mod turns;

/// What the targets of `fuzz` have in this package, since it is private.
#[cfg(fuzzing)]
pub mod fuzzing {
    pub use crate::clients::lsp::fuzz::target as lsp;
    #[cfg(feature = "kernel")]
    pub use crate::protocol::jupyter::fuzz_zmtp as zmtp;
}
