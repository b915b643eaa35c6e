//! The announcement of a program that was started elsewhere: it connects back and says where it listens.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long a process that connects may take to announce itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum size of an announcement in bytes.
const MAX: u64 = 64 * 1024;

/// The socket at which the announcement is expected.
pub struct Announced {
    listener: TcpListener,
    /// A secret that only the program is given.
    pub key: String,
}

/// What a connection brought.
enum Announcement {
    Address(u16, String),
    Failure(String),
    /// Something else than an announcement; to be ignored.
    Noise,
    /// The wait has been cancelled.
    Nothing,
}

impl Announced {
    /// Opens the socket, with a new key.
    pub fn new() -> std::io::Result<Announced> {
        let mut key = [0; 16];
        getrandom::fill(&mut key).map_err(|error| std::io::Error::other(error.to_string()))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(Announced { listener, key: hex::encode(key) })
    }

    /// Where the program has to connect.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits for the announcement; returns port and token. Blocks.
    ///
    /// # Errors
    /// Why none came.
    pub fn wait(self) -> Result<(u16, String), String> {
        loop {
            let (stream, _) = self.listener.accept().map_err(|error| error.to_string())?;
            match self.said(stream) {
                Announcement::Address(port, token) => return Ok((port, token)),
                Announcement::Failure(why) => return Err(why),
                Announcement::Nothing => return Err("the program was not started".into()),
                Announcement::Noise => {}
            }
        }
    }

    fn said(&self, stream: TcpStream) -> Announcement {
        if stream.set_read_timeout(Some(PATIENCE)).is_err() {
            return Announcement::Noise;
        }
        let mut lines = BufReader::new(stream.take(MAX)).lines();
        match lines.next() {
            None => return Announcement::Nothing,
            Some(Ok(key)) if key == self.key => {}
            Some(_) => return Announcement::Noise,
        }
        let event = lines.next().and_then(Result::ok);
        let event: Value = event.and_then(|line| serde_json::from_str(&line).ok()).unwrap_or_default();
        let port = event.pointer("/data/port").and_then(Value::as_u64);
        let text = |pointer| event.pointer(pointer).and_then(Value::as_str);
        match (port.and_then(|port| u16::try_from(port).ok()), text("/data/token")) {
            (Some(port), Some(token)) => Announcement::Address(port, token.into()),
            _ => Announcement::Failure(text("/data/message").unwrap_or("the program was not started").into()),
        }
    }
}
