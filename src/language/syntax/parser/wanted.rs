//! What may be written at a place of a text that is not complete: the parser says it when it comes there.

use super::{Parser, origin};
use crate::syntax::lexer;
use crate::syntax::token::{Token, TokenKind};
use ez_runtime::source::{SourceFile, Span};

/// What the grammar takes where a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Value,
    /// A type, however it is written.
    Type,
    /// A type that is one name: the target of `cast`, the keys of a map.
    TypeName,
    /// The name of a struct, in `new(…)`.
    Struct,
    /// `int`, `float` or `string`, on which an enum is based.
    EnumBase,
    /// The name of what is declared there, or a code: nothing that is known already.
    New,
    /// The name of an imported module, behind `using`.
    Module,
    /// What is imported: `@name`, or a path.
    Import,
    /// `in`, behind the variable of a loop.
    In,
}

/// What may be written at an offset of a text, instead of the word that begins there, if one does; `None` where the
/// grammar takes anything else, and where an error before it keeps the parser from coming there.
pub fn wanted(file: &SourceFile, offset: u32) -> Option<Wanted> {
    let (mut tokens, _) = lexer::lex(file);
    let index = tokens.partition_point(|token| token.span.start < offset);
    // Within a string.
    if index.checked_sub(1).and_then(|last| tokens.get(last)).is_some_and(|last| last.span.end > offset) {
        return None;
    }
    let is_word = |token: &Token| token.kind == TokenKind::Ident || token.kind.is_keyword();
    let replaced = tokens.get(index).filter(|token| token.span.start == offset && is_word(token)).copied();
    let span = replaced.map_or(Span { file: file.id, start: offset, end: offset }, |token| token.span);
    let (offset, length) = (span.start, span.end - span.start);
    let word = Token { kind: TokenKind::Ident, text: "x", span, offset, length };
    tokens.splice(index..index + usize::from(replaced.is_some()), [word]);
    let mut parser = Parser { asked: Some(index), ..Parser::new(origin(file), tokens) };
    parser.file();
    parser.wanted
}
