//! The leading decimal digits of a large integer, without computing all of them.
//!
//! Converting n bits to decimal takes more than linear time: a second for a million digits. The leading
//! digits can be computed from the leading bits and a power of ten of the same precision.

use compact_str::{CompactString, ToCompactString};
use num_bigint::{BigInt, BigUint, Sign};

use crate::api::Cut;

/// Numbers of at most this many bits are converted in full: about 1,200 digits, some microseconds.
const SHORT_BITS: u64 = 4096;

/// Bits of precision beyond the wanted digits: the error of the power doubles with each of at most 64
/// squarings.
const GUARD_BITS: u64 = 160;

/// Digits computed beyond the wanted ones. If these do not determine the digits before them, all are
/// computed.
const GUARD_DIGITS: usize = 12;

/// The first `most` digits of a number (at least one), with its sign.
pub(crate) fn leading_digits(number: &BigInt, most: usize) -> Cut {
    let most = most.max(1);
    // log10(2) = 0.30103: an upper bound of the number of digits.
    let digits = (number.bits() as f64 * std::f64::consts::LOG10_2) as usize + 1;
    if number.bits() <= SHORT_BITS || digits <= most + GUARD_DIGITS {
        return cut_text(&number.to_compact_string(), most);
    }
    let start = first_digits(number.magnitude(), most, digits);
    match start {
        Some(start) => {
            let sign = if number.sign() == Sign::Minus { "-" } else { "" };
            Cut { text: CompactString::from(format!("{sign}{start}")), cut: true }
        }
        None => cut_text(&number.to_compact_string(), most),
    }
}

fn cut_text(text: &str, most: usize) -> Cut {
    let sign = usize::from(text.starts_with('-'));
    let end = text.len().min(most + sign);
    Cut { text: CompactString::new(text.get(..end).unwrap_or(text)), cut: end < text.len() }
}

/// A number `mantissa * 2^exponent` of limited precision.
struct Rounded {
    mantissa: BigUint,
    exponent: i64,
}

impl Rounded {
    /// `number`, with all but its first `precision` bits dropped.
    fn new(number: BigUint, exponent: i64, precision: u64) -> Rounded {
        let dropped = number.bits().saturating_sub(precision);
        Rounded { mantissa: number >> dropped, exponent: exponent + dropped as i64 }
    }

    /// `5^power`.
    fn power_of_five(power: u64, precision: u64) -> Rounded {
        let mut result = Rounded::new(BigUint::from(1u32), 0, precision);
        for bit in (0..u64::BITS - power.leading_zeros()).rev() {
            let mut mantissa = &result.mantissa * &result.mantissa;
            if power >> bit & 1 == 1 {
                mantissa *= 5u32;
            }
            result = Rounded::new(mantissa, 2 * result.exponent, precision);
        }
        result
    }
}

/// The first digits of a number of about `digits` digits; `None` if the precision is not enough.
fn first_digits(number: &BigUint, most: usize, digits: usize) -> Option<String> {
    let wanted = most + GUARD_DIGITS;
    let precision = (wanted as f64 / std::f64::consts::LOG10_2) as u64 + GUARD_BITS;
    // The integer part of number / 10^dropped = number / 5^dropped / 2^dropped has about `wanted` digits.
    let dropped = digits.checked_sub(wanted)? as u64;
    let top = Rounded::new(number.clone(), 0, 2 * precision);
    let power = Rounded::power_of_five(dropped, precision);
    let quotient = top.mantissa / power.mantissa;
    let shift = top.exponent - power.exponent - dropped as i64;
    let quotient =
        if shift < 0 { quotient >> shift.unsigned_abs() } else { quotient << shift.unsigned_abs() };
    let text = quotient.to_string();
    let (start, rest) = text.split_at_checked(most)?;
    // An error of one in the last digit must not change the digits that are kept.
    let open = rest.bytes().all(|digit| digit == b'9') || rest.bytes().all(|digit| digit == b'0');
    (!open && !rest.is_empty()).then(|| start.to_string())
}

#[cfg(test)]
mod tests {
    use num_traits::Pow;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn short_numbers_are_whole() {
        let cut = leading_digits(&BigInt::from(-12345), 3);
        assert_eq!((cut.text.as_str(), cut.cut), ("-123", true));
        let cut = leading_digits(&BigInt::from(-12345), 5);
        assert_eq!((cut.text.as_str(), cut.cut), ("-12345", false));
    }

    #[test]
    fn powers_of_ten_are_the_worst_case() {
        for number in [BigInt::from(10).pow(5000u32), BigInt::from(10).pow(5000u32) - 1] {
            let all = number.to_string();
            let cut = leading_digits(&number, 40);
            assert_eq!((cut.text.as_str(), cut.cut), (all.get(..40).unwrap(), true));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_first_digits_are_those_of_the_whole(
            base in 2u32..1_000_000, power in 700u32..3000, most in 1usize..2000, negative: bool,
        ) {
            let number: BigInt = BigInt::from(base).pow(power) * if negative { -1 } else { 1 };
            let all = number.to_string();
            let cut = leading_digits(&number, most);
            let end = all.len().min(most + usize::from(negative));
            prop_assert_eq!(Some(cut.text.as_str()), all.get(..end));
            prop_assert_eq!(cut.cut, end < all.len());
        }
    }
}
