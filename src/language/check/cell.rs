//! Cells: programs that see the declarations of earlier cells, and whose `main` declares globals.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use crate::modules::Graph;
use ez_runtime::program::GlobalId;
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::collect::collect;
use super::program::{Checked, ReportScope, file_groups, finish, lowered};
use super::symbols::{GlobalSym, Symbols};

/// The types and variables that earlier cells declared.
#[derive(Clone, Debug, Default)]
pub struct DeclaredNames {
    /// Types by name. A declaration that is checked again keeps its identity, so old values stay valid.
    pub types: Vec<(Rc<str>, Type)>,
    /// Variables.
    pub globals: Vec<DeclaredGlobal>,
}

/// A variable of an earlier cell.
#[derive(Clone, Debug)]
pub struct DeclaredGlobal {
    pub name: Rc<str>,
    pub ty: Type,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether references to it may exist: it has a box, which must remain the same.
    pub boxed: bool,
    /// Its declaration.
    pub span: Span,
}

/// Checks a cell: a module of several files, of which the first is the cell and begins with `main`, whose statements are
/// those of the cell. The variables that `main` declares at its outermost level are globals; the first file has their
/// declarations at its file level, too. The globals of the resulting program are these, followed by the ones in
/// `earlier`. Unlike in a file, the values of such variables may contain calls.
pub fn check_cell(graph: &Graph, earlier: &DeclaredNames) -> Checked {
    let mut symbols = collect(graph);
    let own = symbols.globals.len() as u32;
    enter(&mut symbols, earlier);
    let symbols = Rc::new(symbols);
    let (program, found, _) = lowered(graph, &symbols, Some(own), ReportScope::Run);
    let mut groups = Vec::new();
    let sound = file_groups(graph, ReportScope::Run, found, &mut groups);
    let files = graph.modules.iter().map(|m| m.files.len()).sum();
    finish(graph, groups, symbols, program.filter(|_| sound), files)
}

/// The types that the module declares and their names.
pub fn declared_types(symbols: &Symbols) -> Vec<(Rc<str>, Type)> {
    let types = symbols.modules.first().into_iter().flat_map(|module| &module.types);
    types.map(|(name, sym)| (name.clone(), sym.ty.clone())).collect()
}

fn enter(symbols: &mut Symbols, earlier: &DeclaredNames) {
    let Symbols { modules, globals, .. } = symbols;
    let Some(module) = modules.first_mut() else { return };
    for (name, ty) in &earlier.types {
        if let Some(sym) = module.types.get_mut(name).and_then(Rc::get_mut) {
            sym.ty = ty.clone();
        }
    }
    for global in &earlier.globals {
        if module.globals.contains_key(&global.name) {
            // The cell declares another one of this name.
            continue;
        }
        module.globals.insert(global.name.clone(), GlobalId(globals.len() as u32));
        globals.push(GlobalSym {
            name: global.name.clone(),
            module: 0,
            file: 0,
            private: false,
            constant: global.constant,
            span: global.span,
            ty: OnceCell::from(global.ty.clone()),
            boxed: Cell::new(global.boxed),
        });
    }
}

impl Checker<'_> {
    /// Whether the statement being lowered is one at the outermost level of a cell.
    pub fn is_cell_level(&self) -> bool {
        self.cell_main == Some(self.frame.func) && self.frame.names.depth() == 1
    }
}
