//! Commands that load a program: `initialize`, `restart`.

use serde::Serialize;
use serde_json::value::RawValue;

use super::signature::{ARGS, ENV, Kind, NOTATION, PROTOCOL_VERSION, Parameter, RUN, TOKEN};
use super::{Ask, Command, Context, ask};
use crate::protocol::ez::VERSION;
use crate::protocol::ez::capabilities::{Capabilities, capabilities};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, location_size, report};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::Report;
use crate::protocol::json::json_len;
use crate::protocol::params::Params;
use ez_engine::api::{Initialized, Launch, Problem, Restart, SourceText};

pub const COMMANDS: &[Command] = &[
    Command::new("initialize", "Loads the program, and agrees on the version of the protocol.", initialize)
        .takes(INITIALIZE)
        .answered_by(&["initialized"]),
    Command::since_2("restart", "Reads the program again and starts it.", restart)
        .takes(&[ARGS, ENV])
        .answered_by(RUN)
        .after("restarted")
        .told_by("restart"),
];

/// The parameters of `initialize`.
const INITIALIZE: &[Parameter] = &[
    Parameter::optional("file", Kind::Path, "The program; not needed if the server was started with one."),
    Parameter::optional(
        "workingDir",
        Kind::Path,
        "The program's working directory, the base of relative paths.",
    ),
    PROTOCOL_VERSION,
    Parameter::optional(
        "deny",
        Kind::Capabilities,
        "What the program must not do: `net`, `fs`, `exec`, `env`.",
    ),
    Parameter::optional("memoryLimit", Kind::Size, "How much memory the program may use, such as `512M`."),
    ARGS,
    ENV,
    Parameter::optional(
        "stopOnEntry",
        Kind::Bool,
        "Whether to stop before the first statement in any case, or never.",
    )
    .since_2(),
    Parameter::optional("keepAlive", Kind::Bool, "Whether the session goes on after the program has ended.")
        .since_2(),
    Parameter::optional(
        "source",
        Kind::Object(&[
            Parameter::required("text", Kind::Text, "The program."),
            Parameter::optional("name", Kind::Path, "Its name where a file is named (default: `<source>`)."),
        ]),
        "A program that is not in a file.",
    )
    .since_2(),
    Parameter::optional("history", Kind::Bool, "Whether the history is kept, for going back.").since_2(),
    Parameter::optional("replay", Kind::Path, "A recording to debug, instead of `file`.").since_2(),
    Parameter::optional("children", Kind::Bool, "Whether child processes can be debugged, too.").since_2(),
    NOTATION,
    TOKEN,
];

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<InitializedData>("initialized", 1, "The program is loaded."),
    event::<RestartedData>("restarted", 2, "The program has begun anew."),
    event::<WarningsData>("warnings", 1, "More warnings, after `initialized` or `restarted`.").unasked(),
];

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct InitializedData<'a> {
    /// The program's file as the client named it.
    file: &'a str,
    /// Warnings about the program; more can follow in `warnings`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Report<'a>>,
    /// The version in use, for a client that asked for one.
    #[serde(rename = "protocolVersion", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1), extend("default" = 1)))]
    protocol_version: Option<u32>,
    /// What the server can do, for a client that asked for a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Capabilities>,
    /// The version of the server, as `ez --version` prints it in brackets.
    #[serde(rename = "version", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("x-since" = 2)))]
    server_version: Option<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RestartedData<'a> {
    /// The program's file as the client named it.
    file: &'a str,
    /// Warnings about the program; more can follow in `warnings`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Report<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WarningsData<'a> {
    /// More warnings.
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

/// The version of the server, for clients of version 2 of the protocol.
pub fn server_version(protocol: Option<u32>) -> Option<&'static str> {
    protocol.filter(|version| *version >= 2).map(|_| env!("CARGO_PKG_VERSION"))
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
        server_version: server_version(version),
    };
    out.add("initialized", data, id);
    further_warnings(out, rest);
}

fn restart(params: &Params, _: Context) -> Result<Ask, String> {
    let (args, env) = (params.texts("args")?, params.changes("env")?);
    let restart = Restart { args, env, ..Restart::default() };
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
