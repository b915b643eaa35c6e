//! Values as the protocol writes them: EZ literals with type names, cut to a bounded length.

use std::fmt::Write;
use std::rc::Rc;

use crate::value::{Heap, Ref, Value, float_text, inspect_string};

/// Bounds of a preview.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most parts shown of one container.
    pub parts: usize,
    /// Bytes after which nothing more is begun.
    pub bytes: usize,
}

impl Limits {
    /// What events carry unless more is asked for.
    pub const PREVIEW: Limits = Limits { parts: 100, bytes: 1024 };
}

/// The value's text. A cut list ends in `, …]`, a cut string in `…"`; a part that is already being
/// shown is `<cycle>`.
pub fn preview(value: &Value, limits: Limits) -> String {
    let mut writer = Writer { out: String::new(), limits, path: Vec::new() };
    writer.value(value);
    writer.out
}

struct Writer {
    out: String,
    limits: Limits,
    path: Vec<*const Heap>,
}

impl Writer {
    fn full(&self) -> bool {
        self.out.len() >= self.limits.bytes
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Nil => self.out.push_str("nil"),
            Value::Bool(b) => self.out.push_str(if *b { "true" } else { "false" }),
            Value::Int(i) => {
                let _ = write!(self.out, "{i}");
            }
            Value::Byte(b) => {
                let _ = write!(self.out, "{b}");
            }
            Value::Float(x) => self.out.push_str(&float_text(*x)),
            Value::Char(c) => self.char(*c),
            Value::Ref(r) => self.object(r),
        }
    }

    fn char(&mut self, c: char) {
        if c == '\'' {
            self.out.push_str("'\\''");
            return;
        }
        let mut text = String::new();
        inspect_string(&mut text, c.encode_utf8(&mut [0; 4]));
        let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(&text);
        let inner = if inner == "\\\"" { "\"" } else { inner };
        let _ = write!(self.out, "'{inner}'");
    }

    fn string(&mut self, text: &str) {
        let room = self.limits.bytes.saturating_sub(self.out.len()).max(16);
        if text.len() <= room {
            inspect_string(&mut self.out, text);
            return;
        }
        let mut end = room;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        inspect_string(&mut self.out, text.get(..end).unwrap_or(""));
        self.out.pop();
        self.out.push_str("…\"");
    }

    fn object(&mut self, r: &Ref) {
        match &**r {
            Heap::Str(s) => self.string(s.as_str()),
            Heap::Big(b) => {
                let text = b.to_string();
                self.out.push_str(&text);
            }
            Heap::Array(a) => self.within(r, |w| {
                let count = a.borrow().data.len();
                w.list("[", "]", count, |w, i| {
                    let item = a.borrow().data.get(i).unwrap_or_default();
                    w.value(&item);
                });
            }),
            Heap::Map(m) => self.within(r, |w| {
                let shown: Vec<(Value, Value)> = {
                    let m = m.borrow();
                    m.entries.iter().take(w.limits.parts).map(|(k, v)| (k.clone(), v.clone())).collect()
                };
                let count = m.borrow().entries.len();
                w.list("{", "}", count, |w, i| {
                    if let Some((key, value)) = shown.get(i) {
                        w.value(key);
                        w.out.push_str(": ");
                        w.value(value);
                    }
                });
            }),
            Heap::Struct(s) => self.within(r, |w| {
                w.out.push_str(&s.def.name);
                let count = s.fields.borrow().len();
                w.list("{", "}", count, |w, i| {
                    let field = s.fields.borrow().get(i).cloned().unwrap_or_default();
                    w.out.push_str(s.def.fields().get(i).map_or("?", |f| &*f.name));
                    w.out.push_str(": ");
                    w.value(&field);
                });
            }),
            Heap::Enum(e) => match e.member() {
                Some(member) => {
                    let _ = write!(self.out, "{}.{member}", e.def.name);
                }
                None => {
                    let _ = write!(self.out, "{}(", e.def.name);
                    self.value(&e.value);
                    self.out.push(')');
                }
            },
            Heap::Range { start, end, step: 1 } => {
                let _ = write!(self.out, "range({start}, {end})");
            }
            Heap::Range { start, end, step } => {
                let _ = write!(self.out, "range({start}, {end}, {step})");
            }
            Heap::Tuple(parts) => {
                let parts: Vec<Value> = parts.to_vec();
                self.list("(", ")", parts.len(), |w, i| {
                    if let Some(part) = parts.get(i) {
                        w.value(part);
                    }
                });
            }
            Heap::Place(_) | Heap::Scalar(_) => {
                let value = Value::Ref(r.clone()).follow();
                self.value(&value);
            }
            Heap::Handle(h) => self.out.push_str(&h.preview.borrow()),
            Heap::Type(t) => {
                let _ = write!(self.out, "{t}");
            }
        }
    }

    fn within(&mut self, r: &Ref, show: impl FnOnce(&mut Writer)) {
        let me = Rc::as_ptr(r);
        if self.path.contains(&me) {
            self.out.push_str("<cycle>");
            return;
        }
        self.path.push(me);
        show(self);
        self.path.pop();
    }

    fn list(&mut self, open: &str, close: &str, count: usize, mut item: impl FnMut(&mut Writer, usize)) {
        self.out.push_str(open);
        for i in 0..count {
            if i > 0 {
                self.out.push_str(", ");
            }
            if i >= self.limits.parts || (i > 0 && self.full()) || self.path.len() > 100 {
                self.out.push('…');
                break;
            }
            item(self, i);
        }
        self.out.push_str(close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Type;

    #[test]
    fn values_read_like_ez() {
        let shown = |v: &Value| preview(v, Limits::PREVIEW);
        assert_eq!(shown(&Value::str("a\"b\n")), "\"a\\\"b\\n\"");
        assert_eq!(shown(&Value::Char('x')), "'x'");
        assert_eq!(shown(&Value::Char('"')), "'\"'");
        assert_eq!(shown(&Value::Char('\n')), "'\\n'");
        assert_eq!(shown(&Value::array(&Type::INT, [Value::Int(1), Value::Int(2)])), "[1, 2]");
        assert_eq!(shown(&Value::array(&Type::INT, [])), "[]");
        assert_eq!(shown(&crate::value::builtin::error_value("m", 5)), "Error{message: \"m\", code: 5}");
    }

    #[test]
    fn long_ones_are_cut() {
        let many = Value::array(&Type::INT, (0..1000).map(Value::Int));
        let text = preview(&many, Limits { parts: 3, bytes: 1000 });
        assert_eq!(text, "[0, 1, 2, …]");
        let text = preview(&Value::str("é".repeat(1000)), Limits { parts: 3, bytes: 21 });
        assert_eq!(text, format!("\"{}…\"", "é".repeat(10)));
    }

    #[test]
    fn cycles_end() {
        let a = Value::array(&Type::Any, []);
        if let Some(cell) = a.as_array() {
            let mut mutator = crate::value::Mutator::new().expect("the only one");
            cell.change(&mut mutator, crate::value::Part::All).expect("may change").data.push(a.clone());
        }
        assert_eq!(preview(&a, Limits::PREVIEW), "[<cycle>]");
        if let Some(cell) = a.as_array() {
            let mut mutator = crate::value::Mutator::new().expect("the only one");
            let mut array = cell.change(&mut mutator, crate::value::Part::All).expect("may change");
            array.data = crate::value::Elems::Values(vec![]);
        }
    }
}
