//! Translates commands to requests.

use crate::api::{
    BreakpointId, BreakpointOptions, BreakpointRequest, Container, DataSpec, DataTarget, Evaluate,
    ExceptionFilter, ExceptionSpec, FunctionSpec, Inspect, LastChangeQuery, Launch, Limits, LinePlace,
    LineSpec, OptionsChange, Purpose, Query, Request, Restart, Resume, Scope, SourceText, Travel, WatchId,
    WatchRequest,
};
use crate::protocol::json::cut;
use crate::protocol::params::{ECHO_LIMIT, Params};

/// Limits for values in version 1: as much as fits into an event.
pub const WHOLE: Limits = Limits { parts: usize::MAX, bytes: 20 * 1024 };

/// Limits for a value that the client wants in full.
pub const FULL: Limits = Limits { parts: usize::MAX, bytes: 1024 * 1024 };

/// Default number of frames in a `stackTrace`.
const FRAMES: u32 = 100;

/// Default and maximum number of parts in `children`.
const CHILDREN: u32 = 100;
const MAX_CHILDREN: u32 = 10_000;

/// Maximum of `timeout` in `evaluate`, in milliseconds.
const MAX_TIME: u32 = 600_000;

/// Translates a command of a client that uses this version of the protocol.
///
/// # Errors
/// What is wrong with the command, for the client.
pub fn command(name: &str, params: &Params, version: u32) -> Result<Request, String> {
    let limits = if version >= 2 { Limits::PREVIEW } else { WHOLE };
    let request = match name {
        "initialize" => Request::Initialize(Box::new(launch(params, limits)?)),
        "start" => Request::Start,
        "restart" => {
            Request::Restart(Box::new(Restart { args: params.texts("args")?, env: params.changes("env")? }))
        }
        "attach" => Request::Attach(Box::default()),
        "disconnect" => match params.flag("terminate")? {
            true => Request::Terminate,
            false => Request::Disconnect,
        },
        "pause" => Request::Pause,
        "kill" => Request::Kill,
        "terminate" => Request::Terminate,
        "input" => input(params)?,
        "addWatch" => Request::Watch(WatchRequest::Add(params.required_text("expression")?)),
        "removeWatch" => Request::Watch(WatchRequest::Remove(WatchId(params.id("id")?))),
        "getWatches" => Request::Watch(WatchRequest::List),
        "getState" => Request::Query(Query::State),
        "getThreads" => Request::Query(Query::Threads),
        "getModules" => Request::Query(Query::Modules),
        "getSource" => Request::Query(Query::Source { file: params.required_text("file")? }),
        name => {
            if let Some(how) = resume(name, params)? {
                return Ok(Request::Resume(how));
            }
            if version >= 2
                && let Some(travel) = travel(name, params)?
            {
                return Ok(Request::Resume(Resume::Travel(travel)));
            }
            if let Some(request) = breakpoint(name, params)? {
                return Ok(Request::Breakpoint(request));
            }
            let inspect = inspect(name, params, version, limits)?;
            let unknown = || format!("unknown command: {}", cut(name, ECHO_LIMIT));
            Request::Inspect(inspect.ok_or_else(unknown)?)
        }
    };
    Ok(request)
}

fn launch(params: &Params, limits: Limits) -> Result<Launch, String> {
    let source = params.object("source", |source| {
        let text = source.required_text("text")?;
        let name = source.path("name")?.unwrap_or_else(|| "<source>".into());
        Ok(SourceText { text, name })
    })?;
    Ok(Launch {
        file: params.path("file")?,
        source,
        working_dir: params.path("workingDir")?,
        args: params.texts("args")?.unwrap_or_default(),
        env: params.changes("env")?.unwrap_or_default(),
        stop_on_entry: params.choice("stopOnEntry")?,
        keep_alive: params.flag("keepAlive")?,
        history: params.flag("history")?,
        replay: params.path("replay")?,
        deny: params.capabilities("deny")?,
        memory_limit: params.size("memoryLimit")?,
        limits,
    })
}

fn input(params: &Params) -> Result<Request, String> {
    let (text, eof) = (params.text("text")?.map(str::to_string), params.flag("eof")?);
    if text.is_none() && !eof {
        return Err("missing parameter 'text'".into());
    }
    Ok(Request::Input { text, eof })
}

fn resume(name: &str, params: &Params) -> Result<Option<Resume>, String> {
    Ok(Some(match name {
        "stepInto" => match params.number("targetId", 1, u32::MAX)? {
            Some(target) => Resume::StepIntoTarget(target),
            None => Resume::StepInto,
        },
        "stepOver" => Resume::StepOver,
        "stepOut" => Resume::StepOut,
        "continue" => Resume::Continue,
        "runTo" => Resume::RunTo { file: params.required_path("file")?, place: place(params)? },
        _ => return Ok(None),
    }))
}

fn travel(name: &str, params: &Params) -> Result<Option<Travel>, String> {
    Ok(Some(match name {
        "stepBack" => Travel::StepBack,
        "stepBackOver" => Travel::StepBackOver,
        "stepBackOut" => Travel::StepBackOut,
        "reverseContinue" => Travel::ReverseContinue,
        "restartFrame" => Travel::RestartFrame(params.frame()?),
        "goToStep" => Travel::GoToStep(params.required("step", params.count("step", 1)?)?),
        "goToPresent" => Travel::GoToPresent,
        _ => return Ok(None),
    }))
}

fn place(params: &Params) -> Result<LinePlace, String> {
    Ok(LinePlace { line: params.line()?, column: params.number("column", 1, u32::MAX)? })
}

fn options(params: &Params) -> Result<BreakpointOptions, String> {
    Ok(BreakpointOptions {
        condition: params.text("condition")?.map(str::to_string),
        hit_condition: params.text("hitCondition")?.map(str::to_string),
        log_message: params.text("logMessage")?.map(str::to_string),
        enabled: params.choice("enabled")?.unwrap_or(true),
    })
}

fn line_spec(params: &Params) -> Result<LineSpec, String> {
    Ok(LineSpec { place: place(params)?, options: options(params)? })
}

fn breakpoint(name: &str, params: &Params) -> Result<Option<BreakpointRequest>, String> {
    let id = || params.id("id").map(BreakpointId);
    Ok(Some(match name {
        "setBreakpoint" => {
            BreakpointRequest::Set { file: params.required_path("file")?, spec: line_spec(params)? }
        }
        "clearBreakpoint" => {
            BreakpointRequest::Clear { file: params.required_path("file")?, line: params.line()? }
        }
        "setBreakpoints" => BreakpointRequest::SetAll {
            file: params.required_path("file")?,
            specs: params.required("breakpoints", params.objects("breakpoints", line_spec)?)?,
        },
        "getBreakpoints" => BreakpointRequest::List { file: params.path("file")? },
        "enableBreakpoint" => BreakpointRequest::Enable(id()?, true),
        "disableBreakpoint" => BreakpointRequest::Enable(id()?, false),
        "removeBreakpoint" => BreakpointRequest::Remove(id()?),
        "setCondition" => {
            let change = OptionsChange {
                condition: params.text_change("condition")?,
                hit_condition: params.text_change("hitCondition")?,
                log_message: params.text_change("logMessage")?,
            };
            if change == OptionsChange::default() {
                return Err("missing parameter 'condition'".into());
            }
            BreakpointRequest::Change(id()?, change)
        }
        "breakpointLocations" => {
            let first = params.line()?;
            let last = params.number("endLine", first, u32::MAX)?.unwrap_or(first);
            BreakpointRequest::Locations { file: params.required_path("file")?, first, last }
        }
        "setFunctionBreakpoints" => {
            let spec = |item: &Params| {
                Ok(FunctionSpec { name: item.required_text("name")?, options: options(item)? })
            };
            let specs = params.objects("breakpoints", spec)?;
            BreakpointRequest::SetFunctions(params.required("breakpoints", specs)?)
        }
        "setExceptionBreakpoints" => BreakpointRequest::SetExceptions(exceptions(params)?),
        "setDataBreakpoints" => {
            let spec = |item: &Params| {
                let target = match item.number("id", 1, u32::MAX)? {
                    Some(id) => DataTarget::Same(BreakpointId(id)),
                    None => {
                        let (container, name) = part(item)?;
                        DataTarget::Named { container, name }
                    }
                };
                Ok(DataSpec { target, options: options(item)? })
            };
            let specs = params.objects("breakpoints", spec)?;
            let specs = params.required("breakpoints", specs)?;
            BreakpointRequest::SetData(specs)
        }
        _ => return Ok(None),
    }))
}

/// Names of the exception filters in the protocol.
pub const FILTERS: [(&str, ExceptionFilter); 2] =
    [("uncaught", ExceptionFilter::Uncaught), ("errorValue", ExceptionFilter::ErrorValue)];

fn exceptions(params: &Params) -> Result<Vec<ExceptionSpec>, String> {
    let names = params.texts("filters")?;
    let conditions = params.objects("filterOptions", |item| {
        let filter = item.required("filterId", item.word("filterId", &FILTERS)?)?;
        Ok(ExceptionSpec { filter, condition: item.text("condition")?.map(str::to_string) })
    })?;
    let mut specs = Vec::new();
    for name in params.required("filters", names.or_else(|| conditions.is_some().then(Vec::new)))? {
        let found = FILTERS.iter().find(|(known, _)| *known == name);
        let wrong = || {
            format!("wrong parameter 'filters': '{}' is none of uncaught, errorValue", cut(&name, ECHO_LIMIT))
        };
        specs.push(ExceptionSpec { filter: found.ok_or_else(wrong)?.1, condition: None });
    }
    // An item of `conditions` selects its filter, or adds to one in `filters`.
    for spec in conditions.unwrap_or_default() {
        specs.retain(|known| known.filter != spec.filter);
        specs.push(spec);
    }
    Ok(specs)
}

/// The parameters that name a variable of a frame or a part of a value.
fn part(params: &Params) -> Result<(Container, String), String> {
    let container = match params.handle("reference")? {
        Some(handle) => Container::Value(handle),
        None => Container::Frame(params.frame()?),
    };
    Ok((container, params.required_text("name")?))
}

fn inspect(name: &str, params: &Params, version: u32, limits: Limits) -> Result<Option<Inspect>, String> {
    const SCOPES: [(&str, Scope); 3] =
        [("parameter", Scope::Parameter), ("local", Scope::Local), ("global", Scope::Global)];
    Ok(Some(match name {
        "getVariables" => {
            Inspect::Variables { frame: params.frame()?, scope: params.word("scope", &SCOPES)?, limits }
        }
        "getChildren" => Inspect::Children {
            handle: params.required("reference", params.handle("reference")?)?,
            start: params.number("start", 0, u32::MAX)?.unwrap_or(0) as usize,
            count: params.number("count", 0, MAX_CHILDREN)?.unwrap_or(CHILDREN) as usize,
            limits: Limits::PREVIEW,
        },
        "setVariable" => {
            let (container, name) = part(params)?;
            let value = params.required_text("value")?;
            Inspect::SetVariable { container, name, value, limits: Limits::PREVIEW }
        }
        "getStackTrace" => Inspect::StackTrace {
            start: params.number("start", 0, u32::MAX)?.unwrap_or(0) as usize,
            count: params.number("count", 0, FRAMES)?.unwrap_or(FRAMES) as usize,
        },
        "getStepTargets" => Inspect::StepTargets { frame: params.frame()? },
        "evaluate" => Inspect::Evaluate(evaluate(params, version, limits)?),
        "lastChange" => Inspect::LastChange(LastChangeQuery {
            expression: params.required_text("expression")?,
            frame: params.frame()?,
            limits: Limits::PREVIEW,
        }),
        "completions" => Inspect::Completions {
            text: params.required_text("text")?,
            column: params.required("column", params.number("column", 1, u32::MAX)?)?,
            frame: params.frame()?,
        },
        _ => return Ok(None),
    }))
}

fn evaluate(params: &Params, version: u32, limits: Limits) -> Result<Evaluate, String> {
    const CONTEXTS: [(&str, Purpose); 3] =
        [("repl", Purpose::Prompt), ("watch", Purpose::Look), ("hover", Purpose::Look)];
    const FORMATS: [(&str, bool); 2] = [("preview", false), ("full", true)];
    let unsaid = if version >= 2 { Purpose::Prompt } else { Purpose::Plain };
    Ok(Evaluate {
        expression: params.required_text("expression")?,
        frame: params.frame()?,
        purpose: params.word("context", &CONTEXTS)?.unwrap_or(unsaid),
        timeout_ms: params.number("timeoutMs", 1, MAX_TIME)?,
        limits: if params.word("format", &FORMATS)?.unwrap_or(false) { FULL } else { limits },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::decode::decode;

    const SPEC: &str = include_str!("../../../SPEC.md");

    /// The commands in the tables of SPEC.md: rows of four columns with a command in the first.
    fn described() -> BTreeSet<&'static str> {
        let rows = SPEC.lines().filter(|line| line.starts_with("| `") && line.split('|').count() == 6);
        let first = rows.filter_map(|row| row.split('|').nth(1));
        first.flat_map(|cell| cell.split('`').filter(|name| !name.trim().is_empty())).collect()
    }

    fn is_command(name: &str) -> bool {
        let line = format!(r#"{{"type":"command","command":"{name}"}}"#);
        let unknown = format!("unknown command: {name}");
        decode(line.as_bytes(), 2).request.err() != Some(unknown)
    }

    #[test]
    fn every_command_of_the_specification_exists() {
        let described = described();
        assert!(described.len() > 35, "{described:?}");
        for name in described {
            assert!(is_command(name), "there is no command {name}");
        }
    }

    #[test]
    fn every_command_is_in_the_specification() {
        let described = described();
        let source = include_str!("commands.rs").split("#[cfg(test)]").next().unwrap();
        let words: BTreeSet<&str> = source.split('"').skip(1).step_by(2).collect();
        let commands: Vec<&str> = words.into_iter().filter(|word| is_command(word)).collect();
        assert!(commands.len() > 35, "{commands:?}");
        for name in commands {
            assert!(described.contains(name), "SPEC.md does not describe the command {name}");
        }
    }

    #[test]
    fn example_commands_can_be_decoded() {
        let examples =
            SPEC.lines().filter(|line| line.starts_with("{\"type\":\"command\"") && !line.contains("NAME"));
        let examples: Vec<&str> = examples.collect();
        assert!(examples.len() > 25, "{}", examples.len());
        for example in examples {
            let decoded = decode(example.as_bytes(), 2);
            assert!(decoded.request.is_ok(), "{example}: {:?}", decoded.request);
        }
    }
}
