//! Where names are declared, for those who ask about a program.

use crate::library::{Module, Row};
use crate::source::{FileId, Span};

use super::symbols::{ModuleRef, ModuleSym, Symbols};

/// What a name refers to.
#[derive(Clone, Copy, Debug)]
pub enum Declaration {
    /// A declaration of the program, by the place of its name, or of all of it.
    Source(Span),
    /// A function or constant of the library.
    Row(&'static Module, &'static Row),
    /// A module of the library.
    Library(&'static Module),
}

impl Symbols {
    /// Whether the types of functions are known: not if there are syntax errors.
    pub fn has_signatures(&self) -> bool {
        self.funcs.iter().all(|function| function.signature.get().is_some())
    }

    /// What a name without a prefix refers to in a file, if not to a variable of a function.
    pub fn declaration(&self, file: FileId, name: &str) -> Option<Declaration> {
        let sym = self.files.get(self.file_index(file)?)?;
        let own = self.modules.get(sym.module).and_then(|module| self.declared_in(module, name, false));
        own.or_else(|| sym.usings.iter().find_map(|used| self.in_reference(&used.module, name))).or_else(
            || match &sym.usable(name)?.module {
                ModuleRef::Library(module) => Some(Declaration::Library(module)),
                ModuleRef::User(_) | ModuleRef::Failed(_) => None,
            },
        )
    }

    /// What `alias.name` refers to in a file, where `alias` is a module or an enum.
    pub fn declaration_in(&self, file: FileId, alias: &str, name: &str) -> Option<Declaration> {
        let sym = self.files.get(self.file_index(file)?)?;
        if let Some(import) = sym.module_named(alias) {
            return self.in_reference(&import.module, name);
        }
        let ty = self.modules.get(sym.module)?.types.get(alias)?;
        ty.members.iter().any(|member| **member == *name).then_some(Declaration::Source(ty.at))
    }

    fn in_reference(&self, module: &ModuleRef, name: &str) -> Option<Declaration> {
        match module {
            ModuleRef::Library(module) => module.row(name).map(|row| Declaration::Row(module, row)),
            ModuleRef::User(index) => self.declared_in(self.modules.get(*index)?, name, true),
            ModuleRef::Failed(_) => None,
        }
    }

    fn declared_in(&self, module: &ModuleSym, name: &str, from_outside: bool) -> Option<Declaration> {
        let shown = |private: bool| !(private && from_outside);
        let function = module.funcs.get(name).and_then(|id| self.func(*id)).filter(|f| shown(f.private));
        let global = module.globals.get(name).and_then(|id| self.global(*id)).filter(|g| shown(g.private));
        let ty = module.types.get(name).filter(|ty| shown(ty.private));
        let at = function.map(|f| f.decl.name.span).or(global.map(|g| g.span)).or(ty.map(|ty| ty.at));
        at.map(Declaration::Source)
    }
}
