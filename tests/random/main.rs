//! Random programs and sessions, and the conformance programs in ways that differ from run to run.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod asked_programs;
mod corpus_runs;
mod generator;
mod integer_stores;
#[path = "../plain/mod.rs"]
mod plain;
mod random_programs;
#[cfg(target_os = "linux")]
mod random_sessions;
mod returns;
mod runs;
#[cfg(target_os = "linux")]
mod sessions;
mod walk_questions;
mod walks;
