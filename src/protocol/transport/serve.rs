//! Serves a session over a pair of byte streams.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};

use crate::protocol::listen::GuestDoor;
use crate::protocol::{ClientLink, SharedFrontEnd};
use ez_engine::session::{ConnectionId, EngineMain, Session, Spawn, TERMINATE_GRACE, ThreadMain};
use ez_runtime::host::{Commands, note_lost_output};
use ez_runtime::platform::{ReaderWatch, StandardStreams, take_standard_streams};
use ez_runtime::threads;

use super::inline::InlineTransport;
use super::reader::Reader;
use super::writer::{Writer, is_temporary};

/// How long a client that has asked for the end may leave messages unread; after that it gets no more.
pub const STALL: Duration = Duration::from_secs(1);

/// What is done with a session before its client is heard.
pub type Begin = Box<dyn FnOnce(&Session) -> io::Result<()> + Send>;

/// The streams to a client.
pub struct Connection {
    /// Bytes from the client.
    pub reader: Box<dyn Read + Send>,
    /// Bytes to the client.
    pub writer: Box<dyn Write + Send>,
    /// Detects that the client has closed its end of the output; `None` if that cannot be detected.
    pub watched: Option<ReaderWatch>,
}

/// Serves a session. Blocks until it has ended and returns the exit status for the process. `linger` is how
/// long requests are answered after the program's end; `commands` starts the operating system commands of the
/// program, which end with the session; `spawn` starts the engine's thread. `begin` is called before the client is
/// heard.
///
/// # Errors
/// If a thread for the connection cannot be created, or that of `begin`.
pub fn serve(
    connection: Connection,
    front_end: SharedFrontEnd,
    linger: Duration,
    commands: Commands,
    engine: EngineMain,
    spawn: &Spawn,
    begin: Begin,
) -> io::Result<u8> {
    let session = Session::new(linger, commands);
    session.set_door(Arc::<GuestDoor>::default());
    let Connection { reader, writer, watched } = connection;
    let link = ClientLink::new(&session, ConnectionId::ONLY);
    let writer = Writer::new(session.outbox().clone(), writer, front_end.clone()).for_client(link.clone());
    let writer = Arc::new(writer);
    front_end.lock().begin(link.clone());
    let reader = Arc::new(Reader::new(reader, front_end, link));
    session.set_transport(Box::new(InlineTransport { reader: reader.clone(), writer: writer.clone() }));
    session.start_engine(engine, spawn);
    begin(&session)?;
    let start_threads = || {
        let writing = session.clone();
        threads::spawn("writer", move || {
            if !writer.run() {
                writing.output_closed();
            }
        })?;
        if let Some(watched) = watched {
            let session = session.clone();
            threads::spawn("output", move || {
                if watched.wait_closed() {
                    session.output_closed();
                }
            })?;
        }
        threads::spawn("reader", move || reader.run())
    };
    // Without them, nobody can end the session.
    start_threads().inspect_err(|_| session.output_closed())?;
    Ok(session.wait(STALL, TERMINATE_GRACE))
}

/// Serves a session on standard input and output, and ends the process with its exit status. Nothing else can
/// write to standard output from then on. The engine runs on the calling thread, which needs
/// [`STACK_SIZE`](ez_runtime::interp::STACK_SIZE) bytes of stack. (It should be the first thread of the process,
/// where memory allocation is cheapest: glibc extends the heaps of other threads page by page.) `begin` is as for
/// [`serve`]; `finish` is called with the exit status at the end, and may return another one.
///
/// # Errors
/// If the streams cannot be taken over or no thread can be created.
pub fn serve_stdio(
    front_end: SharedFrontEnd,
    linger: Duration,
    commands: Commands,
    engine: EngineMain,
    begin: Begin,
    finish: fn(u8) -> u8,
) -> io::Result<Infallible> {
    let StandardStreams { reader, writer, watch: watched } = take_standard_streams()?;
    let writer = Box::new(StandardOutput(writer));
    let connection = Connection { reader: Box::new(reader), writer, watched };
    let (sender, mains) = unbounded::<ThreadMain>();
    threads::spawn("session", move || {
        let spawn = move |main| sender.send(main).is_ok();
        let status =
            serve(connection, front_end, linger, commands, engine, &spawn, begin).unwrap_or_else(|error| {
                eprintln!("Error: {error}");
                1
            });
        std::process::exit(i32::from(finish(status)))
    })?;
    run_here(&mains)
}

/// The standard output of the process, of which errors are noted.
struct StandardOutput<W>(W);

impl<W: Write> Write for StandardOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).inspect_err(|error| {
            if !is_temporary(error) {
                note_lost_output(error);
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Runs the functions received on this thread, until another thread ends the process.
pub fn run_here(mains: &Receiver<ThreadMain>) -> ! {
    loop {
        match mains.recv() {
            // A panic has been reported on standard error, and the session is told that the engine is gone.
            Ok(main) => std::mem::forget(catch_unwind(AssertUnwindSafe(main))),
            // The session is about to end the process.
            Err(_) => std::thread::park(),
        }
    }
}
