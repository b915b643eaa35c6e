//! What runs programs of the teaching language EZ that have been checked: their values, the library, the interpreter.
//!
//! It knows checked programs as data, what they reach outside (files, commands, network, clock), places in texts, and
//! how reports look; and it tells a debugger, by a trait, where a program is. It knows no tokens and no syntax trees,
//! checks nothing, and knows neither the debug engine behind that trait, nor sessions and protocols.
//!
//! Programs wait for this package: it is optimised for speed, also in a page, where all others are for size.

// The documentation is for those who work on the crate: `cargo doc --document-private-items`.
#![allow(rustdoc::private_intra_doc_links)]
// Some of it is for what a page leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod clock;
pub mod diagnostics;
pub mod host;
pub mod interp;
pub mod library;
#[cfg(target_family = "wasm")]
pub mod page;
pub mod platform;
pub mod program;
pub mod source;
pub mod sync;
pub mod text;
pub mod threads;
pub mod value;
pub mod visible;
