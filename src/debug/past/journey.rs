//! What an instance of the past does on its way, and where it arrives.

use crate::api::{BreakpointId, Failure, FailureKind, StopReason};
use crate::interp::flags::STEP;
use crate::interp::vm::{CallSite, Pending, Stop, Vm};
use crate::interp::watch;
use crate::value::{Type, Value};

use super::super::engine::Engine;
use super::super::frames::FrameView;
use super::super::stops::{Halt, terminate};
use super::super::time::history::{Aim, JourneyEnd};
use super::super::time::plan::{Hit, Note};
use super::super::time::position::Position;
use super::super::time::underway::Underway;

/// A return that may be stopped at: the call, and its result.
pub(crate) type Returned = (CallSite, Option<(Value, Type)>);

/// What is to happen at a position.
pub(in super::super) enum Then {
    /// What the program would do anyway.
    Proceed,
    /// Nothing.
    Pass,
    Arrive,
    End,
}

impl Engine {
    /// An instance of the past has come to a place, or back to a call. Says whether that is all that is to
    /// happen there.
    pub(in super::super) fn passes(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        position: Position,
        returned: Option<Returned>,
    ) -> Result<bool, Stop> {
        self.intervene(vm, view, position)?;
        match self.then(vm, view, position) {
            Then::Proceed => Ok(false),
            Then::Pass => Ok(true),
            Then::End => Err(terminate(vm)),
            Then::Arrive => {
                let halt = Halt { phase: position.phase, ..self.arrive(vm, view, returned) };
                self.stop(vm, *view, halt)?;
                Ok(true)
            }
        }
    }

    /// An `Error` value has come into being. What an instance of the past does there; the live program does
    /// what it would do anyway.
    pub(in super::super) fn passes_error_value(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        position: Position,
        error: &Value,
    ) -> Result<Then, Stop> {
        if self.underway.as_ref().is_some_and(|underway| underway.has_intervention(position)) {
            let is_named = self.name_error(vm, error.clone()).is_ok();
            let done = self.intervene(vm, view, position);
            if is_named {
                self.temporaries.pop(vm);
            }
            done?;
        }
        Ok(self.then(vm, view, position))
    }

    /// Takes note of a position at which the program would stop, if that is what the journey is for.
    pub(in super::super) fn notes_hit(&mut self, position: Position) -> bool {
        let Some(underway) = self.underway.as_mut().filter(|underway| underway.looks_for_hits()) else {
            return false;
        };
        underway.hit(Hit { position, breakpoints: Vec::new() });
        true
    }

    fn then(&mut self, vm: &mut Vm, view: &FrameView, position: Position) -> Then {
        let looks_for_hits = self.underway.as_ref().is_some_and(Underway::looks_for_hits);
        let hits = if looks_for_hits { self.hits_at(vm, view, position) } else { Vec::new() };
        let depth = vm.depth();
        let line = (view.at.file, vm.program.sources.line(view.at));
        let Some(underway) = &mut self.underway else { return Then::Proceed };
        let is_error_value = position.phase.error_value() > 0;
        underway.report(position.step);
        vm.steps.set_goal(underway.goal());
        let present = underway.journey.present;
        if underway.has_arrived {
            if position >= present {
                underway.end = Some(JourneyEnd::Present);
                return Then::End;
            }
            if position.step >= present.step {
                vm.watch_return(true);
            }
            return Then::Proceed;
        }
        match &underway.journey.aim {
            Aim::Arrive(wanted, _) => {
                if position >= *wanted {
                    return Then::Arrive;
                }
                // It is behind a return, or the first place that can be stopped at.
                if position.step >= wanted.step {
                    vm.watch_return(true);
                    vm.steps.set_all(STEP, true);
                }
            }
            Aim::Note(from, until) => {
                if position >= *until {
                    let (notes, calls) = (&mut underway.notes, &mut underway.calls);
                    underway.end = Some(JourneyEnd::Notes(std::mem::take(notes), std::mem::take(calls)));
                    return Then::End;
                }
                if position.step >= *from && !is_error_value {
                    underway.note(Note { position, depth, line, back_edge: view.back_edge });
                    vm.watch_return(true);
                    vm.steps.set_all(STEP, true);
                }
            }
            Aim::Hits(from, until) => {
                if position >= *until {
                    underway.end = Some(JourneyEnd::Hits(std::mem::take(&mut underway.hits)));
                    return Then::End;
                }
                if is_error_value && position >= *from {
                    return Then::Proceed;
                }
                if !hits.is_empty() && position >= *from {
                    underway.hit(Hit { position, breakpoints: hits });
                }
            }
            Aim::Search(until, _) => {
                let until = *until;
                return self.search_on(vm, view, position, until);
            }
        }
        Then::Pass
    }

    fn search_on(&mut self, vm: &mut Vm, view: &FrameView, position: Position, until: Position) -> Then {
        if position >= until {
            self.search_arrives(vm, view);
            return Then::End;
        }
        if position.phase.error_value() > 0 {
            return Then::Pass;
        }
        self.collect_writes(vm, view, position);
        // It may be behind a return.
        let is_near = position.step >= until.step;
        if is_near {
            vm.watch_return(true);
        }
        let polls = is_near || self.search_polls(position.step);
        vm.steps.set_all(STEP, polls);
        Then::Pass
    }

    /// The breakpoints that a place hits, whatever their hit conditions.
    fn hits_at(&mut self, vm: &mut Vm, view: &FrameView, position: Position) -> Vec<BreakpointId> {
        if position != Position::place(vm.steps.now()) {
            return Vec::new();
        }
        let tested = vm.tested.take();
        let candidates = self.placing.borrow().breakpoints.candidates(view.func, view.stmt, view.back_edge);
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

    /// The journey has arrived. How the program stops there.
    pub(in super::super) fn arrive(
        &mut self,
        vm: &mut Vm,
        view: &FrameView,
        returned: Option<Returned>,
    ) -> Halt {
        vm.steps.set_all(STEP, false);
        let Some(underway) = &mut self.underway else { return StopReason::Step.into() };
        underway.has_arrived = true;
        let Aim::Arrive(_, arrival) = &underway.journey.aim else { return StopReason::Step.into() };
        let line = vm.program.sources.line(view.at);
        let (written, sentence) = arrival.written.clone().unzip();
        let sentence = sentence.or_else(|| match (arrival.reason, arrival.breakpoints.first()) {
            (StopReason::Restart | StopReason::Exception, _) => None,
            (_, Some(id)) => Some(format!("Back at breakpoint {}", id.0)),
            (_, None) => Some(format!("Back at line {line}")),
        });
        let halt = Halt {
            written,
            breakpoints: arrival.breakpoints.clone(),
            sentence,
            returned,
            ..arrival.reason.into()
        };
        vm.steps.set_goal(underway.goal());
        self.arm_breakpoints(vm);
        halt
    }

    /// Lets the session's breakpoints stop the program from now on.
    pub(in super::super) fn arm_breakpoints(&mut self, vm: &mut Vm) {
        let Some(debugged) = self.debugged() else { return };
        let mut placing = self.placing.borrow_mut();
        placing.place_all(vm, debugged);
        // Hits count in the direction of travel, anew for each journey.
        placing.breakpoints.reset_hits();
    }

    /// Does again what the debugger did to the program here.
    fn intervene(&mut self, vm: &mut Vm, view: &FrameView, position: Position) -> Result<(), Stop> {
        while let Some(next) =
            self.underway.as_mut().and_then(|underway| underway.take_intervention(position))
        {
            // It failed the first time, too, if it fails.
            self.repeat(true);
            let _ = self.inspect(vm, view, next.request);
            self.repeat(false);
            watch::forget_writes(vm);
            if let Pending::Terminated = vm.pending {
                return Err(Stop);
            }
        }
        Ok(())
    }

    fn repeat(&mut self, repeats: bool) {
        self.is_intervening = repeats;
        if let Some(underway) = &self.underway {
            underway.repeats(repeats);
        }
    }

    /// An instance of the past has come to an error, to a wait, or to its end, as `why` says: that is the
    /// present. `view`: where it stands.
    pub(in super::super) fn cannot_go_on(
        &mut self,
        vm: &mut Vm,
        view: Option<FrameView>,
        why: &str,
    ) -> Result<(), Stop> {
        let step = vm.steps.now();
        if let Some(underway) = &mut self.underway
            && step < underway.present().step
        {
            underway.end = Some(JourneyEnd::Lost(format!("run again, the program {why} (step {step})")));
            return Err(terminate(vm));
        }
        if let Some(view) = view.filter(|_| self.search().is_some()) {
            if let Some(present) = self.underway.as_ref().map(Underway::present) {
                self.intervene(vm, &view, present)?;
            }
            self.search_arrives(vm, &view);
        }
        if let Some(underway) = &mut self.underway
            && underway.has_arrived
        {
            underway.end = Some(JourneyEnd::Present);
        }
        Err(terminate(vm))
    }

    /// What is said of a change in the past.
    pub(in super::super) fn refusal_of_changes(&self, vm: &Vm) -> Option<Failure> {
        let underway = self.underway.as_ref().filter(|_| !self.is_intervening)?;
        let (step, present) = (vm.steps.now(), underway.present().step);
        let message = format!("Cannot change anything: this is the past (step {step} of {present})");
        Some(Failure::new(FailureKind::WrongState, message))
    }
}
