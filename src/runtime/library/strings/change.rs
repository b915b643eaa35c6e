//! Functions that make changed copies of strings.

use crate::diagnostics::Code;
use crate::library::args::TOO_LARGE;
use crate::library::{Call, Fail};
use crate::text::slice;
use crate::value::Value;

use super::pieces::offset;
use super::{FIRST, made, only, texts};

const THIRD: &str = "requires a string as third argument";

/// The upper case of a character that has one of a single character.
fn upper_char(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(upper), None) => upper,
        // Greek letters with iota subscript: two letters in full case mapping, one in the simple mapping.
        _ => match c {
            '\u{1F80}'..='\u{1F87}' | '\u{1F90}'..='\u{1F97}' | '\u{1FA0}'..='\u{1FA7}' => {
                char::from_u32(c as u32 + 8).unwrap_or(c)
            }
            '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => char::from_u32(c as u32 + 9).unwrap_or(c),
            _ => c,
        },
    }
}

fn lower_char(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// A string of these characters; `size`: its approximate length in bytes.
fn collected(size: usize, chars: impl Iterator<Item = char>) -> String {
    let mut text = String::with_capacity(size);
    text.extend(chars);
    text
}

pub fn upper(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    let upper =
        || if s.is_ascii() { s.to_ascii_uppercase() } else { collected(s.len(), s.chars().map(upper_char)) };
    made(call, s.len(), upper)
}

pub fn lower(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    let lower =
        || if s.is_ascii() { s.to_ascii_lowercase() } else { collected(s.len(), s.chars().map(lower_char)) };
    made(call, s.len(), lower)
}

pub fn trim(call: &mut Call) -> Result<Value, Fail> {
    Ok(Value::str(only(call)?.trim()))
}

pub fn trim_left(call: &mut Call) -> Result<Value, Fail> {
    Ok(Value::str(only(call)?.trim_start()))
}

pub fn trim_right(call: &mut Call) -> Result<Value, Fail> {
    Ok(Value::str(only(call)?.trim_end()))
}

pub fn replace(call: &mut Call) -> Result<Value, Fail> {
    let [s, old, new] = texts(call)?;
    replaced(call, s, old, new, usize::MAX)
}

/// The text with the first `limit` occurrences replaced.
fn replaced(call: &mut Call, s: &str, old: &str, new: &str, limit: usize) -> Result<Value, Fail> {
    if new.len() > old.len() {
        let count = call.offload(s.len() as u64 * 4, || s.matches(old).take(limit).count())? as u64;
        let more = count.saturating_mul((new.len() - old.len()) as u64);
        call.room(more.saturating_add(s.len() as u64), 1, TOO_LARGE)?;
    }
    made(call, s.len(), || s.replacen(old, new, limit))
}

pub fn replace_n(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(4, "(string, old, new, n)")?;
    let s = call.text(0, FIRST)?;
    let old = call.text(1, "requires a string as second argument")?;
    let new = call.text(2, THIRD)?;
    let n = call.index(3, "requires an integer as fourth argument")?;
    replaced(call, s, old, new, usize::try_from(n).unwrap_or(usize::MAX))
}

pub fn remove(call: &mut Call) -> Result<Value, Fail> {
    let [s, part] = texts(call)?;
    made(call, s.len(), || if part.is_empty() { s.to_string() } else { s.replacen(part, "", 1) })
}

pub fn remove_all(call: &mut Call) -> Result<Value, Fail> {
    let [s, part] = texts(call)?;
    made(call, s.len(), || if part.is_empty() { s.to_string() } else { s.replace(part, "") })
}

pub fn insert(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(string, position, substring)")?;
    let s = call.text(0, FIRST)?;
    let position = call.index(1, "requires an integer as second argument")?.max(0);
    let part = call.text(2, THIRD)?;
    let at = offset(s, usize::try_from(position).unwrap_or(usize::MAX));
    let (front, back) = s.split_at_checked(at).unwrap_or((s, ""));
    let size = s.len() as u64 + part.len() as u64;
    call.room(size, 1, TOO_LARGE)?;
    Ok(Value::str(call.offload(size, || [front, part, back].concat())?))
}

/// Pads on both sides; `share` splits the number of missing characters into left and right.
fn padded(call: &mut Call, share: fn(usize) -> (usize, usize)) -> Result<Value, Fail> {
    call.count(2..=3, "takes 2 or 3 arguments (string, width, [pad_char])")?;
    let s = call.text(0, FIRST)?;
    let width = call.index(1, "requires an integer width")?.max(0) as u64;
    let pad = match call.args.get(2) {
        Some(_) => call.text(2, "requires a string as pad character")?.chars().next().unwrap_or(' '),
        None => ' ',
    };
    let missing = width.saturating_sub(s.chars().count() as u64);
    let size = missing.saturating_mul(pad.len_utf8() as u64).saturating_add(s.len() as u64);
    // The padding and the result exist at the same time.
    call.room(size, 2, TOO_LARGE)?;
    let (left, right) = share(missing as usize);
    let mut encoded = [0; 4];
    let pad: &str = pad.encode_utf8(&mut encoded);
    let text = call.offload(size, || [pad.repeat(left).as_str(), s, pad.repeat(right).as_str()].concat())?;
    Ok(Value::str(text))
}

pub fn pad_left(call: &mut Call) -> Result<Value, Fail> {
    padded(call, |missing| (missing, 0))
}

pub fn pad_right(call: &mut Call) -> Result<Value, Fail> {
    padded(call, |missing| (0, missing))
}

pub fn center(call: &mut Call) -> Result<Value, Fail> {
    padded(call, |missing| (missing / 2, missing - missing / 2))
}

pub fn repeat(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let s = call.text(0, FIRST)?;
    let count = call.index(1, "requires an integer as second argument")?;
    let Ok(count) = u64::try_from(count) else {
        return call.wrong(Code::E10001, "count cannot be negative");
    };
    call.room(count.saturating_mul(s.len() as u64), 1, TOO_LARGE)?;
    if s.is_empty() {
        return Ok(Value::str(""));
    }
    let text = call.offload(count.saturating_mul(s.len() as u64), || s.repeat(count as usize))?;
    Ok(Value::str(text))
}

pub fn reverse(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    made(call, s.len(), || collected(s.len(), s.chars().rev()))
}

pub fn capitalize(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    let mut chars = s.chars();
    let first = chars.next().map(upper_char);
    Ok(Value::str(first.into_iter().collect::<String>() + chars.as_str()))
}

pub fn title(call: &mut Call) -> Result<Value, Fail> {
    let s = only(call)?;
    let mut inside = false;
    let change = |c: char| {
        let starts = !inside;
        inside = !c.is_whitespace();
        if starts && inside { upper_char(c) } else { c }
    };
    made(call, s.len(), || collected(s.len(), s.chars().map(change)))
}

pub fn truncate(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(3, "(string, length, suffix)")?;
    let s = call.text(0, FIRST)?;
    let length = call.index(1, "requires an integer as second argument")?;
    let suffix = call.text(2, THIRD)?;
    let Ok(length) = usize::try_from(length) else {
        return call.wrong(Code::E10001, "length cannot be negative");
    };
    if s.chars().count() <= length {
        return Ok(call.arg(0));
    }
    let tail = suffix.chars().count();
    if length <= tail {
        return Ok(Value::str(slice(suffix, ..offset(suffix, length))));
    }
    let front = slice(s, ..offset(s, length - tail));
    Ok(Value::str([front, suffix].concat()))
}
