//! Conversions between integer types, and of floats to integers, in registers.

use crate::program::{Expr, StoreSite};
use crate::source::Span;
use crate::value::{EnumBase, Limits, Type};

use crate::interp::arith::Bound;
use crate::interp::boxing::float_value;
use crate::interp::closures::{Closure, IntFn, Word};
use crate::interp::operand::IntOperand;
use crate::interp::vm::Vm;
use crate::interp::{access, convert, store};

use super::Compiler;

impl Compiler<'_> {
    /// Converts an integer to another integer type. Only a number that does not fit takes the slow path,
    /// which does not evaluate the operand again.
    pub(super) fn store_int(&mut self, e: &Expr, a: &Expr, site: &std::rc::Rc<StoreSite>) -> IntFn {
        let (from, to, site) = (a.ty.clone(), e.ty.clone(), site.clone());
        let Some(limits) = limits_of_store(&from, &to) else { return self.int_from_value(e) };
        let a = self.computed(a);
        IntFn::new(move |vm, fp| match a.get(vm, fp) {
            Ok(x) if limits.have(x) => Ok(x),
            register => {
                let register = Word::new(vm, register);
                store_any(vm, register, &from, &to, &site).take(vm)
            }
        })
    }

    /// `u8(x)`, `int(c)` and the like, of an integer register.
    pub(super) fn convert_int(&mut self, e: &Expr, a: &Expr, counted: bool) -> IntFn {
        let (at, from, to) = (e.at, a.ty.clone(), e.ty.clone());
        let limits = converted_limits(&from, &to).unwrap_or(Limits::new(0, 0));
        let a = self.computed(a);
        IntFn::new(move |vm, fp| match a.get(vm, fp) {
            Ok(x) if limits.have(x) && (!counted || vm.depth != vm.depth_limit) => Ok(x),
            register => {
                let register = Word::new(vm, register);
                convert_any(vm, register, &from, &to, counted, &at).take(vm)
            }
        })
    }
}

/// The integer registers of a type that are those of another type, too; `None` if that is not known.
fn limits_of_store(from: &Type, to: &Type) -> Option<Limits> {
    let base = |ty: &Type| if let Type::Enum(def) = ty { def.base_type() } else { ty.clone() };
    let is_whole = |ty: &Type| matches!(ty, Type::Int(_) | Type::Byte);
    let are_enums = matches!((from, to), (Type::Enum(_), Type::Enum(_)));
    let (own, wanted) = (base(from), base(to));
    let fit = from == to || !are_enums && (own == wanted || is_whole(&own) && is_whole(&wanted));
    fit.then(|| Bound::of(&wanted).limits())
}

/// The integer registers of a type whose conversion to another type, which has them, too, changes nothing.
pub(super) fn converted_limits(from: &Type, to: &Type) -> Option<Limits> {
    let is_whole = |ty: &Type| matches!(ty, Type::Int(_) | Type::Byte);
    match (from, to) {
        // The first that are no characters follow.
        (from, Type::Char) if is_whole(from) => Some(Limits::new(0, 0xD7FF)),
        (Type::Enum(def), to) if def.base() == EnumBase::Int && *to == Type::INT => Some(Bound::Int.limits()),
        (from, to) if is_whole(to) && (is_whole(from) || *from == Type::Char) => Some(Bound::of(to).limits()),
        _ => None,
    }
}

/// Converts an integer that does not fit, or is none. `counted`: it is checked against the recursion depth like a call.
#[cold]
#[inline(never)]
fn convert_any(
    vm: &mut Vm,
    register: Word<i64>,
    from: &Type,
    to: &Type,
    counted: bool,
    at: &Span,
) -> Word<i64> {
    let register = register.take(vm);
    Word::of(vm, |vm| {
        let value = vm.int_value(from, register)?;
        if counted && vm.depth == vm.depth_limit {
            return Ok(super::calls::too_deep(vm, *at)?);
        }
        let value = convert::convert(vm, &value, from, to, *at)?;
        access::int_register(vm, &value)
    })
}

/// `int(x)` of a float in all cases. `counted`: it is checked against the recursion depth like a call.
#[cold]
#[inline(never)]
pub(super) fn int_of_float(vm: &mut Vm, x: f64, from: &Type, counted: bool, at: &Span) -> Word<i64> {
    Word::of(vm, |vm| {
        if counted && vm.depth == vm.depth_limit {
            return Ok(super::calls::too_deep(vm, *at)?);
        }
        let value = convert::convert(vm, &float_value(from, x), from, &Type::INT, *at)?;
        access::int_register(vm, &value)
    })
}

/// Converts an integer that does not fit, or none.
#[cold]
#[inline(never)]
fn store_any(vm: &mut Vm, register: Word<i64>, from: &Type, to: &Type, site: &StoreSite) -> Word<i64> {
    let register = register.take(vm);
    Word::of(vm, |vm| {
        let value = vm.int_value(from, register)?;
        let stored = store::store(vm, to, value, site)?;
        access::int_register(vm, &stored)
    })
}
