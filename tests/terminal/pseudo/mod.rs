//! A terminal with `ez` on it, whose screen is looked at.

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use system::Pseudo;
#[cfg(windows)]
pub use system::console;
pub use system::{colours_take_no_room, interrupts_are_keys};

/// A test that waits longer than this hangs.
const HANG: Duration = Duration::from_secs(60);

/// What is to run on a terminal, and where.
pub struct Run<'a> {
    pub arguments: &'a [&'a str],
    pub directory: &'a Path,
    pub environment: &'a [(&'a str, &'a str)],
    pub rows: u16,
    pub columns: u16,
}

/// `ez` on a terminal.
pub struct Terminal {
    pseudo: Pseudo,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// All that was written.
    pub all: Vec<u8>,
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

impl Terminal {
    /// Starts `ez`. What it remembers is kept in the folder `state` of the directory.
    pub fn start(run: &Run) -> Terminal {
        let (pseudo, bytes) = Pseudo::start(run);
        let screen = vt100::Parser::new(cells(run.rows), cells(run.columns), 0);
        Terminal { pseudo, bytes, screen, all: Vec::new() }
    }

    /// Presses keys.
    pub fn send(&mut self, keys: &str) {
        self.pseudo.write(keys.as_bytes());
    }

    /// Presses Ctrl+C while no line is edited.
    pub fn interrupt(&mut self) {
        self.pseudo.interrupt();
    }

    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.pseudo.resize(rows, columns);
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
    }

    /// What is seen, without blanks at the ends of lines.
    pub fn text(&self) -> String {
        let contents = self.screen.screen().contents();
        contents.lines().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }

    fn take(&mut self, bytes: Vec<u8>) {
        self.screen.process(&bytes);
        self.all.extend(bytes);
    }

    /// Waits until the screen is as wanted.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let since = Instant::now();
        loop {
            let text = self.text();
            if wanted(&text) {
                return text;
            }
            match self.bytes.recv_timeout(HANG.saturating_sub(since.elapsed())) {
                Ok(bytes) => self.take(bytes),
                Err(error) => {
                    let why = if error == RecvTimeoutError::Timeout { "in time" } else { "before the end" };
                    panic!("no {what} {why}:\n{text}");
                }
            }
        }
    }

    /// Waits until a text is seen.
    pub fn see(&mut self, wanted: &str) -> String {
        self.wait(wanted, |text| text.contains(wanted))
    }

    /// Waits until the last line is this.
    pub fn at(&mut self, line: &str) -> String {
        self.wait(line, |text| text.trim_end().ends_with(&format!("\n{line}")))
    }

    /// Waits for the end; gives the status.
    pub fn end(&mut self) -> Option<i32> {
        while let Ok(bytes) = self.bytes.recv_timeout(HANG) {
            self.take(bytes);
        }
        self.pseudo.wait(HANG)
    }
}
