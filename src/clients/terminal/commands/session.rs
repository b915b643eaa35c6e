//! Commands about the session, and help texts.

use super::breakpoints::{as_commands, is_line};
use super::running::nothing;
use crate::clients::overwrite::{refuse_overwrite, written_before};
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::look::Role;
use crate::clients::terminal::table::{self, Argument, GROUPS, Row, When};
use crate::clients::terminal::wrap::entry;
use ez_engine::api::{BreakpointLocation, ExceptionFilter};
use ez_runtime::diagnostics::explanation_of;
use ez_runtime::library;
use ez_runtime::platform::reason;

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    Row {
        name: "help",
        short: &["h", "?"],
        arguments: "[COMMAND]",
        summary: "list the commands, or explain one",
        help: "\
Explains the command with this name, short form or beginning, with an example.

    (debug) help break
",
        argument: Argument::Command,
        when: When::Always,
        run: help,
        ..Row::DEFAULT
    },
    Row {
        name: "man",
        arguments: "[NAME]",
        summary: "explain a word of EZ or a function of its library",
        help: "\
The same as 'ez man': explains what a name means and how it is used, with an example.

    (debug) man strings.split
    (debug) man as_long_as
",
        argument: Argument::Text,
        when: When::Always,
        run: man,
        ..Row::DEFAULT
    },
    Row {
        name: "explain",
        arguments: "[CODE]",
        summary: "explain the code of an error; alone: of this one",
        help: "\
Reports show codes in brackets. If the program is stopped at an error, its code can be left out.

    (debug) explain E5001
",
        argument: Argument::Text,
        when: When::Always,
        run: explain_code,
        ..Row::DEFAULT
    },
    Row {
        name: "save",
        arguments: "FILE",
        summary: "write breakpoints and displays to a file",
        help: "\
The file contains commands, one per line; 'load' executes them, and so does 'ez debug -x FILE'. Watchpoints are not
saved: the variables that they watch do not exist after the program.

    (debug) save sort.debug
",
        argument: Argument::File,
        when: When::Always,
        run: save,
        ..Row::DEFAULT
    },
    Row {
        name: "load",
        arguments: "FILE",
        summary: "execute the commands in a file",
        help: "\
The commands are executed as if they were typed. Lines that begin with '#' are comments.

    (debug) load sort.debug
",
        argument: Argument::File,
        when: When::Always,
        run: load,
        ..Row::DEFAULT
    },
    Row {
        name: "quit",
        short: &["q", "exit"],
        summary: "end the program and the debugger",
        help: "\
Ctrl+D does the same. A session that was joined is only left: the program stays as it is.

    (debug) quit
",
        when: When::Always,
        run: |debugger, rest| {
            nothing(rest)?;
            debugger.quit(0);
            Ok(())
        },
        ..Row::DEFAULT
    },
];

fn help(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let look = debugger.console.look();
    if rest.is_empty() {
        let mut text = String::new();
        for group in &GROUPS {
            text.push_str(&format!("{}\n", look.paint(Role::Headline, group.title)));
            for row in group.rows {
                let names: Vec<&str> =
                    row.names().filter(|name| name.len() < 5 || *name == row.name).collect();
                let names = format!("  {:<18} ", names.join(", "));
                text.push_str(&format!("{}\n", entry(&names, row.summary, look.width)));
            }
        }
        text.push_str(
            "\nAn empty line repeats the last step, 'list' or 'print'. What is no command is evaluated as EZ.\n\
             'help COMMAND' explains a command, with an example.\n",
        );
        debugger.console.say(&text);
        return Ok(());
    }
    let row = match (table::find(rest), table::abbreviated(rest).as_slice()) {
        (Some(row), _) => row,
        (None, [row]) => *row,
        _ => {
            let wrong = CommandError::new(format!("there is no command '{rest}'"));
            return Err(match table::similar(rest) {
                Some(near) => wrong.help(format!("did you mean '{near}'?")),
                None => wrong.help("'help' lists the commands"),
            });
        }
    };
    let mut text = format!("{} – {}\n", look.paint(Role::Headline, &row.usage()), row.summary);
    if !row.short.is_empty() {
        text.push_str(&format!("Also: {}\n", row.short.join(", ")));
    }
    debugger.console.say(&text);
    debugger.console.say_prose(&format!("\n{}", row.help));
    Ok(())
}

fn man(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let text = match rest {
        "" => library::contents(),
        name => library::man(name)?,
    };
    debugger.console.say(&text);
    Ok(())
}

fn explain_code(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let code = match rest {
        "" => debugger.code().ok_or_else(|| {
            CommandError::new("the program has not stopped at an error with a code").help("explain CODE")
        })?,
        code => code.to_string(),
    };
    let text = explanation_of(&code).map_err(|(message, help)| CommandError::new(message).help(help))?;
    debugger.console.say_prose(&text);
    Ok(())
}

/// What a file begins with that was saved.
const SAVED: &str = "# Breakpoints and displays of ";

fn save(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return Err(CommandError::new("the name of a file is missing").help("save FILE"));
    }
    let state = debugger.state()?;
    refuse_overwrite(rest, &[]).and_then(|()| written_before(rest, &[SAVED])).map_err(|why| {
        CommandError::new(format!("cannot save in {rest}: {why}"))
            .help("'save' with another name writes a new file")
    })?;
    let mut text = format!("{SAVED}{}; 'load' sets them again.\n", debugger.program());
    // Watchpoints, and what takes more than a line, as only other clients can set it.
    let (mut watchpoints, mut long) = (0, 0);
    for breakpoint in &state.breakpoints {
        match as_commands(debugger, breakpoint) {
            Some(lines) => lines.iter().for_each(|line| text.push_str(&format!("{line}\n"))),
            None if matches!(breakpoint.place, BreakpointLocation::Data { .. }) => watchpoints += 1,
            None => long += 1,
        }
    }
    for caught in state.exceptions.iter().filter(|it| it.spec.filter == ExceptionFilter::ErrorValue) {
        let condition = caught.spec.condition.as_ref().map(|it| format!(" if {it}")).unwrap_or_default();
        match is_line(&condition) {
            true => text.push_str(&format!("catch errors{condition}\n")),
            false => long += 1,
        }
    }
    for watch in &state.watches {
        match is_line(&watch.expression) {
            true => text.push_str(&format!("display {}\n", watch.expression)),
            false => long += 1,
        }
    }
    std::fs::write(rest, text).map_err(|error| format!("cannot write {rest}: {}", reason(&error)))?;
    debugger.console.say(&format!("Saved in {rest}{}.", left_out(watchpoints, long)));
    Ok(())
}

/// What is left out, as the end of a sentence.
fn left_out(watchpoints: usize, long: usize) -> String {
    let counted = |count: usize, one: &str, several: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {several}")),
    };
    let parts = [
        counted(watchpoints, "watchpoint", "watchpoints"),
        counted(long, "entry of several lines", "entries of several lines"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(", without {}", parts.join(" and ")) }
}

fn load(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return Err(CommandError::new("the name of a file is missing").help("load FILE"));
    }
    let text =
        std::fs::read_to_string(rest).map_err(|error| format!("cannot read {rest}: {}", reason(&error)))?;
    debugger.read_script(&text)
}
