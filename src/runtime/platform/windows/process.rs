//! Processes and process groups.

use std::env;
use std::io;
use std::os::windows::io::AsHandle;
use std::os::windows::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;

use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, CREATE_SUSPENDED};

use crate::platform::Signal;

use super::system::{self, Job};

pub const SHELL: &str = "cmd";

pub fn shell(text: &str) -> Command {
    let mut shell = Command::new(env::var_os("ComSpec").unwrap_or_else(|| "cmd.exe".into()));
    // With `/s`, everything between the outer quotes is the command, unchanged.
    shell.raw_arg("/d /s /c");
    match text.contains('\0') {
        true => shell.arg(text), // Refused when it is spawned.
        false => shell.raw_arg(format!("\"{text}\"")),
    };
    shell
}

pub fn without_window(command: &mut Command) {
    // If there is a console, the process shares it, so that Ctrl+C reaches both.
    if !system::has_console() {
        command.creation_flags(CREATE_NO_WINDOW);
    }
}

pub fn parent_id() -> u32 {
    system::parent_of(std::process::id()).unwrap_or(0)
}

pub fn has_process(id: u32) -> bool {
    system::parent_of(id).is_some()
}

pub fn user_name() -> io::Result<String> {
    system::user_name()
}

/// Processes do not end by signals on this system.
pub fn ending_signal(_: ExitStatus) -> Option<Signal> {
    None
}

/// A job object: its processes end with this process, for whatever reason.
#[derive(Clone, Debug)]
pub struct ProcessGroup(Arc<Job>);

pub fn spawn_in_group(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    let job = Job::new()?;
    // Suspended, so that it cannot spawn anything before it is in the job.
    let mut child = command.creation_flags(CREATE_NO_WINDOW | CREATE_SUSPENDED).spawn()?;
    let started = job.add(child.as_handle()).and_then(|()| system::resume(child.id()));
    match started {
        Ok(()) => Ok((child, ProcessGroup(Arc::new(job)))),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

pub fn adopt_orphans() {}

pub fn reap_all() {}

pub fn kill_children_except(_: &[u32]) {
    // A process is there as soon as it is started.
}

pub fn end_family(child: &mut Child) -> io::Result<()> {
    // Its own children are in job objects, which end with it.
    child.kill()?;
    child.wait().map(drop)
}

impl ProcessGroup {
    /// Whether it has any members.
    pub fn has_members(&self) -> bool {
        self.0.has_members()
    }

    /// Kills all members. There may be none.
    pub fn kill(&self) {
        self.0.terminate();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_group_ends_with_all_that_is_in_it() {
        // The inner shell waits for input that never comes.
        let mut command = shell("echo started & cmd /c pause");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let (mut child, group) = spawn_in_group(&mut command).expect("starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), "started");
        assert!(group.has_members());
        group.kill();
        assert!(!child.wait().expect("ends").success());
        // The pipe ends only if the inner shell, which also holds it, has ended.
        while output.read_line(&mut line).expect("reads") > 0 {}
        assert!(!group.has_members());
    }

    #[test]
    fn a_group_ends_when_it_is_dropped() {
        let mut command = shell("pause");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let (mut child, group) = spawn_in_group(&mut command).expect("starts");
        drop(group);
        child.wait().expect("ends");
    }

    #[test]
    fn the_shell_gets_the_text_as_it_stands() {
        let output = |text: &str| {
            let output = shell(text).output().expect("runs").stdout;
            String::from_utf8_lossy(&output).trim().to_string()
        };
        assert_eq!(output("echo \"a b\" c"), "\"a b\" c");
        assert_eq!(output("echo 1&& echo 2").lines().count(), 2);
        let refused = shell("a\0b").output().expect_err("is refused");
        assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn processes_have_a_parent_and_a_user() {
        let mut command = shell("pause");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("starts");
        assert_eq!(system::parent_of(child.id()), Some(std::process::id()));
        drop(child.stdin.take());
        child.wait().expect("ends");
        assert!(!user_name().expect("a name").is_empty());
    }
}
