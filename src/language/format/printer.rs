//! Writes a program, token by token.

use crate::syntax::{Token, TokenKind};
use ez_runtime::text::slice;

use super::INDENT;
use super::joins::Join;
use super::lists::{Program, Shape};
use super::roles::{Role, Roles};
use super::trivia::{Comment, Trivia};

/// The formatted text.
pub(super) fn print<'t>(
    text: &'t str,
    tokens: &[Token<'t>],
    trivia: &Trivia<'t>,
    roles: &Roles,
    joins: &[Join],
) -> String {
    let first = text.find('\n').map_or(text, |end| slice(text, ..end));
    let mut printer = Printer {
        program: Program { text, tokens, trivia, roles, joins },
        line_end: if first.ends_with('\r') { "\r\n" } else { "\n" },
        out: String::with_capacity(text.len() + text.len() / 8),
        column: 0,
        indent: 0,
        line_indent: 0,
        in_header: false,
        after_opener: false,
        after_inline: false,
        open: Vec::new(),
    };
    for (index, token) in tokens.iter().enumerate() {
        printer.before(index);
        if token.kind != TokenKind::Eof {
            printer.token(index);
        }
    }
    printer.end()
}

/// A bracket that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    kind: OpenKind,
    /// What was before it.
    indent: usize,
    line_indent: usize,
    in_header: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenKind {
    /// A block or declaration in one line.
    Inline,
    /// A block or declaration. `has_rows`: some of what is in it stays in one line.
    Block {
        has_rows: bool,
    },
    List(Shape),
    /// Any other, in one line.
    Bracket,
}

struct Printer<'a, 't> {
    program: Program<'a, 't>,
    line_end: &'static str,
    out: String,
    /// The column of the end of what is written, in characters from 0.
    column: usize,
    /// Indentation of the statements of the block, or elements of the list.
    indent: usize,
    /// Indentation of the line.
    line_indent: usize,
    /// Whether the head of a block is written, whose lines are told from the block by their indentation.
    in_header: bool,
    /// Whether the last thing written is an opening bracket.
    after_opener: bool,
    /// Whether the last thing written is a block in one line.
    after_inline: bool,
    open: Vec<Open>,
}

/// What is written before a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Nothing,
    Blank,
    /// A line end, or two, if there were two and `may_be_empty`; the next line has this indentation.
    Line {
        indent: usize,
        may_be_empty: bool,
    },
}

impl Printer<'_, '_> {
    /// Writes what is between a token and the one before it.
    fn before(&mut self, index: usize) {
        let join = self.program.join(index);
        let comments = self.program.trivia.comments(index);
        let indent = self.comment_indent(join);
        for comment in comments {
            self.comment(comment, indent, join);
        }
        let closes = self.program.roles.partner(index).is_some_and(|open| open < index);
        let gap = match self.open.last().filter(|_| closes) {
            Some(open) => self.closing(*open),
            None => self.gap(index, join),
        };
        let lines = self.program.trivia.lines(index);
        let gap = match (comments.last(), gap) {
            (None, gap) => gap,
            // `/* … */ statement`
            (Some(last), Gap::Line { .. })
                if !closes && !self.is_end(index) && last.begins_line() && !last.is_line && lines == 0 =>
            {
                Gap::Blank
            }
            (Some(_), gap @ Gap::Line { .. }) => gap,
            (Some(last), _) if last.is_line || last.begins_line() && lines > 0 => self.forced(index, join),
            (Some(_), Gap::Nothing) if closes || self.is_glued(index) => Gap::Nothing,
            (Some(_), Gap::Nothing | Gap::Blank) => Gap::Blank,
        };
        self.write_gap(gap, lines);
    }

    fn is_end(&self, index: usize) -> bool {
        index + 1 == self.program.tokens.len()
    }

    /// The indentation of comments that begin a line.
    fn comment_indent(&self, join: Join) -> usize {
        match join {
            Join::Line | Join::Member | Join::AfterAttribute | Join::Branch | Join::CloseBlock => self.indent,
            Join::First | Join::Element | Join::Close if self.in_broken_list() => self.indent,
            Join::First | Join::Element | Join::Close => self.continued(),
            Join::Nothing | Join::Blank | Join::NothingOrLine | Join::BlankOrLine => self.continued(),
        }
    }

    fn comment(&mut self, comment: &Comment<'_>, indent: usize, join: Join) {
        let gap = if comment.begins_line() {
            let may_be_empty = !matches!(join, Join::Nothing | Join::Blank | Join::BlankOrLine);
            Gap::Line { indent, may_be_empty }
        } else if self.after_opener && !comment.is_line && !self.out.ends_with('{') {
            Gap::Nothing
        } else {
            Gap::Blank
        };
        self.write_gap(gap, comment.lines_before);
        self.write(comment.text);
    }

    /// Whether a token directly follows a comment.
    fn is_glued(&self, index: usize) -> bool {
        let kind = self.program.tokens.get(index).map(|token| token.kind);
        matches!(kind, Some(TokenKind::Comma | TokenKind::Colon | TokenKind::Dot))
            || self.program.roles.role(index) == Role::Postfix
    }

    /// The line that begins after a comment that ends one.
    fn forced(&self, index: usize, join: Join) -> Gap {
        let indent = match self.program.roles.role(index) {
            Role::Block | Role::Cases | Role::Fields | Role::Members | Role::Branch => self.indent,
            _ => self.comment_indent(join),
        };
        Gap::Line { indent, may_be_empty: false }
    }

    /// The indentation of a line in which a statement or element goes on.
    fn continued(&self) -> usize {
        self.indent + if self.in_header { 2 * INDENT } else { INDENT }
    }

    fn in_broken_list(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.kind, OpenKind::List(Shape::Rows | Shape::Lines)))
    }

    /// The number of lists in one line, up to one that is not.
    fn flat_lists(&self) -> usize {
        let lists = self.open.iter().rev().filter_map(|open| match open.kind {
            OpenKind::List(shape) => Some(shape),
            OpenKind::Inline | OpenKind::Block { .. } | OpenKind::Bracket => None,
        });
        lists.take_while(|shape| *shape == Shape::Flat).count()
    }

    /// Closes a bracket; what is written before the one that closes it.
    fn closing(&mut self, open: Open) -> Gap {
        self.open.pop();
        (self.indent, self.in_header) = (open.indent, open.in_header);
        self.after_inline = open.kind == OpenKind::Inline;
        let is_empty = self.after_opener;
        match open.kind {
            _ if is_empty => Gap::Nothing,
            OpenKind::Inline => Gap::Blank,
            OpenKind::Block { .. } => Gap::Line { indent: open.indent, may_be_empty: false },
            OpenKind::List(Shape::Flat) | OpenKind::Bracket => Gap::Nothing,
            OpenKind::List(Shape::Rows | Shape::Lines) => {
                Gap::Line { indent: open.line_indent, may_be_empty: false }
            }
        }
    }

    /// What is written before a token that closes nothing, without regard to comments.
    fn gap(&self, index: usize, join: Join) -> Gap {
        let breaks = self.program.trivia.breaks(index);
        let open = self.open.last().map(|open| open.kind);
        let new_line = Gap::Line { indent: self.indent, may_be_empty: true };
        let same = Gap::Line { indent: self.indent, may_be_empty: false };
        let goes_on = Gap::Line { indent: self.continued(), may_be_empty: false };
        match join {
            Join::NothingOrLine | Join::BlankOrLine if breaks => goes_on,
            Join::Nothing | Join::NothingOrLine => Gap::Nothing,
            Join::Blank | Join::BlankOrLine => Gap::Blank,
            Join::AfterAttribute if breaks => same,
            Join::Branch if breaks && self.after_inline => same,
            Join::AfterAttribute | Join::Branch => Gap::Blank,
            Join::Line if self.is_end(index) => same,
            Join::Line | Join::Member | Join::CloseBlock => match open {
                Some(OpenKind::Inline) => Gap::Blank,
                Some(OpenKind::Block { has_rows: true }) if !breaks => Gap::Blank,
                _ => new_line,
            },
            Join::First if self.in_broken_list() => same,
            Join::Element | Join::Close => match open {
                Some(OpenKind::List(Shape::Lines)) => new_line,
                Some(OpenKind::List(Shape::Rows)) if breaks => new_line,
                _ if join == Join::Element => Gap::Blank,
                _ => Gap::Nothing,
            },
            Join::First => Gap::Nothing,
        }
    }

    fn write_gap(&mut self, gap: Gap, lines: u32) {
        match gap {
            _ if self.out.is_empty() => {}
            Gap::Nothing => {}
            Gap::Blank => self.write(" "),
            Gap::Line { indent, may_be_empty } => {
                self.out.push_str(self.line_end);
                if may_be_empty && lines > 1 && !self.after_opener {
                    self.out.push_str(self.line_end);
                }
                self.out.extend(std::iter::repeat_n(' ', indent));
                (self.column, self.line_indent) = (indent, indent);
            }
        }
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
        match text.rsplit_once('\n') {
            Some((_, last)) => self.column = last.chars().count(),
            None => self.column += text.chars().count(),
        }
        self.after_opener = false;
    }

    /// Writes a token.
    fn token(&mut self, index: usize) {
        let role = self.program.roles.role(index);
        if matches!(role, Role::Start | Role::Branch) {
            self.in_header = role == Role::Branch || self.begins_header(index);
        }
        let column = self.column;
        let opened = self.program.roles.partner(index).filter(|close| *close > index);
        let open = opened.map(|close| self.opened(index, close, role, column));
        self.write(self.program.written(index));
        if opened.is_none() {
            // A block in one line ends with its `}`.
            self.after_inline &= self.out.ends_with('}');
        }
        if let Some(open) = open {
            self.open.push(open);
            self.after_opener = true;
            match open.kind {
                OpenKind::Inline | OpenKind::Block { .. } => {
                    (self.indent, self.in_header) = (self.indent + INDENT, false);
                }
                OpenKind::List(Shape::Rows | Shape::Lines) => {
                    (self.indent, self.in_header) = (self.line_indent + INDENT, false);
                }
                OpenKind::List(Shape::Flat) | OpenKind::Bracket => {}
            }
        }
    }

    /// Whether a statement has a block, and its first token is not `do`.
    fn begins_header(&self, index: usize) -> bool {
        let kind = self.program.tokens.get(index).map(|token| token.kind);
        matches!(
            kind,
            Some(TokenKind::If | TokenKind::AsLongAs | TokenKind::For | TokenKind::ForEach)
                | Some(TokenKind::When | TokenKind::Is)
        )
    }

    /// The bracket that a token in this column opens.
    fn opened(&self, index: usize, close: usize, role: Role, column: usize) -> Open {
        let kind = match role {
            Role::Block | Role::Cases | Role::Fields | Role::Members => {
                if self.program.is_inline(index, close, column) {
                    OpenKind::Inline
                } else {
                    let has_rows = role == Role::Members && self.program.trivia.breaks(index + 1);
                    OpenKind::Block { has_rows }
                }
            }
            Role::Plain
            | Role::Start
            | Role::SameLine
            | Role::Branch
            | Role::Member
            | Role::Prefix
            | Role::Binary
            | Role::Postfix
            | Role::Name
            | Role::VariableType => match self.program.list(index) {
                Some(close) => OpenKind::List(self.program.shape(index, close, column, self.flat_lists())),
                None => OpenKind::Bracket,
            },
        };
        Open { kind, indent: self.indent, line_indent: self.line_indent, in_header: self.in_header }
    }

    /// The text, with what follows the end of the program.
    fn end(mut self) -> String {
        let end = self.program.tokens.last().map_or(0, |token| token.span.end as usize);
        self.out.push_str(slice(self.program.text, end..));
        self.out
    }
}
