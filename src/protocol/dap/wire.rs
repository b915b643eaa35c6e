//! Types of the protocol that are sent at every step. The field names are those of the protocol.

use serde::Serialize;

/// The protocol's `Source`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    pub name: String,
    pub path: String,
    /// Where the file is not what the program was loaded from: the number by which its text can be asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_reference: Option<usize>,
}

/// Body of the event `stopped`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stopped<'a> {
    pub reason: &'static str,
    pub description: &'a str,
    pub thread_id: u32,
    pub all_threads_stopped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hit_breakpoint_ids: Vec<u32>,
}

/// Body of the response to `stackTrace`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackTrace {
    pub stack_frames: Vec<StackFrame>,
    pub total_frames: usize,
}

/// The protocol's `StackFrame`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StackFrame {
    pub id: u32,
    pub name: String,
    pub source: Source,
    pub line: u32,
    pub column: u32,
    pub module_id: String,
}

/// Body of the response to `scopes`.
#[derive(Serialize)]
pub struct Scopes {
    pub scopes: Vec<Scope>,
}

/// The protocol's `Scope`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Scope {
    pub name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presentation_hint: Option<&'static str>,
    pub variables_reference: u32,
    pub named_variables: usize,
    pub expensive: bool,
}
