//! Variables, values and watches, as serialized.

use std::borrow::Cow;

use serde::Serialize;

use super::{Location, PartOf};

#[derive(Serialize)]
pub struct VariableUpdate<'a> {
    #[serde(flatten)]
    pub variable: Variable<'a>,
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<VariableMore<'a>>,
}

#[derive(Serialize)]
pub struct Variable<'a> {
    pub name: Cow<'a, str>,
    pub value: String,
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
}

/// Additions of version 2 to a variable.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VariableMore<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_type: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluate_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
}

/// A variable in a list.
#[derive(Serialize)]
pub struct ListedVariable<'a> {
    #[serde(flatten)]
    pub variable: Variable<'a>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<VariableMore<'a>>,
}

#[derive(Serialize)]
pub struct Variables<'a> {
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
    pub variables: Vec<ListedVariable<'a>>,
    /// Whether variables are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct Children<'a> {
    pub reference: u64,
    pub start: usize,
    pub total: usize,
    pub children: Vec<ListedVariable<'a>>,
    /// Whether requested parts are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[derive(Serialize)]
pub struct EvaluateResult<'a> {
    pub expression: Cow<'a, str>,
    pub result: String,
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<VariableMore<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

/// The data of `lastChange`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastChange<'a> {
    pub expression: Cow<'a, str>,
    pub cause: &'static str,
    pub description: Cow<'a, str>,
    pub step: u64,
    pub location: Location<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<VariableMore<'a>>,
}

/// The data of `changes`.
#[derive(Serialize)]
pub struct Changes<'a> {
    pub expression: Cow<'a, str>,
    pub changes: Vec<Change<'a>>,
    /// The parameter `before` for earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

/// An item of `changes`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change<'a> {
    pub step: u64,
    pub cause: &'static str,
    pub location: Location<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_value: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
}

/// The data of `outputStep`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputStep<'a> {
    pub offset: u64,
    pub step: u64,
    pub location: Location<'a>,
    /// Whether an evaluation by the client has printed it.
    #[serde(rename = "client", skip_serializing_if = "std::ops::Not::not")]
    pub by_client: bool,
}

/// The data of `watchUpdate`, and an item of `watches`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Watch<'a> {
    pub id: u32,
    pub expression: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Cow<'a, str>>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changed: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<VariableMore<'a>>,
}

#[derive(Serialize)]
pub struct Watches<'a> {
    pub watches: Vec<Watch<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct WatchAdded<'a> {
    pub id: u32,
    pub expression: Cow<'a, str>,
}

#[derive(Serialize)]
pub struct WatchRemoved {
    pub id: u32,
}

#[derive(Serialize)]
pub struct Completions<'a> {
    pub targets: Vec<Completion<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct Completion<'a> {
    pub label: Cow<'a, str>,
    pub kind: &'static str,
    pub start: u32,
    pub length: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Cow<'a, str>>,
}

/// The data of `unfolded`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unfolded<'a> {
    pub step: u64,
    pub location: Location<'a>,
    pub end_line: u32,
    pub end_column: u32,
    pub prefix: Cow<'a, str>,
    pub lines: Vec<RewrittenLine>,
    pub parts: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// An item of `lines` in `unfolded`.
#[derive(Serialize)]
pub struct RewrittenLine {
    pub text: String,
    pub start: usize,
    pub length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
}

/// An item of `parts` in `unfolded`.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_in: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}
