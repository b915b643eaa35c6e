//! Values as JSON.

use std::cell::Ref;
use std::collections::HashSet;
use std::fmt::Write;

use crate::diagnostics::Code;
use crate::library::args::MAX_SIZE;
use crate::library::offload::{Rounds, number_text};
use crate::library::{Fail, Runtime};
use crate::sync::deeper_or;
use crate::value::{Heap, StructDef, Type, Value, shown_as};

use super::reader::MAX_DEPTH;

/// Why a value cannot be encoded.
#[derive(Debug)]
pub struct EncodeError {
    /// E13002, E13003; E5018 for a value that contains itself.
    pub code: Code,
    /// The message.
    pub text: String,
}

/// Why writing stops.
enum Interrupted {
    Problem(EncodeError),
    /// The program is to end, or has no more memory.
    Fail(Fail),
}

impl From<EncodeError> for Interrupted {
    fn from(problem: EncodeError) -> Interrupted {
        Interrupted::Problem(problem)
    }
}

impl From<Fail> for Interrupted {
    fn from(fail: Fail) -> Interrupted {
        Interrupted::Fail(fail)
    }
}

struct Writer<'a> {
    runtime: &'a mut dyn Runtime,
    rounds: Rounds,
    out: String,
    indent: Option<&'a str>,
    /// The enclosing containers of the value being written, to find cycles.
    path: Vec<*const Heap>,
}

/// The value as JSON, on one line or with `indent` for every level; or why there is no JSON for it.
/// Interrupts are handled meanwhile.
///
/// # Errors
/// When the program is to end, or has no more memory.
pub fn encode(
    runtime: &mut dyn Runtime,
    value: &Value,
    indent: Option<&str>,
) -> Result<Result<String, EncodeError>, Fail> {
    let rounds = Rounds::new(runtime);
    let mut writer = Writer { runtime, rounds, out: String::new(), indent, path: Vec::new() };
    match writer.value(value) {
        Ok(()) => Ok(Ok(writer.out)),
        Err(Interrupted::Problem(problem)) => Ok(Err(problem)),
        Err(Interrupted::Fail(fail)) => Err(fail),
    }
}

fn unsupported<T>(value: &Value) -> Result<T, Interrupted> {
    let text = format!("type {} cannot be converted to JSON", value.typeof_name());
    Err(EncodeError { code: Code::E13002, text }.into())
}

/// Largest growth of a string by escapes: `\u0000` for one byte.
const MAX_ESCAPE: usize = 6;

/// Length from which on the escaped length of a string is computed before it is written, in bytes.
const LONG_STRING: usize = 1 << 16;

/// Largest length of a number with its separators in bytes.
const MAX_NUMBER: usize = 400;

/// Fails if containers nest too deeply or contain themselves; the latter is checked at some depths only.
fn check_depth(path: &[*const Heap]) -> Result<(), EncodeError> {
    let deep = path.len() > MAX_DEPTH;
    let now = path.len() > 32 && path.len().is_power_of_two();
    if !deep && !now {
        return Ok(());
    }
    let mut seen = HashSet::new();
    if !path.iter().all(|container| seen.insert(container)) {
        return Err(EncodeError { code: Code::E5018, text: "value contains itself".into() });
    }
    if deep { Err(too_deep()) } else { Ok(()) }
}

fn too_deep() -> EncodeError {
    let text = "failed to encode: json: value is nested too deeply".into();
    EncodeError { code: Code::E13002, text }
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) -> Result<(), Interrupted> {
        self.rounds.next(self.runtime)?;
        match value {
            Value::Nil => self.out.push_str("null"),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Int(i) => self.number(*i),
            Value::Byte(b) => self.number(i64::from(*b)),
            Value::Float(x) => return self.float(*x),
            Value::Char(c) => return self.string(c.encode_utf8(&mut [0; 4])),
            Value::Ref(r) => {
                return deeper_or(|| self.object(value, r), || Err(too_deep().into()));
            }
        }
        Ok(())
    }

    /// Sees to it that this many bytes more can be held.
    fn grow(&mut self, more: usize) -> Result<(), Interrupted> {
        if self.out.capacity() - self.out.len() >= more {
            return Ok(());
        }
        let all = self.out.len().saturating_add(more) as u64;
        if all <= MAX_SIZE && self.out.try_reserve(more).is_ok() {
            return Ok(());
        }
        let text = "failed to encode: json: result is too large".into();
        Err(EncodeError { code: Code::E13002, text }.into())
    }

    fn string(&mut self, text: &str) -> Result<(), Interrupted> {
        let most = text.len().saturating_mul(MAX_ESCAPE);
        self.grow(2 + if most < LONG_STRING { most } else { escaped_length(text) })?;
        write_string(&mut self.out, text);
        Ok(())
    }

    fn number(&mut self, number: i64) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{number}");
    }

    fn float(&mut self, x: f64) -> Result<(), Interrupted> {
        if !x.is_finite() {
            let shown = if x.is_nan() {
                "NaN"
            } else if x > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            };
            let text = format!("failed to encode: json: unsupported value: {shown}");
            return Err(EncodeError { code: Code::E13002, text }.into());
        }
        let _ = match x.abs() {
            size if size != 0.0 && size < 1e-6 => write!(self.out, "{x:e}"),
            // Large numbers have an exponent with a sign.
            size if size >= 1e21 => {
                let text = format!("{x:e}");
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                write!(self.out, "{digits}e+{exponent}")
            }
            _ => write!(self.out, "{x}"),
        };
        Ok(())
    }

    fn object(&mut self, value: &Value, heap: &Heap) -> Result<(), Interrupted> {
        match heap {
            Heap::Str(s) => return self.string(s.as_str()),
            Heap::Big(_) => {
                let digits = number_text(self.runtime, value)?;
                self.grow(digits.len().saturating_add(2))?;
                self.out.push('"');
                self.out.push_str(&digits);
                self.out.push('"');
            }
            Heap::Array(a) => {
                let elem = a.borrow().elem.clone();
                let data = self.rounds.share(Ref::map(a.borrow(), |array| &array.data));
                let mut items = data.iter();
                return self.list(heap, ['[', ']'], data.len(), |writer| match items.next() {
                    Some(item) => writer.value(&shown_as(&elem, item)),
                    None => Ok(()),
                });
            }
            Heap::Map(m) => {
                let ty = m.borrow().value.clone();
                let entries = self.rounds.share(Ref::map(m.borrow(), |map| &*map.entries));
                let mut pairs = Vec::with_capacity(entries.len());
                for (key, value) in entries.iter() {
                    match key.as_str() {
                        Some(text) => pairs.push((text, &*ty, value)),
                        None => {
                            let text = format!("JSON object keys must be strings, got {}", key.typeof_name());
                            return Err(EncodeError { code: Code::E13003, text }.into());
                        }
                    }
                }
                pairs.sort_unstable_by_key(|pair| pair.0);
                return self.pairs(heap, &pairs);
            }
            Heap::Struct(s) => {
                let fields = self.rounds.share(s.fields.borrow());
                let mut pairs: Vec<(&str, &Type, &Value)> = Vec::with_capacity(fields.len());
                for (key, place) in keys(&s.def) {
                    match fields.get(place.index) {
                        Some(Value::Nil) if place.omit_nil => {}
                        Some(value) => {
                            let ty = s.def.fields().get(place.index).map_or(&Type::Any, |field| &field.ty);
                            pairs.push((key, ty, value));
                        }
                        None => {}
                    }
                }
                return self.pairs(heap, &pairs);
            }
            Heap::Reference(_) | Heap::Scalar(_) => return self.value(&value.follow()),
            _ => return unsupported(value),
        }
        Ok(())
    }

    fn pairs(&mut self, container: &Heap, pairs: &[(&str, &Type, &Value)]) -> Result<(), Interrupted> {
        let mut pairs_left = pairs.iter();
        self.list(container, ['{', '}'], pairs.len(), |writer| {
            let Some((key, ty, value)) = pairs_left.next() else { return Ok(()) };
            writer.string(key)?;
            writer.out.push_str(if writer.indent.is_some() { ": " } else { ":" });
            match value {
                Value::Float(_) => writer.value(&shown_as(ty, (*value).clone())),
                _ => writer.value(value),
            }
        })
    }

    fn list(
        &mut self,
        container: &Heap,
        [open, close]: [char; 2],
        count: usize,
        mut item: impl FnMut(&mut Self) -> Result<(), Interrupted>,
    ) -> Result<(), Interrupted> {
        self.out.push(open);
        self.path.push(container);
        check_depth(&self.path)?;
        for i in 0..count {
            self.grow(MAX_NUMBER)?;
            if i > 0 {
                self.out.push(',');
            }
            self.line()?;
            item(self)?;
        }
        self.path.pop();
        if count > 0 {
            self.line()?;
        }
        self.out.push(close);
        Ok(())
    }

    fn line(&mut self) -> Result<(), Interrupted> {
        if let Some(indent) = self.indent {
            self.grow(indent.len().saturating_mul(self.path.len()).saturating_add(1))?;
            self.out.push('\n');
            for _ in 0..self.path.len() {
                self.out.push_str(indent);
            }
        }
        Ok(())
    }
}

/// A field of a struct that is encoded.
#[derive(Clone, Copy)]
pub struct FieldSlot {
    pub index: usize,
    /// Whether the field is omitted while it is nil.
    pub omit_nil: bool,
}

/// The keys of a struct's fields, sorted; of two fields with one key the later counts.
pub fn keys(def: &StructDef) -> Vec<(&str, FieldSlot)> {
    let mut keys: Vec<(&str, FieldSlot)> = Vec::new();
    for (index, field) in def.fields().iter().enumerate() {
        let tag = field.tag.as_deref().and_then(|tag| tag.strip_prefix("json:\""));
        let mut parts = tag.map(|tag| tag.split('"').next().unwrap_or_default().split(','));
        let name = match &mut parts {
            Some(parts) => parts.next().unwrap_or_default(),
            None => &*field.name,
        };
        let hidden = name == "-";
        let omit_nil = parts.is_some_and(|mut options| options.any(|option| option == "omitempty"));
        if !hidden {
            keys.retain(|known| known.0 != name);
            keys.push((name, FieldSlot { index, omit_nil }));
        }
    }
    keys.sort_unstable_by_key(|key| key.0);
    keys
}

/// Length of a string with its escapes in bytes.
fn escaped_length(text: &str) -> usize {
    let special = text.bytes().filter(|b| is_special(*b)).count();
    text.len() + special * (MAX_ESCAPE - 1)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xE2)
}

/// Appends a string with the escapes of JSON; `<`, `>` and `&` are escaped too.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.as_bytes().iter().position(|b| is_special(*b)) {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = tail.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(c @ ('<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}')) => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}
