//! This process's side of the guard: a child process that starts the commands, and ends them when this
//! process has ended.
//!
//! A socket connects both; it is closed when this process ends, for whatever reason. Each command has another
//! socket: this process writes the [`ShellCommand`] to it as a line of JSON and reads a [`Report`] from it;
//! closing it ends the command.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::platform::{GuardProgram, Running, SHELL, ShellCommand};

use super::process::spawn_in_group;
use super::streams::send_streams;

/// How long the guard may take to end the remaining commands.
const PATIENCE: Duration = Duration::from_secs(1);

/// The end of a command.
#[derive(Debug, Serialize, Deserialize)]
pub enum Report {
    /// It could not be started, for this reason.
    NotStarted(String),
    /// It has ended, with this wait status.
    Ended(i32),
}

/// A running guard.
#[derive(Debug)]
pub struct Guard {
    process: Child,
    /// Sockets for new commands are sent over this one.
    link: UnixStream,
}

/// Receives the report about a command.
pub struct End(BufReader<UnixStream>);

impl Guard {
    /// Starts a guard.
    ///
    /// # Errors
    /// If the process cannot be started.
    pub fn start(program: &GuardProgram) -> std::io::Result<Guard> {
        let (link, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program.path());
        command.arg(GuardProgram::ARGUMENT).env_clear().current_dir("/");
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        // In its own group, so that signals for this process's group do not reach the guard.
        let (process, _) = spawn_in_group(&mut command)?;
        Ok(Guard { process, link })
    }

    /// Starts a command.
    ///
    /// # Errors
    /// If the guard has died, or no pipe or socket can be created.
    pub fn start_command(&self, command: &ShellCommand, capture: bool) -> std::io::Result<Running> {
        let (mut ours, theirs) = UnixStream::pair()?;
        let pipe = capture.then(std::io::pipe).transpose()?;
        let mut streams = vec![theirs.as_fd()];
        streams.extend(pipe.as_ref().map(|(_, writer)| writer.as_fd()));
        send_streams(&self.link, &streams)?;
        let mut line = serde_json::to_vec(command)?;
        line.push(b'\n');
        ours.write_all(&line)?;
        let reader = pipe.map(|(reader, _)| reader);
        Ok(Running { reader, end: End(BufReader::new(ours)) })
    }

    /// Ends all commands, and waits for that.
    pub fn stop(mut self) {
        let _ = self.link.shutdown(Shutdown::Write);
        let _ = self.link.set_read_timeout(Some(PATIENCE));
        // The guard never writes: reading ends when the guard has ended.
        if let Ok(0) = self.link.read(&mut [0]) {
            let _ = self.process.wait();
        }
    }
}

impl End {
    /// A function that ends the command if it has not ended yet.
    pub fn canceller(&self) -> Box<dyn FnOnce() + Send> {
        let stream = self.0.get_ref().try_clone();
        Box::new(move || {
            if let Ok(stream) = stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        })
    }

    /// Waits for the end of the command.
    ///
    /// # Errors
    /// Why it could not be started, or that the guard has died.
    pub fn wait(mut self) -> Result<ExitStatus, String> {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line);
        match serde_json::from_slice(line.as_bytes()) {
            Ok(Report::Ended(status)) => Ok(ExitStatus::from_raw(status)),
            Ok(Report::NotStarted(reason)) => Err(reason),
            Err(_) => Err(format!("fork/exec {SHELL}: the process that watches over commands is gone")),
        }
    }
}
