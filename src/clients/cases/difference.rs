//! What is said of a difference between the output of a program and what is expected.

use ez_engine::api::Difference;
use ez_runtime::visible::{visible_char, visible_line};

/// How many characters of a line are shown before a difference, and from it on.
const BEFORE: usize = 40;
const AFTER: usize = 40;

/// The first difference as one line: `line 3: expected "average 7.5", printed "average 7.0"`.
pub fn headline(difference: &Difference) -> String {
    let Difference { line, expected, actual, expected_line, actual_line, .. } = difference;
    let [wanted, come] = both(difference);
    match (expected, actual) {
        (Some(_), None) if actual_line.is_empty() => {
            format!("line {line}: expected {wanted}, nothing more was printed")
        }
        (Some(_), None) => format!("line {line}: expected {wanted}, printed {come} and nothing more"),
        (None, _) if expected_line.is_empty() => {
            format!("line {line}: printed {come}, nothing more is expected")
        }
        _ => format!("line {line}: expected {wanted}, printed {come}"),
    }
}

/// The two lines in quotes, cut around the difference. Characters that are not seen are shown where they are what differs,
/// and only there.
fn both(difference: &Difference) -> [String; 2] {
    let Difference { expected, actual, expected_line, actual_line, column, left_out, .. } = difference;
    let alike = column.saturating_sub(1).saturating_sub(*left_out) as usize;
    // A line end is what differs where it is beside nothing, or beside something else that is not seen.
    let is_unseen = |c: &Option<char>| c.is_some_and(|c| c != '\n' && unseen(c).is_some());
    let is_nothing = |c: &Option<char>| matches!(c, None | Some('\n'));
    let shows = is_unseen(expected) || is_unseen(actual) || is_nothing(expected) && is_nothing(actual);
    let rest = |text: &str| text.chars().skip(alike).collect::<Vec<char>>();
    let (wanted, come) = (rest(expected_line), rest(actual_line));
    let same = wanted.iter().rev().zip(come.iter().rev()).take_while(|(one, other)| one == other).count();
    let side = |line: &str, rest: &[char], at: &Option<char>, more: u64| {
        let mut text: String = match alike > BEFORE || *left_out > 0 {
            true => std::iter::once('…')
                .chain(line.chars().take(alike).skip(alike.saturating_sub(BEFORE)))
                .collect(),
            false => line.chars().take(alike).collect(),
        };
        text = visible_line(&text).into_owned();
        let marked = rest.iter().take_while(|c| unseen(**c).is_some()).count().min(rest.len() - same);
        for (index, c) in rest.iter().take(AFTER).enumerate() {
            match unseen(*c).filter(|_| shows && index < marked) {
                Some(mark) => text.push_str(mark),
                None => text.push(visible_char(*c)),
            }
        }
        if rest.len() > AFTER || more > 0 {
            text.push('…');
        } else if shows && *at == Some('\n') {
            text.push('⏎');
        }
        format!("\"{text}\"")
    };
    [
        side(expected_line, &wanted, expected, difference.expected_more),
        side(actual_line, &come, actual, difference.actual_more),
    ]
}

/// What a character that is not seen is shown as.
fn unseen(c: char) -> Option<&'static str> {
    Some(match c {
        ' ' => "·",
        '\t' => "→",
        '\r' => "␍",
        '\n' => "⏎",
        '\u{a0}' => "[no-break space]",
        '\u{202f}' => "[narrow no-break space]",
        '\u{feff}' => "[byte order mark]",
        '\u{200b}' => "[zero-width space]",
        c if c.is_whitespace() => "[another kind of space]",
        c if visible_char(c) != c => "[a character that is not seen]",
        _ => return None,
    })
}

/// What else is known of a run in which there is a difference.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// All that is expected and all that was printed; `None`: not all of it is known.
    pub texts: Option<(&'a str, &'a str)>,
    /// What the program reads.
    pub input: &'a str,
}

/// In which way the texts differ, if there are words for it.
pub fn remark(difference: &Difference, known: Known) -> Option<String> {
    let Difference { expected, actual, expected_line, actual_line, .. } = difference;
    let is_cut = difference.left_out + difference.expected_more + difference.actual_more > 0;
    if known.texts.is_some_and(|(expected, actual)| is_same_in_another_order(expected, actual)) {
        return Some("the lines are in another order".into());
    }
    if let Some(typed) = typed(difference, known.input) {
        return Some(format!(
            "\"{}\" was read: what is typed at input() is no part of what is printed, nor is its line end",
            visible_line(typed)
        ));
    }
    if expected.is_none() || actual.is_none() || is_cut {
        return None;
    }
    if expected_line.to_lowercase() == actual_line.to_lowercase() {
        return Some("only capital letters differ".into());
    }
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let is_line_end = |c: &Option<char>| *c == Some('\n');
    if !is_line_end(expected) && !is_line_end(actual) && dense(expected_line) == dense(actual_line) {
        return Some("only blanks between words differ".into());
    }
    let [(wanted, after_wanted), (come, after)] =
        [number_at(expected_line, difference.column)?, number_at(actual_line, difference.column)?];
    match come.checked_sub(wanted)? {
        1 if after == after_wanted => Some("the number is 1 too large".into()),
        -1 if after == after_wanted => Some("the number is 1 too small".into()),
        _ => None,
    }
}

/// What was typed, if it is what is expected where something else was printed, after the beginning of a line: a question.
fn typed<'a>(difference: &Difference, input: &'a str) -> Option<&'a str> {
    let alike = usize::try_from(difference.column - 1 - difference.left_out).ok()?;
    let [wanted, come] = [&difference.expected_line, &difference.actual_line]
        .map(|line| line.chars().skip(alike).collect::<String>());
    let is_typed = |line: &&str| !line.is_empty() && wanted.trim_end() == *line && !come.starts_with(*line);
    input.lines().map(str::trim_end).filter(|_| alike > 0).find(is_typed)
}

/// Whether texts have the same lines, and these differ.
fn is_same_in_another_order(expected: &str, actual: &str) -> bool {
    let lines = |text: &'_ str| -> Vec<String> {
        text.trim_end().lines().map(|line| line.trim_end().to_string()).collect()
    };
    let (mut wanted, mut come) = (lines(expected), lines(actual));
    if wanted.len() != come.len() || wanted == come {
        return false;
    }
    wanted.sort();
    come.sort();
    wanted == come
}

/// The whole number in a line around a column, which counts from 1, and what follows it; `None` if it does not stand alone:
/// it may be a part of a name, a version, a number with a comma or an exponent.
fn number_at(line: &str, column: u64) -> Option<(i128, String)> {
    let at = usize::try_from(column).ok()?.checked_sub(1)?;
    let chars: Vec<char> = line.chars().collect();
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '-' | '.');
    let (before, after) = chars.split_at_checked(at)?;
    let start = at - before.iter().rev().take_while(|c| is_part(c)).count();
    let end = at + after.iter().take_while(|c| is_part(c)).count();
    let number: String = chars.get(start..end)?.iter().collect();
    let (before, after) = (chars.get(..start)?, chars.get(end..)?);
    let touches = |neighbours: [Option<&char>; 2]| match neighbours {
        [Some(','), next] => next.is_some_and(char::is_ascii_digit),
        [next, _] => next.is_some_and(|c| c.is_alphanumeric() || *c == '_'),
    };
    let mut backwards = before.iter().rev();
    let neighbours = [backwards.next(), backwards.next()];
    // Where it is not clear that it is a sign, it may join two words.
    let is_sign = |c: &char| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '=');
    let is_joined = number.starts_with('-') && !neighbours[0].is_none_or(is_sign);
    if is_joined || touches(neighbours) || touches([after.first(), after.get(1)]) {
        return None;
    }
    Some((number.trim_end_matches('.').parse().ok()?, after.iter().collect()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clients::cases::reading::{Mode, Reading};

    fn found(expected: &str, actual: &str, mode: Mode) -> Difference {
        let mut reading = Reading::new(Some(Arc::new(expected.into())), mode, 1 << 20);
        reading.add(actual.as_bytes());
        reading.end();
        reading.difference().expect("a difference").clone()
    }

    #[track_caller]
    fn says(expected: &str, actual: &str, line: &str, remark: &str) {
        let difference = found(expected, actual, Mode::Lines);
        let known = Known { texts: Some((expected, actual)), input: "3\nhello\n" };
        assert_eq!(headline(&difference), line);
        assert_eq!(super::remark(&difference, known).unwrap_or_default(), remark);
    }

    #[test]
    fn a_difference_in_one_line() {
        says("a\nb 7.5\n", "a\nb 7.0\n", "line 2: expected \"b 7.5\", printed \"b 7.0\"", "");
        says("a\nb\n", "a\n", "line 2: expected \"b\", nothing more was printed", "");
        says("a bc", "a b", "line 1: expected \"a bc\", printed \"a b\" and nothing more", "");
        says("a\n", "a\nb\n", "line 2: printed \"b\", nothing more is expected", "");
        says("a", "ab", "line 1: expected \"a\", printed \"ab\"", "");
        says("a\nb", "ab", "line 1: expected \"a\", printed \"ab\"", "");
        says(
            "a\u{1b}b",
            "a\u{7}b",
            "line 1: expected \"a[a character that is not seen]b\", printed \"a[a character that is not seen]b\"",
            "",
        );
    }

    #[test]
    fn words_for_differences() {
        says(
            "Sum: 7",
            "sum: 7",
            "line 1: expected \"Sum: 7\", printed \"sum: 7\"",
            "only capital letters differ",
        );
        says("a b", "a  b", "line 1: expected \"a b\", printed \"a ·b\"", "only blanks between words differ");
        says(
            "a b c",
            "a\tb c",
            "line 1: expected \"a·b c\", printed \"a→b c\"",
            "only blanks between words differ",
        );
        says(
            "a b",
            "a\u{a0}b",
            "line 1: expected \"a·b\", printed \"a[no-break space]b\"",
            "only blanks between words differ",
        );
        says("n 10", "n 9", "line 1: expected \"n 10\", printed \"n 9\"", "the number is 1 too small");
        says("n -9.", "n -8.", "line 1: expected \"n -9.\", printed \"n -8.\"", "the number is 1 too large");
        says("9 of", "8 at", "line 1: expected \"9 of\", printed \"8 at\"", "");
        for (expected, actual) in
            [("A-1", "A-2"), ("1,5", "1,6"), ("1e5", "1e6"), ("0x1F", "0x2F"), ("v1", "v2")]
        {
            let line = format!("line 1: expected \"{expected}\", printed \"{actual}\"");
            says(expected, actual, &line, "");
        }
        let line = "line 1: expected \"{7, 8}\", printed \"{7, 9}\"";
        says("{7, 8}", "{7, 9}", line, "the number is 1 too large");
        says("n 1.5", "n 2.5", "line 1: expected \"n 1.5\", printed \"n 2.5\"", "");
        says("b\na", "a\nb", "line 1: expected \"b\", printed \"a\"", "the lines are in another order");
        says(
            "a? 3\nb? 4\n",
            "a? b? 7\n",
            "line 1: expected \"a? 3\", printed \"a? b? 7\"",
            "\"3\" was read: what is typed at input() is no part of what is printed, nor is its line end",
        );
    }

    #[test]
    fn what_is_not_seen_is_shown_in_exact_mode() {
        let line = |expected, actual| headline(&found(expected, actual, Mode::Exact));
        assert_eq!(line("a\n", "a"), "line 1: expected \"a⏎\", printed \"a\" and nothing more");
        assert_eq!(line("a", "a\n"), "line 1: expected \"a\", printed \"a⏎\"");
        assert_eq!(line("a b\n", "a b \n"), "line 1: expected \"a b⏎\", printed \"a b·\"");
        assert_eq!(line("a\n", "a\r\n"), "line 1: expected \"a⏎\", printed \"a␍\"");
        assert_eq!(line("ab\n", "a\nb"), "line 1: expected \"ab\", printed \"a\"");
    }

    #[test]
    fn long_lines_are_cut_around_the_difference() {
        let (before, after) = ("x".repeat(1000), "y".repeat(1000));
        let line = headline(&found(&format!("{before}1{after}"), &format!("{before}2{after}"), Mode::Lines));
        let side = |c: char| format!("\"…{}{c}{}…\"", "x".repeat(BEFORE), "y".repeat(AFTER - 1));
        assert_eq!(line, format!("line 1: expected {}, printed {}", side('1'), side('2')));
    }

    #[test]
    fn nothing_is_said_of_what_is_equal() {
        let mut reading = Reading::new(Some(Arc::new("a \r\nb".into())), Mode::Lines, 0);
        reading.add(b"a\nb\n\n");
        reading.end();
        assert_eq!(reading.difference(), None);
    }
}
