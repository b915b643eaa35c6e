//! Commands that load a program: `initialize`, `restart`.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Ask, Command, Context, ask};
use crate::api::{Initialized, Launch, Problem, Restart, SourceText};
use crate::protocol::ez::VERSION;
use crate::protocol::ez::capabilities::{Capabilities, capabilities};
use crate::protocol::ez::encode::{LIST_LIMIT, location_size, report};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::Report;
use crate::protocol::json::json_len;
use crate::protocol::params::Params;

pub const COMMANDS: &[Command] = &[Command::new("initialize", initialize), Command::new("restart", restart)];

#[derive(Serialize)]
struct InitializedData<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Report<'a>>,
    #[serde(rename = "protocolVersion", skip_serializing_if = "Option::is_none")]
    protocol_version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Capabilities>,
}

#[derive(Serialize)]
struct RestartedData<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Report<'a>>,
}

#[derive(Serialize)]
struct WarningsData<'a> {
    warnings: Vec<Report<'a>>,
}

fn initialize(params: &Params, context: Context) -> Result<Ask, String> {
    let supported = context.supported(params)?;
    let version = supported.unwrap_or(1);
    let notation = params.notation()?;
    let context = Context { version: supported.unwrap_or(context.version), ..context };
    let asked = ask(launch(params, context)?, move |client, asked, program, out| {
        client.settle_with(version, notation, out);
        initialized(out, program, supported, asked.id());
    })?;
    Ok(Ask { version: Some(version), ..asked })
}

fn launch(params: &Params, context: Context) -> Result<Launch, String> {
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
        children: params.flag("children")?,
        limits: context.limits(),
        observe: None,
        cells: None,
    })
}

/// Writes the event `initialized`; warnings that do not fit follow in the event `warnings`. `version` is the highest
/// version that the client supports, if it said so.
pub fn initialized(out: &mut Sink, program: &Initialized, version: Option<u32>, id: Option<&RawValue>) {
    let Initialized { file, warnings } = program;
    let (shown, rest) = fitting(warnings, LIST_LIMIT.saturating_sub(json_len(file)));
    let data = InitializedData {
        file,
        warnings: shown,
        protocol_version: version.map(|version| version.min(VERSION)),
        capabilities: version.map(capabilities),
    };
    out.add("initialized", data, id);
    further_warnings(out, rest);
}

fn restart(params: &Params, _: Context) -> Result<Ask, String> {
    let restart = Restart { args: params.texts("args")?, env: params.changes("env")? };
    ask(restart, |client, asked, program, out| {
        client.end_run_by(out, "the program was restarted");
        restarted(out, &program.0, asked.id());
        client.running = Some(asked);
    })
}

/// Writes the event `restarted`; warnings that do not fit follow in the event `warnings`.
fn restarted(out: &mut Sink, program: &Initialized, id: Option<&RawValue>) {
    let Initialized { file, warnings } = program;
    let (shown, rest) = fitting(warnings, LIST_LIMIT.saturating_sub(json_len(file)));
    out.add("restarted", RestartedData { file, warnings: shown }, id);
    further_warnings(out, rest);
}

fn further_warnings(out: &mut Sink, mut rest: &[Problem]) {
    while !rest.is_empty() {
        let (shown, later) = fitting(rest, LIST_LIMIT);
        out.add("warnings", WarningsData { warnings: shown }, None);
        rest = later;
    }
}

/// Splits the warnings into those that fit into `room` bytes (at least one) and the rest.
fn fitting(warnings: &[Problem], mut room: usize) -> (Vec<Report<'_>>, &[Problem]) {
    let mut shown = Vec::new();
    for warning in warnings {
        let report = report(warning);
        let help = report.help.as_ref().map_or(0, |help| json_len(help));
        let place = warning.location.as_ref().map_or(0, location_size);
        match room.checked_sub(json_len(&report.message) + help + place + 128) {
            Some(left) => room = left,
            None if shown.is_empty() => room = 0,
            None => break,
        }
        shown.push(report);
    }
    let rest = warnings.get(shown.len()..).unwrap_or_default();
    (shown, rest)
}
