//! Parameters of several commands, and the answer of several.

use crate::protocol::parameter::{
    Base, Bool, Environment, Object, Optional, Path, Required, Text, Texts, Whole, Word, parameters,
};
use crate::protocol::params::Params;
use crate::protocol::value_text::Notation;
use ez_engine::api::LineLocation;

/// The answers of commands that let the program run.
pub const RUN: &[&str] = &["stopped", "exited"];

parameters! {
    /// The file, absolute or relative to `workingDir`.
    pub FILE: Optional<Path> = "file", Path, unless(&["source"]);
    /// The file, as the Debug Adapter Protocol writes it.
    pub SOURCE: Optional<Object<String>> = "source",
        Object(&[&SOURCE_PATH], |source| SOURCE_PATH.read(source)), since_2();
    /// The file.
    SOURCE_PATH: Required<Path> = "path", Path;
    /// The line, from 1.
    pub LINE: Required<Whole> = "line", Whole::POSITIVE;
    /// Selects the statement that begins at this column, or else the last one before it.
    pub COLUMN: Optional<Whole> = "column", Whole::POSITIVE, since_2();
    /// A `bool` expression: it stops only where this is true.
    pub CONDITION: Optional<Text> = "condition", Text;
    /// At which hits it stops: `N`, `== N`, `>= N`, `> N`, `<= N`, `< N` or `% N`.
    pub HIT_CONDITION: Optional<Text> = "hitCondition", Text, since_2();
    /// Written instead of stopping; `{expression}` is replaced by its value.
    pub LOG_MESSAGE: Optional<Text> = "logMessage", Text, since_2();
    /// Whether it can be hit (default: true).
    pub ENABLED: Optional<Bool> = "enabled", Bool, since_2();
    /// The frame, counted from the innermost one (default: 0).
    pub FRAME_INDEX: Optional<Whole> = "frameIndex", Whole::NUMBER;
    /// How integers in values are written (default: 10).
    pub RADIX: Optional<Base> = "radix", Base, since_2();
    /// The program's arguments, which `os.args()` returns after interpreter and file.
    pub ARGS: Optional<Texts> = "args", Texts, since_2();
    /// Environment variables to set, or to take away with `null`.
    pub ENV: Optional<Environment> = "env", Environment, since_2();
    /// The highest version of the protocol that the client knows (default: 1).
    pub PROTOCOL_VERSION: Optional<Whole> = "protocolVersion", Whole::POSITIVE;
    /// How arrays in values are written (default: `brackets`).
    pub NOTATION: Optional<Word<Notation>> = "notation",
        Word(&[("brackets", Notation::Brackets), ("braces", Notation::Braces)]), since_2();
    /// The token of the server, in the first command of a connection over a socket.
    pub TOKEN: Optional<Text> = "token", Text, since_2(), of_connection();
}

/// The file that `FILE` or `SOURCE` names.
pub fn file(params: &Params) -> Result<Option<String>, String> {
    let source = SOURCE.read(params)?;
    match FILE.read(params)? {
        Some(file) if source.as_ref().is_some_and(|source| *source != file) => {
            Err(params.wrong("source", "'file' names another file"))
        }
        file => Ok(file.or(source)),
    }
}

/// The file that `FILE` or `SOURCE` names, where it is required.
pub fn required_file(params: &Params) -> Result<String, String> {
    params.required("file", file(params)?)
}

/// The line that `LINE` and `COLUMN` name, or one statement of it.
pub fn place(params: &Params) -> Result<LineLocation, String> {
    Ok(LineLocation { line: LINE.read(params)?, column: COLUMN.read(params)? })
}

/// The frame that `FRAME_INDEX` names.
pub fn frame(params: &Params) -> Result<usize, String> {
    Ok(FRAME_INDEX.read(params)?.unwrap_or(0) as usize)
}
