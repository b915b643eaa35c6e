//! Commands that load a program: `initialize`, `restart`.

use serde_json::value::RawValue;

use super::parameters::{ARGS, ENV, NOTATION, PROTOCOL_VERSION, RUN, TOKEN};
use super::{Ask, Command, Context, ask};
use crate::protocol::ez::VERSION;
use crate::protocol::ez::capabilities::{Capabilities, capabilities};
#[cfg(test)]
use crate::protocol::ez::description::{Event, event};
use crate::protocol::ez::encode::{LIST_LIMIT, location_size, report};
use crate::protocol::ez::sink::Sink;
use crate::protocol::ez::wire::{Report, written};
use crate::protocol::json::json_len;
use crate::protocol::parameter::{
    self as kinds, Bool, Object, Optional, Path, Required, Size, Text, parameters,
};
use crate::protocol::params::Params;
use ez_engine::api::{Initialized, Launch, Problem, Restart, SourceText};

pub const COMMANDS: &[Command] = &[
    Command::new("initialize", "Loads the program, and agrees on the version of the protocol.", initialize)
        .takes(&[
            &FILE,
            &WORKING_DIR,
            &PROTOCOL_VERSION,
            &DENY,
            &MEMORY_LIMIT,
            &ARGS,
            &ENV,
            &STOP_ON_ENTRY,
            &KEEP_ALIVE,
            &SOURCE,
            &HISTORY,
            &REPLAY,
            &CHILDREN,
            &NOTATION,
            &TOKEN,
        ])
        .answered_by(&["initialized"]),
    Command::since_2("restart", "Reads the program again and starts it.", restart)
        .takes(&[&ARGS, &ENV])
        .answered_by(RUN)
        .after("restarted")
        .capability("restart"),
];

parameters! {
    /// The program; not needed if the server was started with one.
    FILE: Optional<Path> = "file", Path;
    /// The program's working directory, the base of relative paths.
    WORKING_DIR: Optional<Path> = "workingDir", Path;
    /// What the program must not do: `net`, `fs`, `exec`, `env`.
    DENY: Optional<kinds::Capabilities> = "deny", kinds::Capabilities;
    /// How much memory the program may use, such as `512M`.
    MEMORY_LIMIT: Optional<Size> = "memoryLimit", Size;
    /// Whether to stop before the first statement in any case, or never.
    STOP_ON_ENTRY: Optional<Bool> = "stopOnEntry", Bool, since_2();
    /// Whether the session goes on after the program has ended.
    KEEP_ALIVE: Optional<Bool> = "keepAlive", Bool, since_2();
    /// A program that is not in a file.
    SOURCE: Optional<Object<SourceText>> = "source", Object(&[&TEXT, &NAME], source_text), since_2();
    /// The program.
    TEXT: Required<Text> = "text", Text;
    /// Its name where a file is named (default: `<source>`).
    NAME: Optional<Path> = "name", Path;
    /// Whether the history is kept, for going back.
    HISTORY: Optional<Bool> = "history", Bool, since_2();
    /// A recording to debug, instead of `file`.
    REPLAY: Optional<Path> = "replay", Path, since_2();
    /// Whether child processes can be debugged, too.
    CHILDREN: Optional<Bool> = "children", Bool, since_2();
}

#[cfg(test)]
pub const EVENTS: &[Event] = &[
    event::<InitializedData>("initialized", 1, "The program is loaded."),
    event::<RestartedData>("restarted", 2, "The program has begun anew."),
    event::<WarningsData>("warnings", 1, "More warnings, after `initialized` or `restarted`.").unasked(),
];

written! {
    struct InitializedData<'a> {
        /// The program's file as the client named it.
        file: &'a str,
        /// Warnings about the program; more can follow in `warnings`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<Report<'a>>,
        /// The version in use, for a client that asked for one.
        #[serde(rename = "protocolVersion", skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("default" = 1)))]
        protocol_version: Option<u32> = 1..,
        /// What the server can do, for a client that asked for a version.
        #[serde(skip_serializing_if = "Option::is_none")]
        capabilities: Option<Capabilities>,
        /// The version of the server, as `ez --version` prints it in brackets.
        #[serde(rename = "version", skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, schemars(extend("x-since" = 2)))]
        server_version: Option<&'static str>,
    }

    struct RestartedData<'a> {
        /// The program's file as the client named it.
        file: &'a str,
        /// Warnings about the program; more can follow in `warnings`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<Report<'a>>,
    }

    struct WarningsData<'a> {
        /// More warnings.
        warnings: Vec<Report<'a>>,
    }
}

fn initialize(params: &Params, context: Context) -> Result<Ask, String> {
    let supported = context.supported(params)?;
    let version = supported.unwrap_or(1);
    let notation = NOTATION.read(params)?.unwrap_or_default();
    let context = Context { version: supported.unwrap_or(context.version), ..context };
    let asked = ask(launch(params, context)?, move |client, asked, program, out| {
        client.settle_with(version, notation, out);
        initialized(out, program, supported, asked.id());
    })?;
    Ok(Ask { version: Some(version), ..asked })
}

fn launch(params: &Params, context: Context) -> Result<Launch, String> {
    let source = SOURCE.read(params)?;
    Ok(Launch {
        file: FILE.read(params)?,
        source,
        working_dir: WORKING_DIR.read(params)?,
        args: ARGS.read(params)?.unwrap_or_default(),
        env: ENV.read(params)?.unwrap_or_default(),
        stop_on_entry: STOP_ON_ENTRY.read(params)?,
        keep_alive: KEEP_ALIVE.read(params)?.unwrap_or_default(),
        history: HISTORY.read(params)?.unwrap_or_default(),
        replay: REPLAY.read(params)?,
        deny: DENY.read(params)?.unwrap_or_default(),
        memory_limit: MEMORY_LIMIT.read(params)?,
        children: CHILDREN.read(params)?.unwrap_or_default(),
        limits: context.limits(),
        observe: None,
        cells: None,
        expected: None,
    })
}

fn source_text(params: &Params) -> Result<SourceText, String> {
    let text = TEXT.read(params)?;
    Ok(SourceText { text, name: NAME.read(params)?.unwrap_or_else(|| "<source>".into()) })
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
    let (args, env) = (ARGS.read(params)?, ENV.read(params)?);
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
