//! Child processes: how EZ programs that a debugged program starts, directly or through other programs, find
//! its session.
//!
//! The session has an [`AddressBook`]: a socket on the loopback interface, whose address and keys are in an
//! environment variable of the program's commands. An EZ program that finds the variable announces itself
//! there before it runs ([`announce`]), and keeps the connection ([`ParentLink`]) until it ends, so that each
//! side notices when the other one has gone. The messages are lines: first the key, which is answered by
//! another one, then JSON.

mod address_book;
mod contact;
mod lines;
mod parent_link;

use serde::{Deserialize, Serialize};

use crate::api::{ChildProcess, SetBreakpoint};

pub use address_book::AddressBook;
pub use lines::SocketLines;
pub use parent_link::{ParentLink, announce};

/// Version of the messages. A process with another version is not followed.
const VERSION: u32 = 2;

/// The first message of a child process.
#[derive(Debug, Serialize, Deserialize)]
struct Announcement {
    version: u32,
    process: ChildProcess,
}

/// What a session tells a child process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Order {
    /// To run in a session to which clients can attach.
    Follow {
        /// Whether to wait for a client before the first statement.
        held: bool,
        /// Line breakpoints, for all files.
        breakpoints: Vec<SetBreakpoint>,
        /// How to run the program.
        settings: ChildSettings,
    },
    /// To run without a session.
    Run,
    /// To wait for a client no longer.
    Release,
    End,
}

/// What child processes have in common with the program that has started them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildSettings {
    /// As in [`Launch`](crate::api::Launch).
    pub stop_on_entry: Option<bool>,
    /// As in [`Launch`](crate::api::Launch).
    pub history: bool,
}

/// What a child process tells the session of its parent.
#[derive(Debug, Serialize, Deserialize)]
enum Report {
    /// That its program has been started, so that it waits for a client no longer.
    Started,
    /// The exit status with which it is about to end.
    Ended(i32),
}
