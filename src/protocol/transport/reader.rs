//! Reads what the client sends.
//!
//! Two threads read, one at a time: the reader's own thread and, while the program is stopped, the
//! interpreter's (see `inline`). When the program runs for longer than a moment, the reader's thread takes
//! over, so that `pause` and `terminate` are always received. While the interpreter's thread reads, it reacts
//! to nothing but the client; a session that ends for another reason does not wait for it.

use std::io::Read;
use std::time::Duration;

use crate::protocol::{ClientLink, Received, SharedFrontEnd};
use ez_runtime::sync::{Condvar, Mutex, MutexGuard};

use super::writer::may_be_repeated;

/// Maximum number of bytes per read.
const READ_SIZE: usize = 64 * 1024;

/// How often the reader's thread checks whether the interpreter's thread still reads.
const TICK: Duration = Duration::from_millis(2);

/// Number of such checks without a read, after which the reader's thread sleeps for as long as the
/// interpreter's waits for input.
const IDLE_TICKS: u32 = 10;

/// The input stream. Whoever holds its lock may read.
struct Inlet {
    stream: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    ended: bool,
}

/// Which thread may read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// The reader's thread.
    Reader,
    /// The interpreter's thread, while the program is stopped.
    Program,
    /// None: the interpreter's thread is carrying out what it has read.
    Nobody,
}

struct Turn {
    holder: Holder,
    /// How often the interpreter's thread has begun to read.
    taken: u64,
    /// Whether the reader's thread sleeps without a time limit.
    asleep: bool,
}

/// Reads for a session.
pub struct Reader {
    front_end: SharedFrontEnd,
    link: ClientLink,
    inlet: Mutex<Inlet>,
    turn: Mutex<Turn>,
    called: Condvar,
}

impl Reader {
    /// A reader of `stream`.
    pub fn new(stream: Box<dyn Read + Send>, front_end: SharedFrontEnd, link: ClientLink) -> Reader {
        let inlet = Inlet { stream, buffer: vec![0; READ_SIZE], ended: false };
        let turn = Turn { holder: Holder::Reader, taken: 0, asleep: false };
        Reader { front_end, link, inlet: Mutex::new(inlet), turn: Mutex::new(turn), called: Condvar::new() }
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock()
    }

    /// Reads until the end of the stream. Body of the reader's thread.
    pub fn run(&self) {
        loop {
            let lent = {
                let mut inlet = self.inlet.lock();
                if inlet.ended {
                    return;
                }
                let Some(received) = self.read(&mut inlet) else { return };
                if received.is_empty() {
                    continue;
                }
                // The turn passes as soon as the interpreter's thread can find the messages: it may have
                // carried them out and want to read again before this thread goes on.
                self.link.deliver(received, || self.turn().holder = Holder::Nobody)
            };
            if lent {
                self.wait_for_turn();
            }
        }
    }

    /// Reads once, and decodes; `None` at the end of the stream.
    fn read(&self, inlet: &mut Inlet) -> Option<Vec<Received>> {
        let count = match inlet.stream.read(&mut inlet.buffer) {
            Ok(count) => count,
            Err(error) if may_be_repeated(&error) => return Some(Vec::new()),
            Err(_) => 0,
        };
        let mut front_end = self.front_end.lock();
        let received = match count {
            0 => front_end.end_of_input(),
            count => front_end.receive(inlet.buffer.get(..count).unwrap_or_default()),
        };
        let on_disconnect = (count == 0).then(|| front_end.on_disconnect());
        drop(front_end);
        if let Some(on_disconnect) = on_disconnect {
            inlet.ended = true;
            self.link.deliver(received, || ());
            self.link.end(on_disconnect);
            return None;
        }
        Some(received)
    }

    /// Waits until the interpreter's thread has not read for a tick and is not reading either.
    fn wait_for_turn(&self) {
        let mut turn = self.turn();
        let (mut taken, mut idle) = (turn.taken, 0);
        loop {
            if turn.holder == Holder::Program && idle >= IDLE_TICKS {
                turn.asleep = true;
                turn = self.called.wait(turn);
                turn.asleep = false;
                idle = 0;
            }
            turn = self.called.wait_timeout(turn, TICK);
            if turn.taken != taken {
                (taken, idle) = (turn.taken, 0);
            } else if turn.holder == Holder::Nobody {
                turn.holder = Holder::Reader;
                drop(turn);
                // Messages left to be written at the next stop are written now.
                return self.link.wake_writer();
            } else {
                idle += 1;
            }
        }
    }

    /// Whether the interpreter's thread may read, or is carrying out what it has read; the reader's thread
    /// will take over if that lasts.
    pub fn is_lent(&self) -> bool {
        self.turn().holder == Holder::Nobody
    }

    /// Reads once on the interpreter's thread, while the program is stopped; returns `false` if another
    /// thread reads. Does not read if `pending` says that a request has come meanwhile: the reader's thread
    /// may just have read it.
    pub fn read_inline(&self, pending: &dyn Fn() -> bool) -> bool {
        {
            let mut turn = self.turn();
            if turn.holder != Holder::Nobody {
                return false;
            }
            turn.holder = Holder::Program;
            turn.taken += 1;
        }
        let mut inlet = self.inlet.lock();
        let ended = inlet.ended;
        if !ended
            && !pending()
            && let Some(received) = self.read(&mut inlet)
        {
            self.link.deliver_quietly(received);
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
