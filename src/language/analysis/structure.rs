//! The form of a text: what can be folded, selected together, and shown in which colour.

use crate::syntax::ast::{Stmt, StmtKind, each_statement};
use crate::syntax::token::{Class, is_primitive};
use crate::syntax::{TokenKind, comments, lex_deeply};
use ez_runtime::source::{SourceFile, Span};

use super::Analysis;
use super::index::{Referent, Role};
use super::names::{Tokens, around, is_name};
use super::outline::ItemKind;

/// What can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    Region,
    Comment,
    Imports,
}

/// What a token is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Namespace,
    Type,
    Struct,
    Enum,
    EnumMember,
    Property,
    Function,
    Variable,
    Parameter,
    Keyword,
    Text,
    Number,
    Comment,
    Operator,
}

/// A part of a line with a colour.
#[derive(Clone, Copy, Debug)]
pub struct Coloured {
    pub at: Span,
    pub colour: Colour,
    pub is_declaration: bool,
    pub is_constant: bool,
    pub is_library: bool,
}

impl Coloured {
    fn new(at: Span, colour: Colour) -> Coloured {
        Coloured { at, colour, is_declaration: false, is_constant: false, is_library: false }
    }
}

/// The comments of a text, in the gaps between its tokens.
fn comments(file: &SourceFile, tokens: &[(TokenKind, Span)]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut from = 0;
    for (_, at) in tokens {
        let gap = file.text.get(from as usize..at.start as usize).unwrap_or_default();
        for comment in comments::comments(gap) {
            let start = from as usize + comment.start;
            found.push(Span::new(file.id, start, start + comment.text.trim_end().len()));
        }
        from = from.max(at.end);
    }
    found
}

/// Each opening bracket with the closing one.
fn brackets(tokens: &Tokens) -> Vec<(Span, Span)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for (kind, at) in tokens {
        if kind.opens() {
            open.push(*at);
        } else if kind.opener().is_some()
            && let Some(begin) = open.pop()
        {
            found.push((begin, *at));
        }
    }
    found
}

/// The lines that can be folded: first and last, counted from 1.
pub fn folds(file: &SourceFile, imports: &[Span]) -> Vec<(u32, u32, Fold)> {
    let tokens = lex_deeply(file);
    let region = |(begin, end): (Span, Span)| {
        (file.line(begin.start), file.line(end.start).saturating_sub(1), Fold::Region)
    };
    let mut found: Vec<_> = brackets(&tokens).into_iter().map(region).collect();
    // Comments in lines that follow each other are one.
    let mut together: Option<(u32, u32)> = None;
    for comment in comments(file, &tokens) {
        let (first, last) = (file.line(comment.start), file.line(comment.end));
        let is_alone = file.line_text(first).is_some_and(|line| line.trim_start().starts_with('/'));
        together = match together {
            Some((begin, end)) if is_alone && first == end + 1 => Some((begin, last)),
            before => {
                found.extend(before.map(|(begin, end)| (begin, end, Fold::Comment)));
                is_alone.then_some((first, last))
            }
        };
    }
    found.extend(together.map(|(begin, end)| (begin, end, Fold::Comment)));
    if let (Some(first), Some(last)) = (imports.first(), imports.last()) {
        found.push((file.line(first.start), file.line(last.end), Fold::Imports));
    }
    found.retain(|(first, last, _)| first < last);
    found.sort_by_key(|(first, last, _)| (*first, u32::MAX - last));
    found.dedup_by_key(|(first, ..)| *first);
    found
}

/// What an editor selects step by step around an offset, the smallest first: the token, what is between brackets, the
/// statements, the file.
pub fn selections(file: &SourceFile, stmts: &[Stmt], offset: u32) -> Vec<Span> {
    let tokens = lex_deeply(file);
    let mut found = vec![Span::new(file.id, 0, file.text.len())];
    let holds = |at: &Span| at.start <= offset && offset <= at.end;
    found.extend(around(stmts, offset).iter().map(|stmt| stmt.span));
    for (begin, end) in brackets(&tokens) {
        let (whole, inner) = (begin.to(end), Span { start: begin.end, end: end.start, ..end });
        found.extend([whole, inner].into_iter().filter(holds));
    }
    found.extend(tokens.iter().map(|(_, at)| *at).filter(|at| at.start < at.end && holds(at)));
    found.sort_by_key(|at| (at.end - at.start, at.start));
    // Each within the next: of two tokens that touch, the first.
    let mut nested: Vec<Span> = Vec::new();
    for at in found {
        if nested.last().is_none_or(|last| *last != at && at.start <= last.start && last.end <= at.end) {
            nested.push(at);
        }
    }
    nested
}

impl Analysis {
    /// The types of loop variables and unpacked results that are not written, each with the name that it is behind.
    pub fn hints(&self, file: &SourceFile) -> Vec<(Span, String)> {
        let mut found = Vec::new();
        let mut add = |name: &crate::syntax::ast::Name| {
            if let Some(ty) = self.inferred(file, name.span) {
                found.push((name.span, ty.to_string()));
            }
        };
        let Some(tree) = self.tree(file) else { return found };
        each_statement(&tree.items, &mut |stmt| {
            if let StmtKind::For { var, ty: None, .. } = &stmt.kind {
                add(var);
            } else if let StmtKind::ForEach { index, var, .. } = &stmt.kind {
                index.iter().chain([var]).for_each(&mut add);
            } else if let StmtKind::Var(decl) = &stmt.kind
                && decl.names.len() > 1
            {
                decl.names.iter().filter(|(_, ty)| ty.is_none()).for_each(|(name, _)| add(name));
            }
        });
        found
    }

    /// The coloured parts of a file, in their order.
    pub fn colours(&self, file: &SourceFile) -> Vec<Coloured> {
        let tokens = lex_deeply(file);
        let mut found: Vec<Coloured> =
            comments(file, &tokens).into_iter().map(|at| Coloured::new(at, Colour::Comment)).collect();
        for (number, (kind, at)) in tokens.iter().enumerate() {
            let next = tokens.get(number + 1).map(|(kind, _)| *kind);
            let colour = match kind.class() {
                Class::Form => match kind {
                    TokenKind::Str | TokenKind::RawStr | TokenKind::Char => Some(Colour::Text),
                    TokenKind::Int | TokenKind::Float => Some(Colour::Number),
                    _ => None,
                },
                Class::Statement | Class::Reserved | Class::Word | Class::Attribute => Some(Colour::Keyword),
                Class::Operator | Class::Assignment => Some(Colour::Operator),
                Class::Opener | Class::Closer | Class::Separator => None,
            };
            if is_name(*kind)
                && let Some(named) = self.named_colour(file, *at, next)
            {
                found.push(named);
            } else if let Some(colour) = colour {
                found.push(Coloured::new(*at, colour));
            }
        }
        found.retain(|it| it.at.start < it.at.end);
        found.sort_by_key(|it| it.at.start);
        found
    }

    fn named_colour(&self, file: &SourceFile, at: Span, next: Option<TokenKind>) -> Option<Coloured> {
        let Some(occurrence) = self.now.index.exactly(at) else {
            let name = file.slice(at);
            let is_builtin = crate::check::builtin_names().any(|builtin| builtin == name);
            let colour = if is_primitive(name) { Colour::Type } else { Colour::Function };
            let is_known = is_primitive(name) || is_builtin && next == Some(TokenKind::LeftParen);
            return is_known.then_some(Coloured { is_library: true, ..Coloured::new(at, colour) });
        };
        let is_declaration = occurrence.role == Role::Declaration;
        let (colour, is_constant) = match (self.now.index.symbol(occurrence.to), occurrence.to) {
            (Some(symbol), _) => match symbol.kind {
                ItemKind::Function => (Colour::Function, false),
                ItemKind::Struct => (Colour::Struct, false),
                ItemKind::Enum => (Colour::Enum, false),
                ItemKind::Field => (Colour::Property, false),
                ItemKind::Member => (Colour::EnumMember, true),
                ItemKind::Variable => (Colour::Variable, false),
                ItemKind::Constant => (Colour::Variable, true),
                ItemKind::Parameter => (Colour::Parameter, false),
                ItemKind::Module => (Colour::Namespace, false),
            },
            (None, Referent::Row(..)) if next == Some(TokenKind::LeftParen) => (Colour::Function, false),
            (None, Referent::Row(..)) => (Colour::Variable, true),
            (None, Referent::Library(_) | Referent::Source(..)) => (Colour::Namespace, false),
        };
        let is_library = !matches!(occurrence.to, Referent::Source(..));
        Some(Coloured { at, colour, is_declaration, is_constant, is_library })
    }
}
