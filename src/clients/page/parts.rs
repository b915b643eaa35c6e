//! What statements computed, in the form in which the page keeps it.
//!
//! What is equal each time a statement runs is stored once, as a form: where the parts are and what they are. A
//! run of the statement is then the number of its form and the numbers of the values.

use serde::Serialize;

use super::cells::{self, Cell};
use super::offsets::{Offsets, units};
use crate::protocol::rewriting::is_shown;
use crate::protocol::value_text::display_text;
use ez_engine::api::{Described, Part, PartResult, Position, Unfolded, Value};
use ez_runtime::text::slice;
use ez_runtime::value::inspect_string;

/// The parts of a statement without their values. Places are offsets in the file in UTF-16 code units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Form(
    /// Number of the file.
    pub usize,
    /// Beginning and end of the statement, or of the head of a compound one.
    pub [usize; 2],
    /// Beginning and end of the expression that is rewritten.
    pub [usize; 2],
    /// The parts.
    pub Vec<Shape>,
);

/// A part without its value: what it is, where it begins and ends, and the number of the part to which it belongs, or
/// -1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape(pub &'static str, pub usize, pub usize, pub i64);

/// What came of a part.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Nothing: a call without result.
    Nothing,
    /// A value; the reason why it was skipped; an error.
    Cell(Cell),
    /// A call of a function of the program, its value, and the position at which the function began.
    Call(Option<Cell>, u64),
    /// What was written: the new value and the old one.
    Written(Option<Cell>, Option<Cell>),
}

/// The form and the outcomes of a statement that has run. `text` is that of its file, which has the number `file`.
pub fn parts(unfolded: &Unfolded, file: usize, text: &str, offsets: &Offsets) -> (Form, Vec<Outcome>) {
    let at = |position: Position| offsets.at(text, position);
    let start = at(Position { line: unfolded.location.line, column: unfolded.location.column });
    let inside = |byte: usize| start + units(slice(&unfolded.text, ..byte));
    let expression = [inside(unfolded.expression.start), inside(unfolded.expression.end)];
    let shape = |part: &Part| {
        let parent = part.parent.and_then(|parent| i64::try_from(parent).ok()).unwrap_or(-1);
        Shape(kind(part), at(part.start), at(part.end), parent)
    };
    let shapes = unfolded.parts.iter().map(shape).collect();
    let outcomes = unfolded.parts.iter().map(|part| outcome(part, is_shown(part, unfolded))).collect();
    (Form(file, [start, at(unfolded.end)], expression, shapes), outcomes)
}

fn kind(part: &Part) -> &'static str {
    match (&part.result, part.kind) {
        (PartResult::Skipped(_), _) => "skipped",
        // A call of a function of the program.
        _ if part.steps.is_some() => "entered",
        (_, kind) => kind.name(),
    }
}

/// `is_shown`: the part is in a string.
fn outcome(part: &Part, is_shown: bool) -> Outcome {
    let cell = |held: &Described| if is_shown { shown_cell(held) } else { cell(held) };
    match (&part.result, part.steps) {
        (PartResult::Value(value), Some((first, _))) => Outcome::Call(Some(cell(value)), first),
        (PartResult::Nothing, Some((first, _))) => Outcome::Call(None, first),
        (PartResult::Value(value), None) => Outcome::Cell(cell(value)),
        (PartResult::Nothing, None) => Outcome::Nothing,
        (PartResult::Skipped(why), _) => Outcome::Cell(Cell::Text(format!("w{why}"))),
        (PartResult::Written { old, new, .. }, _) => {
            Outcome::Written(new.as_ref().map(cell), old.as_ref().map(cell))
        }
        (PartResult::Failed { message, code }, _) => Outcome::Cell(Cell::Text(format!("w{code}: {message}"))),
    }
}

/// A value in a string: a text, if it is not as everywhere else.
fn shown_cell(held: &Described) -> Cell {
    match &held.value {
        Value::Enum { .. }
        | Value::Array { .. }
        | Value::Map { .. }
        | Value::Struct { .. }
        | Value::Tuple(_) => {
            let mut text = String::from("s");
            inspect_string(&mut text, &display_text(&held.value));
            Cell::Text(text)
        }
        _ => cell(held),
    }
}

/// A value as text; that of a container begins with `o`.
fn cell(held: &Described) -> Cell {
    match cells::cell(&Described { object: None, ..held.clone() }) {
        Cell::Text(text)
            if matches!(held.value, Value::Array { .. } | Value::Map { .. } | Value::Struct { .. }) =>
        {
            Cell::Text(format!("o{}", text.get(1..).unwrap_or_default()))
        }
        cell => cell,
    }
}
