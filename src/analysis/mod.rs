//! What an editor asks about a program while it is written: its reports, what a name means and where it is declared,
//! which names can be written at a place, what is in a file.
//!
//! It knows no protocol: places are files and byte offsets. The answers come from the check (`check`), as `ez check` and
//! the debugger have them; while a text has syntax errors, names are those of the program before them.

mod fixing;
mod names;
mod outline;

use std::path::Path;
use std::rc::Rc;

use crate::check::{Checked, Symbols, check_all};
use crate::diagnostics::{Code, Diagnostic};
use crate::modules::{LoadError, SourceLoader};
use crate::source::SourceFile;

pub use fixing::{FixedFile, fix};
pub use names::{Candidate, Meaning};
pub use outline::{Item, ItemKind, outline};

/// A program as its files are now.
pub struct Analysis {
    checked: Checked,
    /// The last check that knew the types of the program's names.
    known: Rc<Known>,
}

/// The names of a program, with the texts that they are from.
struct Known {
    symbols: Rc<Symbols>,
    files: Vec<Rc<SourceFile>>,
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
        let checked = check_all(loader, main, &main.to_string_lossy())?;
        let known = match before.map(|before| &before.known) {
            Some(before) if !checked.symbols.has_signatures() => before.clone(),
            Some(_) | None => {
                Rc::new(Known { symbols: checked.symbols.clone(), files: checked.sources.files() })
            }
        };
        Ok(Analysis { checked, known })
    }

    /// The files of the program, and those that it tried to import as far as they could be read.
    pub fn files(&self) -> Vec<Rc<SourceFile>> {
        self.checked.sources.files()
    }

    /// A file of the program.
    pub fn file(&self, path: &Path) -> Option<Rc<SourceFile>> {
        self.checked.sources.by_path(path)
    }

    /// The reports about a file. A file that is checked for itself, without the program that it is a part of, need not
    /// have a `main`.
    pub fn reports(&self, file: &SourceFile) -> Vec<&Diagnostic> {
        let is_part = file.text.trim_start().starts_with("module ");
        let of_file = |report: &&Diagnostic| report.span.is_some_and(|span| span.file == file.id);
        let counts = |report: &&Diagnostic| !(is_part && report.code == Code::E4009);
        self.checked.diagnostics.iter().filter(of_file).filter(counts).collect()
    }
}
