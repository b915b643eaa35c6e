//! The client's end of a session: a process, a thread that reads, and a log.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::HANG;
use super::programs::{Kind, Program};
use super::script::{Command, Ending, Script};

/// What happened, and when.
pub struct Entry {
    pub at: Duration,
    pub what: What,
}

pub enum What {
    Sent(Command),
    Told(String),
}

/// The log of a session that is over.
pub struct Log {
    pub entries: Vec<Entry>,
    /// What the server wrote to standard error.
    pub errors: String,
    /// The exit status, or a signal's number as a negative one.
    pub status: i32,
    /// Processes that the program has started, and that live on.
    pub orphans: Vec<String>,
}

impl Log {
    /// The log as text, for the message of a test that fails.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let at = entry.at.as_micros();
            let _ = match &entry.what {
                What::Sent(command) => writeln!(text, "{at:>8} > {} {}", command.name, command.id),
                What::Told(line) => {
                    writeln!(text, "{at:>8} < {}", line.chars().take(300).collect::<String>())
                }
            };
        }
        let _ = writeln!(text, "status {}, stderr {:?}", self.status, self.errors);
        text
    }
}

struct Shared {
    begin: Instant,
    entries: Mutex<Vec<Entry>>,
    told: Condvar,
    /// Microseconds to wait after each read.
    slow: AtomicU64,
    /// Nothing is read while this is set.
    held: AtomicBool,
    /// The client has closed what it reads.
    closed: AtomicBool,
}

impl Shared {
    fn add(&self, what: What) {
        let at = self.begin.elapsed();
        self.entries.lock().unwrap().push(Entry { at, what });
        self.told.notify_all();
    }
}

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    shared: Arc<Shared>,
    reader: Option<std::thread::JoinHandle<()>>,
    errors: Option<std::thread::JoinHandle<String>>,
    random: fastrand::Rng,
    endless: bool,
}

impl Client {
    pub fn start(script: &Script, program: &Program, place: &Path, random: fastrand::Rng) -> Client {
        program.write(place);
        let mut command = Process::new(env!("CARGO_BIN_EXE_ez"));
        command.args(&script.arguments).current_dir(place).env("TZ", "UTC");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        support::signals::stop_ignoring();
        let mut child = command.spawn().unwrap();
        let held = script.ending == Ending::TerminateLate;
        let slow = if script.ending == Ending::TerminateSlowly { 200 } else { 0 };
        let shared = Arc::new(Shared {
            begin: Instant::now(),
            entries: Mutex::default(),
            told: Condvar::new(),
            slow: slow.into(),
            held: held.into(),
            closed: false.into(),
        });
        let (stdout, reading) = (child.stdout.take().unwrap(), shared.clone());
        let reader = std::thread::spawn(move || read(stdout, &reading));
        let mut stderr = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let stdin = child.stdin.take();
        let endless = matches!(program.kind, Kind::Endless);
        Client { child, stdin, shared, reader: Some(reader), errors: Some(errors), random, endless }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        // A server that has ended needs no more commands.
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes);
        }
    }

    pub fn sent(&mut self, command: Command) {
        self.shared.add(What::Sent(command));
    }

    /// Waits until an event has this `id`, but no longer than `most`.
    pub fn await_answer(&mut self, id: &str, most: Duration) {
        let wanted = format!("\"id\":\"{id}\"");
        let is_answer = |entry: &Entry| matches!(&entry.what, What::Told(line) if line.contains(&wanted));
        let entries = self.shared.entries.lock().unwrap();
        let waiting = |entries: &mut Vec<Entry>| !entries.iter().any(is_answer);
        drop(self.shared.told.wait_timeout_while(entries, most, waiting).unwrap());
    }

    /// Leaves as the script says, and waits for the end of the server; gives the log.
    pub fn end(mut self, ending: Ending, place: &Path) -> Result<Log, String> {
        match ending {
            Ending::Terminate | Ending::TerminateSlowly => {}
            Ending::TerminateLate => self.shared.held.store(false, Ordering::SeqCst),
            Ending::CloseInput => {
                self.stdin = None;
                if self.endless {
                    std::thread::sleep(Duration::from_millis(self.random.u64(0..30)));
                    self.close_output();
                }
            }
            Ending::Vanish => {
                self.close_output();
                self.stdin = None;
            }
            Ending::Deaf => self.close_output(),
            Ending::Signal(number) => {
                let id = self.child.id().to_string();
                let number = format!("-{number}");
                let _ = Process::new("kill").args([&number, &id]).stderr(Stdio::null()).status();
            }
        }
        let Some(status) = self.wait() else {
            let log = self.log(0, Vec::new());
            return Err(format!("the server does not end\n{}", log.text()));
        };
        let status = status.code().unwrap_or_else(|| -status.signal().unwrap_or(0));
        let orphans = orphans(place);
        Ok(self.log(status, orphans))
    }

    fn close_output(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
    }

    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let since = Instant::now();
        while since.elapsed() < HANG {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        None
    }

    fn log(&mut self, status: i32, orphans: Vec<String>) -> Log {
        self.shared.held.store(false, Ordering::SeqCst);
        self.reader.take().into_iter().for_each(|reader| drop(reader.join()));
        let errors = self.errors.take().and_then(|errors| errors.join().ok()).unwrap_or_default();
        let entries = std::mem::take(&mut *self.shared.entries.lock().unwrap());
        Log { entries, errors, status, orphans }
    }
}

/// Reads until the end, or until the client wants nothing more.
fn read(mut stdout: ChildStdout, shared: &Shared) {
    let mut bytes = vec![0; 65536];
    let mut line = Vec::new();
    loop {
        while shared.held.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_micros(300));
        }
        let slow = shared.slow.load(Ordering::SeqCst);
        // A slow client takes less at a time.
        let most = if slow > 0 { 3000 } else { bytes.len() };
        if shared.closed.load(Ordering::SeqCst) {
            return;
        }
        match rustix::event::poll(
            &mut [rustix::event::PollFd::new(&stdout, rustix::event::PollFlags::IN)],
            Some(&rustix::event::Timespec { tv_sec: 0, tv_nsec: 2_000_000 }),
        ) {
            Ok(0) => continue,
            Ok(_) => {}
            Err(_) => continue,
        }
        let count = match stdout.read(&mut bytes[..most]) {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        for byte in &bytes[..count] {
            if *byte == b'\n' {
                shared.add(What::Told(String::from_utf8_lossy(&std::mem::take(&mut line)).into_owned()));
            } else {
                line.push(*byte);
            }
        }
        if slow > 0 {
            std::thread::sleep(Duration::from_micros(slow));
        }
    }
    if !line.is_empty() {
        shared.add(What::Told(String::from_utf8_lossy(&line).into_owned()));
    }
}

/// The process that the program has told of, if it lives on after the server.
pub fn orphans(place: &Path) -> Vec<String> {
    let told: PathBuf = place.join("started");
    let Ok(process) = std::fs::read_to_string(told) else { return Vec::new() };
    // The guard may need a moment after the server was killed.
    let since = Instant::now();
    while support::lives(&process) && !process.trim().is_empty() {
        if since.elapsed() > Duration::from_secs(5) {
            return vec![process];
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Vec::new()
}

/// An event of the log.
pub fn event(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))
}
