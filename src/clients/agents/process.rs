//! The processes in which programs are checked and run. Each belongs to a call or a session of the client; none
//! outlives that.

use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, bounded};

use ez_runtime::platform;
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

/// How long a process may take to start, and how often a call that waits for that looks whether it was cancelled.
const START: Duration = Duration::from_secs(10);
const TICK: Duration = Duration::from_millis(50);

/// How long the end of processes that are being started is waited for, and how often they are looked for.
const END: Duration = Duration::from_secs(1);
const ROUND: Duration = Duration::from_millis(1);

/// The processes that have been started and not ended. Clones share them.
#[derive(Clone, Default)]
pub struct Processes {
    table: Arc<Mutex<Table>>,
    /// Held while a process is being started, which blocks for as long as that is not there: so it is known which child
    /// process of this one that is.
    turn: Arc<Mutex<()>>,
}

#[derive(Default)]
struct Table {
    /// Whether no more may be started.
    closed: bool,
    last: u64,
    /// The number of the process that is being started.
    starting: Option<u64>,
    running: Vec<Running>,
}

/// A process that has been started.
struct Running {
    number: u64,
    /// Its process id.
    id: u32,
    child: Arc<Mutex<Child>>,
}

impl Processes {
    /// Starts `ez` with these arguments, for a call. Its standard streams are pipes; the command line decides which of
    /// them it uses.
    ///
    /// # Errors
    /// Why it could not be started, in words.
    pub fn start(
        &self,
        call: &Cancellation,
        arguments: &[String],
        directory: &Path,
    ) -> Result<Process, String> {
        let mut command = Command::new(platform::own_program()?);
        command.args(arguments).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        platform::without_window(&mut command);
        let number = {
            let mut table = self.table.lock();
            table.last += 1;
            table.last
        };
        let (sender, started) = bounded(1);
        let (processes, directory) = (self.clone(), directory.to_path_buf());
        // If nobody waits for it any more, the process ends as it is dropped.
        let work = move || drop(sender.send(processes.spawn(number, command, directory)));
        threads::spawn("start", work).map_err(|error| platform::reason(&error))?;
        let deadline = Instant::now() + START;
        loop {
            let why = match started.recv_timeout(TICK) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Disconnected) => return Err("the process could not be started".into()),
                Err(RecvTimeoutError::Timeout) if call.is_cancelled() => "cancelled".into(),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                    format!("the process has not started within {} s; try again", START.as_secs())
                }
                Err(RecvTimeoutError::Timeout) => continue,
            };
            self.table.lock().kill_starting(Some(number));
            return Err(why);
        }
    }

    /// Starts a process. Blocks until it is there, which may be for ever if the system holds it up.
    fn spawn(&self, number: u64, mut command: Command, directory: PathBuf) -> Result<Process, String> {
        let _turn = self.turn.lock();
        {
            let mut table = self.table.lock();
            if table.closed {
                return Err("the server ends".into());
            }
            table.starting = Some(number);
        }
        let spawned = command.spawn();
        let mut table = self.table.lock();
        table.starting = None;
        let mut child = spawned.map_err(|error| match directory.is_dir() {
            true => format!("ez could not be started: {}", platform::reason(&error)),
            false => format!("the root {} is not a folder any more", directory.display()),
        })?;
        if table.closed {
            let _ = child.kill();
        }
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let id = child.id();
        let child = Arc::new(Mutex::new(child));
        table.running.push(Running { number, id, child: child.clone() });
        Ok(Process { stdin, stdout, stderr, child, number, processes: self.clone() })
    }

    /// Ends all processes; none is started any more.
    pub fn end(&self) {
        let running = {
            let mut table = self.table.lock();
            table.closed = true;
            table.running.iter().map(|running| running.child.clone()).collect::<Vec<_>>()
        };
        running.iter().for_each(|child| kill(child));
        let deadline = Instant::now() + END;
        while Instant::now() < deadline && self.table.lock().kill_starting(None) {
            std::thread::sleep(ROUND);
        }
    }
}

impl Table {
    /// Kills the process that is being started, if it is the one with this number, or any for `None`. Returns whether
    /// there is one.
    fn kill_starting(&self, number: Option<u64>) -> bool {
        let is_wanted = self.starting.is_some() && (number.is_none() || number == self.starting);
        if is_wanted {
            let known: Vec<u32> = self.running.iter().map(|running| running.id).collect();
            platform::kill_children_except(&known);
        }
        is_wanted
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
        self.processes.table.lock().running.retain(|running| running.number != self.number);
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
