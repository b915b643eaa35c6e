//! Sessions with a scripted engine: what goes in, and what comes out of the machine.

use std::collections::{HashMap, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::api::{
    Breakpoint, BreakpointId, BreakpointPlace, BreakpointRequest, Evaluate, Exited, FailureKind, Initialized,
    Inspect, KILLED, Launch, Limits, LineSpec, Location, Purpose, Resume, StopReason, Stopped,
};
use crate::debug::Message;

/// A machine, its requests numbered from 1, and a clock that stands still unless told otherwise.
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
    Event::Exited(Box::new(Exited { status, error: None }))
}

fn initialize() -> Request {
    Request::Initialize(Box::default())
}

fn breakpoint(line: u32) -> Request {
    Request::Breakpoint(BreakpointRequest::Set { file: "a.ez".into(), spec: LineSpec::from(line) })
}

fn evaluate() -> Request {
    Request::Inspect(Inspect::Evaluate(Evaluate {
        expression: "f()".into(),
        frame: 0,
        purpose: Purpose::Plain,
        timeout_ms: None,
        limits: Limits::PREVIEW,
    }))
}

const STACK: Request = Request::Inspect(Inspect::StackTrace { start: 0, count: 1 });
const INTO: Request = Request::Resume(Resume::StepInto);
const CONTINUE: Request = Request::Resume(Resume::Continue);

/// What the engine answers to a request.
fn answer(request: &Request) -> Result<Response, Failure> {
    Ok(match request {
        Request::Initialize(_) => {
            Response::Initialized(Initialized { file: "a.ez".into(), warnings: vec![] })
        }
        Request::Start => Response::Started,
        Request::Resume(_) => Response::Resumed,
        Request::Pause => Response::Pausing,
        Request::Kill => Response::Killed,
        Request::Terminate => Response::Terminating,
        Request::Attach(_) | Request::Disconnect => panic!("the session carries it out"),
        Request::Input { .. } => Response::InputTaken,
        Request::Restart(_) => Response::Restarted(Initialized { file: "a.ez".into(), warnings: vec![] }),
        Request::Breakpoint(BreakpointRequest::Set { file, spec }) => Response::BreakpointSet(Breakpoint {
            id: BreakpointId(1),
            place: BreakpointPlace::Line { file: file.clone(), path: "/a.ez".into(), place: spec.place },
            options: spec.options.clone(),
            verified: false,
            location: None,
            hits: 0,
            message: None,
        }),
        Request::Breakpoint(_) => Response::BreakpointCleared,
        Request::Watch(_) => Response::Watches(vec![]),
        Request::Query(_) => Response::Modules(vec![]),
        Request::Inspect(Inspect::Variables { .. }) => Response::Variables(vec![]),
        Request::Inspect(Inspect::Children { .. }) => Response::Children { children: vec![], total: 0 },
        Request::Inspect(Inspect::StackTrace { .. }) => Response::StackTrace { frames: vec![], total: 0 },
        Request::Inspect(_) => return Err(Failure::new(FailureKind::Evaluation, "no value")),
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

    /// With a program that runs.
    fn running() -> Play {
        let mut play = Play::new();
        play.send([initialize()]);
        play.answer();
        play.send([Request::Start]);
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

    /// Answers what the engine was asked first.
    fn answer(&mut self) {
        let Some(Asked { id, request }) = self.machine.asked.front() else { panic!("nothing was asked") };
        let message = Message::Response(*id, answer(request));
        self.machine.engine(message, self.now);
    }

    fn answer_all(&mut self) {
        while !self.machine.asked.is_empty() {
            self.answer();
        }
    }

    /// Time passes, and the timer with it.
    fn pass(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.machine.timer(self.now);
    }

    /// What is to be done, in short.
    fn told(&mut self) -> Vec<String> {
        let text = |action| match action {
            Action::Respond(id, Ok(response)) => format!("{} ok {response:?}", id.0),
            Action::Respond(id, Err(failure)) => format!("{} {}", id.0, failure.message),
            Action::Tell(Event::Stopped(stopped)) => format!("stopped {:?}", stopped.reason),
            Action::Tell(Event::Exited(exited)) => format!("exited {}", exited.status),
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

#[test]
fn a_whole_session() {
    let mut play = Play::new();
    play.send([initialize()]);
    play.answer();
    assert_eq!(play.told(), ["ask 1 initialize", "1 ok Initialized"]);
    play.send([Request::Start]);
    play.answer();
    play.tell(stop(StopReason::Entry));
    assert_eq!(play.told(), ["ask 2 start", "2 ok Started", "stopped Entry"]);
    play.send([STACK, CONTINUE]);
    play.answer();
    assert_eq!(play.told(), ["ask 3 get the stack trace", "3 ok StackTrace", "ask 4 continue"]);
    play.answer();
    play.tell(end(3));
    assert_eq!(play.told(), ["4 ok Resumed", "exited 3", "timer 1000"]);
    play.send([CONTINUE]);
    play.pass(1000);
    let finish = "Finish { status: 0, patient: true }";
    assert_eq!(play.told(), ["5 Cannot continue: program has ended", finish]);
}

#[test]
fn requests_at_the_wrong_time() {
    let mut play = Play::new();
    play.send([Request::Start, INTO, CONTINUE, STACK, Request::Pause]);
    let expected = [
        "1 Cannot start: not initialized",
        "2 Cannot step: not initialized",
        "3 Cannot continue: not initialized",
        "4 Cannot get the stack trace: not initialized",
        "5 Cannot pause: not initialized",
    ];
    assert_eq!(play.told(), expected);
    play.send([initialize()]);
    play.answer();
    play.told();
    play.send([initialize(), evaluate(), Request::Pause]);
    let expected = [
        "7 Cannot initialize: already initialized",
        "8 Cannot evaluate: program not started",
        "9 Cannot pause: program not started",
    ];
    assert_eq!(play.told(), expected);
    let mut play = Play::stopped();
    play.send([Request::Pause]);
    assert_eq!(play.told(), ["3 Cannot pause: program is stopped"]);
}

#[test]
fn requests_wait_for_the_stop() {
    let mut play = Play::running();
    play.send([INTO, INTO, STACK]);
    assert!(play.told().is_empty());
    play.tell(stop(StopReason::Entry));
    assert_eq!(play.told(), ["stopped Entry", "ask 3 step"]);
    play.answer();
    play.tell(stop(StopReason::Step));
    assert_eq!(play.told(), ["3 ok Resumed", "stopped Step", "ask 4 step"]);
    play.answer();
    play.tell(end(0));
    let expected =
        ["4 ok Resumed", "exited 0", "timer 1000", "5 Cannot get the stack trace: program has ended"];
    assert_eq!(play.told(), expected);
}

#[test]
fn breakpoints_keep_their_place_where_the_program_stops_soon() {
    let mut play = Play::stopped();
    play.send([Request::Resume(Resume::StepOut), breakpoint(1)]);
    assert_eq!(play.told(), ["ask 3 step", "timer 100"]);
    play.answer();
    play.tell(stop(StopReason::Step));
    assert_eq!(play.told(), ["3 ok Resumed", "stopped Step", "ask 4 set a breakpoint"]);
}

#[test]
fn nothing_that_is_possible_waits_for_a_program_that_runs_on() {
    let mut play = Play::stopped();
    play.send([CONTINUE, STACK, breakpoint(1)]);
    play.answer();
    play.send_nonsense();
    play.send([initialize(), breakpoint(2)]);
    assert_eq!(play.told(), ["ask 3 continue", "timer 100", "3 ok Resumed"]);
    play.pass(60);
    assert_eq!(play.told(), ["timer 40"], "a timer that is early is set again");
    play.pass(40);
    assert_eq!(play.told(), ["ask 5 set a breakpoint"]);
    play.answer();
    let expected = [
        "5 ok BreakpointSet",
        "6 nonsense",
        "7 Cannot initialize: already initialized",
        "ask 8 set a breakpoint",
    ];
    assert_eq!(play.told(), expected, "in order, one at a time");
    play.answer();
    play.send([breakpoint(3)]);
    assert_eq!(play.told(), ["8 ok BreakpointSet", "ask 9 set a breakpoint"], "later ones do not wait");
    play.answer();
    play.tell(stop(StopReason::Pause));
    assert_eq!(play.told(), ["9 ok BreakpointSet", "stopped Pause", "ask 4 get the stack trace"]);
}

#[test]
fn the_time_begins_anew_with_each_run() {
    let mut play = Play::stopped();
    play.send([CONTINUE, INTO, breakpoint(1)]);
    play.answer();
    play.now += Duration::from_millis(90);
    play.tell(stop(StopReason::Pause));
    play.answer();
    play.told();
    play.pass(10);
    assert_eq!(play.told(), ["timer 90"]);
    play.pass(90);
    assert_eq!(play.told(), ["ask 5 set a breakpoint"]);
}

#[test]
fn a_pause_belongs_to_the_run_under_way_or_the_one_that_requests_before_it_start() {
    let mut play = Play::running();
    play.send([STACK, Request::Pause, Request::Pause]);
    assert_eq!(play.told(), ["ask 4 pause", "ask 5 pause"]);
    play.answer_all();
    play.tell(stop(StopReason::Pause));
    let expected = ["4 ok Pausing", "5 ok Pausing", "stopped Pause", "ask 3 get the stack trace"];
    assert_eq!(play.told(), expected);

    let mut play = Play::stopped();
    play.send([breakpoint(1), CONTINUE, Request::Pause]);
    play.answer();
    assert_eq!(
        play.told(),
        ["ask 3 set a breakpoint", "timer 100", "3 ok BreakpointSet", "ask 4 continue", "ask 5 pause"]
    );

    let mut play = Play::running();
    play.send([breakpoint(1), STACK, Request::Pause]);
    play.answer();
    let expected = ["timer 100", "ask 3 set a breakpoint", "3 ok BreakpointSet", "ask 5 pause"];
    assert_eq!(play.told(), expected, "it overtakes nothing that is possible");

    let mut play = Play::running();
    play.send([CONTINUE, Request::Pause]);
    assert_eq!(play.told(), ["timer 100"]);
    play.pass(100);
    assert_eq!(play.told(), ["ask 4 pause"], "the run under way does not end by itself");
}

#[test]
fn terminate_waits_for_what_is_answered_soon() {
    let mut play = Play::running();
    play.send([INTO, Request::Terminate]);
    assert_eq!(play.told(), ["timer 100"]);
    play.tell(stop(StopReason::Entry));
    play.answer();
    play.tell(stop(StopReason::Step));
    let expected = [
        "stopped Entry",
        "ask 3 step",
        "3 ok Resumed",
        "stopped Step",
        "BeginShutdown",
        "ask 4 terminate",
        "timer 40",
    ];
    assert_eq!(play.told(), expected);
    play.answer();
    play.machine.engine_gone(play.now);
    let finish = "Finish { status: 0, patient: false }";
    assert_eq!(play.told(), ["4 ok Terminating", "Terminated", finish]);
    play.send([Request::Terminate, STACK]);
    assert_eq!(play.told(), ["Hurry"]);
}

#[test]
fn terminate_ends_a_program_that_runs_on() {
    let mut play = Play::running();
    play.send([INTO, Request::Terminate, breakpoint(1), initialize()]);
    play.pass(100);
    assert_eq!(play.told(), ["timer 100", "BeginShutdown", "ask 4 terminate", "timer 40"]);
    play.machine.engine_gone(play.now);
    let expected = [
        "4 ok Terminating",
        "3 Cannot step: program has ended",
        "5 Cannot set a breakpoint: program has ended",
        "6 Cannot initialize: already initialized",
        "Terminated",
        "Finish { status: 0, patient: false }",
    ];
    assert_eq!(play.told(), expected);
}

#[test]
fn an_engine_that_does_not_end_is_left() {
    let mut play = Play::new();
    play.send([initialize(), Request::Terminate]);
    play.pass(100);
    assert_eq!(
        play.told(),
        ["ask 1 initialize", "timer 100", "BeginShutdown", "ask 2 terminate", "timer 40"]
    );
    play.pass(40);
    let expected = [
        "1 Cannot initialize: program has ended",
        "2 ok Terminating",
        "Terminated",
        "Finish { status: 0, patient: false }",
    ];
    assert_eq!(play.told(), expected);
}

#[test]
fn the_end_of_commands() {
    let mut play = Play::new();
    play.machine.commands_end(play.now);
    assert_eq!(play.told(), ["Finish { status: 0, patient: true }"]);

    let mut play = Play::running();
    play.send([INTO]);
    play.machine.commands_end(play.now);
    play.tell(stop(StopReason::Entry));
    play.answer();
    play.tell(stop(StopReason::Step));
    play.machine.engine_gone(play.now);
    let expected = [
        "stopped Entry",
        "ask 3 step",
        "3 ok Resumed",
        "stopped Step",
        "BeginShutdown",
        "ask 18446744073709551615 terminate",
        "timer 40",
        "Terminated",
        "Finish { status: 0, patient: true }",
    ];
    assert_eq!(play.told(), expected);

    let mut play = Play::running();
    play.machine.commands_end(play.now);
    play.tell(end(7));
    assert_eq!(play.told(), ["exited 7", "timer 1000", "Finish { status: 0, patient: true }"]);
}

#[test]
fn a_program_that_cannot_be_loaded_ends_the_session() {
    let mut play = Play::new();
    play.send([initialize(), Request::Start, breakpoint(1)]);
    let failure = Failure::new(FailureKind::NoProgram, "bad");
    play.machine.engine(Message::Response(RequestId(1), Err(failure)), play.now);
    let expected = [
        "ask 1 initialize",
        "timer 100",
        "1 bad",
        "2 Cannot start: not initialized",
        "3 Cannot set a breakpoint: not initialized",
        "Terminated",
        "Finish { status: 1, patient: true }",
    ];
    assert_eq!(play.told(), expected);

    let mut play = Play::new();
    play.send([initialize(), initialize()]);
    let failure = Failure::new(FailureKind::BadRequest, "no such directory");
    play.machine.engine(Message::Response(RequestId(1), Err(failure)), play.now);
    assert_eq!(play.told(), ["ask 1 initialize", "timer 100", "1 no such directory", "ask 2 initialize"]);
}

#[test]
fn an_engine_that_fails_and_a_client_that_closes_its_output() {
    let mut play = Play::stopped();
    play.send([evaluate(), INTO]);
    play.told();
    play.machine.engine_gone(play.now);
    let expected = [
        "3 the interpreter has failed",
        "Failed(\"the interpreter has failed\")",
        "exited 1",
        "timer 1000",
        "4 Cannot step: program has ended",
    ];
    assert_eq!(play.told(), expected);
    play.send([breakpoint(1)]);
    assert_eq!(play.told(), ["5 the interpreter has failed"]);

    let mut play = Play::running();
    play.machine.output_closed();
    play.machine.output_closed();
    assert_eq!(play.told(), ["Finish { status: 0, patient: false }"]);
}

#[test]
fn a_pause_ends_an_evaluation_that_takes_long() {
    let mut play = Play::stopped();
    play.send([evaluate(), Request::Pause, INTO]);
    assert_eq!(play.told(), ["ask 3 evaluate", "timer 100"]);
    play.pass(100);
    assert_eq!(play.told(), ["ask 4 pause"]);
    let (pausing, failed) = (answer(&Request::Pause), answer(&evaluate()));
    play.machine.engine(Message::Response(RequestId(4), pausing), play.now);
    play.machine.engine(Message::Response(RequestId(3), failed), play.now);
    assert_eq!(play.told(), ["4 ok Pausing", "3 no value", "ask 5 step"]);

    let mut play = Play::stopped();
    play.send([evaluate(), Request::Pause]);
    play.answer();
    let expected = ["ask 3 evaluate", "timer 100", "3 no value", "4 Cannot pause: program is stopped"];
    assert_eq!(play.told(), expected, "one that is over soon is let be");
}

#[test]
fn what_is_cancelled_is_answered_soon() {
    let mut play = Play::stopped();
    play.send([evaluate(), STACK, INTO]);
    play.machine.cancel(RequestId(4), play.now);
    assert_eq!(play.told(), ["ask 3 evaluate", "4 cancelled"], "one that waits");
    play.machine.cancel(RequestId(3), play.now);
    let own = format!("ask {} pause", OWN_REQUEST.0);
    assert_eq!(play.told(), [own.as_str()], "one that is under way");
    let (pausing, failed) = (answer(&Request::Pause), answer(&evaluate()));
    play.machine.engine(Message::Response(OWN_REQUEST, pausing), play.now);
    play.machine.engine(Message::Response(RequestId(3), failed), play.now);
    assert_eq!(play.told(), ["3 no value", "ask 5 step"]);
    play.answer();
    play.told();
    play.machine.cancel(RequestId(5), play.now);
    play.machine.cancel(RequestId(3), play.now);
    assert!(play.told().is_empty(), "the program runs on");
}

/// An engine that does what it is asked in its own time, and the answers that the client got.
#[derive(Default)]
struct World {
    asked: VecDeque<(RequestId, Request)>,
    running: bool,
    alive: bool,
    answers: HashMap<u64, usize>,
    stops: usize,
    runs: usize,
    over: bool,
}

impl World {
    fn act(&mut self, play: &mut Play) {
        for action in play.machine.take_actions() {
            match action {
                Action::Respond(id, _) => {
                    assert!(!self.over, "answered after the end");
                    *self.answers.entry(id.0).or_default() += 1;
                }
                Action::Tell(event) => {
                    assert!(!self.over, "{event:?} after the end");
                    self.over |= event == Event::Terminated;
                    self.stops += usize::from(matches!(event, Event::Stopped(_) | Event::Exited(_)));
                }
                Action::Ask { id, request, .. } => self.asked.push_back((id, request)),
                Action::Finish { .. } => self.over = true,
                Action::Input { .. }
                | Action::DiscardInput
                | Action::SetTimer(_)
                | Action::BeginShutdown
                | Action::Hurry
                | Action::Open(_)
                | Action::Close => {}
            }
        }
    }

    /// Lets the engine answer, the program stop or end, or time pass.
    fn turn(&mut self, play: &mut Play, choice: u8) {
        match self.asked.pop_front() {
            Some((id, request)) if choice < 200 => {
                if request == Request::Terminate {
                    self.alive = false;
                    play.machine.engine_gone(play.now);
                } else {
                    if matches!(request, Request::Start | Request::Resume(_)) {
                        assert!(!self.running, "resumed while it runs");
                        self.running = true;
                        self.runs += 1;
                    }
                    play.machine.engine(Message::Response(id, answer(&request)), play.now);
                    if request == Request::Kill {
                        // The end comes behind the stop that ended the run.
                        self.runs += usize::from(!std::mem::take(&mut self.running));
                        play.tell(end(KILLED));
                    }
                }
            }
            asked => {
                self.asked.extend(asked);
                match choice % 5 {
                    0 => play.pass(120),
                    1..4 if self.running => {
                        self.running = false;
                        play.tell(if choice > 240 { end(0) } else { stop(StopReason::Step) });
                    }
                    _ => {}
                }
            }
        }
        self.act(play);
    }
}

fn any_request() -> impl Strategy<Value = Request> {
    proptest::sample::select(vec![
        initialize(),
        Request::Start,
        INTO,
        Request::Resume(Resume::StepOut),
        CONTINUE,
        breakpoint(1),
        Request::Breakpoint(BreakpointRequest::Clear { file: "a.ez".into(), line: 1 }),
        Request::Inspect(Inspect::Variables { frame: 0, scope: None, limits: Limits::PREVIEW }),
        STACK,
        evaluate(),
        Request::Input { text: None, eof: true },
        Request::Pause,
        Request::Kill,
        Request::Terminate,
    ])
}

proptest! {
    #[test]
    fn requests_are_answered_once_and_runs_end_once(
        session in proptest::collection::vec((any_request(), proptest::collection::vec(any::<u8>(), 0..4)), 0..30)
    ) {
        let mut play = Play::new();
        let mut world = World { alive: true, ..World::default() };
        let mut sent = 0;
        for (request, turns) in session {
            if world.over {
                break;
            }
            play.send([request]);
            sent = play.last;
            world.act(&mut play);
            turns.into_iter().for_each(|choice| world.turn(&mut play, choice));
        }
        play.machine.commands_end(play.now);
        for choice in (0..).take(600) {
            world.act(&mut play);
            world.turn(&mut play, [1, 0, 255][choice % 3]);
        }
        prop_assert!(world.over, "the session does not end: {:?}", play.machine);
        for id in 1..=sent {
            prop_assert_eq!(world.answers.get(&id), Some(&1), "request {}", id);
        }
        prop_assert!(world.stops <= world.runs && world.runs <= world.stops + 1);
    }

    /// However the requests of a script are divided into reads, they are carried out in the same order, as
    /// long as the program stops soon.
    #[test]
    fn order_does_not_depend_on_reads(
        script in proptest::collection::vec(any_request(), 0..12), reads in proptest::collection::vec(1..4usize, 0..12),
    ) {
        let run = |reads: &[usize]| {
            let mut play = Play::new();
            let mut asked = Vec::new();
            let mut rest = script.clone();
            for read in reads.iter().copied().chain([script.len()]) {
                let now: Vec<Request> = rest.drain(..read.min(rest.len())).collect();
                play.send(now);
                loop {
                    let actions = play.machine.take_actions();
                    let before = asked.len();
                    for action in actions {
                        if let Action::Ask { id, request, .. } = action {
                            asked.push((id, request));
                        }
                    }
                    let Some((id, request)) = asked.get(before).cloned() else { break };
                    if request == Request::Terminate {
                        play.machine.engine_gone(play.now);
                        break;
                    }
                    play.machine.engine(Message::Response(id, answer(&request)), play.now);
                    if matches!(request, Request::Start | Request::Resume(_)) {
                        play.tell(stop(StopReason::Step));
                    }
                }
            }
            asked
        };
        // A pause meets the run before it, or the stopped program, whichever was first.
        prop_assume!(!script.contains(&Request::Pause));
        prop_assert_eq!(run(&reads), run(&[]));
    }
}

/// Machines whose clients come and go.
mod clients {
    use super::*;
    use crate::api::{Attach, Query, State, Status as Told};

    const LINGER: Duration = Duration::from_secs(1);

    /// The number of the last request, in the session, of the client with this connection.
    fn id(connection: ConnectionId, number: u64) -> RequestId {
        connection.in_session(RequestId(number))
    }

    fn first() -> ConnectionId {
        ConnectionId::ONLY.next()
    }

    fn play(lifetime: Lifetime) -> Play {
        Play { machine: Machine::new(lifetime), now: Duration::ZERO, last: 0 }
    }

    fn send(play: &mut Play, connection: ConnectionId, number: u64, request: Request) {
        let incoming = Incoming { id: id(connection, number), request: Ok(request) };
        play.machine.receive(incoming, play.now);
    }

    fn attach() -> Request {
        Request::Attach(Box::default())
    }

    /// The engine answers what it was asked for a client that comes.
    fn answer_state(play: &mut Play, status: Told) {
        let state = State {
            status,
            file: None,
            stop: None,
            exit_status: None,
            breakpoints: vec![],
            exceptions: vec![],
            watches: vec![],
            keeps_history: false,
        };
        let id = play.machine.asked.front().unwrap().id;
        play.machine.engine(Message::Response(id, Ok(Response::State(Box::new(state)))), play.now);
    }

    /// With a program that runs, and a client that has started it.
    fn running(lifetime: Lifetime) -> Play {
        let mut play = play(lifetime);
        play.machine.connect(first(), false);
        send(&mut play, first(), 1, initialize());
        play.answer();
        send(&mut play, first(), 2, Request::Start);
        play.answer();
        play.told();
        play
    }

    #[test]
    fn what_waits_for_a_client_follows_the_first_answer() {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        send(&mut play, first(), 3, Request::Disconnect);
        assert!(play.told().iter().all(|told| told.starts_with("timer")), "it waits for its turn");
        play.pass(100);
        let gone = play.told();
        assert_eq!(gone.last().map(String::as_str), Some("Close"));
        assert!(gone.iter().any(|told| told.ends_with("ok Disconnected")), "{gone:?}");
        // Nobody hears of this, and nobody's requests are carried out.
        play.tell(stop(StopReason::Step));
        send(&mut play, first(), 4, CONTINUE);
        assert_eq!(play.told(), ["stopped Step"]);
        let second = first().next();
        play.machine.connect(second, true);
        assert!(play.told().is_empty());
        send(&mut play, second, 1, attach());
        let asked = play.machine.asked.front().map(|asked| asked.id);
        assert_eq!(asked, Some(id(second, 1)));
        answer_state(&mut play, Told::Stopped);
        let actions = play.machine.take_actions();
        let [Action::Ask { request: Request::Query(Query::State), .. }, Action::Open(Some((to, Ok(answer))))] =
            actions.as_slice()
        else {
            panic!("{actions:?}")
        };
        assert_eq!(*to, id(second, 1));
        let Response::Attached(attached) = answer else { panic!("{answer:?}") };
        assert_eq!(attached.stop.as_ref().map(|stop| stop.reason), Some(StopReason::Step));
        send(&mut play, second, 2, attach());
        let number = id(second, 2).0;
        assert_eq!(play.told(), [format!("{number} Cannot attach: already attached")]);
    }

    #[test]
    fn what_is_under_way_is_answered_before_a_client_disconnects() {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        play.tell(stop(StopReason::Entry));
        send(&mut play, first(), 3, evaluate());
        send(&mut play, first(), 4, Request::Disconnect);
        play.told();
        play.pass(100);
        let (evaluation, farewell) = (id(first(), 3).0, id(first(), 4).0);
        let told = play.told();
        let expected = [
            format!("{evaluation} Cannot evaluate: the client disconnects"),
            format!("{farewell} ok Disconnected"),
            format!("ask {} pause", OWN_REQUEST.0),
            "Close".to_string(),
        ];
        assert_eq!(told, expected);
        play.answer_all();
        assert!(play.told().is_empty());
    }

    #[test]
    fn a_client_hears_of_an_end_that_comes_before_the_answer_to_its_first_request() {
        for last in [Request::Terminate, Request::Disconnect] {
            let mut play = running(Lifetime::Clients { linger: LINGER });
            play.machine.client_gone(first(), play.now);
            play.pass(100);
            let second = first().next();
            play.machine.connect(second, true);
            play.machine.take_actions();
            send(&mut play, second, 1, attach());
            send(&mut play, second, 2, last.clone());
            let mut actions = play.machine.take_actions();
            play.pass(100);
            actions.extend(play.machine.take_actions());
            let is_told = |action: &Action| matches!(action, Action::Respond(..) | Action::Open(_));
            let first = actions.iter().find(|action| is_told(action));
            let Some(Action::Open(Some((to, Err(_))))) = first else { panic!("{actions:?}") };
            assert_eq!(*to, id(second, 1));
            if last == Request::Terminate {
                continue;
            }
            // The next one, whose predecessor's question the engine has not answered.
            let third = second.next();
            play.machine.connect(third, true);
            send(&mut play, third, 1, attach());
            send(&mut play, third, 2, last.clone());
            play.pass(100);
            let actions = play.machine.take_actions();
            let is_opened =
                |action: &Action| matches!(action, Action::Open(Some((to, Err(_)))) if *to == id(third, 1));
            assert!(actions.iter().any(is_opened), "{actions:?}");
        }
    }

    #[test]
    fn nothing_is_answered_before_the_first_request() {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        play.machine.client_gone(first(), play.now);
        play.pass(100);
        let second = first().next();
        play.machine.connect(second, true);
        play.told();
        send(&mut play, second, 1, attach());
        // The program ends while the engine is asked what there is; the pause overtakes the answer.
        play.tell(Event::Exited(Box::new(Exited { status: 0, error: None })));
        send(&mut play, second, 2, Request::Pause);
        play.machine.timer(play.now);
        play.pass(100);
        let told = |play: &mut Play| {
            let actions = play.machine.take_actions().into_iter();
            let told = actions.filter_map(|action| match action {
                Action::Open(Some((to, _))) => Some(("open", to)),
                Action::Respond(to, _) => Some(("answer", to)),
                _ => None,
            });
            told.collect::<Vec<_>>()
        };
        assert_eq!(told(&mut play), []);
        answer_state(&mut play, Told::Exited);
        assert_eq!(told(&mut play), [("open", id(second, 1)), ("answer", id(second, 2))]);
        // An engine that fails answers nothing any more.
        let third = second.next();
        play.machine.client_gone(second, play.now);
        play.machine.connect(third, true);
        send(&mut play, third, 1, attach());
        send(&mut play, third, 2, Request::Query(Query::Threads));
        play.machine.engine_gone(play.now);
        assert_eq!(told(&mut play), [("open", id(third, 1)), ("answer", id(third, 2))]);
    }

    #[test]
    fn a_client_comes_before_it_ends_the_program() {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        // The engine is at work on something of a client that is gone.
        send(&mut play, first(), 3, Request::Query(Query::Threads));
        play.pass(100);
        play.machine.client_gone(first(), play.now);
        play.pass(100);
        play.told();
        let second = first().next();
        play.machine.connect(second, true);
        send(&mut play, second, 1, attach());
        send(&mut play, second, 2, Request::Kill);
        play.pass(100);
        let actions = play.machine.take_actions();
        let asked = actions.iter().filter_map(|action| match action {
            Action::Ask { id, .. } => Some(*id),
            _ => None,
        });
        assert_eq!(asked.collect::<Vec<_>>(), [id(second, 1), id(second, 2)], "{actions:?}");
    }

    #[test]
    fn answers_for_a_client_that_is_gone_are_for_nobody() {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        play.tell(stop(StopReason::Entry));
        send(&mut play, first(), 3, evaluate());
        play.machine.client_gone(first(), play.now);
        play.told();
        play.pass(100);
        // The evaluation is ended.
        assert_eq!(play.told(), [format!("ask {} pause", OWN_REQUEST.0), "Close".to_string()]);
        play.answer_all();
        assert!(play.told().is_empty());
        play.machine.client_gone(first(), play.now);
        assert!(play.told().is_empty());
    }

    #[test]
    fn an_end_that_nobody_was_told_is_waited_with() {
        let mut play = running(Lifetime::Clients { linger: LINGER });
        play.machine.client_gone(first(), play.now);
        play.pass(100);
        play.told();
        play.tell(end(3));
        assert_eq!(play.told(), ["exited 3"]);
        play.pass(10_000);
        assert!(play.told().is_empty());
        let second = first().next();
        play.machine.connect(second, true);
        send(&mut play, second, 1, attach());
        answer_state(&mut play, Told::Exited);
        assert_eq!(play.told().last().map(String::as_str), Some("timer 1000"));
        play.pass(1000);
        assert_eq!(play.told(), ["Finish { status: 0, patient: true }"]);
    }

    #[test]
    fn a_program_with_streams_of_its_own_waits_for_nobody() {
        let mut play = play(Lifetime::Program);
        play.machine.launch(Launch::default(), true, play.now);
        play.answer();
        play.answer();
        assert!(play.told().iter().all(|told| told.starts_with("ask ")), "nobody is answered");
        play.machine.connect(first(), true);
        send(&mut play, first(), 1, attach());
        // The program may stop soon.
        play.pass(100);
        answer_state(&mut play, Told::Running);
        play.told();
        send(&mut play, first(), 2, Request::Input { text: Some("x".into()), eof: false });
        play.pass(100);
        let refused = play.told();
        assert!(refused.iter().any(|told| told.contains("its own terminal")), "{refused:?}");
        play.tell(end(0));
        assert_eq!(play.told(), ["exited 0", "timer 0"]);
    }

    #[test]
    fn a_client_may_bring_the_program_to_a_session_without_one() {
        let mut play = play(Lifetime::Clients { linger: LINGER });
        play.machine.connect(first(), true);
        let request = Request::Attach(Box::new(Attach { launch: Some(Launch::default()) }));
        send(&mut play, first(), 1, request);
        let number = id(first(), 1).0;
        assert_eq!(play.told(), [format!("ask {number} initialize")]);
        let loaded = Response::Initialized(Initialized { file: "a.ez".into(), warnings: vec![] });
        play.machine.engine(Message::Response(id(first(), 1), Ok(loaded)), play.now);
        assert_eq!(play.told(), [format!("ask {number} get the state")]);
        answer_state(&mut play, Told::Ready);
        assert!(matches!(play.machine.take_actions().as_slice(), [Action::Open(Some((_, Ok(_))))]));
        assert_eq!(play.machine.status, Status::Ready);
    }

    #[test]
    fn the_only_client_neither_attaches_nor_disconnects() {
        let mut play = Play::stopped();
        play.send([attach(), Request::Disconnect]);
        let expected =
            ["3 Cannot attach: already attached", "4 Cannot disconnect: no other client could come"];
        assert_eq!(play.told(), expected);
    }
}
