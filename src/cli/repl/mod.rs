//! `ez repl`: reads, checks and runs entries one after the other.

mod entry;
mod interrupt;
mod lines;
mod session;

use std::io::{self, IsTerminal};

use crate::value::inspect;

use super::VERSION;
use super::args::Style;
use super::show::print;
use lines::{LineReader, PromptLine};
use session::{EntryOutcome, ReplSession};

const HELP: &str = "\
Type statements, declarations or expressions; the value of an expression is
shown. Input goes on until all braces, parentheses and brackets are closed.

  help          this text
  :type EXPR    the type of an expression, which is not evaluated
  :vars         the variables there are
  :reset        forget everything
  clear         clear the screen
  exit, quit    leave

println and the rest of @std can be used at once; other modules are imported:
import @math. Every command may be written with a colon before it; it must be
if a variable has its name.
";

pub(super) fn repl(style: Style) -> u8 {
    let mut session = ReplSession::new(style);
    let mut lines = LineReader::new();
    banner();
    loop {
        let entry = match read_entry(&mut lines, &mut session) {
            PromptLine::Text(entry) => entry,
            PromptLine::Cancelled => continue,
            PromptLine::End => break,
        };
        let entry = entry.trim();
        if entry.is_empty() {
            continue;
        }
        lines.remember(entry);
        match command(entry, &session) {
            Some(Command::Quit) => break,
            Some(command) => obey(&command, &mut session),
            None => {
                if let EntryOutcome::Ended(status) = session.enter(entry) {
                    return status;
                }
            }
        }
    }
    print("Goodbye!\n");
    0
}

fn banner() {
    print(&format!("EZ Language REPL {VERSION}\nType 'help' for commands, 'exit' or 'quit' to exit\n\n"));
}

/// Reads lines until no delimiter is open.
fn read_entry(lines: &mut LineReader, session: &mut ReplSession) -> PromptLine {
    let mut text = match lines.read(">> ", session) {
        PromptLine::Text(text) => text,
        other => return other,
    };
    while entry::is_open(&text) {
        match lines.read(".. ", session) {
            PromptLine::Text(more) => {
                text.push('\n');
                text.push_str(&more);
            }
            PromptLine::Cancelled => return PromptLine::Cancelled,
            // Run the incomplete entry; the next read meets the end again.
            PromptLine::End => break,
        }
    }
    PromptLine::Text(text)
}

#[derive(Debug, PartialEq, Eq)]
enum Command {
    Help,
    Type(String),
    Vars,
    Reset,
    Clear,
    Quit,
    Unknown(String),
}

/// The command that an entry is, if it is one.
fn command(entry: &str, session: &ReplSession) -> Option<Command> {
    let (word, rest) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
    let named = word.strip_prefix(':');
    if named.is_none() && session.has_variable(word) {
        return None;
    }
    let found = match (named.unwrap_or(word), rest.trim()) {
        ("help" | "h", "") => Command::Help,
        ("type" | "t", rest) if !rest.is_empty() => Command::Type(rest.to_string()),
        ("vars", "") => Command::Vars,
        ("reset", "") => Command::Reset,
        ("clear", "") => Command::Clear,
        ("quit" | "exit" | "q", "") => Command::Quit,
        _ => Command::Unknown(entry.to_string()),
    };
    // Without a colon a single letter is a variable.
    let known = found != Command::Unknown(entry.to_string()) && (named.is_some() || word.len() > 1);
    (known || named.is_some()).then_some(found)
}

fn obey(command: &Command, session: &mut ReplSession) {
    match command {
        Command::Help => print(HELP),
        Command::Type(text) => session.show_type(text),
        Command::Vars => {
            for (name, ty, value) in session.variables() {
                print(&format!("{name} {ty} = {}\n", inspect(&value)));
            }
        }
        Command::Reset => {
            session.reset();
            clear();
            banner();
        }
        Command::Clear => clear(),
        Command::Unknown(text) => eprintln!("Error: unknown command: {text} (:help lists them)"),
        Command::Quit => {}
    }
}

fn clear() {
    if io::stdout().is_terminal() {
        print("\u{1b}[2J\u{1b}[H");
    }
}
