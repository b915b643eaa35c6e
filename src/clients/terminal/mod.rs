//! `ez debug`: a debugger for the terminal, and for scripts of commands.
//!
//! It is a front end like those in `crate::protocol`: it makes requests to a session and shows the responses
//! and events.
//!
//! A command is a row of the table (`table`) in the file of `commands` that carries it out; `dispatch` finds the
//! row for a line. Commands come from scripts, a pipe or the line editor (`lines`, `editor`). `console` keeps the
//! program's output apart; `window`, `seen` and `tree` show source text, changes and values, and `wrap` breaks
//! lines between words. Of several processes one is shown at a time (`processes`).

mod command_error;
mod commands;
mod complete;
mod console;
mod debugger;
mod dispatch;
mod editor;
mod functions;
mod habits;
mod lines;
mod location_spec;
mod look;
mod printed;
mod processes;
mod repetition;
mod seen;
mod sources;
mod step_list;
mod stops;
mod table;
mod tree;
mod views;
mod watched;
mod window;
mod wrap;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::api::{Capability, Launch};
use crate::platform::on_interrupt;
use crate::protocol::SessionHandle;
use crate::session::Session;
use crate::sync::Mutex;

use super::local;
use super::show::Style;
use super::show::{self, unreadable};
use super::subject::{ProgramInfo, Subject};

use complete::CompletionState;
use processes::Follow;

pub(super) use complete::Completions;
pub(super) use console::Console;
pub(super) use debugger::{Interrupts, Shown, TerminalDebugger};
pub(super) use editor::Editor;
pub(super) use lines::{CommandLines, LineSource};

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

/// Debugs a program. Ends the process, or returns the exit status if the program cannot be started.
pub fn debug(options: Options, style: Style) -> u8 {
    let Some(named) = options.program.check(style) else { return 1 };
    let script = match options.script.as_ref().map(std::fs::read_to_string).transpose() {
        Ok(script) => script,
        Err(error) => {
            let file = options.script.as_deref().unwrap_or_default();
            eprintln!("{}", unreadable(file, &crate::modules::reason(&error)));
            return 1;
        }
    };
    local::serve(|session, directory| front_end(named, script, options, session, directory))
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
    let interrupts = Interrupts { interrupted: Arc::default(), session: Arc::new(Mutex::new(link.sender())) };
    let terminal = io::stdout().is_terminal();
    let own = if terminal && io::stdin().is_terminal() {
        pause_at_interrupts(interrupts.clone());
        let editor = Editor::new(Completions::new(link.clone(), state_for_completion.clone()));
        editor.map_or(LineSource::Pipe, |editor| LineSource::Terminal(Box::new(editor)))
    } else {
        LineSource::Pipe
    };
    let colour = options.colour.unwrap_or_else(|| show::is_coloured(terminal));
    let mut lines = CommandLines::new(own);
    if let Some(script) = script {
        lines.read_script(&script);
    }
    let mut console = Console::new(terminal, colour);
    if lines.is_terminal() {
        console.say(&format!("Debugging {}. 'help' lists the commands, 'quit' leaves.", named.file));
    }
    let launch = Launch {
        args: options.arguments,
        stop_on_entry: Some(true),
        keep_alive: true,
        history: options.history,
        children: options.children,
        deny: options.deny,
        memory_limit: options.memory,
        ..options.program.launch()
    };
    let directory = named.directory.clone().unwrap_or(directory);
    let shown = Shown::new(link, named, directory);
    let follow = options.children.then_some(Follow::Both);
    let mut debugger = TerminalDebugger::new(shown, follow, console, lines, state_for_completion, interrupts);
    match debugger.run(launch) {
        // A test that sets a breakpoint where none is possible is to fail.
        0 if debugger.script_failed() && !options.keep_going => 1,
        status => status,
    }
}

/// Makes Ctrl+C pause the program instead of ending the process. (The line editor reads it as a key.)
fn pause_at_interrupts(interrupts: Interrupts) {
    // If Ctrl+C cannot be handled, it ends the process.
    let _ = on_interrupt(move || interrupts.pause());
}
