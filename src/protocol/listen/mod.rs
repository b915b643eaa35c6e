//! Serves clients on a socket: the owner of a session, one at a time, and the guests of a shared one. The session
//! continues when they go.
//!
//! A thread accepts connections. Each connection has its own thread, which checks the client's token
//! ([`TokenGate`]), gets it a session ([`Hub`]), or has it join one ([`GuestDoor`]), and then reads its messages.

mod client;
mod door;
mod gate;
mod handshake;
mod hub;
mod refusal;
mod shared_sessions;

use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::api::Entrance;
use crate::protocol::address::Address;
use crate::sync::Mutex;
use crate::threads;

pub use door::GuestDoor;
pub use gate::{Admission, TokenGate};
pub use hub::Hub;
pub use shared_sessions::{SharedSession, shared_sessions};

/// Maximum number of connections that have not shown a token yet. For a further one, the oldest is closed.
const MAX_WAITING: usize = 32;

/// The connections that have not shown a token yet, in order of their numbers.
#[derive(Default)]
struct Waiting {
    last: u64,
    streams: BTreeMap<u64, TcpStream>,
}

impl Waiting {
    /// Adds a connection; returns its number. Closes the oldest one if there are too many.
    ///
    /// # Errors
    /// If the limit of open files is reached.
    fn add(&mut self, stream: &TcpStream) -> io::Result<u64> {
        let stream = stream.try_clone()?;
        while self.streams.len() >= MAX_WAITING
            && let Some((_, oldest)) = self.streams.pop_first()
        {
            // Its thread notices that.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        self.last += 1;
        self.streams.insert(self.last, stream);
        Ok(self.last)
    }
}

/// The data of the event `listening`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Listening<'a> {
    /// The address.
    host: String,
    /// The port.
    #[cfg_attr(test, schemars(range(min = 1)))]
    port: u16,
    /// The token that the first command of a connection has among its parameters.
    token: &'a str,
}

/// The protocol of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// The line protocol of SPEC.md.
    Ez,
    /// JSON-RPC 2.0.
    JsonRpc,
    /// The Debug Adapter Protocol.
    Dap,
}

/// Serves a client that was admitted. Blocks until it has gone.
type ServeClient = dyn Fn(&TcpStream, handshake::Admitted) + Send + Sync;

/// A listening socket for clients.
pub struct ClientListener {
    listener: TcpListener,
    gate: Arc<TokenGate>,
    envelope: Option<Envelope>,
}

impl ClientListener {
    /// Listens on an address. `envelope` is the protocol of the clients; if `None`, it is detected for each
    /// client by what it sends first.
    ///
    /// # Errors
    /// If listening fails, or the system has no source of randomness for a token.
    pub fn open(address: &Address, envelope: Option<Envelope>) -> io::Result<ClientListener> {
        ClientListener::for_clients(address.sockets(), envelope, &[Admission::Owner])
    }

    /// The same, at the first of the addresses that is available, for clients that are admitted as these.
    fn for_clients(
        addresses: &[SocketAddr],
        envelope: Option<Envelope>,
        admissions: &[Admission],
    ) -> io::Result<ClientListener> {
        let listener = TcpListener::bind(addresses)?;
        let gate = Arc::new(TokenGate::new(admissions.iter().copied())?);
        Ok(ClientListener { listener, gate, envelope })
    }

    /// The address in use.
    ///
    /// # Errors
    /// If the system cannot say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The token that clients have to show.
    pub fn token(&self) -> &str {
        self.gate.token(Admission::Owner)
    }

    /// Port and token, for clients on this machine.
    ///
    /// # Errors
    /// If the system cannot say the address.
    pub fn entrance(&self) -> io::Result<Entrance> {
        Ok(Entrance { port: self.address()?.port(), token: self.token().into() })
    }

    /// One line of JSON with address and token.
    ///
    /// # Errors
    /// If the system cannot say the address.
    pub fn announcement(&self) -> io::Result<String> {
        let address = self.address()?;
        let host = address.ip().to_string();
        let data = Listening { host, port: address.port(), token: self.token() };
        Ok(format!("{}\n", json!({"type": "event", "event": "listening", "data": data})))
    }

    /// Starts to accept clients, on new threads.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn serve(self, hub: Arc<Hub>) -> io::Result<()> {
        let serve = move |stream: &TcpStream, opened| client::serve(&hub, stream, opened);
        self.serve_with(Arc::new(serve), || false)
    }

    /// Starts to accept clients, each of which `serve` serves, until `is_closed` says otherwise when one connects.
    fn serve_with(
        self,
        serve: Arc<ServeClient>,
        is_closed: impl Fn() -> bool + Send + 'static,
    ) -> io::Result<()> {
        threads::spawn("listener", move || self.accept(&serve, is_closed))?;
        Ok(())
    }

    fn accept(&self, serve: &Arc<ServeClient>, is_closed: impl Fn() -> bool) {
        let waiting = Arc::<Mutex<Waiting>>::default();
        for stream in self.listener.incoming() {
            if is_closed() {
                return;
            }
            let begun = stream.and_then(|stream| {
                let number = waiting.lock().add(&stream)?;
                Ok((stream, number))
            });
            let Ok((stream, number)) = begun else {
                // The limit of open files may be reached: try again later.
                std::thread::sleep(std::time::Duration::from_millis(10));
                continue;
            };
            let (serve, gate, envelope, waits) =
                (serve.clone(), self.gate.clone(), self.envelope, waiting.clone());
            let client = move || {
                let opened = handshake::open(&stream, envelope, &gate);
                let was_waiting = waits.lock().streams.remove(&number).is_some();
                if let Some(opened) = opened.filter(|_| was_waiting) {
                    serve(&stream, opened);
                }
            };
            if threads::spawn("client", client).is_err() {
                waiting.lock().streams.remove(&number);
            }
        }
    }
}
