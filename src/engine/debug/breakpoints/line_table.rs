//! Maps lines to statements: where line breakpoints stop.

use std::path::{Path, PathBuf};

use foldhash::HashMap;

use crate::api::LineLocation;
use ez_runtime::program::visit::blocks;
use ez_runtime::program::{Block, FuncId, Program, Stmt, StmtId, StmtKind};
use ez_runtime::source::{FileId, Span};

/// A statement at which the program can stop.
#[derive(Clone, Copy, Debug)]
struct Entry {
    stmt: StmtId,
    func: FuncId,
    /// First and last line of the statement; of its head, if it has a block.
    first: u32,
    last: u32,
    /// Its first token.
    at: Span,
    /// Whether execution reaches the line with this statement: no other statement of its block before it, nor
    /// the head of the block, begins on the same line.
    enters_line: bool,
    /// Whether it is a loop header.
    header: bool,
}

/// First and last line of a function.
#[derive(Clone, Copy, Debug)]
struct Extent {
    func: FuncId,
    first: u32,
    last: u32,
}

/// The statements and functions of a file.
#[derive(Debug, Default)]
struct FileTable {
    /// In order of the first line, then of the position.
    entries: Vec<Entry>,
    /// In order of the first line; functions do not overlap.
    functions: Vec<Extent>,
}

/// The statements of a program, by file and line.
pub(crate) struct LineTable {
    files: HashMap<FileId, FileTable>,
    /// The files, by canonical path: several, if the program imports a file by several paths, each of which makes a
    /// module of it.
    paths: HashMap<PathBuf, Vec<FileId>>,
}

/// Where a breakpoint stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// Line of the statements.
    pub line: u32,
    /// First token of the first of them.
    pub at: Span,
    /// The statements where it is hit whenever execution reaches them.
    pub entries: Vec<StmtId>,
    /// The loop headers where it is hit on the back edge only.
    pub headers: Vec<StmtId>,
}

impl Resolved {
    /// The statements of both; where they are is that of the first.
    pub fn and(mut self, other: Resolved) -> Resolved {
        self.entries.extend(other.entries);
        self.headers.extend(other.headers);
        self
    }
}

impl LineTable {
    /// Builds the table of a program; `directory` is the base of relative paths.
    pub fn new(program: &Program, directory: &Path) -> LineTable {
        let mut table = LineTable { files: HashMap::default(), paths: HashMap::default() };
        for file in program.files.iter().filter_map(|id| program.sources.get(*id)) {
            // A program that is not in a file has a relative path.
            let identity = crate::debug::paths::identity(&directory.join(&file.path));
            table.paths.entry(identity).or_default().push(file.id);
        }
        for function in &program.functions {
            if function.id != program.init
                && let Some(file) = program.sources.get(function.span.file)
            {
                let (first, last) = (file.line(function.span.start), file.line(function.span.end));
                let extent = Extent { func: function.id, first, last };
                table.files.entry(function.file).or_default().functions.push(extent);
            }
            table.block(program, &function.body, None);
        }
        for file in table.files.values_mut() {
            file.entries.sort_by_key(|entry| (entry.first, entry.at.start));
            file.functions.sort_by_key(|function| function.first);
        }
        table
    }

    fn block(&mut self, program: &Program, block: &Block, head: Option<(FileId, u32)>) {
        let mut before = head;
        for stmt in &block.stmts {
            let line = self.add(program, stmt.id, before, stmt.is_loop());
            self.children(program, stmt, line);
            before = line.or(before);
        }
    }

    fn children(&mut self, program: &Program, stmt: &Stmt, line: Option<(FileId, u32)>) {
        let arms = if let StmtKind::If { arms, .. } = &stmt.kind { arms.as_slice() } else { &[] };
        let mut before = line;
        for (i, block) in blocks(stmt).into_iter().enumerate() {
            if let Some(arm) = arms.get(i).filter(|_| i > 0) {
                before = self.add(program, arm.id, before, false).or(before);
            }
            self.block(program, block, before);
        }
    }

    /// Adds a statement if the program can stop there; returns its line.
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
        let enters_line = before != Some((file.id, first));
        let entry = Entry { stmt, func: info.func, first, last, at: info.at, enters_line, header };
        self.files.entry(file.id).or_default().entries.push(entry);
        Some((file.id, first))
    }

    /// Resolves a breakpoint on a line of a file (a canonical path): to the statements that begin on the
    /// line; else to the statement that the line is part of; else to the next one in the same function or,
    /// outside of functions, in the file. If a column is requested, it is the one statement of the line that
    /// begins there, or the last before it, or the first; `column` gives the column of a span. In each module that
    /// was made of the file it is the same place.
    pub fn resolve(
        &self,
        file: &Path,
        location: LineLocation,
        column: impl Fn(Span) -> u32,
    ) -> Result<Resolved, &'static str> {
        const NO_STATEMENT: &str = "there is no statement here or below in this function";
        let files = self.paths.get(file).ok_or(NO_FILE)?;
        let in_file = |table: &FileTable| {
            let resolved = table.resolve(location.line)?;
            Some(match location.column {
                Some(wanted) if resolved.line == location.line => {
                    table.at_column(location.line, wanted, &column).unwrap_or(resolved)
                }
                _ => resolved,
            })
        };
        let all = files.iter().filter_map(|file| self.files.get(file)).filter_map(in_file);
        all.reduce(Resolved::and).ok_or(NO_STATEMENT)
    }

    /// The first tokens of the statements in a range of lines, in order.
    pub fn places(&self, file: &Path, first: u32, last: u32) -> Result<Vec<Span>, &'static str> {
        let files = self.paths.get(file).ok_or(NO_FILE)?;
        let Some(table) = files.iter().find_map(|file| self.files.get(file)) else { return Ok(Vec::new()) };
        let begin = table.entries.partition_point(|entry| entry.first < first);
        let behind = table.entries.get(begin..).unwrap_or_default();
        Ok(behind.iter().take_while(|entry| entry.first <= last).map(|entry| entry.at).collect())
    }

    /// The first statement of a function.
    pub fn function_start(&self, program: &Program, func: FuncId) -> Option<Resolved> {
        let function = program.function(func)?;
        let table = self.files.get(&function.file)?;
        let first = table.entries.iter().filter(|entry| entry.func == func).min_by_key(|entry| entry.stmt)?;
        Some(Resolved { line: first.first, at: first.at, entries: vec![first.stmt], headers: Vec::new() })
    }
}

/// The message for a file that is not part of the program.
const NO_FILE: &str = "the program does not use this file";

impl FileTable {
    fn resolve(&self, line: u32) -> Option<Resolved> {
        let next = self.entries.partition_point(|entry| entry.first < line);
        if self.entries.get(next).is_some_and(|entry| entry.first == line) {
            return self.at_line(line, None);
        }
        // Heads of statements do not overlap: only the last one that begins before the line can contain it.
        let before = next.checked_sub(1).and_then(|index| self.entries.get(index)).map(|entry| entry.first);
        let begins_before = |entry: &&Entry| Some(entry.first) == before;
        let mut inside = self.entries.get(..next)?.iter().rev().take_while(begins_before);
        if let Some(entry) = inside.find(|entry| line <= entry.last) {
            return self.at_line(entry.first, None);
        }
        let function = self.functions.partition_point(|function| function.first <= line).checked_sub(1);
        let function = function.and_then(|index| self.functions.get(index)).filter(|f| line <= f.last);
        let func = function.map(|function| function.func);
        let mut below = self.entries.get(next..)?.iter();
        let found = below.find(|entry| func.is_none_or(|func| func == entry.func))?;
        self.at_line(found.first, func)
    }

    /// The statement of a line that begins at a column, or the last before it, or the first.
    fn at_column(&self, line: u32, wanted: u32, column: &impl Fn(Span) -> u32) -> Option<Resolved> {
        let begin = self.entries.partition_point(|entry| entry.first < line);
        let there = || self.entries.iter().skip(begin).take_while(|entry| entry.first == line);
        let before = there().take_while(|entry| column(entry.at) <= wanted).last();
        let found = before.or_else(|| there().next())?;
        Some(Resolved { line, at: found.at, entries: vec![found.stmt], headers: Vec::new() })
    }

    /// The statements that begin on a line; only those of `func`, if given.
    fn at_line(&self, line: u32, func: Option<FuncId>) -> Option<Resolved> {
        let begin = self.entries.partition_point(|entry| entry.first < line);
        let there: Vec<&Entry> = self
            .entries
            .get(begin..)?
            .iter()
            .take_while(|entry| entry.first == line)
            .filter(|entry| func.is_none_or(|func| func == entry.func))
            .collect();
        Some(Resolved {
            line,
            at: there.first()?.at,
            entries: there.iter().filter(|entry| entry.enters_line).map(|entry| entry.stmt).collect(),
            headers: there.iter().filter(|entry| entry.header).map(|entry| entry.stmt).collect(),
        })
    }
}
