//! The commands of the protocol: one unit for each, which translates it to a request and writes the answer. What
//! is written is a struct in the file of the command: `…Data` is the data of an event, `…Item` an item of a list in it.
//!
//! # Adding a command
//!
//! 1. In the file of its subject a row of the table and a function that reads the parameters, constants of
//!    `protocol/parameter.rs`, and says with [`ask`] what is asked, and what is written when the answer comes.
//!    Texts are truncated (`cut_json`, `protocol/json.rs`) and lists paged (`paged`, `protocol/ez/parts.rs`), so that no
//!    event is too long. What several commands write is in `protocol/ez/wire.rs`. Commands that do more than ask about
//!    the past are for version 2 only (`Command::only_2`), all others for every client. The row lists the parameters
//!    that the function reads, how it is answered, and the capability that tells of it (its table:
//!    `protocol/ez/capabilities.rs`). An event that only this command writes is in `EVENTS` of the file.
//! 2. `SPEC.md` has it in the comment before a table, as its event, and an example of both, copied from the snapshot
//!    of a transcript `v2_…`, which sends it where it is possible, where it is not (before `initialize`, while the
//!    program runs), with each parameter missing and invalid and, if it is about a stopped program, in the past
//!    (`history=true`, then `stepBack`). Requests of editors that the Debug Adapter Protocol lacks are described in
//!    `docs/editors.md`. `debug_do` of `ez mcp` passes every command on.
//! 3. For random sessions it is added to `at_a_stop` or `of_version_2` (`tests/random/sessions/script.rs`) and to `try_all`
//!    (`tests/server/every_stop.rs`), for editors to `tests/dap/adapter.rs` and `request` (`tests/dap/random.rs`); for `ez debug` a file of
//!    `testdata/debug` runs it. A new variant of `Request` also needs an arm in `answer`
//!    (`src/engine/session/machine/tests/mod.rs`).
//!
//! ```sh
//! # what is made of the description (`protocol/ez/description/mod.rs`); then
//! cargo test --lib protocol
//! INSTA_UPDATE=always cargo test --test server transcripts::v2_mine        # .ci/make --snapshots, if it has a capability
//! cargo test --test project --test server        # after the examples are in SPEC.md
//! cargo test --test random random_sessions
//! INSTA_UPDATE=always cargo test --test terminal debug
//! INSTA_UPDATE=always cargo test --test dap
//! ```

mod breakpoints;
mod completions;
mod evaluate;
mod expected_output;
mod history;
mod loading;
mod output_step;
mod parameters;
mod processes;
mod running;
mod session;
mod sharing;
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
use parameters::PROTOCOL_VERSION;
pub use sharing::shared_line;
use similar::similar;

/// Limits for values in version 1: as much as fits into an event.
pub const WHOLE: Limits = Limits { parts: usize::MAX, bytes: 20 * 1024 };

/// A command: what it asks, and what clients can know of it before they send it.
#[cfg_attr(not(test), expect(dead_code, reason = "a test writes the description of the protocol from it"))]
pub struct Command {
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The first version of the protocol that has it.
    pub since: u32,
    /// The version that a client must have asked for: 1 unless the command would make no sense to others.
    pub client: u32,
    ask: Translate,
    /// All its parameters, in the order of SPEC.md.
    pub parameters: Declarations,
    /// The events that can answer it, apart from `error`.
    pub answers: &'static [&'static str],
    /// The event that comes before the answer, with the same `id`.
    pub first: Option<&'static str>,
    /// The capability that tells clients of it (`protocol/ez/capabilities.rs`).
    pub capability: Option<&'static str>,
    /// Whether the session must have a program, though the request is possible in every state.
    pub needs_program: bool,
}

/// Translates a command. The error says what is wrong, for the client.
type Translate = fn(&Params, Context) -> Result<Ask, String>;

/// All commands, by subject.
const COMMANDS: &[&[Command]] = &[
    loading::COMMANDS,
    session::COMMANDS,
    expected_output::COMMANDS,
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
    expected_output::EVENTS,
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
        (self.ask)(&params.declaring(self.parameters), context)
    }

    /// A command of version 1; `about` says what it does.
    const fn new(name: &'static str, about: &'static str, ask: Translate) -> Command {
        Command {
            name,
            about,
            since: 1,
            client: 1,
            ask,
            parameters: &[],
            answers: &[],
            first: None,
            capability: None,
            needs_program: false,
        }
    }

    /// A command that version 2 has added, for every client.
    const fn since_2(name: &'static str, about: &'static str, ask: Translate) -> Command {
        Command { since: 2, ..Command::new(name, about, ask) }
    }

    /// A command that version 2 has added, only for its clients.
    const fn only_2(name: &'static str, about: &'static str, ask: Translate) -> Command {
        Command { client: 2, ..Command::since_2(name, about, ask) }
    }

    /// This command with these parameters.
    const fn takes(self, parameters: Declarations) -> Command {
        Command { parameters, ..self }
    }

    /// This command, answered by one of these events.
    const fn answered_by(self, answers: &'static [&'static str]) -> Command {
        Command { answers, ..self }
    }

    /// This command, refused before there is a program.
    const fn of_program(self) -> Command {
        Command { needs_program: true, ..self }
    }

    /// This command with an event that comes before the answer.
    const fn after(self, first: &'static str) -> Command {
        Command { first: Some(first), ..self }
    }

    /// This command with a capability that tells of it.
    const fn capability(self, name: &'static str) -> Command {
        Command { capability: Some(name), ..self }
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
    let parameters = find(name, version).map_or(&[][..], |command| command.parameters);
    names.filter(|name| parameters.iter().any(|parameter| parameter.name() == *name)).collect()
}

#[cfg(test)]
mod tests;
