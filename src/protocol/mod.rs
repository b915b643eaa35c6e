//! Front ends, which encode and decode the messages of a protocol, and the transport of their bytes.
//!
//! A [`FrontEnd`] translates between bytes and the debug API; each has a folder of its own. The [`transport`]
//! is the same for all of them.
//!
//! * [`ez`]: the protocol of SPEC.md; a file of its folder `commands` has the commands about a subject, with their
//!   answers as they are serialised. [`rpc`] wraps the same in JSON-RPC 2.0. The first line that a client of `ez
//!   debugserver` sends determines which of the two is used ([`detect`]).
//! * [`dap`]: the Debug Adapter Protocol, with a file for the requests about each subject.
//! * [`listen`]: clients that connect over a socket, with a token, one at a time.
//! * [`native`]: the types of the debug API as they are, for clients within this program.
//! * [`jupyter`]: the messages of notebooks, which are no front end in this sense, since they are more than one
//!   stream.
//!
//! What several protocols share is beside these: parameters ([`parameter`], [`params`]), values as texts ([`value_text`]), statements
//! rewritten into their values ([`rewriting`]).
//!
//! A new front end is a folder with an implementation of [`FrontEnd`], and a command line that passes it to `serve`
//! or `serve_stdio`. It may answer messages itself (`Received::Reply`), and make further requests after its
//! messages were written (`FrontEnd::follow_up`).

pub mod address;
pub mod dap;
mod detect;
pub mod expected_output;
pub mod ez;
pub mod framing;
mod handle;
pub mod json;
#[cfg(feature = "kernel")]
pub mod jupyter;
pub mod lines;
mod link;
pub mod listen;
mod messages;
pub mod native;
pub mod parameter;
pub mod params;
mod pending;
pub mod radix;
mod remote;
pub mod rewriting;
pub mod rpc;
mod sharing;
pub mod transport;
pub mod uri;
pub mod value_text;
mod written;

use std::sync::Arc;

use ez_engine::api::{Event, Failure, OutputSource, Request, RequestNumber, Response, SessionRequest};
use ez_engine::session::Incoming;
use ez_runtime::sync::Mutex;

pub use detect::detecting;
pub use handle::{Sender, SessionHandle};
pub use link::ClientLink;
pub use messages::Messages;
pub use pending::Pending;
pub use remote::Duplex;

/// A protocol, as spoken with one client. It decodes all that the client sends and encodes all that it is
/// sent; it may also answer a message itself. Its methods are called one at a time, by the threads that read
/// or write, and must not block.
pub trait FrontEnd: Send {
    /// The session begins. `_link` is for front ends that make requests on their own later.
    fn begin(&mut self, _link: ClientLink) {}

    /// Decodes bytes from the client; incomplete messages are kept for the next call.
    fn receive(&mut self, bytes: &[u8]) -> Vec<Received>;

    /// The client sends nothing more: decodes what an incomplete message still gives.
    fn end_of_input(&mut self) -> Vec<Received>;

    /// What the session carries out if the connection is lost, and other clients can come: [`SessionRequest::Disconnect`] or
    /// [`Request::Terminate`].
    fn on_disconnect(&self) -> Request {
        Request::Session(SessionRequest::Disconnect { resume: false })
    }

    /// Encodes the response to a request.
    fn response(&mut self, id: RequestNumber, result: &Result<Response, Failure>, out: &mut Messages);

    /// Encodes the answer to a message that the front end answers itself (see [`Received::Reply`]).
    fn reply(&mut self, _id: RequestNumber, _out: &mut Messages) {}

    /// Requests that the front end makes on its own, after the messages encoded last were written.
    fn follow_up(&mut self) -> Vec<Received> {
        Vec::new()
    }

    /// Encodes an event.
    fn event(&mut self, event: &Event, out: &mut Messages);

    /// Encodes program output: a line, or a piece of one.
    fn output(&mut self, source: OutputSource, text: &str, out: &mut Messages);
}

/// A front end shared by the threads that read and write.
pub type SharedFrontEnd = Arc<Mutex<dyn FrontEnd>>;

/// What a front end has decoded.
#[derive(Debug, PartialEq)]
pub enum Received {
    /// A request for the session.
    Message(Incoming<RequestNumber>),
    /// A message that the front end answers itself: [`FrontEnd::reply`] is called when all earlier messages
    /// to the client have been written.
    Reply(RequestNumber),
    /// The client cancels that request: see [`Session::cancel`].
    ///
    /// [`Session::cancel`]: ez_engine::session::Session::cancel
    Cancel(RequestNumber),
}
