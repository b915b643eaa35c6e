//! Jobs: what may take long, and is done on a thread of its own while the interpreter's waits.

use serde::{Deserialize, Serialize};

use super::bytes;
use super::request::{HostAnswer, HostRequest, SystemError};

/// Something that may take long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Job {
    /// Reads a whole file, which may be a pipe or a terminal → `Bytes`.
    ReadFile(String),
    /// A request that may block, or one of many in a row → `Answer`.
    Request(HostRequest),
    /// Runs a command with the system's shell → `Command`.
    Command {
        /// The shell's text.
        command: String,
        /// Whether its output is collected; otherwise it goes nowhere.
        capture: bool,
    },
    /// Sends a request to a web server → `Reply`.
    Fetch(HttpRequest),
    /// Answers the requests of web clients until cancelled → `Served`.
    Serve {
        /// The TCP port.
        port: u16,
        /// What is answered to what.
        routes: Vec<ServedRoute>,
    },
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobResult {
    /// A file's contents.
    Bytes(#[serde(with = "bytes::or_reason")] Result<Vec<u8>, SystemError>),
    /// The answer to a request.
    Answer(Result<HostAnswer, SystemError>),
    /// How a command ended; `Err` says why it could not be started.
    Command(Result<CommandEnd, String>),
    /// A web server's reply.
    Reply(Result<HttpReply, HttpFailure>),
    /// Why the port is not served (any more).
    Served(String),
    /// There is no job of that number.
    Unknown,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandEnd {
    /// Exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// What the signal is called that ended it: `killed`, `terminated`.
    pub signal: Option<String>,
    /// Whether it left a memory dump.
    pub dumped: bool,
    /// What it wrote to standard output and standard error, if that was captured.
    #[serde(with = "bytes")]
    pub output: Vec<u8>,
}

/// A request to a web server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// `GET`, `POST`…
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// The body, for methods that have one.
    pub body: Option<Vec<u8>>,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// Seconds for the whole exchange, redirects included.
    pub timeout: u64,
}

/// A web server's reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpReply {
    /// `200`, `404`…
    pub status: u16,
    /// Names and values, in the order in which they came.
    pub headers: Vec<(String, String)>,
    /// The body, unpacked.
    #[serde(with = "bytes")]
    pub body: Vec<u8>,
}

/// Why there is no reply of a web server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpFailure {
    /// The request failed: why.
    Request(String),
    /// A reply came, but its body could not be read.
    Body,
}

/// A fixed answer to web clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedRoute {
    /// `GET`, `POST`…
    pub method: String,
    /// Path of the URL.
    pub path: String,
    /// Status of the answer.
    pub status: i64,
    /// Headers of the answer.
    pub headers: Vec<(String, String)>,
    /// Body of the answer.
    #[serde(with = "bytes")]
    pub body: Vec<u8>,
}

/// A header's name as it is usually written: `Content-Type`.
pub fn canonical_header(name: &str) -> String {
    let mut start = true;
    let letters = name.chars().map(|c| {
        let letter = if start { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        start = c == '-';
        letter
    });
    letters.collect()
}
