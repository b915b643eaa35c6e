//! The events as they are written. The order of the fields is part of the protocol.

use serde::Serialize;

/// What is around the data of every event.
#[derive(Serialize)]
pub struct Envelope<'a, T> {
    /// `event`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name.
    pub event: &'static str,
    /// What it says.
    pub data: T,
    /// That of the command which it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a serde_json::value::RawValue>,
}

/// `started`, `terminated`, `inputRequested`.
#[derive(Serialize)]
pub struct Nothing {}

/// A place in the program.
#[derive(Serialize)]
pub struct Location<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

/// `initialized`.
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

/// `warnings`.
#[derive(Serialize)]
pub struct Warnings<'a> {
    pub warnings: Vec<Report<'a>>,
}

/// What the server can do beyond the base protocol.
#[derive(Serialize)]
pub struct Capabilities {
    #[serde(rename = "conditionalBreakpoints")]
    pub conditional_breakpoints: bool,
    pub pause: bool,
    pub input: bool,
    #[serde(rename = "stackTraceTotal")]
    pub stack_trace_total: bool,
    pub deny: bool,
}

/// What is wrong: the data of `error`, and one of the `warnings` in `initialized`.
#[derive(Serialize)]
pub struct Report<'a> {
    pub message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame<'a>>,
}

/// `stopped`.
#[derive(Serialize)]
pub struct Stopped<'a> {
    pub reason: &'static str,
    pub location: Location<'a>,
    #[serde(rename = "breakpointId", skip_serializing_if = "Option::is_none")]
    pub breakpoint_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
}

/// `variableUpdate`.
#[derive(Serialize)]
pub struct VariableUpdate<'a> {
    pub name: &'a str,
    pub value: &'a str,
    #[serde(rename = "type")]
    pub type_name: &'a str,
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
}

/// One of `variables`.
#[derive(Serialize)]
pub struct Variable<'a> {
    pub name: &'a str,
    pub value: &'a str,
    #[serde(rename = "type")]
    pub type_name: &'a str,
}

/// `variables`.
#[derive(Serialize)]
pub struct Variables<'a> {
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
    pub variables: &'a [Variable<'a>],
    /// Whether some are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A frame of `stackTrace`, and of an error's `stack`.
#[derive(Serialize)]
pub struct Frame<'a> {
    pub index: usize,
    pub function: &'a str,
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
}

/// `stackTrace`.
#[derive(Serialize)]
pub struct StackTrace<'a> {
    pub frames: &'a [Frame<'a>],
    pub total: usize,
}

/// `evaluateResult`.
#[derive(Serialize)]
pub struct EvaluateResult<'a> {
    pub expression: &'a str,
    pub result: &'a str,
    #[serde(rename = "type")]
    pub type_name: &'a str,
}

/// `exited`.
#[derive(Serialize)]
pub struct Exited {
    #[serde(rename = "exitCode")]
    pub exit_code: i32,
}

/// `breakpointSet`.
#[derive(Serialize)]
pub struct BreakpointSet<'a> {
    pub file: &'a str,
    pub line: u32,
    pub id: u32,
}

/// `breakpointCleared`.
#[derive(Serialize)]
pub struct BreakpointCleared<'a> {
    pub file: &'a str,
    pub line: u32,
}
