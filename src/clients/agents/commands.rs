//! The commands of SPEC.md in a session: the protocol is spoken in this process, over the connection to the session.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::debuggee::{Debuggee, Failure, NO_ANSWER, Runner};
use super::session::{PAUSE, ProgramSession};
use crate::protocol::value_text::Notation;
use crate::protocol::{FrontEnd, Messages, Pending, Received, rpc};
use ez_engine::api::{
    BreakpointId, Event, Problem, QueryAnswer, Request, RequestId, RequestNumber, Response as Answer,
    StopReason, Stopped, Variable,
};
use ez_engine::session::{Incoming, Item};

/// What a command has come to.
pub enum Outcome {
    /// The event that answers it: its data, with its name as `event`.
    Answered(Map<String, Value>),
    /// The time is over, and the run that this client had begun was paused: the same of the stop.
    TimeIsOver(Map<String, Value>),
}

/// A response of the protocol.
#[derive(Deserialize)]
struct Response {
    id: Option<u64>,
    #[serde(default)]
    result: Map<String, Value>,
    error: Option<Refusal>,
}

/// Why a command was not carried out.
#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// The protocol of a session.
pub struct Commands {
    front_end: Box<dyn FrontEnd>,
    /// The requests that are not answered: their numbers in the front end, by those in the session.
    asked: Pending<RequestNumber, RequestId>,
    /// The request of the latest command.
    sent: Option<RequestId>,
    /// Number of the latest command.
    last: u64,
    /// The latest stop.
    pub stop: Option<Box<Stopped>>,
    /// What has changed at the stops since [`Commands::carry_out`] was called.
    pub changed: Vec<Variable>,
    /// The errors of a program that could not be loaded again, since [`Commands::carry_out`] was called.
    pub problems: Vec<Problem>,
    /// Whether there is a program: none if it could not be loaded again.
    pub has_program: bool,
    /// The breakpoints of others in a joined session that the answers so far have told of: the client has read no more,
    /// whatever the session has sent.
    pub told: BTreeSet<BreakpointId>,
}

impl Commands {
    /// For a session whose program is loaded.
    pub fn new() -> Commands {
        Commands {
            front_end: rpc::in_version_2(Notation::Braces),
            asked: Pending::default(),
            sent: None,
            last: 0,
            stop: None,
            changed: Vec::new(),
            problems: Vec::new(),
            has_program: true,
            told: BTreeSet::new(),
        }
    }

    /// Carries out a command: what it has come to when it is answered, or `time` is over. Then a run that this client
    /// has begun is paused, and anything else is given up.
    ///
    /// # Errors
    /// If the command is refused or given up, or the process ends.
    pub fn carry_out(
        &mut self,
        call: &Call,
        session: &mut ProgramSession,
        time: Duration,
        command: (&str, Map<String, Value>),
    ) -> Result<Outcome, String> {
        let deadline = Instant::now() + time;
        self.changed.clear();
        self.problems.clear();
        let is_restart = command.0 == "restart";
        let first = self.send(&mut session.debuggee, command);
        if is_restart && !session.debuggee.is_joined() {
            session.give_input();
            session.sources.forget_files();
        }
        let number = self.last;
        match self.answer(call, &mut session.debuggee, deadline, number, first) {
            Ok(answer) => answer.map(Outcome::Answered),
            Err(Failure::TimeIsOver) if session.debuggee.may_pause() => self.pause(call, session, number),
            Err(Failure::TimeIsOver) => self.give_up(call, session, number),
            Err(other) => {
                self.sent.iter().for_each(|sent| session.debuggee.give_up(*sent));
                Err(other.text())
            }
        }
    }

    /// The time of a command is over: pauses the program.
    fn pause(&mut self, call: &Call, session: &mut ProgramSession, number: u64) -> Result<Outcome, String> {
        let first = self.send(&mut session.debuggee, ("pause", Map::new()));
        match self.answer(call, &mut session.debuggee, Instant::now() + PAUSE, number, first) {
            Ok(answer) => {
                let is_paused = self.stop.as_ref().is_some_and(|stop| stop.reason == StopReason::Pause);
                let answer = answer?;
                Ok(if is_paused { Outcome::TimeIsOver(answer) } else { Outcome::Answered(answer) })
            }
            Err(Failure::TimeIsOver) => {
                Err(format!("{NO_ANSWER}; try again later, or end the session with debug_stop"))
            }
            Err(other) => Err(other.text()),
        }
    }

    /// The time of a command is over in a session elsewhere, where others may let the program run: it is not to be
    /// carried out any more.
    fn give_up(&mut self, call: &Call, session: &mut ProgramSession, number: u64) -> Result<Outcome, String> {
        let debuggee = &mut session.debuggee;
        if debuggee.runner == Some(Runner::Own) {
            // It is being carried out, and may go on.
            return Err(debuggee.still_runs().unwrap_or_default());
        }
        self.sent.iter().for_each(|sent| debuggee.give_up(*sent));
        match self.answer(call, debuggee, Instant::now() + PAUSE, number, Vec::new()) {
            Ok(Ok(answer)) => Ok(Outcome::Answered(answer)),
            Ok(Err(reason)) => Err(debuggee.still_runs().unwrap_or_else(|| {
                format!("{reason}: when the time was over, the session was busy with what another client had asked; try again")
            })),
            Err(Failure::TimeIsOver) => Err(debuggee.still_runs().unwrap_or_else(|| NO_ANSWER.into())),
            Err(other) => Err(other.text()),
        }
    }

    /// Sends a command; returns the responses to those that are answered already.
    fn send(
        &mut self,
        debuggee: &mut Debuggee,
        (method, params): (&str, Map<String, Value>),
    ) -> Vec<Response> {
        self.last += 1;
        self.sent = None;
        let command = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        let mut out = Messages::default();
        for received in self.front_end.receive(format!("{command}\n").as_bytes()) {
            match received {
                Received::Message(Incoming { id, request: Ok(mut request) }) => {
                    self.say_what_is_known(debuggee, &mut request);
                    let sent = debuggee.send(request);
                    self.sent = Some(sent);
                    self.asked.insert(sent, id);
                }
                Received::Message(Incoming { id, request: Err(failure) }) => {
                    self.front_end.response(id, &Err(failure), &mut out);
                }
                Received::Reply(id) => self.front_end.reply(id, &mut out),
                Received::Cancel(_) => {}
            }
        }
        responses(&out)
    }

    /// Says with a request that replaces breakpoints of which ones of others the client knows.
    fn say_what_is_known(&self, debuggee: &Debuggee, request: &mut Request) {
        if let Request::Breakpoint(request) = request
            && let Some(others) = request.others_mut().filter(|_| debuggee.is_joined())
        {
            others.known = Some(self.told.clone());
        }
    }

    /// Passes on what has come from the session without a command.
    pub fn catch_up(&mut self, debuggee: &mut Debuggee) {
        while let Some(item) = debuggee.try_next() {
            self.pass_on(item, debuggee);
        }
    }

    /// Waits for the answer to the command with this number, or the reason why it is refused. `responses`: those that
    /// have come.
    fn answer(
        &mut self,
        call: &Call,
        debuggee: &mut Debuggee,
        deadline: Instant,
        number: u64,
        mut responses: Vec<Response>,
    ) -> Result<Result<Map<String, Value>, String>, Failure> {
        loop {
            if let Some(found) = responses.drain(..).find(|response| response.id == Some(number)) {
                return Ok(found.error.map_or(Ok(found.result), |refusal| Err(refusal.message)));
            }
            let item = debuggee.next(call, deadline)?;
            responses = self.pass_on(item, debuggee);
        }
    }

    /// Passes on what the session has sent; returns the responses that come of it.
    fn pass_on(&mut self, item: Item, debuggee: &mut Debuggee) -> Vec<Response> {
        let mut out = Messages::default();
        match item {
            Item::Response(id, result) => {
                match &result {
                    Ok(Answer::Restarted(_)) => self.has_program = true,
                    Ok(Answer::Query(QueryAnswer::State(state))) => {
                        self.told.extend(state.breakpoints.iter().map(|breakpoint| breakpoint.id));
                    }
                    Err(failure) if failure.kind.blames_program() => {
                        self.has_program = false;
                        self.problems.clone_from(&failure.problems);
                    }
                    Ok(_) | Err(_) => {}
                }
                if let Some(id) = self.asked.take(id) {
                    self.front_end.response(id, &result, &mut out);
                }
            }
            Item::Event(event) => {
                self.front_end.event(&event, &mut out);
                if let Event::Stopped(stop) = event {
                    // Another client may have loaded it again.
                    self.has_program = true;
                    if stop.by.is_some() {
                        debuggee.keep(Event::Stopped(stop.clone()));
                    }
                    self.changed.extend_from_slice(&stop.changed);
                    self.stop = Some(stop);
                } else {
                    debuggee.keep(event);
                }
            }
            Item::Output { .. } | Item::Reply(_) => {}
        }
        responses(&out)
    }
}

/// The responses among the messages for the client.
fn responses(out: &Messages) -> Vec<Response> {
    let messages = out.bytes().split(|byte| *byte == b'\n');
    let responses = messages.filter_map(|message| serde_json::from_slice::<Response>(message).ok());
    responses.filter(|response| response.id.is_some()).collect()
}
