//! Globals that a stopped program has not declared yet: among the initialisers, they have no value.

use crate::api::Failure;
use crate::check::Fragment;
use crate::debug::program::wrong;
use crate::interp::vm::Vm;
use crate::program::visit::{Use, Visitor, walk, walk_expr};
use crate::program::{Expr, ExprKind, FuncId, GlobalId, Place, PlaceKind};

/// Refuses a fragment that names such a global, or calls functions that do.
///
/// # Errors
/// The name.
pub fn refuse_undeclared(vm: &Vm, fragment: &Fragment) -> Result<(), Failure> {
    if (0..vm.program.globals.len() as u32).all(|id| vm.is_bound(GlobalId(id))) {
        return Ok(());
    }
    let mut finder = Finder { vm, found: None, called: Vec::new() };
    walk(&fragment.stmts, &mut finder);
    fragment.expr.iter().for_each(|expr| walk_expr(expr, &mut finder));
    let mut seen = 0;
    while let Some(function) = finder.called.get(seen).and_then(|id| vm.program.function(*id)) {
        walk(&function.body.stmts, &mut finder);
        seen += 1;
    }
    let name = finder.found.and_then(|id| vm.program.globals.get(id.0 as usize)).map(|global| &global.name);
    name.map_or(Ok(()), |name| Err(wrong(format!("{name} is not declared yet"))))
}

struct Finder<'a> {
    vm: &'a Vm,
    found: Option<GlobalId>,
    /// The functions that are called, each once.
    called: Vec<FuncId>,
}

impl Finder<'_> {
    fn named(&mut self, id: GlobalId) {
        if !self.vm.is_bound(id) {
            self.found.get_or_insert(id);
        }
    }
}

impl Visitor for Finder<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Global(id) = expr.kind {
            self.named(id);
        }
        if let ExprKind::Call { func, .. } = expr.kind
            && !self.called.contains(&func)
        {
            self.called.push(func);
        }
    }

    fn place(&mut self, place: &Place, _: Use) {
        if let PlaceKind::Global(id) = place.kind {
            self.named(id);
        }
    }
}
