//! The engine's interface to the client of the debug API.

use std::collections::VecDeque;
use std::rc::Rc;

use crossbeam_channel::{Receiver, TryRecvError};
use serde::{Deserialize, Serialize};

use crate::api::{Event, Failure, Reader, Request, RequestId, Response};
use ez_runtime::sync::receive;

use super::breakpoints::published::PublishedBreakpoints;
use super::control::InterruptHandle;

/// A message from the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    Response(RequestId, Result<Response, Failure>),
    Event(Event),
}

/// Receives the engine's messages. All methods are called on the interpreter's thread. A closure that takes
/// messages is a client, too.
pub trait EngineClient {
    /// Receives a message. Must not block for long.
    fn message(&self, message: Message);

    /// Called before the program reads a line of input, with the call that does, if its statement is known.
    fn reads_line(&self, _call: Option<Reader>) {}

    /// Called when the engine waits for a request: may wait on this thread for whatever causes one, and then
    /// returns `true`. `false` lets the engine wait on its channel.
    fn wait_inline(&self) -> bool {
        false
    }

    /// Where the line breakpoints of a program that follows its child processes are published.
    fn published_breakpoints(&self) -> Option<PublishedBreakpoints> {
        None
    }
}

impl<F: Fn(Message)> EngineClient for F {
    fn message(&self, message: Message) {
        self(message);
    }
}

/// An engine's connection to its client.
pub struct Connection {
    /// From which requests come.
    pub requests: Receiver<(RequestId, Request)>,
    pub client: Rc<dyn EngineClient>,
    /// By which the client makes a running program look at the requests.
    pub interrupt: InterruptHandle,
    /// Requests received while something else was done, to be handled next.
    pub postponed: VecDeque<(RequestId, Request)>,
}

impl Connection {
    pub fn new(
        requests: Receiver<(RequestId, Request)>,
        client: Rc<dyn EngineClient>,
        interrupt: InterruptHandle,
    ) -> Connection {
        Connection { requests, client, interrupt, postponed: VecDeque::new() }
    }

    /// Whether a postponed request resumes the program, so that a pause that comes now is meant for that run.
    pub fn will_resume(&self) -> bool {
        self.postponed.iter().any(|(_, request)| request.resumes())
    }

    /// The next request that has come already.
    ///
    /// # Errors
    /// As that of the channel: there is none, or it is closed.
    pub fn waiting_request(&mut self) -> Result<(RequestId, Request), TryRecvError> {
        self.postponed.pop_front().map_or_else(|| self.requests.try_recv(), Ok)
    }

    /// Makes a program that runs on look at the postponed requests before its next statement.
    pub fn wake_for_postponed(&self) {
        if !self.postponed.is_empty() {
            self.interrupt.raise();
        }
    }

    /// Sends an event to the client.
    pub fn event(&self, event: Event) {
        self.client.message(Message::Event(event));
    }

    /// Sends the client the response to a request.
    pub fn respond(&self, id: RequestId, result: Result<Response, Failure>) {
        self.client.message(Message::Response(id, result));
    }

    /// Waits for the next request; `None` when the channel is closed.
    pub fn next_request(&mut self) -> Option<(RequestId, Request)> {
        loop {
            match self.waiting_request() {
                Ok(request) => return Some(request),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) if self.client.wait_inline() => {}
                Err(TryRecvError::Empty) => return receive(&self.requests).ok(),
            }
        }
    }
}
