//! Plain names as values.

use std::rc::Rc;

use crate::syntax::token;
use ez_runtime::diagnostics::{Code, Help};
use ez_runtime::library::{self, RowKind};
use ez_runtime::program::{Expr, ExprKind, GlobalId, LocalId, Native};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, Value};

use super::builtins::is_type_or_function;
use super::checker::{Checker, raise, raise_help};
use super::declared::Declaration;
use super::scopes::Binding;
use super::symbols::{ImportSym, ModuleRef, ModuleState, UsingModule};
use super::types::TypeLookup;

/// A declaration that a name may refer to in a module in `using`.
#[derive(Clone, Debug)]
pub enum Candidate {
    Row(&'static library::Module, &'static library::Row),
    Function(ez_runtime::program::FuncId),
    Global(GlobalId),
}

impl<'a> Checker<'a> {
    /// A name used as a value.
    pub fn name_value(&mut self, name: &Rc<str>, at: Span) -> Expr {
        match self.frame.lookup(name) {
            Some(Binding::Local(id)) => {
                // A variable that shadows a function (E4013) is reported again where it is used.
                if self.is_own_variable(id) && self.module().is_some_and(|m| m.funcs.contains_key(name)) {
                    self.function_as_value(name, at);
                }
                self.refers_to_local(at, id);
                return self.local_value(id, at);
            }
            Some(Binding::Unbound) => return not_bound(name, at),
            Some(Binding::Extra(index)) => {
                if let Some(extra) = self.frame.extras.get(index) {
                    return Expr { ty: extra.ty.clone(), at, kind: ExprKind::Global(extra.global) };
                }
            }
            None => {}
        }
        if let Some(value) = self.own_global(name, at) {
            self.refers_to_value(at, &value);
            return value;
        }
        if let Some(error_expr) = self.type_or_function(name, at) {
            return error_expr;
        }
        let candidates = self.candidates(name);
        if candidates.len() > 1 {
            return ambiguous(name, at, &candidates);
        }
        if let Some((_, offer)) = candidates.into_iter().next() {
            return self.candidate_value(offer, at);
        }
        self.unknown_name(name, at)
    }

    fn unknown_name(&mut self, name: &Rc<str>, at: Span) -> Expr {
        match &**name {
            "EXIT_SUCCESS" => return number(0, at),
            "EXIT_FAILURE" => return number(1, at),
            _ => {}
        }
        // EZ 2.0 accepts the name of an enum member without its enum, and fails when it is read.
        if self.lenient || self.is_member_name(name) {
            return raise_help(Code::E4001, at, not_found(name), self.unknown_help(name));
        }
        if !self.builtin_as_value(name, at) {
            self.undefined(name, at);
        }
        self.error_expr(at)
    }

    /// Whether a name means nothing but a type or function that the language itself provides.
    pub fn is_only_builtin(&mut self, name: &Rc<str>) -> bool {
        is_type_or_function(name)
            && self.frame.lookup(name).is_none()
            && self.module().is_none_or(|m| !m.globals.contains_key(name) && !m.funcs.contains_key(name))
            && self.candidates(name).is_empty()
    }

    /// Reports E3030 or E3031 if the name is a type or function that the language itself provides.
    fn builtin_as_value(&mut self, name: &str, at: Span) -> bool {
        if token::is_primitive(name) {
            let convert = if super::builtins::runs(name) {
                format!(" - convert a value with {name}(...)")
            } else {
                String::new()
            };
            self.report(Code::E3030, at, format!("type '{name}' cannot be used as a value{convert}"));
        } else if is_type_or_function(name) {
            self.function_as_value(name, at);
        } else {
            return false;
        }
        true
    }

    /// Help for a name that is not a value: an enum member without its enum, a module, a near name.
    fn unknown_help(&self, name: &str) -> Option<Help> {
        let owner = self.module().and_then(|m| {
            let found = m.types.iter().filter(|(_, t)| t.members.iter().any(|member| &**member == name));
            found.map(|(ty, _)| ty).min()
        });
        match owner {
            Some(ty) => {
                Some(Help::from(format!("did you mean '{ty}.{name}'?")).perhaps(format!("{ty}.{name}")))
            }
            None => self.module_help(name).map(Help::from).or_else(|| self.variable_help(name)),
        }
    }

    /// Help for the name of a module, or of an imported library module that has another name in this file.
    fn module_help(&self, name: &str) -> Option<String> {
        let import = self.file_sym()?.usable(name)?;
        Some(if &*import.alias == name {
            format!("'{name}' is a module: its variables can be read as '{name}.NAME', but not changed")
        } else {
            format!("the module '{name}' is imported as '{}': {}.NAME", import.alias, import.alias)
        })
    }

    /// Reports E4001.
    pub fn undefined(&mut self, name: &str, at: Span) {
        if self.frame.undeclared.insert(name.into()) {
            let help = self.declared_elsewhere(name, at).map(Help::from).or_else(|| self.unknown_help(name));
            self.report_unknown((Code::E4001, None), at, format!("undefined variable '{name}'"), help);
        }
    }

    /// Help for an assignment to an unknown name; `new`: suggest a declaration.
    pub fn target_help(&self, name: &str, new: bool) -> Option<Help> {
        self.unknown_help(name).or_else(|| {
            let help = Help::from(format!("a new variable begins with 'temp': temp {name} = ..."));
            new.then(|| help.perhaps(format!("temp {name}")))
        })
    }

    pub fn local_value(&self, id: LocalId, at: Span) -> Expr {
        let ty = self.frame.local(id).map_or(Type::Any, |l| l.ty.clone());
        Expr { ty, at, kind: ExprKind::Local(id) }
    }

    /// A global of the current module. At file level only globals declared above exist.
    pub fn own_global(&mut self, name: &Rc<str>, at: Span) -> Option<Expr> {
        let id = *self.module()?.globals.get(name)?;
        let sym = self.syms.global(id)?;
        if let Some(ty) = sym.ty.get() {
            return Some(Expr { ty: ty.clone(), at, kind: ExprKind::Global(id) });
        }
        if sym.file != self.file || self.lenient {
            return Some(not_bound(name, at));
        }
        self.undefined(name, at);
        Some(self.error_expr(at))
    }

    /// Reports E3030 or E3031 if the name is a type or function used as a value.
    pub fn type_or_function(&mut self, name: &str, at: Span) -> Option<Expr> {
        if let TypeLookup::Found(ty, sym) = self.lookup_type(name) {
            self.refers_to_type(at, sym.as_deref());
            let message = match ty {
                Type::Struct(_) => format!(
                    "struct type '{name}' cannot be used as a value - create an instance with {name} {{ field: value }}"
                ),
                Type::Enum(_) => format!(
                    "enum type '{name}' cannot be used as a value - use a specific enum member like {name}.MEMBER"
                ),
                _ => return None,
            };
            self.report(Code::E3030, at, message);
            return Some(self.error_expr(at));
        }
        self.module()?.funcs.get(name)?;
        self.function_as_value(name, at);
        Some(self.error_expr(at))
    }

    /// E3031
    pub fn function_as_value(&mut self, name: &str, at: Span) {
        let message =
            format!("function '{name}' cannot be used as a value - functions must be called with ()");
        self.report(Code::E3031, at, message);
    }

    /// The declarations of this name in the modules in `using`, each with the name of its module.
    pub fn candidates(&self, name: &str) -> Vec<(Rc<str>, Candidate)> {
        let mut found = Vec::new();
        for used in self.usings() {
            if let Some(offer) = self.offer(&used, name) {
                let shown = match &used.module {
                    ModuleRef::Library(module) => module.name.into(),
                    _ => used.alias.clone(),
                };
                found.push((shown, offer));
            }
        }
        found
    }

    fn offer(&self, used: &UsingModule, name: &str) -> Option<Candidate> {
        match &used.module {
            ModuleRef::Library(module) => Some(Candidate::Row(module, module.row(name)?)),
            ModuleRef::User(index) => {
                let module = self.syms.modules.get(*index)?;
                if let Some(id) = module.funcs.get(name) {
                    return (!self.syms.func(*id)?.private).then_some(Candidate::Function(*id));
                }
                let id = module.globals.get(name)?;
                (!self.syms.global(*id)?.private).then_some(Candidate::Global(*id))
            }
            ModuleRef::Failed(_) => None,
        }
    }

    fn candidate_value(&mut self, offer: Candidate, at: Span) -> Expr {
        match offer {
            // A function read without a call is not a value.
            Candidate::Row(_, row) if row.kind == RowKind::Function => {
                self.undefined(row.name, at);
                self.error_expr(at)
            }
            Candidate::Row(module, row) => {
                self.refers(at, Declaration::Row(module, row));
                self.read_row(module, row, at, false)
            }
            Candidate::Function(id) => {
                self.refers_to_function(at, id);
                let name = self.syms.func(id).map_or_else(|| "".into(), |f| f.name.clone());
                self.function_as_value(&name, at);
                self.error_expr(at)
            }
            Candidate::Global(id) => {
                self.refers_to_global(at, id);
                self.module_global(id, at)
            }
        }
    }

    /// A library constant, or a function read without parentheses, which calls it.
    pub fn read_row(
        &self,
        module: &'static library::Module,
        row: &'static library::Row,
        at: Span,
        counted: bool,
    ) -> Expr {
        let native = Native { module: module.name, row, args: Vec::new(), counted };
        Expr { ty: row.parsed().result(&[]), at, kind: ExprKind::Native(native) }
    }

    /// A global of another module; an error at run time if an import cycle reads it before it exists.
    pub fn module_global(&self, id: GlobalId, at: Span) -> Expr {
        let Some(sym) = self.syms.global(id) else { return self.error_expr(at) };
        let module = self.syms.modules.get(sym.module);
        let running = module.is_some_and(|m| m.state.get() == ModuleState::Running);
        match sym.ty.get() {
            Some(ty) if !(running && self.frame.file_level.is_some()) => {
                Expr { ty: ty.clone(), at, kind: ExprKind::Global(id) }
            }
            _ => {
                let (name, module) = (&sym.name, module.map_or("", |m| &*m.name));
                raise(Code::E4006, at, not_in_module(name, module))
            }
        }
    }

    /// The module that `alias` names in an expression `alias.name`: an import, or the file's own module
    /// unless a variable has that name.
    pub fn module_before_dot(&self, alias: &str) -> Option<&'a ImportSym> {
        let file = self.file_sym()?;
        file.import(alias).or_else(|| if self.is_variable(alias) { None } else { file.module_named(alias) })
    }

    /// Whether a local or a variable of the module has this name.
    pub fn is_variable(&self, name: &str) -> bool {
        self.frame.lookup(name).is_some() || self.has_global(name)
    }

    fn is_own_variable(&self, id: LocalId) -> bool {
        self.frame.local(id).is_some_and(|l| l.kind == ez_runtime::program::LocalKind::Variable)
    }

    fn is_member_name(&self, name: &str) -> bool {
        self.module().is_some_and(|m| m.types.values().any(|t| t.members.iter().any(|m| &**m == name)))
    }
}

fn number(value: i64, at: Span) -> Expr {
    Expr { ty: Type::INT, at, kind: ExprKind::Const(Value::Int(value)) }
}

/// An expression that raises E4001.
pub fn not_bound(name: &str, at: Span) -> Expr {
    raise(Code::E4001, at, not_found(name))
}

fn not_found(name: &str) -> String {
    format!("identifier not found: '{name}'")
}

/// Message of E4006.
pub fn not_in_module(name: &str, module: &str) -> String {
    format!("'{name}' not found in module '{module}'")
}

/// An expression that raises E4008.
pub fn ambiguous(name: &str, at: Span, candidates: &[(Rc<str>, Candidate)]) -> Expr {
    let modules: Vec<&str> = candidates.iter().map(|(shown, _)| &**shown).collect();
    let first = modules.first().copied().unwrap_or_default();
    let constant = |offer: &Candidate| match offer {
        Candidate::Row(_, row) => row.kind == RowKind::Constant,
        Candidate::Function(_) => false,
        Candidate::Global(_) => true,
    };
    let (what, call) = if candidates.iter().all(|(_, offer)| constant(offer)) {
        ("constant", "")
    } else {
        ("function", "()")
    };
    let message = format!("{what} '{name}' found in multiple modules: {}", modules.join(", "));
    let help = Help::from(format!("use explicit module prefix: {first}.{name}{call}"));
    raise_help(Code::E4008, at, message, Some(help.perhaps(format!("{first}.{name}"))))
}
