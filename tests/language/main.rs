//! The language and its library: programs, reports, documentation.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod beginners;
mod bombs;
mod check;
mod compiling;
mod database;
mod every_write;
mod explain;
mod fixes;
mod formatting;
mod help;
mod language_docs;
mod library_calls;
mod library_examples;
mod library_rules;
mod lsp;
mod lsp_clients;
mod lsp_faults;
mod lsp_forms;
mod lsp_names;
mod lsp_texts;
mod modules;
mod operands;
#[path = "../plain/mod.rs"]
mod plain;
mod segments;
mod syntax;
mod syntax_trees;
mod tour;
mod watches;
mod web;
