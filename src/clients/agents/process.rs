//! The processes in which programs are checked and run. Each belongs to a call or a session of the client; none
//! outlives that.

use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::platform;
use crate::sync::Mutex;

/// The processes that have been started and not ended. Clones share them.
#[derive(Clone, Default)]
pub struct Processes(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    /// Whether no more may be started.
    closed: bool,
    last: u64,
    running: Vec<(u64, Arc<Mutex<Child>>)>,
}

impl Processes {
    /// Starts `ez` with these arguments. Its standard streams are pipes; the command line decides which of them
    /// it uses.
    ///
    /// # Errors
    /// Why it could not be started, in words.
    pub fn start(&self, arguments: &[String], directory: &std::path::Path) -> Result<Process, String> {
        let program = std::env::current_exe().map_err(|error| platform::reason(&error))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::without_window(&mut command);
        let mut table = self.0.lock();
        if table.closed {
            return Err("the server ends".into());
        }
        let mut child = command.spawn().map_err(|error| match directory.is_dir() {
            true => platform::reason(&error),
            false => format!("the root {} is not a folder any more", directory.display()),
        })?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        table.last += 1;
        let number = table.last;
        table.running.push((number, child.clone()));
        Ok(Process { stdin, stdout, stderr, child, number, processes: self.clone() })
    }

    /// Ends all processes; none is started any more.
    pub fn end(&self) {
        let running = {
            let mut table = self.0.lock();
            table.closed = true;
            std::mem::take(&mut table.running)
        };
        for (_, child) in running {
            kill(&child);
        }
    }
}

/// A process, which ends when this is dropped.
pub struct Process {
    /// Its input, until it is taken.
    pub stdin: Option<ChildStdin>,
    /// Its output, until it is taken.
    pub stdout: Option<ChildStdout>,
    /// Its errors, until they are taken.
    pub stderr: Option<ChildStderr>,
    child: Arc<Mutex<Child>>,
    number: u64,
    processes: Processes,
}

impl Drop for Process {
    fn drop(&mut self) {
        kill(&self.child);
        let _ = self.child.lock().wait();
        self.processes.0.lock().running.retain(|(number, _)| *number != self.number);
    }
}

/// Ends a process without waiting for that.
fn kill(child: &Mutex<Child>) {
    // Fails if it has ended already.
    let _ = child.lock().kill();
}

/// Whether the client has cancelled a call. Clones share this; it may be used on any thread.
#[derive(Clone, Default)]
pub struct Cancellation(Arc<CancellationState>);

#[derive(Default)]
struct CancellationState {
    cancelled: AtomicBool,
    /// Processes that end when the call is cancelled.
    processes: Mutex<Vec<Arc<Mutex<Child>>>>,
}

impl Cancellation {
    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Cancels the call: its processes end.
    pub fn cancel(&self) {
        // In this order, so that a process which is added meanwhile ends, too.
        self.0.cancelled.store(true, Ordering::Release);
        for child in self.0.processes.lock().drain(..) {
            kill(&child);
        }
    }

    /// Lets a process live on when the call is cancelled.
    ///
    /// # Errors
    /// If the call was cancelled already.
    pub fn spares(&self, process: &Process) -> Result<(), String> {
        let mut processes = self.0.processes.lock();
        processes.retain(|child| !Arc::ptr_eq(child, &process.child));
        if self.is_cancelled() { Err("cancelled".into()) } else { Ok(()) }
    }

    /// Ends a process when the call is cancelled.
    pub fn ends(&self, process: &Process) {
        let mut processes = self.0.processes.lock();
        if self.is_cancelled() { kill(&process.child) } else { processes.push(process.child.clone()) }
    }
}
