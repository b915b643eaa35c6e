//! The requests that wait for their turn.
//!
//! A client may send many at once, and each time that one comes or has been answered, the machine asks which are there:
//! their numbers are counted, so that this does not take the longer the more there are.

use std::collections::VecDeque;

use crate::api::{Failure, Needs, Request, SessionRequest};

use super::clients::is_attach;
use super::{Incoming, is_request_of_guest};

/// A kind of request that is looked for. A request may be of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    /// A request of the owner, or the session itself.
    Owners,
    /// That of a guest that joins.
    Joins,
    Attach,
    Share,
    Restart,
    Pause,
    /// It lets the program run.
    Runs,
    /// It ends the session, or the client's part in it.
    EndsSession,
    /// It ends the program, the session, or the client's part in it.
    EndsRun,
    /// It can be answered while the program runs.
    BesideRun,
}

const KINDS: [RequestKind; 10] = [
    RequestKind::Owners,
    RequestKind::Joins,
    RequestKind::Attach,
    RequestKind::Share,
    RequestKind::Restart,
    RequestKind::Pause,
    RequestKind::Runs,
    RequestKind::EndsSession,
    RequestKind::EndsRun,
    RequestKind::BesideRun,
];

impl RequestKind {
    /// Whether a message is of this kind.
    pub fn has(self, incoming: &Incoming) -> bool {
        let Incoming { id, request } = incoming;
        match self {
            RequestKind::Owners => !is_request_of_guest(*id),
            RequestKind::Joins => is_request_of_guest(*id) && RequestKind::Attach.has(incoming),
            RequestKind::Attach => request.as_ref().is_ok_and(is_attach),
            RequestKind::Share => matches!(request, Ok(Request::Session(SessionRequest::Share(_)))),
            RequestKind::Restart => matches!(request, Ok(Request::Restart(_))),
            RequestKind::Pause => matches!(request, Ok(Request::Pause)),
            RequestKind::Runs => {
                request.as_ref().is_ok_and(Request::resumes) || RequestKind::Restart.has(incoming)
            }
            RequestKind::EndsSession => {
                matches!(
                    request,
                    Ok(Request::Terminate | Request::Session(SessionRequest::Disconnect { .. }))
                )
            }
            RequestKind::EndsRun => {
                RequestKind::EndsSession.has(incoming)
                    || RequestKind::Restart.has(incoming)
                    || matches!(request, Ok(Request::Kill))
            }
            RequestKind::BesideRun => is_possible_beside_a_run(request),
        }
    }
}

fn is_possible_beside_a_run(request: &Result<Request, Failure>) -> bool {
    match request {
        Err(_) => true,
        Ok(request) => match request.needs() {
            Needs::Nothing | Needs::NoProgram | Needs::Program | Needs::Running | Needs::Started => true,
            Needs::ReadyOrStopped | Needs::Stopped | Needs::Inspectable | Needs::Idle => false,
        },
    }
}

/// The requests that wait, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct RequestQueue {
    waiting: VecDeque<Incoming>,
    /// How many there are of each of [`KINDS`].
    counts: [usize; KINDS.len()],
}

impl RequestQueue {
    pub fn push(&mut self, incoming: Incoming) {
        self.count(&incoming, |count| count + 1);
        self.waiting.push_back(incoming);
    }

    /// Takes the one at an index.
    pub fn remove(&mut self, index: usize) -> Option<Incoming> {
        let incoming = self.waiting.remove(index)?;
        self.count(&incoming, |count| count.saturating_sub(1));
        Some(incoming)
    }

    /// Takes those that are `wanted`, in their order.
    pub fn take(&mut self, wanted: impl Fn(&Incoming) -> bool) -> Vec<Incoming> {
        let (taken, left): (Vec<_>, Vec<_>) = std::mem::take(self).waiting.into_iter().partition(wanted);
        left.into_iter().for_each(|incoming| self.push(incoming));
        taken
    }

    /// Takes all.
    pub fn take_all(&mut self) -> VecDeque<Incoming> {
        std::mem::take(self).waiting
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Incoming> {
        self.waiting.iter()
    }

    /// Whether there are some of a kind.
    pub fn has(&self, kind: RequestKind) -> bool {
        self.number_of(kind) > 0
    }

    /// Whether all are of a kind.
    pub fn has_only(&self, kind: RequestKind) -> bool {
        self.number_of(kind) == self.waiting.len()
    }

    fn number_of(&self, kind: RequestKind) -> usize {
        KINDS.iter().zip(&self.counts).find(|(known, _)| **known == kind).map_or(0, |(_, count)| *count)
    }

    /// Index of the first of a kind.
    pub fn find(&self, kind: RequestKind) -> Option<usize> {
        self.has(kind).then(|| self.waiting.iter().position(|incoming| kind.has(incoming))).flatten()
    }

    fn count(&mut self, incoming: &Incoming, change: impl Fn(usize) -> usize) {
        for (kind, count) in KINDS.into_iter().zip(&mut self.counts) {
            if kind.has(incoming) {
                *count = change(*count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{FailureKind, GetState, Question, RequestId, Resume};

    #[test]
    fn what_is_counted_is_there() {
        let requests = [
            Request::Pause,
            Request::Resume(Resume::StepInto),
            GetState.into_request(),
            Request::Terminate,
            Request::Kill,
            Request::Restart(Box::default()),
        ];
        let mut queue = RequestQueue::default();
        let mut random = fastrand::Rng::with_seed(1);
        for number in 0..2_000 {
            let wrong = || Failure::new(FailureKind::BadRequest, "wrong");
            let request = random.choice(&requests).cloned().filter(|_| random.bool()).ok_or_else(wrong);
            match random.u8(..8) {
                0..3 => drop(queue.remove(random.usize(..4))),
                3 => drop(queue.take(|incoming| incoming.id.0 % 3 == 0)),
                _ => queue.push(Incoming { id: RequestId(number), request }),
            }
            for kind in KINDS {
                let found = queue.iter().position(|incoming| kind.has(incoming));
                assert_eq!((queue.find(kind), queue.has(kind)), (found, found.is_some()), "{kind:?}");
                assert_eq!(queue.has_only(kind), queue.iter().all(|incoming| kind.has(incoming)), "{kind:?}");
            }
        }
    }
}
