//! A host that records what a program asked of another host, and what it was answered.
//!
//! A record is text: one [`HostCall`] a line, as JSON, in the order in which things happened. Interrupted
//! waits are not in it: for the program they have not happened.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

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
    /// It read a line: the line with its end, `None` at the end of input; `Err` says why it could not.
    Line(Result<Option<Vec<u8>>, String>),
    /// It slept for the whole time.
    Sleep(Duration),
    /// It asked for the time: as [`Host::now`] gives it.
    Now(i64, u32),
    /// It asked for random bits.
    Random(u64),
    /// It made a request.
    Request(HostRequest, Result<HostAnswer, SystemError>),
    /// It started a job, which was given this number.
    Start(Job, u64),
    /// It waited for the job of this number.
    Finish(u64, JobResult),
}

/// Passes everything on to another host and records its answers.
pub struct RecordHost {
    inner: Box<dyn Host>,
    record: Box<dyn Write>,
    /// The whole time of a sleep that was interrupted and goes on.
    asleep: Option<Duration>,
}

impl RecordHost {
    /// A host that writes its record to `record`. What cannot be written there is missing from the record:
    /// recording never makes a program fail.
    pub fn new(inner: Box<dyn Host>, record: Box<dyn Write>) -> RecordHost {
        RecordHost { inner, record, asleep: None }
    }

    fn record(&mut self, call: &HostCall) {
        if let Ok(mut line) = serde_json::to_vec(call) {
            line.push(b'\n');
            let _ = self.record.write_all(&line);
        }
    }
}

impl Host for RecordHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        let result = self.inner.write(stream, text);
        let failed = result.as_ref().err().map(io::Error::to_string);
        self.record(&HostCall::Write { stream, text: text.into(), failed });
        result
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        let result = self.inner.read_line();
        match &result {
            Ok(Waited::Done(line)) => self.record(&HostCall::Line(Ok(line.clone()))),
            Ok(Waited::Interrupted) => {}
            Err(error) => self.record(&HostCall::Line(Err(error.to_string()))),
        }
        result
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        let whole = *self.asleep.get_or_insert(time);
        let left = self.inner.sleep(time);
        if left.is_none() {
            self.asleep = None;
            self.record(&HostCall::Sleep(whole));
        }
        left
    }

    fn now(&mut self) -> (i64, u32) {
        let (seconds, nanos) = self.inner.now();
        self.record(&HostCall::Now(seconds, nanos));
        (seconds, nanos)
    }

    fn random(&mut self) -> u64 {
        let bits = self.inner.random();
        self.record(&HostCall::Random(bits));
        bits
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        let answer = self.inner.request(request.clone());
        self.record(&HostCall::Request(request, answer.clone()));
        answer
    }

    fn start(&mut self, job: Job) -> u64 {
        let number = self.inner.start(job.clone());
        self.record(&HostCall::Start(job, number));
        number
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        let result = self.inner.finish(job);
        if let Waited::Done(result) = &result {
            self.record(&HostCall::Finish(job, result.clone()));
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
        self.inner.end();
        let _ = self.record.flush();
    }
}

impl Drop for RecordHost {
    fn drop(&mut self) {
        let _ = self.record.flush();
    }
}
