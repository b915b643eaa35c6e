//! What an instance of the past does at each position, and how it stops at the goal of its journey.

use crate::api::{BreakpointId, StopReason};
use crate::debug::engine::Engine;
use crate::debug::history::counts::{Hit, Tally};
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::messages::{Aim, ChangeSearch, Intervention, JourneyEnd};
use crate::debug::history::plan::Note;
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::unfold::observation::{EndOfUnfolding, Unfolding};
use crate::debug::inspect::frames::{FrameView, frames};
use crate::debug::inspect::inspection::Effects;
use crate::debug::running::stop_events::{Halt, terminate};
use crate::interp::flags::STEP;
use crate::interp::output_watch::OutputWatch;
use crate::interp::vm::{CallSite, Pending, Stop, Vm};
use crate::interp::watch;
use crate::value::{Type, Value};

/// The call that has returned, and its result with the static type, if it has one.
pub(crate) type Returned = (CallSite, Option<(Value, Type)>);

/// What an instance does at a position.
pub enum PositionAction {
    /// Continue as the live program would, which may stop here.
    Proceed,
    /// Continue without stopping.
    Pass,
    Arrive,
    /// Run the statement that comes next so that it is observed.
    Unfold,
    End,
}

impl Engine {
    /// Called when an instance has reached a position. Returns whether that was handled here, so that the
    /// engine need not check for stops.
    pub fn visit_position(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        position: RunPosition,
        returned: Option<Returned>,
    ) -> Result<bool, Stop> {
        self.intervene(vm, view, position)?;
        self.watch_for_intervention(vm, position.step);
        match self.action_at(vm, view, position) {
            PositionAction::Proceed => Ok(false),
            PositionAction::Pass => Ok(true),
            PositionAction::End => Err(terminate(vm)),
            PositionAction::Unfold => self.begin_unfolding(vm, view).map(|()| true),
            PositionAction::Arrive => {
                let halt = Halt { phase: position.phase, ..self.arrive(vm, view, returned) };
                self.stop(vm, *view, halt)?;
                Ok(true)
            }
        }
    }

    /// The same for an `Error` value that was created, except that the action is left to the caller.
    pub fn visit_error_value(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        position: RunPosition,
        error: &Value,
    ) -> Result<PositionAction, Stop> {
        if self.journey_state.as_ref().is_some_and(|journey_state| journey_state.has_intervention(position)) {
            let is_named = self.name_error(vm, error.clone()).is_ok();
            let done = self.intervene(vm, view, position);
            if is_named {
                self.inspection.temporaries.pop(vm);
            }
            done?;
            self.watch_for_intervention(vm, position.step);
        }
        Ok(self.action_at(vm, view, position))
    }

    /// Records a position at which the program would stop, if the journey is for finding these.
    pub fn record_hit(&mut self, position: RunPosition) -> bool {
        let Some(journey_state) =
            self.journey_state.as_mut().filter(|journey_state| journey_state.looks_for_hits())
        else {
            return false;
        };
        journey_state.hit(Hit { position, breakpoints: Vec::new() });
        true
    }

    fn action_at(&mut self, vm: &mut Vm, view: &FrameView, position: RunPosition) -> PositionAction {
        let looks_for_hits = self.journey_state.as_ref().is_some_and(JourneyState::looks_for_hits);
        let hits = if looks_for_hits { self.hits_at(vm, view, position) } else { Vec::new() };
        let depth = vm.depth();
        let line = (view.at.file, vm.program.sources.line(view.at));
        let Some(journey_state) = &mut self.journey_state else { return PositionAction::Proceed };
        let is_error_value = position.phase.error_value() > 0;
        journey_state.report(position.step);
        vm.steps.set_goal(journey_state.goal(position.step));
        let present = journey_state.journey.present;
        if journey_state.has_arrived {
            if position >= present {
                journey_state.end = Some(JourneyEnd::Present);
                return PositionAction::End;
            }
            if position.step >= present.step {
                vm.watch_return(true);
            }
            return PositionAction::Proceed;
        }
        match &journey_state.journey.aim {
            Aim::Arrive(wanted, _) => {
                if position >= *wanted {
                    return PositionAction::Arrive;
                }
                // The goal may be after a return, or at a place where the program can stop next.
                if position.step >= wanted.step {
                    vm.watch_return(true);
                    vm.steps.set_all(STEP, true);
                }
            }
            Aim::Unfold(unfold) => {
                let (goal, started) = match &journey_state.unfolding {
                    Some(unfolding) => (unfold.until, Some(unfolding)),
                    None => (Some(unfold.position), None),
                };
                let Some(goal) = goal else { return PositionAction::Pass };
                match started {
                    Some(unfolding) if position == goal && goal.phase.is_return() => {
                        unfolding.returns.set(true);
                    }
                    Some(unfolding) if position >= goal => {
                        *unfolding.ended.borrow_mut() = Some(EndOfUnfolding::Reached);
                        return PositionAction::End;
                    }
                    None if position >= goal && position.phase == Phase::Statement => {
                        return PositionAction::Unfold;
                    }
                    _ => {}
                }
                if position.step >= goal.step {
                    vm.watch_return(true);
                    vm.steps.set_all(STEP, true);
                }
            }
            Aim::Note(from, until) => {
                if position >= *until {
                    let (notes, begins) = (&mut journey_state.notes, &mut journey_state.begins);
                    journey_state.end =
                        Some(JourneyEnd::Notes(std::mem::take(notes), std::mem::take(begins)));
                    return PositionAction::End;
                }
                if position.step >= *from && !is_error_value {
                    if journey_state.notes.is_empty() {
                        journey_state.begins = begins(vm, view);
                    }
                    journey_state.note(Note {
                        position,
                        depth,
                        at: view.at,
                        line,
                        back_edge: view.back_edge,
                    });
                    vm.watch_return(true);
                    vm.steps.set_all(STEP, true);
                }
            }
            Aim::Hits(from, until) => {
                let (from, until) = (*from, *until);
                if !hits.is_empty() && (from..=until).contains(&position) {
                    journey_state.hit(Hit { position, breakpoints: hits });
                }
                if position >= until {
                    let tally: Tally = std::mem::take(&mut journey_state.tally);
                    journey_state.end = Some(JourneyEnd::Hits(Box::new(tally)));
                    return PositionAction::End;
                }
                if position.step >= until.step {
                    // The end of the search may be after a return.
                    vm.watch_return(true);
                    vm.steps.set_all(STEP, true);
                }
                if is_error_value && position >= from {
                    return PositionAction::Proceed;
                }
            }
            Aim::Statements(_) => {
                if journey_state.statements.as_ref().is_none_or(|search| search.next().is_none()) {
                    return PositionAction::End;
                }
            }
            Aim::Output(search) => {
                let is_over = position >= search.until;
                if is_over || vm.output_watch.as_ref().is_none_or(OutputWatch::is_done) {
                    journey_state.end_output(vm);
                    return PositionAction::End;
                }
            }
            Aim::Resolve(until, _) | Aim::Search(until, _) | Aim::Changes(ChangeSearch { until, .. }) => {
                let until = *until;
                return self.search_on(vm, view, position, until);
            }
        }
        PositionAction::Pass
    }

    fn search_on(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        position: RunPosition,
        until: RunPosition,
    ) -> PositionAction {
        if position >= until {
            self.search_arrives(vm, view);
            return PositionAction::End;
        }
        if position.phase.error_value() > 0 {
            return PositionAction::Pass;
        }
        self.collect_writes(vm, view, position);
        if self.search().is_some_and(|search| search.is_over()) {
            self.search_arrives(vm, view);
            return PositionAction::End;
        }
        // It may be after a return.
        let is_near = position.step >= until.step;
        if is_near {
            vm.watch_return(true);
        }
        vm.steps.set_all(STEP, is_near);
        PositionAction::Pass
    }

    /// The breakpoints that are hit at a position, regardless of their hit conditions.
    fn hits_at(&mut self, vm: &mut Vm, view: &FrameView, position: RunPosition) -> Vec<BreakpointId> {
        if position != RunPosition::place(vm.steps.now()) {
            return Vec::new();
        }
        let tested = vm.tested.take();
        let candidates = self.breakpoints.borrow().table.candidates(view.func, view.stmt, view.back_edge);
        let mut hit = Vec::new();
        for candidate in candidates.iter().filter(|candidate| candidate.log.is_none()) {
            let holds = match (&tested, candidates.len()) {
                (Some(_), 1) => true,
                _ => vm.test_condition(&*candidate.test, view.fp).unwrap_or(true),
            };
            if holds {
                hit.push(candidate.id);
            }
        }
        hit
    }

    /// How to stop at the goal of the journey.
    pub fn arrive(&mut self, vm: &mut Vm, view: &FrameView, returned: Option<Returned>) -> Halt {
        vm.steps.set_all(STEP, false);
        let Some(journey_state) = &mut self.journey_state else { return StopReason::Step.into() };
        journey_state.has_arrived = true;
        let Aim::Arrive(_, arrival) = &journey_state.journey.aim else { return StopReason::Step.into() };
        let line = vm.program.sources.line(view.at);
        let (written, sentence) = arrival.written.clone().unzip();
        let sentence = sentence.or_else(|| match (arrival.reason, arrival.breakpoints.first()) {
            (StopReason::Restart | StopReason::Exception, _) => None,
            (StopReason::Entry, _) => Some("Back at the first statement".into()),
            (_, Some(id)) => Some(format!("Back at breakpoint {}", id.0)),
            (_, None) => Some(format!("Back at line {line}")),
        });
        let halt = Halt {
            written,
            hits: arrival.reason.breakpoint().and_then(|id| arrival.counts.get(&id).copied()),
            breakpoints: arrival.breakpoints.clone(),
            sentence,
            returned,
            ..arrival.reason.into()
        };
        let counts = arrival.counts.clone();
        vm.steps.set_goal(journey_state.goal(vm.steps.now()));
        self.arm_breakpoints(vm);
        self.breakpoints.borrow().table.set_hits(&counts);
        halt
    }

    /// Activates the session's breakpoints.
    pub fn arm_breakpoints(&mut self, vm: &mut Vm) {
        let Some(debugged) = self.debugged() else { return };
        let mut breakpoints = self.breakpoints.borrow_mut();
        breakpoints.place_all(vm, debugged);
    }

    /// Repeats the changes that the client made to the program at this position.
    fn intervene(&mut self, vm: &mut Vm, view: &FrameView, position: RunPosition) -> Result<(), Stop> {
        self.repeat_all(vm, view, |journey_state| journey_state.take_intervention(position))?;
        if let Some(journey_state) = &mut self.journey_state
            && let Some(step) = journey_state.missed(position)
        {
            let why =
                format!("run again, the program does not come to the change by the client at step {step}");
            journey_state.end = Some(JourneyEnd::Lost(why));
            return Err(terminate(vm));
        }
        Ok(())
    }

    /// Repeats the changes that the client made to the program in the wait that it is in. Returns whether there were
    /// any.
    pub fn intervene_in_wait(&mut self, vm: &mut Vm, view: &FrameView) -> Result<bool, Stop> {
        self.repeat_all(vm, view, JourneyState::take_intervention_in_wait)
    }

    /// Repeats the changes that the client made to the program when it had raised an error.
    pub fn intervene_at_error(&mut self, vm: &mut Vm, view: &FrameView, error: Value) -> Result<(), Stop> {
        let step = vm.steps.now();
        let is_named = self.name_error(vm, error).is_ok();
        let done = self.repeat_all(vm, view, |journey_state| journey_state.take_intervention_at_error(step));
        if is_named {
            self.inspection.temporaries.pop(vm);
        }
        done.map(drop)
    }

    /// Makes sure that the engine is called where the next change is to be repeated, if that is before the next
    /// place.
    pub fn watch_for_intervention(&mut self, vm: &mut Vm, step: u64) {
        if self.journey_state.as_ref().is_some_and(|journey_state| journey_state.intervenes_within(step)) {
            vm.watch_return(true);
        }
    }

    /// Repeats changes of the client as long as `next` takes one. Returns whether there were any.
    fn repeat_all(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        mut next: impl FnMut(&mut JourneyState) -> Option<Intervention>,
    ) -> Result<bool, Stop> {
        let mut has_changed = false;
        while let Some(next) = self.journey_state.as_mut().and_then(&mut next) {
            has_changed = true;
            // If it failed in the live program, it fails here, too.
            self.repeat(true);
            let _ = self.inspection.inspect(vm, view, None, next.request);
            self.repeat(false);
            let changes = watch::forget_writes(vm);
            let step = vm.steps.now();
            vm.output_watch.iter_mut().for_each(|watch| watch.place_evaluations(step));
            self.search_changed_by_client(vm, view, changes);
            if let Pending::Terminated = vm.pending {
                return Err(Stop);
            }
        }
        Ok(has_changed)
    }

    /// What is found about a statement, if the instance runs one for that.
    pub fn unfolding(&self) -> Option<&Unfolding> {
        self.journey_state.as_ref()?.unfolding.as_deref()
    }

    fn repeat(&mut self, repeats: bool) {
        if let Some(journey_state) = &self.journey_state {
            let present = journey_state.present().step;
            self.inspection.effects = if repeats { Effects::Repeated } else { Effects::Refused { present } };
            journey_state.repeats(repeats);
        }
    }

    /// The instance is about to raise an error, to wait for input, or to end: this must be the present. `why`
    /// describes it; `view` is the innermost frame.
    pub fn cannot_go_on(&mut self, vm: &mut Vm, view: Option<FrameView>, why: &str) -> Result<(), Stop> {
        let step = vm.steps.now();
        if let Some(unfolding) = self.unfolding() {
            unfolding.ended.borrow_mut().get_or_insert(EndOfUnfolding::Waits);
            return Err(terminate(vm));
        }
        if let Some(journey_state) = &mut self.journey_state
            && step < journey_state.present().step
        {
            journey_state.end = Some(JourneyEnd::Lost(format!("run again, the program {why} (step {step})")));
            return Err(terminate(vm));
        }
        let searches = self.search().is_some() || vm.output_watch.is_some();
        if let Some(view) = view.filter(|_| searches) {
            if let Some(present) = self.journey_state.as_ref().map(JourneyState::present) {
                self.intervene(vm, &view, present)?;
            }
            self.search_arrives(vm, &view);
        }
        self.journey_state.iter_mut().for_each(|journey_state| journey_state.end_output(vm));
        if let Some(journey_state) = &mut self.journey_state
            && journey_state.has_arrived
        {
            journey_state.end = Some(JourneyEnd::Present);
        }
        Err(terminate(vm))
    }
}

/// The step of the first place of each call in progress, outermost first.
fn begins(vm: &Vm, view: &FrameView) -> Vec<u64> {
    let all = frames(vm, *view, usize::MAX);
    all.iter().rev().map(|frame| vm.frames.step_before(frame.fp).saturating_add(1)).collect()
}
