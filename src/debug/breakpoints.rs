//! Breakpoints of a program: where they are, and whether one is hit.

use std::rc::Rc;

use foldhash::HashMap;

use crate::interp::slots::Fp;
use crate::interp::vm::{Pending, Stop, Vm, Wide};
use crate::program::{FuncId, StmtId};

use super::engine::{Engine, terminate};
use super::inspect::FrameView;
use super::line_table::Resolved;
use super::messages::{BreakpointSpec, BreakpointState};

/// A condition, made ready for one function.
pub(crate) type Condition = Rc<dyn Fn(&mut Vm, Fp) -> Result<bool, Wide>>;

struct Breakpoint {
    place: Option<Resolved>,
    /// The condition for each function that has statements on the line.
    conditions: HashMap<FuncId, Condition>,
}

/// All breakpoints, by number.
#[derive(Default)]
pub(crate) struct Breakpoints {
    all: std::collections::BTreeMap<u32, Breakpoint>,
    /// Numbers of the breakpoints at a statement; `true` where it is a header that counts only when it
    /// comes back_edge.
    at: HashMap<StmtId, Vec<(u32, bool)>>,
}

impl Breakpoints {
    /// The breakpoints that control may hit at a statement, in order, with their conditions.
    fn candidates(&self, func: FuncId, stmt: StmtId, back_edge: bool) -> Vec<(u32, Option<Condition>)> {
        let ids = self.at.get(&stmt).map_or(&[][..], Vec::as_slice);
        let candidates = ids.iter().filter(|(_, only_back_edge)| back_edge || !only_back_edge);
        let condition = |id| self.all.get(id).and_then(|b| b.conditions.get(&func)).cloned();
        candidates.map(|(id, _)| (*id, condition(id))).collect()
    }

    /// Takes a breakpoint away; gives the statements whose flags may change: whether any is left there
    /// and whether what is left has a condition.
    pub fn remove(&mut self, id: u32) -> Vec<(StmtId, bool, bool)> {
        self.all.remove(&id);
        let mut changed = Vec::new();
        for (stmt, ids) in &mut self.at {
            let before = ids.len();
            ids.retain(|(other, _)| *other != id);
            if ids.len() != before {
                changed.push(*stmt);
            }
        }
        self.at.retain(|_, ids| !ids.is_empty());
        changed
            .into_iter()
            .map(|stmt| (stmt, self.at.contains_key(&stmt), self.is_conditional(stmt)))
            .collect()
    }

    fn insert(&mut self, id: u32, breakpoint: Breakpoint) -> Vec<StmtId> {
        let mut touched = Vec::new();
        if let Some(place) = &breakpoint.place {
            for stmt in &place.entries {
                touched.push((*stmt, false));
            }
            for stmt in place.headers.iter().filter(|s| !place.entries.contains(s)) {
                touched.push((*stmt, true));
            }
        }
        for (stmt, only_back_edge) in &touched {
            let ids = self.at.entry(*stmt).or_default();
            ids.push((id, *only_back_edge));
            ids.sort_unstable();
        }
        self.all.insert(id, breakpoint);
        touched.into_iter().map(|(stmt, _)| stmt).collect()
    }

    /// Whether all there is at a statement is one breakpoint with a condition.
    fn is_conditional(&self, stmt: StmtId) -> bool {
        self.single(stmt).is_some_and(|b| !b.conditions.is_empty())
    }

    fn single(&self, stmt: StmtId) -> Option<&Breakpoint> {
        match self.at.get(&stmt)?.as_slice() {
            [(id, false)] => self.all.get(id),
            _ => None,
        }
    }

    /// The condition that the statement itself may test before asking, if there is exactly one.
    pub fn condition_of(&self, stmt: StmtId) -> Option<Condition> {
        self.single(stmt)?.conditions.values().next().cloned()
    }
}

/// A breakpoint that stops the program.
pub(super) enum Hit {
    /// Its number, and why its condition failed if it did.
    Breakpoint(u32, Option<String>),
    /// A pause that has interrupted a condition.
    Interrupted,
}

/// What went wrong in a condition, as text.
fn failure(pending: Pending) -> String {
    match pending {
        Pending::Error(error) => format!("condition failed: {}", error.message),
        Pending::Exit(_) => "condition failed: exit() cannot be called in a condition".into(),
        _ => "condition gave no bool".into(),
    }
}

impl Engine {
    /// The lowest breakpoint that is hit here.
    pub(super) fn hit(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        stmt: StmtId,
        back_edge: bool,
    ) -> Result<Option<Hit>, Stop> {
        // The statement may have tested its condition itself, which may have effects: not once more then.
        let mut tested = vm.tested.take();
        let Some(func) = vm.program.statement(stmt).map(|info| info.func) else { return Ok(None) };
        for (id, condition) in self.breakpoints.candidates(func, stmt, back_edge) {
            let Some(condition) = condition else { return Ok(Some(Hit::Breakpoint(id, None))) };
            let result = match tested.take() {
                Some(Pending::None) => Ok(true),
                Some(pending) => Err(pending),
                None => self.test(vm, fp, &condition)?,
            };
            match result {
                Ok(true) => return Ok(Some(Hit::Breakpoint(id, None))),
                Ok(false) => {}
                Err(Pending::Terminated) if self.pause => return Ok(Some(Hit::Interrupted)),
                Err(Pending::Terminated) => return Err(terminate(vm)),
                Err(pending) => return Ok(Some(Hit::Breakpoint(id, Some(failure(pending))))),
            }
        }
        Ok(None)
    }

    /// Sets a breakpoint or replaces the one with its number.
    pub(super) fn add_breakpoint(
        &mut self,
        vm: &mut Vm,
        spec: BreakpointSpec,
    ) -> Result<BreakpointState, String> {
        let place = self.places.resolve(&vm.program, &spec.path, spec.line);
        let mut conditions = HashMap::default();
        if let (Some(text), Some(place)) = (&spec.condition, &place) {
            for stmt in place.entries.iter().chain(&place.headers) {
                let Some(info) = vm.program.statement(*stmt) else { continue };
                if conditions.contains_key(&info.func) {
                    continue;
                }
                let view =
                    FrameView { fp: vm.globals, func: info.func, stmt: *stmt, at: info.at, back_edge: false };
                conditions.insert(view.func, self.condition(vm, &view, text)?);
            }
        }
        for (stmt, any, conditional) in self.breakpoints.remove(spec.id) {
            self.arm(vm, stmt, any, conditional);
        }
        let state = BreakpointState {
            id: spec.id,
            verified: place.is_some(),
            line: place.as_ref().map_or(spec.line, |p| p.line),
            message: place
                .is_none()
                .then(|| "there is no statement here or below in this function".to_string()),
        };
        for stmt in self.breakpoints.insert(spec.id, Breakpoint { place, conditions }) {
            let conditional = self.breakpoints.is_conditional(stmt);
            self.arm(vm, stmt, true, conditional);
        }
        Ok(state)
    }
}
