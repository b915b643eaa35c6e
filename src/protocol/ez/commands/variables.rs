//! Commands about variables and the parts of values: `getVariables`, `getChildren`, `setVariable`.

use serde_json::value::RawValue;

use super::parameters::{FRAME_INDEX, RADIX, frame};
use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::entered::entered;
use crate::protocol::ez::parts::part_of;
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::values::{PREVIEW, variable, variable_more};
use crate::protocol::ez::wire::{PartOf, VariableItem, written};
use crate::protocol::json::{json_len, level};
use crate::protocol::parameter::{Optional, Reference, Required, Text, Whole, Word, parameters};
use crate::protocol::params::Params;
use crate::protocol::value_text::{Notation, preview, text_in, value_text};
use ez_engine::api::{
    self, Children, Container, GetChildren, GetVariables, Limits, Scope, SetVariable, write_json,
};

pub const COMMANDS: &[Command] = &[
    Command::new("getVariables", "Asks for the variables of a frame.", get_variables)
        .takes(&[&FRAME_INDEX, &SCOPE, &RADIX])
        .answered_by(&["variables"]),
    Command::since_2("getChildren", "Asks for the parts of a value.", get_children)
        .takes(&[&REFERENCE, &START, &COUNT, &RADIX])
        .answered_by(&["children"])
        .capability("children"),
    Command::since_2("setVariable", "Gives a variable or a part of a value another value.", set_variable)
        .takes(&[&FRAME_INDEX, &WITHIN, &NAME, &VALUE, &RADIX])
        .answered_by(&["variableSet"])
        .capability("setVariable"),
];

parameters! {
    /// Only variables of this scope.
    SCOPE: Optional<Word<Scope>> = "scope",
        Word(&[("parameter", Scope::Parameter), ("local", Scope::Local), ("global", Scope::Global)]), since_2();
    /// The value, as a variable or a result names it.
    REFERENCE: Required<Reference> = "reference", Reference;
    /// The first part (default: 0).
    START: Optional<Whole> = "start", Whole::NUMBER;
    /// How many (default: 100).
    COUNT: Optional<Whole> = "count", Whole(0, 10_000);
    /// The variable, or the part of `reference`.
    pub NAME: Required<Text> = "name", Text;
    /// The value, an expression of EZ.
    VALUE: Required<Text> = "value", Text;
}
pub const WITHIN: Optional<Reference> = REFERENCE.optional();

/// Minimum size of a value's text in a list of variables, in bytes; enough for a number of 40 digits.
const MIN_VALUE: usize = 42;

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<VariablesData>("variables", 1, "The variables of a frame.").divided("variables"),
    event::<ChildrenData>("children", 2, "Parts of a value."),
    event::<VariableItem>("variableSet", 2, "The variable with its new value.").is::<VariableItem>(),
];

written! {
    struct VariablesData<'a> {
        /// The frame.
        #[serde(rename = "frameIndex")]
        frame_index: usize,
        /// The variables, in order of declaration.
        variables: Vec<VariableItem<'a>>,
        /// Whether variables are left out, in version 1.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    struct ChildrenData<'a> {
        /// The value.
        reference: u64 = 1..,
        /// The first part.
        start: usize,
        /// How many parts the value has.
        total: usize,
        /// The parts.
        children: Vec<VariableItem<'a>>,
        /// Whether requested parts are left out.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    }
}

fn get_variables(params: &Params, context: Context) -> Result<Ask, String> {
    let frame = frame(params)?;
    let (scope, radix) = (SCOPE.read(params)?, RADIX.read(params)?.unwrap_or_default());
    ask(GetVariables { frame, scope, limits: context.limits() }, move |client, asked, all, out| {
        variables(out, frame, &radix.variables(all), client.speaks_2(), asked.id());
    })
}

/// Writes the event `variables`; `more`: with the additions of version 2, and in several events if necessary.
pub fn variables(out: &mut Sink, frame: usize, all: &[api::Variable], more: bool, id: Option<&RawValue>) {
    let most = out.limit(LIST_LIMIT - 128);
    let (first, mut whole) = listed(all, more, most, out.notation);
    let mut shown = first.len();
    let mut pages = vec![first];
    while more && !whole {
        let (page, is_last) = listed(all.get(shown..).unwrap_or_default(), more, most, out.notation);
        if page.is_empty() {
            break;
        }
        shown += page.len();
        whole = is_last;
        pages.push(page);
    }
    let parts = pages.len();
    for (index, variables) in pages.into_iter().enumerate() {
        let (truncated, part) = (!whole && index + 1 == parts, part_of(index, parts));
        let data = VariablesData { frame_index: frame, variables, truncated, part };
        out.add("variables", data, id.filter(|_| index + 1 == parts));
    }
}

/// The variables that fit into `most` bytes, and whether these are all. Long values are shortened to a common
/// length; if that is not enough, the last variables are left out. Names and types are not shortened.
fn listed(
    all: &[api::Variable],
    more: bool,
    most: usize,
    notation: Notation,
) -> (Vec<VariableItem<'_>>, bool) {
    let mut room = most;
    let mut shown = Vec::new();
    for described in all {
        let value = if more {
            preview(&described.held.value, notation, PREVIEW).0
        } else {
            text_in(&described.held.value, notation)
        };
        let size = json_len(&value);
        let mut listed = VariableItem {
            variable: variable(described, String::new()),
            more: more.then(|| variable_more(described, true)),
        };
        let fixed = json_size(&listed);
        let Some(left) = room.checked_sub(fixed + MIN_VALUE.min(size)) else { break };
        room = left;
        listed.variable.value = value;
        shown.push((listed, fixed, size));
    }
    let sizes: Vec<usize> = shown.iter().map(|(_, _, size)| *size).collect();
    let room = most.saturating_sub(shown.iter().map(|(_, fixed, _)| fixed).sum::<usize>());
    let most = level(&sizes, room).max(MIN_VALUE);
    let whole = shown.len() == all.len();
    let shown = shown.into_iter().zip(all).map(|((mut listed, _, size), described)| {
        let cut = size > most;
        if cut {
            listed.variable.value = value_text(&described.held.value, notation, most);
        }
        if let Some(more) = &mut listed.more {
            more.truncated = cut || preview(&described.held.value, notation, PREVIEW).1;
        }
        listed
    });
    (shown.collect(), whole)
}

/// Size of an item in a list, separator included, in bytes.
fn json_size(item: &VariableItem) -> usize {
    let mut bytes = Vec::new();
    write_json(&mut bytes, item);
    // The two quotes of the empty value are counted twice.
    bytes.len() + 1 - 2
}

fn get_children(params: &Params, _: Context) -> Result<Ask, String> {
    let handle = REFERENCE.read(params)?;
    let start = START.read(params)?.unwrap_or(0) as usize;
    let count = COUNT.read(params)?.unwrap_or(100) as usize;
    let radix = RADIX.read(params)?.unwrap_or_default();
    let question = GetChildren { handle, start, count, limits: Limits::PREVIEW };
    ask(question, move |_, asked, Children { children, total }, out| {
        let all = radix.variables(children);
        let (children, whole) = listed(&all, true, LIST_LIMIT - 128, out.notation);
        let (reference, total) = (handle.0.get(), *total);
        let data = ChildrenData { reference, start, total, children, truncated: !whole };
        out.add("children", data, asked.id());
    })
}

fn set_variable(params: &Params, _: Context) -> Result<Ask, String> {
    let (container, name) = part(params)?;
    let (value, radix) = (entered(&VALUE.read(params)?), RADIX.read(params)?.unwrap_or_default());
    let question = SetVariable { container, name, value, limits: Limits::PREVIEW };
    ask(question, move |_, asked, set, out| {
        let set = radix.variable(set);
        let (value, truncated) = preview(&set.held.value, out.notation, PREVIEW);
        let more = Some(variable_more(&set, truncated));
        out.add("variableSet", VariableItem { variable: variable(&set, value), more }, asked.id());
    })
}

/// The parameters that name a variable of a frame or a part of a value.
pub fn part(params: &Params) -> Result<(Container, String), String> {
    let container = match WITHIN.read(params)? {
        Some(handle) => Container::Value(handle),
        None => Container::Frame(frame(params)?),
    };
    Ok((container, NAME.read(params)?))
}
