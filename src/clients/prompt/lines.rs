//! Reading lines: with a line editor on a terminal, else from standard input.

use std::io::{self, BufRead, IsTerminal};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

/// How many entries the history keeps.
const HISTORY: usize = 100;

/// What was read.
pub(super) enum PromptLine {
    Text(String),
    /// Ctrl+C: the text typed so far is dropped.
    Cancelled,
    End,
}

pub(super) struct LineReader {
    /// For terminals.
    editor: Option<Editor<(), MemHistory>>,
    /// A line to be read again.
    back: Option<String>,
}

impl LineReader {
    pub fn new() -> LineReader {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return LineReader { editor: None, back: None };
        }
        let config = Config::builder().max_history_size(HISTORY).map(|c| c.build()).unwrap_or_default();
        let history = MemHistory::with_config(&config);
        LineReader { editor: Editor::with_history(config, history).ok(), back: None }
    }

    /// Whether a user types at a terminal.
    pub fn is_terminal(&self) -> bool {
        self.editor.is_some()
    }

    /// The next line.
    pub fn read(&mut self, prompt: &str) -> PromptLine {
        if let Some(line) = self.back.take() {
            return PromptLine::Text(line);
        }
        if let Some(editor) = &mut self.editor {
            return match editor.readline(prompt) {
                Ok(line) => PromptLine::Text(line),
                Err(ReadlineError::Interrupted) => PromptLine::Cancelled,
                Err(_) => PromptLine::End,
            };
        }
        let mut line = Vec::new();
        match io::stdin().lock().read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => PromptLine::End,
            Ok(_) => {
                PromptLine::Text(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string())
            }
        }
    }

    /// Makes a line the next to be read.
    pub fn put_back(&mut self, line: String) {
        self.back = Some(line);
    }

    /// Adds an entry to the history.
    pub fn remember(&mut self, entry: &str) {
        if let Some(editor) = &mut self.editor {
            // An error means that the entry repeats the last one.
            let _ = editor.add_history_entry(entry);
        }
    }
}
