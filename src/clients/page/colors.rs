//! The colours of a source text: the categories of the editors' grammar
//! (`editors/vscode/syntaxes/ez.tmLanguage.json`), found with the lexer of the language.

use std::path::Path;

use ez_language::syntax::comments::comments;
use ez_language::syntax::lex;
use ez_language::syntax::token::{Class, Token, TokenKind, is_primitive};
use ez_runtime::source::SourceMap;
use ez_runtime::text::slice;

use super::offsets::units;

/// What a piece of source text is. The letter is the page's name for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Comment,
    String,
    Escape,
    /// `${` and `}` in a string.
    Interpolation,
    Attribute,
    Keyword,
    Type,
    /// `true`, `false`, `nil`, and `_`.
    Constant,
    Number,
    /// The name of a function that is declared or called.
    Function,
    /// The name of a module after `@`.
    Module,
    Operator,
}

impl Category {
    fn letter(self) -> char {
        match self {
            Category::Comment => 'c',
            Category::String => 's',
            Category::Escape => 'e',
            Category::Interpolation => 'i',
            Category::Attribute => 'a',
            Category::Keyword => 'k',
            Category::Type => 't',
            Category::Constant => 'l',
            Category::Number => 'n',
            Category::Function => 'f',
            Category::Module => 'm',
            Category::Operator => 'o',
        }
    }
}

/// The colours of a text, in its order: for each piece the letter of its category, the number of UTF-16 code units
/// between it and the one before, and its length, without the numbers that are 0 and 1: `k2 s1,5 o1`.
pub fn colors(text: &str) -> String {
    let mut painter = Painter { text, at: 0, colors: String::new() };
    painter.code(0, text.len(), 0);
    painter.colors
}

struct Painter<'t> {
    text: &'t str,
    /// The byte up to which everything is painted.
    at: usize,
    colors: String,
}

impl Painter<'_> {
    /// Gives the text from `start` to `end` a colour.
    fn paint(&mut self, start: usize, end: usize, category: Category) {
        if start < self.at || end <= start {
            return;
        }
        let gap = units(slice(self.text, self.at..start));
        let length = units(slice(self.text, start..end));
        if !self.colors.is_empty() {
            self.colors.push(' ');
        }
        self.colors.push(category.letter());
        self.colors.push_str(&length.to_string());
        if gap > 0 {
            self.colors.push_str(&format!(",{gap}"));
        }
        self.at = end;
    }

    /// Paints code; `depth` is the number of interpolations around it.
    fn code(&mut self, start: usize, end: usize, depth: usize) {
        let source = slice(self.text, start..end);
        let file = SourceMap::new().add("", Path::new(""), source);
        let tokens = lex(&file).0;
        let mut before = start;
        for (index, token) in tokens.iter().enumerate() {
            let (from, to) = (start + token.span.start as usize, start + token.span.end as usize);
            self.comments(before, from);
            before = to;
            match token.kind {
                TokenKind::Str => self.string(from, to, depth),
                _ => {
                    let neighbours = Neighbours { tokens: &tokens, index, source };
                    if let Some(category) = neighbours.category() {
                        self.paint(from, to, category);
                    }
                }
            }
        }
    }

    /// Paints the comments in a text between two tokens.
    fn comments(&mut self, start: usize, end: usize) {
        for comment in comments(slice(self.text, start..end)) {
            let begin = start + comment.start;
            self.paint(begin, begin + comment.text.trim_end_matches(['\r', '\n']).len(), Category::Comment);
        }
    }

    /// Paints a string with the escapes and interpolations in it.
    fn string(&mut self, start: usize, end: usize, depth: usize) {
        let (mut at, mut begin) = (start + 1, start);
        while at < end {
            let after = match (self.byte(at), self.byte(at + 1)) {
                (Some(b'\\'), Some(_)) => {
                    let after = self.after_escape(at, end);
                    self.paint(begin, at, Category::String);
                    self.paint(at, after, Category::Escape);
                    after
                }
                (Some(b'$'), Some(b'{')) => {
                    self.paint(begin, at, Category::String);
                    self.interpolation(at, end, depth)
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            (at, begin) = (after, after);
        }
        self.paint(begin, end, Category::String);
    }

    /// Paints an interpolation, from its `$` on; returns where it ends.
    fn interpolation(&mut self, start: usize, end: usize, depth: usize) -> usize {
        /// Interpolations are painted that are in each other as far as this.
        const MAX_DEPTH: usize = 20;
        let (mut close, mut open) = (start + 2, 1);
        while close < end {
            match self.byte(close) {
                Some(b'{') => open += 1,
                Some(b'}') => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
            close += 1;
        }
        self.paint(start, start + 2, Category::Interpolation);
        if depth < MAX_DEPTH {
            self.code(start + 2, close, depth + 1);
        }
        let after = (close + 1).min(end);
        self.paint(close, after, Category::Interpolation);
        after
    }

    /// Where the escape ends that begins with the backslash at `at`.
    fn after_escape(&self, at: usize, end: usize) -> usize {
        let digits = if self.byte(at + 1) == Some(b'x') { 2 } else { 0 };
        let is_digit =
            |offset: &usize| self.byte(at + 2 + offset).is_some_and(|byte| byte.is_ascii_hexdigit());
        let mut after = at + 2 + (0..digits).take_while(is_digit).count();
        while after < end && !self.text.is_char_boundary(after) {
            after += 1;
        }
        after.min(end)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }
}

/// A token among others.
struct Neighbours<'a, 't> {
    tokens: &'a [Token<'t>],
    index: usize,
    source: &'t str,
}

impl Neighbours<'_, '_> {
    fn token(&self, offset: isize) -> Option<&Token<'_>> {
        self.tokens.get(self.index.checked_add_signed(offset)?)
    }

    fn is(&self, offset: isize, kind: TokenKind) -> bool {
        self.token(offset).is_some_and(|token| token.kind == kind)
    }

    /// Whether only blanks are between this token and the next one, which is of this kind.
    fn is_followed_by(&self, kind: TokenKind) -> bool {
        let Some((token, next)) = self.token(0).zip(self.token(1)) else { return false };
        let between = slice(self.source, token.span.end as usize..next.span.start as usize);
        next.kind == kind && between.trim().is_empty()
    }

    fn category(&self) -> Option<Category> {
        use TokenKind as Kind;
        let token = self.token(0)?;
        Some(match (token.kind.class(), token.kind) {
            (Class::Word, Kind::Blank) | (Class::Reserved, Kind::True | Kind::False | Kind::Nil) => {
                Category::Constant
            }
            (Class::Statement | Class::Reserved | Class::Word, _) | (Class::Operator, Kind::BangIn) => {
                Category::Keyword
            }
            (Class::Attribute, _) => Category::Attribute,
            (Class::Operator | Class::Assignment, _) => Category::Operator,
            (Class::Form, Kind::RawStr | Kind::Char | Kind::Str) => Category::String,
            (Class::Form, Kind::Int | Kind::Float) => Category::Number,
            (Class::Form, Kind::Ident) => return self.name(token.text),
            (Class::Form | Class::Opener | Class::Closer | Class::Separator, _) => return None,
        })
    }

    /// The category of a name that is no keyword.
    fn name(&self, text: &str) -> Option<Category> {
        use TokenKind as Kind;
        if self.is(-1, Kind::Do) {
            return Some(Category::Function);
        }
        if self.is(-1, Kind::At) {
            return Some(Category::Module);
        }
        if self.is(-1, Kind::Const) && (self.is(1, Kind::Struct) || self.is(1, Kind::Enum)) {
            return Some(Category::Type);
        }
        if text == "from" {
            return Some(Category::Keyword);
        }
        let is_capital = text.starts_with(|c: char| c.is_ascii_uppercase());
        if is_primitive(text)
            || matches!(text, "map" | "Error")
            || is_capital && self.is_followed_by(Kind::LeftBrace)
        {
            return Some(Category::Type);
        }
        self.is_followed_by(Kind::LeftParen).then_some(Category::Function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces with their categories.
    fn pieces(text: &str) -> Vec<String> {
        let (mut at, letters) = (0, text.encode_utf16().collect::<Vec<_>>());
        let colors = colors(text);
        let piece = |color: &str| {
            let (kind, numbers) = color.split_at(1);
            let (length, gap) = numbers.split_once(',').unwrap_or((numbers, "0"));
            at += gap.parse::<usize>().unwrap();
            let end = at + length.parse::<usize>().unwrap();
            let text = String::from_utf16(&letters[at..end]).unwrap();
            at = end;
            format!("{kind}:{text}")
        };
        colors.split(' ').filter(|color| !color.is_empty()).map(piece).collect()
    }

    #[test]
    fn strings_are_painted_inside() {
        let text = "print(\"🙂 ${f(a[1], {2})}\\n\") // é\n";
        assert_eq!(
            pieces(text),
            ["f:print", "s:\"🙂 ", "i:${", "f:f", "n:1", "n:2", "i:}", "e:\\n", "s:\"", "c:// é"]
        );
    }

    #[test]
    fn any_text_can_be_painted() {
        assert!(colors("").is_empty());
        for text in [
            "\"${",
            "\"${a",
            "\"\\",
            "/*",
            "/* a",
            "// ",
            "'",
            "`",
            "\"${\"${\"${",
            "é\u{0}é",
            "#doc #x",
            "\"\\é\"",
        ] {
            pieces(text);
        }
        assert_eq!(pieces("/* a /* b */ c /* d\n"), ["c:/* a /* b */", "c:/* d"]);
        assert_eq!(pieces("#!/bin/ez\n\n/*/ a */ // b"), ["c:#!/bin/ez", "c:/*/ a */", "c:// b"]);
    }
}
