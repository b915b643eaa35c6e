//! Front ends: how messages look to a client, and what carries their bytes.
//!
//! A [`FrontEnd`] translates between bytes and the debug API; each has a folder of its own. The
//! [`transport`] is the same for all of them.

pub mod dap;
mod detect;
pub mod ez;
mod json;
mod lines;
mod link;
pub mod listen;
mod messages;
mod params;
pub mod rpc;
pub mod transport;
pub mod value_text;

use std::sync::{Arc, Mutex};

use crate::api::{Event, Failure, RequestId, Response};
use crate::session::Incoming;
use crate::value::Stream;

pub use detect::detecting;
pub use link::ClientLink;
pub use messages::Messages;

/// A protocol, as spoken with one client. It sees everything that passes between client and session, and
/// may answer the client by itself. Its methods are called one at a time, on whichever thread reads or
/// writes, and must not block.
pub trait FrontEnd: Send {
    /// The session begins. For front ends that ask something by themselves, later.
    fn begin(&mut self, _link: ClientLink) {}

    /// What the bytes that the client has sent complete.
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received>;

    /// The client sends nothing more: what that completes.
    fn end_of_input(&mut self) -> Vec<Received>;

    /// Writes the answer to a request.
    fn response(&mut self, id: RequestId, result: &Result<Response, Failure>, out: &mut Messages);

    /// Writes the answer to a request that the front end answers by itself (see [`Received::Reply`]).
    fn reply(&mut self, _id: RequestId, _out: &mut Messages) {}

    /// What the front end asks by itself after what it has written last.
    fn follow_up(&mut self) -> Vec<Received> {
        Vec::new()
    }

    /// Writes an event.
    fn event(&mut self, event: &Event, out: &mut Messages);

    /// Writes a piece of program output: a line, or a part of one.
    fn output(&mut self, stream: Stream, text: &str, out: &mut Messages);
}

/// A front end that is shared by the threads that read and write.
pub type SharedFrontEnd = Arc<Mutex<dyn FrontEnd>>;

/// What a front end makes of the bytes of a client.
#[derive(Debug, PartialEq)]
pub enum Received {
    /// A message for the session.
    Message(Incoming),
    /// A message that the front end answers by itself: [`FrontEnd::reply`] is called for it when everything
    /// told before is written.
    Reply(RequestId),
    /// The client does not want the answer to that request any more: see [`Session::cancel`].
    ///
    /// [`Session::cancel`]: crate::session::Session::cancel
    Cancel(RequestId),
}
