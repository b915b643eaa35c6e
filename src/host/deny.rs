//! A host that keeps programs away from parts of the world.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::value::{
    Answer, Attention, Host, HttpFailure, Job, JobResult, Request, Stream, SystemError, Waited,
};

/// A part of the world that a program can be kept from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Requests to other computers, and answering theirs.
    Net,
    /// Files and directories.
    Fs,
    /// Other programs.
    Exec,
    /// Environment variables, names of the computer and its user.
    Env,
}

impl Part {
    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Net => "net",
            Part::Fs => "fs",
            Part::Exec => "exec",
            Part::Env => "env",
        }
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let parts = [Part::Net, Part::Fs, Part::Exec, Part::Env];
        let found = parts.into_iter().find(|part| part.name() == text);
        found.ok_or_else(|| format!("'{text}' is none of net, fs, exec, env"))
    }
}

/// Passes on to another host what is not denied.
pub struct DenyHost {
    inner: Box<dyn Host>,
    denied: Vec<Part>,
    /// Jobs that were refused, until somebody asks how they ended.
    refused: HashMap<u64, JobResult>,
    /// Number of the next one: from above, where no other host's numbers are.
    next: u64,
}

impl DenyHost {
    /// A host that denies these parts, and with any of them other programs: what a program may not do
    /// itself, those would do for it.
    pub fn new(inner: Box<dyn Host>, mut denied: Vec<Part>) -> DenyHost {
        if !denied.is_empty() {
            denied.push(Part::Exec);
        }
        DenyHost { inner, denied, refused: HashMap::new(), next: u64::MAX }
    }

    fn denies(&self, part: Part) -> bool {
        self.denied.contains(&part)
    }

    /// The part that keeps the program from asking this, if one does.
    fn hinders(&self, request: &Request) -> Option<(Part, &'static str, String)> {
        let (part, operation, path) = concerns(request)?;
        let path = path.to_string();
        if self.denies(part) {
            return Some((part, operation, path));
        }
        let target = match request {
            Request::Rename(_, to) | Request::Copy { to, .. } => Some(to.as_str()),
            _ => None,
        };
        if part != Part::Fs {
            return None;
        }
        let part = self.back_door(&path).or_else(|| self.back_door(target?))?;
        Some((part, operation, path))
    }

    /// The part that a file would open in spite of all: in `/proc` a process finds its environment, and
    /// its memory to write to.
    fn back_door(&self, path: &str) -> Option<Part> {
        let part = if self.denies(Part::Env) { Part::Env } else { Part::Exec };
        let leads = || std::fs::canonicalize(path).is_ok_and(|path| path.starts_with("/proc"));
        (self.denies(part) && leads()).then_some(part)
    }

    /// The end of a job that is not begun.
    fn refused(&self, job: &Job) -> Option<JobResult> {
        let (part, operation, path) = match job {
            Job::Request(request) => {
                let (part, operation, path) = self.hinders(request)?;
                return Some(JobResult::Answer(Err(refusal(part, operation, &path))));
            }
            Job::ReadFile(path) => (Part::Fs, "open", path.as_str()),
            Job::Command { .. } => (Part::Exec, "", ""),
            Job::Fetch(_) | Job::Serve { .. } => (Part::Net, "", ""),
        };
        let part = if self.denies(part) { part } else { self.back_door(path)? };
        Some(match job {
            Job::Command { .. } => JobResult::Command(Err(reason(part))),
            Job::Fetch(_) => JobResult::Reply(Err(HttpFailure::Request(reason(part)))),
            Job::Serve { .. } => JobResult::Served(reason(part)),
            Job::ReadFile(_) | Job::Request(_) => JobResult::Bytes(Err(refusal(part, operation, path))),
        })
    }
}

fn reason(part: Part) -> String {
    format!("the program is denied {}", part.name())
}

fn refusal(part: Part, operation: &str, path: &str) -> SystemError {
    SystemError { errno: libc::EACCES, operation: operation.into(), path: path.into(), reason: reason(part) }
}

/// The part of the world that a request concerns, what it does and to what. Handles are only there if
/// opening was allowed, and what a program knows of itself is no secret.
fn concerns(request: &Request) -> Option<(Part, &'static str, &str)> {
    Some(match request {
        Request::Status { path, .. } => (Part::Fs, "stat", path),
        Request::WriteFile { path, .. } | Request::AppendFile { path, .. } | Request::Open { path, .. } => {
            (Part::Fs, "open", path)
        }
        Request::Remove(path) | Request::RemoveDirectory(path) | Request::RemoveAll(path) => {
            (Part::Fs, "remove", path)
        }
        Request::Rename(from, _) => (Part::Fs, "rename", from),
        Request::Copy { from, .. } => (Part::Fs, "copy", from),
        Request::MakeDirectory { path, .. } => (Part::Fs, "mkdir", path),
        Request::ReadDirectory(path) => (Part::Fs, "open", path),
        Request::ChangeDirectory(path) => (Part::Fs, "chdir", path),
        Request::Variable(name) => (Part::Env, "getenv", name),
        Request::SetVariable(name, _) => (Part::Env, "setenv", name),
        Request::Variables => (Part::Env, "environ", ""),
        Request::HostName => (Part::Env, "hostname", ""),
        Request::UserName => (Part::Env, "username", ""),
        Request::Read(..)
        | Request::Write(..)
        | Request::Seek(..)
        | Request::Sync(_)
        | Request::Close(_)
        | Request::Arguments
        | Request::Directory
        | Request::ProcessId
        | Request::ParentId
        | Request::Processors
        | Request::Zone(_)
        | Request::RandomBytes(_) => return None,
    })
}

impl Host for DenyHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        self.inner.write(stream, text)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        self.inner.read_line()
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        self.inner.sleep(time)
    }

    fn now(&mut self) -> (i64, u32) {
        self.inner.now()
    }

    fn random(&mut self) -> u64 {
        self.inner.random()
    }

    fn request(&mut self, request: Request) -> Result<Answer, SystemError> {
        match self.hinders(&request) {
            Some((part, operation, path)) => Err(refusal(part, operation, &path)),
            None => self.inner.request(request),
        }
    }

    fn start(&mut self, job: Job) -> u64 {
        let Some(result) = self.refused(&job) else { return self.inner.start(job) };
        let number = self.next;
        self.next -= 1;
        self.refused.insert(number, result);
        number
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        match self.refused.remove(&job) {
            Some(result) => Waited::Done(result),
            None => self.inner.finish(job),
        }
    }

    fn cancel(&mut self, job: u64) {
        if self.refused.remove(&job).is_none() {
            self.inner.cancel(job);
        }
    }

    fn attention(&self) -> Option<Arc<Attention>> {
        self.inner.attention()
    }

    fn end(&mut self) {
        let _ = self.flush();
        self.inner.end();
    }
}
