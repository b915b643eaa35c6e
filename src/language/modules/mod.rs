//! The import graph: which files make a program, found through a [`SourceLoader`].
//!
//! It evaluates imports only; names and types in the files are checked later.

mod graph;
mod loader;
mod paths;
mod snapshot;

pub use graph::{
    FileUnit, Graph, ImportFailure, ImportUnit, LoadError, ModuleUnit, ResolvedImport, load, load_text,
};
pub use graph::{library_module, place};
pub use loader::{ConfinedLoader, DiskLoader, MemoryLoader, SourceLoader, TextLoader, text_from};
pub use snapshot::{Snapshot, SnapshotLoader};
