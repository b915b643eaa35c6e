//! Ctrl+C ends the entry that is running, or pauses it if it is debugged; not the session.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use crate::clients::terminal::{Interruptible, Interrupts};
use crate::protocol::Sender;
use ez_engine::api::Request;
use ez_runtime::platform::on_interrupt;
use ez_runtime::sync::Mutex;

/// The exit status of a process ended by Ctrl+C, by the convention of shells.
const INTERRUPTED: i32 = 130;

/// The handler of Ctrl+C.
pub(super) struct Interrupt {
    sender: Sender,
    /// The line that is read where Ctrl+C is no key.
    line: Interruptible,
    running: Mutex<Running>,
}

/// What Ctrl+C is about.
pub(super) enum Running {
    Nothing,
    Entry,
    /// An entry whose stops a user at a terminal sees.
    Debugged(Interrupts),
}

impl Interrupt {
    /// Listens for Ctrl+C from now on, which no longer ends the process. `line`: what it ends where it is no key.
    pub fn listen(sender: Sender, line: Interruptible) -> Arc<Interrupt> {
        let interrupt = Arc::new(Interrupt { sender, line, running: Mutex::new(Running::Nothing) });
        let listener = interrupt.clone();
        // Without it, Ctrl+C ends the process.
        let _ = on_interrupt(move || listener.heard());
        interrupt
    }

    fn heard(&self) {
        // What reads it ends the entry that waits for it.
        if self.line.interrupt() {
            return;
        }
        match &*self.running.lock() {
            // It is refused if the entry has just ended.
            Running::Entry => {
                self.sender.send(Request::Kill);
            }
            Running::Debugged(interrupts) => interrupts.pause(),
            Running::Nothing if !io::stdin().is_terminal() => std::process::exit(INTERRUPTED),
            Running::Nothing => {}
        }
        // At a terminal the line editor reads Ctrl+C as a key.
    }

    /// Says what runs.
    pub fn set_running(&self, running: Running) {
        *self.running.lock() = running;
    }
}
