//! Where names are declared, for those who ask about a program.

use ez_runtime::library::{Module, Row};
use ez_runtime::source::{FileId, Span};
use ez_runtime::value::Type;

use super::symbols::{FuncSym, ModuleRef, ModuleSym, Symbols};

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
    /// The variables and constants at file level, by their names, with their types.
    pub fn globals(&self) -> impl Iterator<Item = (Span, Option<&Type>)> {
        self.globals.iter().map(|global| (global.span, global.ty.get()))
    }

    /// The type of the value that a name has in a file, if it is no variable of a function; `called`: that of its call.
    /// `alias`: the module that is written before it.
    pub fn value_type(&self, file: FileId, alias: Option<&str>, name: &str, called: bool) -> Option<Type> {
        let declaration = match alias {
            Some(alias) => self.declaration_in(file, alias, name)?,
            None if called && Type::primitive(name).is_some() => return Type::primitive(name),
            None => self.declaration(file, name)?,
        };
        match declaration {
            Declaration::Row(_, row) => Some(row.parsed().result(&[])),
            Declaration::Source(at) if called => match self.function_at(at)?.results() {
                [one] => Some(one.clone()),
                _ => None,
            },
            Declaration::Source(at) => self.globals().find(|global| global.0 == at)?.1.cloned(),
            Declaration::Library(_) => None,
        }
    }

    /// The types of the parameters of the function whose name is declared there.
    pub fn parameter_types(&self, at: Span) -> &[Type] {
        self.function_at(at).map_or(&[], FuncSym::params)
    }

    /// The types of the results of the function whose name is declared there.
    pub fn result_types(&self, at: Span) -> &[Type] {
        self.function_at(at).map_or(&[], FuncSym::results)
    }

    fn function_at(&self, at: Span) -> Option<&FuncSym> {
        self.funcs.iter().find(|function| function.decl.name.span == at)
    }

    /// The place of a name at file level that a type has.
    pub fn declared_type(&self, ty: &Type) -> Option<Span> {
        self.modules
            .iter()
            .flat_map(|module| module.types.values())
            .find(|sym| sym.ty == *ty)
            .map(|sym| sym.at)
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
        let number = ty.members.iter().position(|member| **member == *name)?;
        ty.parts.get(number).copied().map(Declaration::Source)
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
