//! `ez debug`: a debugger for the terminal, and for scripts of commands.
//!
//! It is a front end like those in `crate::protocol`: it makes requests to a session and shows the responses
//! and events.
//!
//! A command is a row of the table (`table`) in the file of `commands` that carries it out; `dispatch` finds the
//! row for a line. Commands come from scripts, a pipe or the line editor (`lines`, `editor`). `console` keeps the
//! program's output apart; `window`, `seen` and `tree` show source text, changes and values, and `wrap` breaks
//! lines between words. Of several processes one is shown at a time (`processes`); what others do in a shared session is
//! shown while a command is typed (`other_clients`, `typing`).

mod command_error;
mod commands;
mod complete;
mod console;
mod debugger;
mod dispatch;
mod editor;
mod foreign;
mod functions;
mod habits;
mod lines;
mod location_spec;
mod look;
mod other_clients;
mod printed;
mod processes;
mod repetition;
mod seen;
mod sources;
mod step_list;
mod stops;
mod table;
mod tree;
mod typing;
mod views;
mod watched;
mod window;
mod wrap;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::protocol::SessionHandle;
use ez_engine::api::{GetModules, Launch, ModuleKind};
use ez_engine::session::Session;
use ez_runtime::host::Capability;
use ez_runtime::platform::on_interrupt;

use super::joining::{Joined, Joining};
use super::local;
use super::show::Style;
use super::show::{self, unreadable};
use super::subject::{CaseTexts, ProgramInfo, Subject};

use complete::CompletionState;
use processes::Follow;

pub(super) use complete::Completions;
pub(super) use console::Console;
pub(super) use debugger::{Interrupts, Shown, TerminalDebugger};
pub(super) use editor::Editor;
pub(super) use editor::is_plain;
pub(super) use lines::{CommandLines, Line, Prompt};
pub(super) use look::Look;
pub(super) use typing::{Interruptible, LineSource, Typed, Typing, piped_line};
pub(super) use wrap::entry;

/// What to debug, with options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What to debug.
    pub program: Subject,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// Whether to keep the program's history.
    pub history: bool,
    /// Whether to debug the EZ programs that the program starts.
    pub children: bool,
    /// The capabilities denied to the program.
    pub deny: Vec<Capability>,
    /// The program's memory limit in bytes.
    pub memory: Option<u64>,
    /// A file of commands to run first.
    pub script: Option<String>,
    /// Whether failed commands of a script or pipe leave the status as it is.
    pub keep_going: bool,
    /// Whether to use colours; `None`: on a terminal only.
    pub colour: Option<bool>,
}

/// How to join a session that is shared.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinOptions {
    pub joining: Joining,
    /// A file of commands to run first.
    pub script: Option<String>,
    /// Whether failed commands of a script or pipe leave the status as it is.
    pub keep_going: bool,
    /// Whether to use colours; `None`: on a terminal only.
    pub colour: Option<bool>,
}

/// Debugs a program. Ends the process, or returns the exit status if the program cannot be started.
pub fn debug(options: Options, style: Style) -> u8 {
    let Some(named) = options.program.check(style) else { return 1 };
    let Some(script) = read_script(options.script.as_deref()) else { return 1 };
    let root = named.case.as_ref().map(|case| case.root.clone());
    local::serve(root, |session, directory| front_end(named, script, options, session, directory))
}

fn front_end(
    named: ProgramInfo,
    script: Option<String>,
    options: Options,
    session: Session,
    directory: PathBuf,
) -> u8 {
    let link = SessionHandle::own(session);
    let state_for_completion = Rc::<CompletionState>::default();
    let interrupts = Interrupts::of(&link);
    let terminal = io::stdout().is_terminal();
    let lines = command_lines(&link, &state_for_completion, &interrupts, script);
    let mut console = Console::new(terminal, colour(options.colour));
    if lines.is_terminal() {
        console.say(&format!("Debugging {}. 'help' lists the commands, 'quit' leaves.", named.file));
    }
    let of_subject = options.program.launch(options.deny, options.memory);
    let launch = Launch {
        args: named.case.as_ref().map_or(options.arguments, |case| case.arguments.clone()),
        stop_on_entry: Some(true),
        keep_alive: true,
        history: options.history || of_subject.history,
        children: options.children,
        expected: named.case.as_ref().map(CaseTexts::expected),
        ..of_subject
    };
    let directory = named.directory.clone().unwrap_or(directory);
    let shown = Shown::new(link, named, directory);
    let follow = options.children.then_some(Follow::Both);
    let mut debugger = TerminalDebugger::new(shown, follow, console, lines, state_for_completion, interrupts);
    status(debugger.run(launch), &debugger, options.keep_going)
}

/// Joins a session that is shared. Returns the exit status.
pub fn join(options: JoinOptions, style: Style) -> u8 {
    let JoinOptions { joining, script, keep_going, colour: coloured } = options;
    let Some(script) = read_script(script.as_deref()) else { return 1 };
    let Joined { link, attached, directory } = match joining.join(Some) {
        Ok(joined) => joined,
        Err(why) => {
            show::write_error(&format!("Error: {why}\n"));
            return 1;
        }
    };
    let modules = link.ask(GetModules).unwrap_or_default();
    let main = modules.into_iter().find(|module| module.kind == ModuleKind::Main);
    let path = main.and_then(|main| main.path).unwrap_or_default();
    let directory = directory.map(PathBuf::from).or_else(|| Some(path.parent()?.to_path_buf()));
    let file = attached.state.file.clone().unwrap_or_else(|| "a program".into());
    let named = ProgramInfo { file, path, directory: directory.clone(), style, case: None };
    let state_for_completion = Rc::<CompletionState>::default();
    let interrupts = Interrupts::of(&link);
    let lines = command_lines(&link, &state_for_completion, &interrupts, script);
    let mut console = Console::new(io::stdout().is_terminal(), colour(coloured));
    console.begin_foreign();
    let shown = Shown::new(link, named, directory.unwrap_or_default());
    let mut debugger = TerminalDebugger::new(shown, None, console, lines, state_for_completion, interrupts);
    show::with_lost_output(status(debugger.run_joined(attached), &debugger, keep_going))
}

/// The exit status. A test that sets a breakpoint where none is possible is to fail.
fn status(status: u8, debugger: &TerminalDebugger, keep_going: bool) -> u8 {
    if status == 0 && debugger.script_failed() && !keep_going { 1 } else { status }
}

/// The text of a file of commands. `None` if it cannot be read, which has been reported.
fn read_script(file: Option<&str>) -> Option<Option<String>> {
    let Some(file) = file else { return Some(None) };
    let text = std::fs::read_to_string(file);
    text.inspect_err(|error| eprintln!("{}", unreadable(file, &ez_runtime::platform::reason(error))))
        .ok()
        .map(Some)
}

/// Where commands come from: a script, then the terminal or standard input.
fn command_lines(
    link: &SessionHandle,
    state_for_completion: &Rc<CompletionState>,
    interrupts: &Interrupts,
    script: Option<String>,
) -> CommandLines {
    let own = if io::stdout().is_terminal() && io::stdin().is_terminal() {
        pause_at_interrupts(interrupts.clone());
        Editor::new().map_or(LineSource::Pipe, |editor| LineSource::Terminal(Box::new(editor)))
    } else {
        LineSource::Pipe
    };
    let completions = Completions::new(link.clone(), state_for_completion.clone());
    let mut lines = CommandLines::new(own, completions, Arc::new(link.waker()), interrupts.line.clone());
    if let Some(script) = script {
        lines.read_script(&script);
    }
    lines
}

fn colour(wanted: Option<bool>) -> bool {
    wanted.unwrap_or_else(|| show::is_coloured(io::stdout().is_terminal()))
}

/// Makes Ctrl+C pause the program instead of ending the process. (The line editor reads it as a key.)
fn pause_at_interrupts(interrupts: Interrupts) {
    // If Ctrl+C cannot be handled, it ends the process.
    let _ = on_interrupt(move || interrupts.pause());
}
