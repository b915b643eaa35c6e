//! Texts made short enough for a message, so that what is left still reads well.

use std::borrow::Cow;

/// How many bytes a text takes as a JSON string, its quotes included.
pub fn json_len(text: &str) -> usize {
    2 + text.chars().map(char_len).sum::<usize>()
}

fn char_len(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if (c as u32) < 0x20 => 6,
        c => c.len_utf8(),
    }
}

/// The first `most` bytes of a text at most, with an ellipsis if that is not all.
pub fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_string();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or(""))
}

/// The text, cut so that it takes at most `most` bytes as a JSON string.
pub fn cut_json(text: &str, most: usize) -> Cow<'_, str> {
    if json_len(text) <= most {
        return Cow::Borrowed(text);
    }
    let mut used = json_len("…");
    let mut end = 0;
    for (at, c) in text.char_indices() {
        used += char_len(c);
        if used > most {
            break;
        }
        end = at + c.len_utf8();
    }
    Cow::Owned(format!("{}…", text.get(..end).unwrap_or("")))
}

/// The length to which all sizes have to be brought so that they fit into `room` together: short ones
/// stay, long ones become equal.
pub fn level(sizes: &[usize], room: usize) -> usize {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (done, size) in sorted.iter().enumerate() {
        let share = left / (sorted.len() - done);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

/// A value's text, cut so that it takes at most `most` bytes as a JSON string: a list ends in `, …]`,
/// a string in `…"`.
pub fn shorten(value: &str, most: usize) -> Cow<'_, str> {
    if json_len(value) <= most {
        return Cow::Borrowed(value);
    }
    let mut scanner = Scanner::default();
    let mut best = None;
    let mut used = 2;
    for (at, c) in value.char_indices() {
        if let Some(cost) = scanner.cost_of_cut(c)
            && used + cost <= most
        {
            best = Some((at, scanner.clone()));
        }
        used += char_len(c);
        if used > most {
            break;
        }
        scanner.pass(c);
    }
    match best {
        Some((at, scanner)) => {
            let (head, tail) = value.split_at_checked(at).unwrap_or((value, ""));
            Cow::Owned(format!("{head}{}", scanner.ending(tail)))
        }
        None => Cow::Borrowed("…"),
    }
}

/// Where in a value's text a place is.
#[derive(Clone, Default)]
struct Scanner {
    /// What closes the brackets that are open.
    closers: Vec<char>,
    /// The quote of the literal that the place is in.
    quote: Option<char>,
    escaped: bool,
    /// Whether a bracket was opened just before.
    opened: bool,
}

impl Scanner {
    fn pass(&mut self, c: char) {
        self.opened = false;
        if let Some(quote) = self.quote {
            if self.escaped {
                self.escaped = false;
            } else if c == '\\' {
                self.escaped = true;
            } else if c == quote {
                self.quote = None;
            }
            return;
        }
        match c {
            '"' | '\'' => self.quote = Some(c),
            '[' | '{' | '(' => {
                self.closers.push(match c {
                    '[' => ']',
                    '{' => '}',
                    _ => ')',
                });
                self.opened = true;
            }
            ']' | '}' | ')' => {
                self.closers.pop();
            }
            _ => {}
        }
    }

    /// How many bytes an ending takes at most if the text is cut before `next`; `None` if it cannot be
    /// cut there.
    fn cost_of_cut(&self, next: char) -> Option<usize> {
        let comma = ", …".len();
        match self.quote {
            Some('"') if !self.escaped => Some("…\\\"".len() + self.closers.len() * (comma + 1)),
            Some(_) => None,
            None if self.closers.is_empty() => Some("…".len()),
            None if self.opened => Some("…]".len() + (self.closers.len() - 1) * (comma + 1)),
            None if next == ',' => Some(self.closers.len() * (comma + 1)),
            None => None,
        }
    }

    /// What closes all that is open, when `tail` is left out.
    fn ending(&self, tail: &str) -> String {
        let mut ending = String::new();
        if self.quote.is_some() {
            ending.push_str("…\"");
        } else if self.closers.is_empty() {
            ending.push('…');
        }
        let mut rest = self.clone();
        let mut more = vec![false; self.closers.len()];
        for c in tail.chars() {
            if c == ',' && rest.quote.is_none() {
                let level = rest.closers.len();
                if let Some(more) = level.checked_sub(1).and_then(|level| more.get_mut(level)) {
                    *more = true;
                }
            }
            rest.pass(c);
        }
        let mut opened = self.opened;
        for (closer, more) in self.closers.iter().zip(more).rev() {
            match (opened, more) {
                (true, _) => ending.push('…'),
                (false, true) => ending.push_str(", …"),
                (false, false) => {}
            }
            opened = false;
            ending.push(*closer);
        }
        ending
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_brought_down_evenly() {
        assert_eq!(level(&[1, 2, 3], 6), usize::MAX);
        assert_eq!(level(&[10, 2, 10], 12), 5);
        assert_eq!(level(&[100, 100], 7), 3);
        assert_eq!(level(&[], 0), usize::MAX);
    }

    #[test]
    fn values_stay_readable() {
        let cases = [
            ("[1, 2, 3]", 99, "[1, 2, 3]"),
            ("[10, 20, 30, 40]", 14, "[10, …]"),
            ("\"abcdefghijkl\"", 14, "\"abcde…\""),
            ("[\"abcdefghijklmnopqrstuvwxyz\", 2]", 26, "[\"abcdefghij…\", …]"),
            ("[\"abcdefghijklmnopqrstuvwxyz\"]", 26, "[\"abcdefghij…\"]"),
            ("{\"a\": [1, 2, 3], \"b\": 2}", 22, "{\"a\": […], …}"),
            ("Point{x: 1, y: \"a, b\"}", 22, "Point{x: 1, …}"),
            ("12345678901234567890", 12, "1234567…"),
            ("[1234567890]", 8, "[…]"),
            ("[1234567890]", 5, "…"),
        ];
        for (value, most, expected) in cases {
            let short = shorten(value, most);
            assert_eq!(short, expected, "{value} in {most}");
            assert!(json_len(&short) <= most, "{short}");
        }
    }

    #[test]
    fn plain_texts() {
        assert_eq!(cut("añb", 2), "a…");
        assert_eq!(cut_json("a\nb\nc", 8), "a\n…");
        assert_eq!(cut_json("abc", 5), "abc");
    }

    proptest! {
        #[test]
        fn whatever_the_text_it_fits(value in "[\\[\\]{}(),: \"'\\\\a-c…\n]{0,60}", most in 5..40usize) {
            prop_assert!(json_len(&shorten(&value, most)) <= most);
            prop_assert!(json_len(&cut_json(&value, most)) <= most);
            prop_assert_eq!(json_len(&value), serde_json::to_string(&value).unwrap().len());
        }
    }
}
