//! The only door from a program to the outside: streams, clock, random numbers, files, environment,
//! processes and network.
//!
//! Questions and answers are plain data, so that a host can keep every answer and give it back later.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited<T> {
    /// With what was waited for.
    Done(T),
    /// Early, because somebody wants the interpreter's attention; to be asked again after that.
    Interrupted,
}

/// What a program can do to, or learn from, the world. The system host does the real thing; other
/// hosts keep answers, give them back, or refuse.
pub trait Host {
    /// Writes program output; order between the streams is kept.
    ///
    /// # Errors
    /// When the stream is closed or broken.
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()>;

    /// Makes what was written visible.
    ///
    /// # Errors
    /// When the stream is closed or broken.
    fn flush(&mut self) -> io::Result<()>;

    /// The next line of standard input with its line end; `None` at the end of input.
    ///
    /// # Errors
    /// When reading fails.
    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>>;

    /// Waits that long, or until attention is wanted: then gives what is left of the time.
    fn sleep(&mut self, time: Duration) -> Option<Duration>;

    /// Time since 1970-01-01 00:00:00 UTC (negative before, as seconds and nanoseconds).
    fn now(&mut self) -> (i64, u32);

    /// 64 random bits.
    fn random(&mut self) -> u64;

    /// Asks for, or does, something that does not block. (What works on files may, if they are large, or
    /// pipes or terminals; then it is to be a job.)
    ///
    /// # Errors
    /// When the system refuses.
    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError>;

    /// Starts something that may take long; gives its number.
    fn start(&mut self, job: Job) -> u64;

    /// Waits for a job to end, or until attention is wanted.
    fn finish(&mut self, job: u64) -> Waited<JobResult>;

    /// Gives a job up: nobody waits for it any more.
    fn cancel(&mut self, job: u64);

    /// The flag by which attention is asked for, if anybody may: what computes for long looks at it.
    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        None
    }

    /// The program is over: jobs that still run are given up, and what was written is made visible.
    fn end(&mut self) {
        let _ = self.flush();
    }
}

/// A question or deed that does not block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostRequest {
    /// What is at the path → `Status`.
    Status {
        /// The path.
        path: String,
        /// Whether a symbolic link stands for what it points to.
        follow: bool,
    },
    /// Replaces a file, all or nothing → `Done`.
    WriteFile {
        /// The path.
        path: String,
        /// What it is to hold.
        data: Vec<u8>,
        /// Its permissions, exactly.
        mode: u32,
        /// Whether a symbolic link is replaced rather than written through, and nothing is truncated
        /// before all is written.
        atomic: bool,
    },
    /// Adds to a file → `Done`.
    AppendFile {
        /// The path.
        path: String,
        /// What to add.
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
    /// Removes whatever is there → `Done`.
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
    /// Opens a file → `Number`: the handle.
    Open {
        /// The path.
        path: String,
        /// As `open(2)` takes them.
        flags: i32,
        /// Permissions of a new file, less the umask.
        mode: u32,
    },
    /// Reads up to that many bytes once; all there are if none is given → `Bytes`.
    Read(u64, Option<u64>),
    /// Writes → `Number`: how many bytes.
    Write(u64, Vec<u8>),
    /// Moves in a file → `Number`: the new place.
    Seek(u64, i64, i64),
    /// Forces data to disk → `Done`.
    Sync(u64),
    /// Closes a file → `Done`.
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
    /// Goes to another → `Done`.
    ChangeDirectory(String),
    /// → `Text`.
    HostName,
    /// → `Text`.
    UserName,
    /// → `Number`.
    ProcessId,
    /// → `Number`.
    ParentId,
    /// Processors that the program may use → `Number`.
    Processors,
    /// Offset of local time at a moment → `Zone`.
    Zone(i64),
    /// That many bytes that nobody can guess → `Bytes`.
    RandomBytes(u64),
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum HostAnswer {
    Done,
    Number(i64),
    Text(String),
    MaybeText(Option<String>),
    Texts(Vec<String>),
    Pairs(Vec<(String, String)>),
    Bytes(Vec<u8>),
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
    /// Which file it is, whatever its names: device and number.
    pub identity: (u64, u64),
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
    /// The system's number for the reason; 0 if it gave none.
    pub errno: i32,
    /// Which call: `open`.
    pub operation: String,
    /// On what: the path as the program gave it.
    pub path: String,
    /// Why, as text: `no such file or directory`.
    pub reason: String,
}

/// Something that may take long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Job {
    /// Reads a file, which may be a pipe or a terminal → `Bytes`.
    ReadFile(String),
    /// A request that may take long, or one of many → `Answer`.
    Request(HostRequest),
    /// Runs a command with the shell → `Command`.
    Command {
        /// Its text.
        command: String,
        /// Whether its output is kept.
        capture: bool,
    },
    /// Sends a request → `Reply`.
    Fetch(HttpRequest),
    /// Answers requests until cancelled → `Served`.
    Serve {
        /// The port.
        port: u16,
        /// What is answered.
        routes: Vec<ServedRoute>,
    },
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobResult {
    /// A file's contents.
    Bytes(Result<Vec<u8>, SystemError>),
    /// The answer to a request.
    Answer(Result<HostAnswer, SystemError>),
    /// A command's end; `Err` if it could not be started.
    Command(Result<CommandEnd, String>),
    /// A reply; `Err` says why there is none.
    Reply(Result<HttpReply, HttpFailure>),
    /// Why nothing is served.
    Served(String),
    /// There is no such job.
    Unknown,
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandEnd {
    /// Exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// The signal.
    pub signal: Option<i32>,
    /// Whether memory was dumped.
    pub dumped: bool,
    /// What it wrote, if that is kept.
    pub output: Vec<u8>,
}

/// A request to a web server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// `GET`…
    pub method: String,
    /// Absolute.
    pub url: String,
    /// The body, for methods that have one.
    pub body: Option<Vec<u8>>,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// Time for the whole exchange, in seconds.
    pub timeout: u64,
}

/// A web server's reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpReply {
    /// `200`…
    pub status: u16,
    /// Names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HttpFailure {
    /// Nothing came.
    Request(String),
    /// A reply came, but its body could not be read.
    Body,
}

/// A fixed answer of a served address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedRoute {
    /// `GET`…
    pub method: String,
    /// The path.
    pub path: String,
    /// Status of the answer.
    pub status: i64,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Its body.
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

/// The flag by which other threads ask for the interpreter's attention, and a bell that wakes it.
#[derive(Debug, Default)]
pub struct InterruptFlag {
    raised: AtomicBool,
    lock: Mutex<()>,
    bell: Condvar,
}

impl InterruptFlag {
    /// A flag that is not raised.
    pub fn new() -> Arc<InterruptFlag> {
        Arc::default()
    }

    /// Asks for attention: waits end early.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.ring();
    }

    /// Takes the flag down.
    pub fn clear(&self) {
        self.raised.store(false, Ordering::SeqCst);
    }

    /// Whether attention is wanted.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// Wakes whoever waits, without asking for attention.
    pub fn ring(&self) {
        drop(self.guard());
        self.bell.notify_all();
    }

    fn guard(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the flag is raised, at most that long; tells whether it is.
    pub fn wait(&self, timeout: Duration) -> bool {
        self.wait_for(Instant::now().checked_add(timeout), || None::<()>);
        self.is_raised()
    }

    /// Waits until `done` gives something, the flag is raised, or the time has come. Who makes `done`
    /// true must ring.
    pub fn wait_for<T>(&self, until: Option<Instant>, mut done: impl FnMut() -> Option<T>) -> Option<T> {
        let mut guard = self.guard();
        loop {
            let found = done();
            if found.is_some() || self.raised.load(Ordering::SeqCst) {
                return found;
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            // The longest wait is as good as one without end: the loop goes on after it.
            let left = left.unwrap_or(Duration::from_secs(3600));
            guard = match self.bell.wait_timeout(guard, left) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}
