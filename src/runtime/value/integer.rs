//! Integers of any size, and the ranges of the sized types.

use num_bigint::{BigInt, Sign};
use num_traits::{One, ToPrimitive};

use super::heap::{Heap, Value};
use super::memory;
use super::types::IntKind;

/// Why an integer does not fit a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Negative, for an unsigned type.
    Negative,
    /// Too large or too small.
    OutOfRange,
}

/// An integer as a value: unboxed if it fits into 64 bits.
pub fn normalize(number: BigInt) -> Value {
    match number.to_i64() {
        Some(small) => Value::Int(small),
        None => {
            memory::charge((number.bits() / 8) as usize);
            Value::from(Heap::Big(number))
        }
    }
}

/// The lowest and the highest number of a sized type.
pub fn bounds(kind: IntKind) -> Option<(BigInt, BigInt)> {
    let bits = kind.bits()?;
    Some(if kind.signed() {
        let half = BigInt::one() << (bits - 1);
        (-half.clone(), half - 1)
    } else {
        (BigInt::ZERO, (BigInt::one() << bits) - 1)
    })
}

/// The lowest and the highest number of 64 bits that a type has.
#[inline]
const fn small_bounds(kind: IntKind) -> (i64, i64) {
    match kind {
        IntKind::Int | IntKind::I64 | IntKind::I128 | IntKind::I256 => (i64::MIN, i64::MAX),
        IntKind::Uint | IntKind::U64 | IntKind::U128 | IntKind::U256 => (0, i64::MAX),
        IntKind::I8 => (-128, 127),
        IntKind::I16 => (-32_768, 32_767),
        IntKind::I32 => (-2_147_483_648, 2_147_483_647),
        IntKind::U8 => (0, 255),
        IntKind::U16 => (0, 65_535),
        IntKind::U32 => (0, 4_294_967_295),
    }
}

/// A range of 64-bit numbers, which one comparison tests.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    low: i64,
    /// The highest number less the lowest.
    width: u64,
}

/// Those of the kinds, in the order of [`IntKind`].
const LIMITS: [Limits; IntKind::ALL.len()] = {
    let mut limits = [Limits::new(0, 0); IntKind::ALL.len()];
    let mut rest: &[IntKind] = &IntKind::ALL;
    while let [others @ .., kind] = rest {
        let (low, high) = small_bounds(*kind);
        #[allow(clippy::indexing_slicing)] // While compiling.
        {
            limits[*kind as usize] = Limits::new(low, high);
        }
        rest = others;
    }
    limits
};

impl Limits {
    /// From `low` to `high`.
    pub const fn new(low: i64, high: i64) -> Limits {
        Limits { low, width: high.wrapping_sub(low) as u64 }
    }

    /// The 64-bit numbers that a type has.
    #[inline(always)]
    pub fn of(kind: IntKind) -> Limits {
        LIMITS.get(kind as usize).copied().unwrap_or(Limits::new(0, 0))
    }

    /// What both have, which is not nothing.
    pub fn and(self, other: Limits) -> Limits {
        let high = |limits: Limits| limits.low.wrapping_add(limits.width as i64);
        Limits::new(self.low.max(other.low), high(self).min(high(other)))
    }

    /// Whether a number is among them.
    #[inline(always)]
    pub fn have(self, number: i64) -> bool {
        number.wrapping_sub(self.low) as u64 <= self.width
    }
}

/// Checks that a 64-bit number is in the range of `kind`.
#[inline]
pub fn fit_small(kind: IntKind, number: i64) -> Result<(), Misfit> {
    if Limits::of(kind).have(number) {
        Ok(())
    } else if number < 0 && !kind.signed() {
        Err(Misfit::Negative)
    } else {
        Err(Misfit::OutOfRange)
    }
}

/// Checks that a number is in the range of `kind`.
pub fn fit_integer(kind: IntKind, number: &BigInt) -> Result<(), Misfit> {
    if !kind.signed() && number.sign() == Sign::Minus {
        return Err(Misfit::Negative);
    }
    match bounds(kind) {
        Some((low, high)) if *number < low || *number > high => Err(Misfit::OutOfRange),
        _ => Ok(()),
    }
}

/// Whether every number of the kind `other` is one of `kind`.
pub fn covers(kind: IntKind, other: IntKind) -> bool {
    let is_wide_enough = match (kind.bits(), other.bits()) {
        (None, _) => true,
        (Some(_), None) => false,
        // One bit of a signed type is the sign.
        (Some(own), Some(bits)) if kind.signed() && !other.signed() => own > bits,
        (Some(own), Some(bits)) => own >= bits,
    };
    is_wide_enough && (kind.signed() || !other.signed())
}

/// The range in words: `-128 to 127`; `arbitrary precision` for types without bounds.
pub fn bounds_text(kind: IntKind) -> String {
    match bounds(kind) {
        Some((low, high)) => format!("{low} to {high}"),
        None => "arbitrary precision".into(),
    }
}
