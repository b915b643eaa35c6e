//! Parts of texts.

use std::slice::SliceIndex;

/// The part of a text whose ends are known: they are computed from the text itself, are within it and between
/// characters. If they are not, that is a bug: it ends the program in a debug build, and the part is empty in others.
#[inline]
pub fn slice<R>(text: &str, range: R) -> &str
where
    R: SliceIndex<str, Output = str> + Clone + std::fmt::Debug,
{
    let part = text.get(range.clone());
    debug_assert!(part.is_some(), "{range:?} is no part of {text:?}");
    part.unwrap_or_default()
}
