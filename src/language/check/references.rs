//! What each name in the texts of a program refers to, as the check finds it.

use std::rc::Rc;

use crate::syntax::ast::Name;
use ez_runtime::program::{Expr, ExprKind, FuncId, Function, GlobalId, LocalId};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::declared::Declaration;
use super::symbols::{FileSym, ImportSym, ModuleRef, TypeSym};

/// The names of a program and what they refer to.
#[derive(Debug, Default)]
pub struct References {
    /// Each name that is used, with its declaration; in no order, some several times.
    pub uses: Vec<(Span, Declaration)>,
    /// The functions as far as they could be lowered, with their variables.
    pub functions: Vec<Rc<Function>>,
}

impl Checker<'_> {
    /// Records that the name at `at` refers to this.
    pub fn refers(&self, at: Span, to: Declaration) {
        self.uses.borrow_mut().push((at, to));
    }

    pub fn refers_to_local(&self, at: Span, id: LocalId) {
        if let Some(local) = self.frame.local(id) {
            self.refers(at, Declaration::Source(local.span));
        }
    }

    pub fn refers_to_global(&self, at: Span, id: GlobalId) {
        if let Some(global) = self.syms.global(id) {
            self.refers(at, Declaration::Source(global.span));
        }
    }

    /// The variable that is read.
    pub fn refers_to_value(&self, at: Span, value: &Expr) {
        if let ExprKind::Global(id) = value.kind {
            self.refers_to_global(at, id);
        }
    }

    pub fn refers_to_function(&self, at: Span, id: FuncId) {
        if let Some(function) = self.syms.func(id) {
            self.refers(at, Declaration::Source(function.decl.name.span));
        }
    }

    /// Field or member number `index` of a type.
    pub fn refers_to_part(&self, at: Span, ty: &Type, index: usize) {
        if let Some(part) = self.declared_as(ty).and_then(|sym| sym.parts.get(index)) {
            self.refers(at, Declaration::Source(*part));
        }
    }

    pub fn refers_to_type(&self, at: Span, sym: Option<&TypeSym>) {
        if let Some(sym) = sym {
            self.refers(at, Declaration::Source(sym.at));
        }
    }

    /// The name of a module that the current file can write.
    pub fn refers_to_module(&self, at: Span, import: &ImportSym) {
        if let Some(alias) = import.written {
            return self.refers(at, Declaration::Source(alias));
        }
        match &import.module {
            ModuleRef::Library(module) => self.refers(at, Declaration::Library(module)),
            ModuleRef::User(index) => {
                let module = self.syms.modules.get(*index);
                let first = module.and_then(|module| self.syms.files.get(*module.files.first()?));
                if let Some(name) = first.and_then(|file| file.own.as_ref()).map(|own| own.keyword) {
                    self.refers(at, Declaration::Source(name));
                }
            }
            ModuleRef::Failed(_) => {}
        }
    }

    /// The modules that a file imports and uses.
    pub fn refers_to_imports<'n>(&self, file: &FileSym, usings: impl Iterator<Item = &'n Name>) {
        for import in file.imports.iter().filter(|import| !import.from_sibling) {
            self.refers_to_module(import.name, import);
        }
        for name in usings {
            if let Some(import) = file.usable(&name.text) {
                self.refers_to_module(name.span, import);
            }
        }
    }

    /// The declaration of a struct or an enum, first looked for in the current module.
    fn declared_as(&self, ty: &Type) -> Option<&TypeSym> {
        let name = match ty {
            Type::Struct(def) => &def.name,
            Type::Enum(def) => &def.name,
            _ => return None,
        };
        let modules = self.module().into_iter().chain(&self.syms.modules);
        modules.filter_map(|module| module.types.get(name)).find(|sym| sym.ty == *ty).map(|sym| &**sym)
    }
}
