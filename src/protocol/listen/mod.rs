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
mod newcomers;
mod refusal;
mod shared_sessions;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use serde_json::json;

use crate::protocol::address::Address;
use crate::protocol::written::written;
use ez_engine::api::Entrance;
use ez_runtime::threads;

pub use door::GuestDoor;
pub use gate::{Admission, TokenGate};
pub use hub::Hub;
use newcomers::Newcomers;
pub use shared_sessions::{SharedSession, shared_sessions};

written! {
    /// The data of the event `listening`.
    pub(super) struct Listening<'a> {
        /// The address.
        host: String,
        /// The port.
        port: u16 = 1..,
        /// The token that the first command of a connection has among its parameters.
        token: &'a str,
    }
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

    /// Like [`ClientListener::open`], at the first of the addresses that is available, for clients that are admitted
    /// as these.
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
        let newcomers = Newcomers::default();
        let mut clients: Vec<JoinHandle<()>> = Vec::new();
        for stream in self.listener.incoming() {
            if is_closed() {
                return;
            }
            // A thread that has ended counts in the system until it was joined: on a busy machine, quite a while.
            for ended in clients.extract_if(.., |client| client.is_finished()) {
                let _ = ended.join();
            }
            let begun = stream.and_then(|stream| {
                let registration = newcomers.add(&stream)?;
                Ok((stream, registration))
            });
            let Ok((stream, registration)) = begun else {
                // The limit of open files may be reached: try again later.
                std::thread::sleep(std::time::Duration::from_millis(10));
                continue;
            };
            let (serve, gate, envelope) = (serve.clone(), self.gate.clone(), self.envelope);
            let client = move || {
                let opened = handshake::open(&stream, envelope, &gate, &registration);
                let was_open = registration.leave();
                if let Some(opened) = opened.filter(|_| was_open) {
                    serve(&stream, opened);
                }
            };
            // Without a thread, the connection is closed.
            clients.extend(threads::spawn("client", client));
        }
    }
}
