//! `investigate`: runs a program with its history, and answers questions about it at one place.

mod decisions;
mod origin;
mod parts;
mod question;
mod stopping;

use serde_json::{Map, Value, json};

use super::{Arguments, Tool};
use crate::cli::mcp::answer::{Answer, Text, short};
use crate::cli::mcp::arguments::{Program, max_chars, runnable};
use crate::cli::mcp::call::Call;
use crate::cli::mcp::schema;
use crate::cli::mcp::session::{
    NotLoaded, Session, list, location, number, one_line, report, text, write_frames, write_output,
    write_reports, write_source,
};
use crate::visible::indented;
use origin::Chain;
use question::{Ask, StopAt, Unfold, ask_schema, stop_schema};
use stopping::{Reached, reach};

pub const TOOL: Tool = Tool {
    name: "investigate",
    title: "Find out why an EZ program does what it does",
    description: "Answer a question about a run in one call: why it failed, what variables were at a place, where \
                  a wrong value came from. Runs the program with its history up to stop (default: its error, or \
                  its end) and answers ask there. ask.origin follows a value back through all writes that made \
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
    let stop = described(stop_schema(), "Where to ask: one of error, end, line, function, output, step");
    let ask = described(ask_schema(), "What to ask there [stack and variables]");
    let own = [("stop", stop, false), ("ask", ask, false), max_chars()];
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
        ("step", schema::whole(0, "How many statements were executed before"), true),
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
        ("errors", schema::list(&schema::report(), "The run-time error, or why it was not run"), true),
        ("stack", schema::list(&schema::frame(), "The calls in progress, innermost first"), false),
        ("expressions", schema::list(&schema::variable(), "Their values"), false),
        ("unfolded", unfolded, false),
        ("origin", origin, false),
        ("output", schema::output(), true),
    ])
}

fn run(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let program = Program::new(arguments, &call.shared.root, call.shared.allow_net)?;
    let (stop, ask) = (StopAt::new(arguments)?, Ask::new(arguments)?);
    let mut session = match Session::load(call, &program, json!({"stopOnEntry": false, "history": true})) {
        Ok(session) => session,
        Err(NotLoaded::Failed(reason)) => return Err(reason),
        Err(NotLoaded::Wrong(errors)) => return Ok(not_run(&errors)),
    };
    let reached = reach(call, &mut session, &program, &stop)?;
    let mut out = Text::default();
    let mut result = Map::new();
    let mut errors = Vec::new();
    match reached {
        Reached::Exited { .. } if session.has_errors() => return Ok(not_run(&session.errors())),
        Reached::Exited { status, why } => {
            result.insert("status".into(), "exited".into());
            result.insert("exitCode".into(), status.into());
            out.line(why);
        }
        Reached::Stopped { data, note, is_wanted } => {
            result.insert("status".into(), "stopped".into());
            result.insert("stop".into(), stop_data(&data, is_wanted, &mut session));
            if text(&data, "reason") == "exception" {
                let message = text(&data, "description").into();
                let error = data.clone().into_iter().chain([("message".to_string(), message)]).collect();
                errors.push(report(&error, &mut session.sources));
            }
            write_stop(&result, note.as_deref(), &mut out);
            if !errors.is_empty() {
                write_reports(&errors, &mut out);
            }
            session.renew(program.time);
            answer(call, &mut session, &ask, &data, &mut result, &mut out)?;
        }
    }
    let output = session.debuggee.output().lock().json();
    write_output(&output, &mut out);
    result.insert("errors".into(), errors.into());
    result.insert("output".into(), output);
    Ok(Answer::new(result.into(), out))
}

fn not_run(errors: &[Value]) -> Answer {
    let mut out = Text::default();
    out.line("The program was not run, because it has errors (check explains them):");
    write_reports(errors, &mut out);
    let output = json!({"text": "", "bytes": 0, "cutBytes": 0});
    Answer::new(json!({"status": "notRun", "errors": errors, "output": output}), out)
}

fn stop_data(data: &Map<String, Value>, is_wanted: bool, session: &mut Session) -> Value {
    let mut stop = location(data, &mut session.sources);
    for name in ["reason", "description"] {
        stop.insert(name.into(), text(data, name).into());
    }
    stop.insert("step".into(), number(data, "step").into());
    stop.insert("reached".into(), is_wanted.into());
    stop.into()
}

fn write_stop(result: &Map<String, Value>, note: Option<&str>, out: &mut Text) {
    let none = Map::new();
    let stop = result.get("stop").and_then(Value::as_object).unwrap_or(&none);
    if let Some(note) = note {
        out.line(note);
    }
    let (file, line, step) = (text(stop, "file"), number(stop, "line"), number(stop, "step"));
    if text(stop, "reason") == "exception" {
        // The report that follows has the rest.
        return out.line(format_args!("The program failed at {file}:{line}, step {step}."));
    }
    let description = indented(text(stop, "description").trim_end_matches('.'));
    out.line(format_args!("Stopped at {file}:{line}, step {step}: {description}."));
    write_source(stop, "", out);
}

/// Answers what is asked at a stop.
fn answer(
    call: &Call,
    session: &mut Session,
    ask: &Ask,
    stop: &Map<String, Value>,
    result: &mut Map<String, Value>,
    out: &mut Text,
) -> Result<(), String> {
    if ask.stack || ask.variables {
        let frames = session.frames(call, ask.variables)?;
        out.gap();
        write_frames(&frames, out);
        result.insert("stack".into(), frames.into());
    }
    if !ask.expressions.is_empty() {
        let values: Vec<Value> =
            ask.expressions.iter().map(|expression| session.value(call, expression)).collect();
        out.gap();
        values.iter().for_each(|value| out.line(one_line(value)));
        result.insert("expressions".into(), values.into());
    }
    if let Some(unfold) = ask.unfold {
        let unfolded = unfolded(call, session, unfold, stop)?;
        write_unfolded(&unfolded, out);
        result.insert("unfolded".into(), unfolded.into());
    }
    if let Some(expression) = &ask.origin {
        let chain: Chain = origin::chain(call, session, expression, stop).map_err(|why| {
            format!("the origin of {expression} cannot be found at this stop: {why}. Give a variable, element or field that exists there; its variables are in the answer of ask {{\"variables\": true}}")
        })?;
        chain.write(out);
        result.insert("origin".into(), chain.json());
    }
    Ok(())
}

/// How a statement computed.
fn unfolded(
    call: &Call,
    session: &mut Session,
    unfold: Unfold,
    stop: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let is_before = !matches!(text(stop, "reason"), "exception" | "end");
    let params = match unfold {
        Unfold::Here if is_before => json!({"next": true}),
        Unfold::Here => json!({}),
        Unfold::Line(line) => json!({"step": stopping::last_step_of_line(call, session, line, stop)?}),
    };
    let data = session.ask(call, "unfold", params)?;
    let mut found = location(&data, &mut session.sources);
    found.insert("step".into(), number(&data, "step").into());
    let prefix = text(&data, "prefix");
    let lines = list(&data, "lines").iter().filter_map(|line| line.get("text")?.as_str());
    let mut lines: Vec<String> = lines.take(MAX_LINES).map(|line| format!("{prefix}{line}")).collect();
    let writes = list(&data, "parts").iter().filter_map(Value::as_object);
    for part in writes {
        match text(part, "kind") {
            "write" => {
                lines.push(format!("{} is now {}", text(part, "target"), short(text(part, "newValue"))))
            }
            "error" => lines.push(format!("error: {}", text(part, "message"))),
            _ => {}
        }
    }
    found.insert("lines".into(), lines.into());
    if !text(&data, "incomplete").is_empty() {
        found.insert("incomplete".into(), text(&data, "incomplete").into());
    }
    Ok(found)
}

fn write_unfolded(unfolded: &Map<String, Value>, out: &mut Text) {
    out.gap();
    out.line(format_args!(
        "How line {} computed (step {}):",
        number(unfolded, "line"),
        number(unfolded, "step")
    ));
    for line in list(unfolded, "lines").iter().filter_map(Value::as_str) {
        out.line(format_args!("       {}", indented(line)));
    }
    if !text(unfolded, "incomplete").is_empty() {
        out.line(format_args!("       ({})", text(unfolded, "incomplete")));
    }
}
