//! Scans the tokens that have no fixed form, from their beginning on, which `logos` has recognised: numbers in
//! `numbers`, strings and characters in `quoted`, comments here. The functions work for any kind of token, so that the
//! kinds can be declared with them.

mod numbers;
mod quoted;

use logos::{Lexer, Logos, Skip};

use super::comments::{block_length, line_length};
use ez_runtime::diagnostics::Code;
use ez_runtime::text::slice;

/// A character for a message: itself, or an escape if it is not visible.
fn visible(c: char) -> String {
    if matches!(c, '\\' | '\'' | '"') { c.to_string() } else { c.escape_debug().to_string() }
}

/// An error in the lexed text, at `start..end`.
#[derive(Debug)]
pub(super) struct LexicalError {
    pub code: Code,
    pub start: usize,
    pub end: usize,
    pub message: String,
}

/// The errors in what has been lexed.
#[derive(Debug, Default)]
pub struct LexicalErrors(pub(super) Vec<LexicalError>);

/// A kind of token of a text, whose errors are collected.
pub(super) trait Scanned<'s>: Logos<'s, Source = str, Extras = LexicalErrors> {}

impl<'s, K: Logos<'s, Source = str, Extras = LexicalErrors>> Scanned<'s> for K {}

/// Scans the rest of a token whose beginning has been recognised.
fn scan<'s, K: Scanned<'s>, T>(lexer: &mut Lexer<'s, K>, rest: impl FnOnce(&mut Scanner<'s>) -> T) -> T {
    let (at, text) = (lexer.span(), lexer.source());
    let errors = std::mem::take(&mut lexer.extras.0);
    let mut scanner = Scanner { text, start: at.start, at: at.start, errors };
    let scanned = rest(&mut scanner);
    lexer.bump(scanner.at.saturating_sub(at.end));
    lexer.extras.0 = scanner.errors;
    scanned
}

/// Whether the number is a float.
pub(super) fn number<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) -> bool {
    scan(lexer, |scanner| scanner.number())
}

pub(super) fn string<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) {
    scan(lexer, |scanner| scanner.string());
}

pub(super) fn raw_string<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) {
    scan(lexer, |scanner| scanner.raw_string());
}

pub(super) fn char_literal<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) {
    scan(lexer, |scanner| scanner.char_literal());
}

/// `// …`, to the end of the line.
pub(super) fn line_comment<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) -> Skip {
    let rest = lexer.remainder();
    lexer.bump(line_length(rest).unwrap_or(rest.len()));
    Skip
}

/// `/* … */`, not nested.
pub(super) fn block_comment<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) -> Skip {
    let rest = lexer.remainder();
    let end = block_length(rest);
    if end.is_none() {
        scan(lexer, |scanner| scanner.error(Code::E1003, 0, 2, "unclosed multi-line comment"));
    }
    lexer.bump(end.unwrap_or(rest.len()));
    Skip
}

/// A character that begins no token.
pub(super) fn illegal<'s, K: Scanned<'s>>(lexer: &mut Lexer<'s, K>) {
    let (code, message) = match lexer.slice() {
        "|" => (Code::E1002, "unexpected character '|', did you mean '||'?".to_string()),
        "#" => return,
        other => {
            let shown: String = other.chars().map(visible).collect();
            (Code::E1001, format!("illegal character '{shown}' in source"))
        }
    };
    let length = lexer.slice().len();
    scan(lexer, |scanner| scanner.error(code, 0, length, message));
}

/// A text and the position in it. The functions that scan a token move `at`.
struct Scanner<'s> {
    text: &'s str,
    /// The byte at which the token begins.
    start: usize,
    at: usize,
    errors: Vec<LexicalError>,
}

impl<'s> Scanner<'s> {
    /// The text from the current position on.
    fn rest(&self) -> &'s str {
        slice(self.text, self.at..)
    }

    /// Where some text comes next.
    fn position_of(&self, text: &str) -> Option<usize> {
        self.rest().find(text).map(|offset| self.at + offset)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn digit(&self, ahead: usize, radix: u32) -> bool {
        self.peek(ahead).is_some_and(|b| (b as char).is_digit(radix))
    }

    /// Whether the line ends here.
    fn line_end(&self) -> bool {
        matches!(self.peek(0), None | Some(b'\n'))
    }

    /// Skips one character of any length.
    fn skip_char(&mut self) {
        self.at += 1;
        while self.peek(0).is_some_and(|b| b & 0xC0 == 0x80) {
            self.at += 1;
        }
    }

    /// Reports an error `length` bytes long, `offset` bytes after the beginning of the token.
    fn error(&mut self, code: Code, offset: usize, length: usize, message: impl Into<String>) {
        let start = self.start + offset;
        self.errors.push(LexicalError { code, start, end: start + length, message: message.into() });
    }
}
