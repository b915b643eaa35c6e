//! Where entries come from: a terminal with a line editor, or plain lines.

use std::io::{self, IsTerminal, Write};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::super::show::print;
use super::session::Session;

/// How many entries can be brought back.
const HISTORY: usize = 100;

/// What was read.
pub(super) enum Line {
    Text(String),
    /// Ctrl+C: what was typed is to be forgotten.
    Cancelled,
    End,
}

/// Reads lines.
pub(super) struct Lines {
    /// For terminals.
    editor: Option<Editor<(), MemHistory>>,
}

impl Lines {
    pub fn new() -> Lines {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Lines { editor: None };
        }
        let config = Config::builder().max_history_size(HISTORY).map(|c| c.build()).unwrap_or_default();
        let history = MemHistory::with_config(&config);
        Lines { editor: Editor::with_history(config, history).ok() }
    }

    /// The next line. Without a terminal it comes from where the programs' own input comes from, so
    /// that nobody takes what belongs to the other.
    pub fn read(&mut self, prompt: &str, session: &mut Session) -> Line {
        let Some(editor) = &mut self.editor else {
            return session.read_line(false);
        };
        if std::mem::take(&mut session.interrupted) {
            // The entry may have waited for input: the next line goes to who waits for it, and
            // is read there.
            print(prompt);
            let _ = io::stdout().flush();
            let line = session.read_line(true);
            session.interrupted = !matches!(&line, Line::Text(_));
            return line;
        }
        match editor.readline(prompt) {
            Ok(line) => Line::Text(line),
            Err(ReadlineError::Interrupted) => Line::Cancelled,
            Err(_) => Line::End,
        }
    }

    /// Keeps an entry to be brought back.
    pub fn remember(&mut self, entry: &str) {
        if let Some(editor) = &mut self.editor {
            // An entry that repeats the last one is not kept, which is as well.
            let _ = editor.add_history_entry(entry);
        }
    }
}
