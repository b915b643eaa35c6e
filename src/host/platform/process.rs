//! Processes, their groups and how they end.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::value::CommandEnd;

/// The end of a command as programs see it.
pub fn command_end(status: ExitStatus, output: Vec<u8>) -> CommandEnd {
    CommandEnd { status: status.code(), signal: status.signal(), dumped: status.core_dumped(), output }
}

/// The status that `wait(2)` gave as a number.
pub fn exit_status(raw: i32) -> ExitStatus {
    ExitStatus::from_raw(raw)
}

/// Makes a process the leader of a new group when it is spawned.
pub fn in_own_group(command: &mut Command) {
    command.process_group(0);
}

fn group(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// Whether a process group has members.
pub fn group_exists(number: u32) -> bool {
    group(number).is_some_and(|group| test_kill_process_group(group).is_ok())
}

/// Ends all members of a process group. There may be none.
pub fn kill_group(number: u32) {
    if let Some(group) = group(number) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// From now on, signals that ask this process to end do nothing. Processes that it spawns heed them.
pub fn ignore_termination() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    // A handler, unlike an ignored or blocked signal, is not inherited.
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
}
