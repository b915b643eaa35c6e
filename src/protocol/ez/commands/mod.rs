//! The commands of the protocol: one unit for each, which translates it to a request and writes the answer.

mod breakpoints;
mod inspect;
mod running;
mod session;
mod watches;

use crate::api::{Limits, Question, Request, Response};
use crate::protocol::json::cut;
use crate::protocol::params::{ECHO_LIMIT, Params};

use super::sink::Sink;
use super::{EzFrontEnd, PendingCommand};

pub use breakpoints::FILTERS;

/// Limits for values in version 1: as much as fits into an event.
pub const WHOLE: Limits = Limits { parts: usize::MAX, bytes: 20 * 1024 };

/// A command.
pub struct Command {
    pub name: &'static str,
    /// The first version of the protocol that has it.
    pub since: u32,
    /// Translates it. The error says what is wrong, for the client.
    pub ask: fn(&Params, Context) -> Result<Ask, String>,
}

/// All commands, by subject.
const COMMANDS: [&[Command]; 5] =
    [session::COMMANDS, running::COMMANDS, breakpoints::COMMANDS, watches::COMMANDS, inspect::COMMANDS];

impl Command {
    /// A command of all versions.
    const fn new(name: &'static str, ask: fn(&Params, Context) -> Result<Ask, String>) -> Command {
        Command { name, since: 1, ask }
    }

    /// A command that version 1 does not have.
    const fn since_2(name: &'static str, ask: fn(&Params, Context) -> Result<Ask, String>) -> Command {
        Command { name, since: 2, ask }
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
        match self.negotiates {
            true => params.number("protocolVersion", 1, u32::MAX),
            false => Ok(Some(self.version)),
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

/// Translates a command.
///
/// # Errors
/// What is wrong with the command, for the client.
pub fn command(name: &str, params: &Params, context: Context) -> Result<Ask, String> {
    let known = |command: &&Command| command.name == name && command.since <= context.version.max(1);
    match COMMANDS.into_iter().flatten().find(known) {
        Some(command) => (command.ask)(params, context),
        None => Err(format!("unknown command: {}", cut(name, ECHO_LIMIT))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::protocol::ez::decode::decode;

    const SPEC: &str = include_str!("../../../../SPEC.md");

    /// The commands in the tables of SPEC.md: rows of four columns with a command in the first.
    fn described() -> BTreeSet<&'static str> {
        let rows = SPEC.lines().filter(|line| line.starts_with("| `") && line.split('|').count() == 6);
        let first = rows.filter_map(|row| row.split('|').nth(1));
        first.flat_map(|cell| cell.split('`').filter(|name| !name.trim().is_empty())).collect()
    }

    #[test]
    fn the_specification_describes_the_commands() {
        let commands: BTreeSet<&str> = COMMANDS.into_iter().flatten().map(|command| command.name).collect();
        assert!(commands.len() > 35, "{commands:?}");
        assert_eq!(commands, described());
    }

    #[test]
    fn example_commands_can_be_decoded() {
        let examples =
            SPEC.lines().filter(|line| line.starts_with("{\"type\":\"command\"") && !line.contains("NAME"));
        let examples: Vec<&str> = examples.collect();
        assert!(examples.len() > 25, "{}", examples.len());
        for example in examples {
            let decoded = decode(example.as_bytes(), 2);
            assert!(decoded.ask.is_ok(), "{example}: {:?}", decoded.ask.err());
        }
    }
}
