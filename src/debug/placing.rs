//! Requests about breakpoints: carried out on the table of breakpoints, and on the flags of the
//! statements where they stop.
//!
//! Apart from the engine, so that they are also carried out while the engine tests a condition that does
//! not end.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use foldhash::HashMap;

use crate::api::{Breakpoint, BreakpointRequest, BreakpointSpec, Failure, FailureKind, Location, Response};
use crate::interp::flags::{BREAKPOINT, CONDITION};
use crate::interp::vm::Vm;
use crate::program::StmtId;
use crate::source::Span;

use super::breakpoints::{Arming, Breakpoints, Placed};
use super::control::InterruptHandle;
use super::frames::{FrameView, location};
use super::line_table::Resolved;
use super::paths;
use super::program::DebuggedProgram;

/// The breakpoints of a session, and the program that they stop.
pub(super) struct Placing {
    pub breakpoints: Breakpoints,
    /// The working directory of the session, absolute: where relative paths start.
    pub directory: PathBuf,
    pub program: Option<Rc<DebuggedProgram>>,
    interrupt: InterruptHandle,
}

impl Placing {
    /// No breakpoints, and no program.
    pub fn new(directory: PathBuf, interrupt: InterruptHandle) -> Placing {
        Placing { breakpoints: Breakpoints::default(), directory, program: None, interrupt }
    }

    /// Carries out a request. `vm` is the machine of the loaded program, if there is one.
    pub fn change(&mut self, vm: Option<&mut Vm>, request: BreakpointRequest) -> Result<Response, Failure> {
        match request {
            BreakpointRequest::Set(spec) => self.set_breakpoint(vm, spec),
            BreakpointRequest::Clear { file, line } => {
                if let Some(id) = self.breakpoints.find(&self.directory, &file, line) {
                    let touched = self.breakpoints.remove(id);
                    self.arm(vm, touched);
                }
                Ok(Response::BreakpointCleared)
            }
        }
    }

    fn set_breakpoint(&mut self, mut vm: Option<&mut Vm>, spec: BreakpointSpec) -> Result<Response, Failure> {
        let identity = paths::identity(&paths::absolute(&self.directory, &spec.file));
        // Whatever is wrong is found before anything is changed.
        let placed = match vm.as_deref_mut() {
            Some(vm) => Some(match self.resolve(&identity, spec.line) {
                Ok(resolved) => Ok(self.with_conditions(vm, resolved, spec.condition.as_deref())?),
                Err(why) => Err(why),
            }),
            None => None,
        };
        let (id, mut touched) = self.breakpoints.set(&self.directory, spec);
        if let Some(placed) = placed {
            touched.extend(self.breakpoints.place(id, placed));
        }
        self.arm(vm, touched);
        let locate = |at: Span| self.locate(at);
        let breakpoint = self.breakpoints.describe(id, locate);
        let failure = || Failure::new(FailureKind::NotFound, "the breakpoint is gone");
        breakpoint.map(Response::BreakpointSet).ok_or_else(failure)
    }

    /// Places all breakpoints in a program that has just been loaded; gives those whose condition is
    /// wrong.
    pub fn place_all(&mut self, vm: &mut Vm, program: Rc<DebuggedProgram>) -> Vec<Breakpoint> {
        self.program = Some(program);
        let mut all_wrong = Vec::new();
        for id in self.breakpoints.ids() {
            let Some((identity, spec)) = self.breakpoints.asked(id) else { continue };
            let (identity, spec) = (identity.to_path_buf(), spec.clone());
            let (placed, wrong) = match self.resolve(&identity, spec.line) {
                Ok(resolved) => match self.with_conditions(vm, resolved, spec.condition.as_deref()) {
                    Ok(placed) => (Ok(placed), false),
                    Err(failure) => (Err(failure.message), true),
                },
                Err(why) => (Err(why), false),
            };
            let touched = self.breakpoints.place(id, placed);
            self.arm(Some(vm), touched);
            if wrong {
                all_wrong.extend(self.breakpoints.describe(id, |at| self.locate(at)));
            }
        }
        all_wrong
    }

    fn resolve(&self, identity: &Path, line: u32) -> Result<Resolved, String> {
        let program = self.program.as_ref().ok_or("no program is loaded")?;
        program.lines.resolve(identity, line).map_err(str::to_string)
    }

    /// The condition compiled for each function that has statements on the line.
    fn with_conditions(
        &self,
        vm: &mut Vm,
        resolved: Resolved,
        condition: Option<&str>,
    ) -> Result<Placed, Failure> {
        let mut conditions = HashMap::default();
        if let (Some(text), Some(program)) = (condition, &self.program) {
            for stmt in resolved.entries.iter().chain(&resolved.headers) {
                let Some(info) = vm.program.statement(*stmt) else { continue };
                let (func, at) = (info.func, info.at);
                if conditions.contains_key(&func) {
                    continue;
                }
                let view = FrameView { fp: vm.globals, func, stmt: *stmt, at, back_edge: false };
                conditions.insert(func, program.condition(vm, &view, text)?);
            }
        }
        Ok(Placed { resolved, conditions })
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
                Arming::None => (false, None),
                Arming::Ask => (true, None),
                Arming::Condition(condition) => (false, Some(condition)),
            };
            self.interrupt.set_for(index, BREAKPOINT, ask);
            self.interrupt.set_for(index, CONDITION, condition.is_some());
            vm.set_condition(index, condition);
        }
    }
}
