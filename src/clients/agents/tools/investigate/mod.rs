//! `investigate`: runs a program with its history, and answers questions about it at one place.

mod decisions;
mod origin;
mod question;
mod stopping;

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use super::difference::{self, Different};
use super::sessions::with_session;
use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text, short};
use crate::clients::agents::arguments::{Program, max_chars, runnable};
use crate::clients::agents::call::Call;
use crate::clients::agents::captured::Output;
use crate::clients::agents::others::write_others;
use crate::clients::agents::schema;
use crate::clients::agents::session::{NotLoaded, ProgramSession};
use crate::clients::agents::shown::{
    Frame, Report, Shown, SourceLine, write_frames, write_output, write_reports,
};
use crate::clients::computation::past;
use crate::protocol::radix::Radix;
use crate::protocol::rewriting::{lines, prefix};
use crate::protocol::value_text::Notation;
use ez_engine::api::{GetState, Launch, PartResult, STEP, Status, StopReason, Stopped, UnfoldTarget};
use ez_runtime::visible::indented;
use origin::Chain;
use question::{Ask, StopAt, Unfold, ask_schema, stop_schema};
use stopping::{Reached, reach};

pub const TOOL: Tool = Tool {
    name: "investigate",
    title: "Find out why an EZ program does what it does",
    description: "Answer a question about a run in one call: why it failed, what variables were at a place, where \
                  a wrong value came from. Runs the program with its history up to stop (default: its error, or \
                  its end) and answers ask there. With expected, what the program has to print, it stops where \
                  something else is printed, and tells what has caused that. ask.origin follows a value back through all writes that made \
                  it: use it when output is wrong. \
                  Example: {\"file\": \"bill.ez\", \"stop\": {\"output\": \"total:\"}, \"ask\": {\"origin\": \
                  \"total\", \"expressions\": [\"len(items)\"]}}",
    reads_only: false,
    input,
    output,
    run,
};

/// How many lines of a rewritten expression are shown.
const MAX_LINES: usize = 40;

fn input() -> Value {
    let stop =
        described(stop_schema(), "Where to ask: one of error, end, line, function, output, difference, step");
    let ask = described(ask_schema(), "What to ask there [stack and variables]");
    let session = schema::text("Instead of a program: asks in this session, where it is stopped");
    let expected = difference::expected();
    let own =
        [("stop", stop, false), ("ask", ask, false), expected, ("session", session, false), max_chars()];
    schema::object(runnable().into_iter().chain(own))
}

fn described(mut schema: Value, description: &str) -> Value {
    if let Some(members) = schema.as_object_mut() {
        members.insert("description".into(), description.into());
    }
    schema
}

fn output() -> Value {
    let stop = schema::at_place([
        ("reason", schema::text("Why it stopped: exception, end, breakpoint, step, pause and others"), true),
        ("description", schema::text("The same as a sentence"), true),
        ("step", schema::whole(0, STEP), true),
        ("reached", schema::flag("Whether that is the place that was asked for"), true),
    ]);
    let row = schema::at_place([
        ("step", schema::whole(0, "The step of the statement"), true),
        ("what", schema::text("The variable or part that was written, or the call that returned"), true),
        ("cause", schema::text("written, declared, passed, created, client, returned"), true),
        ("oldValue", schema::text("The value before"), false),
        ("newValue", schema::text("The value after"), false),
        ("computed", schema::text("The expression with the values of what it read"), false),
        ("read", schema::list(&schema::variable(), "What the statement read"), false),
        ("conditions", schema::texts("How the conditions around the statement were, so that it ran"), false),
        ("because", schema::text("Why this follows from the row before"), false),
        ("before", schema::text("Which earlier writes are left out"), false),
    ]);
    let origin = schema::object([
        ("expression", schema::text("What was asked for"), true),
        ("rows", schema::list(&row, "The writes, the latest first"), true),
        ("end", schema::text("Why there are no more"), true),
    ]);
    let unfolded = schema::at_place([
        ("step", schema::whole(0, "The step of the statement"), true),
        ("lines", schema::texts("The expression, rewritten into its value part by part"), true),
        ("incomplete", schema::text("Why not everything was computed"), false),
    ]);
    schema::object([
        ("status", schema::word(&["stopped", "exited", "notRun"], "Whether there is a stop"), true),
        ("stop", stop, false),
        ("exitCode", schema::integer("The exit status, if it has ended without a stop"), false),
        ("difference", difference::schema(), false),
        ("errors", schema::list(&schema::report(), "The run-time error, or why it was not run"), true),
        ("stack", schema::list(&schema::frame(), "The calls in progress, innermost first"), false),
        ("expressions", schema::list(&schema::variable(), "Their values"), false),
        ("unfolded", unfolded, false),
        ("origin", origin, false),
        ("others", schema::texts("In a joined session: what others did since the last answer"), false),
        ("output", schema::output(), true),
    ])
}

/// The result of an investigation.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Investigation {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<StopLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Different>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<Frame>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expressions: Option<Vec<Shown>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfolded: Option<Rewritten>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<Chain>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    errors: Vec<Report>,
    output: Output,
}

/// Where the program has stopped.
#[derive(Serialize)]
struct StopLocation {
    #[serde(flatten)]
    location: SourceLine,
    reason: &'static str,
    description: String,
    step: u64,
    /// Whether that is the place that was asked for.
    reached: bool,
}

/// How a statement computed.
#[derive(Serialize)]
struct Rewritten {
    #[serde(flatten)]
    location: SourceLine,
    step: u64,
    lines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
}

fn run(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    if arguments.contains_key("session") {
        return at_present_stop(call, arguments);
    }
    let program = Program::new(arguments, &call.shared.root, call.shared.allow_net)?;
    let (stop, ask) = (StopAt::new(arguments)?, Ask::new(arguments)?);
    let options = Launch { stop_on_entry: Some(false), history: true, ..Launch::default() };
    let mut session = match ProgramSession::load(call, &program, options) {
        Ok(session) => session,
        Err(NotLoaded::Failed(reason)) => return Err(reason),
        Err(NotLoaded::Wrong(errors)) => return Ok(not_run(errors)),
    };
    difference::expect(call, &mut session, arguments)?;
    let reached = reach(call, &mut session, &program, &stop)?;
    let mut out = Text::default();
    let mut result = match reached {
        Reached::Exited { status, why } => {
            let errors = session.errors();
            if !errors.is_empty() {
                return Ok(not_run(errors));
            }
            out.line(why);
            Investigation { status: "exited", exit_code: Some(status), ..Investigation::default() }
        }
        Reached::Stopped { stop, note, is_wanted, different } => {
            let at = stop_location(&stop, is_wanted, &mut session);
            write_stop(&at, &stop, note.as_deref(), &mut out);
            let errors: Vec<Report> = Report::at_stop(&stop, &mut session.sources).into_iter().collect();
            write_reports(&errors, &mut out);
            if let Some(different) = &different {
                different.write(&mut out);
            }
            session.renew(program.time);
            let answered = answer(call, &mut session, &ask, &stop, &mut out)?;
            Investigation { status: "stopped", stop: Some(at), difference: different, errors, ..answered }
        }
    };
    result.output = session.debuggee.output().lock().output();
    write_output(&result.output, &mut out);
    Ok(Answer::new(json!(result), out))
}

/// Answers what is asked where the program of a session is stopped. The session stays as it is.
fn at_present_stop(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let own = ["session", "ask", "maxChars"];
    if let Some(other) = arguments.keys().find(|name| !own.contains(&name.as_str())) {
        return Err(format!("'{other}' is for a run of its own: a session is asked where it is stopped"));
    }
    let ask = Ask::new(arguments)?;
    if ask.origin.is_some() || matches!(ask.unfold, Some(Unfold::Line(_))) {
        return Err(
            "origin and the unfold of a line move through the history, which a session has one place in: \
                    use lastChange and unfold of ez://spec with debug_do, or investigate the program's file"
                .into(),
        );
    }
    with_session(call, arguments, |debugged| {
        let mut out = Text::default();
        let others = debugged.others(call, false);
        write_others(&others, &mut out);
        let session = &mut debugged.session;
        session.renew(Duration::ZERO);
        let state = session.ask(call, GetState)?;
        let Some(at) = state.stop else {
            return Err(match state.status {
                Status::NotInitialized => "no program is loaded in the session",
                Status::Ready => "the program of the session is not started",
                Status::Running | Status::Stopped => {
                    "the program of the session runs: pause stops it, and breakpoints do"
                }
                Status::Exited => "the program of the session has ended: restart starts it again",
            }
            .into());
        };
        let stop = Stopped::from(at);
        let at = stop_location(&stop, true, session);
        let description = indented(at.description.trim_end_matches('.'));
        let SourceLine { file, line, .. } = &at.location;
        out.line(format_args!("Stopped at {file}:{line}, step {}: {description}.", at.step));
        at.location.write_source("", &mut out);
        let answered = answer(call, session, &ask, &stop, &mut out)?;
        let mut result = Investigation { status: "stopped", stop: Some(at), others, ..answered };
        result.output = session.debuggee.output().lock().output();
        Ok(Answer::new(json!(result), out))
    })
}

fn not_run(errors: Vec<Report>) -> Answer {
    let mut out = Text::default();
    out.line("The program was not run, because it has errors (check explains them):");
    write_reports(&errors, &mut out);
    Answer::new(json!(Investigation { status: "notRun", errors, ..Investigation::default() }), out)
}

fn stop_location(stop: &Stopped, is_wanted: bool, session: &mut ProgramSession) -> StopLocation {
    StopLocation {
        location: SourceLine::new(&stop.location, &mut session.sources),
        reason: stop.reason.name(),
        description: stop.description.clone(),
        step: stop.step,
        reached: is_wanted,
    }
}

fn write_stop(at: &StopLocation, stop: &Stopped, note: Option<&str>, out: &mut Text) {
    if let Some(note) = note {
        out.line(note);
    }
    let (SourceLine { file, line, .. }, step) = (&at.location, at.step);
    if stop.reason == StopReason::Exception {
        // The report that follows has the rest.
        return out.line(format_args!("The program failed at {file}:{line}, step {step}."));
    }
    let description = indented(at.description.trim_end_matches('.'));
    out.line(format_args!("Stopped at {file}:{line}, step {step}: {description}."));
    at.location.write_source("", out);
}

/// Answers what is asked at a stop.
fn answer(
    call: &Call,
    session: &mut ProgramSession,
    ask: &Ask,
    stop: &Stopped,
    out: &mut Text,
) -> Result<Investigation, String> {
    let mut result = Investigation::default();
    if ask.stack || ask.variables {
        let frames = session.frames(call, ask.variables)?;
        out.gap();
        write_frames(&frames, out);
        result.stack = Some(frames);
    }
    if !ask.expressions.is_empty() {
        let values: Vec<Shown> =
            ask.expressions.iter().map(|expression| session.value(call, expression)).collect();
        out.gap();
        values.iter().for_each(|value| out.line(value.one_line()));
        result.expressions = Some(values);
    }
    if let Some(unfold) = ask.unfold {
        let unfolded = unfolded(call, session, unfold, stop)?;
        write_unfolded(&unfolded, out);
        result.unfolded = Some(unfolded);
    }
    if let Some(expression) = &ask.origin {
        let chain = origin::chain(call, session, expression, stop).map_err(|why| {
            format!("the origin of {expression} cannot be found at this stop: {why}. Give a variable, element or field that exists there; its variables are in the answer of ask {{\"variables\": true}}, and how a statement computed in that of ask {{\"unfold\": true}}")
        })?;
        chain.write(out);
        result.origin = Some(chain);
    }
    Ok(result)
}

/// How a statement computed.
fn unfolded(
    call: &Call,
    session: &mut ProgramSession,
    unfold: Unfold,
    stop: &Stopped,
) -> Result<Rewritten, String> {
    let target = match unfold {
        Unfold::Here if matches!(stop.reason, StopReason::Exception | StopReason::End) => UnfoldTarget::Last,
        Unfold::Here => UnfoldTarget::Next,
        Unfold::Line(line) => UnfoldTarget::Step(stopping::last_step_of_line(call, session, line, stop)?),
    };
    let found = session.unfold(call, target)?;
    let prefix = prefix(&found);
    let stages = lines(&found, Radix::Decimal, Notation::Braces).into_iter().take(MAX_LINES);
    let mut lines: Vec<String> = stages.map(|line| format!("{prefix}{}", line.text)).collect();
    for part in &found.parts {
        match &part.result {
            PartResult::Written { target, new, .. } => {
                let new = past(new.as_ref()).unwrap_or_default();
                lines.push(format!("{target} is now {}", short(&new)));
            }
            PartResult::Failed { message, .. } => lines.push(format!("error: {message}")),
            PartResult::Value(_) | PartResult::Nothing | PartResult::Skipped(_) => {}
        }
    }
    let location = SourceLine::new(&found.location, &mut session.sources);
    Ok(Rewritten { location, step: found.step, lines, incomplete: found.incomplete })
}

fn write_unfolded(unfolded: &Rewritten, out: &mut Text) {
    out.gap();
    let Rewritten { location, step, lines, incomplete } = unfolded;
    out.line(format_args!("How line {} computed (step {step}):", location.line));
    for line in lines {
        out.line(format_args!("       {}", indented(line)));
    }
    if let Some(why) = incomplete {
        out.line(format_args!("       ({why})"));
    }
}
