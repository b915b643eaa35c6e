//! The EZ debug protocol: one JSON object a line. `SPEC.md` is its normative text.

mod answers;
mod breakpoints;
mod commands;
mod decode;
mod encode;
mod parts;
mod values;
mod wire;

use std::sync::{Arc, Mutex};

use foldhash::HashMap;
use serde_json::value::RawValue;

use crate::api::{
    BreakpointRequest, Event, Failure, FailureKind, Inspect, Request, RequestId, Response, Status, Stopped,
    WatchRequest,
};
use crate::session::Incoming;
use crate::value::Stream;

use super::json::{self, cut_json};
use super::lines::{LIMIT, Line, Lines, TooLong};
use super::{FrontEnd, Messages, Received, SharedFrontEnd};
use decode::decode;

pub(super) use commands::command;
pub(super) use decode::Decoded;

/// The highest version of the protocol that is spoken.
pub const VERSION: u32 = 2;

/// The front end, for one client.
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(EzFrontEnd::default()))
}

/// The `id` of a command, as the client wrote it.
type Id = Option<Box<RawValue>>;

/// A command that has not been answered yet.
struct Asked {
    id: Id,
    name: Option<String>,
    /// See [`Request::verb`].
    verb: &'static str,
    echo: Echo,
}

/// What an answer repeats of its command.
enum Echo {
    Nothing,
    /// The highest version that the client knows.
    Version(Option<u32>),
    Line(String, u32),
    File(Option<String>),
    Frame(usize),
    /// Number of the value and index of the first part.
    Value(u64, usize),
    /// The expression, and whether its whole value is wanted.
    Expression(String, bool),
    Watch(u32),
    /// The event that tells breakpoints of this kind.
    Breakpoints(&'static str),
}

/// A command that lets the program run, while it does. The next stop or the end answers it.
#[derive(Default)]
struct Run {
    id: Id,
    name: Option<String>,
    /// See [`Request::verb`].
    verb: &'static str,
}

/// The protocol with one client.
#[derive(Default)]
pub(super) struct EzFrontEnd {
    lines: Lines,
    /// The version that the client has asked for, once it has.
    version: u32,
    /// Number of the last request.
    last: u64,
    asked: HashMap<RequestId, Asked>,
    /// Whether the program runs; then the command that made it run, whose `id` the next stop or the end
    /// carries.
    running: Option<Run>,
    /// The `id`s of the pauses since then.
    pauses: Vec<Box<RawValue>>,
    /// That of the command that ends the session.
    terminate: Id,
}

impl FrontEnd for EzFrontEnd {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        self.lines.feed(bytes).into_iter().map(|line| self.message(line)).collect()
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        self.lines.end().into_iter().map(|line| self.message(line)).collect()
    }

    fn response(&mut self, id: RequestId, result: &Result<Response, Failure>, out: &mut Messages) {
        let Some(asked) = self.asked.remove(&id) else { return };
        match result {
            Ok(response) => self.success(asked, response, out),
            Err(failure) => {
                let (id, name) = (asked.id.as_deref(), asked.name.as_deref());
                match failure.problems.as_slice() {
                    [] if self.speaks_2() && failure.wrong.is_some() => {
                        encode::wrong_expression(out, failure, name, id);
                    }
                    [] => encode::error(out, &failure.message, name, id),
                    [others @ .., last] => {
                        let more = if self.speaks_2() { None } else { id };
                        others.iter().for_each(|problem| encode::problem(out, problem, more));
                        encode::problem(out, last, id);
                    }
                }
            }
        }
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        match event {
            Event::Stopped(stopped) => self.stopped(stopped, out),
            Event::WrongCondition(breakpoint) => breakpoints::wrong_condition(out, breakpoint),
            Event::BreakpointChanged { breakpoint, removed } => {
                if self.speaks_2() {
                    breakpoints::breakpoint_changed(out, breakpoint, *removed, None);
                }
            }
            Event::Log(text) => {
                let text = cut_json(text, encode::TEXT_LIMIT);
                encode::add(out, "output", wire::Output { category: "console", text }, None);
            }
            Event::WatchChanged(watch) => {
                encode::add(out, "watchUpdate", values::watch(watch, true), None);
            }
            Event::Progress(progress) => encode::add(out, "progress", encode::progress(progress), None),
            Event::InputRequested => encode::add(out, "inputRequested", wire::Empty {}, None),
            Event::Exited(exited) => {
                if let Some(problem) = &exited.error {
                    encode::problem(out, problem, None);
                }
                let id = self.end_run();
                encode::add(out, "exited", wire::Exited { exit_code: exited.status }, id.as_deref());
                self.refuse_pauses(out);
            }
            Event::Failed(message) => encode::error(out, message, None, None),
            Event::Terminated => {
                self.refuse_run(out);
                let id = self.terminate.take();
                encode::add(out, "terminated", wire::Empty {}, id.as_deref());
            }
        }
    }

    fn output(&mut self, stream: Stream, text: &str, out: &mut Messages) {
        let start: &[u8] = match stream {
            Stream::Stdout => br#"{"type":"event","event":"output","data":{"category":"stdout","text":"#,
            Stream::Stderr => br#"{"type":"event","event":"output","data":{"category":"stderr","text":"#,
        };
        out.add(|bytes| {
            bytes.extend_from_slice(start);
            json::write_string(bytes, text);
            bytes.extend_from_slice(b"}}\n");
        });
    }
}

impl EzFrontEnd {
    /// The protocol with a client that speaks this version from the beginning.
    pub(super) fn with_version(version: u32) -> EzFrontEnd {
        EzFrontEnd { version, ..EzFrontEnd::default() }
    }

    fn message(&mut self, line: Line) -> Received {
        let decoded = match line {
            Ok(line) => decode(&line, self.version),
            Err(TooLong) => {
                let message = format!("line too long (limit: {LIMIT} bytes)");
                Decoded { id: None, name: None, request: Err(message) }
            }
        };
        self.accept(decoded)
    }

    /// Takes a command.
    pub(super) fn accept(&mut self, Decoded { id, name, request }: Decoded) -> Received {
        let (verb, echo) = match &request {
            Ok((request, version)) => (request.verb(), echo(request, *version)),
            Err(_) => ("", Echo::Nothing),
        };
        if let Ok((Request::Initialize(_) | Request::Attach(_), version)) = &request {
            self.version = version.unwrap_or(1);
        }
        self.last += 1;
        let number = RequestId(self.last);
        self.asked.insert(number, Asked { id, name, verb, echo });
        let request = request.map(|(request, _)| request);
        let request = request.map_err(|message| Failure::new(FailureKind::BadRequest, message));
        Received::Message(Incoming { id: number, request })
    }

    /// Whether the client has asked for version 2.
    fn speaks_2(&self) -> bool {
        self.version >= 2
    }

    /// The session ends before the run under way does.
    fn refuse_run(&mut self, out: &mut Messages) {
        if let Some(Run { id: Some(id), name, verb }) = self.running.take() {
            let message = format!("Cannot {verb}: program has ended");
            encode::error(out, &message, name.as_deref(), Some(&id));
        }
        self.refuse_pauses(out);
    }

    /// The program has ended before the pauses could stop it.
    fn refuse_pauses(&mut self, out: &mut Messages) {
        for id in self.pauses.drain(..) {
            encode::error(out, "Cannot pause: program has ended", Some("pause"), Some(&id));
        }
    }

    fn success(&mut self, Asked { id, name, verb, echo }: Asked, response: &Response, out: &mut Messages) {
        let raw = id.as_deref();
        let more = self.speaks_2();
        match (response, echo) {
            (Response::Initialized(program), Echo::Version(version)) => {
                encode::initialized(out, program, version, raw);
            }
            (Response::Started, _) => {
                encode::add(out, "started", wire::Empty {}, raw);
                self.running = Some(Run { id, name, verb });
            }
            (Response::Restarted(program), _) => {
                self.end_run_by(out, "the program was restarted");
                encode::restarted(out, program, raw);
                self.running = Some(Run { id, name, verb });
            }
            (Response::Resumed, _) => self.running = Some(Run { id, name, verb }),
            (Response::Pausing, _) if self.running.is_some() => self.pauses.extend(id),
            // It has ended an evaluation: no stop will answer it.
            (Response::Pausing, _) => paused(out, raw),
            (Response::Killed, _) => encode::add(out, "killed", wire::Empty {}, raw),
            (Response::Terminating, _) => {
                self.refuse_run(out);
                self.terminate = id;
            }
            (Response::BreakpointSet(breakpoint), Echo::Line(file, line)) => {
                breakpoints::breakpoint_set(out, (&file, line), breakpoint, more, raw);
            }
            (Response::BreakpointCleared, Echo::Line(file, line)) => {
                encode::add(out, "breakpointCleared", wire::BreakpointCleared { file: &file, line }, raw);
            }
            (Response::Breakpoints(all), Echo::File(file)) => {
                breakpoints::breakpoints(out, "breakpoints", file.as_deref(), all, raw);
            }
            (Response::Breakpoints(all), Echo::Breakpoints(event)) => {
                breakpoints::breakpoints(out, event, None, all, raw);
            }
            (Response::BreakpointChanged { breakpoint, removed }, _) => {
                breakpoints::breakpoint_changed(out, breakpoint, *removed, raw);
            }
            (Response::Locations(all), Echo::File(file)) => {
                breakpoints::locations(out, &file.unwrap_or_default(), all, raw);
            }
            (Response::Exceptions(all), _) => breakpoints::exceptions(out, all, raw),
            (Response::WatchAdded(watch), _) => {
                let data = wire::WatchAdded { id: watch.id.0, expression: (&*watch.expression).into() };
                encode::add(out, "watchAdded", data, raw);
                if watch.shown.is_some() {
                    encode::add(out, "watchUpdate", values::watch(watch, true), None);
                }
            }
            (Response::WatchRemoved, Echo::Watch(id)) => {
                encode::add(out, "watchRemoved", wire::WatchRemoved { id }, raw);
            }
            (Response::Watches(all), _) => answers::watches(out, all, raw),
            (Response::State(state), _) => answers::state(out, state, raw),
            (Response::Attached(attached), Echo::Version(version)) => {
                // The next stop answers nobody, and comes all the same.
                let runs = attached.state.status == Status::Running;
                self.running = runs.then(Run::default);
                answers::attached(out, attached, version, raw);
            }
            (Response::Disconnected, _) => {
                self.end_run_by(out, "the client disconnects; the program runs on");
                encode::add(out, "disconnected", wire::Empty {}, raw);
            }
            (Response::Threads(status), _) => answers::threads(out, *status, raw),
            (Response::Source { path, text }, _) => answers::source(out, path, text, raw),
            (Response::Modules(all), _) => answers::modules(out, all, raw),
            (Response::Variables(variables), Echo::Frame(frame)) => {
                values::variables(out, frame, variables, more, raw);
            }
            (Response::Children { children, total }, Echo::Value(reference, start)) => {
                values::children(out, (reference, start), children, *total, raw);
            }
            (Response::StackTrace { frames, total }, _) => {
                encode::stack_trace(out, frames, *total, more, raw);
            }
            (Response::StepTargets(all), _) => answers::step_targets(out, all, raw),
            (Response::Evaluated(value), Echo::Expression(expression, full)) => {
                values::evaluated(out, &expression, value, (more, full), raw);
            }
            (Response::VariableSet(variable), _) => values::variable_set(out, variable, raw),
            (Response::LastChange(change), _) => values::last_change(out, change, raw),
            (Response::Completions(all), _) => answers::completions(out, all, raw),
            (Response::InputTaken, _) => {
                if more && raw.is_some() {
                    encode::add(out, "inputTaken", wire::Empty {}, raw);
                }
            }
            (
                Response::Initialized(_)
                | Response::Attached(_)
                | Response::BreakpointSet(_)
                | Response::BreakpointCleared
                | Response::Breakpoints(_)
                | Response::Locations(_)
                | Response::WatchRemoved
                | Response::Variables(_)
                | Response::Children { .. }
                | Response::Evaluated(_),
                _,
            ) => {}
        }
    }

    fn stopped(&mut self, stopped: &Stopped, out: &mut Messages) {
        let id = self.end_run();
        encode::stopped(out, stopped, self.speaks_2(), id.as_deref());
        let more = self.speaks_2();
        stopped.changed.iter().for_each(|variable| values::variable_update(out, variable, more));
        for id in self.pauses.drain(..) {
            paused(out, Some(&id));
        }
    }

    /// The program has stopped or ended: the `id` that says so carries.
    fn end_run(&mut self) -> Id {
        let id = self.running.take().and_then(|run| run.id);
        if id.is_some() || self.pauses.is_empty() { id } else { Some(self.pauses.remove(0)) }
    }

    /// The client will not hear of the end of the run under way: why answers what made the program run, or was
    /// to pause it.
    fn end_run_by(&mut self, out: &mut Messages, why: &str) {
        if let Some(Run { id: Some(id), name, .. }) = self.running.take() {
            encode::error(out, why, name.as_deref(), Some(&id));
        }
        for id in self.pauses.drain(..) {
            encode::error(out, why, Some("pause"), Some(&id));
        }
    }
}

/// Answers a `pause` that no stop answers.
fn paused(out: &mut Messages, id: Option<&RawValue>) {
    if id.is_some() {
        encode::add(out, "paused", wire::Empty {}, id);
    }
}

/// What the answer to a request has to repeat.
fn echo(request: &Request, version: Option<u32>) -> Echo {
    match request {
        Request::Initialize(_) => Echo::Version(version),
        Request::Breakpoint(request) => match request {
            BreakpointRequest::Set { file, spec } => Echo::Line(file.clone(), spec.place.line),
            BreakpointRequest::Clear { file, line } => Echo::Line(file.clone(), *line),
            BreakpointRequest::SetAll { file, .. } | BreakpointRequest::Locations { file, .. } => {
                Echo::File(Some(file.clone()))
            }
            BreakpointRequest::List { file } => Echo::File(file.clone()),
            BreakpointRequest::SetFunctions(_) => Echo::Breakpoints("functionBreakpoints"),
            BreakpointRequest::SetData(_) => Echo::Breakpoints("dataBreakpoints"),
            BreakpointRequest::Enable(..)
            | BreakpointRequest::Remove(_)
            | BreakpointRequest::Change(..)
            | BreakpointRequest::SetExceptions(_) => Echo::Nothing,
        },
        Request::Watch(WatchRequest::Remove(id)) => Echo::Watch(id.0),
        Request::Inspect(request) => match request {
            Inspect::Variables { frame, .. } => Echo::Frame(*frame),
            Inspect::Children { handle, start, .. } => Echo::Value(handle.0.get(), *start),
            Inspect::Evaluate(request) => {
                Echo::Expression(request.expression.clone(), request.limits == commands::FULL)
            }
            Inspect::StackTrace { .. }
            | Inspect::StepTargets { .. }
            | Inspect::SetVariable { .. }
            | Inspect::LastChange(_)
            | Inspect::Completions { .. } => Echo::Nothing,
        },
        Request::Attach(_) => Echo::Version(version),
        Request::Start
        | Request::Restart(_)
        | Request::Resume(_)
        | Request::Pause
        | Request::Kill
        | Request::Terminate
        | Request::Disconnect
        | Request::Input { .. }
        | Request::Watch(WatchRequest::Add(_) | WatchRequest::List)
        | Request::Query(_) => Echo::Nothing,
    }
}
