//! Messages that the adapter sends without the session, in order with those of the session.

use serde_json::Value;

use crate::protocol::Received;
use ez_engine::api::RequestNumber;

use super::DapFrontEnd;
use super::decode::RequestHeader;
use super::writing::Refusal;

/// A message that the front end creates itself, to be sent in order with those of the session.
pub(super) enum OwnMessage {
    Answer(RequestHeader, Result<Option<Value>, Refusal>),
    /// A response, followed by an event.
    AnswerAndEvent(RequestHeader, Option<Value>, &'static str),
    /// Text for the debug console, about bytes that were not understood.
    Note(String),
    /// An event or a request, complete but for its `seq`.
    Message(Value),
    /// What follows when the connection to the session that this request has attached to has ended, for this reason: not
    /// before what has come over it.
    Lost(RequestNumber, String),
}

impl DapFrontEnd {
    pub(super) fn reply_with(&mut self, own: OwnMessage, work: &mut Vec<Received>) {
        let id = self.asked.number();
        self.own.insert(id, own);
        work.push(Received::Reply(id));
    }

    /// Answers a request without the session.
    pub(super) fn answer_now(&mut self, from: &RequestHeader, body: Option<Value>, work: &mut Vec<Received>) {
        self.reply_with(OwnMessage::Answer(from.clone(), Ok(body)), work);
    }

    pub(super) fn note(&mut self, why: String, work: &mut Vec<Received>) {
        self.reply_with(OwnMessage::Note(format!("A message was ignored: {why}\n")), work);
    }
}
