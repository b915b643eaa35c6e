//! The events of the protocol, as serialized. The order of the fields is part of the protocol.

mod breakpoints;
mod values;

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

pub use breakpoints::{
    Breakpoint, BreakpointChanged, BreakpointCleared, BreakpointMore, BreakpointSet, Breakpoints,
    ExceptionBreakpoints, ExceptionFilter, Locations,
};
pub use values::{
    Change, Changes, Children, Completion, Completions, EvaluateResult, LastChange, ListedVariable,
    OutputStep, Part, RewrittenLine, Unfolded, Variable, VariableMore, VariableUpdate, Variables, Watch,
    WatchAdded, WatchRemoved, Watches,
};

/// The outermost object of every event.
#[derive(Serialize)]
pub struct Envelope<'a, T> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub event: &'static str,
    pub data: T,
    /// The `id` of the command that the event answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a RawValue>,
}

/// A notification of JSON-RPC.
#[derive(Serialize)]
pub struct Notification<T> {
    pub jsonrpc: &'static str,
    pub method: &'static str,
    pub params: T,
}

/// The data of events that have none: `started`, `paused`, `terminated`, `inputRequested`.
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

/// Names of what the server can do beyond the base protocol; serialized as an object of `true`s.
pub struct Capabilities(pub &'static [&'static str]);

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|name| (name, true)))
    }
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

#[derive(Serialize)]
pub struct StackTrace<'a> {
    pub frames: Vec<Frame<'a>>,
    pub total: usize,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct State<'a> {
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    pub breakpoints: Vec<Breakpoint<'a>>,
    pub function_breakpoints: Vec<Breakpoint<'a>>,
    pub data_breakpoints: Vec<Breakpoint<'a>>,
    pub exception_filters: Vec<ExceptionFilter<'a>>,
    pub watches: Vec<Watch<'a>>,
    /// Whether items of a list are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Whether the program's history is kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub history: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Moment>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attached<'a> {
    #[serde(flatten)]
    pub state: State<'a>,
    /// Bytes of output that were discarded while no client was connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_output: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
}

/// Text for the debugger's console.
#[derive(Serialize)]
pub struct Output<'a> {
    pub category: &'static str,
    pub text: Cow<'a, str>,
}

#[derive(Serialize)]
pub struct Threads {
    pub threads: [Thread; 1],
}

#[derive(Serialize)]
pub struct Thread {
    pub id: u32,
    pub name: &'static str,
    pub status: &'static str,
}

#[derive(Serialize)]
pub struct Source<'a> {
    pub file: &'a str,
    pub text: &'a str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct Modules<'a> {
    pub modules: Vec<Module<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct Module<'a> {
    pub name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    pub kind: &'static str,
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
pub struct ChildReleased {
    pub pid: u32,
}

#[derive(Serialize)]
pub struct Processes<'a> {
    pub processes: Vec<Process<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct Progress<'a> {
    pub title: Cow<'a, str>,
    pub percentage: u32,
    pub done: bool,
}

#[derive(Serialize)]
pub struct StepTargets<'a> {
    pub targets: Vec<StepTarget<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepTarget<'a> {
    pub id: u32,
    pub label: &'a str,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

#[derive(Serialize)]
pub struct Restarted<'a> {
    pub file: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Report<'a>>,
}
