//! The lexer: turns a text into tokens. `TokenKind` declares them for `logos`; what begins as a number, string,
//! character or comment is scanned to its end by the functions of `scan`.

use logos::Logos;
use memchr::memchr;

use super::scan::{LexicalError, LexicalErrors};
use super::token::{Token, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic, Fix, Help};
use ez_runtime::source::{FileId, SourceFile, Span};
use ez_runtime::text::slice;

/// A text to lex, and the position of its bytes in the file.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'t> {
    pub file: FileId,
    pub text: &'t str,
    /// For text that is not contiguous in the file: the offset in the file of each byte, and of the end.
    pub map: Option<&'t [u32]>,
}

impl Origin<'_> {
    /// The offset in the file for `offset` in the text.
    pub fn place(&self, offset: usize) -> u32 {
        match self.map {
            None => offset as u32,
            Some(map) => map.get(offset).or(map.last()).copied().unwrap_or(0),
        }
    }

    /// The span in the file for `start..end` in the text.
    pub fn span(&self, start: usize, end: usize) -> Span {
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

/// Like [`lex`], for any text.
pub fn lex_text(origin: Origin<'_>) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    // A NUL byte ends the source wherever it stands.
    let text = origin.text.split('\0').next().unwrap_or("");
    let mut lexer = TokenKind::lexer(text);
    // For shells, which look for the interpreter of a program in its first line.
    if text.starts_with("#!") {
        lexer.bump(memchr(b'\n', text.as_bytes()).unwrap_or(text.len()));
    }
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    while let Some(kind) = next_kind(&mut lexer) {
        let at = lexer.span();
        let span = origin.span(at.start, at.end);
        tokens.push(Token {
            kind,
            text: unquoted(kind, lexer.slice()),
            span,
            offset: at.start as u32,
            length: at.len() as u32,
        });
    }
    let end = text.len();
    tokens.push(Token {
        kind: TokenKind::Eof,
        text: "",
        span: origin.span(end, end),
        offset: end as u32,
        length: 0,
    });
    let LexicalErrors(mut errors) = lexer.extras;
    errors.sort_by_key(|error| error.start);
    let report = |LexicalError { code, start, end, message }| {
        let bad = slice(text, start..end);
        let help = match code {
            Code::E1016 => Some(point_help(origin, bad, end)),
            Code::E1009 if bad.len() > 1 => {
                let text = format!("char(\"{}\")", bad.trim_matches('\''));
                let help = "only ASCII characters can be written between single quotes: write";
                Some(Help::from(format!("{help} {text}")).surely(text))
            }
            Code::E1009 => help(code, bad).map(|help| match quoted_text(slice(text, start..)) {
                Some(inner) => {
                    let whole = origin.span(start, start + inner.len() + 2);
                    Help::from(help).fix(Fix::certain(whole, format!("\"{inner}\"")))
                }
                None => help.into(),
            }),
            _ => help(code, bad).map(|help| match instead(code, bad) {
                // `“a "b" c”`
                Some(quote @ ("\"" | "'")) if line_around(text, start).contains(quote) => {
                    Help::from(help).perhaps(quote)
                }
                // It may be a character that is yet to be written.
                Some(text) if code == Code::E1008 => Help::from(help).perhaps(text),
                Some(text) => Help::from(help).surely(text),
                None => help.into(),
            }),
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
    while let Some(kind) = next_kind(&mut lexer) {
        match kind {
            TokenKind::LeftParen => depth += 1,
            TokenKind::RightParen => depth = depth.checked_sub(1)?,
            _ => {}
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
            "text is written between straight quotes: \"...\""
        }
        (Code::E1001, '‘' | '’' | '‚' | '´' | '′') => {
            "a character is written between straight quotes: 'a'"
        }
        (Code::E1001, '?') => "EZ has no '? :': use 'if' and 'otherwise'",
        (Code::E1001, '^') => "EZ has no '^': math.pow(a, b) raises to a power",
        (Code::E1001, '~') => "EZ has no bit operators",
        (Code::E1001, '$') => "a value is put into a text with ${...}, inside the quotes",
        (Code::E1001, '\\') => {
            "statements can continue on the next line without '\\'; only strings have escapes"
        }
        (Code::E1001, '×' | '·') => "multiplication is written '*'",
        (Code::E1001, '÷') => "division is written '/'",
        (Code::E1001, '–' | '—' | '−') => "minus is written '-'",
        (Code::E1001, '≤' | '≥' | '≠') => "comparisons are written '<=', '>=' and '!='",
        (Code::E1001, c) if c.is_alphabetic() => "names consist of the letters a-z and A-Z, digits and '_'",
        (Code::E1004, '$') => "the '${' has no '}' in its line; a string ends where it has been closed",
        (Code::E1004, _) => "a string ends in the line in which it begins; write \\n for a line end inside",
        (Code::E1006 | Code::E1007, _) => {
            "the escapes are \\n \\t \\r \\0 \\\\ \\\" \\' and \\xHH; a '\\' itself is written '\\\\'"
        }
        (Code::E1008, _) => "an empty text is written \"\"",
        (Code::E1009, _) => "text of more than one character is written between double quotes: \"...\"",
        _ => return None,
    })
}

/// What can only be meant by a text that is a lexical error.
fn instead(code: Code, bad: &str) -> Option<&'static str> {
    Some(match (code, bad.chars().next()?) {
        (Code::E1001, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\\') => "",
        (Code::E1001, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{3000}') => " ",
        (Code::E1001, '“' | '”' | '„' | '«' | '»' | '″') => "\"",
        (Code::E1001, '‘' | '’' | '‚' | '´' | '′') => "'",
        (Code::E1001, '×' | '·') => "*",
        (Code::E1001, '÷') => "/",
        (Code::E1001, '–' | '—' | '−') => "-",
        (Code::E1001, '≤') => "<=",
        (Code::E1001, '≥') => ">=",
        (Code::E1001, '≠') => "!=",
        (Code::E1008, _) => "\"\"",
        _ => return None,
    })
}

/// The line that an offset is in.
fn line_around(text: &str, at: usize) -> &str {
    let begin = slice(text, ..at).rfind('\n').map_or(0, |end| end + 1);
    slice(text, begin..).lines().next().unwrap_or_default()
}

/// The text between single quotes with which `rest` begins, if it can stand between double quotes.
fn quoted_text(rest: &str) -> Option<&str> {
    let (inner, behind) = rest.strip_prefix('\'')?.split_once('\'')?;
    // `'it''s'`
    let goes_on = behind.starts_with(|c: char| c == '\'' || c.is_alphanumeric());
    (!goes_on && !inner.contains(['\n', '"', '\\', '$'])).then_some(inner)
}

/// Help for a number that ends at `at`, before a point that no digit follows.
fn point_help(origin: Origin<'_>, number: &str, at: usize) -> Help {
    let rest = slice(origin.text, at..);
    let point = origin.span(at, at + 1);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some(rest) = rest.strip_prefix("..") else {
        // In `1.abs` the point may be meant otherwise.
        let is_all = !rest.get(1..).is_some_and(|rest| rest.starts_with(word));
        return Help::from(format!("write {number}.0")).fix(Fix::certain(point, ".0").only_if(is_all));
    };
    let inclusive = rest.starts_with(['=', '.']);
    let rest = rest.trim_start_matches(['=', '.', '<', ' ']);
    let end: String = rest.chars().take_while(|c| word(*c)).collect();
    let behind = slice(rest, end.len()..);
    let whole = origin.span(at - number.len(), origin.text.len() - behind.len());
    // Not in a larger expression.
    let goes_on =
        !behind.is_empty() && !behind.trim_start_matches([' ', '\t']).starts_with(['{', ')', '\r', '\n']);
    let is_all = !end.is_empty() && !goes_on;
    let end = match (end.parse::<i64>(), inclusive) {
        _ if end.is_empty() => "end".to_string(),
        (Ok(last), true) => last.saturating_add(1).to_string(),
        (Err(_), true) => format!("{end} + 1"),
        _ => end,
    };
    let written = format!("range({number}, {end})");
    let help = format!("the numbers from {number} on, without the end itself, are written {written}");
    let help = Help::from(help);
    if is_all { help.fix(Fix::certain(whole, written)) } else { help }
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

/// The kind of the next token; `None` at the end.
fn next_kind(lexer: &mut logos::Lexer<'_, TokenKind>) -> Option<TokenKind> {
    // Any character is a token, if only an illegal one: there is no other error.
    Some(lexer.next()?.unwrap_or(TokenKind::Illegal))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::closing_parenthesis;
    use ez_runtime::source::SourceMap;

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
