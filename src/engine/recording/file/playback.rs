//! A host that answers from a recording, and shows the program's output.

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::format::End;
use super::recording::Recording;
use crate::recording::record::REFUSED;
use crate::recording::replay::{Replay, ReplayHost};
use ez_runtime::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, Waited,
};

/// How the program departs from the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The recording ends here, before the program did: the process was killed.
    AtEnd,
    /// The program does something else, as described.
    Differs(String),
}

/// When to report the end of a recording that lacks the program's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// After its last answer.
    Soon,
    /// When the program needs another answer.
    Late,
}

/// Called when the program departs from the recording.
pub type OnDeparture = Box<dyn FnMut(&Departure)>;

/// Answers from a recording. Only output is passed on to another host.
pub struct PlaybackHost {
    replay: ReplayHost,
    watched: Replay,
    shows: Box<dyn Host>,
    /// Whether the recording has the program's end.
    has_end: bool,
    at_end: AtEnd,
    evaluating: bool,
    on_departure: OnDeparture,
    has_differed: bool,
}

/// The result of a playback. May be read while the program runs.
pub struct Playback {
    watched: Replay,
    recording: Rc<Recording>,
}

impl Playback {
    /// How the program's end differs from the recorded one, if it does.
    pub fn difference_at_end(&self, status: i32) -> Option<String> {
        if self.watched.problem().is_some() {
            // A difference has been reported already.
            return None;
        }
        let left = self.recording.calls.saturating_sub(self.watched.lines() as u64);
        if left > 0 || self.watched.is_writing() {
            return Some("the program ended before it had done all that it did".into());
        }
        match self.recording.end {
            Some(End::Status(recorded)) if recorded != status => Some(format!(
                "the program ended with the status {status}, and not with {recorded} as it did before"
            )),
            Some(End::Signal(_)) => Some("the program ended, though it was ended from outside before".into()),
            Some(End::Status(_)) | None => None,
        }
    }
}

impl PlaybackHost {
    /// A host with the answers of `recording`; `shows` gets the output. `on_departure` is called at the first
    /// difference, and at each call after the end of the recording.
    ///
    /// # Errors
    /// If the recording cannot be read any more.
    pub fn new(
        recording: Rc<Recording>,
        shows: Box<dyn Host>,
        at_end: AtEnd,
        on_departure: OnDeparture,
    ) -> io::Result<(PlaybackHost, Playback)> {
        let source = Box::new(recording.reader()?);
        let (mut replay, watched) = ReplayHost::new(source, Box::new(|_, _| ()));
        replay.set_heading(1);
        let has_end = recording.has_end();
        let playback = Playback { watched: watched.clone(), recording };
        let host = PlaybackHost {
            replay,
            watched,
            shows,
            has_end,
            at_end,
            evaluating: false,
            on_departure,
            has_differed: false,
        };
        Ok((host, playback))
    }

    /// To be called before the program starts, since the recording may be empty.
    pub fn begin(&mut self) {
        self.check();
    }

    fn depart(&mut self, departure: &Departure) {
        let _ = self.shows.flush();
        (self.on_departure)(departure);
    }

    /// Whether the program needs more answers than an incomplete recording has.
    fn is_behind_end(&mut self) -> bool {
        let is_behind = !self.evaluating && !self.has_end && self.replay.is_over();
        if is_behind {
            self.depart(&Departure::AtEnd);
        }
        is_behind
    }

    /// Called after each call of the program: reports a departure.
    fn check(&mut self) {
        if self.evaluating {
            return;
        }
        if let Some(problem) = self.watched.problem()
            && !std::mem::replace(&mut self.has_differed, true)
        {
            self.depart(&Departure::Differs(problem));
        }
        if self.at_end == AtEnd::Soon && !self.has_end && self.replay.is_over() {
            self.depart(&Departure::AtEnd);
        }
    }

    fn checked<T>(&mut self, call: impl FnOnce(&mut ReplayHost) -> T) -> T {
        let answer = call(&mut self.replay);
        self.check();
        answer
    }
}

impl Host for PlaybackHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        if self.evaluating || self.is_behind_end() {
            return self.shows.write(stream, text);
        }
        let played = self.replay.write(stream, text);
        let differs = self.watched.problem().is_some();
        // Output that is not in the recording is shown, too, after the report.
        if differs {
            self.check();
        }
        if differs || played.is_ok() {
            self.shows.write(stream, text)?;
        }
        if differs {
            return Ok(());
        }
        self.check();
        played
    }

    fn flush(&mut self) -> io::Result<()> {
        self.shows.flush()
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        if self.is_behind_end() {
            return Ok(Waited::Interrupted);
        }
        self.checked(ReplayHost::read_line)
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        if self.is_behind_end() {
            return Some(time);
        }
        self.checked(|replay| replay.sleep(time))
    }

    fn now(&mut self) -> (i64, u32) {
        if self.is_behind_end() {
            return self.replay.time();
        }
        self.checked(ReplayHost::now)
    }

    fn random(&mut self) -> u64 {
        self.replay.random()
    }

    fn seed(&mut self) -> u64 {
        self.replay.seed()
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        if self.is_behind_end() {
            return Err(behind_end());
        }
        self.checked(|replay| replay.request(request))
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        if self.is_behind_end() {
            // Whatever its number is, its result is not in the recording.
            return Ok(REFUSED);
        }
        self.checked(|replay| replay.start(job))
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        if self.is_behind_end() {
            return Waited::Interrupted;
        }
        self.checked(|replay| replay.finish(job))
    }

    fn cancel(&mut self, _: u64) {}

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.shows.interrupt_flag()
    }

    fn end(&mut self) {
        self.shows.end();
    }

    fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluating = evaluating;
        self.replay.set_evaluating(evaluating);
        self.shows.set_evaluating(evaluating);
    }
}

fn behind_end() -> SystemError {
    crate::recording::replay::refusal("the recording ends here".into())
}
