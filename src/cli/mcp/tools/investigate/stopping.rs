//! Brings a program to the place at which it is to be asked.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::question::{Place, StopAt};
use crate::cli::mcp::arguments::{Program, inside};
use crate::cli::mcp::call::Call;
use crate::cli::mcp::session::{Session, Set, Stop, list, number, text};
use crate::platform::slashed;

/// Where a program has stopped.
pub enum Reached {
    /// At a stop, the data of which this is.
    Stopped {
        data: Map<String, Value>,
        /// What else there is to say.
        note: Option<String>,
        /// Whether that is the place that was asked for.
        is_wanted: bool,
    },
    /// It has ended.
    Exited { status: i64, why: String },
}

/// Runs a program to a place.
///
/// # Errors
/// If there is no such place: what to do.
pub fn reach(
    call: &Call,
    session: &mut Session,
    program: &Program,
    stop: &StopAt,
) -> Result<Reached, String> {
    session.ask(call, "setExceptionBreakpoints", json!({"filters": ["uncaught"]}))?;
    if let Place::Output(text) = &stop.place {
        session.debuggee.output().lock().look_for(text);
    }
    let mut note = set_breakpoint(call, session, program, stop)?;
    let stopped = session.run(call, program.time, "start", json!({}))?;
    let mut data = match stopped {
        Stop::Stopped(data) => data,
        Stop::TimeIsOver(Some(data)) => {
            let seconds = program.time.as_secs_f64();
            note = Some(format!("The program still ran after {seconds} s and was stopped (see timeLimit)."));
            data
        }
        Stop::TimeIsOver(None) => return Err("the program cannot be stopped; it was ended".into()),
        Stop::Exited(status) => {
            return Ok(Reached::Exited {
                status,
                why: format!("The program has ended with status {status}."),
            });
        }
    };
    let reason = text(&data, "reason").to_string();
    let is_wanted = match &stop.place {
        Place::ErrorOrEnd => matches!(reason.as_str(), "exception" | "end"),
        Place::Error => reason == "exception",
        Place::End => reason == "end",
        Place::Line { .. } | Place::Function(_) => reason.contains("breakpoint"),
        Place::Output(output) => match printed(call, session, output, stop.hit)? {
            Ok(step) => {
                data = session.ask(call, "goToStep", json!({"step": step}))?;
                data.insert("description".into(), format!("about to print {output:?}").into());
                true
            }
            Err(why) => {
                note = Some(why);
                false
            }
        },
        Place::Step(step) => {
            data = session.ask(call, "goToStep", json!({"step": step}))?;
            number(&data, "present") >= *step
        }
    };
    if !is_wanted && note.is_none() {
        note = Some(missed(&stop.place, &reason));
    }
    Ok(Reached::Stopped { data, note, is_wanted })
}

/// Sets the breakpoint at a line or function. Returns what there is to say about it.
fn set_breakpoint(
    call: &Call,
    session: &mut Session,
    program: &Program,
    stop: &StopAt,
) -> Result<Option<String>, String> {
    let mut breakpoint = Map::new();
    if let Some(condition) = &stop.condition {
        breakpoint.insert("condition".into(), condition.as_str().into());
    }
    if stop.hit > 1 {
        breakpoint.insert("hitCondition".into(), format!("== {}", stop.hit).into());
    }
    let set = match &stop.place {
        Place::Line { line, file } => {
            let root = &call.shared.root;
            let file = match file {
                Some(file) => slashed(&inside(root, file)?),
                None => program.name(),
            };
            breakpoint.insert("line".into(), (*line).into());
            session.set_breakpoints(call, &file.into(), &[breakpoint.into()])?.into_iter().next()
        }
        Place::Function(name) => {
            breakpoint.insert("name".into(), name.as_str().into());
            let set = session.ask(call, "setFunctionBreakpoints", json!({"breakpoints": [breakpoint]}))?;
            list(&set, "breakpoints").first().map(Set::new)
        }
        _ => return Ok(None),
    };
    match set.unwrap_or(Set::There) {
        Set::Moved(moved) => Ok(Some(format!("About the place to stop at: {moved}."))),
        Set::There => Ok(None),
        Set::Not(why) => Err(format!("the program cannot stop there: {why}")),
    }
}

/// The step of the statement that has printed a text for the nth time; or why there is none.
fn printed(
    call: &Call,
    session: &mut Session,
    output: &str,
    hit: u32,
) -> Result<Result<u64, String>, String> {
    let found = {
        let output = session.debuggee.output().lock();
        let found = output.found();
        (found.get(hit as usize - 1).copied(), found.len())
    };
    match found {
        (Some(offset), _) => {
            let step = session.ask(call, "outputStep", json!({"offset": offset}))?;
            Ok(Ok(number(&step, "step")))
        }
        (None, 0) => {
            Ok(Err(format!("The program never printed {output:?}; this is where it stopped instead.")))
        }
        (None, times) => Ok(Err(format!(
            "The program printed {output:?} {times} times only; this is where it stopped instead."
        ))),
    }
}

fn missed(place: &Place, reason: &str) -> String {
    let instead = match reason {
        "exception" => "it failed before",
        "end" => "it came to its end",
        _ => "it stopped before",
    };
    match place {
        Place::Error => format!("There was no run-time error; {instead}."),
        Place::End => "The program did not come to its end: it failed.".into(),
        Place::Line { line, .. } => format!("The program did not stop in line {line}; {instead}."),
        Place::Function(name) => format!("The program did not stop in {name}; {instead}."),
        Place::Step(step) => format!("The run has no step {step}; {instead}."),
        Place::ErrorOrEnd | Place::Output(_) => format!("Stopped elsewhere: {instead}."),
    }
}

/// The step at which a line of the file of the stop was executed last.
///
/// # Errors
/// If it was never executed.
pub fn last_step_of_line(
    call: &Call,
    session: &mut Session,
    line: u32,
    stop: &Map<String, Value>,
) -> Result<u64, String> {
    let file = stop.get("location").and_then(|location| location.get("file")).cloned().unwrap_or_default();
    session.ask(call, "setFunctionBreakpoints", json!({"breakpoints": []}))?;
    session.ask(call, "setBreakpoints", json!({"file": file, "breakpoints": [{"line": line}]}))?;
    let present = number(stop, "step");
    let found = session.run(call, Duration::from_secs(20), "reverseContinue", json!({}))?;
    let result = match found {
        Stop::Stopped(data) if text(&data, "reason") == "breakpoint" => Ok(number(&data, "step")),
        _ => Err(format!("line {line} was not executed before this stop")),
    };
    session.ask(call, "goToStep", json!({"step": present}))?;
    result
}
