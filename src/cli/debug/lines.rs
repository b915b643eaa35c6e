//! Where commands come from: what is queued, scripts, and at last a terminal or a pipe.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use super::console::Console;
use super::editor::Editor;
use super::look::Role;

/// How many scripts may be read one inside the other.
const NESTED: usize = 16;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// A command.
    Command,
    /// A line for the program.
    Input,
    /// A line of a list of commands.
    List,
}

impl Prompt {
    /// What stands in front of the line.
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
    /// A command.
    Command(String),
    /// What was typed for the program.
    Input(String),
    /// Ctrl+C.
    Interrupted,
    /// There are no more.
    End,
}

/// What is read when nothing is queued and no script is.
pub enum Own {
    /// Standard input.
    Pipe,
    /// A terminal.
    Terminal(Box<Editor>),
}

/// Where lines come from.
pub struct Lines {
    /// Commands of breakpoints that were hit.
    queued: VecDeque<String>,
    /// Scripts, the innermost last.
    scripts: Vec<Script>,
    /// How many scripts have loaded each other up to the one that the last line came from.
    depth: usize,
    own: Own,
}

/// Lines of a script that were not read yet.
struct Script {
    lines: VecDeque<String>,
    depth: usize,
}

impl Lines {
    /// Reads from there.
    pub fn new(own: Own) -> Lines {
        Lines { queued: VecDeque::new(), scripts: Vec::new(), depth: 0, own }
    }

    /// Whether somebody types.
    pub fn is_terminal(&self) -> bool {
        matches!(self.own, Own::Terminal(_))
    }

    /// Whether the next line is typed by somebody.
    fn is_typed(&self) -> bool {
        self.is_terminal()
            && self.queued.is_empty()
            && self.scripts.iter().all(|script| script.lines.is_empty())
    }

    /// Lines that come before all others.
    pub fn queue(&mut self, lines: impl IntoIterator<Item = String>) {
        self.queued.extend(lines);
    }

    /// Forgets what is queued: the program goes on.
    pub fn drop_queue(&mut self) {
        self.queued.clear();
    }

    /// The lines of a script come next; `false` if too many scripts are read one inside the other.
    pub fn read_script(&mut self, text: &str) -> bool {
        let depth = self.depth + 1;
        let fits = depth <= NESTED;
        if fits {
            self.scripts.push(Script { lines: text.lines().map(str::to_string).collect(), depth });
        }
        fits
    }

    /// The next line. What is not typed is shown as if it was.
    pub fn next(&mut self, prompt: Prompt, console: &mut Console) -> Line {
        if self.is_typed()
            && let Own::Terminal(editor) = &mut self.own
        {
            self.depth = 0;
            console.finish_line();
            console.flush();
            return editor.read(prompt, &console.look());
        }
        let prompt = match prompt {
            Prompt::Input => Prompt::Command,
            other => other,
        };
        let Some(line) = self.next_untyped(console) else { return Line::End };
        let shown = console.look().paint(Role::Prompt, prompt.text());
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
        // Whoever is at the other end may wait for what was said before sending more.
        console.flush();
        let mut line = Vec::new();
        match io::stdin().lock().read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_string()),
        }
    }
}
