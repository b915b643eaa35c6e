//! The socket on which the kernel tells all front ends what happens.
//!
//! The sockets of the crate that publish either lose messages to a slow subscriber or let it block all others.
//! So each connection has a socket of its own here: all of them accept connections at the same listener, and a
//! socket that has got one accepts no other. Each has its own queue; the one that is furthest behind decides
//! whether the kernel has to wait ([`Load`]), and one that takes nothing for too long is disconnected.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use crossbeam_channel::Sender;
use tokio::select;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::timeout;
use zeromq::{Socket, SocketEvent, SocketRecv, SocketSend, XPubSocket, ZmqMessage, ZmqResult};

use crate::sync::{Condvar, Mutex};

/// Bytes of messages that a subscriber has not taken at which the kernel has to wait.
const LIMIT: usize = 4 << 20;

/// How long a subscriber may take for a message, at least, and for how many bytes it gets a second more.
const PATIENCE: Duration = Duration::from_secs(20);
const BYTES_PER_SECOND: u64 = 100_000;

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

    fn message(&self) -> Option<ZmqMessage> {
        self.frames.clone().try_into().ok()
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

/// A socket that waits for a connection.
struct Entrance {
    socket: XPubSocket,
    events: futures_channel::mpsc::Receiver<SocketEvent>,
}

impl Entrance {
    async fn open(listener: &TcpListener) -> ZmqResult<Entrance> {
        let mut socket = XPubSocket::new();
        let events = socket.monitor();
        socket.bind_listener(listener.try_clone()?).await?;
        Ok(Entrance { socket, events })
    }

    /// Waits until a subscriber has connected.
    async fn accepted(&mut self) {
        while let Ok(event) = self.events.recv().await {
            if matches!(event, SocketEvent::Accepted(..)) {
                return;
            }
        }
    }
}

/// Accepts subscribers, and sends them what is published.
pub(super) async fn publish(
    listener: TcpListener,
    mut publications: UnboundedReceiver<Arc<Publication>>,
    welcome: Welcome,
) -> ZmqResult<()> {
    let mut subscribers: Vec<UnboundedSender<Arc<Publication>>> = Vec::new();
    let mut entrance = Entrance::open(&listener).await?;
    loop {
        select! {
            () = entrance.accepted() => {
                let next = Entrance::open(&listener).await?;
                let mut socket = std::mem::replace(&mut entrance, next).socket;
                socket.unbind_all().await;
                let (sender, queue) = mpsc::unbounded_channel();
                subscribers.push(sender);
                tokio::spawn(serve(socket, queue, welcome.clone()));
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

/// Serves a subscriber until it takes nothing any more.
async fn serve(mut socket: XPubSocket, mut queue: UnboundedReceiver<Arc<Publication>>, welcome: Welcome) {
    loop {
        select! {
            biased;
            subscription = socket.recv() => {
                let Ok(subscription) = subscription else { return };
                if let Some([1, topic @ ..]) = subscription.get(0).map(|frame| &frame[..])
                    && let Ok(message) = ZmqMessage::try_from(welcome(topic))
                    && timeout(PATIENCE, socket.send(message)).await.is_err()
                {
                    return;
                }
            }
            publication = queue.recv() => {
                let Some(publication) = publication else { return };
                let Some(message) = publication.message() else { continue };
                let more = Duration::from_secs(publication.size as u64 / BYTES_PER_SECOND);
                if timeout(PATIENCE + more, socket.send(message)).await.is_err() {
                    return;
                }
            }
        }
    }
}
