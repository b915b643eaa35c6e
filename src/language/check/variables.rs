//! Declarations of variables.

use std::rc::Rc;

use crate::syntax::ast::{self, Name, TypeExpr, VarDecl};
use ez_runtime::diagnostics::Code;
use ez_runtime::library::ResultCheck;
use ez_runtime::program::{
    Expr, ExprKind, LocalId, LocalKind, Raise, Stmt, StmtId, StmtKind, StoreKind, UnpackTarget,
};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::types::{assignable, is_float_enum, mentions};

impl Checker<'_> {
    pub fn local_declaration(&mut self, s: &ast::Stmt, decl: &VarDecl) -> Stmt {
        if s.attrs.private.is_some() {
            let message = "'private' modifier can only be used at module level, not inside functions";
            self.report(Code::E3037, decl.keyword, message);
        }
        let id = self.new_stmt(s.span, decl.value.is_some());
        for (name, ty) in &decl.names {
            if name.is_blank() && ty.is_some() && !self.suppressed(Code::W1005) {
                let message = "blank identifier '_' does not require type annotation";
                self.report(Code::W1005, name.span, message);
            }
        }
        let kind = match (decl.names.as_slice(), &decl.value) {
            ([(name, ty)], value) => self.single_declaration(id, decl, name, ty.as_ref(), value.as_ref()),
            (names, Some(value)) => self.multi_declaration(decl, names, value),
            (_, None) => StmtKind::Expr {
                expr: self.error_expr(decl.keyword),
                discard: ez_runtime::program::Discard::Fine,
            },
        };
        Stmt { id, at: decl.keyword, kind }
    }

    fn single_declaration(
        &mut self,
        id: StmtId,
        decl: &VarDecl,
        name: &Name,
        ty: Option<&TypeExpr>,
        value: Option<&ast::Expr>,
    ) -> StmtKind {
        self.local_shadowing(name);
        let declared = ty.map(|ty| self.declared_type(ty, name.span));
        let Some(written) = value else {
            let failed = declared.as_ref().is_some_and(|declared| declared.failed);
            let ty = declared.map_or(Type::Any, |d| d.ty);
            let local = self.frame.declare(name, ty.clone(), LocalKind::Variable, decl.constant);
            let ty = if failed { Type::Failed } else { ty };
            return StmtKind::Declare { local, value: Expr { ty, at: name.span, kind: ExprKind::Default } };
        };
        let value = self.expr(written, declared.as_ref().map(|d| &d.ty));
        let (ty, fine) = match declared {
            Some(declared) => {
                let fine = !declared.failed && self.check_declared(&declared, &value, written, name.span);
                (declared.ty, fine)
            }
            None => match self.inferred_type(&value, written, name) {
                (ty, true) if ty == value.ty => (self.local_type(&name.text, &value), true),
                other => other,
            },
        };
        self.note_non_nil(&name.text, written);
        if dynamic_const(decl.constant, ty_written(&decl.names), &ty) {
            self.frame.declare(name, ty, LocalKind::Variable, true);
            return StmtKind::Raise(const_array(decl.keyword));
        }
        if fine && matches!(value.ty, Type::Tuple(_)) {
            let local = self.frame.declare(name, ty, LocalKind::Variable, decl.constant);
            return StmtKind::Unpack { targets: vec![UnpackTarget::Declare(local)], value, at: decl.keyword };
        }
        self.variable(id, decl, name, ty, value, fine)
    }

    /// Declares the variable and lowers its initial value, after the checks of the declaration.
    fn variable(
        &mut self,
        id: StmtId,
        decl: &VarDecl,
        name: &Name,
        ty: Type,
        value: Expr,
        fine: bool,
    ) -> StmtKind {
        let library_ints = self.is_library_int(&value);
        let number = (ty.is_any() && value.ty.is_numeric()).then(|| value.ty.clone());
        let untyped = !ty_written(&decl.names) && self.is_untyped(&value);
        let (ty, value) = if let ExprKind::RefTo(target) = &value.kind {
            (target.ty.clone(), value)
        } else if name.is_blank() {
            (ty, value)
        } else {
            let value = self.keep(value, &ty, StoreKind::Declare, name.span, decl.constant);
            (ty, value)
        };
        let local = self.frame.declare(name, ty, LocalKind::Variable, decl.constant);
        self.frame.current = Some(id);
        if library_ints {
            self.frame.facts.library_ints.insert(local);
        }
        if untyped {
            self.frame.facts.untyped.insert(local);
        }
        if let Some(ty) = number {
            self.frame.facts.numbers.insert(local, ty);
        }
        if !fine {
            self.frame.failed_declarations.insert(local);
        }
        self.declare_value(local, value, decl.constant)
    }

    fn declare_value(&mut self, local: LocalId, value: Expr, constant: bool) -> StmtKind {
        let ExprKind::RefTo(target) = value.kind else { return StmtKind::Declare { local, value } };
        self.frame.make_boxed(local);
        self.frame.facts.aliases.insert(local);
        if constant {
            self.frame.facts.const_refs.insert(local);
        }
        StmtKind::DeclareRef { local, target, at: value.at }
    }

    /// Type of a variable declared without one: E3040, E3038.
    pub fn inferred_type(&mut self, value: &Expr, written: &ast::Expr, name: &Name) -> (Type, bool) {
        match &value.ty {
            // A pair that the checker may not rely on is unpacked, and so refused, at run time.
            Type::Tuple(_) if hidden_tuple(value, true) => (Type::Any, true),
            Type::Tuple(results) => {
                let message = "cannot assign multi-return function result to single variable; \
                               use multiple variables or discard with _";
                let help = self.unpack_help(results, &name.text, written);
                self.report_help(Code::E3040, name.span, message, help);
                (Type::Failed, false)
            }
            Type::Void => {
                self.report_void_stored(value, name.span);
                (Type::Failed, false)
            }
            ty => (ty.clone(), true),
        }
    }

    /// Reports E3038: the value of a variable is a call without a result.
    pub fn report_void_stored(&mut self, value: &Expr, name: Span) {
        let help = self.void_help(value);
        let message = "cannot assign void function result to a variable";
        self.report_help(Code::E3038, name, message, help);
    }

    /// Checks a value against the declared type; false if something was reported.
    pub fn check_declared(
        &mut self,
        declared: &DeclaredType,
        value: &Expr,
        written: &ast::Expr,
        name: Span,
    ) -> bool {
        let ty = &declared.ty;
        let user_call = matches!(value.kind, ExprKind::Call { .. } | ExprKind::Builtin { .. })
            || hidden_tuple(value, false);
        let got = match &value.ty {
            Type::Void => {
                self.report_void_stored(value, name);
                return false;
            }
            // Checked by the first value; the count is a run-time error.
            Type::Tuple(parts) if user_call => parts.first().cloned().unwrap_or(Type::Any),
            other => other.clone(),
        };
        let array = matches!(ty, Type::Array(..));
        if array && !got.is_any() && !matches!(got, Type::Array(..) | Type::Nil) {
            let message =
                format!("cannot assign {got} to array type {ty} - array type requires value in {{}} format");
            self.report(Code::E3018, name, message);
            return false;
        }
        let fine = if got == value.ty { self.fits(ty, value) } else { assignable(ty, &got) };
        let any_elements = declared.any && array && !value.ty.is_any();
        if !fine || any_elements {
            let same = got.to_string() == declared.shown;
            let message = if same {
                format!("type mismatch: cannot assign {got:#} to {ty:#}")
            } else {
                format!("type mismatch: cannot assign {got} to {}", declared.shown)
            };
            let help = self.conversion_help(ty, &got, written);
            self.report_help(Code::E3001, name, message, help);
            return false;
        }
        let bad_range = self.declared_range(ty, written, name);
        self.check_size(ty, written, name) && !bad_range
    }

    /// W3003, E3041: a literal against the size of its array type.
    fn check_size(&mut self, ty: &Type, written: &ast::Expr, name: Span) -> bool {
        let (Type::Array(_, Some(size)), ast::ExprKind::Array(items)) = (ty, &written.kind) else {
            return true;
        };
        let given = items.len() as u64;
        if given > *size {
            let message = format!("array literal has {given} element(s) but declared size is {size}");
            self.report(Code::E3041, name, message);
            return false;
        }
        if given < *size && !self.suppressed(Code::W3003) {
            let message = format!(
                "fixed-size array not fully initialized: declared size {size} \
                 but only {given} element(s) provided"
            );
            self.report(Code::W3003, name, message);
        }
        true
    }

    /// The type of a declaration; errors in it are reported at the name.
    pub fn declared_type(&mut self, written: &TypeExpr, name: Span) -> DeclaredType {
        let (ty, missing) = self.resolve_type(written);
        let mut declared = DeclaredType { shown: ty.to_string(), ty, failed: true, any: false };
        if let Some(missing) = missing {
            let code = if self.frame.file_level.is_some() { Code::E3002 } else { Code::E3008 };
            let message = format!("undefined type '{}'", missing.name);
            // A type on the next line is most likely the next statement.
            let (at, help) = if self.same_line(name, written.span) {
                (missing.at, self.type_help(&missing.name))
            } else {
                (name, Some("a variable needs a type or a value: temp x int, or temp x = 0".into()))
            };
            self.report_unknown((code, missing.module.as_deref()), at, message, help);
            return declared;
        }
        if mentions(&declared.ty, &|t| *t == Type::Void) {
            self.report(Code::E3038, name, "'void' type cannot be used in variable declarations");
            declared.ty = Type::Any;
            return declared;
        }
        if mentions(&declared.ty, &Type::is_any) {
            // `[any, n]` is accepted as a declaration, but no value fits it.
            if matches!(declared.ty, Type::Array(_, Some(_))) {
                declared.any = true;
                declared.failed = false;
                declared.shown = any_array(&declared.ty);
                return declared;
            }
            self.report(Code::E3034, name, "'any' type cannot be used in variable declarations");
            return declared;
        }
        if let Some(key) = float_enum_key(&declared.ty) {
            self.report(Code::E3029, name, format!("float-based enum '{key}' cannot be used as map key"));
            return declared;
        }
        declared.failed = false;
        declared
    }

    fn multi_declaration(
        &mut self,
        decl: &VarDecl,
        names: &[(Name, Option<TypeExpr>)],
        value: &ast::Expr,
    ) -> StmtKind {
        let value = self.expr(value, None);
        let types = self.multi_types(names, &value);
        let mut targets = Vec::new();
        for ((name, _), ty) in names.iter().zip(&types.each) {
            if name.is_blank() {
                targets.push(UnpackTarget::Skip);
                continue;
            }
            let local = self.frame.add_local(name, ty.clone(), LocalKind::Variable, decl.constant);
            if hidden_tuple(&value, false) && names.iter().all(|(_, ty)| ty.is_none()) {
                self.frame.facts.untyped.insert(local);
            }
            if types.defined {
                self.frame.bind(name, super::scopes::Binding::Local(local));
            }
            targets.push(UnpackTarget::Declare(local));
        }
        StmtKind::Unpack { targets, value, at: decl.keyword }
    }

    /// Types of the targets of a multi-value declaration.
    pub fn multi_types(&mut self, names: &[(Name, Option<TypeExpr>)], value: &Expr) -> MultiTypes {
        if let (Type::Void, Some((first, _))) = (&value.ty, names.first()) {
            self.report_void_stored(value, first.span);
        }
        let parts: Vec<Type> = match &value.ty {
            Type::Tuple(parts) => parts.to_vec(),
            Type::Any | Type::Failed | Type::Void => Vec::new(),
            one => vec![one.clone()],
        };
        let user_call = matches!(value.kind, ExprKind::Call { .. });
        let annotated = names.iter().any(|(_, ty)| ty.is_some());
        let known = user_call || matches!(value.ty, Type::Tuple(_));
        let counts_differ = known && parts.len() != names.len();
        let mut each = Vec::new();
        for (index, (name, written)) in names.iter().enumerate() {
            let part = if known { parts.get(index).cloned() } else { None };
            let Some(written) = written else {
                each.push(part.unwrap_or(Type::Any));
                continue;
            };
            let declared = self.declared_type(written, name.span);
            let fits = |part: &Type| {
                let whole = !user_call && part.is_integer() && matches!(declared.ty, Type::Float(_));
                whole || assignable(&declared.ty, part)
            };
            if let Some(part) = part.filter(|p| !counts_differ && !declared.failed && !fits(p)) {
                let message = format!(
                    "type mismatch in multi-return: variable '{}' declared as {} but function returns {part}",
                    name.text, declared.ty
                );
                self.report(Code::E3001, name.span, message);
            }
            each.push(declared.ty);
        }
        MultiTypes { each, defined: !(annotated && user_call && counts_differ) }
    }
}

/// Whether the value is a library call with several results whose number is checked at run time only.
/// `bare`: calls by the plain name count as such.
fn hidden_tuple(value: &Expr, bare: bool) -> bool {
    let ExprKind::Native(native) = &value.kind else { return false };
    (bare && native.counted) || native.row.result_check == ResultCheck::Unchecked
}

pub struct DeclaredType {
    pub ty: Type,
    /// The type as messages show it.
    pub shown: String,
    /// Whether something was reported about it.
    pub failed: bool,
    /// Whether it is an array of `any`.
    pub any: bool,
}

/// Types of the targets of a multi-value declaration.
pub struct MultiTypes {
    pub each: Vec<Type>,
    /// Whether the names can be used afterwards; not if typed targets and results differ in number.
    pub defined: bool,
}

fn any_array(ty: &Type) -> String {
    match ty {
        Type::Array(elem, Some(size)) => format!("[{},{size}]", any_array(elem)),
        other => other.to_string(),
    }
}

fn float_enum_key(ty: &Type) -> Option<Rc<str>> {
    match ty {
        Type::Map(key, _) if is_float_enum(key) => Some(key.to_string().into()),
        Type::Map(_, value) => float_enum_key(value),
        Type::Array(elem, _) => float_enum_key(elem),
        _ => None,
    }
}

/// Whether the (one) name has a written type.
pub fn ty_written(names: &[(Name, Option<TypeExpr>)]) -> bool {
    names.first().is_some_and(|(_, ty)| ty.is_some())
}

/// Whether the declaration raises E2032: a constant with a written array type without a size.
pub fn dynamic_const(constant: bool, written: bool, ty: &Type) -> bool {
    constant && written && matches!(ty, Type::Array(_, None))
}

/// The E2032 that such a declaration raises when it runs.
pub fn const_array(at: Span) -> Raise {
    let help = "write the size, as in [int, 3], or use temp".to_string();
    Raise {
        code: Code::E2032,
        message: "const array must have a fixed size".into(),
        help: Some(help.into()),
        at,
    }
}
