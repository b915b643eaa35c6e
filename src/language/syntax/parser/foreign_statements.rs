//! Statements of other languages: `while x > 0 {`, `def f(n):`, `public class Dog {`.
//!
//! They are recognised by their first word and the shape of their line, reported once with the way in which EZ writes
//! them, and skipped. What is in their block is parsed, for errors of its own.

use super::Parser;
use crate::syntax::foreign::{self, Construct};
use crate::syntax::token::{self, Token, TokenKind};
use ez_runtime::diagnostics::{Code, Diagnostic, Fix, Help};
use ez_runtime::source::Span;

/// For a block after an unknown word.
const BLOCKS: &str =
    "blocks follow 'if', 'or', 'otherwise', 'for', 'for_each', 'as_long_as', 'loop' and 'when'";
/// Most tokens of a header that are looked at: longer lines are no headers.
const HEADER: usize = 100;

impl Parser<'_> {
    /// Reports and skips a statement of another language; `false` if there is none.
    pub(super) fn foreign_statement(&mut self) -> bool {
        if !self.at(TokenKind::Ident) {
            return false;
        }
        if self.rest_of_try() {
            return true;
        }
        let modifiers = (0..HEADER).take_while(|ahead| self.is_modifier(*ahead)).count();
        let word = self.nth(modifiers);
        match foreign::construct(word.text).filter(|_| word.kind == TokenKind::Ident) {
            Some(construct) if self.begins_construct(modifiers, construct) => {
                self.foreign_block(modifiers, word, construct);
                true
            }
            _ => self.foreign_function(modifiers) || self.unknown_block(),
        }
    }

    /// A block after a word that begins no statement: `asLongAs x > 0 {`.
    fn unknown_block(&mut self) -> bool {
        let word = self.tok();
        let (next, beside) = (self.nth(1), !self.begins_line(1));
        let header = matches!(
            next.kind,
            TokenKind::Ident | TokenKind::Int | TokenKind::Str | TokenKind::Char | TokenKind::Bang
        ) || matches!(
            next.kind,
            TokenKind::True | TokenKind::False | TokenKind::LeftParen | TokenKind::LeftBrace
        );
        let struct_literal =
            next.kind == TokenKind::LeftBrace && word.text.starts_with(|c: char| c.is_ascii_uppercase());
        if !beside || !header || struct_literal {
            return false;
        }
        let Some(end) = self.block_on_line(1) else { return false };
        let assigned = (1..end).any(|ahead| self.nth(ahead).kind == TokenKind::Assign);
        let is_other = assigned || self.ends_before(1, end);
        if self.nth(end).kind != TokenKind::LeftBrace || is_other || self.is_array(end) {
            return false;
        }
        let (message, help) = match foreign::statement_word(word.text) {
            Some(keyword) => {
                let help = Help::from(format!("did you mean '{keyword}'?"));
                (not_a_word(word.text), help.perhaps(keyword))
            }
            None if next.kind == TokenKind::LeftParen => (
                format!("a block follows the call of '{}'", word.text),
                format!(
                    "a function begins with 'do', and is not inside of another one: do {}(...) {{ ... }}",
                    word.text
                )
                .into(),
            ),
            None => (not_a_word(word.text), BLOCKS.into()),
        };
        self.report(Diagnostic::new(Code::E2001, word.span, message).help(help));
        self.pos += end;
        self.block();
        true
    }

    /// Whether the `{` at a token in the current line begins an array or map.
    fn is_array(&mut self, ahead: usize) -> bool {
        if self.begins_line(ahead + 1) && self.nth(ahead + 1).kind == TokenKind::RightBrace {
            return false;
        }
        let (start, reported, exceeded) = (self.pos, self.diagnostics.len(), self.nesting_exceeded);
        self.pos += ahead;
        let found = self.expression().is_some() || self.nesting_exceeded != exceeded;
        self.pos = start;
        self.diagnostics.truncate(reported);
        self.nesting_exceeded = exceeded;
        found
    }

    /// Reports and skips a line such as `from math import sqrt`; `false` if there is none.
    pub(super) fn foreign_import(&mut self) -> bool {
        let word = self.tok();
        let is_module = matches!(self.nth(1).kind, TokenKind::At | TokenKind::Str | TokenKind::Ident);
        if word.text != "from" || !is_module || self.begins_line(1) {
            return false;
        }
        self.not_a_word(word, foreign::translation(word.text).unwrap_or_default().to_string());
        self.bump();
        while !self.at(TokenKind::Eof) && !self.begins_line(0) {
            self.bump();
        }
        true
    }

    /// Skips the head of `except:` after a `try:` that has been reported.
    fn rest_of_try(&mut self) -> bool {
        if !Construct::Try.goes_on_with(self.tok().text) {
            return false;
        }
        let colon = self.block_on_line(1).filter(|end| self.nth(*end).kind == TokenKind::Colon);
        let Some(end) = colon.filter(|_| self.scopes.last().is_some_and(|scope| scope.has_try)) else {
            return false;
        };
        self.pos += end + 1;
        true
    }

    /// Help for a line that begins as a declaration in C does: `int b[5]`, `int *p`, `int[] c`.
    pub(super) fn declaration_of_c(&self) -> Option<String> {
        // The name may follow `[]`.
        let end = self.pos + if self.begins_line(1) { 1 } else { 2 };
        let before = self.tokens.get(..end.min(self.tokens.len()))?;
        let is_first = |at: &usize| {
            let start = before.get(*at).map_or(0, |token| token.span.start as usize);
            let end =
                at.checked_sub(1).and_then(|at| before.get(at)).map_or(0, |token| token.span.end as usize);
            self.origin.text.get(end..start).is_none_or(|text| text.contains('\n'))
        };
        let first = (0..self.pos).rev().take(HEADER).find(is_first)?;
        let line = before.get(first..)?;
        let (ty, rest) = line.split_first().filter(|(ty, _)| ty.kind == TokenKind::Ident)?;
        let ty = ez_type(ty.text)?;
        let pointers = rest.iter().take_while(|token| token.kind == TokenKind::Star).count();
        let name = rest.iter().find(|token| token.kind == TokenKind::Ident).filter(|_| {
            let written = [TokenKind::Ident, TokenKind::Star, TokenKind::LeftBracket];
            rest.first().is_some_and(|token| written.contains(&token.kind))
        })?;
        let is_array = rest
            .iter()
            .take_while(|token| token.kind != TokenKind::Assign)
            .any(|token| token.kind == TokenKind::LeftBracket);
        let name = name.text;
        Some(match (pointers, is_array) {
            (0, true) => format!("the type of an array follows its name: temp {name} [{ty}] = {{...}}"),
            (0, false) => format!("the type follows the name: temp {name} {ty} = ..."),
            _ => format!("EZ has no pointers, and the type follows the name: temp {name} {ty} = ..."),
        })
    }

    /// Whether a word such as `public` stands here, with another word after it on its line.
    fn is_modifier(&self, ahead: usize) -> bool {
        let token = self.nth(ahead);
        token.kind == TokenKind::Ident
            && foreign::is_modifier(token.text)
            && self.nth(ahead + 1).kind == TokenKind::Ident
            && !self.begins_line(ahead + 1)
    }

    /// Whether the line goes on as a construct does, and not as a statement of EZ about a variable or function
    /// with the name of the word.
    fn begins_construct(&self, ahead: usize, construct: Construct) -> bool {
        if self.begins_line(ahead + 1) {
            return false;
        }
        let header = match self.nth(ahead + 1).kind {
            TokenKind::Ident | TokenKind::Int | TokenKind::Str | TokenKind::Char | TokenKind::RawStr => true,
            TokenKind::True | TokenKind::False | TokenKind::Nil | TokenKind::Bang | TokenKind::LeftParen => {
                true
            }
            TokenKind::LeftBrace | TokenKind::Colon => construct.may_be_bare(),
            TokenKind::If => construct == Construct::Else,
            _ => false,
        };
        let is_call = self.nth(ahead + 1).kind == TokenKind::LeftParen;
        header
            && self.block_on_line(ahead + 1).is_some_and(|end| !(is_call && self.ends_before(ahead + 1, end)))
    }

    /// Whether a statement that has the token `from` ends before the token `end`: another one begins there, or the
    /// block around it ends.
    fn ends_before(&self, from: usize, end: usize) -> bool {
        let (mut depth, mut previous) = (0usize, TokenKind::Eof);
        for kind in (from..end).map(|ahead| self.nth(ahead).kind) {
            let after_call = previous == TokenKind::RightParen && kind == TokenKind::Ident;
            if depth == 0 && (after_call || kind.starts_statement()) {
                return true;
            }
            if kind.opens() {
                depth += 1;
            } else if kind.opener().is_some() {
                let Some(outer) = depth.checked_sub(1) else { return true };
                depth = outer;
            }
            previous = kind;
        }
        false
    }

    /// The number of tokens up to the `{` or `:` that ends the header on this line: the first one outside of
    /// parentheses and brackets.
    fn block_on_line(&self, from: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut ahead = from;
        while ahead < from + HEADER {
            match self.nth(ahead).kind {
                TokenKind::Eof => return None,
                TokenKind::LeftParen | TokenKind::LeftBracket => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth = depth.checked_sub(1)?,
                TokenKind::LeftBrace if depth == 0 && !self.is_value(ahead) => return Some(ahead),
                TokenKind::Colon if depth == 0 && self.begins_line(ahead + 1) => return Some(ahead),
                _ => {}
            }
            ahead += 1;
            if self.begins_line(ahead) {
                // A `{` in a line of its own.
                return (depth == 0 && self.nth(ahead).kind == TokenKind::LeftBrace).then_some(ahead);
            }
        }
        None
    }

    /// Whether the `{` begins a value: its `}` is followed by another `{` on the line.
    fn is_value(&self, at: usize) -> bool {
        let mut depth = 0usize;
        let mut ahead = at;
        while ahead < at + HEADER {
            match self.nth(ahead).kind {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace if depth == 1 => {
                    return self.nth(ahead + 1).kind == TokenKind::LeftBrace && !self.begins_line(ahead + 1);
                }
                TokenKind::RightBrace => depth = depth.saturating_sub(1),
                TokenKind::Eof => return false,
                _ => {}
            }
            ahead += 1;
            if self.begins_line(ahead) {
                return false;
            }
        }
        false
    }

    /// The text between two tokens, without the second.
    fn text_between(&self, first: usize, end: usize) -> &str {
        self.text_between_tokens(self.pos + first, self.pos + end).unwrap_or_default()
    }

    fn foreign_block(&mut self, ahead: usize, word: Token<'_>, construct: Construct) {
        let end = self.block_on_line(ahead + 1).unwrap_or(ahead + 1);
        let header = self.text_between(ahead + 1, end);
        let help = Help::from(foreign::written(construct, word.text, header));
        let fix = self.construct_fix(word, construct, header, self.nth(end)).filter(|_| ahead == 0);
        self.not_a_word(word, help.fix(fix));
        if let Some(scope) = self.scopes.last_mut() {
            scope.has_try |= construct == Construct::Try;
        }
        self.pos += end;
        self.block_of_foreign(construct);
        // `catch` after `try` and the like belong to the same mistake.
        while construct.goes_on_with(self.tok().text) && self.kind() == TokenKind::Ident {
            let Some(end) = self.block_on_line(1) else { break };
            self.pos += end;
            self.block_of_foreign(construct);
        }
    }

    /// At the `{` or `:` after a header.
    fn block_of_foreign(&mut self, construct: Construct) {
        if self.at(TokenKind::Colon) {
            self.bump();
        } else if construct.contains_statements() {
            self.block();
        } else {
            self.skip_braces();
        }
    }

    fn not_a_word(&mut self, word: Token<'_>, help: impl Into<Help>) {
        self.report(Diagnostic::new(Code::E2001, word.span, not_a_word(word.text)).help(help));
    }

    /// A function in the syntax of another language: `def f(n):`, `int add(int a, int b) {`; at file level also
    /// `add(a int) {`.
    fn foreign_function(&mut self, modifiers: usize) -> bool {
        let mut name = modifiers;
        while name < HEADER && self.nth(name + 1).kind == TokenKind::Ident && !self.begins_line(name + 1) {
            name += 1;
        }
        let first = self.nth(modifiers);
        let typed = name > modifiers && (foreign::begins_function(first.text) || is_type_word(first.text));
        let bare = name == 0 && self.scopes.len() == 1;
        if !(typed || bare) || self.nth(name + 1).kind != TokenKind::LeftParen || self.begins_line(name + 1) {
            return false;
        }
        let Some(end) = self.block_on_line(name + 1) else { return false };
        // `f() if x { … }` in a cell.
        if bare && self.ends_before(name + 1, end) {
            return false;
        }
        let word = self.tok();
        let named = self.nth(name).text;
        let help = match named {
            "main" => "in EZ a program begins with: do main() { ... }".to_string(),
            _ => format!("in EZ a function begins with 'do': {}", self.signature(modifiers, name, end)),
        };
        let help = self.with_head(help, named, word, end);
        if typed && is_type_word(first.text) {
            let message = "a function begins with 'do', not with the type of its result";
            self.report(Diagnostic::new(Code::E2001, word.span, message).help(help));
        } else if bare {
            let message = format!("the function '{named}' has no 'do' before it");
            self.report(Diagnostic::new(Code::E2001, word.span, message).help(help));
        } else {
            self.not_a_word(word, help);
        }
        self.pos += end;
        let outer = std::mem::replace(&mut self.in_function, true);
        self.block_of_foreign(Construct::Function);
        self.in_function = outer;
        true
    }

    /// The help with the head that it shows, if the block is in braces. The types in it are guessed.
    fn with_head(&self, help: String, named: &str, word: Token<'_>, end: usize) -> Help {
        let block = self.nth(end);
        let Some((_, head)) = help.split_once(": ").filter(|_| block.kind == TokenKind::LeftBrace) else {
            return help.into();
        };
        let head = head.trim_end_matches("{ ... }").to_string();
        let whole = Span { end: block.span.start, ..word.span };
        Help::from(help).fix(Fix::certain(whole, head).only_if(named == "main"))
    }

    /// How EZ writes the head of a function: `first` and `name` are the words before the `(`, `end` the `{` or `:`.
    fn signature(&self, first: usize, name: usize, end: usize) -> String {
        let close = (name..end).rfind(|at| self.nth(*at).kind == TokenKind::RightParen).unwrap_or(end);
        let mut parameters = Vec::new();
        let mut from = name + 2;
        for at in name + 2..=close {
            if matches!(self.nth(at).kind, TokenKind::Comma) || at == close {
                parameters.extend(self.parameter(from, at));
                from = at + 1;
            }
        }
        let arrow = (close..end).find(|at| self.nth(*at).kind == TokenKind::Arrow);
        let result = match (arrow, ez_type(self.nth(first).text)) {
            (Some(arrow), _) => format!(" -> {}", self.text_between(arrow + 1, end)),
            (None, Some(ty)) => format!(" -> {ty}"),
            (None, None) if self.nth(first).text == "void" || first == name => String::new(),
            (None, None) => " -> int".into(),
        };
        format!("do {}({}){result} {{ ... }}", self.nth(name).text, parameters.join(", "))
    }

    /// A parameter: `n`, `n int`, `n: int` or `int n`.
    fn parameter(&self, from: usize, end: usize) -> Option<String> {
        let words: Vec<&str> = (from..end)
            .map(|at| self.nth(at))
            .filter(|t| t.kind == TokenKind::Ident)
            .map(|t| t.text)
            .collect();
        Some(match words.as_slice() {
            [] => return None,
            [name] => format!("{name} int"),
            [ty, name, ..] if is_type_word(ty) => format!("{name} {}", ez_type(ty).unwrap_or(ty)),
            [name, ty, ..] => format!("{name} {}", ez_type(ty).unwrap_or(ty)),
        })
    }

    /// At `else`, `elif` or `otherwise if` after a branch of an `if`: reports it and moves to its condition or block.
    /// Returns whether a condition follows.
    /// `reported`: there was one before in this `if`, which is reported for both.
    pub(super) fn foreign_branch(&mut self, reported: bool) -> Option<bool> {
        let word = self.tok();
        let next = self.nth(1);
        let beside = !self.begins_line(1);
        let (words, conditional) = match (word.kind, next.kind) {
            (TokenKind::Otherwise | TokenKind::OrKw, TokenKind::If) if beside => (2, true),
            (TokenKind::OrKw, TokenKind::LeftBrace) if self.begins_line(2) => (1, false),
            (TokenKind::Ident, _) => match foreign::construct(word.text)? {
                Construct::Else if next.kind == TokenKind::If && beside => (2, true),
                Construct::Else if next.kind == TokenKind::LeftBrace => (1, false),
                Construct::ElseIf if self.begins_construct(0, Construct::ElseIf) => (1, true),
                _ => return None,
            },
            _ => return None,
        };
        let written = self.text_between(0, words);
        let end = self.block_on_line(words).unwrap_or(words);
        let condition = self.text_between(words, end);
        let (message, help) = match (word.kind, conditional) {
            (TokenKind::OrKw, false) => (
                "'or' needs a condition".into(),
                "the branch for all other cases is written 'otherwise'".into(),
            ),
            (_, true) => (
                format!("'{written}' is not written so in EZ"),
                format!("in EZ 'else if' is written 'or': or {condition} {{ ... }}"),
            ),
            (_, false) => (
                format!("'{written}' is not a word of EZ"),
                "in EZ 'else' is written 'otherwise'".to_string(),
            ),
        };
        let report = match word.kind {
            TokenKind::Otherwise => Diagnostic::new(Code::E2002, next.span, "expected '{', got 'if' instead"),
            _ => Diagnostic::new(Code::E2001, word.span, message),
        };
        if !reported {
            let last = self.nth(words - 1).span;
            let keyword = if conditional { "or" } else { "otherwise" };
            self.report(report.help(Help::from(help).fix(Fix::certain(word.span.to(last), keyword))));
        }
        self.pos += words;
        Some(conditional)
    }
}

fn not_a_word(word: &str) -> String {
    format!("'{word}' is not a word of EZ")
}

/// The type of EZ that a word stands for, here or in other languages.
fn ez_type(word: &str) -> Option<&str> {
    foreign::type_name(word).or_else(|| token::is_primitive(word).then_some(word))
}

fn is_type_word(word: &str) -> bool {
    token::is_primitive(word) || foreign::is_type(word)
}
