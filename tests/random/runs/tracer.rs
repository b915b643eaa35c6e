//! A client that steps through a program as `ez trace` does, looks at each stop, and compares what the statements
//! were observed to compute with what they compute when they are run again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;
use ez_engine::api::{
    Done, Event, Failure, InspectAnswer, Investigate, InvestigateAnswer, Limits, Request, RequestId,
    Response, Resume, StackTrace, StopReason, Unfold, UnfoldTarget, Unfolded,
};
use ez_engine::debug::Message;

use super::client::{End, Requests};
use super::look::{Look, Shown};

/// Most stops of a run; then it runs to its end.
const STOPS: usize = 800;

/// How much is described of each value that is observed.
pub const LIMITS: Limits = Limits { parts: 8, bytes: 60 };

/// The stops of a run.
pub type Seen = Arc<Mutex<Vec<Shown>>>;

pub struct Tracer {
    look: Look,
    seen: Seen,
    /// What was computed, by step.
    computed: BTreeMap<u64, Unfolded>,
    /// Number of statements that are unfolded at the end.
    compared: usize,
    /// The steps that are to be unfolded.
    left: Vec<u64>,
}

impl Tracer {
    /// `compared`: how many statements are run again at the end.
    pub fn new(requests: Requests, seen: Seen, compared: usize, told: Sender<End>) -> Tracer {
        Tracer {
            look: Look::new(requests, told),
            seen,
            computed: BTreeMap::new(),
            compared,
            left: Vec::new(),
        }
    }

    pub fn message(&mut self, message: Message) {
        let result = match message {
            Message::Response(id, result) => self.response(id, result),
            Message::Event(event) => self.event(event),
        };
        if let Err(wrong) = result {
            self.look.fail(wrong);
        }
    }

    fn event(&mut self, mut event: Event) -> Result<(), String> {
        if let Event::Stopped(stop) = &mut event {
            for unfolded in std::mem::take(&mut stop.computed) {
                self.computed.insert(unfolded.step, unfolded);
            }
        }
        self.look.event(event)
    }

    fn response(&mut self, id: RequestId, result: Result<Response, Failure>) -> Result<(), String> {
        self.look.requests.answered(id)?;
        match result {
            Ok(Response::Initialized(_)) => self.look.requests.send(Request::Start(None)),
            Ok(Response::Inspect(InspectAnswer::StackTrace(StackTrace { frames, .. }))) => {
                self.look.add_frames(&frames)
            }
            Ok(Response::Inspect(InspectAnswer::Variables(variables))) => {
                self.look.add_variables(&variables);
                return self.looked();
            }
            Ok(Response::Investigate(InvestigateAnswer::Unfold(unfolded))) => return self.compare(&unfolded),
            Ok(Response::Done(Done::Terminating)) => self.look.terminated(),
            Ok(_) => {}
            Err(failure) => return Err(failure.message),
        }
        Ok(())
    }

    fn looked(&mut self) -> Result<(), String> {
        let (stop, shown) = self.look.take()?;
        let mut seen = self.seen.lock().expect("not poisoned");
        seen.push(shown);
        match stop.reason {
            // A long program takes long to be run again.
            StopReason::End if self.compared > 0 && stop.step < 5000 => {
                let steps: Vec<u64> = self.computed.keys().copied().collect();
                let every = steps.len().div_ceil(self.compared).max(1);
                self.left = steps.into_iter().step_by(every).collect();
                drop(seen);
                self.unfold_next();
            }
            StopReason::End | StopReason::Exception => self.look.go(Resume::Continue),
            _ if seen.len() >= STOPS => self.look.go(Resume::Continue),
            _ => self.look.go(Resume::StepInto),
        }
        Ok(())
    }

    fn unfold_next(&self) {
        match self.left.last() {
            Some(step) => {
                let target = UnfoldTarget::Step(*step);
                let question = Unfold { target, frame: 0, limits: LIMITS, condition_steps: false };
                self.look.requests.send(Request::Investigate(Investigate::Unfold(question)));
            }
            None => self.look.go(Resume::Continue),
        }
    }

    fn compare(&mut self, again: &Unfolded) -> Result<(), String> {
        let step = self.left.pop().ok_or("not asked")?;
        let known = self.computed.get(&step).ok_or("not known")?;
        // The statement in which the program ends has not come to its end when it is observed, and a declaration without
        // a value is passed over when it is asked for.
        if again.incomplete.is_none() && again.step == step && again != known {
            return Err(format!("step {step} was observed as\n{known:#?}\nand is unfolded as\n{again:#?}"));
        }
        self.unfold_next();
        Ok(())
    }
}
