//! The breakpoints of a session: what was asked for, where it leads in the program, and which of them
//! control may hit at a statement.
//!
//! The table outlives the program: breakpoints are set before there is one, and placed when it is loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use foldhash::HashMap;

use crate::api::{Breakpoint, BreakpointId, BreakpointSpec};
use crate::interp::slots::Fp;
use crate::interp::vm::{Vm, Wide};
use crate::program::{FuncId, StmtId};

use super::line_table::Resolved;
use super::paths;

/// A condition, compiled for the frames of one function.
pub(crate) type Condition = Rc<dyn Fn(&mut Vm, Fp) -> Result<bool, Wide>>;

/// Where a breakpoint stops in the loaded program.
#[derive(Clone)]
pub(crate) struct Placed {
    /// The statements.
    pub resolved: Resolved,
    /// The condition for each function that has statements on the line; empty if there is none.
    pub conditions: HashMap<FuncId, Condition>,
}

struct Entry {
    spec: BreakpointSpec,
    /// The file's path, absolute; symbolic links are not resolved.
    path: PathBuf,
    /// What stands for the file, however it is named.
    identity: PathBuf,
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
}

/// What a statement's flag has to say because of breakpoints.
pub(crate) enum Arming {
    /// Nothing: there is none.
    None,
    /// The statement tests this condition before it asks the engine.
    Condition(Condition),
    /// The engine has to be asked.
    Ask,
}

/// All breakpoints of a session.
#[derive(Default)]
pub(crate) struct Breakpoints {
    entries: BTreeMap<BreakpointId, Entry>,
    /// The breakpoint at a line of a file.
    by_line: HashMap<(PathBuf, u32), BreakpointId>,
    /// The breakpoints at a statement of the loaded program, in order of their numbers.
    by_stmt: HashMap<StmtId, Vec<(BreakpointId, HitAt)>>,
    /// The last number used; none is used twice in a session.
    last: u32,
}

/// Why a breakpoint does not stop while no program is loaded.
const NO_PROGRAM: &str = "no program is loaded";

impl Breakpoints {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The numbers of all.
    pub fn ids(&self) -> Vec<BreakpointId> {
        self.entries.keys().copied().collect()
    }

    /// The number of the breakpoint at this line of the file that `file` names.
    pub fn find(&self, directory: &Path, file: &str, line: u32) -> Option<BreakpointId> {
        let identity = paths::identity(&paths::absolute(directory, file));
        self.by_line.get(&(identity, line)).copied()
    }

    /// Adds a breakpoint, or replaces the one at its line, which keeps its number. It stops nowhere until
    /// it is placed. Gives its number, and the statements whose flags may change.
    pub fn set(&mut self, directory: &Path, spec: BreakpointSpec) -> (BreakpointId, Vec<StmtId>) {
        let path = paths::absolute(directory, &spec.file);
        let identity = paths::identity(&path);
        let key = (identity.clone(), spec.line);
        let id = *self.by_line.entry(key).or_insert_with(|| {
            self.last += 1;
            BreakpointId(self.last)
        });
        let touched = self.unplace(id);
        self.entries.insert(id, Entry { spec, path, identity, placed: Err(NO_PROGRAM.into()) });
        (id, touched)
    }

    /// Removes a breakpoint; gives the statements whose flags may change.
    pub fn remove(&mut self, id: BreakpointId) -> Vec<StmtId> {
        let touched = self.unplace(id);
        if let Some(entry) = self.entries.remove(&id) {
            self.by_line.remove(&(entry.identity, entry.spec.line));
        }
        touched
    }

    /// Looks at relative paths again after the working directory has changed. Of several breakpoints
    /// that turn out to be at one line, the first stays, with the condition that was set last.
    pub fn rebase(&mut self, directory: &Path) {
        self.by_line.clear();
        for (id, mut entry) in std::mem::take(&mut self.entries) {
            entry.path = paths::absolute(directory, &entry.spec.file);
            entry.identity = paths::identity(&entry.path);
            let key = (entry.identity.clone(), entry.spec.line);
            let id = *self.by_line.entry(key).or_insert(id);
            self.entries.insert(id, entry);
        }
    }

    /// What stands for the file of a breakpoint, and what was asked for.
    pub fn asked(&self, id: BreakpointId) -> Option<(&Path, &BreakpointSpec)> {
        self.entries.get(&id).map(|entry| (entry.identity.as_path(), &entry.spec))
    }

    /// Says where a breakpoint stops in the loaded program, or why it does not; gives the statements
    /// whose flags may change.
    pub fn place(&mut self, id: BreakpointId, placed: Result<Placed, String>) -> Vec<StmtId> {
        let mut touched = self.unplace(id);
        let Some(entry) = self.entries.get_mut(&id) else { return touched };
        if let Ok(Placed { resolved, .. }) = &placed {
            let entries = resolved.entries.iter().map(|stmt| (*stmt, HitAt::Always));
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
    pub fn describe(
        &self,
        id: BreakpointId,
        locate: impl Fn(crate::source::Span) -> crate::api::Location,
    ) -> Option<Breakpoint> {
        let entry = self.entries.get(&id)?;
        let spec = entry.spec.clone();
        let (location, message) = match &entry.placed {
            Ok(placed) => {
                let (asked, line) = (spec.line, placed.resolved.line);
                let moved = || format!("line {asked} has no statement: moved to line {line}");
                (Some(locate(placed.resolved.at)), (asked != line).then(moved))
            }
            Err(why) => (None, Some(why.clone())),
        };
        Some(Breakpoint { id, spec, path: entry.path.clone(), location, message })
    }

    /// The breakpoints that control may hit at a statement of a function, in order of their numbers, with
    /// their conditions.
    pub fn candidates(
        &self,
        func: FuncId,
        stmt: StmtId,
        back_edge: bool,
    ) -> Vec<(BreakpointId, Option<Condition>)> {
        let there = self.by_stmt.get(&stmt).map_or(&[][..], Vec::as_slice);
        let hit = there.iter().filter(|(_, hit_at)| back_edge || *hit_at == HitAt::Always);
        hit.map(|(id, _)| (*id, self.condition(*id, func).cloned())).collect()
    }

    fn condition(&self, id: BreakpointId, func: FuncId) -> Option<&Condition> {
        self.entries.get(&id)?.placed.as_ref().ok()?.conditions.get(&func)
    }

    /// What the flag of a statement of this function has to say.
    pub fn arming(&self, func: FuncId, stmt: StmtId) -> Arming {
        match self.by_stmt.get(&stmt).map_or(&[][..], Vec::as_slice) {
            [] => Arming::None,
            [(id, HitAt::Always)] => match self.condition(*id, func) {
                Some(condition) => Arming::Condition(condition.clone()),
                None => Arming::Ask,
            },
            _ => Arming::Ask,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(file: &str, line: u32, condition: Option<&str>) -> BreakpointSpec {
        BreakpointSpec { file: file.into(), line, condition: condition.map(str::to_string) }
    }

    fn placed(stmts: &[u32]) -> Result<Placed, String> {
        let at = crate::source::Span { file: crate::source::FileId(0), start: 0, end: 0 };
        let entries = stmts.iter().map(|stmt| StmtId(*stmt)).collect();
        let resolved = Resolved { line: 3, at, entries, headers: Vec::new() };
        Ok(Placed { resolved, conditions: HashMap::default() })
    }

    #[test]
    fn a_line_has_one_breakpoint_whatever_its_file_is_called() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        std::fs::write(base.join("a.ez"), "").unwrap();
        std::os::unix::fs::symlink(base.join("a.ez"), base.join("link.ez")).unwrap();
        let mut all = Breakpoints::default();
        let mut set = |file: &str, line| all.set(base, spec(file, line, None)).0.0;
        assert_eq!([set("a.ez", 3), set("./a.ez", 3), set("link.ez", 3)], [1, 1, 1]);
        assert_eq!([set("a.ez", 4), set("missing/../b.ez", 4)], [2, 3]);
        assert_eq!(all.find(base, "link.ez", 3), Some(BreakpointId(1)));
        all.remove(BreakpointId(1));
        assert_eq!(all.find(base, "a.ez", 3), None);
        assert_eq!(all.set(base, spec("a.ez", 3, None)).0, BreakpointId(4));
    }

    #[test]
    fn names_that_turn_out_to_be_one_file_leave_one_breakpoint() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        let mut all = Breakpoints::default();
        let full = base.join("a.ez");
        all.set(Path::new("/elsewhere"), spec("a.ez", 3, Some("x")));
        all.set(Path::new("/elsewhere"), spec(full.to_str().unwrap(), 3, Some("y")));
        assert_eq!(all.ids().len(), 2);
        all.rebase(base);
        assert_eq!(all.ids(), [BreakpointId(1)]);
        let (_, asked) = all.asked(BreakpointId(1)).unwrap();
        assert_eq!(asked.condition.as_deref(), Some("y"));
    }

    #[test]
    fn statements_know_their_breakpoints() {
        let mut all = Breakpoints::default();
        let (one, _) = all.set(Path::new("/"), spec("a.ez", 3, None));
        let (two, _) = all.set(Path::new("/"), spec("a.ez", 2, None));
        assert_eq!(all.place(two, placed(&[7])), [StmtId(7)]);
        assert_eq!(all.place(one, placed(&[7, 8])), [StmtId(7), StmtId(8)]);
        let hit = |all: &Breakpoints, stmt| -> Vec<u32> {
            all.candidates(FuncId(0), StmtId(stmt), false).iter().map(|(id, _)| id.0).collect()
        };
        assert_eq!((hit(&all, 7), hit(&all, 8)), (vec![1, 2], vec![1]));
        assert_eq!(all.remove(one), [StmtId(7), StmtId(8)]);
        assert_eq!((hit(&all, 7), hit(&all, 8)), (vec![2], vec![]));
        let seen = all.describe(two, |_| crate::api::Location { path: "/a.ez".into(), line: 3, column: 1 });
        assert_eq!(seen.unwrap().message.as_deref(), Some("line 2 has no statement: moved to line 3"));
    }
}
