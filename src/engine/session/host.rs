//! The host of a debugged program: output goes to the session's outbox, input comes from the client, and
//! sleeping can be interrupted; everything else is passed on to another host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::api::OutputSource;
use crate::debug::InterruptHandle;
use ez_runtime::clock::Instant;
use ez_runtime::value::{Host, Job, JobResult, Stream, Waited, WrapsHost};

use super::input::{Input, Line};
use super::outbox::Outbox;

/// The session's standard streams as the program's host uses them.
#[derive(Clone)]
pub(super) struct Streams {
    pub outbox: Arc<Outbox>,
    pub input: Arc<Input>,
    pub interrupt: InterruptHandle,
}

/// The host of a debugged program. `inner` carries out everything but streams and waiting.
pub(super) struct DebugHost {
    streams: Streams,
    inner: Box<dyn Host>,
    /// Whether something is evaluated for a client.
    evaluating: bool,
}

impl DebugHost {
    pub fn new(streams: Streams, inner: Box<dyn Host>) -> DebugHost {
        // A program that was ended while it waited may have been told of that after its input was discarded.
        streams.input.wait_ends();
        DebugHost { streams, inner, evaluating: false }
    }
}

impl WrapsHost for DebugHost {
    fn inner(&self) -> &dyn Host {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut *self.inner
    }

    fn shows(&self, _: Stream, _: usize) -> bool {
        true
    }

    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        let Streams { outbox, interrupt, .. } = &self.streams;
        let source = OutputSource { stream, by_client: self.evaluating };
        outbox.write(source, text, || interrupt.is_raised());
        Ok(())
    }

    fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluating = evaluating;
        self.inner.set_evaluating(evaluating);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.streams.outbox.finish_line();
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        self.streams.outbox.finish_line();
        let Streams { outbox, input, interrupt } = &self.streams;
        let line = input.wait(|| interrupt.is_raised(), |event| outbox.event(event));
        match line {
            Line::Text(text) => Ok(Waited::Done(Some(text))),
            Line::End => Ok(Waited::Done(None)),
            Line::Urgent => Ok(Waited::Interrupted),
            Line::Refused => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        self.streams.outbox.finish_line();
        let start = Instant::now();
        self.streams.interrupt.wait(time);
        time.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        // A request of the program is rarely long: its output is not flushed for that.
        if !matches!(job, Job::Request(_)) {
            self.streams.outbox.finish_line();
        }
        self.inner.start(job)
    }

    fn end(&mut self) {
        self.streams.outbox.finish_line();
        self.inner.end();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::api::{Event, Location, Reader};
    use crate::session::Outgoing;
    use crate::session::item::{Item, PIECE, pieces};
    use ez_runtime::host::SystemHost;

    fn host() -> (Box<dyn Host>, Streams) {
        let streams =
            Streams { outbox: Arc::default(), input: Arc::default(), interrupt: InterruptHandle::new() };
        (Box::new(DebugHost::new(streams.clone(), Box::new(SystemHost::new(None)))), streams)
    }

    fn told(streams: &Streams) -> Vec<String> {
        let mut items = VecDeque::new();
        streams.outbox.take(&mut items);
        streams.outbox.done();
        let mut told = Vec::new();
        for item in items {
            match item {
                Item::Output { text, .. } => told.extend(pieces(&text).map(str::to_string)),
                other => told.push(format!("{other:?}")),
            }
        }
        told
    }

    #[test]
    fn long_lines_come_in_the_same_pieces_however_they_are_written() {
        let line = format!("{}é{}\n", "x".repeat(PIECE - 1), "y".repeat(2 * PIECE));
        let (mut host, streams) = host();
        host.write(Stream::Stdout, &line).unwrap();
        let at_once = told(&streams);
        for c in line.chars() {
            host.write(Stream::Stdout, c.encode_utf8(&mut [0; 4])).unwrap();
        }
        assert_eq!(told(&streams), at_once);
        assert_eq!(at_once.concat(), line);
    }

    #[test]
    fn input_is_requested_once() {
        let (mut host, streams) = host();
        host.write(Stream::Stdout, "name? ").unwrap();
        streams.interrupt.raise();
        assert_eq!(host.read_line().unwrap(), Waited::Interrupted);
        assert_eq!(told(&streams), ["name? "]);
        streams.interrupt.clear();
        let client = std::thread::spawn({
            let streams = streams.clone();
            move || {
                let mut items = VecDeque::new();
                assert!(streams.outbox.wait() && streams.outbox.take(&mut items));
                streams.input.add(Some("Ann"), false, || ());
                items
            }
        });
        assert_eq!(host.read_line().unwrap(), Waited::Done(Some(b"Ann\n".to_vec())));
        assert_eq!(client.join().unwrap(), [Item::Event(Event::InputRequested(None))]);
    }

    #[test]
    fn the_request_says_which_call_reads() {
        let (mut host, streams) = host();
        let place = |line: u32| {
            let location = Location { path: "/a.ez".into(), line, column: 5 };
            Some(Reader { location, step: u64::from(line) })
        };
        for line in [1, 2] {
            streams.input.set_reader(place(line));
            let told = wait_interrupted(&mut *host, &streams);
            assert_eq!(told, [format!("Event({:?})", Event::InputRequested(place(line)))]);
            let mut again = None;
            streams.input.with_wanted(|event| again = event);
            assert_eq!(again, Some(Event::InputRequested(place(line))), "for a client that attaches");
            streams.input.wait_ends();
        }
    }

    /// Interrupts the program as soon as it has announced its wait.
    fn wait_interrupted(host: &mut dyn Host, streams: &Streams) -> Vec<String> {
        streams.interrupt.clear();
        let waking = std::thread::spawn({
            let streams = streams.clone();
            move || {
                let mut waits = false;
                while !waits {
                    streams.input.with_wanted(|wanted| waits = wanted.is_some());
                    std::thread::yield_now();
                }
                streams.interrupt.raise();
                streams.input.wake_program();
            }
        });
        assert_eq!(host.read_line().unwrap(), Waited::Interrupted);
        waking.join().unwrap();
        told(streams)
    }

    #[test]
    fn the_first_wait_of_a_program_is_announced() {
        let (mut host, streams) = host();
        let requested = ["Event(InputRequested(None))"];
        assert_eq!(wait_interrupted(&mut *host, &streams), requested);
        let mut next: Box<dyn Host> =
            Box::new(DebugHost::new(streams.clone(), Box::new(SystemHost::new(None))));
        assert_eq!(wait_interrupted(&mut *next, &streams), requested);
    }

    #[test]
    fn input_is_requested_again_after_a_stop() {
        let (mut host, streams) = host();
        let requested = ["Event(InputRequested(None))"];
        for _ in 0..3 {
            assert_eq!(wait_interrupted(&mut *host, &streams), requested);
            assert!(wait_interrupted(&mut *host, &streams).is_empty(), "the same wait");
            streams.input.wait_ends();
        }
        streams.input.add(Some("x"), false, || ());
        assert_eq!(host.read_line().unwrap(), Waited::Done(Some(b"x\n".to_vec())));
    }
}
