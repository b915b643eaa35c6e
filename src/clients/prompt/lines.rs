//! Reading lines: with a line editor on a terminal that can do what it needs, else from standard input.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};

use crate::clients::terminal::{
    Interruptible, Line, LineSource, Look, Prompt, Typed, Typing, is_plain, piped_line,
};

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
    source: Source,
    /// A line to be read again.
    back: Option<String>,
}

enum Source {
    Pipe,
    Edited(Box<Editor<(), MemHistory>>),
    /// A terminal on which no line is edited: Ctrl+C is no key there.
    Plain(Typing),
}

impl LineReader {
    /// `line`: what Ctrl+C ends where it is no key.
    pub fn new(line: Interruptible) -> LineReader {
        LineReader { source: Source::new(line).unwrap_or(Source::Pipe), back: None }
    }

    /// Whether a user types at a terminal.
    pub fn is_terminal(&self) -> bool {
        !matches!(self.source, Source::Pipe)
    }

    /// The next line.
    pub fn read(&mut self, prompt: &str) -> PromptLine {
        if let Some(line) = self.back.take() {
            return PromptLine::Text(line);
        }
        let line = match &mut self.source {
            Source::Edited(editor) => {
                return match editor.readline(prompt) {
                    Ok(line) => PromptLine::Text(line),
                    Err(ReadlineError::Interrupted) => PromptLine::Cancelled,
                    Err(_) => PromptLine::End,
                };
            }
            Source::Plain(typing) => {
                typing.begin(Prompt::Command, prompt.into(), Look::PLAIN);
                typing.next(true)
            }
            Source::Pipe => Some(Typed::Line(piped_line())),
        };
        match line {
            Some(Typed::Line(Line::Command(line) | Line::Input(line) | Line::Late(line))) => {
                PromptLine::Text(line)
            }
            Some(Typed::Line(Line::Interrupted)) => PromptLine::Cancelled,
            Some(Typed::Line(Line::End) | Typed::Completions { .. }) | None => PromptLine::End,
        }
    }

    /// Makes a line the next to be read.
    pub fn put_back(&mut self, line: String) {
        self.back = Some(line);
    }

    /// Adds an entry to the history.
    pub fn remember(&mut self, entry: &str) {
        if let Source::Edited(editor) = &mut self.source {
            // An error means that the entry repeats the last one.
            let _ = editor.add_history_entry(entry);
        }
    }
}

impl Source {
    /// A terminal; `None` if there is none, or no line can be read from it as from one.
    fn new(line: Interruptible) -> Option<Source> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return None;
        }
        if is_plain() {
            return Typing::start(LineSource::Pipe, Arc::new(|| ()), Some(line)).ok().map(Source::Plain);
        }
        let config = Config::builder().max_history_size(HISTORY).map(|c| c.build()).unwrap_or_default();
        let history = MemHistory::with_config(&config);
        Editor::with_history(config, history).ok().map(Box::new).map(Source::Edited)
    }
}
