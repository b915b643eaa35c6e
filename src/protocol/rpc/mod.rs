//! JSON-RPC 2.0, one message per line. The commands of SPEC.md are methods; its events are results or
//! notifications.
//!
//! The front end of SPEC.md knows the commands and encodes the events; here both only get another envelope.

mod decode;

use std::sync::Arc;

use foldhash::HashMap;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::api::{Event, Failure, FailureKind, RequestId, Response};
use crate::sync::Mutex;
use crate::value::Stream;

use super::ez::{AnswerEvent, Decoded, EzFrontEnd, Sink, escape_id, write_line};
use super::json::write_string;
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
    answers: Vec<Answer>,
}

/// A response.
#[derive(Serialize)]
struct Answer {
    jsonrpc: &'static str,
    id: Box<RawValue>,
    #[serde(flatten)]
    outcome: Outcome,
}

/// What a response says.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Result(Value),
    Error(Value),
}

/// The state of the protocol with one client.
pub(super) struct RpcFrontEnd {
    lines: Lines,
    inner: EzFrontEnd,
    /// Number of the latest request, as passed to the front end of SPEC.md.
    last: u64,
    replies: Replies,
}

/// The requests that have not been answered.
#[derive(Default)]
struct Replies {
    pending: HashMap<u64, Pending>,
    batches: HashMap<u64, Batch>,
}

impl Default for RpcFrontEnd {
    fn default() -> RpcFrontEnd {
        RpcFrontEnd {
            lines: Lines::default(),
            inner: EzFrontEnd::with_version(VERSION),
            last: 0,
            replies: Replies::default(),
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
        let code = result.as_ref().err().map(|failure| match failure.kind {
            FailureKind::BadRequest => decode::INVALID_PARAMS,
            FailureKind::WrongState => WRONG_STATE,
            FailureKind::NoProgram => NO_PROGRAM,
            FailureKind::Evaluation | FailureKind::Cancelled => EVALUATION_FAILED,
            FailureKind::NotFound => NOT_FOUND,
            FailureKind::Internal => INTERNAL_ERROR,
        });
        let mut answer = |event: AnswerEvent, out: &mut Messages| self.replies.answer_with(event, code, out);
        self.inner.write_response(id, result, &mut Sink::rpc(out, &mut answer));
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        let mut answer = |event: AnswerEvent, out: &mut Messages| self.replies.answer_with(event, None, out);
        self.inner.write_event(event, &mut Sink::rpc(out, &mut answer));
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
                Message::Single(Call { id, name: None, ask: Err(wrong) })
            }
        };
        match message {
            Message::Single(call) => vec![self.call(call, None)],
            Message::Batch(calls) => {
                let left = calls.iter().filter(|call| call.id.is_some()).count();
                let batch = self.last + 1;
                self.replies.batches.insert(batch, Batch { left, answers: Vec::new() });
                if left == 0 {
                    self.replies.batches.remove(&batch);
                }
                calls.into_iter().map(|call| self.call(call, Some(batch))).collect()
            }
        }
    }

    fn call(&mut self, Call { id, name, ask }: Call, batch: Option<u64>) -> Received {
        self.last += 1;
        let number = self.last;
        let code = ask.as_ref().err().map(|wrong| wrong.code);
        let own = id.as_ref().and_then(|_| RawValue::from_string(number.to_string()).ok());
        if let Some(id) = id {
            self.replies.pending.insert(number, Pending { id, batch, code });
        }
        self.inner.accept(Decoded { id: own, name, ask: ask.map_err(|wrong| wrong.message) })
    }
}

impl Replies {
    /// Writes an event that answers a request as its response. `code` is the error code, if the request is wrong.
    fn answer_with(&mut self, event: AnswerEvent, code: Option<i32>, out: &mut Messages) {
        let AnswerEvent { event, data, id } = event;
        let Ok(number) = id.get().parse() else { return };
        let mut data = if let Value::Object(data) = data { data } else { Map::new() };
        match event {
            // The program is resumed: the next stop, or the end, is the result.
            "started" | "restarted" => {
                write_line(out, &json!({"jsonrpc": "2.0", "method": event, "params": data}));
            }
            "error" => {
                let known = self.pending.get(&number).and_then(|pending| pending.code);
                let code = known.or(code).unwrap_or(WRONG_STATE);
                let message = data.shift_remove("message").unwrap_or_default();
                let mut error = json!({"code": code, "message": message});
                if let (false, Value::Object(error)) = (data.is_empty(), &mut error) {
                    error.insert("data".into(), data.into());
                }
                self.answer(number, Outcome::Error(error), out);
            }
            _ => {
                let mut result = Map::from_iter([("event".to_string(), event.into())]);
                result.extend(data);
                self.answer(number, Outcome::Result(result.into()), out);
            }
        }
    }

    /// Writes a response, or keeps it until the whole batch is answered.
    fn answer(&mut self, number: u64, outcome: Outcome, out: &mut Messages) {
        let Some(Pending { id, batch, .. }) = self.pending.remove(&number) else { return };
        let answer = Answer { jsonrpc: "2.0", id: escape_id(&id).unwrap_or(id), outcome };
        let Some((key, batch)) = batch.and_then(|key| self.batches.get_mut(&key).map(|batch| (key, batch)))
        else {
            return write_line(out, &answer);
        };
        batch.answers.push(answer);
        batch.left -= 1;
        if batch.left == 0
            && let Some(batch) = self.batches.remove(&key)
        {
            write_line(out, &batch.answers);
        }
    }
}
