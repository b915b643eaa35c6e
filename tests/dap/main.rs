//! The Debug Adapter Protocol, and the files for editors.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod adapter;
mod attach;
mod children;
mod detaching;
mod editors;
mod random;
mod requests;
mod same_story;
mod together;
