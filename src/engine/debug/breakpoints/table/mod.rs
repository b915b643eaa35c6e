//! The line and function breakpoints of a session: as requested, where they stop in the loaded program, and
//! which of them can be hit at a statement.
//!
//! The table outlives programs: breakpoints can be set before a program is loaded, and are resolved then.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use foldhash::HashMap;

use crate::api::{Breakpoint, BreakpointId, BreakpointLocation, BreakpointOptions, LineLocation, Location};
use crate::debug::breakpoints::hit_condition::HitCondition;
use crate::debug::breakpoints::line_table::Resolved;
use crate::debug::history::hits::counts::Counts;
use crate::debug::paths;
use ez_runtime::interp::closures::{Run, ValueFn};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Vm, Wide};
use ez_runtime::program::{FuncId, StmtId};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

/// A condition, compiled for the frames of one function.
pub(crate) type Condition = Rc<dyn Run<Result<bool, Wide>>>;

/// A log message, compiled for the frames of one function.
pub(crate) type LogMessage = Rc<[LogPiece]>;

/// A piece of a compiled log message.
pub(crate) enum LogPiece {
    /// Literal text.
    Text(String),
    /// An expression, and its type.
    Value(ValueFn, Type),
}

/// The compiled options of a breakpoint, for the frames of one function.
#[derive(Clone, Default)]
pub(crate) struct Compiled {
    pub condition: Option<Condition>,
    /// Whether the condition calls functions, which may not end.
    pub may_last: bool,
    pub log: Option<LogMessage>,
}

/// Where a breakpoint stops in the loaded program.
#[derive(Clone)]
pub(crate) struct Placed {
    /// The statements.
    pub resolved: Resolved,
    /// The compiled options, for each function with a statement in `resolved`.
    pub compiled: HashMap<FuncId, Compiled>,
}

/// What a breakpoint is attached to, as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Requested {
    Line(RequestedLine),
    /// The first statement of the function with this name.
    Function(String),
}

/// A line of a file, as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestedLine {
    /// The file as the client names it.
    pub file: String,
    /// Its path, absolute; symbolic links are not resolved.
    pub path: PathBuf,
    /// The file's canonical path (see [`crate::debug::paths::identity`]).
    pub identity: PathBuf,
    /// The requested line and column.
    pub location: LineLocation,
}

impl RequestedLine {
    /// The line of the file that the client names; `directory` is the base of relative paths.
    pub fn new(directory: &Path, file: &str, location: LineLocation) -> RequestedLine {
        let path = paths::absolute(directory, file);
        let identity = paths::identity(&path);
        RequestedLine { file: file.to_string(), path, identity, location }
    }
}

/// What makes breakpoints one: the same line and column of the same file, or the same function.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    Line(PathBuf, LineLocation),
    Function(String),
}

impl From<&Requested> for Key {
    fn from(requested: &Requested) -> Key {
        match requested {
            Requested::Line(RequestedLine { identity, location, .. }) => {
                Key::Line(identity.clone(), *location)
            }
            Requested::Function(name) => Key::Function(name.clone()),
        }
    }
}

/// A breakpoint of the table.
pub(crate) struct Entry {
    /// What it is attached to.
    pub requested: Requested,
    /// Its options, as requested.
    pub options: BreakpointOptions,
    /// The parsed hit condition.
    pub hit_condition: Option<HitCondition>,
    /// Number of hits; shared with the compiled tests, which increase it.
    hits: Rc<Cell<u32>>,
    /// Since when they are counted.
    since: Cell<Since>,
    /// Where it stops, or why it cannot.
    placed: Result<Placed, String>,
}

/// Since when the hits of a breakpoint are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// The beginning of the program.
    Start,
    /// A change of the breakpoint while the program ran.
    Change,
    /// The number is not known: in the past, where counting takes too long.
    Unknown,
}

/// When a breakpoint is hit at a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum HitAt {
    /// Whenever execution reaches the statement.
    Always,
    /// Only for loop headers: on the loop's back edge.
    BackEdge,
    /// Whenever execution reaches the statement, except on the loop's back edge.
    Entry,
}

impl HitAt {
    fn is_hit(self, back_edge: bool) -> bool {
        match self {
            HitAt::Always => true,
            HitAt::BackEdge => back_edge,
            HitAt::Entry => !back_edge,
        }
    }
}

/// What a statement has to do because of its breakpoints, before it runs.
pub(crate) enum Arming {
    /// Nothing.
    None,
    /// Run this test, and call the engine unless it gives `false`.
    Test(Condition),
    /// Call the engine.
    Ask,
}

/// An enabled breakpoint at a statement.
pub(crate) struct Candidate {
    /// Its number.
    pub id: BreakpointId,
    /// Whether it is a function breakpoint.
    pub at_function: bool,
    /// Evaluates the condition, counts the hit, and applies the hit condition: whether to stop, or log.
    pub test: Condition,
    /// Whether the condition calls functions, which may not end.
    pub may_last: bool,
    /// The message to log instead of stopping.
    pub log: Option<LogMessage>,
}

/// The breakpoints of a session.
#[derive(Default)]
pub(crate) struct BreakpointTable {
    entries: BTreeMap<BreakpointId, Entry>,
    by_key: HashMap<Key, BreakpointId>,
    /// By statement of the loaded program: the enabled breakpoints there, in order of their numbers.
    by_stmt: HashMap<StmtId, Vec<(BreakpointId, HitAt)>>,
    /// The last number given to a breakpoint.
    last: u32,
    /// Whether hit conditions are ignored (where hits are collected for going back).
    ignores_hit_conditions: bool,
}

/// Message of a breakpoint while no program is loaded.
const NO_PROGRAM: &str = "no program is loaded";

impl BreakpointTable {
    /// Whether no breakpoint can stop the program.
    pub fn none_enabled(&self) -> bool {
        !self.entries.values().any(|entry| entry.options.enabled)
    }

    /// A new number for a breakpoint of any kind.
    pub fn new_id(&mut self) -> BreakpointId {
        self.last += 1;
        BreakpointId(self.last)
    }

    /// Takes back a number that nobody uses, if it was given last.
    pub fn give_back(&mut self, id: BreakpointId) {
        if id.0 == self.last && !self.entries.contains_key(&id) {
            self.last -= 1;
        }
    }

    /// The last number given.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Continues the numbers after `last`.
    pub fn set_last(&mut self, last: u32) {
        self.last = last;
    }

    /// Sets whether hit conditions are ignored.
    pub fn ignore_hit_conditions(&mut self, ignored: bool) {
        self.ignores_hit_conditions = ignored;
    }

    /// Whether a breakpoint is a function breakpoint.
    pub fn is_at_function(&self, id: BreakpointId) -> bool {
        self.entries.get(&id).is_some_and(|entry| matches!(entry.requested, Requested::Function(_)))
    }

    /// The numbers of the breakpoints of certain kinds, in order.
    pub fn ids(&self, wanted: impl Fn(&Requested) -> bool) -> Vec<BreakpointId> {
        self.entries.iter().filter(|(_, entry)| wanted(&entry.requested)).map(|(id, _)| *id).collect()
    }

    /// The breakpoint attached to the same location.
    pub fn find(&self, requested: &Requested) -> Option<BreakpointId> {
        self.by_key.get(&Key::from(requested)).copied()
    }

    /// The breakpoint with this number.
    pub fn get(&self, id: BreakpointId) -> Option<&Entry> {
        self.entries.get(&id)
    }

    /// Adds a breakpoint; one attached to the same location is replaced, and its number and hits are kept. The
    /// new one stops nowhere until [`BreakpointTable::place`]. Returns its number, and the statements whose
    /// arming may have changed.
    pub fn set(
        &mut self,
        requested: Requested,
        options: BreakpointOptions,
        hit_condition: Option<HitCondition>,
    ) -> (BreakpointId, Vec<StmtId>) {
        let id = self.find(&requested).unwrap_or_else(|| self.new_id());
        let touched = self.unplace(id);
        let (hits, since) = match self.entries.get(&id) {
            Some(entry) if entry.options == options => (entry.hits.clone(), entry.since.clone()),
            Some(Entry { hits, since, .. }) if since.get() == Since::Unknown => (hits.clone(), since.clone()),
            Some(entry) => (entry.hits.clone(), Cell::new(Since::Change)),
            None => (Rc::default(), Cell::new(Since::Change)),
        };
        let placed = Err(NO_PROGRAM.into());
        self.by_key.insert(Key::from(&requested), id);
        self.entries.insert(id, Entry { requested, options, hit_condition, hits, since, placed });
        (id, touched)
    }

    /// Removes a breakpoint; returns the statements whose arming may have changed.
    pub fn remove(&mut self, id: BreakpointId) -> Vec<StmtId> {
        let touched = self.unplace(id);
        if let Some(entry) = self.entries.remove(&id) {
            self.by_key.remove(&Key::from(&entry.requested));
        }
        touched
    }

    /// Resolves relative paths again after the working directory has changed. If breakpoints turn out to be
    /// at the same location, the first is kept, with the options of the last.
    pub fn rebase(&mut self, directory: &Path) {
        self.by_key.clear();
        for (id, mut entry) in std::mem::take(&mut self.entries) {
            if let Requested::Line(RequestedLine { file, location, .. }) = &entry.requested {
                entry.requested = Requested::Line(RequestedLine::new(directory, file, *location));
            }
            let id = *self.by_key.entry(Key::from(&entry.requested)).or_insert(id);
            self.entries.insert(id, entry);
        }
    }

    /// Sets all hit counts to 0: a program starts.
    pub fn reset_hits(&self) {
        for entry in self.entries.values() {
            entry.hits.set(0);
            entry.since.set(Since::Start);
        }
    }

    /// Sets the hit counts in the past; those that are missing are not known there.
    pub fn set_hits(&self, counts: &Counts) {
        for (id, entry) in &self.entries {
            let count = counts.get(id);
            entry.hits.set(count.copied().unwrap_or(0));
            entry.since.set(if count.is_some() { Since::Start } else { Since::Unknown });
        }
    }

    /// The hit counts of the breakpoints that can stop the program, if all were counted since its beginning.
    pub fn counts(&self) -> Option<Counts> {
        let count = |(id, entry): (BreakpointId, &Entry)| {
            (entry.since.get() == Since::Start).then(|| (id, entry.hits.get()))
        };
        self.stopping().map(count).collect()
    }

    /// The breakpoints that can stop the program.
    pub fn stopping(&self) -> impl Iterator<Item = (BreakpointId, &Entry)> {
        let stops = |entry: &Entry| entry.options.enabled && entry.options.log_message.is_none();
        self.entries.iter().filter(move |(_, entry)| stops(entry)).map(|(id, entry)| (*id, entry))
    }

    /// Sets where a breakpoint stops in the loaded program, or why it does not; returns the statements whose
    /// arming may have changed.
    pub fn place(&mut self, id: BreakpointId, placed: Result<Placed, String>) -> Vec<StmtId> {
        let mut touched = self.unplace(id);
        let Some(entry) = self.entries.get_mut(&id) else { return touched };
        if let (Ok(Placed { resolved, .. }), true) = (&placed, entry.options.enabled) {
            let at_entry = match entry.requested {
                Requested::Line(_) => HitAt::Always,
                Requested::Function(_) => HitAt::Entry,
            };
            let entries = resolved.entries.iter().map(|stmt| (*stmt, at_entry));
            let headers = resolved.headers.iter().filter(|stmt| !resolved.entries.contains(stmt));
            for (stmt, hit_at) in entries.chain(headers.map(|stmt| (*stmt, HitAt::BackEdge))) {
                let there = self.by_stmt.entry(stmt).or_default();
                there.push((id, hit_at));
                there.sort_unstable();
                touched.push(stmt);
            }
        }
        entry.placed = placed;
        touched
    }

    /// Detaches a breakpoint from its statements, and returns these.
    fn unplace(&mut self, id: BreakpointId) -> Vec<StmtId> {
        let Some(entry) = self.entries.get_mut(&id) else { return Vec::new() };
        let Ok(placed) = std::mem::replace(&mut entry.placed, Err(NO_PROGRAM.into())) else {
            return Vec::new();
        };
        let Resolved { entries, headers, .. } = placed.resolved;
        let touched: Vec<StmtId> = entries.into_iter().chain(headers).collect();
        for stmt in &touched {
            if let Some(there) = self.by_stmt.get_mut(stmt) {
                there.retain(|(other, _)| *other != id);
                if there.is_empty() {
                    self.by_stmt.remove(stmt);
                }
            }
        }
        touched
    }

    /// The breakpoint in the form of the API. `locate` converts spans.
    pub fn describe(&self, id: BreakpointId, locate: impl Fn(Span) -> Location) -> Option<Breakpoint> {
        let entry = self.entries.get(&id)?;
        let (place, asked) = match &entry.requested {
            Requested::Line(RequestedLine { file, path, location, .. }) => {
                let named =
                    BreakpointLocation::Line { file: file.clone(), path: path.clone(), place: *location };
                (named, Some(location.line))
            }
            Requested::Function(name) => (BreakpointLocation::Function { name: name.clone() }, None),
        };
        let (location, message) = match &entry.placed {
            Ok(placed) => {
                let line = placed.resolved.line;
                let moved = |asked| format!("line {asked} has no statement: moved to line {line}");
                (Some(locate(placed.resolved.at)), asked.filter(|asked| *asked != line).map(moved))
            }
            Err(why) => (None, Some(why.clone())),
        };
        let (options, hits, verified) = (entry.options.clone(), self.hits(id), location.is_some());
        Some(Breakpoint { id, place, options, verified, location, hits, message })
    }

    /// Number of hits of a breakpoint, if it is known.
    pub fn hits(&self, id: BreakpointId) -> Option<u32> {
        let entry = self.entries.get(&id).filter(|entry| entry.since.get() != Since::Unknown)?;
        Some(entry.hits.get())
    }

    /// The enabled breakpoints at a statement of a function, in order of their numbers.
    pub fn candidates(&self, func: FuncId, stmt: StmtId, back_edge: bool) -> Vec<Candidate> {
        let there = self.by_stmt.get(&stmt).map_or(&[][..], Vec::as_slice);
        let hit = there.iter().filter(|(_, hit_at)| hit_at.is_hit(back_edge));
        hit.filter_map(|(id, _)| self.candidate(*id, func)).collect()
    }

    fn candidate(&self, id: BreakpointId, func: FuncId) -> Option<Candidate> {
        let entry = self.entries.get(&id)?;
        let Compiled { condition, may_last, log } =
            entry.placed.as_ref().ok()?.compiled.get(&func).cloned().unwrap_or_default();
        let hit_condition = entry.hit_condition.filter(|_| !self.ignores_hit_conditions);
        let test = test(condition, entry.hits.clone(), hit_condition);
        Some(Candidate {
            id,
            at_function: matches!(entry.requested, Requested::Function(_)),
            test,
            may_last,
            log,
        })
    }

    /// What a statement of this function has to do because of its breakpoints; `is_loop`: it has a back edge.
    pub fn arming(&self, func: FuncId, stmt: StmtId, is_loop: bool) -> Arming {
        match self.by_stmt.get(&stmt).map_or(&[][..], Vec::as_slice) {
            [] => Arming::None,
            [(id, hit_at)] if *hit_at == HitAt::Always || !is_loop => match self.entries.get(id) {
                Some(Entry { options, hit_condition, .. })
                    if options.condition.is_some() || hit_condition.is_some() =>
                {
                    let candidate = self.candidate(*id, func);
                    // Only the engine limits the time of a condition.
                    let quick = candidate.filter(|candidate| !candidate.may_last);
                    quick.map_or(Arming::Ask, |candidate| Arming::Test(candidate.test))
                }
                _ => Arming::Ask,
            },
            _ => Arming::Ask,
        }
    }
}

/// The test of a [`Candidate`].
fn test(condition: Option<Condition>, hits: Rc<Cell<u32>>, hit_condition: Option<HitCondition>) -> Condition {
    let count = move || {
        let hit = hits.get().saturating_add(1);
        hits.set(hit);
        hit_condition.is_none_or(|wanted| wanted.holds(hit))
    };
    match condition {
        Some(condition) => Rc::new(move |vm: &mut Vm, fp: Fp| Ok(condition.run(vm, fp)? && count())),
        None => Rc::new(move |_: &mut Vm, _: Fp| Ok(count())),
    }
}

#[cfg(test)]
mod tests;
