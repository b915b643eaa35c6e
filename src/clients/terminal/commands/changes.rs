//! The command that lists what was written to something.

use super::past::keeps_history;
use super::values::{SHORT, radix};
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::step_list::{StepLine, step_list};
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use crate::protocol::radix::Radix;
use crate::protocol::value_text::whole_text;
use ez_engine::api::{Change, ChangeCause, Changes, Described, GetChanges};

/// `changes`.
pub const CHANGES: Row = Row {
    name: "changes",
    short: &[],
    arguments: "[NAME]",
    summary: "list what was written to a variable, element or field",
    help: "\
The latest change comes first, with its step, to which 'goto' leads, its line, and the value before and after
it. 'changes' alone, or an empty line, shows earlier ones. Needs 'ez debug --history'. 'changes/x' shows
integers in hexadecimal.

    (debug) changes total
    (debug) changes points[0].x
",
    argument: Argument::Expression,
    when: When::Stopped,
    repeats: Repeats::Alone,
    run: changes,
};

/// Number of changes that are shown at once.
const PAGE: usize = 10;

/// The list that `changes` alone continues.
#[derive(Clone)]
pub struct Continued {
    question: GetChanges,
    radix: Radix,
}

fn changes(debugger: &mut TerminalDebugger, arguments: &str) -> Result<(), CommandError> {
    let (radix, expression) = radix(arguments)?;
    keeps_history(debugger)?;
    let Continued { question, radix } = match expression {
        "" => debugger.shown.continued.take().ok_or_else(|| {
            CommandError::new("'changes' needs the name of what was written to").help("changes total")
        })?,
        expression => {
            let (expression, frame) = (expression.to_string(), debugger.frame());
            let question = GetChanges { expression, frame, before: None, count: PAGE, limits: SHORT };
            Continued { question, radix }
        }
    };
    let found = debugger.ask(question.clone());
    let found = found.map_err(|failure| CommandError::of_expression(&question.expression, failure))?;
    let text = shown(debugger, &found, radix);
    debugger.console.say(&text);
    let question = found.next.map(|next| GetChanges { before: Some(next), ..question });
    debugger.shown.continued = question.map(|question| Continued { question, radix });
    Ok(())
}

fn shown(debugger: &TerminalDebugger, found: &Changes, radix: Radix) -> String {
    let line = |change: &Change| {
        let end = if change.at_end { ", when its function ended" } else { "" };
        let step = format!("step {}{end}", change.step);
        (step, debugger.shown.sources.place(&change.location), what(change, radix))
    };
    let lines: Vec<StepLine> = found.changes.iter().map(line).collect();
    let mut text = step_list(&lines);
    match (found.next, lines.is_empty()) {
        (Some(_), _) => text.push_str("  ('changes' shows earlier ones.)\n"),
        (None, true) => text.push_str("  Nothing was written to it.\n"),
        (None, false) => {}
    }
    text
}

fn what(change: &Change, radix: Radix) -> String {
    let value = |value: &Option<Described>| match value {
        Some(value) => whole_text(&radix.value(&value.value)),
        None => "nothing".into(),
    };
    let (old, new) = (value(&change.old), value(&change.new));
    match change.cause {
        ChangeCause::Written => format!("{old} → {new}"),
        ChangeCause::Client => format!("{old} → {new}, in the debugger"),
        ChangeCause::Declared => format!("declared: {new}"),
        ChangeCause::Passed => format!("passed: {new}"),
        ChangeCause::Created => format!("created: {new}"),
    }
}
