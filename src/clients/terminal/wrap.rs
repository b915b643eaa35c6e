//! Breaks long lines between words, so that a terminal does not break them inside of words.

use super::look::cells;

/// The fewest columns of a text that stands behind another one.
const NARROWEST: usize = 12;

/// Breaks the lines of a text that are wider than `width` columns; what follows a break is indented like its line.
/// Words that are wider than that stay whole.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        if width_of(content) <= width {
            result.push_str(content);
        } else {
            wrap_line(content, width, &mut result);
        }
        result.push_str(end);
    }
    result
}

/// A text behind what it is about, in lines of `width` columns; what follows a break stands below the text.
pub fn entry(head: &str, text: &str, width: usize) -> String {
    let room = width.saturating_sub(head.len()).max(NARROWEST);
    format!("{head}{}", wrapped(text, room).replace('\n', &format!("\n{:1$}", "", head.len())))
}

/// Joins the lines of each paragraph, so that they can be broken elsewhere. Lines with an indentation stay.
pub fn joined(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        result.push_str(line);
        let prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        let joins = prose(line) && lines.peek().is_some_and(|next| prose(next));
        result.push(if joins { ' ' } else { '\n' });
    }
    result
}

fn wrap_line(line: &str, width: usize, result: &mut String) {
    let indentation: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut used = indentation.len();
    result.push_str(&indentation);
    for (index, word) in line.trim_start_matches(' ').split(' ').enumerate() {
        let wide = width_of(word);
        if index > 0 && used + 1 + wide > width {
            result.truncate(result.trim_end_matches(' ').len());
            result.push('\n');
            result.push_str(&indentation);
            used = indentation.len();
        } else if index > 0 {
            result.push(' ');
            used += 1;
        }
        result.push_str(word);
        used += wide;
    }
}

/// Width in columns, without the escape sequences of colours.
fn width_of(text: &str) -> usize {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = escape.split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    cells(&plain).iter().map(|cell| cell.width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrapped("one two three", 9), "one two\nthree");
        assert_eq!(wrapped("one two", 7), "one two");
        assert_eq!(wrapped("  one two\nend\n", 6), "  one\n  two\nend\n");
        assert_eq!(wrapped("unbreakable a", 4), "unbreakable\na");
        assert_eq!(wrapped("", 4), "");
        assert_eq!(wrapped("a   b", 3), "a\nb");
    }

    #[test]
    fn entries_stay_in_their_column() {
        assert_eq!(entry("  a  ", "one two three", 18), "  a  one two three");
        assert_eq!(entry("  a  ", "one two three four", 18), "  a  one two three\n     four");
        assert_eq!(entry("  a  ", "one two three four", 3), "  a  one two\n     three four");
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(wrapped("\u{1b}[31mred\u{1b}[0m two", 7), "\u{1b}[31mred\u{1b}[0m two");
        assert_eq!(wrapped("\u{1b}[31mred\u{1b}[0m two", 6), "\u{1b}[31mred\u{1b}[0m\ntwo");
    }

    #[test]
    fn paragraphs_are_joined() {
        assert_eq!(joined("a\nb\n\nc\n    code\nd"), "a b\n\nc\n    code\nd\n");
    }
}
