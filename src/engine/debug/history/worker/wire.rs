//! Messages between the engine of the live program and a copy of its process: in the form of
//! [`write_binary`], each preceded by its length in bytes (32 bits, little endian).

use std::cell::RefCell;
use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api::{Request, RequestId, read_binary, write_binary};
use crate::debug::history::messages::{Journey, WorkerMessage};
use crate::debug::settings::Setting;
use crate::recording::HostCall;
use ez_runtime::platform::{Link, end_copy, look_ahead};

/// A message to a copy.
#[derive(Serialize, Deserialize)]
pub(crate) enum ToCopy {
    /// Start a worker with this number. The calls are those recorded since the copy was made.
    Begin(u32, Vec<HostCall>),
    /// A message for the worker.
    Worker(ToWorker),
}

/// A message to a worker.
#[derive(Serialize, Deserialize)]
pub(crate) enum ToWorker {
    /// Make a journey, after applying these settings.
    Go(Vec<Setting>, Box<Journey>),
    Request(RequestId, Request),
    /// Look at the requests, even if the program runs.
    Interrupt,
}

/// A message from a copy.
#[derive(Serialize, Deserialize)]
pub(crate) enum FromCopy {
    Worker(Box<WorkerMessage>),
    /// The step that the worker has reached, approximately.
    Step(u64),
    /// The worker with this number has ended.
    Over(u32),
}

pub(crate) fn send(link: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    write_binary(&mut bytes, message);
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    if let Some(prefix) = bytes.first_chunk_mut::<4>() {
        *prefix = length.to_le_bytes();
    }
    link.write_all(&bytes)
}

/// Waits for a message; `None` at the end of the stream.
pub(crate) fn receive<T: DeserializeOwned>(link: &mut impl Read) -> Option<T> {
    let mut length = [0; 4];
    link.read_exact(&mut length).ok()?;
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    link.read_exact(&mut bytes).ok()?;
    read_binary(&bytes).ok()
}

/// Waits for a message to the present worker. `None` at the end of the stream, and if the next message starts
/// another worker: that one stays in the stream.
pub(crate) fn receive_for_worker(link: &mut Link) -> Option<ToWorker> {
    let mut start = [0; 5];
    // The length is followed by the number of the variant.
    look_ahead(link, &mut start).ok().filter(|found| *found)?;
    if start.last() == Some(&BEGIN) {
        return None;
    }
    match receive(link)? {
        ToCopy::Worker(message) => Some(message),
        ToCopy::Begin(..) => None,
    }
}

/// The number of the variant [`ToCopy::Begin`].
const BEGIN: u8 = 0;

/// The connection of a worker in a copy of the process to the live engine. If that is gone, sending ends the
/// process.
pub(crate) struct OriginalLink(RefCell<Link>);

impl OriginalLink {
    pub fn new(link: Link) -> OriginalLink {
        OriginalLink(RefCell::new(link))
    }

    pub fn send(&self, message: &FromCopy) {
        if send(&mut *self.0.borrow_mut(), message).is_err() {
            end_copy();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::SessionRequest;

    #[test]
    fn what_is_for_another_worker_is_seen_by_its_start() {
        let start = |message: &ToCopy| {
            let mut bytes = Vec::new();
            assert!(send(&mut bytes, message).is_ok());
            bytes.get(4).copied()
        };
        assert_eq!(start(&ToCopy::Begin(1, Vec::new())), Some(BEGIN));
        assert_ne!(start(&ToCopy::Worker(ToWorker::Interrupt)), Some(BEGIN));
    }

    #[test]
    fn messages_are_what_they_were() {
        let mut bytes = Vec::new();
        let request = Request::Session(SessionRequest::Input { text: Some("ä".repeat(300)), eof: true });
        let sent = ToCopy::Worker(ToWorker::Request(RequestId(7), request.clone()));
        assert!(send(&mut bytes, &sent).is_ok());
        assert!(send(&mut bytes, &FromCopy::Over(3)).is_ok());
        let mut rest = bytes.as_slice();
        match receive(&mut rest) {
            Some(ToCopy::Worker(ToWorker::Request(RequestId(7), found))) => assert_eq!(found, request),
            _ => panic!("another message"),
        }
        assert!(matches!(receive(&mut rest), Some(FromCopy::Over(3))));
        assert!(receive::<FromCopy>(&mut rest).is_none());
        let mut cut = bytes.split_last().map_or(&[][..], |(_, cut)| cut);
        assert!(receive::<ToCopy>(&mut cut).is_some());
        assert!(receive::<FromCopy>(&mut cut).is_none());
    }
}
