//! A client that walks through a program's history: some steps forward, all of them back, forward again, and
//! then to the end; at each stop it looks at the stack and the variables.

use crossbeam_channel::Sender;
use ez_debugger::api::{
    Event, Failure, Inspect, Limits, Problem, Request, RequestId, Response, Resume, StopReason, Travel,
};
use ez_debugger::debug::Message;

use super::client::{End, Requests};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leg {
    Forward,
    Back,
    Again,
    ToTheEnd,
}

/// What a stop shows: step, line, and the stack and variables as text.
type Shown = (u64, u32, String);

pub struct Walker {
    requests: Requests,
    steps: usize,
    leg: Leg,
    now: Option<(StopReason, Shown)>,
    /// What was shown on the way forward, one by one.
    passed: Vec<Shown>,
    /// Where in it the walker is.
    at: usize,
    end: Option<(i32, Option<Problem>)>,
    told: Sender<End>,
}

impl Walker {
    pub fn new(requests: Requests, steps: usize, told: Sender<End>) -> Walker {
        let (leg, passed) = (Leg::Forward, Vec::new());
        Walker { requests, steps, leg, now: None, passed, at: 0, end: None, told }
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
            Ok(Response::StackTrace { frames, .. }) => self.add(&format!("{frames:?}")),
            Ok(Response::Variables(variables)) => {
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
                    self.leg = Leg::Back;
                    self.at = self.passed.len() - 1;
                    return self.back();
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
        }
        Ok(())
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
