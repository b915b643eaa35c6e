//! Requests about breakpoints: carried out on the table of breakpoints, and on the flags of the
//! statements where they stop.
//!
//! Apart from the engine, so that they are also carried out while the engine tests a condition that does
//! not end.

use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::rc::Rc;

use foldhash::HashMap;

use crate::api::{
    Breakpoint, BreakpointId, BreakpointOptions, BreakpointRequest, DataSpec, DataTarget, Failure,
    FailureKind, FunctionSpec, LinePlace, LineSpec, Location, OptionsChange, Position, Response,
};
use crate::interp::flags::{BREAKPOINT, CONDITION};
use crate::interp::vm::{ErrorWatch, Vm};
use crate::library;
use crate::program::{FuncId, StmtId};
use crate::source::Span;

use super::breakpoints::{Arming, Breakpoints, Compiled, HitCondition, Kind, LineKind, Placed, pieces};
use super::control::InterruptHandle;
use super::data_breakpoints::{DataBreakpoints, unverified};
use super::exceptions::Exceptions;
use super::frames::{FrameView, location};
use super::line_table::Resolved;
use super::paths;
use super::program::{DebuggedProgram, Effects, wrong};
use super::time::history::Setting;

/// The breakpoints of a session, and the program that they stop.
pub(super) struct Placing {
    pub breakpoints: Breakpoints,
    pub data: DataBreakpoints,
    pub exceptions: Exceptions,
    /// The working directory of the session, absolute: where relative paths start.
    pub directory: PathBuf,
    pub program: Option<Rc<DebuggedProgram>>,
    /// Where the program is to stop next, whatever breakpoints there are.
    run_to: Option<Resolved>,
    interrupt: InterruptHandle,
    /// Takes note of the requests, if the program's history is kept.
    pub settings: Option<Vec<Setting>>,
    /// The program stops before it ends, errors included.
    pub keeps_history: bool,
}

impl Placing {
    /// No breakpoints, and no program.
    pub fn new(directory: PathBuf, interrupt: InterruptHandle) -> Placing {
        Placing {
            breakpoints: Breakpoints::default(),
            data: DataBreakpoints::default(),
            exceptions: Exceptions::default(),
            directory,
            program: None,
            run_to: None,
            interrupt,
            settings: Some(Vec::new()),
            keeps_history: false,
        }
    }

    /// Sets statements' flags by another handle; gives the one of before.
    pub fn interrupt_by(&mut self, interrupt: InterruptHandle) -> InterruptHandle {
        std::mem::replace(&mut self.interrupt, interrupt)
    }

    /// Carries out a request. `vm` is the machine of the loaded program, if there is one.
    pub fn change(&mut self, vm: Option<&mut Vm>, request: BreakpointRequest) -> Result<Response, Failure> {
        let is_question =
            matches!(request, BreakpointRequest::List { .. } | BreakpointRequest::Locations { .. });
        if let Some(settings) = self.settings.as_mut().filter(|_| !is_question) {
            settings.push(Setting::Breakpoint(self.breakpoints.last(), request.clone()));
        }
        match request {
            BreakpointRequest::Set { file, spec } => {
                let kind = Kind::Line(LineKind::new(&self.directory, &file, spec.place));
                let id = self.set(vm, kind, spec.options)?;
                self.described(id).map(Response::BreakpointSet)
            }
            BreakpointRequest::Clear { file, line } => {
                let identity = self.identity(&file);
                let there = |kind: &Kind| matches!(kind, Kind::Line(k) if k.place.line == line && k.identity == identity);
                self.remove_all(vm, &self.breakpoints.ids(there));
                Ok(Response::BreakpointCleared)
            }
            BreakpointRequest::SetAll { file, specs } => Ok(self.set_lines(vm, &file, specs)),
            BreakpointRequest::SetFunctions(specs) => Ok(self.set_functions(vm, specs)),
            BreakpointRequest::SetExceptions(specs) => {
                let set = self.exceptions.set(specs);
                if let Some(vm) = vm {
                    vm.error_watch = self.error_watch();
                }
                Ok(Response::Exceptions(set))
            }
            BreakpointRequest::SetData(specs) => Ok(self.set_data_without_stop(vm, specs)),
            BreakpointRequest::List { file } => {
                let identity = file.map(|file| self.identity(&file));
                let wanted = |kind: &Kind| match kind {
                    Kind::Line(line) => identity.as_ref().is_none_or(|wanted| *wanted == line.identity),
                    Kind::Function(_) => false,
                };
                Ok(Response::Breakpoints(self.all_described(&self.breakpoints.ids(wanted))))
            }
            BreakpointRequest::Enable(id, enabled) if self.data.describe(id).is_some() => {
                if let Some(vm) = vm {
                    self.data.enable(vm, id, enabled);
                }
                self.described(id)
                    .map(|breakpoint| Response::BreakpointChanged { breakpoint, removed: false })
            }
            BreakpointRequest::Enable(id, enabled) => {
                let entry = self.breakpoints.get(id).ok_or_else(|| no_breakpoint(id))?;
                let options = BreakpointOptions { enabled, ..entry.options.clone() };
                self.change_options(vm, id, options)
            }
            BreakpointRequest::Remove(id) => {
                let breakpoint = self.described(id)?;
                match vm {
                    Some(vm) if self.data.describe(id).is_some() => drop(self.data.remove(vm, id)),
                    vm => self.remove_all(vm, &[id]),
                }
                Ok(Response::BreakpointChanged { breakpoint, removed: true })
            }
            BreakpointRequest::Change(id, change) if self.data.describe(id).is_some() => {
                self.change_data(id, change)?;
                self.described(id)
                    .map(|breakpoint| Response::BreakpointChanged { breakpoint, removed: false })
            }
            BreakpointRequest::Change(id, change) => {
                let entry = self.breakpoints.get(id).ok_or_else(|| no_breakpoint(id))?;
                let options = changed(&entry.options, change);
                self.change_options(vm, id, options)
            }
            BreakpointRequest::Locations { file, first, last } => self.locations(&file, first, last),
        }
    }

    /// Sets a breakpoint; whatever is wrong is found before anything is changed.
    fn set(
        &mut self,
        mut vm: Option<&mut Vm>,
        kind: Kind,
        options: BreakpointOptions,
    ) -> Result<BreakpointId, Failure> {
        let hit_condition = checked(&options)?;
        let placed = match vm.as_deref_mut() {
            Some(vm) => Some(match self.resolve(&kind) {
                Ok(resolved) => Ok(self.compiled(vm, resolved, &options)?),
                Err(why) => Err(why),
            }),
            None => None,
        };
        let (id, mut touched) = self.breakpoints.set(kind, options, hit_condition);
        if let Some(placed) = placed {
            touched.extend(self.breakpoints.place(id, placed));
        }
        self.arm(vm, touched);
        Ok(id)
    }

    /// Sets a breakpoint; one whose options are wrong stops nowhere and says why.
    fn set_anyway(
        &mut self,
        mut vm: Option<&mut Vm>,
        kind: Kind,
        options: BreakpointOptions,
    ) -> BreakpointId {
        match self.set(vm.as_deref_mut(), kind.clone(), options.clone()) {
            Ok(id) => id,
            Err(failure) => {
                let (id, mut touched) = self.breakpoints.set(kind, options, None);
                touched.extend(self.breakpoints.place(id, Err(failure.message)));
                self.arm(vm, touched);
                id
            }
        }
    }

    fn change_options(
        &mut self,
        vm: Option<&mut Vm>,
        id: BreakpointId,
        options: BreakpointOptions,
    ) -> Result<Response, Failure> {
        let kind =
            self.breakpoints.get(id).map(|entry| entry.kind.clone()).ok_or_else(|| no_breakpoint(id))?;
        self.set(vm, kind, options)?;
        self.described(id).map(|breakpoint| Response::BreakpointChanged { breakpoint, removed: false })
    }

    /// Replaces all breakpoints on writes while the program is not stopped: what there is to watch is known
    /// only at a stop, but those that are set can be kept.
    fn set_data_without_stop(&mut self, mut vm: Option<&mut Vm>, specs: Vec<DataSpec>) -> Response {
        const WHY: &str = "the program is not stopped: what it is cannot be found";
        let mut answered = Vec::new();
        for spec in specs {
            let kept = match &spec.target {
                DataTarget::Same(id) => self.keep_data(vm.as_deref_mut(), *id, &spec.options),
                DataTarget::Named { .. } => Err(Failure::new(FailureKind::NotFound, WHY)),
            };
            answered.push(
                kept.unwrap_or_else(|failure| unverified(self.breakpoints.new_id(), spec, failure.message)),
            );
        }
        if let Some(vm) = vm {
            self.keep_only_data(vm, &answered);
        }
        Response::Breakpoints(answered)
    }

    /// Removes the breakpoints on writes that are not among these.
    pub fn keep_only_data(&mut self, vm: &mut Vm, kept: &[Breakpoint]) {
        let is_kept = |id: &BreakpointId| kept.iter().any(|breakpoint| breakpoint.id == *id);
        for id in self.data.ids().into_iter().filter(|id| !is_kept(id)) {
            self.data.remove(vm, id);
        }
    }

    /// Gives a breakpoint on writes other options.
    pub fn keep_data(
        &mut self,
        vm: Option<&mut Vm>,
        id: BreakpointId,
        options: &BreakpointOptions,
    ) -> Result<Breakpoint, Failure> {
        let hit_condition = checked(options)?;
        let kept = vm.is_some_and(|vm| self.data.change(vm, id, options.clone(), hit_condition));
        if kept { self.described(id) } else { Err(no_breakpoint(id)) }
    }

    fn change_data(&mut self, id: BreakpointId, change: OptionsChange) -> Result<(), Failure> {
        let entry = self.data.get_mut(id).ok_or_else(|| no_breakpoint(id))?;
        let options = changed(&entry.options, change);
        entry.hit_condition = checked(&options)?;
        entry.options = options;
        Ok(())
    }

    fn set_lines(&mut self, mut vm: Option<&mut Vm>, file: &str, specs: Vec<LineSpec>) -> Response {
        let identity = self.identity(file);
        let old = |kind: &Kind| matches!(kind, Kind::Line(line) if line.identity == identity);
        let old = self.breakpoints.ids(old);
        let mut ids = Vec::new();
        for LineSpec { place, options } in specs {
            let kind = Kind::Line(LineKind::new(&self.directory, file, place));
            ids.push(self.set_anyway(vm.as_deref_mut(), kind, options));
        }
        self.replaced(vm, &old, &ids)
    }

    fn set_functions(&mut self, mut vm: Option<&mut Vm>, specs: Vec<FunctionSpec>) -> Response {
        let old = self.breakpoints.ids(|kind| matches!(kind, Kind::Function(_)));
        let mut ids = Vec::new();
        for FunctionSpec { name, options } in specs {
            ids.push(self.set_anyway(vm.as_deref_mut(), Kind::Function(name), options));
        }
        self.replaced(vm, &old, &ids)
    }

    /// Removes the old breakpoints that are not among the new ones, and describes these.
    fn replaced(&mut self, vm: Option<&mut Vm>, old: &[BreakpointId], new: &[BreakpointId]) -> Response {
        let gone: Vec<BreakpointId> = old.iter().copied().filter(|id| !new.contains(id)).collect();
        self.remove_all(vm, &gone);
        Response::Breakpoints(self.all_described(new))
    }

    fn remove_all(&mut self, vm: Option<&mut Vm>, ids: &[BreakpointId]) {
        let touched = ids.iter().flat_map(|id| self.breakpoints.remove(*id)).collect();
        self.arm(vm, touched);
    }

    /// Places all breakpoints in a program that has just been loaded; gives those that have become
    /// something else by that, and whether their condition is wrong.
    pub fn place_all(&mut self, vm: &mut Vm, program: Rc<DebuggedProgram>) -> Vec<(Breakpoint, bool)> {
        let ids = self.breakpoints.ids(|_| true);
        let before = self.all_described(&ids);
        self.program = Some(program);
        self.run_to = None;
        vm.error_watch = self.error_watch();
        let mut changed = Vec::new();
        for (id, before) in ids.into_iter().zip(before) {
            let Some(entry) = self.breakpoints.get(id) else { continue };
            let (kind, options) = (entry.kind.clone(), entry.options.clone());
            let (placed, is_wrong) = match checked(&options).and_then(|_| self.resolved(&kind)) {
                Ok(resolved) => match self.compiled(vm, resolved, &options) {
                    Ok(placed) => (Ok(placed), false),
                    Err(failure) => (Err(failure.message), true),
                },
                Err(failure) => (Err(failure.message), false),
            };
            let touched = self.breakpoints.place(id, placed);
            self.arm(Some(vm), touched);
            changed.extend(self.described(id).ok().filter(|now| *now != before).map(|now| (now, is_wrong)));
        }
        changed
    }

    /// Of which errors the machine tells.
    fn error_watch(&self) -> ErrorWatch {
        let watch = self.exceptions.watch();
        // Positions in a history have the numbers of `Error` values in them.
        let (raised, values) = (watch.raised || self.keeps_history, watch.values || self.keeps_history);
        ErrorWatch { raised, values }
    }

    /// Takes all breakpoints off the program.
    pub fn unplace_all(&mut self, vm: &mut Vm) {
        for id in self.breakpoints.ids(|_| true) {
            let touched = self.breakpoints.place(id, Err("no program is loaded".into()));
            self.arm(Some(&mut *vm), touched);
        }
        vm.error_watch = self.error_watch();
    }

    fn effects(&self) -> Effects {
        if self.keeps_history { Effects::Refused } else { Effects::Allowed }
    }

    /// Makes the program stop at a place, whatever breakpoints there are.
    pub fn run_to(&mut self, vm: &mut Vm, file: &str, place: LinePlace) -> Result<(), Failure> {
        let kind = Kind::Line(LineKind::new(&self.directory, file, place));
        let wrong = |why| Failure::new(FailureKind::NotFound, format!("{file}:{}: {why}", place.line));
        let resolved = self.resolve(&kind).map_err(wrong)?;
        self.end_run_to(vm);
        let touched = resolved.entries.iter().chain(&resolved.headers).copied().collect();
        self.run_to = Some(resolved);
        self.arm(Some(vm), touched);
        Ok(())
    }

    /// Whether the program is to stop at a statement in any case.
    pub fn is_run_to(&self, stmt: StmtId, back_edge: bool) -> bool {
        self.run_to
            .as_ref()
            .is_some_and(|place| place.entries.contains(&stmt) || back_edge && place.headers.contains(&stmt))
    }

    /// The program has stopped.
    pub fn end_run_to(&mut self, vm: &mut Vm) {
        if let Some(Resolved { entries, headers, .. }) = self.run_to.take() {
            self.arm(Some(vm), entries.into_iter().chain(headers).collect());
        }
    }

    /// The breakpoint as clients see it.
    pub fn described(&self, id: BreakpointId) -> Result<Breakpoint, Failure> {
        let found = self.breakpoints.describe(id, |at| self.locate(at)).or_else(|| self.data.describe(id));
        found.ok_or_else(|| no_breakpoint(id))
    }

    /// The breakpoints with these numbers as clients see them.
    pub fn all_described(&self, ids: &[BreakpointId]) -> Vec<Breakpoint> {
        ids.iter().filter_map(|id| self.described(*id).ok()).collect()
    }

    fn locations(&self, file: &str, first: u32, last: u32) -> Result<Response, Failure> {
        let program = self.program.as_ref();
        let program =
            program.ok_or_else(|| Failure::wrong_state("get breakpoint locations", "not initialized"))?;
        let found = program.lines.places(&self.identity(file), first, last);
        let found = found.map_err(|why| Failure::new(FailureKind::NotFound, format!("{file}: {why}")))?;
        let position = |at: &Span| {
            let Location { line, column, .. } = self.locate(*at);
            Position { line, column }
        };
        Ok(Response::Locations(found.iter().map(position).collect()))
    }

    fn identity(&self, file: &str) -> PathBuf {
        paths::identity(&paths::absolute(&self.directory, file))
    }

    fn resolve(&self, kind: &Kind) -> Result<Resolved, String> {
        let program = self.program.as_ref().ok_or("no program is loaded")?;
        match kind {
            Kind::Line(LineKind { identity, place, .. }) => {
                let column = |at| self.locate(at).column;
                program.lines.resolve(identity, *place, column).map_err(str::to_string)
            }
            Kind::Function(name) => function_start(program, name),
        }
    }

    fn resolved(&self, kind: &Kind) -> Result<Resolved, Failure> {
        self.resolve(kind).map_err(|why| Failure::new(FailureKind::NotFound, why))
    }

    /// What the breakpoint needs in each function that has statements at its place.
    fn compiled(
        &self,
        vm: &mut Vm,
        resolved: Resolved,
        options: &BreakpointOptions,
    ) -> Result<Placed, Failure> {
        let mut compiled: HashMap<FuncId, Compiled> = HashMap::default();
        for stmt in resolved.entries.iter().chain(&resolved.headers) {
            let Some(info) = vm.program.statement(*stmt) else { continue };
            let (func, at) = (info.func, info.at);
            if let Entry::Vacant(entry) = compiled.entry(func) {
                let view = FrameView { fp: vm.globals, func, stmt: *stmt, at, back_edge: false };
                entry.insert(self.compiled_for(vm, &view, options)?);
            }
        }
        Ok(Placed { resolved, compiled })
    }

    fn compiled_for(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        options: &BreakpointOptions,
    ) -> Result<Compiled, Failure> {
        let Some(program) = &self.program else { return Ok(Compiled::default()) };
        let condition = options
            .condition
            .as_deref()
            .map(|text| program.condition(vm, view, text, self.effects()))
            .transpose()?;
        let log = options
            .log_message
            .as_deref()
            .map(|text| program.log_message(vm, view, text, self.effects()))
            .transpose()?;
        Ok(Compiled { condition, log })
    }

    fn locate(&self, at: Span) -> Location {
        match &self.program {
            Some(program) => location(&program.program.sources, at),
            None => Location { path: Default::default(), line: 1, column: 1 },
        }
    }

    /// Sets the flags of statements as their breakpoints want them.
    fn arm(&self, vm: Option<&mut Vm>, touched: Vec<StmtId>) {
        let Some(vm) = vm else { return };
        for stmt in touched {
            let Some(func) = vm.program.statement(stmt).map(|info| info.func) else { continue };
            let index = stmt.0 as usize;
            let (ask, condition) = match self.breakpoints.arming(func, stmt) {
                _ if self.is_run_to(stmt, true) => (true, None),
                Arming::None => (false, None),
                Arming::Ask => (true, None),
                Arming::Test(condition) => (false, Some(condition)),
            };
            self.interrupt.set_for(index, BREAKPOINT, ask);
            self.interrupt.set_for(index, CONDITION, condition.is_some());
            vm.set_condition(index, condition);
        }
    }
}

/// The hit condition of a breakpoint, if all of its options that need no program are right.
pub(super) fn checked(options: &BreakpointOptions) -> Result<Option<HitCondition>, Failure> {
    if let Some(message) = &options.log_message {
        pieces(message).map_err(wrong)?;
    }
    options.hit_condition.as_deref().map(HitCondition::parse).transpose().map_err(wrong)
}

fn changed(options: &BreakpointOptions, change: OptionsChange) -> BreakpointOptions {
    BreakpointOptions {
        condition: change.condition.unwrap_or_else(|| options.condition.clone()),
        hit_condition: change.hit_condition.unwrap_or_else(|| options.hit_condition.clone()),
        log_message: change.log_message.unwrap_or_else(|| options.log_message.clone()),
        enabled: options.enabled,
    }
}

fn no_breakpoint(id: BreakpointId) -> Failure {
    Failure::new(FailureKind::NotFound, format!("there is no breakpoint {}", id.0))
}

/// The first statement of the function with this name.
fn function_start(program: &DebuggedProgram, name: &str) -> Result<Resolved, String> {
    let function = program
        .program
        .functions
        .iter()
        .find(|function| function.id != program.program.init && *function.name == *name);
    match function {
        Some(function) => {
            let start = program.lines.function_start(&program.program, function.id);
            start.ok_or_else(|| format!("{name} has no statement"))
        }
        None if is_library_function(name) => {
            Err(format!("{name} is a function of the library: the program cannot be stopped in it"))
        }
        None => Err(format!("there is no function {name}")),
    }
}

fn is_library_function(name: &str) -> bool {
    let (module, function) = name.rsplit_once('.').unwrap_or(("std", name));
    library::MODULES.iter().any(|m| m.name == module && m.row(function).is_some())
}
