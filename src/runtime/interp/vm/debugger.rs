//! What the interpreter asks of a debugger, and what it does for one.

use std::rc::Rc;

use super::{DEPTH_BASE, MAX_DEPTH, Pending, Run, RunError, Stop, Vm, Wide};
use crate::interp::boxing;
use crate::interp::slots::Fp;
use crate::program::StmtId;
use crate::source::Span;
use crate::value::{Heap, Repr, Type, Value, builtin};

/// A debugger, as attached code calls it. An `Err` ends the program, for the reason that is pending.
pub trait Debugger {
    /// Called before a statement whose flag, or place, says so; `back_edge`: the statement is a loop header
    /// that decides about another round.
    fn statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) -> Result<(), Stop>;
    /// Called when a frame has returned whose return is watched ([`Vm::watch_return`]). `fp` is the frame of
    /// the caller, `site` the number of the call site. The result is in [`Vm::returned_value`].
    fn returned(&mut self, _vm: &mut Vm, _fp: Fp, _site: u32) -> Result<(), Stop> {
        Ok(())
    }
    /// Called when a run-time error was raised in the frame `fp`, which still exists. Only if
    /// [`ErrorWatch::raised`] is set.
    fn raised(&mut self, _vm: &mut Vm, _fp: Fp, _error: &RunError) -> Result<(), Stop> {
        Ok(())
    }
    /// Called when the library function or builtin at [`Vm::native_at`] returns an `Error` value. Only if
    /// [`ErrorWatch::values`] is set.
    fn error_value(&mut self, _vm: &mut Vm, _error: &Value) -> Result<(), Stop> {
        Ok(())
    }
    /// Called before the builtin at [`Vm::native_at`] reads a line of input, and again after an interrupt of its wait.
    fn reads_line(&mut self, _vm: &mut Vm) {}
    /// Called after a statement in the frame `fp` that has written something watched. Only while writes are reported at
    /// once ([`report_writes`](crate::interp::watch::report_writes)).
    fn wrote(&mut self, _vm: &mut Vm, _fp: Fp, _stmt: StmtId) -> Result<(), Stop> {
        Ok(())
    }
    /// Called when a wait of the program has been interrupted.
    fn on_interrupt(&mut self, vm: &mut Vm) -> Result<(), Stop>;
    /// Called when the memory limit was checked. Plain code has no other place at which it can be interrupted.
    fn on_memory_check(&mut self, _vm: &mut Vm) -> Result<(), Stop> {
        Ok(())
    }
    /// Called when the program is about to end: because `main` has returned, or at the call `_at`. The frame
    /// `fp` still exists.
    fn ends(&mut self, _vm: &mut Vm, _fp: Fp, _at: Option<(StmtId, Span)>) -> Result<(), Stop> {
        Ok(())
    }
    /// Called when the globals are initialised and `main` is about to begin.
    fn main_begins(&mut self, _vm: &mut Vm) {}
}

/// The errors that are reported to the debugger.
#[derive(Clone, Copy, Debug, Default)]
pub struct ErrorWatch {
    /// Run-time errors.
    pub raised: bool,
    /// `Error` values, when they are created.
    pub values: bool,
}

/// The compiled condition of a breakpoint.
pub(in crate::interp) type Condition = dyn Run<Result<bool, Wide>>;

/// The conditions of breakpoints by statement, for statements with [`CONDITION`](crate::interp::flags::CONDITION).
#[derive(Clone, Default)]
pub(in crate::interp) struct Conditions(Vec<Option<Rc<Condition>>>);

impl Conditions {
    fn set(&mut self, stmt: StmtId, condition: Option<Rc<Condition>>) {
        let index = stmt.0 as usize;
        if condition.is_some() && self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        if let Some(place) = self.0.get_mut(index) {
            *place = condition;
        }
    }

    /// The condition of a statement.
    #[inline(always)]
    pub fn of(&self, stmt: StmtId) -> Option<&Condition> {
        self.0.get(stmt.0 as usize)?.as_deref()
    }

    /// Evaluates the condition of a statement; returns `false` if the debugger need not be called.
    #[inline(always)]
    pub fn hold(&self, stmt: StmtId, vm: &mut Vm, fp: Fp) -> bool {
        self.of(stmt).is_none_or(|condition| vm.holds(condition, fp))
    }
}

impl Vm {
    /// Sets whether [`Debugger::returned`] is called when the present frame returns. Replaces an earlier
    /// call for another frame.
    pub fn watch_return(&mut self, watch: bool) {
        self.set_bias(if watch { 1u32.wrapping_sub(self.depth()) } else { DEPTH_BASE });
    }

    /// Makes the interpreter call [`Debugger::returned`] when the frame at this depth returns, and no other.
    pub fn watch_return_of(&mut self, depth: u32) {
        self.set_bias(1u32.wrapping_sub(depth));
    }

    fn set_bias(&mut self, bias: u32) {
        let depth = self.depth();
        self.bias = bias;
        self.depth = depth.wrapping_add(bias);
        self.depth_limit = MAX_DEPTH.wrapping_add(bias);
    }

    /// Reports the pending error to the debugger, if it wants that and has not been told yet. Called before a
    /// frame is left because of an error, for the innermost frame first.
    #[cold]
    #[inline(never)]
    pub fn tell_raised(&mut self, fp: Fp) {
        let wanted = self.error_watch.raised && !self.evaluating;
        // An error that is to have the position of the call belongs to the caller's frame.
        if !wanted || !matches!(&self.pending, Pending::Error(error) if !error.told && !error.at_call) {
            return;
        }
        let Some(mut debugger) = self.debugger.take() else { return };
        if let Pending::Error(mut error) = std::mem::take(&mut self.pending) {
            error.told = true;
            let result = debugger.raised(self, fp, &error);
            // Otherwise the reason for ending the program is pending.
            if result.is_ok() {
                self.pending = Pending::Error(error);
            }
        }
        self.debugger = Some(debugger);
    }

    /// Reports to the debugger that a line of input is about to be read.
    pub fn tell_reads_line(&mut self) {
        if let Some(mut debugger) = self.debugger.take() {
            debugger.reads_line(self);
            self.debugger = Some(debugger);
        }
    }

    /// Reports to the debugger that a statement has written something watched.
    pub fn tell_wrote(&mut self, fp: Fp, stmt: StmtId) -> Result<(), Stop> {
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.wrote(self, fp, stmt);
        self.debugger = Some(debugger);
        result
    }

    /// Reports to the debugger that the program is about to end.
    pub fn tell_end(&mut self, fp: Fp, at: Option<(StmtId, Span)>) -> Result<(), Stop> {
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.ends(self, fp, at);
        self.debugger = Some(debugger);
        result
    }

    /// Reports the `Error` in a result, if there is one, to the debugger. Called only if it wants that.
    #[cold]
    #[inline(never)]
    pub fn tell_error_value(&mut self, result: &Value) -> Result<(), Stop> {
        let Some(error) = error_in(result).filter(|_| !self.evaluating) else { return Ok(()) };
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.error_value(self, &error);
        self.debugger = Some(debugger);
        result
    }

    /// Sets the condition that a statement evaluates before it calls the debugger; it must call no functions.
    pub fn set_condition(&mut self, stmt: StmtId, condition: Option<Rc<Condition>>) {
        Rc::make_mut(&mut self.conditions).set(stmt, condition);
    }

    /// Evaluates the condition of a statement; returns `false` if the debugger need not be called.
    pub fn condition_holds(&mut self, stmt: StmtId, fp: Fp) -> bool {
        self.conditions.clone().hold(stmt, self, fp)
    }

    /// Evaluates a condition that calls no functions; returns `false` if the debugger need not be called.
    #[inline(always)]
    pub(in crate::interp) fn holds(&mut self, condition: &Condition, fp: Fp) -> bool {
        if self.evaluating {
            return false;
        }
        // No places are counted, nor is a pause requested, as they may be by others.
        self.evaluating = true;
        let result = condition.run(self, fp);
        self.evaluating = false;
        if let Ok(false) = result {
            return false;
        }
        self.note_condition(result);
        true
    }

    /// Notes the result of a condition that did not give `false`.
    #[cold]
    #[inline(never)]
    fn note_condition(&mut self, result: Result<bool, Wide>) {
        self.condition_result = Some(match result {
            Ok(_) => Pending::None,
            Err(Wide) => std::mem::take(&mut self.pending),
        });
    }

    /// Evaluates a condition; the error is what it has left pending.
    pub fn test_condition(
        &mut self,
        condition: &dyn Run<Result<bool, Wide>>,
        fp: Fp,
    ) -> Result<bool, Pending> {
        self.evaluate(|vm| condition.run(vm, fp)).map_err(|Wide| std::mem::take(&mut self.pending))
    }

    /// Runs code for the debugger: breakpoints are ignored, input cannot be read, and places are not counted.
    pub fn evaluate<T>(&mut self, run: impl FnOnce(&mut Vm) -> T) -> T {
        let steps = std::mem::take(&mut self.steps);
        let outer = std::mem::replace(&mut self.evaluating, true);
        let result = run(self);
        self.evaluating = outer;
        // A pause may have been requested meanwhile.
        let all = std::mem::replace(&mut self.steps, steps).all();
        self.steps.set_all(all, true);
        result
    }

    /// The result, of this static type, of the call whose return is being reported to the debugger.
    pub fn returned_value(&self, ty: &Type) -> Value {
        if let Some(wide) = &self.returned_wide {
            return boxing::wide_value(ty, wide.clone());
        }
        match ty.repr() {
            Repr::Int => boxing::int_value(ty, self.ret as i64),
            Repr::Float => boxing::float_value(ty, f64::from_bits(self.ret)),
            Repr::Bool => boxing::bool_value(ty, self.ret != 0),
            Repr::Ref => boxing::ref_value(self.ret_ref.clone()),
        }
    }
}

/// The `Error` that a result is, or has among its parts if it is a tuple.
fn error_in(result: &Value) -> Option<Value> {
    let Value::Ref(object) = result else { return None };
    match &**object {
        Heap::Struct(object) if Rc::ptr_eq(&object.def, &builtin::builtins().error) => Some(result.clone()),
        Heap::Tuple(parts) => parts.iter().find_map(error_in),
        _ => None,
    }
}
