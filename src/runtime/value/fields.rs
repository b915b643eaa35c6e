//! The fields of a struct.

use std::ops::{Deref, DerefMut};

use super::heap::Value;

/// The fields of a struct, whose number never changes. Two or three are in the object itself, so that reading
/// one is one access to memory less; more would make all objects larger. Which variant it is takes no space: the
/// compiler keeps it in an unused kind of the first value. (With a fourth variant, it would distinguish them by an
/// indirect jump.)
#[derive(Clone, Debug)]
pub enum Fields {
    Two([Value; 2]),
    Three([Value; 3]),
    /// Any other number.
    Other(Box<[Value]>),
}

impl Fields {
    /// So many fields, all nil.
    #[inline]
    pub fn nil(count: usize) -> Fields {
        match count {
            2 => Fields::Two(Default::default()),
            3 => Fields::Three(Default::default()),
            _ => Fields::Other(std::iter::repeat_n(Value::Nil, count).collect()),
        }
    }

    /// Bytes that they take outside of the object.
    #[inline]
    pub fn bytes_outside(&self) -> usize {
        match self {
            Fields::Other(all) => size_of_val::<[Value]>(all),
            _ => 0,
        }
    }
}

impl Deref for Fields {
    type Target = [Value];

    #[inline(always)]
    fn deref(&self) -> &[Value] {
        match self {
            Fields::Two(all) => all,
            Fields::Three(all) => all,
            Fields::Other(all) => all,
        }
    }
}

impl DerefMut for Fields {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Value] {
        match self {
            Fields::Two(all) => all,
            Fields::Three(all) => all,
            Fields::Other(all) => all,
        }
    }
}

impl FromIterator<Value> for Fields {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Fields {
        let all: Vec<Value> = values.into_iter().collect();
        let all = match <[Value; 2]>::try_from(all) {
            Ok(two) => return Fields::Two(two),
            Err(all) => all,
        };
        match <[Value; 3]>::try_from(all) {
            Ok(three) => Fields::Three(three),
            Err(all) => Fields::Other(all.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_take_no_more_space_than_three_values() {
        assert_eq!(size_of::<Fields>(), 48);
    }

    #[test]
    fn any_number_is_kept() {
        for count in 0..6 {
            let mut fields: Fields = (0..count).map(Value::Int).collect();
            assert_eq!(fields.len() as i64, count);
            assert!(fields.iter().zip(0..).all(|(field, i)| matches!(field, Value::Int(x) if *x == i)));
            if let Some(first) = fields.first_mut() {
                *first = Value::Bool(true);
                assert!(matches!(fields.first(), Some(Value::Bool(true))));
            }
        }
    }
}
