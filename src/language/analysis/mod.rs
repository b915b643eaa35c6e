//! What an editor asks about a program while it is written: its reports, what a name means and where it is declared,
//! which names can be written at a place, what is in a file.
//!
//! It knows no protocol: places are files and byte offsets. The answers come from the check (`check`), as `ez check` and
//! the debugger have them; while a text has syntax errors, names are those of the program before them.

mod candidate;
mod candidates;
mod chains;
mod change;
mod draft;
mod fixing;
mod index;
mod names;
mod outline;
mod rename;
mod signatures;
mod structure;
mod words;

use std::path::Path;
use std::rc::Rc;

use crate::check::{Checked, check_loaded};
use crate::modules::{Graph, LoadError, SourceLoader, load};
use crate::syntax::ast;
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::source::{FileId, SourceFile};

pub use candidate::Candidate;
pub use fixing::{FixedFile, fix};
pub use index::{Index, Occurrence, Referent, Role, Symbol};
pub use names::Meaning;
pub use outline::{Item, ItemKind, outline};
pub use rename::{Edits, edited};
pub use signatures::Signature;
pub use structure::{Colour, Coloured, Fold, folds, selections};

/// A program as its files are now.
pub struct Analysis {
    now: Rc<Snapshot>,
    /// The last one without syntax errors, or else the first.
    known: Rc<Snapshot>,
    draft: Option<draft::Draft>,
}

/// The texts of a program, their trees, and what is known of them.
struct Snapshot {
    graph: Graph,
    checked: Checked,
    index: Index,
}

impl Snapshot {
    /// The tree of a file.
    fn tree(&self, file: FileId) -> Option<&ast::File> {
        let mut files = self.graph.modules.iter().flat_map(|module| &module.files);
        files.find(|unit| unit.source.id == file).map(|unit| &unit.ast)
    }

    fn source(&self, file: FileId) -> Option<Rc<SourceFile>> {
        self.graph.sources.get(file)
    }
}

impl Analysis {
    /// Checks the program whose main file is at `main`, an absolute path. `before` is the last analysis of the same
    /// program, if there is one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn new(
        loader: &dyn SourceLoader,
        main: &Path,
        before: Option<&Analysis>,
    ) -> Result<Analysis, LoadError> {
        let graph = load(loader, main, &main.to_string_lossy())?;
        let checked = check_loaded(&graph);
        let index = Index::new(&graph, &checked);
        let now = Rc::new(Snapshot { graph, checked, index });
        let known = match before.map(|before| &before.known) {
            Some(before) if !now.checked.is_parsed => before.clone(),
            Some(_) | None => now.clone(),
        };
        Ok(Analysis { now, known, draft: None })
    }

    /// The files of the program, and those that it tried to import as far as they could be read.
    pub fn files(&self) -> Vec<Rc<SourceFile>> {
        self.now.checked.sources.files()
    }

    /// A file of the program by [`SourceFile::real`].
    pub fn file(&self, real: &Path) -> Option<Rc<SourceFile>> {
        let draft = self.draft.as_ref().map(|draft| &draft.source).filter(|source| source.real == real);
        draft.cloned().or_else(|| self.now.checked.sources.by_real(real))
    }

    /// The files of the program, without those that were only looked at.
    pub fn parts(&self) -> impl Iterator<Item = &SourceFile> {
        self.now.graph.modules.iter().flat_map(|module| &module.files).map(|unit| &*unit.source)
    }

    /// Whether a file is one of the parts, by [`SourceFile::real`].
    pub fn has(&self, real: &Path) -> bool {
        self.parts().any(|file| file.real == real)
    }

    /// Whether it is the main file.
    pub fn begins_with(&self, real: &Path) -> bool {
        self.parts().next().is_some_and(|file| file.real == real)
    }

    /// The tree of a file of the program.
    pub fn tree(&self, file: &SourceFile) -> Option<&ast::File> {
        match self.draft.as_ref().filter(|draft| draft.source.id == file.id) {
            Some(draft) => Some(draft.tree()),
            None => self.now.tree(file.id),
        }
    }

    /// What the names in its files mean.
    pub fn index(&self) -> &Index {
        &self.now.index
    }

    /// A file by its number.
    pub fn source(&self, file: FileId) -> Option<Rc<SourceFile>> {
        self.now.source(file)
    }

    /// The reports about a file. A file that is checked for itself, without the program that it is a part of, need not
    /// have a `main`.
    pub fn reports(&self, file: &SourceFile) -> Vec<&Diagnostic> {
        let is_part = self.now.tree(file.id).is_some_and(|tree| tree.module.is_some());
        let of_file = |report: &&Diagnostic| report.span.is_some_and(|span| span.file == file.id);
        let counts = |report: &&Diagnostic| !(is_part && report.code == Code::E4009);
        self.now.checked.diagnostics.iter().filter(of_file).filter(counts).collect()
    }
}
