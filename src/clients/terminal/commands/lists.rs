//! The command `commands`: attaches commands to a breakpoint.

use super::breakpoints::number_of;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::lines::{Line, Prompt};
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use ez_engine::api::BreakpointId;

/// Ends a list of commands.
const END: &str = "end";

/// The command.
pub const ROW: Row = Row {
    name: "commands",
    short: &[],
    arguments: "[N]",
    summary: "set commands that are run at each hit, up to 'end'",
    help: "\
The commands on the next lines, up to 'end', are run whenever the breakpoint stops the program; without a number,
it is the last breakpoint that was set. Commands after one that resumes the program are not run. An empty list
removes the commands. Without such a breakpoint there is no list; in a file or pipe, the lines up to 'end' are
passed over.

    (debug) commands 1
    > print total
    > continue
    > end
",
    argument: Argument::Nothing,
    when: When::Always,
    repeats: Repeats::No,
    run: commands,
};

fn commands(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let id = known(debugger, if rest.is_empty() { "last" } else { rest });
    if id.is_err() && debugger.lines.are_typed() {
        return id.map(drop);
    }
    // Lines that are there already would be executed.
    let list = read(debugger)?;
    let id = id?;
    let text = match list.len() {
        0 => format!("Breakpoint {} has no commands.", id.0),
        1 => format!("Breakpoint {} has 1 command.", id.0),
        count => format!("Breakpoint {} has {count} commands.", id.0),
    };
    if list.is_empty() {
        drop(debugger.shown.marks.commands.remove(&id))
    } else {
        drop(debugger.shown.marks.commands.insert(id, list))
    }
    debugger.console.say(&text);
    Ok(())
}

/// The breakpoint with a number.
fn known(debugger: &mut TerminalDebugger, number: &str) -> Result<BreakpointId, CommandError> {
    let id = number_of(debugger, number)?;
    match debugger.state()?.breakpoints.iter().any(|breakpoint| breakpoint.id == id) {
        true => Ok(id),
        false => Err(CommandError::new(format!("there is no breakpoint {}", id.0))),
    }
}

fn read(debugger: &mut TerminalDebugger) -> Result<Vec<String>, CommandError> {
    let mut list = Vec::new();
    loop {
        match debugger.next_line(Prompt::List) {
            Some(Line::Command(line)) if line.trim() == END => return Ok(list),
            Some(Line::Command(line)) => {
                list.extend(Some(line.trim().to_string()).filter(|line| !line.is_empty()));
            }
            Some(Line::Interrupted) => return Err("the list was given up".into()),
            Some(Line::Input(_) | Line::Late(_) | Line::End) | None => {
                return Err("there is no 'end' after the commands".into());
            }
        }
    }
}
