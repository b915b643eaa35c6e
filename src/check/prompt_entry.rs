//! Entries of the interactive prompt: small programs that see the declarations of earlier entries.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use crate::diagnostics::Code;
use crate::modules::Graph;
use crate::program::GlobalId;
use crate::source::Span;
use crate::value::Type;

use super::collect::collect;
use super::program::{Checked, ReportScope, file_groups, finish, lowered};
use super::symbols::{GlobalSym, Symbols};

/// The types and variables that earlier entries declared.
#[derive(Clone, Debug, Default)]
pub struct PromptState {
    /// Types by name. A declaration that is checked again keeps its identity, so old values stay valid.
    pub types: Vec<(Rc<str>, Type)>,
    /// Variables, with their types.
    pub globals: Vec<PromptGlobal>,
}

/// A variable of an earlier entry.
#[derive(Clone, Debug)]
pub struct PromptGlobal {
    /// Its name.
    pub name: Rc<str>,
    /// Its type.
    pub ty: Type,
    /// Whether it is `const`.
    pub constant: bool,
    /// Its declaration.
    pub span: Span,
}

/// Checks a module for the prompt. The globals of the resulting program are those it declares, followed
/// by the ones in `kept`; all of them are boxed, so that the next entry can refer to them. Unlike in a
/// file, the values of file-level variables may contain calls.
pub fn check_entry(graph: &Graph, kept: &PromptState) -> Checked {
    let mut symbols = collect(graph);
    enter(&mut symbols, kept);
    let symbols = Rc::new(symbols);
    let (program, mut found) = lowered(graph, &symbols);
    found.retain(|d| d.code != Code::E2056);
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

fn enter(symbols: &mut Symbols, kept: &PromptState) {
    let Symbols { modules, globals, .. } = symbols;
    let Some(module) = modules.first_mut() else { return };
    for (name, ty) in &kept.types {
        if let Some(sym) = module.types.get_mut(name).and_then(Rc::get_mut) {
            sym.ty = ty.clone();
        }
    }
    for global in &kept.globals {
        module.globals.insert(global.name.clone(), GlobalId(globals.len() as u32));
        globals.push(GlobalSym {
            name: global.name.clone(),
            module: 0,
            file: 0,
            private: false,
            constant: global.constant,
            span: global.span,
            ty: OnceCell::from(global.ty.clone()),
            boxed: Cell::new(false),
        });
    }
    globals.iter().for_each(|global| global.boxed.set(true));
}
