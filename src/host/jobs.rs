//! What may take long: done on the spot, or on a thread while the interpreter waits with attention.

use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::value::{Attention, CommandEnd, Job, JobResult, Waited};

use super::files::system_error;
use super::{fetch, serve};

type Variables = Vec<(String, String)>;

/// A job on its thread.
struct Running {
    result: Arc<Mutex<Option<JobResult>>>,
    control: Arc<Control>,
}

/// What a job's thread and who started it share.
#[derive(Default)]
pub struct Control {
    /// Whether the job is to end.
    pub stopped: AtomicBool,
    /// Process group of a command; 0 if there is none (any more).
    group: AtomicI32,
}

/// The jobs of a host.
pub struct Jobs {
    attention: Option<Arc<Attention>>,
    last: u64,
    /// Jobs that are done when they are waited for.
    waiting: HashMap<u64, (Job, Variables)>,
    running: HashMap<u64, Running>,
}

impl Jobs {
    pub fn new(attention: Option<Arc<Attention>>) -> Jobs {
        Jobs { attention, last: 0, waiting: HashMap::new(), running: HashMap::new() }
    }

    pub fn start(&mut self, job: Job, variables: &[(String, String)]) -> u64 {
        self.last += 1;
        let variables = variables.to_vec();
        let Some(attention) = self.attention.clone() else {
            self.waiting.insert(self.last, (job, variables));
            return self.last;
        };
        let result = Arc::new(Mutex::new(None));
        let control = Arc::new(Control::default());
        let running = Running { result: result.clone(), control: control.clone() };
        self.running.insert(self.last, running);
        std::thread::spawn(move || {
            let answer = run(job, &variables, &control, true);
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
            attention.ring();
        });
        self.last
    }

    pub fn finish(&mut self, job: u64) -> Waited<JobResult> {
        if let Some((job, variables)) = self.waiting.remove(&job) {
            return Waited::Done(run(job, &variables, &Control::default(), false));
        }
        let (Some(running), Some(attention)) = (self.running.get(&job), &self.attention) else {
            return Waited::Done(JobResult::Unknown);
        };
        let take = || running.result.lock().unwrap_or_else(PoisonError::into_inner).take();
        match attention.wait_for(None, take) {
            Some(answer) => {
                self.running.remove(&job);
                Waited::Done(answer)
            }
            None => Waited::Attention,
        }
    }

    pub fn cancel(&mut self, job: u64) {
        self.waiting.remove(&job);
        if let Some(running) = self.running.remove(&job) {
            running.control.stop();
        }
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.running.values().for_each(|running| running.control.stop());
    }
}

impl Control {
    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        let group = self.group.load(Ordering::SeqCst);
        if group > 0 {
            // It may have ended by itself just now.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
}

fn run(job: Job, variables: &Variables, control: &Control, grouped: bool) -> JobResult {
    match job {
        Job::ReadFile(path) => JobResult::Bytes(read_file(&path)),
        Job::Command { command, capture } => {
            JobResult::Command(run_command(&command, capture, variables, control, grouped))
        }
        Job::Fetch(request) => JobResult::Reply(fetch::fetch(request)),
        Job::Serve { port, routes } => JobResult::Served(serve::serve(port, routes, control)),
    }
}

fn read_file(path: &str) -> Result<Vec<u8>, crate::value::SystemError> {
    let mut file = std::fs::File::open(path).map_err(|e| system_error("open", path, &e))?;
    let mut data = Vec::new();
    file.read_to_end(&mut data).map_err(|e| system_error("read", path, &e))?;
    Ok(data)
}

fn run_command(
    command: &str,
    capture: bool,
    variables: &Variables,
    control: &Control,
    grouped: bool,
) -> Result<CommandEnd, String> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.env_clear().envs(variables.iter().map(|(k, v)| (k, v)));
    if grouped {
        // A group of its own, so that all of it can be ended.
        shell.process_group(0);
    }
    let fail = |e: std::io::Error| {
        format!(
            "fork/exec /bin/sh: {}",
            match e.kind() {
                std::io::ErrorKind::InvalidInput => "invalid argument".to_string(),
                _ => system_error("", "", &e).reason,
            }
        )
    };
    let mut reader = None;
    if capture {
        let (from, to) = std::io::pipe().map_err(fail)?;
        shell.stdout(to.try_clone().map_err(fail)?).stderr(to);
        reader = Some(from);
    }
    let mut child = shell.spawn().map_err(fail)?;
    // The writing ends in `shell` would keep the pipe open.
    drop(shell);
    if grouped {
        control.group.store(child.id() as i32, Ordering::SeqCst);
        if control.stopped.load(Ordering::SeqCst) {
            control.stop();
        }
    }
    let mut output = Vec::new();
    if let Some(mut reader) = reader {
        // A command whose output breaks off has still written what came.
        let _ = reader.read_to_end(&mut output);
    }
    let status = child.wait();
    control.group.store(0, Ordering::SeqCst);
    let status = status.map_err(fail)?;
    Ok(CommandEnd { status: status.code(), signal: status.signal(), dumped: status.core_dumped(), output })
}
