//! Requests to the system, and what comes back.

use serde::{Deserialize, Serialize};

use super::bytes;

/// Something that a program asks of, or does to, the system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostRequest {
    /// What is at the path → `Status`.
    Status {
        /// The path.
        path: String,
        /// Whether to follow a symbolic link.
        follow: bool,
    },
    /// Replaces a file, all or nothing → `Done`.
    WriteFile {
        /// The path.
        path: String,
        /// What it is to hold.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// Its permissions, exactly.
        mode: u32,
        /// Whether a symbolic link is replaced rather than written through, and nothing is truncated
        /// before all is written.
        atomic: bool,
    },
    /// Adds to the end of a file, which is created if it is missing → `Done`.
    AppendFile {
        /// The path.
        path: String,
        /// What to add.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// Permissions of a new file, less the umask.
        mode: u32,
        /// Whether `data` is to begin on a line of its own.
        line: bool,
    },
    /// Removes a file → `Done`.
    Remove(String),
    /// Removes an empty directory (or a link to one) → `Done`.
    RemoveDirectory(String),
    /// Removes a file, or a directory and all that is in it; nothing there is no failure → `Done`.
    RemoveAll(String),
    /// Gives a file another name → `Done`.
    Rename(String, String),
    /// Copies contents and, for a new file, permissions → `Done`.
    Copy {
        /// From.
        from: String,
        /// To.
        to: String,
        /// Permissions of a new file, less the umask; those of the source if none.
        mode: Option<u32>,
    },
    /// Makes a directory → `Done`.
    MakeDirectory {
        /// The path.
        path: String,
        /// Its permissions, less the umask.
        mode: u32,
        /// Whether missing parents are made and an existing one will do.
        parents: bool,
    },
    /// The names in a directory, sorted → `Texts`.
    ReadDirectory(String),
    /// Opens a file → `Number`, by which it is read, written and closed.
    Open {
        /// The path.
        path: String,
        /// A sum of [`open_flags`].
        flags: i32,
        /// Permissions of a new file, less the umask.
        mode: u32,
    },
    /// Reads once up to so many bytes of an open file; without a count, all that is left → `Bytes`.
    Read(u64, Option<u64>),
    /// Writes to an open file → `Number`: how many bytes.
    Write(u64, #[serde(with = "bytes")] Vec<u8>),
    /// Moves in a file by an offset from its start (0), from here (1) or from its end (2) → `Number`: the
    /// new offset from the start.
    Seek(u64, i64, i64),
    /// Forces what was written to an open file to disk → `Done`.
    Sync(u64),
    /// Closes an open file → `Done`.
    Close(u64),
    /// An environment variable → `MaybeText`.
    Variable(String),
    /// Sets (or removes) one → `Done`.
    SetVariable(String, Option<String>),
    /// All of them, in order → `Pairs`.
    Variables,
    /// Interpreter, script and the program's own arguments → `Texts`.
    Arguments,
    /// The current directory → `Text`.
    Directory,
    /// Makes another directory the current one → `Done`.
    ChangeDirectory(String),
    /// The machine's name → `Text`.
    HostName,
    /// The login name of the process's user → `Text`.
    UserName,
    /// Number of the process → `Number`.
    ProcessId,
    /// Number of the process that started this one → `Number`.
    ParentId,
    /// Processors that the program may use → `Number`.
    Processors,
    /// The local time zone at a moment, in seconds since 1970-01-01 UTC → `Zone`.
    Zone(i64),
    /// So many bytes of cryptographic quality → `Bytes`.
    RandomBytes(u64),
}

/// What a request gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum HostAnswer {
    Done,
    Number(i64),
    Text(String),
    MaybeText(Option<String>),
    Texts(Vec<String>),
    Pairs(Vec<(String, String)>),
    Bytes(#[serde(with = "bytes")] Vec<u8>),
    Status(FileStatus),
    Zone {
        /// Seconds east of UTC.
        offset: i32,
        /// Abbreviation.
        name: String,
    },
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStatus {
    /// What it is.
    pub kind: FileKind,
    /// Bytes.
    pub size: i64,
    /// Seconds since 1970-01-01 UTC.
    pub modified: i64,
    /// Permissions.
    pub mode: u32,
}

/// How a file is opened: the numbers of `open(2)` on Linux, on every system.
pub mod open_flags {
    /// To be read.
    pub const READ_ONLY: i32 = 0;
    /// To be written.
    pub const WRITE_ONLY: i32 = 1;
    /// To be read and written.
    pub const READ_WRITE: i32 = 2;
    /// The bits that hold one of the three above.
    pub const ACCESS: i32 = 3;
    /// Made if it is missing.
    pub const CREATE: i32 = 0o100;
    /// With [`CREATE`]: an error if it is there.
    pub const EXCLUSIVE: i32 = 0o200;
    /// Emptied.
    pub const TRUNCATE: i32 = 0o1000;
    /// What is written goes to the end.
    pub const APPEND: i32 = 0o2000;
}

/// What can be at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FileKind {
    File,
    Directory,
    Link,
    Other,
}

/// A system call that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemError {
    /// Why, as far as reasons are told apart.
    pub kind: SystemErrorKind,
    /// Which call: `open`.
    pub operation: String,
    /// The path as the program wrote it; empty if there is none.
    pub path: String,
    /// Why, in words: `no such file or directory`.
    pub reason: String,
}

/// Reasons of failures that programs tell apart, the same on all systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SystemErrorKind {
    /// There is no such file or directory.
    NotFound,
    /// The program lacks the right to do that.
    PermissionDenied,
    /// It exists already.
    AlreadyExists,
    /// The directory is not empty.
    DirectoryNotEmpty,
    /// The disk is full.
    StorageFull,
    /// Anything else.
    Other,
}
