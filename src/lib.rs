//! An interpreter for the EZ language and, above all, its debug engine.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod analysis;
pub mod api;
pub mod cells;
pub mod check;
#[cfg(not(target_family = "wasm"))]
#[macro_use]
mod clients;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
mod clock;
pub mod debug;
pub mod diagnostics;
pub mod format;
pub mod host;
pub mod interp;
pub mod library;
pub mod modules;
#[cfg(target_family = "wasm")]
mod page;
mod platform;
pub mod program;
pub mod protocol;
pub mod recording;
pub mod session;
pub mod source;
mod sync;
pub mod syntax;
mod text;
mod threads;
pub mod value;
mod visible;
#[cfg(target_family = "wasm")]
pub mod web;
