//! The commands of the protocol: one unit for each, which translates it to a request and writes the answer. What
//! is written is a struct in the file of the command: `…Data` is the data of an event, `…Item` an item of a list in it.
//!
//! # Adding a command
//!
//! 1. In the file of its subject a row of the table and a function that reads the parameters with the methods of
//!    `Params` (`protocol/params.rs`) and says with [`ask`] what is asked, and what is written when the answer comes.
//!    Texts are truncated (`cut_json`, `protocol/json.rs`) and lists paged (`paged`, `protocol/ez/parts.rs`), so that no
//!    event is too long. What several commands write is in `protocol/ez/wire.rs`. Commands that do more than ask about
//!    the past are for version 2 only (`Command::for_clients_of_2`), all others for every client. The row declares what
//!    the command reads and how it is answered (`protocol/ez/commands/signature.rs`); a capability of its own is named
//!    there (`Command::capability`), older ones are in `protocol/ez/capabilities.rs`. An event that only this command
//!    writes is in `EVENTS` of the file.
//! 2. `SPEC.md` has it in the comment before a table, as its event, and an example of both, copied from the snapshot
//!    of a transcript `v2_…`, which sends it where it is possible, where it is not (before `initialize`, while the
//!    program runs), with each parameter missing and invalid and, if it is about a stopped program, in the past
//!    (`history=true`, then `stepBack`). Requests of editors that the Debug Adapter Protocol lacks are described in
//!    `docs/editors.md`. `debug_do` of `ez mcp` passes every command on.
//! 3. For random sessions it is added to `at_a_stop` or `of_version_2` (`tests/random/sessions/script.rs`), for
//!    editors to `tests/dap/adapter.rs` and `request` (`tests/dap/random.rs`); for `ez debug` a file of
//!    `testdata/debug` runs it. A new variant of `Request` also needs an arm in `answer`
//!    (`src/engine/session/machine/tests/mod.rs`).
//!
//! ```sh
//! # what is made of the description (`protocol/ez/description/mod.rs`); then
//! cargo test --lib protocol
//! INSTA_UPDATE=always cargo test --test server transcripts::v2_mine
//! cargo test --test project --test server        # after the examples are in SPEC.md
//! cargo test --test random random_sessions
//! INSTA_UPDATE=always cargo test --test terminal debug
//! INSTA_UPDATE=always cargo test --test dap
//! ```

mod breakpoints;
mod completions;
mod evaluate;
mod history;
mod loading;
mod output_step;
mod processes;
mod running;
mod session;
mod sharing;
pub mod signature;
mod similar;
mod sources;
mod stack;
mod state;
mod step_targets;
mod unfold;
mod variables;
mod watches;

use crate::protocol::json::cut;
use crate::protocol::params::{Declarations, ECHO_LIMIT, Params};
use ez_engine::api::{Limits, Question, Request, Response};

#[cfg(test)]
use super::description::Event;
use super::sink::Sink;
use super::{EzFrontEnd, PendingCommand};
pub use sharing::shared_line;
use signature::{PROTOCOL_VERSION, Signature};
use similar::similar;

/// Limits for values in version 1: as much as fits into an event.
pub const WHOLE: Limits = Limits { parts: usize::MAX, bytes: 20 * 1024 };

pub struct Command {
    pub name: &'static str,
    /// The version that a client must have asked for: 1 unless the command would make no sense to others.
    pub client: u32,
    ask: fn(&Params, Context) -> Result<Ask, String>,
    /// The capability that was added with it; `None` if there is none, or if it is one of those in
    /// `protocol/ez/capabilities.rs`.
    pub capability: Option<&'static str>,
    /// What it takes and how it is answered.
    pub signature: Signature,
}

/// All commands, by subject. Their capabilities have the same order.
const COMMANDS: &[&[Command]] = &[
    loading::COMMANDS,
    session::COMMANDS,
    state::COMMANDS,
    sources::COMMANDS,
    running::COMMANDS,
    breakpoints::COMMANDS,
    watches::COMMANDS,
    variables::COMMANDS,
    stack::COMMANDS,
    step_targets::COMMANDS,
    evaluate::COMMANDS,
    completions::COMMANDS,
    unfold::COMMANDS,
    history::COMMANDS,
    output_step::COMMANDS,
    processes::COMMANDS,
    sharing::COMMANDS,
];

/// The events that only one command writes.
#[cfg(test)]
pub const EVENTS: &[&[Event]] = &[
    loading::EVENTS,
    state::EVENTS,
    sources::EVENTS,
    breakpoints::EVENTS,
    watches::EVENTS,
    variables::EVENTS,
    stack::EVENTS,
    step_targets::EVENTS,
    evaluate::EVENTS,
    completions::EVENTS,
    unfold::EVENTS,
    history::EVENTS,
    output_step::EVENTS,
    processes::EVENTS,
    sharing::EVENTS,
];

impl Command {
    /// Translates it.
    ///
    /// # Errors
    /// What is wrong with it, for the client.
    pub fn asked(&self, params: &Params, context: Context) -> Result<Ask, String> {
        (self.ask)(&params.declaring(self.signature.parameters), context)
    }

    /// A command of version 1; `about` says what it does.
    const fn new(
        name: &'static str,
        about: &'static str,
        ask: fn(&Params, Context) -> Result<Ask, String>,
    ) -> Command {
        let signature = Signature {
            about,
            parameters: &[],
            answers: &[],
            first: None,
            capability: None,
            since: 1,
            needs_program: false,
        };
        Command { name, client: 1, ask, capability: None, signature }
    }

    /// A command that version 2 has added, for every client.
    const fn since_2(
        name: &'static str,
        about: &'static str,
        ask: fn(&Params, Context) -> Result<Ask, String>,
    ) -> Command {
        let command = Command::new(name, about, ask);
        Command { signature: Signature { since: 2, ..command.signature }, ..command }
    }

    /// The same, only for clients of version 2.
    const fn for_clients_of_2(self) -> Command {
        Command { client: 2, ..self }
    }

    /// The same with these parameters.
    const fn takes(self, parameters: Declarations) -> Command {
        Command { signature: Signature { parameters, ..self.signature }, ..self }
    }

    /// The same, answered by one of these events.
    const fn answered_by(self, answers: &'static [&'static str]) -> Command {
        Command { signature: Signature { answers, ..self.signature }, ..self }
    }

    /// The same, refused before there is a program.
    const fn of_program(self) -> Command {
        Command { signature: Signature { needs_program: true, ..self.signature }, ..self }
    }

    /// The same with an event that comes before the answer.
    const fn after(self, first: &'static str) -> Command {
        Command { signature: Signature { first: Some(first), ..self.signature }, ..self }
    }

    /// The same with a capability of its own.
    const fn capability(self, name: &'static str) -> Command {
        Command { capability: Some(name), ..self.told_by(name) }
    }

    /// The same with a capability that is listed elsewhere.
    const fn told_by(self, capability: &'static str) -> Command {
        Command { signature: Signature { capability: Some(capability), ..self.signature }, ..self }
    }
}

/// How a command is understood.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The version of the protocol in use.
    pub version: u32,
    /// Whether the client can ask for another version.
    pub negotiates: bool,
}

impl Context {
    /// The highest version that the client supports, if it says so in this command.
    fn supported(self, params: &Params) -> Result<Option<u32>, String> {
        let known = PROTOCOL_VERSION.read(params)?;
        match known {
            _ if self.negotiates => Ok(known),
            Some(known) if known < self.version => Err(format!(
                "wrong parameter 'protocolVersion': must be at least {version}: JSON-RPC has version {version} only",
                version = self.version
            )),
            Some(_) | None => Ok(Some(self.version)),
        }
    }

    /// How much of a value is described, unless the command says otherwise.
    fn limits(self) -> Limits {
        if self.version >= 2 { Limits::PREVIEW } else { WHOLE }
    }
}

/// What a command asks of the session, and how it is answered.
pub struct Ask {
    pub request: Request,
    /// The version of the protocol in use after the command, if it chooses one.
    pub version: Option<u32>,
    pub answer: Box<WriteAnswer>,
}

/// Writes the answer to a command, from a successful response.
pub type WriteAnswer = dyn FnOnce(&mut EzFrontEnd, PendingCommand, &Response, &mut Sink) + Send;

/// A question for the session, and what to write when it is answered.
fn ask<Q: Question>(
    question: Q,
    write: impl FnOnce(&mut EzFrontEnd, PendingCommand, &Q::Answer, &mut Sink) + Send + 'static,
) -> Result<Ask, String> {
    let answer =
        move |client: &mut EzFrontEnd, asked: PendingCommand, response: &Response, out: &mut Sink| {
            match Q::answer_in(response) {
                Ok(answer) => write(client, asked, answer, out),
                Err(failure) => client.write_failure(&asked, &failure, out),
            }
        };
    Ok(Ask { request: question.into_request(), version: None, answer: Box::new(answer) })
}

/// All commands, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().copied().flatten()
}

/// The capabilities that commands name, in the order of the table.
pub fn capabilities() -> impl Iterator<Item = &'static str> {
    all().filter_map(|command| command.capability)
}

fn find(name: &str, version: u32) -> Option<&'static Command> {
    all().find(|command| command.name == name && command.client <= version.max(1))
}

/// Whether the version of the protocol has a command of this name.
pub fn is_command(name: &str, version: u32) -> bool {
    find(name, version).is_some()
}

/// Translates a command.
///
/// # Errors
/// What is wrong with the command, for the client.
pub fn command(name: &str, params: &Params, context: Context) -> Result<Ask, String> {
    match find(name, context.version) {
        Some(command) => command.asked(params, context),
        None => {
            let near = similar(name, context.version);
            let near = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            Err(format!("unknown command: {}{near}", cut(name, ECHO_LIMIT)))
        }
    }
}

/// Which of these names are those of parameters of a command.
pub fn parameters_among<'a>(name: &str, version: u32, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let parameters = find(name, version).map_or(&[][..], |command| command.signature.parameters);
    names.filter(|name| parameters.iter().any(|parameter| parameter.name() == *name)).collect()
}

#[cfg(test)]
mod tests;
