//! Globals that a stopped program has not declared yet: among the initialisers, they have no value.

use foldhash::HashSet;

use crate::api::Failure;
use crate::debug::inspect::frames::{FrameView, position};
use ez_language::check::Fragment;
use ez_runtime::diagnostics::Code;
use ez_runtime::interp::closures::{ValueFn, closure};
use ez_runtime::interp::vm::{Stop, Vm};
use ez_runtime::program::visit::{Use, Visitor, walk, walk_expr};
use ez_runtime::program::{Expr, ExprKind, FuncId, GlobalId, Program, Target, TargetKind};
use ez_runtime::source::Span;

/// Refuses a fragment that names such a global, or calls functions that do.
///
/// # Errors
/// The name.
pub fn refuse_undeclared(vm: &Vm, fragment: &Fragment) -> Result<(), Failure> {
    let mut finder = Finder::of(fragment);
    if let Some((id, at)) = first_undeclared(vm, &finder.named) {
        let position = Some(position(&vm.program.sources, at));
        return Err(Failure::wrong_expression(Code::E4001, position, vm.not_declared(id)));
    }
    // As a rule, all are declared.
    if !finder.called.is_empty() && !(0..vm.program.globals.len() as u32).all(|id| vm.is_bound(GlobalId(id)))
    {
        finder.follow_calls(&vm.program);
    }
    match first_undeclared(vm, &finder.named) {
        Some((id, _)) => Err(Failure::wrong_expression(Code::E4001, None, vm.not_declared(id))),
        None => Ok(()),
    }
}

/// The value of a fragment for frames of `view`'s function, which fails if the fragment calls functions that name such a
/// global. (What the fragment names itself is checked by its own code.)
pub fn once_declared(program: &Program, view: &FrameView, fragment: &Fragment, value: ValueFn) -> ValueFn {
    let Some(check) = check_of_calls(program, view, fragment) else { return value };
    closure(move |vm, fp| {
        check(vm)?;
        value.run(vm, fp)
    })
}

/// Fails if a fragment for frames of `view`'s function calls functions that name such a global; `None` if that cannot
/// be.
pub fn check_of_calls(
    program: &Program,
    view: &FrameView,
    fragment: &Fragment,
) -> Option<impl Fn(&mut Vm) -> Result<(), Stop> + use<>> {
    let at = fragment.expr.as_ref().filter(|_| view.func == program.init)?.at;
    let mut finder = Finder::of(fragment);
    finder.follow_calls(program);
    let named = finder.named;
    (!named.is_empty()).then_some(move |vm: &mut Vm| match first_undeclared(vm, &named) {
        Some((id, _)) => vm.fail(Code::E4001, vm.not_declared(id), at),
        None => Ok(()),
    })
}

fn first_undeclared(vm: &Vm, named: &[(GlobalId, Span)]) -> Option<(GlobalId, Span)> {
    named.iter().copied().find(|(id, _)| !vm.is_bound(*id))
}

/// The globals that are named, and where first, and the functions that are called, each once, in this order.
#[derive(Default)]
struct Finder {
    named: Vec<(GlobalId, Span)>,
    called: Vec<FuncId>,
    known_globals: HashSet<GlobalId>,
    known_functions: HashSet<FuncId>,
}

impl Finder {
    /// A finder for a fragment itself.
    fn of(fragment: &Fragment) -> Finder {
        let mut finder = Finder::default();
        walk(&fragment.stmts, &mut finder);
        fragment.expr.iter().for_each(|expr| walk_expr(expr, &mut finder));
        finder
    }

    /// Adds those of the functions that are called.
    fn follow_calls(&mut self, program: &Program) {
        let mut seen = 0;
        while let Some(function) = self.called.get(seen).and_then(|id| program.function(*id)) {
            walk(&function.body.stmts, self);
            seen += 1;
        }
    }

    fn named(&mut self, id: GlobalId, at: Span) {
        if self.known_globals.insert(id) {
            self.named.push((id, at));
        }
    }
}

impl Visitor for Finder {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Global(id) = expr.kind {
            self.named(id, expr.at);
        }
        if let ExprKind::Call { func, .. } = expr.kind
            && self.known_functions.insert(func)
        {
            self.called.push(func);
        }
    }

    fn target(&mut self, target: &Target, _: Use) {
        if let TargetKind::Global(id) = target.kind {
            self.named(id, target.at);
        }
    }
}
