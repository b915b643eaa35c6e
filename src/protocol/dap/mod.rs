//! The Debug Adapter Protocol, which editors speak. Where a rule here looks odd, it is that protocol's.
//!
//! A client is answered at once about what it cannot have now: a request that needs a stopped program does
//! not wait for one, since nobody would know how long.

mod answers;
mod breakpoints;
mod client;
mod data;
mod decode;
mod events;
mod framing;
mod inspect;
mod lifecycle;
mod opening;
mod references;
mod relay;
mod terminal;
mod values;
mod wire;
mod writing;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};

use foldhash::HashMap;
use serde_json::{Map, Value};

use crate::api::{Event, Failure, Query, Raised, Request, RequestId, Response, Returned};
use crate::protocol::params::Params;
use crate::session::Incoming;
use crate::value::Stream;

use super::{ClientLink, FrontEnd, Messages, Received, SharedFrontEnd};
use answers::Kind;
use client::Client;
use data::DataSources;
use decode::{From, Message, decode};
use framing::{Frame, Framing};
pub use opening::{Opening, Step};
use references::References;
use relay::{Early, Relay};
use writing::{Numbering, Refusal};

/// The front end, for the only client of a session.
pub fn front_end() -> SharedFrontEnd {
    new(false)
}

/// `listens`: the client comes over a socket, to which others may come later.
fn new(listens: bool) -> Arc<Mutex<DapFrontEnd>> {
    Arc::new_cyclic(|this: &Weak<Mutex<DapFrontEnd>>| {
        Mutex::new(DapFrontEnd { this: this.clone(), listens, ..DapFrontEnd::default() })
    })
}

/// Where the program stands, as the client knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// There is none.
    #[default]
    NoProgram,
    /// It was named, and is not started.
    Launched,
    Running,
    Stopped,
    /// It has ended, and the client was told.
    Ended,
}

/// A request that the session has not answered yet.
struct Asked {
    from: From,
    kind: Kind,
    /// Whether the client does not want the answer any more.
    cancelled: bool,
}

/// Something that the front end tells by itself when its turn comes.
enum Own {
    Answer(From, Result<Option<Value>, Refusal>),
    /// The answer, and an event behind it.
    AnswerAndEvent(From, Option<Value>, &'static str),
    /// Something that the client has sent was not understood.
    Note(String),
    /// A message as it is, but for its number.
    Message(Value),
}

/// The present stop.
#[derive(Default)]
struct Stop {
    /// How many there have been.
    number: u64,
    /// What the function gave that has just returned.
    returned: Option<Returned>,
    /// The error at which the program has stopped.
    raised: Option<Raised>,
}

/// The protocol with one client.
#[derive(Default)]
struct DapFrontEnd {
    this: Weak<Mutex<DapFrontEnd>>,
    link: Option<ClientLink>,
    /// Whether other clients may come to the session later.
    listens: bool,
    /// Whether the client has come to a program that was there.
    attached: bool,
    /// What is to be asked after what was written last.
    follow_up: Vec<Received>,
    framing: Framing,
    numbering: Numbering,
    /// The arguments of `initialize`, and what else was asked before there was a program, for another adapter.
    introduction: Value,
    early: Vec<Early>,
    /// The adapter where the program is, if it is not here.
    relay: Option<Relay>,
    /// How many of them there have been.
    relays: u64,
    /// What the client has said of itself, once it has.
    client: Option<Client>,
    phase: Phase,
    /// Whether one can go back.
    keeps_history: bool,
    /// Whether the program runs without breakpoints and stops.
    no_debug: bool,
    /// The file that was launched, as the client names it.
    program: Option<String>,
    /// Whether the client has said that all breakpoints are set.
    configured: bool,
    /// Counts what the client sends before that, once it has set what usually comes last.
    configuring: Option<u64>,
    /// Whether the program waits for input.
    waits_for_input: bool,
    /// Number of the last request.
    last: u64,
    asked: HashMap<RequestId, Asked>,
    own: HashMap<RequestId, Own>,
    stop: Stop,
    references: References,
    data: DataSources,
    /// The files for which breakpoints were set.
    files: BTreeSet<String>,
    /// The files of the program that were not looked at yet.
    unread: Vec<String>,
    /// The journey through time of which the client was told, and how many there have been.
    progress: Option<u64>,
    journeys: u64,
    /// The request that ends the session.
    disconnecting: Option<From>,
}

impl FrontEnd for DapFrontEnd {
    fn begin(&mut self, link: ClientLink) {
        self.link = Some(link);
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        let mut work = Vec::new();
        for file in std::mem::take(&mut self.unread) {
            self.ask_silently(Request::Query(Query::Source { file }), Kind::Text, &mut work);
        }
        for frame in self.framing.feed(bytes) {
            match frame {
                Frame::Message(bytes) => {
                    if !self.pass_on(&bytes, &mut work) {
                        self.message(&bytes, &mut work);
                    }
                }
                Frame::Wrong(why) => self.note(why, &mut work),
            }
        }
        work
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        self.relay = None;
        if self.listens {
            // Somebody else may come.
            return Vec::new();
        }
        // Nobody is left who would look at the program.
        let mut work = Vec::new();
        self.ask_silently(Request::Terminate, Kind::Silent, &mut work);
        work
    }

    fn response(&mut self, id: RequestId, result: &Result<Response, Failure>, out: &mut Messages) {
        if let Some(asked) = self.asked.remove(&id) {
            self.answer(id, asked, result, out);
        }
    }

    fn reply(&mut self, id: RequestId, out: &mut Messages) {
        match self.own.remove(&id) {
            Some(Own::Answer(from, result)) => self.numbering.answer(out, &from, result),
            Some(Own::AnswerAndEvent(from, body, event)) => {
                self.numbering.success(out, &from, body);
                self.numbering.bare_event(out, event);
            }
            Some(Own::Note(text)) if self.phase != Phase::Ended => {
                self.numbering.output(out, "console", &text);
            }
            Some(Own::Message(message)) => {
                self.relayed_one();
                self.numbering.message(out, message);
            }
            Some(Own::Note(_)) | None => {}
        }
    }

    fn follow_up(&mut self) -> Vec<Received> {
        std::mem::take(&mut self.follow_up)
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        self.tell(event, out);
    }

    fn output(&mut self, stream: Stream, text: &str, out: &mut Messages) {
        let category = match stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        self.numbering.output(out, category, text);
    }
}

impl DapFrontEnd {
    fn new_id(&mut self) -> RequestId {
        self.last += 1;
        RequestId(self.last)
    }

    /// Passes a request on to the session.
    fn ask(&mut self, from: &From, request: Request, kind: Kind, work: &mut Vec<Received>) -> RequestId {
        let id = self.new_id();
        self.asked.insert(id, Asked { from: from.clone(), kind, cancelled: false });
        work.push(Received::Message(Incoming { id, request: Ok(request) }));
        id
    }

    /// Passes a request on that the client has not made.
    fn ask_silently(&mut self, request: Request, kind: Kind, work: &mut Vec<Received>) {
        let from = From { seq: 0, command: String::new() };
        self.ask(&from, request, kind, work);
    }

    fn reply_with(&mut self, own: Own, work: &mut Vec<Received>) {
        let id = self.new_id();
        self.own.insert(id, own);
        work.push(Received::Reply(id));
    }

    /// Answers without the session.
    fn answer_now(&mut self, from: &From, body: Option<Value>, work: &mut Vec<Received>) {
        self.reply_with(Own::Answer(from.clone(), Ok(body)), work);
    }

    fn note(&mut self, why: String, work: &mut Vec<Received>) {
        self.reply_with(Own::Note(format!("A message was ignored: {why}\n")), work);
    }

    fn message(&mut self, bytes: &[u8], work: &mut Vec<Received>) {
        match decode(bytes) {
            Message::Request(from, arguments) => {
                self.remember(&from, &arguments);
                let result = self.request(&from, &Params::new(&arguments), work);
                if let Err(why) = result {
                    self.reply_with(Own::Answer(from, Err(why)), work);
                }
            }
            Message::WrongRequest(from, why) => {
                self.reply_with(Own::Answer(from, Err(why.into())), work);
            }
            Message::Response(_, result) if self.relay.is_some() => self.in_terminal(result, work),
            Message::Response(to, _) => self.note(format!("the adapter has made no request {to}"), work),
            Message::Wrong(why) => self.note(why, work),
        }
    }

    /// Keeps what another adapter has to know, if the program turns out to be there.
    fn remember(&mut self, from: &From, arguments: &Map<String, Value>) {
        if from.command == "initialize" {
            self.introduction = Value::Object(arguments.clone());
        } else if self.phase == Phase::NoProgram && from.command.ends_with("Breakpoints") {
            let (from, arguments) = (from.clone(), arguments.clone());
            self.early.push(Early { from, arguments, told: Vec::new() });
        }
    }

    /// Carries a request out: whatever it needs is in `work` then. One that fails has changed nothing.
    fn request(&mut self, from: &From, params: &Params, work: &mut Vec<Received>) -> Result<(), Refusal> {
        let name = from.command.as_str();
        if self.client.is_none() && name != "initialize" {
            return Err(format!("the first request has to be 'initialize', not '{name}'").into());
        }
        self.still_configuring();
        match name {
            "initialize" => self.initialize(from, params, work),
            "launch" => self.launch(from, params, work),
            "attach" => self.attach(from, params, work),
            "configurationDone" => self.configuration_done(from, work),
            "restart" => self.restart(from, params, work),
            "terminate" => self.terminate(from, work),
            "disconnect" => self.disconnect(from, params, work),
            "cancel" => self.cancel(from, params, work),
            "threads" => self.threads(from, work),
            "pause" => self.pause(from, params, work),
            "continue" | "next" | "stepIn" | "stepOut" => self.resume(from, params, work),
            "stepBack" | "reverseContinue" | "restartFrame" | "stepBackInto" | "stepBackOut" | "goToStep"
            | "goToPresent" => self.travel(from, params, work),
            "setBreakpoints" => self.set_breakpoints(from, params, work),
            "setFunctionBreakpoints" => self.set_function_breakpoints(from, params, work),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(from, params, work),
            "setDataBreakpoints" => self.set_data_breakpoints(from, params, work),
            "dataBreakpointInfo" => self.data_breakpoint_info(from, params, work),
            "breakpointLocations" => self.breakpoint_locations(from, params, work),
            "stackTrace" => self.stack_trace(from, params, work),
            "scopes" => self.scopes(from, params, work),
            "variables" => self.variables(from, params, work),
            "setVariable" => self.set_variable(from, params, work),
            "setExpression" => self.set_expression(from, params, work),
            "evaluate" => self.evaluate(from, params, work),
            "completions" => self.completions(from, params, work),
            "lastChange" => self.last_change(from, params, work),
            "stepInTargets" => self.step_targets(from, params, work),
            "exceptionInfo" => self.exception_info(from, params, work),
            "source" => self.source(from, params, work),
            "loadedSources" | "modules" => self.modules(from, params, work),
            _ => Err(unknown(name)),
        }
    }

    /// What the client has said of itself.
    fn client(&self) -> Client {
        self.client.clone().unwrap_or_default()
    }

    /// Refuses what only a stopped program can be asked.
    fn needs_stop(&self) -> Result<(), Refusal> {
        let text = match self.phase {
            Phase::Stopped => return Ok(()),
            Phase::NoProgram => "no program is launched",
            Phase::Launched => "the program is not started",
            Phase::Running if self.waits_for_input => "the program waits for input",
            Phase::Running => "the program is running",
            Phase::Ended => "the program has ended",
        };
        let word = (self.phase == Phase::Running).then_some("notStopped");
        Err(Refusal { word, ..text.into() })
    }
}

/// The refusal of a request that there is not.
fn unknown(name: &str) -> Refusal {
    format!("unknown request: {name}").into()
}

/// The `threadId` may be missing, but not be that of another thread.
fn check_thread(params: &Params) -> Result<(), Refusal> {
    match params.number("threadId", 0, u32::MAX)? {
        None | Some(THREAD) => Ok(()),
        Some(other) => Err(format!("there is no thread {other}").into()),
    }
}

/// Number of the only thread.
const THREAD: u32 = 1;
