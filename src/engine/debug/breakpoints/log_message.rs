//! Log messages: text with expressions in braces.

use std::iter::Peekable;
use std::str::CharIndices;

use crate::api::{Failure, Position};
use ez_runtime::diagnostics::Code;
use ez_runtime::text::slice;

/// A piece of a log message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Literal text.
    Text(String),
    /// An expression, to be replaced by its value, and its place in the message.
    Expression(String, Position),
}

/// Splits a log message into pieces. `{{` and `}}` stand for braces. Braces and quotes inside an expression
/// are matched, as in `{map["}"]}`.
///
/// # Errors
/// What is wrong with the braces, for the client.
pub(crate) fn pieces(message: &str) -> Result<Vec<Piece>, Failure> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut chars = message.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '{' | '}' if chars.next_if(|(_, next)| *next == c).is_some() => text.push(c),
            '}' => {
                return Err(wrong_braces(
                    message,
                    (Code::E2003Closer, at),
                    "'}' without '{' before it ('}}' means '}')",
                ));
            }
            '{' => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Expression(expression(message, at, &mut chars)?, place(message, at + 1)));
            }
            c => text.push(c),
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// Reads the expression after the `{` at a byte of the message, up to its `}`.
fn expression(message: &str, open: usize, chars: &mut Peekable<CharIndices>) -> Result<String, Failure> {
    let mut text = String::new();
    let mut depth = 0u32;
    let mut quote = None;
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                text.push(c);
                text.extend(chars.next().map(|(_, c)| c));
                continue;
            }
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') if depth > 0 => depth -= 1,
            (None, '}') if text.trim().is_empty() => {
                return Err(wrong_braces(message, (Code::E2003, at), "there is no expression in '{}'"));
            }
            (None, '}') => return Ok(text),
            _ => {}
        }
        text.push(c);
    }
    Err(wrong_braces(message, (Code::E2007, open), "'{' without '}' after it ('{{' means '{')"))
}

fn wrong_braces(message: &str, (code, at): (Code, usize), why: &str) -> Failure {
    Failure::wrong_expression(code, Some(place(message, at)), format!("wrong log message: {why}"))
}

/// The position of a byte of a text.
fn place(text: &str, at: usize) -> Position {
    let before = slice(text, ..at);
    let line = before.rsplit('\n').next().unwrap_or_default();
    Position { line: before.matches('\n').count() as u32 + 1, column: line.chars().count() as u32 + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> Result<String, Failure> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => format!("[{text}]"),
            Piece::Expression(text, _) => format!("<{text}>"),
        };
        pieces(message).map(|pieces| pieces.iter().map(piece).collect())
    }

    #[test]
    fn messages_are_text_and_expressions() {
        for (message, expected) in [
            ("", ""),
            ("plain", "[plain]"),
            ("i = {i}, j = {j + 1}!", "[i = ]<i>[, j = ]<j + 1>[!]"),
            ("{{not}} {yes}", "[{not} ]<yes>"),
            ("{m[\"}\"]}", "<m[\"}\"]>"),
            ("{{\"a\": 1}}", "[{\"a\": 1}]"),
            ("{Point{x: 1}.x}", "<Point{x: 1}.x>"),
            ("{f(\"\\\"}\")}", "<f(\"\\\"}\")>"),
        ] {
            assert_eq!(shown(message).as_deref().ok(), Some(expected));
        }
    }

    #[test]
    fn braces_have_to_match() {
        for (message, part, (line, column)) in [
            ("a } b", "without '{'", (1, 3)),
            ("é\n {x", "without '}'", (2, 2)),
            ("{ }", "no expression", (1, 3)),
        ] {
            let failure = shown(message).expect_err(message);
            assert!(failure.message.contains(part), "{message}");
            let position = failure.wrong.and_then(|wrong| wrong.position);
            assert_eq!(position, Some(Position { line, column }), "{message}");
        }
    }

    #[test]
    fn expressions_have_a_place() {
        let pieces = pieces("{{é}}\n {a} {\nb}").expect("it is right");
        let places = pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Expression(_, place) => Some((place.line, place.column)),
        });
        assert_eq!(places.collect::<Vec<_>>(), [(2, 3), (2, 7)]);
    }
}
