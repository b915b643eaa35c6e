//! Log messages: text with expressions in braces.

/// A piece of a log message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Literal text.
    Text(String),
    /// An expression, to be replaced by its value.
    Expression(String),
}

/// Splits a log message into pieces. `{{` and `}}` stand for braces. Braces and quotes inside an expression
/// are matched, as in `{map["}"]}`.
///
/// # Errors
/// What is wrong with the braces, for the client.
pub(crate) fn pieces(message: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                text.push(c);
            }
            '}' => return Err("wrong log message: '}' without '{' before it ('}}' means '}')".into()),
            '{' => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Expression(expression(&mut chars)?));
            }
            c => text.push(c),
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// Reads the expression after a `{`, up to its `}`.
fn expression(chars: &mut impl Iterator<Item = char>) -> Result<String, String> {
    let mut text = String::new();
    let mut depth = 0u32;
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                text.push(c);
                text.extend(chars.next());
                continue;
            }
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') if depth > 0 => depth -= 1,
            (None, '}') if text.trim().is_empty() => {
                return Err("wrong log message: there is no expression in '{}'".into());
            }
            (None, '}') => return Ok(text),
            _ => {}
        }
        text.push(c);
    }
    Err("wrong log message: '{' without '}' after it ('{{' means '{')".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> Result<String, String> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => format!("[{text}]"),
            Piece::Expression(text) => format!("<{text}>"),
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
            assert_eq!(shown(message).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn braces_have_to_match() {
        for (message, part) in [("a } b", "without '{'"), ("{x", "without '}'"), ("{ }", "no expression")] {
            assert!(shown(message).expect_err(message).contains(part));
        }
    }
}
