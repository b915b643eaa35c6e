//! Clients that come over a socket, one at a time, to a session that stays when they go.
//!
//! A thread accepts connections. Each has a thread of its own, which lets a client in that has the token (see
//! [`Gate`]), gives it the session (see [`Hub`]), and reads what it sends until it is gone.

mod address;
mod client;
mod gate;
mod hub;
mod opening;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

pub use address::{Address, AddressError};
pub use gate::Gate;
pub use hub::Hub;

/// How many connections may wait at a time for being let in. Others are closed at once.
const MOST_WAITING: usize = 32;

/// How the messages of clients look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Envelope {
    /// As in SPEC.md.
    Ez,
    /// JSON-RPC 2.0.
    JsonRpc,
    /// The Debug Adapter Protocol.
    Dap,
}

/// Where clients come in.
pub struct Door {
    listener: TcpListener,
    gate: Arc<Gate>,
    envelope: Option<Envelope>,
}

impl Door {
    /// Listens at an address. Clients speak as `envelope` says; if it says nothing, each shows by what it
    /// sends first how it speaks.
    ///
    /// # Errors
    /// When nobody can listen there, or there is no randomness for a token.
    pub fn open(address: &Address, envelope: Option<Envelope>) -> io::Result<Door> {
        let listener = TcpListener::bind(address.sockets())?;
        Ok(Door { listener, gate: Arc::new(Gate::new()?), envelope })
    }

    /// Where clients come in.
    ///
    /// # Errors
    /// When the system does not know.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What clients have to know to be let in.
    pub fn token(&self) -> &str {
        self.gate.token()
    }

    /// The line that says where clients come in, and with which token.
    ///
    /// # Errors
    /// When the system does not know the address.
    pub fn announcement(&self) -> io::Result<String> {
        let address = self.address()?;
        let data = json!({"host": address.ip().to_string(), "port": address.port(), "token": self.token()});
        Ok(format!("{}\n", json!({"type": "event", "event": "listening", "data": data})))
    }

    /// Lets clients in, on threads of their own.
    ///
    /// # Errors
    /// When there is no thread.
    pub fn serve(self, hub: Arc<Hub>) -> io::Result<()> {
        std::thread::Builder::new().name("listener".into()).spawn(move || self.accept(&hub))?;
        Ok(())
    }

    fn accept(&self, hub: &Arc<Hub>) {
        let waiting = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            let Ok(stream) = stream else {
                // Too many files may be open: others are closed some time.
                std::thread::sleep(std::time::Duration::from_millis(10));
                continue;
            };
            if waiting.load(Ordering::SeqCst) >= MOST_WAITING {
                continue;
            }
            waiting.fetch_add(1, Ordering::SeqCst);
            let (hub, gate, envelope, waits) =
                (hub.clone(), self.gate.clone(), self.envelope, waiting.clone());
            let client = move || {
                let opened = opening::open(&stream, envelope, &gate);
                waits.fetch_sub(1, Ordering::SeqCst);
                if let Some(opened) = opened {
                    client::serve(&hub, &stream, opened);
                }
            };
            if std::thread::Builder::new().name("client".into()).spawn(client).is_err() {
                waiting.fetch_sub(1, Ordering::SeqCst);
            }
        }
    }
}
