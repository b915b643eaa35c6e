//! The debug API as it is, for clients that are an `ez` themselves: `ez debug`, `ez mcp` and debug adapters, whose
//! program is in another process.
//!
//! The first line of a client is a [`Hello`], with the version of its program; each further line, in both directions,
//! is a message, as JSON. Between two versions it has to be understood as far as possible: members that a version does
//! not know are ignored, and those that were added later to a type of the debug API need a default (`#[serde(default)]`). A request
//! that is not understood is answered with a failure, and a line that is no message at all with an event `error` of SPEC.md.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use ez_engine::api::{
    Event, Failure, FailureKind, OutputSource, Request, RequestNumber, Response, SessionRequest, read_json,
    write_json,
};
use ez_engine::session::{Incoming, Item};
use ez_runtime::sync::Mutex;
use ez_runtime::value::Stream;

use super::json::parse_bytes;
use super::{FrontEnd, Messages, Received, SharedFrontEnd, lines};

/// The version of the messages, which is that of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Maximum length of a line to the client, in bytes.
pub(super) const MAX_LINE: usize = 256 << 20;

/// How deeply the JSON of a message may be nested. A value takes up to three levels for each of its own.
const MAX_DEPTH: usize = 600;

/// What is said with [`FrontEnd::reply`] has this number, which no request has.
const COMPLAINT: RequestNumber = RequestNumber::MAX;

/// A message to the client.
#[derive(Serialize, Deserialize)]
enum ToClient {
    Response(RequestNumber, Box<Result<Response, Failure>>),
    Event(Box<Event>),
    Output(Stream, String),
    /// Output of what a client has evaluated.
    EvaluationOutput(Stream, String),
}

/// A message to the session.
#[derive(Serialize, Deserialize)]
pub enum ToSession {
    /// Carries out a request.
    Ask(RequestNumber, Request),
    /// Cancels a request, as [`Session::cancel`](ez_engine::session::Session::cancel) does.
    Cancel(RequestNumber),
}

/// The first line of a client.
#[derive(Default)]
pub struct Hello<'a> {
    /// What it shows to be admitted, if it connects over a socket.
    pub token: Option<&'a str>,
    /// Its first message.
    pub first: Option<ToSession>,
    /// What the session carries out if the connection is lost, as [`FrontEnd::on_disconnect`] says. It comes with the first
    /// message, because the client may be lost at any time after that.
    pub on_disconnect: Option<Request>,
}

impl Hello<'_> {
    /// The line. It has the form of a command of SPEC.md, so that any version can answer it.
    pub fn line(&self) -> Vec<u8> {
        let params = json!({
            "token": self.token, "native": VERSION, "message": self.first, "farewell": self.on_disconnect,
        });
        let command = json!({"type": "command", "command": "attach", "params": params});
        let mut line = Vec::new();
        write_json(&mut line, &command);
        line.push(b'\n');
        line
    }
}

/// The version of a client whose first line this is; `None` if the line is no [`Hello`].
pub fn version(hello: &Value) -> Option<&str> {
    hello.get("params")?.get("native")?.as_str()
}

/// A front end for a client, which begins with its [`Hello`].
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(NativeFrontEnd::default()))
}

#[derive(Default)]
pub(super) struct NativeFrontEnd {
    /// The beginning of an incomplete line.
    partial: Vec<u8>,
    /// Whether that line is longer than [`lines::LIMIT`]: the rest of it is dropped.
    too_long: bool,
    /// Whether the first line has come.
    greeted: bool,
    /// The version of the client.
    client: Option<String>,
    on_disconnect: Option<Request>,
    /// What is wrong with lines that are no messages, in order.
    wrong: VecDeque<String>,
}

impl FrontEnd for NativeFrontEnd {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        let mut received = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.too_long {
                self.partial.extend_from_slice(piece);
            }
            if !self.too_long && self.partial.len() > lines::LIMIT {
                self.too_long = true;
                self.partial = Vec::new();
                received.push(self.complain(format!("a line is longer than {} bytes", lines::LIMIT)));
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.partial);
                self.too_long = false;
                received.extend(self.line(&line));
            }
        }
        received
    }

    fn reply(&mut self, _: RequestNumber, out: &mut Messages) {
        let Some(message) = self.wrong.pop_front() else { return };
        let event = json!({"type": "event", "event": "error", "data": {"message": message}});
        out.add(|bytes| {
            write_json(bytes, &event);
            bytes.push(b'\n');
        });
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        Vec::new()
    }

    fn on_disconnect(&self) -> Request {
        self.on_disconnect.clone().unwrap_or(Request::Session(SessionRequest::Disconnect { resume: false }))
    }

    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages) {
        if id != COMPLAINT {
            add(out, &ToClient::Response(id, Box::new(result.clone())));
        }
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        add(out, &ToClient::Event(Box::new(event.clone())));
    }

    fn output(&mut self, source: OutputSource, text: &str, out: &mut Messages) {
        let OutputSource { stream, by_client } = source;
        let message = if by_client { ToClient::EvaluationOutput } else { ToClient::Output };
        add(out, &message(stream, text.to_string()));
    }
}

impl NativeFrontEnd {
    fn line(&mut self, line: &[u8]) -> Option<Received> {
        if line.trim_ascii().is_empty() {
            return None;
        }
        if self.greeted {
            return Some(self.message(decoded(line)));
        }
        self.greeted = true;
        let hello = parse_bytes::<Value>(line).unwrap_or_default();
        self.client = version(&hello).map(str::to_string);
        self.on_disconnect = hello.pointer("/params/farewell").and_then(|on_disconnect| {
            decoded::<Option<Request>>(on_disconnect.to_string().as_bytes()).ok().flatten()
        });
        let message = hello.pointer("/params/message").filter(|message| !message.is_null());
        let first = message.map(|message| self.message(decoded(message.to_string().as_bytes())));
        // Who connects over a socket asks for something.
        let asks = hello.pointer("/params/token").is_some_and(Value::is_string);
        match first {
            None if asks => Some(self.complain(not_understood(self.client.as_deref()))),
            first => first,
        }
    }

    fn message(&mut self, message: Result<ToSession, Unknown>) -> Received {
        match message {
            Ok(ToSession::Ask(COMPLAINT, _)) => self.complain(wrong_number()),
            Ok(ToSession::Ask(id, request)) => Received::Message(Incoming { id, request: Ok(request) }),
            Ok(ToSession::Cancel(id)) => Received::Cancel(id),
            Err(Unknown { is_message: false, .. }) => self.complain(not_understood(self.client.as_deref())),
            Err(Unknown { number, .. }) => match number {
                None => self.complain(not_understood(self.client.as_deref())),
                Some(None | Some(COMPLAINT)) => self.complain(wrong_number()),
                Some(Some(id)) => {
                    let failure =
                        Failure::new(FailureKind::BadRequest, not_understood(self.client.as_deref()));
                    Received::Message(Incoming { id, request: Err(failure) })
                }
            },
        }
    }

    /// Notes what is wrong with a line, for [`FrontEnd::reply`].
    fn complain(&mut self, wrong: String) -> Received {
        self.wrong.push_back(wrong);
        Received::Reply(COMPLAINT)
    }
}

fn add(out: &mut Messages, message: &ToClient) {
    out.add(|bytes| write_line(bytes, message));
}

/// Appends a message as a line.
pub(super) fn write_line(out: &mut Vec<u8>, message: &impl Serialize) {
    write_json(out, message);
    out.push(b'\n');
}

/// A message that is not understood.
struct Unknown {
    /// The number of the request that it makes, answers or cancels, if that much is known; `Some(None)`: what is in its place
    /// is none.
    number: Option<Option<RequestNumber>>,
    /// Whether it is a message of some version, as far as can be seen.
    is_message: bool,
}

/// The message in a line.
fn decoded<T: DeserializeOwned>(line: &[u8]) -> Result<T, Unknown> {
    let line = line.trim_ascii();
    let is_object = line.starts_with(b"{");
    let mut is_message = is_object;
    // What is not nested too deeply does not need too much of the stack.
    if depth(line) <= MAX_DEPTH {
        match read_json(line) {
            Ok(message) => return Ok(message),
            Err(error) => is_message &= error.is_data(),
        }
    }
    let number = head(line).filter(|_| is_object).map(|head| head.as_u64().and_then(RequestNumber::new));
    Err(Unknown { number, is_message })
}

/// What is in the place of the number in a message about a request, `{"Ask":[7,…` or `{"Cancel":7}`.
fn head(json: &[u8]) -> Option<Value> {
    let json =
        std::str::from_utf8(json.get(..64.min(json.len()))?.split(|byte| *byte == b',').next()?).ok()?;
    let number = match json.strip_prefix("{\"Cancel\":") {
        Some(rest) => rest.strip_suffix('}')?,
        None => json.split_once('[')?.1,
    };
    parse_bytes(number.as_bytes()).ok()
}

/// How deeply JSON is nested.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in json {
        match byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Why a message is refused that says no request whose answer could be told from others.
fn wrong_number() -> String {
    format!("the number of a request must be from 0 to {}", RequestNumber::MAX.get() - 1)
}

/// Why a message is not understood, and what to do. `other`: the version of the other side, if that is known.
fn not_understood(other: Option<&str>) -> String {
    match other {
        Some(VERSION) => format!("a message is damaged, or nested too deeply (both sides are ez {VERSION})"),
        Some(other) => {
            format!(
                "the debugger is ez {other} and the program runs in ez {VERSION}: use the same version for both"
            )
        }
        None => format!(
            "this is ez {VERSION}, and the other side is another version or no ez: use the same version for both"
        ),
    }
}

/// The item in a line that a session has sent.
///
/// # Errors
/// Why it is none: the session has refused the connection, or is of another version.
pub(super) fn item(line: &[u8]) -> Result<Item<RequestNumber>, String> {
    match decoded(line) {
        Ok(ToClient::Response(id, result)) => Ok(Item::Response(id, *result)),
        Ok(ToClient::Event(event)) => Ok(Item::Event(*event)),
        Ok(ToClient::Output(stream, text)) => Ok(Item::Output { source: stream.into(), text }),
        Ok(ToClient::EvaluationOutput(stream, text)) => {
            Ok(Item::Output { source: OutputSource { stream, by_client: true }, text })
        }
        Err(Unknown { number, .. }) => match number.flatten() {
            Some(id) => {
                Ok(Item::Response(id, Err(Failure::new(FailureKind::Internal, not_understood(None)))))
            }
            None => {
                // A refusal is an event `error` of SPEC.md.
                let refusal = parse_bytes::<Value>(line).ok();
                let message = refusal.as_ref().and_then(|refusal| refusal.pointer("/data/message")?.as_str());
                Err(message.map_or_else(|| not_understood(None), str::to_string))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ez_engine::api::{
        BreakpointId, ChangeBreakpoint, Described, InspectAnswer, Launch, OptionsChange, Question,
        Value as Shown,
    };

    fn number(number: u64) -> RequestNumber {
        RequestNumber::new(number).unwrap()
    }

    fn hello(version: &str, message: &str) -> String {
        format!(
            r#"{{"type":"command","command":"attach","params":{{"native":"{version}","message":{message}}}}}"#
        ) + "\n"
    }

    fn asked(id: u64, request: Request) -> Received {
        Received::Message(Incoming { id: number(id), request: Ok(request) })
    }

    fn line(message: &impl Serialize) -> Vec<u8> {
        let mut line = Vec::new();
        write_line(&mut line, message);
        line
    }

    /// Numbers that are too large for a client's request, or that of complaints.
    #[test]
    fn no_number_means_a_request_of_somebody_else() {
        let front_end = front_end();
        let mut front_end = front_end.lock();
        front_end.receive(hello(VERSION, "null").as_bytes());
        let mut numbers: Vec<String> = (RequestNumber::BITS..64)
            .flat_map(|bit| [1 << bit, (1 << bit) | 7])
            .chain([u64::MAX, COMPLAINT.get()])
            .map(|number| number.to_string())
            .collect();
        let none = ["-1", "1.5", "1e3", "18446744073709551616", "\"7\"", "null", "true", "[7]", "{}"];
        numbers.extend(none.map(String::from));
        for number in numbers {
            let mut messages = vec![
                format!("{{\"Ask\":[{number},\"Pause\"]}}\n"),
                format!("{{\"Ask\":[{number},{{\"Fly\":1}}]}}\n"),
            ];
            if number != COMPLAINT.get().to_string() {
                messages.push(format!("{{\"Cancel\":{number}}}\n"));
            }
            for message in messages {
                assert_eq!(front_end.receive(message.as_bytes()), [Received::Reply(COMPLAINT)], "{message}");
                let mut out = Messages::default();
                front_end.reply(COMPLAINT, &mut out);
                let said = String::from_utf8_lossy(out.bytes()).into_owned();
                assert!(said.contains("the number of a request must be from 0 to "), "{message}: {said}");
            }
        }
    }

    #[test]
    fn messages_are_lines() {
        let mut front_end = NativeFrontEnd::default();
        let first = front_end.receive(hello(VERSION, r#"{"Ask":[3,"Kill"]}"#).as_bytes());
        assert_eq!(first, [asked(3, Request::Kill)]);
        for nonsense in [&b"nonsense\n\n"[..], b"[7]\n", b"\"Ask\"\n"] {
            let mut text = line(&ToSession::Ask(number(7), Request::Pause));
            text.extend_from_slice(nonsense);
            let (one, two) = text.split_at(3);
            assert!(front_end.receive(one).is_empty());
            // What is no message is answered.
            assert_eq!(front_end.receive(two), [asked(7, Request::Pause), Received::Reply(COMPLAINT)]);
            let mut out = Messages::default();
            front_end.reply(number(0), &mut out);
            assert!(item(out.bytes()).unwrap_err().contains("damaged"));
        }
        let cancel = line(&ToSession::Cancel(number(7)));
        assert_eq!(front_end.receive(&cancel), [Received::Cancel(number(7))]);
    }

    #[test]
    fn lines_without_end_are_not_kept() {
        let mut front_end = NativeFrontEnd::default();
        assert!(front_end.receive(hello(VERSION, "null").as_bytes()).is_empty());
        let long = vec![b'a'; lines::LIMIT / 8 + 1];
        let received: Vec<Received> = (0..20).flat_map(|_| front_end.receive(&long)).collect();
        assert_eq!(received, [Received::Reply(COMPLAINT)]);
        assert!(front_end.partial.is_empty());
        let mut out = Messages::default();
        front_end.reply(number(0), &mut out);
        assert_eq!(item(out.bytes()).unwrap_err(), format!("a line is longer than {} bytes", lines::LIMIT));
        let mut rest = b"end of it\n".to_vec();
        rest.extend(line(&ToSession::Ask(number(1), Request::Pause)));
        assert_eq!(front_end.receive(&rest), [asked(1, Request::Pause)]);
    }

    #[test]
    fn a_client_that_is_lost_at_once_has_said_what_becomes_of_the_program() {
        let disconnect = |resume| Request::Session(SessionRequest::Disconnect { resume });
        let of = |on_disconnect| {
            let mut front_end = NativeFrontEnd::default();
            let first = Some(ToSession::Ask(number(1), Request::Pause));
            let hello = Hello { first, on_disconnect, ..Hello::default() };
            assert_eq!(front_end.receive(&hello.line()), [asked(1, Request::Pause)]);
            front_end.on_disconnect()
        };
        assert_eq!(of(None), disconnect(false));
        assert_eq!(of(Some(Request::Terminate)), Request::Terminate);
        assert_eq!(of(Some(disconnect(true))), disconnect(true));
    }

    #[test]
    fn lines_come_in_any_pieces() {
        let mut text = hello(VERSION, "null").into_bytes();
        for id in 1..=3 {
            text.extend(line(&ToSession::Ask(number(id), Request::Pause)));
        }
        for size in 1..=text.len() {
            let mut front_end = NativeFrontEnd::default();
            let found: Vec<Received> = text.chunks(size).flat_map(|piece| front_end.receive(piece)).collect();
            assert_eq!(found, [1, 2, 3].map(|id| asked(id, Request::Pause)), "{size}");
        }
    }

    /// What `text` makes of a message, as JSON.
    fn changed(message: &impl Serialize, text: impl FnOnce(String) -> String) -> Vec<u8> {
        text(String::from_utf8(line(message)).unwrap()).into_bytes()
    }

    #[test]
    fn answers_are_read_as_they_were() {
        let mut nested = Shown::Int(1);
        let floats = [f64::INFINITY, -0.0, 5e-324, 0.1 + 0.2, 1.0e23, 9_007_199_254_740_993.0, f64::MAX];
        for float in floats.iter().cycle().take(150) {
            nested = Shown::Array { shown: vec![nested, Shown::Float(*float)], total: 2 };
        }
        let value =
            Described { value: nested, declared_type: "any".into(), handle: None, children: 2, object: None };
        let answer = Ok(Response::Inspect(InspectAnswer::Evaluate(value)));
        for version in [VERSION, "0.0.1"] {
            let mut front_end = NativeFrontEnd::default();
            assert!(front_end.receive(hello(version, "null").as_bytes()).is_empty());
            let mut out = Messages::default();
            front_end.response(number(4), &answer, &mut out);
            front_end.event(&Event::Log("{\u{2028}\n".into()), &mut out);
            front_end.output(Stream::Stderr.into(), "b", &mut out);
            let source = OutputSource { stream: Stream::Stdout, by_client: true };
            front_end.output(source, "c", &mut out);
            let lines: Vec<&[u8]> = out.bytes().split_inclusive(|byte| *byte == b'\n').collect();
            let items: Vec<_> = lines.into_iter().map(item).collect();
            let output = Item::Output { source: Stream::Stderr.into(), text: "b".into() };
            let log = Item::Event(Event::Log("{\u{2028}\n".into()));
            let evaluated = Item::Output { source, text: "c".into() };
            let response = Item::Response(number(4), answer.clone());
            assert_eq!(items, [response, log, output, evaluated].map(Ok));
        }
    }

    #[test]
    fn another_version_may_have_more_or_less() {
        let mut front_end = NativeFrontEnd::default();
        front_end.receive(hello("9.9.9", "null").as_bytes());
        let launch = Launch { file: Some("a.ez".into()), ..Launch::default() }.into_request();
        let ask = |id, request| ToSession::Ask(number(id), request);
        let less = changed(&ask(1, launch.clone()), |text| text.replace(r#","observe":null"#, ""));
        let more = changed(&ask(1, launch.clone()), |text| text.replace(r#""file""#, r#""new":[7],"file""#));
        for line in [less, more] {
            assert_eq!(front_end.receive(&line), [asked(1, launch.clone())]);
        }
        let change =
            OptionsChange { condition: Some(None), log_message: Some(Some("x".into())), hit_condition: None };
        let change = ChangeBreakpoint(BreakpointId(2), change).into_request();
        assert_eq!(front_end.receive(&changed(&ask(2, change.clone()), |text| text)), [asked(2, change)]);
        let unknown = front_end.receive(b"{\"Ask\":[5,{\"Fly\":null}]}\n");
        let [Received::Message(Incoming { id, request: Err(why) })] = unknown.as_slice() else {
            panic!("{unknown:?}")
        };
        assert_eq!(*id, number(5));
        assert!(why.message.ends_with("use the same version for both"), "{why:?}");
        let deep = format!("{{\"Ask\":[6,{}\n", "[".repeat(100_000));
        let deep = front_end.receive(deep.as_bytes());
        assert!(matches!(deep.as_slice(), [Received::Message(Incoming { request: Err(_), .. })]), "{deep:?}");
    }

    #[test]
    fn what_is_no_item_says_why() {
        let refused = br#"{"type":"event","event":"error","data":{"message":"wrong parameter 'token'"}}"#;
        assert_eq!(item(refused), Err("wrong parameter 'token'".into()));
        assert!(item(b"HTTP/1.1 400\n").unwrap_err().starts_with("this is ez "));
        assert!(item(br#"{"Event":{"New":1}}"#).unwrap_err().ends_with("use the same version for both"));
        let answer = item(br#"{"Response":[8,{"Ok":{"New":1}}]}"#);
        assert!(matches!(answer, Ok(Item::Response(id, Err(_))) if id == number(8)), "{answer:?}");
    }
}
