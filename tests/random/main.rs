//! Random programs and sessions, and the conformance programs in ways that differ from run to run.
//!
//! `random_programs` generates programs that use the whole language and runs each of them plain, attached, stepped
//! through, with pauses and questions, and under memory limits. `random_sessions` runs sessions with `ez
//! debugserver`: commands in any order, writes of any size, slow and dead clients, signals. `cargo test` runs a few
//! with fixed seeds; to run more:
//!
//! ```sh
//! EZ_COUNT=2000 EZ_SEED=1000 cargo test --test random random_programs
//! EZ_COUNT=5000 cargo test --test random random_sessions
//! ```
//!
//! A failure reports its seed, with which it can be repeated (`EZ_SEED=… EZ_COUNT=1`); a failing program is reduced
//! and written to a file named in the message. A new construct of the language gets a rule in `generator`, a
//! library function a line in `tests/random/generator/library.rs`, a command a case in `tests/random/sessions/script.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod asked_programs;
mod corpora;
mod corpus_runs;
mod formatted;
mod generator;
mod integer_stores;
#[path = "../plain/mod.rs"]
mod plain;
mod random_programs;
#[cfg(target_os = "linux")]
mod random_sessions;
#[path = "../../fuzz/replay.rs"]
mod replay;
mod returns;
mod runs;
#[cfg(target_os = "linux")]
mod sessions;
#[path = "../../fuzz/targets/mod.rs"]
mod targets;
mod walk_questions;
mod walks;
