//! The line editor for terminals, with completion and history.

use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, ExternalPrinter, Helper};

use crate::platform::state_directory;

use super::lines::{Line, Prompt};
use super::look::{Look, Role};

/// Maximum number of commands in the history.
const HISTORY: usize = 1000;

/// The terminals in which `rustyline` does not edit.
const PLAIN: [&str; 3] = ["dumb", "cons25", "emacs"];

/// Reads lines from a terminal.
pub struct Editor {
    editor: rustyline::Editor<Help, FileHistory>,
    history: Option<PathBuf>,
    is_plain: bool,
}

/// The completions of a line at a byte, and the byte where the text to be replaced begins.
pub type Complete = Box<dyn Fn(&str, usize) -> (usize, Vec<Pair>) + Send>;

/// The callbacks of the line editor.
struct Help {
    complete: Option<Complete>,
    /// Whether the line is a command, not input for the program.
    command: bool,
}

impl Editor {
    /// An editor on standard input, with the history of earlier sessions; `None` if standard input does not
    /// support that.
    pub fn new() -> Option<Editor> {
        let config = Config::builder().max_history_size(HISTORY).ok()?;
        let config = config.completion_type(CompletionType::List).build();
        let mut editor = rustyline::Editor::with_config(config).ok()?;
        editor.set_helper(Some(Help { complete: None, command: true }));
        let history = history_file();
        if let Some(file) = &history {
            // There is no file before the first session.
            let _ = editor.load_history(file);
        }
        let is_plain = std::env::var("TERM")
            .is_ok_and(|term| PLAIN.iter().any(|plain| plain.eq_ignore_ascii_case(&term)));
        Some(Editor { editor, history, is_plain })
    }

    /// Whether the terminal cannot do what editing needs: then lines are read as the system edits them.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Sets how commands are completed.
    pub fn complete_with(&mut self, complete: Complete) {
        if let Some(help) = self.editor.helper_mut() {
            help.complete = Some(complete);
        }
    }

    /// Shows texts above the line that is being read; it may wait for the editor. `None` if the terminal cannot do
    /// that.
    pub fn printer(&mut self) -> Option<impl FnMut(String) + Send + 'static> {
        let mut printer = self.editor.create_external_printer().ok()?;
        Some(move |text| drop(printer.print(text)))
    }

    /// Reads a line.
    pub fn read(&mut self, prompt: Prompt, text: &str, look: &Look) -> Line {
        if let Some(help) = self.editor.helper_mut() {
            help.command = prompt == Prompt::Command;
        }
        let styled = look.written(&look.paint(Role::Prompt, text));
        match self.editor.readline(&(text, styled.as_str())) {
            Ok(line) if prompt == Prompt::Input => Line::Input(line),
            Ok(line) => {
                self.remember(&line);
                Line::Command(line)
            }
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            Err(_) => Line::End,
        }
    }

    fn remember(&mut self, line: &str) {
        if line.trim().is_empty() || !self.editor.add_history_entry(line).unwrap_or(false) {
            return;
        }
        if let Some(file) = &self.history {
            // Errors of saving the history are ignored.
            let _ = file.parent().map(std::fs::create_dir_all);
            let _ = self.editor.append_history(file);
        }
    }
}

/// The file of the history, in the user's directory for such data if the system has one.
fn history_file() -> Option<PathBuf> {
    Some(state_directory()?.join("ez").join("debug_history"))
}

impl Helper for Help {}
impl Validator for Help {}
impl Highlighter for Help {}

impl Hinter for Help {
    type Hint = String;
}

impl Completer for Help {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let complete = self.complete.as_ref().filter(|_| self.command);
        Ok(complete.map_or((at, Vec::new()), |complete| complete(line, at)))
    }
}
