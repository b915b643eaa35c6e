//! Variables that shadow other declarations: E4012–E4015, W2007 (docs/language/names.md#shadowing).

use crate::syntax::ast::Name;
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::source::Span;
use ez_runtime::value::Type;

use super::checker::Checker;
use super::symbols::ModuleRef;

impl Checker<'_> {
    /// Checks the name of a local variable.
    pub fn local_shadowing(&mut self, name: &Name) {
        if name.is_blank() {
            return;
        }
        let text = &name.text;
        self.type_shadowing(name);
        if self.module().is_some_and(|m| m.funcs.contains_key(text)) {
            self.shadows_function(name);
        }
        if let Some(global) = self.module().and_then(|m| m.globals.get(text)) {
            let message = format!("variable '{text}' shadows global variable/constant of the same name");
            self.shadows(Code::W2007, name, message, self.syms.global(*global).map(|global| global.span));
        }
        self.module_shadowing(name);
    }

    /// Checks the name of a global variable.
    pub fn global_shadowing(&mut self, name: &Name) {
        self.type_shadowing(name);
        // In its own file a function of this name is a duplicate, which the parser reports.
        let function = self.module().and_then(|m| m.funcs.get(&name.text)).and_then(|id| self.syms.func(*id));
        if function.is_some_and(|f| f.file != self.file) {
            self.shadows_function(name);
        }
        self.module_shadowing(name);
    }

    fn type_shadowing(&mut self, name: &Name) {
        let text = &name.text;
        let own = self.module().and_then(|m| m.types.get(text));
        let is_enum = match own {
            Some(ty) => ty.is_enum(),
            None if matches!(ez_runtime::value::builtin::struct_type(text), Some(Type::Struct(_))) => false,
            None => return,
        };
        let what = if is_enum { "enum" } else { "struct" };
        let message = format!("variable '{text}' shadows {what} type of the same name");
        self.shadows(Code::E4012, name, message, own.map(|ty| ty.at));
    }

    fn shadows_function(&mut self, name: &Name) {
        let message = format!("variable '{}' shadows function of the same name", name.text);
        let function = self.module().and_then(|m| m.funcs.get(&name.text)).and_then(|id| self.syms.func(*id));
        self.shadows(Code::E4013, name, message, function.map(|function| function.decl.name.span));
    }

    fn shadows(&mut self, code: Code, name: &Name, message: String, declared: Option<Span>) {
        self.diags.push(Diagnostic::new(code, name.span, message).about(declared, "it is declared here"));
    }

    fn module_shadowing(&mut self, name: &Name) {
        let text = &name.text;
        if self.file_sym().is_some_and(|f| f.import(text).is_some_and(|i| !i.from_sibling)) {
            let message = format!("variable '{text}' shadows imported module of the same name");
            self.report(Code::E4014, name.span, message);
        }
        for used in self.usings() {
            let has = match &used.module {
                ModuleRef::Library(module) => module.reserves(text),
                ModuleRef::User(index) => {
                    self.syms.modules.get(*index).is_some_and(|m| m.funcs.contains_key(text))
                }
                ModuleRef::Failed(_) => false,
            };
            if has {
                let message =
                    format!("variable '{text}' shadows function '{}.{text}' from used module", used.alias);
                self.report(Code::E4015, name.span, message);
                return;
            }
        }
    }
}
