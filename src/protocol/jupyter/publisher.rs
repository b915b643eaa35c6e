//! The socket on which the kernel tells all front ends what happens.
//!
//! A publisher of ZeroMQ loses messages to a slow subscriber; this one does not. Each subscriber has its own queue;
//! the one that is furthest behind decides whether the kernel has to wait ([`Load`]), and one that takes nothing
//! for too long is disconnected.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use bytes::Bytes;
use crossbeam_channel::Sender;
use tokio::net::TcpStream;
use tokio::select;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::Rejected;
use super::arrival::{Arrival, report};
use super::zmtp::{self, Closed, Connection, SocketKind};
use ez_runtime::clock::Instant;
use ez_runtime::sync::{Condvar, Mutex};

/// Bytes of messages that a subscriber has not taken at which the kernel has to wait.
const LIMIT: usize = 4 << 20;

/// How much is waiting for the slowest subscriber.
#[derive(Debug)]
pub(super) struct Load {
    bytes: Mutex<usize>,
    changed: Condvar,
    /// Notified when there is room again.
    room: Sender<()>,
}

impl Load {
    pub fn new(room: Sender<()>) -> Load {
        Load { bytes: Mutex::default(), changed: Condvar::default(), room }
    }

    /// Whether the kernel has to wait before it publishes more output.
    pub fn is_full(&self) -> bool {
        *self.bytes.lock() >= LIMIT
    }

    /// Waits until nothing is waiting, or `deadline` has come.
    pub fn wait_empty(&self, deadline: Instant) {
        let mut bytes = self.bytes.lock();
        while *bytes > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            bytes = self.changed.wait_timeout(bytes, left);
        }
    }
}

/// A message on its way to all subscribers.
#[derive(Debug)]
pub(super) struct Publication {
    frames: Vec<Bytes>,
    size: usize,
    load: Arc<Load>,
}

impl Publication {
    pub fn new(frames: Vec<Bytes>, load: &Arc<Load>) -> Arc<Publication> {
        let size = frames.iter().map(Bytes::len).sum();
        *load.bytes.lock() += size;
        Arc::new(Publication { frames, size, load: load.clone() })
    }
}

impl Drop for Publication {
    fn drop(&mut self) {
        let mut bytes = self.load.bytes.lock();
        let before = *bytes;
        *bytes = before.saturating_sub(self.size);
        if *bytes == 0 {
            self.load.changed.notify_all();
        }
        if before >= LIMIT && *bytes < LIMIT {
            // A notification that nobody has seen yet is as good as this one.
            let _ = self.load.room.try_send(());
        }
    }
}

/// Makes the message for a new subscriber, given its subscription.
pub(super) type Welcome = Arc<dyn Fn(&[u8]) -> Vec<Bytes> + Send + Sync>;

/// Accepts subscribers, and sends them what is published.
pub(super) async fn publish(
    listener: TcpListener,
    mut publications: UnboundedReceiver<Arc<Publication>>,
    welcome: Welcome,
    arrivals: &Sender<Result<Arrival, Rejected>>,
) -> io::Result<()> {
    let listener = zmtp::asynchronous(listener)?;
    let mut subscribers: Vec<UnboundedSender<Arc<Publication>>> = Vec::new();
    let (opened, mut new) = mpsc::unbounded_channel();
    loop {
        select! {
            biased;
            Some(subscriber) = new.recv() => subscribers.push(subscriber),
            stream = zmtp::accepted(&listener) => {
                let (opened, welcome, arrivals) = (opened.clone(), welcome.clone(), arrivals.clone());
                tokio::spawn(async move { report(serve(stream, &opened, &welcome).await, &arrivals) });
            }
            publication = publications.recv() => match publication {
                Some(publication) => {
                    subscribers.retain(|subscriber| subscriber.send(publication.clone()).is_ok());
                }
                None => return Ok(()),
            }
        }
    }
}

/// Serves a subscriber until it takes nothing any more; `opened` gets its queue.
async fn serve(
    stream: TcpStream,
    opened: &UnboundedSender<UnboundedSender<Arc<Publication>>>,
    welcome: &Welcome,
) -> Result<Infallible, Closed> {
    let Connection { mut reader, mut writer, .. } = zmtp::open(stream, SocketKind::Publisher).await?;
    let (sender, mut queue) = mpsc::unbounded_channel();
    opened.send(sender).map_err(|_| Closed::Gone)?;
    let mut topics = Topics::default();
    loop {
        select! {
            biased;
            request = reader.message() => {
                if let Some(topic) = topics.change(request?.first()) {
                    writer.write(&welcome(topic)).await?;
                    writer.flush().await?;
                }
            }
            publication = queue.recv() => {
                let publication = publication.ok_or(Closed::Gone)?;
                if topics.include(&publication) {
                    writer.write(&publication.frames).await?;
                }
                if queue.is_empty() {
                    writer.flush().await?;
                }
            }
        }
    }
}

/// How many topics a subscriber may have subscribed to: each message is compared with all of them.
const TOPICS: usize = 100;

/// With what the first frame of a message begins if a subscriber is to get it.
#[derive(Default)]
struct Topics(Vec<Bytes>);

impl Topics {
    /// Carries out a request to subscribe, or not to any more; gives the topic of a new subscription.
    fn change<'a>(&mut self, request: Option<&'a Bytes>) -> Option<&'a [u8]> {
        match &request?[..] {
            [1, topic @ ..] if self.0.len() < TOPICS => {
                self.0.push(Bytes::copy_from_slice(topic));
                Some(topic)
            }
            [0, topic @ ..] => {
                let at = self.0.iter().position(|subscribed| subscribed == topic)?;
                self.0.swap_remove(at);
                None
            }
            _ => None,
        }
    }

    fn include(&self, publication: &Publication) -> bool {
        let topic = publication.frames.first().map_or(&[][..], |frame| &frame[..]);
        self.0.iter().any(|subscribed| topic.starts_with(subscribed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscribers_get_what_they_have_subscribed_to() {
        let load = Arc::new(Load::new(crossbeam_channel::bounded(1).0));
        let publication = Publication::new(vec![Bytes::from_static(b"stream")], &load);
        let mut topics = Topics::default();
        let mut after = |request: &[u8]| {
            let new = topics.change(Some(&Bytes::copy_from_slice(request))).map(<[u8]>::to_vec);
            (new, topics.include(&publication))
        };
        assert_eq!(after(b""), (None, false));
        assert_eq!(after(b"\x01status"), (Some(b"status".to_vec()), false));
        assert_eq!(after(b"\x01str"), (Some(b"str".to_vec()), true));
        assert_eq!(after(b"\x01"), (Some(b"".to_vec()), true));
        assert_eq!(after(b"\x00str"), (None, true));
        assert_eq!(after(b"\x00"), (None, false));
        assert_eq!(after(b"\x00"), (None, false));
    }
}
