//! Values that clients send back as they were shown.

use std::path::Path;

use ez_language::syntax::{TokenKind, lex};
use ez_runtime::source::SourceMap;

/// The value `text` in EZ, given as this protocol writes it: the brackets of arrays become braces. In EZ no value begins
/// with a bracket, so the text of an expression stays what it is. Its length does not change.
pub fn entered(text: &str) -> String {
    let nameless = "";
    let source = SourceMap::new().add(nameless, Path::new(nameless), text);
    let mut bytes: Vec<char> = text.chars().collect();
    let mut put = |offset: u32, brace: char| {
        let at = text.get(..offset as usize).map_or(0, |before| before.chars().count());
        if let Some(place) = bytes.get_mut(at) {
            *place = brace;
        }
    };
    // The open delimiters, and whether each is the bracket of an array.
    let mut open: Vec<(TokenKind, bool)> = Vec::new();
    let mut before = None;
    for token in lex(&source).0 {
        match token.kind {
            TokenKind::LeftBracket => {
                let begins = matches!(
                    before,
                    None | Some(
                        TokenKind::LeftBracket | TokenKind::LeftBrace | TokenKind::Comma | TokenKind::Colon
                    )
                );
                // In the parentheses of a call it may begin a type.
                let is_array = begins && open.iter().all(|(kind, _)| *kind != TokenKind::LeftParen);
                if is_array {
                    put(token.span.start, '{');
                }
                open.push((token.kind, is_array));
            }
            kind if kind.opens() => open.push((kind, false)),
            kind if kind.opener().is_some() => {
                let closes_array = open.pop() == Some((TokenKind::LeftBracket, true));
                if closes_array && token.kind == TokenKind::RightBracket {
                    put(token.span.start, '}');
                }
            }
            _ => {}
        }
        before = Some(token.kind);
    }
    bytes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_may_have_brackets() {
        for (text, ez) in [
            ("[1, 2]", "{1, 2}"),
            ("[]", "{}"),
            ("{\"a]\": [1, [2]], \"é\": []}", "{\"a]\": {1, {2}}, \"é\": {}}"),
            ("P{x: [1], y: a[0]}", "P{x: {1}, y: a[0]}"),
            ("[a[1], m[\"[k]\"][2]]", "{a[1], m[\"[k]\"][2]}"),
            ("a[b[0]] + 1", "a[b[0]] + 1"),
            ("cast(x, [int])", "cast(x, [int])"),
            ("[1, 2", "{1, 2"),
            ("x]", "x]"),
        ] {
            assert_eq!(entered(text), ez);
        }
    }
}
