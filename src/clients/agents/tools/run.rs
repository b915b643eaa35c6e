//! `run`: runs a program, and says where and why it failed.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use super::difference::{self, Different};
use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text};
use crate::clients::agents::arguments::{Program, max_chars, runnable};
use crate::clients::agents::call::Call;
use crate::clients::agents::captured::Output;
use crate::clients::agents::schema;
use crate::clients::agents::session::{NotLoaded, ProgramSession, Stop};
use crate::clients::agents::shown::{Frame, Report, write_frames, write_output, write_reports};
use ez_engine::api::{Launch, Request, Resume, StopReason, Stopped};

pub const TOOL: Tool = Tool {
    name: "run",
    title: "Run an EZ program",
    description: "Run an EZ program and get its output, its exit status and, if it fails, the error with the \
                  stack and the variables of each frame. A program that does not end is stopped after \
                  timeLimit seconds, and the answer says where it was. Network, other programs and files outside \
                  of the root are denied. \
                  Example: {\"file\": \"guess.ez\", \"input\": \"50\\n25\\n\", \"timeLimit\": 5}",
    reads_only: false,
    input,
    output,
    run,
};

fn input() -> Value {
    schema::object(runnable().into_iter().chain([difference::expected(), max_chars()]))
}

fn output() -> Value {
    schema::object([
        (
            "status",
            schema::word(
                &["ended", "failed", "timeIsOver", "notRun"],
                "Whether it has ended by itself, with a run-time error, was stopped, or has errors",
            ),
            true,
        ),
        ("exitCode", schema::integer("The exit status of a program that has ended"), false),
        ("milliseconds", schema::whole(0, "How long it ran"), false),
        ("output", schema::output(), true),
        ("difference", difference::schema(), false),
        ("errors", schema::list(&schema::report(), "The run-time error, or why it was not run"), true),
        ("stack", schema::list(&schema::frame(), "Where it failed or was stopped, innermost first"), true),
    ])
}

/// A run, as far as it is known.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<u64>,
    output: Output,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Different>,
    errors: Vec<Report>,
    stack: Vec<Frame>,
}

fn run(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let program = Program::new(arguments, &call.shared.root, call.shared.allow_net)?;
    let mut session = match ProgramSession::load(
        call,
        &program,
        Launch { stop_on_entry: Some(false), ..Launch::default() },
    ) {
        Ok(session) => session,
        Err(NotLoaded::Failed(reason)) => return Err(reason),
        Err(NotLoaded::Wrong(errors)) => return Ok(not_run(errors)),
    };
    session.stop_at_errors(call)?;
    difference::expect(call, &mut session, arguments)?;
    let started = Instant::now();
    let mut stop = session.run(call, program.time, Request::Start(None))?;
    let mut different = None;
    if let Stop::Stopped(here) = &stop
        && here.reason == StopReason::Output
    {
        let rest = program.time.saturating_sub(started.elapsed());
        let end = session.run(call, rest, Request::Resume(Resume::Continue))?;
        let found = session.difference_at_end().or(here.difference.as_deref());
        different = found.map(|found| Different::new(found, &here.description));
        stop = end;
    }
    let time = started.elapsed().as_millis() as u64;
    let seconds = program.time.as_secs_f64();
    let mut out = Text::default();
    let run = match stop {
        Stop::Exited(code) => {
            // An error before its first statement, such as that of an import, does not stop it.
            let errors = session.errors();
            if !errors.is_empty() {
                return Ok(not_run(errors));
            }
            out.line(format_args!("The program ended with status {code}."));
            Run { status: "ended", exit_code: Some(code), ..Run::default() }
        }
        Stop::Stopped(stop) => failed(call, &mut session, &stop, &mut out)?,
        Stop::TimeIsOver(_) => {
            out.line(format_args!(
                "The program still ran after {seconds} s and was stopped (see timeLimit)."
            ));
            let stack = session.frames(call, true)?;
            write_frames(&stack, &mut out);
            Run { status: "timeIsOver", stack, ..Run::default() }
        }
    };
    let output = session.debuggee.output().lock().output();
    if let Some(different) = &different {
        different.write(&mut out);
        out.line("'investigate' with the same 'expected' tells what has caused it.");
    }
    write_output(&output, &mut out);
    Ok(Answer::new(json!(Run { milliseconds: Some(time), output, difference: different, ..run }), out))
}

/// A program that has stopped at its run-time error.
fn failed(call: &Call, session: &mut ProgramSession, stop: &Stopped, out: &mut Text) -> Result<Run, String> {
    let errors: Vec<Report> = Report::at_stop(stop, &mut session.sources).into_iter().collect();
    let stack = session.frames(call, true)?;
    out.line(format_args!("The program failed in line {}.", stop.location.line));
    write_reports(&errors, out);
    out.gap();
    write_frames(&stack, out);
    Ok(Run { status: "failed", exit_code: Some(1), errors, stack, ..Run::default() })
}

/// The answer for a program that has errors.
fn not_run(errors: Vec<Report>) -> Answer {
    let mut out = Text::default();
    out.line("The program was not run, because it has errors (check explains them):");
    write_reports(&errors, &mut out);
    Answer::new(json!(Run { status: "notRun", errors, ..Run::default() }), out)
}
