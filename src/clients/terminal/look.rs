//! Colours, and fitting text to the width of the terminal.

use anstyle::{AnsiColor, Reset, Style};
use unicode_width::UnicodeWidthChar;

use ez_runtime::visible::visible_char;

/// Width used if the output is not a terminal, in columns.
const UNLIMITED: usize = 10_000;

/// Width of a tab in columns.
const TAB: usize = 4;

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A heading, such as why the program has stopped.
    Headline,
    /// An error message.
    Error,
    /// Line numbers and other secondary text.
    Secondary,
    /// The mark of the current line.
    Pointer,
    /// The part of the current line that is next.
    Next,
    /// The part of an expression that has just been computed.
    Computed,
    /// A new variable.
    New,
    /// A changed variable.
    Changed,
    Prompt,
}

/// Ends a painted text until it is written. Like the marks of the roles it is no character of Unicode's.
const END: char = '\u{fdef}';

impl Role {
    const ALL: [Role; 9] = [
        Role::Headline,
        Role::Error,
        Role::Secondary,
        Role::Pointer,
        Role::Next,
        Role::Computed,
        Role::New,
        Role::Changed,
        Role::Prompt,
    ];

    /// Begins a painted text of this role until it is written.
    fn mark(self) -> char {
        match self {
            Role::Headline => '\u{fdd0}',
            Role::Error => '\u{fdd1}',
            Role::Secondary => '\u{fdd2}',
            Role::Pointer => '\u{fdd3}',
            Role::Next => '\u{fdd4}',
            Role::Computed => '\u{fdd5}',
            Role::New => '\u{fdd6}',
            Role::Changed => '\u{fdd7}',
            Role::Prompt => '\u{fdd8}',
        }
    }

    fn style(self) -> Style {
        match self {
            Role::Headline => Style::new().bold(),
            Role::Error => AnsiColor::Red.on_default().bold(),
            Role::Secondary => Style::new().dimmed(),
            Role::Pointer => AnsiColor::Yellow.on_default().bold(),
            Role::Next => Style::new().underline().bold(),
            Role::Computed => Style::new().underline(),
            Role::New => AnsiColor::Green.on_default(),
            Role::Changed => AnsiColor::Yellow.on_default(),
            Role::Prompt => AnsiColor::Cyan.on_default().bold(),
        }
    }
}

/// Colours and width of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether to use colours.
    pub colour: bool,
    /// Width in columns.
    pub width: usize,
}

impl Look {
    /// No colours, and lines of any length.
    pub const PLAIN: Look = Look { colour: false, width: UNLIMITED };

    /// A text in the colour of its role, once it is [`written`](Look::written).
    pub fn paint(&self, role: Role, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_string();
        }
        format!("{}{text}{END}", role.mark())
    }

    /// A text of several lines as it is written to the terminal. What a program, a file or a person has put into it is
    /// visible and changes nothing: the only sequences for the terminal are the colours of [`Look::paint`].
    pub fn written(&self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        for c in text.chars() {
            match Role::ALL.into_iter().find(|role| role.mark() == c) {
                Some(role) if self.colour => written.push_str(&role.style().render().to_string()),
                None if self.colour && c == END => written.push_str(&Reset.render().to_string()),
                None if matches!(c, '\n' | '\t') => written.push(c),
                Some(_) | None => written.push(visible_char(c)),
            }
        }
        written
    }

    /// A text of one line, shortened to fit after `used` columns.
    pub fn fit(&self, used: usize, text: &str) -> String {
        let room = self.width.saturating_sub(used).max(1);
        let cells = cells(text);
        if cells.iter().map(|cell| cell.width).sum::<usize>() <= room {
            return cells.into_iter().map(|cell| cell.text).collect();
        }
        let mut cut = String::new();
        let mut left = room - 1;
        for cell in cells {
            if cell.width > left {
                break;
            }
            left -= cell.width;
            cut.push_str(&cell.text);
        }
        cut + "…"
    }
}

/// A character as it is displayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The text that is displayed: blanks for a tab, a replacement for a control character.
    pub text: String,
    /// Its width in columns.
    pub width: usize,
}

/// The characters of a line as they are displayed.
pub fn cells(line: &str) -> Vec<Cell> {
    let mut column = 0;
    let mut cells = Vec::new();
    for c in line.chars() {
        let cell = match c {
            '\t' => {
                let width = TAB - column % TAB;
                Cell { text: " ".repeat(width), width }
            }
            c => match c.width().filter(|_| visible_char(c) == c) {
                Some(width) => Cell { text: c.to_string(), width },
                None => Cell { text: "\u{fffd}".into(), width: 1 },
            },
        };
        column += cell.width;
        cells.push(cell);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_the_width() {
        let narrow = Look { colour: false, width: 8 };
        assert_eq!(narrow.fit(2, "abcdef"), "abcdef");
        assert_eq!(narrow.fit(2, "abcdefg"), "abcde…");
        // Wide characters take two columns, and are not split.
        assert_eq!(narrow.fit(2, "日本語文"), "日本…");
        assert_eq!(narrow.fit(100, "ab"), "…");
        assert_eq!(Look::PLAIN.fit(5, "a\tb\u{7}"), "a   b\u{fffd}");
    }

    #[test]
    fn colours_are_left_out_where_they_are_not_wanted() {
        assert_eq!(Look::PLAIN.paint(Role::Error, "x"), "x");
        let coloured = Look { colour: true, width: 80 };
        assert_eq!(coloured.written(&coloured.paint(Role::Headline, "x")), "\u{1b}[1mx\u{1b}[0m");
        let foreign = "a\u{1b}[31mb\u{202e}\r\n\tc";
        assert_eq!(coloured.written(foreign), "a␛[31mb\u{fffd}␍\n\tc");
        assert_eq!(Look::PLAIN.written("a\u{fdd1}b\u{fdef}"), "a\u{fffd}b\u{fffd}");
    }
}
