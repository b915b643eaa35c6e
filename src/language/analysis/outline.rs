//! What is declared in a file.

use crate::syntax::ast::{File, Name, Stmt, StmtKind};
use ez_runtime::source::Span;

/// What a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    Function,
    Struct,
    Enum,
    Field,
    Member,
    Variable,
    Constant,
    Parameter,
    /// The name of a module in its `module` line, or another name for one in an import.
    Module,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    pub kind: ItemKind,
    /// All of it.
    pub whole: Span,
    /// Its name.
    pub at: Span,
    /// Fields and members.
    pub children: Vec<Item>,
}

impl Item {
    fn new(name: &Name, kind: ItemKind, whole: Span) -> Item {
        Item { name: name.text.to_string(), kind, whole, at: name.span, children: Vec::new() }
    }
}

/// The declarations at file level, as far as they could be parsed, in their order.
pub fn outline(file: &File) -> Vec<Item> {
    file.items.iter().flat_map(items).collect()
}

fn items(stmt: &Stmt) -> Vec<Item> {
    if let StmtKind::Func(decl) = &stmt.kind {
        return vec![Item::new(&decl.name, ItemKind::Function, stmt.span)];
    }
    if let StmtKind::Struct(decl) = &stmt.kind {
        let field = |name: &Name| Item::new(name, ItemKind::Field, name.span);
        let children = decl.fields.iter().map(|found| field(&found.name)).collect();
        return vec![Item { children, ..Item::new(&decl.name, ItemKind::Struct, stmt.span) }];
    }
    if let StmtKind::Enum(decl) = &stmt.kind {
        let children = decl.members.iter().map(|(name, _)| Item::new(name, ItemKind::Member, name.span));
        let children = children.collect();
        return vec![Item { children, ..Item::new(&decl.name, ItemKind::Enum, stmt.span) }];
    }
    let StmtKind::Var(decl) = &stmt.kind else { return Vec::new() };
    let kind = if decl.constant { ItemKind::Constant } else { ItemKind::Variable };
    let named = decl.names.iter().filter(|(name, _)| !name.is_blank());
    named.map(|(name, _)| Item::new(name, kind, stmt.span)).collect()
}
