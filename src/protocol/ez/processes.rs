//! A child process as it is written, and the events about child processes.

use crate::protocol::json::{cut_json, json_len};
use ez_engine::api::{ChildEnd, ChildProcess, Entrance};

use super::encode::SMALL_LIMIT;
use super::sink::Sink;
use super::wire;

/// Writes the event `childStarted`.
pub fn child_started(out: &mut Sink, started: &ChildProcess) {
    out.add("childStarted", process(started), None);
}

/// Writes the event `childEnded`.
pub fn child_ended(out: &mut Sink, end: ChildEnd) {
    out.add("childEnded", wire::ChildEnded { pid: end.pid, exit_code: end.status }, None);
}

/// A child process, as it is written.
pub fn process(process: &ChildProcess) -> wire::Process<'_> {
    let ChildProcess { pid, parent, file, args, directory, entrance, held } = process;
    let mut room = 2 * SMALL_LIMIT;
    let mut shown = Vec::new();
    for argument in args {
        let argument = cut_json(argument, SMALL_LIMIT / 4);
        let Some(left) = room.checked_sub(json_len(&argument) + 1) else { break };
        room = left;
        shown.push(argument);
    }
    wire::Process {
        pid: *pid,
        file: cut_json(file, SMALL_LIMIT),
        truncated: shown.len() < args.len(),
        args: shown,
        host: entrance.as_ref().map(|_| Entrance::HOST),
        port: entrance.as_ref().map(|entrance| entrance.port),
        token: entrance.as_ref().map(|entrance| entrance.token.as_str()),
        held: *held,
        parent: *parent,
        working_dir: cut_json(directory, SMALL_LIMIT),
    }
}
