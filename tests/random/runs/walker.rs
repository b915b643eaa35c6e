//! A client that walks through a program's history: some steps forward, all of them back, forward again, and
//! then to the end; at each stop it looks at the stack and the variables. Where it turns back it asks where
//! the variables got their values, and what was written to them and to their parts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crossbeam_channel::Sender;
use ez_engine::api::{
    ChangeCause, Done, Failure, GetChanges, InspectAnswer, Investigate, InvestigateAnswer, LastChange,
    LastChangeQuery, Limits, Request, RequestId, Response, Resume, Scope, StackTrace, StopReason, Travel,
    Unfold, UnfoldTarget, Variable,
};
use ez_engine::debug::Message;

use super::client::{End, Requests};
use super::declarations;
use super::look::{Look, Shown};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leg {
    Forward,
    Asking,
    Back,
    Again,
    ToTheEnd,
}

/// The scalar variables of the innermost frame at a stop.
struct Seen {
    step: u64,
    /// The step before which the statement in progress there had not begun: at a return that of an earlier stop.
    statement: u64,
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

/// The answers to questions about changes, to compare those that were found in different ways.
pub type Answers = Arc<Mutex<Vec<String>>>;

pub struct Walker {
    look: Look,
    steps: usize,
    leg: Leg,
    /// What was shown on the way forward, one by one.
    passed: Vec<Shown>,
    seen: Vec<Seen>,
    /// The names of all variables of the last stop.
    names: Vec<String>,
    /// The variables that are asked about.
    asked: VecDeque<String>,
    /// Number of further questions that are not answered yet.
    open: usize,
    answers: Answers,
    /// The files: of variables with one name, one may hide another, whose value then seems to change.
    texts: Vec<String>,
    /// Where among the stops the walker is.
    at: usize,
}

impl Walker {
    /// `texts` are those of the program's files.
    pub fn new(
        requests: Requests,
        steps: usize,
        texts: Vec<String>,
        answers: Answers,
        told: Sender<End>,
    ) -> Walker {
        let (leg, passed) = (Leg::Forward, Vec::new());
        let (seen, names, asked) = (Vec::new(), Vec::new(), VecDeque::new());
        let look = Look::new(requests, told);
        Walker { look, steps, leg, passed, seen, names, asked, open: 0, answers, texts, at: 0 }
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
            Ok(Response::Initialized(_)) => self.look.requests.send(Request::Start(None)),
            Ok(Response::Inspect(InspectAnswer::StackTrace(StackTrace { frames, total }))) => {
                let (step, after_return) = (self.look.step(), self.look.is_after_return());
                let earlier = self.seen.iter().rev().find(|seen| seen.depth <= total);
                let earlier = earlier.filter(|_| after_return).map(|seen| seen.statement);
                let statement = earlier.unwrap_or(if after_return { 0 } else { step });
                self.seen.push(Seen { step, statement, depth: total, variables: Vec::new() });
                self.look.add_frames(&frames);
            }
            Ok(Response::Investigate(InvestigateAnswer::LastChange(change))) => {
                return self.told_change(&change);
            }
            Ok(Response::Investigate(InvestigateAnswer::Changes(changes))) => {
                return self.told(format!("{changes:?}"));
            }
            Ok(Response::Investigate(InvestigateAnswer::Unfold(unfolded))) => {
                return self.told(format!("{unfolded:?}"));
            }
            Ok(Response::Inspect(InspectAnswer::Variables(variables))) => {
                self.names = variables.iter().map(|variable| variable.name.to_string()).collect();
                if let Some(seen) = self.seen.last_mut() {
                    seen.variables = variables.iter().filter_map(scalar).collect();
                }
                self.look.add_variables(&variables);
                return self.looked();
            }
            Ok(Response::Done(Done::Terminating)) => self.look.terminated(),
            Ok(_) => {}
            // Not every variable has such a part, and not every call such a statement.
            Err(failure) if self.asked.is_empty() && self.open > 0 => {
                return self.told(failure.message);
            }
            Err(failure) => return Err(failure.message),
        }
        Ok(())
    }

    /// A stop was looked at: compares it, and goes on.
    fn looked(&mut self) -> Result<(), String> {
        let step = self.look.step();
        let (stop, shown) = self.look.take()?;
        match self.leg {
            Leg::Forward => {
                self.passed.push(shown);
                // The end and errors are no positions that a step leads to.
                let is_over = matches!(stop.reason, StopReason::End | StopReason::Exception);
                if self.passed.len() > self.steps || is_over {
                    self.leg = Leg::Asking;
                    self.at = self.passed.len() - 1;
                    return self.ask(step);
                }
                self.look.go(Resume::StepInto);
            }
            Leg::Back => {
                self.compare(&shown)?;
                return self.back();
            }
            Leg::Again => {
                self.compare(&shown)?;
                self.again();
            }
            Leg::ToTheEnd => self.look.go(Resume::Continue),
            Leg::Asking => return Err("a stop that nothing led to".into()),
        }
        Ok(())
    }

    /// Asks where the variables got their values, and turns back.
    fn ask(&mut self, step: u64) -> Result<(), String> {
        if let Some(now) = self.seen.last() {
            let names = now.variables.iter().map(|variable| &variable.0);
            let is_one = |name: &str| self.texts.iter().all(|text| declarations(text, name) < 2);
            let known = names.filter(|name| now.value(name).is_some() && is_one(name));
            self.asked = known.take(4).cloned().collect();
        }
        for name in &self.asked {
            let question = LastChangeQuery { expression: name.clone(), frame: 0, limits: Limits::PREVIEW };
            self.look.requests.send(Request::Investigate(Investigate::LastChange(question)));
        }
        for name in self.names.iter().take(6) {
            let element = format!("{name}[0]");
            for (expression, count, before) in [
                (name, 1000, None),
                (name, 1, None),
                (name, 2, Some(step / 2)),
                (&element, 1, None),
                (&element, 3, Some(step / 2)),
            ] {
                let (expression, limits) = (expression.clone(), Limits::PREVIEW);
                let question = GetChanges { expression, frame: 0, before, count, limits };
                self.look.requests.send(Request::Investigate(Investigate::Changes(question)));
                self.open += 1;
            }
        }
        for frame in 0..3 {
            let (target, limits) = (UnfoldTarget::Last, Limits::PREVIEW);
            let question = Unfold { target, frame, limits, condition_steps: true };
            self.look.requests.send(Request::Investigate(Investigate::Unfold(question)));
            self.open += 1;
        }
        self.turn_back()
    }

    fn told(&mut self, answer: String) -> Result<(), String> {
        self.open -= 1;
        self.answers.lock().expect("not poisoned").push(answer);
        self.turn_back()
    }

    fn turn_back(&mut self) -> Result<(), String> {
        if self.asked.is_empty() && self.open == 0 {
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
                    let is_between = (seen.statement..=later).contains(&change.step);
                    if !is_between || matches!(change.cause, ChangeCause::Passed) {
                        return Err(format!("between {} and {later}: {change:?}", seen.statement));
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
        shown.is_as(self.passed.get(self.at)).map_err(|wrong| format!("at {}:\n{wrong}", self.at))
    }

    fn back(&mut self) -> Result<(), String> {
        match self.at.checked_sub(1) {
            Some(before) => {
                self.at = before;
                self.look.travel(Travel::StepBack);
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
            self.look.go(Resume::StepInto);
        } else {
            self.leg = Leg::ToTheEnd;
            self.look.travel(Travel::GoToPresent);
        }
    }
}
