//! Whoever debugs the program, as the engine sees it.

use serde::{Deserialize, Serialize};

use crate::api::{Event, Failure, RequestId, Response};

/// What the engine sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// The answer to a request.
    Response(RequestId, Result<Response, Failure>),
    /// Something happened.
    Event(Event),
}

/// Whoever debugs the program, as the engine sees it. All is called on the interpreter's thread. A
/// closure that takes messages will do.
pub trait Client {
    /// Takes a message. Must not block for long.
    fn message(&self, message: Message);

    /// Called when the engine has nothing to do: waits on this thread for something that makes a request,
    /// and returns `true` when there may be one. `false` if the engine is to wait for the request itself.
    fn wait_inline(&self) -> bool {
        false
    }
}

impl<F: Fn(Message)> Client for F {
    fn message(&self, message: Message) {
        self(message);
    }
}
