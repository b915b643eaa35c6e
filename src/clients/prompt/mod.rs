//! `ez repl`: reads entries and runs them one after the other, as the cells of a session.

mod interrupt;
mod lines;
mod session;

use std::io::{self, IsTerminal};

use ez_engine::session::Session;
use ez_language::cells::is_open;

use super::VERSION;
use super::local;
use super::show::{self, Style, print, print_unchanged, write_error};
use super::terminal::{Console, Interruptible, entry};
use lines::{LineReader, PromptLine};
use session::{EntryOutcome, PromptSession};

const HELP: &str = "\
Type statements, declarations or expressions; the value of an expression is
shown. Input goes on until all braces, parentheses and brackets are closed,
and after a comma or an operator that a value has to follow.

";

const COMMANDS: [(&str, &str); 7] = [
    ("help", "this text"),
    (":type EXPR", "the type of an expression, which is not evaluated"),
    (":vars", "the variables there are"),
    (":debug ENTRY", "run something in the debugger: :debug f(3) stops in f"),
    (":reset", "forget everything"),
    ("clear", "clear the screen"),
    ("exit, quit", "leave"),
];

const MORE_HELP: &str = "
println and the rest of @std can be used at once; other modules are imported:
import @math. Every command may be written with a colon before it; it must be
if a variable has its name.
";

/// Runs the prompt, with this memory limit in bytes; ends the process, or returns the exit status if it cannot be
/// started.
pub fn repl(memory: Option<u64>, style: Style) -> u8 {
    local::serve(None, move |session, _| show::status(prompt(session, memory, style)))
}

fn prompt(session: Session, memory: Option<u64>, style: Style) -> Result<u8, String> {
    let line = Interruptible::default();
    let mut session = PromptSession::begin(session, memory, style, line.clone())
        .map_err(|failure| format!("Error: {}", failure.message))?;
    let status = read_entries(&mut session, LineReader::new(line));
    session.end();
    Ok(status)
}

fn read_entries(session: &mut PromptSession, mut lines: LineReader) -> u8 {
    // What is entered from a file or pipe prints what it prints, and nothing else.
    let is_terminal = lines.is_terminal();
    if is_terminal {
        banner();
    }
    let mut failed = false;
    loop {
        let entry = match read_entry(&mut lines) {
            PromptLine::Text(entry) => entry,
            PromptLine::Cancelled => continue,
            PromptLine::End => break,
        };
        let entry = entry.trim();
        if entry.is_empty() {
            continue;
        }
        lines.remember(entry);
        let outcome = match command(entry, session) {
            Some(Command::Quit) => break,
            Some(command) => obey(&command, session, &lines),
            None => session.enter(entry, &mut lines),
        };
        match outcome {
            EntryOutcome::Next => {}
            EntryOutcome::Failed => failed = true,
            EntryOutcome::Ended(status) => return status,
        }
    }
    if is_terminal {
        print("Goodbye!\n");
        return 0;
    }
    u8::from(failed)
}

fn banner() {
    print(&format!("EZ Language REPL {VERSION}\nType 'help' for commands, 'exit' or 'quit' to exit\n\n"));
}

/// Whether a line may be the first of several: not if it is a command that takes no expression.
fn may_go_on(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    !word.starts_with(':') || [":type", ":t", ":debug", ":d"].contains(&word)
}

/// Reads lines until no delimiter is open.
fn read_entry(lines: &mut LineReader) -> PromptLine {
    let mut text = match lines.read(">> ") {
        PromptLine::Text(text) => text,
        other => return other,
    };
    while may_go_on(&text) && is_open(&text) {
        match lines.read(".. ") {
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
    Debug(String),
    Reset,
    Clear,
    Quit,
    /// None, for this reason.
    Wrong(String),
}

/// The command that an entry is, if it is one.
fn command(entry: &str, session: &PromptSession) -> Option<Command> {
    let (word, rest) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
    let named = word.strip_prefix(':');
    let found = match (named.unwrap_or(word), rest.trim()) {
        ("help" | "h", "") => Command::Help,
        ("type" | "t", "") => Command::Wrong("':type' needs an expression: :type 1 + 1".into()),
        ("type" | "t", rest) => Command::Type(rest.to_string()),
        ("vars", "") => Command::Vars,
        ("debug" | "d", "") => Command::Wrong("':debug' needs something to run: :debug f(3)".into()),
        ("debug" | "d", rest) => Command::Debug(rest.to_string()),
        ("reset", "") => Command::Reset,
        ("clear", "") => Command::Clear,
        ("quit" | "exit" | "q", "") => Command::Quit,
        ("help" | "h" | "vars" | "reset" | "clear" | "quit" | "exit" | "q", rest) => {
            Command::Wrong(format!("'{word}' takes nothing after it, and there is '{rest}'"))
        }
        _ => Command::Wrong(format!("unknown command: {entry} (:help lists them)")),
    };
    // Without a colon a single letter is a variable.
    let known = !matches!(found, Command::Wrong(_)) && word.len() > 1;
    // A variable of that name hides the command.
    (named.is_some() || known && !session.has_variable(word)).then_some(found)
}

fn obey(command: &Command, session: &mut PromptSession, lines: &LineReader) -> EntryOutcome {
    match command {
        Command::Help => help(lines.is_terminal()),
        Command::Type(text) => return session.show_type(text),
        Command::Vars => session.show_variables(),
        Command::Debug(entry) => return session.debug(entry, lines),
        Command::Reset => {
            session.reset();
            clear();
            if lines.is_terminal() {
                banner();
            }
        }
        Command::Clear => clear(),
        Command::Wrong(why) => {
            write_error(&format!("Error: {why}\n"));
            return EntryOutcome::Failed;
        }
        Command::Quit => {}
    }
    EntryOutcome::Next
}

/// Shows what can be entered, in lines that fit the terminal.
fn help(terminal: bool) {
    let mut console = Console::new(terminal, false);
    let width = console.look().width;
    console.say_prose(HELP);
    for (name, what) in COMMANDS {
        console.say(&entry(&format!("  {name:<12}  "), what, width));
    }
    console.say_prose(MORE_HELP);
    console.flush();
}

fn clear() {
    if io::stdout().is_terminal() {
        print_unchanged("\u{1b}[2J\u{1b}[H");
    }
}
