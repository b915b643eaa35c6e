//! Standard input, line by line.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::value::{Attention, Waited};

use super::files::MAX_READ;

type Line = io::Result<Option<Vec<u8>>>;

/// Where lines come from. With attention a thread of its own reads them, one for each that is asked
/// for, so that nothing is taken from the input that the program does not want.
pub struct Input {
    attention: Option<Arc<Attention>>,
    reader: Option<(Sender<()>, Receiver<Line>)>,
    /// Whether the thread is at work on a line.
    asked: bool,
}

fn read() -> Line {
    let mut line = Vec::new();
    // A device may give a line without end.
    let count = io::stdin().lock().take(MAX_READ).read_until(b'\n', &mut line)?;
    Ok((count > 0).then_some(line))
}

impl Input {
    pub fn new(attention: Option<Arc<Attention>>) -> Input {
        Input { attention, reader: None, asked: false }
    }

    pub fn line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        let Some(attention) = self.attention.clone() else { return read().map(Waited::Done) };
        let (ask, lines) = self.reader.get_or_insert_with(|| start(attention.clone()));
        if !self.asked {
            self.asked = ask.send(()).is_ok();
        }
        let lines = lines.clone();
        match attention.wait_for(None, || lines.try_recv().ok()) {
            Some(line) => {
                self.asked = false;
                line.map(Waited::Done)
            }
            None => Ok(Waited::Attention),
        }
    }
}

fn start(attention: Arc<Attention>) -> (Sender<()>, Receiver<Line>) {
    let (ask, asked) = unbounded();
    let (give, lines) = unbounded();
    std::thread::spawn(move || {
        while asked.recv().is_ok() && give.send(read()).is_ok() {
            attention.ring();
        }
    });
    (ask, lines)
}
