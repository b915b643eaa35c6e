//! Writes what a session tells: whole messages, several in one call as long as they are small.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::session::{Item, Outbox, pieces};

use super::Encoder;

/// What a pipe takes in one piece: one call writes no more, unless a single message is longer.
const ATOMIC: usize = 4096;

struct Sink {
    out: Box<dyn Write + Send>,
    encoder: Box<dyn Encoder>,
    buffer: Vec<u8>,
    items: VecDeque<Item>,
    /// Nobody reads any more.
    closed: bool,
}

/// Takes from an outbox and writes. Whoever holds its lock writes; the others leave it to them.
pub struct Writer {
    outbox: Arc<Outbox>,
    sink: Mutex<Sink>,
}

impl Writer {
    /// A writer to `out`.
    pub fn new(outbox: Arc<Outbox>, out: Box<dyn Write + Send>, encoder: Box<dyn Encoder>) -> Writer {
        let sink = Sink {
            out,
            encoder,
            buffer: Vec::with_capacity(2 * ATOMIC),
            items: VecDeque::new(),
            closed: false,
        };
        Writer { outbox, sink: Mutex::new(sink) }
    }

    /// Writes whatever comes until nothing more does; `false` if the client stopped reading.
    pub fn run(&self) -> bool {
        while self.outbox.wait() {
            if !self.drain(&mut self.sink.lock().unwrap_or_else(PoisonError::into_inner)) {
                return false;
            }
        }
        true
    }

    /// Writes what is there, or leaves it to whoever is writing.
    pub fn flush(&self) {
        match self.sink.try_lock() {
            Ok(mut sink) => {
                self.drain(&mut sink);
            }
            Err(_) => self.outbox.call_writer(),
        }
    }

    fn drain(&self, sink: &mut MutexGuard<'_, Sink>) -> bool {
        let sink: &mut Sink = sink;
        let mut items = std::mem::take(&mut sink.items);
        while self.outbox.take(&mut items) {
            for item in items.drain(..) {
                sink.add(&item, &self.outbox);
            }
            sink.write(&self.outbox, usize::MAX);
            self.outbox.done();
        }
        sink.items = items;
        !sink.closed
    }
}

impl Sink {
    fn add(&mut self, item: &Item, outbox: &Outbox) {
        match item {
            Item::Event(tag, event) => {
                let mut start = self.buffer.len();
                let mut rest = self.encoder.event(tag.as_ref(), event, &mut self.buffer);
                self.added(start, outbox);
                while let Some(event) = rest {
                    start = self.buffer.len();
                    rest = self.encoder.event(None, &event, &mut self.buffer);
                    self.added(start, outbox);
                }
            }
            Item::Output { stream, text } => {
                for piece in pieces(text) {
                    let start = self.buffer.len();
                    self.encoder.output(*stream, piece, &mut self.buffer);
                    self.added(start, outbox);
                }
            }
        }
    }

    /// A message was added at `start`.
    fn added(&mut self, start: usize, outbox: &Outbox) {
        if self.buffer.len() > ATOMIC {
            if start > 0 {
                self.write(outbox, start);
            }
            if self.buffer.len() > ATOMIC {
                self.write(outbox, usize::MAX);
            }
        }
    }

    /// Writes the first `end` bytes of the buffer, in one call if the system wants it so.
    fn write(&mut self, outbox: &Outbox, end: usize) {
        let end = end.min(self.buffer.len());
        let mut rest = self.buffer.get(..end).unwrap_or_default();
        while !rest.is_empty() && !self.closed {
            match self.out.write(rest) {
                Ok(0) => self.closed = true,
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) => self.closed = !passes(&error),
            }
            // What is written to its end is soon told to be done.
            if !rest.is_empty() || end < self.buffer.len() {
                outbox.progress();
            }
        }
        self.buffer.drain(..end);
    }
}

/// Whether a failed call may be tried again. A client may have made the pipe non-blocking.
pub(super) fn passes(error: &io::Error) -> bool {
    match error.kind() {
        ErrorKind::Interrupted => true,
        ErrorKind::WouldBlock => {
            std::thread::sleep(Duration::from_millis(1));
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{RequestId, SessionEvent};
    use crate::value::Stream;

    #[derive(Clone, Default)]
    struct Calls(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(bytes.to_vec());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Plain;

    impl Encoder for Plain {
        fn event(
            &mut self,
            _: Option<&RequestId>,
            event: &SessionEvent,
            out: &mut Vec<u8>,
        ) -> Option<SessionEvent> {
            out.extend(format!("{event:?}\n").bytes());
            None
        }
        fn output(&mut self, _: Stream, text: &str, out: &mut Vec<u8>) {
            out.extend(text.trim_end().bytes().chain(*b"\n"));
        }
    }

    #[test]
    fn one_call_holds_whole_lines_and_at_most_what_a_pipe_takes() {
        let calls = Calls::default();
        let outbox = Arc::new(Outbox::default());
        let writer = Writer::new(outbox.clone(), Box::new(calls.clone()), Box::new(Plain));
        let line = format!("{}\n", "x".repeat(999));
        let long = format!("{}\n", "y".repeat(ATOMIC + 10));
        for text in [line.repeat(9), long.clone(), line.clone()] {
            outbox.output(Stream::Stdout, &text, true, || false);
        }
        outbox.event(None, SessionEvent::Started);
        writer.flush();
        let calls = calls.0.lock().unwrap();
        let lengths: Vec<usize> = calls.iter().map(Vec::len).collect();
        assert_eq!(lengths, [4000, 4000, 1000, 4001, 107 + 1000 + "Started\n".len()]);
        assert!(calls.iter().all(|call| call.last() == Some(&b'\n')));
        assert_eq!(calls.concat().last_chunk::<8>(), Some(b"Started\n"));
    }
}
