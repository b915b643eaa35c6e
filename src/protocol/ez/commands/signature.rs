//! What is declared of a command: its parameters, and the events that answer it. Clients read it in the description
//! of the protocol (`protocol/ez/description`), and a test compares it with what the command reads.

use crate::protocol::params::MAX_COUNTED;

/// What clients can know of a command before they send it.
#[derive(Clone, Copy)]
#[cfg_attr(not(test), expect(dead_code, reason = "a test writes the description of the protocol from it"))]
pub struct Signature {
    /// The first version of the protocol that has it.
    pub since: u32,
    /// What the command does.
    pub about: &'static str,
    /// All its parameters, in the order of SPEC.md.
    pub parameters: &'static [Parameter],
    /// The events that can answer it, apart from `error`.
    pub answers: &'static [&'static str],
    /// The event that comes before the answer, with the same `id`.
    pub first: Option<&'static str>,
    /// The capability that tells clients of it.
    pub capability: Option<&'static str>,
    /// Whether the session must have a program, though the request is possible in every state.
    pub needs_program: bool,
}

/// A parameter, or a member of one that is an object.
#[derive(Clone, Copy)]
#[cfg_attr(not(test), expect(dead_code, reason = "a test writes the description of the protocol from it"))]
pub struct Parameter {
    pub name: &'static str,
    pub kind: Kind,
    pub presence: Presence,
    /// The first version of the protocol that has it.
    pub since: u32,
    /// What it means.
    pub about: &'static str,
}

/// Whether a parameter may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Required,
    Optional,
    /// Required unless one of these is given.
    Unless(&'static [&'static str]),
    /// Read where the connection is accepted, not by the command.
    OfConnection,
}

/// The values that a parameter accepts.
#[derive(Clone, Copy)]
#[cfg_attr(not(test), expect(dead_code, reason = "a test writes the description of the protocol from it"))]
pub enum Kind {
    Text,
    /// A text, or `null`, which takes away what is there.
    TextOrNull,
    /// A text `HOST:PORT`.
    Address,
    /// A text that is not empty, without null bytes.
    Path,
    Bool,
    /// A whole number in this range.
    Whole(u64, u64),
    /// The number of a value with parts.
    Reference,
    /// One of these texts.
    Words(&'static [&'static str]),
    /// A list of these texts.
    ListOfWords(&'static [&'static str]),
    /// 2, 10 or 16.
    Radix,
    /// A list of texts.
    Texts,
    /// A list of capabilities, or a text with commas between them.
    Capabilities,
    /// A number of bytes, or a text such as `512M`.
    Size,
    /// An object: from names to texts or `null`.
    Environment,
    Object(&'static [Parameter]),
    /// A list of objects with these members.
    Objects(&'static [Parameter]),
}

/// The largest number of parameters that are not limited otherwise.
const MOST: u64 = u32::MAX as u64;

impl Kind {
    /// A whole number from 1.
    pub const POSITIVE: Kind = Kind::Whole(1, MOST);
    /// A whole number from 0.
    pub const NUMBER: Kind = Kind::Whole(0, MOST);
    /// A step, from 1.
    pub const STEP: Kind = Kind::Whole(1, MAX_COUNTED);
    /// A number of bytes, from 0.
    pub const OFFSET: Kind = Kind::Whole(0, MAX_COUNTED);
}

impl Parameter {
    /// A parameter that may be missing.
    pub const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
        Parameter { name, kind, presence: Presence::Optional, since: 1, about }
    }

    /// A parameter that may not be missing.
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
        Parameter { presence: Presence::Required, ..Parameter::optional(name, kind, about) }
    }

    /// The same for a parameter that may be missing if one of these is given.
    pub const fn unless(self, others: &'static [&'static str]) -> Parameter {
        Parameter { presence: Presence::Unless(others), ..self }
    }

    /// The same for a parameter that version 1 does not have.
    pub const fn since_2(self) -> Parameter {
        Parameter { since: 2, ..self }
    }

    /// The same with another explanation.
    pub const fn about(self, about: &'static str) -> Parameter {
        Parameter { about, ..self }
    }
}

/// The answers of commands that let the program run.
pub const RUN: &[&str] = &["stopped", "exited"];

/// Parameters of several commands.
pub const FILE: Parameter =
    Parameter::required("file", Kind::Path, "The file, absolute or relative to `workingDir`.")
        .unless(&["source"]);
pub const SOURCE: Parameter = Parameter::optional(
    "source",
    Kind::Object(&[Parameter::required("path", Kind::Path, "The file.")]),
    "The file, as the Debug Adapter Protocol writes it.",
)
.since_2();
pub const LINE: Parameter = Parameter::required("line", Kind::POSITIVE, "The line, from 1.");
pub const COLUMN: Parameter = Parameter::optional(
    "column",
    Kind::POSITIVE,
    "Selects the statement that begins at this column, or else the last one before it.",
)
.since_2();
pub const CONDITION: Parameter =
    Parameter::optional("condition", Kind::Text, "A `bool` expression: it stops only where this is true.");
pub const HIT_CONDITION: Parameter = Parameter::optional(
    "hitCondition",
    Kind::Text,
    "At which hits it stops: `N`, `== N`, `>= N`, `> N`, `<= N`, `< N` or `% N`.",
)
.since_2();
pub const LOG_MESSAGE: Parameter = Parameter::optional(
    "logMessage",
    Kind::Text,
    "Written instead of stopping; `{expression}` is replaced by its value.",
)
.since_2();
pub const ENABLED: Parameter =
    Parameter::optional("enabled", Kind::Bool, "Whether it can be hit (default: true).").since_2();
pub const FRAME_INDEX: Parameter = Parameter::optional(
    "frameIndex",
    Kind::NUMBER,
    "The frame, counted from the innermost one (default: 0).",
);
pub const RADIX: Parameter =
    Parameter::optional("radix", Kind::Radix, "How integers in values are written (default: 10).").since_2();
pub const ARGS: Parameter = Parameter::optional(
    "args",
    Kind::Texts,
    "The program's arguments, which `os.args()` returns after interpreter and file.",
)
.since_2();
pub const ENV: Parameter = Parameter::optional(
    "env",
    Kind::Environment,
    "Environment variables to set, or to take away with `null`.",
)
.since_2();
pub const PROTOCOL_VERSION: Parameter = Parameter::optional(
    "protocolVersion",
    Kind::POSITIVE,
    "The highest version of the protocol that the client knows (default: 1).",
);
pub const NOTATION: Parameter = Parameter::optional(
    "notation",
    Kind::Words(&["brackets", "braces"]),
    "How arrays in values are written (default: `brackets`).",
)
.since_2();
pub const TOKEN: Parameter = Parameter {
    name: "token",
    kind: Kind::Text,
    presence: Presence::OfConnection,
    since: 2,
    about: "The token of the server, in the first command of a connection over a socket.",
};
