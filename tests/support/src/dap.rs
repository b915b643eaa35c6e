//! A client of `ez dap`, or of a server that listens, which checks whatever it is told against the rules of the protocol.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use dap::base_message::BaseMessage;
use serde_json::{Value, json};

use super::{HANG, ez, wait, without_directory};

/// An adapter in a process of its own.
pub struct Dap {
    child: Option<Child>,
    stdin: Option<Box<dyn Write>>,
    messages: Receiver<Value>,
    directory: PathBuf,
    /// Number of the last request.
    seq: i64,
    /// Number of the last message.
    told: i64,
    /// The requests that are not answered yet.
    open: BTreeMap<i64, String>,
    /// Answers that nobody has waited for yet.
    answers: BTreeMap<i64, Value>,
    /// Events that nobody has waited for yet.
    events: VecDeque<Value>,
    /// Requests of the adapter.
    asked: VecDeque<Value>,
    ended: bool,
    log: Vec<String>,
}

impl Dap {
    /// Starts `ez dap` in a directory.
    pub fn start(directory: &Path) -> Dap {
        Dap::of(ez(), directory)
    }

    /// The same with another `ez`.
    pub fn of(mut command: Command, directory: &Path) -> Dap {
        command.arg("dap");
        Dap::run(command, directory)
    }

    /// Starts a command that becomes an adapter.
    pub fn run(mut command: Command, directory: &Path) -> Dap {
        command.current_dir(directory).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Dap::with(Some(child), Box::new(stdin), stdout, directory)
    }

    /// A client that comes over a socket.
    pub fn over(stream: &TcpStream, directory: &Path) -> Dap {
        let (input, output) = (stream.try_clone().unwrap(), stream.try_clone().unwrap());
        Dap::with(None, Box::new(input), output, directory)
    }

    fn with(
        child: Option<Child>,
        stdin: Box<dyn Write>,
        stdout: impl Read + Send + 'static,
        directory: &Path,
    ) -> Dap {
        let mut stdout = BufReader::new(stdout);
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Dap {
            stdin: Some(stdin),
            child,
            messages,
            directory: directory.to_path_buf(),
            seq: 0,
            told: 0,
            open: BTreeMap::new(),
            answers: BTreeMap::new(),
            events: VecDeque::new(),
            asked: VecDeque::new(),
            ended: false,
            log: Vec::new(),
        }
    }

    /// One that has answered `initialize` and `launch`.
    pub fn launched(directory: &Path, launch: Value) -> Dap {
        let mut dap = Dap::start(directory);
        dap.request("initialize", json!({"adapterID": "ez", "supportsVariableType": true}));
        dap.event("initialized");
        dap.request("launch", launch);
        dap
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        // An adapter that has ended needs no more requests.
        let _ = self.stdin.as_mut().unwrap().write_all(bytes);
    }

    /// Sends a message without looking at it.
    pub fn message(&mut self, message: &Value) {
        self.raw(packed(message).as_bytes());
    }

    /// Sends requests in one write; gives their numbers.
    pub fn send_together(&mut self, requests: &[(&str, Value)]) -> Vec<i64> {
        let packed: Vec<String> =
            requests.iter().map(|(name, arguments)| packed(&self.begun(name, arguments))).collect();
        self.raw(packed.concat().as_bytes());
        (self.seq + 1 - requests.len() as i64..=self.seq).collect()
    }

    /// A request with the next number.
    fn begun(&mut self, command: &str, arguments: &Value) -> Value {
        self.seq += 1;
        self.open.insert(self.seq, command.into());
        let shown = if arguments.is_null() { String::new() } else { format!(" {arguments}") };
        self.log.push(format!("> {command}{shown}"));
        json!({"seq": self.seq, "type": "request", "command": command, "arguments": arguments})
    }

    /// Sends a request and waits for nothing; gives its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        let request = self.begun(command, &arguments);
        self.message(&request);
        self.seq
    }

    /// The same with arguments as JSON text, exactly as it is.
    pub fn send_text(&mut self, command: &str, arguments: &str) -> i64 {
        let request = self.begun(command, &json!("ARGUMENTS")).to_string();
        let request = request.replace("\"ARGUMENTS\"", arguments);
        self.raw(format!("Content-Length: {}\r\n\r\n{request}", request.len()).as_bytes());
        self.seq
    }

    /// Sends a request and waits for its answer.
    pub fn response(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        self.answer(seq)
    }

    /// Sends a request that succeeds; gives the body of the answer.
    pub fn request(&mut self, command: &str, arguments: Value) -> Value {
        let mut response = self.response(command, arguments);
        assert_eq!(response["success"], true, "{}", self.transcript());
        response["body"].take()
    }

    /// Sends a request that fails; gives the message.
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], false, "{}", self.transcript());
        response["body"]["error"]["format"].as_str().unwrap().to_string()
    }

    /// The answer to a request.
    pub fn answer(&mut self, seq: i64) -> Value {
        loop {
            if let Some(answer) = self.answers.remove(&seq) {
                return answer;
            }
            assert!(self.next(), "request {seq} is not answered:\n{}", self.transcript());
        }
    }

    /// Waits for an event; gives its body. Those before it are passed over.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            while let Some(mut event) = self.events.pop_front() {
                if event["event"] == name {
                    return event["body"].take();
                }
            }
            assert!(self.next(), "no '{name}':\n{}", self.transcript());
        }
    }

    /// The next event, whatever it is.
    pub fn any_event(&mut self) -> Value {
        loop {
            if let Some(event) = self.events.pop_front() {
                return event;
            }
            assert!(self.next(), "no event:\n{}", self.transcript());
        }
    }

    /// Waits for a stop: gives the reason, and the name and line of the innermost frame.
    pub fn stop(&mut self) -> (String, String, i64) {
        let reason = self.event("stopped")["reason"].as_str().unwrap().to_string();
        let frames = self.request("stackTrace", json!({"threadId": 1, "levels": 1}));
        let frame = &frames["stackFrames"][0];
        (reason, frame["name"].as_str().unwrap().into(), frame["line"].as_i64().unwrap())
    }

    /// The scopes of the innermost frame, by their names.
    pub fn scopes(&mut self) -> BTreeMap<String, i64> {
        let frame = self.request("stackTrace", json!({"threadId": 1}))["stackFrames"][0]["id"].take();
        let body = self.request("scopes", json!({ "frameId": frame }));
        let scope = |scope: &Value| {
            let number = scope["variablesReference"].as_i64().unwrap();
            (scope["name"].as_str().unwrap().to_string(), number)
        };
        body["scopes"].as_array().unwrap().iter().map(scope).collect()
    }

    /// Waits for a request of the adapter.
    pub fn asked(&mut self) -> Value {
        loop {
            if let Some(request) = self.asked.pop_front() {
                return request;
            }
            assert!(self.next(), "nothing is asked:\n{}", self.transcript());
        }
    }

    /// Answers a request of the adapter.
    pub fn answer_asked(&mut self, request: &Value, success: bool) {
        self.seq += 1;
        let (seq, command) = (self.seq, &request["command"]);
        self.message(&json!({"seq": seq, "type": "response", "request_seq": request["seq"],
            "success": success, "command": command, "message": "no terminal", "body": {}}));
    }

    fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Leaves a program behind, or ends it with the session.
    pub fn leave(mut self, terminates: bool) {
        self.request("disconnect", json!({"terminateDebuggee": terminates}));
        while self.next() {}
        assert!(self.open.is_empty(), "not answered: {:?}\n{}", self.open, self.transcript());
    }

    /// Leaves a program behind as it is.
    pub fn suspend(mut self) {
        self.request("disconnect", json!({"terminateDebuggee": false, "suspendDebuggee": true}));
        while self.next() {}
    }

    /// The end of the session: everything that comes until the adapter ends.
    pub fn end(mut self) -> (String, ExitStatus) {
        self.stdin = None;
        while self.next() {}
        let status = wait(self.child.as_mut().unwrap());
        assert!(self.open.is_empty(), "not answered: {:?}\n{}", self.open, self.transcript());
        (self.transcript(), status)
    }

    /// Ends the session as a client does; gives all that was said.
    pub fn disconnect(mut self) -> String {
        self.request("disconnect", Value::Null);
        let (transcript, status) = self.end();
        assert!(status.success(), "{status}\n{transcript}");
        transcript
    }

    /// The numbers of the answers that came.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// All that was said, with files named without their directory.
    pub fn transcript(&self) -> String {
        let text = without_directory(&(self.log.join("\n") + "\n"), &self.directory);
        let Some(child) = &self.child else { return text };
        let process = format!("\"systemProcessId\":{}", child.id());
        text.replace(&process, "\"systemProcessId\":0")
    }

    /// Takes a message; `false` if there are no more.
    fn next(&mut self) -> bool {
        let message = match self.messages.recv_timeout(HANG) {
            Ok(message) => message,
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                panic!("nothing comes any more after:\n{}", self.transcript());
            }
        };
        if message["type"] == "request" {
            self.told += 1;
            assert_eq!(message["seq"], self.told);
            self.asked.push_back(message);
            return true;
        }
        self.check(&message);
        let name = message["command"].as_str().or(message["event"].as_str()).unwrap();
        let body = if message["body"].is_null() { String::new() } else { format!(" {}", message["body"]) };
        if message["type"] == "response" {
            let word = if message["success"] == true { "ok" } else { "failed" };
            self.log.push(format!("< {word} {name}{body}"));
            self.answers.insert(message["request_seq"].as_i64().unwrap(), message);
        } else {
            self.log.push(format!("< {name}{body}"));
            self.events.push_back(message);
        }
        true
    }

    /// Checks a message against the rules.
    fn check(&mut self, message: &Value) {
        // Events of our own, for clients that ask for them.
        let is_own = message["event"].as_str().is_some_and(|event| event.starts_with("guest"));
        if let Some(error) = serde_json::from_value::<BaseMessage>(message.clone()).err().filter(|_| !is_own)
        {
            panic!("{error}: {message}\n{}", self.transcript());
        }
        let seq = message["seq"].as_i64().unwrap();
        assert_eq!(seq, self.told + 1, "{message}\n{}", self.transcript());
        self.told = seq;
        if message["type"] == "response" {
            let to = message["request_seq"].as_i64().unwrap();
            let command = self.open.remove(&to);
            assert_eq!(command.as_deref(), message["command"].as_str(), "{message}\n{}", self.transcript());
        } else {
            assert!(!self.ended, "{message} comes behind 'terminated':\n{}", self.transcript());
            self.ended |= message["event"] == "terminated";
        }
    }
}

impl Drop for Dap {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads a message; `None` at the end.
fn read(stream: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok(),
            Some(other) => panic!("an unknown header: {other:?}"),
            None => break,
        }
    }
    let mut body = vec![0; length.expect("a message without a length")];
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// A message as it is sent.
fn packed(message: &Value) -> String {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}
