//! Written types, assignability, types of arithmetic.

use std::rc::Rc;

use crate::syntax::ast::{Name, TypeExpr, TypeExprKind};
use ez_runtime::diagnostics::{Code, Diagnostic, Fix};
use ez_runtime::program::ArithOp;
use ez_runtime::source::Span;
use ez_runtime::value::{EnumBase, FloatKind, HandleKind, IntKind, Type, builtin};

use super::checker::Checker;
use super::symbols::{ModuleRef, TypeSym, UsingModule};

/// An undefined type.
pub struct Undefined {
    /// The name as written, with its module.
    pub name: String,
    /// Its module, if that is written.
    pub module: Option<Rc<str>>,
    /// Where it is written.
    pub at: Span,
}

/// What a type name means.
pub enum TypeLookup {
    Found(Type, Option<Rc<TypeSym>>),
    /// Several used modules have it: their names, and the type of the first.
    Ambiguous(Vec<Rc<str>>, Type),
    Missing,
}

impl Checker<'_> {
    /// The written type, with `any` for an undefined part, and the undefined part if there is one.
    pub fn resolve_type(&mut self, written: &TypeExpr) -> (Type, Option<Undefined>) {
        match &written.kind {
            TypeExprKind::Named(name) => match self.named_type(name, written.span) {
                // Ambiguity is reported where a value of the type is made.
                TypeLookup::Found(ty, _) | TypeLookup::Ambiguous(_, ty) => {
                    if let Some(renamed) = renamed_type(name)
                        && self.module().is_none_or(|m| !m.types.contains_key(name))
                        && !self.suppressed(Code::W2005)
                    {
                        let report =
                            Diagnostic::new(Code::W2005, written.span, format!("renamed to '{renamed}'"));
                        self.diags.push(report.fixed_by(Fix::certain(written.span, renamed)));
                    }
                    (ty, None)
                }
                TypeLookup::Missing => {
                    (Type::Any, Some(Undefined { name: name.to_string(), module: None, at: written.span }))
                }
            },
            TypeExprKind::Qualified(module, name) => match self.qualified_type(module, name) {
                Some(ty) => (ty, None),
                None => {
                    let name = format!("{}.{}", module.text, name.text);
                    (Type::Any, Some(Undefined { name, module: Some(module.text.clone()), at: written.span }))
                }
            },
            TypeExprKind::Array(elem, size) => {
                let (elem, missing) = self.resolve_type(elem);
                (Type::Array(Rc::new(elem), size.as_ref().map(|(n, _)| *n)), missing)
            }
            TypeExprKind::Map(key, value) => {
                let (key, missing_key) = self.resolve_type(key);
                let (value, missing_value) = self.resolve_type(value);
                (Type::map(key, value), missing_key.or(missing_value))
            }
        }
    }

    /// Looks a plain type name up.
    pub fn lookup_type(&self, name: &str) -> TypeLookup {
        if let Some(ty) = internal_type(name) {
            return TypeLookup::Found(ty, None);
        }
        if let Some(sym) = self.module().and_then(|m| m.types.get(name)) {
            return TypeLookup::Found(sym.ty.clone(), Some(sym.clone()));
        }
        let mut found: Vec<(Rc<str>, Rc<TypeSym>)> = Vec::new();
        for used in self.usings() {
            if let Some(sym) = self.exported_type(&used.module, name) {
                found.push((used.alias.clone(), sym));
            }
        }
        if let [(_, sym)] = found.as_slice() {
            return TypeLookup::Found(sym.ty.clone(), Some(sym.clone()));
        }
        if let Some((_, sym)) = found.first() {
            let ty = sym.ty.clone();
            return TypeLookup::Ambiguous(found.into_iter().map(|(alias, _)| alias).collect(), ty);
        }
        match library_type(name) {
            Some(ty) => TypeLookup::Found(ty, None),
            None => TypeLookup::Missing,
        }
    }

    /// [`Checker::lookup_type`] of the name at `at`.
    fn named_type(&self, name: &str, at: Span) -> TypeLookup {
        let found = self.lookup_type(name);
        if let TypeLookup::Found(_, sym) = &found {
            self.refers_to_type(at, sym.as_deref());
        }
        found
    }

    /// [`Checker::lookup_qualified_type`] of names in the text.
    pub fn qualified_type(&self, module: &Name, name: &Name) -> Option<Type> {
        if let Some(import) = self.file_sym()?.module_named(&module.text) {
            self.refers_to_module(module.span, import);
        }
        let (ty, sym) = self.lookup_qualified_type(&module.text, &name.text)?;
        self.refers_to_type(name.span, sym.as_deref());
        Some(ty)
    }

    /// `module.Name` as a type; the import counts as used.
    pub fn lookup_qualified_type(&self, module: &str, name: &str) -> Option<(Type, Option<Rc<TypeSym>>)> {
        let import = self.file_sym()?.module_named(module)?;
        import.used.set(true);
        match &import.module {
            ModuleRef::Library(_) => Some((library_type(name)?, None)),
            target => {
                let sym = self.exported_type(target, name)?;
                Some((sym.ty.clone(), Some(sym)))
            }
        }
    }

    /// A type that is not private to its module.
    fn exported_type(&self, module: &ModuleRef, name: &str) -> Option<Rc<TypeSym>> {
        let ModuleRef::User(index) = module else { return None };
        let sym = self.syms.modules.get(*index)?.types.get(name)?;
        (!sym.private || *index == self.module_index()).then(|| sym.clone())
    }

    /// Modules in `using`, innermost scope first; each name once.
    pub fn usings(&self) -> Vec<UsingModule> {
        let mut all: Vec<UsingModule> = Vec::new();
        for used in self.frame.names.usings() {
            if !all.iter().any(|u| u.alias == used.alias) {
                all.push(used.clone());
            }
        }
        let file = self.file_sym().map_or(&[][..], |f| f.usings.as_slice());
        let own = all.len();
        let is_new = |used: &&UsingModule| all.iter().take(own).all(|u| u.alias != used.alias);
        let of_file: Vec<UsingModule> = file.iter().filter(is_new).cloned().collect();
        all.extend(of_file);
        all
    }
}

/// The name in EZ 2.0 of a type that older versions called `name`.
fn renamed_type(name: &str) -> Option<&'static str> {
    match name {
        "error" => Some("Error"),
        "database" => Some("Database"),
        _ => None,
    }
}

/// Built-in types besides the primitive ones.
fn internal_type(name: &str) -> Option<Type> {
    match name {
        "void" => Some(Type::Void),
        "nil" => Some(Type::Nil),
        "any" => Some(Type::Any),
        "error" => Some(builtin::error_type()),
        _ => Type::primitive(name),
    }
}

/// The types that the library provides, by their names.
pub fn library_types() -> impl Iterator<Item = (Rc<str>, Type)> {
    let handles =
        [("File", HandleKind::File), ("FileInfo", HandleKind::FileInfo), ("Database", HandleKind::Database)];
    let handles = handles.into_iter().map(|(name, kind)| (name.into(), Type::Handle(kind)));
    builtin::structs().into_iter().map(|def| (def.name.clone(), Type::Struct(def))).chain(handles)
}

fn library_type(name: &str) -> Option<Type> {
    let name = renamed_type(name).unwrap_or(name);
    library_types().find(|(known, _)| **known == *name).map(|(_, ty)| ty)
}

/// Whether a target of type `target` takes values of type `source`
/// (docs/language/types.md#what-fits-where).
pub fn assignable(target: &Type, source: &Type) -> bool {
    match (target, source) {
        (_, Type::Void | Type::Tuple(_)) => false,
        (Type::Any | Type::Failed, _) | (_, Type::Any | Type::Failed) => true,
        (a, b) if a == b => true,
        (Type::Enum(def), base) | (base, Type::Enum(def)) if *base == def.base_type() => true,
        (Type::Struct(_), Type::Nil) => true,
        (Type::Array(elem, _), Type::Array(got, _)) => assignable(elem, got),
        (Type::Map(..), Type::Array(got, _)) => got.is_any(),
        (Type::Map(k, v), Type::Map(key, value)) => assignable(k, key) && assignable(v, value),
        (Type::Int(_) | Type::Byte, Type::Int(_) | Type::Byte) => true,
        (Type::Float(_), Type::Float(_)) => true,
        _ => false,
    }
}

/// Whether values of a type may be stored where another one is declared, if that is decided when the program
/// runs: unlike [`assignable`], it accepts nil, and integers for floats, in containers too.
pub fn convertible(target: &Type, source: &Type) -> bool {
    match (target, source) {
        (_, Type::Nil) => true,
        (Type::Float(_), other) if base_of(other).is_integer() => true,
        (Type::Array(elem, _), Type::Array(got, _)) => convertible(elem, got),
        (Type::Map(k, v), Type::Map(key, value)) => convertible(k, key) && convertible(v, value),
        _ => assignable(target, source),
    }
}

/// The base type of an enum; any other type itself.
pub fn base_of(ty: &Type) -> Type {
    match ty {
        Type::Enum(def) => def.base_type(),
        other => other.clone(),
    }
}

/// Type of `a op b` on numbers (and of `+` on strings); `None` if the operator does not apply.
pub fn arithmetic(op: ArithOp, left: &Type, right: &Type) -> Option<Type> {
    if left.is_any() || right.is_any() {
        return Some(if left.is_failed() || right.is_failed() { Type::Failed } else { Type::Any });
    }
    if op == ArithOp::Add && *left == Type::Str && *right == Type::Str {
        return Some(Type::Str);
    }
    let fits = |ty: &Type| if op.takes_floats() { ty.is_numeric() } else { ty.is_integer() };
    if !fits(left) || !fits(right) {
        return None;
    }
    Some(match (base_of(left), base_of(right)) {
        (Type::Float(_), _) | (_, Type::Float(_)) => Type::FLOAT,
        (Type::Byte, other) => other,
        (other, _) => other,
    })
}

/// Whether values of the type can be compared with `<`.
pub fn is_ordered(ty: &Type) -> bool {
    ty.is_numeric() || *ty == Type::Char || ty.is_any()
}

/// Whether values of the type can be keys of a map.
pub fn is_hashable(ty: &Type) -> bool {
    match ty {
        Type::Str | Type::Bool | Type::Char | Type::Byte | Type::Int(_) | Type::Any | Type::Failed => true,
        Type::Enum(_) => !is_float_enum(ty),
        Type::Void
        | Type::Nil
        | Type::Float(_)
        | Type::Array(..)
        | Type::Map(..)
        | Type::Struct(_)
        | Type::Range
        | Type::Tuple(_)
        | Type::Handle(_) => false,
    }
}

/// Whether `part` stands anywhere in the type.
pub fn mentions(ty: &Type, part: &dyn Fn(&Type) -> bool) -> bool {
    part(ty)
        || match ty {
            Type::Array(elem, _) => mentions(elem, part),
            Type::Map(key, value) => mentions(key, part) || mentions(value, part),
            _ => false,
        }
}

/// Whether the type is an enum over float.
pub fn is_float_enum(ty: &Type) -> bool {
    matches!(ty, Type::Enum(def) if def.base() == EnumBase::Float)
}

/// Whether values of the type are less than what other types with the same representation hold: sized
/// integers, `uint`, `byte`, `f32`, and containers of them.
pub fn has_range(ty: &Type) -> bool {
    mentions(ty, &|part| match part {
        Type::Int(kind) => *kind != IntKind::Int,
        other => *other == Type::Byte || is_single(other),
    })
}

/// Whether it is `f32`, which rounds what is stored.
pub fn is_single(ty: &Type) -> bool {
    *ty == Type::Float(FloatKind::F32)
}
