//! Standard input, line by line.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::platform::unify_line_end;
use crate::threads;
use crate::value::{InterruptFlag, Waited};

use super::files::MAX_READ;

type Line = io::Result<Option<Vec<u8>>>;

/// Standard input. With an interrupt flag it is read by a thread of its own, one line for each request of the
/// program, so that no more is consumed than the program asks for.
pub struct Input {
    interrupt: Option<Arc<InterruptFlag>>,
    reader: Option<(Sender<()>, Receiver<Line>)>,
    /// Whether the thread is reading a line.
    reading: bool,
}

fn read() -> Line {
    let mut line = Vec::new();
    // A device may provide a line without end.
    let count = io::stdin().lock().take(MAX_READ).read_until(b'\n', &mut line)?;
    unify_line_end(&mut line);
    Ok((count > 0).then_some(line))
}

impl Input {
    /// Reads nothing yet. If `interrupt` is given, waiting for a line ends when it is raised.
    pub fn new(interrupt: Option<Arc<InterruptFlag>>) -> Input {
        Input { interrupt, reader: None, reading: false }
    }

    /// The next line, with `\n` at its end if it has a line end; `None` at the end of input. Blocks.
    pub fn line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        let Some(interrupt) = self.interrupt.clone() else { return read().map(Waited::Done) };
        let (ask, lines) = match &mut self.reader {
            Some(reader) => reader,
            reader @ None => reader.insert(start(interrupt.clone())?),
        };
        if !self.reading {
            self.reading = ask.send(()).is_ok();
        }
        let lines = lines.clone();
        match interrupt.wait_for(None, || lines.try_recv().ok()) {
            Some(line) => {
                self.reading = false;
                line.map(Waited::Done)
            }
            None => Ok(Waited::Interrupted),
        }
    }
}

fn start(interrupt: Arc<InterruptFlag>) -> io::Result<(Sender<()>, Receiver<Line>)> {
    let (ask, questions) = unbounded();
    let (give, lines) = unbounded();
    threads::spawn("input", move || {
        while questions.recv().is_ok() && give.send(read()).is_ok() {
            interrupt.notify();
        }
    })?;
    Ok((ask, lines))
}
