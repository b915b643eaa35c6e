//! The report of a run-time error.

use std::path::Path;

use serde_json::json;

use crate::api::Frame;
use ez_runtime::diagnostics::{Colour, Diagnostic, json_report, render_with_notes};
use ez_runtime::source::SourceMap;

/// Number of calls shown at each end of a long stack.
const SHOWN: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportForm {
    /// Text for people.
    Text(Colour),
    /// JSON, one object a line.
    Json,
}

/// The report of a run-time error, with the calls in progress, innermost first; ends with a line end.
pub fn failure_report(
    diagnostic: &Diagnostic,
    stack: &[Frame],
    sources: &SourceMap,
    form: ReportForm,
) -> String {
    let report = match form {
        ReportForm::Json => with_stack(diagnostic, stack, sources),
        ReportForm::Text(colour) => {
            render_with_notes(diagnostic, &calls(stack, sources), sources, colour).to_string()
        }
    };
    report + "\n"
}

/// The name of a file in reports.
fn shown_name(path: &Path, sources: &SourceMap) -> String {
    sources.by_path(path).map_or_else(|| path.display().to_string(), |file| file.name.clone())
}

/// A run-time error as JSON: a report with a `stack`, innermost call first.
fn with_stack(diagnostic: &Diagnostic, stack: &[Frame], sources: &SourceMap) -> String {
    let mut report = json_report(diagnostic, sources);
    let frames: Vec<serde_json::Value> = stack
        .iter()
        .map(|frame| {
            let at = &frame.location;
            let file = shown_name(&at.path, sources);
            json!({"function": frame.function, "file": file, "line": at.line, "column": at.column})
        })
        .collect();
    if let Some(fields) = report.as_object_mut() {
        fields.insert("stack".into(), frames.into());
    }
    report.to_string()
}

/// A line for each call, but for the middle of a long stack.
fn calls(stack: &[Frame], sources: &SourceMap) -> Vec<String> {
    let mut notes = Vec::new();
    let hidden = if stack.len() > 2 * SHOWN + 1 { SHOWN..stack.len() - SHOWN } else { 0..0 };
    for (index, frame) in stack.iter().enumerate() {
        if index == hidden.start && !hidden.is_empty() {
            notes.push(format!("{} more calls", hidden.len()));
        }
        if hidden.contains(&index) {
            continue;
        }
        let place = &frame.location;
        let file = shown_name(&place.path, sources);
        notes.push(format!("in {} at {file}:{}:{}", frame.function, place.line, place.column));
    }
    notes
}
