//! Commands about breakpoints.

use serde_json::value::RawValue;

use super::parameters::{
    COLUMN, CONDITION, ENABLED, FILE, FRAME_INDEX, HIT_CONDITION, LINE, LOG_MESSAGE, SOURCE, file, place,
    required_file,
};
use super::variables::{NAME, WITHIN, part};
use super::{Ask, Command, Context, ask};
use crate::protocol::ez::breakpoints::{FILTERS, breakpoint, breakpoint_changed, breakpoint_more, filters};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::{self, BreakpointMore, ExceptionFilter, Location, PartOf, written};
use crate::protocol::parameter::{
    Objects, Optional, Required, Text, TextOrNull, Whole, Word, Words, parameters,
};
use crate::protocol::params::{Declarations, Params};
use ez_engine::api::{
    self, Breakpoint, BreakpointChange, BreakpointId, BreakpointOptions, ChangeBreakpoint, ChangeReason,
    ClearBreakpoint, DataSpec, DataTarget, DisableBreakpoint, EnableBreakpoint, ExceptionSpec, FunctionSpec,
    GetBreakpoints, GetLocations, LineSpec, OptionsChange, Position, Question, RemoveBreakpoint,
    SetBreakpoint, SetBreakpoints, SetDataBreakpoints, SetExceptionBreakpoints, SetFunctionBreakpoints,
};

pub const COMMANDS: &[Command] = &[
    Command::new("setBreakpoint", "Sets a breakpoint at a line.", set_breakpoint)
        .takes(&[&FILE, &LINE, &CONDITION, &COLUMN, &HIT_CONDITION, &LOG_MESSAGE, &ENABLED, &SOURCE])
        .answered_by(&["breakpointSet"]),
    Command::new("clearBreakpoint", "Removes the breakpoint of a line.", clear_breakpoint)
        .takes(&[&FILE, &LINE, &SOURCE])
        .answered_by(&["breakpointCleared"]),
    Command::since_2("setBreakpoints", "Replaces all breakpoints of a file.", set_breakpoints)
        .takes(&[&FILE, &LINE_BREAKPOINTS, &SOURCE])
        .answered_by(&["breakpoints"]),
    Command::since_2("getBreakpoints", "Asks for the breakpoints at lines.", get_breakpoints)
        .takes(&[&FILE.always().about("Only those of this file."), &SOURCE])
        .answered_by(&["breakpoints"]),
    Command::since_2("enableBreakpoint", "Lets a breakpoint be hit again.", |params, _| {
        changed(EnableBreakpoint(id(params)?))
    })
    .takes(&[&ID])
    .answered_by(CHANGED),
    Command::since_2("disableBreakpoint", "Keeps a breakpoint from being hit.", |params, _| {
        changed(DisableBreakpoint(id(params)?))
    })
    .takes(&[&ID])
    .answered_by(CHANGED),
    Command::since_2("removeBreakpoint", "Removes a breakpoint of any kind.", |params, _| {
        changed(RemoveBreakpoint(id(params)?))
    })
    .takes(&[&ID])
    .answered_by(CHANGED),
    Command::since_2(
        "setCondition",
        "Changes the options of a breakpoint; `null` takes one away.",
        set_condition,
    )
    .takes(&[&ID, &NEW_CONDITION, &NEW_HIT_CONDITION, &NEW_LOG_MESSAGE])
    .answered_by(CHANGED),
    Command::since_2("breakpointLocations", "Asks where breakpoints can be set.", breakpoint_locations)
        .takes(&[&FILE, &LINE.about("The first line."), &END_LINE, &SOURCE])
        .answered_by(&["breakpointLocations"])
        .of_program()
        .capability("breakpointLocations"),
    Command::since_2(
        "setFunctionBreakpoints",
        "Replaces all breakpoints at functions.",
        set_function_breakpoints,
    )
    .takes(&[&FUNCTION_BREAKPOINTS])
    .answered_by(&["functionBreakpoints"])
    .capability("functionBreakpoints"),
    Command::since_2("setExceptionBreakpoints", "Says at which errors to stop.", set_exception_breakpoints)
        .takes(&[&FILTER_NAMES, &FILTER_OPTIONS])
        .answered_by(&["exceptionBreakpoints"])
        .capability("exceptionBreakpoints"),
    Command::since_2("setDataBreakpoints", "Replaces all breakpoints at writes.", set_data_breakpoints)
        .takes(&[&DATA_BREAKPOINTS])
        .answered_by(&["dataBreakpoints"])
        .capability("dataBreakpoints"),
];

const CHANGED: &[&str] = &["breakpointChanged"];

parameters! {
    /// The breakpoint.
    ID: Required<Whole> = "id", Whole::POSITIVE;
    /// The last line (default: `line`).
    END_LINE: Optional<Whole> = "endLine", Whole::POSITIVE;
    /// The new breakpoints.
    LINE_BREAKPOINTS: Required<Objects<LineSpec>> = "breakpoints",
        Objects(&[&LINE, &COLUMN, &CONDITION, &HIT_CONDITION, &LOG_MESSAGE, &ENABLED], line_spec);
    /// The new breakpoints.
    FUNCTION_BREAKPOINTS: Required<Objects<FunctionSpec>> = "breakpoints",
        Objects(&[&FUNCTION, &CONDITION, &HIT_CONDITION, &LOG_MESSAGE, &ENABLED], function_spec);
    /// The function: `f` or `module.f`.
    FUNCTION: Required<Text> = "name", Text;
    /// The new breakpoints.
    DATA_BREAKPOINTS: Required<Objects<DataSpec>> = "breakpoints", Objects(DATA_BREAKPOINT, data_spec);
    /// Watches what this data breakpoint watches.
    SAME: Optional<Whole> = "id", Whole::POSITIVE;
    /// The errors.
    FILTER_NAMES: Optional<Words<api::ExceptionFilter>> = "filters", Words(&FILTERS), unless(&["filterOptions"]);
    /// Filters with a condition.
    FILTER_OPTIONS: Optional<Objects<ExceptionSpec>> = "filterOptions",
        Objects(&[&FILTER_ID, &CONDITION], exception_spec);
    /// The filter.
    FILTER_ID: Required<Word<api::ExceptionFilter>> = "filterId", Word(&FILTERS);
}

const NEW_CONDITION: Optional<TextOrNull> =
    Optional::new("condition", TextOrNull, CONDITION.about).unless(&["hitCondition", "logMessage"]);
const NEW_HIT_CONDITION: Optional<TextOrNull> =
    Optional::new("hitCondition", TextOrNull, HIT_CONDITION.about);
const NEW_LOG_MESSAGE: Optional<TextOrNull> = Optional::new("logMessage", TextOrNull, LOG_MESSAGE.about);

/// A breakpoint in `setDataBreakpoints`.
const DATA_BREAKPOINT: Declarations = &[
    &NAME.optional().unless(&["id"]),
    &FRAME_INDEX,
    &WITHIN.about("The value whose part is watched."),
    &SAME,
    &CONDITION,
    &HIT_CONDITION,
    &ENABLED,
];

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<BreakpointSetData>("breakpointSet", 1, "Answers `setBreakpoint`.").is::<wire::Breakpoint>(),
    event::<BreakpointClearedData>("breakpointCleared", 1, "Answers `clearBreakpoint`."),
    event::<BreakpointsData>("breakpoints", 2, "The breakpoints of a file, or all at lines.")
        .divided("breakpoints"),
    event::<AllBreakpointsData>("functionBreakpoints", 2, "All breakpoints at functions.")
        .divided("breakpoints"),
    event::<AllBreakpointsData>("dataBreakpoints", 2, "All breakpoints at writes.").divided("breakpoints"),
    event::<LocationsData>("breakpointLocations", 2, "Where breakpoints can be set.").divided("locations"),
    event::<ExceptionBreakpointsData>("exceptionBreakpoints", 2, "The errors at which the program stops."),
];

written! {
    struct BreakpointSetData<'a> {
        /// The file as it was requested.
        file: &'a str,
        /// The line as it was requested.
        line: u32 = 1..,
        /// The breakpoint.
        id: u32 = 1..,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(with = "BreakpointMore"))]
        more: Option<BreakpointMore<'a>>,
    }

    struct BreakpointClearedData<'a> {
        /// The file as it was requested.
        file: &'a str,
        /// The line as it was requested.
        line: u32 = 1..,
    }

    struct BreakpointsData<'a> {
        /// The file as it was requested.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str>,
        /// The breakpoints, in the order of the request.
        breakpoints: Vec<wire::Breakpoint<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    /// The data of `functionBreakpoints` and `dataBreakpoints`.
    struct AllBreakpointsData<'a> {
        /// The breakpoints, in the order of the request.
        breakpoints: Vec<wire::Breakpoint<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    struct LocationsData<'a> {
        /// The file as it was requested.
        file: &'a str,
        /// Where breakpoints can be set.
        locations: Vec<Location<'a>>,
        #[serde(flatten, skip_serializing_if = "Option::is_none")]
        part: Option<PartOf>,
    }

    struct ExceptionBreakpointsData<'a> {
        /// The filters that stop the program.
        filters: Vec<ExceptionFilter<'a>>,
    }
}

fn id(params: &Params) -> Result<BreakpointId, String> {
    ID.read(params).map(BreakpointId)
}

fn options(params: &Params) -> Result<BreakpointOptions, String> {
    let log_message = LOG_MESSAGE.read(params)?;
    Ok(BreakpointOptions { log_message, ..options_but_message(params)? })
}

/// The options that breakpoints of all kinds have.
fn options_but_message(params: &Params) -> Result<BreakpointOptions, String> {
    Ok(BreakpointOptions {
        condition: CONDITION.read(params)?,
        hit_condition: HIT_CONDITION.read(params)?,
        log_message: None,
        enabled: ENABLED.read(params)?.unwrap_or(true),
    })
}

fn line_spec(params: &Params) -> Result<LineSpec, String> {
    Ok(LineSpec { place: place(params)?, options: options(params)? })
}

fn function_spec(params: &Params) -> Result<FunctionSpec, String> {
    Ok(FunctionSpec { name: FUNCTION.read(params)?, options: options(params)? })
}

fn exception_spec(params: &Params) -> Result<ExceptionSpec, String> {
    Ok(ExceptionSpec { filter: FILTER_ID.read(params)?, condition: CONDITION.read(params)? })
}

fn data_spec(params: &Params) -> Result<DataSpec, String> {
    let target = match SAME.read(params)? {
        Some(id) => DataTarget::Same(BreakpointId(id)),
        None => {
            let (container, name) = part(params)?;
            DataTarget::Named { container, name }
        }
    };
    // So that it is refused where it is given.
    let log_message = LOG_MESSAGE.read(&params.undeclared())?;
    Ok(DataSpec { target, options: BreakpointOptions { log_message, ..options_but_message(params)? } })
}

fn set_breakpoint(params: &Params, _: Context) -> Result<Ask, String> {
    let (file, spec) = (required_file(params)?, line_spec(params)?);
    let line = spec.place.line;
    ask(SetBreakpoint { file: file.clone(), spec }, move |client, asked, set, out| {
        let more = client
            .speaks_2()
            .then(|| BreakpointMore { verified: Some(set.verified), ..breakpoint_more(set) });
        let data = BreakpointSetData { file: &file, line, id: set.id.0, more };
        out.add("breakpointSet", data, asked.id());
    })
}

fn clear_breakpoint(params: &Params, _: Context) -> Result<Ask, String> {
    let (file, line) = (required_file(params)?, LINE.read(params)?);
    ask(ClearBreakpoint { file: file.clone(), line }, move |_, asked, (), out| {
        out.add("breakpointCleared", BreakpointClearedData { file: &file, line }, asked.id());
    })
}

fn set_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    let file = required_file(params)?;
    let specs = LINE_BREAKPOINTS.read(params)?;
    ask(SetBreakpoints::new(file.clone(), specs), move |_, asked, all, out| {
        breakpoints(out, Some(&file), all, asked.id());
    })
}

fn get_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    let file = file(params)?;
    ask(GetBreakpoints { file: file.clone() }, move |_, asked, all, out| {
        breakpoints(out, file.as_deref(), all, asked.id());
    })
}

/// Writes the event `breakpoints`.
fn breakpoints(out: &mut Sink, file: Option<&str>, all: &[Breakpoint], id: Option<&RawValue>) {
    let all = all.iter().map(breakpoint).collect();
    // The room that the file's name may need is left free.
    paged(all, out.limit(LIST_LIMIT - 6 * 1024), id, |breakpoints, part, id| {
        out.add("breakpoints", BreakpointsData { file, breakpoints, part }, id);
    });
}

/// Writes the event with all breakpoints of another kind.
fn all_breakpoints(out: &mut Sink, event: &'static str, all: &[Breakpoint], id: Option<&RawValue>) {
    let all = all.iter().map(breakpoint).collect();
    paged(all, out.limit(LIST_LIMIT - 256), id, |breakpoints, part, id| {
        out.add(event, AllBreakpointsData { breakpoints, part }, id);
    });
}

/// Asks for the change of one breakpoint.
fn changed(question: impl Question<Answer = BreakpointChange>) -> Result<Ask, String> {
    ask(question, |_, asked, BreakpointChange { breakpoint, removed }, out| {
        let reason = if *removed { ChangeReason::Removed } else { ChangeReason::Changed };
        breakpoint_changed(out, breakpoint, reason, None, asked.id());
    })
}

fn set_condition(params: &Params, _: Context) -> Result<Ask, String> {
    let change = OptionsChange {
        condition: NEW_CONDITION.read(params)?,
        hit_condition: NEW_HIT_CONDITION.read(params)?,
        log_message: NEW_LOG_MESSAGE.read(params)?,
    };
    if change == OptionsChange::default() {
        return Err(NEW_CONDITION.missing(params));
    }
    changed(ChangeBreakpoint(id(params)?, change))
}

fn breakpoint_locations(params: &Params, _: Context) -> Result<Ask, String> {
    let first = LINE.read(params)?;
    let last = END_LINE.with(Whole(first, u32::MAX)).read(params)?.unwrap_or(first);
    let file = required_file(params)?;
    ask(GetLocations { file: file.clone(), first, last }, move |_, asked, all, out| {
        let place = |at: &Position| Location { file: None, line: at.line, column: at.column };
        let all = all.iter().map(place).collect();
        paged(all, out.limit(LIST_LIMIT - 6 * 1024), asked.id(), |locations, part, id| {
            out.add("breakpointLocations", LocationsData { file: &file, locations, part }, id);
        });
    })
}

fn set_function_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    ask(SetFunctionBreakpoints::new(FUNCTION_BREAKPOINTS.read(params)?), |_, asked, all, out| {
        all_breakpoints(out, "functionBreakpoints", all, asked.id());
    })
}

fn set_data_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    ask(SetDataBreakpoints::new(DATA_BREAKPOINTS.read(params)?), |_, asked, all, out| {
        all_breakpoints(out, "dataBreakpoints", all, asked.id());
    })
}

fn set_exception_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    ask(SetExceptionBreakpoints::new(exceptions(params)?), |_, asked, all, out| {
        let data = ExceptionBreakpointsData { filters: filters(all) };
        out.add("exceptionBreakpoints", data, asked.id());
    })
}

fn exceptions(params: &Params) -> Result<Vec<ExceptionSpec>, String> {
    let filters = FILTER_NAMES.read(params)?;
    let conditions = FILTER_OPTIONS.read(params)?;
    let filters = filters
        .or_else(|| conditions.is_some().then(Vec::new))
        .ok_or_else(|| FILTER_NAMES.missing(params))?;
    let mut specs: Vec<ExceptionSpec> =
        filters.into_iter().map(|filter| ExceptionSpec { filter, condition: None }).collect();
    // An item of `conditions` selects its filter, or adds to one in `filters`.
    for spec in conditions.unwrap_or_default() {
        specs.retain(|known| known.filter != spec.filter);
        specs.push(spec);
    }
    Ok(specs)
}
