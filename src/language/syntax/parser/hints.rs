//! Help texts for syntax errors, derived from the tokens around the error.

use super::{Parser, rewritten};
use crate::syntax::foreign;
use crate::syntax::token::{self, Token, TokenKind};
use ez_runtime::diagnostics::Code;
use ez_runtime::source::Span;
use ez_runtime::text::slice;

/// Number of errors after which help about open delimiters is omitted, since each takes a pass over the
/// tokens.
const MANY: usize = 50;

/// For `do { … } while (…)`.
pub(super) const DO_LOOP: &str =
    "'do' begins a function; a loop that runs at least once is written 'loop' with 'break'";
/// For a statement in braces.
const ARRAY: &str = "a '{' that begins a statement begins an array; blocks belong to 'if', 'loop' and so on";
/// For `otherwise` in a `when`.
pub(super) const DEFAULT: &str = "in a 'when' the rest is written 'default { ... }'";
/// For `x => …`.
const NO_LAMBDAS: &str = "EZ has no functions without a name: write one with 'do' at file level";
/// For a `;`.
pub(super) const NO_SEMICOLONS: &str = "EZ needs no ';': leave all of them out";
/// For a `:` before a block.
const BLOCK: &str = "a block is put between '{' and '}', without a ':'";

impl Parser<'_> {
    /// The current token as messages show it.
    pub(super) fn found(&self) -> String {
        let token = self.tok();
        match token.kind {
            TokenKind::Ident | TokenKind::Int | TokenKind::Float => format!("'{}'", token.text),
            TokenKind::Assign if self.is_arrow() => "'=>'".into(),
            TokenKind::Eof => self.end.to_string(),
            kind => kind.name().to_string(),
        }
    }

    /// Help for an error with `code` at `at`.
    pub(super) fn hint(&self, code: Code, at: Span) -> Option<String> {
        let here = self.tok().span.head() == at.head();
        match (code, self.kind()) {
            (Code::E2001, TokenKind::Colon) if here && self.before_is(TokenKind::LeftBracket) => {
                return self.slice_help();
            }
            (Code::E2001, TokenKind::Comma) if here => {
                if let Some(exchange) = self.exchange_help() {
                    return Some(exchange);
                }
            }
            _ => {}
        }
        let known = match (code, self.kind()) {
            (Code::E2002 | Code::E2024, TokenKind::Colon) if here => self.colon(),
            (Code::E2001, _) if here => self.unexpected(),
            (Code::E2002, _) if here => self.operator_or_word(),
            (Code::E2015, TokenKind::LeftBrace) => {
                Some("write a type after '->', or leave '->' out if nothing is returned")
            }
            (Code::E2014, _) => Some("write the type after the name, as in 'x int'"),
            _ => None,
        };
        // A word of another language that begins the statement is the likely cause.
        match (self.foreign_start().filter(|_| here), known) {
            (Some(word), Some(known)) if known != word && known != ARRAY => Some(format!("{word}; {known}")),
            (word, known) => word.or(known).map(String::from),
        }
    }

    /// Help where the token `wanted` is missing.
    pub(super) fn expected_hint(&self, wanted: TokenKind) -> Option<String> {
        let found = self.tok();
        if wanted == TokenKind::In && found.kind != TokenKind::Eof {
            return Some(match self.statement_kind() {
                Some(TokenKind::For) if found.kind == TokenKind::Colon || found.text == "of" => {
                    let variable = self.before(1).map_or("x", |token| token.text);
                    rewritten::elements_loop(variable, &self.header_rest_text(1))
                }
                Some(TokenKind::ForEach) => {
                    "it is written 'for_each x in values' or 'for_each i, x in values'".into()
                }
                _ => self.counting_loop(self.before(1).map_or("i", |token| token.text), 0),
            });
        }
        if wanted == TokenKind::LeftBrace && self.empty_struct_before() {
            return Some("NAME {} is read as a struct literal: put the condition in parentheses".into());
        }
        if found.kind == TokenKind::LeftBrace && self.upper_case_member_before() {
            return Some("after a name in capitals of another module '{}' is a block; an empty struct is made with new(m.NAME)".into());
        }
        if wanted == TokenKind::LeftBrace {
            return self.block_hint();
        }
        match (wanted, found.kind) {
            (TokenKind::RightBrace, TokenKind::Assign) => {
                return Some(match self.struct_before() {
                    Some((name, field)) => {
                        format!("the value of a field follows a ':': {name}{{{field}: ...}}")
                    }
                    None => "in a map a ':' is put between key and value: {\"a\": 1}".into(),
                });
            }
            (TokenKind::LeftParen, _) if self.before_is(TokenKind::New) => {
                return Some(match found.kind {
                    TokenKind::Ident if token::is_primitive(found.text) => {
                        "an array is written with its elements: {1, 2, 3}, or begins empty: {}".into()
                    }
                    _ => format!(
                        "an empty struct is made with new({}), one with values with {0}{{field: value}}",
                        found.text
                    ),
                });
            }
            (TokenKind::RightBracket, TokenKind::Colon) => return self.slice_help(),
            (TokenKind::RightParen, TokenKind::Assign) if self.is_arrow() => {
                return Some(NO_LAMBDAS.into());
            }
            (TokenKind::RightParen, TokenKind::Assign) if self.call_is_open() => {
                return Some("arguments are given in order, without names: write the value alone".into());
            }
            (TokenKind::RightParen, TokenKind::Comma) if !self.call_is_open() => {
                return Some("several values make an array: {1, 2}".into());
            }
            (TokenKind::RightBracket, TokenKind::Semicolon) => {
                return Some("the size of an array follows a ',': [int, 3]".into());
            }
            _ => {}
        }
        wanted.opener()?;
        if let Some(word) = self.foreign_start() {
            return Some(word.into());
        }
        if self.innermost_open().is_none_or(|open| !self.on_one_line(open, found)) {
            return self.still_open();
        }
        let type_before = self.before(1).is_some_and(|t| token::is_primitive(t.text));
        if type_before && found.kind == TokenKind::Ident {
            return Some(rewritten::type_after(found, self.before(1).map_or("int", |t| t.text)));
        }
        if found.kind == TokenKind::Str && self.before(1).is_some_and(|t| t.span.end == found.span.start) {
            return Some("a string has no letter before it: ${...} works in all of them".into());
        }
        let value =
            matches!(found.kind, TokenKind::Ident | TokenKind::Int | TokenKind::Float | TokenKind::Str);
        value.then(|| "values are separated by ','".into())
    }

    /// Help where the `{` of a block was expected.
    fn block_hint(&self) -> Option<String> {
        let found = self.tok();
        let dots = [2, 1].map(|back| self.before(back).map(|t| t.kind));
        if dots == [Some(TokenKind::Dot), Some(TokenKind::Dot)]
            && let Some(start) = self.before(3)
        {
            let (start, end) = (start.text, found.text);
            return Some(format!(
                "the numbers from {start} on, without the end itself, are written range({start}, {end})"
            ));
        }
        if found.text == "to"
            && self.statement_kind() == Some(TokenKind::For)
            && let Some(start) = self.before(1)
        {
            let (start, end) = (start.text, self.nth(1).text);
            return Some(format!(
                "the numbers from {start} on, without the end itself, are written range({start}, {end})"
            ));
        }
        let known = self.hint(Code::E2002, found.span);
        if self.statement_kind() == Some(TokenKind::Do)
            && self.before_is(TokenKind::RightParen)
            && found.kind == TokenKind::Ident
        {
            return Some(format!("the type of the result follows '->': -> {}", found.text));
        }
        let statement = found.kind == TokenKind::Ident || found.kind.starts_statement();
        known.or_else(|| statement.then(|| "a block is put between '{' and '}'".into()))
    }

    /// Names the innermost delimiter that is still open.
    pub(super) fn still_open(&self) -> Option<String> {
        let open = self.innermost_open()?;
        let closer = match open.kind {
            TokenKind::LeftParen => ')',
            TokenKind::LeftBracket => ']',
            _ => '}',
        };
        if self.comment_ends_line_of(open) {
            return Some("'//' begins a comment that goes on to the end of the line; '/' divides".into());
        }
        let before = self.origin.text.get(..open.offset as usize)?;
        let line = before.matches('\n').count() + 1;
        Some(format!("the '{}' in line {line} has no '{closer}' yet", open.text))
    }

    /// Help for a `:` that EZ does not have there.
    fn colon(&self) -> Option<&'static str> {
        let before = self.before(1).map(|t| t.kind);
        Some(match (self.statement_kind(), before) {
            (Some(TokenKind::Do), Some(TokenKind::RightParen)) => "a result type follows '->': do f() -> int",
            (Some(TokenKind::Temp | TokenKind::Const | TokenKind::Do), _) => {
                "the type follows the name without a ':', as in 'x int'"
            }
            (
                Some(
                    TokenKind::If
                    | TokenKind::For
                    | TokenKind::ForEach
                    | TokenKind::AsLongAs
                    | TokenKind::When,
                ),
                _,
            ) => BLOCK,
            _ => return None,
        })
    }

    /// Whether `=>` stands here.
    pub(super) fn is_arrow(&self) -> bool {
        let (equals, greater) = (self.tok(), self.nth(1));
        (equals.kind, greater.kind) == (TokenKind::Assign, TokenKind::Greater)
            && equals.span.end == greater.span.start
    }

    /// Help for a token that cannot begin an expression.
    fn unexpected(&self) -> Option<&'static str> {
        Some(match self.kind() {
            TokenKind::Semicolon => NO_SEMICOLONS,
            TokenKind::Illegal if self.nth(1).text == "include" => "a module is imported with: import @std",
            TokenKind::Illegal if self.nth(1).text == "define" => {
                "a constant is declared with: const NAME = value"
            }
            TokenKind::Illegal => "a comment begins with '//'",
            TokenKind::LeftBracket if self.before_is(TokenKind::Ident) => {
                "the type of an array is written '[int]'"
            }
            TokenKind::LeftBracket => "an array is written with braces: {1, 2, 3}",
            TokenKind::Increment | TokenKind::Decrement => "'++' and '--' follow the name: x++",
            TokenKind::BangIn | TokenKind::NotIn => {
                "'!in' is an operator of its own; to negate a name that begins with 'in', write !(name)"
            }
            TokenKind::Struct => "a struct is declared with 'const Name struct { field type }'",
            TokenKind::Enum => "an enum is declared with 'const Name enum { A B }'",
            TokenKind::OrKw => "'or' follows the '}' of an 'if'; in a condition it is written '||'",
            TokenKind::Otherwise if self.statement_kind() == Some(TokenKind::When) => DEFAULT,
            TokenKind::Otherwise => "'otherwise' follows the '}' of an 'if'",
            TokenKind::If | TokenKind::When if self.pos > self.statement => {
                "'if' and 'when' are statements and have no value"
            }
            TokenKind::Plus if self.before_is(TokenKind::Assign) => "to add to a variable write '+='",
            TokenKind::Plus => "a number needs no '+' before it",
            TokenKind::Assign if self.before_is(TokenKind::NotEq) => "EZ has no '!==': write '!='",
            TokenKind::Greater if self.before_is(TokenKind::Assign) => "'at least' is written '>='",
            TokenKind::Less if self.before_is(TokenKind::Less) => "EZ has no '<<'",
            TokenKind::Greater if self.before_is(TokenKind::Greater) => "EZ has no '>>'",
            TokenKind::Assign if self.is_arrow() && self.before_is(TokenKind::RightParen) => NO_LAMBDAS,
            TokenKind::Star if self.before_is(TokenKind::Star) => "EZ has no '**': math.pow(a, b)",
            TokenKind::Assign if self.before_is(TokenKind::EqEq) => "EZ has no '===': write '=='",
            TokenKind::Colon if self.nth(1).kind == TokenKind::Assign => {
                "a new variable begins with 'temp': temp x = ..."
            }
            TokenKind::Less => "the type of a map is written 'map[string:int]'",
            kind if kind.starts_statement() && self.pos == self.statement + 1 => ARRAY,
            _ => return None,
        })
    }

    /// Help for a token after a complete expression, such as an operator of another language.
    fn operator_or_word(&self) -> Option<&'static str> {
        let word = |token: Token<'_>| match token.kind {
            TokenKind::Ident => foreign::translation(token.text),
            _ => None,
        };
        match self.kind() {
            TokenKind::Assign if self.nth(1).kind == TokenKind::Greater => Some("'at least' is written '>='"),
            TokenKind::Assign if self.nth(1).kind == TokenKind::Less => Some("'at most' is written '<='"),
            TokenKind::Assign => Some("'=' stores a value; to compare two values write '=='"),
            TokenKind::Is => Some("to compare two values write '=='"),
            TokenKind::Ident
                if self.before(1).is_some_and(|t| matches!(t.text, "typeof" | "len" | "int" | "string")) =>
            {
                Some("the argument of a function is put in parentheses: len(x), typeof(x)")
            }
            TokenKind::Ident if self.tok().text == "not" && self.nth(1).kind == TokenKind::In => {
                Some("in EZ 'not in' is written '!in'")
            }
            TokenKind::Amp => Some("'and' is written '&&'"),
            TokenKind::OrKw => Some("in a condition 'or' is written '||'"),
            TokenKind::Semicolon => self.unexpected(),
            TokenKind::LeftBrace if self.before_is(TokenKind::Do) => Some(DO_LOOP),
            _ => word(self.tok()).or_else(|| self.before(1).and_then(word)),
        }
    }

    /// Help for the first word of another language on the line of the current statement.
    fn foreign_start(&self) -> Option<&'static str> {
        let mut start = *self.tokens.get(self.statement)?;
        let upto = self.tokens.get(..=self.statement)?;
        // A `{` in a line of its own belongs to the line before.
        if start.kind == TokenKind::LeftBrace
            && let Some(before) = self.statement.checked_sub(1).and_then(|i| self.tokens.get(i))
        {
            start = *before;
        }
        let line = slice(self.origin.text, ..start.offset as usize).rfind('\n').map_or(0, |end| end + 1);
        let mut words = upto.iter().rev().take_while(|t| t.offset as usize >= line);
        words.find_map(|t| if t.kind == TokenKind::Ident { foreign::translation(t.text) } else { None })
    }

    /// Whether the last token is of this kind.
    pub(super) fn before_is(&self, kind: TokenKind) -> bool {
        self.before(1).is_some_and(|token| token.kind == kind)
    }

    /// The name and the field, if the last tokens are `NAME{field`, where the name begins like that of a struct.
    pub(super) fn struct_before(&self) -> Option<(&str, &str)> {
        let [name, open, field] = [self.before(3)?, self.before(2)?, self.before(1)?];
        let is_struct =
            name.kind == TokenKind::Ident && name.text.starts_with(|c: char| c.is_ascii_uppercase());
        (is_struct && open.kind == TokenKind::LeftBrace && self.on_one_line(name, field))
            .then_some((name.text, field.text))
    }

    /// Whether the innermost open delimiter is the `(` of a call.
    fn call_is_open(&self) -> bool {
        let Some(open) = self.innermost_open().filter(|open| open.kind == TokenKind::LeftParen) else {
            return false;
        };
        let before = self.tokens.iter().rfind(|token| token.offset < open.offset);
        before.is_some_and(|token| token.kind == TokenKind::Ident)
    }

    /// Whether a comment ends the line on which a `(` is open, and may be meant as an operator.
    fn comment_ends_line_of(&self, open: Token<'_>) -> bool {
        let same_line = |token: &&Token<'_>| token.offset >= open.offset && self.on_one_line(open, **token);
        let Some(last) = self.tokens.iter().rfind(same_line) else { return false };
        let after = slice(self.origin.text, last.end()..);
        let rest = after.lines().next().unwrap_or_default();
        open.kind == TokenKind::LeftParen
            && matches!(last.kind, TokenKind::Int | TokenKind::Float | TokenKind::Ident)
            && rest.trim_start().starts_with("//")
    }

    /// Whether the last tokens are `.NAME`, without a lower-case letter.
    fn upper_case_member_before(&self) -> bool {
        let dotted = self.before(2).is_some_and(|t| t.kind == TokenKind::Dot);
        let upper =
            |t: Token<'_>| t.kind == TokenKind::Ident && !t.text.contains(|c: char| c.is_ascii_lowercase());
        dotted && self.before(1).is_some_and(upper)
    }

    /// Whether the last tokens are `NAME {}`.
    fn empty_struct_before(&self) -> bool {
        let kinds = [3, 2, 1].map(|back| self.before(back).map(|t| t.kind));
        kinds == [Some(TokenKind::Ident), Some(TokenKind::LeftBrace), Some(TokenKind::RightBrace)]
    }

    /// Whether no parenthesis or bracket is open here.
    pub(super) fn closes_nothing(&self) -> bool {
        let open = self.innermost_open().map(|token| token.kind);
        self.diagnostics.len() < MANY && matches!(open, None | Some(TokenKind::LeftBrace))
    }

    /// The innermost delimiter that is open here.
    pub(super) fn innermost_open(&self) -> Option<Token<'_>> {
        if self.diagnostics.len() >= MANY {
            return None;
        }
        let mut open: Vec<Token<'_>> = Vec::new();
        for token in self.tokens.get(..self.pos)? {
            if token.kind.opener().is_some() {
                open.pop();
            } else if token.kind.opens() {
                open.push(*token);
            }
        }
        open.pop()
    }

    fn statement_kind(&self) -> Option<TokenKind> {
        self.tokens.get(self.statement).map(|t| t.kind)
    }

    pub(super) fn before(&self, back: usize) -> Option<Token<'_>> {
        self.pos.checked_sub(back).and_then(|index| self.tokens.get(index)).copied()
    }

    /// Whether the token `back` before the current one is the first of its line.
    pub(super) fn is_first_of_line(&self, back: usize) -> bool {
        let Some(token) = self.before(back) else { return false };
        self.before(back + 1).is_none_or(|earlier| !self.on_one_line(earlier, token))
    }

    /// Whether no line ends between two tokens of this text.
    pub(super) fn on_one_line(&self, first: Token<'_>, second: Token<'_>) -> bool {
        let between = self.origin.text.get(first.offset as usize..second.offset as usize);
        between.is_none_or(|text| !text.contains('\n'))
    }
}
