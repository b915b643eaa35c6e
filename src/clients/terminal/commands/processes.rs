//! Commands about the processes that a program has started.

use super::running::nothing;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::processes::Follow;
use crate::clients::terminal::table::{Row, When};

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    Row {
        name: "processes",
        short: &["inferiors"],
        summary: "list the processes that are debugged",
        help: "\
With 'ez debug --children', the EZ programs that the program starts are debugged, too. '→' marks the process that is
shown: commands are about that one, and its breakpoints are its own. A new process has those that were set for its
files. 'set follow' decides what happens when a process starts:

    parent  it runs without the debugger
    child   it is shown at its first statement
    both    it is shown at its first statement if no other process is stopped; if one is, it is announced there

    (debug) processes
    (debug) set follow child
",
        when: When::Always,
        run: processes,
        ..Row::DEFAULT
    },
    Row {
        name: "process",
        short: &["inferior"],
        arguments: "N",
        summary: "switch to another process",
        help: "\
The numbers are those of 'processes'; 1 is the program itself. A process that runs is paused. 'continue' lets all
processes go on; all other commands, such as 'next', only the one that is shown.

    (debug) process 2
",
        when: When::Always,
        run: process,
        ..Row::DEFAULT
    },
];

fn processes(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    nothing(rest)?;
    let text = debugger.list_processes();
    debugger.console.say(&text);
    Ok(())
}

fn process(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let number = rest.parse().map_err(|_| {
        CommandError::new("the number of a process is missing").help("process N; 'processes' lists them")
    })?;
    debugger.switch_to(number)
}

/// Carries out `set follow`, if that is what the arguments of `set` mean.
pub fn set_follow(debugger: &mut TerminalDebugger, rest: &str) -> Option<Result<(), CommandError>> {
    let mode = rest.strip_prefix("follow").filter(|mode| mode.is_empty() || mode.starts_with(' '))?.trim();
    if mode.starts_with('=') {
        return None;
    }
    let found = Follow::NAMES.iter().find(|(name, _)| *name == mode);
    Some(match (found, &mut debugger.processes.follow) {
        (None, _) => {
            Err(CommandError::new("what is to be followed?").help("set follow parent, child or both"))
        }
        (Some(_), None) => Err(CommandError::new("the processes that the program starts are not noticed")
            .help("start the debugger with 'ez debug --children'")),
        (Some((_, mode)), Some(follow)) => {
            *follow = *mode;
            Ok(())
        }
    })
}
