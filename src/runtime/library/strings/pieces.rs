//! Splitting strings, and taking parts of them.

use crate::diagnostics::Code;
use crate::library::args::{self, STRING, TOO_LARGE, gather};
use crate::library::arrays;
use crate::library::offload::Rounds;
use crate::library::{Call, Fail};
use crate::text;
use crate::value::{Elems, Heap, ScalarKind, Str, StringInterner, Type, Value};

use super::{FIRST, only, texts};

/// The first argument as a string with a cached length in characters.
fn counted<'a>(call: &Call<'a>) -> Result<&'a Str, Fail> {
    if let Some(Value::Ref(r)) = call.args.first()
        && let Heap::Str(s) = &**r
    {
        return Ok(s);
    }
    call.wrong(Code::E7003, FIRST)
}

/// Byte offset of character `index`; the end if there are fewer.
pub fn offset(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(at, _)| at)
}

pub fn split(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let [s, separator] = texts(call)?;
    let count = match separator.as_bytes() {
        [] => s.len(),
        [byte] => memchr::memchr_iter(*byte, s.as_bytes()).count(),
        _ => s.matches(separator).count(),
    };
    call.room(count as u64, STRING, TOO_LARGE)?;
    match separator.as_bytes() {
        [] => {
            let ends = s.char_indices().map(|(at, c)| at + c.len_utf8());
            cut(call, s, count, ends, 0)
        }
        [byte] => {
            let ends = memchr::memchr_iter(*byte, s.as_bytes()).chain([s.len()]);
            cut(call, s, count + 1, ends, 1)
        }
        _ => {
            let ends = s.match_indices(separator).map(|(at, _)| at).chain([s.len()]);
            cut(call, s, count + 1, ends, separator.len())
        }
    }
}

/// The `count` pieces of a text that end at `ends`, with separators of `gap` bytes between them.
fn cut(
    call: &mut Call,
    s: &str,
    count: usize,
    ends: impl Iterator<Item = usize>,
    gap: usize,
) -> Result<Value, Fail> {
    let mut rounds = Rounds::new(call.runtime);
    let (mut pieces, mut recent) = (Vec::with_capacity(count), StringInterner::default());
    let mut start = 0;
    for end in ends {
        rounds.next(call.runtime)?;
        pieces.push(recent.string(text::slice(s, start..end)));
        start = end + gap;
    }
    Ok(Value::array_of(&Type::Str, Elems::Values(pieces)))
}

pub fn lines(call: &mut Call) -> Result<Value, Fail> {
    let text = only(call)?;
    let last = (text.is_empty() || text.ends_with('\n')).then_some("");
    gather(call, args::lines(text).chain(last))
}

pub fn words(call: &mut Call) -> Result<Value, Fail> {
    gather(call, only(call)?.split_whitespace())
}

pub fn join(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let array = call.array(0, "requires an array as first argument")?;
    let separator = call.text(1, "requires a string separator")?;
    arrays::join(call, array, separator)
}

pub fn char_at(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let s = counted(call)?;
    let index = call.index(1, "requires an integer as second argument")?;
    let index = if index < 0 { index.saturating_add(s.char_count() as i64) } else { index };
    match usize::try_from(index).ok().and_then(|i| s.char_at(i)) {
        Some(c) => Ok(Value::str(c.encode_utf8(&mut [0; 4]) as &str)),
        None => call.out_of_bounds(Code::E10003, s.char_count()),
    }
}

pub fn slice(call: &mut Call) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2 or 3 arguments")?;
    let s = counted(call)?;
    let start = call.index(1, "requires integer indices")?;
    let end = match call.args.get(2) {
        Some(_) => call.index(2, "requires integer indices")?,
        None => i64::MAX,
    };
    let (start, end) = arrays::slice_bounds(s.char_count(), start, end);
    // The end first, so that the next search goes on from the beginning of this part.
    let end = s.offset(end);
    Ok(Value::str(text::slice(s.as_str(), s.offset(start)..end)))
}

pub fn chars(call: &mut Call) -> Result<Value, Fail> {
    let text = only(call)?;
    call.room(text.len() as u64, size_of::<i64>() as u64, TOO_LARGE)?;
    let chars = call.offload(text.len() as u64, || text.chars().map(|c| i64::from(c as u32)).collect())?;
    Ok(Value::array_of(&Type::Char, Elems::Scalars(ScalarKind::Char, chars)))
}

pub fn from_chars(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let array = call.array(0, "requires an array argument")?.borrow();
    let mut text = String::with_capacity(array.data.len());
    for value in array.data.iter() {
        match (&value, value.as_str()) {
            (Value::Char(c), _) => text.push(*c),
            (_, Some(s)) => text.push(s.chars().next().unwrap_or('\0')),
            _ => return call.wrong(Code::E7003, "requires an array of chars"),
        }
    }
    Ok(Value::str(text))
}
