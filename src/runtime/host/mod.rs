//! Access of programs to the system: [`SystemHost`] carries out requests, [`DenyHost`] refuses some of them.
//! How programs run is not known here.
//!
//! [`files`] refuses files outside of a folder ([`Root`]): it resolves links and `..`, and then looks the result up
//! name by name from a handle of the folder, without following links, so that what was decided about is what is
//! opened. It knows for each request whether a link at the end of the path is followed. `ConfinedLoader`
//! (`modules/loader.rs`) does the same for sources.
//!
//! An operation that may take long is a `Job`: if there is an interrupt flag, it runs on a thread of its own
//! ([`jobs`]), so that waiting for it can be interrupted. Commands of a debugged program end with this process,
//! however it ends ([`commands`]): on Unix a guard process starts them, on Windows each is in a job object.

mod commands;
mod confine;
mod deny;
mod directory;
mod environment;
mod errors;
mod files;
mod followed;
#[cfg(not(target_family = "wasm"))]
pub mod http;
#[cfg(target_family = "wasm")]
#[path = "http/none.rs"]
mod http;
mod input;
mod job_control;
mod jobs;
mod lost_output;
mod memory_files;
mod output;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use crate::clock::{self, Instant};
use crate::value::{
    Host, HostAnswer, HostRequest, InterruptFlag, Job, JobResult, Stream, SystemError, SystemErrorKind,
    Waited,
};

pub use crate::platform::{GuardProgram, run_guard};
pub use commands::Commands;
pub use confine::{Reach, Root, outside_of};
pub use deny::{Capability, DenyHost};
use directory::WorkingDirectory;
use environment::Environment;
use files::Files;
pub use files::replace_file;
pub use followed::{Followed, inherited_value};
use input::Input;
use jobs::{Jobs, Surroundings};
pub use lost_output::{lost_output, note_lost_output};
pub use memory_files::{MemoryFiles, MemoryHost};
use output::Output;
pub use output::UnwrittenOutput;

/// A host that carries out requests by system calls.
pub struct SystemHost {
    interrupt: Option<Arc<InterruptFlag>>,
    output: Output,
    random: fastrand::Rng,
    /// Random numbers for evaluations of a debugger, while there is one.
    evaluation_random: Option<fastrand::Rng>,
    input: Input,
    files: Files,
    environment: Environment,
    jobs: Jobs,
}

impl SystemHost {
    /// A host in the process's working directory. Waits end early when `interrupt` is raised; without it they
    /// block, and commands run in the foreground as those of a shell.
    pub fn new(interrupt: Option<Arc<InterruptFlag>>) -> SystemHost {
        SystemHost {
            output: Output::new(),
            random: fastrand::Rng::new(),
            evaluation_random: None,
            input: Input::new(interrupt.clone()),
            files: Files::new(WorkingDirectory::new(Path::new("."))),
            environment: Environment::new(),
            jobs: Jobs::new(interrupt.clone(), Commands::unguarded()),
            interrupt,
        }
    }

    /// Sets what `os.args()` gives: the interpreter, the program's file, its own arguments.
    pub fn with_arguments(mut self, arguments: Vec<String>) -> SystemHost {
        self.environment.arguments = arguments;
        self
    }

    /// Sets (`Some`) or removes (`None`) environment variables. Those of the process do not change.
    pub fn with_environment(mut self, changes: &[(String, Option<String>)]) -> SystemHost {
        self.environment.change(changes);
        self
    }

    /// Sets the working directory. That of the process does not change.
    pub fn with_directory(mut self, directory: &Path) -> SystemHost {
        self.files.set_directory(WorkingDirectory::new(directory));
        self
    }

    /// Confines the program's files to a folder, if there is one.
    pub fn with_root(mut self, root: Option<Root>) -> SystemHost {
        self.files.set_root(root);
        self
    }

    /// Sets the session that follows the EZ programs which commands start.
    pub fn with_followed(mut self, followed: Followed) -> SystemHost {
        self.environment.followed = followed;
        self
    }

    /// Sets what starts and ends commands.
    pub fn with_commands(mut self, commands: Commands) -> SystemHost {
        self.jobs = Jobs::new(self.interrupt.clone(), commands);
        self
    }

    /// The output that is not written yet, for a thread that ends the process; `None` if standard output is a
    /// terminal, where nothing is kept back.
    pub fn unwritten_output(&self) -> Option<UnwrittenOutput> {
        self.output.unwritten()
    }

    /// Sets what is to be done before output is kept in a buffer for longer, on the program's thread: not if standard
    /// output is a terminal, or the program writes only a few texts. See [`SystemHost::unwritten_output`].
    pub fn before_buffering(&mut self, prepare: impl FnOnce(UnwrittenOutput) + Send + 'static) {
        self.output.before_buffering(prepare);
    }

    fn random_bytes(count: u64) -> Result<HostAnswer, SystemError> {
        let mut bytes = vec![0; count as usize];
        match getrandom::fill(&mut bytes) {
            Ok(()) => Ok(HostAnswer::Bytes(bytes)),
            Err(error) => Err(SystemError {
                kind: SystemErrorKind::Other,
                operation: "getrandom".into(),
                path: String::new(),
                reason: error.to_string(),
            }),
        }
    }
}

impl Host for SystemHost {
    fn write(&mut self, stream: Stream, text: &str) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.output.write(text),
            Stream::Stderr => {
                self.flush()?;
                io::stderr().write_all(text.as_bytes())
            }
        }
    }

    fn shows(&self, stream: Stream, bytes: usize) -> bool {
        stream == Stream::Stderr || self.output.shows(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }

    fn read_line(&mut self) -> io::Result<Waited<Option<Vec<u8>>>> {
        self.flush()?;
        self.input.line()
    }

    fn sleep(&mut self, time: Duration) -> Option<Duration> {
        // If the output is closed, the next write reports it.
        let _ = self.flush();
        let Some(interrupt) = &self.interrupt else {
            std::thread::sleep(time);
            return None;
        };
        let start = Instant::now();
        interrupt.wait(time);
        time.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
    }

    fn now(&mut self) -> (i64, u32) {
        let now = clock::now();
        match now.duration_since(UNIX_EPOCH) {
            Ok(time) => (time.as_secs() as i64, time.subsec_nanos()),
            Err(before) => {
                let time = before.duration();
                match time.subsec_nanos() {
                    0 => (-(time.as_secs() as i64), 0),
                    nanos => (-(time.as_secs() as i64) - 1, 1_000_000_000 - nanos),
                }
            }
        }
    }

    fn random(&mut self) -> u64 {
        self.evaluation_random.as_mut().unwrap_or(&mut self.random).u64(..)
    }

    fn set_evaluating(&mut self, evaluating: bool) {
        self.evaluation_random = evaluating.then(|| self.random.clone());
    }

    fn request(&mut self, request: HostRequest) -> Result<HostAnswer, SystemError> {
        match request {
            HostRequest::RandomBytes(count) => SystemHost::random_bytes(count),
            HostRequest::Directory => self.environment.directory(self.files.directory()),
            HostRequest::ChangeDirectory(path) => self.files.change_directory(&path),
            request => match self.environment.answer(request) {
                Ok(result) => result,
                Err(request) => self.files.answer(request),
            },
        }
    }

    fn start(&mut self, job: Job) -> Result<u64, JobResult> {
        let at_once = matches!(&job, Job::Request(request) if !self.files.may_block(request));
        if !at_once {
            // Output must be visible while the program waits.
            let _ = self.flush();
        }
        Ok(self.jobs.start(job, &Surroundings { environment: &self.environment, files: &self.files }))
    }

    fn finish(&mut self, job: u64) -> Waited<JobResult> {
        self.jobs.finish(job)
    }

    fn cancel(&mut self, job: u64) {
        self.jobs.cancel(job);
    }

    fn interrupt_flag(&self) -> Option<Arc<InterruptFlag>> {
        self.interrupt.clone()
    }

    fn end(&mut self) {
        let _ = self.flush();
        self.jobs.end();
    }
}

impl Drop for SystemHost {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_ends_waits_early() {
        let interrupt = InterruptFlag::new();
        let mut host = SystemHost::new(Some(interrupt.clone()));
        let job =
            host.start(Job::Command { command: "sleep 100000; echo late".into(), capture: true }).unwrap();
        let raiser = std::thread::spawn({
            let interrupt = interrupt.clone();
            move || {
                std::thread::sleep(Duration::from_millis(50));
                interrupt.raise();
            }
        });
        assert!(host.sleep(Duration::from_secs(100_000)).is_some());
        assert_eq!(host.finish(job), Waited::Interrupted);
        raiser.join().expect("joins");
        interrupt.clear();
        host.cancel(job);
        let job =
            host.start(Job::Command { command: "echo a; echo b >&2; exit 3".into(), capture: true }).unwrap();
        let Waited::Done(JobResult::Command(Ok(end))) = host.finish(job) else { panic!("no end") };
        assert_eq!((end.status, end.output.as_slice()), (Some(3), b"a\nb\n".as_slice()));
    }

    #[test]
    fn even_jobs_that_are_done_at_once_are_interrupted() {
        let interrupt = InterruptFlag::new();
        let mut host = SystemHost::new(Some(interrupt.clone()));
        let job = host.start(Job::Request(HostRequest::ReadDirectory("/".into()))).unwrap();
        interrupt.raise();
        assert_eq!(host.finish(job), Waited::Interrupted);
        assert!(matches!(host.finish(job), Waited::Done(JobResult::Answer(Ok(HostAnswer::Texts(_))))));
        interrupt.clear();
        let job = host.start(Job::Request(HostRequest::ReadDirectory("/".into()))).unwrap();
        assert!(matches!(host.finish(job), Waited::Done(JobResult::Answer(Ok(HostAnswer::Texts(_))))));
    }

    #[test]
    fn without_an_interrupt_flag_jobs_block() {
        let mut host = SystemHost::new(None);
        let job = host.start(Job::Command { command: "kill -9 $$".into(), capture: false }).unwrap();
        let Waited::Done(JobResult::Command(Ok(end))) = host.finish(job) else { panic!("no end") };
        assert_eq!((end.status, end.signal), (None, Some("killed".into())));
        assert_eq!(host.finish(job), Waited::Done(JobResult::Unknown));
    }
}
