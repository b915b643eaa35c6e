//! A program in a process of its own, `ez debugserver`, and the session with it; or a session elsewhere that was joined.
//!
//! A process for each program, because a program may fill the memory, exhaust the stack or never return from a
//! call of the system: whatever it does, ending the process ends it, and nothing of it remains.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::Call;
use super::captured::Captured;
use super::process::Process;
use crate::clients::joining::{Joined, Joining};
use crate::protocol::{Duplex, SessionHandle};
use ez_engine::api::{self, Attached, Company, Event, Question, Request, RequestId, Role, Status};
use ez_engine::session::{Item, Waited};
use ez_runtime::sync::Mutex;
use ez_runtime::visible::quoted;

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

/// Who has let a program run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runner {
    /// This client.
    Own,
    /// Another client of the session; its name, if it is known.
    Other(Option<String>),
}

/// A session with a program in a process.
pub struct Debuggee {
    session: SessionHandle,
    output: Arc<Mutex<Captured>>,
    /// Events that came while an answer was waited for.
    pub events: Vec<Event>,
    /// Ends with this; `None` if it is a session elsewhere, which is left.
    process: Option<Process>,
    /// Who has let the program run that runs now; `None`: it does not run.
    pub runner: Option<Runner>,
    /// Whether it has asked for input since it runs. Nobody tells when another client has given some.
    has_asked_for_input: bool,
    /// The requests of this client that let the program run and are not answered.
    resuming: Vec<RequestId>,
    /// Whether this is an observer in a session elsewhere.
    observes: bool,
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
        Ok(Debuggee::with(session, output, Some(process)))
    }

    /// Joins a session elsewhere.
    ///
    /// # Errors
    /// A message that says why that is not possible.
    pub fn join(joining: &Joining) -> Result<(Debuggee, Attached), String> {
        let output = Arc::new(Mutex::new(Captured::default()));
        let Joined { link, attached, .. } = joining.join(capture(output.clone()))?;
        let mut debuggee = Debuggee::with(link, output, None);
        if attached.state.status == Status::Running {
            debuggee.runner = Some(Runner::Other(None));
        }
        debuggee.observes = attached.guest.as_ref().is_some_and(|guest| guest.role == Role::Observer);
        Ok((debuggee, attached))
    }

    fn with(session: SessionHandle, output: Arc<Mutex<Captured>>, process: Option<Process>) -> Debuggee {
        let (events, resuming) = (Vec::new(), Vec::new());
        Debuggee {
            session,
            output,
            events,
            process,
            runner: None,
            has_asked_for_input: false,
            resuming,
            observes: false,
        }
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

    /// Whether the run in progress may be paused when the time is over: not that of another client, nor one that waits
    /// until somebody has typed something.
    pub fn may_pause(&self) -> bool {
        !self.is_joined() || self.runner == Some(Runner::Own) && !self.has_asked_for_input
    }

    /// Why a request waits that needs a stop, and what to do; `None` if the program does not run.
    pub fn still_runs(&self) -> Option<String> {
        let who = match self.runner.as_ref()? {
            Runner::Own => ": you have let it go on".to_string(),
            Runner::Other(Some(name)) => format!(": {} has let it go on", quoted(name)),
            Runner::Other(None) => String::new(),
        };
        let advice = match self.observes {
            true => "an observer cannot pause it: try again when it has stopped",
            false => "try again when it has stopped, or the command pause stops it",
        };
        let asked = match (self.has_asked_for_input, self.observes) {
            (false, _) => "",
            (true, true) => "; it has asked for input",
            (true, false) => "; it has asked for input (the command input {text} gives it a line)",
        };
        Some(format!("the program runs{who}{asked}; {advice}"))
    }

    /// Sends a request, and returns the number that its response will have.
    pub fn send(&mut self, request: Request) -> RequestId {
        let resumes = matches!(request, Request::Start(_) | Request::Resume(_) | Request::Restart(_));
        let id = self.session.send(request);
        if resumes {
            self.resuming.push(id);
        }
        id
    }

    /// Gives up a request in a session elsewhere, where it would be carried out later.
    pub fn give_up(&self, id: RequestId) {
        if self.is_joined() {
            self.session.cancel(id);
        }
    }

    /// Notes what an item says about whether the program runs.
    fn note(&mut self, item: &Item) {
        match item {
            Item::Response(id, result) if self.resuming.contains(id) => {
                self.resuming.retain(|resuming| resuming != id);
                if result.is_ok() {
                    (self.runner, self.has_asked_for_input) = (Some(Runner::Own), false);
                }
            }
            Item::Event(Event::Company(Company::Resumed(name) | Company::Restarted(name))) => {
                (self.runner, self.has_asked_for_input) = (Some(Runner::Other(Some(name.clone()))), false);
            }
            Item::Event(Event::InputRequested(_)) => self.has_asked_for_input = true,
            Item::Event(Event::Stopped(_) | Event::Exited(_) | Event::Terminated) => {
                (self.runner, self.has_asked_for_input) = (None, false);
            }
            Item::Response(..) | Item::Event(_) | Item::Output { .. } | Item::Reply(_) => {}
        }
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
            let item = self.next(call, deadline);
            if let Err(Failure::Cancelled | Failure::TimeIsOver) = item {
                self.give_up(id);
            }
            match item? {
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
    pub fn try_next(&mut self) -> Option<Item> {
        let item = self.session.try_next()?;
        self.note(&item);
        Some(item)
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
                Ok(item) => {
                    self.note(&item);
                    return Ok(item);
                }
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
