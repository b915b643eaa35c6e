//! Relays between the client and a second adapter, in the process that has the program. Numbers that the
//! client was given before (of messages and breakpoints) are translated.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Weak;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use foldhash::HashMap;
use serde_json::{Map, Value, json};

use crate::api::Request;
use crate::platform::{disconnect, reason};
use crate::protocol::params::Params;
use crate::protocol::{ClientLink, Received};
use crate::sync::Mutex;
use crate::threads;

use super::announced::{Announced, Announcement, Cancel};
use super::capabilities::SUPPORTED_BY_LISTENERS;
use super::decode::{Message, RequestHeader, decode};
use super::framing::{Frame, Framing};
use super::lifecycle::follows_children;
use super::writing::Refusal;
use super::{DapFrontEnd, OwnMessage, ProgramState};

/// How long connecting to the other adapter may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program in a terminal may take to announce itself: the terminal may have to be opened first.
const START: Duration = Duration::from_secs(30);

/// Maximum number of messages on their way to the client; no more are read from the other adapter then.
const MAX_UNDER_WAY: usize = 128;

/// `seq` of this adapter's own requests: from here on.
const OWN_REQUESTS: i64 = 1 << 52;

/// `seq` of its `initialize`.
const INITIALIZE: i64 = OWN_REQUESTS;

const LOST: &str = "the connection to the program was lost";

/// A request about breakpoints made before the connection: it is repeated at the other adapter.
pub struct EarlyRequest {
    pub from: RequestHeader,
    pub arguments: Map<String, Value>,
    /// The numbers that the client was given for its breakpoints.
    pub told: Vec<Option<u64>>,
}

/// Where to connect.
pub enum RelayTarget {
    /// At an address.
    Address { host: String, port: u16, token: Option<String> },
    /// To the program in a terminal, which announces its address.
    Announced(Announced),
}

/// The connection to the other adapter.
pub struct Relay {
    /// Tells this connection from earlier ones of the same client.
    number: u64,
    outgoing: Sender<Vec<u8>>,
    /// The client's `launch` or `attach`.
    request: RequestHeader,
    /// Whether that has been answered.
    is_begun: bool,
    /// Whether the client was told that the program has ended.
    has_ended: bool,
    /// Requests of the client that are not answered, in order.
    open: Vec<RequestHeader>,
    /// The requests to be repeated, in order.
    early: Vec<EarlyRequest>,
    /// Numbers of breakpoints at the other adapter, with those that the client knows, where they differ.
    ids: Option<HashMap<u64, u64>>,
    last_id: u64,
    /// Gets one item for each message passed on, to be taken when it has reached the client: the channel's
    /// capacity limits how many are under way.
    places: Receiver<()>,
    /// Ends the connection, or the attempt, when dropped.
    end: End,
    /// On which a program has announced itself, until the client has attached to it.
    announced: Option<TcpStream>,
}

/// Ends a connection, or the attempt at one, when dropped.
#[derive(Default)]
pub struct End {
    stream: Option<TcpStream>,
    /// Ends the wait for an announcement.
    wait: Option<Cancel>,
}

impl End {
    /// Ends the wait for this announcement.
    pub fn of_wait(announced: &Announced) -> End {
        End { stream: None, wait: Some(announced.cancel()) }
    }

    /// The wait is over: ends this connection.
    fn connected(&mut self, stream: TcpStream) {
        self.wait = None;
        self.stream = Some(stream);
    }
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            disconnect(stream);
        }
        if let Some(wait) = &self.wait {
            wait.cancel();
        }
    }
}

/// What the relay's thread uses.
struct Conversation {
    /// The relay's number.
    number: u64,
    front_end: Weak<Mutex<DapFrontEnd>>,
    link: ClientLink,
    places: Sender<()>,
}

fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn request(seq: i64, command: &str, arguments: Value) -> Vec<u8> {
    framed(&json!({"seq": seq, "type": "request", "command": command, "arguments": arguments}))
}

impl DapFrontEnd {
    /// `attach` with `host` or `port`: the program is in another process, which listens.
    pub(super) fn attach_elsewhere(&mut self, from: &RequestHeader, params: &Params) -> Result<(), Refusal> {
        let token = params.text("token")?.map(str::to_string);
        let host = params.text("host")?.unwrap_or("127.0.0.1").to_string();
        let port = params.required("port", params.number("port", 1, u32::from(u16::MAX))?)?;
        let place = RelayTarget::Address { host, port: port as u16, token };
        let arguments = json!({
            "noDebug": params.flag("noDebug")?,
            "stopOnEntry": params.flag("stopOnEntry")?,
            "subProcess": follows_children(params)?,
        });
        self.relay_to(from, place, arguments, End::default())
    }

    /// From now on, passes the client's requests on to the adapter at `to`.
    pub(super) fn relay_to(
        &mut self,
        from: &RequestHeader,
        place: RelayTarget,
        arguments: Value,
        end: End,
    ) -> Result<(), Refusal> {
        let Some(link) = self.link.clone() else { return Err("there is no session".into()) };
        let (outgoing, requests) = unbounded();
        let (places, taken) = bounded(MAX_UNDER_WAY);
        let early = std::mem::take(&mut self.early);
        self.relays += 1;
        let number = self.relays;
        for (index, EarlyRequest { from, arguments, .. }) in early.iter().enumerate() {
            let seq = INITIALIZE + 1 + index as i64;
            let _ = outgoing.send(request(seq, &from.command, Value::Object(arguments.clone())));
        }
        if self.configured {
            let seq = INITIALIZE + 1 + early.len() as i64;
            let _ = outgoing.send(request(seq, "configurationDone", Value::Null));
        }
        let last_id = early.iter().flat_map(|early| early.told.iter().flatten()).max().copied().unwrap_or(0);
        self.relay = Some(Relay {
            number,
            outgoing,
            request: from.clone(),
            is_begun: false,
            has_ended: false,
            open: vec![from.clone()],
            ids: (!early.is_empty()).then(HashMap::default),
            last_id,
            early,
            places: taken,
            end,
            announced: None,
        });
        self.configuring = None;
        let introduction = self.introduction.clone();
        let conversation = Conversation { number, front_end: self.this.clone(), link, places };
        let from = from.clone();
        let main = move || conversation.run(place, (&from, introduction, arguments), requests);
        match threads::spawn("relay", main) {
            Ok(_) => Ok(()),
            Err(error) => {
                self.relay = None;
                Err(error.to_string().into())
            }
        }
    }

    /// Passes on a message of the client; returns `false` if this adapter has to handle it.
    pub(super) fn pass_on(&mut self, bytes: &[u8], work: &mut Vec<Received>) -> bool {
        let Some(relay) = &mut self.relay else { return false };
        match decode(bytes) {
            Message::Request(from, _) if from.command == "disconnect" && !relay.is_begun => {
                self.relay_is_over("the client disconnects", work);
                return false;
            }
            Message::Request(from, _) => relay.open.push(from),
            Message::WrongRequest(..) | Message::Response(..) | Message::Wrong(_) => return false,
        }
        let mut message = format!("Content-Length: {}\r\n\r\n", bytes.len()).into_bytes();
        message.extend_from_slice(bytes);
        let _ = relay.outgoing.send(message);
        true
    }

    /// Answers a request of the other adapter.
    pub(super) fn answer_other_adapter(&self, seq: i64, command: &str, result: Result<Value, String>) {
        let Some(relay) = &self.relay else { return };
        let mut answer = json!({"seq": OWN_REQUESTS - 1, "type": "response", "request_seq": seq});
        if let Value::Object(answer) = &mut answer {
            answer.insert("command".into(), command.into());
            answer.insert("success".into(), result.is_ok().into());
            answer.extend(result.err().map(|why| ("message".to_string(), why.into())));
        }
        let _ = relay.outgoing.send(framed(&answer));
    }

    /// The other adapter cannot be reached, or the connection has ended.
    pub(super) fn relay_is_over(&mut self, why: &str, work: &mut Vec<Received>) {
        let Some(relay) = self.relay.take() else { return };
        for from in relay.open {
            match from.command.as_str() {
                "disconnect" => {
                    self.end_session(&from, work);
                }
                _ => self.reply_with(OwnMessage::Answer(from, Err(why.into())), work),
            }
        }
        if relay.is_begun {
            if !relay.has_ended {
                self.reply_with(OwnMessage::Message(json!({"type": "event", "event": "terminated"})), work);
            }
            self.phase = ProgramState::Ended;
        }
    }

    /// Handles a message of the other adapter.
    fn relayed(&mut self, message: Value, work: &mut Vec<Received>) {
        match text(&message, "/type") {
            Some("response") => self.relayed_answer(message, work),
            Some("event") if text(&message, "/event") != Some("initialized") => {
                self.relayed_event(message, work);
            }
            Some("request") if text(&message, "/command") == Some("startDebugging") => {
                self.relay_start_debugging(&message, work);
            }
            // Other requests of the other adapter to the client are dropped: it is not trusted.
            _ => {}
        }
    }

    fn relayed_event(&mut self, mut message: Value, work: &mut Vec<Received>) {
        let Some(relay) = &mut self.relay else { return };
        relay.has_ended |= text(&message, "/event") == Some("terminated");
        if let Some(id) = message.pointer_mut("/body/breakpoint/id") {
            relay.translate(id);
        }
        let hit = message.pointer_mut("/body/hitBreakpointIds").and_then(Value::as_array_mut);
        hit.into_iter().flatten().for_each(|id| relay.translate(id));
        self.reply_with(OwnMessage::Message(message), work);
    }

    fn relayed_answer(&mut self, mut message: Value, work: &mut Vec<Received>) {
        let Some(relay) = &mut self.relay else { return };
        let seq = message.pointer("/request_seq").and_then(Value::as_i64).unwrap_or(-1);
        if seq >= OWN_REQUESTS {
            let index = usize::try_from(seq - INITIALIZE - 1).ok();
            let changed = index.map(|index| relay.set_again(index, &message)).unwrap_or_default();
            changed.into_iter().for_each(|event| self.reply_with(OwnMessage::Message(event), work));
            return;
        }
        let Some(index) = relay.open.iter().position(|from| from.seq == seq) else { return };
        let RequestHeader { command, .. } = relay.open.remove(index);
        let set = message.pointer_mut("/body/breakpoints").and_then(Value::as_array_mut);
        for id in set.into_iter().flatten().filter_map(|breakpoint| breakpoint.get_mut("id")) {
            relay.translate(id);
        }
        let has_succeeded = message.pointer("/success") == Some(&Value::Bool(true));
        let begins = seq == relay.request.seq;
        if begins {
            relay.is_begun = has_succeeded;
            if let Some(announced) = relay.announced.take_if(|_| has_succeeded) {
                Announcement::take(&announced);
            }
        }
        if let Value::Object(message) = &mut message {
            message.insert("command".into(), command.as_str().into());
        }
        self.reply_with(OwnMessage::Message(message), work);
        match (begins, has_succeeded) {
            (true, true) => {
                let capabilities: Map<String, Value> =
                    SUPPORTED_BY_LISTENERS.iter().map(|name| (name.to_string(), true.into())).collect();
                let body = json!({ "capabilities": capabilities });
                let event = json!({"type": "event", "event": "capabilities", "body": body});
                self.reply_with(OwnMessage::Message(event), work);
            }
            (true, false) => self.relay = None,
            (false, true) if command == "disconnect" => {
                self.relay = None;
                self.phase = ProgramState::NoProgram;
                self.ask_silently(Request::Terminate, work);
            }
            (false, _) => {}
        }
    }

    /// A message of the other adapter has been written to the client.
    pub(super) fn relayed_one(&self) {
        if let Some(relay) = &self.relay {
            let _ = relay.places.try_recv();
        }
    }
}

/// A string in a message, by its JSON pointer.
fn text<'a>(message: &'a Value, pointer: &str) -> Option<&'a str> {
    message.pointer(pointer).and_then(Value::as_str)
}

impl Relay {
    /// The response to a repeated request: returns the events about its breakpoints.
    fn set_again(&mut self, index: usize, answer: &Value) -> Vec<Value> {
        let Some(early) = self.early.get(index) else { return Vec::new() };
        let there = answer.pointer("/body/breakpoints").and_then(Value::as_array);
        let mut events = Vec::new();
        for (told, breakpoint) in early.told.iter().zip(there.into_iter().flatten()) {
            let (Some(told), Value::Object(mut breakpoint)) = (*told, breakpoint.clone()) else { continue };
            let id = breakpoint.insert("id".into(), told.into()).and_then(|id| id.as_u64());
            if let (Some(id), Some(ids)) = (id, &mut self.ids) {
                ids.insert(id, told);
            }
            let body = json!({"reason": "changed", "breakpoint": breakpoint});
            events.push(json!({"type": "event", "event": "breakpoint", "body": body}));
        }
        events
    }

    /// Replaces the number of a breakpoint by the one that the client knows.
    fn translate(&mut self, id: &mut Value) {
        if let (Some(number), Some(ids)) = (id.as_u64(), &mut self.ids) {
            let own = *ids.entry(number).or_insert_with(|| {
                self.last_id += 1;
                self.last_id
            });
            *id = own.into();
        }
    }
}

impl Conversation {
    /// Calls `work` with the front end, and makes the requests to the session that result. Does nothing if
    /// the front end has another relay now. Returns `false` if the session has ended.
    fn with(&self, work: impl FnOnce(&mut DapFrontEnd, &mut Vec<Received>)) -> bool {
        let Some(front_end) = self.front_end.upgrade() else { return false };
        let mut received = Vec::new();
        {
            let mut front_end = front_end.lock();
            if front_end.relay.as_ref().is_some_and(|relay| relay.number == self.number) {
                work(&mut front_end, &mut received);
            }
        }
        self.link.deliver(received, || ());
        true
    }

    fn run(
        &self,
        place: RelayTarget,
        beginning: (&RequestHeader, Value, Value),
        requests: Receiver<Vec<u8>>,
    ) {
        let ended = self.connected(place, beginning, requests);
        let why = ended.err().unwrap_or_else(|| LOST.into());
        self.with(|front_end, work| front_end.relay_is_over(&why, work));
    }

    /// Connects, and passes on messages until the connection ends.
    fn connected(
        &self,
        place: RelayTarget,
        (from, introduction, mut arguments): (&RequestHeader, Value, Value),
        requests: Receiver<Vec<u8>>,
    ) -> Result<(), String> {
        let (mut stream, token, announced) = match place {
            RelayTarget::Address { host, port, token } => (connect(&host, port)?, token, None),
            RelayTarget::Announced(announced) => {
                let Announcement { port, token, stream } = announced.wait(START)?;
                (connect("127.0.0.1", port)?, Some(token), Some(stream))
            }
        };
        let _ = stream.set_nodelay(true);
        let failed = |error: std::io::Error| format!("{LOST}: {error}");
        let ending = stream.try_clone().map_err(failed)?;
        let mut is_wanted = false;
        self.with(|front_end, _| {
            if let Some(relay) = &mut front_end.relay {
                relay.end.connected(ending);
                relay.announced = announced;
                is_wanted = true;
            }
        });
        if !is_wanted {
            return Ok(());
        }
        if let (Some(token), Value::Object(arguments)) = (token, &mut arguments) {
            arguments.insert("token".into(), token.into());
        }
        let mut beginning = request(INITIALIZE, "initialize", introduction);
        beginning.extend(request(from.seq, "attach", arguments));
        stream.write_all(&beginning).map_err(failed)?;
        let mut outgoing = stream.try_clone().map_err(failed)?;
        let write = move || {
            while let Ok(request) = requests.recv() {
                if outgoing.write_all(&request).is_err() {
                    return;
                }
            }
        };
        threads::spawn("relay writer", write).map_err(failed)?;
        self.read(stream);
        Ok(())
    }

    fn read(&self, mut stream: TcpStream) {
        let mut framing = Framing::default();
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            for frame in framing.feed(buffer.get(..count).unwrap_or_default()) {
                let Frame::Message(bytes) = frame else { continue };
                let Ok(message) = serde_json::from_slice::<Value>(&bytes) else { continue };
                if !message.is_object() || self.places.send(()).is_err() {
                    continue;
                }
                if !self.with(|front_end, work| front_end.relayed(message, work)) {
                    return;
                }
            }
        }
    }
}

fn connect(host: &str, port: u16) -> Result<TcpStream, String> {
    let unreachable = |error: std::io::Error| format!("cannot connect to {host}:{port}: {}", reason(&error));
    let mut last = None;
    for address in (host, port).to_socket_addrs().map_err(unreachable)? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    Err(last.map_or_else(|| format!("cannot connect to {host}:{port}: no such host"), unreachable))
}
