//! Hit conditions: which hits of a breakpoint stop the program.

use serde::{Deserialize, Serialize};

/// A parsed hit condition, such as `>= 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HitCondition {
    test: Test,
    number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Test {
    Equal,
    AtLeast,
    More,
    AtMost,
    Less,
    /// Every hit whose number is a multiple.
    Multiple,
}

/// The operators; one that is a prefix of another comes after it.
const OPERATORS: [(&str, Test); 7] = [
    ("==", Test::Equal),
    (">=", Test::AtLeast),
    ("<=", Test::AtMost),
    (">", Test::More),
    ("<", Test::Less),
    ("%", Test::Multiple),
    ("=", Test::Equal),
];

impl HitCondition {
    /// Parses a hit condition.
    ///
    /// # Errors
    /// What is wrong with it, for the client.
    pub fn parse(text: &str) -> Result<HitCondition, String> {
        let trimmed = text.trim();
        let operator = OPERATORS.iter().find_map(|(sign, test)| Some((trimmed.strip_prefix(sign)?, *test)));
        let (number, test) = operator.unwrap_or((trimmed, Test::Equal));
        let wrong = || {
            format!(
                "wrong hit condition '{text}': expected a number of hits such as 3, >= 3, > 3, < 3 or % 3"
            )
        };
        let number = number.trim();
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let number: u32 = number.parse().map_err(|_| wrong())?;
        if number == 0 && test == Test::Multiple {
            return Err(format!("wrong hit condition '{text}': no number of hits divides by 0"));
        }
        let never = match test {
            Test::Equal | Test::AtMost => number == 0,
            Test::Less => number <= 1,
            Test::AtLeast | Test::More | Test::Multiple => false,
        };
        if never {
            return Err(format!(
                "wrong hit condition '{text}': no hit stops, since the first one is number 1"
            ));
        }
        Ok(HitCondition { test, number })
    }

    /// Whether the hit with this number (from 1) stops the program.
    pub fn holds(self, hit: u32) -> bool {
        match self.test {
            Test::Equal => hit == self.number,
            Test::AtLeast => hit >= self.number,
            Test::More => hit > self.number,
            Test::AtMost => hit <= self.number,
            Test::Less => hit < self.number,
            Test::Multiple => hit.checked_rem(self.number) == Some(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operator_chooses_its_hits() {
        for (text, hits) in [
            ("3", vec![3]),
            ("== 3", vec![3]),
            ("=3", vec![3]),
            (">= 5", vec![5, 6]),
            ("> 5", vec![6]),
            ("<=2", vec![1, 2]),
            (" < 2 ", vec![1]),
            ("% 2", vec![2, 4, 6]),
        ] {
            let condition = HitCondition::parse(text).expect(text);
            assert_eq!((1..=6).filter(|hit| condition.holds(*hit)).collect::<Vec<_>>(), hits, "{text}");
        }
    }

    #[test]
    fn what_is_no_hit_condition_is_refused() {
        for text in [
            "",
            ">",
            "x",
            "3 times",
            "-1",
            "+3",
            "1.5",
            "% 0",
            "99999999999",
            "=> 3",
            "!= 3",
            "0",
            "== 0",
            "<= 0",
            "< 1",
            "< 0",
        ] {
            let error = HitCondition::parse(text).expect_err(text);
            assert!(error.starts_with(&format!("wrong hit condition '{text}'")), "{error}");
        }
    }
}
