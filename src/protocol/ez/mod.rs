//! The EZ debug protocol: one JSON object per line. It is specified in `SPEC.md`.

mod breakpoints;
mod capabilities;
mod commands;
mod decode;
pub mod description;
mod encode;
mod entered;
mod parts;
mod processes;
mod sink;
mod values;
mod wire;

use std::sync::Arc;

use serde_json::value::RawValue;

use ez_engine::api::{
    ChangeReason, Company, Event, Failure, FailureKind, Obstacle, OutputSource, Request, RequestNumber,
    Response, SessionRequest, Stopped,
};
use ez_engine::session::Incoming;
use ez_runtime::sync::Mutex;
use ez_runtime::value::Stream;

use super::json::{self, cut_json};
use super::lines::{LIMIT, Line, Lines, TooLong};
use super::value_text::Notation;
use super::{FrontEnd, Messages, Pending, Received, SharedFrontEnd};
use commands::WriteAnswer;
use decode::decode;

pub(super) use commands::{Ask, Context, command};
pub use commands::{is_command, shared_line};
pub(super) use decode::Decoded;
pub(super) use sink::{Reply, Sink, append, escape_id, write_notification};
pub(super) use wire::Report;

/// The highest version of the protocol that is implemented.
pub const VERSION: u32 = 2;

/// A front end for one client.
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(EzFrontEnd::default()))
}

/// The `id` of a command, exactly as the client wrote it.
type Id = Option<Box<RawValue>>;

/// A command that has not been answered yet.
#[derive(Default)]
pub(super) struct PendingCommand {
    id: Id,
    name: Option<String>,
    /// See [`Request::verb`].
    verb: &'static str,
}

impl PendingCommand {
    /// The `id` for the answer.
    fn id(&self) -> Option<&RawValue> {
        self.id.as_deref()
    }

    /// The command's name, if it is known.
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// The state of the protocol with one client.
#[derive(Default)]
pub(super) struct EzFrontEnd {
    lines: Lines,
    /// The version in use; 1 until the client asks for another one.
    version: u32,
    /// How arrays in values are written; [`Notation::Brackets`] until the client asks for the other.
    pub(super) notation: Notation,
    /// Whether a command has settled the version.
    settled: bool,
    /// The commands that may settle it and are not answered yet, each with its version, and before them the version
    /// that is in use if none of them does.
    choices: Vec<(RequestNumber, u32)>,
    /// The commands that are not answered, and how their answers are written.
    asked: Pending<(PendingCommand, Option<Box<WriteAnswer>>)>,
    /// While the program runs: the command that resumed it. The next stop, or the end, answers it.
    running: Option<PendingCommand>,
    /// The `id`s of the `pause` commands since the program was resumed.
    pauses: Vec<Box<RawValue>>,
    /// The `id` of the `terminate` command.
    terminate: Id,
    /// Requests to make on behalf of a client that does not know child processes.
    follow_up: Vec<Received>,
}

impl FrontEnd for EzFrontEnd {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        self.lines.feed(bytes).into_iter().map(|line| self.message(line)).collect()
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        self.lines.end().into_iter().map(|line| self.message(line)).collect()
    }

    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages) {
        self.write_response(id, result, &mut Sink::events(out, self.notation));
    }

    fn follow_up(&mut self) -> Vec<Received> {
        std::mem::take(&mut self.follow_up)
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        self.write_event(event, &mut Sink::events(out, self.notation));
    }

    fn output(&mut self, source: OutputSource, text: &str, out: &mut Messages) {
        self.write_output(r#"{"type":"event","event":"output","data":"#, source, text, out);
    }
}

impl EzFrontEnd {
    /// A front end that uses this version without being asked.
    pub(super) fn with_version(version: u32) -> EzFrontEnd {
        EzFrontEnd { version, ..EzFrontEnd::default() }
    }

    /// Adds an event with output; `start` is what stands before its data.
    pub(super) fn write_output(&self, start: &str, source: OutputSource, text: &str, out: &mut Messages) {
        let category = match source.stream {
            Stream::Stdout => r#"{"category":"stdout","text":"#,
            Stream::Stderr => r#"{"category":"stderr","text":"#,
        };
        let end = if source.by_client && self.version >= 2 { ",\"client\":true}}\n" } else { "}}\n" };
        out.add(|bytes| {
            bytes.extend_from_slice(start.as_bytes());
            bytes.extend_from_slice(category.as_bytes());
            json::write_string(bytes, text);
            bytes.extend_from_slice(end.as_bytes());
        });
    }

    fn message(&mut self, line: Line) -> Received {
        let decoded = match line {
            Ok(line) => decode(&line, self.version),
            Err(TooLong) => {
                let message = format!("line too long (limit: {LIMIT} bytes)");
                Decoded { id: None, name: None, ask: Err(message) }
            }
        };
        self.accept(decoded)
    }

    /// Accepts a decoded command.
    pub(super) fn accept(&mut self, Decoded { id, name, ask }: Decoded) -> Received {
        let number = self.asked.number();
        let (request, verb, answer) = match ask {
            Ok(Ask { request, version, answer }) => {
                self.choose(number, version);
                let verb = request.verb();
                (Ok(request), verb, Some(answer))
            }
            Err(message) => (Err(Failure::new(FailureKind::BadRequest, message)), "", None),
        };
        self.asked.insert(number, (PendingCommand { id, name, verb }, answer));
        Received::Message(Incoming { id: number, request })
    }

    /// Accepts a command that the front end around this one answers itself, with [`EzFrontEnd::answer`].
    pub(super) fn accept_own(&mut self, id: Id, name: Option<String>) -> Received {
        Received::Reply(self.asked.add((PendingCommand { id, name, verb: "" }, None)))
    }

    /// Answers such a command with what is no event: this JSON.
    pub(super) fn answer(&mut self, id: RequestNumber, json: &[u8], out: &mut Sink) {
        if let Some((asked, _)) = self.asked.take(id) {
            out.result(json, asked.id());
        }
    }

    /// A command chooses this version, if any. It has an effect at once: the commands after it may have been received.
    fn choose(&mut self, command: RequestNumber, version: Option<u32>) {
        let Some(version) = version.filter(|_| !self.settled) else { return };
        if self.choices.is_empty() {
            self.choices.push((RequestNumber::of_low_bits(0), self.version));
        }
        self.choices.push((command, version));
        self.expect();
    }

    /// Decodes the commands that come now, before it is known which of several settles the version (a second one is
    /// refused, if the first is not): with the highest version, since its commands are known to the client.
    fn expect(&mut self) {
        let chosen = self.choices.iter().skip(1).map(|(_, version)| *version).max();
        if let Some(version) = chosen.or(self.choices.first().map(|(_, version)| *version)) {
            self.version = version;
        }
    }

    /// Writes the answer to a command.
    pub(super) fn write_response(
        &mut self,
        id: RequestNumber,
        result: &Result<Response, Failure>,
        out: &mut Sink,
    ) {
        match (self.asked.take(id), result) {
            (Some((asked, Some(answer))), Ok(response)) => answer(self, asked, response, out),
            (Some((asked, _)), Err(failure)) => {
                self.refused(id, failure.kind);
                self.write_failure(&asked, failure, out);
            }
            (Some((_, None)), Ok(_)) | (None, _) => {}
        }
    }

    fn write_failure(&self, asked: &PendingCommand, failure: &Failure, out: &mut Sink) {
        let (id, name) = (asked.id(), asked.name());
        match failure.problems.as_slice() {
            [] if self.speaks_2() && failure.wrong.is_some() => {
                encode::wrong_expression(out, failure, name, id);
            }
            [] if self.speaks_2() && failure.kind.blames_program() => {
                encode::no_program(out, failure, name, id);
            }
            [] => encode::error(out, &failure.message, name, id),
            [others @ .., last] => {
                let more = if self.speaks_2() { None } else { id };
                others.iter().for_each(|problem| encode::problem(out, problem, more));
                encode::problem(out, last, id);
            }
        }
    }

    /// Writes an event of the session.
    pub(super) fn write_event(&mut self, event: &Event, out: &mut Sink) {
        match event {
            Event::Stopped(stopped) => self.stopped(stopped, out),
            Event::WrongCondition(breakpoint) => {
                breakpoints::wrong_condition(out, breakpoint);
                if self.speaks_2() {
                    breakpoints::breakpoint_changed(out, breakpoint, ChangeReason::Changed, None, None);
                }
            }
            Event::BreakpointsChanged { changes, by } => {
                if self.speaks_2() {
                    for (breakpoint, reason) in changes {
                        breakpoints::breakpoint_changed(out, breakpoint, *reason, by.as_deref(), None);
                    }
                }
            }
            Event::Log(text) => {
                let text = cut_json(text, encode::TEXT_LIMIT);
                out.add("output", wire::Output { category: "console", text, client: false }, None);
            }
            Event::WatchChanged(watch) => {
                out.add("watchUpdate", values::watch(watch, true, out.notation), None);
            }
            Event::Progress(progress) => out.add("progress", encode::progress(progress), None),
            Event::InputRequested(reader) => {
                let reader = reader.as_ref().filter(|_| self.speaks_2());
                let location = reader.map(|reader| encode::location(&reader.location));
                let step = reader.map(|reader| reader.step);
                out.add("inputRequested", wire::InputRequested { location, step }, None);
            }
            // Only the interactive prompt and notebooks run cells.
            Event::CellEnded(_) => {}
            Event::ChildStarted(process) if self.speaks_2() => processes::child_started(out, process),
            Event::ChildStarted(process) => {
                let (id, request) =
                    (self.asked.number(), Ok(Request::Session(SessionRequest::ReleaseChild(process.pid))));
                self.follow_up.push(Received::Message(Incoming { id, request }));
            }
            Event::ChildEnded(end) => {
                if self.speaks_2() {
                    processes::child_ended(out, *end);
                }
            }
            Event::Company(company) => self.company(company, out),
            Event::Exited(exited) => {
                if let Some(problem) = &exited.error {
                    encode::problem(out, problem, None);
                }
                let id = self.end_run();
                let output = exited.output.as_ref().filter(|_| self.speaks_2()).map(encode::output_state);
                out.add("exited", wire::Exited { exit_code: exited.status, output }, id.as_deref());
                self.refuse_pauses(out);
            }
            Event::Failed(message) => encode::error(out, message, None, None),
            Event::Terminated => {
                self.refuse_run(out);
                let id = self.terminate.take();
                out.add("terminated", wire::Empty {}, id.as_deref());
            }
        }
    }

    /// Another client has done something.
    fn company(&mut self, company: &Company, out: &mut Sink) {
        if let Company::Resumed(_) | Company::Restarted(_) = company {
            // A pause is answered by the stop that follows, which has no `id` otherwise.
            self.running.get_or_insert_with(PendingCommand::default);
        }
        match company {
            Company::Dismissed(why) if !self.speaks_2() => encode::error(out, &why.to_string(), None, None),
            _ if !self.speaks_2() => {}
            Company::Joined(guest) => out.add("guestJoined", wire::GuestItem::from(guest), None),
            Company::Left(guest) => out.add("guestLeft", wire::GuestItem::from(guest), None),
            Company::Resumed(by) => out.add("continued", wire::Continued { by, restarted: false }, None),
            Company::Restarted(by) => out.add("continued", wire::Continued { by, restarted: true }, None),
            Company::Changed(by) => out.add("valuesChanged", wire::ByClient { by }, None),
            Company::Dismissed(why) => {
                self.end_run_by(out, &why.to_string());
                out.add("dismissed", wire::Dismissed { message: why.to_string() }, None);
            }
        }
    }

    /// A command that was carried out has chosen the version, and how arrays are written.
    fn settle_with(&mut self, version: u32, notation: Notation, out: &mut Sink) {
        (self.notation, out.notation) = (notation, notation);
        self.settle(version);
    }

    /// The version is that of a command that was carried out.
    fn settle(&mut self, version: u32) {
        self.version = version;
        self.settled = true;
        self.choices.clear();
    }

    /// A command has failed: it does not settle the version, unless only the program is to blame: then the session
    /// may go on.
    fn refused(&mut self, id: RequestNumber, why: FailureKind) {
        let Some(index) = self.choices.iter().position(|(choice, _)| *choice == id) else { return };
        if why.blames_program() && index + 1 == self.choices.len() {
            return self.settle(self.version);
        }
        self.choices.remove(index);
        self.expect();
    }

    /// Whether version 2 is in use.
    fn speaks_2(&self) -> bool {
        self.version >= 2
    }

    /// The session ends while the program runs: answers the command that resumed it with an error.
    fn refuse_run(&mut self, out: &mut Sink) {
        if let Some(PendingCommand { id: Some(id), name, verb }) = self.running.take() {
            let failure = Failure::wrong_state(verb, Obstacle::Ended);
            encode::error(out, &failure.message, name.as_deref(), Some(&id));
        }
        self.refuse_pauses(out);
    }

    /// The program has ended: answers `pause` commands that came too late with an error.
    fn refuse_pauses(&mut self, out: &mut Sink) {
        let failure = Failure::wrong_state(Request::Pause.verb(), Obstacle::Ended);
        for id in self.pauses.drain(..) {
            encode::error(out, &failure.message, Some("pause"), Some(&id));
        }
    }

    fn stopped(&mut self, stopped: &Stopped, out: &mut Sink) {
        let id = self.end_run();
        encode::stopped(out, stopped, self.speaks_2(), id.as_deref());
        let more = self.speaks_2();
        stopped.changed.iter().for_each(|variable| values::variable_update(out, variable, more));
        for id in self.pauses.drain(..) {
            paused(out, Some(&id));
        }
    }

    /// The program has stopped or ended: the `id` for that event.
    fn end_run(&mut self) -> Id {
        let id = self.running.take().and_then(|run| run.id);
        if id.is_some() || self.pauses.is_empty() { id } else { Some(self.pauses.remove(0)) }
    }

    /// The client is not told of the program's next stop: answers the commands waiting for it with this
    /// error.
    fn end_run_by(&mut self, out: &mut Sink, why: &str) {
        if let Some(PendingCommand { id: Some(id), name, .. }) = self.running.take() {
            encode::error(out, why, name.as_deref(), Some(&id));
        }
        for id in self.pauses.drain(..) {
            encode::error(out, why, Some("pause"), Some(&id));
        }
    }
}

/// Writes the event `paused`, which answers a `pause` that no stop answers.
fn paused(out: &mut Sink, id: Option<&RawValue>) {
    if id.is_some() {
        out.add("paused", wire::Empty {}, id);
    }
}
