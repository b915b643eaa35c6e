//! The tools of the server: a row each in [`TOOLS`].

mod check;
mod debug;
mod difference;
mod investigate;
mod join;
mod language;
mod run;
mod sessions;
mod trace;

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::arguments::{chars, known};
use super::call::Call;
pub use sessions::Sessions;

/// The arguments of a call.
pub type Arguments = Map<String, Value>;

pub struct Tool {
    pub name: &'static str,
    /// Its name for people.
    title: &'static str,
    /// When to use it, with an example: what a model reads to choose a tool.
    description: &'static str,
    /// Whether it changes nothing outside of the server.
    reads_only: bool,
    /// The schemas of its arguments and of its structured content.
    input: fn() -> Value,
    output: fn() -> Value,
    /// Carries out a call.
    run: fn(&Call, &Arguments) -> Result<Answer, String>,
}

/// The tools, in the order in which they are listed.
pub const TOOLS: &[Tool] = &[
    check::TOOL,
    run::TOOL,
    investigate::TOOL,
    trace::TOOL,
    debug::START,
    debug::DO,
    debug::STOP,
    join::TOOL,
    language::TOOL,
];

pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// The tool as `tools/list` describes it.
    pub fn described(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": (self.input)(),
            "outputSchema": (self.output)(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.reads_only,
                "destructiveHint": !self.reads_only,
                "openWorldHint": false,
            },
        })
    }

    /// Carries out a call: the result of `tools/call`. A call that fails has a result, too, which says what to do.
    pub fn call(&self, call: &Call, arguments: &Arguments) -> Value {
        let answer = known(arguments, &(self.input)()).and_then(|()| {
            let most = chars(arguments)?;
            Ok(((self.run)(call, arguments)?, most))
        });
        match answer {
            Ok((answer, most)) => answer.result(most),
            Err(message) => Answer::failure(message).result(super::answer::MAX_CHARS),
        }
    }
}
