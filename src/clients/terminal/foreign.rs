//! What a program prints that somebody else has started, on one's own terminal.

use ez_runtime::text::slice;
use ez_runtime::visible::visible_char;

/// Maximum length of a colour sequence, and of the colours in force together, in bytes.
const MAX_COLOURS: usize = 64;

/// Output of somebody else's program on its way to a terminal: colours and the like pass, and end before something else
/// is written. All other control characters are made visible, so that nothing moves the cursor, sets the clipboard or the
/// title, has the terminal answer, or hides what follows.
#[derive(Debug, Default)]
pub struct ForeignOutput {
    /// The beginning of a sequence, or of a line end, whose rest has not come.
    held: String,
    /// The colours in force.
    colours: String,
}

/// What is at the beginning of a text.
enum Begins {
    /// A colour sequence of this length.
    Colour(usize),
    /// It may become one.
    Unfinished,
    Other,
}

impl ForeignOutput {
    /// The text as it may be written.
    pub fn shown(&mut self, text: &str) -> String {
        let text = std::mem::take(&mut self.held) + text;
        let mut out = self.colours.clone();
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match c {
                '\n' | '\t' => out.push(c),
                '\r' if rest.len() == 1 => {
                    self.held = rest.into();
                }
                '\r' if rest.starts_with("\r\n") => {}
                '\u{1b}' => match colour(rest) {
                    Begins::Colour(end) => {
                        length = end;
                        out.push_str(slice(rest, ..end));
                        self.set(slice(rest, ..end));
                    }
                    Begins::Unfinished => {
                        self.held = rest.into();
                        length = rest.len();
                    }
                    Begins::Other => out.push(visible_char(c)),
                },
                c => out.push(visible_char(c)),
            }
            rest = slice(rest, length..);
        }
        if !self.colours.is_empty() {
            out.push_str("\u{1b}[0m");
        }
        out
    }

    /// Notes a colour sequence.
    fn set(&mut self, colour: &str) {
        let resets = matches!(colour, "\u{1b}[m" | "\u{1b}[0m");
        if resets || self.colours.len() + colour.len() > MAX_COLOURS {
            self.colours.clear();
        }
        if !resets {
            self.colours.push_str(colour);
        }
    }
}

/// Looks for a colour sequence at the beginning: ESC, `[`, numbers and `m`.
fn colour(text: &str) -> Begins {
    let Some(rest) = text.strip_prefix("\u{1b}[") else {
        return if text.len() == 1 { Begins::Unfinished } else { Begins::Other };
    };
    let is_parameter = |c: char| c.is_ascii_digit() || matches!(c, ';' | ':');
    let parameters = rest.find(|c| !is_parameter(c)).unwrap_or(rest.len());
    if parameters + 3 > MAX_COLOURS {
        return Begins::Other;
    }
    match slice(rest, parameters..).chars().next() {
        Some('m') => Begins::Colour(parameters + 3),
        Some(_) => Begins::Other,
        None => Begins::Unfinished,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_nothing_else() {
        let shown = |text: &str| ForeignOutput::default().shown(text);
        assert_eq!(shown("a\tb\r\nc"), "a\tb\nc");
        assert_eq!(shown("10 %\r20 %\n"), "10 %␍20 %\n");
        assert_eq!(shown("\u{1b}[1;31mred\u{1b}[0m."), "\u{1b}[1;31mred\u{1b}[0m.");
        assert_eq!(shown("\u{1b}[31mred\n"), "\u{1b}[31mred\n\u{1b}[0m", "what follows is not red");
        assert_eq!(
            shown("\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[6n\u{1b}[1A\u{9b}2J"),
            "␛]52;c;ZXZpbA==␇␛]0;title␇␛[2J␛[6n␛[1A\u{fffd}2J"
        );
        assert_eq!(shown("\u{1b}[8mhidden"), "\u{1b}[8mhidden\u{1b}[0m", "what follows is not hidden");
    }

    #[test]
    fn what_comes_in_pieces_is_as_if_it_came_at_once() {
        let text = "a\u{1b}[31mred\u{1b}[0m\r\n\u{1b}[2J\u{1b}[32mgreen\u{1b}[m \u{1b}\u{1b}[33m!\r\u{1b}[m";
        let plain =
            |shown: String| shown.replace("\u{1b}[0m", "\u{1b}[m").replace("\u{1b}[m\u{1b}[m", "\u{1b}[m");
        for first in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut output = ForeignOutput::default();
            let both = output.shown(slice(text, ..first)) + &output.shown(slice(text, first..));
            let letters = |text: &str| {
                text.replace("\u{1b}[m", "")
                    .replace("\u{1b}[31m", "")
                    .replace("\u{1b}[32m", "")
                    .replace("\u{1b}[33m", "")
            };
            assert_eq!(
                letters(&plain(both)),
                letters(&plain(ForeignOutput::default().shown(text))),
                "{first}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn only_colours_are_left(pieces in proptest::collection::vec("(\u{1b}\\[[0-9;]{0,4}[mJHA]?|[a\r\n\u{1b}\u{7}\\[\\]0-9;m]|.){0,12}", 1..4)) {
            let mut output = ForeignOutput::default();
            let shown: String = pieces.iter().map(|piece| output.shown(piece)).collect();
            let mut rest = shown.as_str();
            while let Some(at) = rest.find(char::is_control) {
                rest = slice(rest, at..);
                let length = match colour(rest) {
                    Begins::Colour(length) => length,
                    _ => {
                        proptest::prop_assert!(rest.starts_with(['\n', '\t']), "{rest:?}");
                        1
                    }
                };
                rest = slice(rest, length..);
            }
        }
    }
}
