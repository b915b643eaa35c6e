//! How EZ writes what a program has in the syntax of another language, with the program's own names.

use super::Parser;
use crate::syntax::token::{self, Class, Token, TokenKind};
use ez_runtime::diagnostics::{Fix, Help};

/// For `int x`; `name` is what follows the type.
pub(super) fn type_after(name: Token<'_>, ty: &str) -> String {
    match name.kind {
        TokenKind::Ident if !token::is_primitive(name.text) => {
            format!("the type follows the name: {} {ty}", name.text)
        }
        _ => format!("the type follows the name, as in 'x {ty}'"),
    }
}

/// For a `for` loop over elements.
pub(super) fn elements_loop(variable: &str, values: &str) -> String {
    format!("to go through elements write 'for_each': for_each {variable} in {values} {{ ... }}")
}

impl Parser<'_> {
    /// Help for the second `,` of `a, b = b, a`, and for that of `1,5`.
    pub(super) fn exchange_help(&self) -> Option<String> {
        if let (Some(whole), next) = (self.before(1).filter(|t| t.kind == TokenKind::Int), self.nth(1)) {
            let decimals = if next.kind == TokenKind::Int { next.text } else { "5" };
            return Some(format!("a decimal number is written with a point: {}.{decimals}", whole.text));
        }
        let before = [self.before(5)?, self.before(4)?, self.before(3)?, self.before(2)?, self.before(1)?];
        let exchange =
            [TokenKind::Ident, TokenKind::Comma, TokenKind::Ident, TokenKind::Assign, TokenKind::Ident];
        if before.map(|token| token.kind) != exchange {
            return None;
        }
        let [a, _, b, ..] = before.map(|token| token.text);
        let third = if [a, b].contains(&"kept") { "other" } else { "kept" };
        Some(format!(
            "values are exchanged through a third variable: temp {third} = {a}, then {a} = {b}, then {b} = {third}"
        ))
    }

    /// Help for the `:` in `a[0:2]`.
    pub(super) fn slice_help(&self) -> Option<String> {
        let open =
            (1..=20).find(|back| self.before(*back).is_some_and(|t| t.kind == TokenKind::LeftBracket))?;
        let name = self.before(open + 1)?.text;
        let text = |first: usize, end: usize| self.text_between_tokens(self.pos - first, self.pos - end);
        let start = text(open - 1, 0).unwrap_or("0").to_string();
        let close = (1..=20).find(|ahead| self.nth(*ahead).kind == TokenKind::RightBracket)?;
        let end = self.text_between_tokens(self.pos + 1, self.pos + close);
        let end = end.map_or_else(|| format!("len({name})"), String::from);
        Some(format!(
            "a part is made with arrays.slice({name}, {start}, {end}), of a text with strings.slice({name}, {start}, {end})"
        ))
    }

    /// The text from one token up to another, by their numbers; `None` if there is none between them.
    pub(super) fn text_between_tokens(&self, first: usize, end: usize) -> Option<&str> {
        let last = self.tokens.get(first..end)?.last()?;
        let start = self.tokens.get(first)?.offset as usize;
        self.origin.text.get(start..last.end())
    }

    /// The text from the token `ahead` of the current one to the `{` or unmatched `)` of a header.
    pub(super) fn header_rest_text(&self, ahead: usize) -> String {
        let mut depth = 0usize;
        let end = (ahead..ahead + 40).find(|at| {
            match self.nth(*at).kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth > 0 => depth -= 1,
                TokenKind::RightParen | TokenKind::LeftBrace | TokenKind::Eof => return true,
                _ => {}
            }
            self.begins_line(*at)
        });
        let text = end.and_then(|end| self.text_between_tokens(self.pos + ahead, self.pos + end));
        text.unwrap_or("values").to_string()
    }

    /// Help for a declaration of several names of which only some have a type, where one of them is read. Another type
    /// than that of the result may have been meant.
    pub(super) fn untyped_help(&self) -> Option<Help> {
        let (names, sign) = self.several_names()?;
        let list: Vec<&str> = names.iter().map(|token| token.text).collect();
        let list = list.join(", ");
        let keyword = self.tokens.get(self.statement)?.text;
        let value = self.text_between_tokens(sign + 1, self.value_end(sign + 1)?)?;
        let last = self.tokens.get(sign.checked_sub(1)?)?;
        let fix = Fix::guess(names.first()?.span.to(last.span), &*list);
        let help = format!("the types come from the call, so leave them out: {keyword} {list} = {value}");
        Some(Help::from(help).fix(fix))
    }

    /// The names of a declaration of several and the number of its `=`, if the current token is not behind that.
    fn several_names(&self) -> Option<(Vec<Token<'_>>, usize)> {
        let keyword = self.tokens.get(self.statement)?;
        if !matches!(keyword.kind, TokenKind::Temp | TokenKind::Const) {
            return None;
        }
        let (mut names, mut follows_comma, mut depth) = (Vec::new(), true, 0usize);
        for (number, token) in self.tokens.iter().enumerate().skip(self.statement + 1) {
            match token.kind {
                TokenKind::Assign => {
                    return (names.len() > 1 && number >= self.pos).then_some((names, number));
                }
                TokenKind::LeftBracket => depth += 1,
                TokenKind::RightBracket => depth = depth.checked_sub(1)?,
                TokenKind::Comma => follows_comma |= depth == 0,
                TokenKind::Ident | TokenKind::Blank if follows_comma => {
                    names.push(*token);
                    follows_comma = false;
                }
                TokenKind::Ident | TokenKind::Dot | TokenKind::Colon | TokenKind::Int => {}
                _ => return None,
            }
        }
        None
    }

    /// The number of the token that ends a value: the first one of another line, or the end of the block.
    fn value_end(&self, first: usize) -> Option<usize> {
        let mut depth = 0usize;
        (first..first + 40).find(|number| {
            let (Some(before), Some(token)) = (self.tokens.get(number - 1), self.tokens.get(*number)) else {
                return true;
            };
            let class = token.kind.class();
            if class == Class::Closer && depth == 0 {
                return true;
            }
            depth += usize::from(class == Class::Opener);
            depth -= usize::from(class == Class::Closer);
            matches!(token.kind, TokenKind::Eof | TokenKind::Semicolon) || !self.on_one_line(*before, *token)
        })
    }

    /// How a loop that counts is written; for `for (int i = 0; i < 10; i++)` with its bounds, where the `=` is
    /// `ahead` of the current token.
    pub(super) fn counting_loop(&self, variable: &str, ahead: usize) -> String {
        let part = |at: usize| self.nth(ahead + at);
        let bounded = part(0).kind == TokenKind::Assign
            && part(2).kind == TokenKind::Semicolon
            && part(3).text == variable
            && part(4).kind == TokenKind::Less
            && part(6).kind == TokenKind::Semicolon;
        let (start, end) = match (bounded, part(0).kind, part(2).text) {
            (true, ..) => (part(1).text, part(5).text),
            (false, TokenKind::Assign, "to") => (part(1).text, part(3).text),
            _ => ("0", "10"),
        };
        format!("a 'for' loop is written 'for {variable} in range({start}, {end}) {{ ... }}'")
    }
}
