//! Coercion of values to the type of the variable, element or field that they are stored in: conversions,
//! range checks, copies.

use std::rc::Rc;

use num_bigint::BigInt;

use ez_runtime::library::ResultCheck;
use ez_runtime::program::{Expr, ExprKind, StoreKind, StoreSite};
use ez_runtime::source::Span;
use ez_runtime::value::{IntKind, Type, Value, fit_integer};

use super::assigned::assigns;
use super::checker::Checker;
use super::types::{assignable, has_range, is_single};

impl Checker<'_> {
    /// Whether a variable of type `target` can hold this value. In addition to assignable types, a float
    /// variable accepts a whole number from a library function (`temp x float = math.floor(y)`).
    pub fn fits(&self, target: &Type, value: &Expr) -> bool {
        assignable(target, &value.ty) || (matches!(target, Type::Float(_)) && self.is_library_int(value))
    }

    /// Whether it is a whole number from a library function, which a float variable accepts.
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

    /// Whether it is a number from a library function whose result is checked at run time only, or can also
    /// be a float.
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

    /// Type of a local declared without one. If it is initialised with such a library number and assigned
    /// later, it may get numbers of other types, so its type is `any`.
    pub fn local_type(&self, name: &str, value: &Expr) -> Type {
        let number = matches!(value.ty, Type::Int(_) | Type::Float(_));
        let body = self.syms.func(self.frame.func).map(|f| &f.decl.body);
        if number && self.is_unchecked_number(value) && body.is_some_and(|b| assigns(b, name)) {
            return Type::Any;
        }
        value.ty.clone()
    }

    /// Whether the value may be outside the range of its own type: it is read through another name of a
    /// variable, which may be of a wider type, or is what a library function was given.
    pub fn may_misfit(&self, value: &Expr) -> bool {
        has_range(&value.ty) && self.is_from_elsewhere(value)
    }

    fn is_from_elsewhere(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Local(id) => self.frame.facts.aliases.contains(id),
            ExprKind::Index(base, _) => self.is_from_elsewhere(base),
            ExprKind::Native(_) => true,
            _ => false,
        }
    }

    /// Converts the value to `ty`; what cannot be decided statically is checked at run time.
    pub fn store(&self, value: Expr, ty: &Type, kind: StoreKind, at: Span) -> Expr {
        if (value.ty == *ty && !self.may_misfit(&value)) || ty.is_any() {
            return value;
        }
        if let Some(constant) = constant_as(&value, ty) {
            return Expr { ty: ty.clone(), at: value.at, kind: ExprKind::Const(constant) };
        }
        let site = Rc::new(StoreSite { kind, at });
        Expr { ty: ty.clone(), at: value.at, kind: ExprKind::Store(Box::new(value), site) }
    }

    /// Converts the value for a declaration or assignment, and copies containers.
    pub fn keep(&self, value: Expr, ty: &Type, kind: StoreKind, at: Span, freeze: bool) -> Expr {
        if !ty.is_container() && !ty.is_any() {
            return self.store(value, ty, kind, at);
        }
        let holds_nothing = if let ExprKind::Const(constant) = &value.kind {
            constant.as_array().is_none()
        } else {
            matches!(value.kind, ExprKind::Raise(_) | ExprKind::Default)
                || !value.ty.is_container() && !value.ty.is_any() && value.ty != Type::Nil
        };
        if holds_nothing {
            return self.store(value, ty, kind, at);
        }
        // The copy converts elements; values that are not containers are checked by the store.
        let value = if value.ty.is_container() { value } else { self.store(value, ty, kind.clone(), at) };
        let site = Rc::new(StoreSite { kind, at });
        let at = value.at;
        Expr { ty: ty.clone(), at, kind: ExprKind::Copy { value: Box::new(value), freeze, site } }
    }

    /// A condition or operand that must be a bool; checked at run time if its type is `any`.
    pub fn as_bool(&self, value: Expr) -> Expr {
        let at = value.at;
        if value.ty.is_any() { self.store(value, &Type::Bool, StoreKind::Assign, at) } else { value }
    }
}

/// The converted value of a constant, if it can be converted statically.
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
