//! Events about variables, values and watches.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::api::{self, Described, Scope};
use crate::protocol::json::{cut_json, json_len, level, write_json};
use crate::protocol::value_text::{preview, type_text, value_text, whole_text};

use super::encode::{LIST_LIMIT, SMALL_LIMIT, TEXT_LIMIT};
use super::parts::{divided, part_of};
use super::sink::Sink;
use super::wire::{self, PartOf};

/// Minimum size of a value's text in a list of variables, in bytes; enough for a number of 40 digits.
const MIN_VALUE: usize = 42;

/// Maximum size of a value's text in version 2 unless more is asked for, in bytes of JSON.
pub const PREVIEW: usize = 1024 + 2;

/// Writes the event `variableUpdate`; `more`: with the additions of version 2.
pub fn variable_update(out: &mut Sink, changed: &api::Variable, more: bool) {
    let (value, truncated) = preview(&changed.held.value, if more { PREVIEW } else { TEXT_LIMIT });
    let data = wire::VariableUpdate {
        variable: variable(changed, value),
        frame_index: 0,
        more: more.then(|| variable_more(changed, truncated)),
    };
    out.add("variableUpdate", data, None);
}

fn variable(variable: &api::Variable, value: String) -> wire::Variable<'_> {
    wire::Variable {
        name: cut_json(&variable.name, SMALL_LIMIT),
        value,
        type_name: type_name(&variable.held),
    }
}

pub fn type_name(described: &Described) -> Cow<'static, str> {
    Cow::Owned(cut_json(&type_text(described), SMALL_LIMIT).into_owned())
}

fn variable_more(variable: &api::Variable, truncated: bool) -> wire::VariableMore<'_> {
    let scope = match variable.scope {
        Scope::Parameter => Some("parameter"),
        Scope::Local => Some("local"),
        Scope::Global => Some("global"),
        Scope::Part => None,
    };
    wire::VariableMore {
        scope,
        mutable: Some(variable.mutable),
        evaluate_name: variable.evaluate_name.as_deref().map(|name| cut_json(name, SMALL_LIMIT)),
        changed: variable.changed,
        ..value_more(&variable.held, truncated)
    }
}

/// The additions of version 2 to a value.
pub fn value_more(held: &Described, truncated: bool) -> wire::VariableMore<'_> {
    wire::VariableMore {
        declared_type: Some(cut_json(&held.declared_type, SMALL_LIMIT)),
        reference: held.handle.map(|handle| handle.0.get()),
        children: held.object.map(|_| held.children),
        object_id: held.object.map(|object| object.0.get()),
        truncated,
        ..wire::VariableMore::default()
    }
}

/// The variables that fit into `most` bytes, and whether these are all. Long values are shortened to a common
/// length; if that is not enough, the last variables are left out. Names and types are not shortened.
fn listed(all: &[api::Variable], more: bool, most: usize) -> (Vec<wire::ListedVariable<'_>>, bool) {
    let mut room = most;
    let mut shown = Vec::new();
    for described in all {
        let value =
            if more { preview(&described.held.value, PREVIEW).0 } else { whole_text(&described.held.value) };
        let size = json_len(&value);
        let mut listed = wire::ListedVariable {
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
            listed.variable.value = value_text(&described.held.value, most);
        }
        if let Some(more) = &mut listed.more {
            more.truncated = cut || preview(&described.held.value, PREVIEW).1;
        }
        listed
    });
    (shown.collect(), whole)
}

/// Size of an item in a list, separator included, in bytes.
fn json_size(item: &wire::ListedVariable) -> usize {
    let mut bytes = Vec::new();
    write_json(&mut bytes, item);
    // The two quotes of the empty value are counted twice.
    bytes.len() + 1 - 2
}

/// Writes the event `variables`; `more`: with the additions of version 2, and in several events if necessary.
pub fn variables(out: &mut Sink, frame: usize, all: &[api::Variable], more: bool, id: Option<&RawValue>) {
    let most = out.limit(LIST_LIMIT - 128);
    let (first, mut whole) = listed(all, more, most);
    let mut shown = first.len();
    let mut pages = vec![first];
    while more && !whole {
        let (page, is_last) = listed(all.get(shown..).unwrap_or_default(), more, most);
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
        let data = wire::Variables { frame_index: frame, variables, truncated, part };
        out.add("variables", data, id.filter(|_| index + 1 == parts));
    }
}

/// Writes the event `children`.
pub fn children(
    out: &mut Sink,
    (reference, start): (u64, usize),
    all: &[api::Variable],
    total: usize,
    id: Option<&RawValue>,
) {
    let (children, whole) = listed(all, true, LIST_LIMIT - 128);
    out.add("children", wire::Children { reference, start, total, children, truncated: !whole }, id);
}

/// Writes the event `variableSet`.
pub fn variable_set(out: &mut Sink, set: &api::Variable, id: Option<&RawValue>) {
    let (value, truncated) = preview(&set.held.value, PREVIEW);
    let more = Some(variable_more(set, truncated));
    out.add("variableSet", wire::ListedVariable { variable: variable(set, value), more }, id);
}

/// Writes the event `evaluateResult`; `more`: with the additions of version 2. `full`: the whole value, in
/// several events if necessary.
pub fn evaluated(
    out: &mut Sink,
    expression: &str,
    value: &Described,
    (more, full): (bool, bool),
    id: Option<&RawValue>,
) {
    let result = |text: String, truncated: bool, part: Option<PartOf>| wire::EvaluateResult {
        expression: cut_json(expression, SMALL_LIMIT),
        result: text,
        type_name: type_name(value),
        more: more.then(|| value_more(value, truncated)),
        part,
    };
    if !full {
        let (text, truncated) = preview(&value.value, if more { PREVIEW } else { TEXT_LIMIT });
        return out.add("evaluateResult", result(text, truncated, None), id);
    }
    let text = whole_text(&value.value);
    divided(&text, out.limit(TEXT_LIMIT), id, |piece, part, id| {
        out.add("evaluateResult", result(piece.to_string(), value.value.is_cut(), part), id);
    });
}

/// A watch as an item of `watches` and as the data of `watchUpdate`.
pub fn watch(watch: &api::Watch, changed: bool) -> wire::Watch<'_> {
    let shown = watch.shown.as_ref();
    let value = shown.and_then(|shown| shown.as_ref().ok());
    let error = shown.and_then(|shown| shown.as_ref().err());
    let text = value.map(|value| preview(&value.value, PREVIEW));
    let truncated = text.as_ref().is_some_and(|(_, truncated)| *truncated);
    wire::Watch {
        id: watch.id.0,
        expression: cut_json(&watch.expression, SMALL_LIMIT),
        value: text.map(|(text, _)| text),
        error: error.map(|failure| cut_json(&failure.message, SMALL_LIMIT)),
        type_name: value.map(type_name),
        changed,
        more: value.map(|value| value_more(value, truncated)),
    }
}
