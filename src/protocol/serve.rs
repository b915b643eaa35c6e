//! Serves one session over a pair of byte streams: the threads that read and write.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};

use crate::session::{Engine, Session, Settings};

use super::writer::passes;
use super::{Decoder, FrontEnd, Writer};

/// How long a client that has asked for the end may leave messages unread before it gets no more.
const STALL: Duration = Duration::from_millis(250);

/// How long a program that was told to end may take to end what it has started.
const GRACE: Duration = Duration::from_millis(50);

/// How much one read takes.
const READ_SIZE: usize = 64 * 1024;

/// The streams that a client is at the other end of.
pub struct Connection {
    /// Commands come from here.
    pub reader: Box<dyn Read + Send>,
    /// Events go here.
    pub writer: Box<dyn Write + Send>,
    /// What is looked at to see that the client reads no more, if that can be seen.
    pub watched: Option<OwnedFd>,
}

/// Serves a session until it is over; gives the status to end with.
pub fn serve(connection: Connection, front_end: FrontEnd, settings: Settings, engine: Box<Engine>) -> u8 {
    let session = Session::new(settings, engine);
    let Connection { reader, writer, watched } = connection;
    let FrontEnd { decoder, encoder } = front_end;
    let writer = Arc::new(Writer::new(session.outbox().clone(), writer, encoder));
    session.set_flush({
        let writer = writer.clone();
        Box::new(move || writer.flush())
    });
    let writing = session.clone();
    std::thread::spawn(move || {
        if !writer.run() {
            writing.output_closed();
        }
    });
    if let Some(watched) = watched {
        let session = session.clone();
        std::thread::spawn(move || {
            if wait_closed(watched.as_fd()) {
                session.output_closed();
            }
        });
    }
    let reading = session.clone();
    std::thread::spawn(move || read(reader, decoder, &reading));
    session.wait(STALL, GRACE)
}

/// Serves a session on standard input and output. Nothing else can write there from then on.
///
/// # Errors
/// When the streams cannot be had.
pub fn serve_stdio(front_end: FrontEnd, settings: Settings, engine: Box<Engine>) -> io::Result<u8> {
    let reader = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let writer = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let watched = Some(OwnedFd::from(writer.try_clone()?));
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    let connection = Connection { reader: Box::new(reader), writer: Box::new(writer), watched };
    Ok(serve(connection, front_end, settings, engine))
}

fn read(mut reader: Box<dyn Read + Send>, mut decoder: Box<dyn Decoder>, session: &Session) {
    let mut buffer = vec![0; READ_SIZE];
    for number in 1.. {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => session.receive(decoder.feed(buffer.get(..count).unwrap_or_default()), number),
            Err(error) if passes(&error) => {}
            Err(_) => break,
        }
    }
    session.receive(decoder.end(), u64::MAX);
    session.commands_end();
}

/// Waits until nobody can read what is written; `false` if that cannot be found out.
fn wait_closed(fd: BorrowedFd) -> bool {
    loop {
        let mut fds = [PollFd::new(&fd, PollFlags::empty())];
        match poll(&mut fds, None) {
            Ok(_) => {
                let [watched] = fds;
                let closed = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
                return watched.revents().intersects(closed);
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
