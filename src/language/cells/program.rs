//! The program that is made of a cell and the declarations of earlier ones.

use std::rc::Rc;

use crate::modules::{FileUnit, Graph, ImportUnit, ModuleUnit, ResolvedImport};
use crate::syntax::ast::{self, Attributes, Block, FuncDecl, Name, Stmt, Using};
use ez_runtime::program::{Global, GlobalId, Program, StmtKind};
use ez_runtime::source::{SourceFile, SourceMap, Span};
use ez_runtime::value::Type;

use super::entry::Entry;

/// The functions and types that a cell has declared, and that no later one has replaced.
#[derive(Clone)]
pub(super) struct Unit {
    pub source: Rc<SourceFile>,
    pub items: Vec<Stmt>,
}

/// The imports that a cell sees: those of earlier cells and its own.
#[derive(Clone, Default)]
pub(super) struct Header {
    pub imports: Vec<ImportUnit>,
    pub usings: Vec<Using>,
}

impl Header {
    /// These imports with those of a cell.
    pub fn with(&self, entry: &Entry) -> Header {
        let mut header = self.clone();
        for unit in &entry.imports {
            header.imports.retain(|old| old.alias != unit.alias);
            header.imports.push(unit.clone());
        }
        // A module that is used twice, under two names, would make each of its functions ambiguous.
        let used = entry.usings.iter().flat_map(|using| &using.names).map(|name| header.module(&name.text));
        let auto = entry.imports.iter().filter(|unit| unit.auto_use).map(module_name);
        let used: Vec<Option<Rc<str>>> = used.chain(auto.map(Some)).collect();
        let again = |module: Rc<str>| used.contains(&Some(module));
        for using in &mut header.usings {
            using.names.retain(|name| !self.module(&name.text).is_some_and(again));
        }
        let own: Vec<&str> = entry.imports.iter().map(|unit| &*unit.alias).collect();
        for unit in header.imports.iter_mut().filter(|unit| !own.contains(&&*unit.alias)) {
            unit.auto_use &= !again(module_name(unit));
        }
        header.usings.extend(entry.usings.iter().cloned());
        header
    }

    /// The module that a name in `using` means.
    fn module(&self, name: &str) -> Option<Rc<str>> {
        let by_alias = self.imports.iter().find(|unit| &*unit.alias == name);
        let found = by_alias.or_else(|| self.imports.iter().find(|unit| &*module_name(unit) == name));
        found.map(module_name)
    }

    fn file(&self, source: &Rc<SourceFile>, items: Vec<Stmt>) -> FileUnit {
        let ast = ast::File {
            id: source.id,
            module: None,
            imports: Vec::new(),
            usings: self.usings.clone(),
            suppress: Vec::new(),
            items,
        };
        FileUnit { source: source.clone(), ast, diagnostics: Vec::new(), imports: self.imports.clone() }
    }

    /// The program of a cell in the form that [`check_cell`](crate::check::check_cell) takes. `declarations` are the
    /// cell's own functions and types, `earlier` those of other cells, `stmts` the rest of the cell.
    pub fn graph(
        &self,
        sources: &Rc<SourceMap>,
        source: &Rc<SourceFile>,
        (declarations, stmts): (&[Stmt], &[Stmt]),
        earlier: &[Unit],
    ) -> Graph {
        let mut items = vec![main_function(source, stmts.to_vec())];
        items.extend(stmts.iter().filter(|stmt| matches!(stmt.kind, ast::StmtKind::Var(_))).cloned());
        items.extend(declarations.iter().cloned());
        let mut files = vec![self.file(source, items)];
        files.extend(earlier.iter().map(|unit| self.file(&unit.source, unit.items.clone())));
        let module = ModuleUnit { name: "main".into(), path: source.path.clone(), files };
        Graph {
            sources: sources.clone(),
            modules: vec![module],
            sibling_diagnostics: Vec::new(),
            misnamed: Vec::new(),
        }
    }
}

/// The name of an imported module; only modules of the library can be imported.
fn module_name(unit: &ImportUnit) -> Rc<str> {
    match &unit.target {
        ResolvedImport::Library(module) => module.name.into(),
        _ => unit.alias.clone(),
    }
}

fn main_function(source: &SourceFile, stmts: Vec<Stmt>) -> Stmt {
    let span = Span::new(source.id, 0, source.text.len());
    let decl = FuncDecl {
        keyword: span.head(),
        name: Name { text: "main".into(), span: span.head() },
        params: Vec::new(),
        results: Vec::new(),
        body: Block { span, stmts },
    };
    Stmt { span, attrs: Attributes::default(), kind: ast::StmtKind::Func(Rc::new(decl)) }
}

/// The type of the expression that is the last statement of `main`, if it is one.
fn last_type(program: &Program) -> Option<&Type> {
    let main = program.function(program.main)?;
    if let StmtKind::Expr { expr, .. } = &main.body.stmts.last()?.kind { Some(&expr.ty) } else { None }
}

/// Makes the program store the value of the expression that is the last statement of `main` in an additional global, which
/// has no name; returns it. `None` if there is no value.
pub(super) fn store_result(program: &mut Rc<Program>) -> Option<GlobalId> {
    if last_type(program).is_none_or(|ty| *ty == Type::Void) {
        return None;
    }
    let program = Rc::get_mut(program)?;
    let id = GlobalId(program.globals.len() as u32);
    let main = program.functions.get_mut(program.main.0 as usize).and_then(Rc::get_mut)?;
    let (file, span) = (main.file, main.span);
    let stmt = main.body.stmts.last_mut()?;
    let StmtKind::Expr { expr, .. } = &stmt.kind else { return None };
    let (ty, value) = (expr.ty.clone(), expr.clone());
    stmt.kind = StmtKind::DeclareGlobal { global: id, value };
    program.globals.push(Global { name: "".into(), ty, constant: false, boxed: false, file, span });
    Some(id)
}
