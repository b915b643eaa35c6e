//! The five sockets of a kernel, on a thread of their own.
//!
//! The thread does nothing but receive and send: whatever the kernel does, heartbeats are answered, and what
//! arrives waits in a channel. The crate's sockets need an asynchronous runtime, which nothing else here uses.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use crossbeam_channel::{Receiver, Sender, bounded};
use tokio::select;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use zeromq::{RouterSocket, Socket, SocketRecv, SocketSend, ZmqMessage, ZmqResult};

use super::publisher::{Load, Publication, Welcome, publish};
use super::{ConnectionFile, SocketAddress};
use crate::platform;
use crate::threads;

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
    /// Its frames.
    pub frames: Vec<Bytes>,
}

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

    /// Starts the thread that serves them; `arrivals` gets the messages of all front ends, and `welcome` makes
    /// the message for a new subscriber of the iopub socket, given its subscription.
    ///
    /// # Errors
    /// If the thread or its runtime cannot be created.
    pub fn serve(
        self,
        arrivals: Sender<Arrival>,
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
                ended = answer_heartbeats(self.heartbeat) => ended,
                ended = route(Channel::Shell, self.shell, &arrivals, to_shell) => ended,
                ended = route(Channel::Control, self.control, &arrivals, to_control) => ended,
                ended = route(Channel::Stdin, self.stdin, &arrivals, to_stdin) => ended,
                ended = publish(self.iopub, publications, welcome) => ended,
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
    /// To be answered when everything before it has been sent.
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
async fn answer_heartbeats(listener: TcpListener) -> ZmqResult<()> {
    let mut socket = RouterSocket::new();
    socket.bind_listener(listener).await?;
    loop {
        match socket.recv().await {
            // The front end may be gone.
            Ok(beat) => drop(socket.send(beat).await),
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

/// Passes on what arrives at a socket, and sends what the kernel sends.
async fn route(
    channel: Channel,
    listener: TcpListener,
    arrivals: &Sender<Arrival>,
    mut outgoing: UnboundedReceiver<Outgoing>,
) -> ZmqResult<()> {
    let mut socket = RouterSocket::new();
    socket.bind_listener(listener).await?;
    let (mut sending, mut receiving) = socket.split();
    loop {
        select! {
            message = receiving.recv() => match message {
                Ok(message) => {
                    if arrivals.send(Arrival { channel, frames: message.into_vec() }).is_err() {
                        return Ok(());
                    }
                }
                Err(_) => tokio::task::yield_now().await,
            },
            next = outgoing.recv() => match next {
                Some(Outgoing::Frames(frames)) => {
                    if let Ok(message) = ZmqMessage::try_from(frames) {
                        // The front end may be gone.
                        let _ = sending.send(message).await;
                    }
                }
                Some(Outgoing::Flush(sent)) => {
                    // The crate's tasks write what was given to them when it is their turn.
                    for _ in 0..TURNS {
                        tokio::task::yield_now().await;
                    }
                    let _ = sent.send(());
                }
                None => return Ok(()),
            },
        }
    }
}

/// After how many turns of all tasks a message has been written, if the receiver takes it.
const TURNS: usize = 16;
