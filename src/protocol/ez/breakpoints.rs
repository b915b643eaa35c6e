//! Events about breakpoints.

use serde_json::value::RawValue;

use crate::api::{self, Breakpoint, BreakpointPlace, ExceptionBreakpoint, LinePlace};
use crate::protocol::json::cut_json;

use super::commands::FILTERS;
use super::encode::{LIST_LIMIT, SMALL_LIMIT, TEXT_LIMIT, path_text};
use super::parts::paged;
use super::sink::Sink;
use super::wire;

/// Maximum size of each text in a breakpoint, in bytes.
const TEXT: usize = 2 * 1024;

/// Writes the event `breakpointSet`; `more`: with the additions of version 2.
pub fn breakpoint_set(
    out: &mut Sink,
    (file, line): (&str, u32),
    breakpoint: &Breakpoint,
    more: bool,
    id: Option<&RawValue>,
) {
    let more = more
        .then(|| wire::BreakpointMore { verified: Some(breakpoint.verified), ..breakpoint_more(breakpoint) });
    out.add("breakpointSet", wire::BreakpointSet { file, line, id: breakpoint.id.0, more }, id);
}

fn breakpoint_more(breakpoint: &Breakpoint) -> wire::BreakpointMore<'_> {
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
        BreakpointPlace::Line { file, place, .. } => {
            described.file = Some(file);
            described.line = Some(place.line);
        }
        BreakpointPlace::Function { name } => {
            described.name = Some(cut_json(name, SMALL_LIMIT));
            described.file = breakpoint.location.as_ref().map(|location| path_text(&location.path));
        }
        BreakpointPlace::Data { description } => {
            described.description = Some(cut_json(description, SMALL_LIMIT));
        }
    }
    described
}

/// Writes the event `breakpoints`, or the one of the same form for another kind of breakpoint.
pub fn breakpoints(
    out: &mut Sink,
    event: &'static str,
    file: Option<&str>,
    all: &[Breakpoint],
    id: Option<&RawValue>,
) {
    let all = all.iter().map(breakpoint).collect();
    // The room that the file's name may need is left free.
    paged(all, out.limit(LIST_LIMIT - 6 * 1024), id, |breakpoints, part, id| {
        out.add(event, wire::Breakpoints { file, breakpoints, part }, id);
    });
}

/// Writes the event `breakpointChanged`.
pub fn breakpoint_changed(out: &mut Sink, changed: &Breakpoint, removed: bool, id: Option<&RawValue>) {
    let reason = if removed { "removed" } else { "changed" };
    out.add("breakpointChanged", wire::BreakpointChanged { reason, breakpoint: breakpoint(changed) }, id);
}

/// Writes the event `breakpointLocations`.
pub fn locations(out: &mut Sink, file: &str, all: &[api::Position], id: Option<&RawValue>) {
    let all = all.iter().map(|at| wire::Position { line: at.line, column: at.column }).collect();
    paged(all, out.limit(LIST_LIMIT - 6 * 1024), id, |locations, part, id| {
        out.add("breakpointLocations", wire::Locations { file, locations, part }, id);
    });
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

/// Writes the event `exceptionBreakpoints`.
pub fn exceptions(out: &mut Sink, all: &[ExceptionBreakpoint], id: Option<&RawValue>) {
    out.add("exceptionBreakpoints", wire::ExceptionBreakpoints { filters: filters(all) }, id);
}

/// Writes an `error` about a breakpoint whose condition is not valid.
pub fn wrong_condition(out: &mut Sink, breakpoint: &Breakpoint) {
    let Breakpoint { id, place, message, .. } = breakpoint;
    let why = message.as_deref().unwrap_or_default();
    let (named, location, command) = match place {
        BreakpointPlace::Line { file, path, place: LinePlace { line, column } } => {
            let column = column.unwrap_or(1);
            let location = wire::Location { file: Some(path_text(path)), line: *line, column };
            (format!("{file}:{line}"), Some(location), "setBreakpoint")
        }
        BreakpointPlace::Function { name } => (name.clone(), None, "setFunctionBreakpoints"),
        BreakpointPlace::Data { description } => (description.clone(), None, "setDataBreakpoints"),
    };
    let message = format!("Breakpoint {} ({named}): {why}", id.0);
    let data = wire::Report {
        message: cut_json(&message, TEXT_LIMIT).into_owned().into(),
        location,
        command: Some(command),
        breakpoint_id: Some(id.0),
        ..wire::Report::default()
    };
    out.add("error", data, None);
}
