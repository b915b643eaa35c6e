//! Events that answer questions about the past.

use serde_json::value::RawValue;

use crate::api::{self, Described};
use crate::protocol::json::cut_json;
use crate::protocol::radix::Radix;
use crate::protocol::value_text::preview;

use super::encode::{LIST_LIMIT, SMALL_LIMIT, location};
use super::parts::paged;
use super::sink::Sink;
use super::values::{PREVIEW, type_name, value_more};
use super::wire;

/// Maximum size of a value's text in a list of changes, in bytes of JSON.
const LISTED: usize = 256;

/// Writes the event `lastChange`.
pub fn last_change(out: &mut Sink, change: &api::LastChange, id: Option<&RawValue>) {
    let new = change.new.as_ref();
    let text = new.map(|value| preview(&value.value, PREVIEW));
    let truncated = text.as_ref().is_some_and(|(_, truncated)| *truncated);
    let data = wire::LastChange {
        expression: cut_json(&change.expression, SMALL_LIMIT),
        cause: change.cause.name(),
        description: cut_json(&change.description, SMALL_LIMIT),
        step: change.step,
        location: location(&change.location),
        old_value: change.old.as_ref().map(|old| preview(&old.value, PREVIEW).0),
        value: text.map(|(text, _)| text),
        type_name: new.map(type_name),
        more: new.map(|value| value_more(value, truncated)),
    };
    out.add("lastChange", data, id);
}

/// Writes the event `changes`.
pub fn changes(out: &mut Sink, found: &api::Changes, radix: Radix, id: Option<&RawValue>) {
    let all = found.changes.iter().map(|change| change_listed(change, radix)).collect();
    paged(all, out.limit(LIST_LIMIT - SMALL_LIMIT - 256), id, |changes, part, id| {
        let expression = cut_json(&found.expression, SMALL_LIMIT);
        out.add("changes", wire::Changes { expression, changes, next: found.next, part }, id);
    });
}

fn change_listed(change: &api::Change, radix: Radix) -> wire::Change<'_> {
    let shown =
        |value: &Option<Described>| value.as_ref().map(|value| preview(&radix.value(&value.value), LISTED).0);
    wire::Change {
        step: change.step,
        cause: change.cause.name(),
        location: location(&change.location),
        old_value: shown(&change.old),
        new_value: shown(&change.new),
        type_name: change.new.as_ref().or(change.old.as_ref()).map(type_name),
    }
}

/// Writes the event `outputStep`.
pub fn output_step(out: &mut Sink, found: &api::OutputStep, id: Option<&RawValue>) {
    let api::OutputStep { offset, step, location: at, by_client } = found;
    let data =
        wire::OutputStep { offset: *offset, step: *step, location: location(at), by_client: *by_client };
    out.add("outputStep", data, id);
}
