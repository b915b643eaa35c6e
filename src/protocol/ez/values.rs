//! Variables, values and watches as they are written, and the events about them.

use std::borrow::Cow;

use crate::protocol::json::cut_json;
use crate::protocol::value_text::{Notation, preview, type_text};
use ez_engine::api::{self, Described, Scope};

use super::encode::{SMALL_LIMIT, TEXT_LIMIT};
use super::sink::Sink;
use super::wire;

/// Maximum size of a value's text in version 2 unless more is asked for, in bytes of JSON.
pub const PREVIEW: usize = 1024 + 2;

/// Writes the event `variableUpdate`; `more`: with the additions of version 2.
pub fn variable_update(out: &mut Sink, changed: &api::Variable, more: bool) {
    let (value, truncated) =
        preview(&changed.held.value, out.notation, if more { PREVIEW } else { TEXT_LIMIT });
    let data = wire::VariableUpdate {
        variable: variable(changed, value),
        frame_index: 0,
        more: more.then(|| variable_more(changed, truncated)),
    };
    out.add("variableUpdate", data, None);
}

/// The name, the type and the text of a variable.
pub fn variable(variable: &api::Variable, value: String) -> wire::Variable<'_> {
    wire::Variable {
        name: cut_json(&variable.name, SMALL_LIMIT),
        value,
        type_name: type_name(&variable.held),
    }
}

/// The name of a value's type in the protocol.
pub fn type_name(described: &Described) -> Cow<'static, str> {
    Cow::Owned(cut_json(&type_text(described), SMALL_LIMIT).into_owned())
}

/// The additions of version 2 to a variable.
pub fn variable_more(variable: &api::Variable, truncated: bool) -> wire::VariableMore<'_> {
    let scope = match variable.scope {
        Scope::Parameter => Some("parameter"),
        Scope::Local => Some("local"),
        Scope::Global => Some("global"),
        Scope::Part => None,
    };
    let wire::ValueMore { declared_type, reference, children, object_id, truncated } =
        value_more(&variable.held, truncated);
    wire::VariableMore {
        declared_type,
        scope,
        mutable: variable.mutable,
        reference,
        children,
        object_id,
        evaluate_name: variable.evaluate_name.as_deref().map(|name| cut_json(name, SMALL_LIMIT)),
        truncated,
        changed: variable.changed,
    }
}

/// The additions of version 2 to a value.
pub fn value_more(held: &Described, truncated: bool) -> wire::ValueMore<'_> {
    wire::ValueMore {
        declared_type: cut_json(&held.declared_type, SMALL_LIMIT),
        reference: held.handle.map(|handle| handle.0.get()),
        children: held.object.map(|_| held.children),
        object_id: held.object.map(|object| object.0.get()),
        truncated,
    }
}

/// A watch as an item of `watches` and as the data of `watchUpdate`.
pub fn watch(watch: &api::Watch, changed: bool, notation: Notation) -> wire::Watch<'_> {
    let shown = watch.shown.as_ref();
    let value = shown.and_then(|shown| shown.as_ref().ok());
    let error = shown.and_then(|shown| shown.as_ref().err());
    let text = value.map(|value| preview(&value.value, notation, PREVIEW));
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
