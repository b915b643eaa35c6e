//! The files of this crate's source.

use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files in a directory and those below it.
pub fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// The folders (and files) of `src`, the lowest first: each may import what stands before it.
pub const LAYERS: [&str; 28] = [
    "page",
    "clock",
    "sync",
    "threads",
    "platform",
    "visible",
    "text",
    "source",
    "diagnostics",
    "value",
    "host",
    "library",
    "program",
    "interp",
    "syntax",
    "format",
    "modules",
    "recording",
    "check",
    "analysis",
    "cells",
    "api",
    "debug",
    "session",
    "protocol",
    "clients",
    "cli",
    "web",
];
