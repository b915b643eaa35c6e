//! Breakpoints and exception filters as they are written, and the events about them.

use serde_json::value::RawValue;

use crate::protocol::json::cut_json;
use ez_engine::api::{
    Breakpoint, BreakpointLocation, ChangeReason, ExceptionBreakpoint, ExceptionFilter, LineLocation,
};

use super::encode::{SMALL_LIMIT, TEXT_LIMIT, path_text};
use super::sink::Sink;
use super::wire;

/// Names of the exception filters in the protocol.
pub const FILTERS: [(&str, ExceptionFilter); 2] =
    [("uncaught", ExceptionFilter::Uncaught), ("errorValue", ExceptionFilter::ErrorValue)];

/// Maximum size of each text in a breakpoint, in bytes.
const TEXT: usize = 2 * 1024;

/// The options and the state of a breakpoint, as they are written.
pub fn breakpoint_more(breakpoint: &Breakpoint) -> wire::BreakpointMore<'_> {
    let text =
        |text: &'_ Option<String>| text.as_deref().map(|text| cut_json(text, TEXT).into_owned().into());
    let options = &breakpoint.options;
    wire::BreakpointMore {
        verified: None,
        actual_line: breakpoint.location.as_ref().map(|location| location.line),
        column: breakpoint.location.as_ref().map(|location| location.column),
        enabled: options.enabled,
        condition: text(&options.condition),
        hit_condition: text(&options.hit_condition),
        log_message: text(&options.log_message),
        hits: breakpoint.hits,
        message: text(&breakpoint.message),
    }
}

/// A breakpoint of any kind, as it is written.
pub fn breakpoint(breakpoint: &Breakpoint) -> wire::Breakpoint<'_> {
    let mut described = wire::Breakpoint {
        id: breakpoint.id.0,
        verified: breakpoint.verified,
        name: None,
        description: None,
        file: None,
        line: None,
        more: breakpoint_more(breakpoint),
    };
    match &breakpoint.place {
        BreakpointLocation::Line { file, place, .. } => {
            described.file = Some(file);
            described.line = Some(place.line);
        }
        BreakpointLocation::Function { name } => {
            described.name = Some(cut_json(name, SMALL_LIMIT));
            described.file = breakpoint.location.as_ref().map(|location| path_text(&location.path));
        }
        BreakpointLocation::Data { description } => {
            described.description = Some(cut_json(description, SMALL_LIMIT));
        }
    }
    described
}

/// Writes the event `breakpointChanged`.
pub fn breakpoint_changed(
    out: &mut Sink,
    changed: &Breakpoint,
    reason: ChangeReason,
    by: Option<&str>,
    id: Option<&RawValue>,
) {
    let data = wire::BreakpointChanged { reason: reason.name(), breakpoint: breakpoint(changed), by };
    out.add("breakpointChanged", data, id);
}

/// Exception filters, as they are written.
pub fn filters(all: &[ExceptionBreakpoint]) -> Vec<wire::ExceptionFilter<'_>> {
    let name = |filter| FILTERS.iter().find(|(_, known)| *known == filter).map_or("", |(name, _)| *name);
    let described = |breakpoint: &'_ ExceptionBreakpoint| wire::ExceptionFilter {
        filter_id: name(breakpoint.spec.filter),
        condition: breakpoint.spec.condition.as_deref().map(|text| cut_json(text, TEXT).into_owned().into()),
        message: breakpoint.message.as_deref().map(|text| cut_json(text, TEXT).into_owned().into()),
    };
    all.iter().map(described).collect()
}

/// Writes an `error` about a breakpoint whose condition is not valid.
pub fn wrong_condition(out: &mut Sink, breakpoint: &Breakpoint) {
    let Breakpoint { id, place, message, .. } = breakpoint;
    let why = message.as_deref().unwrap_or_default();
    let (named, location, command) = match place {
        BreakpointLocation::Line { file, path, place: LineLocation { line, column } } => {
            let column = column.unwrap_or(1);
            let location = wire::Location { file: Some(path_text(path)), line: *line, column };
            (format!("{file}:{line}"), Some(location), "setBreakpoint")
        }
        BreakpointLocation::Function { name } => (name.clone(), None, "setFunctionBreakpoints"),
        BreakpointLocation::Data { description } => (description.clone(), None, "setDataBreakpoints"),
    };
    let message = format!("Breakpoint {} ({named}): {why}", id.0);
    let data = wire::Report {
        message: cut_json(&message, TEXT_LIMIT).into_owned().into(),
        location,
        command: Some(command),
        breakpoint_id: Some(id.0),
        ..wire::Report::default()
    };
    out.error(&data, None);
}
