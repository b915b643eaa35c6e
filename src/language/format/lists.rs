//! Whether lists and blocks are written in one line.

use crate::syntax::{Token, TokenKind};
use ez_runtime::text::slice;

use super::joins::{Join, opens_list};
use super::roles::{Role, Roles};
use super::trivia::Trivia;
use super::{SHORT, WIDTH};

/// A program to be laid out.
#[derive(Clone, Copy)]
pub(super) struct Program<'a, 't> {
    pub text: &'t str,
    pub tokens: &'a [Token<'t>],
    pub trivia: &'a Trivia<'t>,
    pub roles: &'a Roles,
    pub joins: &'a [Join],
}

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// In one line.
    Flat,
    /// In lines as they were: each begins after the bracket or a comma.
    Rows,
    /// One element a line.
    Lines,
}

impl<'t> Program<'_, 't> {
    pub fn join(&self, token: usize) -> Join {
        self.joins.get(token).copied().unwrap_or(Join::Blank)
    }

    /// A token as it is written.
    pub fn written(&self, token: usize) -> &'t str {
        self.tokens
            .get(token)
            .map_or("", |token| slice(self.text, token.span.start as usize..token.span.end as usize))
    }

    /// The last token of a bracket's list, if it can be broken.
    pub fn list(&self, open: usize) -> Option<usize> {
        let token = self.tokens.get(open).filter(|token| opens_list(token, self.roles.role(open)))?;
        let close = self.roles.partner(open).filter(|close| *close > open)?;
        debug_assert!(token.kind.opens());
        (self.join(open + 1) == Join::First).then_some(close)
    }

    /// How the list that begins at `open`, in column `column`, is written. `around`: the number of lists in one line
    /// around it, up to one with lines of its own, whose lines can end after an element.
    pub fn shape(&self, open: usize, close: usize, column: usize, around: usize) -> Shape {
        let (mut has_rows, mut forced, mut can_help) = (false, false, false);
        let mut token = open + 1;
        while token <= close {
            let is_soft = matches!(self.join(token), Join::First | Join::Element | Join::Close);
            has_rows |= is_soft && self.trivia.breaks(token);
            forced |= self.trivia.forces_break(token);
            can_help |= self.join(token) == Join::Element;
            // Lists within have breaks of their own.
            token = match self.roles.partner(token).filter(|inner| *inner > token && token < close) {
                Some(inner) => inner + 1,
                None => token + 1,
            };
        }
        match (has_rows, forced) {
            (true, _) => Shape::Rows,
            (false, true) => Shape::Lines,
            (false, false) if self.fits(open, close, column, around) => Shape::Flat,
            (false, false) if !can_help || self.is_short(open, close) => Shape::Flat,
            (false, false) if self.holds_broken_list(open, close) => Shape::Flat,
            (false, false) => Shape::Lines,
        }
    }

    /// Whether a list is so short that it is easier to read in one line, if that is a long one.
    fn is_short(&self, open: usize, close: usize) -> bool {
        let mut columns = 0;
        (open..=close).all(|token| {
            columns += self.flat_gap(token) + self.written(token).chars().count();
            columns <= SHORT
        })
    }

    /// Whether the last element of a list ends with a list that has lines of its own: `f(Point{`, and what is before
    /// that fits.
    fn holds_broken_list(&self, open: usize, close: usize) -> bool {
        let Some(inner) = self.roles.partner(close - 1).filter(|inner| *inner > open) else { return false };
        let Some(end) = self.list(inner) else { return false };
        (inner + 1..=end).any(|token| {
            matches!(self.join(token), Join::First | Join::Element | Join::Close) && self.trivia.breaks(token)
        })
    }

    /// Whether the tokens of a list fit into the line in which it begins, with what follows up to where a line can end.
    fn fits(&self, open: usize, close: usize, column: usize, around: usize) -> bool {
        let (mut column, mut around) = (column, around);
        for token in open.. {
            if token > open {
                let is_kept = matches!(self.join(token), Join::BlankOrLine | Join::NothingOrLine);
                let ends = match self.join(token) {
                    Join::Line | Join::Member | Join::CloseBlock | Join::Branch | Join::AfterAttribute => {
                        true
                    }
                    Join::Element | Join::Close => token > close && around == 0,
                    Join::BlankOrLine | Join::NothingOrLine => token > close && self.trivia.breaks(token),
                    Join::First => token > close,
                    Join::Nothing | Join::Blank => false,
                };
                if ends || self.trivia.forces_break(token) && token > close {
                    return true;
                }
                if self.join(token) == Join::Close && token > close {
                    around = around.saturating_sub(1);
                }
                if is_kept && self.trivia.breaks(token) {
                    // It goes on in a line of its own.
                    column = 0;
                }
                column += self.flat_gap(token);
            }
            let written = self.written(token);
            column += written.split('\n').next().unwrap_or_default().chars().count();
            if column > WIDTH {
                return false;
            }
            if token > close && self.tokens.get(token).is_none_or(|t| t.kind == TokenKind::Eof) {
                return true;
            }
        }
        true
    }

    /// Columns between a token and the one before it in one line.
    fn flat_gap(&self, token: usize) -> usize {
        let comments = self.trivia.comments(token).iter().map(|comment| comment.text.chars().count() + 1);
        let blank = match self.join(token) {
            Join::Blank | Join::BlankOrLine | Join::Element | Join::Line | Join::Member => 1,
            Join::CloseBlock | Join::Branch | Join::AfterAttribute => 1,
            Join::Nothing | Join::NothingOrLine | Join::First | Join::Close => 0,
        };
        comments.sum::<usize>() + blank
    }

    /// Whether a block or declaration that begins at `open` is written in one line, if that begins in column `column`:
    /// it was, and has one simple statement.
    pub fn is_inline(&self, open: usize, close: usize, column: usize) -> bool {
        let is_block = match self.roles.role(open) {
            Role::Block => true,
            Role::Fields | Role::Members => false,
            _ => return false,
        };
        let (mut statements, mut column) = (0, column);
        for token in open..=close {
            let role = self.roles.role(token);
            statements += usize::from(role == Role::Start || token > open && role == Role::Block);
            if token > open {
                let begins_line = self.trivia.breaks(token) || !self.trivia.comments(token).is_empty();
                if begins_line {
                    return false;
                }
                column += self.flat_gap(token);
            }
            column += self.written(token).chars().count();
            if is_block && statements > 1 || column > WIDTH || self.written(token).contains('\n') {
                return false;
            }
        }
        true
    }
}
