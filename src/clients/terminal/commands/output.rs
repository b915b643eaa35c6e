//! The command that shows which steps have printed the output.

use super::past::keeps_history;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::step_list::{StepLine, step_list};
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use ez_engine::api::{GetOutputSteps, OutputStep};

/// `output`.
pub const OUTPUT: Row = Row {
    name: "output",
    short: &[],
    arguments: "[N]",
    summary: "show the last lines of output with the steps behind them",
    help: "\
Shows the last 10, or N, lines that the program has printed until this stop, each with the step and line of the
program that has printed its beginning; 'goto' leads to before that. Needs 'ez debug --history'.

    (debug) output
    (debug) output 3
",
    argument: Argument::Nothing,
    when: When::Stopped,
    repeats: Repeats::No,
    run: output,
};

/// Number of lines that are shown, unless a number is given.
const LINES: usize = 10;

fn output(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let count = match rest {
        "" => LINES,
        number => number.parse().ok().filter(|count| *count > 0).ok_or_else(|| {
            CommandError::new(format!("'{number}' is not a number of lines")).help("output 3")
        })?,
    };
    keeps_history(debugger)?;
    let moment = debugger.shown.stop.as_ref().and_then(|stop| stop.stopped.moment);
    let length = moment.filter(|moment| moment.is_past).map_or(u64::MAX, |moment| moment.output_length);
    let lines = debugger.shown.printed.last(count, length);
    if lines.is_empty() {
        debugger.console.say("Nothing has been printed yet.");
        return Ok(());
    }
    let offsets = lines.iter().map(|(offset, _)| *offset).collect();
    let found = debugger.ask(GetOutputSteps { offsets, stream: None })?;
    let shown = |(found, (_, line)): (&OutputStep, &(u64, String))| {
        let by = match (found.by_client, found.at_end) {
            (true, _) => ", in the debugger",
            (false, true) => ", when its function ended",
            (false, false) => "",
        };
        (
            format!("step {}{by}", found.step),
            debugger.shown.sources.place(&found.location),
            format!("│ {line}"),
        )
    };
    let shown: Vec<StepLine> = found.iter().zip(&lines).map(shown).collect();
    debugger.console.say(&step_list(&shown));
    Ok(())
}
