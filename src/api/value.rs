//! Values of a stopped program, described as plain data.
//!
//! A value never leaves the interpreter's thread. What leaves is a [`Value`]: its kind and contents, as far
//! as the [`Limits`] of whoever asked allow. How that looks as text is the business of the front ends.

use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;

use compact_str::CompactString;

/// How much of a value is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Most parts (elements, entries, fields) of each array, map and struct.
    pub parts: usize,
    /// About how many bytes the whole description may take as text: when they are used up, nothing more
    /// is begun, and strings and long numbers are cut.
    pub bytes: usize,
}

impl Limits {
    /// A short preview.
    pub const PREVIEW: Limits = Limits { parts: 100, bytes: 1024 };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::PREVIEW
    }
}

/// Names a value with parts, so that the parts can be asked for. Valid until the program goes on; no two
/// values of a session have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Handle(pub NonZeroU64);

/// Stands for an array, map or struct as long as it lives: two values with the same one are the same
/// object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObjectId(pub NonZeroU64);

/// A value as far as the limits allow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// `nil`.
    Nil,
    /// A bool.
    Bool(bool),
    /// An integer of any type that fits into 64 bits.
    Int(i64),
    /// A larger integer: its digits, with a `-` if it is negative.
    BigInt(Cut),
    /// A byte.
    Byte(u8),
    /// A float.
    Float(f64),
    /// A char.
    Char(char),
    /// A string: its text.
    String(Cut),
    /// An array.
    Array {
        /// Its first elements.
        shown: Vec<Value>,
        /// How many it has.
        total: usize,
    },
    /// A map.
    Map {
        /// Its first entries, in their order.
        shown: Vec<(Value, Value)>,
        /// How many it has.
        total: usize,
    },
    /// A struct, or an `Error`.
    Struct {
        /// Name of its type.
        name: CompactString,
        /// Its first fields, in order of declaration.
        shown: Vec<(CompactString, Value)>,
        /// How many it has.
        total: usize,
    },
    /// An enum value.
    Enum {
        /// Name of its type.
        name: CompactString,
        /// Name of the first member that has the underlying value, if one has.
        member: Option<CompactString>,
        /// The underlying value.
        value: Box<Value>,
    },
    /// `range(start, end, step)`.
    Range {
        /// First number.
        start: i64,
        /// Where it ends; not part of it.
        end: i64,
        /// Distance between numbers, not 0.
        step: i64,
    },
    /// Several results of a call.
    Tuple(Vec<Value>),
    /// A file, database, type or other thing that EZ has no literal for.
    Opaque {
        /// Name of its type.
        kind: CompactString,
        /// One line that tells which it is.
        text: String,
    },
    /// A part that is being described already: the value contains itself.
    Cycle,
}

impl Value {
    /// Whether the value is described in part only.
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
            | Value::Range { .. }
            | Value::Opaque { .. }
            | Value::Cycle => false,
        }
    }
}

/// A text of which only the beginning may be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The text, or its beginning.
    pub text: CompactString,
    /// Whether the end is missing.
    pub cut: bool,
}

/// A value with its type, and a handle if it has parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// The value.
    pub value: Value,
    /// Name of its static type as EZ writes it: `int`, `[int]`, `map[string:int]`, `Point`; `any` where
    /// the type is not known before running.
    pub declared_type: CompactString,
    /// By which its parts can be asked for; `None` for values without parts.
    pub handle: Option<Handle>,
    /// How many parts it has.
    pub children: usize,
    /// Which object it is; `None` for values that are none.
    pub object: Option<ObjectId>,
}

impl Described {
    /// The same, for somebody who cannot ask for its parts.
    pub fn without_handle(self) -> Described {
        Described { handle: None, object: None, ..self }
    }
}

/// Where a variable belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// A parameter of the function.
    Parameter,
    /// A local of the function, or a named result.
    Local,
    /// A global variable or constant.
    Global,
    /// A part of a value.
    Part,
}

/// A variable of a stopped program, or a part of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name; `[0]`, `["key"]` or the name of a field for a part.
    pub name: CompactString,
    /// Where it belongs.
    pub scope: Scope,
    /// Whether the program may assign it.
    pub mutable: bool,
    /// What it holds.
    pub held: Described,
    /// An expression that gives it in the frame where it was looked at; `None` for a part of a value that
    /// has no name there.
    pub evaluate_name: Option<CompactString>,
    /// Whether it is new or has changed since the last stop.
    pub changed: bool,
    /// Among the variables that a stop tells: whether it is new, so that there is no value from before.
    pub new: bool,
}
