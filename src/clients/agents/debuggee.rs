//! A program in a process of its own, `ez debugserver`, and the session with it; or a session elsewhere that was joined.
//!
//! A process for each program, because a program may fill the memory, exhaust the stack or never return from a
//! call of the system: whatever it does, ending the process ends it, and nothing of it remains.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::Call;
use super::captured::Captured;
use super::process::Process;
use crate::api::{self, Attached, Company, Event, Question, Request, RequestId};
use crate::clients::joining::{Joined, Joining};
use crate::protocol::{Duplex, SessionHandle};
use crate::session::{Item, Waited};
use crate::sync::Mutex;

/// How often a waiting call looks whether it was cancelled, and reports its progress.
const TICK: Duration = Duration::from_millis(100);

/// How many events are kept.
const MAX_EVENTS: usize = 1000;

/// What is said of a process that has ended although nobody wanted that.
pub const ENDED: &str = "the program's process has ended unexpectedly";

/// What is said of a process that was asked to pause, and has not.
pub const NO_ANSWER: &str =
    "the program's process does not answer, not even to a pause: it may be stopped or held up by the system";

/// Why a request has no result.
#[derive(Debug)]
pub enum Failure {
    /// The client has cancelled the call.
    Cancelled,
    /// The time is over; the program still runs.
    TimeIsOver,
    /// The request was refused.
    Refused(Box<api::Failure>),
    /// The process has ended.
    Ended,
}

impl Failure {
    /// The reason in words.
    pub fn text(&self) -> String {
        match self {
            Failure::Cancelled => "cancelled".into(),
            Failure::TimeIsOver => "the time is over".into(),
            Failure::Refused(failure) => message(failure).into(),
            Failure::Ended => format!("{ENDED}: it may have been killed; try again"),
        }
    }
}

/// The message of a failure; for a program with errors, that of the last one.
pub fn message(failure: &api::Failure) -> &str {
    failure.problems.last().map_or(&failure.message, |problem| &problem.message)
}

/// A session with a program in a process.
pub struct Debuggee {
    session: SessionHandle,
    output: Arc<Mutex<Captured>>,
    /// Events that came while an answer was waited for.
    pub events: Vec<Event>,
    /// Ends with this; `None` if it is a session elsewhere, which is left.
    process: Option<Process>,
}

/// Keeps output, so that a program that prints without end does not fill the memory.
fn capture(captured: Arc<Mutex<Captured>>) -> impl FnMut(Item) -> Option<Item> + Send + 'static {
    move |item| match item {
        Item::Output { text, .. } | Item::Event(Event::Log(text)) => {
            captured.lock().add(&text);
            None
        }
        Item::Response(..) | Item::Event(_) | Item::Reply(_) => Some(item),
    }
}

impl Debuggee {
    /// Communicates with `ez debugserver` in this process.
    ///
    /// # Errors
    /// If there are no threads for that.
    pub fn new(mut process: Process) -> Result<Debuggee, String> {
        let no_pipe = || "the process has no pipes".to_string();
        let stdin = process.stdin.take().ok_or_else(no_pipe)?;
        let stdout = process.stdout.take().ok_or_else(no_pipe)?;
        // It writes no errors there; nobody would read them.
        process.stderr = None;
        let output = Arc::new(Mutex::new(Captured::default()));
        let session = SessionHandle::of_process(Duplex::pipes(stdout, stdin), capture(output.clone()));
        let session = session.map_err(|error| error.to_string())?;
        Ok(Debuggee { session, output, events: Vec::new(), process: Some(process) })
    }

    /// Joins a session elsewhere.
    ///
    /// # Errors
    /// A message that says why that is not possible.
    pub fn join(joining: &Joining) -> Result<(Debuggee, Attached), String> {
        let output = Arc::new(Mutex::new(Captured::default()));
        let Joined { link, attached, .. } = joining.join(capture(output.clone()))?;
        Ok((Debuggee { session: link, output, events: Vec::new(), process: None }, attached))
    }

    /// Whether it is a session elsewhere.
    pub fn is_joined(&self) -> bool {
        self.process.is_none()
    }

    /// The output of the program.
    pub fn output(&self) -> &Mutex<Captured> {
        &self.output
    }

    /// Ends the process when the call is cancelled.
    pub fn ends_with(&self, call: &Call) {
        if let Some(process) = &self.process {
            call.cancellation.ends(process);
        }
    }

    /// Keeps the process when the call is cancelled from now on.
    ///
    /// # Errors
    /// If the call was cancelled already.
    pub fn outlives(&self, call: &Call) -> Result<(), String> {
        self.process.as_ref().map_or(Ok(()), |process| call.cancellation.spares(process))
    }

    /// Sends a request, and returns the number that its response will have.
    pub fn send(&self, request: Request) -> RequestId {
        self.session.send(request)
    }

    /// Makes a request and waits for its answer.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn ask<Q: Question>(
        &mut self,
        call: &Call,
        deadline: Instant,
        question: Q,
    ) -> Result<Q::Answer, Failure> {
        let id = self.send(question.into_request());
        loop {
            match self.next(call, deadline)? {
                Item::Response(of, result) if of == id => {
                    let answer = result.and_then(Q::answer_from);
                    return answer.map_err(|failure| Failure::Refused(Box::new(failure)));
                }
                Item::Event(event) => self.keep(event),
                Item::Response(..) | Item::Output { .. } | Item::Reply(_) => {}
            }
        }
    }

    /// Whether the process has ended, or has closed its streams.
    pub fn has_ended(&self) -> bool {
        self.session.is_closed()
    }

    /// Why there is no more of a session elsewhere.
    pub fn why_over(&self) -> String {
        let dismissal = self.events.iter().find_map(|event| {
            if let Event::Company(Company::Dismissed(why)) = event { Some(why.to_string()) } else { None }
        });
        let ended = self.events.contains(&Event::Terminated);
        dismissal
            .or_else(|| ended.then(|| "the owner has ended the session".into()))
            .unwrap_or_else(|| self.session.is_gone().message)
    }

    /// The next item of the session that has come already.
    pub fn try_next(&self) -> Option<Item> {
        self.session.try_next()
    }

    /// Keeps an event that came while an answer was waited for.
    pub fn keep(&mut self, event: Event) {
        if self.events.len() < MAX_EVENTS {
            self.events.push(event);
        }
    }

    /// Waits for the next item of the session; the call's progress is reported meanwhile.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn next(&mut self, call: &Call, deadline: Instant) -> Result<Item, Failure> {
        loop {
            if call.cancellation.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            let now = Instant::now();
            match self.session.next_until(Some(deadline.min(now + TICK))) {
                Ok(Item::Event(Event::Progress(progress))) => call.report_progress(&progress.title),
                Ok(item) => return Ok(item),
                Err(Waited::TimeIsOver | Waited::Items) if deadline <= now => {
                    return Err(Failure::TimeIsOver);
                }
                Err(Waited::TimeIsOver | Waited::Items) => {
                    let bytes = self.output.lock().bytes();
                    call.report_progress(&format!("running; {bytes} bytes of output"));
                }
                Err(Waited::Closed) if call.cancellation.is_cancelled() => return Err(Failure::Cancelled),
                Err(Waited::Closed) => return Err(Failure::Ended),
            }
        }
    }
}
