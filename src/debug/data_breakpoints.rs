//! Breakpoints on writes: which variables and parts are watched, and what a write to one means.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::{
    Breakpoint, BreakpointId, BreakpointOptions, BreakpointPlace, DataSpec, DataTarget, LastChangeQuery,
    Limits,
};
use crate::interp::vm::Vm;
use crate::interp::watch::{self, WatchedVariable};
use crate::program::StmtId;
use crate::value::{PartKey, Ref, inspect};

use super::breakpoints::HitCondition;
use super::time::history::{DataWatch, Question};
use super::time::position::Position;

/// What is watched.
#[derive(Clone)]
pub(super) enum Target {
    /// A variable.
    Variable(WatchedVariable),
    /// A part of an object.
    Part(Ref, PartKey),
}

impl Target {
    /// Whether both are the same variable, or the same part of one object.
    fn is_same(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Variable(a), Target::Variable(b)) => a == b,
            (Target::Part(a, key), Target::Part(b, other)) => Rc::ptr_eq(a, b) && is_same_key(key, other),
            (Target::Variable(_) | Target::Part(..), _) => false,
        }
    }
}

fn is_same_key(a: &PartKey, b: &PartKey) -> bool {
    match (a, b) {
        (PartKey::Element(a), PartKey::Element(b)) => a == b,
        (PartKey::Field(a), PartKey::Field(b)) => a == b,
        (PartKey::Entry(a), PartKey::Entry(b)) => inspect(a) == inspect(b),
        (PartKey::Variable, PartKey::Variable) => true,
        _ => false,
    }
}

/// A breakpoint on writes.
pub(super) struct DataEntry {
    target: Target,
    /// Which it is: `field x of p`.
    pub description: String,
    pub options: BreakpointOptions,
    pub hit_condition: Option<HitCondition>,
    pub hits: u32,
    pub meaning: Option<Meaning>,
}

/// What is watched, as an expression where the breakpoint was set.
#[derive(Clone)]
pub(super) struct Meaning {
    pub expression: String,
    pub frame: usize,
    pub position: Position,
}

/// What is to be watched, and what a write to it does.
pub(super) struct Wanted {
    pub target: Target,
    pub description: String,
    pub options: BreakpointOptions,
    pub hit_condition: Option<HitCondition>,
    /// Needed where the past is run again.
    pub meaning: Option<Meaning>,
}

/// The breakpoints on writes of a session. An object that is watched is kept alive by that.
#[derive(Default)]
pub(super) struct DataBreakpoints {
    entries: BTreeMap<BreakpointId, DataEntry>,
}

impl DataBreakpoints {
    /// Their numbers.
    pub fn ids(&self) -> Vec<BreakpointId> {
        self.entries.keys().copied().collect()
    }

    /// Whether a local is watched, so that the return of its frame has to be noticed.
    pub fn has_locals(&self) -> bool {
        let is_local =
            |entry: &DataEntry| matches!(entry.target, Target::Variable(WatchedVariable::Local { .. }));
        self.entries.values().any(is_local)
    }

    /// The breakpoint with this number.
    pub fn get_mut(&mut self, id: BreakpointId) -> Option<&mut DataEntry> {
        self.entries.get_mut(&id)
    }

    /// Its hit condition, if it has one.
    pub fn hit_condition(&self, id: BreakpointId) -> Option<HitCondition> {
        self.entries.get(&id)?.hit_condition
    }

    /// Those that are enabled, as far as their meaning is known.
    pub fn questions(&self) -> Vec<Question> {
        let enabled = self.entries.iter().filter(|(_, entry)| entry.options.enabled);
        let question = |(id, entry): (&BreakpointId, &DataEntry)| {
            let Meaning { expression, frame, position } = entry.meaning.clone()?;
            let query = LastChangeQuery { expression, frame, limits: Limits::PREVIEW };
            let (description, condition) = ((&*entry.description).into(), entry.options.condition.clone());
            let breakpoint = Some(DataWatch { id: *id, description, condition });
            Some(Question { query, asked_at: position, breakpoint })
        };
        enabled.filter_map(question).collect()
    }

    /// Adds a breakpoint, or gives the one on the same target these options. `stmt` is the statement before
    /// which the program is stopped.
    pub fn set(
        &mut self,
        vm: &mut Vm,
        stmt: StmtId,
        wanted: Wanted,
        new_id: impl FnOnce() -> BreakpointId,
    ) -> BreakpointId {
        let Wanted { target, description, options, hit_condition, meaning } = wanted;
        let known = self.entries.iter().find(|(_, entry)| entry.target.is_same(&target)).map(|(id, _)| *id);
        let id = known.unwrap_or_else(new_id);
        // The same target still means what it was set as.
        let (hits, earlier) = self.remove(vm, id).map_or((0, None), |entry| (entry.hits, entry.meaning));
        let meaning = earlier.or(meaning);
        let entry = DataEntry { target, description, options, hit_condition, hits, meaning };
        entry.arm(vm, id, stmt);
        self.entries.insert(id, entry);
        id
    }

    /// Removes a breakpoint.
    pub fn remove(&mut self, vm: &mut Vm, id: BreakpointId) -> Option<DataEntry> {
        watch::unwatch(vm, id.0.into());
        self.entries.remove(&id)
    }

    /// Gives a breakpoint other options; `false` if there is none with this number.
    pub fn change(
        &mut self,
        vm: &mut Vm,
        id: BreakpointId,
        options: BreakpointOptions,
        hit_condition: Option<HitCondition>,
    ) -> bool {
        let Some(entry) = self.entries.get_mut(&id) else { return false };
        (entry.options, entry.hit_condition) = (options, hit_condition);
        let enabled = entry.options.enabled;
        self.enable(vm, id, enabled);
        true
    }

    /// Enables or disables a breakpoint.
    pub fn enable(&mut self, vm: &mut Vm, id: BreakpointId, enabled: bool) {
        if let Some(entry) = self.entries.get_mut(&id) {
            watch::unwatch(vm, id.0.into());
            entry.options.enabled = enabled;
            entry.arm(vm, id, StmtId(u32::MAX));
        }
    }

    /// The program is gone, and with it all that was watched: gives the breakpoints as they were.
    pub fn clear(&mut self) -> Vec<Breakpoint> {
        let gone: Vec<Breakpoint> = self.ids().into_iter().filter_map(|id| self.describe(id)).collect();
        self.entries.clear();
        gone
    }

    /// The frame of a local has ended: gives its breakpoint as it was.
    pub fn ended(&mut self, id: BreakpointId) -> Option<Breakpoint> {
        let mut gone = self.describe(id)?;
        let name = gone_name(&gone);
        self.entries.remove(&id);
        gone.verified = false;
        gone.message = Some(format!("{name} went out of scope"));
        Some(gone)
    }

    /// The breakpoint as clients see it.
    pub fn describe(&self, id: BreakpointId) -> Option<Breakpoint> {
        let DataEntry { description, options, hits, .. } = self.entries.get(&id)?;
        Some(Breakpoint {
            id,
            place: BreakpointPlace::Data { description: description.clone() },
            options: options.clone(),
            verified: true,
            location: None,
            hits: *hits,
            message: None,
        })
    }
}

/// A breakpoint that watches nothing.
pub(super) fn unverified(id: BreakpointId, spec: DataSpec, why: String) -> Breakpoint {
    let description = match spec.target {
        DataTarget::Named { name, .. } => name,
        DataTarget::Same(id) => format!("what breakpoint {} watched", id.0),
    };
    Breakpoint {
        id,
        place: BreakpointPlace::Data { description },
        options: spec.options,
        verified: false,
        location: None,
        hits: 0,
        message: Some(why),
    }
}

/// The name of what a breakpoint watches.
fn gone_name(breakpoint: &Breakpoint) -> String {
    match &breakpoint.place {
        BreakpointPlace::Data { description } => {
            description.strip_prefix("variable ").unwrap_or(description).to_string()
        }
        BreakpointPlace::Line { .. } | BreakpointPlace::Function { .. } => "it".into(),
    }
}

impl DataEntry {
    fn arm(&self, vm: &mut Vm, id: BreakpointId, stmt: StmtId) {
        if !self.options.enabled {
            return;
        }
        match &self.target {
            Target::Variable(variable) => watch::watch_variable(vm, id.0.into(), *variable, stmt),
            Target::Part(object, key) => {
                watch::watch_part(vm, id.0.into(), object, key.clone());
            }
        }
    }
}
