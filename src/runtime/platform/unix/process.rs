//! Processes, their groups and how they end.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::io::Errno;
use rustix::process::{Pid, kill_process_group, test_kill_process, test_kill_process_group};
use signal_hook::consts;
use signal_hook::iterator::Signals;

use crate::platform::{Signal, own_program};
use crate::threads;

pub const SHELL: &str = "/bin/sh";

pub fn shell(text: &str) -> Command {
    let mut shell = Command::new(SHELL);
    shell.arg("-c").arg(super::name_of(text));
    shell
}

pub fn decoded_output(output: Vec<u8>) -> Vec<u8> {
    output
}

pub fn without_window(_: &mut Command) {}

pub fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

pub fn has_process(id: u32) -> bool {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    // Those of other users may not be asked.
    id.is_some_and(|id| matches!(test_kill_process(id), Ok(()) | Err(Errno::PERM)))
}

pub fn guard_program() -> Option<PathBuf> {
    // It is started later.
    running_program().or_else(|| own_program().ok())
}

pub fn running_program() -> Option<PathBuf> {
    // This path works even if the file was replaced.
    Some(PathBuf::from("/proc/self/exe")).filter(|linux| linux.exists())
}

pub fn ending_signal(status: ExitStatus) -> Option<Signal> {
    let name = match status.signal()? {
        consts::SIGHUP => "hangup",
        consts::SIGINT => "interrupt",
        consts::SIGQUIT => "quit",
        consts::SIGILL => "illegal instruction",
        consts::SIGTRAP => "trace/breakpoint trap",
        consts::SIGABRT => "aborted",
        consts::SIGBUS => "bus error",
        consts::SIGFPE => "floating point exception",
        consts::SIGKILL => "killed",
        consts::SIGUSR1 => "user defined signal 1",
        consts::SIGSEGV => "segmentation fault",
        consts::SIGUSR2 => "user defined signal 2",
        consts::SIGPIPE => "broken pipe",
        consts::SIGALRM => "alarm clock",
        consts::SIGTERM => "terminated",
        other => return Some(Signal { name: format!("signal {other}"), dumped: status.core_dumped() }),
    };
    Some(Signal { name: name.into(), dumped: status.core_dumped() })
}

/// A process group, by the process id of its leader.
#[derive(Clone, Debug)]
pub struct ProcessGroup(Option<Pid>);

pub fn spawn_in_group(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    let child = command.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    Ok((child, ProcessGroup(group)))
}

impl ProcessGroup {
    /// Whether it has any members.
    pub fn has_members(&self) -> bool {
        self.0.is_some_and(|group| test_kill_process_group(group).is_ok())
    }

    /// Kills all members. There may be none.
    pub fn kill(&self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// Makes this process ignore signals that ask it to end. Processes that it spawns do not ignore them.
pub fn ignore_termination() {
    // Handlers are not inherited, while ignored or blocked signals would be.
    for signal in [consts::SIGTERM, consts::SIGINT, consts::SIGHUP, consts::SIGQUIT] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
}

pub fn before_signal_ends(heard: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    let ignored = ignored_signals();
    // A handler would also be called for what the starting process wanted to be ignored, as `nohup` does.
    let is_handled = |signal: &i32| match ignored {
        Some(ignored) => ignored & (1 << (signal - 1)) == 0,
        None => *signal != consts::SIGHUP,
    };
    let signals = [consts::SIGINT, consts::SIGTERM, consts::SIGHUP];
    let mut signals = Signals::new(signals.into_iter().filter(is_handled))?;
    threads::spawn("signals", move || {
        if let Some(signal) = signals.forever().next() {
            heard(signal);
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    })?;
    Ok(())
}

/// The signals that this process ignores, the one with number 1 as bit 0; `None` if the system does not say.
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

pub fn end_as_by_signal(number: i32) -> ! {
    let _ = signal_hook::low_level::emulate_default_handler(number);
    std::process::exit(128 + number)
}

pub fn on_interrupt(mut heard: impl FnMut() + Send + 'static) -> io::Result<()> {
    let (mut signals, signal) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(consts::SIGINT, signal)?;
    threads::spawn("interrupts", move || {
        while signals.read(&mut [0]).is_ok_and(|count| count > 0) {
            heard();
        }
    })?;
    Ok(())
}
