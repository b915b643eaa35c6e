//! Comparing the words of two texts, numbers with a tolerance.

/// A difference between the words of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordDifference {
    /// Where the word that was expected begins; `None`: there is none.
    pub expected: Option<usize>,
    /// Where the one that has come begins; `None`: there is none.
    pub actual: Option<usize>,
}

impl WordDifference {
    /// Whether the word that has come ends in the beginning of what has come: more of it may follow otherwise.
    pub fn ends_in(&self, beginning: &str) -> bool {
        let rest = self.actual.and_then(|at| beginning.get(at..));
        rest.is_some_and(|rest| rest.contains(|c: char| c.is_ascii_whitespace()))
    }
}

/// The first word that is another one. Words are what is between spaces, tabs and line ends. With an `error`, numbers may
/// differ by that much, absolutely or relatively to the one that is expected.
pub fn difference(expected: &str, actual: &str, error: Option<f64>) -> Option<WordDifference> {
    let (mut wanted, mut come) = (words(expected), words(actual));
    loop {
        match (wanted.next(), come.next()) {
            (None, None) => return None,
            (Some((_, one)), Some((_, other))) if are_same(one, other, error) => {}
            (one, other) => {
                let [expected, actual] = [one, other].map(|word| word.map(|(at, _)| at));
                return Some(WordDifference { expected, actual });
            }
        }
    }
}

/// The words of a text, with the bytes at which they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begin = text.as_ptr() as usize;
    text.split_ascii_whitespace().map(move |word| (word.as_ptr() as usize - begin, word))
}

fn are_same(expected: &str, actual: &str, error: Option<f64>) -> bool {
    if expected == actual {
        return true;
    }
    let (Some(error), Some(expected), Some(actual)) = (error, number(expected), number(actual)) else {
        return false;
    };
    let away = (expected - actual).abs();
    away <= error || away <= error * expected.abs()
}

/// A word as a number, if it is written as one; words such as `inf` are not.
fn number(word: &str) -> Option<f64> {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    word.parse().ok().filter(|number: &f64| is_number && number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared() {
        let found = |expected, actual| difference(expected, actual, None).map(|at| (at.expected, at.actual));
        assert_eq!(found("a b\nc\n", " a\tb   c"), None);
        assert_eq!(found("a b c", "a  x c"), Some((Some(2), Some(3))));
        assert_eq!(found("a b", "a"), Some((Some(2), None)));
        let is_certain = |expected, actual| difference(expected, actual, None).unwrap().ends_in(actual);
        assert!(is_certain("a b", "a c "));
        assert!(!is_certain("a b", "a c"));
        assert!(!is_certain("a b", "a "));
        assert_eq!(found("", "é a"), Some((None, Some(0))));
        assert_eq!(found("1.0", "1"), Some((Some(0), Some(0))));
    }

    #[test]
    fn numbers_may_differ_a_little() {
        let same = |expected, actual| difference(expected, actual, Some(1e-6)).is_none();
        assert!(same("1.0", "1") && same("1e3", "1000.0001") && same("0", "-1e-7") && same("x 2", "x 2.0"));
        assert!(!same("1.0", "1.1") && !same("1", "x") && !same("inf", "-inf") && !same("nan", "1"));
        assert!(!same("1000", "1000.01") && same("1e999", "1e999"));
        assert!(!same("1e999", "5") && !same("5", "1e999"));
    }
}
