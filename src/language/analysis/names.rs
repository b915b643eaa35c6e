//! What a name means at a place.

use std::rc::Rc;

use crate::syntax::ast::{Block, File, Name, Stmt, StmtKind, all_blocks};
use crate::syntax::{TokenKind, lex_deeply, token, unescaped};
use ez_runtime::library::man;
use ez_runtime::source::{SourceFile, Span};
use ez_runtime::text::slice;
use ez_runtime::value::Type;

use super::change::Change;
use super::index::{Referent, Symbol};
use super::outline::ItemKind;
use super::{Analysis, Snapshot};

/// What a name means.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The name that was asked about.
    pub at: Span,
    /// Its declaration, with the types that are not written, or the text of the manual.
    pub text: String,
    /// What `#doc` says of it.
    pub doc: Option<String>,
    /// Where it is declared: the file, and the name there. `None` for what the language and its library provide, and
    /// where that is not known while there are syntax errors.
    pub declared: Option<(Rc<SourceFile>, Span)>,
    /// Where its type is declared, in the same way.
    pub of_type: Option<(Rc<SourceFile>, Span)>,
}

/// The tokens of a text, those within strings too.
pub type Tokens = [(TokenKind, Span)];

pub fn is_name(kind: TokenKind) -> bool {
    kind == TokenKind::Ident || kind.is_keyword()
}

/// The number of the name at an offset or directly before it.
pub fn name_at(tokens: &Tokens, offset: u32) -> Option<usize> {
    let end = tokens.partition_point(|(_, at)| at.start <= offset);
    let before = [end.checked_sub(1), end.checked_sub(2)].into_iter().flatten();
    before.into_iter().find(|index| {
        tokens.get(*index).is_some_and(|(kind, at)| at.end >= offset && at.end > at.start && is_name(*kind))
    })
}

impl Analysis {
    /// What the name at an offset of a file of the program means; `None` if there is none, or it is not known.
    pub fn meaning(&self, file: &SourceFile, offset: u32) -> Option<Meaning> {
        if let Some((at, occurrence)) = self.named(file, offset) {
            return self.now.explained(at, occurrence.to);
        }
        let tokens = lex_deeply(file);
        let index = name_at(&tokens, offset)?;
        let (_, at) = *tokens.get(index)?;
        let text = file.slice(at);
        let kind_at = |back: usize| index.checked_sub(back).and_then(|index| tokens.get(index));
        let has_owner = kind_at(1).is_some_and(|(kind, _)| *kind == TokenKind::Dot);
        if !has_owner && let Some(local) = self.local(file, text, offset) {
            let symbol = self.declared(file, local)?;
            return self.now.explained(at, Referent::Source(symbol.at.file, symbol.at.start));
        }
        // A type, even if a function of the library has that name.
        let is_called = tokens.get(index + 1).is_some_and(|(kind, _)| *kind == TokenKind::LeftParen);
        if !has_owner && !is_called && token::is_primitive(text) {
            return manual(at, text);
        }
        let owner = kind_at(2).filter(|(kind, _)| has_owner && *kind == TokenKind::Ident);
        let found = self.known.graph.sources.by_path(&file.path).and_then(|known| match owner {
            Some((_, owner)) => self.known.checked.symbols.declaration_in(known.id, file.slice(*owner), text),
            None if has_owner => None,
            None => self.known.checked.symbols.declaration(known.id, text),
        });
        // What is declared has its place in the index, unless there are errors.
        match found {
            Some(declaration) => {
                let meaning = self.known.explained(at, Referent::of(&declaration))?;
                let carried = |place: Option<_>| place.and_then(|place| self.carried(place));
                let (declared, of_type) = (carried(meaning.declared), carried(meaning.of_type));
                Some(Meaning { declared, of_type, ..meaning })
            }
            None if !has_owner && token::words().any(|word| word == text) => manual(at, text),
            None if !has_owner && crate::check::builtin_names().any(|word| word == text) => manual(at, text),
            None => None,
        }
    }
}

impl Analysis {
    /// Where a place in an earlier text of a file is now, if all that has changed is before or behind it.
    fn carried(&self, (was, at): (Rc<SourceFile>, Span)) -> Option<(Rc<SourceFile>, Span)> {
        let is = self.file(&was.path)?;
        let at = Change::between(&was.text, &is.text).moved(at)?;
        Some((is.clone(), Span { file: is.id, ..at }))
    }
}

fn manual(at: Span, name: &str) -> Option<Meaning> {
    man(name).ok().map(|text| Meaning { at, text, doc: None, declared: None, of_type: None })
}

impl Snapshot {
    /// What the name at `at` means.
    pub fn explained(&self, at: Span, to: Referent) -> Option<Meaning> {
        match to {
            Referent::Row(module, row) => return manual(at, &format!("{module}.{row}")),
            Referent::Library(module) => return manual(at, module),
            Referent::Source(file, start) if self.index.symbol(to).is_none() => {
                // A module without a `module` line is its file.
                let (source, begin) = (self.source(file)?, Span { file, start, end: start });
                let text = format!("module {}", source.path.file_stem()?.to_string_lossy());
                return Some(Meaning { at, text, doc: None, declared: Some((source, begin)), of_type: None });
            }
            Referent::Source(..) => {}
        }
        let symbol = self.index.symbol(to)?;
        let source = self.source(symbol.at.file)?;
        let stmt = innermost(&self.tree(symbol.at.file)?.items, symbol.at.start);
        let doc = stmt.filter(|_| !symbol.is_local).and_then(|stmt| stmt.attrs.doc.clone().flatten());
        let of_type = symbol.ty.as_ref().and_then(|ty| self.declared_type(ty));
        Some(Meaning {
            at,
            text: self.declaration(&source, symbol, stmt).unwrap_or_default(),
            doc: doc.filter(|_| symbol.kind != ItemKind::Field).map(|doc| unescaped(&doc)),
            declared: Some((source, symbol.at)),
            of_type,
        })
    }

    /// Where the struct or enum is declared that values of a type have in them.
    fn declared_type(&self, ty: &Type) -> Option<(Rc<SourceFile>, Span)> {
        match ty {
            Type::Array(part, _) | Type::Map(_, part) => self.declared_type(part),
            ty => {
                let at = self.checked.symbols.declared_type(ty)?;
                Some((self.source(at.file)?, at))
            }
        }
    }

    /// The declaration of a symbol as it is written in the statement, with the types that are not.
    fn declaration(&self, file: &SourceFile, symbol: &Symbol, stmt: Option<&Stmt>) -> Option<String> {
        let name = file.slice(symbol.at);
        let typed = |ty: &Type| format!("{name} {ty}");
        if symbol.kind == ItemKind::Parameter {
            let is_reference = slice(&file.text, ..symbol.at.start as usize).trim_end().ends_with('&');
            let mark = if is_reference { "&" } else { "" };
            return symbol.ty.as_ref().map(|ty| format!("{mark}{}", typed(ty)));
        }
        let Some(stmt) = stmt else { return Some(line_of(file, symbol.at)) };
        if let StmtKind::Struct(decl) = &stmt.kind
            && let Some(field) = decl.fields.iter().find(|field| field.name.span == symbol.at)
        {
            return Some(format!("{}.{name} {}", decl.name.text, file.slice(field.ty.span)));
        }
        if let StmtKind::Enum(decl) = &stmt.kind
            && let Some((_, value)) = decl.members.iter().find(|(name, _)| name.span == symbol.at)
        {
            let value = value.as_ref().map(|value| format!(" = {}", file.slice(value.span)));
            return Some(format!("{}.{name}{}", decl.name.text, value.unwrap_or_default()));
        }
        if let StmtKind::Func(decl) = &stmt.kind {
            let is_result = decl.results.iter().flat_map(|result| &result.name).any(|n| n.span == symbol.at);
            let head = Span { end: decl.body.span.start, ..stmt.span };
            return if is_result {
                symbol.ty.as_ref().map(typed)
            } else {
                Some(file.slice(head).trim_end().into())
            };
        }
        let end = stmt.blocks().first().map_or(stmt.span.end, |block| block.span.start);
        let mut names: Vec<(Name, bool)> = Vec::new();
        if let StmtKind::Var(decl) = &stmt.kind {
            names.extend(decl.names.iter().map(|(name, ty)| (name.clone(), ty.is_some())));
        } else if let StmtKind::For { var, ty, .. } = &stmt.kind {
            names.push((var.clone(), ty.is_some()));
        } else if let StmtKind::ForEach { index, var, .. } = &stmt.kind {
            names.extend(index.iter().chain([var]).map(|name| (name.clone(), false)));
        } else {
            return Some(file.slice(stmt.span).into());
        }
        let (mut text, mut from) = (String::new(), stmt.span.start);
        for (name, _) in names.iter().filter(|(_, has_type)| !has_type) {
            text += file.slice(Span { start: from, end: name.span.end, ..stmt.span });
            from = name.span.end;
            if let Some(ty) = self.inferred(name.span) {
                text += &format!(" {ty}");
            }
        }
        text += file.slice(Span { start: from, end, ..stmt.span }).trim_end();
        let first = text.lines().next().unwrap_or_default();
        Some(if first.len() < text.len() { format!("{first} …") } else { text })
    }

    /// The type of the variable that is declared there, if it is known.
    fn inferred(&self, name: Span) -> Option<&Type> {
        let ty = self.index.symbol(Referent::Source(name.file, name.start))?.ty.as_ref()?;
        (!ty.is_any() && *ty != Type::Nil).then_some(ty)
    }
}

/// The line of a declaration without a `{` at its end.
pub fn line_of(file: &SourceFile, at: Span) -> String {
    let line = file.line_text(file.line(at.start)).unwrap_or_default();
    line.trim().trim_end_matches('{').trim_end().to_string()
}

/// The innermost statement at an offset; a function for what is in its head.
pub fn innermost(stmts: &[Stmt], offset: u32) -> Option<&Stmt> {
    around(stmts, offset).pop()
}

/// Where a statement ends; one whose last block is not closed ends with the text.
pub fn end_of(stmt: &Stmt) -> u32 {
    all_blocks(stmt).map(|block| block.span.end).fold(stmt.span.end, u32::max)
}

/// The statements at an offset, the outermost first.
pub fn around(stmts: &[Stmt], offset: u32) -> Vec<&Stmt> {
    let mut found = Vec::new();
    let mut within = stmts;
    loop {
        let end = within.partition_point(|stmt| stmt.span.start <= offset);
        let last = end.checked_sub(1).and_then(|last| within.get(last));
        let Some(stmt) = last.filter(|stmt| offset <= end_of(stmt)) else { return found };
        found.push(stmt);
        let mut blocks = all_blocks(stmt);
        match blocks.find(|block| block.span.start <= offset && offset <= block.span.end) {
            Some(block) => within = &block.stmts,
            None => return found,
        }
    }
}

/// The variables of a function that are known at an offset of a text that ends at `end`, the innermost last.
pub fn local_names(file: &File, offset: u32, end: u32) -> Vec<Name> {
    let mut names = Vec::new();
    for stmt in &file.items {
        let StmtKind::Func(decl) = &stmt.kind else { continue };
        if stmt.span.start <= offset && offset <= end_of(stmt) {
            names.extend(decl.params.iter().map(|param| param.name.clone()));
            names.extend(decl.results.iter().filter_map(|result| result.name.clone()));
            block_names(&decl.body, offset, end, &mut names);
        }
    }
    names
}

fn block_names(block: &Block, offset: u32, end: u32, names: &mut Vec<Name>) {
    let holds = |block: &Block| {
        block.span.start < offset && (offset < block.span.end || offset == end && block.span.end == end)
    };
    if !holds(block) {
        return;
    }
    for stmt in block.stmts.iter().take_while(|stmt| stmt.span.start <= offset) {
        // A variable is not known in its own declaration.
        if let StmtKind::Var(decl) = &stmt.kind
            && stmt.span.end < offset
        {
            names.extend(decl.names.iter().map(|(name, _)| name.clone()).filter(|name| !name.is_blank()));
        }
        for inner in stmt.blocks() {
            if let StmtKind::For { var, .. } = &stmt.kind
                && holds(inner)
            {
                names.push(var.clone());
            }
            if let StmtKind::ForEach { index, var, .. } = &stmt.kind
                && holds(inner)
            {
                names.extend(index.clone());
                names.push(var.clone());
            }
            block_names(inner, offset, end, names);
        }
    }
}
