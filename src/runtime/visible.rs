//! Foreign text made visible: what a program says, names of files, recordings. Written to a terminal as it is, it could
//! move the cursor, set the clipboard, hide what follows, or look like a line of the tool that quotes it.

use std::borrow::Cow;

/// Maximum length of what is quoted, in characters.
const MAX_QUOTED: usize = 120;

/// A character that terminals and readers would not see as such: another one for it. Controls have symbols of their own;
/// what changes the direction of text or has no width, and what is no character, becomes U+FFFD.
fn replacement(c: char) -> Option<char> {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fdd0}'..='\u{fdef}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some('\u{fffd}'),
        _ => None,
    }
}

/// The character as it may be shown within a line.
pub fn visible_char(c: char) -> char {
    replacement(c).unwrap_or(c)
}

/// A foreign text within a line of one's own: line ends and tabs are made visible, too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    visible(text, |_| false)
}

/// What somebody else has written, such as a name or a condition, within a line of one's own: line ends are made visible,
/// too, and a text that is longer than [`MAX_QUOTED`] is cut.
pub fn quoted(text: &str) -> String {
    cut(text, MAX_QUOTED)
}

/// A value, or a piece of a program, within a line of one's own: at most `most` characters of it, with `\n` for line ends.
pub fn shortened(text: &str, most: usize) -> String {
    cut(&text.replace('\n', "\\n"), most)
}

fn cut(text: &str, most: usize) -> String {
    let mut cut: String = text.chars().take(most).map(visible_char).collect();
    if text.chars().nth(most).is_some() {
        cut.push('…');
    }
    cut
}

/// A text of several lines: line ends and tabs stay.
pub fn visible_text(text: &str) -> Cow<'_, str> {
    visible(text, |c| matches!(c, '\n' | '\t'))
}

/// A foreign text that may have several lines, within lines of one's own: the lines after the first are indented, so that
/// none of them looks like one's own.
pub fn indented(text: &str) -> String {
    visible_text(text.trim_end_matches('\n')).replace('\n', "\n    ")
}

fn visible(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_hidden = |c: char| !stays(c) && replacement(c).is_some();
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if stays(c) { c } else { visible_char(c) }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden() {
        assert_eq!(visible_line("a\u{1b}]0;T\u{7}\u{9b}2J\r\n\tb"), "a␛]0;T␇\u{fffd}2J␍␊␉b");
        assert_eq!(visible_text("a\n\tb\u{202e}c\u{200b}\r"), "a\n\tb\u{fffd}c\u{fffd}␍");
        assert_eq!(indented("a\nb: ok\u{1b}[2K"), "a\n    b: ok␛[2K");
        assert_eq!(quoted("a\nb\u{1b}"), "a␊b␛");
        assert_eq!(quoted(&"é".repeat(MAX_QUOTED)), "é".repeat(MAX_QUOTED));
        assert_eq!(quoted(&"é".repeat(MAX_QUOTED + 1)), "é".repeat(MAX_QUOTED) + "…");
        assert!(matches!(visible_line("日本 é 👩\u{200d}👩"), Cow::Borrowed(_)));
    }

    proptest::proptest! {
        #[test]
        fn no_control_is_left(text in ".*") {
            proptest::prop_assert!(!visible_line(&text).contains(char::is_control));
            proptest::prop_assert!(!visible_text(&text).contains(|c: char| c.is_control() && !"\n\t".contains(c)));
            proptest::prop_assert_eq!(visible_text(&text).chars().count(), text.chars().count());
        }
    }
}
