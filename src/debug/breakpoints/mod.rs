//! The breakpoints of a session at lines and functions: what was asked for, where it leads in the
//! program, and which of them control may hit at a statement.
//!
//! The table outlives the program: breakpoints are set before there is one, and placed when it is loaded.

mod hit_condition;
mod log_message;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use foldhash::HashMap;

use crate::api::{Breakpoint, BreakpointId, BreakpointOptions, BreakpointPlace, LinePlace, Location};
use crate::interp::operand::ValueFn;
use crate::interp::slots::Fp;
use crate::interp::vm::{Vm, Wide};
use crate::program::{FuncId, StmtId};
use crate::source::Span;

use super::line_table::Resolved;
use super::paths;

pub(super) use hit_condition::HitCondition;
pub(super) use log_message::{Piece, pieces};

/// A condition, compiled for the frames of one function.
pub(crate) type Condition = Rc<dyn Fn(&mut Vm, Fp) -> Result<bool, Wide>>;

/// A log message, compiled for the frames of one function.
pub(crate) type LogMessage = Rc<[LogPiece]>;

/// A piece of a compiled log message.
pub(crate) enum LogPiece {
    /// Text as it is.
    Text(String),
    /// A value that stands here.
    Value(ValueFn),
}

/// What a breakpoint needs in the frames of one function.
#[derive(Clone, Default)]
pub(crate) struct Compiled {
    /// Its condition.
    pub condition: Option<Condition>,
    /// Its log message.
    pub log: Option<LogMessage>,
}

/// Where a breakpoint stops in the loaded program.
#[derive(Clone)]
pub(crate) struct Placed {
    /// The statements.
    pub resolved: Resolved,
    /// For each function that has statements there.
    pub compiled: HashMap<FuncId, Compiled>,
}

/// Where a breakpoint belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// At a line.
    Line(LineKind),
    /// At the first statement of the function with this name.
    Function(String),
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineKind {
    /// The file as the client names it.
    pub file: String,
    /// Its path, absolute; symbolic links are not resolved.
    pub path: PathBuf,
    /// What stands for the file, however it is named.
    pub identity: PathBuf,
    /// The place that was asked for.
    pub place: LinePlace,
}

impl LineKind {
    /// A place in the file that a client names.
    pub fn new(directory: &Path, file: &str, place: LinePlace) -> LineKind {
        let path = paths::absolute(directory, file);
        let identity = paths::identity(&path);
        LineKind { file: file.to_string(), path, identity, place }
    }
}

impl Kind {
    /// Whether both are the same place, however it is named.
    fn is_same(&self, other: &Kind) -> bool {
        match (self, other) {
            (Kind::Line(a), Kind::Line(b)) => a.place == b.place && a.identity == b.identity,
            (Kind::Function(a), Kind::Function(b)) => a == b,
            (Kind::Line(_) | Kind::Function(_), _) => false,
        }
    }
}

/// A breakpoint of the table.
pub(crate) struct Entry {
    /// Where it belongs.
    pub kind: Kind,
    /// What it does.
    pub options: BreakpointOptions,
    /// Which hits stop.
    pub hit_condition: Option<HitCondition>,
    /// How often it was hit; shared with the statements that count by themselves.
    hits: Rc<Cell<u32>>,
    /// Where it stops, or why it does not.
    placed: Result<Placed, String>,
}

/// When a breakpoint is hit at a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum HitAt {
    /// Whenever control reaches the statement.
    Always,
    /// Only on the back edge of the loop whose header the statement is.
    BackEdge,
    /// Whenever control reaches the statement, except on the back edge of its loop.
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

/// What a statement's flag has to say because of breakpoints.
pub(crate) enum Arming {
    /// Nothing: there is none.
    None,
    /// The statement makes this test before it asks the engine.
    Test(Condition),
    /// The engine has to be asked.
    Ask,
}

/// A breakpoint that control may hit at a statement.
pub(crate) struct Candidate {
    /// Its number.
    pub id: BreakpointId,
    /// Whether it is one at a function.
    pub at_function: bool,
    /// Counts the hit, and tells whether it stops, or logs.
    pub test: Condition,
    /// What it logs instead of stopping.
    pub log: Option<LogMessage>,
}

/// The breakpoints of a session.
#[derive(Default)]
pub(crate) struct Breakpoints {
    entries: BTreeMap<BreakpointId, Entry>,
    /// The enabled breakpoints at a statement of the loaded program, in order of their numbers.
    by_stmt: HashMap<StmtId, Vec<(BreakpointId, HitAt)>>,
    /// The last number used; none is used twice in a session.
    last: u32,
    /// Every hit counts as one that stops.
    ignores_hit_conditions: bool,
}

/// Why a breakpoint does not stop while no program is loaded.
const NO_PROGRAM: &str = "no program is loaded";

impl Breakpoints {
    /// Whether a program that starts stops nowhere because of them.
    pub fn none_enabled(&self) -> bool {
        !self.entries.values().any(|entry| entry.options.enabled)
    }

    /// A number that no other breakpoint of the session has or had.
    pub fn new_id(&mut self) -> BreakpointId {
        self.last += 1;
        BreakpointId(self.last)
    }

    /// The last number used.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// Goes on behind the numbers that were used elsewhere.
    pub fn set_last(&mut self, last: u32) {
        self.last = last;
    }

    /// Whether every hit is to count as one that stops.
    pub fn ignore_hit_conditions(&mut self, ignored: bool) {
        self.ignores_hit_conditions = ignored;
    }

    /// Whether a breakpoint is one at a function.
    pub fn is_at_function(&self, id: BreakpointId) -> bool {
        self.entries.get(&id).is_some_and(|entry| matches!(entry.kind, Kind::Function(_)))
    }

    /// The numbers of those that are wanted, in order.
    pub fn ids(&self, wanted: impl Fn(&Kind) -> bool) -> Vec<BreakpointId> {
        self.entries.iter().filter(|(_, entry)| wanted(&entry.kind)).map(|(id, _)| *id).collect()
    }

    /// The breakpoint at the same place.
    pub fn find(&self, kind: &Kind) -> Option<BreakpointId> {
        self.entries.iter().find(|(_, entry)| entry.kind.is_same(kind)).map(|(id, _)| *id)
    }

    /// The breakpoint with this number.
    pub fn get(&self, id: BreakpointId) -> Option<&Entry> {
        self.entries.get(&id)
    }

    /// Adds a breakpoint, or replaces the one at its place, which keeps its number and hits. It stops
    /// nowhere until it is placed. Gives its number, and the statements whose flags may change.
    pub fn set(
        &mut self,
        kind: Kind,
        options: BreakpointOptions,
        hit_condition: Option<HitCondition>,
    ) -> (BreakpointId, Vec<StmtId>) {
        let id = self.find(&kind).unwrap_or_else(|| self.new_id());
        let touched = self.unplace(id);
        let hits = self.entries.get(&id).map(|entry| entry.hits.clone()).unwrap_or_default();
        self.entries.insert(id, Entry { kind, options, hit_condition, hits, placed: Err(NO_PROGRAM.into()) });
        (id, touched)
    }

    /// Removes a breakpoint; gives the statements whose flags may change.
    pub fn remove(&mut self, id: BreakpointId) -> Vec<StmtId> {
        let touched = self.unplace(id);
        self.entries.remove(&id);
        touched
    }

    /// Looks at relative paths again after the working directory has changed. Of several breakpoints
    /// that turn out to be at one place, the first stays, with the options that were set last.
    pub fn rebase(&mut self, directory: &Path) {
        for (id, mut entry) in std::mem::take(&mut self.entries) {
            if let Kind::Line(LineKind { file, place, .. }) = &entry.kind {
                entry.kind = Kind::Line(LineKind::new(directory, file, *place));
            }
            let id = self.find(&entry.kind).unwrap_or(id);
            self.entries.insert(id, entry);
        }
    }

    /// A program begins: nothing was hit yet.
    pub fn reset_hits(&self) {
        self.entries.values().for_each(|entry| entry.hits.set(0));
    }

    /// Says where a breakpoint stops in the loaded program, or why it does not; gives the statements
    /// whose flags may change.
    pub fn place(&mut self, id: BreakpointId, placed: Result<Placed, String>) -> Vec<StmtId> {
        let mut touched = self.unplace(id);
        let Some(entry) = self.entries.get_mut(&id) else { return touched };
        if let (Ok(Placed { resolved, .. }), true) = (&placed, entry.options.enabled) {
            let at_entry = match entry.kind {
                Kind::Line(_) => HitAt::Always,
                Kind::Function(_) => HitAt::Entry,
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

    /// Takes a breakpoint off its statements.
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

    /// The breakpoint as clients see it. `locate` gives the place of a span.
    pub fn describe(&self, id: BreakpointId, locate: impl Fn(Span) -> Location) -> Option<Breakpoint> {
        let entry = self.entries.get(&id)?;
        let (place, asked) = match &entry.kind {
            Kind::Line(LineKind { file, path, place, .. }) => {
                let named = BreakpointPlace::Line { file: file.clone(), path: path.clone(), place: *place };
                (named, Some(place.line))
            }
            Kind::Function(name) => (BreakpointPlace::Function { name: name.clone() }, None),
        };
        let (location, message) = match &entry.placed {
            Ok(placed) => {
                let line = placed.resolved.line;
                let moved = |asked| format!("line {asked} has no statement: moved to line {line}");
                (Some(locate(placed.resolved.at)), asked.filter(|asked| *asked != line).map(moved))
            }
            Err(why) => (None, Some(why.clone())),
        };
        let (options, hits, verified) = (entry.options.clone(), entry.hits.get(), location.is_some());
        Some(Breakpoint { id, place, options, verified, location, hits, message })
    }

    /// How often a breakpoint was hit.
    pub fn hits(&self, id: BreakpointId) -> u32 {
        self.entries.get(&id).map_or(0, |entry| entry.hits.get())
    }

    /// The breakpoints that control may hit at a statement of a function, in order of their numbers.
    pub fn candidates(&self, func: FuncId, stmt: StmtId, back_edge: bool) -> Vec<Candidate> {
        let there = self.by_stmt.get(&stmt).map_or(&[][..], Vec::as_slice);
        let hit = there.iter().filter(|(_, hit_at)| hit_at.is_hit(back_edge));
        hit.filter_map(|(id, _)| self.candidate(*id, func)).collect()
    }

    fn candidate(&self, id: BreakpointId, func: FuncId) -> Option<Candidate> {
        let entry = self.entries.get(&id)?;
        let Compiled { condition, log } =
            entry.placed.as_ref().ok()?.compiled.get(&func).cloned().unwrap_or_default();
        let hit_condition = entry.hit_condition.filter(|_| !self.ignores_hit_conditions);
        let test = test(condition, entry.hits.clone(), hit_condition);
        Some(Candidate { id, at_function: matches!(entry.kind, Kind::Function(_)), test, log })
    }

    /// What the flag of a statement of this function has to say.
    pub fn arming(&self, func: FuncId, stmt: StmtId) -> Arming {
        match self.by_stmt.get(&stmt).map_or(&[][..], Vec::as_slice) {
            [] => Arming::None,
            [(id, HitAt::Always)] => match self.entries.get(id) {
                Some(Entry { options, hit_condition, .. })
                    if options.condition.is_some() || hit_condition.is_some() =>
                {
                    let candidate = self.candidate(*id, func);
                    candidate.map_or(Arming::Ask, |candidate| Arming::Test(candidate.test))
                }
                _ => Arming::Ask,
            },
            _ => Arming::Ask,
        }
    }
}

/// Counts a hit where the condition is true, and tells whether this hit is wanted.
fn test(condition: Option<Condition>, hits: Rc<Cell<u32>>, hit_condition: Option<HitCondition>) -> Condition {
    Rc::new(move |vm, fp| {
        if let Some(condition) = &condition
            && !condition(vm, fp)?
        {
            return Ok(false);
        }
        let hit = hits.get().saturating_add(1);
        hits.set(hit);
        Ok(hit_condition.is_none_or(|wanted| wanted.holds(hit)))
    })
}

#[cfg(test)]
mod tests;
