//! A host that keeps programs away from parts of the world.

use std::collections::HashMap;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::value::{
    Host, HostAnswer, HostRequest, HttpFailure, InterruptFlag, Job, JobResult, Stream, SystemError, Waited,
};

/// A part of the world that a program can be kept from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Requests to other computers, and answering theirs.
    Net,
    /// Files and directories.
    Fs,
    /// Other programs.
    Exec,
    /// Environment variables, names of the computer and its user.
    Env,
}

impl Capability {
    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Net => "net",
            Capability::Fs => "fs",
            Capability::Exec => "exec",
            Capability::Env => "env",
        }
    }
}

impl FromStr for Capability {
    type Err = String;

    fn from_str(text: &str) -> Result<Capability, String> {
        let parts = [Capability::Net, Capability::Fs, Capability::Exec, Capability::Env];
        let found = parts.into_iter().find(|part| part.name() == text);
        found.ok_or_else(|| format!("'{text}' is none of net, fs, exec, env"))
    }
}

/// Passes on to another host what is not denied.
pub struct DenyHost {
    inner: Box<dyn Host>,
    denied: Vec<Capability>,
    /// Jobs that were refused, until somebody asks how they ended.
    refused: HashMap<u64, JobResult>,
    /// Number of the next one: from above, where no other host's numbers are.
    next: u64,
}

impl DenyHost {
    /// A host that denies these parts, and with any of them other programs: what a program may not do
    /// itself, those would do for it.
    pub fn new(inner: Box<dyn Host>, mut denied: Vec<Capability>) -> DenyHost {
        if !denied.is_empty() {
            denied.push(Capability::Exec);
        }
        DenyHost { inner, denied, refused: HashMap::new(), next: u64::MAX }
    }

    fn denies(&self, part: Capability) -> bool {
        self.denied.contains(&part)
    }

    /// The part that keeps the program from asking this, if one does.
    fn hinders(&self, request: &HostRequest) -> Option<(Capability, &'static str, String)> {
        let (part, operation, path) = concerns(request)?;
        let path = path.to_string();
        if self.denies(part) {
            return Some((part, operation, path));
        }
        let target = match request {
            HostRequest::Rename(_, to) | HostRequest::Copy { to, .. } => Some(to.as_str()),
            _ => None,
        };
        if part != Capability::Fs {
            return None;
        }
        let part = self.back_door(&path).or_else(|| self.back_door(target?))?;
        Some((part, operation, path))
    }

    /// The part that a file would open in spite of all: in `/proc` a process finds its environment, and
    /// its memory to write to.
    fn back_door(&self, path: &str) -> Option<Capability> {
        let part = if self.denies(Capability::Env) { Capability::Env } else { Capability::Exec };
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
            Job::ReadFile(path) => (Capability::Fs, "open", path.as_str()),
            Job::Command { .. } => (Capability::Exec, "", ""),
            Job::Fetch(_) | Job::Serve { .. } => (Capability::Net, "", ""),
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

fn reason(part: Capability) -> String {
    format!("the program is denied {}", part.name())
}

fn refusal(part: Capability, operation: &str, path: &str) -> SystemError {
    SystemError { errno: libc::EACCES, operation: operation.into(), path: path.into(), reason: reason(part) }
}

/// The part of the world that a request concerns, what it does and to what. Handles are only there if
/// opening was allowed, and what a program knows of itself is no secret.
fn concerns(request: &HostRequest) -> Option<(Capability, &'static str, &str)> {
    Some(match request {
        HostRequest::Status { path, .. } => (Capability::Fs, "stat", path),
        HostRequest::WriteFile { path, .. }
        | HostRequest::AppendFile { path, .. }
        | HostRequest::Open { path, .. } => (Capability::Fs, "open", path),
        HostRequest::Remove(path) | HostRequest::RemoveDirectory(path) | HostRequest::RemoveAll(path) => {
            (Capability::Fs, "remove", path)
        }
        HostRequest::Rename(from, _) => (Capability::Fs, "rename", from),
        HostRequest::Copy { from, .. } => (Capability::Fs, "copy", from),
        HostRequest::MakeDirectory { path, .. } => (Capability::Fs, "mkdir", path),
        HostRequest::ReadDirectory(path) => (Capability::Fs, "open", path),
        HostRequest::ChangeDirectory(path) => (Capability::Fs, "chdir", path),
        HostRequest::Variable(name) => (Capability::Env, "getenv", name),
        HostRequest::SetVariable(name, _) => (Capability::Env, "setenv", name),
        HostRequest::Variables => (Capability::Env, "environ", ""),
        HostRequest::HostName => (Capability::Env, "hostname", ""),
        HostRequest::UserName => (Capability::Env, "username", ""),
        HostRequest::Read(..)
        | HostRequest::Write(..)
        | HostRequest::Seek(..)
        | HostRequest::Sync(_)
        | HostRequest::Close(_)
        | HostRequest::Arguments
        | HostRequest::Directory
        | HostRequest::ProcessId
        | HostRequest::ParentId
        | HostRequest::Processors
        | HostRequest::Zone(_)
        | HostRequest::RandomBytes(_) => return None,
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

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
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

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.inner.interrupt_flag()
    }

    fn end(&mut self) {
        let _ = self.flush();
        self.inner.end();
    }
}
