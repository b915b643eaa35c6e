//! Types of values such as `a.b[0].c`, read from the tokens before a place: the text there may not be complete.

use crate::check::{Declaration, Symbols};
use crate::syntax::ast::StmtKind;
use crate::syntax::{TokenKind, lex_deeply};
use ez_runtime::source::{FileId, SourceFile, Span};
use ez_runtime::value::Type;

use super::names::{Tokens, around, is_name};
use super::{Analysis, Snapshot};

/// A place in a text of a program, with the tokens around it.
pub struct Cursor<'a> {
    pub analysis: &'a Analysis,
    pub file: &'a SourceFile,
    pub tokens: Vec<(TokenKind, Span)>,
    pub offset: u32,
}

/// A call in whose parentheses a place is, or a struct literal.
pub struct Call {
    /// The number of the token of its name.
    pub name: usize,
    /// The number of the argument.
    pub argument: usize,
    /// Whether it is `Name { … }`.
    pub is_literal: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(analysis: &'a Analysis, file: &'a SourceFile, offset: u32) -> Cursor<'a> {
        Cursor { analysis, file, tokens: lex_deeply(analysis.near(file)), offset }
    }

    /// The names that were known when the text had no syntax errors, and the number that the file had then.
    pub fn known(&self) -> Option<(&'a Symbols, FileId)> {
        let known = &self.analysis.known;
        Some((&known.checked.symbols, known.graph.sources.by_path(&self.file.path)?.id))
    }

    pub fn kind(&self, index: usize) -> Option<TokenKind> {
        self.tokens.get(index).map(|(kind, _)| *kind)
    }

    pub fn text(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |(_, at)| self.file.slice(*at))
    }

    /// Whether the token before number `end` has this kind.
    pub fn is_before(&self, end: usize, back: usize, kind: TokenKind) -> bool {
        end.checked_sub(back).and_then(|index| self.kind(index)) == Some(kind)
    }

    /// The name of an imported module in front of a `.` that stands before token number `end`.
    pub fn module_before(&self, end: usize) -> Option<&str> {
        let name = end.checked_sub(2)?;
        let is_part = self.is_before(name, 1, TokenKind::Dot);
        let alias = self.text(name);
        let symbols = &self.analysis.now.checked.symbols;
        let is_module = !is_part
            && self.is_before(end, 1, TokenKind::Dot)
            && self.kind(name) == Some(TokenKind::Ident)
            && symbols.names_in_module(self.file.id, alias).is_some();
        is_module.then_some(alias)
    }

    /// The type of the value whose last token is that before number `end`.
    pub fn value(&self, end: usize) -> Option<Type> {
        let last = end.checked_sub(1)?;
        match self.kind(last)? {
            TokenKind::RightParen => {
                let open = opener(&self.tokens, last)?;
                let name = open.checked_sub(1)?;
                if self.kind(name) == Some(TokenKind::Ident) {
                    return self.named(name, true);
                }
                self.value(last)
            }
            TokenKind::RightBracket => match self.value(opener(&self.tokens, last)?)? {
                Type::Array(part, _) | Type::Map(_, part) => Some((*part).clone()),
                Type::Str => Some(Type::Char),
                _ => None,
            },
            TokenKind::Str | TokenKind::RawStr => Some(Type::Str),
            TokenKind::Int => Some(Type::INT),
            TokenKind::Float => Some(Type::FLOAT),
            TokenKind::Char => Some(Type::Char),
            TokenKind::True | TokenKind::False => Some(Type::Bool),
            kind if is_name(kind) => self.named(last, false),
            _ => None,
        }
    }

    /// The type of a name, or of its call.
    fn named(&self, index: usize, called: bool) -> Option<Type> {
        let (symbols, known) = self.known()?;
        let name = self.text(index);
        if !self.is_before(index, 1, TokenKind::Dot) {
            let local = self.analysis.local(self.file, name, self.offset);
            return match local.filter(|_| !called) {
                Some(local) => self.analysis.declared(self.file, local)?.ty.clone(),
                None => symbols.value_type(known, None, name, called),
            };
        }
        if let Some(alias) = self.module_before(index) {
            return symbols.value_type(known, Some(alias), name, called);
        }
        let owner = index.checked_sub(1)?;
        if let Some(Type::Struct(def)) = self.value(owner) {
            return def.fields().get(def.field_index(name)?).map(|field| field.ty.clone());
        }
        // A member of an enum, whose name may have the name of a module before it.
        let enum_name = index.checked_sub(2)?;
        let alias = self.module_before(enum_name);
        symbols.type_named(known, alias, self.text(enum_name)).filter(|ty| matches!(ty, Type::Enum(_)))
    }

    /// The innermost call or literal around the place before token number `end`.
    pub fn call(&self, end: usize) -> Option<Call> {
        let (mut depth, mut argument) = (0usize, 0);
        for index in (0..end).rev() {
            match self.kind(index)? {
                TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace => depth += 1,
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::LeftBrace if depth > 0 => {
                    depth -= 1;
                }
                TokenKind::Comma if depth == 0 => argument += 1,
                kind @ (TokenKind::LeftParen | TokenKind::LeftBrace) => {
                    let name = index.checked_sub(1).filter(|name| self.kind(*name) == Some(TokenKind::Ident));
                    let is_literal = kind == TokenKind::LeftBrace;
                    match name {
                        Some(name) => return Some(Call { name, argument, is_literal }),
                        // An array or a map, which is a part of an argument itself.
                        None if is_literal => argument = 0,
                        None => return None,
                    }
                }
                TokenKind::LeftBracket => argument = 0,
                // A call ends before the next statement.
                kind if depth == 0 && kind.starts_statement() => return None,
                _ => {}
            }
        }
        None
    }

    /// What a name that is called refers to.
    pub fn callee(&self, name: usize) -> Option<Declaration> {
        let (symbols, known) = self.known()?;
        if let Some(alias) = self.module_before(name) {
            return symbols.declaration_in(known, alias, self.text(name));
        }
        if self.is_before(name, 1, TokenKind::Dot) {
            return None;
        }
        symbols.declaration(known, self.text(name))
    }

    /// The number of the token with which the value begins that goes on with token number `start` behind a `.`.
    pub fn chain_start(&self, mut start: usize) -> usize {
        while self.is_before(start, 1, TokenKind::Dot) {
            let Some(mut owner) = start.checked_sub(2) else { return start };
            // What is called or indexed is before the brackets.
            while self.kind(owner).is_some_and(|kind| kind.opener().is_some())
                && let Some(name) = opener(&self.tokens, owner).and_then(|open| open.checked_sub(1))
            {
                owner = name;
            }
            start = owner;
        }
        start
    }

    /// The type that a value has to have that begins with token number `start`, if it is known.
    pub fn expected(&self, start: usize) -> Option<Type> {
        let before = start.checked_sub(1)?;
        let (symbols, known) = self.known()?;
        let within = || Some(around(&self.analysis.tree(self.file)?.items, self.offset));
        match self.kind(before)? {
            TokenKind::Return => {
                let stmts = within()?;
                let StmtKind::Func(decl) = &stmts.first()?.kind else { return None };
                let function = self.analysis.declared(self.file, decl.name.span)?;
                match self.analysis.now.checked.symbols.result_types(function.at) {
                    [only] => Some(only.clone()),
                    _ => None,
                }
            }
            TokenKind::Is => {
                let stmts = within()?;
                let when = stmts
                    .iter()
                    .rev()
                    .find_map(|stmt| if let StmtKind::When(when) = &stmt.kind { Some(when) } else { None })?;
                self.value(self.tokens.partition_point(|(_, at)| at.end <= when.subject.span.end))
            }
            TokenKind::Assign => self.value(before).or_else(|| {
                // `temp x T = `
                let name = before.checked_sub(1)?;
                let alias = self.module_before(name);
                let own = symbols.type_named(known, alias, self.text(name));
                own.or_else(|| Type::primitive(self.text(name)).filter(|_| alias.is_none()))
            }),
            TokenKind::PlusAssign
            | TokenKind::MinusAssign
            | TokenKind::StarAssign
            | TokenKind::SlashAssign
            | TokenKind::PercentAssign => self.value(before),
            TokenKind::EqEq
            | TokenKind::NotEq
            | TokenKind::Less
            | TokenKind::Greater
            | TokenKind::LessEq
            | TokenKind::GreaterEq => self.value(before),
            TokenKind::LeftParen | TokenKind::Comma => {
                let call = self.call(start).filter(|call| !call.is_literal)?;
                match self.callee(call.name)? {
                    Declaration::Source(at) => symbols.parameter_types(at).get(call.argument).cloned(),
                    Declaration::Row(..) | Declaration::Library(_) => None,
                }
            }
            TokenKind::Colon => {
                let call = self.call(start).filter(|call| call.is_literal)?;
                let ty = symbols.type_named(known, self.module_before(call.name), self.text(call.name))?;
                let Type::Struct(def) = ty else { return None };
                let field = def.field_index(self.text(before.checked_sub(1)?))?;
                def.fields().get(field).map(|field| field.ty.clone())
            }
            _ => None,
        }
    }
}

impl Analysis {
    /// Whether two types are the same, each as it is known now or was when the text had no syntax errors: structs and
    /// enums are if they are declared in the same file under the same name.
    pub fn are_same(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Array(a, length), Type::Array(b, other)) => length == other && self.are_same(a, b),
            (Type::Map(key, value), Type::Map(other, b)) => {
                self.are_same(key, other) && self.are_same(value, b)
            }
            (Type::Struct(a_def), Type::Struct(b_def)) if a_def.name == b_def.name => {
                self.is_declared_as(a, b)
            }
            (Type::Enum(a_def), Type::Enum(b_def)) if a_def.name == b_def.name => self.is_declared_as(a, b),
            _ => a == b,
        }
    }

    /// Whether a struct or enum is declared where one of the same name is.
    fn is_declared_as(&self, a: &Type, b: &Type) -> bool {
        let file = |ty: &Type| {
            let declared =
                |it: &Snapshot| Some(it.source(it.checked.symbols.declared_type(ty)?.file)?.path.clone());
            declared(&self.known).or_else(|| declared(&self.now))
        };
        a == b || file(a).is_some_and(|path| file(b) == Some(path))
    }
}

/// The number of the token that opens what token number `close` closes.
fn opener(tokens: &Tokens, close: usize) -> Option<usize> {
    let mut depth = 0usize;
    for index in (0..=close).rev() {
        let (kind, _) = tokens.get(index)?;
        if kind.opener().is_some() {
            depth += 1;
        } else if kind.opens() {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(index);
            }
        }
    }
    None
}
