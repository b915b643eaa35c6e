//! A program, formatted: it has the same tokens, comments and tree, can still be parsed, has no blanks at the ends of
//! lines, and formatting again changes nothing. Time and memory are in proportion to its length.

use std::path::Path;
use std::rc::Rc;

use ez_language::format::format;
use ez_language::syntax::{Token, comments, lex, parse_file};
use ez_runtime::diagnostics::has_errors;
use ez_runtime::source::{SourceFile, SourceMap};

use super::cost::within;

/// How much longer than its text a formatted program can be: at most, each byte gets a line with its indentation.
const LONGER: usize = 300;

/// A text as a file.
pub fn file(text: &str) -> Rc<SourceFile> {
    SourceMap::new().add("a.ez", Path::new("/a.ez"), text)
}

fn texts(tokens: &[Token<'_>]) -> Vec<String> {
    tokens.iter().map(|token| format!("{:?} {}", token.kind, token.text)).collect()
}

/// The comments between the tokens, without blanks at their ends.
pub fn comments_of(file: &SourceFile, tokens: &[Token<'_>]) -> Vec<String> {
    let mut from = 0;
    let mut found = Vec::new();
    for token in tokens {
        let gap = &file.text[from..token.span.start as usize];
        found.extend(comments::comments(gap).map(|comment| comment.text.trim_end().to_string()));
        from = token.span.end as usize;
    }
    found
}

/// The tree without places.
pub fn tree(file: &SourceFile) -> String {
    let tree = format!("{:?}", parse_file(file).file);
    let mut parts = tree.split("Span {");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('}').map_or("", |(_, rest)| rest));
    std::iter::once(first).chain(rest).collect()
}

pub fn target(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let before = file(&text);
    let parses = !has_errors(&parse_file(&before).diagnostics);
    let result = within(text.len(), "format", || format(&before));
    assert_eq!(result.is_ok(), parses, "what can be parsed is formatted, nothing else");
    let Ok(formatted) = result else { return };
    let after = file(&formatted);
    let (old, new) = (lex(&before).0, lex(&after).0);
    assert_eq!(texts(&old), texts(&new), "tokens differ in\n{formatted}");
    assert_eq!(comments_of(&before, &old), comments_of(&after, &new), "comments differ in\n{formatted}");
    assert!(!has_errors(&parse_file(&after).diagnostics), "errors in\n{formatted}");
    assert!(tree(&before) == tree(&after), "the tree differs in\n{formatted}");
    let again = format(&after).expect("what can be parsed is formatted");
    assert!(again == formatted, "formatted again: first\n{formatted}\nthen\n{again}");
    assert!(formatted.len() < 1000 + LONGER * text.len(), "{} bytes of {}", formatted.len(), text.len());
}
