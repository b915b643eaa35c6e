//! The events as they are written. The order of the fields is part of the protocol.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

/// What is around the data of every event.
#[derive(Serialize)]
pub struct Envelope<'a, T> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub event: &'static str,
    pub data: T,
    /// That of the command which the event answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a RawValue>,
}

/// The data of `started`, `paused`, `terminated` and `inputRequested`.
#[derive(Serialize)]
pub struct Empty {}

#[derive(Serialize)]
pub struct Location<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

#[derive(Serialize)]
pub struct Initialized<'a> {
    pub file: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Report<'a>>,
    #[serde(rename = "protocolVersion", skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
}

#[derive(Serialize)]
pub struct Warnings<'a> {
    pub warnings: Vec<Report<'a>>,
}

/// What the server can do beyond the base protocol.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    pub conditional_breakpoints: bool,
    pub pause: bool,
    pub input: bool,
    pub stack_trace_total: bool,
    pub deny: bool,
}

/// The data of `error`, and one of the `warnings`.
#[derive(Default, Serialize)]
pub struct Report<'a> {
    pub message: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame<'a>>,
    #[serde(rename = "breakpointId", skip_serializing_if = "Option::is_none")]
    pub breakpoint_id: Option<u32>,
}

#[derive(Serialize)]
pub struct Stopped<'a> {
    pub reason: &'static str,
    pub location: Location<'a>,
    #[serde(rename = "breakpointId", skip_serializing_if = "Option::is_none")]
    pub breakpoint_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
pub struct VariableUpdate<'a> {
    #[serde(flatten)]
    pub variable: Variable<'a>,
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
}

#[derive(Serialize)]
pub struct Variable<'a> {
    pub name: Cow<'a, str>,
    pub value: String,
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
}

#[derive(Serialize)]
pub struct Variables<'a> {
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
    pub variables: Vec<Variable<'a>>,
    /// Whether some are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A frame of `stackTrace`, and of an error's `stack`.
#[derive(Serialize)]
pub struct Frame<'a> {
    pub index: usize,
    pub function: Cow<'a, str>,
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

#[derive(Serialize)]
pub struct StackTrace<'a> {
    pub frames: Vec<Frame<'a>>,
    pub total: usize,
}

#[derive(Serialize)]
pub struct EvaluateResult<'a> {
    pub expression: Cow<'a, str>,
    pub result: String,
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
}

#[derive(Serialize)]
pub struct Exited {
    #[serde(rename = "exitCode")]
    pub exit_code: i32,
}

#[derive(Serialize)]
pub struct BreakpointSet<'a> {
    pub file: &'a str,
    pub line: u32,
    pub id: u32,
}

#[derive(Serialize)]
pub struct BreakpointCleared<'a> {
    pub file: &'a str,
    pub line: u32,
}
