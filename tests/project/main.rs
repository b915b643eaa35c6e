//! The project itself: imports, documents, the protocol's specification.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod calls;
mod description;
mod documents;
mod imports;
mod licenses;
mod matches;
mod releases;
mod spec;
mod tables;
mod texts;
mod versions;
