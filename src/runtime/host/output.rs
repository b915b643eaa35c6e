//! Standard output of a program, which is buffered while it is not a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::bounded;

use crate::sync::Mutex;
use crate::threads;

use super::note_lost_output;

/// Maximum number of bytes of buffered output.
const BUFFER: usize = 64 * 1024;

/// Number of texts that are written at once before any is kept in the buffer, where that needs preparation.
const AT_ONCE: u32 = 8;

/// How long a process that a signal ends waits until its output has been read.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Standard output with a buffer.
pub(super) struct Output {
    buffer: Arc<Mutex<Vec<u8>>>,
    /// Whether standard output is a terminal: then every text is written at once.
    terminal: bool,
    /// What is to be done before a text is kept in the buffer, and the number of texts that are written before that.
    preparation: Option<(Preparation, u32)>,
}

/// Prepares the process for its end while there is buffered output.
type Preparation = Box<dyn FnOnce(UnwrittenOutput) + Send>;

impl Output {
    /// Nothing is buffered yet.
    pub fn new() -> Output {
        let buffer = Arc::new(Mutex::new(Vec::with_capacity(BUFFER)));
        Output { buffer, terminal: io::stdout().is_terminal(), preparation: None }
    }

    /// Sets what is to be done before any text is kept in the buffer. The first few texts are written at once, so that
    /// a program that writes little does not need it.
    pub fn before_buffering(&mut self, prepare: impl FnOnce(UnwrittenOutput) + Send + 'static) {
        self.preparation = Some((Box::new(prepare), AT_ONCE));
    }

    /// Writes a text, at the latest with the next [`Output::flush`].
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let is_kept = !self.terminal && self.preparation.is_none() || self.prepares();
        let mut buffer = self.buffer.lock();
        if buffer.len() + text.len() > BUFFER {
            write_out(&mut buffer)?;
        }
        buffer.extend_from_slice(text.as_bytes());
        if !is_kept || buffer.len() >= BUFFER { write_out(&mut buffer) } else { Ok(()) }
    }

    /// Prepares for texts in the buffer, if as many were written at once as are to be; returns whether the next text
    /// may be kept.
    #[cold]
    fn prepares(&mut self) -> bool {
        if self.terminal {
            return false;
        }
        match &mut self.preparation {
            Some((_, left)) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => {
                if let Some(((prepare, _), unwritten)) = self.preparation.take().zip(self.unwritten()) {
                    prepare(unwritten);
                }
                true
            }
        }
    }

    /// Whether the next text, of this many bytes, makes the system write.
    pub fn shows(&self, bytes: usize) -> bool {
        self.terminal || self.preparation.is_some() || self.buffer.lock().len() + bytes >= BUFFER
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) -> io::Result<()> {
        write_out(&mut self.buffer.lock())
    }

    /// What is buffered, for a thread that ends the process; `None` if nothing is ever kept in the buffer.
    pub fn unwritten(&self) -> Option<UnwrittenOutput> {
        (!self.terminal).then(|| UnwrittenOutput { buffer: self.buffer.clone() })
    }
}

/// Output of a program that is in the buffer of its [`SystemHost`](super::SystemHost).
pub struct UnwrittenOutput {
    buffer: Arc<Mutex<Vec<u8>>>,
}

impl UnwrittenOutput {
    /// Writes the output before the process is ended. From then on the program can write nothing: it waits for
    /// ever. Gives up after a second if nobody reads.
    pub fn write_at_end(self) {
        let (done, written) = bounded(1);
        let buffer = self.buffer.clone();
        let writer = threads::spawn("last output", move || {
            let mut buffer = buffer.lock();
            // An error cannot be reported any more.
            let _ = write_out(&mut buffer);
            // The lock is never given back.
            std::mem::forget(buffer);
            let _ = done.send(());
        });
        match writer {
            // Without an answer the reader has had its second.
            Ok(_) => drop(written.recv_timeout(LAST_WAIT)),
            // There is no memory for a thread. A reader that does not read delays the end.
            Err(_) => drop(write_out(&mut self.buffer.lock())),
        }
    }
}

fn write_out(buffer: &mut Vec<u8>) -> io::Result<()> {
    if buffer.is_empty() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    let result = out.write_all(buffer).and_then(|()| out.flush());
    if let Err(error) = &result {
        note_lost_output(error);
    }
    // After an error the output is not written again.
    buffer.clear();
    result
}
