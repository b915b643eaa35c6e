//! The table of data breakpoints (stops on writes): which variables and parts are watched, and the options of
//! each.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::{
    Breakpoint, BreakpointId, BreakpointLocation, BreakpointOptions, DataSpec, DataTarget, GetChanges, Limits,
};
use crate::debug::breakpoints::hit_condition::HitCondition;
use crate::debug::history::changes::subject::PortableSubject;
use crate::debug::history::changes::writes::{ChangeQuestion, DataWatch, WantedWrite, WriteQuestion};
use crate::debug::history::position::RunPosition;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::watch::{self, WatchedVariable};
use ez_runtime::program::StmtId;
use ez_runtime::value::{Key, PartKey, Ref};

/// What a data breakpoint watches.
#[derive(Clone)]
pub enum WatchTarget {
    Variable(WatchedVariable),
    /// An element, entry or field of an object.
    Part(Ref, PartKey),
}

impl WatchTarget {
    /// Whether both are the same variable, or the same part of the same object.
    fn is_same(&self, other: &WatchTarget) -> bool {
        match (self, other) {
            (WatchTarget::Variable(a), WatchTarget::Variable(b)) => a == b,
            (WatchTarget::Part(a, key), WatchTarget::Part(b, other)) => {
                Rc::ptr_eq(a, b) && is_same_key(key, other)
            }
            (WatchTarget::Variable(_) | WatchTarget::Part(..), _) => false,
        }
    }
}

fn is_same_key(a: &PartKey, b: &PartKey) -> bool {
    match (a, b) {
        (PartKey::Element(a), PartKey::Element(b)) => a == b,
        (PartKey::Field(a), PartKey::Field(b)) => a == b,
        (PartKey::Entry(a), PartKey::Entry(b)) => Key::same(a, b),
        (PartKey::Variable, PartKey::Variable) => true,
        _ => false,
    }
}

/// A breakpoint on writes.
pub struct DataEntry {
    target: WatchTarget,
    /// The target in words: `field x of p`.
    pub description: String,
    pub options: BreakpointOptions,
    pub hit_condition: Option<HitCondition>,
    pub hits: u32,
    pub meaning: Option<Meaning>,
}

/// What is watched as an expression, at the stop where the breakpoint was set: needed to find it in another
/// run of the program.
#[derive(Clone)]
pub struct Meaning {
    pub expression: String,
    pub frame: usize,
    pub position: RunPosition,
    /// What that is in every run; `None` if it cannot be named in another process.
    pub subject: Option<PortableSubject>,
}

/// What a data breakpoint is to watch.
pub struct Watched {
    pub target: WatchTarget,
    /// The target in words.
    pub description: String,
    /// `None` if no history is kept.
    pub meaning: Option<Meaning>,
}

/// The data breakpoints of a session. They keep the watched objects alive.
#[derive(Default)]
pub struct DataBreakpoints {
    entries: BTreeMap<BreakpointId, DataEntry>,
    /// Those that watch something since [`DataBreakpoints::take_armed`] was called.
    armed: Vec<BreakpointId>,
}

impl DataBreakpoints {
    /// Their numbers.
    pub fn ids(&self) -> Vec<BreakpointId> {
        self.entries.keys().copied().collect()
    }

    /// Whether a local is watched, so that the return of its frame must be noticed.
    pub fn has_locals(&self) -> bool {
        let is_local =
            |entry: &DataEntry| matches!(entry.target, WatchTarget::Variable(WatchedVariable::Local { .. }));
        self.entries.values().any(is_local)
    }

    /// The breakpoint with this number.
    pub fn get_mut(&mut self, id: BreakpointId) -> Option<&mut DataEntry> {
        self.entries.get_mut(&id)
    }

    /// The searches with which writes to enabled breakpoints are found in the past.
    pub fn questions(&self, wanted: WantedWrite) -> Vec<WriteQuestion> {
        let enabled = self.entries.iter().filter(|(_, entry)| entry.options.enabled);
        let question = |(id, entry): (&BreakpointId, &DataEntry)| {
            let Meaning { expression, frame, position, subject } = entry.meaning.clone()?;
            let query = GetChanges { expression, frame, before: None, count: 1, limits: Limits::PREVIEW };
            let (description, condition) = ((&*entry.description).into(), entry.options.condition.clone());
            let hit_condition = entry.hit_condition;
            let breakpoint = Some(DataWatch { id: *id, description, condition, hit_condition, wanted });
            Some(WriteQuestion { change: ChangeQuestion { query, asked_at: position, breakpoint }, subject })
        };
        enabled.filter_map(question).collect()
    }

    /// Adds a breakpoint; one on the same target is replaced, and its number and hits are kept. `stmt` is the
    /// statement before which the program is stopped.
    pub fn set(
        &mut self,
        vm: &mut Vm,
        stmt: StmtId,
        watched: Watched,
        (options, hit_condition): (BreakpointOptions, Option<HitCondition>),
        new_id: impl FnOnce() -> BreakpointId,
    ) -> BreakpointId {
        let Watched { target, description, meaning } = watched;
        let id = self.find(&target).map_or_else(new_id, |(id, _)| id);
        // The earlier meaning is valid for the same target, too.
        let (hits, earlier) = self.remove(vm, id).map_or((0, None), |entry| (entry.hits, entry.meaning));
        let meaning = earlier.or(meaning);
        let entry = DataEntry { target, description, options, hit_condition, hits, meaning };
        entry.arm(vm, id, stmt);
        self.armed.push(id);
        self.entries.insert(id, entry);
        self.report_writes(vm);
        id
    }

    /// Conditions are computed in the frame that writes.
    fn report_writes(&self, vm: &mut Vm) {
        let has_condition = |entry: &DataEntry| entry.options.enabled && entry.options.condition.is_some();
        watch::report_writes(vm, self.entries.values().any(has_condition));
    }

    /// The one that watches this, with its options.
    pub fn find(&self, target: &WatchTarget) -> Option<(BreakpointId, &BreakpointOptions)> {
        let (id, entry) = self.entries.iter().find(|(_, entry)| entry.target.is_same(target))?;
        Some((*id, &entry.options))
    }

    pub fn remove(&mut self, vm: &mut Vm, id: BreakpointId) -> Option<DataEntry> {
        watch::unwatch(vm, id.0.into());
        let removed = self.entries.remove(&id);
        self.report_writes(vm);
        removed
    }

    /// Changes a breakpoint's options; returns `false` if it does not exist.
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
            self.armed.push(id);
            self.report_writes(vm);
        }
    }

    /// Those that have begun to watch something since this was last called.
    pub fn take_armed(&mut self) -> Vec<BreakpointId> {
        std::mem::take(&mut self.armed)
    }

    /// Removes all breakpoints, since the program with their targets is gone, and returns them.
    pub fn clear(&mut self) -> Vec<Breakpoint> {
        let gone: Vec<Breakpoint> = self.ids().into_iter().filter_map(|id| self.describe(id)).collect();
        self.entries.clear();
        gone
    }

    /// Removes the breakpoints on locals whose frames have returned, and returns them; `caller` is the frame returned to.
    /// Those that are disabled, too: there is nothing any more that they could watch.
    pub fn end_frames(&mut self, vm: &mut Vm, caller: Fp) -> Vec<Breakpoint> {
        let has_ended = |entry: &DataEntry| match entry.target {
            WatchTarget::Variable(WatchedVariable::Local { fp, .. }) => fp.distance(caller) > 0,
            WatchTarget::Variable(WatchedVariable::Global(_)) | WatchTarget::Part(..) => false,
        };
        let ended = self.entries.iter().filter(|(_, entry)| has_ended(entry));
        let ended: Vec<BreakpointId> = ended.map(|(id, _)| *id).collect();
        ended.into_iter().filter_map(|id| self.ended(vm, id)).collect()
    }

    fn ended(&mut self, vm: &mut Vm, id: BreakpointId) -> Option<Breakpoint> {
        let mut gone = self.describe(id)?;
        let name = gone_name(&gone);
        self.remove(vm, id);
        gone.verified = false;
        gone.message = Some(format!("{name} went out of scope"));
        Some(gone)
    }

    /// The breakpoint in the form of the API.
    pub fn describe(&self, id: BreakpointId) -> Option<Breakpoint> {
        let DataEntry { description, options, hits, .. } = self.entries.get(&id)?;
        Some(Breakpoint {
            id,
            place: BreakpointLocation::Data { description: description.clone() },
            options: options.clone(),
            verified: true,
            location: None,
            hits: Some(*hits),
            message: None,
        })
    }
}

/// A breakpoint that could not be set, with the reason.
pub fn unverified(id: BreakpointId, spec: DataSpec, why: String) -> Breakpoint {
    let description = match spec.target {
        DataTarget::Named { name, .. } => name,
        DataTarget::Same(id) => format!("what breakpoint {} watched", id.0),
    };
    Breakpoint {
        id,
        place: BreakpointLocation::Data { description },
        options: spec.options,
        verified: false,
        location: None,
        hits: Some(0),
        message: Some(why),
    }
}

/// What the breakpoint watched, in words.
fn gone_name(breakpoint: &Breakpoint) -> String {
    match &breakpoint.place {
        BreakpointLocation::Data { description } => {
            description.strip_prefix("variable ").unwrap_or(description).to_string()
        }
        BreakpointLocation::Line { .. } | BreakpointLocation::Function { .. } => "it".into(),
    }
}

impl DataEntry {
    fn arm(&self, vm: &mut Vm, id: BreakpointId, stmt: StmtId) {
        if !self.options.enabled {
            return;
        }
        match &self.target {
            WatchTarget::Variable(variable) => watch::watch_variable(vm, id.0.into(), *variable, stmt),
            WatchTarget::Part(object, key) => {
                watch::watch_part(vm, id.0.into(), object, key.clone());
            }
        }
    }
}
