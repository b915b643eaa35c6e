//! `ez debugserver`, the engine, recordings.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod answers;
mod attach;
mod cells;
mod checkpoints;
mod child_connections;
mod children;
mod client;
mod common;
mod denials;
mod engine;
mod every_stop;
mod expected_output;
mod faults;
mod guard;
mod hostile_guests;
mod joined;
#[cfg(feature = "kernel")]
mod kernel;
mod long_calls;
mod long_journeys;
mod many_clients;
mod mcp;
mod mcp_agents;
mod mcp_outside;
mod memory;
mod names;
#[path = "../plain/mod.rs"]
mod plain;
mod recordings;
mod replay;
mod rpc;
mod shared_breakpoints;
mod slow_clients;
mod together;
mod transcripts;
mod two_sessions;
mod waiting;
