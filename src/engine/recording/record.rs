//! A host that passes calls on to another host, and records them with the answers.
//!
//! A record is a list of [`HostCall`]s in order. Interrupted waits are not
//! recorded: the program does not notice them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::draws::Draws;
use super::file::Recorder;
use super::output_size::OutputSize;
use ez_runtime::sync::{Mutex, MutexGuard};
use ez_runtime::value::bytes;
use ez_runtime::value::{
    Host, HostAnswer, HostRequest, Job, JobResult, Stream, SystemError, Waited, WrapsHost,
};

/// A call of the host by the program, with the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostCall {
    /// Output.
    Write {
        stream: Stream,
        text: String,
        /// The error, if it failed.
        failed: Option<String>,
    },
    /// Output of one or several calls, in place of [`HostCall::Write`].
    Wrote {
        /// Size in bytes.
        bytes: u64,
        /// The [`OutputHash`].
        hash: u32,
    },
    /// The last call in the [`HostCall::Wrote`] before failed, with the error.
    WriteFailed(String),
    /// A line of input with its line end; `None` at the end of input.
    Line(#[serde(with = "bytes::line")] Result<Option<Vec<u8>>, String>),
    /// A sleep, for the whole time.
    Sleep(Duration),
    /// The time, as returned by [`Host::now`].
    Now(i64, u32),
    /// The seed of all random numbers. First in a record.
    Seed(u64),
    Request(HostRequest, Result<HostAnswer, SystemError>),
    /// The start of a job, with its number; [`REFUSED`] if it was refused.
    Start(Job, u64),
    /// The result of waiting for the job with this number.
    Finish(u64, JobResult),
}

/// The number of each job that was refused, whose result follows at once. Others are numbered from 1.
pub(super) const REFUSED: u64 = 0;

/// A hash of a program's output, the same on all computers. It depends on streams and texts, not on how the
/// texts were divided into calls.
#[derive(Clone, Debug, Default)]
pub struct OutputHash {
    hasher: crc32fast::Hasher,
    stream: Option<Stream>,
}

impl OutputHash {
    pub fn add(&mut self, stream: Stream, text: &str) {
        if self.stream.replace(stream) != Some(stream) {
            // Bytes that do not occur in UTF-8.
            self.hasher.update(if stream == Stream::Stdout { &[0xff] } else { &[0xfe] });
        }
        self.hasher.update(text.as_bytes());
    }

    /// The hash of the output so far.
    pub fn get(&self) -> u32 {
        self.hasher.clone().finalize()
    }
}

/// Approximate maximum size of a record in memory, in bytes.
const MAX: usize = 256 << 20;

/// A record in memory that can be read while it grows. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Record {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    calls: Mutex<Calls>,
    /// Whether calls by evaluations of the debugger are recorded, too.
    keeps_evaluations: AtomicBool,
    /// Whether the program's last call waits, and was interrupted.
    waits: AtomicBool,
}

#[derive(Debug, Default)]
struct Calls {
    all: Vec<HostCall>,
    /// The hash of the output in the last call, if that is output.
    output: OutputHash,
    /// The output so far.
    written: OutputSize,
    /// Approximate size in bytes.
    size: usize,
    /// Whether later output must not be added to the last call.
    is_closed: bool,
}

/// A position between two calls, from which a record can be replayed.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    /// Number of calls before it.
    pub(super) number: usize,
    /// The output before it.
    pub(super) written: OutputSize,
}

impl Mark {
    /// The output before it.
    pub fn output_size(&self) -> OutputSize {
        self.written
    }
}

impl Record {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.shared.calls.lock()
    }

    /// The call with this index.
    pub fn get(&self, number: usize) -> Option<HostCall> {
        self.calls().all.get(number).cloned()
    }

    /// The output so far.
    pub fn output_size(&self) -> OutputSize {
        self.calls().written
    }

    /// Whether nothing is missing. Once the record has reached its maximum size, nothing more is recorded.
    pub fn is_whole(&self) -> bool {
        self.calls().size <= MAX
    }

    /// Number of calls so far.
    pub fn count(&self) -> usize {
        self.calls().all.len()
    }

    /// Whether the program waits in a call, in which it was interrupted.
    pub fn is_waiting(&self) -> bool {
        self.shared.waits.load(Ordering::Relaxed)
    }

    /// Sets whether calls by evaluations of the debugger are recorded, too.
    pub fn keep_evaluations(&self, keep: bool) {
        self.shared.keeps_evaluations.store(keep, Ordering::Relaxed);
    }

    /// The position after the calls recorded so far. Later output becomes a new call.
    pub fn mark(&self) -> Mark {
        let mut calls = self.calls();
        calls.is_closed = true;
        Mark { number: calls.all.len(), written: calls.written }
    }

    /// The position before the first call of a record.
    pub fn beginning() -> Mark {
        Mark { number: 0, written: OutputSize::default() }
    }

    /// The calls after a position.
    pub fn since(&self, mark: Mark) -> Vec<HostCall> {
        self.calls().all.get(mark.number..).unwrap_or_default().to_vec()
    }

    /// Appends calls that were recorded in another process.
    pub fn extend(&self, more: Vec<HostCall>) {
        self.calls().all.extend(more);
    }

    fn add(&self, call: HostCall, by_evaluation: bool) {
        let mut calls = self.calls();
        if let HostCall::Write { stream, text, failed: None } = &call {
            calls.written.add(*stream, text.len(), by_evaluation);
            return calls.wrote(*stream, text);
        }
        calls.size += call.size();
        if calls.size <= MAX {
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
    /// Approximate size in memory, in bytes.
    fn size(&self) -> usize {
        // Only contents of files and messages can be large.
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

/// The destination of a record.
enum Sink {
    Memory(Record),
    File(Recorder),
}

/// Passes everything on to another host and records the answers.
pub struct RecordHost {
    inner: Box<dyn Host>,
    sink: Sink,
    /// The total time of a sleep that was interrupted and will be resumed.
    asleep: Option<Duration>,
    evaluating: bool,
    draws: Draws,
}

impl RecordHost {
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
            Sink::Memory(record) => {
                if !self.evaluating || record.shared.keeps_evaluations.load(Ordering::Relaxed) {
                    record.add(call, self.evaluating);
                }
            }
            Sink::File(recorder) => recorder.add(&call),
        }
    }

    /// Notes whether the program's call, which has returned, was interrupted.
    fn interrupted(&self, is_interrupted: bool) {
        if let Sink::Memory(record) = &self.sink
            && !self.evaluating
        {
            record.shared.waits.store(is_interrupted, Ordering::Relaxed);
        }
    }

    /// Called before earlier output may become visible.
    fn before_showing(&self) {
        if let Sink::File(recorder) = &self.sink {
            recorder.before_showing();
        }
    }
}

impl WrapsHost for RecordHost {
    fn inner(&self) -> &dyn Host {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut *self.inner
    }

    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        // Empty output has no effect in a replay.
        if text.is_empty() {
            return self.inner.write(stream, text);
        }
        let Sink::File(recorder) = &self.sink else {
            let result = self.inner.write(stream, text);
            let failed = result.as_ref().err().map(io::Error::to_string);
            self.record(HostCall::Write { stream, text: text.into(), failed });
            return result;
        };
        recorder.wrote(stream, text);
        if self.inner.shows(stream, text.len()) {
            recorder.flush();
        }
        let result = self.inner.write(stream, text);
        if let Err(error) = &result {
            self.record(HostCall::WriteFailed(error.to_string()));
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
        self.interrupted(matches!(result, Ok(Waited::Interrupted)));
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
        self.interrupted(left.is_some());
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

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        self.before_showing();
        let started = self.inner.start(job.clone());
        self.record(HostCall::Start(job, *started.as_ref().unwrap_or(&REFUSED)));
        if let Err(result) = &started {
            self.record(HostCall::Finish(REFUSED, result.clone()));
        }
        started
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        let result = self.inner.finish(job);
        self.interrupted(matches!(result, Waited::Interrupted));
        if let Waited::Done(result) = &result {
            self.record(HostCall::Finish(job, result.clone()));
        }
        result
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
