//! What events and the answers to several commands consist of, as serialized. The order of the fields is part of
//! the protocol. What only one command is answered with is in the file of the command.

use std::borrow::Cow;

use serde::Serialize;

/// The data of events that have none: `started`, `paused`, `terminated`.
#[derive(Serialize)]
pub struct Empty {}

/// A position in a file, or without `file` in an expression of the client.
#[derive(Serialize)]
pub struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    pub line: u32,
    pub column: u32,
}

/// The data of `error`, and an item of `warnings`.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
}

#[derive(Serialize)]
pub struct InputRequested<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location<'a>>,
}

#[derive(Serialize)]
pub struct Stopped<'a> {
    pub reason: &'static str,
    pub location: Location<'a>,
    #[serde(rename = "breakpointId", skip_serializing_if = "Option::is_none")]
    pub breakpoint_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<StoppedMore<'a>>,
}

/// Position of a stop in the program's history.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Moment {
    pub present: u64,
    pub past: bool,
    pub output_length: u64,
}

impl From<crate::api::Moment> for Moment {
    fn from(moment: crate::api::Moment) -> Moment {
        let crate::api::Moment { present, is_past, output_length, after_return: _, error_values: _ } = moment;
        Moment { present, past: is_past, output_length }
    }
}

/// Additions of version 2 to `stopped`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoppedMore<'a> {
    pub description: Cow<'a, str>,
    pub thread_id: u32,
    pub frame_count: usize,
    pub step: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Moment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_value: Option<ReturnValue<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written_at: Option<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Frame<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breakpoint_ids: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReturnValue<'a> {
    pub function: Cow<'a, str>,
    pub value: String,
    #[serde(rename = "type")]
    pub type_name: Cow<'a, str>,
    pub declared_type: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<u64>,
}

/// A frame in `stackTrace` and in the `stack` of an error.
#[derive(Serialize)]
pub struct Frame<'a> {
    pub index: usize,
    pub function: Cow<'a, str>,
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<FrameMore<'a>>,
}

/// Additions of version 2 to a frame in `stackTrace`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameMore<'a> {
    pub id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<&'a str>,
    pub is_main: bool,
    pub end_line: u32,
    pub end_column: u32,
}

/// The number of this part of a divided answer.
#[derive(Clone, Copy, Serialize)]
pub struct PartOf {
    pub part: usize,
    pub parts: usize,
}

#[derive(Serialize)]
pub struct Exited {
    #[serde(rename = "exitCode")]
    pub exit_code: i32,
}

#[derive(Serialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Text for the debugger's console.
#[derive(Serialize)]
pub struct Output<'a> {
    pub category: &'static str,
    pub text: Cow<'a, str>,
}

/// The data of `childStarted`, and an item of `processes`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Process<'a> {
    pub pid: u32,
    pub file: Cow<'a, str>,
    pub args: Vec<Cow<'a, str>>,
    /// Where clients can attach, if they can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<&'a str>,
    pub held: bool,
    pub parent: u32,
    pub working_dir: Cow<'a, str>,
    /// Whether arguments are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChildEnded {
    pub pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

#[derive(Serialize)]
pub struct Progress<'a> {
    pub title: Cow<'a, str>,
    pub percentage: u32,
    pub done: bool,
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

#[derive(Serialize)]
pub struct VariableUpdate<'a> {
    #[serde(flatten)]
    pub variable: Variable<'a>,
    #[serde(rename = "frameIndex")]
    pub frame_index: usize,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<VariableMore<'a>>,
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

/// A breakpoint of any kind.
#[derive(Serialize)]
pub struct Breakpoint<'a> {
    pub id: u32,
    pub verified: bool,
    /// The function's name, for a function breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// What is watched, for a data breakpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(flatten)]
    pub more: BreakpointMore<'a>,
}

/// The options and the state of a breakpoint; additions of version 2.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakpointMore<'a> {
    /// Present only where the rest of the event does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    pub enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_condition: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_message: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
pub struct BreakpointChanged<'a> {
    pub reason: &'static str,
    pub breakpoint: Breakpoint<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExceptionFilter<'a> {
    pub filter_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'a, str>>,
}
