//! Random sessions: rules that hold for every sequence of requests.

use std::collections::{HashMap, VecDeque};

use proptest::prelude::*;

use super::*;
use crate::api::{ClearBreakpoint, GetVariables, Obstacle, SessionRequest};

/// An engine that answers after some time, and counts of what the client was sent.
#[derive(Default)]
struct World {
    asked: VecDeque<(RequestId, Request)>,
    running: bool,
    ended: bool,
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
                | Action::RefuseInput(_)
                | Action::DiscardInput
                | Action::SetTimer(_)
                | Action::BeginShutdown
                | Action::StopWaiting
                | Action::Open(_)
                | Action::AnswerChild(..)
                | Action::ReleaseChild(_)
                | Action::ReportStart
                | Action::EndChild(_)
                | Action::Close
                | Action::TellOwner(_)
                | Action::TellOthers { .. }
                | Action::Share { .. }
                | Action::OpenGuest(..)
                | Action::CloseGuest(..)
                | Action::CloseDoor => {}
            }
        }
    }

    /// Lets the engine answer, the program stop or end, or some time pass; `choice` decides.
    fn turn(&mut self, play: &mut Play, choice: u8) {
        if self.over {
            return;
        }
        match self.asked.pop_front() {
            Some((id, request)) if choice < 200 => {
                if request == Request::Terminate {
                    self.alive = false;
                    play.machine.engine_gone(play.now);
                } else {
                    if matches!(request, Request::Start(_) | Request::Resume(_)) {
                        assert!(!self.running, "resumed while it runs");
                        self.running = true;
                        self.runs += 1;
                    }
                    let second_kill = request == Request::Kill && self.ended;
                    let result = if second_kill {
                        Err(Failure::wrong_state("kill", Obstacle::Ended))
                    } else {
                        answer(&request)
                    };
                    play.machine.engine(Message::Response(id, result), play.now);
                    if request == Request::Kill && !second_kill {
                        // The end follows the stop that ended the run.
                        self.runs += usize::from(!std::mem::take(&mut self.running));
                        self.ended = true;
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
                        self.ended = choice > 240;
                        play.tell(if self.ended { end(0) } else { stop(StopReason::Step) });
                    }
                    _ => {}
                }
            }
        }
        self.act(play);
    }
}

fn any_request() -> impl Strategy<Value = Request> {
    proptest::sample::select([all_but_pause(), vec![Request::Pause]].concat())
}

fn all_but_pause() -> Vec<Request> {
    vec![
        initialize(),
        Request::Start(None),
        INTO,
        Request::Resume(Resume::StepOut),
        CONTINUE,
        breakpoint(1),
        Request::Breakpoint(BreakpointRequest::Clear(ClearBreakpoint { file: "a.ez".into(), line: 1 })),
        Request::Inspect(Inspect::Variables(GetVariables { frame: 0, scope: None, limits: Limits::PREVIEW })),
        STACK,
        evaluate(),
        Request::Session(SessionRequest::Input { text: None, eof: true }),
        Request::Kill,
        Request::Terminate,
    ]
}

proptest! {
    // invariant 7
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
    /// long as the program stops soon. Whether a pause stops the run or comes too late depends on timing.
    // invariant 8
    #[test]
    fn order_does_not_depend_on_reads(
        script in proptest::collection::vec(proptest::sample::select(all_but_pause()), 0..12),
        reads in proptest::collection::vec(1..4usize, 0..12),
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
                    if matches!(request, Request::Start(_) | Request::Resume(_)) {
                        play.tell(stop(StopReason::Step));
                    }
                }
            }
            asked
        };
        prop_assert_eq!(run(&reads), run(&[]));
    }
}
