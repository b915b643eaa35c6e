//! Which statements stand where: from lines to statements and back, for breakpoints.

use std::path::Path;

use crate::program::{Block, FuncId, Program, Stmt, StmtId, StmtKind};
use crate::source::FileId;

/// A steppable statement and its lines.
#[derive(Clone, Copy, Debug)]
struct Spot {
    stmt: StmtId,
    func: FuncId,
    file: FileId,
    first: u32,
    last: u32,
    /// Whether control comes to its line by it: nothing before it in its block, and not the head of
    /// its block, stands on the same line.
    entry: bool,
    header: bool,
}

/// The statements of a program by place.
pub(crate) struct LineTable {
    spots: Vec<Spot>,
    /// First and last line of each function, with its file.
    functions: Vec<(FuncId, FileId, u32, u32)>,
}

/// Where a breakpoint stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Line of the statements.
    pub line: u32,
    /// Statements at which it is hit when control reaches them.
    pub entries: Vec<StmtId>,
    /// Loop headers on the line: hit when they come back_edge.
    pub headers: Vec<StmtId>,
}

impl LineTable {
    /// Looks at every statement once.
    pub fn of(program: &Program) -> LineTable {
        let mut places = LineTable { spots: Vec::new(), functions: Vec::new() };
        for function in &program.functions {
            if function.id != program.init
                && let Some(file) = program.sources.get(function.span.file)
            {
                let (first, last) = (file.line(function.span.start), file.line(function.span.end));
                places.functions.push((function.id, function.file, first, last));
            }
            places.block(program, &function.body, None);
        }
        places
    }

    fn block(&mut self, program: &Program, block: &Block, head: Option<(FileId, u32)>) {
        let mut before = head;
        for stmt in &block.stmts {
            let line = self.add(program, stmt.id, before, is_loop(stmt));
            self.children(program, stmt, line);
            before = line.or(before);
        }
    }

    fn children(&mut self, program: &Program, stmt: &Stmt, line: Option<(FileId, u32)>) {
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                let mut before = line;
                for (i, arm) in arms.iter().enumerate() {
                    if i > 0 {
                        before = self.add(program, arm.id, before, false).or(before);
                    }
                    self.block(program, &arm.body, before);
                }
                if let Some(block) = otherwise {
                    self.block(program, block, before);
                }
            }
            StmtKind::When { arms, default, .. } => {
                for arm in arms {
                    self.block(program, &arm.body, line);
                }
                if let Some(block) = default {
                    self.block(program, block, line);
                }
            }
            StmtKind::For { body, .. }
            | StmtKind::ForEach { body, .. }
            | StmtKind::While { body, .. }
            | StmtKind::Loop { body } => self.block(program, body, line),
            _ => {}
        }
    }

    /// Adds a statement if the debugger stops at it; gives its line.
    fn add(
        &mut self,
        program: &Program,
        stmt: StmtId,
        before: Option<(FileId, u32)>,
        header: bool,
    ) -> Option<(FileId, u32)> {
        let info = program.statement(stmt).filter(|info| info.steppable)?;
        let file = program.sources.get(info.at.file)?;
        let first = file.line(info.at.start);
        let last = file.line(info.span.end.saturating_sub(1)).max(first);
        let entry = before != Some((file.id, first));
        self.spots.push(Spot { stmt, func: info.func, file: file.id, first, last, entry, header });
        Some((file.id, first))
    }

    /// Where a breakpoint at this line of a file stops: the statements that begin there; else the
    /// statement that the line is inside of; else the next one in the same function, or from outside
    /// of functions the next one at all.
    pub fn resolve(&self, program: &Program, path: &Path, line: u32) -> Option<Resolved> {
        let wanted = canonical(path);
        let file = program.sources.files().into_iter().find(|f| canonical(&f.path) == wanted)?.id;
        let here = || self.spots.iter().filter(move |s| s.file == file);
        if here().any(|s| s.first == line) {
            return self.at_line(file, line, None);
        }
        let inside = here().filter(|s| s.first < line && line <= s.last).max_by_key(|s| s.first);
        if let Some(spot) = inside {
            return self.at_line(file, spot.first, None);
        }
        let function =
            self.functions.iter().find(|(_, f, first, last)| *f == file && *first <= line && line <= *last);
        let next = match function {
            Some((func, ..)) => {
                here().filter(|s| s.func == *func && s.first > line).min_by_key(|s| s.first)?
            }
            None => here().filter(|s| s.first > line).min_by_key(|s| s.first)?,
        };
        self.at_line(file, next.first, function.map(|(func, ..)| *func))
    }

    fn at_line(&self, file: FileId, line: u32, func: Option<FuncId>) -> Option<Resolved> {
        let there: Vec<&Spot> = self
            .spots
            .iter()
            .filter(|s| s.file == file && s.first == line && func.is_none_or(|f| f == s.func))
            .collect();
        Some(Resolved {
            line,
            entries: there.iter().filter(|s| s.entry).map(|s| s.stmt).collect(),
            headers: there.iter().filter(|s| s.header).map(|s| s.stmt).collect(),
        })
    }
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::For { .. } | StmtKind::ForEach { .. } | StmtKind::While { .. } | StmtKind::Loop { .. }
    )
}

/// The path with links resolved, if it exists.
fn canonical(path: &Path) -> std::path::PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
