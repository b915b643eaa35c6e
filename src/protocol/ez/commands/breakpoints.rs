//! Commands about breakpoints.

use serde::Serialize;
use serde_json::value::RawValue;

use super::running::place;
use super::signature::{
    COLUMN, CONDITION, ENABLED, FILE, FRAME_INDEX, HIT_CONDITION, Kind, LINE, LOG_MESSAGE, Parameter, SOURCE,
};
use super::variables::part;
use super::{Ask, Command, Context, ask};
use crate::protocol::ez::breakpoints::{FILTERS, breakpoint, breakpoint_changed, breakpoint_more, filters};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::LIST_LIMIT;
use crate::protocol::ez::parts::paged;
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::{self, BreakpointMore, ExceptionFilter, Location, PartOf};
use crate::protocol::params::Params;
use ez_engine::api::{
    Breakpoint, BreakpointChange, BreakpointId, BreakpointOptions, ChangeBreakpoint, ChangeReason,
    ClearBreakpoint, DataSpec, DataTarget, DisableBreakpoint, EnableBreakpoint, ExceptionSpec, FunctionSpec,
    GetBreakpoints, GetLocations, LineSpec, OptionsChange, Position, Question, RemoveBreakpoint,
    SetBreakpoint, SetBreakpoints, SetDataBreakpoints, SetExceptionBreakpoints, SetFunctionBreakpoints,
};

pub const COMMANDS: &[Command] = &[
    Command::new("setBreakpoint", "Sets a breakpoint at a line.", set_breakpoint)
        .takes(&[FILE, LINE, CONDITION, COLUMN, HIT_CONDITION, LOG_MESSAGE, ENABLED, SOURCE])
        .answered_by(&["breakpointSet"]),
    Command::new("clearBreakpoint", "Removes the breakpoint of a line.", clear_breakpoint)
        .takes(&[FILE, LINE, SOURCE])
        .answered_by(&["breakpointCleared"]),
    Command::since_2("setBreakpoints", "Replaces all breakpoints of a file.", set_breakpoints)
        .takes(&[
            FILE,
            Parameter::required("breakpoints", Kind::Objects(LINE_BREAKPOINT), "The new breakpoints."),
            SOURCE,
        ])
        .answered_by(&["breakpoints"]),
    Command::since_2("getBreakpoints", "Asks for the breakpoints at lines.", get_breakpoints)
        .takes(&[Parameter::optional("file", Kind::Path, "Only those of this file."), SOURCE])
        .answered_by(&["breakpoints"]),
    Command::since_2("enableBreakpoint", "Lets a breakpoint be hit again.", |params, _| {
        changed(EnableBreakpoint(id(params)?))
    })
    .takes(&[ID])
    .answered_by(CHANGED),
    Command::since_2("disableBreakpoint", "Keeps a breakpoint from being hit.", |params, _| {
        changed(DisableBreakpoint(id(params)?))
    })
    .takes(&[ID])
    .answered_by(CHANGED),
    Command::since_2("removeBreakpoint", "Removes a breakpoint of any kind.", |params, _| {
        changed(RemoveBreakpoint(id(params)?))
    })
    .takes(&[ID])
    .answered_by(CHANGED),
    Command::since_2(
        "setCondition",
        "Changes the options of a breakpoint; `null` takes one away.",
        set_condition,
    )
    .takes(&[
        ID,
        Parameter::required("condition", Kind::TextOrNull, CONDITION.about)
            .unless(&["hitCondition", "logMessage"]),
        Parameter::optional("hitCondition", Kind::TextOrNull, HIT_CONDITION.about),
        Parameter::optional("logMessage", Kind::TextOrNull, LOG_MESSAGE.about),
    ])
    .answered_by(CHANGED),
    Command::since_2("breakpointLocations", "Asks where breakpoints can be set.", breakpoint_locations)
        .takes(&[
            FILE,
            LINE.about("The first line."),
            Parameter::optional("endLine", Kind::POSITIVE, "The last line (default: `line`)."),
            SOURCE,
        ])
        .answered_by(&["breakpointLocations"])
        .of_program()
        .told_by("breakpointLocations"),
    Command::since_2(
        "setFunctionBreakpoints",
        "Replaces all breakpoints at functions.",
        set_function_breakpoints,
    )
    .takes(&[Parameter::required(
        "breakpoints",
        Kind::Objects(&[
            Parameter::required("name", Kind::Text, "The function: `f` or `module.f`."),
            CONDITION,
            HIT_CONDITION,
            LOG_MESSAGE,
            ENABLED,
        ]),
        "The new breakpoints.",
    )])
    .answered_by(&["functionBreakpoints"])
    .told_by("functionBreakpoints"),
    Command::since_2("setExceptionBreakpoints", "Says at which errors to stop.", set_exception_breakpoints)
        .takes(&[
            Parameter::required("filters", Kind::ListOfWords(FILTER_NAMES), "The errors.")
                .unless(&["filterOptions"]),
            Parameter::optional(
                "filterOptions",
                Kind::Objects(&[
                    Parameter::required("filterId", Kind::Words(FILTER_NAMES), "The filter."),
                    CONDITION,
                ]),
                "Filters with a condition.",
            ),
        ])
        .answered_by(&["exceptionBreakpoints"])
        .told_by("exceptionBreakpoints"),
    Command::since_2("setDataBreakpoints", "Replaces all breakpoints at writes.", set_data_breakpoints)
        .takes(&[Parameter::required(
            "breakpoints",
            Kind::Objects(&[
                Parameter::required("name", Kind::Text, "The variable, or the part of `reference`.")
                    .unless(&["id"]),
                FRAME_INDEX,
                Parameter::optional("reference", Kind::Reference, "The value whose part is watched."),
                Parameter::optional("id", Kind::POSITIVE, "Watches what this data breakpoint watches."),
                CONDITION,
                HIT_CONDITION,
                ENABLED,
            ]),
            "The new breakpoints.",
        )])
        .answered_by(&["dataBreakpoints"])
        .told_by("dataBreakpoints"),
];

const ID: Parameter = Parameter::required("id", Kind::POSITIVE, "The breakpoint.");
const CHANGED: &[&str] = &["breakpointChanged"];
const FILTER_NAMES: &[&str] = &["uncaught", "errorValue"];

/// A breakpoint in `setBreakpoints`.
const LINE_BREAKPOINT: &[Parameter] = &[LINE, COLUMN, CONDITION, HIT_CONDITION, LOG_MESSAGE, ENABLED];

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

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BreakpointSetData<'a> {
    /// The file as it was requested.
    file: &'a str,
    /// The line as it was requested.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u32,
    /// The breakpoint.
    #[cfg_attr(test, schemars(range(min = 1)))]
    id: u32,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "BreakpointMore"))]
    more: Option<BreakpointMore<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BreakpointClearedData<'a> {
    /// The file as it was requested.
    file: &'a str,
    /// The line as it was requested.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u32,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AllBreakpointsData<'a> {
    /// The breakpoints, in the order of the request.
    breakpoints: Vec<wire::Breakpoint<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LocationsData<'a> {
    /// The file as it was requested.
    file: &'a str,
    /// Where breakpoints can be set.
    locations: Vec<Location<'a>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<PartOf>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExceptionBreakpointsData<'a> {
    /// The filters that stop the program.
    filters: Vec<ExceptionFilter<'a>>,
}

fn id(params: &Params) -> Result<BreakpointId, String> {
    params.id("id").map(BreakpointId)
}

fn options(params: &Params) -> Result<BreakpointOptions, String> {
    let log_message = params.text("logMessage")?.map(str::to_string);
    Ok(BreakpointOptions { log_message, ..options_but_message(params)? })
}

/// The options that breakpoints of all kinds have.
fn options_but_message(params: &Params) -> Result<BreakpointOptions, String> {
    Ok(BreakpointOptions {
        condition: params.text("condition")?.map(str::to_string),
        hit_condition: params.text("hitCondition")?.map(str::to_string),
        log_message: None,
        enabled: params.choice("enabled")?.unwrap_or(true),
    })
}

fn line_spec(params: &Params) -> Result<LineSpec, String> {
    Ok(LineSpec { place: place(params)?, options: options(params)? })
}

/// The items of the parameter `breakpoints`.
fn specs<T>(params: &Params, spec: impl Fn(&Params) -> Result<T, String>) -> Result<Vec<T>, String> {
    params.required("breakpoints", params.objects("breakpoints", spec)?)
}

fn set_breakpoint(params: &Params, _: Context) -> Result<Ask, String> {
    let (file, spec) = (params.required_file()?, line_spec(params)?);
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
    let (file, line) = (params.required_file()?, params.line()?);
    ask(ClearBreakpoint { file: file.clone(), line }, move |_, asked, (), out| {
        out.add("breakpointCleared", BreakpointClearedData { file: &file, line }, asked.id());
    })
}

fn set_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    let file = params.required_file()?;
    let specs = specs(params, line_spec)?;
    ask(SetBreakpoints::new(file.clone(), specs), move |_, asked, all, out| {
        breakpoints(out, Some(&file), all, asked.id());
    })
}

fn get_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    let file = params.file()?;
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
        condition: params.text_change("condition")?,
        hit_condition: params.text_change("hitCondition")?,
        log_message: params.text_change("logMessage")?,
    };
    if change == OptionsChange::default() {
        return Err("missing parameter 'condition'".into());
    }
    changed(ChangeBreakpoint(id(params)?, change))
}

fn breakpoint_locations(params: &Params, _: Context) -> Result<Ask, String> {
    let first = params.line()?;
    let last = params.number("endLine", first, u32::MAX)?.unwrap_or(first);
    let file = params.required_file()?;
    ask(GetLocations { file: file.clone(), first, last }, move |_, asked, all, out| {
        let place = |at: &Position| Location { file: None, line: at.line, column: at.column };
        let all = all.iter().map(place).collect();
        paged(all, out.limit(LIST_LIMIT - 6 * 1024), asked.id(), |locations, part, id| {
            out.add("breakpointLocations", LocationsData { file: &file, locations, part }, id);
        });
    })
}

fn set_function_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    let spec =
        |item: &Params| Ok(FunctionSpec { name: item.required_text("name")?, options: options(item)? });
    ask(SetFunctionBreakpoints::new(specs(params, spec)?), |_, asked, all, out| {
        all_breakpoints(out, "functionBreakpoints", all, asked.id());
    })
}

fn set_data_breakpoints(params: &Params, _: Context) -> Result<Ask, String> {
    let spec = |item: &Params| {
        let target = match item.number("id", 1, u32::MAX)? {
            Some(id) => DataTarget::Same(BreakpointId(id)),
            None => {
                let (container, name) = part(item)?;
                DataTarget::Named { container, name }
            }
        };
        let log_message = item.undeclared_text("logMessage")?.map(str::to_string);
        Ok(DataSpec { target, options: BreakpointOptions { log_message, ..options_but_message(item)? } })
    };
    ask(SetDataBreakpoints::new(specs(params, spec)?), |_, asked, all, out| {
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
    let filters = params.words("filters", &FILTERS)?;
    let conditions = params.objects("filterOptions", |item| {
        let filter = item.required("filterId", item.word("filterId", &FILTERS)?)?;
        Ok(ExceptionSpec { filter, condition: item.text("condition")?.map(str::to_string) })
    })?;
    let filters = params.required("filters", filters.or_else(|| conditions.is_some().then(Vec::new)))?;
    let mut specs: Vec<ExceptionSpec> =
        filters.into_iter().map(|filter| ExceptionSpec { filter, condition: None }).collect();
    // An item of `conditions` selects its filter, or adds to one in `filters`.
    for spec in conditions.unwrap_or_default() {
        specs.retain(|known| known.filter != spec.filter);
        specs.push(spec);
    }
    Ok(specs)
}
