//! Servers that listen, and clients that come over a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use serde_json::{Value, json};

use super::{HANG, ez, wait};

/// Which stream of the process has the line that says where it listens.
pub enum Says {
    Stdout,
    Stderr,
}

/// A process that listens.
pub struct Listening {
    child: Child,
    pub host: String,
    pub port: u16,
    pub token: String,
    /// The rest of both streams, when the process has ended.
    rest: Option<[std::thread::JoinHandle<String>; 2]>,
}

impl Listening {
    /// Starts `ez` with these arguments in a directory, and waits until it listens.
    pub fn start(directory: &Path, arguments: &[&str], says: Says) -> Listening {
        let mut command = ez();
        command.args(arguments).current_dir(directory).env("TZ", "UTC");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        match says {
            Says::Stdout => stdout.read_line(&mut line).unwrap(),
            Says::Stderr => stderr.read_line(&mut line).unwrap(),
        };
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(event["event"], "listening");
        let data = &event["data"];
        let rest = [std::thread::spawn(move || all(stdout)), std::thread::spawn(move || all(stderr))];
        Listening {
            child,
            host: data["host"].as_str().unwrap().into(),
            port: data["port"].as_u64().unwrap() as u16,
            token: data["token"].as_str().unwrap().into(),
            rest: Some(rest),
        }
    }

    /// `ez debugserver --listen` with a program.
    pub fn debugserver(directory: &Path, arguments: &[&str]) -> Listening {
        let own = ["debugserver", "--listen", "127.0.0.1:0"];
        Listening::start(directory, &[&own, arguments].concat(), Says::Stdout)
    }

    /// `ez run --debug-listen` with a program.
    pub fn run(directory: &Path, arguments: &[&str]) -> Listening {
        let own = ["run", "--debug-listen", "127.0.0.1:0"];
        Listening::start(directory, &[&own, arguments].concat(), Says::Stderr)
    }

    /// A connection to it.
    pub fn stream(&self) -> TcpStream {
        TcpStream::connect((self.host.as_str(), self.port)).unwrap()
    }

    /// A client that has said nothing yet.
    pub fn client(&self) -> Client {
        Client::new(self.stream(), &self.token)
    }

    /// A client that has attached; gives what it was told, too.
    pub fn attached(&self) -> (Client, Value) {
        let mut client = self.client();
        client.first("attach", json!({"protocolVersion": 2}));
        let state = client.wait_for("attached");
        (client, state)
    }

    /// Writes to the standard input of the program.
    pub fn input(&mut self, text: &str) {
        self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Waits for the end: gives the status, and the rest of standard output and error.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let status = wait(&mut self.child);
        let [stdout, stderr] = self.rest.take().unwrap().map(|rest| rest.join().unwrap());
        (status, stdout, stderr)
    }

    /// Its process id.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

fn all(mut stream: impl Read) -> String {
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    text
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of the line protocol.
pub struct Client {
    stream: TcpStream,
    token: String,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Client {
    /// A client on a connection, which has said nothing yet.
    pub fn new(stream: TcpStream, token: &str) -> Client {
        let reading = BufReader::new(stream.try_clone().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in reading.lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client { stream, token: token.into(), lines, seen: Vec::new() }
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, text: &str) {
        // A server that has closed the connection needs no more.
        let _ = self.stream.write_all(text.as_bytes());
    }

    /// Sends a command, whose name is its `id`.
    pub fn command(&mut self, name: &str, params: Value) {
        let line = json!({"type": "command", "command": name, "params": params, "id": name});
        self.seen.push(format!("> {line}"));
        self.raw(&format!("{line}\n"));
    }

    /// Sends the first command, with the token.
    pub fn first(&mut self, name: &str, mut params: Value) {
        params["token"] = self.token.clone().into();
        self.command(name, params);
    }

    /// Initializes, and starts a program up to its first stop.
    pub fn start(&mut self, launch: Value) {
        self.first("initialize", launch);
        self.wait_for("initialized");
        self.command("start", json!({}));
        self.wait_for("stopped");
    }

    /// The next line; `None` when the connection is closed.
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(HANG) {
            Ok(line) => {
                self.seen.push(format!("< {line}"));
                Some(line)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                panic!("nothing comes any more after:\n{}", self.seen.join("\n"))
            }
        }
    }

    pub fn event(&mut self) -> Option<Value> {
        self.line().map(|line| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Waits for an event of this name; gives its data.
    pub fn wait_for(&mut self, name: &str) -> Value {
        while let Some(mut event) = self.event() {
            if event["event"] == name {
                return event["data"].take();
            }
        }
        panic!("no '{name}' among:\n{}", self.seen.join("\n"));
    }

    /// Waits until the server closes the connection; gives the events before.
    pub fn until_closed(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.event()).collect()
    }

    /// All that was said.
    pub fn transcript(&self) -> String {
        self.seen.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Leaves as a client should; gives all that was said.
    pub fn disconnect(mut self) -> String {
        self.command("disconnect", json!({}));
        self.wait_for("disconnected");
        assert!(self.event().is_none(), "nothing follows 'disconnected'");
        self.transcript()
    }

    /// The connection, of which nothing more is read here than what has come.
    pub fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// Is gone.
    pub fn vanish(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
