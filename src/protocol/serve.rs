//! Serves one session over a pair of byte streams: the threads that read and write.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::unbounded;
use rustix::event::{PollFd, PollFlags, poll};

use crate::session::{self, Engine, Job, Session, Settings, Spawn, TERMINATE_GRACE};

use super::reader::Reader;
use super::{FrontEnd, Writer};

/// How long a client that has asked for the end may leave messages unread before it gets no more.
const STALL: Duration = Duration::from_millis(60);

/// The streams that a client is at the other end of.
pub struct Connection {
    /// Commands come from here.
    pub reader: Box<dyn Read + Send>,
    /// Events go here.
    pub writer: Box<dyn Write + Send>,
    /// What is looked at to see that the client reads no more, if that can be seen.
    pub watched: Option<OwnedFd>,
}

/// Serves a session until it is over; gives the status to end with. Programs run on threads that `spawn`
/// gives.
pub fn serve(
    connection: Connection,
    front_end: FrontEnd,
    settings: Settings,
    engine: Box<Engine>,
    spawn: Box<Spawn>,
) -> u8 {
    let session = Session::new(settings, engine, spawn);
    let Connection { reader, writer, watched } = connection;
    let FrontEnd { decoder, encoder } = front_end;
    let writer = Arc::new(Writer::new(session.outbox().clone(), writer, encoder));
    let reader = Arc::new(Reader::new(reader, decoder));
    session.set_pipes(Box::new(Pipes { reader: reader.clone(), writer: writer.clone() }));
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
    std::thread::spawn(move || reader.run(&reading));
    session.wait(STALL, TERMINATE_GRACE)
}

/// What the program's thread does itself while it is stopped, to spare the time that waking another
/// thread takes.
struct Pipes {
    reader: Arc<Reader>,
    writer: Arc<Writer>,
}

impl session::Pipes for Pipes {
    fn flush(&self) {
        self.writer.flush();
    }

    fn listen(&self, session: &Session, pending: &dyn Fn() -> bool) -> bool {
        self.reader.listen(session, pending)
    }
}

/// Serves a session on standard input and output, where nothing else can write from then on, and ends the
/// process with its status. The program runs on the thread that calls this, which needs
/// [`STACK_SIZE`](crate::interp::STACK_SIZE) bytes of stack: memory for the process's first thread costs
/// less than for any other (glibc gives the others theirs in steps of a page).
///
/// # Errors
/// When the streams or a thread cannot be had.
pub fn serve_stdio(front_end: FrontEnd, settings: Settings, engine: Box<Engine>) -> io::Result<Infallible> {
    let reader = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let writer = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let watched = Some(OwnedFd::from(writer.try_clone()?));
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    let connection = Connection { reader: Box::new(reader), writer: Box::new(writer), watched };
    let (sender, jobs) = unbounded::<Job>();
    let spawn = Box::new(move |job| sender.send(job).is_ok());
    std::thread::Builder::new().name("session".into()).spawn(move || {
        let status = serve(connection, front_end, settings, engine, spawn);
        std::process::exit(i32::from(status))
    })?;
    loop {
        match jobs.recv() {
            // A panic has been told on standard error, and the session hears that the program is gone.
            Ok(job) => std::mem::forget(catch_unwind(AssertUnwindSafe(job))),
            // The session is over and about to end the process.
            Err(_) => std::thread::park(),
        }
    }
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
