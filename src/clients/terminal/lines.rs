//! The sources of commands: a queue, scripts, and finally a terminal or pipe.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ez_runtime::platform::TerminalMode;

use super::complete::Completions;
use super::console::Console;
use super::look::Role;
use super::typing::{Interruptible, LineSource, Typed, Typing, Wake, piped_line};

/// Maximum nesting of scripts.
const NESTED: usize = 16;

/// What kind of line to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    Command,
    /// Input for the program.
    Input,
    /// A line in a list of commands.
    List,
}

impl Prompt {
    /// The prompt for input while the program does not wait any more, of the same width: what is typed is a command.
    pub const WAIT_IS_OVER: &str = "debug> ";

    /// The prompt.
    pub fn text(self) -> &'static str {
        match self {
            Prompt::Command => "(debug) ",
            Prompt::Input => "input> ",
            Prompt::List => "> ",
        }
    }
}

/// A line that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A command, or a line of a list.
    Command(String),
    /// Input for the program.
    Input(String),
    /// What was typed as input for the program, at least in part, which does not wait for it any more.
    Late(String),
    /// Ctrl+C.
    Interrupted,
    /// The end of the input.
    End,
}

/// Reads lines from all sources.
pub struct CommandLines {
    /// Commands of breakpoints that were hit.
    queued: VecDeque<String>,
    /// The scripts being read, the innermost last.
    scripts: Vec<Script>,
    /// Nesting of the script that the last line was read from; 0 for other lines.
    depth: usize,
    is_terminal: bool,
    completions: Completions,
    /// The thread that reads from the terminal or pipe.
    own: Own,
    /// What Ctrl+C ends.
    interruptible: Interruptible,
    /// Whether the prompt for the program's input has been explained.
    input_explained: bool,
    /// How the terminal treats what is typed, except while a line is read.
    mode: Option<TerminalMode>,
    /// Whether the program waits for input, which another client may give it while a line is typed.
    program_waits: Arc<AtomicBool>,
    /// The number of the process that is shown, unless it is the only one or the first.
    pub process: Option<usize>,
}

/// What reads from the terminal or pipe.
enum Own {
    /// Nothing was read yet.
    Idle(Option<(LineSource, Wake)>),
    Begun(Typing),
}

/// The remaining lines of a script.
struct Script {
    lines: VecDeque<String>,
    depth: usize,
}

impl CommandLines {
    /// Without queue and scripts. `wake` is called, on another thread, when something was typed.
    pub fn new(
        own: LineSource,
        completions: Completions,
        wake: Wake,
        interruptible: Interruptible,
    ) -> CommandLines {
        let program_waits = match &own {
            LineSource::Terminal(editor) => editor.program_waits(),
            LineSource::Pipe => Arc::default(),
        };
        CommandLines {
            queued: VecDeque::new(),
            scripts: Vec::new(),
            depth: 0,
            is_terminal: matches!(own, LineSource::Terminal(_)),
            completions,
            own: Own::Idle(Some((own, wake))),
            interruptible,
            input_explained: false,
            mode: None,
            program_waits,
            process: None,
        }
    }

    /// Whether a user types at a terminal.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether the program waits for input from now on: the prompt for input says so when it is drawn next.
    pub fn program_waits(&self, waits: bool) {
        self.program_waits.store(waits, Ordering::SeqCst);
    }

    /// Whether the next line is one that a user types.
    pub fn are_typed(&self) -> bool {
        self.is_terminal
            && self.queued.is_empty()
            && self.scripts.iter().all(|script| script.lines.is_empty())
    }

    /// Whether a line is being read.
    pub fn is_reading(&self) -> bool {
        matches!(&self.own, Own::Begun(typing) if typing.is_reading)
    }

    /// Whether there are commands in the queue.
    pub fn has_queue(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Adds lines to be read before all others.
    pub fn queue(&mut self, lines: impl IntoIterator<Item = String>) {
        self.queued.extend(lines);
    }

    /// Empties the queue, since the program is resumed.
    pub fn drop_queue(&mut self) {
        self.queued.clear();
    }

    /// Makes the lines of a script the next to be read; returns `false` if scripts are nested too deeply.
    pub fn read_script(&mut self, text: &str) -> bool {
        let depth = self.depth + 1;
        let fits = depth <= NESTED;
        if fits {
            self.scripts.push(Script { lines: text.lines().map(str::to_string).collect(), depth });
        }
        fits
    }

    /// The prompt, with the process that is shown.
    fn prompt(&self, prompt: Prompt) -> String {
        match (prompt, self.process) {
            (Prompt::Command, Some(number)) => format!("(debug {number}) "),
            (prompt, _) => prompt.text().to_string(),
        }
    }

    /// The next line, if it has not to be waited for. Lines that are not typed by the user are printed after the prompt.
    pub fn at_once(&mut self, prompt: Prompt, console: &mut Console) -> Option<Line> {
        let line = self.next_untyped()?;
        self.show(prompt, &line, console);
        Some(Line::Command(line))
    }

    /// Begins to read a line, unless that has begun. What is written to the console meanwhile, if others use the session,
    /// is shown above it.
    pub fn begin(&mut self, prompt: Prompt, console: &mut Console, shared: bool) {
        self.depth = 0;
        if self.is_terminal && prompt == Prompt::Input && !std::mem::replace(&mut self.input_explained, true)
        {
            console.say("The program reads a line: type it, or press Ctrl+C to stop here.");
        }
        if self.is_terminal {
            console.finish_line();
        }
        // The process at the other end of a pipe may wait for this output.
        console.flush();
        let text = self.prompt(prompt);
        if self.is_terminal && self.mode.is_none() {
            self.mode = TerminalMode::present();
        }
        // A thread costs memory, and without others there is nothing to be shown meanwhile.
        let is_pipe = matches!(self.own, Own::Idle(Some((LineSource::Pipe, _))));
        if let Own::Idle(source) = &mut self.own
            && (shared || !is_pipe)
        {
            let start = |(source, wake)| {
                let is_plain = matches!(&source, LineSource::Terminal(editor) if editor.is_plain());
                Typing::start(source, wake, is_plain.then(|| self.interruptible.clone()))
            };
            match source.take().map(start) {
                Some(Ok(typing)) => self.own = Own::Begun(typing),
                Some(Err(error)) => console.print_error(&format!("no commands can be read: {error}")),
                None => {}
            }
        }
        if let Own::Begun(typing) = &mut self.own {
            if !typing.is_reading {
                typing.begin(prompt, text, console.look());
            }
            console.show_above(typing.above().filter(|_| shared));
        }
    }

    /// The line that was begun, if it is complete. `waits`: nothing else is to be waited for.
    pub fn typed(&mut self, prompt: Prompt, console: &mut Console, waits: bool) -> Option<Line> {
        loop {
            let next = match &mut self.own {
                Own::Begun(typing) => typing.next(waits)?,
                Own::Idle(Some((LineSource::Pipe, _))) => Typed::Line(piped_line()),
                Own::Idle(_) => return Some(Line::End),
            };
            match next {
                Typed::Completions { line, at, answer } => {
                    let _ = answer.send(self.completions.of(&line, at));
                }
                Typed::Line(line) => {
                    self.end(console);
                    if let (Line::Command(line), false) = (&line, self.is_terminal) {
                        self.show(prompt, line, console);
                    }
                    return Some(line);
                }
            }
        }
    }

    /// Writes to the console are no longer shown above a line.
    pub fn end(&mut self, console: &mut Console) {
        console.show_above(None);
        if let Own::Begun(typing) = &self.own {
            typing.not_shown().for_each(|text| console.pass_on(&text));
        }
    }

    /// Gives up the line that is being typed, at the end of the debugger.
    pub fn give_up(&mut self, console: &mut Console) {
        if let Own::Begun(typing) = &self.own
            && typing.is_reading
            && self.is_terminal
        {
            if let Some(mode) = &self.mode {
                mode.restore();
            }
            console.replace_line(typing.not_shown());
        }
    }

    /// Shows a line that the user has not typed.
    fn show(&self, prompt: Prompt, line: &str, console: &mut Console) {
        let prompt = match prompt {
            Prompt::Input => Prompt::Command,
            other => other,
        };
        let shown = console.look().paint(Role::Prompt, &self.prompt(prompt));
        console.say(format!("{shown}{line}").trim_end());
    }

    fn next_untyped(&mut self) -> Option<String> {
        if let Some(line) = self.queued.pop_front() {
            return Some(line);
        }
        while let Some(script) = self.scripts.last_mut() {
            if let Some(line) = script.lines.pop_front() {
                self.depth = script.depth;
                return Some(line);
            }
            self.scripts.pop();
        }
        None
    }
}
