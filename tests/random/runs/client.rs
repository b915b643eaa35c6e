//! A client of the debug engine that proceeds by itself: it is called with each message, and sends what is to
//! happen next.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;
use ez_engine::api::{
    AddWatch, BreakpointOptions, BreakpointRequest, ClearBreakpoint, Container, DataSpec, DataTarget, Done,
    Evaluate, Event, Failure, GetChildren, GetStackTrace, GetVariables, Inspect, InspectAnswer, Limits,
    LineLocation, LineSpec, Problem, Purpose, Request, RequestId, Response, Resume, SetBreakpoint,
    SetDataBreakpoints, StopReason, Variable, WatchRequest,
};
use ez_engine::debug::Message;

use super::Subject;

/// Most stops of a run; then it goes on without breakpoints.
pub const STOPS: usize = 3000;

/// How a client proceeds.
#[derive(Clone, Debug, Default)]
pub struct Way {
    pub stop_at_entry: bool,
    /// What to do at a stop: one of these.
    pub resumes: Vec<Resume>,
    /// Questions at each stop, at most.
    pub questions: usize,
    /// How many breakpoints are set before the start. More are set and cleared at stops.
    pub breakpoints: usize,
    /// Breakpoints in these lines are, too.
    pub lines: Vec<(u32, BreakpointOptions)>,
    /// The seed of pauses at random times, if there are to be any.
    pub pauses: Option<u64>,
    /// Seed of all that the client chooses.
    pub seed: u64,
    /// Takes the stops.
    pub trace: Trace,
}

/// A stop: step, file, line, number of frames.
pub type Passed = (u64, PathBuf, u32, usize);

/// How long an evaluation may take, in milliseconds: a function may be called that never ends.
const CALL_LIMIT: u32 = 50;

/// The stops of a run.
#[derive(Clone, Default)]
pub struct Trace(Arc<Mutex<Vec<Passed>>>);

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stops = self.0.lock().expect("not poisoned");
        write!(f, "{} stops, the last at {:?}", stops.len(), stops.last())
    }
}

impl Trace {
    pub fn take(&self) -> Vec<Passed> {
        std::mem::take(&mut self.0.lock().expect("not poisoned"))
    }
}

/// How a run ended, or what is wrong with it.
pub type End = Result<(i32, Option<Problem>), String>;

/// The way to the engine: numbers requests, and remembers which have not been answered.
#[derive(Clone)]
pub struct Requests {
    sender: Sender<(RequestId, Request)>,
    last: Arc<AtomicU64>,
    open: Arc<Mutex<HashSet<u64>>>,
}

impl Requests {
    pub fn new(sender: Sender<(RequestId, Request)>) -> Requests {
        Requests { sender, last: Arc::default(), open: Arc::default() }
    }

    /// Takes note of an answer.
    pub fn answered(&self, id: RequestId) -> Result<(), String> {
        match self.open.lock().expect("not poisoned").remove(&id.0) {
            true => Ok(()),
            false => Err(format!("{id:?} is no request, or was answered")),
        }
    }

    pub fn send(&self, request: Request) {
        let id = self.last.fetch_add(1, Ordering::SeqCst);
        self.open.lock().expect("not poisoned").insert(id);
        let _ = self.sender.send((RequestId(id), request));
    }
}

pub struct Client {
    requests: Requests,
    subject: Arc<Subject>,
    way: Way,
    random: fastrand::Rng,
    functions: Vec<(String, usize)>,
    stops: usize,
    end: Option<(i32, Option<Problem>)>,
    told: Sender<End>,
}

impl Client {
    pub fn new(requests: Requests, subject: Arc<Subject>, way: Way, told: Sender<End>) -> Client {
        let random = fastrand::Rng::with_seed(way.seed);
        let functions = subject.functions();
        Client { requests, subject, way, random, functions, stops: 0, end: None, told }
    }

    pub fn message(&mut self, message: Message) {
        let wrong = match message {
            Message::Response(id, result) => self.response(id, result),
            Message::Event(event) => self.event(event),
        };
        if let Err(wrong) = wrong {
            let _ = self.told.send(Err(wrong));
            self.requests.send(Request::Terminate);
        }
    }

    fn response(&mut self, id: RequestId, result: Result<Response, Failure>) -> Result<(), String> {
        if !self.requests.open.lock().expect("not poisoned").remove(&id.0) {
            return Err(format!("{result:?} answers no request, or one that was answered"));
        }
        match result {
            Ok(Response::Initialized(_)) => {
                for (line, options) in std::mem::take(&mut self.way.lines) {
                    self.set_breakpoint(line, options);
                }
                for _ in 0..self.way.breakpoints {
                    self.breakpoint();
                }
                self.requests.send(Request::Start(None));
            }
            Ok(Response::Inspect(InspectAnswer::Variables(variables))) => self.evaluate(&variables),
            Ok(Response::Done(Done::Terminating)) => {
                let end = self.end.take().ok_or("terminated too early");
                let _ = self.told.send(end.map_err(str::to_string));
            }
            Ok(_) => {}
            Err(failure) if !failure.problems.is_empty() => {
                return Err(format!("the program does not check: {:?}", failure.problems));
            }
            Err(failure) if failure.message.starts_with("Cannot step") => return Err(failure.message),
            Err(failure) if failure.message.contains("interpreter has failed") => return Err(failure.message),
            // A pause that came too late, an evaluation that failed.
            Err(_) => {}
        }
        Ok(())
    }

    fn event(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Stopped(stop) => {
                self.stops += 1;
                let at = (stop.step, stop.location.path.clone(), stop.location.line, stop.frame_count);
                self.way.trace.0.lock().expect("not poisoned").push(at);
                if stop.reason == StopReason::Pause && self.way.pauses.is_none() {
                    return Err("stops for a pause that nobody wanted".into());
                }
                self.stopped();
            }
            Event::CellEnded(_) => panic!("no cells"),
            Event::Exited(exited) => {
                self.end = Some((exited.status, exited.error));
                self.requests.send(Request::Terminate);
            }
            Event::Failed(message) => return Err(message),
            Event::WrongCondition(_)
            | Event::BreakpointsChanged { .. }
            | Event::Company(_)
            | Event::Log(_)
            | Event::WatchChanged(_)
            | Event::Progress(_)
            | Event::InputRequested(_)
            | Event::ChildStarted(_)
            | Event::ChildEnded(_)
            | Event::Terminated => {}
        }
        Ok(())
    }

    fn stopped(&mut self) {
        if self.stops == STOPS {
            for line in 0..=self.subject.lines {
                let file = self.subject.main.display().to_string();
                self.requests
                    .send(Request::Breakpoint(BreakpointRequest::Clear(ClearBreakpoint { file, line })));
            }
        }
        if self.stops >= STOPS {
            return self.requests.send(Request::Resume(Resume::Continue));
        }
        if self.way.breakpoints > 0 && self.random.u8(..) < 20 {
            self.breakpoint();
        }
        if self.way.questions > 0 && self.random.bool() {
            if self.random.u8(..) < 60 {
                self.requests
                    .send(Request::Inspect(Inspect::StackTrace(GetStackTrace { start: 0, count: 5 })));
            }
            let frame = if self.random.bool() { 0 } else { self.random.usize(0..3) };
            let limits = Limits::PREVIEW;
            self.requests.send(Request::Inspect(Inspect::Variables(GetVariables {
                frame,
                scope: None,
                limits,
            })));
            // Whether there is such a frame or not.
            if frame > 0 {
                self.requests.send(Request::Inspect(Inspect::Variables(GetVariables {
                    frame: 0,
                    scope: None,
                    limits,
                })));
            }
        }
        let resume = self.way.resumes[self.random.usize(0..self.way.resumes.len())].clone();
        self.requests.send(Request::Resume(resume));
    }

    fn set_breakpoint(&self, line: u32, options: BreakpointOptions) {
        let file = self.subject.main.display().to_string();
        let spec = LineSpec { place: LineLocation { line, column: None }, options };
        self.requests.send(Request::Breakpoint(BreakpointRequest::Set(SetBreakpoint { file, spec })));
    }

    /// Sets or clears a breakpoint somewhere.
    fn breakpoint(&mut self) {
        let line = self.random.u32(1..self.subject.lines.max(2));
        let conditions =
            ["true", "false", "fuel % 3 == 0", "fuel / (fuel - 9) > 0", "no == 1", "len(\"a\") == 1"];
        let condition = self.random.choice(conditions).filter(|_| self.random.bool()).map(str::to_string);
        if self.random.u8(0..4) > 0 {
            let options = BreakpointOptions { condition, ..self.options() };
            return self.set_breakpoint(line, options);
        }
        let file = self.subject.main.display().to_string();
        self.requests.send(Request::Breakpoint(BreakpointRequest::Clear(ClearBreakpoint { file, line })));
    }

    /// What a breakpoint does; most do nothing but stop.
    fn options(&mut self) -> BreakpointOptions {
        let hit_condition = self.random.choice(["% 3", ">= 2", "5", "< 4"]).map(str::to_string);
        let log_message = self.random.choice(["fuel is {fuel}", "{no}", "here"]).map(str::to_string);
        BreakpointOptions {
            hit_condition: hit_condition.filter(|_| self.random.u8(..) < 50),
            log_message: log_message.filter(|_| self.random.u8(..) < 50),
            ..BreakpointOptions::default()
        }
    }

    /// Evaluates what changes nothing, or is refused for what it would change.
    fn evaluate(&mut self, variables: &[Variable]) {
        self.watch(variables);
        let name = |random: &mut fastrand::Rng| match variables.is_empty() {
            true => "fuel",
            false => &variables[random.usize(0..variables.len())].name,
        };
        for _ in 0..self.random.usize(0..=self.way.questions) {
            if self.random.u8(..) < 50 && !self.functions.is_empty() {
                let (function, parameters) = &self.functions[self.random.usize(0..self.functions.len())];
                let arguments: Vec<_> = (0..*parameters).map(|_| name(&mut self.random)).collect();
                let call = format!("{function}({})", arguments.join(", "));
                self.ask_for_value(call, Purpose::Look);
                continue;
            }
            let name = name(&mut self.random);
            let forms = [
                "@",
                "{@, @}",
                "\"${@} and ${@}\"",
                "copy(@)",
                "typeof(@)",
                "len(@)",
                "@ == @",
                "{\"k\": @}",
                "@ + @",
                "@[0]",
                "@.x",
                "-@",
                "@ in {@}",
                "string(@)",
                "input()",
                "exit(2)",
                "panic(\"no\")",
                "ref(@)",
                "range(0, @)",
                "cast(@, int)",
                "arrays.reverse(@)",
                "strings.repeat(string(@), 20)",
                "random.int(100)",
                "{random.int(1, 7), random.int(@)}",
                "arrays.shuffle(copy(@))",
                "uuid.create()",
                "@ @",
            ];
            let form = self.random.choice(forms).unwrap_or("@");
            let purpose = if self.random.bool() { Purpose::Plain } else { Purpose::Look };
            self.ask_for_value(form.replace('@', name), purpose);
        }
    }

    fn ask_for_value(&mut self, expression: String, purpose: Purpose) {
        let frame = self.random.usize(0..2);
        let timeout_ms = Some(CALL_LIMIT);
        let evaluate = Evaluate { expression, frame, purpose, timeout_ms, limits: Limits::PREVIEW };
        self.requests.send(Request::Inspect(Inspect::Evaluate(evaluate)));
    }

    /// Now and then, watches a variable, unfolds a value, or stops at writes to one.
    fn watch(&mut self, variables: &[Variable]) {
        if variables.is_empty() {
            return;
        }
        let variable = &variables[self.random.usize(0..variables.len())];
        let name = variable.name.to_string();
        let request = match (self.random.u8(0..24), variable.held.handle) {
            (0, _) => Request::Watch(WatchRequest::Add(AddWatch(name))),
            (1, _) => {
                let target = DataTarget::Named { container: Container::Frame(0), name };
                let spec = DataSpec { target, options: self.options() };
                Request::Breakpoint(BreakpointRequest::SetData(SetDataBreakpoints::new(vec![spec])))
            }
            (2, _) => Request::Breakpoint(BreakpointRequest::SetData(SetDataBreakpoints::new(Vec::new()))),
            (3, Some(handle)) => {
                let name = ["[0]", "x", "[\"k\"]"][self.random.usize(0..3)].to_string();
                let options = self.options();
                let target = DataTarget::Named { container: Container::Value(handle), name };
                let spec = DataSpec { target, options };
                Request::Breakpoint(BreakpointRequest::SetData(SetDataBreakpoints::new(vec![spec])))
            }
            (4..=9, Some(handle)) => {
                let start = self.random.usize(0..3);
                Request::Inspect(Inspect::Children(GetChildren {
                    handle,
                    start,
                    count: 5,
                    limits: Limits::PREVIEW,
                }))
            }
            _ => return,
        };
        self.requests.send(request);
    }
}
