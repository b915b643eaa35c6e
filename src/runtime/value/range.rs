//! Ranges of integers.

use std::cmp::Ordering;
use std::fmt;

use num_traits::{Signed, Zero};

use super::Value;
use super::equal::compare_numbers;

/// `range(start, end, step)`: the integers from `start` on, `step` apart, up to but not including `end`.
/// Equal if all three numbers are.
#[derive(Clone, Debug)]
pub struct Range {
    // Integers, of any size.
    start: Value,
    end: Value,
    step: Value,
}

impl Range {
    /// The range between two integers. Whether `step` leads from `start` to `end` is not checked.
    pub fn new(start: Value, end: Value, step: Value) -> Range {
        Range { start, end, step }
    }

    /// First number, end and step.
    pub fn numbers(&self) -> [&Value; 3] {
        [&self.start, &self.end, &self.step]
    }

    /// Whether an integer is one of its numbers; false for any other value.
    pub fn contains(&self, number: &Value) -> bool {
        if let (Value::Int(n), [Value::Int(start), Value::Int(end), Value::Int(step)]) =
            (number, self.numbers())
        {
            let inside = if *step > 0 { start <= n && n < end } else { end < n && n <= start };
            return inside && *step != 0 && (i128::from(*n) - i128::from(*start)) % i128::from(*step) == 0;
        }
        self.contains_wide(number).unwrap_or(false)
    }

    fn contains_wide(&self, number: &Value) -> Option<bool> {
        let [start, end, step] = self.numbers().map(Value::as_bigint);
        let (n, start, end, step) = (number.as_bigint()?, start?, end?, step?);
        let inside = if step.is_positive() { start <= n && n < end } else { end < n && n <= start };
        Some(inside && !step.is_zero() && ((n - start) % step).is_zero())
    }
}

impl PartialEq for Range {
    fn eq(&self, other: &Range) -> bool {
        let pairs = self.numbers().into_iter().zip(other.numbers());
        pairs.into_iter().all(|(a, b)| compare_numbers(a, b) == Some(Ordering::Equal))
    }
}

/// Writes the range as EZ does; a step of 1 is left out.
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [start, end, step] = self.numbers().map(super::inspect);
        match self.step {
            Value::Int(1) => write!(f, "range({start}, {end})"),
            _ => write!(f, "range({start}, {end}, {step})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;

    #[test]
    fn members_are_those_of_exact_arithmetic() {
        let bounds: Vec<BigInt> = [-1i128, 0, 7, i64::MAX.into(), i128::from(i64::MAX) + 9, i128::MIN]
            .into_iter()
            .map(BigInt::from)
            .collect();
        let integer = |n: &BigInt| Value::integer(n.clone());
        for start in &bounds {
            for end in &bounds {
                for step in [1, 3, -1, -4, i64::MIN].map(BigInt::from) {
                    let range = Range::new(integer(start), integer(end), integer(&step));
                    for n in bounds.iter().flat_map(|bound| (-5..5).map(move |d| bound + BigInt::from(d))) {
                        let up = step > BigInt::zero();
                        let inside = if up { *start <= n && n < *end } else { *end < n && n <= *start };
                        let wanted = inside && ((&n - start) % &step).is_zero();
                        assert_eq!(range.contains(&integer(&n)), wanted, "{n} in {range}");
                    }
                }
            }
        }
    }
}
