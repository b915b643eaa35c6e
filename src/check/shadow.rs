//! Variables that shadow other declarations: E4012–E4015, W2007 (docs/language/names.md#shadowing).

use crate::diagnostics::Code;
use crate::syntax::ast::Name;
use crate::value::Type;

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
        let global = self.module().and_then(|m| m.globals.get(text)).is_some();
        if global {
            let message = format!("variable '{text}' shadows global variable/constant of the same name");
            self.report(Code::W2007, name.span, message);
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
        let own = self.module().and_then(|m| m.types.get(text)).map(|t| t.is_enum());
        let is_enum = match own {
            Some(is_enum) => is_enum,
            None if matches!(crate::value::builtin::struct_type(text), Some(Type::Struct(_))) => false,
            None => return,
        };
        let what = if is_enum { "enum" } else { "struct" };
        self.report(
            Code::E4012,
            name.span,
            format!("variable '{text}' shadows {what} type of the same name"),
        );
    }

    fn shadows_function(&mut self, name: &Name) {
        let message = format!("variable '{}' shadows function of the same name", name.text);
        self.report(Code::E4013, name.span, message);
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
