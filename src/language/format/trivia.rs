//! What is between the tokens: comments and line ends.

use crate::syntax::comments::comments;
use crate::syntax::{Token, TokenKind};
use ez_runtime::text::slice;

/// A comment, or a first line for shells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'t> {
    /// The comment as written, without blanks at its end.
    pub text: &'t str,
    /// Line ends between what is before it and itself.
    pub lines_before: u32,
    /// Whether it ends with its line.
    pub is_line: bool,
}

impl Comment<'_> {
    /// Whether it is alone in its line, or the first in it.
    pub fn begins_line(&self) -> bool {
        self.lines_before > 0
    }

    /// Whether a line ends in it or after it.
    pub fn ends_line(&self) -> bool {
        self.is_line || self.text.contains('\n')
    }
}

/// What is before a token.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    /// The first of its comments, and the first of those after it.
    first: usize,
    end: usize,
    /// Line ends between the last comment, or the token before, and the token.
    lines: u32,
    /// All line ends outside of comments.
    all_lines: u32,
    /// Whether there is anything at all.
    is_empty: bool,
}

/// What is before each token.
#[derive(Debug, Default)]
pub(super) struct Trivia<'t> {
    comments: Vec<Comment<'t>>,
    gaps: Vec<Gap>,
}

impl<'t> Trivia<'t> {
    fn gap(&self, token: usize) -> Gap {
        self.gaps.get(token).copied().unwrap_or_default()
    }

    /// The comments before a token.
    pub fn comments(&self, token: usize) -> &[Comment<'t>] {
        let Gap { first, end, .. } = self.gap(token);
        self.comments.get(first..end).unwrap_or_default()
    }

    /// Line ends directly before a token: after the last comment, or the token before.
    pub fn lines(&self, token: usize) -> u32 {
        self.gap(token).lines
    }

    /// Whether the token begins a line, or a comment between it and the token before does.
    pub fn breaks(&self, token: usize) -> bool {
        self.gap(token).all_lines > 0
    }

    /// Whether the token follows the one before without anything between them.
    pub fn is_empty(&self, token: usize) -> bool {
        self.gap(token).is_empty
    }

    /// Whether comments before a token make it, or themselves, begin a line.
    pub fn forces_break(&self, token: usize) -> bool {
        self.comments(token).iter().any(|comment| comment.begins_line() || comment.ends_line())
    }

    /// Whether a formatted text has the same comments in the same order.
    pub fn written_in(&self, formatted: &str) -> bool {
        let mut rest = formatted;
        self.comments.iter().all(|comment| match rest.find(comment.text) {
            Some(at) => {
                rest = rest.get(at + comment.text.len()..).unwrap_or_default();
                true
            }
            None => false,
        })
    }
}

/// Reads what is between the tokens of a text, the last of which is its end.
pub(super) fn read<'t>(text: &'t str, tokens: &[Token<'t>]) -> Trivia<'t> {
    let mut trivia = Trivia::default();
    let mut from = 0;
    for token in tokens {
        let start = token.span.start as usize;
        let first = trivia.comments.len();
        let lines = read_gap(slice(text, from..start), &mut trivia.comments);
        if let (0, Some(comment)) = (from, trivia.comments.first_mut()) {
            // The text begins with a line.
            comment.lines_before = comment.lines_before.max(1);
        }
        let end = trivia.comments.len();
        let before = trivia.comments.get(first..end).unwrap_or_default();
        let all_lines = lines + before.iter().map(|comment| comment.lines_before).sum::<u32>();
        trivia.gaps.push(Gap { first, end, lines, all_lines, is_empty: start == from });
        from = token.span.end as usize;
        debug_assert!(token.kind != TokenKind::Eof || from == start);
    }
    trivia
}

/// Adds the comments of a gap; returns the number of line ends after the last.
fn read_gap<'t>(gap: &'t str, found: &mut Vec<Comment<'t>>) -> u32 {
    let mut from = 0;
    for comment in comments(gap) {
        let lines_before = count_lines(slice(gap, from..comment.start));
        found.push(Comment { text: comment.text.trim_end(), lines_before, is_line: comment.is_line });
        from = comment.end();
    }
    count_lines(slice(gap, from..))
}

fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}
