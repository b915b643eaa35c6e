//! Strings: escapes and interpolation.
//!
//! Escapes are processed first, in the whole string; then it is split at each `${`. The text between
//! the braces is lexed and parsed on its own, with a table that maps its bytes to places in the file.

use super::Parser;
use crate::syntax::ast::{Expr, ExprKind, InterpPart};
use crate::syntax::lexer::{self, Origin};
use crate::syntax::token::{Token, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic, Fix};
use ez_runtime::source::{FileId, SourceFile, Span};
use ez_runtime::text::slice;

/// A string after its escapes.
struct Processed {
    text: String,
    /// The place in the file of each byte of `text`, and of its end.
    places: Vec<u32>,
}

/// The byte that an escape denotes and its length in `rest`, the text after the backslash; `None` for
/// escapes that the lexer has rejected.
fn escape(rest: &[u8]) -> Option<(u8, usize)> {
    Some(match rest {
        [b'n', ..] => (b'\n', 1),
        [b't', ..] => (b'\t', 1),
        [b'r', ..] => (b'\r', 1),
        [b'0', ..] => (0, 1),
        [c @ (b'\\' | b'"' | b'\''), ..] => (*c, 1),
        [b'x', high, low, ..] => {
            let high = (*high as char).to_digit(16)?;
            let low = (*low as char).to_digit(16)?;
            ((high * 16 + low) as u8, 3)
        }
        _ => return None,
    })
}

/// The value of a char literal; what the lexer has rejected is U+FFFD.
pub(super) fn char_value(text: &str) -> char {
    let value = match text.as_bytes() {
        [b'\\', rest @ ..] => escape(rest).map(|(byte, _)| byte as char),
        _ => text.chars().next(),
    };
    value.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// What is meant by a text between the quotes of a string, `${…}` left as it is.
pub fn unescaped(written: &str) -> String {
    let file = FileId(0);
    let token =
        Token { kind: TokenKind::Str, text: written, span: Span::new(file, 0, 0), offset: 0, length: 0 };
    unescape(token, &Origin { file, text: written, map: None }).text
}

/// Processes the escapes of a string token.
fn unescape(token: Token<'_>, origin: &Origin<'_>) -> Processed {
    let raw = token.text.as_bytes();
    let first = token.offset as usize + 1;
    let mut bytes = Vec::with_capacity(raw.len());
    let mut places = Vec::with_capacity(raw.len() + 1);
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        places.push(origin.place(first + at));
        let escaped = if byte == b'\\' { escape(raw.get(at + 1..).unwrap_or(&[])) } else { None };
        match escaped {
            Some((value, len)) => {
                bytes.push(value);
                at += 1 + len;
            }
            None => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    places.push(origin.place(first + raw.len()));
    match String::from_utf8(bytes) {
        Ok(text) => Processed { text, places },
        Err(error) => lossy(error.as_bytes(), &places),
    }
}

/// Like [`unescape`], with everything replaced that is not UTF-8.
fn lossy(bytes: &[u8], places: &[u32]) -> Processed {
    let mut result = Processed { text: String::new(), places: Vec::new() };
    let mut from = places.iter().copied();
    let mut last = 0;
    for chunk in bytes.utf8_chunks() {
        result.text.push_str(chunk.valid());
        result.places.extend(from.by_ref().take(chunk.valid().len()));
        if !chunk.invalid().is_empty() {
            let place = from.by_ref().take(chunk.invalid().len()).next();
            from = places
                .get(last + chunk.valid().len() + chunk.invalid().len()..)
                .unwrap_or(&[])
                .iter()
                .copied();
            result.text.push(char::REPLACEMENT_CHARACTER);
            let width = char::REPLACEMENT_CHARACTER.len_utf8();
            result.places.extend(std::iter::repeat_n(place.unwrap_or(0), width));
        }
        last += chunk.valid().len() + chunk.invalid().len();
    }
    result.places.extend(places.last());
    result
}

/// `text` split at the first `${` and its `}`: what is before, the expression, what is after.
fn split_part(text: &str) -> Option<Result<(&str, &str, &str), ()>> {
    let (before, rest) = text.split_once("${")?;
    let mut depth = 1usize;
    for (index, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let (inner, behind) = rest.split_at_checked(index)?;
            return Some(Ok((before, inner, behind.strip_prefix('}').unwrap_or(behind))));
        }
    }
    Some(Err(()))
}

/// Where a `$` stands directly before a name or digit, and how far that goes.
fn bare_dollar(text: &str) -> Option<(usize, &str)> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let bytes = text.as_bytes();
    let start = bytes.windows(2).position(|pair| matches!(pair, [b'$', next] if word(*next)))?;
    let len = bytes.iter().skip(start + 1).take_while(|b| word(**b)).count();
    text.get(start..start + 1 + len).map(|name| (start, name))
}

impl Parser<'_> {
    /// A string token as an expression.
    pub(super) fn string(&mut self) -> Option<Expr> {
        let token = self.bump();
        let expr = |kind| Some(Expr { span: token.span, at: token.span, kind });
        self.height = 1;
        if !token.text.contains(['\\', '$']) {
            return expr(ExprKind::Str(token.text.into()));
        }
        let processed = unescape(token, &self.origin);
        if let Some((start, name)) = bare_dollar(&processed.text) {
            let message =
                format!("invalid interpolation syntax '{name}'; use ${{...}} for string interpolation");
            let place = processed.places.get(start).copied().unwrap_or(token.span.start);
            let span = Span { start: place, end: place + 1, ..token.span };
            let end = processed.places.get(start + name.len()).copied().unwrap_or(span.end);
            // `$5` may be a price.
            let word = name.trim_start_matches('$');
            let is_name = word.starts_with(|c: char| !c.is_ascii_digit());
            let fix = Fix::certain(Span { end, ..span }, format!("${{{word}}}")).only_if(is_name);
            self.report(Diagnostic::new(Code::E2057, span, message).fixed_by(fix));
        }
        if !processed.text.contains("${") {
            return expr(ExprKind::Str(processed.text.into()));
        }
        match self.interpolation(token, &processed) {
            Some(parts) => {
                self.grow(0)?;
                expr(ExprKind::Interp(parts))
            }
            None => expr(ExprKind::Str(processed.text.into())),
        }
    }

    fn interpolation(&mut self, token: Token<'_>, processed: &Processed) -> Option<Vec<InterpPart>> {
        let mut parts = Vec::new();
        let mut height = 1;
        let mut rest = processed.text.as_str();
        while let Some(split) = split_part(rest) {
            let Ok((before, inner, behind)) = split else {
                self.error(Code::E2007, token.span, "unclosed interpolation in string");
                return None;
            };
            if !before.is_empty() {
                parts.push(InterpPart::Text(before.into()));
            }
            let start = processed.text.len() - rest.len() + before.len() + 2;
            let places = processed.places.get(start..=start + inner.len()).unwrap_or(&[]);
            if let Some(expr) = self.interpolated(token, inner, places) {
                parts.push(InterpPart::Expr(expr));
            }
            height = self.height.max(height);
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(InterpPart::Text(rest.into()));
        }
        self.height = height;
        Some(parts)
    }

    /// The expression of one `${…}`. Errors in it do not affect the statement around it.
    fn interpolated(&mut self, string: Token<'_>, text: &str, places: &[u32]) -> Option<Expr> {
        if text.is_empty() {
            let close = places.first().copied().unwrap_or(string.span.start);
            let span = Span { start: close.saturating_sub(2), end: close + 1, ..string.span };
            self.error(Code::E2002, span, "empty interpolation in string");
            return None;
        }
        let origin = Origin { file: self.origin.file, text, map: Some(places) };
        let (tokens, errors) = lexer::lex_text(origin);
        let mut inner = Parser { end: "'}'", depth: self.depth, ..Parser::new(origin, tokens) };
        let expr = inner.expression();
        let rest = inner.tok();
        // A lexical error is reported if it is in the expression or directly after it.
        let read = |d: &Diagnostic| expr.is_none() || d.span.is_none_or(|s| s.start <= rest.span.start);
        if errors.iter().any(read) {
            // Later errors are follow-ups of the first.
            for error in errors.into_iter().take(1) {
                let at = error.span.unwrap_or(string.span);
                let mut report = Diagnostic::new(Code::E1001Interpolation, at, error.message);
                (report.help, report.fix) = (error.help, error.fix);
                self.report(report);
            }
            return None;
        }
        if expr.is_some() && rest.kind != TokenKind::Eof {
            let message = match rest.kind {
                TokenKind::Amp => "& is not a valid binary operator in expressions".to_string(),
                TokenKind::Illegal => format!("illegal character '{}' in expression", rest.text),
                _ => format!("unexpected token '{}' in interpolated expression", rest.text),
            };
            inner.error(Code::E2001, rest.span, message);
        }
        self.height = inner.height;
        let nesting_exceeded = inner.nesting_exceeded;
        self.diagnostics.append(&mut inner.diagnostics);
        if nesting_exceeded {
            self.nesting_exceeded = true;
            self.pos = self.tokens.len().saturating_sub(1);
        }
        expr.filter(|_| !nesting_exceeded)
    }
}

/// The tokens of a file, the last one `Eof`, where a string with `${…}` is replaced by its parts in their order: what is
/// literal as `Str`, and the tokens of each expression.
pub fn lex_deeply(file: &SourceFile) -> Vec<(TokenKind, Span)> {
    let origin = Origin { file: file.id, text: &file.text, map: None };
    let mut found = Vec::with_capacity(file.text.len() / 4 + 1);
    deep_tokens(&origin, 0, &mut found);
    found
}

/// How deep strings are looked at within the `${…}` of strings.
const DEEPEST: usize = 8;

fn deep_tokens(origin: &Origin<'_>, depth: usize, found: &mut Vec<(TokenKind, Span)>) {
    for token in lexer::lex_text(*origin).0 {
        if token.kind == TokenKind::Eof && depth > 0 {
            return;
        }
        if token.kind != TokenKind::Str || depth == DEEPEST || !token.text.contains("${") {
            found.push((token.kind, token.span));
            continue;
        }
        let processed = unescape(token, origin);
        let place = |at: usize| processed.places.get(at).copied().unwrap_or(token.span.end);
        let mut rest = processed.text.as_str();
        let mut from = token.span.start;
        while let Some(at) = rest.find("${") {
            let start = processed.text.len() - rest.len() + at + 2;
            // What is not closed goes to the end.
            let inner = match split_part(rest) {
                Some(Ok((_, inner, _))) => inner,
                Some(Err(())) | None => slice(rest, at + 2..),
            };
            let end = start + inner.len();
            found.push((TokenKind::Str, Span { start: from, end: place(start), ..token.span }));
            let places = processed.places.get(start..=end).unwrap_or(&[]);
            deep_tokens(&Origin { file: origin.file, text: inner, map: Some(places) }, depth + 1, found);
            from = place(end);
            rest = slice(&processed.text, end..);
        }
        found.push((TokenKind::Str, Span { start: from, ..token.span }));
    }
}
