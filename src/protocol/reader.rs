//! Reads what the client sends.
//!
//! Two threads read, never both at once: the reader's own, and, while it is stopped, the program's. A
//! step then needs no other thread: the program's takes the command, carries it out and writes the
//! answer, as fast as a program that only echoes lines. The reader's thread takes the reading back when
//! the program runs for longer than a moment, so that `pause` and `terminate` are always heard. A stopped
//! program that reads hears of nothing but what the client sends; a session that ends for another reason
//! does not wait for it.

use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::session::Session;

use super::Decoder;
use super::writer::passes;

/// How much one read takes.
const READ_SIZE: usize = 64 * 1024;

/// How often the reader's thread looks whether the program still reads.
const TICK: Duration = Duration::from_millis(2);

/// After how many looks at a program that only waits for a command it is not looked at any more.
const PATIENCE: u32 = 10;

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
}

impl Reader {
    /// A reader of what comes out of `stream`.
    pub fn new(stream: Box<dyn Read + Send>, decoder: Box<dyn Decoder>) -> Reader {
        let inlet = Inlet { stream, decoder, buffer: vec![0; READ_SIZE], reads: 0, ended: false };
        let turn = Turn { holder: Holder::Reader, taken: 0, asleep: false };
        Reader { inlet: Mutex::new(inlet), turn: Mutex::new(turn), called: Condvar::new() }
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
            session.receive(inlet.decoder.end(), u64::MAX, || ());
            session.commands_end();
            return false;
        }
        let messages = inlet.decoder.feed(inlet.buffer.get(..count).unwrap_or_default());
        // Given away as soon as the program can find the messages: it may be stopped again before this
        // thread comes to it.
        session.receive(messages, inlet.reads, || {
            self.turn().holder = Holder::Nobody;
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

    /// Reads once, for the program's thread while it is stopped; `false` if that is not its turn. Does not
    /// read if something is `pending`: the reader's thread may have read it since the program looked.
    pub fn listen(&self, session: &Session, pending: &dyn Fn() -> bool) -> bool {
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
        if !ended && !pending() {
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
}
