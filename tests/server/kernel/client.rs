//! A kernel in a process, and front ends that talk to it over sockets.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use support::HANG;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use zeromq::util::PeerIdentity;
use zeromq::{DealerSocket, ReqSocket, Socket, SocketOptions, SocketRecv, SocketSend, SubSocket, ZmqMessage};

/// The key of the connection files.
const KEY: &str = "a key for tests";

/// A kernel.
pub struct Kernel {
    pub child: Child,
    /// Its connection file.
    pub file: Value,
    _directory: tempfile::TempDir,
}

/// The content of a connection file with ports that are free.
pub fn connection_file() -> Value {
    let listeners = [(); 5].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let ports = listeners.map(|listener| listener.local_addr().unwrap().port());
    json!({
        "transport": "tcp", "ip": "127.0.0.1", "key": KEY, "signature_scheme": "hmac-sha256",
        "shell_port": ports[0], "control_port": ports[1], "stdin_port": ports[2],
        "iopub_port": ports[3], "hb_port": ports[4],
    })
}

impl Kernel {
    pub fn start(arguments: &[&str]) -> Kernel {
        let directory = tempfile::tempdir().unwrap();
        let mut command = support::ez();
        command.current_dir(directory.path());
        Kernel::run(command, directory, arguments)
    }

    /// With these arguments, by a command in whose folder and environment the cells run. The connection file is in
    /// `directory`.
    pub fn run(mut command: Command, directory: tempfile::TempDir, arguments: &[&str]) -> Kernel {
        let file = connection_file();
        let path = directory.path().join("connection.json");
        std::fs::write(&path, file.to_string()).unwrap();
        command.arg("kernel").arg(&path).args(arguments);
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        Kernel { child, file, _directory: directory }
    }

    pub fn port(&self, name: &str) -> u16 {
        self.file[format!("{name}_port")].as_u64().unwrap().try_into().unwrap()
    }

    /// A front end that has seen that it gets what the kernel publishes.
    pub fn client(&self) -> Client {
        Client::connect(self)
    }

    /// Waits until the kernel has ended; gives its status and what it wrote to standard error.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let status = support::wait(&mut self.child);
        (status.code(), support::read_all(self.child.stderr.take().unwrap()))
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A front end.
pub struct Client {
    runtime: Runtime,
    pub shell: DealerSocket,
    pub control: DealerSocket,
    pub stdin: DealerSocket,
    iopub: SubSocket,
    heartbeat: ReqSocket,
    /// Differs from that of all other front ends.
    session: String,
    sent: u32,
}

/// The sockets of a front end to which it sends requests.
#[derive(Clone, Copy, Debug)]
pub enum To {
    Shell,
    Control,
    Stdin,
}

fn signature(parts: &[String]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).unwrap();
    parts.iter().for_each(|part| mac.update(part.as_bytes()));
    hex::encode(mac.finalize().into_bytes())
}

/// The frames of a message, without identities.
pub fn frames(id: &str, kind: &str, content: &Value) -> Vec<String> {
    let header = json!({
        "msg_id": id, "session": "tests", "username": "tests", "date": "2026-01-01T00:00:00Z",
        "msg_type": kind, "version": "5.4",
    });
    let parts = [header.to_string(), "{}".into(), "{}".into(), content.to_string()];
    ["<IDS|MSG>".to_string(), signature(&parts)].into_iter().chain(parts).collect()
}

fn zmq(frames: Vec<String>) -> ZmqMessage {
    frames.into_iter().map(Bytes::from).collect::<Vec<_>>().try_into().unwrap()
}

/// A message of the kernel, whose signature is right.
fn read(message: ZmqMessage) -> Value {
    let frames: Vec<String> =
        message.into_vec().iter().map(|frame| String::from_utf8_lossy(frame).into_owned()).collect();
    let at = frames.iter().position(|frame| frame == "<IDS|MSG>").unwrap();
    assert_eq!(frames[at + 1], signature(&frames[at + 2..at + 6]));
    let part = |number: usize| serde_json::from_str::<Value>(&frames[at + 2 + number]).unwrap();
    let (header, parent, content) = (part(0), part(1), part(3));
    json!({ "type": header["msg_type"], "parent": parent["msg_id"], "content": content })
}

impl Client {
    fn connect(kernel: &Kernel) -> Client {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let address = |name: &str| format!("tcp://127.0.0.1:{}", kernel.port(name));
        let session = format!("c{:x}", fastrand::u64(..));
        let identity = PeerIdentity::try_from(session.clone().into_bytes()).unwrap();
        let sockets = runtime.block_on(async {
            let of_client = || {
                let mut options = SocketOptions::default();
                options.peer_identity(identity.clone());
                DealerSocket::with_options(options)
            };
            let (mut shell, mut control, mut stdin) = (of_client(), of_client(), of_client());
            let mut iopub = SubSocket::new();
            let mut heartbeat = ReqSocket::new();
            timeout(HANG, async {
                shell.connect(&address("shell")).await.unwrap();
                control.connect(&address("control")).await.unwrap();
                stdin.connect(&address("stdin")).await.unwrap();
                iopub.connect(&address("iopub")).await.unwrap();
                iopub.subscribe("").await.unwrap();
                heartbeat.connect(&address("hb")).await.unwrap();
            })
            .await
            .expect("the kernel listens");
            (shell, control, stdin, iopub, heartbeat)
        });
        let (shell, control, stdin, iopub, heartbeat) = sockets;
        let mut client = Client { runtime, shell, control, stdin, iopub, heartbeat, session, sent: 0 };
        assert_eq!(client.told()["type"], "iopub_welcome");
        client
    }

    pub fn send_frames(&mut self, to: To, frames: Vec<String>) {
        let socket = match to {
            To::Shell => &mut self.shell,
            To::Control => &mut self.control,
            To::Stdin => &mut self.stdin,
        };
        self.runtime.block_on(socket.send(zmq(frames))).unwrap();
    }

    /// Sends a request; gives its number.
    pub fn send(&mut self, to: To, kind: &str, content: Value) -> String {
        self.sent += 1;
        let id = format!("{}_{}", self.session, self.sent);
        self.send_frames(to, frames(&id, kind, &content));
        id
    }

    /// The next message that arrives at a socket.
    pub fn next(&mut self, from: To) -> Value {
        let socket = match from {
            To::Shell => &mut self.shell,
            To::Control => &mut self.control,
            To::Stdin => &mut self.stdin,
        };
        let message = self.runtime.block_on(async { timeout(HANG, socket.recv()).await });
        read(message.expect("a message comes").unwrap())
    }

    /// The next message that the kernel publishes.
    pub fn told(&mut self) -> Value {
        let message = self.runtime.block_on(async { timeout(HANG, self.iopub.recv()).await });
        read(message.expect("something is published").unwrap())
    }

    /// Makes a request; gives the content of its reply.
    pub fn ask(&mut self, to: To, kind: &str, content: Value) -> Value {
        let id = self.send(to, kind, content);
        loop {
            let reply = self.next(to);
            if reply["parent"] == json!(id) {
                assert_eq!(reply["type"], kind.replace("_request", "_reply"));
                return reply["content"].clone();
            }
        }
    }

    /// What is published about a request until the kernel is idle again: types and contents, without the status.
    pub fn about(&mut self, id: &str) -> Vec<(String, Value)> {
        let mut messages = Vec::new();
        let mut busy = false;
        loop {
            let message = self.told();
            if message["parent"] != json!(id) {
                continue;
            }
            let kind = message["type"].as_str().unwrap().to_string();
            match (kind.as_str(), message["content"]["execution_state"].as_str()) {
                ("status", Some("busy")) => busy = true,
                ("status", Some("idle")) => {
                    assert!(busy, "idle without busy");
                    return messages;
                }
                _ => messages.push((kind, message["content"].clone())),
            }
        }
    }

    /// Runs a cell; gives the content of its reply, and what was published besides its text.
    pub fn run(&mut self, code: &str) -> (Value, Vec<(String, Value)>) {
        self.run_with(json!({ "code": code }))
    }

    pub fn run_with(&mut self, request: Value) -> (Value, Vec<(String, Value)>) {
        let id = self.send(To::Shell, "execute_request", request);
        let mut told = self.about(&id);
        told.retain(|(kind, _)| kind != "execute_input");
        let reply = self.next(To::Shell);
        assert_eq!(reply["parent"], json!(id));
        (reply["content"].clone(), told)
    }

    /// What a cell prints, joined.
    pub fn printed(&mut self, code: &str) -> String {
        let (reply, told) = self.run(code);
        assert_eq!(reply["status"], "ok", "{reply}");
        joined(&told)
    }

    /// Sends a heartbeat and waits for it to come back.
    pub fn beat(&mut self) {
        let beat = self.runtime.block_on(async {
            self.heartbeat.send(ZmqMessage::from("beat")).await.unwrap();
            timeout(HANG, self.heartbeat.recv()).await
        });
        assert_eq!(String::try_from(beat.expect("a heartbeat").unwrap()).unwrap(), "beat");
    }

    /// Ends the kernel.
    pub fn shut_down(mut self, kernel: Kernel) {
        let reply = self.ask(To::Control, "shutdown_request", json!({ "restart": false }));
        assert_eq!(reply, json!({ "status": "ok", "restart": false }));
        assert_eq!(kernel.ended(), (Some(0), String::new()));
    }
}

/// The texts of all streams, joined.
pub fn joined(told: &[(String, Value)]) -> String {
    told.iter()
        .filter(|(kind, _)| kind == "stream")
        .map(|(_, content)| content["text"].as_str().unwrap())
        .collect()
}
