//! Reads lines on a thread of its own, so that the debugger can show meanwhile what others do in a shared session.

use std::io::{self, BufRead};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};
use rustyline::completion::Pair;

use crate::clients::show::print_unchanged;
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

use super::editor::Editor;
use super::lines::{Line, Prompt};
use super::look::{Look, Role};

/// Notes that there is something to receive, for those who wait for messages of the session.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What Ctrl+C ends while a line is read from a terminal without the line editor, which reads it as a key.
#[derive(Clone, Default)]
pub struct Interruptible(Arc<Mutex<Option<Interrupt>>>);

type Interrupt = Box<dyn FnOnce() + Send>;

impl Interruptible {
    /// Ends the line that is being read; returns whether there was one.
    pub fn interrupt(&self) -> bool {
        let interrupt = self.0.lock().take();
        interrupt.map(|interrupt| interrupt()).is_some()
    }
}

/// The source of lines that are neither queued nor in scripts.
pub enum LineSource {
    /// Standard input.
    Pipe,
    Terminal(Box<Editor>),
}

/// What the thread is asked for.
struct Wanted {
    prompt: Prompt,
    /// The text of the prompt.
    text: String,
    look: Look,
}

/// What comes from the thread.
pub enum Typed {
    Line(Line),
    /// Asks for the completions of a line at a byte; see [`super::Completions::of`].
    Completions {
        line: String,
        at: usize,
        answer: Sender<(usize, Vec<Pair>)>,
    },
}

/// The thread that reads lines, each when it is asked for.
pub struct Typing {
    wanted: Sender<Wanted>,
    typed: Receiver<Typed>,
    /// Whether it reads a line.
    pub is_reading: bool,
    /// For a terminal on which no line is edited: what Ctrl+C ends.
    plain: Option<Interruptible>,
    /// Whether the thread still reads a line that Ctrl+C has ended. What is typed is then the next line.
    is_ahead: bool,
    /// What the line is for.
    prompt: Prompt,
    sender: Sender<Typed>,
    wake: Wake,
    /// What is to be shown above the line that is being typed, until the thread for that has taken it.
    above: Option<(Sender<String>, Receiver<String>)>,
}

impl Typing {
    /// Starts the thread. `plain`: the source is a terminal on which no line is edited; what Ctrl+C ends.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(mut source: LineSource, wake: Wake, plain: Option<Interruptible>) -> io::Result<Typing> {
        let (wanted, requests) = unbounded::<Wanted>();
        let (sender, typed) = unbounded();
        let (lines, wakes) = (sender.clone(), wake.clone());
        let above = match &mut source {
            LineSource::Pipe => None,
            LineSource::Terminal(editor) => {
                let (sender, wake) = (sender.clone(), wake.clone());
                editor.complete_with(Box::new(move |line, at| {
                    let (answer, completions) = unbounded();
                    let _ = sender.send(Typed::Completions { line: line.into(), at, answer });
                    wake();
                    completions.recv().unwrap_or((at, Vec::new()))
                }));
                show_above(editor)?
            }
        };
        let reads = plain.clone();
        threads::spawn("typing", move || {
            while let Ok(Wanted { prompt, text, look }) = requests.recv() {
                let line = match &mut source {
                    LineSource::Pipe => piped_line(),
                    LineSource::Terminal(editor) => editor.read(prompt, &text, &look),
                };
                if let Some(interruptible) = &reads {
                    // From now on Ctrl+C is about what becomes of the line.
                    interruptible.0.lock().take();
                }
                if lines.send(Typed::Line(line)).is_err() {
                    break;
                }
                wakes();
            }
        })?;
        let (is_reading, is_ahead, prompt) = (false, false, Prompt::Command);
        Ok(Typing { wanted, typed, is_reading, plain, is_ahead, prompt, sender, wake, above })
    }

    /// Begins to read a line.
    pub fn begin(&mut self, prompt: Prompt, text: String, look: Look) {
        self.is_reading = true;
        self.prompt = prompt;
        if let Some(interruptible) = &self.plain {
            let (sender, wake) = (self.sender.clone(), self.wake.clone());
            *interruptible.0.lock() = Some(Box::new(move || {
                let _ = sender.send(Typed::Line(Line::Interrupted));
                wake();
            }));
            // The thread might write it after Ctrl+C has ended the line.
            print_unchanged(&look.written(&look.paint(Role::Prompt, &text)));
        }
        if !std::mem::take(&mut self.is_ahead) {
            let _ = self.wanted.send(Wanted { prompt, text, look });
        }
    }

    /// The next thing from the thread. `None` if there is none yet, unless it `waits`.
    pub fn next(&mut self, waits: bool) -> Option<Typed> {
        let typed = match waits {
            true => Some(self.typed.recv().unwrap_or(Typed::Line(Line::End))),
            false => self.typed.try_recv().ok(),
        };
        match typed {
            Some(Typed::Line(line)) => Some(Typed::Line(self.ended(line))),
            other => other,
        }
    }

    /// The line that was read, for the prompt that is shown.
    fn ended(&mut self, line: Line) -> Line {
        self.is_reading = false;
        let Some(interruptible) = &self.plain else { return line };
        *interruptible.0.lock() = None;
        match (line, self.prompt) {
            (Line::Interrupted, _) => {
                self.is_ahead = true;
                print_unchanged("\n");
                Line::Interrupted
            }
            (Line::Command(text) | Line::Input(text), Prompt::Input) => Line::Input(text),
            (Line::Command(text) | Line::Input(text), Prompt::Command | Prompt::List) => Line::Command(text),
            (line @ (Line::Late(_) | Line::End), _) => line,
        }
    }

    /// Shows texts above the line that is being typed; `None` if that is not possible.
    pub fn above(&self) -> Option<Sender<String>> {
        self.above.as_ref().map(|(sender, _)| sender.clone())
    }

    /// The texts that were to be shown above a line that is complete now.
    pub fn not_shown(&self) -> impl Iterator<Item = String> {
        self.above.iter().flat_map(|(_, waiting)| waiting.try_iter())
    }
}

/// Starts the thread that shows texts above the line that is being typed. (It waits for the line editor, and nobody
/// is to wait for it.)
fn show_above(editor: &mut Editor) -> io::Result<Option<(Sender<String>, Receiver<String>)>> {
    let Some(mut printer) = editor.printer() else { return Ok(None) };
    let (sender, waiting) = unbounded::<String>();
    let texts = waiting.clone();
    threads::spawn("messages", move || {
        while let Ok(text) = texts.recv() {
            printer(text);
        }
    })?;
    Ok(Some((sender, waiting)))
}

/// A line of standard input.
pub fn piped_line() -> Line {
    let mut line = Vec::new();
    match io::stdin().lock().read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => Line::End,
        Ok(_) => Line::Command(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string()),
    }
}
