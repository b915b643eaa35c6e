//! What may take long: done on the spot, or on a thread while the interpreter waits with attention.

use std::collections::{BTreeSet, HashMap};
use std::io::{ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use ureq::Agent;

use crate::value::{CommandEnd, InterruptFlag, Job, JobResult, Waited};

use super::files::{Files, MAX_READ, read_all, system_error};
use super::{fetch, serve};

type Variables = Vec<(String, String)>;

/// A job, and what it needs of its host.
struct QueuedJob {
    job: Job,
    /// Environment of a command.
    variables: Variables,
    files: Files,
    /// Whether it has been put off because attention was wanted.
    put_off: bool,
}

/// A job on its thread.
struct Running {
    result: Arc<Mutex<Option<JobResult>>>,
    control: Arc<JobControl>,
}

/// What a job's thread and who started it share.
#[derive(Default)]
pub struct JobControl {
    /// Whether the job is to end.
    pub stopped: AtomicBool,
    /// Process group of a command; 0 if there is none (any more).
    group: AtomicI32,
    /// The connections of a request.
    agent: Mutex<Option<Agent>>,
}

/// The commands that run for any host.
struct Commands {
    /// Their process groups.
    groups: BTreeSet<i32>,
    /// Whether no more are to be started.
    closed: bool,
}

static COMMANDS: Mutex<Commands> = Mutex::new(Commands { groups: BTreeSet::new(), closed: false });

/// Ends all commands that can be ended, for a process that is about to end itself: their hosts may have
/// had no time to.
pub(crate) fn end_commands() {
    let mut commands = lock(&COMMANDS);
    commands.closed = true;
    commands.groups.iter().for_each(|group| kill(*group));
}

/// Ends a process group, which may have ended by itself just now.
fn kill(group: i32) {
    let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
}

/// The jobs of a host.
pub struct Jobs {
    interrupt: Option<Arc<InterruptFlag>>,
    last: u64,
    /// Jobs that are done when they are waited for.
    waiting: HashMap<u64, QueuedJob>,
    running: HashMap<u64, Running>,
}

impl Jobs {
    pub fn new(interrupt: Option<Arc<InterruptFlag>>) -> Jobs {
        Jobs { interrupt, last: 0, waiting: HashMap::new(), running: HashMap::new() }
    }

    pub fn start(&mut self, job: Job, variables: &[(String, String)], files: &Files) -> u64 {
        self.last += 1;
        let variables = if matches!(job, Job::Command { .. }) { variables.to_vec() } else { Vec::new() };
        // What ends by itself at once needs no thread.
        let at_once = matches!(&job, Job::Request(request) if !files.may_block(request));
        let task = QueuedJob { job, variables, files: files.clone(), put_off: false };
        let Some(interrupt) = self.interrupt.clone().filter(|_| !at_once) else {
            self.waiting.insert(self.last, task);
            return self.last;
        };
        let result = Arc::new(Mutex::new(None));
        let control = Arc::new(JobControl::default());
        self.running.insert(self.last, Running { result: result.clone(), control: control.clone() });
        let work = move || {
            let answer = run(task, &control, true);
            *lock(&result) = Some(answer);
            interrupt.ring();
        };
        if std::thread::Builder::new().name("job".into()).spawn(work).is_err() {
            // Nobody will do it: it ends as one that does not exist.
            self.running.remove(&self.last);
        }
        self.last
    }

    pub fn finish(&mut self, job: u64) -> Waited<JobResult> {
        // What is done at once does not look at the flag itself, and there may be much of it.
        if let Some(task) = self.waiting.get_mut(&job)
            && !task.put_off
            && self.interrupt.as_ref().is_some_and(|interrupt| interrupt.is_raised())
        {
            task.put_off = true;
            return Waited::Interrupted;
        }
        if let Some(task) = self.waiting.remove(&job) {
            return Waited::Done(run(task, &JobControl::default(), false));
        }
        let (Some(running), Some(interrupt)) = (self.running.get(&job), &self.interrupt) else {
            return Waited::Done(JobResult::Unknown);
        };
        let take = || lock(&running.result).take();
        match interrupt.wait_for(None, take) {
            Some(answer) => {
                self.running.remove(&job);
                Waited::Done(answer)
            }
            None => Waited::Interrupted,
        }
    }

    pub fn cancel(&mut self, job: u64) {
        self.waiting.remove(&job);
        if let Some(running) = self.running.remove(&job) {
            running.control.stop();
        }
    }

    /// Gives all jobs up.
    pub fn stop(&mut self) {
        self.running.values().for_each(|running| running.control.stop());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl JobControl {
    /// Whoever wants to end the job is to close these connections too.
    pub fn connects(&self, agent: &Agent) {
        *lock(&self.agent) = Some(agent.clone());
        if self.stopped.load(Ordering::SeqCst) {
            self.stop();
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(agent) = lock(&self.agent).take() {
            agent.shutdown();
        }
        // A command that is being started is there afterwards.
        let _commands = lock(&COMMANDS);
        let group = self.group.load(Ordering::SeqCst);
        if group > 0 {
            kill(group);
        }
    }
}

fn run(task: QueuedJob, control: &JobControl, grouped: bool) -> JobResult {
    match task.job {
        Job::ReadFile(path) => JobResult::Bytes(read_file(&path)),
        Job::Request(request) => JobResult::Answer(task.files.answer(request)),
        Job::Command { command, capture } => {
            JobResult::Command(run_command(&command, capture, &task.variables, control, grouped))
        }
        Job::Fetch(request) => JobResult::Reply(fetch::fetch(request, control)),
        Job::Serve { port, routes } => JobResult::Served(serve::serve(port, routes, control)),
    }
}

fn read_file(path: &str) -> Result<Vec<u8>, crate::value::SystemError> {
    let file = std::fs::File::open(path).map_err(|e| system_error("open", path, &e))?;
    read_all(&file).map_err(|e| system_error("read", path, &e))
}

/// Starts a command such that whoever ends it, or all of them, either comes before or knows its group.
fn start_group(shell: &mut Command, control: &JobControl) -> std::io::Result<Child> {
    let mut commands = lock(&COMMANDS);
    if commands.closed || control.stopped.load(Ordering::SeqCst) {
        return Err(ErrorKind::Interrupted.into());
    }
    let child = shell.spawn()?;
    let group = child.id() as i32;
    control.group.store(group, Ordering::SeqCst);
    commands.groups.insert(group);
    Ok(child)
}

fn run_command(
    command: &str,
    capture: bool,
    variables: &Variables,
    control: &JobControl,
    grouped: bool,
) -> Result<CommandEnd, String> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.env_clear().envs(variables.iter().map(|(k, v)| (k, v)));
    if grouped {
        // A group of its own, so that all of it can be ended.
        shell.process_group(0);
    }
    let fail = |e: std::io::Error| format!("fork/exec /bin/sh: {}", system_error("", "", &e).reason);
    let mut reader = None;
    if capture {
        let (from, to) = std::io::pipe().map_err(fail)?;
        shell.stdout(to.try_clone().map_err(fail)?).stderr(to);
        reader = Some(from);
    }
    let mut child = if grouped { start_group(&mut shell, control) } else { shell.spawn() }.map_err(fail)?;
    // The writing ends in `shell` would keep the pipe open.
    drop(shell);
    let mut output = Vec::new();
    let mut full = false;
    if let Some(reader) = reader {
        // A command whose output breaks off has still written what came.
        let read = reader.take(MAX_READ + 1).read_to_end(&mut output);
        full = read.is_err_and(|e| e.kind() == ErrorKind::OutOfMemory) || output.len() as u64 > MAX_READ;
    }
    let status = child.wait();
    let group = control.group.swap(0, Ordering::SeqCst);
    lock(&COMMANDS).groups.remove(&group);
    let status = status.map_err(fail)?;
    if full {
        return Err("output is too large".into());
    }
    Ok(CommandEnd { status: status.code(), signal: status.signal(), dumped: status.core_dumped(), output })
}
