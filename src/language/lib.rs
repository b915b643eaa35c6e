//! The EZ language: what checks a program, and what runs it.
//!
//! A package of its own, since it is what programs wait for: it is optimised for speed, and all that is above it for
//! size.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod analysis;
pub mod check;
pub mod clock;
pub mod diagnostics;
pub mod format;
pub mod host;
pub mod interp;
pub mod library;
pub mod modules;
#[cfg(target_family = "wasm")]
pub mod page;
pub mod platform;
pub mod program;
pub mod recording;
pub mod source;
pub mod sync;
pub mod syntax;
pub mod text;
pub mod threads;
pub mod value;
pub mod visible;
