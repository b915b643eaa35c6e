//! Requests that set, replace and change data breakpoints.

use std::collections::BTreeSet;

use crate::api::{
    Breakpoint, BreakpointId, BreakpointOptions, Container, DataTarget, Failure, FailureKind, OptionsChange,
    Others, SetDataBreakpoints,
};
use crate::debug::program::wrong;
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::StmtId;

use super::data::{Watched, unverified};
use super::hit_condition::HitCondition;
use super::manager::{BreakpointManager, changed, checked, no_breakpoint};

/// Finds what a data breakpoint is to watch, given the name of a variable or part and where to look it up.
pub type FindTarget<'a> = dyn Fn(&mut Vm, Container, &str) -> Result<Watched, Failure> + 'a;

impl BreakpointManager {
    /// Replaces all data breakpoints. Variables and parts can be found by name only while the program is
    /// stopped: then `find` is given, with the next statement of the innermost frame.
    pub fn set_data(
        &mut self,
        mut vm: Option<&mut Vm>,
        SetDataBreakpoints { specs, others }: SetDataBreakpoints,
        find: Option<(StmtId, &FindTarget)>,
    ) -> Vec<Breakpoint> {
        const WHY: &str = "the program is not stopped: what it is cannot be found";
        let mut answered = Vec::new();
        for spec in specs {
            let set = match (&spec.target, vm.as_deref_mut(), find) {
                (DataTarget::Same(id), vm, _) => self.keep_data(vm, *id, &spec.options, &others),
                (DataTarget::Named { container, name }, Some(vm), Some((stmt, find))) => {
                    find(vm, *container, name).and_then(|watched| {
                        let mut options = spec.options.clone();
                        if let Some((id, present)) = self.data.find(&watched.target) {
                            options = others.options(id, options, present);
                        }
                        let hit_condition = self.checked_for_data(Some(&*vm), &options)?;
                        let new_id = || self.table.new_id();
                        let id = self.data.set(vm, stmt, watched, (options, hit_condition), new_id);
                        self.described(id)
                    })
                }
                _ => Err(Failure::new(FailureKind::NotFound, WHY)),
            };
            answered
                .push(set.unwrap_or_else(|failure| unverified(self.table.new_id(), spec, failure.message)));
        }
        if let Some(vm) = vm {
            self.keep_only_data(vm, &answered, &others.unknown);
        }
        // One that is requested twice has the options of the last request.
        let now = |set: Breakpoint| self.data.describe(set.id).unwrap_or(set);
        answered.into_iter().map(now).collect()
    }

    /// Removes the data breakpoints that are neither among these nor have these numbers.
    pub fn keep_only_data(&mut self, vm: &mut Vm, kept: &[Breakpoint], ids: &BTreeSet<BreakpointId>) {
        let is_kept =
            |id: &BreakpointId| ids.contains(id) || kept.iter().any(|breakpoint| breakpoint.id == *id);
        for id in self.data.ids().into_iter().filter(|id| !is_kept(id)) {
            self.data.remove(vm, id);
        }
    }

    /// Changes the options of a data breakpoint.
    fn keep_data(
        &mut self,
        vm: Option<&mut Vm>,
        id: BreakpointId,
        options: &BreakpointOptions,
        others: &Others,
    ) -> Result<Breakpoint, Failure> {
        let mut options = options.clone();
        if let Some(present) = self.data.get_mut(id) {
            options = others.options(id, options, &present.options);
        }
        let hit_condition = self.checked_for_data(vm.as_deref(), &options)?;
        let kept = vm.is_some_and(|vm| self.data.change(vm, id, options, hit_condition));
        if kept { self.described(id) } else { Err(no_breakpoint(id)) }
    }

    pub fn change_data(
        &mut self,
        vm: Option<&Vm>,
        id: BreakpointId,
        change: OptionsChange,
    ) -> Result<(), Failure> {
        let entry = self.data.get_mut(id).ok_or_else(|| no_breakpoint(id))?;
        let options = changed(&entry.options, change);
        let hit_condition = self.checked_for_data(vm, &options)?;
        if let Some(entry) = self.data.get_mut(id) {
            (entry.options, entry.hit_condition) = (options, hit_condition);
        }
        Ok(())
    }

    /// Checks the options of a data breakpoint, whose condition is evaluated where something is written; returns the
    /// parsed hit condition.
    pub fn checked_for_data(
        &self,
        vm: Option<&Vm>,
        options: &BreakpointOptions,
    ) -> Result<Option<HitCondition>, Failure> {
        if options.log_message.is_some() {
            return Err(wrong("a data breakpoint has no log message: it stops the program"));
        }
        if let (Some(condition), Some(program), Some(vm)) = (&options.condition, &self.program, vm) {
            program.condition_anywhere(vm.globals, condition, &[], self.effects(), |_| Ok(()))?;
        }
        checked(options)
    }
}
