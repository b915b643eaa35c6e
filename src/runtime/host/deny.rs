//! A host that denies a program access to parts of the system (a sandbox).

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::str::FromStr;

use crate::platform::{self, path_of};
use crate::value::{
    Host, HostAnswer, HostRequest, HttpFailure, Job, JobResult, RequestClass, SystemError, SystemErrorKind,
    WrapsHost,
};

/// A capability of the sandbox: a part of the system to which a program's access can be denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Capability {
    /// Network: requests to other computers, and serving their requests.
    Net,
    /// Files and directories.
    Fs,
    /// Running other programs.
    Exec,
    /// Environment variables, and the names of the computer and the user.
    Env,
}

impl Capability {
    /// All of them.
    pub const ALL: [Capability; 4] = [Capability::Net, Capability::Fs, Capability::Exec, Capability::Env];

    /// Its name on the command line and in the protocols.
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
        let found = Capability::ALL.into_iter().find(|capability| capability.name() == text);
        found.ok_or_else(|| format!("'{text}' is not one of net, fs, exec, env"))
    }
}

/// Passes requests on to another host unless they are denied.
pub struct DenyHost {
    inner: Box<dyn Host>,
    denied: Vec<Capability>,
}

/// Why a request is refused.
struct Denied {
    reason: String,
    operation: &'static str,
    path: String,
}

impl Denied {
    fn error(self) -> SystemError {
        SystemError {
            kind: SystemErrorKind::PermissionDenied,
            operation: self.operation.into(),
            path: self.path,
            reason: self.reason,
        }
    }
}

impl DenyHost {
    /// A host that denies these capabilities. If anything is denied, [`Capability::Exec`] is, too, since a command could
    /// do what the program may not.
    pub fn new(inner: Box<dyn Host>, mut denied: Vec<Capability>) -> DenyHost {
        if !denied.is_empty() {
            denied.push(Capability::Exec);
        }
        DenyHost { inner, denied }
    }

    fn denies(&self, capability: Capability) -> bool {
        self.denied.contains(&capability)
    }

    /// Why a request is refused, or `None`.
    fn refusal(&mut self, request: &HostRequest) -> Option<Denied> {
        let (capability, operation, path) = capability_of(request)?;
        if self.denies(capability) {
            return Some(Denied { reason: reason(capability), operation, path: path.into() });
        }
        if capability != Capability::Fs {
            return None;
        }
        let target = match request {
            HostRequest::Rename(_, to) | HostRequest::Copy { to, .. } => Some(to.as_str()),
            _ => None,
        };
        let reason = reason(self.back_door(path).or_else(|| self.back_door(target?))?);
        Some(Denied { reason, operation, path: path.into() })
    }

    /// A denied capability that a file would give indirectly: on some systems a process can read its
    /// environment from files, and write to its memory.
    fn back_door(&mut self, path: &str) -> Option<Capability> {
        let denied = if self.denies(Capability::Env) { Capability::Env } else { Capability::Exec };
        let leads = self.denies(denied)
            && dunce::canonicalize(self.resolve(path)).is_ok_and(|path| platform::reveals_processes(&path));
        leads.then_some(denied)
    }

    /// The absolute form of a path of the program.
    fn resolve(&mut self, path: &str) -> PathBuf {
        let path = path_of(path);
        if path.as_os_str().is_empty() || path.is_absolute() {
            return path;
        }
        match self.inner.request(HostRequest::Directory) {
            Ok(HostAnswer::Text(directory)) => path_of(&directory).join(path),
            // Without a working directory, relative paths are invalid.
            _ => PathBuf::new(),
        }
    }

    /// The result of a job, if it is refused.
    fn refused(&mut self, job: &Job) -> Option<JobResult> {
        let capability = match job {
            Job::Request(request) => {
                return Some(JobResult::Answer(Err(self.refusal(request)?.error())));
            }
            Job::ReadFile(path) => {
                let denied = self.denies(Capability::Fs).then_some(Capability::Fs);
                let reason = reason(denied.or_else(|| self.back_door(path))?);
                let refusal = Denied { reason, operation: "open", path: path.clone() };
                return Some(JobResult::Bytes(Err(refusal.error())));
            }
            Job::Command { .. } => Capability::Exec,
            Job::Fetch(_) | Job::Serve { .. } => Capability::Net,
        };
        if !self.denies(capability) {
            return None;
        }
        Some(match job {
            Job::Command { .. } => JobResult::Command(Err(reason(capability))),
            Job::Fetch(_) => JobResult::Reply(Err(HttpFailure::Request(reason(capability)))),
            _ => JobResult::Served(reason(capability)),
        })
    }
}

fn reason(denied: Capability) -> String {
    format!("the program is denied {}", denied.name())
}

/// The capability that a request needs, with operation and path for the error message. `None` for requests on
/// open files, since opening them was checked, and for facts about the program itself.
fn capability_of(request: &HostRequest) -> Option<(Capability, &'static str, &str)> {
    let (capability, about) = match request.class() {
        RequestClass::Path(path) => (Capability::Fs, path),
        RequestClass::Environment(name) => (Capability::Env, name),
        RequestClass::OpenFile | RequestClass::Process | RequestClass::Random => return None,
    };
    Some((capability, request.operation(), about))
}

impl WrapsHost for DenyHost {
    fn inner(&self) -> &dyn Host {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Host {
        &mut *self.inner
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        match self.refusal(&request) {
            Some(refusal) => Err(refusal.error()),
            None => self.inner.request(request),
        }
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        match self.refused(&job) {
            Some(result) => Err(result),
            None => self.inner.start(job),
        }
    }
}
