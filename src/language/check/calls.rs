//! Calls: resolution of the callee, and arguments of user functions.

use std::rc::Rc;

use crate::syntax::ast::{self, Name};
use ez_runtime::diagnostics::{Code, Diagnostic, Fix, Help};
use ez_runtime::library;
use ez_runtime::program::visit::{Visitor, walk_expr};
use ez_runtime::program::{Arg, Expr, ExprKind, FuncId, StoreKind, Target, TargetKind};
use ez_runtime::source::Span;
use ez_runtime::sync::ALONE;
use ez_runtime::value::{Type, told_apart};

use super::builtins::{runs, undefined_function};
use super::checker::{Checker, raise, raise_help};
use super::frame::Frame;
use super::members::not_imported;
use super::names::{Candidate, ambiguous, not_in_module};
use super::scopes::Binding;
use super::suggest::did_you_mean;
use super::symbols::{DefaultValue, FuncSym, ModuleRef};
use super::types::assignable;

/// `alias.name(…)`
#[derive(Clone, Copy)]
struct MemberCall<'a> {
    alias: &'a str,
    alias_at: Span,
    name: &'a Name,
    /// Where run-time errors of the call are located.
    dot: Span,
}

impl Checker<'_> {
    pub fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], at: Span) -> Expr {
        if let Some(name) = callee.name() {
            return self.plain_call(name, callee.at, args, at);
        }
        let ast::ExprKind::Member(object, name) = &callee.kind else {
            let value = self.expr(callee, None);
            self.exprs(args);
            return raise(Code::E3015, at, format!("not a function: {}", value.ty));
        };
        if let Some(alias) = object.name() {
            let call = MemberCall { alias, alias_at: object.at, name, dot: callee.at };
            return self.member_call(&call, args);
        }
        self.exprs(args);
        let message = "invalid member call: expected module or object identifier";
        let help = super::suggest::output_of_other_languages(object);
        raise_help(Code::E3015, callee.at, message, help)
    }

    /// Checks expressions whose values are not needed.
    pub fn exprs(&mut self, args: &[ast::Expr]) {
        for arg in args {
            self.expr(arg, None);
        }
    }

    fn plain_call(&mut self, name: &Rc<str>, name_at: Span, args: &[ast::Expr], at: Span) -> Expr {
        let own = self.module().and_then(|m| m.funcs.get(name)).copied();
        if own.is_none() && self.is_variable(name) {
            self.exprs(args);
            self.report(Code::E3015, name_at, format!("cannot call non-function value '{name}'"));
            return self.error_expr(at);
        }
        if let Some(id) = own {
            return self.user_call(id, name, args, name_at, at);
        }
        if runs(name) {
            return self.builtin_call(name, args, name_at, at);
        }
        let candidates = self.candidates(name);
        if candidates.len() > 1 {
            self.exprs(args);
            return ambiguous(name, name_at, &candidates);
        }
        match candidates.into_iter().next() {
            Some((_, Candidate::Row(module, row))) => self.native_call(module, row, args, name_at, at, true),
            Some((_, Candidate::Function(id))) => self.user_call(id, name, args, name_at, at),
            Some((_, Candidate::Global(_))) => {
                self.exprs(args);
                self.report(Code::E3015, name_at, format!("cannot call non-function value '{name}'"));
                self.error_expr(at)
            }
            None => self.unknown_call(name, name_at, args, at),
        }
    }

    /// A call of an unknown name.
    fn unknown_call(&mut self, name: &Rc<str>, name_at: Span, args: &[ast::Expr], at: Span) -> Expr {
        if matches!(&**name, "bool" | "append") {
            return self.check_only_builtin(name, args, name_at);
        }
        for used in self.usings() {
            let ModuleRef::Library(module) = used.module else { continue };
            if let Some((module, row)) = self.renamed(module, name, name_at) {
                return self.native_call(module, row, args, name_at, at, true);
            }
        }
        self.exprs(args);
        // Private functions of used modules and reserved names of library modules are errors at run
        // time only.
        if self.lenient || self.is_hidden_function(name) || self.is_reserved_only(name) {
            return raise(Code::E4002, name_at, undefined_function(name));
        }
        if self.unknown_functions.insert((self.file, name.clone())) {
            let help = self.function_help(name, name_at);
            self.report_unknown((Code::E4002, None), name_at, format!("undefined function '{name}'"), help);
        }
        self.error_expr(at)
    }

    fn is_hidden_function(&self, name: &str) -> bool {
        self.usings().iter().any(|used| match used.module {
            ModuleRef::User(index) => {
                self.syms.modules.get(index).is_some_and(|m| m.funcs.contains_key(name))
            }
            _ => false,
        })
    }

    fn is_reserved_only(&self, name: &str) -> bool {
        self.usings().iter().any(|used| match &used.module {
            ModuleRef::Library(module) => module.reserved_names.contains(&name),
            _ => false,
        })
    }

    /// A library name of EZ 0.39: reports W2005 and gives the current row.
    fn renamed(
        &mut self,
        module: &library::Module,
        name: &str,
        at: Span,
    ) -> Option<(&'static library::Module, &'static library::Row)> {
        let entry = library::RENAMED.iter().find(|(m, old, ..)| *m == module.name && *old == name)?;
        let (_, _, new_module, new_name) = *entry;
        let target = library::module(new_module)?;
        let row = target.row(new_name)?;
        let shown =
            if new_module == module.name { new_name.to_string() } else { format!("{new_module}.{new_name}") };
        if !self.suppressed(Code::W2005) {
            // Its users expect `%d`.
            let help = (name == "printf").then_some(
                "it prints its arguments as they are: a value goes into a text as \"${value}\", there is no %d",
            );
            let report = Diagnostic::new(Code::W2005, at, format!("renamed to '{shown}'")).maybe_help(help);
            // Of another module, the name before the point is another one, too.
            let same = new_module == module.name && help.is_none();
            self.diags.push(report.fixed_by(same.then(|| Fix::certain(at, new_name))));
        }
        Some((target, row))
    }

    fn member_call(&mut self, call: &MemberCall<'_>, args: &[ast::Expr]) -> Expr {
        let MemberCall { alias, name, dot, .. } = *call;
        let Some(import) = self.module_before_dot(alias) else {
            return self.unimported_call(call, args);
        };
        let at = self.member_at(call);
        import.used.set(true);
        self.refers_to_module(call.alias_at, import);
        match &import.module {
            ModuleRef::Library(module) => {
                if let Some(row) = module.row(&name.text) {
                    return self.native_call(module, row, args, name.span, dot, false);
                }
                if let Some((module, row)) = self.renamed(module, &name.text, name.span) {
                    return self.native_call(module, row, args, name.span, dot, false);
                }
                self.exprs(args);
                let message = format!("function not found: {}.{}", module.name, name.text);
                let help = library::mistaken_function(module.name, &name.text)
                    .map(|right| format!("use {right}() instead").into())
                    .or_else(|| did_you_mean(&name.text, module.rows.iter().map(|row| row.name)))
                    .or_else(|| Some(what_it_has(module).into()));
                raise_help(Code::E4002, at, message, help)
            }
            ModuleRef::User(index) => self.module_call(*index, alias, name, args, dot),
            ModuleRef::Failed(failure) if failure.library => {
                self.exprs(args);
                raise_help(Code::E4007, at, not_imported(alias), Some(failure.message.clone()))
            }
            ModuleRef::Failed(failure) => {
                let help = Some(failure.message.clone().into());
                self.no_such_function(alias, name, args, dot, help)
            }
        }
    }

    /// Where an unknown module or function is reported when the program runs: where the call begins, if that is in the
    /// line of its dot.
    fn member_at(&self, call: &MemberCall<'_>) -> Span {
        if self.same_line(call.alias_at, call.dot) { call.alias_at } else { call.dot }
    }

    fn module_call(&mut self, index: usize, alias: &str, name: &Name, args: &[ast::Expr], dot: Span) -> Expr {
        let id = self.syms.modules.get(index).and_then(|m| m.funcs.get(&name.text)).copied();
        let sym = id.and_then(|id| Some((id, self.syms.func(id)?)));
        match sym {
            Some((_, sym)) if sym.private && index != self.module_index() => {
                self.exprs(args);
                raise(Code::E4006, dot, not_in_module(&name.text, alias))
            }
            Some((id, sym)) if sym.has_module_line || index == self.module_index() => {
                let shown = format!("{alias}.{}", name.text);
                self.user_call(id, &shown, args, name.span, dot)
            }
            Some((_, sym)) => {
                let file = self.syms.files.get(sym.file).and_then(|f| self.sources.get(f.id));
                let file = file.map_or_else(String::new, |f| format!(" '{}'", f.name));
                let help = format!("its file{file} needs a line 'module {alias}' at the top");
                self.no_such_function(alias, name, args, dot, Some(help.into()))
            }
            None => {
                let help = self.module_function_help(index, name);
                self.no_such_function(alias, name, args, dot, help)
            }
        }
    }

    fn no_such_function(
        &mut self,
        alias: &str,
        name: &Name,
        args: &[ast::Expr],
        dot: Span,
        help: Option<Help>,
    ) -> Expr {
        self.exprs(args);
        let message = format!("undefined function '{alias}.{}'", name.text);
        self.report_unknown((Code::E4002, Some(alias)), name.span, message, help);
        self.error_expr(dot)
    }

    /// `m.f(…)` where no import is called `m`.
    fn unimported_call(&mut self, call: &MemberCall<'_>, args: &[ast::Expr]) -> Expr {
        let MemberCall { alias, name, dot, .. } = *call;
        self.exprs(args);
        if !self.is_variable(alias) && library::module(alias).is_some() {
            let message = format!("{}; add 'import @{alias}'", not_imported(alias));
            self.diags.push(Diagnostic::new(Code::E4007, name.span, message).fixed_by(self.import_of(alias)));
            return self.error_expr(dot);
        }
        let help = match self.frame.lookup(alias) {
            Some(Binding::Local(id)) => self.frame.local(id).map(|local| local.ty.clone()),
            _ => self.own_global_type(alias),
        };
        let help = match help {
            Some(ty) => self.method_help(&ty, alias, &name.text).map(Help::from),
            None => super::suggest::foreign_function(alias).map(Help::from).or_else(|| {
                let module = library::mistaken_module(alias)?;
                let help = Help::from(format!("did you mean @{module}? Add 'import @{module}'"));
                let fix = self.import_of(module)?.and(call.alias_at, module);
                Some(help.fix(fix.only_if(false)))
            }),
        };
        raise_help(Code::E4007, self.member_at(call), not_imported(alias), help)
    }

    fn own_global_type(&self, name: &str) -> Option<Type> {
        let id = self.module()?.globals.get(name)?;
        self.syms.global(*id)?.ty.get().cloned()
    }

    /// Imports a module of the library.
    fn import_of(&self, module: &str) -> Option<Fix> {
        Some(self.file_sym()?.add_import(module, ""))
    }

    /// A call of a function of the program; `shown` is what messages call it.
    fn user_call(&mut self, id: FuncId, shown: &str, args: &[ast::Expr], name_at: Span, at: Span) -> Expr {
        let Some(sym) = self.syms.func(id) else { return self.error_expr(at) };
        self.refers_to_function(name_at, id);
        let ty = result_type(sym.results());
        let (most, least) = (sym.decl.params.len(), required(sym));
        if args.len() > most || args.len() < least {
            self.exprs(args);
            let expected = if most == least { most.to_string() } else { format!("{least} to {most}") };
            let got = args.len();
            let message = format!("wrong number of arguments to '{shown}': expected {expected}, got {got}");
            let help = self.parameters_help(shown, &sym.decl);
            self.report_help(Code::E5008, name_at, message, help);
            return Expr { ty, ..self.error_expr(at) };
        }
        let mut lowered = Vec::new();
        for index in 0..most {
            lowered.push(match args.get(index) {
                Some(arg) => self.argument(sym, index, arg, shown, at),
                None => Arg::Value(self.default_value(id, index, at)),
            });
        }
        Expr { ty, at, kind: ExprKind::Call { func: id, args: lowered } }
    }

    fn argument(&mut self, sym: &FuncSym, index: usize, arg: &ast::Expr, shown: &str, at: Span) -> Arg {
        let Some(param) = sym.decl.params.get(index) else { return Arg::Value(self.error_expr(at)) };
        let ty = sym.params().get(index).cloned().unwrap_or(Type::Any);
        let name = &param.name.text;
        if param.by_ref && !self.is_enum_member(arg) {
            let is_referable = |target: &Target| !matches!(target.kind, TargetKind::Char { .. });
            let target = |checker: &mut Self| checker.target(arg, true).filter(is_referable);
            if let Some(target) = self.tentatively(target, Option::is_some) {
                self.check_ref_argument(arg, name, shown);
                if !assignable(&ty, &target.ty) {
                    self.argument_mismatch(shown, name, &ty, &target.ty, arg);
                }
                self.refer_to(&target);
                return Arg::Ref(target);
            }
        }
        let value = self.expr(arg, Some(&ty));
        if !self.fits(&ty, &value) {
            self.argument_mismatch(shown, name, &ty, &value.ty, arg);
        }
        Arg::Value(self.store(value, &ty, StoreKind::Parameter(name.clone()), at))
    }

    fn argument_mismatch(&mut self, shown: &str, param: &str, ty: &Type, got: &Type, arg: &ast::Expr) {
        let (wanted, given) = told_apart(ty, got);
        let message = format!(
            "argument type mismatch in call to '{shown}': parameter '{param}' expects {wanted}, got {given}"
        );
        let help = self.conversion_help(ty, got, arg);
        self.report_help(Code::E3001, arg.at, message, help);
    }

    /// E3027
    fn check_ref_argument(&mut self, arg: &ast::Expr, param: &str, shown: &str) {
        let Some(name) = arg.name() else { return };
        if self.immutable_root(arg).is_some() && matches!(self.frame.lookup(name), Some(Binding::Local(_))) {
            let message = format!(
                "cannot pass immutable variable '{name}' to mutable parameter '&{param}' in call to '{shown}'"
            );
            self.report_help(Code::E3027, arg.at, message, self.immutable_help(name));
        }
    }

    /// The default value of a parameter, lowered in the file scope of its function.
    pub fn default_value(&mut self, id: FuncId, index: usize, at: Span) -> Expr {
        let Some(sym) = self.syms.func(id) else { return self.error_expr(at) };
        let cell = sym.defaults.get(index);
        let (Some(cell), Some(param)) = (cell, sym.decl.params.get(index)) else {
            return self.error_expr(at);
        };
        let Some(written) = &param.default else { return self.error_expr(at) };
        let state = cell.replace(DefaultValue::Busy);
        match state {
            DefaultValue::Ready(value) => {
                cell.replace(DefaultValue::Ready(value.clone()));
                return value;
            }
            DefaultValue::Busy => {
                return raise(Code::E5018, at, "maximum recursion depth exceeded (limit: 10000)");
            }
            DefaultValue::Waiting => {}
        }
        let ty = sym.params().get(index).cloned().unwrap_or(Type::Any);
        let frame = std::mem::replace(&mut self.frame, Frame::new(id));
        let file = std::mem::replace(&mut self.file, sym.file);
        let value = self.with_lenient(true, |c| c.expr(written, Some(&ty)));
        if !self.fits(&ty, &value) {
            let (name, got) = (&param.name.text, &value.ty);
            let (wanted, given) = told_apart(&ty, got);
            let message =
                format!("default value type mismatch: parameter '{name}' expects {wanted}, got {given}");
            let help = self.conversion_help(&ty, got, written);
            self.report_help(Code::E3001, written.at, message, help);
        }
        let value = self.store(value, &ty, StoreKind::Parameter(param.name.text.clone()), written.at);
        self.frame = frame;
        self.file = file;
        let value = match parts(&value) {
            0..=MAX_DEFAULT => value,
            _ => {
                let why = "the functions that it calls have default values, too";
                let name = &param.name.text;
                let message =
                    format!("default value of '{name}' too large: {why} (limit: {MAX_DEFAULT} parts)");
                raise(Code::E5018, written.at, message)
            }
        };
        cell.replace(DefaultValue::Ready(value.clone()));
        value
    }
}

/// Maximum number of expressions in a default value. It is part of each call that needs it, with those of the calls in
/// it: where each has two, each function of a chain doubles them.
const MAX_DEFAULT: usize = 10_000;

/// The number of expressions in an expression, itself included.
fn parts(expr: &Expr) -> usize {
    struct Count(usize);
    impl Visitor for Count {
        fn expr(&mut self, _: &Expr) {
            self.0 += 1;
        }
    }
    let mut count = Count(0);
    walk_expr(expr, &mut count);
    count.0
}

/// How many arguments a function needs.
fn required(sym: &FuncSym) -> usize {
    sym.decl.params.iter().filter(|p| p.default.is_none()).count()
}

/// Type of a call's value.
pub fn result_type(results: &[Type]) -> Type {
    match results {
        [] => Type::Void,
        [one] => one.clone(),
        many => Type::tuple(many.iter().cloned()),
    }
}

/// How to find out what a module has; in a page, where there is no program to ask, what it has.
fn what_it_has(module: &library::Module) -> String {
    if !ALONE {
        return format!("'ez man {}' lists what the module has", module.name);
    }
    let names: Vec<&str> = module.rows.iter().map(|row| row.name).collect();
    format!("the module has {}", names.join(", "))
}
