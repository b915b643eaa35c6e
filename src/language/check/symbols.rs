//! The symbol table: modules, files, types, functions, globals.
//!
//! Names are entered first; signatures, and types of globals, are set later, once each.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::modules::{ImportFailure, ImportUnit, ResolvedImport};
use crate::syntax::ast;
use ez_runtime::diagnostics::Fix;
use ez_runtime::library;
use ez_runtime::program::{Expr, FuncId, GlobalId, LocalId, ScopeId, StmtId};
use ez_runtime::source::{FileId, Span};
use ez_runtime::value::Type;

/// Everything that is declared in a program.
#[derive(Debug, Default)]
pub struct Symbols {
    pub modules: Vec<ModuleSym>,
    pub files: Vec<FileSym>,
    pub funcs: Vec<FuncSym>,
    pub globals: Vec<GlobalSym>,
}

#[derive(Debug, Default)]
pub struct ModuleSym {
    /// Its name in stack traces.
    pub name: Rc<str>,
    /// The indices of its files.
    pub files: Vec<usize>,
    pub types: HashMap<Rc<str>, Rc<TypeSym>>,
    pub funcs: HashMap<Rc<str>, FuncId>,
    pub globals: HashMap<Rc<str>, GlobalId>,
    /// How far the evaluation of its file level has come.
    pub state: Cell<ModuleState>,
}

/// How far the evaluation of a module's file level has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModuleState {
    #[default]
    Waiting,
    /// It is being evaluated; others cannot see its names yet.
    Running,
    Done,
}

/// A struct or enum.
#[derive(Debug)]
pub struct TypeSym {
    pub ty: Type,
    /// The name in its declaration, which tells it from an earlier type of the same name.
    pub at: Span,
    pub private: bool,
    pub module: usize,
    /// The names of its fields or members in its declaration.
    pub parts: Vec<Span>,
    /// Names of an enum's members.
    pub members: Vec<Rc<str>>,
    /// Fields of a struct that are declared `any`.
    pub any_fields: Vec<Rc<str>>,
    /// Whether its declaration was reached in the order of evaluation.
    pub ready: Cell<bool>,
}

impl TypeSym {
    pub fn is_enum(&self) -> bool {
        matches!(self.ty, Type::Enum(_))
    }
}

/// Properties of a function's variables in addition to their types. Stored with the function, since fragments
/// evaluated in it are checked by the same rules.
#[derive(Clone, Debug, Default)]
pub struct LocalFacts {
    /// Variables holding whole numbers from library functions, which fit floats ([`super::coercion`]).
    pub library_ints: HashSet<LocalId>,
    /// Variables holding library results whose types are known at run time only.
    pub untyped: HashSet<LocalId>,
    /// Variables of type `any` that hold numbers from library functions, which are not checked and may be of
    /// other types than these, with which they were declared.
    pub numbers: HashMap<LocalId, Type>,
    /// Constants declared from `ref(…)`.
    pub const_refs: HashSet<LocalId>,
    /// Other names for variables, which may be of a wider type: `&` parameters, and variables declared from
    /// `ref(…)`.
    pub aliases: HashSet<LocalId>,
}

/// A function of the program.
#[derive(Debug)]
pub struct FuncSym {
    pub name: Rc<str>,
    pub module: usize,
    pub file: usize,
    pub private: bool,
    pub decl: Rc<ast::FuncDecl>,
    pub attrs: ast::Attributes,
    pub span: Span,
    /// Whether its file has a `module` line; if not, other modules cannot call it.
    pub has_module_line: bool,
    pub signature: OnceCell<FuncType>,
    /// Default values of parameters.
    pub defaults: Vec<RefCell<DefaultValue>>,
    /// The `using`s in its body, for fragments that run at a stop in it.
    pub usings: RefCell<Vec<LocalUsing>>,
    /// Properties of its variables, for the same.
    pub facts: RefCell<LocalFacts>,
}

/// The default value of a parameter.
#[derive(Debug, Default)]
pub enum DefaultValue {
    #[default]
    Waiting,
    /// It is being lowered: a call in it would need its own result.
    Busy,
    Ready(Expr),
}

/// Types of parameters and results.
#[derive(Debug, Default)]
pub struct FuncType {
    pub params: Vec<Type>,
    pub results: Vec<Type>,
}

impl FuncSym {
    pub fn params(&self) -> &[Type] {
        self.signature.get().map_or(&[], |s| s.params.as_slice())
    }

    pub fn results(&self) -> &[Type] {
        self.signature.get().map_or(&[], |s| s.results.as_slice())
    }
}

/// A global variable or constant.
#[derive(Debug)]
pub struct GlobalSym {
    pub name: Rc<str>,
    pub module: usize,
    pub file: usize,
    pub private: bool,
    pub constant: bool,
    pub span: Span,
    /// Set when its declaration was checked.
    pub ty: OnceCell<Type>,
    pub boxed: Cell<bool>,
}

#[derive(Debug)]
pub struct FileSym {
    pub id: FileId,
    pub module: usize,
    pub imports: Vec<ImportSym>,
    /// The index of the last import of each name.
    pub last_import: HashMap<Rc<str>, usize>,
    /// Modules in `using` at file level (`import & use` first).
    pub usings: Vec<UsingModule>,
    /// Codes of file-level `#suppress`.
    pub suppress: Vec<Rc<str>>,
    /// Whether it begins with `module NAME`.
    pub has_module_line: bool,
    /// The file's own module under its name, as if the file imported it.
    pub own: Option<ImportSym>,
    /// Where an import can be added.
    pub imports_at: ImportsAt,
}

/// Where an import can be added to a file.
#[derive(Clone, Copy, Debug)]
pub enum ImportsAt {
    /// In a line before what stands here: the first import or the beginning.
    Before(Span),
    /// In a line after the name of the module.
    After(Span),
}

/// A module in `using`.
#[derive(Clone, Debug)]
pub struct UsingModule {
    pub alias: Rc<str>,
    pub module: ModuleRef,
}

/// A `using` in a function: it holds for statements from `from` on in `scope` and scopes within.
#[derive(Clone, Debug)]
pub struct LocalUsing {
    pub scope: ScopeId,
    pub from: StmtId,
    pub module: UsingModule,
}

/// An import of a file.
#[derive(Debug)]
pub struct ImportSym {
    pub alias: Rc<str>,
    pub keyword: Span,
    /// The name under which it is written in the import.
    pub name: Span,
    /// Another name for it in the import, `m` in `import m@math`.
    pub written: Option<Span>,
    /// Position of errors about it.
    pub at: Span,
    pub module: ModuleRef,
    /// Whether it was written in another file of the same module.
    pub from_sibling: bool,
    pub used: Cell<bool>,
}

/// What a module name refers to.
#[derive(Clone, Debug)]
pub enum ModuleRef {
    Library(&'static library::Module),
    User(usize),
    Failed(Rc<ImportFailure>),
}

impl ModuleRef {
    fn of(target: &ResolvedImport) -> ModuleRef {
        match target {
            ResolvedImport::Library(module) => ModuleRef::Library(module),
            ResolvedImport::Module(index) => ModuleRef::User(*index),
            ResolvedImport::Failed(failure) => ModuleRef::Failed(failure.clone()),
        }
    }
}

impl ImportSym {
    pub fn new(unit: &ImportUnit, from_sibling: bool) -> ImportSym {
        ImportSym {
            alias: unit.alias.clone(),
            keyword: unit.keyword,
            name: unit.name,
            written: unit.has_alias.then_some(unit.name),
            at: unit.at,
            module: ModuleRef::of(&unit.target),
            from_sibling,
            used: Cell::new(unit.auto_use || from_sibling),
        }
    }
}

impl ImportSym {
    /// The module `index` itself, under its name; never reported as unused.
    pub fn own(alias: Rc<str>, index: usize, at: Span) -> ImportSym {
        let module = ModuleRef::User(index);
        let used = Cell::new(true);
        ImportSym { alias, keyword: at, name: at, written: None, at, module, from_sibling: true, used }
    }
}

impl FileSym {
    /// Adds the import of a module of the library, and the lines of `more` behind it.
    pub fn add_import(&self, module: &str, more: &str) -> Fix {
        let lines = format!("import @{module}{more}");
        let fix = match self.imports_at {
            ImportsAt::Before(at) => Fix::certain(at.head(), format!("{lines}\n")),
            ImportsAt::After(at) => Fix::certain(at.tail(0), format!("\n{lines}")),
        };
        // What is imported under that name may have been meant to be the module: `import "std"`.
        fix.only_if(self.import(module).is_none())
    }

    /// The import known as `name`: the last one of that name.
    pub fn import(&self, name: &str) -> Option<&ImportSym> {
        self.imports.get(*self.last_import.get(name)?)
    }

    /// The module that `name` refers to in a type `name.T`: an import, or the file's own module.
    pub fn module_named(&self, name: &str) -> Option<&ImportSym> {
        self.import(name).or_else(|| self.own.as_ref().filter(|own| &*own.alias == name))
    }

    /// What `using name` means: an alias, or a library module under its own name.
    pub fn usable(&self, name: &str) -> Option<&ImportSym> {
        self.import(name).or_else(|| {
            self.imports.iter().find(|i| matches!(&i.module, ModuleRef::Library(m) if m.name == name))
        })
    }
}

impl Symbols {
    pub fn file_index(&self, id: FileId) -> Option<usize> {
        self.files.iter().position(|f| f.id == id)
    }

    pub fn func(&self, id: FuncId) -> Option<&FuncSym> {
        self.funcs.get(id.0 as usize)
    }

    pub fn global(&self, id: GlobalId) -> Option<&GlobalSym> {
        self.globals.get(id.0 as usize)
    }
}
