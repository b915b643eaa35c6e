//! Completion of commands while they are typed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustyline::completion::{FilenameCompleter, Pair};

use super::table::{self, Argument};
use crate::protocol::SessionHandle;
use ez_engine::api::{CompletionKind, GetCompletions};
use ez_runtime::text::slice;

/// The state of the debugger, as far as completion needs it.
#[derive(Default)]
pub struct CompletionState {
    /// Whether the program is stopped, so that its names are available.
    pub stopped: Cell<bool>,
    /// Index of the selected frame.
    pub frame: Cell<usize>,
    /// The session of the process that is shown, if another one was shown before.
    pub link: RefCell<Option<SessionHandle>>,
}

/// Completes commands and their arguments.
pub struct Completions {
    link: SessionHandle,
    state_for_completion: Rc<CompletionState>,
    files: FilenameCompleter,
}

impl Completions {
    /// Completes names by asking the session of `link`.
    pub fn new(link: SessionHandle, state_for_completion: Rc<CompletionState>) -> Completions {
        Completions { link, state_for_completion, files: FilenameCompleter::new() }
    }

    /// The completions at byte `at` of a line, and the byte where the text to be replaced begins.
    pub fn of(&self, line: &str, at: usize) -> (usize, Vec<Pair>) {
        let before = line.get(..at).unwrap_or(line);
        let word_start = before.len() - before.trim_start().len();
        let typed = slice(before, word_start..);
        let Some((word, _)) = typed.split_once(char::is_whitespace) else {
            let (start, mut found) = self.names(line, at, |_| true);
            // A line may also be an expression.
            let commands = table::beginning_with(typed).map(|name| pair(name.to_string()));
            if start == word_start {
                found.splice(0..0, commands);
            }
            return (start, found);
        };
        match table::find(word).map_or(Argument::Expression, |row| row.argument) {
            Argument::Nothing | Argument::Text => (at, Vec::new()),
            Argument::Expression => self.names(line, at, |_| true),
            Argument::Function => self.names(line, at, |kind| kind == CompletionKind::Function),
            Argument::Location => {
                let (start, mut found) = self.names(line, at, |kind| kind == CompletionKind::Function);
                let last = before.rfind(char::is_whitespace).map_or(0, |space| space + 1);
                let (files_start, files) = self.files(line, at);
                if start == last && files_start == last {
                    found.extend(files.into_iter().filter(|file| leads_to_program(&file.replacement)));
                }
                (start, found)
            }
            Argument::File => self.files(line, at),
            Argument::Command => {
                let start = before.rfind(char::is_whitespace).map_or(0, |space| space + 1);
                let typed = slice(before, start..);
                (start, table::beginning_with(typed).map(|name| pair(name.to_string())).collect())
            }
        }
    }

    fn files(&self, line: &str, at: usize) -> (usize, Vec<Pair>) {
        self.files.complete_path(line, at).unwrap_or((at, Vec::new()))
    }

    /// The names of the program of certain kinds.
    fn names(&self, line: &str, at: usize, wanted: impl Fn(CompletionKind) -> bool) -> (usize, Vec<Pair>) {
        let before = line.get(..at).unwrap_or(line);
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let start = before.trim_end_matches(is_name).len();
        if !self.state_for_completion.stopped.get() {
            return (start, Vec::new());
        }
        let column = before.chars().count() as u32 + 1;
        let frame = self.state_for_completion.frame.get();
        let question = GetCompletions { text: line.to_string(), column, frame };
        let link = self.state_for_completion.link.borrow().clone().unwrap_or_else(|| self.link.clone());
        let found = link.ask(question).unwrap_or_default();
        let found = found.into_iter().filter(|completion| wanted(completion.kind));
        (start, found.map(|completion| pair(completion.label)).collect())
    }
}

/// Whether a path is a program or a directory.
fn leads_to_program(path: &str) -> bool {
    path.ends_with(".ez") || path.ends_with('/')
}

fn pair(text: String) -> Pair {
    Pair { display: text.clone(), replacement: text }
}
