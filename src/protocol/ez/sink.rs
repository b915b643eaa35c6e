//! Where the events of the protocol are written.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::Messages;
use crate::protocol::json::write_json;

use super::wire;

/// Takes events, in the envelope of a protocol.
pub struct Sink<'a> {
    out: &'a mut Messages,
    envelope: Envelope<'a>,
}

/// The envelopes of events.
enum Envelope<'a> {
    /// That of SPEC.md.
    Event,
    /// JSON-RPC: this writes events that answer a request, others are notifications.
    Rpc(&'a mut dyn FnMut(AnswerEvent, &mut Messages)),
}

/// An event that answers a command.
#[derive(Debug)]
pub struct AnswerEvent<'a> {
    /// Its name.
    pub event: &'static str,
    /// Its data.
    pub data: Value,
    /// The `id` of the command.
    pub id: &'a RawValue,
}

impl<'a> Sink<'a> {
    /// Writes events as SPEC.md says.
    pub fn events(out: &'a mut Messages) -> Sink<'a> {
        Sink { out, envelope: Envelope::Event }
    }

    /// Writes events as notifications of JSON-RPC, and those that answer a command by calling `answer`.
    pub fn rpc(out: &'a mut Messages, answer: &'a mut dyn FnMut(AnswerEvent, &mut Messages)) -> Sink<'a> {
        Sink { out, envelope: Envelope::Rpc(answer) }
    }

    /// The size, in bytes of JSON, from which on an answer is divided into several events: as given, or without limit
    /// where an answer is one message.
    pub fn limit(&self, size: usize) -> usize {
        match self.envelope {
            Envelope::Event => size,
            Envelope::Rpc(_) => usize::MAX,
        }
    }

    /// Adds an event with its data. `id` is that of the command which it answers.
    pub fn add(&mut self, event: &'static str, data: impl Serialize, id: Option<&RawValue>) {
        match (&mut self.envelope, id) {
            (Envelope::Event, id) => {
                // An `id` is repeated exactly, except that it may not contain line separators.
                let escaped = id.and_then(escape_id);
                let id = escaped.as_deref().or(id);
                write_line(self.out, &wire::Envelope { kind: "event", event, data, id });
            }
            (Envelope::Rpc(_), None) => {
                write_line(self.out, &wire::Notification { jsonrpc: "2.0", method: event, params: data });
            }
            (Envelope::Rpc(answer), Some(id)) => {
                let data = serde_json::to_value(data).unwrap_or_default();
                answer(AnswerEvent { event, data, id }, self.out);
            }
        }
    }
}

/// Adds a message as a line.
pub fn write_line(out: &mut Messages, message: &impl Serialize) {
    out.add(|bytes| {
        write_json(bytes, message);
        bytes.push(b'\n');
    });
}

/// The `id` with line separators escaped; `None` if it has none.
pub fn escape_id(id: &RawValue) -> Option<Box<RawValue>> {
    const SEPARATORS: [(char, &str); 3] =
        [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];
    let text = id.get();
    if !text.contains(SEPARATORS.map(|(separator, _)| separator)) {
        return None;
    }
    let escaped = SEPARATORS
        .iter()
        .fold(text.to_string(), |text, (separator, escape)| text.replace(*separator, escape));
    RawValue::from_string(escaped).ok()
}
