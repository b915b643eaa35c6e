//! Carries out requests about breakpoints: changes the tables, and sets the flags of the statements.
//!
//! It is separate from the engine so that it can be used while the engine evaluates a condition that does not
//! end.

use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::rc::Rc;

use foldhash::HashMap;

use crate::api::{
    Breakpoint, BreakpointId, BreakpointLocation, BreakpointOptions, Failure, FailureKind, LineLocation,
    LineSpec, Location, Obstacle, OptionsChange, Position, SetBreakpoint,
};
use crate::debug::breakpoints::data::DataBreakpoints;
use crate::debug::breakpoints::exceptions::Exceptions;
use crate::debug::breakpoints::hit_condition::HitCondition;
use crate::debug::breakpoints::line_table::Resolved;
use crate::debug::breakpoints::log_message::pieces;
use crate::debug::breakpoints::published::PublishedBreakpoints;
use crate::debug::breakpoints::table::{Arming, BreakpointTable, Compiled, Placed, Requested, RequestedLine};
use crate::debug::control::InterruptHandle;
use crate::debug::inspect::frames::{FrameView, location};
use crate::debug::paths;
use crate::debug::program::{DebuggedProgram, Effects, wrong};
use crate::debug::settings::Setting;
use ez_language::check::did_you_mean;
use ez_runtime::interp::flags::{BREAKPOINT, CONDITION};
use ez_runtime::interp::vm::{ErrorWatch, Vm};
use ez_runtime::library;
use ez_runtime::platform::text_of;
use ez_runtime::program::{FuncId, StmtId};
use ez_runtime::source::Span;

/// The breakpoints of a session, and the program that they apply to.
pub struct BreakpointManager {
    pub table: BreakpointTable,
    pub data: DataBreakpoints,
    pub exceptions: Exceptions,
    /// The working directory of the session, absolute: the base of relative paths.
    pub directory: PathBuf,
    pub program: Option<Rc<DebuggedProgram>>,
    /// The target of a `RunTo` request, while the program runs to it.
    run_to: Option<Resolved>,
    interrupt: InterruptHandle,
    /// The requests carried out, if the program's history is kept.
    pub settings: Option<Vec<Setting>>,
    /// Whether the program's history is kept, so that the program stops before it ends, also because of an
    /// error.
    pub keeps_history: bool,
    /// Where the line breakpoints are published, if child processes are to get them.
    published: Option<PublishedBreakpoints>,
}

impl BreakpointManager {
    /// Without breakpoints and without a program.
    pub fn new(directory: PathBuf, interrupt: InterruptHandle) -> BreakpointManager {
        BreakpointManager {
            table: BreakpointTable::default(),
            data: DataBreakpoints::default(),
            exceptions: Exceptions::default(),
            directory,
            program: None,
            run_to: None,
            interrupt,
            settings: Some(Vec::new()),
            keeps_history: false,
            published: None,
        }
    }

    /// Publishes the line breakpoints from now on, or no more; returns where they were published before.
    pub fn publish_to(&mut self, published: Option<PublishedBreakpoints>) -> impl Sized + use<> {
        let before = std::mem::replace(&mut self.published, published);
        self.publish();
        before
    }

    /// Publishes the line breakpoints, if child processes are to get them.
    pub(super) fn publish(&self) {
        let Some(published) = &self.published else { return };
        let ids = self.table.ids(|requested| matches!(requested, Requested::Line(_)));
        let spec = |breakpoint: Breakpoint| match breakpoint.place {
            BreakpointLocation::Line { path, place, .. } => Some(SetBreakpoint {
                file: text_of(path.as_os_str()),
                spec: LineSpec { place, options: breakpoint.options },
            }),
            BreakpointLocation::Function { .. } | BreakpointLocation::Data { .. } => None,
        };
        published.set(self.all_described(&ids).into_iter().filter_map(spec).collect());
    }

    /// Replaces the handle through which statements' flags are set; returns the previous one.
    pub fn interrupt_by(&mut self, interrupt: InterruptHandle) -> InterruptHandle {
        std::mem::replace(&mut self.interrupt, interrupt)
    }

    /// Sets a breakpoint. If it fails, nothing has changed.
    pub fn set(
        &mut self,
        mut vm: Option<&mut Vm>,
        requested: Requested,
        options: BreakpointOptions,
    ) -> Result<BreakpointId, Failure> {
        let hit_condition = checked(&options)?;
        let placed = match vm.as_deref_mut() {
            Some(vm) => Some(match self.resolve(&requested) {
                Ok(resolved) => Ok(self.compiled(vm, resolved, &options)?),
                Err(why) => Err(why),
            }),
            None => None,
        };
        let (id, mut touched) = self.table.set(requested, options, hit_condition);
        if let Some(placed) = placed {
            touched.extend(self.table.place(id, placed));
        }
        self.arm(vm, touched);
        Ok(id)
    }

    /// Sets a breakpoint even if its options are wrong: then it stops nowhere, and has the error as its
    /// message.
    pub fn set_anyway(
        &mut self,
        mut vm: Option<&mut Vm>,
        requested: Requested,
        options: BreakpointOptions,
    ) -> BreakpointId {
        match self.set(vm.as_deref_mut(), requested.clone(), options.clone()) {
            Ok(id) => id,
            Err(failure) => {
                let (id, mut touched) = self.table.set(requested, options, None);
                touched.extend(self.table.place(id, Err(failure.message)));
                self.arm(vm, touched);
                id
            }
        }
    }

    pub fn remove_all(&mut self, vm: Option<&mut Vm>, ids: &[BreakpointId]) {
        let touched = ids.iter().flat_map(|id| self.table.remove(*id)).collect();
        self.arm(vm, touched);
    }

    /// Resolves all breakpoints in a program that was just loaded; returns those that have changed, and
    /// whether their condition is wrong.
    pub fn place_all(&mut self, vm: &mut Vm, program: Rc<DebuggedProgram>) -> Vec<(Breakpoint, bool)> {
        let ids = self.table.ids(|_| true);
        // Those of another run say nothing about this one.
        self.table.reset_hits();
        let before = self.all_described(&ids);
        self.program = Some(program);
        self.run_to = None;
        self.check_filters(vm);
        vm.error_watch = self.error_watch();
        let mut changed = Vec::new();
        for (id, before) in ids.into_iter().zip(before) {
            let Some(entry) = self.table.get(id) else { continue };
            let (requested, options) = (entry.requested.clone(), entry.options.clone());
            let (placed, is_wrong) = match checked(&options).and_then(|_| self.resolved(&requested)) {
                Ok(resolved) => match self.compiled(vm, resolved, &options) {
                    Ok(placed) => (Ok(placed), false),
                    Err(failure) => (Err(failure.message), true),
                },
                Err(failure) => (Err(failure.message), false),
            };
            let touched = self.table.place(id, placed);
            self.arm(Some(vm), touched);
            changed.extend(self.described(id).ok().filter(|now| *now != before).map(|now| (now, is_wrong)));
        }
        changed
    }

    /// Checks the conditions of the exception filters, as far as that is possible before an error has happened.
    pub fn check_filters(&mut self, vm: &Vm) {
        let Some(program) = self.program.clone() else { return };
        let effects = self.effects();
        self.exceptions.check(|filter, condition| {
            program
                .filter_condition(vm.globals, filter, condition, effects)
                .err()
                .map(|failure| failure.message)
        });
    }

    /// Which errors the interpreter has to report.
    pub fn error_watch(&self) -> ErrorWatch {
        let watch = self.exceptions.watch();
        // `Error` values are numbered in the positions of a history.
        let (raised, values) = (watch.raised || self.keeps_history, watch.values || self.keeps_history);
        ErrorWatch { raised, values }
    }

    /// Detaches all breakpoints from the program.
    pub fn unplace_all(&mut self, vm: &mut Vm) {
        for id in self.table.ids(|_| true) {
            let touched = self.table.place(id, Err("no program is loaded".into()));
            self.arm(Some(&mut *vm), touched);
        }
        vm.error_watch = self.error_watch();
    }

    pub(super) fn effects(&self) -> Effects {
        if self.keeps_history { Effects::Refused } else { Effects::Allowed }
    }

    /// Makes the program stop at a place, in addition to the breakpoints.
    pub fn run_to(&mut self, vm: &mut Vm, file: &str, location: LineLocation) -> Result<(), Failure> {
        let requested = Requested::Line(RequestedLine::new(&self.directory, file, location));
        let wrong = |why| Failure::new(FailureKind::NotFound, format!("{file}:{}: {why}", location.line));
        let resolved = self.resolve(&requested).map_err(wrong)?;
        self.end_run_to(vm);
        let touched = resolved.entries.iter().chain(&resolved.headers).copied().collect();
        self.run_to = Some(resolved);
        self.arm(Some(vm), touched);
        Ok(())
    }

    /// Whether a statement is the target of the present `RunTo` request.
    pub fn is_run_to(&self, stmt: StmtId, back_edge: bool) -> bool {
        self.run_to
            .as_ref()
            .is_some_and(|place| place.entries.contains(&stmt) || back_edge && place.headers.contains(&stmt))
    }

    /// The program has stopped: `RunTo` is over.
    pub fn end_run_to(&mut self, vm: &mut Vm) {
        if let Some(Resolved { entries, headers, .. }) = self.run_to.take() {
            self.arm(Some(vm), entries.into_iter().chain(headers).collect());
        }
    }

    /// A breakpoint in the form of the API.
    pub fn described(&self, id: BreakpointId) -> Result<Breakpoint, Failure> {
        let found = self.table.describe(id, |at| self.locate(at)).or_else(|| self.data.describe(id));
        found.ok_or_else(|| no_breakpoint(id))
    }

    /// BreakpointTable in the form of the API.
    pub fn all_described(&self, ids: &[BreakpointId]) -> Vec<Breakpoint> {
        ids.iter().filter_map(|id| self.described(*id).ok()).collect()
    }

    pub fn locations(&self, file: &str, first: u32, last: u32) -> Result<Vec<Position>, Failure> {
        let program = self.program.as_ref();
        let program = program
            .ok_or_else(|| Failure::wrong_state("get breakpoint locations", Obstacle::NotInitialized))?;
        let found = program.lines.places(&self.identity(file), first, last);
        let found = found.map_err(|why| Failure::new(FailureKind::NotFound, format!("{file}: {why}")))?;
        let position = |at: &Span| {
            let Location { line, column, .. } = self.locate(*at);
            Position { line, column }
        };
        Ok(found.iter().map(position).collect())
    }

    pub fn identity(&self, file: &str) -> PathBuf {
        paths::identity(&paths::absolute(&self.directory, file))
    }

    fn resolve(&self, requested: &Requested) -> Result<Resolved, String> {
        let program = self.program.as_ref().ok_or("no program is loaded")?;
        match requested {
            Requested::Line(RequestedLine { identity, location, .. }) => {
                let column = |at| self.locate(at).column;
                program.lines.resolve(identity, *location, column).map_err(str::to_string)
            }
            Requested::Function(name) => function_start(program, name),
        }
    }

    fn resolved(&self, requested: &Requested) -> Result<Resolved, Failure> {
        self.resolve(requested).map_err(|why| Failure::new(FailureKind::NotFound, why))
    }

    /// Compiles a breakpoint's options for each function with a statement at its place.
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
        let (condition, may_last) = condition.unzip();
        let log = options
            .log_message
            .as_deref()
            .map(|text| program.log_message(vm, view, text, self.effects()))
            .transpose()?;
        Ok(Compiled { condition, may_last: may_last.unwrap_or(false), log })
    }

    fn locate(&self, at: Span) -> Location {
        match &self.program {
            Some(program) => location(&program.program.sources, at),
            None => Location { path: Default::default(), line: 1, column: 1 },
        }
    }

    /// Sets the flags of statements according to their breakpoints.
    fn arm(&self, vm: Option<&mut Vm>, touched: Vec<StmtId>) {
        let Some(vm) = vm else { return };
        for stmt in touched {
            let info = vm.program.statement(stmt).map(|info| (info.func, info.loop_scope.is_some()));
            let Some((func, is_loop)) = info else { continue };
            let index = stmt.0 as usize;
            let (ask, condition) = match self.table.arming(func, stmt, is_loop) {
                _ if self.is_run_to(stmt, true) => (true, None),
                Arming::None => (false, None),
                Arming::Ask => (true, None),
                Arming::Test(condition) => (false, Some(condition)),
            };
            self.interrupt.set_for(index, BREAKPOINT, ask);
            self.interrupt.set_for(index, CONDITION, condition.is_some());
            vm.set_condition(stmt, condition);
        }
    }
}

/// Checks those options that can be checked without a program; returns the parsed hit condition.
pub fn checked(options: &BreakpointOptions) -> Result<Option<HitCondition>, Failure> {
    if let Some(message) = &options.log_message {
        pieces(message)?;
    }
    options.hit_condition.as_deref().map(HitCondition::parse).transpose().map_err(wrong)
}

pub fn changed(options: &BreakpointOptions, change: OptionsChange) -> BreakpointOptions {
    BreakpointOptions {
        condition: change.condition.unwrap_or_else(|| options.condition.clone()),
        hit_condition: change.hit_condition.unwrap_or_else(|| options.hit_condition.clone()),
        log_message: change.log_message.unwrap_or_else(|| options.log_message.clone()),
        enabled: options.enabled,
    }
}

pub fn no_breakpoint(id: BreakpointId) -> Failure {
    Failure::new(FailureKind::NotFound, format!("there is no breakpoint {}", id.0))
}

/// Resolves a function breakpoint: modules of the same name may have a function of that name each.
fn function_start(program: &DebuggedProgram, name: &str) -> Result<Resolved, String> {
    let mut found = program
        .program
        .functions
        .iter()
        .filter(|function| function.id != program.program.init && *function.name == *name)
        .peekable();
    match found.peek() {
        Some(_) => {
            let starts = found.filter_map(|it| program.lines.function_start(&program.program, it.id));
            starts.reduce(Resolved::and).ok_or_else(|| format!("{name} has no statement"))
        }
        None if is_library_function(name) => {
            Err(format!("{name} is a function of the library: the program cannot be stopped in it"))
        }
        None => {
            let names = || program.program.functions.iter().map(|function| &*function.name);
            let in_module =
                names().find(|known| known.rsplit_once('.').is_some_and(|(_, last)| last == name));
            let near = match in_module {
                Some(whole) => format!(": did you mean '{whole}'?"),
                None => {
                    did_you_mean(name, names()).map(|near| format!(": {}", near.text)).unwrap_or_default()
                }
            };
            Err(format!("there is no function {name}{near}"))
        }
    }
}

fn is_library_function(name: &str) -> bool {
    let (module, function) = name.rsplit_once('.').unwrap_or(("std", name));
    library::MODULES.iter().any(|m| m.name == module && m.row(function).is_some())
}
