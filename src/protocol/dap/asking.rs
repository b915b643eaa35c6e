//! Requests to the session, and what follows their responses.

use crate::protocol::{Messages, Received};
use ez_engine::api::{Failure, Question, Request, RequestNumber, Response};
use ez_engine::session::Incoming;

use super::DapFrontEnd;
use super::decode::RequestHeader;
use super::writing::Refusal;

/// A request to the session that has not been answered yet.
pub struct PendingRequest {
    /// The client's request.
    pub from: RequestHeader,
    /// Whether the protocol's `cancel` has an effect on it.
    pub can_be_cancelled: bool,
    /// Whether the client has cancelled it.
    cancelled: bool,
    then: Box<Then>,
}

/// What follows a response: with the client's request, the response, and whether the client has cancelled it.
type Then =
    dyn FnOnce(&mut DapFrontEnd, &RequestHeader, &Result<Response, Failure>, bool, &mut Messages) + Send;

impl DapFrontEnd {
    /// Makes a request to the session for a request of the client. `then` writes what follows if it succeeds; a
    /// failure is the answer to the client.
    pub(super) fn ask<Q: Question>(
        &mut self,
        from: &RequestHeader,
        question: Q,
        work: &mut Vec<Received>,
        then: impl FnOnce(&mut DapFrontEnd, &RequestHeader, &Q::Answer, &mut Messages) + Send + 'static,
    ) -> RequestNumber {
        self.ask_or(from, question, work, then, |front_end, from, _, refusal, out| {
            front_end.numbering.failure(out, from, &refusal);
        })
    }

    /// Like [`DapFrontEnd::ask`]; `failed` writes what follows if the request fails.
    pub(super) fn ask_or<Q: Question>(
        &mut self,
        from: &RequestHeader,
        question: Q,
        work: &mut Vec<Received>,
        then: impl FnOnce(&mut DapFrontEnd, &RequestHeader, &Q::Answer, &mut Messages) + Send + 'static,
        failed: impl FnOnce(&mut DapFrontEnd, &RequestHeader, &Failure, Refusal, &mut Messages) + Send + 'static,
    ) -> RequestNumber {
        let then: Box<Then> = Box::new(|front_end, from, result, cancelled, out| {
            match result.as_ref().map_err(Failure::clone).and_then(Q::answer_in) {
                Ok(answer) => then(front_end, from, answer, out),
                Err(failure) => {
                    let mut refusal = Refusal::from(failure.message.clone());
                    refusal.word = cancelled.then_some("cancelled");
                    failed(front_end, from, &failure, refusal, out);
                }
            }
        });
        self.send(from.clone(), question.into_request(), then, work)
    }

    /// Makes a request whose response the client does not see.
    pub(super) fn ask_silently(&mut self, request: Request, work: &mut Vec<Received>) {
        self.send(nobody(), request, Box::new(|_, _, _, _, _| ()), work);
    }

    /// Makes a request for the adapter itself; a failure is ignored.
    pub(super) fn ask_for_itself<Q: Question>(
        &mut self,
        question: Q,
        work: &mut Vec<Received>,
        then: impl FnOnce(&mut DapFrontEnd, &Q::Answer, &mut Messages) + Send + 'static,
    ) {
        let then =
            |front_end: &mut DapFrontEnd, _: &RequestHeader, answer: &Q::Answer, out: &mut Messages| {
                then(front_end, answer, out);
            };
        self.ask_or(&nobody(), question, work, then, |_, _, _, _, _| ());
    }

    /// Makes a request for the adapter itself, whatever it is about; a failure is ignored.
    pub(super) fn ask_itself(
        &mut self,
        request: Request,
        work: &mut Vec<Received>,
        then: impl FnOnce(&mut DapFrontEnd, &Response, &mut Messages) + Send + 'static,
    ) {
        let then: Box<Then> = Box::new(|front_end, _, result, _, out| {
            if let Ok(response) = result {
                then(front_end, response, out);
            }
        });
        self.send(nobody(), request, then, work);
    }

    /// A request is carried out whose response has no body.
    pub(super) fn done<A>(&mut self, from: &RequestHeader, _: &A, out: &mut Messages) {
        self.numbering.success(out, from, None::<()>);
    }

    fn send(
        &mut self,
        from: RequestHeader,
        request: Request,
        then: Box<Then>,
        work: &mut Vec<Received>,
    ) -> RequestNumber {
        let can_be_cancelled = matches!(request, Request::Inspect(_));
        let id = self.asked.add(PendingRequest { from, can_be_cancelled, cancelled: false, then });
        self.note_early(id, &request);
        work.push(Received::Message(Incoming { id, request: Ok(request) }));
        id
    }

    /// The session has answered a request.
    pub(super) fn answered(
        &mut self,
        id: RequestNumber,
        result: &Result<Response, Failure>,
        out: &mut Messages,
    ) {
        self.early.note_told(id, result);
        if let Some(PendingRequest { from, cancelled, then, .. }) = self.asked.take(id) {
            then(self, &from, result, cancelled, out);
        }
    }

    /// Whether a request to restart the program is not answered yet.
    pub(super) fn is_restarting(&mut self) -> bool {
        self.asked.find_mut(|asked| asked.from.command == "restart").is_some()
    }

    /// The client cancels its request with this `seq`.
    pub(super) fn cancel_request(&mut self, seq: i64, work: &mut Vec<Received>) {
        let is_it = |asked: &PendingRequest| asked.from.seq == seq && asked.can_be_cancelled;
        if let Some((id, asked)) = self.asked.find_mut(is_it) {
            asked.cancelled = true;
            work.push(Received::Cancel(id));
        }
    }
}

/// The header of requests that the client has not made.
pub(super) fn nobody() -> RequestHeader {
    RequestHeader { seq: 0, command: String::new() }
}
