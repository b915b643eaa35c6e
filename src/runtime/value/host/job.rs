//! Jobs: requests that may take long, and are carried out on another thread while the interpreter's thread
//! waits.

use serde::{Deserialize, Serialize};

use super::bytes;
use super::request::{HostAnswer, HostRequest, SystemError};

/// A job. The arrows name the variant of [`JobResult`].
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
        /// Whether to return its output; otherwise it is discarded.
        capture: bool,
    },
    /// Sends a request to a web server → `Reply`.
    Fetch(HttpRequest),
    /// Answers the requests of HTTP clients until cancelled → `Served`.
    Serve {
        /// The TCP port.
        port: u16,
        /// The fixed responses.
        routes: Vec<ServedRoute>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobResult {
    /// A file's contents.
    Bytes(#[serde(with = "bytes::or_reason")] Result<Vec<u8>, SystemError>),
    /// The answer to a request.
    Answer(Result<HostAnswer, SystemError>),
    /// How a command ended, or why it could not be started.
    Command(Result<CommandEnd, String>),
    /// The response of a web server.
    Reply(Result<HttpReply, HttpFailure>),
    /// Why the server has stopped.
    Served(String),
    /// There is no job with this number.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandEnd {
    /// Exit status; `None` if it was ended by a signal.
    pub status: Option<i32>,
    /// Description of the signal that ended it: `killed`, `terminated`.
    pub signal: Option<String>,
    /// Whether there was a core dump.
    pub dumped: bool,
    /// Its standard output and standard error, if captured.
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
    /// Time limit in seconds, redirects included.
    pub timeout: u64,
}

/// A web server's reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpReply {
    /// `200`, `404`…
    pub status: u16,
    /// Names and values, in the order received.
    pub headers: Vec<(String, String)>,
    /// The decompressed body.
    #[serde(with = "bytes")]
    pub body: Vec<u8>,
}

/// Why there is no response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpFailure {
    /// The request failed, for this reason.
    Request(String),
    /// A redirect has led to a URL that was not reached.
    Redirected {
        url: String,
        /// Why it was not reached.
        reason: String,
    },
    /// The body of the response could not be read.
    Body,
}

/// A fixed response of the web server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedRoute {
    /// `GET`, `POST`…
    pub method: String,
    /// Path of the URL.
    pub path: String,
    /// Status of the response.
    pub status: i64,
    /// Headers of the response.
    pub headers: Vec<(String, String)>,
    /// Body of the response.
    #[serde(with = "bytes")]
    pub body: Vec<u8>,
}

/// The name of a header with the usual capitals: `Content-Type`.
pub fn canonical_header(name: &str) -> String {
    let mut start = true;
    let letters = name.chars().map(|c| {
        let letter = if start { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        start = c == '-';
        letter
    });
    letters.collect()
}
