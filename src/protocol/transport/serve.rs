//! Serves one session over a pair of byte streams.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, unbounded};

use crate::host::Commands;
use crate::platform::{OutputWatch, StandardStreams, take_standard_streams};
use crate::protocol::{ClientLink, SharedFrontEnd};
use crate::session::{ConnectionId, EngineMain, Session, Spawn, TERMINATE_GRACE, ThreadMain};

use super::inline::InlineTransport;
use super::reader::Reader;
use super::writer::Writer;

/// How long a client that has asked for the end may take nothing of what was written before it gets no
/// more.
pub const STALL: Duration = Duration::from_secs(1);

/// The streams that a client is at the other end of.
pub struct Connection {
    /// Commands come from here.
    pub reader: Box<dyn Read + Send>,
    /// Messages go here.
    pub writer: Box<dyn Write + Send>,
    /// What is watched to see that the client reads no more, if that can be seen.
    pub watched: Option<OutputWatch>,
}

/// Serves a session until it is over; gives the status to end with. `linger`: how long requests are
/// answered after the program's end. `commands` starts the commands of the program; they end with the
/// session. The engine runs on a thread that `spawn` gives.
pub fn serve(
    connection: Connection,
    front_end: SharedFrontEnd,
    linger: Duration,
    commands: Commands,
    engine: EngineMain,
    spawn: &Spawn,
) -> u8 {
    let session = Session::new(linger, commands);
    let Connection { reader, writer, watched } = connection;
    let link = ClientLink::new(&session, ConnectionId::ONLY);
    let writer = Writer::new(session.outbox().clone(), writer, front_end.clone()).for_client(link.clone());
    let writer = Arc::new(writer);
    front_end.lock().unwrap_or_else(PoisonError::into_inner).begin(link.clone());
    let reader = Arc::new(Reader::new(reader, front_end, link));
    session.set_transport(Box::new(InlineTransport { reader: reader.clone(), writer: writer.clone() }));
    session.start_engine(engine, spawn);
    let writing = session.clone();
    std::thread::spawn(move || {
        if !writer.run() {
            writing.output_closed();
        }
    });
    if let Some(watched) = watched {
        let session = session.clone();
        std::thread::spawn(move || {
            if watched.wait_closed() {
                session.output_closed();
            }
        });
    }
    std::thread::spawn(move || reader.run());
    session.wait(STALL, TERMINATE_GRACE)
}

/// Serves a session on standard input and output, where nothing else can write from then on, and ends the
/// process with its status. The engine runs on the thread that calls this, which needs
/// [`STACK_SIZE`](crate::interp::STACK_SIZE) bytes of stack: memory for the process's first thread costs
/// less than for any other (glibc gives the others theirs in steps of a page).
///
/// # Errors
/// When the streams or a thread cannot be had.
pub fn serve_stdio(
    front_end: SharedFrontEnd,
    linger: Duration,
    commands: Commands,
    engine: EngineMain,
) -> io::Result<Infallible> {
    let StandardStreams { reader, writer, watch: watched } = take_standard_streams()?;
    let connection = Connection { reader: Box::new(reader), writer: Box::new(writer), watched };
    let (sender, mains) = unbounded::<ThreadMain>();
    std::thread::Builder::new().name("session".into()).spawn(move || {
        let spawn = move |main| sender.send(main).is_ok();
        let status = serve(connection, front_end, linger, commands, engine, &spawn);
        std::process::exit(i32::from(status))
    })?;
    run_here(&mains)
}

/// Runs what comes on this thread, until another one ends the process.
pub fn run_here(mains: &Receiver<ThreadMain>) -> ! {
    loop {
        match mains.recv() {
            // A panic has been told on standard error, and the session hears that the engine is gone.
            Ok(main) => std::mem::forget(catch_unwind(AssertUnwindSafe(main))),
            // The session is over and about to end the process.
            Err(_) => std::thread::park(),
        }
    }
}
