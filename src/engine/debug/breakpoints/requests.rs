//! Requests about breakpoints.

use std::collections::BTreeSet;

use crate::api::{
    Breakpoint, BreakpointChange, BreakpointHandler, BreakpointId, BreakpointOptions, BreakpointRequest,
    ChangeBreakpoint, ClearBreakpoint, DisableBreakpoint, EnableBreakpoint, ExceptionBreakpoint, Failure,
    FunctionSpec, GetBreakpoints, GetLocations, LineLocation, LineSpec, Others, Position,
    RemoveAllBreakpoints, RemoveBreakpoint, Response, SetBreakpoint, SetBreakpoints, SetDataBreakpoints,
    SetExceptionBreakpoints, SetFunctionBreakpoints, WithdrawBreakpoint,
};
use crate::debug::breakpoints::manager::{BreakpointManager, changed, no_breakpoint};
use crate::debug::breakpoints::table::{Requested, RequestedLine};
use crate::debug::settings::Setting;
use ez_runtime::interp::vm::Vm;

impl BreakpointManager {
    /// Carries out a request. `vm` is the interpreter, if a program is loaded.
    pub fn change(&mut self, vm: Option<&mut Vm>, request: BreakpointRequest) -> Result<Response, Failure> {
        if !request.may_change() {
            return request.answered_by(&mut Requests { breakpoints: self, vm });
        }
        let setting =
            self.settings.is_some().then(|| Setting::Breakpoint(self.table.last(), request.clone()));
        let answer = request.answered_by(&mut Requests { breakpoints: self, vm });
        // What is refused here could be valid where less is known.
        if let (Ok(_), Some(settings), Some(setting)) = (&answer, &mut self.settings, setting) {
            settings.push(setting);
        }
        self.publish();
        answer
    }
}

/// The breakpoints that are asked about or changed, and the interpreter.
struct Requests<'a> {
    breakpoints: &'a mut BreakpointManager,
    vm: Option<&'a mut Vm>,
}

impl Requests<'_> {
    fn is_data(&self, id: BreakpointId) -> bool {
        self.breakpoints.data.describe(id).is_some()
    }

    /// A breakpoint after a change of it.
    fn changed(&self, id: BreakpointId) -> Result<BreakpointChange, Failure> {
        self.breakpoints.described(id).map(|breakpoint| BreakpointChange { breakpoint, removed: false })
    }

    fn change_options(
        &mut self,
        id: BreakpointId,
        change: impl FnOnce(&BreakpointOptions) -> BreakpointOptions,
    ) -> Result<BreakpointChange, Failure> {
        let entry = self.breakpoints.table.get(id).ok_or_else(|| no_breakpoint(id))?;
        let (requested, options) = (entry.requested.clone(), change(&entry.options));
        self.breakpoints.set(self.vm.as_deref_mut(), requested, options)?;
        self.changed(id)
    }

    fn set_enabled(&mut self, id: BreakpointId, enabled: bool) -> Result<BreakpointChange, Failure> {
        if !self.is_data(id) {
            return self.change_options(id, |options| BreakpointOptions { enabled, ..options.clone() });
        }
        if let Some(vm) = &mut self.vm {
            self.breakpoints.data.enable(vm, id, enabled);
        }
        self.changed(id)
    }

    /// Sets breakpoints in place of those with the numbers `old`. Of several at one place, the first is set.
    fn replace(
        &mut self,
        old: &[BreakpointId],
        new: impl Iterator<Item = (Requested, BreakpointOptions)>,
        others: &Others,
    ) -> Vec<Breakpoint> {
        let (mut ids, mut set) = (Vec::new(), BTreeSet::new());
        let mut refused = Vec::new();
        for (requested, options) in new {
            let table = &self.breakpoints.table;
            let present = table.find(&requested).and_then(|id| Some((id, table.get(id)?)));
            let options = match present {
                Some((id, _)) if set.contains(&id) => {
                    refused.push((ids.len(), options));
                    ids.push(id);
                    continue;
                }
                Some((id, present)) => others.options(id, options, &present.options),
                None => options,
            };
            let id = self.breakpoints.set_anyway(self.vm.as_deref_mut(), requested, options);
            ids.push(id);
            set.insert(id);
        }
        let kept: BTreeSet<BreakpointId> = set.iter().chain(&others.unknown).copied().collect();
        let gone: Vec<BreakpointId> = old.iter().copied().filter(|id| !kept.contains(id)).collect();
        let is_disabled = |id: &BreakpointId| others.disables && others.foreign.contains(id);
        let (disabled, removed): (Vec<_>, Vec<_>) = gone.into_iter().partition(is_disabled);
        for id in disabled {
            // It was valid before.
            let _ = self.set_enabled(id, false);
        }
        self.breakpoints.remove_all(self.vm.as_deref_mut(), &removed);
        let mut described = self.breakpoints.all_described(&ids);
        for (index, options) in refused {
            if let Some(breakpoint) = described.get_mut(index) {
                *breakpoint = Breakpoint {
                    options,
                    location: None,
                    verified: false,
                    message: Some(ANOTHER.into()),
                    ..breakpoint.clone()
                };
            }
        }
        described
    }
}

/// Why a breakpoint of a list is not set.
const ANOTHER: &str = "the list has another breakpoint at this place, which is the one that is set";

impl BreakpointHandler for Requests<'_> {
    fn set(&mut self, SetBreakpoint { file, spec }: SetBreakpoint) -> Result<Breakpoint, Failure> {
        let requested = Requested::Line(RequestedLine::new(&self.breakpoints.directory, &file, spec.place));
        let id = self.breakpoints.set(self.vm.as_deref_mut(), requested, spec.options)?;
        self.breakpoints.described(id)
    }

    fn clear(&mut self, ClearBreakpoint { file, line }: ClearBreakpoint) -> Result<(), Failure> {
        let identity = self.breakpoints.identity(&file);
        let there = |requested: &Requested| matches!(requested, Requested::Line(k) if k.location.line == line && k.identity == identity);
        let ids = self.breakpoints.table.ids(there);
        self.breakpoints.remove_all(self.vm.as_deref_mut(), &ids);
        Ok(())
    }

    fn set_all(
        &mut self,
        SetBreakpoints { file, specs, others }: SetBreakpoints,
    ) -> Result<Vec<Breakpoint>, Failure> {
        // The system is asked about the file once.
        let file =
            RequestedLine::new(&self.breakpoints.directory, &file, LineLocation { line: 1, column: None });
        let old = |requested: &Requested| matches!(requested, Requested::Line(line) if line.identity == file.identity);
        let old = self.breakpoints.table.ids(old);
        let new = specs.into_iter().map(|LineSpec { place, options }| {
            (Requested::Line(RequestedLine { location: place, ..file.clone() }), options)
        });
        Ok(self.replace(&old, new, &others))
    }

    fn set_functions(
        &mut self,
        SetFunctionBreakpoints { specs, others }: SetFunctionBreakpoints,
    ) -> Result<Vec<Breakpoint>, Failure> {
        let old = self.breakpoints.table.ids(|requested| matches!(requested, Requested::Function(_)));
        let new =
            specs.into_iter().map(|FunctionSpec { name, options }| (Requested::Function(name), options));
        Ok(self.replace(&old, new, &others))
    }

    fn set_exceptions(
        &mut self,
        wanted: SetExceptionBreakpoints,
    ) -> Result<Vec<ExceptionBreakpoint>, Failure> {
        self.breakpoints.exceptions.set(wanted);
        if let Some(vm) = &mut self.vm {
            self.breakpoints.check_filters(vm);
            vm.error_watch = self.breakpoints.error_watch();
        }
        Ok(self.breakpoints.exceptions.own())
    }

    fn set_data(&mut self, wanted: SetDataBreakpoints) -> Result<Vec<Breakpoint>, Failure> {
        Ok(self.breakpoints.set_data(self.vm.as_deref_mut(), wanted, None))
    }

    fn list(&mut self, GetBreakpoints { file }: GetBreakpoints) -> Result<Vec<Breakpoint>, Failure> {
        let identity = file.map(|file| self.breakpoints.identity(&file));
        let wanted = |requested: &Requested| match requested {
            Requested::Line(line) => identity.as_ref().is_none_or(|wanted| *wanted == line.identity),
            Requested::Function(_) => false,
        };
        Ok(self.breakpoints.all_described(&self.breakpoints.table.ids(wanted)))
    }

    fn locations(&mut self, question: GetLocations) -> Result<Vec<Position>, Failure> {
        self.breakpoints.locations(&question.file, question.first, question.last)
    }

    fn enable(&mut self, EnableBreakpoint(id): EnableBreakpoint) -> Result<BreakpointChange, Failure> {
        self.set_enabled(id, true)
    }

    fn disable(&mut self, DisableBreakpoint(id): DisableBreakpoint) -> Result<BreakpointChange, Failure> {
        self.set_enabled(id, false)
    }

    fn remove(&mut self, RemoveBreakpoint(id): RemoveBreakpoint) -> Result<BreakpointChange, Failure> {
        let breakpoint = self.breakpoints.described(id)?;
        let is_data = self.is_data(id);
        match self.vm.as_deref_mut() {
            Some(vm) if is_data => drop(self.breakpoints.data.remove(vm, id)),
            vm => self.breakpoints.remove_all(vm, &[id]),
        }
        Ok(BreakpointChange { breakpoint, removed: true })
    }

    fn remove_all(&mut self, RemoveAllBreakpoints: RemoveAllBreakpoints) -> Result<(), Failure> {
        let ids = self.breakpoints.table.ids(|_| true);
        self.breakpoints.remove_all(self.vm.as_deref_mut(), &ids);
        self.breakpoints.exceptions.set(SetExceptionBreakpoints::new(Vec::new()));
        if let Some(vm) = &mut self.vm {
            self.breakpoints.keep_only_data(vm, &[], &BTreeSet::new());
            self.breakpoints.end_run_to(vm);
            vm.error_watch = self.breakpoints.error_watch();
        }
        Ok(())
    }

    fn withdraw(&mut self, WithdrawBreakpoint(id): WithdrawBreakpoint) -> Result<(), Failure> {
        self.breakpoints.remove_all(self.vm.as_deref_mut(), &[id]);
        if !self.is_data(id) {
            self.breakpoints.table.give_back(id);
        }
        Ok(())
    }

    fn change(
        &mut self,
        ChangeBreakpoint(id, change): ChangeBreakpoint,
    ) -> Result<BreakpointChange, Failure> {
        if !self.is_data(id) {
            return self.change_options(id, |options| changed(options, change));
        }
        self.breakpoints.change_data(self.vm.as_deref(), id, change)?;
        self.changed(id)
    }
}
