//! The import graph: which files make a program, found through a [`SourceLoader`].
//!
//! Knows the syntax of imports, nothing of names or types inside the files.

mod graph;
mod loader;
mod paths;

pub use graph::{
    FileUnit, Graph, ImportFailure, ImportUnit, LoadError, ModuleUnit, ResolvedImport, load, load_text,
};
pub(crate) use graph::{library_module, place};
pub use loader::{DiskLoader, MemoryLoader, SourceLoader, reason};
