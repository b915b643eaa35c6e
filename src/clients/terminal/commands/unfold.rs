//! The command that shows how a statement computed its result.

use super::past::keeps_history;
use super::values::{SHORT, radix};
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::look::{Look, Role};
use crate::clients::terminal::table::{Argument, Repeats, Row, When};
use crate::protocol::radix::Radix;
use crate::protocol::rewriting::{Line, lines, prefix, source_text};
use crate::protocol::value_text::{Notation, whole_text};
use ez_engine::api::{Part, PartKind, PartResult, Unfold, UnfoldTarget, Unfolded};

/// `unfold`.
pub const UNFOLD: Row = Row {
    name: "unfold",
    short: &["uf"],
    arguments: "[next|STEP]",
    summary: "show how a statement computed its result",
    help: "\
Shows the statement that was executed last in the selected function, and rewrites its expression value by value.
'unfold next' does this for the next statement, without executing it; 'unfold 12' for the one at that step. Needs 'ez debug --history'. 'unfold/x' shows integers in hexadecimal.

    (debug) unfold
    (debug) unfold next
",
    argument: Argument::Nothing,
    when: When::Stopped,
    repeats: Repeats::No,
    run: unfold,
};

fn unfold(debugger: &mut TerminalDebugger, arguments: &str) -> Result<(), CommandError> {
    let (radix, rest) = radix(arguments)?;
    keeps_history(debugger)?;
    let target = match rest {
        "" => UnfoldTarget::Last,
        "next" => UnfoldTarget::Next,
        step => UnfoldTarget::Step(step.parse().map_err(|_| {
            CommandError::new(format!("'{step}' is not a step")).help("unfold, unfold next or unfold STEP")
        })?),
    };
    let unfolded = debugger
        .ask(Unfold { target, frame: debugger.frame(), limits: SHORT, condition_steps: false })
        .map_err(|failure| {
            let refused = CommandError::from(failure);
            if rest.is_empty() { refused.help("'unfold next' shows what comes next") } else { refused }
        })?;
    let text = shown(&unfolded, radix, debugger.console.look());
    debugger.console.say(&text);
    Ok(())
}

fn shown(unfolded: &Unfolded, radix: Radix, look: Look) -> String {
    let heading = format!("Line {} (step {}):", unfolded.location.line, unfolded.step);
    let mut text = format!("{}\n", look.paint(Role::Headline, &heading));
    let (prefix, lines) = (prefix(unfolded), lines(unfolded, radix, Notation::Braces));
    // What the expression becomes is below it, after a sign that takes the place of the `=`.
    let sign = if prefix.trim_end().ends_with('=') { "= " } else { "→ " };
    let indent = prefix.chars().count().saturating_sub(2);
    for (number, line) in lines.iter().enumerate() {
        match number {
            0 => text.push_str(&format!("  {prefix}{}\n", line.text)),
            _ => text.push_str(&format!("  {:indent$}{sign}{}\n", "", underlined(line, look))),
        }
    }
    for part in &unfolded.parts {
        if let Some(line) = remark(part, radix) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    if unfolded.parts.is_empty() && unfolded.incomplete.is_none() {
        text.push_str("  Nothing is computed here.\n");
    }
    if unfolded.truncated {
        text.push_str("  (There is more.)\n");
    }
    if let Some(why) = &unfolded.incomplete {
        text.push_str(&format!("  Not finished: {why}.\n"));
    }
    text
}

/// A line with the part underlined that has been computed last.
fn underlined(line: &Line, look: Look) -> String {
    let chars: Vec<char> = line.text.chars().collect();
    let text = |from: usize, to: usize| chars.get(from..to).unwrap_or_default().iter().collect::<String>();
    let end = line.start + line.length;
    let mark = look.paint(Role::Computed, &text(line.start, end));
    format!("{}{mark}{}", text(0, line.start), text(end, chars.len()))
}

/// What is said about a part below the lines, if it is not in them.
fn remark(part: &Part, radix: Radix) -> Option<String> {
    let source = source_text(part);
    let is_case = part.kind == PartKind::Operator && part.range.is_empty();
    match &part.result {
        PartResult::Written { target, old: None, new: Some(new) } => {
            Some(format!("+ {target} = {}", whole_text(&radix.value(&new.value))))
        }
        PartResult::Written { target, old: Some(old), new: Some(new) } => {
            let (old, new) = (radix.value(&old.value), radix.value(&new.value));
            Some(format!("~ {target}: {} → {}", whole_text(&old), whole_text(&new)))
        }
        PartResult::Written { new: None, .. } | PartResult::Nothing => None,
        PartResult::Skipped(why) => Some(format!("{source} was not computed: {why}")),
        PartResult::Failed { message, code } => Some(format!("{source} failed: {message} [{code}]")),
        PartResult::Value(value) if is_case => {
            let fits = value.value == ez_engine::api::Value::Bool(true);
            Some(format!("is {source}: {}", if fits { "fits" } else { "does not fit" }))
        }
        PartResult::Value(_) => None,
    }
}
