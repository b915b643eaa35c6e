//! What the messages contain: requests that are read, replies and other messages that are written.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Runs a cell.
#[derive(Clone, Debug, Deserialize)]
pub struct ExecuteRequest {
    /// Its text.
    pub code: String,
    /// Whether to run it without showing or counting it.
    #[serde(default)]
    pub silent: bool,
    /// Whether it belongs to the history; `None`: yes, unless it is silent.
    #[serde(default)]
    pub store_history: Option<bool>,
    /// Expressions to evaluate afterwards, by name.
    #[serde(default)]
    pub user_expressions: Map<String, Value>,
    /// Whether the program may ask for input; the protocol's default is yes.
    #[serde(default = "yes")]
    pub allow_stdin: bool,
    /// Whether an error aborts the cells that are waiting.
    #[serde(default = "yes")]
    pub stop_on_error: bool,
}

fn yes() -> bool {
    true
}

/// Asks how a name can be completed.
#[derive(Clone, Debug, Deserialize)]
pub struct CompleteRequest {
    /// The text of the cell.
    pub code: String,
    /// Position of the cursor in it, in code points from 0.
    pub cursor_pos: usize,
}

/// Asks what is at the cursor.
#[derive(Clone, Debug, Deserialize)]
pub struct InspectRequest {
    /// The text of the cell.
    pub code: String,
    /// Position of the cursor in it, in code points from 0.
    pub cursor_pos: usize,
}

/// Asks whether a text is a complete cell.
#[derive(Clone, Debug, Deserialize)]
pub struct IsCompleteRequest {
    /// The text.
    pub code: String,
}

/// Asks for cells that were run.
#[derive(Clone, Debug, Deserialize)]
pub struct HistoryRequest {
    /// Whether to return what they have shown, too.
    #[serde(default)]
    pub output: bool,
    /// Which of them.
    #[serde(flatten)]
    pub access: HistoryAccess,
}

/// Which cells of the history are wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "hist_access_type", rename_all = "lowercase")]
pub enum HistoryAccess {
    /// The last `n`.
    Tail {
        /// How many at most.
        #[serde(default)]
        n: Option<usize>,
    },
    /// Those with numbers from `start` up to, not including, `stop`.
    Range {
        /// The session, from the history itself; 0 is the present one, others are not kept.
        #[serde(default)]
        session: i64,
        /// First number.
        #[serde(default)]
        start: Option<i64>,
        /// The number after the last.
        #[serde(default)]
        stop: Option<i64>,
    },
    /// Those that match `pattern`, in which `*` is any text and `?` any character; the last `n` of them.
    Search {
        /// How many at most.
        #[serde(default)]
        n: Option<usize>,
        #[serde(default)]
        pattern: Option<String>,
        /// Whether equal texts count once.
        #[serde(default)]
        unique: bool,
    },
}

/// Ends the kernel.
#[derive(Clone, Debug, Deserialize)]
pub struct ShutdownRequest {
    /// Whether it will be started again.
    #[serde(default)]
    pub restart: bool,
}

/// What a user has typed for the program.
#[derive(Clone, Debug, Deserialize)]
pub struct InputReply {
    /// A line, without line end.
    pub value: String,
}

/// Opens a channel to a part of the kernel.
#[derive(Clone, Debug, Deserialize)]
pub struct CommOpen {
    /// Number of the channel.
    pub comm_id: String,
}

/// What the kernel says about itself.
#[derive(Clone, Debug, Serialize)]
pub struct KernelInfo {
    /// `ok`.
    pub status: &'static str,
    /// Version of the messaging protocol.
    pub protocol_version: &'static str,
    /// Name of the kernel.
    pub implementation: &'static str,
    pub implementation_version: &'static str,
    pub language_info: LanguageInfo,
    /// A line or two for a console.
    pub banner: String,
    /// Whether there is a debugger.
    pub debugger: bool,
    /// Optional parts of the protocol.
    pub supported_features: &'static [&'static str],
    /// What cells must not do: a field of this kernel only.
    pub limits: Limits,
}

/// What cells must not do.
#[derive(Clone, Debug, Serialize)]
pub struct Limits {
    /// Names of what is denied to them: `net`, `fs`, `exec`, `env`.
    pub deny: Vec<&'static str>,
    /// The maximum memory of their values in bytes.
    pub memory: Option<u64>,
}

/// The language of a kernel, for front ends that highlight and save its texts.
#[derive(Clone, Debug, Serialize)]
pub struct LanguageInfo {
    pub name: &'static str,
    pub version: &'static str,
    /// Media type of its texts.
    pub mimetype: &'static str,
    pub file_extension: &'static str,
    /// The lexer of Pygments that colours it best.
    pub pygments_lexer: &'static str,
    /// The mode of CodeMirror that colours it best.
    pub codemirror_mode: &'static str,
}

/// An error: the content of an `error` message, and of a reply with the status `error`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ErrorContent {
    /// Its code: `E5001`.
    pub ename: String,
    /// Its message.
    pub evalue: String,
    /// The report, by lines.
    pub traceback: Vec<String>,
}

/// A reply of the kind that each request has.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Reply<T> {
    /// It was carried out.
    Ok(T),
    /// It failed.
    Error(ErrorContent),
    /// It was not carried out, because an earlier one failed.
    Aborted,
}

/// The reply to an [`ExecuteRequest`].
#[derive(Clone, Debug, Serialize)]
pub struct ExecuteReply {
    /// Number of the cell.
    pub execution_count: u64,
    /// Not used any more.
    pub payload: [Value; 0],
    /// The values of the expressions that were asked for.
    pub user_expressions: Map<String, Value>,
    #[serde(flatten)]
    pub end: Reply<Nothing>,
}

/// No content.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Nothing {}

/// The reply to a [`CompleteRequest`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Completed {
    /// What the text between the cursors can be replaced by.
    pub matches: Vec<String>,
    /// Where the replaced text begins, in code points from 0.
    pub cursor_start: usize,
    pub cursor_end: usize,
    /// Kinds and signatures of the matches.
    pub metadata: Value,
}

/// The reply to an [`InspectRequest`].
#[derive(Clone, Debug, Serialize)]
pub struct Inspected {
    /// Whether something is known.
    pub found: bool,
    /// What is known, by media type.
    pub data: Value,
    /// No metadata.
    pub metadata: Nothing,
}

/// The reply to an [`IsCompleteRequest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum IsComplete {
    /// It can be run.
    Complete,
    /// A further line is needed.
    Incomplete {
        /// With what that line should begin.
        indent: String,
    },
    /// No further line can make it valid.
    Invalid,
}

/// The reply to a [`HistoryRequest`]: for each cell the session, its number, its text or its text and output.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// The cells.
    pub history: Vec<(i64, u64, Value)>,
}

/// Whether the kernel works on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// `busy`, `idle` or `starting`.
    pub execution_state: &'static str,
}

/// Output of a program.
#[derive(Clone, Debug, Serialize)]
pub struct Stream {
    /// `stdout` or `stderr`.
    pub name: &'static str,
    pub text: String,
}

/// The text of a cell that is about to run.
#[derive(Clone, Debug, Serialize)]
pub struct ExecuteInput {
    /// The text.
    pub code: String,
    /// Number of the cell.
    pub execution_count: u64,
}

/// The value of a cell.
#[derive(Clone, Debug, Serialize)]
pub struct ExecuteResult {
    /// The value by media type.
    pub data: Value,
    /// No metadata.
    pub metadata: Nothing,
    /// Number of the cell.
    pub execution_count: u64,
}

/// Asks the user for a line.
#[derive(Clone, Debug, Serialize)]
pub struct InputRequest {
    /// Text before the line.
    pub prompt: String,
    /// Whether the line is to be hidden.
    pub password: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_defaults_of_the_protocol() {
        let request: ExecuteRequest = serde_json::from_str(r#"{"code": "1"}"#).unwrap();
        assert!(request.stop_on_error && request.allow_stdin && !request.silent);
        assert_eq!(request.store_history, None);
        let history = r#"{"hist_access_type": "tail", "n": 3, "raw": true, "output": false}"#;
        let history: HistoryRequest = serde_json::from_str(history).unwrap();
        assert!(matches!(history.access, HistoryAccess::Tail { n: Some(3) }));
    }

    #[test]
    fn replies_have_their_status_beside_their_fields() {
        let reply = |end| {
            let user_expressions = Map::new();
            let reply = ExecuteReply { execution_count: 2, payload: [], user_expressions, end };
            serde_json::to_string(&reply).unwrap()
        };
        assert_eq!(
            reply(Reply::Ok(Nothing {})),
            r#"{"execution_count":2,"payload":[],"user_expressions":{},"status":"ok"}"#
        );
        let error = ErrorContent { ename: "E5001".into(), ..ErrorContent::default() };
        assert!(
            reply(Reply::Error(error))
                .ends_with(r#""status":"error","ename":"E5001","evalue":"","traceback":[]}"#)
        );
        assert!(reply(Reply::Aborted).ends_with(r#""status":"aborted"}"#));
        let incomplete = IsComplete::Incomplete { indent: "  ".into() };
        assert_eq!(serde_json::to_string(&incomplete).unwrap(), r#"{"status":"incomplete","indent":"  "}"#);
    }
}
