//! Commands that go back in time.

use crate::api::{Resume, Travel};

use super::super::complaint::Complaint;
use super::super::debugger::Debugger;
use super::super::table::{Argument, Repeats, Row, When};
use super::running::nothing;

/// A command that goes somewhere in the history of the program.
macro_rules! journey {
    ($name:literal, $summary:literal, $travel:expr, $help:literal) => {
        Row {
            name: $name,
            short: &[],
            arguments: "",
            summary: $summary,
            help: $help,
            argument: Argument::Nothing,
            when: When::Stopped,
            repeats: Repeats::Same,
            run: |debugger, rest| travel(debugger, rest, $travel),
        }
    };
}

/// The rows of this file.
pub const ROWS: &[Row] = &[
    journey!(
        "back",
        "go one statement back, into calls",
        Travel::StepBack,
        "\
Undoes 'step': the program stands where it stood before, and shows what it had in its variables then.
Nothing can be changed there. Needs 'ez debug --history'.

    (debug) back
"
    ),
    journey!(
        "backover",
        "go one statement back, over calls",
        Travel::StepBackOver,
        "\
Undoes 'next': goes to the statement before in this function, or to the call of the function.

    (debug) backover
"
    ),
    journey!(
        "backout",
        "go back to the call of this function",
        Travel::StepBackOut,
        "\
Goes back to the statement that called this function.

    (debug) backout
"
    ),
    journey!(
        "reverse",
        "go back to the last breakpoint",
        Travel::ReverseContinue,
        "\
Goes back to the last breakpoint that was hit before, or to the first statement.

    (debug) reverse
"
    ),
    journey!(
        "present",
        "return to where the program really is",
        Travel::GoToPresent,
        "\
Leaves the past.

    (debug) present
"
    ),
    Row {
        name: "goto",
        short: &[],
        arguments: "STEP",
        summary: "go to a step of the history",
        help: "\
Each statement that was carried out has a number, its step, which every stop tells. 'goto' goes to the
first place that can be stopped at from that step on.

    (debug) goto 120
",
        argument: Argument::Nothing,
        when: When::Stopped,
        repeats: Repeats::No,
        run: go_to,
    },
];

fn travel(debugger: &mut Debugger, rest: &str, travel: Travel) -> Result<(), Complaint> {
    nothing(rest)?;
    go(debugger, travel)
}

fn go_to(debugger: &mut Debugger, rest: &str) -> Result<(), Complaint> {
    match rest.parse() {
        Ok(step) => go(debugger, Travel::GoToStep(step)),
        Err(_) => Err(Complaint::new(format!("'{rest}' is no step")).help("a step is a number: goto 120")),
    }
}

fn go(debugger: &mut Debugger, travel: Travel) -> Result<(), Complaint> {
    let keeps_history = debugger.stop.as_ref().is_some_and(|stop| stop.stopped.moment.is_some());
    if !keeps_history {
        return Err(Complaint::new("no history is kept").help("start with: ez debug --history FILE"));
    }
    debugger.resume(Resume::Travel(travel))
}
