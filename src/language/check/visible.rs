//! The names that code in a file can use, for completion, and the modules of a program.

use std::rc::Rc;

use crate::syntax::token;
use ez_runtime::diagnostics::Fix;
use ez_runtime::library::{Module, RowKind};
use ez_runtime::program::GlobalId;
use ez_runtime::source::FileId;
use ez_runtime::value::Type;

use super::builtins::builtin_names;
use super::symbols::{FuncSym, GlobalSym, ModuleRef, ModuleSym, Symbols, TypeSym};

/// The kind of declaration that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Variable,
    Constant,
    Function,
    /// A field of a struct.
    Field,
    /// A member of an enum.
    Member,
    Type,
    Module,
    /// A word of the language.
    Keyword,
}

/// A name that code can use.
#[derive(Clone, Debug, PartialEq)]
pub struct VisibleName {
    pub name: Rc<str>,
    /// What it refers to.
    pub kind: NameKind,
    /// Its type or signature, as it is displayed.
    pub detail: String,
    /// The type of its value, of the only result of a function, or the struct or enum that it is; `None` if there is
    /// none, or it is not known.
    pub ty: Option<Type>,
    /// The global that it refers to.
    pub global: Option<GlobalId>,
}

/// A module of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsedModule {
    /// One that is made of files of the program.
    User {
        /// Its name; empty for the main program.
        name: Rc<str>,
        files: Vec<FileId>,
    },
    /// A module of the library that some file imports.
    Library(&'static str),
}

impl VisibleName {
    fn new(name: &str, kind: NameKind, detail: impl Into<String>) -> VisibleName {
        VisibleName { name: name.into(), kind, detail: detail.into(), ty: None, global: None }
    }

    fn function(function: &FuncSym) -> VisibleName {
        let params: Vec<String> = function.params().iter().map(Type::to_string).collect();
        let results: Vec<String> = function.results().iter().map(Type::to_string).collect();
        let results = match results.as_slice() {
            [] => String::new(),
            [one] => format!(" -> {one}"),
            several => format!(" -> ({})", several.join(", ")),
        };
        let detail = format!("({}){results}", params.join(", "));
        let ty = if let [one] = function.results() { Some(one.clone()) } else { None };
        VisibleName { ty, ..VisibleName::new(&function.name, NameKind::Function, detail) }
    }

    fn global(id: GlobalId, global: &GlobalSym) -> VisibleName {
        let kind = if global.constant { NameKind::Constant } else { NameKind::Variable };
        let ty = global.ty.get();
        let detail = ty.map(Type::to_string).unwrap_or_default();
        VisibleName { global: Some(id), ty: ty.cloned(), ..VisibleName::new(&global.name, kind, detail) }
    }

    fn ty(name: &str, ty: &TypeSym) -> VisibleName {
        let detail = if ty.is_enum() { "enum" } else { "struct" };
        VisibleName { ty: Some(ty.ty.clone()), ..VisibleName::new(name, NameKind::Type, detail) }
    }

    /// A member of an enum, with the type as it is displayed.
    fn member(name: &str, ty: &Type, shown: &str) -> VisibleName {
        VisibleName { ty: Some(ty.clone()), ..VisibleName::new(name, NameKind::Member, shown) }
    }
}

/// What a module of the library has.
pub fn library_names(module: &Module) -> Vec<VisibleName> {
    let name = |row: &ez_runtime::library::Row| {
        let kind = match row.kind {
            RowKind::Function => NameKind::Function,
            RowKind::Constant => NameKind::Constant,
        };
        let ty = match row.parsed().result(&[]) {
            Type::Void | Type::Any | Type::Tuple(_) => None,
            ty => Some(ty),
        };
        VisibleName { ty, ..VisibleName::new(row.name, kind, row.signature) }
    };
    module.rows.iter().map(name).collect()
}

impl Symbols {
    /// The names that code of a file can use without a prefix: its globals, functions, types and modules,
    /// those of the modules in `using`, the builtins and the keywords. Locals are not included.
    pub fn names_in_file(&self, file: FileId) -> Vec<VisibleName> {
        let mut names = Vec::new();
        if let Some(sym) = self.file_index(file).and_then(|index| self.files.get(index)) {
            names.extend(
                self.modules.get(sym.module).map(|module| self.names_of(module, false)).unwrap_or_default(),
            );
            // A file whose name is none is not named in code.
            for import in sym.imports.iter().filter(|import| token::is_identifier(&import.alias)) {
                names.push(VisibleName::new(&import.alias, NameKind::Module, "module"));
            }
            for used in &sym.usings {
                names.extend(self.names_of_reference(&used.module));
            }
        }
        names.extend(builtin_names().map(|name| VisibleName::new(name, NameKind::Function, "builtin")));
        let words = token::words().filter(|word| word.starts_with(char::is_alphabetic));
        names.extend(words.map(|word| {
            let kind = if token::is_primitive(word) { NameKind::Type } else { NameKind::Keyword };
            VisibleName::new(word, kind, "")
        }));
        names
    }

    /// The names in a module that a file imports by the name `alias`; `None` if there is no such import.
    pub fn names_in_module(&self, file: FileId, alias: &str) -> Option<Vec<VisibleName>> {
        let sym = self.files.get(self.file_index(file)?)?;
        Some(self.names_of_reference(&sym.module_named(alias)?.module))
    }

    /// The members of an enum with this name in the scope of a file; `None` if there is none.
    pub fn members_of_enum(&self, file: FileId, name: &str) -> Option<Vec<VisibleName>> {
        let sym = self.files.get(self.file_index(file)?)?;
        let module = self.modules.get(sym.module)?;
        let ty = module.types.get(name).filter(|ty| ty.is_enum())?;
        Some(ty.members.iter().map(|member| VisibleName::member(member, &ty.ty, name)).collect())
    }

    /// The fields of a struct, or the members of an enum.
    pub fn parts_of(&self, ty: &Type) -> Vec<VisibleName> {
        if let Type::Struct(def) = ty {
            let fields = def.fields().iter();
            return fields
                .map(|field| VisibleName {
                    ty: Some(field.ty.clone()),
                    ..VisibleName::new(&field.name, NameKind::Field, field.ty.to_string())
                })
                .collect();
        }
        let mut types = self.modules.iter().flat_map(|module| module.types.values());
        let members = types.find(|sym| sym.ty == *ty).map(|sym| sym.members.as_slice());
        let detail = ty.to_string();
        let member = |member: &Rc<str>| VisibleName::member(member, ty, &detail);
        members.unwrap_or_default().iter().map(member).collect()
    }

    /// The struct or enum that a name, or `alias.name`, means in a file.
    pub fn type_named(&self, file: FileId, alias: Option<&str>, name: &str) -> Option<Type> {
        let sym = self.files.get(self.file_index(file)?)?;
        let own = || self.modules.get(sym.module)?.types.get(name);
        let of_module = |module: &ModuleRef| match module {
            ModuleRef::User(index) => {
                self.modules.get(*index)?.types.get(name).filter(|ty| !ty.private || *index == sym.module)
            }
            ModuleRef::Library(_) | ModuleRef::Failed(_) => None,
        };
        let found = match alias {
            Some(alias) => of_module(&sym.module_named(alias)?.module),
            None => own().or_else(|| sym.usings.iter().find_map(|used| of_module(&used.module))),
        };
        found.map(|sym| sym.ty.clone())
    }

    /// How a file writes a struct or enum of the program: `Name`, or `alias.Name`.
    pub fn written_type(&self, file: FileId, ty: &Type) -> Option<String> {
        let sym = self.files.get(self.file_index(file)?)?;
        let name = match ty {
            Type::Struct(def) => &def.name,
            Type::Enum(def) => &def.name,
            _ => return None,
        };
        let is_meant = |alias| self.type_named(file, alias, name).is_some_and(|found| found == *ty);
        if is_meant(None) {
            return Some(name.to_string());
        }
        let aliases = sym.imports.iter().map(|import| &*import.alias);
        aliases.rev().find(|alias| is_meant(Some(*alias))).map(|alias| format!("{alias}.{name}"))
    }

    /// Where and how the import of a module of the library is added to a file; `None` if the file has the name already.
    pub fn import_of(&self, file: FileId, module: &str) -> Option<Fix> {
        let sym = self.files.get(self.file_index(file)?)?;
        sym.usable(module).is_none().then(|| sym.add_import(module, ""))
    }

    /// The modules of the program: the main one, then others in files, then library modules in alphabetical
    /// order.
    pub fn used_modules(&self) -> Vec<UsedModule> {
        let files_of =
            |module| self.files.iter().filter(move |file| file.module == module).map(|file| file.id);
        let mut used: Vec<UsedModule> = self
            .modules
            .iter()
            .enumerate()
            .map(|(index, module)| UsedModule::User {
                name: module.name.clone(),
                files: files_of(index).collect(),
            })
            .collect();
        let imports = self.files.iter().flat_map(|file| &file.imports);
        let mut library: Vec<&'static str> = imports
            .filter_map(|import| match &import.module {
                ModuleRef::Library(module) => Some(module.name),
                ModuleRef::User(_) | ModuleRef::Failed(_) => None,
            })
            .collect();
        library.sort_unstable();
        library.dedup();
        used.extend(library.into_iter().map(UsedModule::Library));
        used
    }

    fn names_of_reference(&self, module: &ModuleRef) -> Vec<VisibleName> {
        match module {
            ModuleRef::Library(module) => library_names(module),
            ModuleRef::User(index) => {
                self.modules.get(*index).map(|module| self.names_of(module, true)).unwrap_or_default()
            }
            ModuleRef::Failed(_) => Vec::new(),
        }
    }

    /// The declarations of a module, without private ones if seen from outside.
    fn names_of(&self, module: &ModuleSym, from_outside: bool) -> Vec<VisibleName> {
        let shown = |private: bool| !(private && from_outside);
        let functions = module.funcs.values().filter_map(|id| self.func(*id));
        let functions = functions.filter(|f| shown(f.private)).map(VisibleName::function);
        let globals = module.globals.values().filter_map(|id| Some((*id, self.global(*id)?)));
        let globals = globals.filter(|(_, g)| shown(g.private)).map(|(id, g)| VisibleName::global(id, g));
        let types = module.types.iter().filter(|(_, ty)| shown(ty.private));
        let types = types.map(|(name, ty)| VisibleName::ty(name, ty));
        let mut names: Vec<VisibleName> = functions.chain(globals).chain(types).collect();
        #[allow(clippy::disallowed_methods, reason = "texts are ordered totally")]
        names.sort_by(|a, b| a.name.cmp(&b.name));
        names
    }
}
