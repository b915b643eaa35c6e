//! A program in a process of its own, `ez debugserver`, and the requests to it.
//!
//! A process for each program, because a program may fill the memory, exhaust the stack or never return from a
//! call of the system: whatever it does, ending the process ends it, and nothing of it remains.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::captured::Captured;
use super::process::Process;
use crate::sync::Mutex;
use crate::threads;

/// How often a waiting call looks whether it was cancelled, and reports its progress.
const TICK: Duration = Duration::from_millis(100);

/// How long a program may take to answer a `pause`.
const PAUSE: Duration = Duration::from_secs(10);

/// How many messages may wait to be read.
const QUEUE: usize = 1000;

/// Why a request has no result.
#[derive(Debug)]
pub enum Failure {
    /// The client has cancelled the call.
    Cancelled,
    /// The time is over; the program still runs.
    TimeIsOver,
    /// The request was refused; for the reasons of SPEC.md.
    Refused(Refusal),
    /// The process has ended.
    Ended(String),
}

/// An error response.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// The other fields of the event `error`.
    #[serde(default)]
    pub data: Map<String, Value>,
}

impl Failure {
    /// The reason in words.
    pub fn text(&self) -> String {
        match self {
            Failure::Cancelled => "cancelled".into(),
            Failure::TimeIsOver => "the time is over".into(),
            Failure::Refused(refusal) => refusal.message.clone(),
            Failure::Ended(why) => why.clone(),
        }
    }
}

/// A message of the server.
#[derive(Deserialize)]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Map<String, Value>,
    #[serde(default)]
    result: Map<String, Value>,
    error: Option<Refusal>,
}

/// An event that answers no request.
pub struct Event {
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: Map<String, Value>,
}

/// A debug server with its program.
pub struct Debuggee {
    stdin: ChildStdin,
    messages: Receiver<Message>,
    output: Arc<Mutex<Captured>>,
    last: u64,
    /// Events since the last request that are not handled here.
    pub events: Vec<Event>,
    /// Ends with this.
    process: Process,
}

impl Debuggee {
    /// Communicates with `ez debugserver --protocol jsonrpc` in this process.
    ///
    /// # Errors
    /// If there is no thread to read its messages.
    pub fn new(mut process: Process) -> Result<Debuggee, String> {
        let no_pipe = || "the process has no pipes".to_string();
        let stdin = process.stdin.take().ok_or_else(no_pipe)?;
        let stdout = process.stdout.take().ok_or_else(no_pipe)?;
        // It writes no errors there; nobody would read them.
        process.stderr = None;
        let (sender, messages) = bounded(QUEUE);
        let output = Arc::new(Mutex::new(Captured::default()));
        let captured = output.clone();
        threads::spawn("debuggee", move || read(stdout, &captured, &sender))
            .map_err(|error| error.to_string())?;
        Ok(Debuggee { stdin, messages, output, last: 0, events: Vec::new(), process })
    }

    /// The output of the program.
    pub fn output(&self) -> &Mutex<Captured> {
        &self.output
    }

    /// Ends the process when the call is cancelled.
    pub fn ends_with(&self, call: &Call) {
        call.cancellation.ends(&self.process);
    }

    /// Keeps the process when the call is cancelled from now on.
    ///
    /// # Errors
    /// If the call was cancelled already.
    pub fn outlives(&self, call: &Call) -> Result<(), String> {
        call.cancellation.spares(&self.process)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn ask(
        &mut self,
        call: &Call,
        deadline: Instant,
        method: &str,
        params: Value,
    ) -> Result<Map<String, Value>, Failure> {
        let number = self.send(method, params)?;
        self.answer(call, deadline, number)
    }

    /// Stops a program that still runs when the time of the request `running` is over. The answer of that
    /// request is the stop, `None` if the program does not stop either.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn pause(&mut self, call: &Call, running: u64) -> Result<Option<Map<String, Value>>, Failure> {
        self.send("pause", json!({}))?;
        match self.answer(call, Instant::now() + PAUSE, running) {
            Ok(stop) => Ok(Some(stop)),
            Err(Failure::TimeIsOver) => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// Sends a request, and returns its number.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn send(&mut self, method: &str, params: Value) -> Result<u64, Failure> {
        self.last += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        match self.stdin.write_all(format!("{request}\n").as_bytes()) {
            Ok(()) => Ok(self.last),
            Err(_) => Err(Failure::Ended("the program's process has ended".into())),
        }
    }

    /// Waits for the answer of a request.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn answer(
        &mut self,
        call: &Call,
        deadline: Instant,
        number: u64,
    ) -> Result<Map<String, Value>, Failure> {
        loop {
            let now = Instant::now();
            if call.cancellation.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            let left = deadline.saturating_duration_since(now);
            match self.messages.recv_timeout(left.min(TICK)) {
                Ok(Message { id: Some(id), result, error, .. }) if id == number => {
                    return error.map_or(Ok(result), |refusal| Err(Failure::Refused(refusal)));
                }
                Ok(Message { method: Some(name), params, .. }) => self.event(call, name, params),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Failure::TimeIsOver),
                Err(RecvTimeoutError::Timeout) => {
                    let bytes = self.output.lock().bytes();
                    call.report_progress(&format!("running; {bytes} bytes of output"));
                }
                Err(RecvTimeoutError::Disconnected) if call.cancellation.is_cancelled() => {
                    return Err(Failure::Cancelled);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Ended("the program's process has ended unexpectedly".into()));
                }
            }
        }
    }

    fn event(&mut self, call: &Call, name: String, data: Map<String, Value>) {
        if name == "progress" {
            let title = data.get("title").and_then(Value::as_str).unwrap_or_default();
            call.report_progress(title);
        } else if self.events.len() < QUEUE {
            self.events.push(Event { name, data });
        }
    }
}

/// Reads the messages of a server until it ends. Output is kept here, so that a program that prints without end
/// does not fill the memory.
fn read(stdout: ChildStdout, output: &Mutex<Captured>, messages: &Sender<Message>) {
    let mut lines = BufReader::new(stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let Ok(message) = serde_json::from_slice::<Message>(&line) else { continue };
        if message.method.as_deref() == Some("output") {
            if let Some(text) = message.params.get("text").and_then(Value::as_str) {
                output.lock().add(text);
            }
        } else if messages.send(message).is_err() {
            return;
        }
    }
}
