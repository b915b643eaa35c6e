//! The announcement of a program that was started elsewhere: it connects back and says where it listens.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use serde_json::Value;
use subtle::ConstantTimeEq;

use ez_engine::session::children::SocketLines;
use ez_runtime::clock::Instant;
use ez_runtime::platform::create_private;
use ez_runtime::threads;

/// How long a process that connects may take to announce itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum size of an announcement in bytes.
const MAX: usize = 64 * 1024;

/// Maximum number of connections that have not announced a program yet; further ones are closed.
const MAX_STRANGERS: usize = 64;

/// How long to wait after an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(10);

/// A program that has announced itself.
pub struct Announcement {
    /// Where it listens, on this computer.
    pub port: u16,
    /// What clients have to show there.
    pub token: String,
    /// The connection on which it came: the program ends if this is closed before [`Announcement::TAKEN`] was sent.
    pub stream: TcpStream,
}

impl Announcement {
    /// Tells the program that a client has attached, so that it no longer depends on the connection.
    pub const TAKEN: &[u8] = b"attached\n";

    /// Sends that on the connection of an announcement.
    pub fn take(mut stream: &TcpStream) {
        // A program that has ended needs not know.
        let _ = stream.write_all(Announcement::TAKEN);
    }
}

/// What has come of the wait.
enum Found {
    Program(Announcement),
    /// The program cannot be debugged, for this reason.
    Failure(String),
    Cancelled,
}

/// Ends the wait for an announcement.
pub struct Cancel(Sender<Found>);

impl Cancel {
    /// Ends it.
    pub fn cancel(&self) {
        let _ = self.0.send(Found::Cancelled);
    }
}

/// The socket at which the announcement is expected.
pub struct Announced {
    listener: TcpListener,
    address: SocketAddr,
    /// A secret that only the program is given.
    key: String,
    address_file: AddressFile,
    sender: Sender<Found>,
    found: Receiver<Found>,
}

impl Announced {
    /// Opens the socket, with a new key.
    pub fn new() -> std::io::Result<Announced> {
        let (key, name) = (random()?, random()?);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let address_file = AddressFile::new(&format!("ez-{name}"), &format!("{address}/{key}"))?;
        let (sender, found) = unbounded();
        Ok(Announced { listener, address, key, address_file, sender, found })
    }

    /// The file that has `HOST:PORT/KEY`: where the program has to connect, and what it has to show. Only this user
    /// can read it, unlike arguments, and it works for clients that do not set environment variables.
    pub fn address_file(&self) -> &Path {
        &self.address_file.0
    }

    /// Ends the wait, whether it has begun or not.
    pub fn cancel(&self) -> Cancel {
        Cancel(self.sender.clone())
    }

    /// Waits for the announcement, for this time at most. Blocks.
    ///
    /// # Errors
    /// Why none came.
    pub fn wait(self, patience: Duration) -> Result<Announcement, String> {
        let Announced { listener, address, key, address_file: _address_file, sender, found } = self;
        let is_over = Arc::new(AtomicBool::new(false));
        let accepting = {
            let is_over = is_over.clone();
            threads::spawn("announced", move || accept(&listener, &key, &sender, &is_over))
        };
        accepting.map_err(|error| error.to_string())?;
        let result = match found.recv_timeout(patience) {
            Ok(Found::Program(announcement)) => Ok(announcement),
            Ok(Found::Failure(why)) => Err(why),
            Ok(Found::Cancelled) | Err(RecvTimeoutError::Disconnected) => {
                Err("the program was not started".into())
            }
            Err(RecvTimeoutError::Timeout) => {
                let seconds = patience.as_secs_f64();
                Err(format!("the program was not started in the terminal within {seconds} seconds"))
            }
        };
        is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts connections, so that it ends and closes the socket.
        let _ = TcpStream::connect_timeout(&address, PATIENCE);
        result
    }
}

/// A file that only this user can read, until it is dropped.
struct AddressFile(PathBuf);

impl AddressFile {
    fn new(name: &str, text: &str) -> std::io::Result<AddressFile> {
        let path = std::env::temp_dir().join(name);
        create_private(&path)?.write_all(text.as_bytes())?;
        Ok(AddressFile(path))
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A text that nobody can guess.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(hex::encode(bytes))
}

/// Accepts connections until the wait is over. One that says nothing, or something else, has no effect on others.
fn accept(listener: &TcpListener, key: &str, found: &Sender<Found>, is_over: &AtomicBool) {
    let strangers = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = listener.accept();
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            std::thread::sleep(PAUSE);
            continue;
        };
        if strangers.fetch_add(1, Ordering::Relaxed) >= MAX_STRANGERS {
            strangers.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (key, found, left) = (key.to_string(), found.clone(), strangers.clone());
        let listen = move || {
            let said = said(stream, &key);
            left.fetch_sub(1, Ordering::Relaxed);
            if let Some(said) = said {
                let _ = found.send(said);
            }
        };
        if threads::spawn("announcement", listen).is_err() {
            strangers.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What a connection brings; `None` for something else than an announcement with the key.
fn said(stream: TcpStream, key: &str) -> Option<Found> {
    let until = Some(Instant::now() + PATIENCE);
    let mut lines = SocketLines::new(stream.try_clone().ok()?);
    if !bool::from(lines.next(key.len(), until)?.ct_eq(key.as_bytes())) {
        return None;
    }
    let event = lines.next(MAX, until).unwrap_or_default();
    let event: Value = serde_json::from_slice(&event).unwrap_or_default();
    let port = event.pointer("/data/port").and_then(Value::as_u64);
    let text = |pointer| event.pointer(pointer).and_then(Value::as_str);
    Some(match (port.and_then(|port| u16::try_from(port).ok()), text("/data/token")) {
        (Some(port), Some(token)) => Found::Program(Announcement { port, token: token.into(), stream }),
        _ => Found::Failure(text("/data/message").unwrap_or("the program was not started").into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn connection(announced: &Announced) -> TcpStream {
        TcpStream::connect(announced.address).unwrap()
    }

    #[test]
    fn only_the_program_with_the_key_is_heard() {
        let announced = Announced::new().unwrap();
        // Neither keeps the program out: one that says nothing, one that has gone, and one that guesses.
        let _silent: Vec<TcpStream> = (0..3).map(|_| connection(&announced)).collect();
        drop(connection(&announced));
        let event = r#"{"data":{"port":7,"token":"t"}}"#;
        writeln!(&connection(&announced), "{}\n{event}", "0".repeat(32)).unwrap();
        let file = announced.address_file().to_path_buf();
        let text = std::fs::read_to_string(&file).unwrap();
        let (_, key) = text.split_once('/').unwrap();
        writeln!(&connection(&announced), "{key}\n{event}").unwrap();
        let found = announced.wait(LONG).unwrap();
        assert_eq!((found.port, found.token.as_str()), (7, "t"));
        assert!(!file.exists());
    }

    #[test]
    fn a_wait_ends() {
        let announced = Announced::new().unwrap();
        let why = announced.wait(Duration::from_millis(1)).err().unwrap();
        assert_eq!(why, "the program was not started in the terminal within 0.001 seconds");
        let announced = Announced::new().unwrap();
        announced.cancel().cancel();
        assert_eq!(announced.wait(LONG).err().unwrap(), "the program was not started");
    }
}
