//! Commands that start and end the program or the session, and those about its input.

use super::parameters::RUN;
use super::{Ask, Command, Context, ask};
use crate::protocol::ez::{paused, wire};
use crate::protocol::parameter::{Bool, Optional, Text, parameters};
use crate::protocol::params::Params;
use ez_engine::api::{Disconnect, Done, Input, Kill, Pause, Start, Terminate};

pub const COMMANDS: &[Command] = &[
    Command::new(
        "start",
        "Starts the program, which `started` tells; at a stop it continues, without `started`.",
        start,
    )
    .answered_by(RUN)
    .after("started"),
    Command::since_2("disconnect", "Ends the connection; the session stays.", disconnect)
        .takes(&[&TERMINATE, &RESUME])
        .answered_by(&["disconnected", "terminated"]),
    Command::new("pause", "Stops the running program, or ends an evaluation.", pause)
        .answered_by(&["stopped", "exited", "paused"])
        .capability("pause"),
    Command::since_2("kill", "Ends the program with the exit code 143; `exited` follows.", kill)
        .answered_by(&["killed"])
        .capability("kill"),
    Command::new("terminate", "Ends program and server.", |_, _| terminate()).answered_by(&["terminated"]),
    Command::new("input", "Provides input of the program.", input)
        .takes(&[&TEXT, &EOF])
        .answered_by(&["inputTaken"])
        .capability("input"),
];

parameters! {
    /// Whether the session ends, too (default: false).
    TERMINATE: Optional<Bool> = "terminate", Bool;
    /// Whether the program runs on (default: false).
    RESUME: Optional<Bool> = "resume", Bool;
    /// One or more lines.
    TEXT: Optional<Text> = "text", Text, unless(&["eof"]);
    /// Whether nothing follows (default: false).
    EOF: Optional<Bool> = "eof", Bool;
}

fn start(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Start::default(), |client, asked, done, out| {
        // A stopped program is resumed instead, and the next stop is the answer.
        if *done == Done::Started {
            out.add("started", wire::Empty {}, asked.id());
        }
        client.running = Some(asked);
    })
}

fn disconnect(params: &Params, _: Context) -> Result<Ask, String> {
    if TERMINATE.read(params)?.unwrap_or_default() {
        return terminate();
    }
    ask(Disconnect { resume: RESUME.read(params)?.unwrap_or_default() }, |client, asked, _, out| {
        client.end_run_by(out, "the client disconnects; the program runs on");
        out.add("disconnected", wire::Empty {}, asked.id());
    })
}

fn pause(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Pause, |client, asked, _, out| match client.running {
        Some(_) => client.pauses.extend(asked.id),
        // The pause has interrupted an evaluation, so that no stop follows.
        None => paused(out, asked.id()),
    })
}

fn kill(_: &Params, _: Context) -> Result<Ask, String> {
    ask(Kill, |_, asked, _, out| out.add("killed", wire::Empty {}, asked.id()))
}

fn terminate() -> Result<Ask, String> {
    ask(Terminate, |client, asked, _, out| {
        client.refuse_run(out);
        client.terminate = asked.id;
    })
}

fn input(params: &Params, _: Context) -> Result<Ask, String> {
    let (text, eof) = (TEXT.read(params)?, EOF.read(params)?.unwrap_or_default());
    if text.is_none() && !eof {
        return Err(TEXT.missing(params));
    }
    ask(Input { text, eof }, |client, asked, _, out| {
        if client.speaks_2() && asked.id.is_some() {
            out.add("inputTaken", wire::Empty {}, asked.id());
        }
    })
}
