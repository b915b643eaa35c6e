//! A client that runs a program to its end and comes back: from breakpoint to breakpoint, forward again over
//! the same ones, then some steps back from the end and forward again. At each stop it looks at the stack and
//! the variables, which must be what they were.

use crossbeam_channel::Sender;
use ez_debugger::api::{
    BreakpointOptions, BreakpointRequest, Container, DataSpec, DataTarget, Event, ExceptionFilter,
    ExceptionSpec, Failure, Inspect, Limits, LinePlace, LineSpec, Problem, Request, RequestId, Response,
    Resume, StopReason, Stopped, Travel, Variable,
};
use ez_debugger::debug::Message;

use super::client::{End, Requests};

/// Where a client stops, and how far it goes back.
#[derive(Clone, Debug, Default)]
pub struct Return {
    /// The main file.
    pub file: String,
    /// Lines with a breakpoint, and its condition.
    pub breakpoints: Vec<(u32, Option<String>)>,
    /// Whether the program stops at `Error` values.
    pub errors: bool,
    /// Which variable of the first stop is watched for writes, counted round.
    pub watched: Option<usize>,
    /// How many stops there are at most before it turns back.
    pub stops: usize,
    /// How many steps back are made from the end.
    pub steps: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leg {
    ToTheEnd,
    HitsBack,
    HitsAgain,
    StepsBack,
    StepsAgain,
    Leaving,
}

/// What a stop shows: step, line, whether it is in the past, and the stack and variables as text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shown {
    step: u64,
    line: u32,
    text: String,
}

pub struct Returner {
    requests: Requests,
    plan: Return,
    leg: Leg,
    now: Option<(Box<Stopped>, Shown)>,
    /// The stops on the way to the end.
    hits: Vec<Shown>,
    /// The stops of steps back from the end.
    steps: Vec<Shown>,
    /// How many of them are still to come.
    left: usize,
    end: Option<(i32, Option<Problem>)>,
    told: Sender<End>,
}

impl Returner {
    pub fn new(requests: Requests, plan: Return, told: Sender<End>) -> Returner {
        let (hits, steps) = (Vec::new(), Vec::new());
        Returner { requests, plan, leg: Leg::ToTheEnd, now: None, hits, steps, left: 0, end: None, told }
    }

    pub fn message(&mut self, message: Message) {
        let result = match message {
            Message::Response(id, result) => self.response(id, result),
            Message::Event(event) => self.event(event),
        };
        if let Err(wrong) = result {
            let _ = self.told.send(Err(format!("{:?}: {wrong}", self.leg)));
            self.requests.send(Request::Terminate);
        }
    }

    fn response(&mut self, id: RequestId, result: Result<Response, Failure>) -> Result<(), String> {
        self.requests.answered(id)?;
        match result {
            Ok(Response::Initialized(_)) => {
                self.set_breakpoints();
                self.requests.send(Request::Start);
            }
            Ok(Response::StackTrace { frames, .. }) => self.add(&format!("{frames:?}")),
            Ok(Response::Variables(variables)) => {
                // Numbers are given anew at each stop.
                let shown = variables.iter().map(|v| (&v.name, &v.held.value, v.scope));
                self.add(&format!("{:?}", shown.collect::<Vec<_>>()));
                self.watch(&variables);
                return self.looked();
            }
            Ok(Response::Terminating) => {
                let _ = self.told.send(self.end.take().ok_or("terminated too early".into()));
            }
            // A breakpoint that is refused.
            Err(_) if self.leg == Leg::ToTheEnd => {}
            Ok(_) => {}
            Err(failure) => return Err(failure.message),
        }
        Ok(())
    }

    fn set_breakpoints(&self) {
        for (line, condition) in &self.plan.breakpoints {
            let place = LinePlace { line: *line, column: None };
            let options = BreakpointOptions { condition: condition.clone(), ..BreakpointOptions::default() };
            let (file, spec) = (self.plan.file.clone(), LineSpec { place, options });
            self.requests.send(Request::Breakpoint(BreakpointRequest::Set { file, spec }));
        }
        if self.plan.errors {
            let all = ExceptionSpec { filter: ExceptionFilter::ErrorValue, condition: None };
            self.requests.send(Request::Breakpoint(BreakpointRequest::SetExceptions(vec![all])));
        }
    }

    fn clear_breakpoints(&self) {
        for (line, _) in &self.plan.breakpoints {
            let (file, line) = (self.plan.file.clone(), *line);
            self.requests.send(Request::Breakpoint(BreakpointRequest::Clear { file, line }));
        }
        self.requests.send(Request::Breakpoint(BreakpointRequest::SetExceptions(Vec::new())));
        self.requests.send(Request::Breakpoint(BreakpointRequest::SetData(Vec::new())));
    }

    /// Watches a variable of the first stop.
    fn watch(&mut self, variables: &[Variable]) {
        let Some(index) = self.plan.watched.take() else { return };
        if let Some(variable) = variables.get(index % variables.len().max(1)) {
            let (container, name) = (Container::Frame(0), variable.name.to_string());
            let target = DataTarget::Named { container, name };
            let spec = DataSpec { target, options: BreakpointOptions::default() };
            self.requests.send(Request::Breakpoint(BreakpointRequest::SetData(vec![spec])));
        }
    }

    fn add(&mut self, text: &str) {
        if let Some((_, shown)) = &mut self.now {
            shown.text.push_str(text);
        }
    }

    fn event(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Stopped(stop) => {
                if let Some(text) = stop.text {
                    return Err(text);
                }
                let (step, line) = (stop.step, stop.location.line);
                self.now = Some((stop, Shown { step, line, text: String::new() }));
                self.requests.send(Request::Inspect(Inspect::StackTrace { start: 0, count: 20 }));
                let limits = Limits::PREVIEW;
                self.requests.send(Request::Inspect(Inspect::Variables { frame: 0, scope: None, limits }));
            }
            Event::Exited(exited) => {
                self.end = Some((exited.status, exited.error));
                self.requests.send(Request::Terminate);
            }
            Event::Failed(message) => return Err(message),
            _ => {}
        }
        Ok(())
    }

    fn go(&self, how: Resume) {
        self.requests.send(Request::Resume(how));
    }

    fn travel(&self, travel: Travel) {
        self.go(Resume::Travel(travel));
    }

    /// A stop was looked at: compares it, and goes on.
    fn looked(&mut self) -> Result<(), String> {
        let Some((stop, shown)) = self.now.take() else { return Err("no stop".into()) };
        match self.leg {
            Leg::ToTheEnd => {
                self.hits.push(shown);
                if is_over(&stop) || self.hits.len() > self.plan.stops {
                    self.left = self.hits.len() - 1;
                    self.leg = Leg::HitsBack;
                    return self.hits_back();
                }
                self.go(Resume::Continue);
            }
            Leg::HitsBack => {
                if !self.is_before_watch(&stop) {
                    same(self.hits.get(self.left), &shown)?;
                }
                return self.hits_back();
            }
            Leg::HitsAgain if self.is_before_watch(&stop) => self.go(Resume::Continue),
            Leg::HitsAgain => {
                same(self.hits.get(self.left), &shown)?;
                self.hits_again();
            }
            Leg::StepsBack => {
                let is_new = self.steps.last().is_none_or(|last| *last != shown);
                if is_new && self.steps.len() <= self.plan.steps {
                    self.steps.push(shown);
                    self.travel(Travel::StepBack);
                } else {
                    // Where there is nothing before, it stays.
                    self.left = self.steps.len() - 1;
                    self.leg = Leg::StepsAgain;
                    match is_new {
                        true => self.go(Resume::StepInto),
                        false => self.steps_again(),
                    }
                }
            }
            Leg::StepsAgain => {
                same(self.steps.get(self.left), &shown)?;
                self.steps_again();
            }
            Leg::Leaving => self.go(Resume::Continue),
        }
        Ok(())
    }

    /// Whether this is a write that was made before it was watched, which is told in the past only.
    fn is_before_watch(&self, stop: &Stopped) -> bool {
        matches!(stop.reason, StopReason::DataBreakpoint(_)) && stop.step <= self.hits[0].step
    }

    fn hits_back(&mut self) -> Result<(), String> {
        match self.left.checked_sub(1) {
            Some(before) => {
                self.left = before;
                self.travel(Travel::ReverseContinue);
            }
            None => {
                self.leg = Leg::HitsAgain;
                self.hits_again();
            }
        }
        Ok(())
    }

    fn hits_again(&mut self) {
        self.left += 1;
        if self.left < self.hits.len() {
            return self.go(Resume::Continue);
        }
        self.leg = Leg::StepsBack;
        self.clear_breakpoints();
        self.steps.extend(self.hits.last().cloned());
        self.travel(Travel::StepBack);
    }

    fn steps_again(&mut self) {
        match self.left.checked_sub(1) {
            Some(next) => {
                self.left = next;
                self.go(Resume::StepInto);
            }
            None => {
                self.leg = Leg::Leaving;
                self.travel(Travel::GoToPresent);
            }
        }
    }
}

/// Whether the program ends here, or has failed.
fn is_over(stop: &Stopped) -> bool {
    let has_failed = stop.raised.as_ref().is_some_and(|raised| raised.filter == ExceptionFilter::Uncaught);
    has_failed || stop.reason == StopReason::End
}

fn same(known: Option<&Shown>, shown: &Shown) -> Result<(), String> {
    let known = known.ok_or("too far")?;
    if known == shown { Ok(()) } else { Err(format!("{known:?}\nis now\n{shown:?}")) }
}
