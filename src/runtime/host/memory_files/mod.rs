//! A host whose files are in memory: those that it is given, and what the program writes. It reaches nothing outside of
//! this process but clock and random numbers.

mod open;
mod tree;

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::clock;
use crate::platform::text_of;
use crate::sync::Mutex;
use crate::value::{
    Host, HostAnswer, HostRequest, HttpFailure, InterruptFlag, Job, JobResult, RequestClass, Stream,
    SystemError, SystemErrorKind, Waited, open_flags,
};

use super::environment::Environment;
use super::errors::{already_exists, bad_handle, invalid_argument, not_a_directory, system_error};
use open::OpenFiles;
use tree::Tree;

/// Files in memory. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(Arc<Mutex<Tree>>);

impl MemoryFiles {
    /// Adds a file, and the directories on the way to it; a relative path is below the root.
    ///
    /// # Errors
    /// If one of these is a file, or there is a directory at the path.
    pub fn add(&self, path: &str, data: impl Into<Vec<u8>>) -> io::Result<()> {
        let path = normal("", path);
        let mut tree = self.0.lock();
        tree.make_directories(path.rsplit_once('/').map_or("", |(parent, _)| parent), 0o777)?;
        tree.replace_file(&path, data.into(), 0o644)
    }

    /// Shows each file that has contents of its own: its absolute path, and what is in it; in the order of paths.
    pub fn each(&self, mut show: impl FnMut(&str, &[u8])) {
        for (path, file) in self.0.lock().files() {
            show(path, &file.lock().data);
        }
    }

    /// Removes a file; one that is open stays so, without a path.
    ///
    /// # Errors
    /// If there is none at this path.
    pub fn remove(&self, path: &str) -> io::Result<()> {
        self.0.lock().remove(&normal("", path))
    }
}

/// An absolute path in the form of [`Tree`], `.` and `..` resolved.
fn normal(directory: &str, path: &str) -> String {
    let whole = if path.starts_with('/') { path.to_string() } else { format!("{directory}/{path}") };
    let mut names: Vec<&str> = Vec::new();
    for name in whole.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.iter().flat_map(|name| ["/", name]).collect()
}

/// The host of a program in memory. It has no streams: the session has those.
pub struct MemoryHost {
    files: MemoryFiles,
    open: OpenFiles,
    /// The working directory, in the form of [`Tree`].
    directory: String,
    environment: Environment,
    interrupt: Option<Arc<InterruptFlag>>,
    random: fastrand::Rng,
    /// Random numbers for evaluations of a debugger, while there is one.
    evaluation_random: Option<fastrand::Rng>,
    /// What the program has not waited for.
    jobs: HashMap<u64, JobResult>,
    /// The number of the latest job.
    last: u64,
}

impl MemoryHost {
    /// A host with these files, in the root, and without environment variables. `arguments` is what `os.args()` gives;
    /// waits end early when `interrupt` is raised.
    pub fn new(
        files: MemoryFiles,
        arguments: Vec<String>,
        interrupt: Option<Arc<InterruptFlag>>,
    ) -> MemoryHost {
        let mut seed = [0; 8];
        // Without random bytes, the time is at least different each time.
        let known = getrandom::fill(&mut seed).is_ok();
        let time = || clock::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let seed = if known { u64::from_le_bytes(seed) } else { time() };
        MemoryHost {
            files,
            open: OpenFiles::default(),
            directory: String::new(),
            environment: Environment::empty(arguments),
            interrupt,
            random: fastrand::Rng::with_seed(seed),
            evaluation_random: None,
            jobs: HashMap::new(),
            last: 0,
        }
    }

    /// Sets the working directory, an absolute path.
    pub fn with_directory(mut self, directory: &Path) -> MemoryHost {
        self.directory = normal("", &text_of(directory.as_os_str()));
        self
    }

    /// Sets (`Some`) or removes (`None`) environment variables.
    pub fn with_environment(mut self, changes: &[(String, Option<String>)]) -> MemoryHost {
        self.environment.change(changes);
        self
    }

    fn answer(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        match request {
            HostRequest::RandomBytes(count) => random_bytes(count),
            HostRequest::Directory if self.directory.is_empty() => Ok(HostAnswer::Text("/".into())),
            HostRequest::Directory => Ok(HostAnswer::Text(self.directory.clone())),
            HostRequest::Read(number, count) => {
                let read = self.open.read(number, count).map(HostAnswer::Bytes);
                read.map_err(|error| system_error("read", self.open.path(number), &error))
            }
            HostRequest::Write(number, data) => {
                let written = self.open.write(number, &data).map(|()| HostAnswer::Number(data.len() as i64));
                written.map_err(|error| system_error("write", self.open.path(number), &error))
            }
            HostRequest::Seek(number, offset, whence) => {
                let position = self.open.seek(number, offset, whence).map(HostAnswer::Number);
                position.map_err(|error| system_error("seek", self.open.path(number), &error))
            }
            HostRequest::Sync(number) if self.open.is_open(number) => Ok(HostAnswer::Done),
            HostRequest::Sync(_) => Err(system_error("sync", "", &bad_handle())),
            HostRequest::Close(number) => {
                self.open.close(number);
                Ok(HostAnswer::Done)
            }
            request => match request.class() {
                RequestClass::Path(_) => self.answer_about_path(request),
                RequestClass::OpenFile
                | RequestClass::Environment(_)
                | RequestClass::Process
                | RequestClass::Random => {
                    self.environment.answer(request).unwrap_or_else(|_| Err(unsupported("request")))
                }
            },
        }
    }

    /// The form of [`Tree`] of a path that the program wrote.
    fn at(&self, tree: &Tree, path: &str, operation: &str) -> Result<String, SystemError> {
        // The system refuses an empty path.
        if path.is_empty() {
            return Err(system_error(operation, path, &io::ErrorKind::NotFound.into()));
        }
        if path.len() > LONGEST_PATH {
            let error = io::Error::new(io::ErrorKind::InvalidFilename, "file name too long");
            return Err(system_error(operation, path, &error));
        }
        if path.contains('\0') {
            return Err(system_error(operation, path, &invalid_argument()));
        }
        let at = normal(&self.directory, path);
        // The end says that it is a directory.
        if (path.ends_with('/') || path.ends_with("/.")) && tree.file(&at).is_ok() {
            return Err(system_error(operation, path, &not_a_directory()));
        }
        Ok(at)
    }

    /// Answers a request that names a path.
    fn answer_about_path(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        let files = self.files.clone();
        let mut tree = files.0.lock();
        let (operation, written) = named(&request);
        let written = written.to_string();
        let at = self.at(&tree, &written, operation)?;
        let result = match request {
            HostRequest::Status { .. } => tree.status(&at).map(HostAnswer::Status),
            HostRequest::ReadDirectory(_) => tree.names(&at).map(HostAnswer::Texts),
            HostRequest::Open { flags, mode, .. } => {
                open(&mut tree, &at, flags, mode).map(|file| self.open.add(&written, file, flags)).map(number)
            }
            HostRequest::ChangeDirectory(_) => match tree.status(&at) {
                Ok(_) if tree.is_directory(&at) => {
                    self.directory = at;
                    Ok(HostAnswer::Done)
                }
                Ok(_) => Err(not_a_directory()),
                Err(error) => Err(error),
            },
            HostRequest::Rename(from, to) => {
                let both = format!("{from} {to}");
                let to = self.at(&tree, &to, operation)?;
                return tree
                    .rename(&at, &to)
                    .map(done)
                    .map_err(|error| system_error("rename", &both, &error));
            }
            HostRequest::MakeDirectory { mode, parents: true, .. } => {
                return self.make_directories(&mut tree, &written, mode).map(done);
            }
            HostRequest::Copy { to: target, mode, .. } => {
                let to = self.at(&tree, &target, operation)?;
                return copy(&mut tree, (&written, &at), (&target, &to), mode).map(done);
            }
            change => self::change(&mut tree, &at, &written, change).map(done),
        };
        result.map_err(|error| system_error(operation, &written, &error))
    }

    /// Makes a directory and those on the way to it that do not exist, each as the program wrote it.
    fn make_directories(&self, tree: &mut Tree, written: &str, mode: u32) -> Result<(), SystemError> {
        let trimmed = written.trim_end_matches('/');
        let fronts = trimmed.match_indices('/').filter_map(|(at, _)| trimmed.get(..at));
        for front in fronts.filter(|front| !front.is_empty()).chain([written]) {
            let at = self.at(tree, front, "mkdir")?;
            let made = match tree.status(&at) {
                Ok(_) if tree.is_directory(&at) => Ok(()),
                Ok(_) => Err(not_a_directory()),
                Err(_) => tree.make_directory(&at, mode),
            };
            made.map_err(|error| system_error("mkdir", front, &error))?;
        }
        Ok(())
    }

    fn carry_out(&mut self, job: Job) -> JobResult {
        match job {
            Job::Request(request) => JobResult::Answer(self.answer(request)),
            Job::ReadFile(path) => JobResult::Bytes(self.read_file(&path)),
            Job::Command { .. } => JobResult::Command(Err(NOT_HERE.into())),
            Job::Fetch(_) => JobResult::Reply(Err(HttpFailure::Request(NOT_HERE.into()))),
            Job::Serve { .. } => JobResult::Served(NOT_HERE.into()),
        }
    }

    fn read_file(&self, path: &str) -> Result<Vec<u8>, SystemError> {
        let tree = self.files.0.lock();
        let at = self.at(&tree, path, "open")?;
        if tree.is_directory(&at) {
            return Err(system_error("read", path, &super::errors::is_a_directory()));
        }
        let file = tree.file(&at).map_err(|error| system_error("open", path, &error))?;
        let data = file.lock().data.clone();
        Ok(data)
    }
}

/// Maximum length of a path in bytes, as on Linux.
const LONGEST_PATH: usize = 4095;

/// Why commands, requests to the network, and the like fail.
const NOT_HERE: &str = "not possible with files in memory";

fn unsupported(operation: &str) -> SystemError {
    SystemError {
        kind: SystemErrorKind::Other,
        operation: operation.into(),
        path: String::new(),
        reason: NOT_HERE.into(),
    }
}

fn done(_: ()) -> HostAnswer {
    HostAnswer::Done
}

fn number(number: u64) -> HostAnswer {
    HostAnswer::Number(number as i64)
}

fn random_bytes(count: u64) -> Result<HostAnswer, SystemError> {
    let mut bytes = vec![0; count as usize];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(HostAnswer::Bytes(bytes)),
        Err(error) => {
            let error = io::Error::other(error.to_string());
            Err(system_error("getrandom", "", &error))
        }
    }
}

/// The operation and path of a request that names one, for errors.
fn named(request: &HostRequest) -> (&'static str, &str) {
    let operation = match request {
        HostRequest::Status { follow: false, .. } => "lstat",
        HostRequest::RemoveAll(_) => "RemoveAll",
        HostRequest::Copy { .. } => "open",
        _ => request.operation(),
    };
    (operation, if let RequestClass::Path(path) = request.class() { path } else { "" })
}

/// Opens a file, or a directory for reading (`None`).
fn open(tree: &mut Tree, at: &str, flags: i32, mode: u32) -> io::Result<Option<tree::File>> {
    let has = |flag: i32| flags & flag != 0;
    let writes = flags & open_flags::ACCESS != open_flags::READ_ONLY;
    if tree.is_directory(at) && !writes && !has(open_flags::CREATE) {
        return Ok(None);
    }
    let file = match has(open_flags::CREATE) {
        true => match tree.file_or_new(at, mode)? {
            (_, false) if has(open_flags::EXCLUSIVE) => return Err(already_exists()),
            (file, _) => file,
        },
        false => tree.file(at)?,
    };
    if writes && has(open_flags::TRUNCATE) {
        file.lock().clear();
    }
    Ok(Some(file))
}

/// Copies a file. The paths are those that the program wrote, and their form of [`Tree`].
fn copy(
    tree: &mut Tree,
    (from, source): (&str, &str),
    (to, target): (&str, &str),
    mode: Option<u32>,
) -> Result<(), SystemError> {
    if tree.is_directory(source) {
        return Err(system_error("copy", to, &super::errors::is_a_directory()));
    }
    let missing = |error: io::Error| system_error("open", from, &error);
    let (file, status) = (tree.file(source).map_err(missing)?, tree.status(source).map_err(missing)?);
    if source == target {
        return Ok(());
    }
    let data = file.lock().data.clone();
    let new = tree.file_or_new(target, mode.unwrap_or(status.mode));
    let (file, _) = new.map_err(|error| system_error("open", to, &error))?;
    let mut content = file.lock();
    content.clear();
    content.write(0, &data).map_err(|error| system_error("copy", to, &error))
}

/// Carries out a request that changes what is at a path, and has no result.
fn change(tree: &mut Tree, at: &str, written: &str, request: HostRequest) -> io::Result<()> {
    match request {
        HostRequest::WriteFile { data, mode, atomic: true, .. } => tree.replace_file(at, data, mode),
        HostRequest::WriteFile { data, .. } => {
            let (file, _) = tree.file_or_new(at, 0o666)?;
            let mut content = file.lock();
            content.clear();
            content.write(0, &data)
        }
        HostRequest::AppendFile { data, mode, line, .. } => {
            let (file, _) = tree.file_or_new(at, mode)?;
            let mut content = file.lock();
            if line && content.data.last().is_some_and(|last| *last != b'\n') {
                let end = content.data.len();
                content.write(end, b"\n")?;
            }
            let end = content.data.len();
            content.write(end, &data)
        }
        HostRequest::Remove(_) => tree.remove(at),
        HostRequest::RemoveDirectory(_) => tree.remove_directory(at),
        HostRequest::RemoveAll(_) if written == "." || written.ends_with("/.") => Err(invalid_argument()),
        HostRequest::RemoveAll(_) => {
            tree.remove_all(at);
            Ok(())
        }
        HostRequest::MakeDirectory { mode, .. } => tree.make_directory(at, mode),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

impl Host for MemoryHost {
    fn write(&mut self, _: Stream, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        Ok(Waited::Done(None))
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        let start = clock::Instant::now();
        match &self.interrupt {
            Some(interrupt) => drop(interrupt.wait(time)),
            None => drop(InterruptFlag::new().wait(time)),
        }
        time.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
    }

    fn now(&mut self) -> (i64, u32) {
        let now = clock::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (now.as_secs() as i64, now.subsec_nanos())
    }

    fn random(&mut self) -> u64 {
        self.evaluation_random.as_mut().unwrap_or(&mut self.random).u64(..)
    }

    /// So that with the same random bytes a run draws the same, recorded or not.
    fn seed(&mut self) -> u64 {
        self.random.get_seed()
    }

    fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluation_random = evaluating.then(|| self.random.clone());
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        self.answer(request)
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        self.last += 1;
        let result = self.carry_out(job);
        self.jobs.insert(self.last, result);
        Ok(self.last)
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        Waited::Done(self.jobs.remove(&job).unwrap_or(JobResult::Unknown))
    }

    fn cancel(&mut self, job: u64) {
        self.jobs.remove(&job);
    }

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.interrupt.clone()
    }
}

#[cfg(test)]
mod tests;
