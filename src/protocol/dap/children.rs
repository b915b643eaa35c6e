//! Child processes: the client is asked to start a session for each of them (`startDebugging`).

use std::collections::VecDeque;
use std::time::Duration;

use foldhash::HashMap;
use serde_json::{Value, json};

use crate::protocol::{Messages, Received};
use ez_engine::api::{ChildProcess, Entrance, GetProcesses, ReleaseChild, Request, SessionRequest};
use ez_runtime::clock::Instant;

use super::DapFrontEnd;
use super::own_messages::OwnMessage;

/// How long a process waits for the session that the client was asked to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// The child processes for which the client was asked to start sessions.
#[derive(Default)]
pub(super) struct Children {
    /// Those for which it has not answered, by the `seq` of the request.
    starting: HashMap<i64, u32>,
    /// Those for which sessions are expected: until when, the process id and a name, in order.
    expected: VecDeque<(Instant, u32, String)>,
}

impl Children {
    /// The client has answered the request with this `seq`. Returns the process id, if it was about a child process.
    pub fn answered(&mut self, seq: i64) -> Option<u32> {
        self.starting.remove(&seq)
    }
}

impl DapFrontEnd {
    /// A child process has announced itself.
    pub(super) fn child_started(&mut self, process: &ChildProcess, out: &mut Messages) {
        let ChildProcess { pid, file, entrance, .. } = process;
        match entrance {
            Some(entrance) if self.debugging.follows_children && self.client().starts_debugging => {
                let request =
                    start_debugging(&format!("{file} ({pid})"), entrance, self.debugging.stops_on_entry);
                let seq = self.numbering.message(out, request);
                self.children.starting.insert(seq, *pid);
                self.expect_session(*pid, format!("{file} ({pid})"));
            }
            Some(_) => {
                let why = if self.debugging.follows_children {
                    "the client cannot start a session for it"
                } else {
                    "'subProcess' is false"
                };
                self.runs_unobserved(process.pid, &format!("{file} ({pid})"), why, out);
            }
            None => {
                let text = format!("{file} ({pid}) was started and has no debugger.\n");
                self.numbering.output(out, "console", &text);
            }
        }
    }

    /// A session is expected for a child process: after [`PATIENCE`] it runs without.
    fn expect_session(&mut self, pid: u32, name: String) {
        self.children.expected.push_back((Instant::now() + PATIENCE, pid, name));
        if self.children.expected.len() > 1 {
            return;
        }
        // If there is no thread, the process waits for its session without a limit.
        self.later("sessions", PATIENCE, |this, work| {
            let (until, ..) = this.children.expected.front()?;
            if *until <= Instant::now() {
                this.give_up_session(work);
            }
            let (until, ..) = this.children.expected.front()?;
            Some(until.saturating_duration_since(Instant::now()))
        });
    }

    /// The process that has waited longest for a session waits no longer, if it still does.
    fn give_up_session(&mut self, work: &mut Vec<Received>) {
        let Some((_, pid, name)) = self.children.expected.pop_front() else { return };
        self.ask_for_itself(GetProcesses, work, move |this, processes, out| {
            if processes.0.iter().any(|process| process.pid == pid && process.held) {
                let why = format!("no session was started for it within {} seconds", PATIENCE.as_secs());
                this.runs_unobserved(pid, &name, &why, out);
            }
        });
    }

    /// Lets a child process run without a debugger.
    fn runs_unobserved(&mut self, pid: u32, name: &str, why: &str, out: &mut Messages) {
        let text = format!("{name} was started and runs without a debugger: {why}.\n");
        self.numbering.output(out, "console", &text);
        let mut work = Vec::new();
        self.ask_silently(Request::Session(SessionRequest::ReleaseChild(pid)), &mut work);
        self.follow_up.append(&mut work);
    }

    /// The client has answered a request `startDebugging` for the child process with this id.
    pub(super) fn debugging_started(
        &mut self,
        pid: u32,
        result: Result<Value, String>,
        work: &mut Vec<Received>,
    ) {
        let Err(why) = result else { return };
        let text = format!("No session was started for the process {pid}, which runs without: {why}\n");
        self.reply_with(OwnMessage::Note(text), work);
        self.ask_for_itself(ReleaseChild(pid), work, |_, _, _| ());
    }
}

/// A request to the client: to attach to a process, in a session with this name.
fn start_debugging(name: &str, entrance: &Entrance, stops_on_entry: bool) -> Value {
    let Entrance { port, token } = entrance;
    let configuration = json!({
        "type": "ez",
        "name": name,
        "request": "attach",
        "host": Entrance::HOST,
        "port": port,
        "token": token,
        "stopOnEntry": stops_on_entry,
    });
    let arguments = json!({"configuration": configuration, "request": "attach"});
    json!({"type": "request", "command": "startDebugging", "arguments": arguments})
}
