//! Lines from a socket, with a time limit.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use ez_runtime::clock::Instant;

/// Maximum length of a line in bytes.
const MAX_LINE: usize = 16 << 20;

/// Reads lines from a socket.
pub struct SocketLines {
    stream: TcpStream,
    /// What was read and not returned yet.
    buffer: Vec<u8>,
}

impl SocketLines {
    /// Reads from this socket.
    pub fn new(stream: TcpStream) -> SocketLines {
        SocketLines { stream, buffer: Vec::new() }
    }

    /// The next line, without its end, of at most `limit` bytes. `None` at the end of the stream, if the line
    /// is too long, and when `until` has come.
    pub fn next(&mut self, limit: usize, until: Option<Instant>) -> Option<Vec<u8>> {
        let mut searched = 0;
        loop {
            let rest = self.buffer.get(searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', rest) {
                let mut line: Vec<u8> = self.buffer.drain(..=searched + at).collect();
                line.pop();
                return (line.len() <= limit).then_some(line);
            }
            searched = self.buffer.len();
            if searched > limit {
                return None;
            }
            self.read_more(until)?;
        }
    }

    /// The next line as a message; `None` also if it is none.
    pub fn message<T: DeserializeOwned>(&mut self, until: Option<Instant>) -> Option<T> {
        serde_json::from_slice(&self.next(MAX_LINE, until)?).ok()
    }

    fn read_more(&mut self, until: Option<Instant>) -> Option<()> {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return None;
        }
        self.stream.set_read_timeout(left).ok()?;
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes) {
            Ok(count @ 1..) => self.buffer.extend_from_slice(bytes.get(..count)?),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => return None,
        }
        Some(())
    }
}

/// How long a message may take that the other side does not read.
pub const WRITING: Duration = Duration::from_secs(1);

/// Writes a message as a line.
///
/// # Errors
/// If the other side has gone, or does not read.
pub fn write_message(mut stream: &TcpStream, message: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}
