//! Breakpoints of all kinds: where they stop, whether they are hit, and the requests about them.
//!
//! The [`manager`] holds them all. Line and function breakpoints are in a [`table`], breakpoints on writes in
//! [`data`], filters for errors in [`exceptions`].

pub mod condition_test;
pub mod conditions;
pub mod data;
pub mod data_hits;
pub mod data_requests;
pub mod data_targets;
pub mod error_code;
pub mod errors;
pub mod exceptions;
pub mod hit_condition;
pub mod line_table;
pub mod log_message;
pub mod manager;
pub mod published;
pub mod requests;
pub mod table;
