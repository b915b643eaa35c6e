//! How each token is joined to the one before it.

use crate::syntax::token::Class;
use crate::syntax::{Token, TokenKind};

use super::roles::{Role, Roles};
use super::trivia::Trivia;

/// What is between a token and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    Nothing,
    Blank,
    /// A line end, if there was one, else nothing.
    NothingOrLine,
    /// A line end, if there was one, else a blank.
    BlankOrLine,
    /// A line end between an attribute and what it belongs to, if there was one, else a blank.
    AfterAttribute,
    /// A line end before a statement; in a block in one line a blank.
    Line,
    /// A line end or a blank between the fields of a declaration, the members of an enum.
    Member,
    /// Before the first element of a list.
    First,
    /// Between two elements.
    Element,
    /// Before the bracket that closes a list.
    Close,
    /// Before the `}` of a block or declaration.
    CloseBlock,
    /// Before `or` and `otherwise`.
    Branch,
}

/// The kind of bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A list whose elements can have lines of their own: arguments, parameters, values.
    List,
    /// The brackets of an index or type.
    Bracket,
    /// A block or declaration.
    Block,
}

/// Whether the token begins a list that can be broken.
pub(super) fn opens_list(token: &Token<'_>, role: Role) -> bool {
    let is_block = matches!(role, Role::Block | Role::Cases | Role::Fields | Role::Members);
    let is_name = matches!(role, Role::Name | Role::Member);
    !is_name && !is_block && matches!(token.kind, TokenKind::LeftParen | TokenKind::LeftBrace)
}

/// The joins before all tokens.
pub(super) fn of(tokens: &[Token<'_>], trivia: &Trivia<'_>, roles: &Roles) -> Vec<Join> {
    let mut open: Vec<Open> = Vec::new();
    let mut joins = Vec::with_capacity(tokens.len());
    let mut previous: Option<&Token<'_>> = None;
    for (index, token) in tokens.iter().enumerate() {
        let join = match previous {
            None => Join::Line,
            Some(before) => {
                Pair { tokens, trivia, roles, index, before, token, open: open.last().copied() }.join()
            }
        };
        joins.push(join);
        if roles.partner(index).is_some_and(|partner| partner > index) {
            open.push(match token.kind {
                TokenKind::LeftBracket => Open::Bracket,
                _ if opens_list(token, roles.role(index)) => Open::List,
                _ => Open::Block,
            });
        } else if roles.partner(index).is_some() {
            open.pop();
        }
        previous = Some(token);
    }
    joins
}

/// A token and the one before it.
struct Pair<'a, 't> {
    tokens: &'a [Token<'t>],
    trivia: &'a Trivia<'t>,
    roles: &'a Roles,
    index: usize,
    before: &'a Token<'t>,
    token: &'a Token<'t>,
    /// The bracket around the token.
    open: Option<Open>,
}

impl Pair<'_, '_> {
    fn role(&self) -> Role {
        self.roles.role(self.index)
    }

    fn role_before(&self) -> Role {
        self.roles.role(self.index - 1)
    }

    /// Whether the token before opens a bracket.
    fn after_opener(&self) -> bool {
        self.roles.partner(self.index - 1).is_some_and(|partner| partner >= self.index)
    }

    fn is_closer(&self) -> bool {
        self.roles.partner(self.index).is_some_and(|partner| partner < self.index)
    }

    fn join(&self) -> Join {
        if self.token.kind == TokenKind::Eof {
            return Join::Line;
        }
        if self.is_closer() && self.after_opener() && self.trivia.comments(self.index).is_empty() {
            return Join::Nothing;
        }
        self.by_role().or_else(|| self.by_bracket()).unwrap_or_else(|| self.by_kind())
    }

    fn by_role(&self) -> Option<Join> {
        Some(match self.role() {
            Role::Start => Join::Line,
            Role::SameLine => Join::Blank,
            Role::Branch => Join::Branch,
            Role::Block | Role::Cases | Role::Fields | Role::Members => Join::Blank,
            _ if self.ends_attribute() => Join::AfterAttribute,
            Role::Member if self.open == Some(Open::Block) => Join::Member,
            // The fields of a literal need no commas.
            Role::Member if !self.after_opener() => Join::Element,
            Role::Binary | Role::VariableType => Join::BlankOrLine,
            Role::Name if self.before.kind == TokenKind::Dot => Join::Nothing,
            Role::Postfix => Join::Nothing,
            Role::Prefix | Role::Plain | Role::Name | Role::Member => match self.role_before() {
                Role::Binary => Join::BlankOrLine,
                Role::Prefix if self.would_merge() => Join::Blank,
                Role::Prefix => Join::Nothing,
                _ => return None,
            },
        })
    }

    /// Whether a prefix operator and what follows would be another token.
    fn would_merge(&self) -> bool {
        match self.before.kind {
            TokenKind::Minus => {
                matches!(self.token.kind, TokenKind::Minus | TokenKind::Decrement | TokenKind::Arrow)
            }
            TokenKind::Bang => self.token.text.starts_with("in") || self.token.text.starts_with('='),
            _ => false,
        }
    }

    /// Whether the tokens before are an attribute.
    fn ends_attribute(&self) -> bool {
        let last = match self.roles.closed(self.tokens, self.index - 1) {
            Some((open, _)) => open.checked_sub(1),
            None => Some(self.index - 1),
        };
        let is_name = |last: usize| matches!(self.roles.role(last), Role::Name | Role::Member);
        last.filter(|last| !is_name(*last))
            .and_then(|last| self.tokens.get(last))
            .is_some_and(|token| token.kind.class() == Class::Attribute)
            && self.token.kind != TokenKind::LeftParen
    }

    fn by_bracket(&self) -> Option<Join> {
        let is_comma = self.before.kind == TokenKind::Comma && self.role_before() == Role::Plain;
        Some(match self.open? {
            Open::Block if self.is_closer() => Join::CloseBlock,
            Open::List if self.is_closer() => Join::Close,
            Open::List if self.after_opener() && self.token.kind != TokenKind::Colon => Join::First,
            Open::List if is_comma && self.token.kind != TokenKind::Comma => Join::Element,
            Open::Bracket if self.is_closer() || self.after_opener() => Join::Nothing,
            Open::Bracket if TokenKind::Colon == self.before.kind => Join::Nothing,
            // `{ … }` in one line.
            Open::Block if self.after_opener() => Join::Blank,
            Open::Block | Open::List | Open::Bracket => return None,
        })
    }

    fn by_kind(&self) -> Join {
        let glued = if self.trivia.is_empty(self.index) { Join::Nothing } else { Join::Blank };
        match (self.before.kind, self.token.kind) {
            // `1 .x` and `1.x` are different.
            (TokenKind::Int | TokenKind::Float, TokenKind::Dot) => glued,
            (_, TokenKind::Dot) => Join::NothingOrLine,
            (TokenKind::Dot, _) => Join::Nothing,
            (_, TokenKind::Comma | TokenKind::Colon) => Join::Nothing,
            (TokenKind::Comma, _) => Join::BlankOrLine,
            (TokenKind::Amp, TokenKind::Use) | (TokenKind::Import, _) => Join::Blank,
            (TokenKind::Amp | TokenKind::At, _) => Join::Nothing,
            // `import m@math, y"./x"`
            (TokenKind::Ident, TokenKind::At | TokenKind::Str) => Join::Nothing,
            (TokenKind::Ident, TokenKind::LeftParen) => Join::Nothing,
            (TokenKind::New | TokenKind::Range | TokenKind::Cast, TokenKind::LeftParen) => Join::Nothing,
            (kind, TokenKind::LeftParen) if kind.class() == Class::Attribute => Join::Nothing,
            (TokenKind::Ident, TokenKind::LeftBracket) if self.before.text == "map" => Join::Nothing,
            (kind, _) if kind.class() == Class::Assignment && !kind.counts() => Join::BlankOrLine,
            _ => Join::Blank,
        }
    }
}
