//! A process whose output is looked at while it comes, and that ends in time whatever it does.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded};

use ez_runtime::clock::Instant;
use ez_runtime::platform::{reason, without_window};
use ez_runtime::sync::Mutex;
use ez_runtime::threads;

/// Size of a read in bytes, and how many may wait to be looked at.
const CHUNK: usize = 1 << 16;
const WAITING: usize = 8;

/// How much of the end of its errors is kept, in bytes: a report with all calls in progress is long.
const ERRORS: usize = 4 << 20;

/// How often is looked whether a process has ended whose pipes are open.
const TICK: Duration = Duration::from_millis(100);

/// How long output is waited for after the end of a process: others may hold its pipes.
const AFTER_END: Duration = Duration::from_millis(300);

/// How long is waited at first, and at most, until a process is looked at again that has closed its pipes.
const SOON: Duration = Duration::from_micros(50);
const LATER: Duration = Duration::from_millis(10);

/// How a process has ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// Whether it was killed, since it has not ended in time.
    pub was_killed: bool,
    /// The end of what it has written to standard error.
    pub errors: String,
}

/// The processes that run now.
#[derive(Debug)]
pub struct Processes {
    /// Those that may not have ended; `None`: no more begin.
    running: Mutex<Option<Vec<Arc<Mutex<Child>>>>>,
}

impl Processes {
    /// None has begun.
    pub fn new() -> Processes {
        Processes { running: Mutex::new(Some(Vec::new())) }
    }

    /// Runs a command for at most `time`, after which it is killed; `output` gets what it writes to standard output. This
    /// returns soon after, also if the pipes are still open, as other processes may hold them.
    ///
    /// # Errors
    /// Why the command cannot be started.
    pub fn run(
        &self,
        command: &mut Command,
        time: Duration,
        output: impl FnMut(&[u8]),
    ) -> Result<Ended, String> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        without_window(command);
        let start = Instant::now();
        let child = self.start(command)?;
        let ended = read(&child, start + time, output);
        if let Some(running) = &mut *self.running.lock() {
            running.retain(|other| !Arc::ptr_eq(other, &child));
        }
        ended
    }

    fn start(&self, command: &mut Command) -> Result<Arc<Mutex<Child>>, String> {
        let mut running = self.running.lock();
        let Some(running) = &mut *running else { return Err("ez test is about to end".into()) };
        let child = command.spawn().map_err(|error| format!("ez cannot be started: {}", reason(&error)))?;
        let child = Arc::new(Mutex::new(child));
        running.push(child.clone());
        Ok(child)
    }

    /// Kills all processes that run, and lets no more begin.
    pub fn end(&self) {
        for child in self.running.lock().take().into_iter().flatten() {
            // Fails if it has ended already.
            let _ = child.lock().kill();
        }
    }
}

/// Reads what a process writes, until it has ended, or is killed at this time.
fn read(child: &Mutex<Child>, mut until: Instant, mut output: impl FnMut(&[u8])) -> Result<Ended, String> {
    let (sender, pieces) = bounded(WAITING);
    let (stdout, stderr) = {
        let mut child = child.lock();
        (child.stdout.take(), child.stderr.take())
    };
    let readers = [
        stdout.map(|pipe| pass_on(pipe, sender.clone(), true)),
        stderr.map(|pipe| pass_on(pipe, sender, false)),
    ];
    if let Some(error) = readers.into_iter().flatten().find_map(Result::err) {
        let mut child = child.lock();
        let _ = child.kill().and_then(|()| child.wait());
        return Err(format!("no thread to read what the program prints: {}", reason(&error)));
    }
    let mut look = Instant::now() + TICK;
    let (mut was_killed, mut errors, mut status) = (false, VecDeque::new(), None);
    loop {
        let now = Instant::now();
        if now >= look && status.is_none() {
            look = now + TICK;
            status = child.lock().try_wait().ok().flatten();
            until = if status.is_some() { until.min(now + AFTER_END) } else { until };
        }
        if now >= until {
            if status.is_some() || was_killed {
                break;
            }
            was_killed = child.lock().kill().is_ok();
            until = now + AFTER_END;
        }
        match pieces.recv_deadline(until.min(look.max(now))) {
            Ok((true, piece)) => output(&piece),
            Ok((false, piece)) => {
                errors.extend::<Vec<u8>>(piece);
                errors.drain(..errors.len().saturating_sub(ERRORS));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = match status {
        Some(status) => status,
        None => end(child, until, &mut was_killed).map_err(|error| reason(&error))?,
    };
    let errors = Vec::from(errors);
    Ok(Ended { status, was_killed, errors: String::from_utf8_lossy(&errors).into_owned() })
}

/// Waits until a process has ended, and kills it then.
fn end(child: &Mutex<Child>, until: Instant, was_killed: &mut bool) -> io::Result<ExitStatus> {
    let mut pause = SOON;
    while !*was_killed {
        if let Some(status) = child.lock().try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= until {
            *was_killed = child.lock().kill().is_ok();
        }
        std::thread::sleep(pause);
        pause = LATER.min(pause * 2);
    }
    child.lock().wait()
}

/// Reads from a pipe until its end, or nobody wants more.
fn pass_on(
    mut pipe: impl Read + Send + 'static,
    to: Sender<(bool, Vec<u8>)>,
    is_output: bool,
) -> io::Result<()> {
    let work = move || {
        let mut buffer = vec![0; CHUNK];
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                Ok(read) => {
                    let piece = buffer.get(..read).unwrap_or_default().to_vec();
                    if to.send((is_output, piece)).is_err() {
                        return;
                    }
                }
            }
        }
    };
    threads::spawn("case", work).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ez_runtime::platform::ending_signal;

    #[cfg(unix)]
    /// How a command of the shell ends that has a second, after which time, and how much it prints.
    fn ended(script: &str) -> (Ended, Duration, u64) {
        let (start, mut bytes) = (Instant::now(), 0);
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        let ended = Processes::new()
            .run(&mut command, Duration::from_secs(1), |piece| bytes += piece.len() as u64)
            .unwrap();
        (ended, start.elapsed(), bytes)
    }

    #[cfg(unix)]
    #[test]
    fn output_and_errors_are_read() {
        let (ended, _, bytes) = ended("echo abc; echo wrong >&2; exit 3");
        assert_eq!((ended.status.code(), ended.was_killed, bytes), (Some(3), false, 4));
        assert_eq!(ended.errors, "wrong\n");
    }

    #[cfg(unix)]
    #[test]
    fn nothing_makes_it_wait_for_ever() {
        let (ended, time, _) = ended("sleep 100");
        assert!(ended.was_killed && time < Duration::from_secs(10), "{time:?}");
        // Its pipes are held by another process.
        let (ended, time, bytes) = self::ended("echo x; sleep 5 & exit 4");
        assert_eq!((ended.status.code(), ended.was_killed, bytes), (Some(4), false, 2));
        assert!(time < Duration::from_secs(4), "{time:?}");
        let (ended, time, _) = self::ended("sleep 5 & sleep 100");
        assert!(ended.was_killed && time < Duration::from_secs(4), "{time:?}");
        // Its pipes are closed, and it goes on.
        let (ended, time, _) = self::ended("exec >&- 2>&-; sleep 100");
        assert!(ended.was_killed && time < Duration::from_secs(10), "{time:?}");
        let (ended, _, _) = self::ended("exec >&- 2>&-; sleep 0.1; exit 5");
        assert_eq!((ended.status.code(), ended.was_killed), (Some(5), false));
        let (ended, _, _) = self::ended("kill -9 $$");
        let signal = ending_signal(ended.status).map(|signal| signal.name);
        assert_eq!((signal.as_deref(), ended.was_killed), (Some("killed"), false));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_begins_after_the_end_which_may_come_twice() {
        let processes = Arc::new(Processes::new());
        let (begun, has_begun) = bounded(1);
        let running = processes.clone();
        let run = std::thread::spawn(move || {
            let mut command = Command::new("sh");
            command.args(["-c", "echo; exec sleep 100"]).stdin(Stdio::null());
            running.run(&mut command, Duration::from_secs(100), |_| {
                let _ = begun.try_send(());
            })
        });
        has_begun.recv().unwrap();
        processes.end();
        processes.end();
        let ended = run.join().unwrap().unwrap();
        assert_eq!(ending_signal(ended.status).map(|signal| signal.name).as_deref(), Some("killed"));
        assert!(processes.run(&mut Command::new("true"), Duration::from_secs(1), |_| ()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_flood_is_read_and_not_kept() {
        let (ended, _, bytes) = ended("yes & yes >&2");
        assert!(ended.was_killed && bytes > 1 << 20, "{bytes}");
        assert!(ended.errors.len() <= ERRORS);
    }
}
