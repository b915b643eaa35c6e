//! Reads what the client sends.
//!
//! Two threads read, never both at once: the reader's own, and, while it is stopped, the program's. A
//! step then needs no other thread: the program's takes the command, carries it out and writes the
//! answer, as fast as a program that only echoes lines. The reader's thread takes the reading back when
//! the program runs for longer than a moment, so that `pause` and `terminate` are always heard.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::session::Session;

use super::Decoder;
use super::writer::passes;

/// How much one read takes.
const READ_SIZE: usize = 64 * 1024;

/// How often the reader's thread looks whether the program still reads.
const TICK: Duration = Duration::from_millis(2);

/// After how many looks at a program that only waits for a command it is not looked at any more.
const PATIENCE: u32 = 10;

/// Where commands come from.
pub struct Source {
    stream: Box<dyn Read + Send>,
    wait: Option<Wait>,
}

impl Source {
    /// Something that only the reader's thread can read.
    pub fn plain(stream: Box<dyn Read + Send>) -> Source {
        Source { stream, wait: None }
    }

    /// Something that the system can tell when there is anything to read.
    ///
    /// # Errors
    /// When the system has no more file descriptors.
    pub fn waitable(file: File) -> io::Result<Source> {
        let (bell, ringer) = io::pipe()?;
        let stream = OwnedFd::from(file.try_clone()?);
        let wait = Wait { stream, bell, ringer, rung: AtomicBool::new(false) };
        Ok(Source { stream: Box::new(file), wait: Some(wait) })
    }
}

/// Waits until there is something to read, or the bell rings.
struct Wait {
    stream: OwnedFd,
    bell: PipeReader,
    ringer: PipeWriter,
    rung: AtomicBool,
}

impl Wait {
    /// Whether there is something to read; `false`: somebody has rung.
    fn is_readable(&self) -> bool {
        let mut fds = [PollFd::new(&self.stream, PollFlags::IN), PollFd::new(&self.bell, PollFlags::IN)];
        while poll(&mut fds, None) == Err(Errno::INTR) {}
        let [_, bell] = fds;
        if bell.revents().is_empty() {
            return true;
        }
        // Who rings between these two has said before why, and is heard anyway.
        let _ = (&self.bell).read(&mut [0]);
        self.rung.store(false, Ordering::SeqCst);
        false
    }

    fn ring(&self) {
        if !self.rung.swap(true, Ordering::SeqCst) {
            let _ = (&self.ringer).write(&[0]);
        }
    }
}

/// What is needed to read. Whoever holds its lock may.
struct Inlet {
    stream: Box<dyn Read + Send>,
    decoder: Box<dyn Decoder>,
    buffer: Vec<u8>,
    /// How often was read.
    reads: u64,
    ended: bool,
}

/// Who has the reading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// The reader's thread.
    Reader,
    /// The program's thread, which is stopped.
    Program,
    /// The program's thread, which carries out what it has read.
    Nobody,
}

struct Turn {
    holder: Holder,
    /// How often the program has taken the reading.
    taken: u64,
    /// Whether the reader's thread sleeps until it is called.
    asleep: bool,
}

/// Reads for a session.
pub struct Reader {
    inlet: Mutex<Inlet>,
    turn: Mutex<Turn>,
    called: Condvar,
    wait: Option<Wait>,
}

impl Reader {
    /// A reader of what `source` gives.
    pub fn new(source: Source, decoder: Box<dyn Decoder>) -> Reader {
        let Source { stream, wait } = source;
        let inlet = Inlet { stream, decoder, buffer: vec![0; READ_SIZE], reads: 0, ended: false };
        let turn = Turn { holder: Holder::Reader, taken: 0, asleep: false };
        Reader { inlet: Mutex::new(inlet), turn: Mutex::new(turn), called: Condvar::new(), wait }
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads until nothing more comes. For the reader's thread.
    pub fn run(&self, session: &Session) {
        loop {
            let lent = {
                let mut inlet = self.inlet.lock().unwrap_or_else(PoisonError::into_inner);
                if inlet.ended {
                    return;
                }
                self.read(&mut inlet, session)
            };
            if lent {
                self.wait_for_turn();
            }
        }
    }

    /// Reads once, and has it carried out. From then on the program may read, if it is stopped: then
    /// gives `true`.
    fn read(&self, inlet: &mut Inlet, session: &Session) -> bool {
        let count = match inlet.stream.read(&mut inlet.buffer) {
            Ok(count) => count,
            Err(error) if passes(&error) => return false,
            Err(_) => 0,
        };
        inlet.reads += 1;
        if count == 0 {
            inlet.ended = true;
            session.receive(inlet.decoder.end(), u64::MAX, || false);
            session.commands_end();
            return false;
        }
        let messages = inlet.decoder.feed(inlet.buffer.get(..count).unwrap_or_default());
        // Given away before the program hears of the messages: it may be stopped again before this
        // thread comes to it.
        session.receive(messages, inlet.reads, || {
            let lendable = self.wait.is_some();
            if lendable {
                self.turn().holder = Holder::Nobody;
            }
            lendable
        })
    }

    /// Waits until the program has not read for a moment and does not wait for a command either.
    fn wait_for_turn(&self) {
        let mut turn = self.turn();
        let (mut taken, mut idle) = (turn.taken, 0);
        loop {
            if turn.holder == Holder::Program && idle >= PATIENCE {
                turn.asleep = true;
                turn = self.called.wait(turn).unwrap_or_else(PoisonError::into_inner);
                turn.asleep = false;
                idle = 0;
            }
            let waited = self.called.wait_timeout(turn, TICK);
            turn = waited.unwrap_or_else(PoisonError::into_inner).0;
            if turn.taken != taken {
                (taken, idle) = (turn.taken, 0);
            } else if turn.holder == Holder::Nobody {
                turn.holder = Holder::Reader;
                return;
            } else {
                idle += 1;
            }
        }
    }

    /// Reads once, for the program's thread while it is stopped; `false` if that is not its turn.
    pub fn listen(&self, session: &Session) -> bool {
        let Some(wait) = &self.wait else { return false };
        {
            let mut turn = self.turn();
            if turn.holder != Holder::Nobody {
                return false;
            }
            turn.holder = Holder::Program;
            turn.taken += 1;
        }
        let mut inlet = self.inlet.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = inlet.ended;
        if !ended && wait.is_readable() {
            self.read(&mut inlet, session);
        }
        drop(inlet);
        let mut turn = self.turn();
        if turn.holder == Holder::Program {
            turn.holder = Holder::Nobody;
        }
        if turn.asleep {
            self.called.notify_one();
        }
        !ended
    }

    /// Makes a program that listens look at its requests.
    pub fn nudge(&self) {
        if let Some(wait) = &self.wait {
            wait.ring();
        }
    }
}
