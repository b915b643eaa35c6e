//! Open scopes, and what is declared in them; also as it was earlier, for the calls of `ensure`.

use std::collections::HashMap;
use std::rc::Rc;

use ez_runtime::program::{LocalId, ScopeId};

use super::symbols::UsingModule;

/// What a name in a scope is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Local(LocalId),
    /// A parameter of `main`, which is called without arguments: it cannot be read.
    Unbound,
    /// A variable of the debugger, by its index in [`super::frame::Frame::extras`].
    Extra(usize),
}

/// What is declared in a scope. Nothing is ever taken away, so that its first parts are what it once was.
#[derive(Debug, Default)]
struct Scope {
    /// In order; a name may be bound again.
    names: Vec<Name>,
    /// The index of the last binding of each name.
    last: HashMap<Rc<str>, usize>,
    usings: Vec<UsingModule>,
    /// Paths like `x.y` that are not nil here (for W2010), numbered in order.
    non_nil: HashMap<String, usize>,
}

#[derive(Debug)]
struct Name {
    name: Rc<str>,
    binding: Binding,
    /// The index of the binding of the same name before.
    previous: Option<usize>,
}

/// An open scope, of which the first names, modules and paths are seen.
#[derive(Clone, Copy, Debug)]
struct Open {
    id: u32,
    names: usize,
    usings: usize,
    paths: usize,
}

/// The open scopes at a place.
#[derive(Clone, Debug)]
pub struct Place(Vec<Open>);

impl Place {
    /// These, with the outermost as it is at `end`, a place where no other is open.
    pub fn with_outermost(mut self, end: &Place) -> Place {
        for (open, at_end) in self.0.iter_mut().zip(&end.0) {
            *open = *at_end;
        }
        self
    }
}

/// The scopes of a function.
#[derive(Debug)]
pub struct Scopes {
    /// By their numbers.
    all: Vec<Scope>,
    /// From the outermost to the innermost.
    open: Vec<Open>,
}

impl Default for Scopes {
    /// With the outermost scope open.
    fn default() -> Scopes {
        Scopes { all: vec![Scope::default()], open: vec![Open::all_of(0)] }
    }
}

impl Open {
    fn all_of(id: u32) -> Open {
        Open { id, names: usize::MAX, usings: usize::MAX, paths: usize::MAX }
    }
}

impl Scope {
    fn lookup(&self, name: &str, seen: usize) -> Option<Binding> {
        let mut index = *self.last.get(name)?;
        loop {
            let found = self.names.get(index)?;
            if index < seen {
                return Some(found.binding);
            }
            index = found.previous?;
        }
    }
}

impl Scopes {
    /// The innermost open scope.
    pub fn innermost(&self) -> ScopeId {
        ScopeId(self.open.last().map_or(0, |open| open.id))
    }

    /// How many are open.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens a scope inside the innermost one.
    pub fn open(&mut self) -> ScopeId {
        let id = self.all.len() as u32;
        self.all.push(Scope::default());
        self.open.push(Open::all_of(id));
        ScopeId(id)
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.open.pop();
    }

    fn last_mut(&mut self) -> Option<&mut Scope> {
        self.all.get_mut(self.open.last()?.id as usize)
    }

    /// The open scopes, the innermost first.
    fn seen(&self) -> impl Iterator<Item = (&Scope, Open)> {
        self.open.iter().rev().filter_map(|open| Some((self.all.get(open.id as usize)?, *open)))
    }

    /// Binds a name in the innermost scope.
    pub fn bind(&mut self, name: Rc<str>, binding: Binding) {
        let Some(scope) = self.last_mut() else { return };
        let previous = scope.last.insert(name.clone(), scope.names.len());
        scope.names.push(Name { name, binding, previous });
    }

    /// The binding of `name` in the innermost scope that has one.
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.seen().find_map(|(scope, seen)| scope.lookup(name, seen.names))
    }

    /// All names: those of the innermost scope first, of each in the order in which they were bound.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.seen().flat_map(|(scope, seen)| scope.names.iter().take(seen.names).map(|bound| &*bound.name))
    }

    /// Notes a module in `using` in the innermost scope.
    pub fn use_module(&mut self, used: UsingModule) {
        if let Some(scope) = self.last_mut()
            && scope.usings.iter().all(|known| known.alias != used.alias)
        {
            scope.usings.push(used);
        }
    }

    /// The modules in `using`, those of the innermost scope first.
    pub fn usings(&self) -> impl Iterator<Item = &UsingModule> {
        self.seen().flat_map(|(scope, seen)| scope.usings.iter().take(seen.usings))
    }

    /// Notes that these paths are not nil in the innermost scope.
    pub fn add_non_nil(&mut self, paths: impl IntoIterator<Item = String>) {
        let Some(scope) = self.last_mut() else { return };
        for path in paths {
            let number = scope.non_nil.len();
            scope.non_nil.entry(path).or_insert(number);
        }
    }

    /// Whether a path is known not to be nil.
    pub fn is_non_nil(&self, path: &str) -> bool {
        self.seen().any(|(scope, seen)| scope.non_nil.get(path).is_some_and(|number| *number < seen.paths))
    }

    /// The open scopes as they are now.
    pub fn place(&self) -> Place {
        let now = |(scope, open): (&Scope, Open)| Open {
            id: open.id,
            names: scope.names.len(),
            usings: scope.usings.len(),
            paths: scope.non_nil.len(),
        };
        let mut place: Vec<Open> = self.seen().map(now).collect();
        place.reverse();
        Place(place)
    }

    /// Opens the scopes of a place instead of those that are open, and returns these.
    pub fn go_to(&mut self, place: Place) -> Place {
        Place(std::mem::replace(&mut self.open, place.0))
    }
}
