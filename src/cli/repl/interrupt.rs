//! Ctrl+C ends the entry that is running, not the session.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::api::Request;
use crate::cli::local::Sender;
use crate::platform::on_interrupt;

/// The exit status of a process ended by Ctrl+C, by the convention of shells.
const INTERRUPTED: i32 = 130;

/// The handler of Ctrl+C.
pub(super) struct Interrupt {
    sender: Sender,
    /// Whether an entry runs.
    running: AtomicBool,
}

impl Interrupt {
    /// Listens for Ctrl+C from now on, which no longer ends the process.
    pub fn listen(sender: Sender) -> Arc<Interrupt> {
        let interrupt = Arc::new(Interrupt { sender, running: AtomicBool::new(false) });
        let listener = interrupt.clone();
        // Without it, Ctrl+C ends the process.
        let _ = on_interrupt(move || listener.heard());
        interrupt
    }

    fn heard(&self) {
        if self.running.load(Ordering::SeqCst) {
            // It is refused if the entry has just ended.
            self.sender.send(Request::Kill);
        } else if !io::stdin().is_terminal() {
            std::process::exit(INTERRUPTED);
        }
        // At a terminal the line editor reads Ctrl+C as a key.
    }

    /// Says whether an entry runs.
    pub fn set_running(&self, running: bool) {
        self.running.store(running, Ordering::SeqCst);
    }
}
