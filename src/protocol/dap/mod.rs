//! The Debug Adapter Protocol (DAP), which editors speak.
//!
//! A request that is not allowed at present is refused at once. For example, one that needs a stopped program
//! does not wait for the next stop, since nobody could know how long.

mod announced;
mod asking;
mod attaching;
mod breakpoints;
mod capabilities;
mod cells;
mod children;
mod client;
mod configuring;
mod data;
mod decode;
mod early_breakpoints;
mod elsewhere;
mod evaluate;
mod events;
mod expected_output;
mod frame_format;
mod handshake;
mod history;
mod later;
mod lifecycle;
mod notebook;
mod own_breakpoints;
mod own_messages;
mod phase;
mod problems;
mod references;
mod running;
mod sharing;
mod sources;
mod stack;
mod terminal;
mod unfolding;
mod values;
mod variables;
mod wire;
mod writing;

use std::sync::{Arc, Weak};

use foldhash::HashMap;
use serde_json::{Map, Value};

use crate::protocol::params::Params;
use ez_engine::api::{
    Event, Failure, OutputSource, Raised, Request, RequestNumber, Response, Returned, SessionRequest, Status,
};
use ez_runtime::sync::Mutex;
use ez_runtime::value::Stream;

use super::{ClientLink, FrontEnd, Messages, Pending, Received, SharedFrontEnd};
use crate::protocol::framing::{Frame, Framing};
use asking::PendingRequest;
use attaching::Attaching;
pub use cells::CellConventions;
use cells::CellState;
use children::Children;
use client::Client;
use configuring::Configuring;
use data::DataSources;
use decode::{Message, RequestHeader, decode};
use early_breakpoints::EarlyBreakpoints;
use elsewhere::Elsewhere;
use events::Journeys;
pub use handshake::{Handshake, HandshakeResult};
use lifecycle::Debugging;
pub use notebook::{DebugMessage, NotebookDebugger};
use own_breakpoints::OwnBreakpoints;
use own_messages::OwnMessage;
use references::References;
use sharing::Part;
use writing::{MessageWriter, Refusal};

/// A front end for the only client of a session. `is_confined`: its program reaches no files outside of a folder, which one
/// in a terminal would, or one that runs already.
pub fn front_end(is_confined: bool) -> SharedFrontEnd {
    new(false, is_confined)
}

/// `listens`: the client has connected over a socket, and others can do so later.
fn new(listens: bool, is_confined: bool) -> Arc<Mutex<DapFrontEnd>> {
    Arc::new_cyclic(|this: &Weak<Mutex<DapFrontEnd>>| {
        Mutex::new(DapFrontEnd { this: this.clone(), listens, is_confined, ..DapFrontEnd::default() })
    })
}

/// How the client has come to its program, from its request on: it decides what happens when the client goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    #[default]
    None,
    /// By `launch`: the program ends with its session.
    Launched,
    /// By `attach`: the program goes on.
    Attached,
}

/// A request of the client that is being carried out.
struct Call<'a> {
    from: &'a RequestHeader,
    params: &'a Params<'a>,
    /// Where the requests to the session that it needs are added.
    work: &'a mut Vec<Received>,
}

/// Carries out a request of the client. A request that fails has changed nothing.
type Handler = fn(&mut DapFrontEnd, Call) -> Result<(), Refusal>;

/// The requests of clients, by subject.
const REQUESTS: &[&[(&str, Handler)]] = &[
    lifecycle::REQUESTS,
    configuring::REQUESTS,
    attaching::REQUESTS,
    running::REQUESTS,
    breakpoints::REQUESTS,
    data::REQUESTS,
    stack::REQUESTS,
    variables::REQUESTS,
    evaluate::REQUESTS,
    history::REQUESTS,
    expected_output::REQUESTS,
    unfolding::REQUESTS,
    sources::REQUESTS,
    sharing::REQUESTS,
];

/// The present stop.
#[derive(Default)]
struct Stop {
    /// Counts the stops.
    number: u64,
    /// The result of the function that has just returned.
    returned: Option<Returned>,
    /// The error at which the program has stopped.
    raised: Option<Raised>,
    /// The body of `exceptionInfo`, if it has stopped for its output.
    output: Option<Value>,
}

/// The state of the protocol with one client.
#[derive(Default)]
struct DapFrontEnd {
    this: Weak<Mutex<DapFrontEnd>>,
    link: Option<ClientLink>,
    /// Whether other clients can connect to the session later.
    listens: bool,
    /// Whether its program reaches no files outside of a folder.
    is_confined: bool,
    /// How the client has come to its program.
    origin: Origin,
    /// Whether the client was told that the session is over for it.
    is_over: bool,
    part: Part,
    breakpoints: OwnBreakpoints,
    attaching: Attaching,
    /// Requests to make after the messages written last.
    follow_up: Vec<Received>,
    framing: Framing,
    numbering: MessageWriter,
    elsewhere: Elsewhere,
    early: EarlyBreakpoints,
    /// Conventions and capabilities of the client, once `initialize` has come.
    client: Option<Client>,
    /// What the program does, as far as the client was told.
    phase: Status,
    /// How the program is debugged.
    debugging: Debugging,
    /// The file that was launched, as the client names it, and the other arguments of `launch`.
    program: Option<String>,
    configuration: Map<String, Value>,
    configuring: Configuring,
    /// Whether the program waits for input.
    waits_for_input: bool,
    /// The requests to the session that are not answered.
    asked: Pending<PendingRequest>,
    /// The messages that the front end creates itself and that are not due, by their numbers.
    own: HashMap<RequestNumber, OwnMessage>,
    stop: Stop,
    references: References,
    data: DataSources,
    /// The files of the program that are not in `wide` yet.
    unread: Vec<String>,
    journeys: Journeys,
    children: Children,
    /// The request `disconnect` or `terminate` that ends the session.
    disconnecting: Option<RequestHeader>,
    /// In a session of cells: what is kept about them.
    cells: Option<CellState>,
}

impl FrontEnd for DapFrontEnd {
    fn begin(&mut self, link: ClientLink) {
        self.link = Some(link);
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        let mut work = Vec::new();
        for file in std::mem::take(&mut self.unread) {
            self.read_file(file, &mut work);
        }
        for frame in self.framing.feed(bytes) {
            match frame {
                Frame::Message(bytes) => self.take_in(bytes, &mut work),
                Frame::Wrong(why) => self.note(why, &mut work),
            }
        }
        work
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        self.elsewhere.stop_connecting();
        self.leave();
        if self.listens {
            // What becomes of the program, the session does: see `on_disconnect`.
            return Vec::new();
        }
        // No client is left: the program ends.
        let mut work = Vec::new();
        self.ask_silently(Request::Terminate, &mut work);
        work
    }

    fn on_disconnect(&self) -> Request {
        match self.origin {
            _ if self.part.is_guest() => Request::Session(SessionRequest::Disconnect { resume: false }),
            Origin::Launched => Request::Terminate,
            Origin::Attached => Request::Session(SessionRequest::Disconnect { resume: true }),
            Origin::None => Request::Session(SessionRequest::Disconnect { resume: false }),
        }
    }

    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages) {
        self.answered(id, result, out);
    }

    fn reply(&mut self, id: RequestNumber, out: &mut Messages) {
        match self.own.remove(&id) {
            Some(OwnMessage::Answer(from, result)) => self.numbering.answer(out, &from, result),
            Some(OwnMessage::AnswerAndEvent(from, body, event)) => {
                self.numbering.success(out, &from, body);
                self.numbering.bare_event(out, event);
            }
            Some(OwnMessage::Note(text)) if !self.is_over => {
                self.numbering.output(out, "console", &text);
            }
            Some(OwnMessage::Message(message)) => {
                self.numbering.message(out, message);
            }
            Some(OwnMessage::Lost(attached_by, why)) => self.lost(attached_by, &why, out),
            Some(OwnMessage::Note(_)) | None => {}
        }
    }

    fn follow_up(&mut self) -> Vec<Received> {
        let mut work = std::mem::take(&mut self.follow_up);
        self.handle_waiting(&mut work);
        work
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        self.tell(event, out);
    }

    fn output(&mut self, source: OutputSource, text: &str, out: &mut Messages) {
        let category = match source.stream {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        };
        self.numbering.output(out, category, text);
    }
}

impl DapFrontEnd {
    fn message(&mut self, bytes: &[u8], work: &mut Vec<Received>) {
        match decode(bytes) {
            Message::Request(from, arguments) => {
                let call = Call { from: &from, params: &Params::new(&arguments), work };
                if let Err(why) = self.request(call) {
                    self.reply_with(OwnMessage::Answer(from, Err(why)), work);
                }
            }
            Message::WrongRequest(from, why) => {
                self.reply_with(OwnMessage::Answer(from, Err(why.into())), work);
            }
            Message::Response(to, result) => {
                if let Some(pid) = self.children.answered(to) {
                    self.debugging_started(pid, result, work);
                } else if self.elsewhere.is_wanted() {
                    // Of `runInTerminal`.
                    self.in_terminal(result);
                } else {
                    self.note(format!("the adapter has made no request {to}"), work);
                }
            }
            Message::Wrong(why) => self.note(why, work),
        }
    }

    fn request(&mut self, call: Call) -> Result<(), Refusal> {
        let name = call.from.command.as_str();
        if let Some((_, handler)) = self.cell_requests().iter().find(|(known, _)| *known == name) {
            return handler(self, call);
        }
        if self.cells.is_some() && cells::REFUSED.contains(&name) {
            return Err("a notebook's debugger is attached to, with 'attach'".into());
        }
        if self.client.is_none() && name != "initialize" && self.cells.is_none() {
            return Err(format!("the first request must be 'initialize', not '{name}'").into());
        }
        self.configuring.go_on();
        match REQUESTS.iter().copied().flatten().find(|(known, _)| *known == name) {
            Some((_, handler)) => handler(self, call),
            None => Err(unknown(name)),
        }
    }

    /// The requests of notebooks, in a session of cells.
    fn cell_requests(&self) -> &'static [(&'static str, Handler)] {
        if self.cells.is_some() { cells::REQUESTS } else { &[] }
    }
}

/// The refusal of a request that does not exist.
fn unknown(name: &str) -> Refusal {
    format!("unknown request: {name}").into()
}

/// Checks the parameter `threadId`, if it is there.
fn check_thread(params: &Params) -> Result<(), Refusal> {
    match params.number("threadId", 0, u32::MAX)? {
        None | Some(THREAD) => Ok(()),
        Some(other) => Err(format!("there is no thread {other}").into()),
    }
}

/// `threadId` of the only thread.
const THREAD: u32 = 1;
