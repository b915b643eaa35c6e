//! What people use in a terminal: `ez debug`, the prompt, the other commands, pages of `ez trace`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod cases;
mod causes;
mod commands;
mod debug;
mod debug_children;
mod debug_shared;
mod debug_terminal;
mod debug_transcripts;
mod ended_by_signals;
mod pseudo;
mod repl_terminal;
mod shared_faults;
mod trace;
mod windows;
