//! Which names of a program's files mean the same: every declaration and every use, built once an analysis.

use std::collections::{HashMap, HashSet};

use crate::check::{Checked, Declaration};
use crate::modules::Graph;
use crate::syntax::ast::{Expr, ExprKind, Stmt, StmtKind, each_statement};
use ez_runtime::program::LocalKind;
use ez_runtime::source::{FileId, Span};
use ez_runtime::value::Type;

use super::outline::{Item, ItemKind, outline};

/// What a name means; equal for all names of one declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Referent {
    /// What a file of the program declares, by where its name begins.
    Source(FileId, u32),
    /// A row of the library, with the name of its module.
    Row(&'static str, &'static str),
    /// A module of the library.
    Library(&'static str),
}

impl Referent {
    pub fn of(declaration: &Declaration) -> Referent {
        match declaration {
            Declaration::Source(at) => Referent::Source(at.file, at.start),
            Declaration::Row(module, row) => Referent::Row(module.name, row.name),
            Declaration::Library(module) => Referent::Library(module.name),
        }
    }
}

/// What is done with what a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Declaration,
    Write,
    Read,
}

/// A name in a text.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    pub at: Span,
    pub to: Referent,
    pub role: Role,
}

/// What a file of the program declares.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub at: Span,
    pub kind: ItemKind,
    /// All of its declaration, as far as that is known.
    pub whole: Span,
    /// The type of a variable.
    pub ty: Option<Type>,
    /// Whether it is a variable of a function.
    pub is_local: bool,
}

/// All names of a program.
#[derive(Debug, Default)]
pub struct Index {
    /// In the order of files and places.
    occurrences: Vec<Occurrence>,
    symbols: HashMap<(FileId, u32), Symbol>,
}

impl Index {
    pub fn new(graph: &Graph, checked: &Checked) -> Index {
        let mut index = Index::default();
        let mut writes = HashSet::new();
        for file in graph.modules.iter().flat_map(|module| &module.files) {
            for item in outline(&file.ast) {
                index.declare_item(&item, None);
            }
            if let Some(name) = &file.ast.module {
                index.declare(Symbol::new(name.span, ItemKind::Module, name.span));
            }
            for import in file.ast.imports.iter().flat_map(|import| &import.items) {
                if let Some(alias) = &import.alias {
                    index.declare(Symbol::new(alias.span, ItemKind::Module, import.span));
                }
            }
            each_statement(&file.ast.items, &mut |stmt| writes.extend(written(stmt)));
        }
        for global in checked.symbols.globals() {
            if let Some(symbol) = index.symbols.get_mut(&(global.0.file, global.0.start)) {
                symbol.ty = global.1.cloned();
            }
        }
        for function in &checked.references.functions {
            for local in function.locals.iter().filter(|local| local.kind != LocalKind::Hidden) {
                let kind = match local.kind {
                    LocalKind::Parameter => ItemKind::Parameter,
                    _ if local.constant && local.kind == LocalKind::Variable => ItemKind::Constant,
                    LocalKind::Result | LocalKind::Variable | LocalKind::Loop | LocalKind::Hidden => {
                        ItemKind::Variable
                    }
                };
                let (ty, is_local) = (Some(local.ty.clone()), true);
                index.declare(Symbol { ty, is_local, ..Symbol::new(local.span, kind, local.span) });
            }
        }
        for (at, to) in &checked.references.uses {
            let is_write = writes.contains(&(at.file, at.start));
            let role = if is_write { Role::Write } else { Role::Read };
            index.occurrences.push(Occurrence { at: *at, to: Referent::of(to), role });
        }
        index.occurrences.sort_unstable_by_key(|it| (it.at.file.0, it.at.start, it.at.end, it.role));
        index.occurrences.dedup_by_key(|it| (it.at.file, it.at.start, it.at.end));
        index
    }

    fn declare_item(&mut self, item: &Item, within: Option<Span>) {
        self.declare(Symbol::new(item.at, item.kind, within.unwrap_or(item.whole)));
        for child in &item.children {
            self.declare_item(child, Some(item.whole));
        }
    }

    fn declare(&mut self, symbol: Symbol) {
        let (at, key) = (symbol.at, (symbol.at.file, symbol.at.start));
        if self.symbols.insert(key, symbol).is_none() {
            let to = Referent::Source(at.file, at.start);
            self.occurrences.push(Occurrence { at, to, role: Role::Declaration });
        }
    }

    /// The names in a file, in their order.
    pub fn in_file(&self, file: FileId) -> &[Occurrence] {
        let start = self.occurrences.partition_point(|occurrence| occurrence.at.file.0 < file.0);
        let end = self.occurrences.partition_point(|occurrence| occurrence.at.file.0 <= file.0);
        self.occurrences.get(start..end).unwrap_or_default()
    }

    /// The name at an offset of a file, or directly before it.
    pub fn at(&self, file: FileId, offset: u32) -> Option<&Occurrence> {
        let occurrences = self.in_file(file);
        let end = occurrences.partition_point(|occurrence| occurrence.at.start <= offset);
        let before = occurrences.get(..end).unwrap_or_default();
        before.iter().rev().take(2).find(|occurrence| offset <= occurrence.at.end)
    }

    /// The name that is exactly there.
    pub fn exactly(&self, at: Span) -> Option<&Occurrence> {
        self.at(at.file, at.start).filter(|occurrence| occurrence.at == at)
    }

    /// All names that mean this, in the order of files and places.
    pub fn all(&self, to: Referent) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |occurrence| occurrence.to == to)
    }

    /// All that the files declare, in the order of files and places.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        let declared = self.occurrences.iter().filter(|occurrence| occurrence.role == Role::Declaration);
        declared.filter_map(|occurrence| self.symbol(occurrence.to))
    }

    /// What is declared there; `None` for the library.
    pub fn symbol(&self, to: Referent) -> Option<&Symbol> {
        match to {
            Referent::Source(file, start) => self.symbols.get(&(file, start)),
            Referent::Row(..) | Referent::Library(_) => None,
        }
    }
}

impl Symbol {
    fn new(at: Span, kind: ItemKind, whole: Span) -> Symbol {
        Symbol { at, kind, whole, ty: None, is_local: false }
    }
}

/// Where the names begin that a statement gives a value.
fn written(stmt: &Stmt) -> Vec<(FileId, u32)> {
    if let StmtKind::Assign(assign) = &stmt.kind {
        return target(&assign.target).into_iter().collect();
    }
    if let StmtKind::MultiAssign { names, .. } = &stmt.kind {
        return names.iter().map(|name| (name.span.file, name.span.start)).collect();
    }
    if let StmtKind::Expr(Expr { kind: ExprKind::Postfix(operand, _), .. }) = &stmt.kind {
        return target(operand).into_iter().collect();
    }
    Vec::new()
}

/// The name that a target changes: the field of `a.field[0]`.
fn target(expr: &Expr) -> Option<(FileId, u32)> {
    if let ExprKind::Index(base, _) = &expr.kind {
        return target(base);
    }
    if let ExprKind::Member(_, name) = &expr.kind {
        return Some((name.span.file, name.span.start));
    }
    expr.name().map(|_| (expr.at.file, expr.at.start))
}
