//! JSON-RPC 2.0, one message per line. The commands of SPEC.md are methods; its events are results or
//! notifications.
//!
//! The front end of SPEC.md knows the commands and encodes the events; here both only get another envelope.

mod decode;

use std::sync::Arc;

use foldhash::HashMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use ez_engine::api::{Event, Failure, FailureKind, OutputSource, RequestNumber, Response, write_json};
use ez_runtime::sync::Mutex;

use super::ez::{
    Decoded, EzFrontEnd, Reply, Report, Sink, append, description, escape_id, write_notification,
};
use super::lines::{LIMIT, Line, Lines};
use super::value_text::Notation;
use super::{FrontEnd, Messages, Pending, Received, SharedFrontEnd};
use decode::{Asked, Call, Message, PARSE_ERROR, RpcError, VERSION, decode};

const INTERNAL_ERROR: i32 = -32603;
const WRONG_STATE: i32 = -32001;
const NO_PROGRAM: i32 = -32002;
const EVALUATION_FAILED: i32 = -32003;
const NOT_FOUND: i32 = -32004;

/// A front end for one client.
pub fn front_end() -> SharedFrontEnd {
    Arc::new(Mutex::new(RpcFrontEnd::default()))
}

/// A front end for a client in this process, which need not ask for a version of the protocol and writes arrays like
/// this.
pub fn in_version_2(notation: Notation) -> Box<dyn FrontEnd> {
    let mut front_end = RpcFrontEnd::default();
    front_end.inner.notation = notation;
    Box::new(front_end)
}

/// A request that has not been answered yet.
struct PendingCall {
    /// Its `id`, exactly as the client wrote it.
    id: Box<RawValue>,
    /// The number of its batch, if it is in one.
    batch: Option<RequestNumber>,
    /// The error code, if the request is known to be wrong.
    code: Option<i32>,
}

/// A batch, which is answered as a whole.
struct Batch {
    /// How many of its requests have not been answered.
    left: usize,
    /// The responses so far, as JSON.
    answers: Vec<Vec<u8>>,
}

/// The state of the protocol with one client.
pub(super) struct RpcFrontEnd {
    lines: Lines,
    inner: EzFrontEnd,
    replies: Replies,
}

/// The requests that have not been answered.
#[derive(Default)]
struct Replies {
    /// By their numbers, as passed to the front end of SPEC.md.
    pending: Pending<PendingCall>,
    /// The batches that are not answered, by their numbers.
    batches: HashMap<RequestNumber, Batch>,
}

impl Default for RpcFrontEnd {
    fn default() -> RpcFrontEnd {
        RpcFrontEnd {
            lines: Lines::default(),
            inner: EzFrontEnd::with_version(VERSION),
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

    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages) {
        let code = result.as_ref().err().map(|failure| match failure.kind {
            FailureKind::BadRequest => decode::INVALID_PARAMS,
            FailureKind::WrongState | FailureKind::Past => WRONG_STATE,
            FailureKind::NoProgram | FailureKind::Unreadable => NO_PROGRAM,
            FailureKind::Evaluation | FailureKind::Cancelled => EVALUATION_FAILED,
            FailureKind::NotFound => NOT_FOUND,
            FailureKind::Internal => INTERNAL_ERROR,
        });
        let mut reply =
            |id: &RawValue, reply: Reply, out: &mut Messages| self.replies.write(id, reply, code, out);
        self.inner.write_response(id, result, &mut Sink::rpc(out, &mut reply, self.inner.notation));
    }

    fn reply(&mut self, id: RequestNumber, out: &mut Messages) {
        let mut reply =
            |id: &RawValue, reply: Reply, out: &mut Messages| self.replies.write(id, reply, None, out);
        let mut out = Sink::rpc(out, &mut reply, self.inner.notation);
        self.inner.answer(id, description::in_one_line().as_bytes(), &mut out);
    }

    fn event(&mut self, event: &Event, out: &mut Messages) {
        let mut reply =
            |id: &RawValue, reply: Reply, out: &mut Messages| self.replies.write(id, reply, None, out);
        self.inner.write_event(event, &mut Sink::rpc(out, &mut reply, self.inner.notation));
    }

    fn output(&mut self, source: OutputSource, text: &str, out: &mut Messages) {
        self.inner.write_output(r#"{"jsonrpc":"2.0","method":"output","params":"#, source, text, out);
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
                let batch = self.replies.pending.number();
                self.replies.batches.insert(batch, Batch { left, answers: Vec::new() });
                if left == 0 {
                    self.replies.batches.remove(&batch);
                }
                calls.into_iter().map(|call| self.call(call, Some(batch))).collect()
            }
        }
    }

    fn call(&mut self, Call { id, name, ask }: Call, batch: Option<RequestNumber>) -> Received {
        let number = self.replies.pending.number();
        let code = ask.as_ref().err().map(|wrong| wrong.code);
        let own = id.as_ref().and_then(|_| RawValue::from_string(number.get().to_string()).ok());
        if let Some(id) = id {
            self.replies.pending.insert(number, PendingCall { id, batch, code });
        }
        let ask = match ask {
            Ok(Asked::Description) => return self.inner.accept_own(own, name),
            Ok(Asked::Command(ask)) => Ok(ask),
            Err(wrong) => Err(wrong.message),
        };
        self.inner.accept(Decoded { id: own, name, ask })
    }
}

impl Replies {
    /// Writes an event that answers the request with this number as its response. `code` is the error code, if the
    /// request is wrong.
    fn write(&mut self, number: &RawValue, reply: Reply, code: Option<i32>, out: &mut Messages) {
        let Ok(number) = number.get().parse::<u64>().map(RequestNumber::of_low_bits) else { return };
        match reply {
            // The program is resumed: the next stop, or the end, is the result.
            Reply::Event(event @ ("started" | "restarted"), data) => write_notification(out, event, data),
            Reply::Event(event, data) => {
                let data = data.strip_prefix(b"{").unwrap_or(data);
                let separator: &[u8] = if data == b"}" { b"\"" } else { b"\"," };
                let result = [br#"{"event":""#, event.as_bytes(), separator, data].concat();
                self.answer(number, "result", &result, out);
            }
            Reply::Result(json) => self.answer(number, "result", json, out),
            Reply::Error(report) => {
                let known = self.pending.get_mut(number).and_then(|pending| pending.code);
                let mut error = Vec::new();
                write_json(&mut error, &error_object(report, known.or(code).unwrap_or(WRONG_STATE)));
                self.answer(number, "error", &error, out);
            }
        }
    }

    /// Writes a response with this member, which is JSON, or keeps it until the whole batch is answered.
    fn answer(&mut self, number: RequestNumber, member: &str, value: &[u8], out: &mut Messages) {
        let Some(PendingCall { id, batch, .. }) = self.pending.take(number) else { return };
        let id = escape_id(&id);
        let start = [br#"{"jsonrpc":"2.0","id":"#, id.as_bytes(), b",\"", member.as_bytes(), b"\":"].concat();
        let Some((key, batch)) = batch.and_then(|key| self.batches.get_mut(&key).map(|batch| (key, batch)))
        else {
            return out.add(|bytes| append(bytes, &[&start, value, b"}\n"]));
        };
        batch.answers.push([&start, value, b"}"].concat());
        batch.left -= 1;
        if batch.left == 0
            && let Some(batch) = self.batches.remove(&key)
        {
            out.add(|bytes| append(bytes, &[b"[", &batch.answers.join(&b','), b"]\n"]));
        }
    }
}

/// The error of a response.
fn error_object(report: &Report, code: i32) -> Value {
    let mut data = match serde_json::to_value(report) {
        Ok(Value::Object(data)) => data,
        _ => Map::new(),
    };
    let message = data.shift_remove("message").unwrap_or_default();
    let mut error = json!({"code": code, "message": message});
    if let (false, Value::Object(error)) = (data.is_empty(), &mut error) {
        error.insert("data".into(), data.into());
    }
    error
}
