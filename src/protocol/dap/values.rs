//! Variables and values in the form of the Debug Adapter Protocol.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::protocol::radix::Radix;
use crate::protocol::value_text::whole_text;
use ez_engine::api::{self, Described, Limits, Scope, Value};

use super::DapFrontEnd;
use super::client::Client;
use super::references::{References, Target};
use super::wire::{self, Scopes};

/// Limits for values in lists.
pub const SHOWN: Limits = Limits::PREVIEW;

/// Limits for values to be copied to the clipboard.
pub const COPIED: Limits = Limits { parts: usize::MAX, bytes: 1024 * 1024 };

/// Number of entries from which on a map is paged.
const MANY: usize = 100;

/// The protocol's `Variable`; its fields are also those of an `evaluate` response.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    pub name: String,
    pub value: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<String>,
    pub variables_reference: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_variables: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_variables: Option<usize>,
}

/// Body of the response to `variables`.
#[derive(Serialize)]
pub struct Variables {
    pub variables: Vec<Variable>,
}

impl Variable {
    /// From a name and a described value.
    pub fn described(
        name: String,
        described: &Described,
        client: &Client,
        references: &mut References,
    ) -> Variable {
        let counted = match &described.value {
            Value::Array { .. } => true,
            Value::Map { .. } => described.children > MANY,
            _ => false,
        };
        let is_array = matches!(described.value, Value::Array { .. });
        let reference =
            described.handle.map(|handle| references.number(Target::Parts { handle, counted, is_array }));
        let children = reference.map(|_| described.children);
        Variable {
            name,
            value: whole_text(&described.value),
            type_name: client.wants_types.then(|| described.declared_type.to_string()),
            presentation_hint: None,
            evaluate_name: None,
            variables_reference: reference.unwrap_or(0),
            named_variables: children.filter(|_| !counted),
            indexed_variables: children.filter(|_| counted),
        }
    }

    /// From a variable of the API.
    pub fn new(variable: &api::Variable, client: &Client, references: &mut References) -> Variable {
        let mut shown = Variable::described(variable.name.to_string(), &variable.held, client, references);
        if !variable.mutable {
            shown.presentation_hint = Some(json!({"attributes": ["readOnly"]}));
        }
        shown.evaluate_name = variable.evaluate_name.as_ref().map(ToString::to_string);
        shown
    }

    /// A last line that says how many parts are not listed.
    pub fn rest(count: usize) -> Variable {
        Variable {
            name: "…".into(),
            value: format!("{count} more: ask for them in pages"),
            type_name: None,
            presentation_hint: Some(json!({"kind": "virtual", "attributes": ["readOnly"]})),
            evaluate_name: None,
            variables_reference: 0,
            named_variables: None,
            indexed_variables: None,
        }
    }

    /// The value as the body of a response in which the value's text is called `name`.
    pub fn result(&self, name: &str) -> Json {
        let mut body = json!({name: self.value, "variablesReference": self.variables_reference});
        if let Json::Object(body) = &mut body {
            let hint = self.presentation_hint.clone();
            body.extend(self.type_name.as_ref().map(|name| ("type".into(), name.as_str().into())));
            body.extend(hint.map(|hint| ("presentationHint".into(), hint)));
            body.extend(self.named_variables.map(|count| ("namedVariables".into(), count.into())));
            body.extend(self.indexed_variables.map(|count| ("indexedVariables".into(), count.into())));
        }
        body
    }
}

/// The scope in which a variable is shown. Parameters are among the locals: editors show the variables of the first scope
/// only, until the user opens another.
pub(super) fn scope_shown(scope: Scope) -> Scope {
    match scope {
        Scope::Parameter => Scope::Local,
        scope => scope,
    }
}

impl DapFrontEnd {
    /// The scopes of a frame that has these variables.
    pub(super) fn scopes_of(&mut self, frame: usize, variables: &[api::Variable]) -> Scopes {
        let mut scopes = Vec::new();
        let all = [(Scope::Local, "Locals", Some("locals")), (Scope::Global, "Globals", None)];
        for (scope, name, hint) in all {
            let count = variables.iter().filter(|variable| scope_shown(variable.scope) == scope).count();
            // Notebooks show the first scope.
            if count == 0 && scope == Scope::Local && self.cells.is_some() {
                continue;
            }
            scopes.push(wire::Scope {
                name,
                presentation_hint: hint,
                variables_reference: self.references.number(Target::Scope(frame, scope)),
                named_variables: count,
                expensive: false,
            });
        }
        if frame == 0 && self.stop.returned.is_some() {
            scopes.push(wire::Scope {
                name: "Return value",
                presentation_hint: Some("returnValue"),
                variables_reference: self.references.number(Target::Returned),
                named_variables: 1,
                expensive: false,
            });
        }
        Scopes { scopes }
    }

    /// The result of the function that has just returned, as a list of one variable.
    pub(super) fn returned(&mut self, radix: Radix) -> Vec<Variable> {
        let client = self.client();
        let Some(returned) = &self.stop.returned else { return Vec::new() };
        let value = &radix.described(&returned.value);
        let mut shown = Variable::described(returned.function.clone(), value, &client, &mut self.references);
        shown.presentation_hint = Some(json!({"attributes": ["readOnly"]}));
        vec![shown]
    }
}
