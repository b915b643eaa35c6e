//! Variables passed to `&` parameters in slots (see [`unbox_non_escaping`](ez_runtime::program::unbox_non_escaping)): parameter and variable are one
//! variable for the program, which never assigns the parameter. The debugger does: then the other has to be
//! assigned, too.

use std::rc::Rc;

use crate::debug::inspect::frames::{FrameView, frames};
use crate::debug::running::step_targets::visit_head;
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::visit::Visitor;
use ez_runtime::program::{Arg, Expr, ExprKind, FuncId, Program, StmtId, TargetKind};
use ez_runtime::source::Span;
use ez_runtime::value::Ref;

/// A slot of a frame.
type FrameSlot = (Fp, Slot);

/// A parameter, the variable that was passed to it, and the object of both.
struct Pair {
    parameter: FrameSlot,
    variable: FrameSlot,
    object: Option<Ref>,
}

/// The pairs of the calls in progress, innermost first.
pub struct Passed(Vec<Pair>);

impl Passed {
    /// Finds the pairs of the calls in progress; `top` is the innermost frame.
    pub fn of(vm: &Vm, top: &FrameView) -> Passed {
        let program = &vm.program;
        let all = frames(vm, *top, usize::MAX);
        let calls = all.iter().zip(all.iter().skip(1));
        let mut pairs = Vec::new();
        for (callee, caller) in calls {
            for (parameter, variable) in
                passed_in(program, callee.func, (caller.func, caller.stmt, caller.at))
            {
                let object = vm.frames.get_ref(callee.fp, parameter);
                pairs.push(Pair {
                    parameter: (callee.fp, parameter),
                    variable: (caller.fp, variable),
                    object,
                });
            }
        }
        Passed(pairs)
    }

    /// Where one of a pair was assigned since, assigns the other.
    pub fn assign_both(&self, vm: &mut Vm) {
        for pair in &self.0 {
            pair.assign(vm, pair.parameter, pair.variable);
        }
        for pair in self.0.iter().rev() {
            pair.assign(vm, pair.variable, pair.parameter);
        }
    }
}

impl Pair {
    /// Gives `to` the object of `from` if only that was assigned.
    fn assign(&self, vm: &mut Vm, from: FrameSlot, to: FrameSlot) {
        let (new, old) = (vm.frames.get_ref(from.0, from.1), vm.frames.get_ref(to.0, to.1));
        if !is_same(&new, &self.object) && is_same(&old, &self.object) {
            drop(vm.frames.replace_ref(to.0, to.1, new));
        }
    }
}

fn is_same(a: &Option<Ref>, b: &Option<Ref>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The `&` parameters without a box of a call at `at`, in a statement of `caller`, each with the variable of the
/// caller that is passed to it.
fn passed_in(
    program: &Program,
    callee: FuncId,
    (caller, stmt, at): (FuncId, StmtId, Span),
) -> Vec<(Slot, Slot)> {
    let Some(function) = program.function(callee) else { return Vec::new() };
    let is_shared = |index: usize| {
        let local = function.params.get(index).filter(|param| param.by_ref)?.local;
        function.local(local).filter(|local| !local.boxed).map(|_| Slot::new(local.0))
    };
    if (0..function.params.len()).all(|index| is_shared(index).is_none()) {
        return Vec::new();
    }
    let mut found = Arguments { at, variables: Vec::new() };
    visit_head(program, caller, stmt, &mut found);
    found.variables.into_iter().filter_map(|(index, slot)| Some((is_shared(index)?, slot))).collect()
}

/// Finds the locals that a call passes by reference: the index of each argument, and the local's slot.
struct Arguments {
    at: Span,
    variables: Vec<(usize, Slot)>,
}

impl Visitor for Arguments {
    fn expr(&mut self, expr: &Expr) {
        let ExprKind::Call { args, .. } = &expr.kind else { return };
        if expr.at != self.at {
            return;
        }
        for (index, arg) in args.iter().enumerate() {
            if let Arg::Ref(target) = arg
                && let TargetKind::Local(local) = target.kind
            {
                self.variables.push((index, Slot::new(local.0)));
            }
        }
    }
}
