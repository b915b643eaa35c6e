//! Reading lines: with a line editor on a terminal, else from standard input.

use std::io::{self, IsTerminal, Write};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::session::ReplSession;
use crate::cli::show::print;

/// How many entries the history keeps.
const HISTORY: usize = 100;

/// What was read.
pub(super) enum PromptLine {
    Text(String),
    /// Ctrl+C: the text typed so far is dropped.
    Cancelled,
    End,
}

/// Reads lines.
pub(super) struct LineReader {
    /// For terminals.
    editor: Option<Editor<(), MemHistory>>,
}

impl LineReader {
    pub fn new() -> LineReader {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return LineReader { editor: None };
        }
        let config = Config::builder().max_history_size(HISTORY).map(|c| c.build()).unwrap_or_default();
        let history = MemHistory::with_config(&config);
        LineReader { editor: Editor::with_history(config, history).ok() }
    }

    /// The next line. Without a terminal it is read through the buffer that entries' own `input()` uses,
    /// so that neither takes lines of the other.
    pub fn read(&mut self, prompt: &str, session: &mut ReplSession) -> PromptLine {
        let Some(editor) = &mut self.editor else {
            return session.read_line(false);
        };
        if std::mem::take(&mut session.interrupted) {
            // An entry that was waiting for input has been interrupted: the thread that still waits for a
            // line gets the next one, so it is read there and not by the editor.
            print(prompt);
            let _ = io::stdout().flush();
            let line = session.read_line(true);
            session.interrupted = !matches!(&line, PromptLine::Text(_));
            return line;
        }
        match editor.readline(prompt) {
            Ok(line) => PromptLine::Text(line),
            Err(ReadlineError::Interrupted) => PromptLine::Cancelled,
            Err(_) => PromptLine::End,
        }
    }

    /// Adds an entry to the history.
    pub fn remember(&mut self, entry: &str) {
        if let Some(editor) = &mut self.editor {
            // An error means that the entry repeats the last one.
            let _ = editor.add_history_entry(entry);
        }
    }
}
