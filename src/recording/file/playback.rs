//! A host that answers from a recording and shows the program's output.

use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, Waited,
};

use super::super::replay::{Replay, ReplayHost};
use super::format::End;
use super::recording::Recording;

/// Why a program does not go on as it did when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The recording ends here, though the program did not end: it was ended from outside.
    AtEnd,
    /// The program does something else: what, in words.
    Differs(String),
}

/// When the end of a recording that has no end of the program is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// As soon as its last answer was given.
    Soon,
    /// When the program asks for more.
    Late,
}

/// Is told how a program departs from its recording.
pub type OnDeparture = Box<dyn FnMut(&Departure)>;

/// Gives a program the answers of a recording. Output goes to another host, of which nothing else is asked.
pub struct PlaybackHost {
    replay: ReplayHost,
    watched: Replay,
    shows: Box<dyn Host>,
    /// Whether the recording has the end of the program.
    has_end: bool,
    at_end: AtEnd,
    evaluating: bool,
    on_departure: OnDeparture,
    has_differed: bool,
}

/// How a playback went.
pub struct Playback {
    watched: Replay,
    recording: Rc<Recording>,
}

impl Playback {
    /// In what the end of the program differs from the recorded one, if it does.
    pub fn difference_at_end(&self, status: i32) -> Option<String> {
        if self.watched.problem().is_some() {
            // That was told.
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
    /// A host with the answers of `recording`, which shows output by `shows`. `on_departure` is told of
    /// the first difference, and of each call behind the end of the recording.
    ///
    /// # Errors
    /// When the recording cannot be read any more.
    pub fn new(
        recording: Rc<Recording>,
        shows: Box<dyn Host>,
        at_end: AtEnd,
        on_departure: OnDeparture,
    ) -> io::Result<(PlaybackHost, Playback)> {
        let source = Box::new(recording.reader()?);
        let (replay, watched) = ReplayHost::from(source, Box::new(|_, _| ()));
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

    /// To be called before the program runs: there may be nothing in the recording.
    pub fn begin(&mut self) {
        self.check();
    }

    fn depart(&mut self, departure: &Departure) {
        let _ = self.shows.flush();
        (self.on_departure)(departure);
    }

    /// Whether the program asks for more than there is in a recording without its end.
    fn is_behind_end(&mut self) -> bool {
        let is_behind = !self.evaluating && !self.has_end && self.replay.is_over();
        if is_behind {
            self.depart(&Departure::AtEnd);
        }
        is_behind
    }

    /// After a call: tells it if the program has departed.
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
        // What was not printed when it was recorded is seen all the same, behind the word that it differs.
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

    fn start(&mut self, job: Job) -> u64 {
        if self.is_behind_end() {
            // No job has this number.
            return u64::MAX;
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
    }
}

fn behind_end() -> SystemError {
    super::super::replay::refusal("the recording ends here".into())
}
