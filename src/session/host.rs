//! The door of a debugged program: output becomes events, input comes from the client; everything
//! else is the business of another host.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::debug::InterruptHandle;
use crate::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, Waited,
};

use super::event::SessionEvent;
use super::input::{Input, Line};
use super::outbox::{Outbox, PIECE, piece_end};

/// The program's side of a session's streams.
#[derive(Clone)]
pub(super) struct Streams {
    pub outbox: Arc<Outbox>,
    pub input: Arc<Input>,
    pub control: InterruptHandle,
}

/// The host of a debugged program. `inner` does what is neither a stream nor waiting.
pub(super) struct DebugHost {
    streams: Streams,
    inner: Box<dyn Host>,
    /// Unfinished lines.
    stdout: String,
    stderr: String,
    /// Whether the client knows that the program waits for input.
    announced: bool,
}

impl DebugHost {
    pub fn new(streams: Streams, inner: Box<dyn Host>) -> DebugHost {
        DebugHost { streams, inner, stdout: String::new(), stderr: String::new(), announced: false }
    }

    fn send(&self, stream: Stream, text: &str, sealed: bool) {
        let control = &self.streams.control;
        self.streams.outbox.output(stream, text, sealed, || control.is_raised());
    }

    fn unfinished(&mut self, stream: Stream) -> &mut String {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    /// Sends what is in an unfinished line, as far as lines and pieces are complete.
    fn send_complete(&mut self, stream: Stream) {
        let mut text = std::mem::take(self.unfinished(stream));
        let rest = text.split_off(text.rfind('\n').map_or(0, |at| at + 1));
        self.send(stream, &text, false);
        let mut rest = rest.as_str();
        while rest.len() >= PIECE {
            let (piece, tail) = rest.split_at_checked(piece_end(rest)).unwrap_or((rest, ""));
            self.send(stream, piece, true);
            rest = tail;
        }
        text.clear();
        text.push_str(rest);
        *self.unfinished(stream) = text;
    }

    /// Sends unfinished lines.
    fn send_all(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let text = std::mem::take(self.unfinished(stream));
            self.send(stream, &text, true);
        }
    }
}

impl Host for DebugHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        let unfinished = self.unfinished(stream);
        if unfinished.is_empty() && text.ends_with('\n') {
            self.send(stream, text, false);
            return Ok(());
        }
        unfinished.push_str(text);
        if unfinished.len() >= PIECE || text.contains('\n') {
            self.send_complete(stream);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send_all();
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        self.send_all();
        let Streams { outbox, input, control } = &self.streams;
        let announced = &mut self.announced;
        let line = input.wait(
            || control.is_raised(),
            || {
                if !std::mem::replace(announced, true) {
                    outbox.event(None, SessionEvent::InputRequested);
                }
            },
        );
        if line == Line::Urgent {
            return Ok(Waited::Interrupted);
        }
        self.announced = false;
        match line {
            Line::Text(text) => Ok(Waited::Done(Some(text))),
            Line::End | Line::Urgent => Ok(Waited::Done(None)),
        }
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        self.send_all();
        let start = Instant::now();
        self.streams.control.wait(time);
        time.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
    }

    fn now(&mut self) -> (i64, u32) {
        self.inner.now()
    }

    fn random(&mut self) -> u64 {
        self.inner.random()
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        self.inner.request(request)
    }

    fn start(&mut self, job: Job) -> u64 {
        // Requests are jobs only for the sake of those few that wait.
        if !matches!(job, Job::Request(_)) {
            self.send_all();
        }
        self.inner.start(job)
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        self.inner.finish(job)
    }

    fn cancel(&mut self, job: u64) {
        self.inner.cancel(job);
    }

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.inner.interrupt_flag()
    }

    fn end(&mut self) {
        let _ = self.flush();
        self.inner.end();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::super::outbox::{Item, pieces};
    use super::*;
    use crate::host::SystemHost;

    fn host() -> (DebugHost, Streams) {
        let streams =
            Streams { outbox: Arc::default(), input: Arc::default(), control: InterruptHandle::new() };
        (DebugHost::new(streams.clone(), Box::new(SystemHost::new(None))), streams)
    }

    fn told(streams: &Streams) -> Vec<String> {
        let mut items = VecDeque::new();
        streams.outbox.take(&mut items);
        streams.outbox.done();
        let mut told = Vec::new();
        for item in items {
            match item {
                Item::Output { text, .. } => told.extend(pieces(&text).map(str::to_string)),
                Item::Event(_, event) => told.push(format!("{event:?}")),
            }
        }
        told
    }

    #[test]
    fn lines_are_sent_when_they_are_finished() {
        let (mut host, streams) = host();
        host.write(Stream::Stdout, "a").unwrap();
        host.write(Stream::Stdout, "b\nc").unwrap();
        assert_eq!(told(&streams), ["ab\n"]);
        host.write(Stream::Stderr, "e\n").unwrap();
        assert_eq!(told(&streams), ["e\n"]);
        host.flush().unwrap();
        host.write(Stream::Stdout, "d\n\n").unwrap();
        assert_eq!(told(&streams), ["c", "d\n", "\n"]);
        host.flush().unwrap();
        assert!(told(&streams).is_empty());
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
        streams.control.raise();
        assert_eq!(host.read_line().unwrap(), Waited::Interrupted);
        assert_eq!(told(&streams), ["name? "]);
        streams.control.clear();
        let client = std::thread::spawn({
            let streams = streams.clone();
            move || {
                let mut items = VecDeque::new();
                assert!(streams.outbox.wait() && streams.outbox.take(&mut items));
                streams.input.add(Some("Ann"), false);
                items
            }
        });
        assert_eq!(host.read_line().unwrap(), Waited::Done(Some(b"Ann\n".to_vec())));
        assert_eq!(client.join().unwrap(), [Item::Event(None, SessionEvent::InputRequested)]);
    }
}
