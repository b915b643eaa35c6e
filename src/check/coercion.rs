//! Coercion of values to the type of the place they are stored in: conversions, range checks, copies.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::library::ResultCheck;
use crate::program::{Expr, ExprKind, StoreKind, StoreSite};
use crate::source::Span;
use crate::value::{IntKind, Type, Value, fit_integer};

use super::assigned::assigns;
use super::checker::Checker;
use super::types::{assignable, is_single};

impl Checker<'_> {
    /// Whether a place of type `target` takes this value. Besides assignable types, a float place takes
    /// a whole number from a library function (`temp x float = math.floor(y)`).
    pub fn fits(&self, target: &Type, value: &Expr) -> bool {
        assignable(target, &value.ty) || (matches!(target, Type::Float(_)) && self.is_library_int(value))
    }

    /// Whether it is a whole number from a library function, which also fits a float place.
    pub fn is_library_int(&self, value: &Expr) -> bool {
        if !value.ty.is_integer() {
            return false;
        }
        match &value.kind {
            ExprKind::Native(_) => true,
            ExprKind::Arith(_, left, right) => self.is_library_int(left) || self.is_library_int(right),
            ExprKind::Neg(inner) | ExprKind::Store(inner, _) => self.is_library_int(inner),
            ExprKind::Local(id) => self.frame.facts.library_ints.contains(id),
            _ => false,
        }
    }

    /// Whether it is a number from a library function whose result is not checked before running, or
    /// also counts as a float.
    fn is_unchecked_number(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Native(native) => native.row.result_check != ResultCheck::Declared,
            ExprKind::Arith(_, left, right) => {
                self.is_unchecked_number(left) || self.is_unchecked_number(right)
            }
            ExprKind::Neg(inner) => self.is_unchecked_number(inner),
            ExprKind::Local(id) => {
                self.frame.facts.untyped.contains(id) || self.frame.facts.library_ints.contains(id)
            }
            _ => false,
        }
    }

    /// Type of a local variable declared without one. A variable that starts with such a library number
    /// and is assigned later may get numbers of another type, so its type is `any`.
    pub fn local_type(&self, name: &str, value: &Expr) -> Type {
        let number = matches!(value.ty, Type::Int(_) | Type::Float(_));
        let body = self.syms.func(self.frame.func).map(|f| &f.decl.body);
        if number && self.is_unchecked_number(value) && body.is_some_and(|b| assigns(b, name)) {
            return Type::Any;
        }
        value.ty.clone()
    }

    /// The value converted to `ty`; what cannot be decided now is checked when it is stored.
    pub fn store(&self, value: Expr, ty: &Type, kind: StoreKind, at: Span) -> Expr {
        if value.ty == *ty || ty.is_any() {
            return value;
        }
        if let Some(constant) = constant_as(&value, ty) {
            return Expr { ty: ty.clone(), at: value.at, kind: ExprKind::Const(constant) };
        }
        let site = Rc::new(StoreSite { kind, at });
        Expr { ty: ty.clone(), at: value.at, kind: ExprKind::Store(Box::new(value), site) }
    }

    /// The value as a declaration or assignment stores it: converted, with containers copied.
    pub fn keep(&self, value: Expr, ty: &Type, kind: StoreKind, at: Span, freeze: bool) -> Expr {
        if !ty.is_container() && !ty.is_any() {
            return self.store(value, ty, kind, at);
        }
        let holds_nothing = match &value.kind {
            ExprKind::Const(constant) => constant.as_array().is_none(),
            ExprKind::Raise(_) | ExprKind::Default => true,
            _ => !value.ty.is_container() && !value.ty.is_any() && value.ty != Type::Nil,
        };
        if holds_nothing {
            return self.store(value, ty, kind, at);
        }
        // A copy converts elements; a value that is no container is refused by the store.
        let value = if value.ty.is_container() { value } else { self.store(value, ty, kind.clone(), at) };
        let site = Rc::new(StoreSite { kind, at });
        let at = value.at;
        Expr { ty: ty.clone(), at, kind: ExprKind::Copy { value: Box::new(value), freeze, site } }
    }

    /// A condition or operand that must be bool; checked at run time if its type is `any`.
    pub fn as_bool(&self, value: Expr) -> Expr {
        let at = value.at;
        if value.ty.is_any() { self.store(value, &Type::Bool, StoreKind::Assign, at) } else { value }
    }
}

/// The value of a constant that can be converted now.
fn constant_as(value: &Expr, ty: &Type) -> Option<Value> {
    let ExprKind::Const(constant) = &value.kind else { return None };
    match (constant, ty) {
        (Value::Nil, _) => Some(Value::Nil),
        (Value::Int(i), Type::Byte) => u8::try_from(*i).ok().map(Value::Byte),
        (Value::Int(i), Type::Float(_)) => Some(Value::Float(rounded(*i as f64, ty))),
        (Value::Float(x), Type::Float(_)) => Some(Value::Float(rounded(*x, ty))),
        (_, Type::Int(kind)) => integer_constant(constant, *kind),
        _ => None,
    }
}

fn integer_constant(constant: &Value, kind: IntKind) -> Option<Value> {
    let number: BigInt = constant.as_bigint()?;
    fit_integer(kind, &number).is_ok().then(|| constant.clone())
}

fn rounded(number: f64, ty: &Type) -> f64 {
    if is_single(ty) { f64::from(number as f32) } else { number }
}
