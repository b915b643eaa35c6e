//! Parsing the text of a cell.

use std::collections::HashSet;
use std::path::Path;
use std::rc::Rc;

use crate::modules::{ImportUnit, ResolvedImport, library_module, place};
use crate::syntax::ast::{self, Attributes, ImportTarget, Name, Stmt, StmtClass, StmtKind, Using};
use crate::syntax::{parse_expression, parse_file};
use ez_runtime::diagnostics::{Code, Diagnostic, Severity};
use ez_runtime::source::{SourceFile, SourceMap};

/// A parsed cell.
pub(super) struct Entry {
    pub source: Rc<SourceFile>,
    pub imports: Vec<ImportUnit>,
    pub usings: Vec<Using>,
    /// Functions and types.
    pub declarations: Vec<Stmt>,
    /// The rest, in order.
    pub stmts: Vec<Stmt>,
}

impl Entry {
    /// Parses a cell; `known`: the modules that were imported before.
    ///
    /// # Errors
    /// The errors in the text.
    pub fn parse(
        sources: &SourceMap,
        (text, name, path): (&str, &str, &Path),
        known: &[ImportUnit],
    ) -> Result<Entry, Vec<Diagnostic>> {
        let source = sources.add(name, path, text);
        let mut entry = Entry {
            source: source.clone(),
            imports: Vec::new(),
            usings: Vec::new(),
            declarations: Vec::new(),
            stmts: Vec::new(),
        };
        let (expr, found) = parse_expression(&source);
        if let (Some(expr), true) = (expr, errors(found).is_empty()) {
            let span = expr.span;
            entry.stmts.push(Stmt { span, attrs: Attributes::default(), kind: StmtKind::Expr(expr) });
            return Ok(entry);
        }
        let parsed = parse_file(&source);
        let mut found = errors(parsed.diagnostics);
        // The parser does not see the imports of earlier cells.
        found.retain(|d| d.code != Code::E2010);
        entry.imports = imports(&source, &parsed.file, &mut found);
        entry.usings = parsed.file.usings;
        let imported: HashSet<&str> = known.iter().chain(&entry.imports).flat_map(names).collect();
        for using in &entry.usings {
            for name in using.names.iter().filter(|name| !imported.contains(&*name.text)) {
                let message = format!("cannot use module '{}' before importing it", name.text);
                found.push(Diagnostic::new(Code::E2010, using.keyword, message));
            }
        }
        for stmt in parsed.file.items {
            if declared(&stmt).is_some() {
                entry.declarations.push(stmt);
            } else {
                entry.stmts.push(stmt);
            }
        }
        if found.is_empty() { Ok(entry) } else { Err(found) }
    }
}

/// The names by which `using` can mean a module.
fn names(unit: &ImportUnit) -> impl Iterator<Item = &str> {
    let own = match &unit.target {
        ResolvedImport::Library(module) => Some(module.name),
        _ => None,
    };
    std::iter::once(&*unit.alias).chain(own)
}

fn imports(source: &SourceFile, file: &ast::File, found: &mut Vec<Diagnostic>) -> Vec<ImportUnit> {
    let mut units = Vec::new();
    for import in &file.imports {
        for item in &import.items {
            let at = place(source, import, item);
            let ImportTarget::Library(name) = &item.target else {
                let message = "only library modules can be imported here";
                found.push(Diagnostic::new(Code::E6001, at, message));
                continue;
            };
            let target = library_module(&name.text);
            if let ResolvedImport::Failed(failure) = &target {
                found.push(Diagnostic::new(failure.code, at, failure.message.clone()));
                continue;
            }
            let (alias, keyword, auto_use) = (item.local_name(), import.keyword, import.auto_use);
            let (name, has_alias) = (item.name_span(), item.alias.is_some());
            units.push(ImportUnit { alias, keyword, name, has_alias, at, auto_use, target });
        }
    }
    units
}

fn errors(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().filter(|d| d.severity() == Severity::Error).collect()
}

/// The name that a function or type declares.
pub(super) fn declared(stmt: &Stmt) -> Option<&Name> {
    match stmt.kind.class() {
        StmtClass::Function(decl) => Some(&decl.name),
        StmtClass::Struct(decl) => Some(&decl.name),
        StmtClass::Enum(decl) => Some(&decl.name),
        StmtClass::Variable(_) | StmtClass::Compound(_) | StmtClass::Simple => None,
    }
}

/// The variables that a statement at the outermost level declares.
pub(super) fn variables(stmt: &Stmt) -> impl Iterator<Item = &Name> {
    let names = if let StmtKind::Var(decl) = &stmt.kind { decl.names.as_slice() } else { &[] };
    names.iter().map(|(name, _)| name).filter(|name| !name.is_blank())
}
