//! The function being lowered: its variables, scopes and statement numbers.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::syntax::ast::{self, Name};
use ez_runtime::program::{FuncId, GlobalId, Local, LocalId, LocalKind, ScopeId, StmtId};
use ez_runtime::value::Type;

use super::symbols::{LocalFacts, UsingModule};

/// What a name in a scope is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Local(LocalId),
    /// A parameter of `main`, which is called without arguments: it cannot be read.
    Unbound,
    /// A variable of the debugger, by its index in [`Frame::extras`].
    Extra(usize),
}

/// A variable that the debugger adds to the scope of a fragment; it is stored in a global that the program
/// does not use.
#[derive(Clone, Debug)]
pub struct ExtraVariable {
    /// Its name; hides everything else of that name.
    pub name: Rc<str>,
    pub ty: Type,
    /// Whether it cannot be assigned.
    pub constant: bool,
    /// The global that stores it.
    pub global: GlobalId,
}

/// The names that are bound in a scope.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// In order; a name may be bound again.
    all: Vec<Rc<str>>,
    last: HashMap<Rc<str>, Binding>,
}

impl Names {
    /// Binds a name.
    pub fn bind(&mut self, name: Rc<str>, binding: Binding) {
        self.all.push(name.clone());
        self.last.insert(name, binding);
    }

    /// All names, in the order in which they were bound.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|name| &**name)
    }
}

/// An open scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub id: u32,
    pub names: Names,
    pub usings: Vec<UsingModule>,
    /// Paths like `x.y` that are not nil here (for W2010).
    pub non_nil: Vec<String>,
}

/// An `ensure` whose call is lowered at the end of the function.
#[derive(Debug)]
pub struct PendingEnsure {
    pub id: StmtId,
    pub call: ast::Expr,
    /// The scopes at its position.
    pub stack: Vec<Scope>,
}

/// The function being lowered.
#[derive(Debug)]
pub struct Frame {
    pub func: FuncId,
    pub locals: Vec<Local>,
    pub scopes: Vec<Option<ScopeId>>,
    pub stack: Vec<Scope>,
    /// Variables of the enclosing loops, one entry a loop.
    pub loops: Vec<Vec<Rc<str>>>,
    pub results: Vec<Type>,
    pub result_names: Vec<Name>,
    pub ensures: Vec<PendingEnsure>,
    pub has_ensure: bool,
    /// The statement being lowered.
    pub current: Option<StmtId>,
    /// Properties of its variables besides their types.
    pub facts: LocalFacts,
    /// Variables whose declaration has an error: assignments to them are not checked.
    pub failed_declarations: HashSet<LocalId>,
    /// Names that were reported as undefined: each is reported once.
    pub undeclared: HashSet<Rc<str>>,
    /// Codes of `#suppress` on the function.
    pub suppress: Vec<Rc<str>>,
    /// The module whose file level this is, if it is one.
    pub file_level: Option<usize>,
    /// Variables that the debugger adds to the scope.
    pub extras: Vec<ExtraVariable>,
}

impl Frame {
    /// A frame with its outermost scope open.
    pub fn new(func: FuncId) -> Frame {
        Frame {
            func,
            locals: Vec::new(),
            scopes: vec![None],
            stack: vec![Scope::default()],
            loops: Vec::new(),
            results: Vec::new(),
            result_names: Vec::new(),
            ensures: Vec::new(),
            has_ensure: false,
            current: None,
            facts: LocalFacts::default(),
            failed_declarations: HashSet::new(),
            undeclared: HashSet::new(),
            suppress: Vec::new(),
            file_level: None,
            extras: Vec::new(),
        }
    }

    /// The innermost open scope.
    pub fn scope(&self) -> ScopeId {
        ScopeId(self.stack.last().map_or(0, |s| s.id))
    }

    /// Opens a scope inside the innermost one.
    pub fn open(&mut self) -> ScopeId {
        let id = ScopeId(self.scopes.len() as u32);
        self.scopes.push(Some(self.scope()));
        self.stack.push(Scope { id: id.0, ..Scope::default() });
        id
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.stack.pop();
    }

    /// The binding of `name` in the innermost scope that has one.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.stack.iter().rev().find_map(|scope| scope.names.last.get(name)).copied()
    }

    /// Creates a variable in the innermost scope, without binding its name.
    pub fn add_local(&mut self, name: &Name, ty: Type, kind: LocalKind, constant: bool) -> LocalId {
        let id = LocalId(self.locals.len() as u32);
        // Its uses are not wrong because its value is.
        let ty = if ty.is_failed() { Type::Any } else { ty };
        let kind = if name.is_blank() { LocalKind::Hidden } else { kind };
        self.locals.push(Local {
            name: name.text.clone(),
            ty,
            kind,
            constant,
            boxed: false,
            scope: self.scope(),
            declared: self.current,
            span: name.span,
        });
        id
    }

    /// Binds a name in the innermost scope; `_` is never bound.
    pub fn bind(&mut self, name: &Name, binding: Binding) {
        if name.is_blank() {
            return;
        }
        if let Some(scope) = self.stack.last_mut() {
            scope.names.bind(name.text.clone(), binding);
        }
    }

    /// Creates a variable and binds its name.
    pub fn declare(&mut self, name: &Name, ty: Type, kind: LocalKind, constant: bool) -> LocalId {
        let id = self.add_local(name, ty, kind, constant);
        self.bind(name, Binding::Local(id));
        id
    }

    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.0 as usize)
    }

    /// Marks the variable as boxed: it lives on the heap.
    pub fn make_boxed(&mut self, id: LocalId) {
        if let Some(local) = self.locals.get_mut(id.0 as usize) {
            local.boxed = true;
        }
    }
}
