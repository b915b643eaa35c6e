//! Values as cells, and the objects to which they refer.

use std::collections::{HashSet, VecDeque};

use serde::Serialize;

use crate::protocol::value_text::whole_text;
use ez_engine::api::{Described, Value};

/// A value in a variable or object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// An integer that JavaScript represents exactly.
    Number(i64),
    /// A letter for the kind (`n`umber, `s`tring, `w`ord), followed by the text.
    Text(String),
    /// The object with this number.
    Object((u64,)),
}

/// An array, map or struct at a step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Object {
    pub id: u64,
    /// `array`, `map`, `struct` or `object`.
    pub kind: &'static str,
    /// Name of a struct's type.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Number of its parts.
    pub total: usize,
    /// Index of the first part shown.
    #[serde(skip_serializing_if = "is_zero")]
    pub start: usize,
    /// The index of the part that was changed last, if not all parts are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<usize>,
    /// The parts shown.
    pub parts: Vec<Cell>,
    /// The names of the parts, unless it is an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
}

pub fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Integers that JavaScript represents exactly.
const SAFE: std::ops::RangeInclusive<i64> = -((1 << 53) - 1)..=(1 << 53) - 1;

/// The objects found in a step, while their parts are followed.
#[derive(Default)]
pub struct Following {
    pub seen: HashSet<u64>,
    pub queue: VecDeque<(Described, u64)>,
    pub objects: Vec<Object>,
    pub more: bool,
}

impl Following {
    /// A value as it is shown in place; objects are described later.
    pub fn cell(&mut self, held: &Described) -> Cell {
        if let Some(object) = held.object {
            let id = object.0.get();
            if self.seen.insert(id) {
                self.queue.push_back((held.clone(), id));
            }
        }
        cell(held)
    }
}

/// A value as it is shown in place.
pub fn cell(held: &Described) -> Cell {
    if let Some(object) = held.object {
        return Cell::Object((object.0.get(),));
    }
    let kind = match &held.value {
        Value::Int(number) if SAFE.contains(number) => return Cell::Number(*number),
        Value::Int(_) | Value::BigInt(_) | Value::Byte(_) | Value::Float(_) => 'n',
        Value::String(_) | Value::Char(_) => 's',
        Value::Nil
        | Value::Bool(_)
        | Value::Array { .. }
        | Value::Map { .. }
        | Value::Struct { .. }
        | Value::Enum { .. }
        | Value::Range { .. }
        | Value::Tuple(_)
        | Value::Opaque { .. }
        | Value::Cycle => 'w',
    };
    Cell::Text(format!("{kind}{}", whole_text(&held.value)))
}

/// The name of an entry or field within its object.
pub fn key(name: &str) -> String {
    let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    inside.unwrap_or(name).to_string()
}
