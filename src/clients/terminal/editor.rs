//! The line editor for terminals, with completion and history.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, ExternalPrinter, Helper};

use crate::clients::overwrite::is_not_regular;
use crate::clients::show::write_error;
use ez_runtime::platform::{make_private_directory, state_directory, text_of};

use super::lines::{Line, Prompt};
use super::look::{Look, Role};

/// Maximum number of commands in the history.
const HISTORY: usize = 1000;

/// Whether the terminal cannot do what editing needs: then lines are read as the system edits them.
pub fn is_plain() -> bool {
    // Those in which `rustyline` does not edit.
    let plain = ["dumb", "cons25", "emacs"];
    std::env::var("TERM").is_ok_and(|term| plain.iter().any(|plain| plain.eq_ignore_ascii_case(&term)))
}

/// Reads lines from a terminal.
pub struct Editor {
    editor: rustyline::Editor<Help, FileHistory>,
    history: Option<PathBuf>,
    is_plain: bool,
    /// See [`Editor::program_waits`].
    waits: Arc<AtomicBool>,
}

/// The prompt for the program's input, which changes when the program does not wait any more.
struct InputPrompt {
    raw: String,
    waits: String,
    over: String,
    program_waits: Arc<AtomicBool>,
}

impl rustyline::Prompt for InputPrompt {
    fn raw(&self) -> &str {
        if self.program_waits.load(Ordering::SeqCst) { &self.raw } else { Prompt::WAIT_IS_OVER }
    }

    fn styled(&self) -> &str {
        if self.program_waits.load(Ordering::SeqCst) { &self.waits } else { &self.over }
    }
}

/// The completions of a line at a byte, and the byte where the text to be replaced begins.
pub type Complete = Box<dyn Fn(&str, usize) -> (usize, Vec<Pair>) + Send>;

/// The callbacks of the line editor.
struct Help {
    complete: Option<Complete>,
    /// Whether the line is one of a list of commands.
    is_in_list: bool,
    /// Whether it is input for the program, if the program waits for some.
    is_input: bool,
    waits: Arc<AtomicBool>,
    /// What of it had been typed when the program did not wait any more; `None` before.
    typed_before: RefCell<Option<String>>,
}

impl Editor {
    /// An editor on standard input, with the history of earlier sessions; `None` if standard input does not
    /// support that.
    pub fn new() -> Option<Editor> {
        let config = Config::builder().max_history_size(HISTORY).ok()?;
        let config = config.completion_type(CompletionType::List).build();
        let mut editor = rustyline::Editor::with_config(config).ok()?;
        let waits = Arc::<AtomicBool>::default();
        let help = Help {
            complete: None,
            is_in_list: false,
            is_input: false,
            waits: waits.clone(),
            typed_before: RefCell::default(),
        };
        editor.set_helper(Some(help));
        let history = history_file().filter(|file| {
            let is_wrong = is_not_regular(file);
            if is_wrong {
                let name = text_of(file.as_os_str());
                write_error(&format!("There is no history of commands: {name} is not a regular file.\n"));
            }
            !is_wrong
        });
        if let Some(file) = &history {
            // There is no file before the first session.
            let _ = editor.load_history(file);
        }
        Some(Editor { editor, history, is_plain: is_plain(), waits })
    }

    /// To be set to whether the program waits for input. Where it no longer does while a line of input is read, a line
    /// that is typed from then on is a command.
    pub fn program_waits(&self) -> Arc<AtomicBool> {
        self.waits.clone()
    }

    /// See [`is_plain`].
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

    /// Reads a line. In a plain terminal the prompt has been shown.
    pub fn read(&mut self, prompt: Prompt, text: &str, look: &Look) -> Line {
        if let Some(help) = self.editor.helper_mut() {
            (help.is_in_list, help.is_input) = (prompt == Prompt::List, prompt == Prompt::Input);
            help.typed_before.take();
        }
        let styled = |text: &str| look.written(&look.paint(Role::Prompt, text));
        let read = if self.is_plain {
            self.editor.readline("")
        } else if prompt == Prompt::Input {
            let program_waits = self.waits.clone();
            let (waits, over) = (styled(text), styled(Prompt::WAIT_IS_OVER));
            self.editor.readline(&InputPrompt { raw: text.into(), waits, over, program_waits })
        } else {
            self.editor.readline(&(text, styled(text)))
        };
        match read {
            Ok(line) if prompt == Prompt::Input => self.for_program(line),
            Ok(line) => {
                self.remember(&line);
                Line::Command(line)
            }
            Err(ReadlineError::Interrupted) => Line::Interrupted,
            Err(_) => Line::End,
        }
    }

    /// A line that was typed at the prompt for input. It is a command if none of it was typed while the program waited.
    fn for_program(&mut self, line: String) -> Line {
        let typed_before = self.editor.helper().and_then(|help| help.typed_before.take());
        let waits = self.waits.load(Ordering::SeqCst);
        match typed_before {
            _ if self.is_plain => Line::Input(line),
            None if waits => Line::Input(line),
            Some(before) if before.is_empty() && waits => Line::Input(line),
            Some(before) if before.is_empty() => {
                self.remember(&line);
                Line::Command(line)
            }
            Some(_) | None => Line::Late(line),
        }
    }

    fn remember(&mut self, line: &str) {
        if line.trim().is_empty() || !self.editor.add_history_entry(line).unwrap_or(false) {
            return;
        }
        if let Some(file) = self.history.as_deref().filter(|file| !is_not_regular(file)) {
            // Errors of saving the history are ignored. The list of shared sessions may be in the same folder.
            let _ = file.parent().map(make_private_directory);
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

impl Highlighter for Help {
    /// Called whenever the line is drawn: also when a message above it says that the program goes on.
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.is_input && !self.waits.load(Ordering::SeqCst) {
            self.typed_before.borrow_mut().get_or_insert_with(|| line.to_string());
        }
        Cow::Borrowed(line)
    }
}

impl Hinter for Help {
    type Hint = String;
}

impl Completer for Help {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let is_input = self.is_input && self.waits.load(Ordering::SeqCst);
        let complete = self.complete.as_ref().filter(|_| !(self.is_in_list || is_input));
        Ok(complete.map_or((at, Vec::new()), |complete| complete(line, at)))
    }
}
