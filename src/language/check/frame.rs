//! The function being lowered: its variables, scopes and statement numbers.

use std::collections::HashSet;
use std::rc::Rc;

use crate::syntax::ast::{self, Name};
use ez_runtime::program::{FuncId, GlobalId, Local, LocalId, LocalKind, ScopeId, StmtId};
use ez_runtime::value::Type;

use super::scopes::{Binding, Place, Scopes};
use super::symbols::LocalFacts;

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

/// An `ensure` whose call is lowered at the end of the function.
#[derive(Debug)]
pub struct PendingEnsure {
    pub id: StmtId,
    pub call: ast::Expr,
    /// The scopes at its position.
    pub place: Place,
}

/// The function being lowered.
#[derive(Debug)]
pub struct Frame {
    pub func: FuncId,
    pub locals: Vec<Local>,
    pub scopes: Vec<Option<ScopeId>>,
    /// Which scopes are open, and what is declared in them.
    pub names: Scopes,
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
            names: Scopes::default(),
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
        self.names.innermost()
    }

    /// Opens a scope inside the innermost one.
    pub fn open(&mut self) -> ScopeId {
        self.scopes.push(Some(self.scope()));
        self.names.open()
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.names.close();
    }

    /// The binding of `name` in the innermost scope that has one.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.names.lookup(name)
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
        if !name.is_blank() {
            self.names.bind(name.text.clone(), binding);
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
