//! Front ends: how messages look. Each has a decoder, an encoder and message types of its own over the
//! same sessions; what carries the bytes is shared.

pub mod ez;
mod reader;
mod serve;
mod writer;

pub use serve::{Connection, serve, serve_stdio};
pub use writer::Writer;

use crate::session::{Incoming, RequestId, SessionEvent};
use crate::value::Stream;

/// Makes commands of what a client sends.
pub trait Decoder: Send {
    /// The messages that these bytes complete.
    fn feed(&mut self, bytes: &[u8]) -> Vec<Incoming>;

    /// What the end of the bytes completes.
    fn end(&mut self) -> Vec<Incoming>;
}

/// Makes bytes of what a session tells.
pub trait Encoder: Send {
    /// Adds one event to `out`. Gives what did not fit into it, to be told next.
    fn event(
        &mut self,
        tag: Option<&RequestId>,
        event: &SessionEvent,
        out: &mut Vec<u8>,
    ) -> Option<SessionEvent>;

    /// Adds one piece of program output: a line, or a part of one.
    fn output(&mut self, stream: Stream, text: &str, out: &mut Vec<u8>);
}

/// A front end.
pub struct FrontEnd {
    /// Reads its messages.
    pub decoder: Box<dyn Decoder>,
    /// Writes them.
    pub encoder: Box<dyn Encoder>,
}
