//! Compiles the head of a statement, or a whole program, so that each expression reports its value to an
//! observer.
//!
//! Instances of the past use this for one statement, `ez trace` for whole programs: see
//! `debug::history::unfold`. No two expressions are compiled into one closure.

use std::rc::Rc;

use foldhash::HashMap;

use crate::interp::boxing::{bool_value, float_value, int_value, ref_value, wide_value};
use crate::interp::closures::{BoolFn, Closure, FloatFn, IntFn, RefFn, ResultFn, StmtFn, ValueFn, closure};
use crate::interp::slots::Fp;
use crate::interp::vm::{Exit, Stop, Vm, Wide};
use crate::program::{Arm, Case, Expr, Function, Stmt, StmtClass, StmtId, StmtKind, WhenArm};
use crate::value::{Repr, Type, Value};

use super::when::{SelectFn, holds};
use super::{Compiler, calls_at_file_level, moves};

/// Is told what the expressions of a statement compute. They are known by their numbers in [`Observed`].
pub trait ExprObserver {
    /// The computation of an expression begins.
    fn begins(&self, vm: &mut Vm, node: usize);
    /// An expression has this value.
    fn computed(&self, vm: &mut Vm, node: usize, value: Value);
    /// An expression has no value: there was an error, or the run is to end ([`Vm::pending`]).
    fn failed(&self, vm: &mut Vm, node: usize);
    /// The case of a `when` with this number, counted through all arms, fits or does not.
    fn tested(&self, vm: &mut Vm, case: usize, fits: bool);
    /// A statement without blocks has run in a frame, with this result. Only if [`Observed::statements`] is
    /// set.
    fn ran(&self, _vm: &mut Vm, _fp: Fp, _id: StmtId, _result: Result<(), Exit>) {}
}

/// The expressions to observe.
#[derive(Clone)]
pub struct Observed {
    /// Their numbers, by address.
    pub numbers: Rc<HashMap<*const Expr, usize>>,
    pub observer: Rc<dyn ExprObserver>,
    /// Whether the ends of statements are reported, too.
    pub statements: bool,
}

/// The head of a statement: what is computed between it and the next place in the same frame.
#[derive(Clone, Copy)]
pub enum Head<'p> {
    /// A statement without blocks.
    Whole(&'p Stmt),
    /// The values of a `return`.
    Results(&'p [Expr]),
    /// The condition of an `if`, `or` or `as_long_as`.
    Condition(&'p Expr),
    /// The bounds of a `for`, or the collection of a `for_each`, which are computed once.
    Bounds([Option<&'p Expr>; 3]),
    /// The subject of a `when`, and its cases.
    Selection(&'p Expr, &'p [WhenArm]),
    /// Nothing is computed.
    Nothing,
}

/// Runs a head.
pub type HeadFn = ResultFn<(), Exit>;

impl<'p> Head<'p> {
    /// The head of a statement of a function. `back_edge`: of a loop that is about to decide about another
    /// round.
    pub fn find(function: &'p Function, id: StmtId, back_edge: bool) -> Head<'p> {
        find(&function.body.stmts, id, back_edge).unwrap_or(Head::Nothing)
    }
}

fn find(stmts: &[Stmt], id: StmtId, back_edge: bool) -> Option<Head<'_>> {
    for stmt in stmts {
        if let StmtKind::If { arms, .. } = &stmt.kind
            && let Some(Arm { cond, .. }) = arms.iter().find(|arm| arm.id == id)
        {
            return Some(Head::Condition(cond));
        }
        if stmt.id == id {
            return Some(of_statement(stmt, back_edge));
        }
        let blocks = crate::program::visit::blocks(stmt);
        if let Some(found) = blocks.into_iter().find_map(|block| find(&block.stmts, id, back_edge)) {
            return Some(found);
        }
    }
    None
}

/// The heads of all statements of a function, and of the arms of `if`, where they are reached first.
pub fn heads(function: &Function) -> Vec<(StmtId, Head<'_>)> {
    fn add<'p>(stmts: &'p [Stmt], heads: &mut Vec<(StmtId, Head<'p>)>) {
        for stmt in stmts {
            if let StmtKind::If { arms, .. } = &stmt.kind {
                heads.extend(arms.iter().map(|arm| (arm.id, Head::Condition(&arm.cond))));
            } else {
                heads.push((stmt.id, of_statement(stmt, false)));
            }
            crate::program::visit::blocks(stmt).into_iter().for_each(|block| add(&block.stmts, heads));
        }
    }
    let mut heads = Vec::new();
    add(&function.body.stmts, &mut heads);
    heads
}

fn of_statement(stmt: &Stmt, back_edge: bool) -> Head<'_> {
    match &stmt.kind {
        StmtKind::Return(values) => Head::Results(values),
        StmtKind::While { cond, .. } => Head::Condition(cond),
        StmtKind::When { subject, arms, .. } => Head::Selection(subject, arms),
        StmtKind::For { start, end, step, .. } if !back_edge => {
            Head::Bounds([Some(start), Some(end), step.as_ref()])
        }
        StmtKind::ForEach { iterable, .. } if !back_edge => Head::Bounds([Some(iterable), None, None]),
        kind => match kind.class() {
            StmtClass::Evaluation(_) | StmtClass::Reference | StmtClass::Definition | StmtClass::Raise => {
                Head::Whole(stmt)
            }
            StmtClass::Selection | StmtClass::Iteration | StmtClass::Jump | StmtClass::Deferral => {
                Head::Nothing
            }
        },
    }
}

impl Compiler<'_> {
    /// Compiles a head of this function; calls in it use the slots from `free` on.
    pub fn observed_head(
        &mut self,
        function: &Function,
        (id, free): (StmtId, u32),
        head: Head,
        observed: Observed,
    ) -> HeadFn {
        self.enter(function);
        self.moves = moves::Moves::of(function, self.flags.is_some());
        self.early_calls = calls_at_file_level(self.program);
        (self.at, self.stmt) = (free, id);
        self.observed = Some(observed);
        match head {
            Head::Whole(stmt) => self.stmt(stmt),
            Head::Results(values) => self.all(values.iter()),
            Head::Bounds(bounds) => self.all(bounds.into_iter().flatten()),
            Head::Condition(cond) => {
                let cond = self.condition(cond);
                closure(move |vm, fp| cond.run(vm, fp).map(drop).map_err(|Wide| Exit::Stop))
            }
            Head::Selection(subject, arms) => {
                let select = self.observed_selector(subject, arms);
                closure(move |vm, fp| match &select {
                    Some(select) => Ok(select.run(vm, fp).map(drop)?),
                    None => Ok(()),
                })
            }
            Head::Nothing => closure(|_, _| Ok(())),
        }
    }

    fn all<'e>(&mut self, values: impl Iterator<Item = &'e Expr>) -> HeadFn {
        let values: Vec<ValueFn> = values.map(|value| self.value(value)).collect();
        closure(move |vm, fp| {
            for value in &values {
                value.run(vm, fp)?;
            }
            Ok(())
        })
    }

    /// A selector that reports which cases fit, if expressions are observed.
    pub(super) fn observed_selector(&mut self, subject: &Expr, arms: &[WhenArm]) -> Option<SelectFn> {
        let observer = self.observed.as_ref()?.observer.clone();
        let subject = self.value(subject);
        let mut tests: Vec<(usize, bool, ValueFn)> = Vec::new();
        for (arm, WhenArm { cases, .. }) in arms.iter().enumerate() {
            for case in cases {
                let (is_range, e) = match case {
                    Case::Equal(e) => (false, e),
                    Case::Range(e) => (true, e),
                };
                tests.push((arm, is_range, self.value(e)));
            }
        }
        let count = arms.len();
        Some(closure(move |vm, fp| {
            let subject = subject.run(vm, fp)?;
            for (number, (arm, is_range, case)) in tests.iter().enumerate() {
                let case = case.run(vm, fp)?;
                let fits = holds(&subject, &case, *is_range);
                observer.tested(vm, number, fits);
                if fits {
                    return Ok(*arm);
                }
            }
            Ok(count)
        }))
    }

    /// Whether expressions are compiled one by one.
    pub fn is_observing(&self) -> bool {
        self.observed.is_some()
    }

    /// A statement that reports its end, if that is wanted.
    pub(super) fn reporting(&self, stmt: &Stmt, run: StmtFn) -> StmtFn {
        let observed = self.observed.as_ref().filter(|observed| observed.statements);
        let (Some(observed), Head::Whole(_)) = (observed, of_statement(stmt, false)) else { return run };
        let (observer, id) = (observed.observer.clone(), stmt.id);
        closure(move |vm, fp| {
            let result = run.run(vm, fp);
            observer.ran(vm, fp, id, result);
            result
        })
    }

    /// How to observe an expression with this representation of its value, if that is wanted.
    pub(super) fn watch_of(&self, e: &Expr, repr: Option<Repr>) -> Option<NodeWatch> {
        let Observed { numbers, observer, .. } = self.observed.as_ref()?;
        let node = *numbers.get(&std::ptr::from_ref(e))?;
        let is_converted = repr.is_some_and(|repr| repr != e.ty.repr());
        (!is_converted).then(|| NodeWatch { node, ty: e.ty.clone(), observer: observer.clone() })
    }
}

/// Reports the value of an expression.
pub(super) struct NodeWatch {
    node: usize,
    ty: Type,
    observer: Rc<dyn ExprObserver>,
}

impl NodeWatch {
    /// Reports a value that no register holds, and leaves it pending.
    fn wide(&self, vm: &mut Vm) -> Wide {
        match vm.take_value() {
            Ok(value) => {
                self.observer.computed(vm, self.node, wide_value(&self.ty, value.clone()));
                vm.set_pending_value(&value)
            }
            Err(Stop) => {
                self.observer.failed(vm, self.node);
                Wide
            }
        }
    }

    fn stopped(&self, vm: &mut Vm) -> Stop {
        self.observer.failed(vm, self.node);
        Stop
    }

    pub fn int(self, f: IntFn) -> IntFn {
        IntFn::new(move |vm, fp| {
            self.observer.begins(vm, self.node);
            match f.get(vm, fp) {
                Ok(raw) => {
                    self.observer.computed(vm, self.node, int_value(&self.ty, raw));
                    Ok(raw)
                }
                Err(Wide) => Err(self.wide(vm)),
            }
        })
    }

    pub fn float(self, f: FloatFn) -> FloatFn {
        FloatFn::new(move |vm, fp| {
            self.observer.begins(vm, self.node);
            let raw = f.get(vm, fp).map_err(|Stop| self.stopped(vm))?;
            self.observer.computed(vm, self.node, float_value(&self.ty, raw));
            Ok(raw)
        })
    }

    pub fn boolean(self, f: BoolFn) -> BoolFn {
        closure(move |vm, fp| {
            self.observer.begins(vm, self.node);
            match f.run(vm, fp) {
                Ok(raw) => {
                    self.observer.computed(vm, self.node, bool_value(&self.ty, raw));
                    Ok(raw)
                }
                Err(Wide) => Err(self.wide(vm)),
            }
        })
    }

    pub fn reference(self, f: RefFn) -> RefFn {
        RefFn::new(move |vm, fp| {
            self.observer.begins(vm, self.node);
            let raw = f.get(vm, fp).map_err(|Stop| self.stopped(vm))?;
            self.observer.computed(vm, self.node, ref_value(raw.clone()));
            Ok(raw)
        })
    }

    pub fn value(self, f: ValueFn) -> ValueFn {
        closure(move |vm, fp| {
            self.observer.begins(vm, self.node);
            let value = f.run(vm, fp).map_err(|Stop| self.stopped(vm))?;
            self.observer.computed(vm, self.node, value.clone());
            Ok(value)
        })
    }
}
