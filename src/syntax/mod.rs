//! Tokens, syntax tree and parser.
//!
//! Parsing yields a tree and diagnostics, never just a failure.

pub mod ast;
