//! A pseudo-terminal of Unix.

use std::io::{Read, Write};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use super::Run;

/// Whether Ctrl+C reaches a program that reads keys.
pub fn interrupts_are_keys() -> bool {
    true
}

/// Whether escape sequences do not count as text.
pub fn colours_take_no_room() -> bool {
    true
}

pub struct Pseudo {
    pty: Arc<Pty>,
    child: Child,
}

impl Pseudo {
    pub fn start(run: &Run) -> (Pseudo, Receiver<Vec<u8>>) {
        let (pty, pts) = open().unwrap();
        pty.resize(Size::new(run.rows, run.columns)).unwrap();
        let command = Command::new(support::ez_path())
            .args(run.arguments)
            .current_dir(run.directory)
            .env("TERM", "xterm-256color")
            .env("XDG_STATE_HOME", run.directory.join("state"))
            .env_remove("NO_COLOR")
            .envs(run.environment.iter().copied());
        support::signals::stop_ignoring();
        let child = command.spawn(pts).unwrap();
        let pty = Arc::new(pty);
        let (sender, bytes) = channel();
        let reading = pty.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // At the end of the process there is an error.
            while let Ok(count) = (&*reading).read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        (Pseudo { pty, child }, bytes)
    }

    pub fn write(&mut self, bytes: &[u8]) {
        (&*self.pty).write_all(bytes).unwrap();
    }

    pub fn interrupt(&mut self) {
        self.write(b"\x03");
    }

    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.pty.resize(Size::new(rows, columns)).unwrap();
    }

    /// Waits for the end of the process; gives its status.
    pub fn wait(&mut self, patience: Duration) -> Option<i32> {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(since.elapsed() < patience, "the process does not end");
            std::thread::yield_now();
        }
    }
}

impl Drop for Pseudo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
