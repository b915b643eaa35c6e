//! A host that keeps what a program asked and was told.
//!
//! A record is text: one [`HostCall`] a line, as JSON, in the order in which things happened. Waits that
//! ended early because somebody wanted the interpreter's attention are not in it: for the program they
//! have not happened.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, Waited,
};

/// Something that a program asked of the outside, or did to it, and the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostCall {
    /// It wrote.
    Write {
        /// Where to.
        stream: Stream,
        /// What.
        text: String,
        /// Why that failed, if it did.
        failed: Option<Trouble>,
    },
    /// It read a line: the line with its end, nothing at the end of input.
    Line(Result<Option<Vec<u8>>, Trouble>),
    /// It slept, all that time.
    Sleep(Duration),
    /// It asked for the time: seconds and nanoseconds since 1970.
    Now(i64, u32),
    /// It asked for random bits.
    Random(u64),
    /// It asked something else.
    Request(HostRequest, Result<HostAnswer, SystemError>),
    /// It started a job, which got this number.
    Start(Job, u64),
    /// It waited for the job of that number.
    Finish(u64, JobResult),
}

/// An input or output error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// The system's number for it, if it has one.
    pub errno: Option<i32>,
    /// What it says.
    pub text: String,
}

impl From<&io::Error> for Trouble {
    fn from(error: &io::Error) -> Trouble {
        Trouble { errno: error.raw_os_error(), text: error.to_string() }
    }
}

impl From<Trouble> for io::Error {
    fn from(trouble: Trouble) -> io::Error {
        match trouble.errno {
            Some(errno) => io::Error::from_raw_os_error(errno),
            None => io::Error::other(trouble.text),
        }
    }
}

/// Passes everything on to another host and keeps what it answers.
pub struct RecordHost {
    inner: Box<dyn Host>,
    record: Box<dyn Write>,
    /// How long a sleep was to take that attention has ended early.
    asleep: Option<Duration>,
}

impl RecordHost {
    /// A host that writes its record to `record`. What cannot be written there is missing: a program
    /// does not suffer from being recorded.
    pub fn new(inner: Box<dyn Host>, record: Box<dyn Write>) -> RecordHost {
        RecordHost { inner, record, asleep: None }
    }

    fn keep(&mut self, exchange: &HostCall) {
        if let Ok(mut line) = serde_json::to_vec(exchange) {
            line.push(b'\n');
            let _ = self.record.write_all(&line);
        }
    }
}

impl Host for RecordHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        let result = self.inner.write(stream, text);
        let failed = result.as_ref().err().map(Trouble::from);
        self.keep(&HostCall::Write { stream, text: text.into(), failed });
        result
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        let result = self.inner.read_line();
        match &result {
            Ok(Waited::Done(line)) => self.keep(&HostCall::Line(Ok(line.clone()))),
            Ok(Waited::Interrupted) => {}
            Err(error) => self.keep(&HostCall::Line(Err(error.into()))),
        }
        result
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        let whole = *self.asleep.get_or_insert(time);
        let left = self.inner.sleep(time);
        if left.is_none() {
            self.asleep = None;
            self.keep(&HostCall::Sleep(whole));
        }
        left
    }

    fn now(&mut self) -> (i64, u32) {
        let (seconds, nanos) = self.inner.now();
        self.keep(&HostCall::Now(seconds, nanos));
        (seconds, nanos)
    }

    fn random(&mut self) -> u64 {
        let bits = self.inner.random();
        self.keep(&HostCall::Random(bits));
        bits
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        let answer = self.inner.request(request.clone());
        self.keep(&HostCall::Request(request, answer.clone()));
        answer
    }

    fn start(&mut self, job: Job) -> u64 {
        let number = self.inner.start(job.clone());
        self.keep(&HostCall::Start(job, number));
        number
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        let result = self.inner.finish(job);
        if let Waited::Done(result) = &result {
            self.keep(&HostCall::Finish(job, result.clone()));
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
