//! The five sockets of a kernel, on a thread of their own.
//!
//! The thread does nothing but receive and send: whatever the kernel does, heartbeats are answered, and what
//! arrives waits in a channel. It has an asynchronous runtime, which nothing else here uses.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender, bounded};
use foldhash::HashMap;
use tokio::net::TcpStream;
use tokio::select;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use super::arrival::{Arrival, Channel, report};
use super::publisher::{Load, Publication, Welcome, publish};
use super::zmtp::{self, Closed, Connection, SocketKind, Writer};
use super::{ConnectionFile, Rejected, SocketAddress};
use ez_runtime::clock::Instant;
use ez_runtime::platform;
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

/// The sockets of a kernel, which listen already and are not served yet.
#[derive(Debug)]
pub struct Sockets {
    shell: TcpListener,
    control: TcpListener,
    stdin: TcpListener,
    iopub: TcpListener,
    heartbeat: TcpListener,
}

impl Sockets {
    /// Listens where the connection file says.
    ///
    /// # Errors
    /// A sentence that names the socket and its port.
    pub fn listen(file: &ConnectionFile) -> Result<Sockets, String> {
        let [shell, control, stdin, iopub, heartbeat] = file.addresses();
        Ok(Sockets {
            shell: bound(&shell)?,
            control: bound(&control)?,
            stdin: bound(&stdin)?,
            iopub: bound(&iopub)?,
            heartbeat: bound(&heartbeat)?,
        })
    }

    /// Starts the thread that serves them; `arrivals` gets the messages of all front ends, or why one was not
    /// received, and `welcome` makes the message for a new subscriber of the iopub socket, given its subscription.
    ///
    /// # Errors
    /// If the thread or its runtime cannot be created.
    pub fn serve(
        self,
        arrivals: Sender<Result<Arrival, Rejected>>,
        welcome: impl Fn(&[u8]) -> Vec<Bytes> + Send + Sync + 'static,
    ) -> std::io::Result<Outlet> {
        let welcome: Welcome = Arc::new(welcome);
        let (room, has_room) = bounded(1);
        let load = Arc::new(Load::new(room));
        let (shell, to_shell) = mpsc::unbounded_channel();
        let (control, to_control) = mpsc::unbounded_channel();
        let (stdin, to_stdin) = mpsc::unbounded_channel();
        let (iopub, publications) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let main = async move {
            let ended = select! {
                ended = answer_heartbeats(self.heartbeat, &arrivals) => ended,
                ended = route(Channel::Shell, self.shell, &arrivals, to_shell) => ended,
                ended = route(Channel::Control, self.control, &arrivals, to_control) => ended,
                ended = route(Channel::Stdin, self.stdin, &arrivals, to_stdin) => ended,
                ended = publish(self.iopub, publications, welcome, &arrivals) => ended,
            };
            // `arrivals` is dropped, so the kernel notices.
            drop(ended);
        };
        threads::spawn("sockets", move || runtime.block_on(main))?;
        Ok(Outlet { shell, control, stdin, iopub, load, has_room })
    }
}

fn bound(address: &SocketAddress) -> Result<TcpListener, String> {
    let SocketAddress { name, ip, port } = address;
    let ip = if ip == "*" { "0.0.0.0" } else { ip };
    TcpListener::bind((ip, *port))
        .map_err(|error| format!("cannot listen at {ip}:{port} for {name}: {}", platform::reason(&error)))
}

/// Something for a socket to send.
enum Outgoing {
    Frames(Vec<Bytes>),
    /// Dropped when everything before it has been sent.
    Flush(Sender<()>),
}

/// Sends messages. Its methods do not block, except [`Outlet::flush`].
#[derive(Debug)]
pub struct Outlet {
    shell: UnboundedSender<Outgoing>,
    control: UnboundedSender<Outgoing>,
    stdin: UnboundedSender<Outgoing>,
    iopub: UnboundedSender<Arc<Publication>>,
    load: Arc<Load>,
    has_room: Receiver<()>,
}

impl Outlet {
    /// Sends a message to the front end that is named by its first frames. It is lost if that has gone.
    pub fn send(&self, channel: Channel, frames: Vec<Bytes>) {
        let socket = match channel {
            Channel::Shell => &self.shell,
            Channel::Control => &self.control,
            Channel::Stdin => &self.stdin,
        };
        let _ = socket.send(Outgoing::Frames(frames));
    }

    /// Sends a message to all front ends.
    pub fn publish(&self, frames: Vec<Bytes>) {
        let _ = self.iopub.send(Publication::new(frames, &self.load));
    }

    /// Whether so much waits for a subscriber that no more output should be published for now.
    pub fn is_full(&self) -> bool {
        self.load.is_full()
    }

    /// Receives when that has changed.
    pub fn has_room(&self) -> &Receiver<()> {
        &self.has_room
    }

    /// Waits until everything has been sent, at most for that time.
    pub fn flush(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        self.load.wait_empty(deadline);
        for socket in [&self.shell, &self.control, &self.stdin] {
            let (sent, done) = bounded(1);
            let _ = socket.send(Outgoing::Flush(sent));
            let _ = done.recv_deadline(deadline);
        }
    }
}

/// Sends every message back.
async fn answer_heartbeats(
    listener: TcpListener,
    arrivals: &Sender<Result<Arrival, Rejected>>,
) -> io::Result<()> {
    let listener = zmtp::asynchronous(listener)?;
    loop {
        let stream = zmtp::accepted(&listener).await;
        let arrivals = arrivals.clone();
        tokio::spawn(async move {
            let echo = async {
                let Connection { mut reader, mut writer, .. } =
                    zmtp::open(stream, SocketKind::Router).await?;
                loop {
                    let beat = reader.message().await?;
                    writer.write(&beat).await?;
                    writer.flush().await?;
                }
            };
            report(echo.await, &arrivals);
        });
    }
}

/// The connections of a socket: what is to be sent over each, by the identity of the peer.
type Peers = Arc<Mutex<HashMap<Bytes, UnboundedSender<Outgoing>>>>;

/// Passes on what arrives at a socket, and sends what the kernel sends.
async fn route(
    channel: Channel,
    listener: TcpListener,
    arrivals: &Sender<Result<Arrival, Rejected>>,
    mut outgoing: UnboundedReceiver<Outgoing>,
) -> io::Result<()> {
    let listener = zmtp::asynchronous(listener)?;
    let peers = Peers::default();
    let mut given: u32 = 0;
    loop {
        select! {
            stream = zmtp::accepted(&listener) => {
                given = given.wrapping_add(1);
                let name = Bytes::from([&[0][..], &given.to_be_bytes()].concat());
                let (peers, arrivals) = (peers.clone(), arrivals.clone());
                tokio::spawn(async move {
                    report(converse(channel, stream, name, &peers, &arrivals).await, &arrivals);
                });
            }
            next = outgoing.recv() => match next {
                Some(Outgoing::Frames(mut frames)) => {
                    let rest = frames.split_off(frames.len().min(1));
                    if let Some(peer) = frames.first().and_then(|identity| peers.lock().get(identity).cloned()) {
                        let _ = peer.send(Outgoing::Frames(rest));
                    }
                }
                Some(Outgoing::Flush(sent)) => {
                    for peer in peers.lock().values() {
                        let _ = peer.send(Outgoing::Flush(sent.clone()));
                    }
                }
                None => return Ok(()),
            },
        }
    }
}

/// Receives from a peer, and sends to it, until the connection is over. `name` is its identity if it has none.
async fn converse(
    channel: Channel,
    stream: TcpStream,
    name: Bytes,
    peers: &Peers,
    arrivals: &Sender<Result<Arrival, Rejected>>,
) -> Result<Infallible, Closed> {
    let Connection { mut reader, mut writer, identity } = zmtp::open(stream, SocketKind::Router).await?;
    let identity = identity.unwrap_or(name);
    let (sender, mut queue) = mpsc::unbounded_channel();
    // A front end that connects again takes the place of its older connection.
    peers.lock().insert(identity.clone(), sender.clone());
    let receive = async {
        loop {
            let mut frames = reader.message().await?;
            frames.insert(0, identity.clone());
            arrivals.send(Ok(Arrival { channel, frames })).map_err(|_| Closed::Gone)?;
        }
    };
    let ended = select! {
        ended = receive => ended,
        ended = send(&mut queue, &mut writer) => ended,
    };
    let mut peers = peers.lock();
    if peers.get(&identity).is_some_and(|current| current.same_channel(&sender)) {
        peers.remove(&identity);
    }
    ended
}

/// Sends a peer what is in its queue.
async fn send(queue: &mut UnboundedReceiver<Outgoing>, writer: &mut Writer) -> Result<Infallible, Closed> {
    loop {
        let next = match queue.try_recv() {
            Ok(next) => Some(next),
            Err(_) => {
                writer.flush().await?;
                queue.recv().await
            }
        };
        match next {
            Some(Outgoing::Frames(frames)) => writer.write(&frames).await?,
            Some(Outgoing::Flush(sent)) => {
                writer.flush().await?;
                drop(sent);
            }
            None => return Err(Closed::Gone),
        }
    }
}
