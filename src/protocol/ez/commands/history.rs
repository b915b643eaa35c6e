//! Commands about what was written to something: `lastChange`, `changes`.

use std::borrow::Cow;

use super::parameters::{FRAME_INDEX, RADIX, frame};
use super::{Ask, Command, Context, ask};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, SMALL_LIMIT, location};
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::values::{PREVIEW, type_name, value_more};
use crate::protocol::ez::wire::{Location, PartOf, ValueMore, written};
use crate::protocol::json::cut_json;
use crate::protocol::parameter::{BEFORE, COUNT, Required, Text, page_of_changes, parameters};
use crate::protocol::params::Params;
use crate::protocol::radix::Radix;
use crate::protocol::value_text::{Notation, preview};
use ez_engine::api::{Change, Described, GetChanges, LastChange, LastChangeQuery, Limits};

pub const COMMANDS: &[Command] = &[
    Command::since_2("lastChange", "Asks where a variable or a part got its value.", last_change)
        .takes(&[&EXPRESSION, &FRAME_INDEX])
        .answered_by(&["lastChange"])
        .capability("history"),
    Command::since_2("changes", "Asks for the writes to a variable or a part, the latest first.", changes)
        .takes(&[&EXPRESSION, &FRAME_INDEX, &BEFORE, &COUNT, &RADIX])
        .answered_by(&["changes"])
        .capability("changes"),
];

parameters! {
    /// The variable, element, entry or field: `x`, `p.x`, `a[i]`.
    EXPRESSION: Required<Text> = "expression", Text;
}

/// Maximum size of a value's text in a list of changes, in bytes of JSON.
const LISTED: usize = 256;

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<LastChangeData>("lastChange", 2, "Where a variable or a part got its value."),
    event::<ChangesData>("changes", 2, "The writes to a variable or a part.").divided("changes"),
];

written! {
    #[serde(rename_all = "camelCase")]
    struct LastChangeData<'a> {
        /// The expression.
        expression: Cow<'a, str>,
        /// What gave it the value.
        #[cfg_attr(test, schemars(with = "crate::protocol::ez::description::Cause"))]
        cause: &'static str,
        /// The cause as a sentence.
        description: Cow<'a, str>,
        /// The step of the statement that changed it.
        step: u64,
        /// That statement.
        location: Location<'a>,
        /// The value before.
        #[serde(skip_serializing_if = "Option::is_none")]
        old_value: Option<String>,
        /// The value now.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The type of the value.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        type_name: Option<Cow<'a, str>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        more: Option<ValueMore<'a>>,
    }

    struct ChangesData<'a> {
        /// The expression.
        expression: Cow<'a, str>,
        /// The writes, the latest first.
        changes: Vec<ChangeItem<'a>>,
        /// The parameter `before` for earlier ones; missing if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<u64> = 1..,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    /// A write, or what began the life of a variable or part.
    #[cfg_attr(test, schemars(rename = "Change"))]
    #[serde(rename_all = "camelCase")]
    struct ChangeItem<'a> {
        /// The step of the statement.
        step: u64,
        /// What it was.
        #[cfg_attr(test, schemars(with = "crate::protocol::ez::description::Cause"))]
        cause: &'static str,
        /// The statement.
        location: Location<'a>,
        /// Whether it is an `ensure`, whose call was executed after this step, when the function ended.
        #[serde(rename = "ensure", skip_serializing_if = "std::ops::Not::not")]
        at_end: bool,
        /// The value before.
        #[serde(skip_serializing_if = "Option::is_none")]
        old_value: Option<String>,
        /// The value after.
        #[serde(skip_serializing_if = "Option::is_none")]
        new_value: Option<String>,
        /// The type of the value.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        type_name: Option<Cow<'a, str>>,
    }
}

fn last_change(params: &Params, _: Context) -> Result<Ask, String> {
    let expression = EXPRESSION.read(params)?;
    let question = LastChangeQuery { expression, frame: frame(params)?, limits: Limits::PREVIEW };
    ask(question, |_, asked, change, out| {
        out.add("lastChange", last_change_data(change, out.notation), asked.id())
    })
}

fn last_change_data(change: &LastChange, notation: Notation) -> LastChangeData<'_> {
    let new = change.new.as_ref();
    let text = new.map(|value| preview(&value.value, notation, PREVIEW));
    let truncated = text.as_ref().is_some_and(|(_, truncated)| *truncated);
    LastChangeData {
        expression: cut_json(&change.expression, SMALL_LIMIT),
        cause: change.cause.name(),
        description: cut_json(&change.description, SMALL_LIMIT),
        step: change.step,
        location: location(&change.location),
        old_value: change.old.as_ref().map(|old| preview(&old.value, notation, PREVIEW).0),
        value: text.map(|(text, _)| text),
        type_name: new.map(type_name),
        more: new.map(|value| value_more(value, truncated)),
    }
}

fn changes(params: &Params, _: Context) -> Result<Ask, String> {
    let expression = EXPRESSION.read(params)?;
    let (frame, radix) = (frame(params)?, RADIX.read(params)?.unwrap_or_default());
    let (before, count) = page_of_changes(params)?;
    let question = GetChanges { expression, frame, before, count, limits: Limits::PREVIEW };
    ask(question, move |_, asked, found, out| {
        let all = found.changes.iter().map(|change| change_item(change, radix, out.notation)).collect();
        paged(all, out.limit(LIST_LIMIT - SMALL_LIMIT - 256), asked.id(), |changes, part, id| {
            let expression = cut_json(&found.expression, SMALL_LIMIT);
            out.add("changes", ChangesData { expression, changes, next: found.next, part }, id);
        });
    })
}

fn change_item(change: &Change, radix: Radix, notation: Notation) -> ChangeItem<'_> {
    let shown = |value: &Option<Described>| {
        value.as_ref().map(|value| preview(&radix.value(&value.value), notation, LISTED).0)
    };
    ChangeItem {
        step: change.step,
        cause: change.cause.name(),
        location: location(&change.location),
        at_end: change.at_end,
        old_value: shown(&change.old),
        new_value: shown(&change.new),
        type_name: change.new.as_ref().or(change.old.as_ref()).map(type_name),
    }
}
