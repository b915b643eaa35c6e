//! `debug_join`: the session of a person, in which the client takes part.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::sessions::{Debugged, Room};
use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text};
use crate::clients::agents::arguments::max_chars;
use crate::clients::agents::call::Call;
use crate::clients::agents::schema;
use crate::clients::agents::session::ProgramSession;
use crate::clients::agents::shown::SourceLine;
use crate::clients::joining::{Joining, host_and_port};
use crate::protocol::params::Params;
use ez_engine::api::{Role, Status};
use ez_runtime::visible::{indented, quoted};

pub const TOOL: Tool = Tool {
    name: "debug_join",
    title: "Join a person's debug session",
    description: "Join the debug session that a person shares, beside this person: both use one debugger. Then \
                  debug_do works in it: a breakpoint appears in the person's editor, marked with your name. \
                  setBreakpoint {file, line, condition} adds one; setBreakpoints replaces yours. investigate with \
                  session asks at the present stop. debug_stop leaves. \
                  Example: {}",
    reads_only: false,
    input,
    output,
    run,
};

/// The name of a client that has none.
const NAME: &str = "agent";

fn input() -> Value {
    schema::object([
        ("address", schema::text("HOST:PORT [the one session that the user shares on this computer]"), false),
        ("token", schema::text("The token that the session shows to its owner [that of the list]"), false),
        ("name", schema::text("Your name for the others [the client's]"), false),
        max_chars(),
    ])
}

fn output() -> Value {
    let stop = schema::at_place([("description", schema::text("Why it is stopped"), true)]);
    schema::object([
        ("session", schema::text("The name of the session, for debug_do"), true),
        ("name", schema::text("Your name in it"), true),
        ("role", schema::word(&["participant", "observer", "owner"], "What you may do"), true),
        ("status", schema::word(&Status::ALL.map(Status::name), "What the program does"), true),
        ("file", schema::text("The program"), false),
        ("stop", stop, false),
    ])
}

/// Whether that is certain without asking for an address, which would use the network.
fn is_this_computer(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn run(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let params = Params::new(arguments);
    let text = |name| params.text(name).map(|text| text.map(str::to_string));
    let name = text("name")?.or_else(|| call.shared.client_name.lock().clone());
    let name = name.unwrap_or_else(|| NAME.into());
    let address = text("address")?;
    if let Some(address) = address.as_ref().filter(|_| !call.shared.allow_net) {
        let (host, _) = host_and_port(address)?;
        if !is_this_computer(&host) {
            return Err(format!("{address} is on another computer, which needs ez mcp --allow-net"));
        }
    }
    let joining = Joining {
        address,
        token: text("token")?,
        name: Some(name.clone()),
        observe: false,
        shows_breakpoints: false,
    };
    let room = Room::take(call)?;
    let (mut program, attached) = ProgramSession::join(call, &joining)?;
    let (own, role) = attached.guest.map_or((name, "owner"), |guest| (guest.name, guest.role.name()));
    let state = attached.state;
    let status = state.status.name();
    let mut result = json!({"name": own, "role": role, "status": status});
    let mut out = Text::default();
    let file = state.file.map(|file| program.sources.name(&file));
    let of = file.as_deref().map(|file| format!(" of {}", quoted(file))).unwrap_or_default();
    let stop =
        state.stop.map(|stop| (SourceLine::new(&stop.location, &mut program.sources), stop.description));
    let session = room.new_name();
    room.keep(session.clone(), Debugged::joined(program, own.clone()));
    out.line(format_args!("{session}: joined the session{of} as {} ({role}).", quoted(&own)));
    if role == Role::Observer.name() {
        out.line("Observers ask questions only.");
    }
    match &stop {
        Some((at, description)) => {
            let description = indented(description.trim_end_matches('.'));
            out.line(format_args!("The program is stopped at {}:{}: {description}.", at.file, at.line));
            at.write_source("", &mut out);
        }
        None if state.status == Status::NotInitialized => {
            out.line("No program is loaded: if it has errors, correct them, then restart loads it again.");
        }
        None => out.line(format_args!("The program is {status}.")),
    }
    if let Some(members) = result.as_object_mut() {
        members.insert("session".into(), session.into());
        members.extend(file.map(|file| ("file".into(), file.into())));
        let place = stop.map(|(at, description)| {
            json!({"file": at.file, "line": at.line, "source": at.source, "description": description})
        });
        members.extend(place.map(|place| ("stop".into(), place)));
    }
    Ok(Answer::new(result, out))
}
