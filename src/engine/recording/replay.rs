//! A host that answers from a record, and does not access the outside.

#![allow(clippy::result_large_err, reason = "a call that does not fit goes straight into a message")]

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use foldhash::HashMap;

use ez_runtime::value::{
    Host, HostAnswer, HostRequest, Job, JobResult, Stream, SystemError, SystemErrorKind, Waited,
};

use super::draws::Draws;
use super::output_size::OutputSize;
use super::record::{HostCall, Mark, OutputHash, Record};
use super::words;

/// Receives the output of a replayed program.
pub type Output = Box<dyn FnMut(Stream, &str)>;

/// Gives a program the answers of an earlier run (see [`RecordHost`](super::RecordHost)).
///
/// If the program makes another call than the next one in the record, it diverges. From then on every call
/// that can fail fails with the reason, and the clock stands still.
pub struct ReplayHost {
    source: Source,
    output: Output,
    progress: Rc<RefCell<Progress>>,
    time: (i64, u32),
    /// The rest of a [`HostCall::Wrote`], while the program writes it.
    writing: Option<Writing>,
    /// Whether a wait at the end of the record is interrupted, because the recorded program has not got
    /// further.
    waits_at_end: bool,
    /// The next call, if it has been read in advance.
    ahead: Option<HostCall>,
    draws: Draws,
    /// The jobs that have not been waited for, by number.
    started: HashMap<u64, Job>,
}

/// Returns the calls of a record one by one, and `None` at the end.
pub(super) type Source = Box<dyn FnMut() -> Result<Option<HostCall>, String>>;

/// A [`HostCall::Wrote`] of which a part has been written.
struct Writing {
    left: u64,
    hash: OutputHash,
    wanted: u32,
}

#[derive(Default)]
struct Progress {
    /// Number of lines of the record that were read.
    lines: usize,
    /// Number of lines before the record in its file.
    heading: usize,
    /// How the program diverges from the record.
    problem: Option<String>,
    /// The output so far.
    written: OutputSize,
    /// Whether the output of a [`HostCall::Wrote`] is incomplete.
    is_writing: bool,
    /// Whether the debugger evaluates something that is not in the record.
    evaluating: bool,
    /// Whether evaluations of the debugger are in the record.
    keeps_evaluations: bool,
    /// Whether the program may go on after the end of the record.
    goes_beyond: bool,
    /// The number of calls after which a wait of the program is interrupted.
    interrupt_after: Option<usize>,
}

impl Progress {
    fn wrote(&mut self, stream: Stream, text: &str) {
        self.written.add(stream, text.len(), self.evaluating);
    }
}

/// The state of a replay. Clones refer to the same replay.
#[derive(Clone)]
pub struct Replay {
    progress: Rc<RefCell<Progress>>,
}

impl Replay {
    /// How the program diverges from the record, if it does.
    pub fn problem(&self) -> Option<String> {
        self.progress.borrow().problem.clone()
    }

    /// Sets whether evaluations of the debugger are in the record.
    pub fn keep_evaluations(&self, keep: bool) {
        self.progress.borrow_mut().keeps_evaluations = keep;
    }

    /// Lets the program go on after the end of the record: its output is passed on, and what needs an answer
    /// from outside is interrupted or fails.
    pub fn go_beyond(&self) {
        self.progress.borrow_mut().goes_beyond = true;
    }

    /// Interrupts the program whenever it begins to wait after this number of calls, as long as it is set.
    pub fn interrupt_after(&self, calls: Option<usize>) {
        self.progress.borrow_mut().interrupt_after = calls;
    }

    /// The output so far.
    pub fn output_size(&self) -> OutputSize {
        self.progress.borrow().written
    }

    /// Whether the output of a [`HostCall::Wrote`] is incomplete.
    pub(super) fn is_writing(&self) -> bool {
        self.progress.borrow().is_writing
    }

    /// Number of lines of the record that were read.
    pub fn lines(&self) -> usize {
        self.progress.borrow().lines
    }
}

impl ReplayHost {
    /// A host with a record in memory. Output is discarded.
    pub fn in_memory(record: Record) -> (ReplayHost, Replay) {
        ReplayHost::of_calls(record, 0)
    }

    fn of_calls(record: Record, mut number: usize) -> (ReplayHost, Replay) {
        let next = move || {
            let call = record.get(number);
            number += usize::from(call.is_some());
            Ok(call)
        };
        let (host, replay) = ReplayHost::new(Box::new(next), Box::new(|_, _| ()));
        (ReplayHost { waits_at_end: true, ..host }, replay)
    }

    /// A host with a record in memory, from a mark on; `seed` is that of the random numbers after it.
    pub fn in_memory_from(record: Record, mark: Mark, seed: u64) -> (ReplayHost, Replay) {
        let (host, replay) = ReplayHost::of_calls(record, mark.number);
        *host.progress.borrow_mut() =
            Progress { lines: mark.number, written: mark.written, ..Progress::default() };
        (ReplayHost { draws: Draws::new(seed), ..host }, replay)
    }

    /// A host whose record is provided by `source`; `output` receives the program's output.
    pub fn new(mut source: Source, output: Output) -> (ReplayHost, Replay) {
        let progress = Rc::<RefCell<Progress>>::default();
        let replay = Replay { progress: progress.clone() };
        let (draws, mut first) = match source() {
            Ok(Some(HostCall::Seed(seed))) => {
                progress.borrow_mut().lines = 1;
                (Draws::new(seed), None)
            }
            other => (Draws::new(0), Some(other)),
        };
        let host = ReplayHost {
            source: Box::new(move || first.take().unwrap_or_else(&mut source)),
            output,
            progress,
            time: (0, 0),
            writing: None,
            waits_at_end: false,
            ahead: None,
            draws,
            started: HashMap::default(),
        };
        (host, replay)
    }

    /// Sets the number of lines before the record in its file, for messages.
    pub(super) fn set_heading(&mut self, lines: usize) {
        self.progress.borrow_mut().heading = lines;
    }

    /// The next call of the record.
    fn call(&mut self) -> Result<Option<HostCall>, String> {
        self.progress.borrow_mut().lines += 1;
        match self.ahead.take() {
            Some(call) => Ok(Some(call)),
            None => (self.source)(),
        }
    }

    /// Whether the program has made all calls of the record.
    pub(super) fn is_over(&mut self) -> bool {
        if self.ahead.is_some() || self.writing.is_some() || self.progress.borrow().problem.is_some() {
            return false;
        }
        match (self.source)() {
            Ok(None) => true,
            Ok(call) => {
                self.ahead = call;
                false
            }
            Err(error) => {
                let line = self.progress.borrow().lines + self.progress.borrow().heading + 1;
                let problem = format!("line {line} of the record cannot be read ({error})");
                self.progress.borrow_mut().problem = Some(problem);
                false
            }
        }
    }

    /// Whether a wait of the program is interrupted: because the record does not have the answer yet, or because
    /// that is wanted.
    fn is_interrupted(&mut self) -> bool {
        let progress = self.progress.borrow();
        if !progress.evaluating && progress.interrupt_after == Some(progress.lines) {
            return true;
        }
        drop(progress);
        self.waits_at_end && self.is_over()
    }

    /// The last time asked for.
    pub(super) fn time(&self) -> (i64, u32) {
        self.time
    }

    /// Checks output against the rest of a [`HostCall::Wrote`].
    fn write_on(&mut self, stream: Stream, text: &str) -> Result<(), String> {
        let Some(writing) = &mut self.writing else { return Ok(()) };
        writing.hash.add(stream, text);
        let left = writing.left.checked_sub(text.len() as u64);
        let fits = left.is_some_and(|left| left > 0 || writing.hash.get() == writing.wanted);
        writing.left = left.unwrap_or(0);
        if writing.left == 0 {
            self.writing = None;
        }
        self.progress.borrow_mut().is_writing = self.writing.is_some();
        if fits {
            Ok(())
        } else {
            let mut progress = self.progress.borrow_mut();
            let problem = format!(
                "the program prints something that it had not printed before: {}",
                words::quoted(text)
            );
            progress.problem = Some(problem.clone());
            Err(problem)
        }
    }

    /// The error of the last write of a [`HostCall::Wrote`], if that failed.
    fn failure_of_write(&mut self) -> Option<String> {
        if self.is_over() {
            return None;
        }
        match self.ahead.take_if(|call| matches!(call, HostCall::WriteFailed(_))) {
            Some(HostCall::WriteFailed(reason)) => {
                self.progress.borrow_mut().lines += 1;
                Some(reason)
            }
            _ => None,
        }
    }

    /// Takes the answer from the next call of the record by `take`, which returns the call if it does not
    /// match. `asked` describes the program's call for errors.
    fn next<T>(
        &mut self,
        asked: impl Fn() -> String,
        take: impl FnOnce(HostCall) -> Result<T, HostCall>,
    ) -> Result<T, String> {
        take(self.next_call(&asked)?).map_err(|other| match words::call(&other) {
            same if same == asked() => self.departed(&asked, "has another kind of call or answer"),
            other => self.departed(&asked, &format!("has {other}")),
        })
    }

    /// The next call of the record.
    fn next_call(&mut self, asked: &dyn Fn() -> String) -> Result<HostCall, String> {
        let (problem, is_aside) = {
            let progress = self.progress.borrow();
            (progress.problem.clone(), progress.evaluating && !progress.keeps_evaluations)
        };
        if let Some(problem) = problem {
            return Err(problem);
        }
        if is_aside {
            return Err(format!("{}: an evaluation cannot have it from the record", asked()));
        }
        match self.call() {
            Ok(Some(call)) => Ok(call),
            Ok(None) if self.progress.borrow().goes_beyond => {
                let problem = format!("the program asks for {}, which it has not been given yet", asked());
                self.progress.borrow_mut().problem = Some(problem.clone());
                Err(problem)
            }
            Ok(None) => Err(self.departed(asked, "is the end")),
            Err(error) => Err(self.departed(asked, &format!("cannot be read ({error})"))),
        }
    }

    /// The program asks for something else than what the record has in this line: notes and returns the problem.
    fn departed(&self, asked: &dyn Fn() -> String, found: &str) -> String {
        let mut progress = self.progress.borrow_mut();
        let line = progress.lines + progress.heading;
        let problem = format!("the program asks for {}, but line {line} of the record {found}", asked());
        progress.problem = Some(problem.clone());
        problem
    }
}

/// The error of a request without a recorded answer.
pub(super) fn refusal(reason: String) -> SystemError {
    SystemError { kind: SystemErrorKind::Other, operation: "replay".into(), path: String::new(), reason }
}

impl Host for ReplayHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.progress.borrow().goes_beyond && self.is_over() {
            self.progress.borrow_mut().wrote(stream, text);
            (self.output)(stream, text);
            return Ok(());
        }
        let asked = || words::output(stream, text);
        let mut failed = None;
        if self.writing.is_none() {
            let found = self.next(asked, |call| match call {
                HostCall::Write { stream: to, text: said, failed } if to == stream && said == text => {
                    Ok((failed, None))
                }
                HostCall::Wrote { bytes, hash } => Ok((None, Some((bytes, hash)))),
                other => Err(other),
            });
            let (reason, sum) = found.map_err(io::Error::other)?;
            failed = reason;
            self.writing = sum.map(|(left, wanted)| Writing { left, hash: OutputHash::default(), wanted });
        }
        let is_summed = self.writing.is_some();
        self.write_on(stream, text).map_err(io::Error::other)?;
        if is_summed && self.writing.is_none() {
            failed = self.failure_of_write();
        }
        match failed {
            Some(reason) => Err(io::Error::other(reason)),
            None => {
                self.progress.borrow_mut().wrote(stream, text);
                (self.output)(stream, text);
                Ok(())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        if self.is_interrupted() {
            return Ok(Waited::Interrupted);
        }
        let line = self.next(
            || "a line of input".into(),
            |call| match call {
                HostCall::Line(line) => Ok(line),
                other => Err(other),
            },
        );
        let line = line.and_then(|line| line);
        line.map(Waited::Done).map_err(io::Error::other)
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        if self.is_interrupted() {
            return Some(time);
        }
        let asked = || format!("sleep for {time:?}");
        let _ = self.next(asked, |call| match call {
            HostCall::Sleep(slept) if slept == time => Ok(()),
            other => Err(other),
        });
        None
    }

    fn now(&mut self) -> (i64, u32) {
        let answer = self.next(
            || "the time".into(),
            |call| match call {
                HostCall::Now(seconds, nanos) => Ok((seconds, nanos)),
                other => Err(other),
            },
        );
        self.time = answer.unwrap_or(self.time);
        self.time
    }

    fn random(&mut self) -> u64 {
        self.draws.bits()
    }

    fn seed(&mut self) -> u64 {
        self.draws.seed()
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        let fits = |answer: &Result<_, _>| answer.as_ref().map_or(true, |it| words::answers(&request, it));
        let answer = self.next(
            || words::request(&request),
            |call| match call {
                HostCall::Request(said, answer) if said == request && fits(&answer) => Ok(answer),
                other => Err(other),
            },
        );
        answer.map_err(refusal)?
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        let answer = self.next(
            || words::job(&job),
            |call| match call {
                HostCall::Start(said, number) if said == job => Ok(number),
                other => Err(other),
            },
        );
        match answer {
            Ok(number) => {
                self.started.insert(number, job);
                Ok(number)
            }
            Err(reason) => Err(failed(reason)),
        }
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        if self.is_interrupted() {
            return Waited::Interrupted;
        }
        let started = self.started.remove(&job);
        let fits = |result: &JobResult| started.as_ref().is_none_or(|job| words::ends(job, result));
        let answer = self.next(
            || words::end_of_job(job),
            |call| match call {
                HostCall::Finish(number, result) if number == job && fits(&result) => Ok(result),
                other => Err(other),
            },
        );
        Waited::Done(answer.unwrap_or_else(failed))
    }

    fn cancel(&mut self, _: u64) {}

    fn set_evaluating(&mut self, evaluating: bool) {
        self.progress.borrow_mut().evaluating = evaluating;
        self.draws.set_evaluating(evaluating);
    }
}

/// The result of a job whose result the record does not have.
fn failed(reason: String) -> JobResult {
    JobResult::Answer(Err(refusal(reason)))
}
