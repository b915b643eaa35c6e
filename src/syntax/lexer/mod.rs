//! The lexer. `logos` recognises most tokens; comments, strings, chars and numbers are scanned by hand after
//! `logos` has found their beginning.

mod numbers;

use logos::{Lexer, Logos, Skip};

use super::token::{Token, TokenKind};
use crate::diagnostics::{Code, Diagnostic};
use crate::source::{FileId, SourceFile, Span};

pub(crate) use numbers::int;

/// Results of the hand-written scanners: errors, with offsets in the lexed text, and the kind of the last
/// number.
#[derive(Debug, Default)]
pub struct Extras {
    errors: Vec<(Code, usize, usize, String)>,
    is_float: bool,
}

type Lex<'s> = Lexer<'s, TokenKind>;

/// A text to lex, and the position of its bytes in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'t> {
    pub(crate) file: FileId,
    pub(crate) text: &'t str,
    /// For text that is not contiguous in the file: the offset in the file of each byte, and of the end.
    pub(crate) map: Option<&'t [u32]>,
}

impl Origin<'_> {
    /// The offset in the file for `offset` in the text.
    pub(crate) fn place(&self, offset: usize) -> u32 {
        match self.map {
            None => offset as u32,
            Some(map) => map.get(offset).or(map.last()).copied().unwrap_or(0),
        }
    }

    /// The span in the file for `start..end` in the text.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let first = self.place(start);
        let last = match (self.map, end.checked_sub(1)) {
            (Some(_), Some(last)) if end > start => self.place(end).max(self.place(last) + 1),
            _ => self.place(end),
        };
        Span { file: self.file, start: first, end: last.max(first) }
    }
}

/// All tokens of a file, the last one `Eof`, and all lexical errors in source order.
pub fn lex(file: &SourceFile) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    lex_text(Origin { file: file.id, text: &file.text, map: None })
}

/// The same for any text.
pub(crate) fn lex_text(origin: Origin<'_>) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    // A NUL byte ends the source wherever it stands.
    let text = origin.text.split('\0').next().unwrap_or("");
    let mut lexer = TokenKind::lexer(text);
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    while let Some(result) = lexer.next() {
        let range = lexer.span();
        let kind = match result {
            Ok(TokenKind::Int) if lexer.extras.is_float => TokenKind::Float,
            Ok(kind) => kind,
            Err(()) => {
                illegal(&mut lexer);
                TokenKind::Illegal
            }
        };
        tokens.push(Token {
            kind,
            text: unquoted(kind, lexer.slice()),
            span: origin.span(range.start, range.end),
            offset: range.start as u32,
        });
    }
    let end = text.len();
    tokens.push(Token { kind: TokenKind::Eof, text: "", span: origin.span(end, end), offset: end as u32 });
    let mut errors = std::mem::take(&mut lexer.extras.errors);
    errors.sort_by_key(|error| error.1);
    let report = |(code, start, end, message)| {
        let bad = text.get(start..end).unwrap_or_default();
        let help = match code {
            Code::E1016 => Some(point_help(bad, text.get(end..).unwrap_or_default())),
            _ => help(code, bad).map(String::from),
        };
        Diagnostic::new(code, origin.span(start, end), message).maybe_help(help)
    };
    (tokens, errors.into_iter().map(report).collect())
}

/// The offset after the parenthesis that closes the one at `open`, a byte offset in the file; `None` if there
/// is none. Only the text between them is lexed.
pub fn closing_parenthesis(file: &SourceFile, open: u32) -> Option<u32> {
    let mut lexer = TokenKind::lexer(file.text.get(open as usize..)?);
    let mut depth = 0u32;
    while let Some(result) = lexer.next() {
        match result {
            Ok(TokenKind::LeftParen) => depth += 1,
            Ok(TokenKind::RightParen) => depth = depth.checked_sub(1)?,
            Ok(_) => {}
            Err(()) => illegal(&mut lexer),
        }
        if depth == 0 {
            return Some(open + lexer.span().end as u32);
        }
    }
    None
}

/// Help for a lexical error with `code` in the text `bad`.
fn help(code: Code, bad: &str) -> Option<&'static str> {
    Some(match (code, bad.chars().next()?) {
        (Code::E1001, '\u{feff}') => "an invisible byte order mark: save the file as UTF-8 without BOM",
        (Code::E1001, '\u{a0}' | '\u{2000}'..='\u{200f}' | '\u{3000}') => {
            "an invisible character, perhaps pasted from a web page: remove it, or put an ordinary space there"
        }
        (Code::E1001, '“' | '”' | '„' | '«' | '»' | '″') => {
            "text stands between straight quotes: \"...\""
        }
        (Code::E1001, '‘' | '’' | '‚' | '´' | '′') => {
            "a character stands between straight quotes: 'a'"
        }
        (Code::E1001, '?') => "EZ has no '? :': use 'if' and 'otherwise'",
        (Code::E1001, '^') => "EZ has no '^': math.pow(a, b) raises to a power",
        (Code::E1001, '~') => "EZ has no bit operators",
        (Code::E1001, '$') => "a value is put into a text with ${...}, inside the quotes",
        (Code::E1001, '\\') => {
            "statements may go on in the next line without '\\'; only strings have escapes"
        }
        (Code::E1001, '×' | '·') => "multiplication is written '*'",
        (Code::E1001, '÷') => "division is written '/'",
        (Code::E1001, '–' | '—' | '−') => "minus is written '-'",
        (Code::E1001, '≤' | '≥' | '≠') => "comparisons are written '<=', '>=' and '!='",
        (Code::E1001, c) if c.is_alphabetic() => "names consist of the letters a-z and A-Z, digits and '_'",
        (Code::E1004, _) => "a string ends in the line in which it begins; write \\n for a line end inside",
        (Code::E1006 | Code::E1007, _) => {
            "the escapes are \\n \\t \\r \\0 \\\\ \\\" \\' and \\xHH; a '\\' itself is written '\\\\'"
        }
        (Code::E1008, _) => "an empty text is written \"\"",
        (Code::E1009, _) => "text of more than one character stands between double quotes: \"...\"",
        _ => return None,
    })
}

/// Help for a number with a point that no digit follows; `rest` begins with the point.
fn point_help(number: &str, rest: &str) -> String {
    let Some(rest) = rest.strip_prefix("..") else { return format!("write {number}.0") };
    let inclusive = rest.starts_with(['=', '.']);
    let rest = rest.trim_start_matches(['=', '.', '<', ' ']);
    let end: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let end = match (end.parse::<i64>(), inclusive) {
        _ if end.is_empty() => "end".to_string(),
        (Ok(last), true) => last.saturating_add(1).to_string(),
        (Err(_), true) => format!("{end} + 1"),
        _ => end,
    };
    format!("the numbers from {number} on, without the end itself, are written range({number}, {end})")
}

/// A character for a message: itself, or an escape if it is not visible.
fn visible(c: char) -> String {
    if matches!(c, '\\' | '\'' | '"') { c.to_string() } else { c.escape_debug().to_string() }
}

fn unquoted(kind: TokenKind, slice: &str) -> &str {
    let quote = match kind {
        TokenKind::Str => '"',
        TokenKind::RawStr => '`',
        TokenKind::Char => '\'',
        _ => return slice,
    };
    let inner = slice.strip_prefix(quote).unwrap_or(slice);
    inner.strip_suffix(quote).unwrap_or(inner)
}

fn illegal(lexer: &mut Lex<'_>) {
    let range = lexer.span();
    let error = match lexer.slice() {
        "|" => (Code::E1002, "unexpected character '|', did you mean '||'?".to_string()),
        other => {
            let shown: String = other.chars().map(visible).collect();
            (Code::E1001, format!("illegal character '{shown}' in source"))
        }
    };
    lexer.extras.errors.push((error.0, range.start, range.end, error.1));
}

/// Scans the rest of a token that `logos` has found the start of. Offsets are relative to the token.
struct Scanner<'s> {
    bytes: &'s [u8],
    start: usize,
    at: usize,
}

impl<'s> Scanner<'s> {
    fn new(lexer: &Lex<'s>) -> Scanner<'s> {
        let start = lexer.span().start;
        Scanner {
            bytes: lexer.source().as_bytes().get(start..).unwrap_or(&[]),
            start,
            at: lexer.slice().len(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn digit(&self, ahead: usize, radix: u32) -> bool {
        self.peek(ahead).is_some_and(|b| (b as char).is_digit(radix))
    }

    /// Whether the line ends here.
    fn line_end(&self) -> bool {
        matches!(self.peek(0), None | Some(b'\n'))
    }

    fn finish(self, lexer: &mut Lex<'s>) {
        lexer.bump(self.at - lexer.slice().len());
    }

    fn error(&self, extras: &mut Extras, code: Code, at: usize, len: usize, message: impl Into<String>) {
        let start = self.start + at;
        extras.errors.push((code, start, start + len, message.into()));
    }

    /// The character (which may be several bytes) at `at`, as text.
    fn shown(&self, at: usize) -> String {
        let rest = self.bytes.get(at..).unwrap_or(&[]);
        let first = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        first.map_or(String::new(), visible)
    }

    /// Skips one character of any length.
    fn skip_char(&mut self) {
        self.at += 1;
        while self.peek(0).is_some_and(|b| b & 0xC0 == 0x80) {
            self.at += 1;
        }
    }
}

const BAD_HEX: &str = "invalid hex escape sequence: expected two hex digits after \\x";

/// `/* … */`, not nested.
pub(crate) fn comment(lexer: &mut Lex<'_>) -> Skip {
    let remainder = lexer.remainder();
    match remainder.find("*/") {
        Some(end) => lexer.bump(end + 2),
        None => {
            let range = lexer.span();
            lexer.extras.errors.push((
                Code::E1003,
                range.start,
                range.end,
                "unclosed multi-line comment".to_string(),
            ));
            lexer.bump(remainder.len());
        }
    }
    Skip
}

/// `"…"`: to the closing quote of the line. Inside `${…}` quotes and backslashes mean nothing.
pub(crate) fn string(lexer: &mut Lex<'_>) {
    let mut scan = Scanner::new(lexer);
    let mut depth = 0usize;
    loop {
        if scan.line_end() {
            scan.error(&mut lexer.extras, Code::E1004, 0, 1, "unclosed string literal");
            break;
        }
        match (depth, scan.peek(0)) {
            (_, Some(b'$')) if scan.peek(1) == Some(b'{') => {
                depth += 1;
                scan.at += 1;
            }
            (1.., Some(b'{')) => depth += 1,
            (1.., Some(b'}')) => depth -= 1,
            (0, Some(b'"')) => {
                scan.at += 1;
                break;
            }
            (0, Some(b'\\')) => {
                string_escape(lexer, &mut scan);
                continue;
            }
            _ => {}
        }
        scan.at += 1;
    }
    scan.finish(lexer);
}

/// Skips an escape, from its backslash on.
fn string_escape(lexer: &mut Lex<'_>, scan: &mut Scanner<'_>) {
    let start = scan.at;
    scan.at += 1;
    match scan.peek(0) {
        None => {}
        Some(b'n' | b't' | b'r' | b'\\' | b'"' | b'\'' | b'0') => scan.at += 1,
        Some(b'x') => {
            scan.at += 1;
            let digits = [0, 1].into_iter().take_while(|&ahead| scan.digit(ahead, 16)).count();
            if digits < 2 {
                let last = scan.at - 1 + digits;
                scan.error(&mut lexer.extras, Code::E1006, last, 1, BAD_HEX);
            }
            scan.at += digits;
        }
        Some(b'\n' | b'\r') => {
            let message = "invalid escape sequence: '\\' at the end of the line";
            scan.error(&mut lexer.extras, Code::E1006, start, 1, message);
            scan.at += 1;
        }
        Some(_) => {
            let message = format!("invalid escape sequence '\\{}' in string", scan.shown(scan.at));
            scan.skip_char();
            scan.error(&mut lexer.extras, Code::E1006, start, scan.at - start, message);
        }
    }
}

/// `` `…` ``: to the next backtick, across lines.
pub(crate) fn raw_string(lexer: &mut Lex<'_>) {
    let remainder = lexer.remainder();
    match remainder.find('`') {
        Some(end) => lexer.bump(end + 1),
        None => {
            let start = lexer.span().start;
            lexer.extras.errors.push((
                Code::E1017,
                start,
                start + 1,
                "unclosed raw string literal".to_string(),
            ));
            lexer.bump(remainder.len());
        }
    }
}

/// `'c'`: one byte or one escape.
pub(crate) fn char_literal(lexer: &mut Lex<'_>) {
    let mut scan = Scanner::new(lexer);
    let reported = lexer.extras.errors.len();
    match scan.peek(0) {
        None | Some(b'\n') => {
            scan.error(&mut lexer.extras, Code::E1005, 0, 1, "unclosed character literal");
            return;
        }
        Some(b'\'') => {
            scan.error(&mut lexer.extras, Code::E1008, 0, 2, "empty character literal");
            scan.at += 1;
            return scan.finish(lexer);
        }
        Some(b'\\') => char_escape(lexer, &mut scan),
        Some(_) => scan.at += 1,
    }
    // A bad escape has been reported; then the rest only has to be skipped.
    let silent = lexer.extras.errors.len() > reported;
    if scan.peek(0) != Some(b'\'') {
        if !silent {
            let message = "character literal must contain exactly one character";
            scan.error(&mut lexer.extras, Code::E1009, 0, 1, message);
        }
        while !scan.line_end() && scan.peek(0) != Some(b'\'') {
            scan.at += 1;
        }
    }
    if !scan.line_end() {
        scan.at += 1;
    } else if !silent {
        scan.error(&mut lexer.extras, Code::E1005, 0, 1, "unclosed character literal");
    }
    scan.finish(lexer);
}

fn char_escape(lexer: &mut Lex<'_>, scan: &mut Scanner<'_>) {
    scan.at += 1;
    match scan.peek(0) {
        None | Some(b'\n') => {}
        Some(b'n' | b't' | b'r' | b'\\' | b'"' | b'\'' | b'0') => scan.at += 1,
        Some(b'x') => {
            scan.at += 1;
            for _ in 0..2 {
                let good = scan.digit(0, 16);
                if !scan.line_end() {
                    scan.at += 1;
                }
                if !good {
                    scan.error(&mut lexer.extras, Code::E1007, 0, 1, BAD_HEX);
                    break;
                }
            }
        }
        Some(_) => {
            let message = format!("invalid escape sequence '\\{}' in character literal", scan.shown(scan.at));
            scan.error(&mut lexer.extras, Code::E1007, 0, 1, message);
            scan.skip_char();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::closing_parenthesis;
    use crate::source::SourceMap;

    #[test]
    fn parentheses_are_closed_where_the_call_ends() {
        let cases = [
            ("f(1, g(2), \")\" /* ) */, ')') + h()", Some("f(1, g(2), \")\" /* ) */, ')')")),
            ("f(\n    // )\n    1)", Some("f(\n    // )\n    1)")),
            ("f(1, (2)", None),
            ("f", None),
        ];
        for (text, call) in cases {
            let file = SourceMap::new().add("call.ez", Path::new("call.ez"), text);
            let end = closing_parenthesis(&file, 1);
            assert_eq!(end.and_then(|end| text.get(..end as usize)), call);
        }
    }
}
