//! Shows lines of source, with the current line marked and the part of it that is next underlined.

use std::ops::RangeInclusive;

use ez_engine::api::Position;

use super::look::{Cell, Look, Role, cells};

/// Number of lines before and after the current one.
pub const AROUND: u32 = 2;

/// Columns before the text of a line, for its number and the mark.
const MARGIN: usize = 9;

/// A source text with its lines.
#[derive(Debug)]
pub struct SourceText {
    text: String,
    /// Byte offset of each line.
    starts: Vec<usize>,
}

/// The part of the source that is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Where it begins.
    pub start: Position,
    pub end: Position,
}

impl SourceText {
    /// Finds the lines of a text.
    pub fn new(text: String) -> SourceText {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1).filter(|start| *start < text.len()));
        SourceText { text, starts }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of lines.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// A line without its end; the first is 1.
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = number.checked_sub(1)? as usize;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        self.text.get(start..end).map(|line| line.trim_end_matches(['\n', '\r']))
    }
}

/// The lines around one, as far as they exist.
pub fn around(line: u32, source: &SourceText) -> RangeInclusive<u32> {
    line.saturating_sub(AROUND).max(1)..=(line + AROUND).min(source.line_count())
}

/// Formats lines of a text.
pub fn window(source: &SourceText, lines: RangeInclusive<u32>, marked: Option<Marked>, look: Look) -> String {
    let mut window = String::new();
    for number in lines {
        let Some(line) = source.line(number) else { break };
        match marked.filter(|marked| marked.start.line == number) {
            Some(marked) => window.push_str(&current_line(number, line, marked, look)),
            None => {
                let margin = look.paint(Role::Secondary, &format!("  {number:>4}"));
                let text = format!("   {}", look.fit(MARGIN, line));
                window.push_str(&format!("{margin}{}\n", text.trim_end()));
            }
        }
    }
    window
}

/// Formats the current line. The next part is underlined by colours, or by another line without them.
fn current_line(number: u32, line: &str, marked: Marked, look: Look) -> String {
    let shown = cells(line);
    let from = (marked.start.column.saturating_sub(1) as usize).min(shown.len());
    let to = if marked.end.line == number {
        (marked.end.column.saturating_sub(1) as usize).clamp(from, shown.len())
    } else {
        line.trim_end().chars().count().max(from)
    };
    let View { before, next, after } = View::of(&shown, from, to, look.width.saturating_sub(MARGIN));
    let pointer = look.paint(Role::Pointer, "▶");
    let start = format!("  {} {pointer} ", look.paint(Role::Pointer, &format!("{number:>4}")));
    let text = format!("{before}{}{after}", look.paint(Role::Next, &next));
    let mut shown = format!("{start}{}\n", text.trim_end());
    let length = width_of(&next);
    if !look.colour && length > 0 {
        let blanks = " ".repeat(MARGIN + width_of(&before));
        shown.push_str(&format!("{blanks}{}\n", "^".repeat(length)));
    }
    shown
}

/// The visible part of a long line.
struct View {
    before: String,
    next: String,
    after: String,
}

impl View {
    /// The part of a line that fits into `room` columns and contains the cells `from` to `to`.
    fn of(line: &[Cell], from: usize, to: usize, room: usize) -> View {
        let room = room.max(4);
        let width = |range: std::ops::Range<usize>| -> usize {
            line.get(range).unwrap_or_default().iter().map(|cell| cell.width).sum()
        };
        // As much as possible of the part to be underlined, and of the text before it if there is room.
        let wanted = width(from..to).min(room - 2);
        let mut start = 0;
        if width(0..line.len()) > room {
            while start < from && width(start..from) + usize::from(start > 0) + wanted + 1 > room {
                start += 1;
            }
        }
        let mut view = View { before: String::new(), next: String::new(), after: String::new() };
        let mut left = room;
        if start > 0 {
            view.before.push('…');
            left -= 1;
        }
        let mut rest = width(start..line.len());
        for (index, cell) in line.iter().enumerate().skip(start) {
            let part = match index {
                _ if index < from => &mut view.before,
                _ if index < to => &mut view.next,
                _ => &mut view.after,
            };
            if rest > left && cell.width + 1 > left {
                part.push('…');
                break;
            }
            part.push_str(&cell.text);
            left -= cell.width.min(left);
            rest -= cell.width;
        }
        view
    }
}

fn width_of(text: &str) -> usize {
    cells(text).iter().map(|cell| cell.width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(line: u32, from: u32, to: u32) -> Option<Marked> {
        let at = |column| Position { line, column };
        Some(Marked { start: at(from), end: at(to) })
    }

    fn shown(text: &str, line: u32, from: u32, to: u32, look: Look) -> String {
        let source = SourceText::new(text.to_string());
        window(&source, around(line, &source), marked(line, from, to), look)
    }

    #[test]
    fn the_current_line_is_in_the_middle() {
        let text = "one\ntwo\nthree\nfour\n  five = 5\nsix\nseven\neight\n";
        let expected = "     3   three\n     4   four\n     5 ▶   five = 5\n           ^^^^\n     6   six\n     7   seven\n";
        assert_eq!(shown(text, 5, 3, 7, Look::PLAIN), expected);
        assert!(shown(text, 1, 1, 2, Look::PLAIN).ends_with("     2   two\n     3   three\n"));
        assert!(shown(text, 8, 1, 2, Look::PLAIN).starts_with("     6   six\n"));
        assert_eq!(shown("", 1, 1, 2, Look::PLAIN).trim_end(), "     1 ▶");
        assert_eq!(shown("a\n", 7, 1, 2, Look::PLAIN), "");
    }

    #[test]
    fn narrow_terminals_show_what_is_next() {
        let look = Look { colour: false, width: 30 };
        let text = "    temp total int = first_value + second_value + third(42)\n";
        let column = text.find("third").unwrap() as u32 + 1;
        let lines = shown(text, 1, column, column + 9, look);
        assert!(lines.contains("third(42)"), "{lines}");
        for line in lines.lines() {
            assert!(width_of(line) <= 30, "{line}");
        }
        let long = shown(&"x".repeat(100), 1, 1, 101, look);
        assert_eq!(long, format!("     1 ▶ {}…\n         {}\n", "x".repeat(20), "^".repeat(21)));
    }

    #[test]
    fn wide_characters_are_underlined_as_they_are_seen() {
        let lines = shown("x = \"日本\" + y\n", 1, 5, 9, Look::PLAIN);
        assert_eq!(lines, "     1 ▶ x = \"日本\" + y\n             ^^^^^^\n");
        let lines = shown("\tx = 1\n", 1, 2, 7, Look::PLAIN);
        assert_eq!(lines, "     1 ▶     x = 1\n             ^^^^^\n");
        let coloured = Look { colour: true, width: 80 };
        assert!(
            coloured
                .written(&shown("x = 1\n", 1, 1, 6, coloured))
                .contains("\u{1b}[1m\u{1b}[4mx = 1\u{1b}[0m")
        );
    }

    #[test]
    fn a_statement_of_several_lines_is_underlined_to_the_end_of_the_first() {
        let source = SourceText::new("f(1,\n  2)\n".into());
        let part = Marked { start: Position { line: 1, column: 1 }, end: Position { line: 2, column: 5 } };
        assert_eq!(window(&source, 1..=1, Some(part), Look::PLAIN), "     1 ▶ f(1,\n         ^^^^\n");
    }
}
