//! The guard as this process sees it: a child that starts the commands, and ends them when this process
//! is gone.
//!
//! A socket connects both, and closes when this process ends, however that happens. Each command has a
//! socket of its own besides: this process writes the [`ShellCommand`] to it as a line of JSON and reads a
//! [`Report`] from it; closing it ends the command.

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

/// How long the guard may take to end what is left of the commands.
const PATIENCE: Duration = Duration::from_secs(1);

/// How a command ended.
#[derive(Debug, Serialize, Deserialize)]
pub enum Report {
    /// It could not be started: why.
    NotStarted(String),
    /// It has ended; the system's word for how.
    Ended(i32),
}

/// A guard that runs.
#[derive(Debug)]
pub struct Guard {
    process: Child,
    /// Commands are announced here.
    link: UnixStream,
}

/// Where the end of a command is reported.
pub struct End(BufReader<UnixStream>);

impl Guard {
    /// Starts a guard.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(program: &GuardProgram) -> std::io::Result<Guard> {
        let (link, theirs) = UnixStream::pair()?;
        let mut command = Command::new(program.path());
        command.arg(GuardProgram::ARGUMENT).env_clear().current_dir("/");
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        // Signals that a terminal or a client sends to this process's group are not meant for the guard.
        let (process, _) = spawn_in_group(&mut command)?;
        Ok(Guard { process, link })
    }

    /// Asks for a command to be started.
    ///
    /// # Errors
    /// When the guard is gone, or the system refuses pipes and sockets.
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
        // The guard writes nothing: this ends when it has ended.
        if let Ok(0) = self.link.read(&mut [0]) {
            let _ = self.process.wait();
        }
    }
}

impl End {
    /// What ends the command before its time, if it has not ended yet.
    pub fn canceller(&self) -> Box<dyn FnOnce() + Send> {
        let stream = self.0.get_ref().try_clone();
        Box::new(move || {
            if let Ok(stream) = stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        })
    }

    /// Waits for the command's end.
    ///
    /// # Errors
    /// Why it could not be started, or that the guard is gone.
    pub fn wait(mut self) -> Result<ExitStatus, String> {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line);
        match serde_json::from_str(&line) {
            Ok(Report::Ended(status)) => Ok(ExitStatus::from_raw(status)),
            Ok(Report::NotStarted(reason)) => Err(reason),
            Err(_) => Err(format!("fork/exec {SHELL}: the process that watches over commands is gone")),
        }
    }
}
