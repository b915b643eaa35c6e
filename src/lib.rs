//! An interpreter for the EZ language and, above all, its debug engine.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]

pub mod analysis;
pub mod api;
pub mod cells;
pub mod check;
#[macro_use]
mod clients;
pub mod cli;
pub mod debug;
pub mod diagnostics;
pub mod format;
pub mod host;
pub mod interp;
pub mod library;
pub mod modules;
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
