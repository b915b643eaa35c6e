//! Loads and checks the program to be debugged.

use std::path::Path;
use std::rc::Rc;

use crate::api::Problem;
use crate::debug::inspect::frames::{end_position, location};
use crate::debug::inspect::temporaries;
use ez_language::check::{Symbols, check_program};
use ez_language::modules::{LoadError, SourceLoader, TextLoader};
use ez_runtime::diagnostics::{Diagnostic, Severity};
use ez_runtime::program::{Global, Program};
use ez_runtime::source::{SourceMap, Span};
use ez_runtime::value::Type;

/// A program that was loaded and checked. Not `Send`: it stays on its thread.
pub struct Loaded {
    pub(crate) program: Rc<Program>,
    /// Number of globals that the program itself has; those after it are for the debugger.
    pub own_globals: u32,
    pub(crate) symbols: Rc<Symbols>,
    /// Its warnings, in source order.
    pub warnings: Vec<Problem>,
}

/// Where the text of a program comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file: its path, and its name in reports.
    File(&'a Path, &'a str),
    /// A text that is not in a file.
    Text {
        text: &'a str,
        /// Its name, where a file's path would be used.
        name: &'a str,
        /// The directory of its imports.
        directory: &'a Path,
    },
}

/// Why a program could not be loaded.
#[derive(Clone, Debug)]
pub enum LoadFailure {
    /// The file cannot be read.
    Unreadable(LoadError),
    /// The program has errors; these and the warnings, in source order.
    Problems(Vec<Problem>),
}

/// Loads and checks a program.
///
/// # Errors
/// If a file cannot be read, or the program has errors.
pub fn load(loader: &dyn SourceLoader, source: Source) -> Result<Loaded, LoadFailure> {
    let checked = match source {
        Source::File(path, name) => check_program(loader, path, name).map_err(LoadFailure::Unreadable)?,
        Source::Text { text, name, directory } => {
            let path = directory.join(name);
            let loader = TextLoader::new(loader, &path, text);
            let checked = check_program(&loader, &path, name).map_err(LoadFailure::Unreadable)?;
            let ids =
                checked.sources.files().into_iter().filter(|file| file.path == path).map(|file| file.id);
            ids.for_each(|id| checked.sources.set_path(id, Path::new(name)));
            checked
        }
    };
    let problems: Vec<Problem> = checked.diagnostics.iter().map(|d| problem(&checked.sources, d)).collect();
    match checked.program {
        Some(mut program) => {
            let own_globals = reserve_temporaries(&mut program);
            Ok(Loaded { program, own_globals, symbols: checked.symbols, warnings: problems })
        }
        None => Err(LoadFailure::Problems(problems)),
    }
}

/// Adds globals for variables of the debugger; returns the number of those that the program itself has.
pub fn reserve_temporaries(program: &mut Rc<Program>) -> u32 {
    let own_globals = program.globals.len() as u32;
    if let Some(program) = Rc::get_mut(program) {
        program.globals.extend((0..temporaries::MAX).map(|_| unused_global()));
    }
    own_globals
}

/// A global reserved for a variable of the debugger.
fn unused_global() -> Global {
    let file = temporaries::NO_FILE;
    let span = Span { file, start: 0, end: 0 };
    Global { name: "".into(), ty: Type::Any, constant: false, boxed: true, file, span }
}

/// A diagnostic in the form of the API.
pub fn problem(sources: &SourceMap, diagnostic: &Diagnostic) -> Problem {
    Problem {
        message: diagnostic.message.clone(),
        code: diagnostic.code,
        severity: diagnostic.severity(),
        location: diagnostic.span.map(|span| location(sources, span)),
        end: diagnostic.span.map(|span| end_position(sources, span)),
        help: diagnostic.help.clone(),
        stack: Vec::new(),
    }
}

/// Whether a problem is an error, not a warning.
pub fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}
