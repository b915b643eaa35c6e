//! A session in another process, over pipes or a socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use crossbeam_channel::{Sender, unbounded};

use ez_engine::api::{Company, Event, Request, RequestNumber};
use ez_engine::session::Item;
use ez_runtime::clock::Instant;
use ez_runtime::platform::{disconnect, reason};
use ez_runtime::threads;

use super::native::{self, Hello, ToSession};

/// How long connecting to a socket may take, and then the first answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why nothing more is expected of a socket where the first answer has taken too long.
pub(super) const SAYS_NOTHING: &str = "the connection was accepted, and nothing was answered within ten seconds: check \
    that an ez listens at this address, and that its process is not stopped";

/// Why a connection has ended that was not refused.
const LOST: &str = "the connection to the program was lost";

/// Why a connection has ended on which nothing has come.
fn nothing_said() -> String {
    format!(
        "the connection was closed without an answer: the session may have ended, or be one of another version than this \
         ez {}, or none",
        native::VERSION
    )
}

/// Sends messages to a session in another process, from any thread and without waiting. Clones refer to the same
/// connection, which is closed when the last one is dropped, and everything is sent.
#[derive(Clone)]
pub struct RemoteSession(Sender<Vec<u8>>);

/// A connection whose session is elsewhere: what is read from it, what is written to it, and how it is closed.
pub struct Duplex {
    read: Inlet,
    write: Box<dyn Write + Send>,
    close: Box<dyn FnOnce() + Send>,
}

impl Duplex {
    /// The pipes of a child process.
    pub fn pipes(read: impl Read + Send + 'static, write: impl Write + Send + 'static) -> Duplex {
        Duplex { read: Inlet::Pipe(Box::new(read)), write: Box::new(write), close: Box::new(|| ()) }
    }

    /// Connects to a socket.
    ///
    /// # Errors
    /// A message that says why it cannot be reached.
    pub fn to(host: &str, port: u16) -> Result<Duplex, String> {
        let unreachable = |error: io::Error| format!("cannot connect to {host}:{port}: {}", reason(&error));
        let stream = connect(host, port, PATIENCE).map_err(unreachable)?;
        Duplex::socket(stream).map_err(|error| reason(&error))
    }

    fn socket(stream: TcpStream) -> io::Result<Duplex> {
        let _ = stream.set_nodelay(true);
        let (read, closed) = (stream.try_clone()?, stream.try_clone()?);
        let close = move || disconnect(&closed);
        let read = Inlet::Socket { stream: read, until: Some(Instant::now() + PATIENCE) };
        Ok(Duplex { read, write: Box::new(stream), close: Box::new(close) })
    }
}

/// What is read from a session.
enum Inlet {
    Pipe(Box<dyn Read + Send>),
    /// `until`: when the first message has to be there; `None` once it is.
    Socket {
        stream: TcpStream,
        until: Option<Instant>,
    },
}

impl Inlet {
    /// The first message is there: later ones may take as long as they do.
    fn heard(&mut self) {
        if let Inlet::Socket { stream, until } = self
            && until.take().is_some()
        {
            let _ = stream.set_read_timeout(None);
        }
    }

    /// Whether the first message is not there in time.
    fn is_late(&self) -> bool {
        matches!(self, Inlet::Socket { until: Some(until), .. } if *until <= Instant::now())
    }
}

impl Read for Inlet {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Inlet::Pipe(pipe) => pipe.read(buffer),
            Inlet::Socket { stream, until: None } => stream.read(buffer),
            Inlet::Socket { stream, until: Some(until) } => {
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                stream.set_read_timeout(Some(left))?;
                stream.read(buffer)
            }
        }
    }
}

impl RemoteSession {
    /// Begins to use a session. `receive` gets what it sends, on a thread of its own, and last why there is no more:
    /// nothing is expected of a session that has sent this client away.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn begin(
        connection: Duplex,
        hello: &Hello,
        mut receive: impl FnMut(Result<Item<RequestNumber>, String>) + Send + 'static,
    ) -> io::Result<RemoteSession> {
        let Duplex { read, mut write, close } = connection;
        let (outgoing, lines) = unbounded::<Vec<u8>>();
        let _ = outgoing.send(hello.line());
        let at_socket = hello.token.is_some();
        threads::spawn("session writer", move || {
            while let Ok(line) = lines.recv() {
                // The end of the connection is noticed by its reader.
                if write.write_all(&line).and_then(|()| write.flush()).is_err() {
                    break;
                }
            }
            close();
        })?;
        threads::spawn("session reader", move || {
            let mut lines = BufReader::new(read);
            let mut is_silent = true;
            let why = loop {
                match next_item(&mut lines) {
                    Ok(item) => {
                        lines.get_mut().heard();
                        let dismissal = dismissal(&item);
                        receive(Ok(item));
                        if let Some(why) = dismissal {
                            break why;
                        }
                    }
                    Err(Some(why)) => break why,
                    Err(None) if lines.get_ref().is_late() => break SAYS_NOTHING.into(),
                    Err(None) if is_silent && at_socket => break nothing_said(),
                    Err(None) => break LOST.into(),
                }
                is_silent = false;
            };
            receive(Err(why));
        })?;
        Ok(RemoteSession(outgoing))
    }

    /// Makes a request, with this number.
    pub fn ask(&self, id: RequestNumber, request: Request) {
        self.send(&ToSession::Ask(id, request));
    }

    pub fn cancel(&self, id: RequestNumber) {
        self.send(&ToSession::Cancel(id));
    }

    fn send(&self, message: &ToSession) {
        let mut line = Vec::new();
        native::write_line(&mut line, message);
        let _ = self.0.send(line);
    }
}

/// Why the session has sent this client away, if it does so with this item.
fn dismissal(item: &Item<RequestNumber>) -> Option<String> {
    match item {
        Item::Event(Event::Company(Company::Dismissed(why))) => Some(why.to_string()),
        Item::Event(_) | Item::Response(..) | Item::Output { .. } | Item::Reply(_) => None,
    }
}

/// The next item that the session sends.
///
/// # Errors
/// Why there is none; `None` if the connection has ended.
fn next_item(lines: &mut BufReader<impl Read>) -> Result<Item<RequestNumber>, Option<String>> {
    let mut line = Vec::new();
    let read = lines.by_ref().take(native::MAX_LINE as u64).read_until(b'\n', &mut line);
    match read {
        Ok(_) if line.ends_with(b"\n") => native::item(&line).map_err(Some),
        Ok(_) if line.len() >= native::MAX_LINE => Err(Some(format!(
            "the other side has sent a line longer than {} bytes: is it an ez?",
            native::MAX_LINE
        ))),
        Ok(_) | Err(_) => Err(None),
    }
}

/// Connects to the first of a host's addresses that can be reached. Each may take as long as `patience`.
///
/// # Errors
/// That of the last address; [`io::ErrorKind::NotFound`] if there is none.
pub(super) fn connect(host: &str, port: u16, patience: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "no such host");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
