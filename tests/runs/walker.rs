//! A client that walks through a program's history: some steps forward, all of them back, forward again, and
//! then to the end; at each stop it looks at the stack and the variables. Where it turns back it asks where
//! the variables got their values.

use std::collections::VecDeque;

use crossbeam_channel::Sender;
use ez_debugger::api::{
    ChangeCause, Event, Failure, Inspect, LastChange, LastChangeQuery, Limits, Problem, Request, RequestId,
    Response, Resume, Scope, StopReason, Travel, Variable,
};
use ez_debugger::debug::Message;

use super::client::{End, Requests};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leg {
    Forward,
    Asking,
    Back,
    Again,
    ToTheEnd,
}

/// What a stop shows: step, line, and the stack and variables as text.
type Shown = (u64, u32, String);

/// The scalar variables of the innermost frame at a stop.
struct Seen {
    step: u64,
    depth: usize,
    variables: Vec<(String, String)>,
}

impl Seen {
    fn value(&self, name: &str) -> Option<&str> {
        let mut found = self.variables.iter().filter(|variable| variable.0 == name);
        let first = found.next();
        // One that is hidden by another has the same name.
        first.filter(|_| found.next().is_none()).map(|variable| &*variable.1)
    }
}

fn scalar(variable: &Variable) -> Option<(String, String)> {
    let is_scalar = ["int", "float", "bool", "string", "char"].contains(&&*variable.held.declared_type);
    let is_own = matches!(variable.scope, Scope::Local | Scope::Parameter);
    (is_scalar && is_own).then(|| (variable.name.to_string(), format!("{:?}", variable.held.value)))
}

pub struct Walker {
    requests: Requests,
    steps: usize,
    leg: Leg,
    now: Option<(StopReason, Shown)>,
    /// What was shown on the way forward, one by one.
    passed: Vec<Shown>,
    seen: Vec<Seen>,
    /// The variables that are asked about.
    asked: VecDeque<String>,
    /// Where in it the walker is.
    at: usize,
    end: Option<(i32, Option<Problem>)>,
    told: Sender<End>,
}

impl Walker {
    pub fn new(requests: Requests, steps: usize, told: Sender<End>) -> Walker {
        let (leg, passed) = (Leg::Forward, Vec::new());
        let (seen, asked) = (Vec::new(), VecDeque::new());
        Walker { requests, steps, leg, now: None, passed, seen, asked, at: 0, end: None, told }
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
            Ok(Response::Initialized(_)) => self.requests.send(Request::Start),
            Ok(Response::StackTrace { frames, total }) => {
                let step = self.now.as_ref().map_or(0, |(_, shown)| shown.0);
                self.seen.push(Seen { step, depth: total, variables: Vec::new() });
                self.add(&format!("{frames:?}"));
            }
            Ok(Response::LastChange(change)) => return self.told_change(&change),
            Ok(Response::Variables(variables)) => {
                if let Some(seen) = self.seen.last_mut() {
                    seen.variables = variables.iter().filter_map(scalar).collect();
                }
                // Numbers are given anew at each stop.
                let shown = variables.iter().map(|v| (&v.name, &v.held.value, v.scope));
                self.add(&format!("{:?}", shown.collect::<Vec<_>>()));
                return self.looked();
            }
            Ok(Response::Terminating) => {
                let _ = self.told.send(self.end.take().ok_or("terminated too early".into()));
            }
            Ok(_) => {}
            Err(failure) => return Err(failure.message),
        }
        Ok(())
    }

    fn add(&mut self, text: &str) {
        if let Some((_, shown)) = &mut self.now {
            shown.2.push_str(text);
        }
    }

    fn event(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Stopped(stop) => {
                if let Some(text) = stop.text {
                    return Err(text);
                }
                self.now = Some((stop.reason, (stop.step, stop.location.line, String::new())));
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

    /// A stop was looked at: compares it, and goes on.
    fn looked(&mut self) -> Result<(), String> {
        let Some((reason, shown)) = self.now.take() else { return Err("no stop".into()) };
        match self.leg {
            Leg::Forward => {
                self.passed.push(shown);
                // The end and errors are no positions that a step leads to.
                let is_over = matches!(reason, StopReason::End | StopReason::Exception);
                if self.passed.len() > self.steps || is_over {
                    self.leg = Leg::Asking;
                    self.at = self.passed.len() - 1;
                    return self.ask();
                }
                self.go(Resume::StepInto);
            }
            Leg::Back => {
                self.compare(&shown)?;
                return self.back();
            }
            Leg::Again => {
                self.compare(&shown)?;
                self.again();
            }
            Leg::ToTheEnd => self.go(Resume::Continue),
            Leg::Asking => return Err("a stop that nothing led to".into()),
        }
        Ok(())
    }

    /// Asks where the variables got their values, and turns back.
    fn ask(&mut self) -> Result<(), String> {
        if let Some(now) = self.seen.last() {
            let names = now.variables.iter().map(|variable| &variable.0);
            self.asked = names.filter(|name| now.value(name).is_some()).take(4).cloned().collect();
        }
        for name in &self.asked {
            let question = LastChangeQuery { expression: name.clone(), frame: 0, limits: Limits::PREVIEW };
            self.requests.send(Request::Inspect(Inspect::LastChange(question)));
        }
        self.turn_back()
    }

    fn turn_back(&mut self) -> Result<(), String> {
        if self.asked.is_empty() {
            self.leg = Leg::Back;
            return self.back();
        }
        Ok(())
    }

    /// Compares where a variable got its value with what was seen at the stops of its call.
    fn told_change(&mut self, change: &LastChange) -> Result<(), String> {
        let name = self.asked.pop_front().ok_or("an answer to no question")?;
        let now = self.seen.last().ok_or("no stop")?;
        let value = now.value(&name).ok_or("no value")?;
        let told = change.new.as_ref().map(|new| format!("{:?}", new.value));
        if told.as_deref() != Some(value) {
            return Err(format!("{name} is {value}, not as in {change:?}"));
        }
        let call = self.seen.iter().rev().take_while(|seen| seen.depth >= now.depth);
        let mut later = now.step;
        for seen in call.filter(|seen| seen.depth == now.depth) {
            match seen.value(&name) {
                Some(same) if same == value => later = seen.step,
                Some(_) => {
                    let is_between = (seen.step..=later).contains(&change.step);
                    if !is_between || matches!(change.cause, ChangeCause::Passed) {
                        return Err(format!("between {} and {later}: {change:?}", seen.step));
                    }
                    return self.turn_back();
                }
                None => break,
            }
        }
        if change.step > later {
            return Err(format!("{name} had its value at {later}: {change:?}"));
        }
        self.turn_back()
    }

    fn compare(&self, shown: &Shown) -> Result<(), String> {
        let known = self.passed.get(self.at).ok_or("too far")?;
        if known == shown { Ok(()) } else { Err(format!("at {}:\n{known:?}\nis now\n{shown:?}", self.at)) }
    }

    fn back(&mut self) -> Result<(), String> {
        match self.at.checked_sub(1) {
            Some(before) => {
                self.at = before;
                self.go(Resume::Travel(Travel::StepBack));
            }
            None => {
                self.leg = Leg::Again;
                self.again();
            }
        }
        Ok(())
    }

    fn again(&mut self) {
        self.at += 1;
        if self.at < self.passed.len() {
            self.go(Resume::StepInto);
        } else {
            self.leg = Leg::ToTheEnd;
            self.go(Resume::Travel(Travel::GoToPresent));
        }
    }
}
