//! An instance of the past on its journey: what it does at each position, and where it cannot go on.
use crate::debug::history::journey_state::JourneyState;
use crate::debug::history::messages::Intervention;
use crate::debug::history::position::RunPosition;
use crate::debug::history::visit::{Here, JourneyEnd, PositionAction};
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::{ChangePolicy, Inspection};
use crate::debug::inspect::variable_snapshot::VariableSnapshot;
use crate::debug::running::halt::{Returned, terminate};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Pending, Stop, Vm};
use ez_runtime::interp::watch;
use ez_runtime::source::Span;
use ez_runtime::value::Value;

impl JourneyState {
    /// Prepares a new instance.
    pub fn begin(&mut self, vm: &mut Vm, inspection: &mut Inspection) {
        inspection.handles.go_on_after(self.journey.last_handle);
        inspection.shown_before = self.journey.shown.take();
        inspection.change_policy = ChangePolicy::Refused { present: self.present().step };
        let mut breakpoints = inspection.breakpoints.borrow_mut();
        // Instances stop before the end of the program, also because of an error.
        breakpoints.keeps_history = true;
        breakpoints.end_run_to(vm);
        breakpoints.unplace_all(vm);
        breakpoints.table.ignore_hit_conditions(false);
        drop(breakpoints);
        self.visit.begin(vm, inspection, &self.replay);
        vm.steps.set_goal(self.goal(vm.steps.now()));
    }

    /// The result, after the run, whose last step this is.
    pub fn finish(mut self, inspection: &mut Inspection, step: u64) -> JourneyEnd {
        inspection.shown_before = self.shown.take().or(inspection.shown_before.take());
        self.ended(step)
    }

    /// Called at each place that flags or goal select.
    pub fn place(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) {
        if self.visit.place(vm, inspection, view) {
            vm.steps.set_goal(self.goal(vm.steps.now()));
        }
    }

    /// Called when the instance has reached a position. Returns what it does there.
    ///
    /// # Errors
    /// If a change of the client cannot be repeated: the instance is to end.
    pub fn position(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        position: RunPosition,
        returned: Option<Returned>,
    ) -> Result<PositionAction, Stop> {
        self.intervene(vm, inspection, view, position)?;
        self.watch_for_intervention(vm, position.step);
        self.report(position.step);
        let replay = &self.replay;
        let action = self.visit.visit(&mut Here { vm, inspection, view, position, replay, returned });
        vm.steps.set_goal(self.goal(position.step));
        Ok(action)
    }

    /// Called when an `Error` value was created. Returns what the instance does there.
    pub fn error_value(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        position: RunPosition,
        error: &Value,
    ) -> Result<PositionAction, Stop> {
        if self.has_intervention(position) {
            inspection.with_error(vm, error.clone(), |vm, inspection| {
                self.intervene(vm, inspection, view, position)
            })?;
        }
        self.position(vm, inspection, view, position, None)
    }

    /// A statement has written something watched; `view` is its frame.
    pub fn wrote(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) {
        self.visit.wrote(vm, inspection, view);
    }

    /// A call has returned to the frame `caller`; `call` is where it was made.
    pub fn returned(&mut self, vm: &mut Vm, inspection: &mut Inspection, caller: Fp, call: Option<Span>) {
        self.visit.returned(vm, inspection, caller, call);
    }

    /// Called when a stop is over: remembers what the client has seen.
    pub fn note_shown(&mut self, vm: &mut Vm, inspection: &mut Inspection, view: &FrameView) {
        self.shown = Some(VariableSnapshot::at(vm, &mut inspection.handles, view));
    }

    /// Repeats the changes that the client made to the program at this position.
    fn intervene(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        position: RunPosition,
    ) -> Result<(), Stop> {
        self.repeat_all(vm, inspection, view, |state| state.take_intervention(position))?;
        if let Some(step) = self.missed(position) {
            let why =
                format!("run again, the program does not come to the change by the client at step {step}");
            self.lost = Some(why);
            return Err(terminate(vm));
        }
        Ok(())
    }

    /// The program waits for something. Repeats the changes that the client made to it in the same wait.
    ///
    /// # Errors
    /// If it goes no further.
    pub fn waits(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: Option<&FrameView>,
    ) -> Result<(), Stop> {
        if let Some(view) = view
            && self.repeat_all(vm, inspection, view, JourneyState::take_intervention_in_wait)?
        {
            return Ok(());
        }
        Err(self.cannot_go_on(vm, inspection, view, "waits for something that did not happen", false))
    }

    /// The program has raised this run-time error. Repeats the changes that the client made to it there; `why` is
    /// the reason if it goes no further.
    ///
    /// # Errors
    /// If it goes no further.
    pub fn raised(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: Option<&FrameView>,
        error: Value,
        why: &str,
    ) -> Result<(), Stop> {
        let step = vm.steps.now();
        if let Some(view) = view {
            inspection.with_error(vm, error, |vm, inspection| {
                self.repeat_all(vm, inspection, view, |state| state.take_intervention_at_error(step))
            })?;
        }
        if self.goes_on_after_error(step) {
            return Ok(());
        }
        Err(self.cannot_go_on(vm, inspection, view, why, false))
    }

    /// Makes sure that the engine is called where the next change is to be repeated, if that is before the next
    /// place.
    fn watch_for_intervention(&mut self, vm: &mut Vm, step: u64) {
        if self.intervenes_within(step) {
            vm.watch_return(true);
        }
    }

    /// Repeats changes of the client as long as `next` takes one. Returns whether there were any.
    fn repeat_all(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: &FrameView,
        mut next: impl FnMut(&mut JourneyState) -> Option<Intervention>,
    ) -> Result<bool, Stop> {
        let mut has_changed = false;
        while let Some(next) = next(self) {
            has_changed = true;
            // If it failed in the live program, it fails here, too.
            let policy = std::mem::replace(&mut inspection.change_policy, ChangePolicy::Repeated);
            self.replay.keep_evaluations(true);
            let _ = inspection.inspect(vm, view, None, next.request);
            self.replay.keep_evaluations(false);
            inspection.change_policy = policy;
            let changes = watch::forget_writes(vm);
            self.visit.repeated(vm, inspection, view, changes);
            if let Pending::Terminated = vm.pending {
                return Err(Stop);
            }
        }
        Ok(has_changed)
    }

    /// The instance is about to raise an error, to wait for input, or to end (`is_end`): this must be the present.
    /// `why` describes it; `view` is the innermost frame.
    pub fn cannot_go_on(
        &mut self,
        vm: &mut Vm,
        inspection: &mut Inspection,
        view: Option<&FrameView>,
        why: &str,
        is_end: bool,
    ) -> Stop {
        let (step, present) = (vm.steps.now(), self.present());
        if self.visit.is_cut_short(is_end) {
            return terminate(vm);
        }
        if step < present.step {
            self.lost = Some(format!("run again, the program {why} (step {step})"));
            return terminate(vm);
        }
        if let Some(view) = view.filter(|_| self.visit.watches_changes())
            && let Err(stop) = self.intervene(vm, inspection, view, present)
        {
            return stop;
        }
        self.visit.reaches_present(vm, inspection, view);
        terminate(vm)
    }
}
