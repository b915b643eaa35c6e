//! The EZ debug protocol: one JSON object a line. `SPEC.md` is its normative text.

mod decode;
mod encode;
mod lines;
mod params;
mod wire;

use std::sync::{Arc, Mutex};

use foldhash::HashMap;
use serde_json::value::RawValue;

use crate::api::{
    BreakpointRequest, Event, Failure, FailureKind, Inspect, Request, RequestId, Response, Stopped,
};
use crate::session::Incoming;
use crate::value::Stream;

use super::json;
use super::{FrontEnd, Messages, Received, SharedFrontEnd};
use decode::{Decoded, decode};
use lines::{LIMIT, Line, Lines, TooLong};

/// The highest version of the protocol that is spoken.
pub const VERSION: u32 = 1;

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
    echo: Echo,
}

/// What an answer repeats of its command.
enum Echo {
    Nothing,
    /// The highest version that the client knows.
    Version(Option<u32>),
    Line(String, u32),
    Frame(usize),
    Expression(String),
}

/// A command that lets the program run, while it does. The next stop or the end answers it.
struct Run {
    id: Id,
    name: Option<String>,
}

/// The protocol with one client.
#[derive(Default)]
struct EzFrontEnd {
    lines: Lines,
    /// Number of the last request.
    last: u64,
    asked: HashMap<RequestId, Asked>,
    /// The run under way, if there is one.
    running: Option<Run>,
    /// Those of the pauses since then.
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
                let id = asked.id.as_deref();
                if failure.problems.is_empty() {
                    encode::error(out, &failure.message, asked.name.as_deref(), id);
                }
                failure.problems.iter().for_each(|problem| encode::problem(out, problem, id));
            }
        }
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        match event {
            Event::Stopped(stopped) => self.stopped(stopped, out),
            Event::BreakpointChanged(breakpoint) => encode::wrong_breakpoint(out, breakpoint),
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
    fn message(&mut self, line: Line) -> Received {
        let decoded = match line {
            Ok(line) => decode(&line),
            Err(TooLong) => {
                let message = format!("line too long (limit: {LIMIT} bytes)");
                Decoded { id: None, name: None, request: Err(message) }
            }
        };
        let Decoded { id, name, request } = decoded;
        let echo = match &request {
            Ok((request, version)) => echo(request, *version),
            Err(_) => Echo::Nothing,
        };
        self.last += 1;
        let number = RequestId(self.last);
        self.asked.insert(number, Asked { id, name, echo });
        let request = request.map(|(request, _)| request);
        let request = request.map_err(|message| Failure::new(FailureKind::BadRequest, message));
        Received::Message(Incoming { id: number, request })
    }

    /// The session ends before the run under way does.
    fn refuse_run(&mut self, out: &mut Messages) {
        if let Some(Run { id: Some(id), name }) = self.running.take() {
            let named = name.as_deref().filter(|name| ["start", "continue"].contains(name));
            let verb = named.unwrap_or("step");
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

    fn success(&mut self, Asked { id, name, echo }: Asked, response: &Response, out: &mut Messages) {
        let raw = id.as_deref();
        match (response, echo) {
            (Response::Initialized(program), Echo::Version(version)) => {
                encode::initialized(out, program, version, raw);
            }
            (Response::Started, _) => {
                encode::add(out, "started", wire::Empty {}, raw);
                self.running = Some(Run { id, name });
            }
            (Response::Resumed, _) => self.running = Some(Run { id, name }),
            (Response::Pausing, _) if self.running.is_some() => self.pauses.extend(id),
            // It has ended an evaluation: no stop will answer it.
            (Response::Pausing, _) => paused(out, raw),
            (Response::Terminating, _) => {
                self.refuse_run(out);
                self.terminate = id;
            }
            (Response::BreakpointSet(breakpoint), Echo::Line(file, line)) => {
                let data = wire::BreakpointSet { file: &file, line, id: breakpoint.id.0 };
                encode::add(out, "breakpointSet", data, raw);
            }
            (Response::BreakpointCleared, Echo::Line(file, line)) => {
                encode::add(out, "breakpointCleared", wire::BreakpointCleared { file: &file, line }, raw);
            }
            (Response::Variables(variables), Echo::Frame(frame)) => {
                encode::variables(out, frame, variables, raw);
            }
            (Response::StackTrace { frames, total }, _) => encode::stack_trace(out, frames, *total, raw),
            (Response::Evaluated(value), Echo::Expression(expression)) => {
                encode::evaluated(out, &expression, value, raw);
            }
            (
                Response::InputTaken
                | Response::Children { .. }
                | Response::Initialized(_)
                | Response::BreakpointSet(_)
                | Response::BreakpointCleared
                | Response::Variables(_)
                | Response::Evaluated(_),
                _,
            ) => {}
        }
    }

    fn stopped(&mut self, stopped: &Stopped, out: &mut Messages) {
        let id = self.end_run();
        encode::stopped(out, stopped, id.as_deref());
        stopped.changed.iter().for_each(|variable| encode::variable_update(out, variable));
        for id in self.pauses.drain(..) {
            paused(out, Some(&id));
        }
    }

    /// The program has stopped or ended: the `id` that says so carries.
    fn end_run(&mut self) -> Id {
        let id = self.running.take().and_then(|run| run.id);
        if id.is_some() || self.pauses.is_empty() { id } else { Some(self.pauses.remove(0)) }
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
        Request::Breakpoint(BreakpointRequest::Set(spec)) => Echo::Line(spec.file.clone(), spec.line),
        Request::Breakpoint(BreakpointRequest::Clear { file, line }) => Echo::Line(file.clone(), *line),
        Request::Inspect(Inspect::Variables { frame, .. }) => Echo::Frame(*frame),
        Request::Inspect(Inspect::Evaluate { expression, .. }) => Echo::Expression(expression.clone()),
        Request::Inspect(Inspect::Children { .. } | Inspect::StackTrace { .. })
        | Request::Start
        | Request::Resume(_)
        | Request::Pause
        | Request::Terminate
        | Request::Input { .. } => Echo::Nothing,
    }
}
