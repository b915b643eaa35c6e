//! Other programs.

use crate::diagnostics::Code;
use crate::library::args::{bad, good, work};
use crate::library::{Call, Fail};
use crate::platform::SHELL;
use crate::text::text_from;
use crate::value::{CommandEnd, Job, JobResult, Value};

/// How the command ended, or why it did not begin.
fn run(call: &mut Call, capture: bool) -> Result<Result<CommandEnd, String>, Fail> {
    call.exactly(1, "(command)")?;
    let command = call.text(0, "requires a string command")?.to_string();
    Ok(match work(call.runtime, Job::Command { command, capture })? {
        JobResult::Command(end) => end,
        _ => Err(format!("fork/exec {SHELL}: operation not permitted")),
    })
}

pub fn exec(call: &mut Call) -> Result<Value, Fail> {
    match run(call, false)? {
        Ok(CommandEnd { status: Some(0), .. }) => good(0),
        Ok(end) => {
            let status = end.status.unwrap_or(-1);
            bad(i64::from(status), Code::E7031, &format!("command exited with code {status}"))
        }
        Err(reason) => bad(-1, Code::E7030, &format!("command failed to execute: {reason}")),
    }
}

pub fn exec_output(call: &mut Call) -> Result<Value, Fail> {
    let end = match run(call, true)? {
        Ok(end) => end,
        Err(reason) => return bad("", Code::E7030, &format!("command failed to execute: {reason}")),
    };
    let text = text_from(end.output);
    let text = text.trim_end_matches([' ', '\t', '\n', '\r']);
    let reason = match (end.status, end.signal) {
        (Some(0), _) => return good(text),
        (Some(status), _) => format!("exit status {status}"),
        (None, signal) => {
            let name = signal.unwrap_or_else(|| "unknown".into());
            format!("signal: {name}{}", if end.dumped { " (core dumped)" } else { "" })
        }
    };
    bad(text, Code::E7031, &format!("command exited with error: {reason}"))
}
