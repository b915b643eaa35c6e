//! The guard process: starts commands for its parent process, and ends them with all their descendants once
//! the parent has ended.
//!
//! On Linux it is a child subreaper: descendants whose parents have ended become its children, even if they
//! have left their process group and session. Its threads: the first receives commands; each command has one
//! that spawns it and waits for its cancellation; one waits for ended children.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::Duration;

use crate::platform::{Groups, ShellCommand, not_started};
use crate::sync::{Condvar, Mutex, MutexGuard};
use crate::threads;

use super::children::{Reaped, adopt_orphans, kill_children, reap, wait_for_ended_child};
use super::guard::Report;
use super::process::{ignore_termination, spawn_in_group};
use super::streams::{Streams, receive_streams, standard_input_socket};

/// How long to wait for killed processes before looking for others.
const ROUND: Duration = Duration::from_millis(5);

/// The commands that have not ended: by process id, the socket for the report.
#[derive(Default)]
struct Children {
    commands: HashMap<u32, UnixStream>,
    groups: Groups,
    /// Whether no more commands may be started.
    closed: bool,
}

#[derive(Default)]
struct Table {
    children: Mutex<Children>,
    /// Notified when a command was started, and when children were reaped.
    changed: Condvar,
}

/// Runs the guard until the parent process closes its end of standard input; returns the exit status.
pub fn run() -> ExitCode {
    ignore_termination();
    adopt_orphans();
    let Some(link) = standard_input_socket() else { return ExitCode::FAILURE };
    // The threads use it until the process ends.
    let table: &'static Table = Box::leak(Box::default());
    if threads::spawn("reaper", || table.reap()).is_err() {
        return ExitCode::FAILURE;
    }
    while let Ok(Some(Streams { streams, lost })) = receive_streams(&link) {
        let mut streams = streams.into_iter();
        let Some(mut socket) = streams.next().map(UnixStream::from) else { continue };
        if lost {
            tell(&mut socket, &Report::NotStarted(not_started(&rustix::io::Errno::MFILE.into())));
            continue;
        }
        let output = streams.next();
        // If no thread can be created, the closed socket reports the failure.
        let _ = threads::spawn("session", move || table.serve(socket, output));
    }
    table.end_all();
    ExitCode::SUCCESS
}

impl Table {
    fn children(&self) -> MutexGuard<'_, Children> {
        self.children.lock()
    }

    /// Starts the command that a socket brings, and ends it when the socket is closed.
    fn serve(&self, socket: UnixStream, output: Option<OwnedFd>) {
        let Ok(mut report) = socket.try_clone() else { return };
        let mut socket = BufReader::new(socket);
        let mut line = String::new();
        let Ok(command) = socket.read_line(&mut line).map_err(drop).and_then(|_| parsed(&line)) else {
            return;
        };
        let process = match self.start(&command, output, &report) {
            Ok(process) => process,
            Err(error) => return tell(&mut report, &Report::NotStarted(not_started(&error))),
        };
        // Returns when the parent closes the socket to cancel the command, or `reap` does at its end.
        let _ = socket.read(&mut [0]);
        self.children().groups.kill(process);
    }

    fn start(
        &self,
        command: &ShellCommand,
        output: Option<OwnedFd>,
        report: &UnixStream,
    ) -> std::io::Result<u32> {
        let mut shell = command.prepared()?;
        if let Some(output) = output {
            shell.stdout(output.try_clone()?).stderr(output);
        }
        let report = report.try_clone()?;
        // Locked, so that `reap` cannot see its end before it is in the table.
        let mut children = self.children();
        if children.closed {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let (child, group) = spawn_in_group(&mut shell)?;
        let process = child.id();
        children.groups.add(process, group);
        children.commands.insert(process, report);
        self.changed.notify_all();
        Ok(process)
    }

    /// Reaps ended children, and reports the ends of commands.
    fn reap(&self) {
        loop {
            let ended = wait_for_ended_child();
            let mut children = self.children();
            if !ended {
                while children.commands.is_empty() {
                    children = self.changed.wait(children);
                }
                continue;
            }
            while let Some(Reaped { process, status }) = reap() {
                children.ended(process, status);
            }
            children.groups.forget_empty();
            self.changed.notify_all();
        }
    }

    /// Kills all descendants of this process.
    fn end_all(&self) {
        let mut children = self.children();
        children.closed = true;
        children.groups.kill_all();
        // Each round kills one generation; its children then become children of the guard.
        while kill_children() {
            children = self.changed.wait_timeout(children, ROUND);
        }
    }
}

impl Children {
    fn ended(&mut self, process: u32, status: i32) {
        let Some(mut report) = self.commands.remove(&process) else { return };
        self.groups.leader_ended(process);
        tell(&mut report, &Report::Ended(status));
    }
}

fn parsed(line: &str) -> Result<ShellCommand, ()> {
    serde_json::from_slice(line.as_bytes()).map_err(drop)
}

fn tell(socket: &mut UnixStream, report: &Report) {
    if let Ok(mut line) = serde_json::to_vec(report) {
        line.push(b'\n');
        // The receiver may have ended.
        let _ = socket.write_all(&line);
    }
    let _ = socket.shutdown(std::net::Shutdown::Both);
}
