//! The comparison of pieces with the plain comparison of whole texts.

use proptest::prelude::*;

use super::*;
use crate::text::slice;

/// The line, what was expected and what came, and the offset of that.
type Found = Option<(u64, Option<char>, Option<char>, u64)>;

/// The characters of a text that count, with their offsets; line ends at its end only if they are wanted.
fn counting(text: &str, mode: Mode, wants_ends: bool) -> Vec<(char, usize)> {
    let all: Vec<(char, usize)> = text.char_indices().map(|(at, c)| (c, at)).collect();
    if mode == Mode::Exact {
        return all;
    }
    let mut kept: Vec<(char, usize)> = Vec::new();
    let trim = |kept: &mut Vec<(char, usize)>| while kept.pop_if(|(c, _)| is_blank(*c)).is_some() {};
    for (c, at) in all {
        if c == '\n' {
            kept.pop_if(|(c, _)| *c == '\r');
            trim(&mut kept);
        }
        kept.push((c, at));
    }
    trim(&mut kept);
    while !wants_ends && kept.pop_if(|(c, _)| *c == '\n').is_some() {
        trim(&mut kept);
    }
    kept
}

fn text_of(counted: Vec<(char, usize)>) -> String {
    counted.into_iter().map(|(c, _)| c).collect()
}

fn are_alike(expected: &str, actual: &str, mode: Mode) -> bool {
    text_of(counting(expected, mode, false)) == text_of(counting(actual, mode, false))
}

fn plainly(expected: &str, actual: &str, mode: Mode) -> Found {
    let (expected, all) = (counting(expected, mode, false), counting(actual, mode, true));
    let alike = expected.iter().zip(&all).take_while(|(expected, actual)| expected.0 == actual.0).count();
    let lines = |text: &[(char, usize)]| text.iter().filter(|(c, _)| *c == '\n').count() as u64 + 1;
    let (wanted, mut found) = (expected.get(alike).map(|(c, _)| *c), alike);
    match (wanted, all.get(alike).map(|(c, _)| *c)) {
        // The line end would not count if nothing followed: what is too much is what follows.
        (None, Some('\n')) if mode == Mode::Lines => {
            found += all[alike..].iter().take_while(|(c, _)| is_blank(*c) || *c == '\n').count();
        }
        // The line end would not count, either: what is missing is the line after it.
        (Some('\n'), None) if mode == Mode::Lines => {
            let wanted = expected.get(alike + 1).map(|(c, _)| *c);
            return Some((lines(&expected[..=alike]), wanted, None, actual.len() as u64));
        }
        (Some(_), None) => return Some((lines(&all), wanted, None, actual.len() as u64)),
        _ => {}
    }
    let (c, at) = all.get(found)?;
    Some((lines(&all[..found]), wanted, Some(*c), *at as u64))
}

fn compared(expected: &str, pieces: &[&str], mode: Mode) -> Option<Difference<usize>> {
    let mut comparison = Comparison::new(&Expectation::new(expected.to_string(), mode));
    for (number, piece) in pieces.iter().enumerate() {
        comparison.write(piece, number);
    }
    comparison.end();
    comparison.difference().cloned()
}

fn divided<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    cuts.retain(|cut| text.is_char_boundary(*cut));
    cuts.sort_unstable();
    cuts.push(text.len());
    let mut begin = 0;
    cuts.into_iter().map(|end| slice(text, std::mem::replace(&mut begin, end)..end)).collect()
}

/// A text and one that is nearly the same.
fn alike() -> impl Strategy<Value = (String, String)> {
    let piece = || {
        prop_oneof![
            4 => "[ab]{1,3}", 2 => " {1,3}|\t", 3 => Just("\n".to_string()), 1 => Just("\r\n".to_string()),
            1 => "\r|é|\u{a0}|\u{200b}|🦀", 1 => "x{300,700}",
        ]
    };
    let pieces = prop::collection::vec(piece(), 0..12);
    (pieces, prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, piece()), 0..3)).prop_map(
        |(pieces, edits)| {
            let mut other = pieces.clone();
            for (place, edit, piece) in edits {
                let at = place.index(other.len() + 1);
                match edit {
                    0 => other.insert(at, piece),
                    _ if at == other.len() => other.push(piece),
                    1 => drop(other.remove(at)),
                    2 => other[at] = piece,
                    _ => other.truncate(at),
                }
            }
            (pieces.concat(), other.concat())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn the_first_difference_is_that_of_the_whole_texts(
        (expected, actual) in alike(), cuts in prop::collection::vec(any::<usize>(), 0..6), exact: bool
    ) {
        let mode = if exact { Mode::Exact } else { Mode::Lines };
        let pieces = divided(&actual, &cuts);
        let found = compared(&expected, &pieces, mode);
        let at_once = compared(&expected, &[&actual], mode);
        prop_assert_eq!(found.as_ref().map(|it| &it.excerpt), at_once.as_ref().map(|it| &it.excerpt));
        let place = found.as_ref().map(|it| (it.line, it.expected, it.actual, it.offset));
        prop_assert_eq!(place, plainly(&expected, &actual, mode));
        prop_assert_eq!(place.is_none(), are_alike(&expected, &actual, mode));
        if let Some(Difference { offset, by: Some(by), within: Some(within), before, excerpt, .. }) = found {
            let start: usize = pieces[..by].iter().map(|piece| piece.len()).sum();
            prop_assert_eq!(start as u64 + within, offset);
            prop_assert!(within < pieces[by].len() as u64);
            prop_assert_eq!(before, pieces[..by].iter().rposition(|piece| !piece.is_empty()));
            let shown = (excerpt.column - excerpt.left_out) as usize - 1;
            let (expected, actual) = (excerpt.expected.chars(), excerpt.actual.chars());
            prop_assert!(excerpt.expected.is_empty() || expected.take(shown).eq(actual.take(shown)));
        }
    }

    /// A difference is told with the write after which it is certain.
    #[test]
    fn a_difference_is_told_once_and_as_soon_as_it_is_certain(
        (expected, actual) in alike(), cuts in prop::collection::vec(any::<usize>(), 0..6)
    ) {
        let mut comparison = Comparison::new(&Expectation::new(expected.clone(), Mode::Lines));
        let mut so_far = String::new();
        for piece in divided(&actual, &cuts) {
            so_far += piece;
            let is_first = comparison.write(piece, ());
            prop_assert_eq!(comparison.take_news().is_some(), is_first);
            prop_assert!(!comparison.has_news());
            let text = so_far.strip_suffix('\r').unwrap_or(&so_far);
            let wanted = text_of(counting(&expected, Mode::Lines, false));
            let lines = text_of(counting(text, Mode::Lines, true));
            let could_follow = wanted.starts_with(&lines) || are_alike(&expected, text, Mode::Lines);
            prop_assert!(comparison.difference().is_none() || !could_follow, "{:?}", so_far);
            prop_assert!(comparison.difference().is_some() || could_follow, "{:?}", so_far);
        }
    }
}

fn lines(expected: &str, pieces: &[&str]) -> Difference<usize> {
    compared(expected, pieces, Mode::Lines).unwrap()
}

#[test]
fn what_is_shown_of_a_difference() {
    let found = lines("one\naverage 7.5 \nthree\n", &["one  \r\n", "average ", "7.0\n", "three"]);
    let excerpt = Excerpt {
        column: 11,
        expected: "average 7.5".into(),
        actual: "average 7.0".into(),
        ..Excerpt::default()
    };
    assert_eq!((found.line, found.expected, found.actual), (2, Some('5'), Some('0')));
    assert_eq!((found.offset, found.within, found.by, found.before), (17, Some(2), Some(2), Some(1)));
    assert_eq!((found.excerpt, found.is_unfinished), (excerpt, false));
    let found = lines("a\nb\n", &["a\n", "\n", "b\n"]);
    assert_eq!((found.line, found.expected, found.actual, found.by), (2, Some('b'), Some('\n'), Some(1)));
    let found = lines("a", &["a\n", " ", "  more"]);
    assert_eq!((found.line, found.expected, found.actual, found.by), (2, None, Some('m'), Some(2)));
    assert_eq!((found.excerpt.column, &*found.excerpt.actual), (4, "   more"));
    assert_eq!((&*found.excerpt.expected, found.is_unfinished), ("", false));
    let found = lines("a\nb", &["a"]);
    assert_eq!((found.line, found.expected, found.actual, found.by), (2, Some('b'), None, None));
    assert_eq!((&*found.excerpt.expected, &*found.excerpt.actual, found.before), ("b", "", Some(0)));
}

#[test]
fn a_blank_is_wrong_only_when_something_follows_it() {
    let mut comparison = Comparison::new(&Expectation::new("a\nb".to_string(), Mode::Lines));
    assert!(!comparison.write("a ", 1) && !comparison.write("  ", 2));
    assert!(comparison.write("x", 3));
    let found = comparison.take_news().unwrap();
    assert_eq!((found.offset, found.by, found.actual), (1, Some(1), Some(' ')));
    assert_eq!(found.excerpt.actual, "a   x");
    assert_eq!(comparison.matched_lines(), 0);
}

#[test]
fn long_lines_are_cut_around_the_difference() {
    let (long, end) = ("é".repeat(1000), "y".repeat(1000));
    let found = lines(&format!("{long}1{end}"), &[&long, "2", &end]);
    assert_eq!(found.excerpt.column, 1001);
    assert_eq!(
        (found.excerpt.left_out, found.excerpt.expected_more, found.excerpt.actual_more),
        (700, 701, 701)
    );
    assert_eq!(found.excerpt.actual, format!("{}2{}", "é".repeat(300), "y".repeat(299)));
    let blanks = " ".repeat(5000);
    let found = lines("x", &["x", &blanks, "y"]);
    assert_eq!((found.offset, found.excerpt.column, found.excerpt.actual_more), (1, 2, 4701));
    let found = lines("x", &["x\n", &blanks, "y"]);
    assert_eq!((found.offset, found.excerpt.column, found.excerpt.left_out), (5002, 5001, 5000));
}

#[test]
fn lines_are_counted_as_they_come() {
    let mut comparison = Comparison::new(&Expectation::new("a\nb\n\n".to_string(), Mode::Lines));
    let mut counted = vec![comparison.matched_lines()];
    for piece in ["a", "\n", "b", "\n\n"] {
        comparison.write(piece, ());
        counted.push(comparison.matched_lines());
    }
    assert_eq!(counted, [0, 0, 1, 2, 2]);
    assert!(!comparison.end());
}

#[test]
fn what_follows_a_lone_carriage_return_is_shown() {
    let found = lines("bx\n", &["b\rcde\nnext"]);
    assert_eq!((&*found.excerpt.actual, found.is_unfinished), ("b\rcde", false));
    let found = lines("\r aa", &["\r \naa"]);
    assert_eq!((&*found.excerpt.expected, &*found.excerpt.actual, found.excerpt.column), ("\r aa", "\r", 2));
}
