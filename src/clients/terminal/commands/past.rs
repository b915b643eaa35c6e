//! Commands that go back in time.

use super::changes::CHANGES;
use super::output::OUTPUT;
use super::running::nothing;
use super::unfold::UNFOLD;
use super::values::SHORT;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::repetition::times;
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use crate::protocol::value_text::whole_text;
use ez_engine::api::{ChangeCause, Described, LastChange, LastChangeQuery, Resume, Travel};

/// Defines a command that moves through the program's history.
macro_rules! journey {
    ($name:literal, $summary:literal, $travel:expr, $help:literal) => {
        Row {
            name: $name,
            short: &[],
            arguments: "[N]",
            summary: $summary,
            help: $help,
            argument: Argument::Nothing,
            when: When::Stopped,
            repeats: Repeats::Same,
            run: |debugger, rest| travel(debugger, rest, $travel),
        }
    };
}

/// The commands defined in this file.
pub const ROWS: &[Row] = &[
    journey!(
        "back",
        "go one statement back, into calls",
        Travel::StepBack,
        "\
Undoes 'step': the program stands where it stood before, and shows what it had in its variables then.
Nothing can be changed there. Needs 'ez debug --history'. With a number it goes back so many times.

    (debug) back
    (debug) back 5
"
    ),
    journey!(
        "backover",
        "go one statement back, over calls",
        Travel::StepBackOver,
        "\
Undoes 'next': goes to the statement before in this function, or to the call of the function. The function is that of
the selected frame.

    (debug) backover
"
    ),
    journey!(
        "backout",
        "go back to the call of this function",
        Travel::StepBackOut,
        "\
Goes back to the statement that called this function, which is that of the selected frame.

    (debug) backout
"
    ),
    Row {
        name: "restartframe",
        short: &["restart-frame"],
        arguments: "[FRAME]",
        summary: "go back to the beginning of a call",
        help: "\
Goes back to the beginning of the call of the selected frame, or of the frame with this number in 'backtrace':
its parameters then have their first values.

    (debug) restartframe
    (debug) restartframe 1
",
        run: restart_frame,
        ..Row::DEFAULT
    },
    journey!(
        "reverse",
        "go back to the last breakpoint",
        Travel::ReverseContinue,
        "\
Goes back to the last breakpoint that was hit before, or to the first statement.

    (debug) reverse
"
    ),
    Row {
        name: "present",
        summary: "go back to where the program really is",
        help: "\
Goes back from the past to the present.

    (debug) present
",
        repeats: Repeats::Same,
        run: |debugger, rest| {
            nothing(rest)?;
            go(debugger, Travel::GoToPresent)
        },
        ..Row::DEFAULT
    },
    Row {
        name: "goto",
        arguments: "STEP",
        summary: "go to a step of the history",
        help: "\
Each statement that was executed has a number, its step, which is shown at every stop. 'goto' goes to the first
place from that step on where the program can be stopped.

    (debug) goto 120
",
        run: go_to,
        ..Row::DEFAULT
    },
    Row {
        name: "whence",
        arguments: "NAME",
        summary: "show where a variable, element or field got its value",
        help: "\
Shows which line changed it last, and its value before that; 'goto' with the step that is shown goes there.

    (debug) whence total
    (debug) whence points[0].x
",
        argument: Argument::Expression,
        run: whence,
        ..Row::DEFAULT
    },
    CHANGES,
    OUTPUT,
    UNFOLD,
    super::why::ROW,
];

fn travel(debugger: &mut TerminalDebugger, rest: &str, travel: Travel) -> Result<(), CommandError> {
    let times = times(rest)?;
    keeps_history(debugger)?;
    let how = Resume::Travel(travel);
    match travel {
        Travel::StepBackOut => debugger.resume_selected(Resume::Travel(Travel::StepBackOut), how, times),
        // The beginning of the call's statement is one back already.
        Travel::StepBackOver if debugger.frame() > 0 => {
            debugger.resume_selected(Resume::Travel(Travel::StepBackOut), how, times - 1)
        }
        Travel::StepBack => {
            debugger.note_innermost("back");
            debugger.resume_times(how, times)
        }
        Travel::StepBackOver
        | Travel::RestartFrame(_)
        | Travel::ReverseContinue
        | Travel::GoToStep(_)
        | Travel::GoToPresent => debugger.resume_times(how, times),
    }
}

fn restart_frame(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let index = match rest {
        "" => debugger.frame(),
        number => number.parse().map_err(|_| CommandError::new(format!("'{number}' is not a frame")))?,
    };
    go(debugger, Travel::RestartFrame(index))
}

fn go_to(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    match rest.parse() {
        Err(_) if rest.is_empty() => {
            Err(CommandError::new("'goto' needs the number of a step").help("goto 120"))
        }
        Ok(step) => {
            keeps_history(debugger)?;
            let moment = debugger.shown.stop.as_ref().and_then(|stop| stop.stopped.moment);
            match moment.filter(|moment| step == 0 || step > moment.present) {
                Some(moment) => {
                    let what = CommandError::new(format!("there is no step {step}"));
                    Err(what.help(format!("the history has the steps 1 to {}", moment.present)))
                }
                None => go(debugger, Travel::GoToStep(step)),
            }
        }
        Err(_) => {
            Err(CommandError::new(format!("'{rest}' is not a step")).help("a step is a number: goto 120"))
        }
    }
}

fn go(debugger: &mut TerminalDebugger, travel: Travel) -> Result<(), CommandError> {
    keeps_history(debugger)?;
    debugger.resume(Resume::Travel(travel))
}

/// Checks that the program can be run again.
pub fn keeps_history(debugger: &TerminalDebugger) -> Result<(), CommandError> {
    match debugger.shown.stop.as_ref().is_some_and(|stop| stop.stopped.moment.is_some()) {
        true => Ok(()),
        false if debugger.is_at_prompt() => Err("no history is kept of what is typed at the prompt".into()),
        false => Err(CommandError::new("no history is kept").help("start with: ez debug --history FILE")),
    }
}

fn whence(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    if rest.is_empty() {
        return Err(CommandError::new("'whence' needs the name of what got its value").help("whence total"));
    }
    keeps_history(debugger)?;
    let question = LastChangeQuery { expression: rest.into(), frame: debugger.frame(), limits: SHORT };
    let change = debugger.ask(question);
    let change = change.map_err(|failure| CommandError::of_expression(rest, failure))?;
    debugger.console.say(&told(&change));
    Ok(())
}

fn told(change: &LastChange) -> String {
    let text = |value: &Option<Described>| match value {
        Some(value) => whole_text(&value.value),
        None => "nothing".into(),
    };
    let LastChange { expression, description, step, location, .. } = change;
    let what = match change.cause {
        ChangeCause::Written => {
            let (old, new) = (text(&change.old), text(&change.new));
            format!("{expression} was changed from {old} to {new} in line {}", location.line)
        }
        ChangeCause::Client => {
            let (old, new) = (text(&change.old), text(&change.new));
            format!("{expression} was changed from {old} to {new} in the debugger, in line {}", location.line)
        }
        ChangeCause::Declared | ChangeCause::Passed | ChangeCause::Created => description.clone(),
    };
    format!("{what}. ('goto {step}' goes to before that.)")
}
