//! `debug_start`, `debug_do`, `debug_stop`: sessions that stay from call to call, and with `debug_join` those of others.

use serde_json::{Map, Value, json};

use super::sessions::{Debugged, Room, busy, named};
use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text, short};
use crate::clients::agents::arguments::{Program, chars, max_chars, runnable, time_limit};
use crate::clients::agents::call::Call;
use crate::clients::agents::captured::Output;
use crate::clients::agents::commands::{Commands, Outcome};
use crate::clients::agents::debuggee::ENDED;
use crate::clients::agents::others::write_others;
use crate::clients::agents::schema;
use crate::clients::agents::session::{NotLoaded, ProgramSession, Set};
use crate::clients::agents::shown::{Report, Shown, SourceLine, write_output, write_reports};
use crate::protocol::ez::{self, is_command};
use crate::protocol::params::Params;
use ez_engine::api::{
    Breakpoint, BreakpointLocation, BreakpointOptions, ChangeReason, Event, Launch, Request,
};
use ez_runtime::visible::{indented, quoted, visible_line};

pub const START: Tool = Tool {
    name: "debug_start",
    title: "Start a debug session",
    description: "Start an EZ program under the debugger and keep it stopped, for step-by-step work with \
                  debug_do. Prefer investigate, which answers most questions in one call. The program stops at \
                  its first statement, or at the first of breakpoints (lines). It keeps its history, so it can \
                  step back, too. \
                  Example: {\"file\": \"sort.ez\", \"breakpoints\": [12]}",
    reads_only: false,
    input: start_input,
    output: session_output,
    run: start,
};

pub const DO: Tool = Tool {
    name: "debug_do",
    title: "Carry out a debugger command",
    description: "Carry out a command in a session of debug_start or debug_join: stepInto, stepOver, stepOut, continue, stepBack, \
                  reverseContinue, runTo {line}, getVariables, getStackTrace, evaluate {expression}, \
                  setVariable {name, value}, setBreakpoints {file, breakpoints}, and all others of the resource \
                  ez://spec, with their params. \
                  Example: {\"session\": \"s1\", \"command\": \"evaluate\", \"params\": {\"expression\": \"len(a)\"}}",
    reads_only: false,
    input: do_input,
    output: session_output,
    run: carry_out,
};

pub const STOP: Tool = Tool {
    name: "debug_stop",
    title: "End a debug session",
    description: "End a session of debug_start and its program, or leave one of debug_join. Sessions that are not ended end with the \
                  connection. Example: {\"session\": \"s1\"}",
    reads_only: false,
    input: stop_input,
    output: stop_output,
    run: stop,
};

/// Maximum length of the result of a command, in bytes: longer ones are not kept whole.
const MAX_RESULT: usize = 200_000;

/// Commands that would end the session, begin another one, let others in, or come too late.
const NOT_HERE: [(&str, &str); 7] = [
    ("initialize", "use debug_start for another program, or restart for the same"),
    ("attach", "the session is there already"),
    ("disconnect", "use debug_stop"),
    ("input", "debug_start takes the program's whole input, and restart gives it again"),
    ("terminate", "use debug_stop"),
    ("share", "a person shares a session, and debug_join joins it"),
    ("unshare", "the session is not shared"),
];

/// Commands that are not for a session that was joined.
const NOT_JOINED: [(&str, &str); 4] = [
    ("initialize", "the program is the one of the session that was joined"),
    ("attach", "the session was joined already"),
    ("disconnect", "use debug_stop, which leaves the session"),
    ("terminate", "the session is another client's; debug_stop leaves it"),
];

fn start_input() -> Value {
    let breakpoints =
        schema::list(&schema::whole(1, "A line"), "Lines of the program's file at which it stops");
    schema::object(runnable().into_iter().chain([("breakpoints", breakpoints, false), max_chars()]))
}

fn do_input() -> Value {
    schema::object([
        ("session", schema::text("The session, from debug_start"), true),
        ("command", schema::text("A command of ez://spec"), true),
        ("params", schema::any_object("Its parameters"), false),
        (
            "timeLimit",
            json!({"type": "number", "description": "Seconds to wait [10]; then a run that the session's client has begun is paused, and anything else is given up"}),
            false,
        ),
        max_chars(),
    ])
}

fn stop_input() -> Value {
    schema::object([("session", schema::text("The session"), true), max_chars()])
}

fn session_output() -> Value {
    schema::object([
        ("session", schema::text("The name of the session; empty if it could not be started"), true),
        ("result", schema::any_object("The event of ez://spec that answers the command"), true),
        (
            "changed",
            schema::list(&schema::variable(), "Variables that have changed since the last stop"),
            true,
        ),
        ("errors", schema::list(&schema::report(), "Run-time errors, or why it was not started"), true),
        ("output", schema::output(), true),
        ("breakpoints", schema::texts("Which breakpoints were not set, or were moved, and why"), false),
        ("others", schema::texts("In a joined session: what others did since the last answer"), false),
    ])
}

fn stop_output() -> Value {
    schema::object([("ended", schema::flag("Whether the session has ended"), true)])
}

fn start(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let program = Program::new(arguments, &call.shared.root, call.shared.allow_net)?;
    let lines = Params::new(arguments).numbers("breakpoints", 1)?;
    let room = Room::take(call)?;
    let options = Launch { history: true, stop_on_entry: Some(lines.is_empty()), ..Launch::default() };
    let mut session = match ProgramSession::load(call, &program, options) {
        Ok(session) => session,
        Err(NotLoaded::Failed(reason)) => return Err(reason),
        Err(NotLoaded::Wrong(errors)) => return Ok(not_started(&errors)),
    };
    session.stop_at_errors(call)?;
    let breakpoints = lines.iter().map(|line| (*line, BreakpointOptions::default())).collect();
    let notes = if lines.is_empty() {
        Vec::new()
    } else {
        about(&lines, session.set_breakpoints(call, program.name(), breakpoints)?)
    };
    let mut debugged = Debugged { session, commands: Commands::new(), joined_as: None };
    let outcome = debugged.carry_out(call, program.time, ("start", Map::new()))?;
    let errors = debugged.session.errors();
    // An error before its first statement, such as that of an import.
    if !errors.is_empty() && debugged.commands.stop.is_none() {
        return Ok(not_started(&errors));
    }
    // From now on it ends with the client.
    debugged.session.debuggee.outlives(call)?;
    let name = room.new_name();
    let answer = answer(call, &name, &mut debugged, outcome, notes);
    room.keep(name, debugged);
    Ok(answer)
}

/// What there is to say about breakpoints at some lines.
fn about(lines: &[u32], set: Vec<Set>) -> Vec<String> {
    let note = |(line, set): (&u32, Set)| match set {
        Set::There => None,
        Set::Moved(moved) => Some(format!("About the breakpoint at line {line}: {moved}.")),
        Set::Not(why) => Some(format!("The program cannot stop at line {line}: {why}.")),
    };
    lines.iter().zip(set).filter_map(note).collect()
}

fn not_started(errors: &[Report]) -> Answer {
    let mut out = Text::default();
    out.line("The program was not started, because it has errors (check explains them):");
    failed_to_load("", errors, out)
}

/// The answer for a program that has errors, after what `out` says of it.
fn failed_to_load(session: &str, errors: &[Report], mut out: Text) -> Answer {
    write_reports(errors, &mut out);
    let output = Output::default();
    let structured =
        json!({"session": session, "result": {}, "changed": [], "errors": errors, "output": output});
    Answer::new(structured, out)
}

fn carry_out(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let (name, session) = named(call, arguments)?;
    let params = Params::new(arguments);
    let command = params.required_text("command")?;
    let own = match arguments.get("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(own)) => own.clone(),
        Some(_) => return Err("params must be an object, such as {\"expression\": \"x\"}".into()),
    };
    let time = time_limit(arguments)?;
    let Some(mut locked) = session.try_lock() else { return Err(busy(&name)) };
    let Some(session) = locked.as_mut() else { return Err(format!("the session {name} has ended")) };
    let refused: &[(&str, &str)] = if session.joined_as.is_some() { &NOT_JOINED } else { &NOT_HERE };
    if let Some((_, advice)) = refused.iter().find(|(known, _)| *known == command) {
        return Err(format!("{command} is not possible here: {advice}"));
    }
    session.session.debuggee.output().lock().make_room(chars(arguments)?);
    match session.carry_out(call, time, (&command, own)) {
        Ok(outcome) => {
            let is_joined = session.joined_as.is_some();
            let notes = if is_joined { Vec::new() } else { session.changed_breakpoints() };
            Ok(answer(call, &name, session, outcome, notes))
        }
        Err(reason) if call.cancellation.is_cancelled() => {
            if session.joined_as.is_some() {
                // Others use it, too.
                return Err(reason);
            }
            // The program is stopped, so that the session can be used.
            session.session.debuggee.send(Request::Pause);
            Err(reason)
        }
        Err(_) if session.session.debuggee.has_ended() => {
            let why = session.why_over(&name);
            *locked = None;
            call.shared.sessions.lock().all.remove(&name);
            if let Some(why) = why {
                return Err(why);
            }
            Err(format!("{ENDED}, and with it the session {name}: start the program again with debug_start"))
        }
        Err(_) if !session.commands.problems.is_empty() => Ok(session.not_restarted(&name)),
        Err(reason) => {
            let advice = if !session.commands.has_program && command != "restart" {
                "; the program could not be loaded again: correct its file, then use restart"
            } else if is_command(&command, ez::VERSION) {
                ""
            } else {
                "; the resource ez://spec has all commands"
            };
            Err(format!("{}{advice}", indented(&reason)))
        }
    }
}

fn stop(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let (name, session) = named(call, arguments)?;
    call.shared.sessions.lock().all.remove(&name);
    let mut out = Text::default();
    let taken = session.try_lock().and_then(|mut session| session.take());
    let ended = taken.is_some();
    match ended {
        true if taken.is_some_and(|session| session.joined_as.is_some()) => {
            out.line(format_args!("The session {name} was left; it goes on without you."));
        }
        true => out.line(format_args!("The session {name} has ended.")),
        // The call that carries it out has the last reference to the session.
        false => out.line(format_args!("The session {name} ends when its command in progress is answered.")),
    }
    Ok(Answer::new(json!({"ended": ended}), out))
}

impl Debugged {
    /// What there is to say about breakpoints that are elsewhere, or nowhere, since the last command.
    pub(super) fn changed_breakpoints(&self) -> Vec<String> {
        let note = |(breakpoint, reason): &(Breakpoint, ChangeReason)| {
            let what = match &breakpoint.place {
                BreakpointLocation::Line { place, .. } => format!("the breakpoint at line {}", place.line),
                BreakpointLocation::Function { name } => {
                    format!("the breakpoint at the function {}", quoted(name))
                }
                BreakpointLocation::Data { description } => {
                    format!("the watchpoint of {}", quoted(description))
                }
            };
            match (*reason == ChangeReason::Removed, Set::new(breakpoint.clone())) {
                (true, Set::There) => Some(format!("About {what}: it is gone.")),
                (false, Set::There) => None,
                (_, Set::Moved(why) | Set::Not(why)) => Some(format!("About {what}: {}.", quoted(&why))),
            }
        };
        let of_session = self.session.debuggee.events.iter().filter_map(|event| {
            let Event::BreakpointsChanged { changes, by: None } = event else { return None };
            Some(changes)
        });
        of_session.flatten().filter_map(note).collect()
    }

    /// The answer to a restart of a program that has errors now.
    fn not_restarted(&mut self, name: &str) -> Answer {
        let sources = &mut self.session.sources;
        let problems = self.commands.problems.iter();
        let errors: Vec<Report> = problems.filter_map(|problem| Report::new(problem, sources)).collect();
        let mut out = Text::default();
        out.line(format_args!(
            "{name}: the program was not started again, because it has errors (check explains them). Correct them, then \
             use restart:"
        ));
        failed_to_load(name, &errors, out)
    }
}

/// The answer to a command.
fn answer(call: &Call, name: &str, debugged: &mut Debugged, outcome: Outcome, notes: Vec<String>) -> Answer {
    let mut out = Text::default();
    let errors = debugged.session.errors();
    let (result, time_is_over) = match outcome {
        Outcome::Answered(result) => (result, false),
        Outcome::TimeIsOver(result) => (result, true),
    };
    let event = result.get("event").and_then(Value::as_str).unwrap_or_default();
    let others = debugged.others(call, event == "exited");
    write_others(&others, &mut out);
    notes.iter().for_each(|note| out.line(note));
    if time_is_over {
        out.line("The program still ran when the time was over, and is paused (see timeLimit).");
    }
    write_result(name, &result, debugged, &mut out);
    let session = &mut debugged.session;
    write_reports(&errors, &mut out);
    let changed: Vec<Shown> = debugged.commands.changed.iter().map(Shown::variable).collect();
    if event != "stopped" && !changed.is_empty() {
        out.line("At stops meanwhile these variables had changed:");
    }
    changed.iter().for_each(|variable| out.line(format_args!("       {}", variable.one_line())));
    let output = session.debuggee.output().lock().take().output();
    if output.bytes > 0 {
        write_output(&output, &mut out);
    }
    let mut structured = json!({"session": name, "result": limited(result), "changed": changed, "errors": errors, "output": output});
    for (name, lines) in [("breakpoints", notes), ("others", others)] {
        if let (Some(members), false) = (structured.as_object_mut(), lines.is_empty()) {
            members.insert(name.into(), lines.into());
        }
    }
    Answer::new(structured, out)
}

/// A result that is too long is left out: its text says so.
fn limited(result: Map<String, Value>) -> Map<String, Value> {
    let length = Value::Object(result.clone()).to_string().len();
    if length <= MAX_RESULT {
        return result;
    }
    let event = result.get("event").cloned().unwrap_or_default();
    let note = format!("{length} bytes; ask for a part, for instance with start and count");
    Map::from_iter([("event".into(), event), ("tooLong".into(), note.into())])
}

fn write_result(name: &str, result: &Map<String, Value>, debugged: &mut Debugged, out: &mut Text) {
    let session = &mut debugged.session;
    match (result.get("event").and_then(Value::as_str).unwrap_or_default(), &debugged.commands.stop) {
        ("stopped", Some(stop)) => {
            let at = SourceLine::new(&stop.location, &mut session.sources);
            let description = indented(stop.description.trim_end_matches('.'));
            out.line(format_args!("{name}: {description} at {}:{}", at.file, at.line));
            at.write_source("", out);
        }
        ("exited", _) => out.line(format_args!(
            "{name}: the program has ended with status {}; restart runs it again",
            result.get("exitCode").unwrap_or(&Value::Null)
        )),
        (event, _) => {
            out.line(format_args!("{name}: {event}"));
            for (key, value) in result.iter().filter(|(key, _)| *key != "event") {
                write_member(key, value, session, out);
            }
        }
    }
}

/// A member of a result: a list has a line for each item.
fn write_member(key: &str, value: &Value, session: &ProgramSession, out: &mut Text) {
    match value {
        Value::Array(items) => {
            out.line(format_args!("{key}:"));
            for item in items {
                out.line(format_args!("  {}", item_line(item, session)));
            }
        }
        Value::String(text) => out.line(format_args!("{key}: {}", indented(text))),
        other => out.line(format_args!("{key}: {other}")),
    }
}

/// An item of a list on one line: a variable, a frame, or anything else as it is.
fn item_line(item: &Value, session: &ProgramSession) -> String {
    let member = |name: &str| item.get(name).and_then(Value::as_str);
    match (member("name"), member("value"), member("function"), member("file")) {
        (Some(name), Some(value), ..) => format!("{name} = {}", short(value)),
        (_, _, Some(function), Some(file)) => {
            let line = item.get("line").cloned().unwrap_or_default();
            format!("{function} at {}:{line}", session.sources.name(file))
        }
        _ => visible_line(&item.to_string()).into_owned(),
    }
}
