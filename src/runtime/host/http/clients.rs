//! The clients that are connected to a server, and how many and how long they may be.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::sync::{Mutex, MutexGuard};

/// Most clients of whom a request is awaited: if there are more, the one that has taken longest is closed.
const WAITING: usize = 400;
/// Most clients that have sent the head of a request and get their answer; others wait.
const ASKING: usize = 400;
/// How long a connection may be silent between requests, within a body, or while it takes an answer.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long the head of a request may take from its first byte on.
pub const HEAD: Duration = Duration::from_secs(5);

/// The clients of a server.
#[derive(Default)]
pub struct Clients(Mutex<Table>);

#[derive(Default)]
struct Table {
    /// The number of the next client that waits.
    next: u64,
    /// Clients of whom a request is awaited, the oldest first.
    waiting: BTreeMap<u64, Arc<TcpStream>>,
    /// How many clients get an answer.
    asking: usize,
}

impl Clients {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock()
    }

    /// Whether no more clients can be served.
    pub fn is_full(&self) -> bool {
        self.table().asking >= ASKING
    }

    /// Closes the connection of the client that has let others wait longest for its request.
    pub fn close_oldest(&self) {
        let oldest = self.table().waiting.pop_first();
        if let Some((_, stream)) = oldest {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A connected client. Leaves the table when it is dropped.
pub struct Client {
    clients: Arc<Clients>,
    stream: Arc<TcpStream>,
    state: State,
}

enum State {
    /// Its request is awaited, under this number.
    Waits(u64),
    /// It gets an answer.
    Asks,
    New,
}

impl Client {
    /// A client that has just connected.
    pub fn new(clients: Arc<Clients>, stream: Arc<TcpStream>) -> Client {
        let mut client = Client { clients, stream, state: State::New };
        client.waits();
        client
    }

    /// Its connection.
    pub fn stream(&self) -> Arc<TcpStream> {
        self.stream.clone()
    }

    /// A request of it is awaited from now on.
    pub fn waits(&mut self) {
        if matches!(self.state, State::Waits(_)) {
            return;
        }
        self.leave();
        let mut table = self.clients.table();
        let number = table.next;
        table.next += 1;
        table.waiting.insert(number, self.stream.clone());
        let are_many = table.waiting.len() > WAITING;
        drop(table);
        self.state = State::Waits(number);
        if are_many {
            self.clients.close_oldest();
        }
    }

    /// It has sent a request; false if it was closed meanwhile.
    pub fn asks(&mut self) -> bool {
        let is_there = self.leave();
        if is_there {
            self.clients.table().asking += 1;
            self.state = State::Asks;
        }
        is_there
    }

    /// Leaves the table; false if it was closed before.
    fn leave(&mut self) -> bool {
        match std::mem::replace(&mut self.state, State::New) {
            State::Waits(number) => self.clients.table().waiting.remove(&number).is_some(),
            State::Asks => {
                self.clients.table().asking -= 1;
                true
            }
            State::New => true,
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_oldest_unfinished_request_goes_first() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let clients = Arc::new(Clients::default());
        let counts = || {
            let table = clients.table();
            (table.waiting.len(), table.asking)
        };
        let connect = || {
            let far = TcpStream::connect(address).expect("connects");
            let (near, _) = listener.accept().expect("accepts");
            (far, Client::new(clients.clone(), Arc::new(near)))
        };
        let (mut first, mut its_client) = connect();
        let (_second, mut asking) = connect();
        assert!(asking.asks());
        let (_far, last) = connect();
        let stream = last.stream();
        let more = |_| Client::new(clients.clone(), stream.clone());
        let others: Vec<_> = (1..WAITING).map(more).collect();
        // The first one was closed, the one that gets an answer was not.
        assert_eq!(first.read(&mut [0]).expect("an end"), 0);
        assert!(!its_client.asks());
        assert_eq!(counts(), (WAITING, 1));
        assert!(!clients.is_full());
        asking.waits();
        assert_eq!(counts(), (WAITING, 0));
        drop((asking, its_client, last, others));
        assert_eq!(counts(), (0, 0));
    }
}
