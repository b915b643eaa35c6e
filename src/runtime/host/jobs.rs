//! Jobs: requests that may take long. Without an interrupt flag they are carried out when they are waited
//! for; with one, on threads of their own, while the interpreter's thread waits for the result or an
//! interrupt.

use std::collections::HashMap;
use std::sync::Arc;

use crate::platform::{ShellCommand, text_of};
use crate::sync::Mutex;
use crate::threads;
use crate::value::{InterruptFlag, Job, JobResult, Waited};

use super::commands::{Commands, run_in_foreground};
use super::environment::Environment;
use super::files::Files;
use super::http::{fetch, serve};
use super::job_control::JobControl;

/// What a job uses of its program's host, as it is when the job starts.
pub struct Surroundings<'a> {
    /// The environment variables, for commands.
    pub environment: &'a Environment,
    /// Open files and working directory.
    pub files: &'a Files,
}

/// A job that is carried out when it is waited for.
struct Queued {
    work: Work,
    /// Whether a wait for it has been interrupted once.
    interrupted: bool,
}

/// A job that is being carried out by its thread.
struct Running {
    result: Arc<Mutex<Option<JobResult>>>,
    control: Arc<JobControl>,
}

/// The jobs of a program.
pub struct Jobs {
    interrupt: Option<Arc<InterruptFlag>>,
    commands: Commands,
    /// The number of the latest job.
    last: u64,
    queued: HashMap<u64, Queued>,
    running: HashMap<u64, Running>,
}

impl Jobs {
    /// Without jobs. If `interrupt` is given, waiting for a job ends when it is raised, and commands are
    /// started by `commands`.
    pub fn new(interrupt: Option<Arc<InterruptFlag>>, commands: Commands) -> Jobs {
        Jobs { interrupt, commands, last: 0, queued: HashMap::new(), running: HashMap::new() }
    }

    /// Starts a job; returns its number.
    pub fn start(&mut self, job: Job, surroundings: &Surroundings) -> u64 {
        self.last += 1;
        // A request that cannot block needs no thread.
        let at_once = matches!(&job, Job::Request(request) if !surroundings.files.may_block(request));
        let work = Work::new(job, surroundings);
        match self.interrupt.clone().filter(|_| !at_once) {
            Some(interrupt) => self.spawn(work, interrupt),
            None => drop(self.queued.insert(self.last, Queued { work, interrupted: false })),
        }
        self.last
    }

    fn spawn(&mut self, work: Work, interrupt: Arc<InterruptFlag>) {
        let result = Arc::new(Mutex::new(None));
        let control = Arc::new(JobControl::default());
        self.running.insert(self.last, Running { result: result.clone(), control: control.clone() });
        let commands = self.commands.clone();
        let thread = move || {
            let answer = work.run(&control, Some(&commands));
            *result.lock() = Some(answer);
            interrupt.notify();
        };
        if threads::spawn("job", thread).is_err() {
            // No thread could be created: the job fails like one that does not exist.
            self.running.remove(&self.last);
        }
    }

    /// Waits for a job to end, or for an interrupt.
    pub fn finish(&mut self, job: u64) -> Waited<JobResult> {
        // Such jobs do not wait, so the flag is not checked by them, and a program may start very many in a
        // row.
        if let Some(queued) = self.queued.get_mut(&job)
            && !queued.interrupted
            && self.interrupt.as_ref().is_some_and(|interrupt| interrupt.is_raised())
        {
            queued.interrupted = true;
            return Waited::Interrupted;
        }
        if let Some(queued) = self.queued.remove(&job) {
            return Waited::Done(queued.work.run(&JobControl::default(), None));
        }
        let (Some(running), Some(interrupt)) = (self.running.get(&job), &self.interrupt) else {
            return Waited::Done(JobResult::Unknown);
        };
        match interrupt.wait_for(None, || running.result.lock().take()) {
            Some(answer) => {
                self.running.remove(&job);
                Waited::Done(answer)
            }
            None => Waited::Interrupted,
        }
    }

    /// Cancels a job. Its thread ends as soon as it can.
    pub fn cancel(&mut self, job: u64) {
        self.queued.remove(&job);
        if let Some(running) = self.running.remove(&job) {
            running.control.cancel();
        }
    }

    /// Cancels all jobs and ends all commands, including those whose jobs have ended.
    pub fn end(&mut self) {
        self.queued.clear();
        self.running.drain().for_each(|(_, running)| running.control.cancel());
        self.commands.end(false);
    }
}

/// A job with everything it needs on another thread.
struct Work {
    job: Job,
    /// The environment of a command.
    variables: Vec<(String, String)>,
    files: Files,
}

impl Work {
    fn new(job: Job, surroundings: &Surroundings) -> Work {
        let is_command = matches!(job, Job::Command { .. });
        let variables = if is_command { surroundings.environment.of_command() } else { Vec::new() };
        Work { job, variables, files: surroundings.files.clone() }
    }

    /// Carries out the job. Commands are started by `commands`, or run in the foreground without it.
    fn run(self, control: &JobControl, commands: Option<&Commands>) -> JobResult {
        let Work { job, variables, files } = self;
        match job {
            Job::ReadFile(path) => JobResult::Bytes(files.read_file(&path)),
            Job::Request(request) => JobResult::Answer(files.answer(request)),
            Job::Command { command, capture } => {
                let directory = text_of(files.directory().path().as_os_str());
                let command = ShellCommand { text: command, variables, directory };
                JobResult::Command(match commands {
                    Some(commands) => commands.run(&command, capture, control),
                    None => run_in_foreground(&command, capture),
                })
            }
            Job::Fetch(request) => JobResult::Reply(fetch(request, control)),
            Job::Serve { port, routes } => JobResult::Served(serve(port, routes, control)),
        }
    }
}
