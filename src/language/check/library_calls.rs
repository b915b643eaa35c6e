//! Calls of library functions: counts, types and element types of arguments.

use std::collections::HashMap;

use crate::syntax::ast::{self, Name};
use ez_runtime::diagnostics::Code;
use ez_runtime::library::{Module, ParamType, ResultCheck, Row, Signature};
use ez_runtime::program::{Expr, ExprKind, Native, StoreKind};
use ez_runtime::source::Span;
use ez_runtime::value::{Heap, Type, Value};

use super::checker::{Checker, raise};
use super::declared::Declaration;
use super::scopes::Binding;
use super::types::{TypeLookup, assignable};

impl Checker<'_> {
    /// A call of `row`; `counted`: it counts in the recursion depth, as calls by the plain name do.
    pub fn native_call(
        &mut self,
        module: &'static Module,
        row: &'static Row,
        args: &[ast::Expr],
        name_at: Span,
        at: Span,
        counted: bool,
    ) -> Expr {
        self.refers(name_at, Declaration::Row(module, row));
        let signature = row.parsed();
        let lowered = self.native_args(&signature, args);
        let types: Vec<Type> = lowered.iter().map(argument_type).collect();
        let qualified = format!("{}.{}", module.name, row.name);
        let mut failed = Vec::new();
        if row.checked {
            if self.native_count(&qualified, &signature, args.len(), name_at) {
                failed = self.native_classes(&qualified, &signature, args, &lowered);
            }
            failed.extend(self.native_elements(&qualified, &signature, args, &lowered));
        }
        for (_, value) in lowered.iter().enumerate().filter(|(index, _)| !failed.contains(index)) {
            self.reject_void(value);
        }
        let ty = signature.result(&types);
        let lowered = if row.changes { self.within_first(&signature, lowered, at) } else { lowered };
        if row.changes
            && let Some(failing) = args.first().and_then(|arg| self.const_reference(arg, at))
        {
            return Expr { ty, ..failing };
        }
        let native = Native { module: module.name, row, args: lowered, counted };
        Expr { ty, at, kind: ExprKind::Native(native) }
    }

    /// Checks what is stored in a container against its type where the container is only seen as that:
    /// its own element type, which the function checks, may be wider.
    fn within_first(&self, signature: &Signature, args: Vec<Expr>, at: Span) -> Vec<Expr> {
        if args.first().is_none_or(|first| !self.may_misfit(first)) {
            return args;
        }
        let types: Vec<Type> = args.iter().map(|a| a.ty.clone()).collect();
        let bound = signature.bind(&types);
        let stored = args.into_iter().enumerate().map(|(index, value)| match signature.param(index) {
            Some(param) if matches!(param.ty, ParamType::Var(_)) => {
                let kind = if types.first().is_some_and(|t| t.elem().is_some()) {
                    StoreKind::Element
                } else {
                    StoreKind::Entry
                };
                match wanted(&param.ty, &bound) {
                    Some(ty) => self.store(value, &ty, kind, at),
                    None => value,
                }
            }
            _ => value,
        });
        stored.collect()
    }

    fn native_args(&mut self, signature: &Signature, args: &[ast::Expr]) -> Vec<Expr> {
        let mut lowered: Vec<Expr> = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            let param = signature.param(index).map(|p| p.ty.clone());
            if param == Some(ParamType::TypeName)
                && let Some(ty) = self.type_argument(arg)
            {
                let value = Value::from(Heap::Type(ty));
                lowered.push(Expr { ty: Type::Any, at: arg.at, kind: ExprKind::Const(value) });
                continue;
            }
            if param == Some(ParamType::Any) {
                lowered.push(self.shown(arg));
                continue;
            }
            let types: Vec<Type> = lowered.iter().map(|a| a.ty.clone()).collect();
            let bound = signature.bind(&types);
            let want = param.and_then(|p| wanted(&p, &bound));
            lowered.push(self.expr(arg, want.as_ref()));
        }
        lowered
    }

    /// A type given as an argument.
    fn type_argument(&mut self, arg: &ast::Expr) -> Option<Type> {
        if let ast::ExprKind::Member(object, name) = &arg.kind {
            let module = Name { text: object.name()?.clone(), span: object.at };
            return self.qualified_type(&module, name);
        }
        let name = arg.name()?;
        match self.lookup_type(name) {
            TypeLookup::Found(ty, sym) if self.frame.lookup(name).is_none() => {
                self.refers_to_type(arg.at, sym.as_deref());
                Some(ty)
            }
            _ => None,
        }
    }

    fn native_count(&mut self, qualified: &str, signature: &Signature, got: usize, at: Span) -> bool {
        let least = signature.min_args();
        if got < least {
            if signature.param(got).is_some_and(|param| param.ty == ParamType::TypeName) {
                let message = format!(
                    "{qualified}() requires a struct type as second argument: {qualified}(text, StructType)"
                );
                self.report(Code::E13004, at, message);
                return false;
            }
            let message = format!("{qualified} requires at least {least} argument(s), got {got}");
            self.report(Code::E5008, at, message);
            return false;
        }
        if let Some(most) = signature.max_args().filter(|most| got > *most) {
            let message = format!("{qualified} accepts at most {most} argument(s), got {got}");
            self.report(Code::E5008, at, message);
            return false;
        }
        true
    }

    /// Checks the classes of the arguments; returns the numbers of those that were reported.
    fn native_classes(
        &mut self,
        qualified: &str,
        signature: &Signature,
        args: &[ast::Expr],
        lowered: &[Expr],
    ) -> Vec<usize> {
        let mut failed = Vec::new();
        for (index, (arg, value)) in args.iter().zip(lowered).enumerate() {
            let Some(param) = signature.param(index) else { continue };
            if !self.class_takes(&param.ty, value) {
                let class = concrete(&param.ty).map_or_else(|| param.ty.class_name(), |ty| ty.to_string());
                let (number, got) = (index + 1, &value.ty);
                let message = format!("{qualified} argument {number}: expected {class}, got {got}");
                self.report(Code::E3001, arg.at, message);
                failed.push(index);
            }
        }
        failed
    }

    fn class_takes(&self, class: &ParamType, value: &Expr) -> bool {
        let ty = &value.ty;
        match class {
            _ if self.is_untyped(value) => true,
            ParamType::Any | ParamType::Var(_) | ParamType::TypeName => true,
            // Only used in results.
            ParamType::ElemOf(_) | ParamType::Wide(_) => true,
            ParamType::Num => ty.is_numeric(),
            ParamType::Array(_) => matches!(ty, Type::Array(..) | Type::Range),
            ParamType::Map(..) => match concrete(class) {
                Some(want) => assignable(&want, ty),
                None => matches!(ty, Type::Map(..)),
            },
            ParamType::Exact(Type::Int(_)) => ty.is_integer(),
            ParamType::Exact(want @ (Type::Str | Type::Bool)) => ty == want,
            ParamType::Exact(want) => self.fits(want, value),
        }
    }

    /// Checks element, key and value types: if the first parameter is an array or map of type variables,
    /// its argument's element types bind them for the other arguments. Returns the numbers of the arguments of such a
    /// type that were reported.
    fn native_elements(
        &mut self,
        qualified: &str,
        signature: &Signature,
        args: &[ast::Expr],
        lowered: &[Expr],
    ) -> Vec<usize> {
        let mut failed = Vec::new();
        let (Some(first), Some(container)) = (lowered.first(), signature.param(0)) else { return failed };
        let rest = lowered.iter().zip(args).enumerate().skip(1);
        let rest =
            rest.filter_map(|(index, (value, arg))| Some((index, signature.param(index)?, value, arg)));
        match (&container.ty, &first.ty) {
            (ParamType::Array(var), Type::Array(elem, _)) if matches!(**var, ParamType::Var(_)) => {
                for (index, param, value, arg) in rest {
                    match (&param.ty, &value.ty) {
                        (ParamType::Array(_), Type::Array(got, _)) if !assignable(elem, got) => {
                            self.parts_mismatch(qualified, "array element", "array", (elem, got), index, arg);
                        }
                        (ty, _) if ty == &**var => {
                            let is_good = self.element_argument(qualified, elem, value, arg);
                            failed.extend((!is_good).then_some(index));
                        }
                        _ => {}
                    }
                }
            }
            (ParamType::Map(key_var, value_var), Type::Map(key, entry)) => {
                for (index, param, value, arg) in rest {
                    match (&param.ty, &value.ty) {
                        (ParamType::Map(..), Type::Map(k, v)) => {
                            for (what, first, other) in [("map key", key, k), ("map value", entry, v)] {
                                if !assignable(first, other) {
                                    self.parts_mismatch(qualified, what, "map", (first, other), index, arg);
                                }
                            }
                        }
                        (ty, _) if ty == &**key_var => {
                            let is_good = self.map_part(qualified, "key", key, value, arg);
                            failed.extend((!is_good).then_some(index));
                        }
                        (ty, _) if ty == &**value_var => {
                            let what = if param.optional { "default value" } else { "value" };
                            let is_good = self.map_part(qualified, what, entry, value, arg);
                            failed.extend((!is_good).then_some(index));
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        failed
    }

    /// E3001; false if it was reported.
    fn element_argument(&mut self, qualified: &str, elem: &Type, value: &Expr, arg: &ast::Expr) -> bool {
        let is_good = self.is_untyped(value) || self.fits(elem, value);
        if !is_good {
            let message = format!(
                "{qualified}: element type mismatch - array has element type {elem}, but got {}",
                value.ty
            );
            self.report(Code::E3001, arg.at, message);
        }
        is_good
    }

    /// E3001 for another array or map whose element types do not fit those of the first.
    fn parts_mismatch(
        &mut self,
        qualified: &str,
        what: &str,
        container: &str,
        (first, got): (&Type, &Type),
        index: usize,
        arg: &ast::Expr,
    ) {
        let message = format!(
            "{qualified}: incompatible {what} types - first {container} has {first}, \
             but argument {} has {got}",
            index + 1
        );
        self.report(Code::E3001, arg.at, message);
    }

    /// E3001; false if it was reported.
    fn map_part(&mut self, qualified: &str, what: &str, ty: &Type, value: &Expr, arg: &ast::Expr) -> bool {
        if self.is_untyped(value) || self.fits(ty, value) {
            return true;
        }
        let part = if what == "key" { "key" } else { "value" };
        let message =
            format!("{qualified}: {what} type mismatch - map has {part} type {ty}, but got {}", value.ty);
        self.report(Code::E3001, arg.at, message);
        false
    }

    /// Whether the type of a value is known at run time only: it is `any`, or the result of a library
    /// function with [`ResultCheck::Unchecked`].
    pub fn is_untyped(&self, value: &Expr) -> bool {
        match &value.kind {
            _ if value.ty.is_any() => true,
            ExprKind::Native(native) => native.row.result_check == ResultCheck::Unchecked,
            ExprKind::Local(id) => self.frame.facts.untyped.contains(id),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => self.is_untyped(base),
            _ => false,
        }
    }

    /// The error of an in-place function on a constant that was declared from `ref(…)`.
    fn const_reference(&self, arg: &ast::Expr, at: Span) -> Option<Expr> {
        let Binding::Local(id) = self.frame.lookup(arg.name()?)? else { return None };
        if !self.frame.facts.const_refs.contains(&id) {
            return None;
        }
        match self.frame.local(id)?.ty {
            Type::Map(..) => Some(raise(Code::E12002, at, "cannot modify immutable map (declared as const)")),
            _ => Some(raise(Code::E5007, at, "cannot modify immutable array (declared as const)")),
        }
    }
}

/// The type of an argument; for the name of a type, that type.
fn argument_type(value: &Expr) -> Type {
    if let ExprKind::Const(Value::Ref(target)) = &value.kind
        && let Heap::Type(named) = &**target
    {
        return named.clone();
    }
    if value.ty.is_failed() { Type::Any } else { value.ty.clone() }
}

/// The type of a map parameter without type variables.
fn concrete(param: &ParamType) -> Option<Type> {
    let ParamType::Map(key, value) = param else { return None };
    match (&**key, &**value) {
        (ParamType::Exact(key), ParamType::Exact(value)) => Some(Type::map(key.clone(), value.clone())),
        _ => None,
    }
}

/// The expected type of an argument for this parameter.
fn wanted(param: &ParamType, bound: &HashMap<char, Type>) -> Option<Type> {
    match param {
        ParamType::Var(letter) => bound.get(letter).cloned(),
        ParamType::Array(elem) => wanted(elem, bound).map(Type::array),
        ParamType::Map(key, value) => Some(Type::map(wanted(key, bound)?, wanted(value, bound)?)),
        ParamType::Exact(ty) => Some(ty.clone()),
        ParamType::Any | ParamType::Num | ParamType::TypeName | ParamType::ElemOf(_) | ParamType::Wide(_) => {
            None
        }
    }
}
