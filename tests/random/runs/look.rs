//! What the clients that go through a program's history have in common: at each stop they look at the stack
//! and the variables, and compare them with what they were.

use crossbeam_channel::Sender;
use ez_engine::api::{
    Event, Frame, GetStackTrace, GetVariables, Inspect, Limits, Problem, Request, Resume, Stopped, Travel,
    Variable,
};

use super::client::{End, Requests};

/// What a stop shows: step, line, and the stack and variables as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    pub step: u64,
    pub line: u32,
    text: String,
}

impl Shown {
    /// Compares a stop with what was shown there before.
    pub fn is_as(&self, known: Option<&Shown>) -> Result<(), String> {
        let known = known.ok_or("too far")?;
        if known == self { Ok(()) } else { Err(format!("{known:?}\nis now\n{self:?}")) }
    }
}

/// A client's looks at the stops of a run.
pub struct Look {
    pub requests: Requests,
    now: Option<(Box<Stopped>, Shown)>,
    end: Option<(i32, Option<Problem>)>,
    told: Sender<End>,
}

impl Look {
    pub fn new(requests: Requests, told: Sender<End>) -> Look {
        Look { requests, now: None, end: None, told }
    }

    /// Asks for the stack and the variables at a stop, and for the end of the session at the program's.
    pub fn event(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Stopped(stop) => {
                if let Some(text) = stop.text.as_ref().filter(|text| !text.starts_with("condition failed")) {
                    return Err(text.clone());
                }
                let (step, line) = (stop.step, stop.location.line);
                self.now = Some((stop, Shown { step, line, text: String::new() }));
                self.requests
                    .send(Request::Inspect(Inspect::StackTrace(GetStackTrace { start: 0, count: 20 })));
                let limits = Limits::PREVIEW;
                self.requests.send(Request::Inspect(Inspect::Variables(GetVariables {
                    frame: 0,
                    scope: None,
                    limits,
                })));
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

    /// The stack at the stop has been told.
    pub fn add_frames(&mut self, frames: &[Frame]) {
        self.add(&format!("{frames:?}"));
    }

    /// The variables at the stop have been told.
    pub fn add_variables(&mut self, variables: &[Variable]) {
        // Numbers are given anew at each stop.
        let shown = variables.iter().map(|v| (&v.name, &v.held.value, v.scope));
        self.add(&format!("{:?}", shown.collect::<Vec<_>>()));
    }

    fn add(&mut self, text: &str) {
        if let Some((_, shown)) = &mut self.now {
            shown.text.push_str(text);
        }
    }

    /// The step of the stop; 0 if there is none.
    pub fn step(&self) -> u64 {
        self.now.as_ref().map_or(0, |(_, shown)| shown.step)
    }

    /// Whether the stop is at a call that has returned.
    pub fn is_after_return(&self) -> bool {
        self.now.as_ref().and_then(|(stop, _)| stop.moment.as_ref()).is_some_and(|moment| moment.after_return)
    }

    /// The stop that was looked at.
    pub fn take(&mut self) -> Result<(Box<Stopped>, Shown), String> {
        self.now.take().ok_or("no stop".into())
    }

    pub fn go(&self, how: Resume) {
        self.requests.send(Request::Resume(how));
    }

    pub fn travel(&self, travel: Travel) {
        self.go(Resume::Travel(travel));
    }

    /// The session is over: tells how the program ended.
    pub fn terminated(&mut self) {
        let _ = self.told.send(self.end.take().ok_or("terminated too early".into()));
    }

    /// Tells what is wrong, and ends the session.
    pub fn fail(&self, wrong: String) {
        let _ = self.told.send(Err(wrong));
        self.requests.send(Request::Terminate);
    }
}
