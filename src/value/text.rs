//! The text forms of values: *display* (as `print` writes them) and *inspect* (as inside containers).

use std::fmt::Write;
use std::rc::Rc;

use super::heap::{Heap, Ref, Value};
use super::memory;

/// Depth of nested containers at which a value is taken to be cyclic.
const MAX_DEPTH: usize = 2_000;

/// Size in bytes that most parts of a container do not exceed as text.
const SHORT: usize = 64;

/// The display form: strings without quotes, everything else as [`inspect`].
pub fn display(value: &Value) -> String {
    let mut out = String::new();
    write_display(&mut out, value);
    out
}

/// The inspect form: strings quoted and escaped.
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write_inspect(&mut out, value);
    out
}

/// Appends the display form.
pub fn write_display(out: &mut String, value: &Value) {
    match value {
        Value::Ref(r) => match &**r {
            Heap::Str(s) if memory::grow_text(out, s.as_str().len()) => out.push_str(s.as_str()),
            Heap::Str(_) => {}
            Heap::Reference(_) | Heap::Scalar(_) => write_display(out, &value.follow()),
            _ => write_inspect(out, value),
        },
        _ => write_inspect(out, value),
    }
}

/// Appends the inspect form. A part that is already being shown is `<cycle>`.
pub fn write_inspect(out: &mut String, value: &Value) {
    inspect_into(out, value, &mut Vec::new());
}

fn inspect_into(out: &mut String, value: &Value, path: &mut Vec<*const Heap>) {
    match value {
        Value::Nil => out.push_str("nil"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => {
            let _ = write!(out, "{i}");
        }
        Value::Float(x) => out.push_str(&float_text(*x)),
        Value::Char(c) => out.push(*c),
        Value::Byte(b) => {
            let _ = write!(out, "{b}");
        }
        Value::Ref(r) => inspect_heap(out, r, path),
    }
}

fn inspect_heap(out: &mut String, r: &Ref, path: &mut Vec<*const Heap>) {
    match &**r {
        Heap::Str(s) if memory::grow_text(out, s.as_str().len()) => inspect_string(out, s.as_str()),
        Heap::Str(_) => {}
        Heap::Big(b) => {
            let _ = write!(out, "{b}");
        }
        Heap::Array(a) => within(out, r, path, |out, path| {
            let count = a.borrow().data.len();
            sequence(out, '{', '}', count, |out, i| {
                let item = a.borrow().data.get(i).unwrap_or_default();
                inspect_into(out, &item, path);
            });
        }),
        Heap::Map(m) => within(out, r, path, |out, path| {
            if !memory::has_room(m.borrow().entries.bytes()) {
                return memory::deny();
            }
            let pairs: Vec<(Value, Value)> =
                m.borrow().entries.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            let mut pairs = pairs.iter();
            sequence(out, '{', '}', pairs.len(), |out, _| {
                if let Some((key, value)) = pairs.next() {
                    inspect_into(out, key, path);
                    out.push_str(": ");
                    inspect_into(out, value, path);
                }
            });
        }),
        Heap::Struct(s) => within(out, r, path, |out, path| {
            let count = s.fields.borrow().len();
            sequence(out, '{', '}', count, |out, i| {
                let field = s.fields.borrow().get(i).cloned().unwrap_or_default();
                out.push_str(s.def.fields().get(i).map_or("?", |f| &*f.name));
                out.push_str(": ");
                inspect_into(out, &field, path);
            });
        }),
        Heap::Enum(e) => inspect_into(out, &e.value, path),
        Heap::Range(range) => {
            let _ = write!(out, "{range}");
        }
        Heap::Tuple(parts) => {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                inspect_into(out, part, path);
            }
        }
        Heap::Reference(_) | Heap::Scalar(_) => {
            inspect_into(out, &Value::Ref(r.clone()).follow(), path);
        }
        Heap::Handle(h) => out.push_str(&h.preview.borrow()),
        Heap::Type(t) => {
            let _ = write!(out, "{t}");
        }
    }
}

fn within(
    out: &mut String,
    r: &Ref,
    path: &mut Vec<*const Heap>,
    show: impl FnOnce(&mut String, &mut Vec<*const Heap>),
) {
    let me = Rc::as_ptr(r);
    if path.len() >= MAX_DEPTH || path.contains(&me) {
        out.push_str("<cycle>");
        return;
    }
    path.push(me);
    show(out, path);
    path.pop();
}

fn sequence(
    out: &mut String,
    open: char,
    close: char,
    count: usize,
    mut item: impl FnMut(&mut String, usize),
) {
    out.push(open);
    for i in 0..count {
        // Without memory the text is incomplete; the interpreter reports that.
        if !memory::grow_text(out, SHORT) {
            return;
        }
        if i > 0 {
            out.push_str(", ");
        }
        item(out, i);
    }
    out.push(close);
}

/// Appends a string in double quotes, with escapes (docs/language/containers.md#how-they-are-printed).
pub fn inspect_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if (c as u32) < 0x7f => out.push(c),
            c if printable(c) => out.push(c),
            c if (c as u32) < 0x10000 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
        }
    }
    out.push('"');
}

/// Whether it is a letter, mark, number, punctuation or symbol, not a space, control, format or private-use
/// character.
fn printable(c: char) -> bool {
    if c == '\u{FFFD}' {
        return true;
    }
    if c.is_whitespace() || c.is_control() {
        return false;
    }
    // `escape_debug` leaves exactly the printable ones unchanged, except that it escapes combining marks,
    // which are printable here.
    let mut escaped = c.escape_debug();
    escaped.next() == Some(c) || is_mark(c)
}

fn is_mark(c: char) -> bool {
    // It does not escape a combining mark after a base character.
    let text: String = ['a', c].iter().collect();
    text.escape_debug().nth(1) == Some(c)
}

/// The shortest text that gives the same float; with exponent (`1e+06`) for large and small numbers.
pub fn float_text(x: f64) -> String {
    if x.is_nan() {
        return "NaN.0".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+Inf.0".into() } else { "-Inf.0".into() };
    }
    let text = float_text_bare(x);
    if text.contains(['.', 'e']) { text } else { text + ".0" }
}

/// Like [`float_text`], without the `.0` of whole numbers (for error messages).
pub(crate) fn float_text_bare(x: f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    let scientific = format!("{x:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if x == 0.0 || (-4..6).contains(&exponent) {
        return format!("{x}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        for (x, text) in [
            (100000.0, "100000.0"),
            (999999.0, "999999.0"),
            (0.0001, "0.0001"),
            (12345.678, "12345.678"),
            (-0.0, "-0.0"),
            (1e6, "1e+06"),
            (1234567.0, "1.234567e+06"),
            (0.00001, "1e-05"),
            (1e21, "1e+21"),
            (3e100, "3e+100"),
            (f64::NEG_INFINITY, "-Inf.0"),
            (0.1 + 0.2, "0.30000000000000004"),
        ] {
            assert_eq!(float_text(x), text);
        }
    }

    #[test]
    fn strings_are_escaped() {
        let mut out = String::new();
        inspect_string(&mut out, "a\"\\\n\u{1}\u{a0}\u{200b}é\u{301}\u{10ffff}\u{FFFD}'");
        assert_eq!(out, "\"a\\\"\\\\\\n\\x01\\u00a0\\u200bé\u{301}\\U0010ffff\u{FFFD}'\"");
    }
}
