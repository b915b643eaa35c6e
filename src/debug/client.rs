//! The engine's interface to the client of the debug API.

use serde::{Deserialize, Serialize};

use crate::api::{Event, Failure, Location, RequestId, Response};

use super::breakpoints::published::PublishedBreakpoints;

/// A message from the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// The response to a request.
    Response(RequestId, Result<Response, Failure>),
    /// An event.
    Event(Event),
}

/// Receives the engine's messages. All methods are called on the interpreter's thread. A closure that takes
/// messages is a client, too.
pub trait Client {
    /// Receives a message. Must not block for long.
    fn message(&self, message: Message);

    /// Called before the program reads a line of input, with the call that does, if its statement is known.
    fn reads_line(&self, _at: Option<Location>) {}

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

impl<F: Fn(Message)> Client for F {
    fn message(&self, message: Message) {
        self(message);
    }
}
