//! Writes what a session sends to the client: whole messages, several per call if they are small.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::{ClientLink, FrontEnd, Messages, SharedFrontEnd};
use ez_engine::session::{ConnectionId, Item, Outgoing, pieces};
use ez_runtime::sync::Mutex;
use ez_runtime::text::slice;

/// Maximum number of bytes per write, unless a single message is longer: what a pipe takes atomically.
const ATOMIC: usize = 4096;

/// Number of bytes at which encoded messages are written before more are encoded.
const BATCH: usize = 64 * 1024;

struct Sink {
    out: Box<dyn Write + Send>,
    messages: Messages,
    items: VecDeque<Item>,
    /// Whether the client reads nothing more.
    closed: bool,
}

/// What writing the outbox has come to.
struct Drained {
    /// Whether the client reads on.
    is_open: bool,
    /// Whether something was taken from the outbox.
    has_taken: bool,
}

/// Moves items from an outbox to a stream. The thread that holds the lock of `sink` writes; others leave
/// their items to it.
pub struct Writer {
    outbox: Arc<dyn Outgoing>,
    front_end: SharedFrontEnd,
    link: Option<ClientLink>,
    sink: Mutex<Sink>,
}

impl Writer {
    /// A writer to `out`.
    pub fn new(outbox: Arc<dyn Outgoing>, out: Box<dyn Write + Send>, front_end: SharedFrontEnd) -> Writer {
        let sink = Sink { out, messages: Messages::default(), items: VecDeque::new(), closed: false };
        Writer { outbox, front_end, link: None, sink: Mutex::new(sink) }
    }

    /// This writer, for a client whose front end may make requests on its own: they go to `link`.
    pub fn for_client(self, link: ClientLink) -> Writer {
        Writer { link: Some(link), ..self }
    }

    /// Ends the writing, before another client connects: the engine's thread may still use this writer, and would
    /// take what is for that client. Returns the items that were taken from the outbox and not written, because the
    /// client did not read them.
    pub fn retire(&self) -> VecDeque<Item> {
        let mut sink = self.sink.lock();
        sink.closed = true;
        std::mem::take(&mut sink.items)
    }

    /// Writes until the outbox is closed; returns `false` if the client has stopped reading. Body of the
    /// writer's thread.
    pub fn run(&self) -> bool {
        while self.outbox.wait() {
            if !self.drain(&mut self.sink.lock()).is_open {
                return false;
            }
        }
        true
    }

    /// Writes what is in the outbox, unless another thread is writing, or the next client's writer has to. Returns whether
    /// something was taken from it.
    pub fn flush(&self) -> bool {
        let drained = self.sink.try_lock().map(|mut sink| self.drain(&mut sink));
        if !drained.as_ref().is_some_and(|drained| drained.is_open) {
            self.outbox.wake_writer();
        }
        drained.is_some_and(|drained| drained.has_taken)
    }

    fn drain(&self, sink: &mut Sink) -> Drained {
        let mut has_taken = false;
        let mut items = std::mem::take(&mut sink.items);
        while !sink.closed && self.outbox.take(&mut items) {
            has_taken = true;
            self.write_items(sink, &mut items);
            self.outbox.done();
        }
        sink.items = items;
        Drained { is_open: !sink.closed, has_taken }
    }

    fn write_items(&self, sink: &mut Sink, items: &mut VecDeque<Item>) {
        // Output that is partly encoded, and up to where.
        let mut begun: Option<(Item, usize)> = None;
        loop {
            // Locked only while encoding, so that readers are not blocked by a write.
            let mut front_end = self.front_end.lock();
            while sink.messages.bytes().len() < BATCH {
                let Some((item, from)) = begun.take().or_else(|| items.pop_front().map(|item| (item, 0)))
                else {
                    break;
                };
                let rest = self.encode(&mut *front_end, &item, from, &mut sink.messages);
                begun = rest.map(|from| (item, from));
            }
            let follow_up = front_end.follow_up();
            drop(front_end);
            let nothing = sink.messages.bytes().is_empty();
            if !nothing {
                let last = begun.is_none() && items.is_empty();
                sink.write(&*self.outbox, last);
            }
            // What is delivered may have more requests follow.
            let follows = !follow_up.is_empty();
            if let (true, Some(link)) = (follows, &self.link) {
                link.deliver(follow_up, || ());
            }
            if nothing && !follows {
                return;
            }
            if sink.closed {
                if let Some((Item::Output { source, text }, from)) = begun {
                    let text = slice(&text, from..).to_string();
                    items.push_front(Item::Output { source, text });
                }
                return;
            }
        }
    }

    /// Encodes an item, output from the byte `from` on. Stops when the batch is full, and then returns where
    /// to continue.
    fn encode(
        &self,
        front_end: &mut dyn FrontEnd,
        item: &Item,
        from: usize,
        out: &mut Messages,
    ) -> Option<usize> {
        let connection = self.link.as_ref().map_or(ConnectionId::ONLY, ClientLink::connection);
        match item {
            Item::Response(id, result) => {
                if let Some(id) = connection.in_front_end(*id) {
                    front_end.response(id, result, out);
                }
            }
            Item::Event(event) => front_end.event(event, out),
            Item::Reply(id) => {
                if let Some(id) = connection.in_front_end(*id) {
                    front_end.reply(id, out);
                }
            }
            Item::Output { source, text } => {
                let mut at = from;
                for piece in pieces(slice(text, from..)) {
                    if out.bytes().len() >= BATCH {
                        return Some(at);
                    }
                    at += piece.len();
                    front_end.output(*source, piece, out);
                }
            }
        }
        None
    }
}

impl Sink {
    /// Writes all encoded messages. `last`: nothing else was taken from the outbox, so that [`Outgoing::done`]
    /// follows and progress need not be reported.
    fn write(&mut self, outbox: &dyn Outgoing, last: bool) {
        let bytes = self.messages.bytes();
        for piece in self.messages.pieces(ATOMIC) {
            let mut rest = bytes.get(piece.clone()).unwrap_or_default();
            while !rest.is_empty() && !self.closed {
                match self.out.write(rest) {
                    Ok(0) => self.closed = true,
                    Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                    Err(error) => self.closed = !may_be_repeated(&error),
                }
                if !rest.is_empty() || piece.end < bytes.len() || !last {
                    outbox.progress();
                }
            }
        }
        self.messages.clear();
    }
}

/// Whether a failed write may be repeated, after a short wait if necessary.
pub(super) fn may_be_repeated(error: &io::Error) -> bool {
    if error.kind() == ErrorKind::WouldBlock {
        std::thread::sleep(Duration::from_millis(1));
    }
    is_temporary(error)
}

/// Whether the same write may succeed later. (A client may have made the pipe non-blocking.)
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Received;
    use ez_engine::api::{Event, Failure, OutputSource, RequestId, RequestNumber, Response};
    use ez_engine::session::Outbox;
    use ez_runtime::value::Stream;

    #[derive(Clone, Default)]
    struct Calls(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().push(bytes.to_vec());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Plain;

    impl FrontEnd for Plain {
        fn receive(&mut self, _: &[u8]) -> Vec<Received> {
            Vec::new()
        }
        fn end_of_input(&mut self) -> Vec<Received> {
            Vec::new()
        }
        fn response(&mut self, _: RequestNumber, _: &Result<Response, Failure>, _: &mut Messages) {}
        fn reply(&mut self, id: RequestNumber, out: &mut Messages) {
            out.add(|bytes| bytes.extend(format!("own {}\n", id.get()).bytes()));
        }
        fn event(&mut self, event: &Event, out: &mut Messages) {
            out.add(|bytes| bytes.extend(format!("{event:?}\n").bytes()));
        }
        fn output(&mut self, _: OutputSource, text: &str, out: &mut Messages) {
            out.add(|bytes| bytes.extend(text.trim_end().bytes().chain(*b"\n")));
        }
    }

    fn writer(calls: &Calls) -> (Arc<Outbox>, Writer) {
        let outbox: Arc<Outbox> = Arc::default();
        let front_end = Arc::new(Mutex::new(Plain));
        (outbox.clone(), Writer::new(outbox, Box::new(calls.clone()), front_end))
    }

    /// Adds program output, to which nothing is appended.
    fn print(outbox: &Outbox, text: &str) {
        outbox.add(Item::Output { source: Stream::Stdout.into(), text: text.to_string() }, true);
    }

    // invariant 12
    #[test]
    fn one_call_holds_whole_messages_and_at_most_what_a_pipe_takes() {
        let calls = Calls::default();
        let (outbox, writer) = writer(&calls);
        let line = format!("{}\n", "x".repeat(999));
        let long = format!("{}\n", "y".repeat(ATOMIC + 10));
        for text in [line.repeat(9), long.clone(), line.clone()] {
            print(&outbox, &text);
        }
        outbox.add(Item::Reply(RequestId(7)), true);
        writer.flush();
        let calls = calls.0.lock();
        let lengths: Vec<usize> = calls.iter().map(Vec::len).collect();
        assert_eq!(lengths, [4000, 4000, 1000, 4001, 107 + 1000 + "own 7\n".len()]);
        assert!(calls.iter().all(|call| call.last() == Some(&b'\n')));
        assert_eq!(calls.concat().last_chunk::<4>(), Some(b"n 7\n"));
    }

    #[test]
    fn a_client_gets_nothing_that_is_for_the_next_one() {
        let calls = Calls::default();
        let (outbox, writer) = writer(&calls);
        assert!(writer.retire().is_empty());
        print(&outbox, "for the next client\n");
        writer.flush();
        assert!(calls.0.lock().is_empty());
        let next = Calls::default();
        Writer::new(outbox, Box::new(next.clone()), Arc::new(Mutex::new(Plain))).flush();
        assert_eq!(next.0.lock().concat(), b"for the next client\n");
    }

    #[test]
    fn nothing_is_lost_between_batches() {
        let calls = Calls::default();
        let (outbox, writer) = writer(&calls);
        let lines: String = (0..40_000).map(|i| format!("{i}\n")).collect();
        print(&outbox, &lines);
        print(&outbox, "end\n");
        writer.flush();
        let written = calls.0.lock().concat();
        assert_eq!(String::from_utf8(written).unwrap(), format!("{lines}end\n"));
    }
}
