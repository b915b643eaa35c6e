//! Bodies of functions, compiled to lists of instructions that the caller's node runs.
//!
//! A processor predicts the targets of only a few tens of nested native returns (32 on the machine where this
//! was measured); each further one costs about 6 ns. So a level of recursion should need as few native calls
//! as possible. `if` and `return` outside of loops are therefore no closures but instructions, run by a loop in the
//! node that makes the call; together with calls compiled into the arithmetic around them (`ints::arith`),
//! `return 1 + depth(n - 1)` takes one native call per level.

use std::rc::Rc;
use std::sync::Arc;

use crate::interp::closures::{BoolFn, FloatFn, IntFn, RefFn, StmtFn, ValueFn};
use crate::interp::comparison::CompareInts;
use crate::interp::flags::SegmentFlags;
use crate::interp::operand::{BoolOperand, LocalInt, Simple};
use crate::interp::slots::{Fp, Slot};
use crate::interp::vm::{Exit, Stop, Vm, Wide};
use crate::program::{Arg, Arm, Expr, ExprKind, FuncId, Stmt, StmtId, StmtKind, WhenArm};
use crate::source::Span;
use crate::value::{Heap, Repr, Type};

use super::Compiler;
use super::members::Member;
use super::simple::only_reads;
use super::stmts::statement;
use super::when::SelectFn;

/// A compiled function body.
pub struct Body {
    instructions: Box<[Instruction]>,
}

struct Instruction {
    /// In attached code, the places that are counted before the instruction: its own, or those of an `if` and the `return` that
    /// follows it in either case; then none before the one in the arm, and no flags before the other.
    group: Option<Arc<SegmentFlags>>,
    /// The place before the instruction, in attached code.
    place: Option<Box<Member>>,
    action: Action,
}

impl Instruction {
    /// An instruction without a place of its own.
    fn of(action: Action) -> Instruction {
        Instruction { group: None, place: None, action }
    }
}

enum Action {
    Do(StmtFn),
    /// Jumps to another instruction if the condition is false.
    Unless(BoolFn, usize),
    /// Jumps to another instruction if a comparison is false that needs no call.
    UnlessQuick(CompareInts<LocalInt, Simple>, usize),
    Jump(usize),
    /// Jumps to the beginning of the selected arm of a `when`.
    Select(SelectFn, Box<[usize]>),
    /// Returns. The results are left in the [`Vm`].
    Return,
    /// Returns from `main`, in attached code: notes which statement that was.
    ReturnFromMain(StmtId),
    ReturnLocal(Slot),
    ReturnInt(IntFn),
    ReturnFloat(FloatFn),
    ReturnBool(BoolFn),
    ReturnRef(RefFn),
    ReturnSeveral(Box<[ValueFn]>),
}

impl Body {
    /// A body that consists of one statement.
    pub fn of(run: StmtFn) -> Body {
        Body::one(Action::Do(run))
    }

    fn one(action: Action) -> Body {
        Body { instructions: Box::new([Instruction::of(action)]) }
    }

    /// Runs the body to its end or to a `return`. The results are left in the [`Vm`].
    #[inline(always)]
    pub fn run(&self, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let mut instructions = self.instructions.iter();
        while let Some(instruction) = instructions.next() {
            if let Some(segment) = &instruction.group
                && !vm.steps.pass_all(segment.cost())
            {
                // Each instruction counts its own place.
                vm.steps.take_back(i64::from(segment.places() == 0));
                return self.run_each(instructions.len() + 1, vm, fp);
            }
            let otherwise = match &instruction.action {
                Action::Do(run) => {
                    run.run(vm, fp)?;
                    continue;
                }
                Action::UnlessQuick(quick, other) => match quick.get(vm, fp) {
                    Ok(true) => continue,
                    Ok(false) => *other,
                    Err(Wide) => return instruction.fails(vm),
                },
                Action::Unless(cond, other) => match cond.run(vm, fp) {
                    Ok(true) => continue,
                    Ok(false) => *other,
                    Err(Wide) => return instruction.fails(vm),
                },
                Action::Jump(to) => *to,
                Action::Select(select, arms) => {
                    let arm = select.run(vm, fp)?;
                    arms.get(arm).copied().unwrap_or(usize::MAX)
                }
                results => return Ok(results.leave(vm, fp)?),
            };
            instructions = self.instructions.get(otherwise..).unwrap_or_default().iter();
        }
        Ok(())
    }

    /// Runs the `left` last instructions, each after checking its place. Kept apart, since the loop over instructions is hot.
    #[cold]
    #[inline(never)]
    fn run_each(&self, left: usize, vm: &mut Vm, fp: Fp) -> Result<(), Exit> {
        let mut next = self.instructions.len().saturating_sub(left);
        while let Some(instruction) = self.instructions.get(next) {
            match instruction.take(vm, fp)? {
                Taken::Next => next += 1,
                Taken::Jump(to) => next = to,
                Taken::Return => break,
            }
        }
        Ok(())
    }
}

impl Instruction {
    /// The condition has failed: takes back the places that are not reached.
    #[cold]
    #[inline(never)]
    fn fails(&self, vm: &mut Vm) -> Result<(), Exit> {
        vm.steps.take_back(self.group.as_ref().map_or(0, |segment| segment.places() - 1));
        Err(Exit::Stop)
    }

    /// Carries out the instruction after checking its place.
    fn take(&self, vm: &mut Vm, fp: Fp) -> Result<Taken, Exit> {
        match &self.place {
            Some(place) => place.run(vm, fp, |vm, fp| self.action.take(vm, fp)),
            None => self.action.take(vm, fp),
        }
    }
}

/// An `if` with one arm, and the `return` in it and the one otherwise.
struct TwoReturns<'s> {
    arm: &'s Arm,
    returns: [&'s Stmt; 2],
}

/// What follows an instruction.
enum Taken {
    Next,
    Jump(usize),
    Return,
}

impl Action {
    /// Carries out an instruction whose place has been counted.
    fn take(&self, vm: &mut Vm, fp: Fp) -> Result<Taken, Exit> {
        let unless = |holds: bool, other: usize| if holds { Taken::Next } else { Taken::Jump(other) };
        Ok(match self {
            Action::Do(run) => run.run(vm, fp).map(|()| Taken::Next)?,
            Action::Unless(cond, other) => unless(cond.run(vm, fp).map_err(|Wide| Exit::Stop)?, *other),
            Action::UnlessQuick(quick, other) => {
                unless(quick.get(vm, fp).map_err(|Wide| Exit::Stop)?, *other)
            }
            Action::Jump(to) => Taken::Jump(*to),
            Action::Select(select, arms) => {
                let arm = select.run(vm, fp)?;
                Taken::Jump(arms.get(arm).copied().unwrap_or(usize::MAX))
            }
            results => results.leave(vm, fp).map(|()| Taken::Return)?,
        })
    }

    /// Leaves the results of a `return` in the [`Vm`].
    #[inline(always)]
    fn leave(&self, vm: &mut Vm, fp: Fp) -> Result<(), Stop> {
        match self {
            Action::ReturnLocal(slot) => vm.ret = vm.int(fp, *slot).map_err(|Wide| Stop)? as u64,
            Action::ReturnInt(f) => vm.ret = f.get(vm, fp).map_err(|Wide| Stop)? as u64,
            Action::ReturnFloat(f) => vm.ret = f.get(vm, fp)?.to_bits(),
            Action::ReturnBool(f) => vm.ret = u64::from(f.run(vm, fp).map_err(|Wide| Stop)?),
            Action::ReturnRef(f) => vm.ret_ref = f.get(vm, fp)?,
            Action::ReturnSeveral(list) => several(list, vm, fp)?,
            Action::ReturnFromMain(stmt) => vm.returned_at = Some(*stmt),
            _ => {}
        }
        Ok(())
    }
}

#[inline(never)]
fn several(list: &[ValueFn], vm: &mut Vm, fp: Fp) -> Result<(), Stop> {
    let mut tuple = vm.tuple(list.len());
    if let Some(Heap::Tuple(parts)) = Rc::get_mut(&mut tuple) {
        for (part, value) in parts.iter_mut().zip(list) {
            *part = value.run(vm, fp)?;
        }
    }
    vm.ret_ref = Some(tuple);
    Ok(())
}

impl Compiler<'_> {
    /// The body of a function.
    pub fn body(&mut self, stmts: &[Stmt]) -> Body {
        let mut instructions = Vec::new();
        self.instructions(stmts, &mut instructions);
        Body { instructions: instructions.into() }
    }

    fn instructions(&mut self, stmts: &[Stmt], instructions: &mut Vec<Instruction>) {
        let mut rest = stmts;
        while let [stmt, others @ ..] = rest {
            let length = self.plain_length(rest);
            let is_step = rest.get(length - 1).is_some_and(|last| self.is_step(last));
            if let (several @ [_, _, ..], others) = rest.split_at(length - usize::from(is_step)) {
                instructions.push(Instruction::of(Action::Do(self.block(several))));
                rest = others;
                continue;
            }
            rest = others;
            self.stmt = stmt.id;
            match &stmt.kind {
                StmtKind::If { arms, otherwise } => {
                    let otherwise = otherwise.as_ref().map_or(&[][..], |block| &block.stmts);
                    match self.two_returns(arms, otherwise, others) {
                        Some(returns) => return self.return_either(returns, instructions),
                        None => self.branches(arms, otherwise, instructions),
                    }
                }
                StmtKind::When { subject, arms, default } => {
                    let default = default.as_ref().map_or(&[][..], |block| &block.stmts);
                    self.arms(stmt.id, subject, arms, default, instructions);
                }
                _ => {
                    let action = self.action(stmt);
                    instructions.push(self.instruction(stmt.id, action));
                }
            }
        }
    }

    /// An instruction that counts its own place.
    fn instruction(&self, id: StmtId, action: Action) -> Instruction {
        Instruction { group: self.segment_flags(None, &[id], 1, false), place: self.own_place(id), action }
    }

    fn own_place(&self, id: StmtId) -> Option<Box<Member>> {
        self.member(id, 0, false).map(Box::new)
    }

    /// Whether a statement is more than an [`Action::Do`], or a call without a closure around it.
    fn is_step(&self, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::If { .. } | StmtKind::When { .. } | StmtKind::Return(_))
            || self.called(stmt).is_some()
    }

    /// The call that a statement is, if it has no result.
    fn called<'s>(&self, stmt: &'s Stmt) -> Option<(FuncId, &'s [Arg], Span)> {
        let StmtKind::Expr { expr: Expr { kind: ExprKind::Call { func, args }, ty: Type::Void, at }, .. } =
            &stmt.kind
        else {
            return None;
        };
        (!self.is_observing()).then_some((*func, args, *at))
    }

    fn action(&mut self, stmt: &Stmt) -> Action {
        if let StmtKind::Return(values) = &stmt.kind {
            return self.returning(stmt.id, values);
        }
        match self.called(stmt) {
            Some((func, args, at)) => Action::Do(self.call(func, args, at, |_| ())),
            None => Action::Do(self.stmt(stmt)),
        }
    }

    /// An `if` with the statement that follows in either case, if these are two `return`, in attached code.
    fn two_returns<'s>(
        &self,
        arms: &'s [Arm],
        otherwise: &'s [Stmt],
        others: &'s [Stmt],
    ) -> Option<TwoReturns<'s>> {
        let ([arm], [other, ..], true) =
            (arms, if otherwise.is_empty() { others } else { otherwise }, self.longest > 1)
        else {
            return None;
        };
        let [then] = &arm.body.stmts[..] else { return None };
        let are_returns = [then, other].iter().all(|stmt| matches!(stmt.kind, StmtKind::Return(_)));
        (are_returns && only_reads(&arm.cond)).then_some(TwoReturns { arm, returns: [then, other] })
    }

    fn return_either(
        &mut self,
        TwoReturns { arm, returns: [then, other] }: TwoReturns,
        instructions: &mut Vec<Instruction>,
    ) {
        self.stmt = arm.id;
        let begin = instructions.len();
        let action = self.unless(&arm.cond);
        let group = self.segment_flags(None, &[arm.id, other.id], 2, false);
        instructions.push(Instruction { group, place: self.own_place(arm.id), action });
        // Its place has been counted, and perhaps has to call the debugger all the same.
        let group = self.segment_flags(None, &[then.id], 0, false);
        self.return_instruction(then, group, instructions);
        aim(instructions, begin);
        self.return_instruction(other, None, instructions);
    }

    fn return_instruction(
        &mut self,
        stmt: &Stmt,
        group: Option<Arc<SegmentFlags>>,
        instructions: &mut Vec<Instruction>,
    ) {
        self.stmt = stmt.id;
        let action = self.action(stmt);
        instructions.push(Instruction { group, place: self.own_place(stmt.id), action });
    }

    fn branches(&mut self, arms: &[Arm], otherwise: &[Stmt], instructions: &mut Vec<Instruction>) {
        let mut ends = Vec::new();
        for (i, arm) in arms.iter().enumerate() {
            self.stmt = arm.id;
            let begin = instructions.len();
            let action = self.unless(&arm.cond);
            instructions.push(self.instruction(arm.id, action));
            self.instructions(&arm.body.stmts, instructions);
            if i + 1 < arms.len() || !otherwise.is_empty() {
                ends.push(instructions.len());
                instructions.push(jump());
            }
            aim(instructions, begin);
        }
        self.instructions(otherwise, instructions);
        for end in ends {
            aim(instructions, end);
        }
    }

    fn arms(
        &mut self,
        id: StmtId,
        subject: &Expr,
        arms: &[WhenArm],
        default: &[Stmt],
        instructions: &mut Vec<Instruction>,
    ) {
        let select = self.selector(subject, arms);
        let begin = instructions.len();
        instructions.push(jump());
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        for arm in arms {
            begins.push(instructions.len());
            self.instructions(&arm.body.stmts, instructions);
            ends.push(instructions.len());
            instructions.push(jump());
        }
        begins.push(instructions.len());
        self.instructions(default, instructions);
        for end in ends {
            aim(instructions, end);
        }
        if let Some(instruction) = instructions.get_mut(begin) {
            *instruction = self.instruction(id, Action::Select(select, begins.into()));
        }
    }

    fn unless(&mut self, cond: &Expr) -> Action {
        match self.simple_comparison(cond) {
            Some(test) => Action::UnlessQuick(test, 0),
            None => Action::Unless(self.condition(cond), 0),
        }
    }

    /// A `return` inside a loop.
    pub fn return_stmt(&mut self, id: StmtId, values: &[Expr]) -> StmtFn {
        let body = Body::one(self.returning(id, values));
        statement(move |vm, fp| {
            body.run(vm, fp)?;
            Err(Exit::Return)
        })
    }

    fn returning(&mut self, id: StmtId, values: &[Expr]) -> Action {
        match values {
            [] if self.flags.is_some() && self.func == self.program.main => Action::ReturnFromMain(id),
            [] => Action::Return,
            [value] => match value.ty.repr() {
                Repr::Int => match self.plain_local(value, Repr::Int) {
                    Some(slot) => Action::ReturnLocal(slot),
                    None => Action::ReturnInt(self.int(value)),
                },
                Repr::Float => Action::ReturnFloat(self.float(value)),
                Repr::Bool => Action::ReturnBool(self.boolean(value)),
                Repr::Ref => Action::ReturnRef(self.reference(value)),
            },
            _ => Action::ReturnSeveral(values.iter().map(|v| self.value(v)).collect()),
        }
    }
}

/// A jump whose target is not set yet.
fn jump() -> Instruction {
    Instruction::of(Action::Jump(0))
}

/// Sets the target of a jump to the instruction that follows.
fn aim(instructions: &mut [Instruction], jump: usize) {
    let next = instructions.len();
    let Some(instruction) = instructions.get_mut(jump) else { return };
    if let Action::Unless(_, to) | Action::UnlessQuick(_, to) | Action::Jump(to) = &mut instruction.action {
        *to = next;
    }
}
