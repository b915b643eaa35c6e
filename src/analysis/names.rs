//! What a name means at a place, and which names can be written there.

use std::rc::Rc;

use crate::check::{Declaration, NameKind};
use crate::library::man;
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{Block, File, Name, Stmt, StmtKind};
use crate::syntax::{Token, TokenKind, lex, parse_file, token};
use crate::text::slice;

use super::outline::outline;
use super::{Analysis, Known};

/// What a name means.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The name that was asked about.
    pub at: Span,
    /// Its declaration as it is written, or the text of the manual.
    pub text: String,
    /// What `#doc` says of it.
    pub doc: Option<String>,
    /// Where it is declared: the file, as it was when its names were known, and the name there. `None` for what the
    /// language and its library provide.
    pub declared: Option<(Rc<SourceFile>, Span)>,
}

/// A name that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub name: String,
    pub kind: NameKind,
    /// Its type or signature; may be empty.
    pub detail: String,
}

/// A name in a text, and that before the `.` before it.
struct Written<'t> {
    owner: Option<&'t str>,
    token: Token<'t>,
}

fn is_name(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Ident || token.kind.is_keyword()
}

/// The name at an offset or directly before it.
fn written<'t>(tokens: &[Token<'t>], offset: u32) -> Option<Written<'t>> {
    let end = tokens.partition_point(|token| token.span.start <= offset);
    let index = end.checked_sub(1)?;
    let touches = |index: usize| tokens.get(index).filter(|t| t.span.end >= offset && is_name(t));
    let (index, token) = touches(index)
        .map(|token| (index, token))
        .or_else(|| Some((index.checked_sub(1)?, touches(index.checked_sub(1)?)?)))?;
    Some(Written { owner: owner(tokens, index), token: *token })
}

/// The name before a `.` before a token; an empty one for other values.
fn owner<'t>(tokens: &[Token<'t>], index: usize) -> Option<&'t str> {
    tokens.get(index.checked_sub(1)?).filter(|token| token.kind == TokenKind::Dot)?;
    let owner = index.checked_sub(2).and_then(|index| tokens.get(index));
    let is_part =
        index.checked_sub(3).and_then(|index| tokens.get(index)).is_some_and(|t| t.kind == TokenKind::Dot);
    Some(owner.filter(|token| token.kind == TokenKind::Ident && !is_part).map_or("", |token| token.text))
}

impl Analysis {
    /// What the name at an offset of a file of the program means; `None` if there is none, or it is not known.
    pub fn meaning(&self, file: &SourceFile, offset: u32) -> Option<Meaning> {
        let (tokens, _) = lex(file);
        let Written { owner, token } = written(&tokens, offset)?;
        let at = token.span;
        if owner.is_none()
            && let Some(local) =
                local_names(&parse_file(file).file, offset).into_iter().rev().find(|n| *n.text == *token.text)
        {
            let file = Rc::new(file.clone());
            let text = line_of(&file, local.span);
            return Some(Meaning { at, text, doc: None, declared: Some((file, local.span)) });
        }
        let known = &self.known;
        let declaration = known.file(file).and_then(|file| match owner {
            Some(owner) => known.symbols.declaration_in(file.id, owner, token.text),
            None => known.symbols.declaration(file.id, token.text),
        });
        match declaration {
            Some(Declaration::Source(span)) => known.source_meaning(at, span),
            Some(Declaration::Row(module, row)) => manual(at, &format!("{}.{}", module.name, row.name)),
            Some(Declaration::Library(module)) => manual(at, module.name),
            None if owner.is_none() && token::words().any(|word| word == token.text) => {
                manual(at, token.text)
            }
            None => None,
        }
    }

    /// The names that can be written at an offset of a file, each once; those of the innermost blocks first.
    pub fn candidates(&self, file: &SourceFile, offset: u32) -> Vec<Candidate> {
        let (tokens, _) = lex(file);
        // In a text or a number there are none.
        let inside = tokens.iter().find(|token| token.span.start < offset && offset <= token.span.end);
        let inside = inside.filter(|token| token.kind != TokenKind::Dot && !is_name(token));
        let in_comment = is_in_comment(file, &tokens, offset);
        if in_comment
            || inside.is_some_and(|token| {
                matches!(
                    token.kind,
                    TokenKind::Str | TokenKind::RawStr | TokenKind::Char | TokenKind::Int | TokenKind::Float
                )
            })
        {
            return Vec::new();
        }
        let next = tokens.partition_point(|token| token.span.start < offset);
        let typed = next
            .checked_sub(1)
            .filter(|at| tokens.get(*at).is_some_and(|t| is_name(t) && t.span.end >= offset));
        let owner = owner(&tokens, typed.unwrap_or(next));
        let mut found: Vec<Candidate> = Vec::new();
        let mut add = |candidate: Candidate| {
            if !found.iter().any(|known| known.name == candidate.name) {
                found.push(candidate);
            }
        };
        if owner.is_none() {
            for name in local_names(&parse_file(file).file, offset).into_iter().rev() {
                let detail = line_of(file, name.span);
                add(Candidate { name: name.text.to_string(), kind: NameKind::Variable, detail });
            }
        }
        let known = &self.known;
        let Some(known_file) = known.file(file) else { return found };
        let has_types = known.symbols.has_signatures();
        let names = match owner {
            None => known.symbols.names_in_file(known_file.id),
            Some(owner) => {
                let names = known.symbols.names_in_module(known_file.id, owner);
                names.or_else(|| known.symbols.members_of_enum(known_file.id, owner)).unwrap_or_default()
            }
        };
        for name in names {
            let detail = if has_types { name.detail } else { String::new() };
            add(Candidate { name: name.name.to_string(), kind: name.kind, detail });
        }
        found
    }
}

fn is_in_comment(file: &SourceFile, tokens: &[Token<'_>], offset: u32) -> bool {
    let next = tokens.partition_point(|token| token.span.start < offset);
    let from =
        next.checked_sub(1).and_then(|at| tokens.get(at)).map_or(0, |token| token.span.end.min(offset));
    let gap = slice(&file.text, from as usize..offset as usize);
    let line = gap.rsplit('\n').next().unwrap_or_default();
    line.contains("//")
        || gap.rfind("/*").is_some_and(|begin| !gap.get(begin..).is_some_and(|rest| rest.contains("*/")))
}

fn manual(at: Span, name: &str) -> Option<Meaning> {
    man(name).ok().map(|text| Meaning { at, text, doc: None, declared: None })
}

fn line_of(file: &SourceFile, at: Span) -> String {
    file.line_text(file.line(at.start))
        .unwrap_or_default()
        .trim()
        .trim_end_matches('{')
        .trim_end()
        .to_string()
}

impl Known {
    /// The file as it was then.
    fn file(&self, file: &SourceFile) -> Option<&Rc<SourceFile>> {
        self.files.iter().find(|known| known.path == file.path)
    }

    fn source_meaning(&self, at: Span, declared: Span) -> Option<Meaning> {
        let file = self.files.iter().find(|file| file.id == declared.file)?;
        let tree = parse_file(file).file;
        let item = outline(&tree).into_iter().find(|item| item.at.head() == declared.head());
        let holds = |stmt: &&Stmt| stmt.span.start <= declared.start && declared.end <= stmt.span.end;
        let stmt = tree.items.iter().find(holds)?;
        let text = if let StmtKind::Func(decl) = &stmt.kind {
            slice(&file.text, stmt.span.start as usize..decl.body.span.start as usize).trim_end()
        } else {
            file.slice(stmt.span)
        };
        let doc = stmt.attrs.doc.clone().flatten().map(|doc| doc.to_string());
        let name = item.map_or(declared, |item| item.at);
        Some(Meaning { at, text: text.to_string(), doc, declared: Some((file.clone(), name)) })
    }
}

/// The variables of a function that are known at an offset, the innermost last.
fn local_names(file: &File, offset: u32) -> Vec<Name> {
    let mut names = Vec::new();
    for stmt in &file.items {
        let StmtKind::Func(decl) = &stmt.kind else { continue };
        if stmt.span.start <= offset && offset <= stmt.span.end {
            names.extend(decl.params.iter().map(|param| param.name.clone()));
            names.extend(decl.results.iter().filter_map(|result| result.name.clone()));
            block_names(&decl.body, offset, &mut names);
        }
    }
    names
}

fn block_names(block: &Block, offset: u32, names: &mut Vec<Name>) {
    if !(block.span.start < offset && offset < block.span.end) {
        return;
    }
    for stmt in block.stmts.iter().take_while(|stmt| stmt.span.start <= offset) {
        if let StmtKind::Var(decl) = &stmt.kind {
            names.extend(decl.names.iter().map(|(name, _)| name.clone()).filter(|name| !name.is_blank()));
        }
        for inner in stmt.blocks() {
            let holds = inner.span.start < offset && offset < inner.span.end;
            if let StmtKind::For { var, .. } = &stmt.kind
                && (holds || var.span.start <= offset && offset <= var.span.end)
            {
                names.push(var.clone());
            }
            if let StmtKind::ForEach { index, var, .. } = &stmt.kind
                && (holds || offset <= var.span.end)
            {
                names.extend(index.clone());
                names.push(var.clone());
            }
            block_names(inner, offset, names);
        }
    }
}
