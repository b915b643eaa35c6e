//! Requests about breakpoints, and breakpoints in the form of the Debug Adapter Protocol.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::protocol::json::cut;
use crate::protocol::params::{ECHO_LIMIT, Params};
use crate::protocol::{Messages, Received};
use ez_engine::api::{
    Breakpoint, BreakpointLocation, BreakpointOptions, ExceptionBreakpoint, ExceptionFilter, ExceptionSpec,
    FunctionSpec, GetLocations, LineLocation, LineSpec, Position, SetBreakpoints, SetExceptionBreakpoints,
    SetFunctionBreakpoints, Status,
};

use super::client::Client;
use super::decode::RequestHeader;
use super::wire::Source;
use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler};

const WITHOUT_DEBUGGING: &str = "the program runs without debugging";

/// Names of the exception filters in the protocol.
const FILTERS: [(&str, ExceptionFilter); 2] =
    [("uncaught", ExceptionFilter::Uncaught), ("errorValue", ExceptionFilter::ErrorValue)];

/// The protocol's type `Breakpoint`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WireBreakpoint {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl WireBreakpoint {
    /// A breakpoint that could not be set, with the reason.
    pub fn refused(why: &str) -> WireBreakpoint {
        WireBreakpoint {
            id: None,
            verified: false,
            message: Some(why.into()),
            source: None,
            line: None,
            column: None,
            reason: Some("failed"),
        }
    }

    /// A breakpoint of the session. `pending`: the program is not loaded yet, so that it may still be
    /// verified.
    pub fn new(breakpoint: &Breakpoint, client: &Client, pending: bool) -> WireBreakpoint {
        let Breakpoint { place, location, verified, message, .. } = breakpoint;
        let (source, line, column) = match (location, place) {
            (Some(at), _) => {
                let column = client.column_in(&at.path, at.line, at.column);
                (Some(client.source(&at.path)), Some(at.line), Some(column))
            }
            (None, BreakpointLocation::Line { path, place, .. }) => {
                let column = place.column.map(|column| client.column_in(path, place.line, column));
                (Some(client.source(path)), Some(place.line), column)
            }
            (None, BreakpointLocation::Function { .. } | BreakpointLocation::Data { .. }) => {
                (None, None, None)
            }
        };
        let reason = if pending { "pending" } else { "failed" };
        WireBreakpoint {
            id: Some(client.numbers.of(breakpoint.id)),
            verified: *verified,
            message: message.clone(),
            source,
            line: line.map(|line| client.line(line)),
            column,
            reason: (!verified).then_some(reason),
        }
    }
}

/// An exception filter, as a breakpoint.
fn exception(set: &ExceptionBreakpoint) -> WireBreakpoint {
    match &set.message {
        Some(why) => WireBreakpoint::refused(why),
        None => WireBreakpoint { verified: true, message: None, reason: None, ..WireBreakpoint::refused("") },
    }
}

/// The body of the response to `setExceptionBreakpoints`. `why` has, for each filter of the request, why it
/// was refused, or `None` if it was set; `set` are the latter.
pub fn exceptions(why: &[Option<String>], set: &[ExceptionBreakpoint]) -> Vec<WireBreakpoint> {
    let mut set = set.iter();
    let answer = |why: &Option<String>| match why {
        Some(why) => WireBreakpoint::refused(why),
        None => set.next().map_or_else(|| WireBreakpoint::refused("it was not set"), exception),
    };
    why.iter().map(answer).collect()
}

/// Options of a breakpoint. Empty strings count as missing, since clients send them for fields left empty.
pub fn options(params: &Params) -> Result<BreakpointOptions, String> {
    let text = |name| Ok::<_, String>(params.text(name)?.filter(|text| !text.trim().is_empty()));
    Ok(BreakpointOptions {
        condition: text("condition")?.map(str::to_string),
        hit_condition: text("hitCondition")?.map(str::to_string),
        log_message: text("logMessage")?.map(str::to_string),
        enabled: true,
    })
}

pub const REQUESTS: &[(&str, Handler)] = &[
    ("setBreakpoints", DapFrontEnd::set_breakpoints),
    ("setFunctionBreakpoints", DapFrontEnd::set_function_breakpoints),
    ("setExceptionBreakpoints", DapFrontEnd::set_exception_breakpoints),
    ("breakpointLocations", DapFrontEnd::breakpoint_locations),
];

impl DapFrontEnd {
    /// Answers a request about breakpoints that cannot be set, for this reason.
    fn refuse_breakpoints(
        &mut self,
        from: &RequestHeader,
        count: usize,
        why: &str,
        work: &mut Vec<Received>,
    ) {
        let all: Vec<WireBreakpoint> = (0..count).map(|_| WireBreakpoint::refused(why)).collect();
        self.answer_now(from, Some(json!({ "breakpoints": all })), work);
    }

    /// Why no breakpoints can be set, if so.
    fn without_breakpoints(&self) -> Option<&'static str> {
        match (self.debugging.off, self.part.is_observer()) {
            (true, _) => Some(WITHOUT_DEBUGGING),
            (false, true) => Some("an observer sets no breakpoints"),
            (false, false) => None,
        }
    }

    fn set_breakpoints(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let file = self.client().path_of(params, "source")?;
        self.learn_columns(&file);
        let client = self.client();
        let spec = |item: &Params| {
            let line = item.required("line", client.line_of(item, "line")?)?;
            let column = client.column_of(item, "column")?;
            let column = column.map(|column| client.own_column_in(Path::new(&file), line, column));
            let place = LineLocation { line, column };
            Ok(LineSpec { place, options: options(item)? })
        };
        let specs = match params.objects("breakpoints", spec)? {
            Some(specs) => specs,
            None => params
                .numbers("lines", client.first_line)?
                .into_iter()
                .map(|line| LineSpec::from(line - client.first_line + 1))
                .collect(),
        };
        if let Some(why) = self.without_breakpoints() {
            self.refuse_breakpoints(from, specs.len(), why, work);
            return Ok(());
        }
        self.breakpoints.add_file(&file);
        self.note_breakpoints(&file, params.get("breakpoints"));
        let mut wanted = SetBreakpoints::new(file, specs);
        wanted.others.disables = self.part.is_told;
        self.ask(from, wanted, work, |this, from, all, out| {
            this.breakpoints_set(from, all, out);
        });
        Ok(())
    }

    fn set_function_breakpoints(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let spec = |item: &Params| {
            let name = item.required_text("name")?.trim().to_string();
            Ok(FunctionSpec { name, options: options(item)? })
        };
        let specs = params.objects("breakpoints", spec)?.unwrap_or_default();
        if let Some(why) = self.without_breakpoints() {
            self.refuse_breakpoints(from, specs.len(), why, work);
            return Ok(());
        }
        self.ask(from, SetFunctionBreakpoints::new(specs), work, |this, from, all, out| {
            this.breakpoints_set(from, all, out);
        });
        Ok(())
    }

    fn set_exception_breakpoints(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        let named = params.texts("filters")?.unwrap_or_default().into_iter().map(|name| (name, None));
        let with_options = params.objects("filterOptions", |item| {
            let condition = item.text("condition")?.filter(|text| !text.trim().is_empty());
            Ok((item.required_text("filterId")?, condition.map(str::to_string)))
        })?;
        let wanted: Vec<(String, Option<String>)> = named.chain(with_options.unwrap_or_default()).collect();
        self.expect_no_more();
        if let Some(why) = self.without_breakpoints() {
            self.refuse_breakpoints(from, wanted.len(), why, work);
            return Ok(());
        }
        let mut why = Vec::new();
        let mut specs = Vec::new();
        for (name, condition) in wanted {
            match FILTERS.iter().find(|(known, _)| *known == name) {
                Some((_, filter)) => {
                    why.push(None);
                    specs.push(ExceptionSpec { filter: *filter, condition });
                }
                None => why.push(Some(format!("there is no filter '{}'", cut(&name, ECHO_LIMIT)))),
            }
        }
        self.ask(from, SetExceptionBreakpoints::new(specs), work, move |this, from, set, out| {
            this.numbering.success(out, from, Some(json!({"breakpoints": exceptions(&why, set)})));
        });
        Ok(())
    }

    fn breakpoint_locations(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        if self.phase == Status::NotInitialized {
            return Err("no program is launched".into());
        }
        let file = self.client().path_of(params, "source")?;
        self.learn_columns(&file);
        let client = self.client();
        let first = params.required("line", client.line_of(params, "line")?)?;
        let last = client.line_of(params, "endLine")?.unwrap_or(first);
        let begin = client.column_of(params, "column")?.unwrap_or(1);
        let end = client.column_of(params, "endColumn")?.unwrap_or(u32::MAX);
        let own = |line, column| client.own_column_in(Path::new(&file), line, column);
        let range = ((first, own(first, begin)), (last, own(last, end)));
        let question = GetLocations { file: file.clone(), first, last };
        self.ask(from, question, work, move |this, from, all, out| {
            let (client, path, (first, last)) = (this.client(), Path::new(&file), range);
            let within = |at: &&Position| (first..=last).contains(&(at.line, at.column));
            let shown = |at: &Position| json!({"line": client.line(at.line), "column": client.column_in(path, at.line, at.column)});
            let locations: Vec<Value> = all.iter().filter(within).map(shown).collect();
            this.numbering.success(out, from, Some(json!({ "breakpoints": locations })));
        });
        Ok(())
    }

    /// Line or function breakpoints are set.
    fn breakpoints_set(&mut self, from: &RequestHeader, all: &[Breakpoint], out: &mut Messages) {
        self.breakpoints.add(all);
        let (client, pending) = (self.client(), self.phase == Status::NotInitialized);
        let in_cell = |place: &BreakpointLocation| match place {
            BreakpointLocation::Line { path, .. } => {
                self.cells.as_ref().is_some_and(|cells| cells.is_cell(&path.to_string_lossy()))
            }
            BreakpointLocation::Function { .. } | BreakpointLocation::Data { .. } => false,
        };
        let shown = |breakpoint: &Breakpoint| match breakpoint.location {
            // The cell has not run yet. Notebooks show only breakpoints that are verified.
            None if in_cell(&breakpoint.place) => WireBreakpoint {
                verified: true,
                message: None,
                reason: None,
                ..WireBreakpoint::new(breakpoint, &client, pending)
            },
            _ => WireBreakpoint::new(breakpoint, &client, pending),
        };
        let all: Vec<WireBreakpoint> = all.iter().map(shown).collect();
        self.numbering.success(out, from, Some(json!({ "breakpoints": all })));
    }
}
