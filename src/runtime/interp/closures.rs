//! The closures that expressions and statements are compiled to, by what they evaluate to.
//!
//! Those that evaluate to registers return one machine word. A `Result` of a register is two, which WebAssembly passes
//! through memory; so whether there is a result is in [`Vm::is_without_result`], which is written only where there is
//! none. The functions that these closures rarely call return words, too, and take places by reference: a closure that
//! passes nothing through memory reserves none.

use std::marker::PhantomData;

use crate::value::{Ref, Value};

use super::slots::Fp;
use super::vm::{Exit, Stop, Vm, Wide};

pub use super::vm::Run;

/// Evaluates to an integer register.
pub type IntFn = WordFn<i64, Wide>;
/// Evaluates to a float register.
pub type FloatFn = WordFn<f64, Stop>;
/// Evaluates to a reference register, in which `None` is nil.
pub type RefFn = WordFn<Option<Ref>, Stop>;
/// Evaluates to a bool register.
pub type BoolFn = ResultFn<bool, Wide>;
/// Evaluates to a value of any type.
pub type ValueFn = ResultFn<Value, Stop>;
/// Runs a statement.
pub type StmtFn = ResultFn<(), Exit>;
/// Evaluates an argument into its slot; the second frame is the callee's.
pub type ArgFn = Box<dyn Fn(&mut Vm, Fp, Fp) -> Result<(), Stop>>;

/// Returns a result.
pub type ResultFn<X, E> = Box<dyn Run<Result<X, E>>>;

/// A closure that returns what `f` does.
pub fn closure<X, E>(f: impl Fn(&mut Vm, Fp) -> Result<X, E> + 'static) -> ResultFn<X, E> {
    Box::new(f)
}

/// A closure of one of these kinds.
pub trait Closure {
    type Value: Default + 'static;
    type Error: From<Stop> + 'static;

    /// A closure that returns what `f` does. An error stands for what is in [`Vm::pending`].
    fn new(f: impl Fn(&mut Vm, Fp) -> Result<Self::Value, Self::Error> + 'static) -> Self;
}

/// A closure with a result of one word.
pub struct WordFn<X, E> {
    run: Box<dyn Run<Word<X>>>,
    error: PhantomData<E>,
}

/// The result of a call in one word, if `X` is one; to be taken right after the call.
#[must_use]
pub struct Word<X>(X);

impl<X: Default + 'static, E: From<Stop> + 'static> Closure for WordFn<X, E> {
    type Value = X;
    type Error = E;

    #[inline(always)]
    fn new(f: impl Fn(&mut Vm, Fp) -> Result<X, E> + 'static) -> WordFn<X, E> {
        WordFn { run: Box::new(move |vm: &mut Vm, fp: Fp| Word::of(vm, |vm| f(vm, fp))), error: PhantomData }
    }
}

impl<X: Default + 'static, E: From<Stop> + 'static> Closure for ResultFn<X, E> {
    type Value = X;
    type Error = E;

    #[inline(always)]
    fn new(f: impl Fn(&mut Vm, Fp) -> Result<X, E> + 'static) -> ResultFn<X, E> {
        Box::new(f)
    }
}

impl<X: Default, E: From<Stop>> WordFn<X, E> {
    /// Evaluates the expression in a frame.
    #[inline(always)]
    pub fn get(&self, vm: &mut Vm, fp: Fp) -> Result<X, E> {
        self.run.run(vm, fp).take(vm)
    }
}

impl<X: Default> Word<X> {
    /// The word for a result.
    #[inline(always)]
    pub fn new<E>(vm: &mut Vm, result: Result<X, E>) -> Word<X> {
        debug_assert!(!vm.is_without_result, "an earlier word was not taken");
        Word(result.unwrap_or_else(|_| {
            vm.is_without_result = true;
            X::default()
        }))
    }

    /// The result of `f`.
    #[inline(always)]
    pub fn of<E>(vm: &mut Vm, f: impl FnOnce(&mut Vm) -> Result<X, E>) -> Word<X> {
        let result = f(vm);
        Word::new(vm, result)
    }

    /// The result. What there is instead is in [`Vm::pending`].
    #[inline(always)]
    pub fn take<E: From<Stop>>(self, vm: &mut Vm) -> Result<X, E> {
        if vm.is_without_result {
            vm.is_without_result = false;
            return Err(E::from(Stop));
        }
        Ok(self.0)
    }
}
