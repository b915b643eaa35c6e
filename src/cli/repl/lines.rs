//! Where entries come from: a terminal with a line editor, or plain lines.

use std::io::{self, IsTerminal, Write};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use super::super::show::print;
use super::session::ReplSession;

/// How many entries can be brought back.
const HISTORY: usize = 100;

/// What was read.
pub(super) enum PromptLine {
    Text(String),
    /// Ctrl+C: what was typed is to be forgotten.
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

    /// The next line. Without a terminal it comes from where the programs' own input comes from, so
    /// that nobody takes what belongs to the other.
    pub fn read(&mut self, prompt: &str, session: &mut ReplSession) -> PromptLine {
        let Some(editor) = &mut self.editor else {
            return session.read_line(false);
        };
        if std::mem::take(&mut session.interrupted) {
            // The entry may have waited for input: the next line goes to who waits for it, and
            // is read there.
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

    /// Keeps an entry to be brought back.
    pub fn remember(&mut self, entry: &str) {
        if let Some(editor) = &mut self.editor {
            // An entry that repeats the last one is not kept, which is as well.
            let _ = editor.add_history_entry(entry);
        }
    }
}
