//! Positions in a source text, as the page counts them.

use ez_engine::api::Position;
use ez_runtime::text::slice;

/// The lines of a text, to turn positions into offsets in UTF-16 code units, with which JavaScript counts.
pub struct Offsets {
    /// For each line: its beginning in bytes and in UTF-16 code units.
    lines: Vec<(usize, usize)>,
}

impl Offsets {
    pub fn of(text: &str) -> Offsets {
        let (mut lines, mut byte, mut unit) = (Vec::new(), 0, 0);
        for line in text.split_inclusive('\n') {
            lines.push((byte, unit));
            byte += line.len();
            unit += units(line);
        }
        lines.push((byte, unit));
        Offsets { lines }
    }

    /// The offset of a position in the text that was given to [`Offsets::of`]; positions outside of it count as
    /// its end.
    pub fn at(&self, text: &str, position: Position) -> usize {
        let line = (position.line as usize).saturating_sub(1).min(self.lines.len().saturating_sub(1));
        let (byte, unit) = self.lines.get(line).copied().unwrap_or_default();
        let rest = slice(text, byte..).chars();
        let before = rest.take_while(|c| *c != '\n').take((position.column as usize).saturating_sub(1));
        unit + before.map(char::len_utf16).sum::<usize>()
    }
}

/// The length of a text in UTF-16 code units.
pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_offsets_code_units() {
        let text = "a🙂b\nä c\n";
        let offsets = Offsets::of(text);
        let at = |line, column| offsets.at(text, Position { line, column });
        assert_eq!([at(1, 1), at(1, 2), at(1, 3), at(1, 4), at(1, 9)], [0, 1, 3, 4, 4]);
        assert_eq!([at(2, 1), at(2, 3), at(3, 1), at(9, 9)], [5, 7, 9, 9]);
        assert_eq!(Offsets::of("").at("", Position { line: 1, column: 1 }), 0);
    }
}
