//! The session's side: a socket at which child processes announce themselves.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::api::{ChildEnd, ChildProcess};
use crate::session::SessionRef;
use ez_runtime::clock::Instant;
use ez_runtime::platform::disconnect;
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

use super::contact::Contact;
use super::lines::{SocketLines, WRITING, write_message};
use super::{Announcement, Order, Report, VERSION};

/// How long a process may take to announce itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Maximum number of connections that have not shown the key yet; further ones are closed.
const MAX_STRANGERS: usize = 256;

/// How long to wait after an error of the system, such as too many open files.
const PAUSE: Duration = Duration::from_millis(10);

/// The connection to a child process.
struct Line {
    stream: TcpStream,
    /// The answer to its announcement, until it is sent.
    answer: Option<Order>,
}

#[derive(Default)]
struct State {
    contact: Option<Contact>,
    closed: bool,
    /// The connections, by process id.
    lines: HashMap<u32, Line>,
}

/// The child processes of a session, and the socket at which they announce themselves. The socket is opened
/// when the program starts its first command. Clones share it. May be used on any thread.
#[derive(Clone)]
pub struct AddressBook {
    session: SessionRef,
    state: Arc<Mutex<State>>,
    /// Number of connections that have not shown the key.
    strangers: Arc<AtomicUsize>,
}

impl AddressBook {
    pub fn new(session: SessionRef) -> AddressBook {
        AddressBook { session, state: Arc::default(), strangers: Arc::default() }
    }

    /// The value of the environment variable for commands; opens the socket if that has not been done.
    ///
    /// # Errors
    /// If there can be no socket. Also if the session has ended.
    pub fn contact(&self) -> io::Result<String> {
        let mut state = self.state.lock();
        if let Some(contact) = &state.contact {
            return Ok(contact.to_text());
        }
        if state.closed {
            return Err(io::ErrorKind::NotConnected.into());
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let contact = Contact::new(listener.local_addr()?)?;
        let text = contact.to_text();
        let (book, expected) = (self.clone(), contact.clone());
        let accept = move || book.accept(&listener, &expected);
        threads::spawn("children", accept)?;
        state.contact = Some(contact);
        Ok(text)
    }

    /// Answers the announcement of a child process.
    pub fn admit(&self, pid: u32, order: Order) {
        if let Some(line) = self.state.lock().lines.get_mut(&pid) {
            line.answer = Some(order);
        }
    }

    /// Sends a child process an order. It is so short that the system takes it, whether it is read or not.
    pub fn send(&self, pid: u32, order: &Order) {
        if let Some(line) = self.state.lock().lines.get(&pid) {
            // A process that has gone needs none.
            let _ = write_message(&line.stream, order);
        }
    }

    /// Closes the socket and all connections.
    pub fn close(&self) {
        let (contact, lines) = {
            let mut state = self.state.lock();
            state.closed = true;
            (state.contact.take(), std::mem::take(&mut state.lines))
        };
        lines.values().for_each(|line| disconnect(&line.stream));
        if let Some(contact) = contact {
            // Wakes the thread that accepts connections, so that it ends and closes the socket.
            let _ = TcpStream::connect_timeout(&contact.address, PATIENCE);
        }
    }

    fn accept(&self, listener: &TcpListener, contact: &Contact) {
        loop {
            let accepted = listener.accept();
            if self.state.lock().closed {
                return;
            }
            let Ok((stream, _)) = accepted else {
                std::thread::sleep(PAUSE);
                continue;
            };
            if self.strangers.fetch_add(1, Ordering::Relaxed) >= MAX_STRANGERS {
                self.strangers.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (book, contact) = (self.clone(), contact.clone());
            let serve = move || {
                let announced = announced(&stream, &contact);
                book.strangers.fetch_sub(1, Ordering::Relaxed);
                if let Some((process, lines)) = announced {
                    book.serve(stream, process, lines);
                }
            };
            if threads::spawn("child", serve).is_err() {
                self.strangers.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Follows a child process to its end; returns its exit status, if it says so.
    fn follow(&self, pid: u32, lines: &mut SocketLines) -> Option<i32> {
        loop {
            match lines.message(None)? {
                Report::Started => {
                    if let Some(session) = self.session.upgrade() {
                        session.child_started(pid);
                    }
                }
                Report::Ended(status) => return Some(status),
            }
        }
    }

    /// Serves a child process from its announcement to its end.
    fn serve(&self, stream: TcpStream, process: ChildProcess, mut lines: SocketLines) {
        let pid = process.pid;
        let Ok(clone) = stream.try_clone() else { return };
        {
            let mut state = self.state.lock();
            // A process announces itself once.
            if state.closed || state.lines.contains_key(&pid) {
                return;
            }
            state.lines.insert(pid, Line { stream: clone, answer: None });
        }
        let session = self.session.upgrade();
        if let Some(session) = session {
            session.child_announced(process);
        }
        let answer = self.state.lock().lines.get_mut(&pid).and_then(|line| line.answer.take());
        let sent = write_message(&stream, &answer.unwrap_or(Order::Run));
        let ended = sent.ok().and_then(|()| self.follow(pid, &mut lines));
        self.state.lock().lines.remove(&pid);
        if let Some(session) = self.session.upgrade() {
            session.child_ended(ChildEnd { pid, status: ended });
        }
        // Closing the connection, which happens now, lets a process end that has said that it will.
        disconnect(&stream);
    }
}

/// What a process on a new connection announces. `None` if it has not shown the key.
fn announced(stream: &TcpStream, contact: &Contact) -> Option<(ChildProcess, SocketLines)> {
    let until = Some(Instant::now() + PATIENCE);
    stream.set_write_timeout(Some(WRITING)).ok()?;
    let _ = stream.set_nodelay(true);
    let mut lines = SocketLines::new(stream.try_clone().ok()?);
    let key = lines.next(contact.key.text().len(), until)?;
    if !contact.key.is(&key) {
        return None;
    }
    let mut writer = stream;
    std::io::Write::write_all(&mut writer, format!("{}\n", contact.answer.text()).as_bytes()).ok()?;
    let Announcement { version, process } = lines.message(until)?;
    (version == VERSION).then_some((process, lines))
}
