//! Loading and checking the program that is to be debugged.

use std::path::Path;
use std::rc::Rc;

use crate::api::Problem;
use crate::check::{Symbols, check_program, check_source};
use crate::diagnostics::{Diagnostic, Severity};
use crate::modules::{LoadError, SourceLoader};
use crate::program::Program;
use crate::source::SourceMap;

use super::frames::location;

/// A program that was loaded and checked. Stays on its thread.
pub struct Loaded {
    pub(super) program: Rc<Program>,
    pub(super) symbols: Rc<Symbols>,
    /// Its warnings, in source order.
    pub warnings: Vec<Problem>,
}

/// Where a program's text comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file, and how reports name it.
    File(&'a Path, &'a str),
    /// Text that is in no file, and a name for it.
    Text(&'a str, &'a str),
}

/// Why a program could not be loaded.
#[derive(Clone, Debug)]
pub enum LoadFailure {
    /// The file cannot be read.
    Unreadable(LoadError),
    /// The program has errors: errors and warnings, in source order.
    Problems(Vec<Problem>),
}

/// Loads and checks a program.
///
/// # Errors
/// When it cannot be read or has errors.
pub fn load(loader: &dyn SourceLoader, source: Source) -> Result<Loaded, LoadFailure> {
    let checked = match source {
        Source::File(path, name) => check_program(loader, path, name).map_err(LoadFailure::Unreadable)?,
        Source::Text(text, name) => check_source(text, name),
    };
    let problems: Vec<Problem> = checked.diagnostics.iter().map(|d| problem(&checked.sources, d)).collect();
    match checked.program {
        Some(program) => Ok(Loaded { program, symbols: checked.symbols, warnings: problems }),
        None => Err(LoadFailure::Problems(problems)),
    }
}

/// A diagnostic as data.
pub fn problem(sources: &SourceMap, diagnostic: &Diagnostic) -> Problem {
    Problem {
        message: diagnostic.message.clone(),
        code: diagnostic.code,
        severity: diagnostic.severity(),
        location: diagnostic.span.map(|span| location(sources, span)),
        help: diagnostic.help.clone(),
        stack: Vec::new(),
    }
}

/// Whether a problem keeps the program from running.
pub fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}
