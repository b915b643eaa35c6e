//! Requests to the system, and their answers.

use serde::{Deserialize, Serialize};

use super::bytes;

/// A request of a program to the system. The arrows name the variant of [`HostAnswer`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostRequest {
    /// Metadata of a path → `Status`.
    Status {
        path: String,
        /// Whether to follow a symbolic link.
        follow: bool,
    },
    /// Replaces the contents of a file → `Done`.
    WriteFile {
        path: String,
        /// The new contents.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// Its permissions, regardless of the umask.
        mode: u32,
        /// Whether to replace the file atomically: a symbolic link is replaced instead of followed, and the
        /// old contents are kept until the new ones are complete.
        atomic: bool,
    },
    /// Appends to a file, which is created if it does not exist → `Done`.
    AppendFile {
        path: String,
        /// The data to append.
        #[serde(with = "bytes")]
        data: Vec<u8>,
        /// Permissions of a new file, before the umask.
        mode: u32,
        /// Whether to start a new line, if the file's last line has no end.
        line: bool,
    },
    /// Removes a file → `Done`.
    Remove(String),
    /// Removes an empty directory (or a link to one) → `Done`.
    RemoveDirectory(String),
    /// Removes a file, or a directory with its contents; no error if it does not exist → `Done`.
    RemoveAll(String),
    /// Renames a file → `Done`.
    Rename(String, String),
    /// Copies contents and, for a new file, permissions → `Done`.
    Copy {
        from: String,
        to: String,
        /// Permissions of a new file, before the umask; `None`: those of the source.
        mode: Option<u32>,
    },
    /// Creates a directory → `Done`.
    MakeDirectory {
        path: String,
        /// Its permissions, before the umask.
        mode: u32,
        /// Whether to create missing parents, and to accept an existing directory.
        parents: bool,
    },
    /// The names in a directory, sorted → `Texts`.
    ReadDirectory(String),
    /// Opens a file → `Number`: its handle for the requests below.
    Open {
        path: String,
        /// A sum of [`open_flags`].
        flags: i32,
        /// Permissions of a new file, before the umask.
        mode: u32,
    },
    /// Reads up to this many bytes of an open file in one call; without a count, everything that is left →
    /// `Bytes`.
    Read(u64, Option<u64>),
    /// Writes to an open file → `Number`: bytes written.
    Write(u64, #[serde(with = "bytes")] Vec<u8>),
    /// Sets the position in an open file: an offset relative to its start (0), the present position (1) or
    /// its end (2) → `Number`: the new position.
    Seek(u64, i64, i64),
    /// Flushes an open file to disk → `Done`.
    Sync(u64),
    /// Closes an open file → `Done`.
    Close(u64),
    /// An environment variable → `MaybeText`.
    Variable(String),
    /// Sets an environment variable, or removes it → `Done`.
    SetVariable(String, Option<String>),
    /// All environment variables, in order → `Pairs`.
    Variables,
    /// Interpreter, script and the program's own arguments → `Texts`.
    Arguments,
    /// The working directory → `Text`.
    Directory,
    /// Changes the working directory → `Done`.
    ChangeDirectory(String),
    /// The computer's name → `Text`.
    HostName,
    /// The login name of the user → `Text`.
    UserName,
    /// The process id → `Number`.
    ProcessId,
    /// The process id of the parent → `Number`.
    ParentId,
    /// Number of processors available to the program → `Number`.
    Processors,
    /// The local time zone at a time in seconds since 1970-01-01 UTC → `Zone`.
    Zone(i64),
    /// This many cryptographically secure random bytes → `Bytes`.
    RandomBytes(u64),
}

/// What a request is about.
pub enum RequestClass<'r> {
    /// The file or directory with this path; of two, the first.
    Path(&'r str),
    /// A file that is open.
    OpenFile,
    /// The environment variable with this name; "" for all of them, and for the names of computer and user.
    Environment(&'r str),
    /// The program's own process.
    Process,
    /// Random bytes.
    Random,
}

impl HostRequest {
    /// What it is about.
    pub fn class(&self) -> RequestClass<'_> {
        use HostRequest::*;
        match self {
            Status { path, .. } | WriteFile { path, .. } | AppendFile { path, .. } => {
                RequestClass::Path(path)
            }
            MakeDirectory { path, .. } | Open { path, .. } => RequestClass::Path(path),
            Copy { from: path, .. } | Rename(path, _) => RequestClass::Path(path),
            Remove(path) | RemoveDirectory(path) | RemoveAll(path) => RequestClass::Path(path),
            ReadDirectory(path) | ChangeDirectory(path) => RequestClass::Path(path),
            Read(..) | Write(..) | Seek(..) | Sync(_) | Close(_) => RequestClass::OpenFile,
            Variable(name) | SetVariable(name, _) => RequestClass::Environment(name),
            Variables | HostName | UserName => RequestClass::Environment(""),
            Arguments | Directory | ProcessId | ParentId | Processors | Zone(_) => RequestClass::Process,
            RandomBytes(_) => RequestClass::Random,
        }
    }

    /// What its errors call it.
    pub fn operation(&self) -> &'static str {
        use HostRequest::*;
        match self {
            Status { .. } => "stat",
            WriteFile { .. } | AppendFile { .. } | Open { .. } | ReadDirectory(_) => "open",
            Remove(_) | RemoveDirectory(_) | RemoveAll(_) => "remove",
            Rename(..) => "rename",
            Copy { .. } => "copy",
            MakeDirectory { .. } => "mkdir",
            ChangeDirectory(_) => "chdir",
            Variable(_) => "getenv",
            SetVariable(..) => "setenv",
            Variables => "environ",
            HostName => "hostname",
            UserName => "username",
            Read(..) | Write(..) | Seek(..) | Sync(_) | Close(_) => "request",
            Arguments | Directory | ProcessId | ParentId | Processors | Zone(_) | RandomBytes(_) => "request",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        /// Abbreviation of the zone.
        name: String,
    },
}

/// Metadata of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStatus {
    /// The type of file.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: i64,
    /// Modification time in seconds since 1970-01-01 UTC.
    pub modified: i64,
    /// Permission bits.
    pub mode: u32,
}

/// Flags for opening files: the numbers of `open(2)` on Linux, on every system.
pub mod open_flags {
    /// Open for reading.
    pub const READ_ONLY: i32 = 0;
    /// Open for writing.
    pub const WRITE_ONLY: i32 = 1;
    /// Open for reading and writing.
    pub const READ_WRITE: i32 = 2;
    /// The bits of the three flags above.
    pub const ACCESS: i32 = 3;
    /// Create the file if it does not exist.
    pub const CREATE: i32 = 0o100;
    /// With [`CREATE`]: fail if the file exists.
    pub const EXCLUSIVE: i32 = 0o200;
    pub const TRUNCATE: i32 = 0o1000;
    /// Write at the end.
    pub const APPEND: i32 = 0o2000;
}

/// Types of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    File,
    Directory,
    Link,
    Other,
}

/// An error of a system call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemError {
    /// The class of the error.
    pub kind: SystemErrorKind,
    /// The name of the call: `open`.
    pub operation: String,
    /// The path as the program wrote it; empty if there is none.
    pub path: String,
    /// The reason in words: `no such file or directory`.
    pub reason: String,
}

/// Classes of errors that programs can distinguish, the same on all systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SystemErrorKind {
    /// There is no such file or directory.
    NotFound,
    /// The program lacks the permission.
    PermissionDenied,
    AlreadyExists,
    DirectoryNotEmpty,
    /// The disk is full.
    StorageFull,
    /// Anything else.
    Other,
}
