//! A client that runs a program to its end and comes back: from breakpoint to breakpoint, forward again over
//! the same ones, then some steps back from the end and forward again. At each stop it looks at the stack and
//! the variables, which must be what they were.

use crossbeam_channel::Sender;
use ez_engine::api::{
    BreakpointOptions, BreakpointRequest, ClearBreakpoint, Container, DataSpec, DataTarget, Done,
    ExceptionFilter, ExceptionSpec, Failure, InspectAnswer, LineLocation, LineSpec, Request, RequestId,
    Response, Resume, SetBreakpoint, SetDataBreakpoints, SetExceptionBreakpoints, StackTrace, StopReason,
    Stopped, Travel, Variable,
};
use ez_engine::debug::Message;

use super::client::{End, Requests};
use super::look::{Look, Shown};

/// Where a client stops, and how far it goes back.
#[derive(Clone, Debug, Default)]
pub struct Return {
    /// The main file.
    pub file: String,
    /// Lines with a breakpoint, its condition and hit condition.
    pub breakpoints: Vec<(u32, Option<String>, Option<String>)>,
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

pub struct Returner {
    look: Look,
    plan: Return,
    leg: Leg,
    /// The stops on the way to the end.
    hits: Vec<Shown>,
    /// The numbers of hits told at these, and why a condition failed.
    told: Vec<(Option<u32>, Option<String>)>,
    /// The stops of steps back from the end.
    steps: Vec<Shown>,
    /// How many of them are still to come.
    left: usize,
}

impl Returner {
    pub fn new(requests: Requests, plan: Return, told: Sender<End>) -> Returner {
        let look = Look::new(requests, told);
        let (hits, told, steps) = (Vec::new(), Vec::new(), Vec::new());
        Returner { look, plan, leg: Leg::ToTheEnd, hits, told, steps, left: 0 }
    }

    pub fn message(&mut self, message: Message) {
        let result = match message {
            Message::Response(id, result) => self.response(id, result),
            Message::Event(event) => self.look.event(event),
        };
        if let Err(wrong) = result {
            self.look.fail(format!("{:?}: {wrong}", self.leg));
        }
    }

    fn response(&mut self, id: RequestId, result: Result<Response, Failure>) -> Result<(), String> {
        self.look.requests.answered(id)?;
        match result {
            Ok(Response::Initialized(_)) => {
                self.set_breakpoints();
                self.look.requests.send(Request::Start(None));
            }
            Ok(Response::Inspect(InspectAnswer::StackTrace(StackTrace { frames, .. }))) => {
                self.look.add_frames(&frames)
            }
            Ok(Response::Inspect(InspectAnswer::Variables(variables))) => {
                self.look.add_variables(&variables);
                self.watch(&variables);
                return self.looked();
            }
            Ok(Response::Done(Done::Terminating)) => self.look.terminated(),
            // A breakpoint that is refused.
            Err(_) if self.leg == Leg::ToTheEnd => {}
            Ok(_) => {}
            Err(failure) => return Err(failure.message),
        }
        Ok(())
    }

    fn set_breakpoints(&self) {
        for (line, condition, hit_condition) in &self.plan.breakpoints {
            let place = LineLocation { line: *line, column: None };
            let options = BreakpointOptions {
                condition: condition.clone(),
                hit_condition: hit_condition.clone(),
                ..BreakpointOptions::default()
            };
            let (file, spec) = (self.plan.file.clone(), LineSpec { place, options });
            self.look
                .requests
                .send(Request::Breakpoint(BreakpointRequest::Set(SetBreakpoint { file, spec })));
        }
        if self.plan.errors {
            let all = ExceptionSpec { filter: ExceptionFilter::ErrorValue, condition: None };
            self.look.requests.send(Request::Breakpoint(BreakpointRequest::SetExceptions(
                SetExceptionBreakpoints::new(vec![all]),
            )));
        }
    }

    fn clear_breakpoints(&self) {
        for (line, ..) in &self.plan.breakpoints {
            let (file, line) = (self.plan.file.clone(), *line);
            self.look
                .requests
                .send(Request::Breakpoint(BreakpointRequest::Clear(ClearBreakpoint { file, line })));
        }
        self.look.requests.send(Request::Breakpoint(BreakpointRequest::SetExceptions(
            SetExceptionBreakpoints::new(Vec::new()),
        )));
        self.look
            .requests
            .send(Request::Breakpoint(BreakpointRequest::SetData(SetDataBreakpoints::new(Vec::new()))));
    }

    /// Watches a variable of the first stop.
    fn watch(&mut self, variables: &[Variable]) {
        let Some(index) = self.plan.watched.take() else { return };
        if let Some(variable) = variables.get(index % variables.len().max(1)) {
            let (container, name) = (Container::Frame(0), variable.name.to_string());
            let target = DataTarget::Named { container, name };
            let spec = DataSpec { target, options: BreakpointOptions::default() };
            self.look
                .requests
                .send(Request::Breakpoint(BreakpointRequest::SetData(SetDataBreakpoints::new(vec![spec]))));
        }
    }

    /// A stop was looked at: compares it, and goes on.
    fn looked(&mut self) -> Result<(), String> {
        let (stop, shown) = self.look.take()?;
        match self.leg {
            // After hits in initialisers; going back, it is no hit.
            Leg::ToTheEnd | Leg::HitsAgain if stop.reason == StopReason::Entry && !self.hits.is_empty() => {
                self.look.go(Resume::Continue);
            }
            Leg::ToTheEnd => {
                self.hits.push(shown);
                self.told.push((stop.hits, stop.text.clone()));
                if is_over(&stop) || self.hits.len() > self.plan.stops {
                    self.left = self.hits.len() - 1;
                    self.leg = Leg::HitsBack;
                    return self.hits_back();
                }
                self.look.go(Resume::Continue);
            }
            Leg::HitsBack => {
                if !self.is_before_watch(&stop) {
                    shown.is_as(self.hits.get(self.left))?;
                    self.tells_the_same(&stop)?;
                }
                return self.hits_back();
            }
            Leg::HitsAgain if self.is_before_watch(&stop) => self.look.go(Resume::Continue),
            Leg::HitsAgain => {
                shown.is_as(self.hits.get(self.left))?;
                self.tells_the_same(&stop)?;
                self.hits_again();
            }
            Leg::StepsBack => {
                let is_new = self.steps.last().is_none_or(|last| *last != shown);
                if is_new && self.steps.len() <= self.plan.steps {
                    self.steps.push(shown);
                    self.look.travel(Travel::StepBack);
                } else {
                    // Where there is nothing before, it stays.
                    self.left = self.steps.len() - 1;
                    self.leg = Leg::StepsAgain;
                    match is_new {
                        true => self.look.go(Resume::StepInto),
                        false => self.steps_again(),
                    }
                }
            }
            Leg::StepsAgain => {
                shown.is_as(self.steps.get(self.left))?;
                self.steps_again();
            }
            Leg::Leaving => self.look.go(Resume::Continue),
        }
        Ok(())
    }

    /// Whether this is a write that was made before it was watched, which is told in the past only.
    fn is_before_watch(&self, stop: &Stopped) -> bool {
        matches!(stop.reason, StopReason::DataBreakpoint(_)) && stop.step <= self.hits[0].step
    }

    /// Checks the number of hits told at a stop, and why a condition failed; the number of a data breakpoint is of all writes
    /// in the past, and of those after it was set in the present.
    fn tells_the_same(&self, stop: &Stopped) -> Result<(), String> {
        let told = (stop.hits, stop.text.clone());
        match stop.reason {
            StopReason::Breakpoint(_) if self.told.get(self.left) != Some(&told) => {
                Err(format!("{:?} became {told:?} at step {}", self.told.get(self.left), stop.step))
            }
            _ => Ok(()),
        }
    }

    fn hits_back(&mut self) -> Result<(), String> {
        match self.left.checked_sub(1) {
            Some(before) => {
                self.left = before;
                self.look.travel(Travel::ReverseContinue);
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
            return self.look.go(Resume::Continue);
        }
        self.leg = Leg::StepsBack;
        self.clear_breakpoints();
        self.steps.extend(self.hits.last().cloned());
        self.look.travel(Travel::StepBack);
    }

    fn steps_again(&mut self) {
        match self.left.checked_sub(1) {
            Some(next) => {
                self.left = next;
                self.look.go(Resume::StepInto);
            }
            None => {
                self.leg = Leg::Leaving;
                self.look.travel(Travel::GoToPresent);
            }
        }
    }
}

/// Whether the program ends here, or has failed.
fn is_over(stop: &Stopped) -> bool {
    let has_failed = stop.raised.as_ref().is_some_and(|raised| raised.filter == ExceptionFilter::Uncaught);
    has_failed || stop.reason == StopReason::End
}
