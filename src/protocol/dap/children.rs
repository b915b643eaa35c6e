//! Child processes: the client is asked to start a session for each of them (`startDebugging`).

use serde_json::{Value, json};

use crate::api::{ChildProcess, Entrance, ReleaseChild, Request};
use crate::protocol::{Messages, Received};

use super::{DapFrontEnd, OwnMessage};

/// Who has made a request `startDebugging`.
pub enum StartedBy {
    /// This adapter, for the child process with this id.
    Own(u32),
    /// The adapter to which this one relays, with this `seq`.
    Relayed(i64),
}

impl DapFrontEnd {
    /// A child process has announced itself.
    pub(super) fn child_started(&mut self, process: &ChildProcess, out: &mut Messages) {
        let ChildProcess { pid, file, entrance, .. } = process;
        match entrance {
            Some(entrance) if self.follows_children && self.client().starts_debugging => {
                let request = start_debugging(&format!("{file} ({pid})"), entrance, self.stops_on_entry);
                let seq = self.numbering.message(out, request);
                self.starting.insert(seq, StartedBy::Own(*pid));
            }
            Some(_) => {
                let why = match self.follows_children {
                    true => "the client cannot start a session for it",
                    false => "'subProcess' is false",
                };
                self.runs_unobserved(process.pid, &format!("{file} ({pid})"), why, out);
            }
            None => {
                let text = format!("{file} ({pid}) was started and has no debugger.\n");
                self.numbering.output(out, "console", &text);
            }
        }
    }

    /// Lets a child process run without a debugger.
    fn runs_unobserved(&mut self, pid: u32, name: &str, why: &str, out: &mut Messages) {
        let text = format!("{name} was started and runs without a debugger: {why}.\n");
        self.numbering.output(out, "console", &text);
        let mut work = Vec::new();
        self.ask_silently(Request::ReleaseChild(pid), &mut work);
        self.follow_up.append(&mut work);
    }

    /// The client has answered a request `startDebugging`.
    pub(super) fn debugging_started(
        &mut self,
        by: StartedBy,
        result: Result<Value, String>,
        work: &mut Vec<Received>,
    ) {
        match by {
            StartedBy::Own(pid) => {
                let Err(why) = result else { return };
                let text =
                    format!("No session was started for the process {pid}, which runs without: {why}\n");
                self.reply_with(OwnMessage::Note(text), work);
                self.ask_for_itself(ReleaseChild(pid), work, |_, _, _| ());
            }
            StartedBy::Relayed(seq) => self.answer_other_adapter(seq, "startDebugging", result),
        }
    }

    /// Passes on a request `startDebugging` of the adapter to which this one relays. It is not trusted: what the
    /// client is asked to do is made anew, and can be nothing but to attach on this machine.
    pub(super) fn relay_start_debugging(&mut self, message: &Value, work: &mut Vec<Received>) {
        let Some(seq) = message.pointer("/seq").and_then(Value::as_i64) else { return };
        let part = |name: &str| message.pointer("/arguments/configuration").and_then(|all| all.get(name));
        let port = part("port").and_then(Value::as_u64).and_then(|port| u16::try_from(port).ok());
        let text = |name| part(name).and_then(Value::as_str).map(String::from);
        match (text("name"), port, text("token")) {
            (Some(name), Some(port), Some(token)) => {
                let stops = part("stopOnEntry") == Some(&Value::Bool(true));
                let request = start_debugging(&name, &Entrance { port, token }, stops);
                self.reply_with(OwnMessage::Request(request, StartedBy::Relayed(seq)), work);
            }
            _ => {
                self.answer_other_adapter(seq, "startDebugging", Err("the request is not understood".into()))
            }
        }
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
