//! What a command line asks for: the options of commands, and how one that is wrong is told.

use std::time::Duration;

use clap::ValueEnum;

use crate::protocol::address::Address;
use ez_runtime::host::{Capability, Root};

/// The status after an error in the command line, as other programs have it; 1 is that of programs which fail.
const WRONG_USAGE: u8 = 2;

/// What a command line asks for, to be done on a large stack; returns the exit status.
pub(super) type Action = Box<dyn FnOnce() -> u8 + Send>;

/// A text to be shown instead of an action: help (status 0), or an error in the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Usage {
    pub text: String,
    pub status: u8,
}

impl Usage {
    pub fn error(message: &str) -> Usage {
        Usage { text: format!("Error: {message}\n"), status: WRONG_USAGE }
    }
}

/// The protocol of a debug server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Protocol {
    /// Those of SPEC.md
    Ez,
    /// JSON-RPC 2.0
    Jsonrpc,
}

/// What to run, with options.
#[derive(Debug, PartialEq)]
pub(super) struct Options {
    /// The program's file.
    pub file: String,
    /// The result of `os.args()`: the interpreter, the file, the program's own arguments.
    pub arguments: Vec<String>,
    /// The capabilities denied to the program.
    pub deny: Vec<Capability>,
    /// The memory limit in bytes.
    pub memory: Option<u64>,
    /// The folder to which its files are confined.
    pub root: Option<Root>,
    /// How long the program may run.
    pub time: Option<Duration>,
    /// The file for a recording.
    pub record: Option<String>,
    /// Maximum size of the recording in bytes.
    pub record_at_most: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listening {
    pub address: Address,
    pub token_file: Option<String>,
}

/// Options of a program that debuggers can attach to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Debuggable {
    pub listening: Listening,
    /// Whether to wait for a debugger to start the program.
    pub wait: bool,
    pub history: bool,
    /// Whether the EZ programs that the program starts are followed.
    pub children: bool,
    /// The file that says where to announce the address instead of on standard error: `HOST:PORT/KEY`.
    pub announce: Option<String>,
}
