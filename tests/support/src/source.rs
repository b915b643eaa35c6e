//! The packages that `ez` is made of, and the files of their source.

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

/// A package that `ez` is made of.
pub struct Package {
    /// What paths to it begin with.
    pub name: &'static str,
    /// Its folder in the repository.
    pub folder: &'static str,
    pub manifest: &'static str,
    /// Its folders (and files), the lowest first: each may import what stands before it.
    pub layers: &'static [&'static str],
}

/// The packages, the lowest first.
pub const PACKAGES: [Package; 4] = [
    Package {
        name: "ez_runtime",
        folder: "src/runtime",
        manifest: "src/runtime/Cargo.toml",
        layers: &[
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
        ],
    },
    Package {
        name: "ez_language",
        folder: "src/language",
        manifest: "src/language/Cargo.toml",
        layers: &["syntax", "format", "modules", "check", "analysis", "cells"],
    },
    Package {
        name: "ez_engine",
        folder: "src/engine",
        manifest: "src/engine/Cargo.toml",
        layers: &["recording", "api", "debug", "session"],
    },
    Package {
        name: "ez_debugger",
        folder: "src",
        manifest: "Cargo.toml",
        layers: &["protocol", "clients", "cli", "web"],
    },
];

/// The folders (and files) of all packages, the lowest first.
pub fn layers() -> Vec<&'static str> {
    PACKAGES.iter().flat_map(|package| package.layers).copied().collect()
}

/// The package in which a file of the repository is, and its path there; `file` is relative to the repository.
pub fn package_of(file: &Path) -> Option<(&'static Package, &Path)> {
    // The folder of the uppermost one has those of the others in it.
    PACKAGES.iter().find_map(|package| Some((package, file.strip_prefix(package.folder).ok()?)))
}
