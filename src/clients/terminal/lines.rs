//! The sources of commands: a queue, scripts, and finally a terminal or pipe.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::console::Console;
use super::editor::Editor;
use super::look::Role;

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
    /// Ctrl+C.
    Interrupted,
    /// The end of the input.
    End,
}

/// The source used when there are no queued commands and no scripts.
pub enum LineSource {
    /// Standard input.
    Pipe,
    Terminal(Box<Editor>),
}

/// Reads lines from all sources.
pub struct CommandLines {
    /// Commands of breakpoints that were hit.
    queued: VecDeque<String>,
    /// The scripts being read, the innermost last.
    scripts: Vec<Script>,
    /// Nesting of the script that the last line was read from; 0 for other lines.
    depth: usize,
    own: LineSource,
    /// Whether the prompt for the program's input has been explained.
    input_explained: bool,
    /// The number of the process that is shown, unless it is the only one or the first.
    pub process: Option<usize>,
}

/// The remaining lines of a script.
struct Script {
    lines: VecDeque<String>,
    depth: usize,
}

impl CommandLines {
    /// Without queue and scripts.
    pub fn new(own: LineSource) -> CommandLines {
        CommandLines {
            queued: VecDeque::new(),
            scripts: Vec::new(),
            depth: 0,
            own,
            input_explained: false,
            process: None,
        }
    }

    /// Whether a user types at a terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(self.own, LineSource::Terminal(_))
    }

    /// Whether the next line is read from a terminal.
    fn is_typed(&self) -> bool {
        self.is_terminal()
            && self.queued.is_empty()
            && self.scripts.iter().all(|script| script.lines.is_empty())
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

    /// Reads the next line. CommandLines that are not typed by the user are printed after the prompt.
    pub fn next(&mut self, prompt: Prompt, console: &mut Console) -> Line {
        let typed = self.prompt(prompt);
        if self.is_typed()
            && let LineSource::Terminal(editor) = &mut self.own
        {
            self.depth = 0;
            if prompt == Prompt::Input && !std::mem::replace(&mut self.input_explained, true) {
                console.say("The program reads a line: type it, or press Ctrl+C to stop here.");
            }
            console.finish_line();
            console.flush();
            return editor.read(prompt, &typed, &console.look());
        }
        let prompt = match prompt {
            Prompt::Input => Prompt::Command,
            other => other,
        };
        let Some(line) = self.next_untyped(console) else { return Line::End };
        let shown = console.look().paint(Role::Prompt, &self.prompt(prompt));
        console.say(format!("{shown}{line}").trim_end());
        Line::Command(line)
    }

    fn next_untyped(&mut self, console: &mut Console) -> Option<String> {
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
        self.depth = 0;
        // The process at the other end of a pipe may wait for this output.
        console.flush();
        let mut line = Vec::new();
        match io::stdin().lock().read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string()),
        }
    }
}
