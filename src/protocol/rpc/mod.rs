//! JSON-RPC 2.0, one message per line. The commands of SPEC.md are methods; its events are results or
//! notifications.
//!
//! The front end of SPEC.md encodes the events; here they only get another envelope.

mod decode;

use std::sync::{Arc, Mutex};

use foldhash::HashMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::api::{Event, Failure, FailureKind, RequestId, Response};
use crate::value::Stream;

use super::ez::{Decoded, EzFrontEnd};
use super::json::{write_json, write_string};
use super::lines::{LIMIT, Line, Lines};
use super::{FrontEnd, Messages, Received, SharedFrontEnd};
use decode::{Call, Message, PARSE_ERROR, RpcError, VERSION, decode};

const INTERNAL_ERROR: i32 = -32603;
const WRONG_STATE: i32 = -32001;
const NO_PROGRAM: i32 = -32002;
const EVALUATION_FAILED: i32 = -32003;
const NOT_FOUND: i32 = -32004;

/// A front end for one client.
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(RpcFrontEnd::default()))
}

/// A request that has not been answered yet.
struct Pending {
    /// Its `id`, exactly as the client wrote it.
    id: Box<RawValue>,
    /// The number of its batch, if it is in one.
    batch: Option<u64>,
    /// The error code, if the request is known to be wrong.
    code: Option<i32>,
}

/// A batch, which is answered as a whole.
struct Batch {
    /// How many of its requests have not been answered.
    left: usize,
    answers: Vec<Value>,
}

/// An event as the front end of SPEC.md encodes it.
#[derive(Deserialize)]
struct Written {
    event: String,
    data: Map<String, Value>,
    id: Option<u64>,
}

/// The state of the protocol with one client.
pub(super) struct RpcFrontEnd {
    lines: Lines,
    inner: EzFrontEnd,
    /// Number of the latest request, as passed to the front end of SPEC.md.
    last: u64,
    pending: HashMap<u64, Pending>,
    /// Those numbers of the requests that the session has not answered.
    numbers: HashMap<RequestId, u64>,
    batches: HashMap<u64, Batch>,
}

impl Default for RpcFrontEnd {
    fn default() -> RpcFrontEnd {
        RpcFrontEnd {
            lines: Lines::default(),
            inner: EzFrontEnd::with_version(VERSION),
            last: 0,
            pending: HashMap::default(),
            numbers: HashMap::default(),
            batches: HashMap::default(),
        }
    }
}

impl FrontEnd for RpcFrontEnd {
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received> {
        let lines = self.lines.feed(bytes);
        lines.into_iter().flat_map(|line| self.line(line)).collect()
    }

    fn end_of_input(&mut self) -> Vec<Received> {
        let line = self.lines.end();
        line.into_iter().flat_map(|line| self.line(line)).collect()
    }

    fn response(&mut self, id: RequestId, result: &Result<Response, Failure>, out: &mut Messages) {
        let number = self.numbers.remove(&id);
        let code = result.as_ref().err().map(|failure| match failure.kind {
            FailureKind::BadRequest => decode::INVALID_PARAMS,
            FailureKind::WrongState => WRONG_STATE,
            FailureKind::NoProgram => NO_PROGRAM,
            FailureKind::Evaluation | FailureKind::Cancelled => EVALUATION_FAILED,
            FailureKind::NotFound => NOT_FOUND,
            FailureKind::Internal => INTERNAL_ERROR,
        });
        let mut written = Messages::default();
        self.inner.response(id, result, &mut written);
        self.convert(&written, code, out);
        // Requests of all other kinds are answered by an event of the inner front end.
        if let (Some(number), Ok(Response::InputTaken)) = (number, result) {
            self.answer(number, json!({"result": {"event": "inputTaken"}}), out);
        }
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        let mut written = Messages::default();
        self.inner.event(event, &mut written);
        self.convert(&written, None, out);
    }

    fn output(&mut self, stream: Stream, text: &str, out: &mut Messages) {
        let start: &[u8] = match stream {
            Stream::Stdout => br#"{"jsonrpc":"2.0","method":"output","params":{"category":"stdout","text":"#,
            Stream::Stderr => br#"{"jsonrpc":"2.0","method":"output","params":{"category":"stderr","text":"#,
        };
        out.add(|bytes| {
            bytes.extend_from_slice(start);
            write_string(bytes, text);
            bytes.extend_from_slice(b"}}\n");
        });
    }
}

impl RpcFrontEnd {
    fn line(&mut self, line: Line) -> Vec<Received> {
        let message = match line {
            Ok(line) => decode(&line),
            Err(_) => {
                let message = format!("line too long (limit: {LIMIT} bytes)");
                let wrong = RpcError { code: PARSE_ERROR, message };
                let id = RawValue::from_string("null".into()).ok();
                Message::Single(Call { id, name: None, request: Err(wrong) })
            }
        };
        match message {
            Message::Single(call) => vec![self.call(call, None)],
            Message::Batch(calls) => {
                let left = calls.iter().filter(|call| call.id.is_some()).count();
                let batch = self.last + 1;
                self.batches.insert(batch, Batch { left, answers: Vec::new() });
                if left == 0 {
                    self.batches.remove(&batch);
                }
                calls.into_iter().map(|call| self.call(call, Some(batch))).collect()
            }
        }
    }

    fn call(&mut self, Call { id, name, request }: Call, batch: Option<u64>) -> Received {
        self.last += 1;
        let number = self.last;
        let code = request.as_ref().err().map(|wrong| wrong.code);
        let own = id.as_ref().and_then(|_| RawValue::from_string(number.to_string()).ok());
        if let Some(id) = id {
            self.pending.insert(number, Pending { id, batch, code });
        }
        let request = request.map(|request| (request, Some(VERSION))).map_err(|wrong| wrong.message);
        let received = self.inner.accept(Decoded { id: own, name, request });
        if let Received::Message(message) = &received {
            self.numbers.insert(message.id, number);
        }
        received
    }

    /// Converts events to responses and notifications. `code` is the error code, if they answer a wrong
    /// request.
    fn convert(&mut self, written: &Messages, code: Option<i32>, out: &mut Messages) {
        // Parts of a divided answer are joined.
        let mut parts: Option<Map<String, Value>> = None;
        for line in written.bytes().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let Ok(Written { event, mut data, id }) = serde_json::from_slice(line) else { continue };
            if data.contains_key("parts") {
                let is_last = data.get("part") == data.get("parts");
                data.shift_remove("part");
                data.shift_remove("parts");
                data = joined(parts.take(), data);
                if !is_last {
                    parts = Some(data);
                    continue;
                }
            }
            // The program is resumed: the next stop, or the end, is the result.
            let begins = event == "started" || event == "restarted";
            match id.filter(|_| !begins) {
                Some(number) if event == "error" => {
                    let known = self.pending.get(&number).and_then(|pending| pending.code);
                    let code = known.or(code).unwrap_or(WRONG_STATE);
                    let message = data.shift_remove("message").unwrap_or_default();
                    let mut error = json!({"code": code, "message": message});
                    if let (false, Value::Object(error)) = (data.is_empty(), &mut error) {
                        error.insert("data".into(), data.into());
                    }
                    self.answer(number, json!({ "error": error }), out);
                }
                Some(number) => {
                    let mut result = Map::from_iter([("event".to_string(), event.into())]);
                    result.extend(data);
                    self.answer(number, json!({ "result": result }), out);
                }
                None => add(out, &json!({"jsonrpc": "2.0", "method": event, "params": data})),
            }
        }
    }

    /// Writes a response, or keeps it until the whole batch is answered.
    fn answer(&mut self, number: u64, outcome: Value, out: &mut Messages) {
        let Some(Pending { id, batch, .. }) = self.pending.remove(&number) else { return };
        let id: Value = serde_json::from_str(id.get()).unwrap_or_default();
        let mut answer = Map::from_iter([("jsonrpc".to_string(), "2.0".into()), ("id".to_string(), id)]);
        if let Value::Object(outcome) = outcome {
            answer.extend(outcome);
        }
        let answer = Value::Object(answer);
        let Some((key, batch)) = batch.and_then(|key| self.batches.get_mut(&key).map(|batch| (key, batch)))
        else {
            return add(out, &answer);
        };
        batch.answers.push(answer);
        batch.left -= 1;
        if batch.left == 0
            && let Some(batch) = self.batches.remove(&key)
        {
            add(out, &Value::Array(batch.answers));
        }
    }
}

fn add(out: &mut Messages, message: &Value) {
    out.add(|bytes| {
        write_json(bytes, message);
        bytes.push(b'\n');
    });
}

/// Joins two parts of an answer: lists and texts are concatenated.
fn joined(before: Option<Map<String, Value>>, data: Map<String, Value>) -> Map<String, Value> {
    let Some(mut whole) = before else { return data };
    for (key, value) in data {
        match (whole.get_mut(&key), value) {
            (Some(Value::Array(all)), Value::Array(more)) => all.extend(more),
            (Some(Value::String(text)), Value::String(more)) if key == "text" || key == "result" => {
                text.push_str(&more);
            }
            (_, value) => drop(whole.insert(key, value)),
        }
    }
    whole
}
