//! What a text means as a program of the teaching language EZ: tokens, syntax trees, the files of a program, names and
//! types, layout, and the answers that editors need while a program is written.
//!
//! It knows the form of checked programs, which it makes for `ez_runtime`, and the library's functions with their
//! types. It runs nothing, and knows neither a debugger, nor sessions, nor the protocols and commands by which it is
//! asked.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod analysis;
pub mod cells;
pub mod check;
pub mod format;
pub mod modules;
pub mod syntax;
