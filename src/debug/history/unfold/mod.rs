//! How a statement computed its result.
//!
//! An instance of the past is brought to the place before the statement. There it runs the statement's head,
//! compiled anew so that each expression reports its value ([`nodes`], [`observation`]), and ends: calls in it
//! run as always, and neither the live program nor its code is concerned.
//!
//! With [`Launch::observe`](crate::api::Launch::observe), the whole program is compiled so, and every
//! statement is observed while it runs ([`all_statements`], [`statement_observer`]).

pub mod all_statements;
pub mod context;
pub mod nodes;
pub mod observation;
pub mod statement_observer;
pub mod targets;

use std::cell::Cell;
use std::rc::Rc;

use crate::api::{Failure, FailureKind, Limits, Question, RequestId, Unfold, UnfoldTarget, Unfolded};
use crate::debug::engine::Engine;
use crate::debug::history::messages::{Aim, JourneyEnd, UnfoldJourney};
use crate::debug::history::plan::Back;
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::relay::Outcome;
use crate::debug::history::state::StopPoint;
use crate::debug::inspect::frames::FrameView;
use crate::debug::program::DebuggedProgram;
use crate::debug::running::stop_events::terminate;
use crate::interp::compile::observed::{Head, HeadFn, Observed};
use crate::interp::flags::STEP;
use crate::interp::vm::{Stop, Vm};

use nodes::Nodes;
use observation::{Observation, Unfolding};

impl Engine {
    /// Answers the question how a statement computed its result, from the client's position.
    pub fn unfold(&mut self, vm: &mut Vm, id: RequestId, question: &Unfold) {
        let answer = self.has_past("unfold a statement").and_then(|()| {
            self.history.iter_mut().for_each(|history| history.progress.begin("Unfolding a statement", 2));
            let now = self.history.as_ref().map(|history| history.now());
            let now = now.ok_or_else(|| refused("there is no history"))?;
            self.with_other_worker(|engine| engine.unfolded(vm, question, now))
        });
        self.end_progress();
        self.respond(id, answer.map(Unfold::response));
    }

    fn unfolded(&mut self, vm: &mut Vm, question: &Unfold, now: StopPoint) -> Result<Box<Unfolded>, Failure> {
        let (position, until) = self.statement_to_unfold(vm, question, now)?;
        let aim = Aim::Unfold(UnfoldJourney { position, until, limits: question.limits });
        match self.go(vm, aim) {
            Outcome::Ended(JourneyEnd::Unfolded(unfolded)) => Ok(unfolded),
            other => Err(not_unfolded(&other)),
        }
    }

    /// The place before the statement of a question, and the position at which it is to be ended if it is
    /// still in progress there.
    fn statement_to_unfold(
        &mut self,
        vm: &mut Vm,
        question: &Unfold,
        now: StopPoint,
    ) -> Result<(RunPosition, Option<RunPosition>), Failure> {
        let Some(history) = &self.history else { return Err(refused("there is no history")) };
        let (present, entry) = (history.present.position, history.entry);
        if let UnfoldTarget::Step(step) = question.target {
            let position = RunPosition::place(step);
            if step == 0 || position > present {
                let steps =
                    format!("there is no step {step}: the history has the steps 1 to {}", present.step);
                return Err(Failure::new(FailureKind::NotFound, steps));
            }
            return Ok((position, (position < present).then_some(present)));
        }
        let missing = || Failure::new(FailureKind::NotFound, format!("there is no frame {}", question.frame));
        let frame = u32::try_from(question.frame).map_err(|_| missing())?;
        let depth = now.depth.checked_sub(frame).ok_or_else(missing)?;
        let is_next = question.target == UnfoldTarget::Next;
        let is_in_progress = frame > 0 || matches!(now.position.phase, Phase::Within(..));
        if is_in_progress {
            let point = StopPoint { position: now.position, depth: depth + 1 };
            let begin =
                self.position_before(vm, Back::Out, point).map_err(|outcome| not_unfolded(&outcome))?;
            let begin = begin.ok_or_else(|| refused("its beginning was not found"))?;
            return Ok((begin, (!is_next).then_some(now.position)));
        }
        match (is_next, now.position.phase) {
            (true, Phase::End) => Err(refused("the program is about to end, and no statement comes next")),
            (true, _) => Ok((now.position, None)),
            (false, _) => {
                let before = self.position_before(vm, Back::Previous, StopPoint { depth, ..now });
                let before = before.map_err(|outcome| not_unfolded(&outcome))?;
                let history = self.history.as_ref();
                let is_same_call = |position: &RunPosition| {
                    let mut notes = history.iter().flat_map(|history| &history.notes.list);
                    let note = notes.find(|note| note.position == *position);
                    let was_before = now.position.step >= entry && position.step < entry;
                    note.is_some_and(|note| note.depth == depth) && !was_before
                };
                let before = before.filter(is_same_call).ok_or_else(|| {
                    refused("nothing has been computed in this call yet; ask for the next statement instead")
                })?;
                Ok((before, Some(now.position)))
            }
        }
    }

    /// Makes an instance that is before the statement run that statement, and end.
    pub fn begin_unfolding(&mut self, vm: &mut Vm, view: &FrameView) -> Result<(), Stop> {
        vm.steps.set_all(STEP, false);
        let (Some(program), Some(journey_state)) = (self.debugged(), &mut self.journey_state) else {
            return Err(terminate(vm));
        };
        let Aim::Unfold(UnfoldJourney { until, limits, .. }) = &journey_state.journey.aim else {
            return Ok(());
        };
        let (until, limits) = (*until, *limits);
        let unfolding = Rc::<Unfolding>::default();
        journey_state.unfolding = Some(unfolding.clone());
        if until.is_none() {
            journey_state.may_go_beyond_the_record();
        }
        vm.steps.set_goal(journey_state.goal(vm.steps.now()));
        if until.is_some_and(|until| vm.steps.now() >= until.step) {
            vm.watch_return(true);
            vm.steps.set_all(STEP, true);
        }
        let returns = unfolding.returns.clone();
        let Some((observation, head)) = program.observed(vm, view, limits, returns) else {
            return Err(terminate(vm));
        };
        vm.instead = Some(Box::new(move |vm, fp| {
            unfolding.run(vm, fp, &observation, &head);
            Err(terminate(vm))
        }));
        Ok(())
    }
}

impl DebuggedProgram {
    /// Compiles the head of the statement before which a frame is, so that its expressions are observed.
    fn observed(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        limits: Limits,
        returns: Rc<Cell<bool>>,
    ) -> Option<(Rc<Observation>, HeadFn)> {
        let program = self.program.clone();
        let function = program.function(view.func)?;
        let head = Head::find(function, view.stmt, view.back_edge);
        let span = program.statement(view.stmt)?.span;
        let nodes = Rc::new(Nodes::of(&program, (function, view.stmt), head, span));
        let expression = nodes.expression(head).unwrap_or(span);
        let (step, free) = (vm.steps.now(), self.frame_size(view));
        let compiled = self.compile(vm, view, free, |compiler| {
            compiler.fragment = false;
            let targets = targets::targets(compiler, head, &nodes).into();
            let numbers = nodes.numbers.clone();
            let observation = Observation::new(nodes, targets, (span, expression), step, limits, returns);
            let observation = Rc::new(observation);
            let observed = Observed { numbers, observer: observation.clone(), statements: false };
            let head = compiler.observed_head(function, (view.stmt, free), head, observed);
            // The client may have evaluated something while the statement was in progress.
            self.observed_size.set(compiler.max + 1);
            (observation, head)
        });
        compiled.ok()
    }
}

/// The failure of a journey that ended without a result.
fn not_unfolded(outcome: &Outcome) -> Failure {
    refused(&outcome.why_nothing_was_found())
}

fn refused(why: &str) -> Failure {
    Failure::new(FailureKind::WrongState, format!("Cannot unfold a statement: {why}"))
}
