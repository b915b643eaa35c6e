//! Globals that a stopped program has not declared yet: among the initialisers, they have no value.

use crate::api::{Failure, FailureKind};
use crate::check::Fragment;
use crate::debug::inspect::frames::FrameView;
use crate::diagnostics::Code;
use crate::interp::operand::ValueFn;
use crate::interp::vm::{Stop, Vm};
use crate::program::visit::{Use, Visitor, walk, walk_expr};
use crate::program::{Expr, ExprKind, FuncId, GlobalId, Place, PlaceKind, Program};

/// Refuses a fragment that names such a global, or calls functions that do.
///
/// # Errors
/// The name.
pub fn refuse_undeclared(vm: &Vm, fragment: &Fragment) -> Result<(), Failure> {
    if (0..vm.program.globals.len() as u32).all(|id| vm.is_bound(GlobalId(id))) {
        return Ok(());
    }
    match first_undeclared(vm, &named_globals(&vm.program, fragment)) {
        Some(name) => Err(Failure::new(FailureKind::Evaluation, format!("{name} is not declared yet"))),
        None => Ok(()),
    }
}

/// The value of a fragment for frames of `view`'s function, which fails if the fragment calls functions that name such a
/// global. (What the fragment names itself is checked by its own code.)
pub fn once_declared(program: &Program, view: &FrameView, fragment: &Fragment, value: ValueFn) -> ValueFn {
    let Some(check) = check_of_calls(program, view, fragment) else { return value };
    Box::new(move |vm, fp| {
        check(vm)?;
        value(vm, fp)
    })
}

/// Fails if a fragment for frames of `view`'s function calls functions that name such a global; `None` if that cannot
/// be.
pub fn check_of_calls(
    program: &Program,
    view: &FrameView,
    fragment: &Fragment,
) -> Option<impl Fn(&mut Vm) -> Result<(), Stop> + use<>> {
    let named = if view.func == program.init { named_globals(program, fragment) } else { Vec::new() };
    let at = fragment.expr.as_ref().map(|expr| expr.at)?;
    (!named.is_empty()).then_some(move |vm: &mut Vm| match first_undeclared(vm, &named) {
        Some(name) => vm.fail(Code::E4001, format!("identifier not found: '{name}'"), at),
        None => Ok(()),
    })
}

fn first_undeclared(vm: &Vm, named: &[GlobalId]) -> Option<String> {
    let id = named.iter().find(|id| !vm.is_bound(**id))?;
    vm.program.globals.get(id.0 as usize).map(|global| global.name.to_string())
}

/// The globals that a fragment and the functions that it calls name.
fn named_globals(program: &Program, fragment: &Fragment) -> Vec<GlobalId> {
    let mut finder = Finder::default();
    walk(&fragment.stmts, &mut finder);
    fragment.expr.iter().for_each(|expr| walk_expr(expr, &mut finder));
    let mut seen = 0;
    while let Some(function) = finder.called.get(seen).and_then(|id| program.function(*id)) {
        walk(&function.body.stmts, &mut finder);
        seen += 1;
    }
    finder.named
}

#[derive(Default)]
struct Finder {
    /// The globals that are named, each once.
    named: Vec<GlobalId>,
    /// The functions that are called, each once.
    called: Vec<FuncId>,
}

impl Finder {
    fn named(&mut self, id: GlobalId) {
        if !self.named.contains(&id) {
            self.named.push(id);
        }
    }
}

impl Visitor for Finder {
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
