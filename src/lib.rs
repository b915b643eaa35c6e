//! An interpreter for the EZ language and, above all, its debug engine.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod api;
pub mod cells;
#[cfg(not(target_family = "wasm"))]
#[macro_use]
mod clients;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod debug;
pub mod protocol;
pub mod session;
#[cfg(target_family = "wasm")]
pub mod web;

#[cfg(target_family = "wasm")]
use ez_language::page;
pub use ez_language::{
    analysis, check, diagnostics, format, host, interp, library, modules, program, recording, source, syntax,
    value,
};
use ez_language::{clock, platform, sync, text, threads, visible};
