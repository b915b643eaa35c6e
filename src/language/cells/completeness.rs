//! Whether a text that is being typed can be run as a cell.

use std::path::Path;

use crate::syntax::token::TokenKind;
use crate::syntax::{lex, parse_expression, parse_file};
use ez_runtime::diagnostics::{Code, Severity};
use ez_runtime::source::SourceMap;

/// How far a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// It can be run.
    Complete,
    /// Further lines must follow, of which the first is usually indented by this many blocks.
    Incomplete {
        /// Number of blocks that are open.
        depth: usize,
    },
    /// It has an error that no further line can mend.
    Invalid,
}

/// Whether the next line must belong to the text: something is open at its end (a brace, parenthesis, bracket, raw string
/// or comment), or its last sign needs a value after it.
pub fn is_open(text: &str) -> bool {
    match open_delimiters(text) {
        Open::Some(_) => true,
        Open::Wrong => false,
        Open::None => wants_value(text),
    }
}

/// Whether the last token is one that a value has to follow.
fn wants_value(text: &str) -> bool {
    let source = SourceMap::new().add("", Path::new(""), text);
    let (tokens, errors) = lex(&source);
    let last = tokens.iter().rev().find(|token| token.kind != TokenKind::Eof);
    errors.is_empty() && last.is_some_and(|last| last.kind.wants_value())
}

/// How far a text is.
pub fn completeness(text: &str) -> Completeness {
    match open_delimiters(text) {
        Open::Some(depth) => return Completeness::Incomplete { depth },
        Open::Wrong => return Completeness::Invalid,
        Open::None if wants_value(text) => return Completeness::Incomplete { depth: 0 },
        Open::None => {}
    }
    let source = SourceMap::new().add("", Path::new(""), text);
    let is_error = |severity| severity == Severity::Error;
    if !parse_expression(&source).1.iter().any(|d| is_error(d.severity())) {
        return Completeness::Complete;
    }
    // The imports of earlier cells are not known here.
    let parsed = parse_file(&source);
    if parsed.diagnostics.iter().any(|d| is_error(d.severity()) && d.code != Code::E2010) {
        Completeness::Invalid
    } else {
        Completeness::Complete
    }
}

enum Open {
    None,
    /// So many blocks are open, or something else if none is.
    Some(usize),
    /// A delimiter is closed that is not open.
    Wrong,
}

fn open_delimiters(text: &str) -> Open {
    let source = SourceMap::new().add("", Path::new(""), text);
    let (tokens, errors) = lex(&source);
    let mut open = Vec::new();
    for token in tokens {
        if token.kind.opens() {
            open.push(token.kind);
        } else if let Some(opener) = token.kind.opener()
            && open.pop() != Some(opener)
        {
            return Open::Wrong;
        }
    }
    let unfinished = errors.iter().any(|d| matches!(d.code, Code::E1003 | Code::E1017));
    match open.iter().filter(|kind| **kind == TokenKind::LeftBrace).count() {
        0 if open.is_empty() && !unfinished => Open::None,
        blocks => Open::Some(blocks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_complete_or_not() {
        let cases = [
            ("", Completeness::Complete),
            ("1 + 1", Completeness::Complete),
            ("do f() {", Completeness::Incomplete { depth: 1 }),
            ("do f() {\n if true {", Completeness::Incomplete { depth: 2 }),
            ("println(", Completeness::Incomplete { depth: 0 }),
            ("/* begun", Completeness::Incomplete { depth: 0 }),
            ("do f() {}", Completeness::Complete),
            ("println(1))", Completeness::Invalid),
            ("temp x int =", Completeness::Incomplete { depth: 0 }),
            ("1 +", Completeness::Incomplete { depth: 0 }),
            ("n %=", Completeness::Incomplete { depth: 0 }),
            ("a !in", Completeness::Incomplete { depth: 0 }),
            ("a in", Completeness::Incomplete { depth: 0 }),
            ("math.", Completeness::Incomplete { depth: 0 }),
            ("i++", Completeness::Complete),
            ("temp x int = = ) 1", Completeness::Invalid),
            ("temp x", Completeness::Invalid),
        ];
        for (text, expected) in cases {
            assert_eq!(completeness(text), expected, "{text:?}");
        }
    }
}
