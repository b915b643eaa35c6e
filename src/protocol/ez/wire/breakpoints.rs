//! Breakpoints, as serialized.

use std::borrow::Cow;

use serde::Serialize;

use super::{PartOf, Position};

#[derive(Serialize)]
pub struct BreakpointSet<'a> {
    pub file: &'a str,
    pub line: u32,
    pub id: u32,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub more: Option<BreakpointMore<'a>>,
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

/// The result of setting a breakpoint: additions of version 2.
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
pub struct Breakpoints<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    pub breakpoints: Vec<Breakpoint<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct BreakpointChanged<'a> {
    pub reason: &'static str,
    pub breakpoint: Breakpoint<'a>,
}

#[derive(Serialize)]
pub struct Locations<'a> {
    pub file: &'a str,
    pub locations: Vec<Position>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartOf>,
}

#[derive(Serialize)]
pub struct ExceptionBreakpoints<'a> {
    pub filters: Vec<ExceptionFilter<'a>>,
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

#[derive(Serialize)]
pub struct BreakpointCleared<'a> {
    pub file: &'a str,
    pub line: u32,
}
