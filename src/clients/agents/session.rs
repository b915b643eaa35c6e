//! A program that was loaded into a debug server: how it is run, and what is asked about it.

use std::time::{Duration, Instant};

use super::arguments::Program;
use super::call::Call;
use super::debuggee::{Debuggee, Failure, NO_ANSWER, message};
use super::shown::{Frame, Report, Shown, SourceLine};
use super::sources::Sources;
use crate::clients::joining::Joining;
use crate::clients::past::Past;
use crate::protocol::json::cut;
use ez_engine::api::{
    Attached, Breakpoint, BreakpointOptions, Difference, Evaluate, Event, ExceptionSpec, GetModules,
    GetSource, GetStackTrace, GetVariables, Input, Launch, Limits, LineLocation, LineSpec, ModuleKind,
    Purpose, Question, Request, RequestId, Resume, SetBreakpoints, SetExceptionBreakpoints, StackTrace,
    StopReason, Stopped, Travel, UnfoldTarget, Unfolded,
};
use ez_engine::session::Item;
use ez_runtime::platform::{slashed, text_of};

/// How long loading a program may take, if it may not run for longer than that.
const LOADING: Duration = Duration::from_secs(20);

/// How long the questions about a stopped program may take.
const QUESTIONS: Duration = Duration::from_secs(30);

/// How long a program may take to answer a `pause`.
pub const PAUSE: Duration = Duration::from_secs(10);

/// How long an expression may take, in milliseconds.
const EVALUATION: u32 = 2000;

/// Maximum number of frames, of frames with variables, and of variables of a frame in an answer.
const MAX_FRAMES: usize = 20;
const MAX_WITH_VARIABLES: usize = 4;
const MAX_VARIABLES: usize = 30;

/// Maximum length of the value of a variable in a stack, in bytes.
const MAX_VALUE: usize = 400;

/// A loaded program.
pub struct ProgramSession {
    /// The program's process.
    pub debuggee: Debuggee,
    /// The source lines of the program.
    pub sources: Sources,
    /// Questions are not answered after that.
    deadline: Instant,
    /// The program's whole input.
    input: String,
}

/// A loaded program as a call of a tool asks it.
pub struct Asking<'a> {
    pub call: &'a Call,
    pub session: &'a mut ProgramSession,
}

impl Past for Asking<'_> {
    fn ask<Q: Question>(&mut self, question: Q) -> Result<Q::Answer, String> {
        self.session.ask(self.call, question)
    }

    fn travel(&mut self, travel: Travel) -> Result<Box<Stopped>, String> {
        self.session.travel(self.call, travel)
    }
}

/// Why a program was not loaded.
pub enum NotLoaded {
    /// It has errors: the reports.
    Wrong(Vec<Report>),
    /// Any other reason.
    Failed(String),
}

impl From<String> for NotLoaded {
    fn from(reason: String) -> NotLoaded {
        NotLoaded::Failed(reason)
    }
}

/// How a run has ended, or where it has stopped.
pub enum Stop {
    /// It has stopped here.
    Stopped(Box<Stopped>),
    /// The exit status of a program that has ended.
    Exited(i32),
    /// The time is over. Where it was paused.
    TimeIsOver(Box<Stopped>),
}

/// What has become of a breakpoint.
pub enum Set {
    /// It is where it was wanted.
    There,
    Moved(String),
    /// It is not set, for this reason.
    Not(String),
}

impl Set {
    /// From the answer of the session.
    pub fn new(set: Breakpoint) -> Set {
        match (set.verified, set.message) {
            (true, Some(moved)) => Set::Moved(moved),
            (true, None) => Set::There,
            (false, why) => Set::Not(why.unwrap_or_else(|| "there is no statement".into())),
        }
    }
}

impl ProgramSession {
    /// Starts a debug server and loads a program. `options` are further parameters of the launch.
    ///
    /// # Errors
    /// If the program has errors, or there is none.
    pub fn load(call: &Call, program: &Program, options: Launch) -> Result<ProgramSession, NotLoaded> {
        let root = &call.shared.root;
        let arguments = ["debugserver", "--root", &text_of(root.path().as_os_str())].map(String::from);
        let process = call.shared.processes.start(&call.cancellation, &arguments, root.path())?;
        let mut debuggee = Debuggee::new(process)?;
        debuggee.ends_with(call);
        debuggee.output().lock().make_room(program.chars);
        let mut sources = Sources::new(root, program.source.as_deref());
        let patience = LOADING.max(program.time);
        let loaded = debuggee.ask(call, Instant::now() + patience, program.launch(root, options));
        let deadline = Instant::now() + program.time + QUESTIONS;
        match loaded {
            Ok(_) => {
                let input = program.input.clone();
                let mut session = ProgramSession { debuggee, sources, deadline, input };
                session.give_input();
                Ok(session)
            }
            Err(Failure::Refused(failure)) => {
                let reports: Vec<Report> = failure
                    .problems
                    .iter()
                    .filter_map(|problem| Report::new(problem, &mut sources))
                    .collect();
                if reports.is_empty() {
                    let folder = format!("{}/", slashed(root.path()));
                    return Err(NotLoaded::Failed(message(&failure).replace(&folder, "")));
                }
                Err(NotLoaded::Wrong(reports))
            }
            Err(Failure::TimeIsOver) => {
                let seconds = patience.as_secs_f64();
                Err(NotLoaded::Failed(format!("the program was not loaded within {seconds} s; it was ended")))
            }
            Err(other) => Err(NotLoaded::Failed(other.text())),
        }
    }

    /// Joins a session elsewhere.
    ///
    /// # Errors
    /// A message that says why that is not possible.
    pub fn join(call: &Call, joining: &Joining) -> Result<(ProgramSession, Attached), String> {
        let (debuggee, attached) = Debuggee::join(joining)?;
        let sources = Sources::new(&call.shared.root, None);
        let deadline = Instant::now() + QUESTIONS;
        let mut session = ProgramSession { debuggee, sources, deadline, input: String::new() };
        session.learn_sources(call);
        Ok((session, attached))
    }

    /// Gets the texts of the program from its session: the files may be on another computer, or outside of the root.
    pub fn learn_sources(&mut self, call: &Call) {
        // Those of before are not those of the program any more, even if there is none now.
        self.sources.forget_files();
        let modules = self.ask(call, GetModules).unwrap_or_default();
        let own = modules.into_iter().filter(|module| module.kind != ModuleKind::Library);
        for path in own.filter_map(|module| module.path) {
            let file = path.to_string_lossy().into_owned();
            if let Ok(source) = self.ask(call, GetSource { file }) {
                self.sources.add(path, &source.text);
            }
        }
    }

    /// Gives the program its whole input, which it may read at any time.
    pub fn give_input(&mut self) {
        let input = Input { text: Some(self.input.clone()), eof: true };
        self.debuggee.send(input.into_request());
    }

    /// Asks the session.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask<Q: Question>(&mut self, call: &Call, question: Q) -> Result<Q::Answer, String> {
        self.debuggee.ask(call, self.deadline, question).map_err(|failure| failure.text())
    }

    /// Lets questions take their time from now on.
    pub fn renew(&mut self, time: Duration) {
        self.deadline = Instant::now() + time + QUESTIONS;
    }

    /// Makes the program stop at run-time errors that would end it.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn stop_at_errors(&mut self, call: &Call) -> Result<(), String> {
        self.ask(call, SetExceptionBreakpoints::new(vec![ExceptionSpec::UNCAUGHT])).map(drop)
    }

    /// Sets the breakpoints of a file, and removes others in it. Returns what has become of each.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn set_breakpoints(
        &mut self,
        call: &Call,
        file: String,
        breakpoints: Vec<(u32, BreakpointOptions)>,
    ) -> Result<Vec<Set>, String> {
        let spec = |(line, options)| LineSpec { place: LineLocation { line, column: None }, options };
        let specs = breakpoints.into_iter().map(spec).collect();
        Ok(self.ask(call, SetBreakpoints::new(file, specs))?.into_iter().map(Set::new).collect())
    }

    /// Lets the program run, with a request such as [`Request::Start`], until it stops, ends, or has run for `time`.
    ///
    /// # Errors
    /// If the request is refused, the process ends, or does not answer.
    pub fn run(&mut self, call: &Call, time: Duration, request: Request) -> Result<Stop, String> {
        let deadline = Instant::now() + time;
        let number = self.debuggee.send(request);
        match self.stop(call, deadline, number) {
            Ok(stop) => Ok(stop),
            Err(Failure::TimeIsOver) => {
                self.debuggee.send(Request::Pause);
                match self.stop(call, Instant::now() + PAUSE, number) {
                    Ok(Stop::Stopped(stop)) if stop.reason == StopReason::Pause => Ok(Stop::TimeIsOver(stop)),
                    Ok(stop) => Ok(stop),
                    Err(Failure::TimeIsOver) => Err(format!("{NO_ANSWER}; it was ended, try again")),
                    Err(other) => Err(other.text()),
                }
            }
            Err(other) => Err(other.text()),
        }
    }

    /// Waits for the stop or the end of a program that was resumed by the request with this number.
    fn stop(&mut self, call: &Call, deadline: Instant, resumed_by: RequestId) -> Result<Stop, Failure> {
        loop {
            match self.debuggee.next(call, deadline)? {
                Item::Response(of, Err(failure)) if of == resumed_by => {
                    return Err(Failure::Refused(Box::new(failure)));
                }
                Item::Event(Event::Stopped(stop)) => return Ok(Stop::Stopped(stop)),
                Item::Event(Event::Exited(exited)) => {
                    let status = exited.status;
                    self.debuggee.keep(Event::Exited(exited));
                    return Ok(Stop::Exited(status));
                }
                Item::Event(event) => self.debuggee.keep(event),
                Item::Response(..) | Item::Output { .. } | Item::Reply(_) => {}
            }
        }
    }

    /// Goes to another point in the history.
    ///
    /// # Errors
    /// Why that is not possible.
    pub fn travel(&mut self, call: &Call, to: Travel) -> Result<Box<Stopped>, String> {
        let number = self.debuggee.send(Request::Resume(Resume::Travel(to)));
        match self.stop(call, self.deadline, number) {
            Ok(Stop::Stopped(stop)) => Ok(stop),
            Ok(Stop::Exited(_) | Stop::TimeIsOver(_)) => Err("the program has ended".into()),
            Err(failure) => Err(failure.text()),
        }
    }

    /// How a statement computed.
    ///
    /// # Errors
    /// Why that is not known.
    pub fn unfold(&mut self, call: &Call, target: UnfoldTarget) -> Result<Box<Unfolded>, String> {
        Asking { call, session: self }.unfold(target, 0, false)
    }

    /// The stack of a stopped program, the innermost frame first; `true` includes the variables of the
    /// innermost frames.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn frames(&mut self, call: &Call, with_variables: bool) -> Result<Vec<Frame>, String> {
        let StackTrace { frames, .. } = self.ask(call, GetStackTrace { start: 0, count: MAX_FRAMES })?;
        let mut shown = Vec::new();
        for (index, frame) in frames.into_iter().enumerate() {
            let location = SourceLine::new(&frame.location, &mut self.sources);
            let variables = if with_variables && index < MAX_WITH_VARIABLES {
                Some(self.variables(call, index)?)
            } else {
                None
            };
            shown.push(Frame { location, function: frame.function, variables });
        }
        Ok(shown)
    }

    fn variables(&mut self, call: &Call, frame: usize) -> Result<Vec<Shown>, String> {
        let all = self.ask(call, GetVariables { frame, scope: None, limits: Limits::PREVIEW })?;
        let short = |shown: Shown| Shown { value: shown.value.map(|value| cut(&value, MAX_VALUE)), ..shown };
        Ok(all.iter().take(MAX_VARIABLES).map(|variable| short(Shown::variable(variable))).collect())
    }

    /// The run-time error that has ended the program, if one has.
    pub fn errors(&mut self) -> Vec<Report> {
        let sources = &mut self.sources;
        let errors = self.debuggee.events.iter().filter_map(|event| {
            let Event::Exited(exited) = event else { return None };
            Report::new(exited.error.as_ref()?, sources)
        });
        errors.collect()
    }

    /// The difference between the output of the program that has ended and what was expected, with all of its line.
    pub fn difference_at_end(&self) -> Option<&Difference> {
        self.debuggee.events.iter().find_map(|event| {
            let Event::Exited(exited) = event else { return None };
            exited.output.as_ref()?.difference.as_deref()
        })
    }

    /// Whether there is such an error.
    pub fn has_errors(&mut self) -> bool {
        !self.errors().is_empty()
    }

    /// The value of an expression in the innermost frame, without effects.
    pub fn value(&mut self, call: &Call, expression: &str) -> Shown {
        let question = Evaluate {
            expression: expression.into(),
            frame: 0,
            purpose: Purpose::Look,
            timeout_ms: Some(EVALUATION),
            limits: Limits::PREVIEW,
        };
        match self.ask(call, question) {
            Ok(value) => Shown::value(expression, &value),
            Err(error) => Shown::error(expression, error),
        }
    }
}
