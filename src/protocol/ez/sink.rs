//! Where the events of the protocol are written.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::protocol::Messages;
use crate::protocol::value_text::Notation;
use ez_engine::api::write_json;

use super::wire::Report;

/// Takes events, in the envelope of a protocol.
pub struct Sink<'a> {
    out: &'a mut Messages,
    envelope: Envelope<'a>,
    /// How the client wants arrays in values to be written.
    pub notation: Notation,
}

/// The envelopes of events.
enum Envelope<'a> {
    /// That of SPEC.md.
    Event,
    /// JSON-RPC: this writes events that answer a request, others are notifications.
    Rpc(&'a mut WriteReply<'a>),
}

/// Writes an event that answers the command with this `id`.
pub type WriteReply<'a> = dyn FnMut(&RawValue, Reply, &mut Messages) + 'a;

/// An event that answers a command.
pub enum Reply<'a> {
    /// The event with this name; its data is this JSON object.
    Event(&'static str, &'a [u8]),
    /// The event `error`.
    Error(&'a Report<'a>),
    /// What is no event: this JSON.
    Result(&'a [u8]),
}

impl<'a> Sink<'a> {
    /// Writes events as SPEC.md says.
    pub fn events(out: &'a mut Messages, notation: Notation) -> Sink<'a> {
        Sink { out, envelope: Envelope::Event, notation }
    }

    /// Writes events as notifications of JSON-RPC, and those that answer a command by calling `reply`.
    pub fn rpc(out: &'a mut Messages, reply: &'a mut WriteReply<'a>, notation: Notation) -> Sink<'a> {
        Sink { out, envelope: Envelope::Rpc(reply), notation }
    }

    /// The size, in bytes of JSON, from which on an answer is divided into several events: as given, or without limit
    /// where an answer is one message.
    pub fn limit(&self, size: usize) -> usize {
        match self.envelope {
            Envelope::Event => size,
            Envelope::Rpc(_) => usize::MAX,
        }
    }

    /// Adds an event with its data, which is serialized as an object. `id` is that of the command which it answers.
    pub fn add(&mut self, event: &'static str, data: impl Serialize, id: Option<&RawValue>) {
        // What a stop takes: it need not grow.
        let mut json = Vec::with_capacity(512);
        write_json(&mut json, &data);
        self.add_json(event, &json, id);
    }

    /// Adds the event `error`.
    pub fn error(&mut self, report: &Report, id: Option<&RawValue>) {
        match (&mut self.envelope, id) {
            (Envelope::Rpc(reply), Some(id)) => reply(id, Reply::Error(report), self.out),
            _ => self.add("error", report, id),
        }
    }

    /// Answers a request of JSON-RPC with what is no event: this JSON.
    pub fn result(&mut self, json: &[u8], id: Option<&RawValue>) {
        if let (Envelope::Rpc(reply), Some(id)) = (&mut self.envelope, id) {
            reply(id, Reply::Result(json), self.out);
        }
    }

    fn add_json(&mut self, event: &'static str, data: &[u8], id: Option<&RawValue>) {
        match (&mut self.envelope, id) {
            (Envelope::Event, id) => self.out.add(|bytes| {
                append(bytes, &[br#"{"type":"event","event":""#, event.as_bytes(), br#"","data":"#, data]);
                if let Some(id) = id {
                    append(bytes, &[br#","id":"#, escape_id(id).as_bytes()]);
                }
                bytes.extend_from_slice(b"}\n");
            }),
            (Envelope::Rpc(_), None) => write_notification(self.out, event, data),
            (Envelope::Rpc(reply), Some(id)) => reply(id, Reply::Event(event, data), self.out),
        }
    }
}

/// Adds a notification of JSON-RPC. `params` is JSON.
pub fn write_notification(out: &mut Messages, method: &str, params: &[u8]) {
    out.add(|bytes| {
        append(
            bytes,
            &[br#"{"jsonrpc":"2.0","method":""#, method.as_bytes(), br#"","params":"#, params, b"}\n"],
        );
    });
}

pub fn append(bytes: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
}

/// An `id` as the client wrote it, except that line separators are escaped.
pub fn escape_id(id: &RawValue) -> Cow<'_, str> {
    const SEPARATORS: [(char, &str); 3] =
        [('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")];
    let text = id.get();
    if !text.contains(SEPARATORS.map(|(separator, _)| separator)) {
        return text.into();
    }
    let escaped = SEPARATORS
        .iter()
        .fold(text.to_string(), |text, (separator, escape)| text.replace(*separator, escape));
    escaped.into()
}
