//! Tests of the state machine, with an engine whose messages are part of the test.

mod children;
mod clients;
mod ending;
mod guests;
mod order;
mod random;
mod random_guests;
mod turns;

use super::fuzz::{empty_state, evaluate};
use super::*;
use crate::api::{
    Breakpoint, BreakpointId, BreakpointLocation, BreakpointRequest, CellStarted, Children, ClearBreakpoint,
    Done, Evaluate, Exited, FailureKind, GetChildren, GetModules, GetStackTrace, GetVariables, GetWatches,
    Initialized, Inspect, KILLED, Launch, Limits, LineSpec, Location, Purpose, Question, Restarted, Resume,
    SessionRequest, SetBreakpoint, StackTrace, StopReason, Stopped,
};
use crate::debug::Message;

/// A machine with requests numbered from 1, and a clock that the test controls.
struct Play {
    machine: Machine,
    now: Duration,
    last: u64,
}

fn stop(reason: StopReason) -> Event {
    let location = Location { path: "/a.ez".into(), line: 1, column: 1 };
    Event::Stopped(Box::new(Stopped::new(reason, location)))
}

fn end(status: i32) -> Event {
    Event::Exited(Box::new(Exited::with_status(status)))
}

fn initialize() -> Request {
    Request::Initialize(Box::default())
}

fn breakpoint(line: u32) -> Request {
    Request::Breakpoint(BreakpointRequest::Set(SetBreakpoint {
        file: "a.ez".into(),
        spec: LineSpec::from(line),
    }))
}

const STACK: Request = Request::Inspect(Inspect::StackTrace(GetStackTrace { start: 0, count: 1 }));
const INTO: Request = Request::Resume(Resume::StepInto);
const CONTINUE: Request = Request::Resume(Resume::Continue);

/// The response of a well-behaved engine.
fn answer(request: &Request) -> Result<Response, Failure> {
    Ok(match request {
        Request::Initialize(_) => {
            Response::Initialized(Initialized { file: "a.ez".into(), warnings: vec![] })
        }
        Request::Start(_) => Response::Done(Done::Started),
        Request::RunCell(_) => Response::CellStarted(CellStarted::default()),
        Request::SetDebugging(_) => Response::Done(Done::DebuggingSet),
        Request::SetExpectedOutput(_) => Response::Done(Done::OutputExpected),
        Request::Resume(_) => Response::Done(Done::Resumed),
        Request::Pause => Response::Done(Done::Pausing),
        Request::Kill => Response::Done(Done::Killed),
        Request::Detach => Response::Done(Done::Detached),
        Request::Terminate => Response::Done(Done::Terminating),
        Request::Session(SessionRequest::Input { .. }) => Response::Done(Done::InputTaken),
        Request::Session(_) => panic!("the session carries it out"),
        Request::Restart(_) => {
            Response::Restarted(Restarted(Initialized { file: "a.ez".into(), warnings: vec![] }))
        }
        Request::Breakpoint(BreakpointRequest::Set(SetBreakpoint { file, spec })) => {
            SetBreakpoint::response(Breakpoint {
                id: BreakpointId(1),
                place: BreakpointLocation::Line {
                    file: file.clone(),
                    path: "/a.ez".into(),
                    place: spec.place,
                },
                options: spec.options.clone(),
                verified: false,
                location: None,
                hits: Some(0),
                message: None,
            })
        }
        Request::Breakpoint(_) => ClearBreakpoint::response(()),
        Request::Watch(_) => GetWatches::response(vec![]),
        Request::Query(_) => GetModules::response(vec![]),
        Request::Inspect(Inspect::Variables(_)) => GetVariables::response(vec![]),
        Request::Inspect(Inspect::Children(_)) => {
            GetChildren::response(Children { children: vec![], total: 0 })
        }
        Request::Inspect(Inspect::StackTrace(_)) => {
            GetStackTrace::response(StackTrace { frames: vec![], total: 0 })
        }
        Request::Inspect(_) | Request::Investigate(_) => {
            return Err(Failure::new(FailureKind::Evaluation, "no value"));
        }
    })
}

impl Play {
    fn new() -> Play {
        Play {
            machine: Machine::new(Lifetime::OneClient { linger: Duration::from_secs(1) }),
            now: Duration::ZERO,
            last: 0,
        }
    }

    /// In a session whose program runs.
    fn running() -> Play {
        let mut play = Play::new();
        play.send([initialize()]);
        play.answer();
        play.send([Request::Start(None)]);
        play.answer();
        play.told();
        play
    }

    fn stopped() -> Play {
        let mut play = Play::running();
        play.tell(stop(StopReason::Entry));
        play.told();
        play
    }

    fn send(&mut self, requests: impl IntoIterator<Item = Request>) {
        for request in requests {
            self.last += 1;
            let incoming = Incoming { id: RequestId(self.last), request: Ok(request) };
            self.machine.receive(incoming, self.now);
        }
    }

    fn send_nonsense(&mut self) {
        self.last += 1;
        let request = Err(Failure::new(FailureKind::BadRequest, "nonsense"));
        self.machine.receive(Incoming { id: RequestId(self.last), request }, self.now);
    }

    fn tell(&mut self, event: Event) {
        self.machine.engine(Message::Event(event), self.now);
    }

    /// Lets the engine answer its oldest request.
    fn answer(&mut self) {
        let Some(PendingRequest { id, request }) = self.machine.asked.front() else {
            panic!("nothing was asked")
        };
        let message = Message::Response(*id, answer(request));
        self.machine.engine(message, self.now);
    }

    fn answer_all(&mut self) {
        while !self.machine.asked.is_empty() {
            self.answer();
        }
    }

    /// Advances the clock and fires the timer.
    fn pass(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.machine.timer(self.now);
    }

    /// Takes the machine's actions, as short texts.
    fn told(&mut self) -> Vec<String> {
        let text = |action| match action {
            Action::Respond(id, Ok(Response::Done(done))) => format!("{} ok {done:?}", id.0),
            Action::Respond(id, Ok(Response::Inspect(answer))) => format!("{} ok {answer:?}", id.0),
            Action::Respond(id, Ok(Response::Breakpoint(answer))) => {
                format!("{} ok Breakpoint{answer:?}", id.0)
            }
            Action::Respond(id, Ok(response)) => format!("{} ok {response:?}", id.0),
            Action::Respond(id, Err(failure)) => format!("{} {}", id.0, failure.message),
            Action::Tell(Event::Stopped(stopped)) => format!("stopped {:?}", stopped.reason),
            Action::Tell(Event::Exited(exited)) => format!("exited {}", exited.status),
            Action::TellOwner(event) => format!("{event:?}"),
            Action::Tell(event) => format!("{event:?}"),
            Action::Ask { id, request, .. } => format!("ask {} {}", id.0, request.verb()),
            Action::SetTimer(time) => format!("timer {}", time.as_millis()),
            other => format!("{other:?}"),
        };
        let short = |action| {
            let text: String = text(action);
            match text.split_once(['(', '{']) {
                Some((kind, _)) if text.contains(" ok ") => kind.trim_end().to_string(),
                _ => text,
            }
        };
        self.machine.take_actions().into_iter().map(short).collect()
    }
}
