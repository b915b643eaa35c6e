//! Writes described values as EZ literals, with `…` where something is left out.

use std::fmt::Write;

use compact_str::CompactString;

use ez_engine::api::{Cut, Described, Value};
use ez_runtime::text::slice;
use ez_runtime::value::{char_text, float_text, string_expression};

use super::json::{char_len, json_len, json_prefix};

/// How arrays are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// As in EZ: `{1, 2}`.
    Braces,
    /// `[1, 2]`, as the clients of the EZ debug protocol know it from its first version.
    #[default]
    Brackets,
}

/// The value's text, shortened to take at most `most` bytes as a JSON string.
pub fn value_text(value: &Value, notation: Notation, most: usize) -> String {
    let whole = text_in(value, notation);
    // A character takes at most six bytes.
    if whole.len() * 6 + 2 <= most || json_len(&whole) <= most {
        return whole;
    }
    let mut text = String::new();
    Fitting { out: &mut text, notation }.value(value, most.saturating_sub(2));
    text
}

/// The text of everything that is described of the value, as in EZ.
pub fn whole_text(value: &Value) -> String {
    text_in(value, Notation::Braces)
}

/// The text of everything that is described of the value.
pub fn text_in(value: &Value, notation: Notation) -> String {
    let mut text = String::new();
    write_value(&mut text, value, notation);
    text
}

/// The value as the program prints it: strings without quotes, enum values as what they are based on.
pub fn display_text(value: &Value) -> String {
    match value {
        Value::String(text) => cut_text(text),
        other => printed(other),
    }
}

/// The value as the program prints it as a part of another value.
fn printed(value: &Value) -> String {
    let list = |parts: Vec<String>, total: usize| {
        let more = (parts.len() < total).then(|| "…".to_string());
        parts.into_iter().chain(more).collect::<Vec<_>>().join(", ")
    };
    match value {
        Value::Char(c) => c.to_string(),
        Value::Enum { value, .. } => printed(value),
        Value::Array { shown, total } => format!("{{{}}}", list(shown.iter().map(printed).collect(), *total)),
        Value::Map { shown, total } => {
            let pair = |(key, value): &(Value, Value)| format!("{}: {}", printed(key), printed(value));
            format!("{{{}}}", list(shown.iter().map(pair).collect(), *total))
        }
        Value::Struct { shown, total, .. } => {
            let field = |(name, value): &(CompactString, Value)| format!("{name}: {}", printed(value));
            format!("{{{}}}", list(shown.iter().map(field).collect(), *total))
        }
        Value::Tuple(parts) => list(parts.iter().map(printed).collect(), parts.len()),
        Value::Nil
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Byte(_)
        | Value::Float(_)
        | Value::String(_)
        | Value::Range(_)
        | Value::Opaque { .. }
        | Value::Cycle => whole_text(value),
    }
}

fn cut_text(text: &Cut) -> String {
    format!("{}{}", text.text, if text.cut { "…" } else { "" })
}

/// The value's text, shortened to `most` bytes of JSON, and whether it is incomplete.
pub fn preview(value: &Value, notation: Notation, most: usize) -> (String, bool) {
    let whole = text_in(value, notation);
    let fits = whole.len() * 6 + 2 <= most || json_len(&whole) <= most;
    if fits { (whole, value.is_cut()) } else { (value_text(value, notation, most), true) }
}

/// Name of the value's type in the protocol: `array` and `map` for arrays and maps, else the static type, or
/// where that is `any` the type of the value.
pub fn type_text(described: &Described) -> CompactString {
    match described.declared_type.as_str() {
        "any" => kind_text(&described.value),
        declared if declared.starts_with('[') => "array".into(),
        declared if declared.starts_with("map[") => "map".into(),
        declared => declared.into(),
    }
}

/// Name of the value's own type.
fn kind_text(value: &Value) -> CompactString {
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(_) => "bool".into(),
        Value::Int(_) | Value::BigInt(_) => "int".into(),
        Value::Byte(_) => "byte".into(),
        Value::Float(_) => "float".into(),
        Value::Char(_) => "char".into(),
        Value::String(_) => "string".into(),
        Value::Array { .. } => "array".into(),
        Value::Map { .. } => "map".into(),
        Value::Struct { name, .. } | Value::Enum { name, .. } => name.clone(),
        Value::Range { .. } => "Range<int>".into(),
        Value::Tuple(parts) => {
            let parts: Vec<CompactString> = parts.iter().map(kind_text).collect();
            CompactString::from(format!("({})", parts.join(", ")))
        }
        Value::Opaque { kind, .. } => kind.clone(),
        Value::Cycle => "any".into(),
    }
}

/// The structure of a value's text.
enum Shape<'a> {
    /// A text that may be cut at its end.
    Text(String),
    /// A string, which may be cut inside its quotes.
    Quoted(&'a Cut),
    /// Parts between brackets.
    List { open: String, close: &'static str, parts: Vec<Part<'a>>, more: bool },
}

/// A part of a list, with the text before it.
struct Part<'a> {
    key: String,
    value: &'a Value,
}

fn shape(value: &Value, notation: Notation) -> Shape<'_> {
    let part = |value| Part { key: String::new(), value };
    let (open, close, parts, total): (String, _, Vec<Part>, usize) = match value {
        Value::String(text) => return Shape::Quoted(text),
        Value::Array { shown, total } => {
            let (open, close) = match notation {
                Notation::Braces => ("{", "}"),
                Notation::Brackets => ("[", "]"),
            };
            (open.into(), close, shown.iter().map(part).collect(), *total)
        }
        Value::Map { shown, total } => {
            let parts =
                shown.iter().map(|(key, value)| Part { key: format!("{}: ", whole_text(key)), value });
            ("{".into(), "}", parts.collect(), *total)
        }
        Value::Struct { name, shown, total } => {
            let parts = shown.iter().map(|(name, value)| Part { key: format!("{name}: "), value });
            (format!("{name}{{"), "}", parts.collect(), *total)
        }
        Value::Tuple(parts) => ("(".into(), ")", parts.iter().map(part).collect(), parts.len()),
        scalar => return Shape::Text(scalar_text(scalar)),
    };
    let more = parts.len() < total;
    Shape::List { open, close, parts, more }
}

fn scalar_text(value: &Value) -> String {
    match value {
        Value::Nil => "nil".into(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::BigInt(digits) => cut_text(digits),
        Value::Byte(b) => b.to_string(),
        Value::Float(x) => float_text(*x),
        Value::Char(c) => char_text(*c),
        Value::Enum { name, member: Some(member), .. } => format!("{name}.{member}"),
        Value::Enum { name, member: None, value } => format!("{name}({})", whole_text(value)),
        Value::Range(text) | Value::Opaque { text, .. } => text.clone(),
        Value::Cycle => "<cycle>".into(),
        Value::String(_)
        | Value::Array { .. }
        | Value::Map { .. }
        | Value::Struct { .. }
        | Value::Tuple(_) => whole_text(value),
    }
}

/// An expression for a string; with `…` before the closing quote if it is cut.
fn quoted_text(text: &str, cut: bool) -> String {
    let mut quoted = string_expression(text);
    if cut && let Some(quote) = quoted.pop() {
        quoted.push('…');
        quoted.push(quote);
    }
    quoted
}

fn write_value(out: &mut String, value: &Value, notation: Notation) {
    match shape(value, notation) {
        Shape::Text(text) => out.push_str(&text),
        Shape::Quoted(Cut { text, cut }) => out.push_str(&quoted_text(text, *cut)),
        Shape::List { open, close, parts, more } => {
            out.push_str(&open);
            for (i, part) in parts.iter().enumerate() {
                let separator = if i > 0 { ", " } else { "" };
                let _ = write!(out, "{separator}{}", part.key);
                write_value(out, part.value, notation);
            }
            if more {
                out.push_str(if parts.is_empty() { "…" } else { ", …" });
            }
            out.push_str(close);
        }
    }
}

/// Size of `…` in bytes.
const ELLIPSIS: usize = "…".len();

/// Size of `, …` in bytes.
const AND_MORE: usize = ", …".len();

/// Size of a text inside a JSON string, in bytes.
fn inner_len(text: &str) -> usize {
    text.chars().map(char_len).sum()
}

/// The longest prefix of a text whose characters take at most `room` bytes inside the quotes of a literal.
fn prefix_within(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        used += inner_len(&string_expression(c.encode_utf8(&mut [0; 4]))) - 4;
        if used > room {
            break;
        }
        end = at + c.len_utf8();
    }
    slice(text, ..end)
}

/// Writes values within a limit, counted in bytes inside a JSON string.
struct Fitting<'a> {
    notation: Notation,
    out: &'a mut String,
}

impl Fitting<'_> {
    /// Writes a value, shortened to `room` bytes (at least [`ELLIPSIS`]). Returns how many were used.
    fn value(&mut self, value: &Value, room: usize) -> usize {
        let whole = text_in(value, self.notation);
        let length = inner_len(&whole);
        if length <= room {
            self.out.push_str(&whole);
            return length;
        }
        let before = self.out.len();
        match shape(value, self.notation) {
            Shape::Text(text) => self.text(&text, room),
            Shape::Quoted(text) => self.quoted(&text.text, room),
            Shape::List { open, close, parts, more } => self.list(&open, close, &parts, more, room),
        }
        inner_len(slice(self.out, before..))
    }

    fn text(&mut self, text: &str, room: usize) {
        let end = json_prefix(text.trim_end_matches('…'), room.saturating_sub(ELLIPSIS));
        self.out.push_str(slice(text, ..end));
        self.out.push('…');
    }

    fn quoted(&mut self, text: &str, room: usize) {
        // Each quote is escaped, and takes two bytes.
        if room < 4 + ELLIPSIS {
            self.out.push('…');
            return;
        }
        // Where a text is written as a concatenation, it takes more room than its characters.
        let mut budget = room - 4 - ELLIPSIS;
        loop {
            let shown = quoted_text(prefix_within(text, budget), true);
            let excess = inner_len(&shown).saturating_sub(room);
            if excess == 0 {
                return self.out.push_str(&shown);
            }
            budget = budget.saturating_sub(excess);
        }
    }

    fn list(&mut self, open: &str, close: &str, parts: &[Part], more: bool, room: usize) {
        let fixed = inner_len(open) + close.len() + ELLIPSIS;
        if parts.is_empty() || room < fixed {
            self.out.push('…');
            return;
        }
        self.out.push_str(open);
        let mut left = room - inner_len(open) - close.len();
        for (i, part) in parts.iter().enumerate() {
            let separator = if i > 0 { ", " } else { "" };
            let begin = separator.len() + inner_len(&part.key);
            // The list does not fit: something is left out, in this part or after it.
            let rest = if more || i + 1 < parts.len() { AND_MORE } else { 0 };
            let whole = begin + inner_len(&text_in(part.value, self.notation));
            if whole + rest <= left {
                let _ = write!(self.out, "{separator}{}", part.key);
                left -= begin + self.value(part.value, left - begin);
                if more && i + 1 == parts.len() {
                    self.out.push_str(", …");
                }
                continue;
            }
            // A part is begun only if more of it than `…` can be shown.
            let least = begin + ELLIPSIS + 4 + rest;
            let shows_something =
                !matches!(shape(part.value, self.notation), Shape::Text(_)) && least <= left;
            if shows_something {
                let _ = write!(self.out, "{separator}{}", part.key);
                self.value(part.value, left - begin - rest);
                if rest > 0 {
                    self.out.push_str(", …");
                }
            } else {
                self.out.push_str(separator);
                self.out.push('…');
            }
            break;
        }
        self.out.push_str(close);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn string(text: &str) -> Value {
        Value::String(Cut { text: text.into(), cut: false })
    }

    fn array(shown: Vec<Value>) -> Value {
        Value::Array { total: shown.len(), shown }
    }

    fn ints(numbers: &[i64]) -> Value {
        array(numbers.iter().map(|i| Value::Int(*i)).collect())
    }

    #[test]
    fn values_read_like_ez() {
        let point = Value::Struct {
            name: "Point".into(),
            shown: vec![("x".into(), Value::Int(1)), ("y".into(), string("a, b"))],
            total: 2,
        };
        let map =
            Value::Map { shown: vec![(string("a"), ints(&[1])), (string("b"), point.clone())], total: 2 };
        for (value, text) in [
            (string("a\"b\n"), "\"a\\\"b\\n\""),
            (Value::Char('x'), "'x'"),
            (Value::Char('"'), "'\"'"),
            (Value::Char('\''), "'\\''"),
            (Value::Char('\n'), "'\\n'"),
            (Value::Char('\\'), "'\\\\'"),
            (ints(&[]), "[]"),
            (map, "{\"a\": [1], \"b\": Point{x: 1, y: \"a, b\"}}"),
            (Value::Array { shown: vec![Value::Int(1)], total: 2 }, "[1, …]"),
            (Value::Array { shown: vec![], total: 2 }, "[…]"),
            (Value::BigInt(Cut { text: "-12".into(), cut: true }), "-12…"),
            (Value::Range("range(0, 5)".into()), "range(0, 5)"),
            (array(vec![Value::Cycle, Value::Nil]), "[<cycle>, nil]"),
        ] {
            assert_eq!(text_in(&value, Notation::Brackets), text);
        }
    }

    #[test]
    fn cut_values_stay_readable() {
        let alphabet = "abcdefghijklmnopqrstuvwxyz";
        let map = Value::Map {
            shown: vec![(string("a"), ints(&[1, 2, 3])), (string("b"), Value::Int(2))],
            total: 2,
        };
        for (value, most, expected) in [
            (ints(&[1, 2, 3]), 99, "[1, 2, 3]"),
            (ints(&[10, 20, 30, 40]), 14, "[10, …]"),
            (string("abcdefghijkl"), 14, "\"abcde…\""),
            (array(vec![string(alphabet), Value::Int(2)]), 26, "[\"abcdefghij…\", …]"),
            (array(vec![string(alphabet)]), 26, "[\"abcdefghijklmno…\"]"),
            (map, 24, "{\"a\": [1, …], …}"),
            (Value::Int(12_345_678_901_234_567), 12, "1234567…"),
            (ints(&[1_234_567_890]), 8, "[…]"),
            (ints(&[1_234_567_890]), 5, "…"),
        ] {
            let short = value_text(&value, Notation::Brackets, most);
            assert_eq!(short, expected, "{value:?} in {most}");
            assert!(json_len(&short) <= most, "{short}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<i64>().prop_map(Value::Int),
            "[a\"\\\\\u{1}é😀`${]{0,12}".prop_map(|text| string(&text)),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let list = proptest::collection::vec(inner, 0..6);
            prop_oneof![
                list.clone().prop_map(array),
                (list.clone(), 0..3usize)
                    .prop_map(|(shown, more)| Value::Array { total: shown.len() + more, shown }),
                list.prop_map(|all| Value::Struct {
                    name: "S".into(),
                    total: all.len(),
                    shown: all.into_iter().map(|value| ("f".into(), value)).collect(),
                }),
            ]
        })
    }

    fn outside_of_quotes(text: &str) -> String {
        let (mut quote, mut outside) = (None, String::new());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match quote {
                Some('"') if c == '\\' => drop(chars.next()),
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if matches!(c, '"' | '`') => quote = Some(c),
                None => outside.push(c),
            }
        }
        outside
    }

    proptest! {
        #[test]
        fn whatever_the_value_it_fits_and_its_brackets_match(value in any_value(), most in 5..60usize) {
            let text = value_text(&value, Notation::Brackets, most);
            prop_assert!(json_len(&text) <= most, "{text} in {most}");
            let outside = outside_of_quotes(&text);
            for (open, close) in [('[', ']'), ('{', '}')] {
                prop_assert_eq!(outside.matches(open).count(), outside.matches(close).count(), "{}", text);
            }
        }
    }
}
