//! Commands about the call stack.

use super::running::nothing;
use super::source;
use crate::clients::terminal::command_error::CommandError;
use crate::clients::terminal::debugger::TerminalDebugger;
use crate::clients::terminal::habits::counterpart_of_info;
use crate::clients::terminal::look::Role;
use crate::clients::terminal::stops::{is_past, step};
use crate::clients::terminal::table::{Repeats, Row, When};
use ez_engine::api::{Frame, GetStackTrace, Status, Stopped};
use ez_runtime::visible::indented;

/// Number of calls shown at each end of a long stack.
const SHOWN: usize = 20;
/// Number of calls at the same place that are all shown.
const FOLDED: usize = 4;

/// The commands defined in this file, and those about the source.
pub const ROWS: &[Row] = &[
    Row {
        name: "backtrace",
        short: &["bt", "where", "stack"],
        summary: "show the calls in progress, the innermost first",
        help: "\
Each call is a frame with a number. An arrow marks the selected frame.

    (debug) backtrace
",
        run: backtrace,
        ..Row::DEFAULT
    },
    Row {
        name: "up",
        arguments: "[N]",
        summary: "look at the caller",
        help: "\
'print', 'vars' and 'list' then show the function that has called this one, 'next' and 'out' go on from there, and
'step' from where the program is. 'down' goes back.

    (debug) up
",
        repeats: Repeats::Same,
        run: |debugger, rest| {
            let frame = debugger.frame().saturating_add(count(rest)?);
            select(debugger, frame, "this is the outermost frame")
        },
        ..Row::DEFAULT
    },
    Row {
        name: "down",
        arguments: "[N]",
        summary: "select the function that was called",
        help: "\
Goes back to the function from which 'up' came.

    (debug) down
",
        repeats: Repeats::Same,
        run: |debugger, rest| {
            let frame = debugger.frame().checked_sub(count(rest)?);
            select(debugger, frame.ok_or("this is the innermost frame")?, "")
        },
        ..Row::DEFAULT
    },
    Row {
        name: "frame",
        arguments: "[N]",
        summary: "select a frame; alone: show where it is",
        help: "\
'backtrace' shows the numbers; 0 is where the program is.

    (debug) frame 2
",
        run: |debugger, rest| {
            let frame = match rest {
                "" => debugger.frame(),
                rest => rest.parse().map_err(|_| format!("'{rest}' is not the number of a frame"))?,
            };
            select(debugger, frame, "there is no such frame")
        },
        ..Row::DEFAULT
    },
    source::LIST,
    source::SOURCE,
    Row {
        name: "info",
        summary: "show the program and what has been set",
        help: "\
Shows the program and its arguments, where and why it is stopped, and the number of breakpoints and displays.

    (debug) info
",
        when: When::Always,
        run: info,
        ..Row::DEFAULT
    },
];

fn count(rest: &str) -> Result<usize, CommandError> {
    match rest {
        "" => Ok(1),
        rest => rest.parse().map_err(|_| CommandError::new(format!("'{rest}' is not a number of frames"))),
    }
}

fn select(debugger: &mut TerminalDebugger, frame: usize, otherwise: &str) -> Result<(), CommandError> {
    if frame >= debugger.frame_count() {
        return Err(otherwise.into());
    }
    debugger.select(frame)
}

fn backtrace(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    nothing(rest)?;
    let total = debugger.frame_count();
    let frames = debugger.ask(GetStackTrace { start: 0, count: total })?.frames;
    let (look, selected) = (debugger.console.look(), debugger.frame());
    let mut lines = Vec::new();
    let same = |a: &Frame, b: &Frame| {
        a.function == b.function && a.location == b.location && ![a.index, b.index].contains(&selected)
    };
    for calls in frames.chunk_by(same) {
        let folded = if calls.len() > FOLDED { 1..calls.len() - 1 } else { 0..0 };
        for (index, frame) in calls.iter().enumerate() {
            if index == folded.start && !folded.is_empty() {
                lines.push(format!("  … {} more calls of {}", grouped(folded.len()), frame.function));
            }
            if folded.contains(&index) {
                continue;
            }
            let mark = if frame.index == selected { look.paint(Role::Pointer, "▶") } else { " ".into() };
            let place = debugger.shown.sources.place(&frame.location);
            let line = format!("#{} {} at {place}", frame.index, frame.function);
            lines.push(format!("{mark} {}", look.fit(2, &line)));
        }
    }
    let count = lines.len();
    if count > 2 * SHOWN + 1 {
        lines.splice(SHOWN..count - SHOWN, [format!("  … {} more lines", grouped(count - 2 * SHOWN))]);
    }
    debugger.console.say(&format!("Call stack:\n{}\n", lines.join("\n")));
    Ok(())
}

/// A number with commas between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// The step of a stop in the history, and whether it is in the past; empty if no history is kept.
fn when(stopped: &Stopped) -> String {
    format!("{}{}", step(stopped), if is_past(stopped) { ", in the past" } else { "" })
}

fn info(debugger: &mut TerminalDebugger, rest: &str) -> Result<(), CommandError> {
    let word = rest.split_whitespace().next().unwrap_or_default();
    nothing(rest).map_err(|error| match counterpart_of_info(word) {
        Some(command) => error.help(command),
        None => error,
    })?;
    let state = debugger.state()?;
    let mut text = format!("Program: {}\n", debugger.program());
    let status = match (state.status, &state.stop) {
        (_, Some(stop)) => {
            let place = debugger.shown.sources.place(&stop.location);
            let frames = match stop.frame_count {
                1 => "1 frame".to_string(),
                count => format!("{count} frames"),
            };
            let now = debugger.shown.stop.as_ref().map(|stop| when(&stop.stopped)).unwrap_or_default();
            format!("stopped at {place}, {frames}: {}{now}", indented(&stop.description))
        }
        (Status::Exited, _) => format!("ended with status {}", state.exit_status.unwrap_or_default()),
        (Status::Running, _) if debugger.waits_for_input() => "waits for input".into(),
        (Status::Running, _) => "running".into(),
        (Status::Ready | Status::Stopped, _) => "not started".into(),
        (Status::NotInitialized, _) => "not loaded".into(),
    };
    text.push_str(&format!("Status: {status}\n"));
    let numbers = |ids: Vec<u32>| {
        if ids.is_empty() {
            "none".to_string()
        } else {
            ids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        }
    };
    let breakpoints = state.breakpoints.iter().map(|breakpoint| breakpoint.id.0).collect();
    text.push_str(&format!("Breakpoints: {}\n", numbers(breakpoints)));
    let displays = state.watches.iter().map(|watch| watch.id.0).collect();
    text.push_str(&format!("Displays: {}\n", numbers(displays)));
    debugger.console.say(&text);
    Ok(())
}
