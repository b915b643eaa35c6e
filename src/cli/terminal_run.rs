//! Programs that run in a session, but on this process's standard streams.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::clients::show::{Style, write_report};
use ez_engine::api::{Exited, Frame, KILLED, Problem};
use ez_engine::debug::{ReportForm, failure_report};
use ez_engine::session::{EngineMain, Settings, run_engine_on_terminal};
use ez_runtime::diagnostics::Diagnostic;
use ez_runtime::source::{SourceFile, SourceMap, Span};

/// A run of a program on this process's standard streams.
pub(super) struct TerminalRun {
    texts: Arc<Texts>,
    style: Style,
    /// The status; [`KILLED`] if a client ends the session, and the program with it.
    status: Arc<AtomicI32>,
}

impl TerminalRun {
    pub fn new(texts: &SourceMap, style: Style) -> TerminalRun {
        TerminalRun::with(Texts::new(texts), style)
    }

    pub fn with(texts: Texts, style: Style) -> TerminalRun {
        TerminalRun { texts: Arc::new(texts), style, status: Arc::new(AtomicI32::new(KILLED)) }
    }

    /// The engine, which reports the error that ends the program.
    pub fn engine(&self, interpreter: String, directory: PathBuf) -> EngineMain {
        let (texts, style, status) = (self.texts.clone(), self.style, self.status.clone());
        let ended = move |exited: &Exited| {
            status.store(exited.status, Ordering::SeqCst);
            if let Some(problem) = &exited.error {
                texts.show_failure(problem, style);
            }
        };
        let settings = Settings { file: None, directory, root: None };
        Box::new(move |link| run_engine_on_terminal(settings, interpreter, link, ended))
    }

    /// The status of the process.
    pub fn status(&self) -> u8 {
        // Exit statuses are bytes.
        self.status.load(Ordering::SeqCst).to_le_bytes().first().copied().unwrap_or(1)
    }
}

/// The texts of a program, for reporting errors.
pub(super) struct Texts(Vec<(String, PathBuf, String)>);

impl Texts {
    pub fn new(sources: &SourceMap) -> Texts {
        let text =
            |file: std::rc::Rc<SourceFile>| (file.name.clone(), file.path.clone(), file.text.to_string());
        Texts(sources.files().into_iter().map(text).collect())
    }

    /// Prints a run-time error in the same form as `ez run`.
    fn show_failure(&self, problem: &Problem, style: Style) {
        let sources = SourceMap::new();
        for (name, path, text) in &self.0 {
            sources.add(name, path, text);
        }
        let at = problem.location.as_ref().and_then(|at| {
            let file = sources.by_path(&at.path)?;
            let start = offset(&file.text, at.line, at.column)?;
            let end = problem.end.and_then(|end| offset(&file.text, end.line, end.column)).unwrap_or(start);
            Some(Span::new(file.id, start, end))
        });
        let Some(at) = at else {
            eprintln!("{}", problem.message);
            return;
        };
        let mut diagnostic = Diagnostic::new(problem.code, at, problem.message.clone());
        diagnostic.help = problem.help.clone();
        show_failure(&diagnostic, &problem.stack, &sources, style);
    }
}

/// The byte offset of a line and column in a text.
fn offset(text: &str, line: u32, column: u32) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line as usize - 1).map(str::len).sum();
    let rest = text.get(before..)?;
    let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    Some(before + ends.into_iter().nth(column as usize - 1)?)
}

/// Prints a run-time error with the calls in progress, innermost first.
pub(super) fn show_failure(diagnostic: &Diagnostic, stack: &[Frame], sources: &SourceMap, style: Style) {
    let form = if style.json { ReportForm::Json } else { ReportForm::Text(style.colour) };
    write_report(&failure_report(diagnostic, stack, sources, form));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_offsets() {
        let text = "aé\nxy\n";
        assert_eq!(offset(text, 1, 1), Some(0));
        assert_eq!(offset(text, 1, 3), Some(3));
        assert_eq!(offset(text, 2, 1), Some(4));
        assert_eq!(offset(text, 2, 2), Some(5));
        assert_eq!(offset(text, 9, 9), None);
    }
}
