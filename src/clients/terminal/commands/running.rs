//! Commands that resume the program.

use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::location_spec::{LocationSpec, location_spec};
use crate::clients::terminal::repetition::times;
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use ez_engine::api::{GetStepTargets, LineLocation, Restart, Resume, StepTarget};

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    Row {
        name: "step",
        short: &["s"],
        arguments: "[N]",
        summary: "execute one statement, going into calls",
        help: "\
Executes one statement. If it calls a function of the program, the program stops at the first statement of that
function. An empty line does the same again. With a number, this is repeated that many times, unless a breakpoint
or an error stops the program earlier; the same is true of all commands with N in this group. After 'up', it still goes
on where the program is, in frame 0.

    (debug) step
    (debug) step 5
",
        repeats: Repeats::Same,
        run: |debugger, rest| {
            let times = times(rest)?;
            debugger.note_innermost("step");
            debugger.resume_times(Resume::StepInto, times)
        },
        ..Row::DEFAULT
    },
    Row {
        name: "next",
        short: &["n"],
        arguments: "[N]",
        summary: "execute one statement, with all calls in it",
        help: "\
Executes one statement, with all calls in it. A breakpoint in a called function still stops the program there.
It is a statement of the selected frame: after 'up', the program stops when the caller goes on.

    (debug) next
    (debug) next 5
",
        repeats: Repeats::Same,
        run: |debugger, rest| debugger.resume_selected(Resume::StepOut, Resume::StepOver, times(rest)?),
        ..Row::DEFAULT
    },
    Row {
        name: "out",
        short: &["o", "finish"],
        arguments: "[N]",
        summary: "run until this function has returned",
        help: "\
Runs the rest of the function and stops where it was called. 'return-value' then shows its result.
It is the function of the selected frame: after 'up', the caller returns, too.

    (debug) out
",
        repeats: Repeats::Same,
        run: |debugger, rest| debugger.resume_selected(Resume::StepOut, Resume::StepOut, times(rest)?),
        ..Row::DEFAULT
    },
    Row {
        name: "into",
        arguments: "[NAME]",
        summary: "step into one of several calls of the line",
        help: "\
In a line with several calls, 'step' goes into the one that runs first. 'into NAME' goes into the call of
that function. Without a name it lists the calls; 'into 2' goes into the second.

    (debug) into area
",
        argument: Argument::Function,
        run: into,
        ..Row::DEFAULT
    },
    Row {
        name: "continue",
        short: &["c", "cont"],
        arguments: "[N]",
        summary: "run to the next breakpoint, or the end",
        help: "\
Runs until a breakpoint is hit, an error happens or the program ends. Ctrl+C stops it earlier.
'continue 3' stops at the third hit of a breakpoint: it ignores two.

    (debug) continue
    (debug) continue 3
",
        repeats: Repeats::Same,
        run: |debugger, rest| debugger.resume_times(Resume::Continue, times(rest)?),
        ..Row::DEFAULT
    },
    Row {
        name: "until",
        short: &["run-to"],
        arguments: "[FILE:]LINE",
        summary: "run to a line",
        help: "\
Runs to a line, unless a breakpoint stops the program earlier. To leave a loop, name the line after it.

    (debug) until 17
",
        argument: Argument::Location,
        run: until,
        ..Row::DEFAULT
    },
    Row {
        name: "input",
        arguments: "[TEXT]",
        summary: "give the program a line to read",
        help: "\
The program gets the line the next time that it reads input, now or later; without a text, an empty one. Quotes are
part of the text. On a terminal, the prompt becomes
'input> ' when the program waits, and what is typed there goes to the program; Ctrl+C stops the program and
goes back to the commands.

    (debug) input Ann
",
        argument: Argument::Text,
        when: When::Always,
        run: input,
        ..Row::DEFAULT
    },
    Row {
        name: "eof",
        summary: "end the program's input",
        help: "\
After the lines that were given with 'input', the program reaches the end of its input. At 'input> ', Ctrl+D
does the same.

    (debug) eof
",
        when: When::Always,
        run: eof,
        ..Row::DEFAULT
    },
    Row {
        name: "restart",
        short: &["run"],
        arguments: "[ARGUMENTS]",
        summary: "read the program's files again and start it",
        help: "\
Ends the program if it is still running, reads its files and starts it. Breakpoints and displays are kept. New
arguments replace the old ones; put quotes around an argument with blanks.

    (debug) restart one \"two words\"
",
        argument: Argument::File,
        when: When::Always,
        run: restart,
        ..Row::DEFAULT
    },
];

/// Checks that a command has no arguments.
pub fn nothing(rest: &str) -> Result<(), CommandError> {
    match rest {
        "" => Ok(()),
        rest => Err(CommandError::new(format!("this command takes nothing after it, and there is '{rest}'"))),
    }
}

fn into(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    debugger.note_innermost("into");
    let targets = debugger.ask(GetStepTargets { frame: 0 })?;
    if targets.is_empty() {
        return Err("no call of a function of the program is still to come in this statement".into());
    }
    let list = || {
        let lines =
            targets.iter().enumerate().map(|(at, target)| format!("  {}  {}\n", at + 1, target.label));
        lines.collect::<String>()
    };
    if rest.is_empty() {
        debugger.console.say(&format!(
            "Calls still to come in this statement, in the order in which they run:\n{}",
            list()
        ));
        return Ok(());
    }
    let wanted = rest.trim_end_matches("()");
    let found = match wanted.parse::<usize>() {
        Ok(number) => number.checked_sub(1).and_then(|index| targets.get(index)),
        Err(_) => targets.iter().find(|target| name_of(target) == wanted || target.label == rest),
    };
    match found {
        Some(target) => debugger.resume(Resume::StepIntoTarget(target.id)),
        None => Err(CommandError::new(format!(
            "no call of {wanted} is still to come in this statement, only these:\n{}",
            list().trim_end()
        ))),
    }
}

/// The name of the called function.
fn name_of(target: &StepTarget) -> &str {
    target.label.split('(').next().unwrap_or_default()
}

fn until(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    match location_spec(rest)? {
        LocationSpec::Line(file, line) => {
            let file = debugger.file_meant(file)?;
            debugger.resume(Resume::RunTo { file, place: LineLocation { line, column: None } })
        }
        LocationSpec::Function(name) => {
            let advice = format!("'tbreak {name}' and 'continue' run to the beginning of a function");
            Err(CommandError::new(format!("'{name}' is not a line")).help(advice))
        }
    }
}

fn input(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    debugger.give_input(Some(rest.to_string()), false)?;
    if rest.is_empty() {
        debugger.console.say("The program gets an empty line.");
    }
    Ok(())
}

fn eof(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    nothing(rest)?;
    debugger.give_input(None, true)
}

fn restart(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let args = if rest.is_empty() { None } else { Some(words(rest)?) };
    debugger.restart(Restart { args, ..Restart::default() })
}

/// Splits a text at blanks; quotes preserve blanks.
///
/// # Errors
/// If a quote is not closed.
fn words(text: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(CommandError::new(format!("a quote is not closed: {open}"))),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_words() {
        assert_eq!(words("a  \"b c\" d'e f' ''").unwrap(), ["a", "b c", "de f", ""]);
        assert!(words("a \"b").is_err());
    }
}
