//! What the sockets tell the kernel.

use std::convert::Infallible;

use bytes::Bytes;
use crossbeam_channel::Sender;

use super::Rejected;
use super::zmtp::Closed;

/// Over which socket a request comes, and its reply goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// For requests that are carried out one after the other.
    Shell,
    /// For requests that must not wait for those.
    Control,
    /// For requests of the kernel to a front end.
    Stdin,
}

/// A message that has arrived: its frames, identities first.
#[derive(Debug)]
pub struct Arrival {
    /// Where it has arrived.
    pub channel: Channel,
    pub frames: Vec<Bytes>,
}

/// Tells the kernel why a connection is over, if somebody should know.
pub(super) fn report(ended: Result<Infallible, Closed>, arrivals: &Sender<Result<Arrival, Rejected>>) {
    if let Err(Closed::TooLarge) = ended {
        let _ = arrivals.send(Err(Rejected::TooLarge));
    }
}
