//! Values of a stopped program, described as plain data.
//!
//! A value of the program never leaves the interpreter's thread. A [`Value`] is a description of it, of a
//! size within the [`Limits`] of the request. How it looks as text is up to the front ends.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;

use compact_str::CompactString;

/// How much of a value to describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Maximum number of parts (elements, entries, fields) of each array, map and struct.
    pub parts: usize,
    /// Approximate maximum size of the whole description as text, in bytes. When it is reached no further
    /// part is begun, and strings and long numbers are cut.
    pub bytes: usize,
}

impl Limits {
    /// Limits of a short preview.
    pub const PREVIEW: Limits = Limits { parts: 100, bytes: 1024 };

    /// These limits, or the most that a guest of a session is described of one value: 1 MiB.
    #[must_use]
    pub fn for_guest(self) -> Limits {
        Limits { bytes: self.bytes.min(1 << 20), ..self }
    }

    /// These limits for each of this many values, of which a guest is described about 10 MiB at most.
    #[must_use]
    pub fn for_guest_each(self, count: usize) -> Limits {
        let each = (10 << 20) / count.max(1);
        Limits { bytes: self.bytes.min(each), ..self }.for_guest()
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::PREVIEW
    }
}

/// Identifies a value with parts, for [`super::Inspect::Children`]. Valid until the program resumes; never
/// reused within a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Handle(pub NonZeroU64);

/// Identifies an array, map or struct for its lifetime: equal numbers mean the same object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObjectId(pub NonZeroU64);

/// Description of a value, within the limits of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// `nil`.
    Nil,
    Bool(bool),
    /// An integer of any type that fits into 64 bits.
    Int(i64),
    /// An integer that needs more than 64 bits: its decimal digits, with `-` if negative.
    BigInt(Cut),
    Byte(u8),
    Float(#[serde(with = "any_float")] f64),
    Char(char),
    /// A string: its text.
    String(Cut),
    Array {
        /// The elements described, from the first on.
        shown: Vec<Value>,
        /// Number of elements.
        total: usize,
    },
    Map {
        /// The entries described, from the first on, in the map's order.
        shown: Vec<(Value, Value)>,
        /// Number of entries.
        total: usize,
    },
    /// A struct, or an `Error`.
    Struct {
        /// Name of its type.
        name: CompactString,
        /// The fields described, in order of declaration.
        shown: Vec<(CompactString, Value)>,
        /// Number of fields.
        total: usize,
    },
    Enum {
        /// Name of its type.
        name: CompactString,
        /// Name of the first member with this underlying value, if any.
        member: Option<CompactString>,
        /// The underlying value.
        value: Box<Value>,
    },
    /// `range(start, end, step)`, as it is written in EZ.
    Range(String),
    /// The results of a call with several results.
    Tuple(Vec<Value>),
    /// A file, database, type or other value that has no literal.
    Opaque {
        /// Name of its type.
        kind: CompactString,
        /// One line of text that identifies the value.
        text: String,
    },
    /// A value that contains itself: this part is being described already.
    Cycle,
}

impl Value {
    /// Whether something is left out.
    pub fn is_cut(&self) -> bool {
        match self {
            Value::BigInt(text) | Value::String(text) => text.cut,
            Value::Array { shown, total } => shown.len() < *total || shown.iter().any(Value::is_cut),
            Value::Map { shown, total } => {
                shown.len() < *total || shown.iter().any(|(key, value)| key.is_cut() || value.is_cut())
            }
            Value::Struct { shown, total, .. } => {
                shown.len() < *total || shown.iter().any(|(_, value)| value.is_cut())
            }
            Value::Tuple(parts) => parts.iter().any(Value::is_cut),
            Value::Enum { value, .. } => value.is_cut(),
            Value::Nil
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Byte(_)
            | Value::Float(_)
            | Value::Char(_)
            | Value::Range(_)
            | Value::Opaque { .. }
            | Value::Cycle => false,
        }
    }
}

/// A text that may be cut at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The text, or its beginning.
    pub text: CompactString,
    /// Whether the end is missing.
    pub cut: bool,
}

/// A description of a value, with its type and what is needed to ask for more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// The description.
    pub value: Value,
    /// Its static type in EZ syntax (`int`, `[int]`, `map[string:int]`, `Point`); `any` if the type is known
    /// at run time only.
    pub declared_type: CompactString,
    /// Handle to ask for its parts; `None` if it has none.
    pub handle: Option<Handle>,
    /// How many parts it has.
    pub children: usize,
    /// Identity of the object; `None` for values that are no objects.
    pub object: Option<ObjectId>,
}

impl Described {
    /// This description without handle, for use after the program has resumed.
    pub fn without_handle(self) -> Described {
        Described { handle: None, object: None, ..self }
    }
}

/// What kind of variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// A parameter of the frame's function.
    Parameter,
    /// A local variable or named result of the frame's function.
    Local,
    /// A global variable or constant.
    Global,
    /// An element, entry or field of a value.
    Part,
}

/// A variable of a stopped program, or a part of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name; for a part `[0]`, `["key"]` or the name of the field.
    pub name: CompactString,
    /// What kind of variable it is.
    pub scope: Scope,
    /// Whether the program can assign to it.
    pub mutable: bool,
    /// Its value.
    pub held: Described,
    /// An expression for it, in the scope of the frame in which it was looked up; `None` if there is none.
    pub evaluate_name: Option<CompactString>,
    /// Whether it is new or has changed since the last stop.
    pub changed: bool,
    /// Whether it is new, so that there is no previous value. Set only in [`super::Stopped::changed`].
    pub new: bool,
}

/// Floats as texts: JSON has no infinities, and its numbers are not read to the last bit.
mod any_float {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(float: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(float)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}
