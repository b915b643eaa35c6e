//! Serves a client on a socket, from its admission to the end of its connection.

use std::io::Read;
use std::net::TcpStream;
use std::sync::Arc;

use crate::protocol::transport::{self, Reader, STALL, Writer};
use crate::protocol::{ClientLink, Received};
use ez_engine::api::{Failure, FailureKind, Request, SessionRequest};
use ez_engine::session::{Incoming, InlineTransport, Outbox, Outgoing, Session, ToGuest};
use ez_runtime::platform::{disconnect, limit_unsent};
use ez_runtime::sync::{Condvar, Mutex};
use ez_runtime::threads;

use super::gate::Admission;
use super::handshake::Admitted;
use super::hub::{Hub, Purpose};
use super::refusal::refuse;

/// How many bytes for a client may be in the buffer of this side, besides that of the client.
const UNSENT: usize = 64 * 1024;

/// A client's connection, shared by the threads of the session.
struct Socket {
    inline: transport::InlineTransport,
    stream: TcpStream,
    outbox: Arc<dyn Outgoing>,
    closed: Mutex<bool>,
    changed: Condvar,
}

impl Socket {
    fn wait_closed(&self) {
        let mut closed = self.closed.lock();
        while !*closed {
            closed = self.changed.wait(closed);
        }
    }
}

/// The transport of a client on a socket.
struct Transport(Arc<Socket>);

impl InlineTransport for Transport {
    fn flush(&self) {
        self.0.inline.flush();
    }

    fn flush_soon(&self) {
        self.0.inline.flush_soon();
    }

    fn wait(&self, pending: &dyn Fn() -> bool) -> bool {
        self.0.inline.wait(pending)
    }

    fn close(&self) {
        let socket = self.0.clone();
        if std::mem::replace(&mut *socket.closed.lock(), true) {
            return;
        }
        socket.changed.notify_all();
        let shut_down = {
            let socket = socket.clone();
            move || {
                socket.outbox.wait_written(STALL / 8, &|stalled| stalled < STALL);
                // Wakes threads that are blocked on the socket.
                disconnect(&socket.stream);
            }
        };
        if threads::spawn("closing", shut_down).is_err() {
            disconnect(&self.0.stream);
        }
    }
}

/// Serves a client. Blocks until it has gone.
pub fn serve(hub: &Hub, stream: &TcpStream, opened: Admitted) {
    let session = match hub.claim(opened.purpose) {
        Ok(session) => session,
        Err(why) => {
            let failure = Failure::new(FailureKind::WrongState, why);
            return refuse(stream, &opened.front_end, &opened.received, failure);
        }
    };
    let vanished = converse(&session, stream, opened);
    hub.release(vanished.unwrap_or(true));
}

/// Serves a guest of a session. Blocks until it has gone.
pub fn serve_guest(session: &Session, stream: &TcpStream, opened: Admitted) {
    let attaches = opened.attaches
        && matches!(
            opened.received.first(),
            Some(Received::Message(first)) if matches!(first.request, Ok(Request::Session(SessionRequest::Attach(_))))
        );
    if !attaches {
        let other = Failure::new(FailureKind::WrongState, "the first command of a guest must be 'attach'");
        let failure = match opened.received.first() {
            // A command `attach` that is wrong.
            Some(Received::Message(Incoming { request: Err(wrong), .. }))
                if opened.purpose == Purpose::Attach =>
            {
                wrong.clone()
            }
            Some(_) | None => other,
        };
        return refuse(stream, &opened.front_end, &opened.received, failure);
    }
    // A connection that cannot be prepared is closed.
    let _ = converse(session, stream, opened);
}

/// What is read from a guest: its commands come only as fast as they are answered.
struct Paced {
    stream: TcpStream,
    outbox: Arc<Outbox<ToGuest>>,
}

/// How much is read of a guest's commands at once.
const GUEST_READ: usize = 512;

impl Read for Paced {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.outbox.wait_for_guest();
        let size = buffer.len().min(GUEST_READ);
        self.stream.read(buffer.get_mut(..size).unwrap_or_default())
    }
}

/// Serves a client of a session. Returns whether the connection was lost without a request to disconnect.
fn converse(session: &Session, stream: &TcpStream, opened: Admitted) -> std::io::Result<bool> {
    let Admitted { front_end, received, attaches, admission, .. } = opened;
    // Messages are small, and the client waits for each.
    let _ = stream.set_nodelay(true);
    // What the program prints is not to be far ahead of a client that is slow.
    limit_unsent(stream, UNSENT);
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    let (input, output) = (stream.try_clone()?, stream.try_clone()?);
    let guest = match admission {
        Admission::Owner => None,
        Admission::Guest(role) => Some((role, Session::outbox_for_guest())),
    };
    let (connection, outbox, input): (_, Arc<dyn Outgoing>, Box<dyn Read + Send>) = match &guest {
        None => (session.new_connection(), session.outbox().clone(), Box::new(input)),
        Some((_, outbox)) => {
            let paced = Paced { stream: input, outbox: outbox.clone() };
            (session.new_guest_connection(), outbox.clone(), Box::new(paced))
        }
    };
    let link = ClientLink::with_outbox(session, connection, outbox.clone());
    front_end.lock().begin(link.clone());
    let writer = Writer::new(outbox.clone(), Box::new(output), front_end.clone());
    let writer = Arc::new(writer.for_client(link.clone()));
    let reader = Arc::new(Reader::new(input, front_end.clone(), link.clone()));
    let refusing = front_end.clone();
    let gone = {
        let session = session.clone();
        move || session.client_gone(connection, front_end.lock().on_disconnect())
    };
    let socket = Arc::new(Socket {
        inline: transport::InlineTransport { reader: reader.clone(), writer: writer.clone() },
        stream: stream.try_clone()?,
        outbox: outbox.clone(),
        closed: Mutex::new(false),
        changed: Condvar::new(),
    });
    let transport = Arc::new(Transport(socket.clone()));
    match guest {
        None => session.connect(connection, transport, attaches),
        Some((role, outbox)) => {
            if let Err(why) = session.connect_guest(connection, role, outbox, transport) {
                refuse(stream, &refusing, &received, Failure::new(FailureKind::WrongState, why));
                return Ok(false);
            }
        }
    }
    let writing = {
        let (writer, gone) = (writer.clone(), gone.clone());
        threads::spawn("writer", move || {
            if !writer.run() {
                gone();
            }
        })
    };
    link.deliver(received, || ());
    if writing.is_ok() {
        reader.run();
    }
    gone();
    socket.wait_closed();
    if let Ok(writing) = writing {
        let _ = writing.join();
    }
    let unwritten = writer.retire();
    // Nobody waits any more for what a guest has not read.
    outbox.take_back(unwritten);
    Ok(session.has_lost_client())
}
