//! A host that records what a program asked of another host, and what it was answered.
//!
//! A record is a list of [`HostCall`]s in the order in which things happened; as text, one a line as JSON.
//! Interrupted waits are not in it: for the program they have not happened.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::draws::Draws;
use super::file::Recorder;
use crate::value::bytes;
use crate::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, Waited,
};

/// A host call: what a program asked of the outside, or did to it, and the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostCall {
    /// The program wrote.
    Write {
        /// Where to.
        stream: Stream,
        /// What.
        text: String,
        /// Why that failed, in words, if it did.
        failed: Option<String>,
    },
    /// It wrote, in one or several calls: how many bytes, and their hash. Stands for [`HostCall::Write`]s.
    Wrote {
        /// How many bytes.
        bytes: u64,
        /// What [`OutputHash`] gives for them.
        hash: u32,
    },
    /// It read a line: the line with its end, `None` at the end of input; `Err` says why it could not.
    Line(#[serde(with = "bytes::line")] Result<Option<Vec<u8>>, String>),
    /// It slept for the whole time.
    Sleep(Duration),
    /// It asked for the time: as [`Host::now`] gives it.
    Now(i64, u32),
    /// What all its random bits follow from. Comes first in a record.
    Seed(u64),
    /// It made a request.
    Request(HostRequest, Result<HostAnswer, SystemError>),
    /// It started a job, which was given this number.
    Start(Job, u64),
    /// It waited for the job of this number.
    Finish(u64, JobResult),
}

/// The hash of what a program has written: a checksum that is the same on all machines. Which stream is
/// written to counts, into how many calls the text is divided does not.
#[derive(Clone, Debug, Default)]
pub struct OutputHash {
    hasher: crc32fast::Hasher,
    stream: Option<Stream>,
}

impl OutputHash {
    /// Takes what was written next.
    pub fn add(&mut self, stream: Stream, text: &str) {
        if self.stream.replace(stream) != Some(stream) {
            // No text has these bytes in it.
            self.hasher.update(if stream == Stream::Stdout { &[0xff] } else { &[0xfe] });
        }
        self.hasher.update(text.as_bytes());
    }

    /// The hash of what was written so far.
    pub fn get(&self) -> u32 {
        self.hasher.clone().finalize()
    }
}

/// About how many bytes a record in memory may take.
const MOST: usize = 256 << 20;

/// A record in memory that is read while it grows. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Record {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    calls: Mutex<Calls>,
    /// Bytes that the program has written.
    output: AtomicU64,
    /// What evaluations of the debugger ask for is recorded, too.
    keeps_evaluations: AtomicBool,
}

#[derive(Debug, Default)]
struct Calls {
    all: Vec<HostCall>,
    /// The hash of what the last call wrote, if it is one that writes.
    output: OutputHash,
    /// About how many bytes they take.
    size: usize,
    /// The last call is whole, even if more is written next.
    is_closed: bool,
}

/// A place between two calls of a record, from which on it can be replayed.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// How many calls are before it.
    pub(super) number: usize,
    /// How many bytes the program had written.
    pub(super) output: u64,
}

impl Record {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The call with this number, from 0.
    pub fn get(&self, number: usize) -> Option<HostCall> {
        self.calls().all.get(number).cloned()
    }

    /// How many bytes the program has written so far.
    pub fn output_length(&self) -> u64 {
        self.shared.output.load(Ordering::Relaxed)
    }

    /// Whether everything is in it. What takes more memory than a record may is left out from then on.
    pub fn is_whole(&self) -> bool {
        self.calls().size <= MOST
    }

    /// Whether what evaluations of the debugger ask for is recorded, too.
    pub fn keep_evaluations(&self, keep: bool) {
        self.shared.keeps_evaluations.store(keep, Ordering::Relaxed);
    }

    /// Marks the end of what is recorded so far.
    pub fn mark(&self) -> Mark {
        let mut calls = self.calls();
        calls.is_closed = true;
        Mark { number: calls.all.len(), output: self.output_length() }
    }

    /// The calls behind a mark.
    pub fn since(&self, mark: Mark) -> Vec<HostCall> {
        self.calls().all.get(mark.number..).unwrap_or_default().to_vec()
    }

    /// Adds what another copy of the record has behind its end.
    pub fn extend(&self, more: Vec<HostCall>) {
        self.calls().all.extend(more);
    }

    fn add(&self, call: HostCall) {
        let mut calls = self.calls();
        if let HostCall::Write { stream, text, failed: None } = &call {
            self.shared.output.fetch_add(text.len() as u64, Ordering::Relaxed);
            return calls.wrote(*stream, text);
        }
        calls.size += call.size();
        if calls.size <= MOST {
            calls.all.push(call);
        }
    }
}

impl Calls {
    fn wrote(&mut self, stream: Stream, text: &str) {
        let is_closed = std::mem::take(&mut self.is_closed);
        if is_closed || !matches!(self.all.last(), Some(HostCall::Wrote { .. })) {
            self.output = OutputHash::default();
            self.size += size_of::<HostCall>();
            self.all.push(HostCall::Wrote { bytes: 0, hash: 0 });
        }
        self.output.add(stream, text);
        if let Some(HostCall::Wrote { bytes, hash }) = self.all.last_mut() {
            *bytes += text.len() as u64;
            *hash = self.output.get();
        }
    }
}

impl HostCall {
    /// About how many bytes it takes in memory.
    fn size(&self) -> usize {
        // What is read from files and the network is large; the rest is small.
        let text = match self {
            HostCall::Request(..) | HostCall::Start(..) | HostCall::Finish(..) => {
                serde_json::to_vec(self).map_or(0, |text| text.len())
            }
            HostCall::Line(Ok(Some(line))) => line.len(),
            _ => 0,
        };
        size_of::<HostCall>() + text
    }
}

/// Where a record goes.
enum Sink {
    /// As text, without checks.
    Text(Box<dyn Write>),
    Memory(Record),
    File(Recorder),
}

/// Passes everything on to another host and records its answers.
pub struct RecordHost {
    inner: Box<dyn Host>,
    sink: Sink,
    /// The whole time of a sleep that was interrupted and goes on.
    asleep: Option<Duration>,
    evaluating: bool,
    draws: Draws,
}

impl RecordHost {
    /// A host that writes its record to `record` as text. What cannot be written there is missing from the
    /// record: recording never makes a program fail.
    pub fn new(inner: Box<dyn Host>, record: Box<dyn Write>) -> RecordHost {
        RecordHost::with_sink(inner, Sink::Text(record))
    }

    /// A host that records in memory.
    pub fn in_memory(inner: Box<dyn Host>, record: Record) -> RecordHost {
        RecordHost::with_sink(inner, Sink::Memory(record))
    }

    /// A host that records in a file.
    pub fn in_file(inner: Box<dyn Host>, recorder: Recorder) -> RecordHost {
        RecordHost::with_sink(inner, Sink::File(recorder))
    }

    fn with_sink(mut inner: Box<dyn Host>, sink: Sink) -> RecordHost {
        let seed = inner.seed();
        let draws = Draws::new(seed);
        let mut host = RecordHost { inner, sink, asleep: None, evaluating: false, draws };
        host.record(HostCall::Seed(seed));
        host
    }

    fn record(&mut self, call: HostCall) {
        match &mut self.sink {
            Sink::Text(record) => {
                if let Ok(mut line) = serde_json::to_vec(&call) {
                    line.push(b'\n');
                    let _ = record.write_all(&line);
                }
            }
            Sink::Memory(record) => {
                if !self.evaluating || record.shared.keeps_evaluations.load(Ordering::Relaxed) {
                    record.add(call);
                }
            }
            Sink::File(recorder) => recorder.add(&call),
        }
    }

    /// Before something that makes visible what the program has written.
    fn before_showing(&self) {
        if let Sink::File(recorder) = &self.sink {
            recorder.before_showing();
        }
    }
}

impl Host for RecordHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        if let Sink::File(recorder) = &self.sink {
            recorder.before_output(text.len());
        }
        let result = self.inner.write(stream, text);
        // Nothing is nothing to look for in a replay.
        if !text.is_empty() {
            match (&self.sink, &result) {
                (Sink::File(recorder), Ok(())) => recorder.wrote(stream, text),
                _ => {
                    let failed = result.as_ref().err().map(io::Error::to_string);
                    self.record(HostCall::Write { stream, text: text.into(), failed });
                }
            }
        }
        result
    }

    fn flush(&mut self) -> io::Result<()> {
        self.before_showing();
        self.inner.flush()
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        self.before_showing();
        let result = self.inner.read_line();
        match &result {
            Ok(Waited::Done(line)) => self.record(HostCall::Line(Ok(line.clone()))),
            Ok(Waited::Interrupted) => {}
            Err(error) => self.record(HostCall::Line(Err(error.to_string()))),
        }
        result
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        let whole = *self.asleep.get_or_insert(time);
        self.before_showing();
        let left = self.inner.sleep(time);
        if left.is_none() {
            self.asleep = None;
            self.record(HostCall::Sleep(whole));
        }
        left
    }

    fn now(&mut self) -> (i64, u32) {
        let (seconds, nanos) = self.inner.now();
        self.record(HostCall::Now(seconds, nanos));
        (seconds, nanos)
    }

    fn random(&mut self) -> u64 {
        self.draws.bits()
    }

    fn seed(&mut self) -> u64 {
        self.draws.seed()
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        let answer = self.inner.request(request.clone());
        self.record(HostCall::Request(request, answer.clone()));
        answer
    }

    fn start(&mut self, job: Job) -> u64 {
        self.before_showing();
        let number = self.inner.start(job.clone());
        self.record(HostCall::Start(job, number));
        number
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        let result = self.inner.finish(job);
        if let Waited::Done(result) = &result {
            self.record(HostCall::Finish(job, result.clone()));
        }
        result
    }

    fn cancel(&mut self, job: u64) {
        self.inner.cancel(job);
    }

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.inner.interrupt_flag()
    }

    fn end(&mut self) {
        self.before_showing();
        self.inner.end();
    }

    fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluating = evaluating;
        self.draws.set_evaluating(evaluating);
        self.inner.set_evaluating(evaluating);
    }
}
