//! Calls of library functions: with values, and those that are often called in hot loops on registers, in all but rare
//! cases; for these, and for all others, a call gets values.

use crate::library::{self, Call, Row};
use crate::program::{Expr, ExprKind, Native, StmtId};
use crate::source::Span;
use crate::value::{Heap, Repr, Type, Value};

use crate::interp::access;
use crate::interp::boxing::{bool_value, float_value, follow_ref, ref_value, value_float};
use crate::interp::closures::{BoolFn, Closure, FloatFn, IntFn, ValueFn, Word, closure};
use crate::interp::conditions::AnyBool;
use crate::interp::operand::{AnyFloat, AnyInt, BoolOperand, FloatOperand, IntOperand};
use crate::interp::slots::Fp;
use crate::interp::vm::{Stop, Vm, Wide, is_nil_float};
use crate::interp::watch;

use super::Compiler;
use super::calls::too_deep;
use super::quick::{Quick, quick};

/// A call of a library function.
pub(super) struct NativeCall {
    module: &'static str,
    row: &'static Row,
    /// The types of the arguments.
    types: Box<[Type]>,
    result: Type,
    counted: bool,
    stmt: StmtId,
    at: Span,
}

impl NativeCall {
    /// Whether the recursion depth lets it run.
    #[inline(always)]
    pub(super) fn may_run(&self, vm: &Vm) -> bool {
        !self.counted || vm.depth != vm.depth_limit
    }

    /// Calls the function with these arguments, which are no references.
    pub(super) fn run(&self, vm: &mut Vm, fp: Fp, args: &[Value]) -> Result<Value, Stop> {
        if !self.may_run(vm) {
            return too_deep(vm, self.at);
        }
        // The result of an operation that ran out of memory must not leave the program.
        if vm.memory.is_low() {
            vm.check_memory(self.at)?;
        }
        vm.native_at = Some((fp, self.stmt, self.at));
        let NativeCall { module, row, types, result, .. } = self;
        let mut call = Call { module, name: row.name, args, types, result, runtime: vm };
        let result = library::invoke(row, &mut call);
        if vm.mutator.has_changes() {
            watch::locate_changes(vm, self.at);
        }
        match result {
            Ok(_) if vm.memory.is_low() && vm.check_memory(self.at).is_err() => Err(Stop),
            Ok(value) if vm.error_watch.values => vm.tell_error_value(&value).map(|()| value),
            Ok(value) => Ok(value),
            Err(fail) => vm.set_pending_failure(fail, self.at),
        }
    }
}

/// What evaluates to a register, and can get it from a value.
pub(super) trait Unboxing: Closure + Sized + 'static {
    fn unbox(vm: &mut Vm, value: &Value) -> Result<Self::Value, Self::Error>;

    /// An expression of this kind of register, which needs no call if it is simple.
    type Operand: RegisterOperand<Self>;

    fn compile(b: &mut Compiler, e: &Expr) -> Self::Operand;

    /// The value of a register of a type, which may be pending.
    fn value(vm: &mut Vm, ty: &Type, register: Result<Self::Value, Self::Error>) -> Result<Value, Stop>;

    /// The result of a call.
    fn called(vm: &mut Vm, fp: Fp, call: &NativeCall, args: &[Value]) -> Result<Self::Value, Self::Error> {
        let value = call.run(vm, fp, args)?;
        Self::unbox(vm, &value)
    }
}

/// An operand that gives a register of closures of this kind.
pub(super) trait RegisterOperand<C: Closure>: 'static {
    fn register(&self, vm: &mut Vm, fp: Fp) -> Result<C::Value, C::Error>;
    /// The register, if that takes no call; else `None`, and nothing has happened.
    fn at_hand(&self, vm: &Vm, fp: Fp) -> Option<C::Value>;
    /// Whether that is never so.
    fn is_computed(&self) -> bool;
}

impl<A: IntOperand> RegisterOperand<IntFn> for A {
    #[inline(always)]
    fn register(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        self.get(vm, fp)
    }

    #[inline(always)]
    fn at_hand(&self, vm: &Vm, fp: Fp) -> Option<i64> {
        IntOperand::at_hand(self, &vm.frames, &vm.mutator, fp)
    }

    fn is_computed(&self) -> bool {
        IntOperand::is_computed(self)
    }
}

impl<A: FloatOperand> RegisterOperand<FloatFn> for A {
    #[inline(always)]
    fn register(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Stop> {
        self.get(vm, fp)
    }

    #[inline(always)]
    fn at_hand(&self, vm: &Vm, fp: Fp) -> Option<f64> {
        FloatOperand::at_hand(self, &vm.frames, fp)
    }

    fn is_computed(&self) -> bool {
        FloatOperand::is_computed(self)
    }
}

impl<A: BoolOperand> RegisterOperand<BoolFn> for A {
    #[inline(always)]
    fn register(&self, vm: &mut Vm, fp: Fp) -> Result<bool, Wide> {
        self.get(vm, fp)
    }

    #[inline(always)]
    fn at_hand(&self, vm: &Vm, fp: Fp) -> Option<bool> {
        BoolOperand::at_hand(self, &vm.frames, fp)
    }

    fn is_computed(&self) -> bool {
        BoolOperand::is_computed(self)
    }
}

impl Unboxing for IntFn {
    fn unbox(vm: &mut Vm, value: &Value) -> Result<i64, Wide> {
        access::int_register(vm, value)
    }

    type Operand = AnyInt;

    fn compile(b: &mut Compiler, e: &Expr) -> AnyInt {
        b.computed(e)
    }

    fn value(vm: &mut Vm, ty: &Type, register: Result<i64, Wide>) -> Result<Value, Stop> {
        vm.int_value(ty, register)
    }
}

impl Unboxing for FloatFn {
    fn unbox(_: &mut Vm, value: &Value) -> Result<f64, Stop> {
        Ok(value_float(value))
    }

    type Operand = AnyFloat;

    fn compile(b: &mut Compiler, e: &Expr) -> AnyFloat {
        b.any_float(e)
    }

    fn value(_: &mut Vm, ty: &Type, register: Result<f64, Stop>) -> Result<Value, Stop> {
        Ok(float_value(ty, register?))
    }
}

impl Unboxing for BoolFn {
    fn unbox(vm: &mut Vm, value: &Value) -> Result<bool, Wide> {
        access::bool_register(vm, value)
    }

    type Operand = AnyBool;

    fn compile(b: &mut Compiler, e: &Expr) -> AnyBool {
        b.any_bool(e)
    }

    fn value(vm: &mut Vm, ty: &Type, register: Result<bool, Wide>) -> Result<Value, Stop> {
        register.map(|x| bool_value(ty, x)).or_else(|Wide| vm.take_value())
    }
}

/// An argument in a register; where there is none, the value is pending, or an error.
trait Argument: 'static {
    type Register: Copy + Default + 'static;
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<Self::Register, Wide>;
    fn value(register: Self::Register) -> Value;
}

struct IntArgument<A>(A);

impl<A: IntOperand> Argument for IntArgument<A> {
    type Register = i64;

    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<i64, Wide> {
        self.0.get(vm, fp)
    }

    fn value(register: i64) -> Value {
        Value::Int(register)
    }
}

struct FloatArgument<A>(A);

impl<A: FloatOperand> Argument for FloatArgument<A> {
    type Register = f64;

    #[inline(always)]
    fn get(&self, vm: &mut Vm, fp: Fp) -> Result<f64, Wide> {
        let x = self.0.get(vm, fp)?;
        if is_nil_float(x) { Err(vm.set_pending_value(&Value::Nil)) } else { Ok(x) }
    }

    fn value(register: f64) -> Value {
        Value::Float(register)
    }
}

impl Compiler<'_> {
    pub(super) fn native_call(&self, native: &Native, e: &Expr) -> NativeCall {
        NativeCall {
            module: native.module,
            row: native.row,
            types: native.args.iter().map(|arg| arg.ty.clone()).collect(),
            result: e.ty.clone(),
            counted: native.counted,
            stmt: self.stmt,
            at: e.at,
        }
    }

    /// Compiles a call of a library function.
    pub fn native(&mut self, native: &Native, e: &Expr) -> ValueFn {
        let call = self.native_call(native, e);
        match &native.args[..] {
            [] => closure(move |vm, fp| call.run(vm, fp, &[])),
            [a] => with_values([self.native_argument(a)], call),
            [a, b] => with_values([a, b].map(|arg| self.native_argument(arg)), call),
            [a, b, c] => with_values([a, b, c].map(|arg| self.native_argument(arg)), call),
            args => {
                let args: Box<[ValueFn]> = args.iter().map(|arg| self.native_argument(arg)).collect();
                closure(move |vm, fp| {
                    let values: Result<Vec<Value>, Stop> = args.iter().map(|arg| arg.run(vm, fp)).collect();
                    call.run(vm, fp, &values?)
                })
            }
        }
    }

    /// An argument for the library, with references followed, unless it is a type.
    fn native_argument(&mut self, e: &Expr) -> ValueFn {
        if let Some(slot) = self.plain_local(e, Repr::Int) {
            let ty = e.ty.clone();
            return closure(move |vm, fp| {
                let register = vm.int(fp, slot);
                vm.int_value(&ty, register)
            });
        }
        if e.ty.repr() != Repr::Ref {
            return self.value(e);
        }
        if !matches!(e.ty, Type::Any) && !matches!(e.kind, ExprKind::Const(_) | ExprKind::RefTo(_)) {
            let reference = self.reference(e);
            return closure(move |vm, fp| Ok(ref_value(follow_ref(reference.get(vm, fp)?))));
        }
        let value = self.value(e);
        closure(move |vm, fp| {
            let value = value.run(vm, fp)?;
            match &value {
                Value::Ref(r) if matches!(&**r, Heap::Reference(_) | Heap::Scalar(_)) => Ok(value.follow()),
                _ => Ok(value),
            }
        })
    }

    /// A call with an integer result, in registers; `None` if it has no such form.
    pub(super) fn quick_int(&mut self, native: &Native, e: &Expr) -> Option<IntFn> {
        match (quick(native)?, &native.args[..]) {
            (Quick::Int(f), [a]) => Some(int_operand!(self, a, a => {
                unary(self.native_call(native, e), IntArgument(a), f)
            })),
            (Quick::Ints(f), [a, b]) => {
                let call = self.native_call(native, e);
                Some(int_operand!(self, a, a => int_operand!(self, b, b => {
                    binary(call, IntArgument(a), IntArgument(b), f)
                })))
            }
            (Quick::IntOfFloat(f), [a]) => {
                let (call, a) = (self.native_call(native, e), self.float(a));
                Some(unary(call, FloatArgument(a), f))
            }
            _ => None,
        }
    }

    /// Like [`Compiler::quick_int`], with a bool as the result.
    pub(super) fn quick_bool(&mut self, native: &Native, e: &Expr) -> Option<BoolFn> {
        match (quick(native)?, &native.args[..]) {
            (Quick::TestOfInt(f), [a]) => {
                let call = self.native_call(native, e);
                Some(int_operand!(self, a, a => unary(call, IntArgument(a), f)))
            }
            _ => None,
        }
    }

    /// Whether an expression is a call whose result is a float, whatever type the checker gives it.
    pub(super) fn is_float(&self, e: &Expr) -> bool {
        let ExprKind::Native(native) = &e.kind else { return false };
        !self.is_observing() && matches!(quick(native), Some(Quick::Float(_) | Quick::Floats(_)))
    }

    /// Like [`Compiler::quick_int`], with a float as the result, also where its type is not known.
    pub(super) fn quick_float(&mut self, native: &Native, e: &Expr) -> Option<FloatFn> {
        match (quick(native)?, &native.args[..]) {
            (Quick::Float(f), [a]) => {
                let call = self.native_call(native, e);
                Some(float_operand!(self, a, a => unary(call, FloatArgument(a), f)))
            }
            (Quick::Floats(f), [a, b]) => {
                let call = self.native_call(native, e);
                Some(float_operand!(self, a, a => float_operand!(self, b, b => {
                    binary(call, FloatArgument(a), FloatArgument(b), f)
                })))
            }
            _ => None,
        }
    }
}

/// A call with this number of values.
fn with_values<const N: usize>(args: [ValueFn; N], call: NativeCall) -> ValueFn {
    closure(move |vm, fp| {
        let mut values = [const { Value::Nil }; N];
        for (value, arg) in values.iter_mut().zip(&args) {
            *value = arg.run(vm, fp)?;
        }
        call.run(vm, fp, &values)
    })
}

fn unary<C: Unboxing, A: Argument>(call: NativeCall, a: A, f: fn(A::Register) -> Option<C::Value>) -> C {
    C::new(move |vm, fp| {
        let x = a.get(vm, fp);
        if let Ok(x) = x
            && let Some(result) = f(x)
            && call.may_run(vm)
        {
            return Ok(result);
        }
        let x = Word::new(vm, x);
        call_with_one::<C, A>(&call, vm, fp, x).take(vm)
    })
}

fn binary<C: Unboxing, A: Argument>(
    call: NativeCall,
    a: A,
    b: impl Argument<Register = A::Register>,
    f: fn(A::Register, A::Register) -> Option<C::Value>,
) -> C {
    C::new(move |vm, fp| {
        let x = match a.get(vm, fp) {
            Ok(x) => x,
            Err(Wide) => return call_with_first::<C, _>(&call, vm, fp, &b).take(vm),
        };
        let y = b.get(vm, fp);
        if let Ok(y) = y
            && let Some(result) = f(x, y)
            && call.may_run(vm)
        {
            return Ok(result);
        }
        let y = Word::new(vm, y);
        call_with_second::<C, A>(&call, vm, fp, x, y).take(vm)
    })
}

#[cold]
#[inline(never)]
fn call_with_one<C: Unboxing, A: Argument>(
    call: &NativeCall,
    vm: &mut Vm,
    fp: Fp,
    x: Word<A::Register>,
) -> Word<C::Value> {
    let x = x.take(vm);
    Word::of(vm, |vm| {
        let x = value_of::<A>(vm, x)?;
        C::called(vm, fp, call, &[x])
    })
}

/// Evaluates the second argument, too; the first one is pending.
#[cold]
#[inline(never)]
fn call_with_first<C: Unboxing, B: Argument>(
    call: &NativeCall,
    vm: &mut Vm,
    fp: Fp,
    b: &B,
) -> Word<C::Value> {
    Word::of(vm, |vm| {
        let x = vm.take_value()?;
        let y = b.get(vm, fp);
        let y = value_of::<B>(vm, y)?;
        C::called(vm, fp, call, &[x, y])
    })
}

#[cold]
#[inline(never)]
fn call_with_second<C: Unboxing, A: Argument>(
    call: &NativeCall,
    vm: &mut Vm,
    fp: Fp,
    x: A::Register,
    y: Word<A::Register>,
) -> Word<C::Value> {
    let y = y.take(vm);
    Word::of(vm, |vm| {
        let y = value_of::<A>(vm, y)?;
        C::called(vm, fp, call, &[A::value(x), y])
    })
}

/// The value of an argument, which may be pending.
fn value_of<A: Argument>(vm: &mut Vm, register: Result<A::Register, Wide>) -> Result<Value, Stop> {
    register.map(A::value).or_else(|Wide| vm.take_value())
}
