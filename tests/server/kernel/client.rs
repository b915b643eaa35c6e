//! A kernel in a process, and front ends that talk to it over sockets.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use support::HANG;

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

/// A connection of ZeroMQ (ZMTP 3.0), as a client has it. (`.ci/notebooks` connects with ZeroMQ itself.)
struct Socket(TcpStream);

/// In the flags of a frame: another one follows, its length has eight bytes, it is a command.
const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

impl Socket {
    /// Connects to a port as soon as somebody listens there; `kind` is that of ZeroMQ's sockets.
    fn connect(port: u16, kind: &str, identity: &str) -> Socket {
        let begun = Instant::now();
        let stream = loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => break stream,
                Err(error) => assert!(begun.elapsed() < HANG, "nobody listens: {error}"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut socket = Socket(stream);
        let mut greeting = b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL".to_vec();
        greeting.resize(64, 0);
        socket.0.write_all(&greeting).unwrap();
        socket.0.read_exact(&mut greeting).unwrap();
        assert!(greeting.starts_with(&[0xff]) && greeting[12..].starts_with(b"NULL\0"), "{greeting:?}");
        let mut ready = b"\x05READY".to_vec();
        for (name, value) in [("Socket-Type", kind), ("Identity", identity)] {
            ready.push(name.len() as u8);
            ready.extend(name.bytes());
            ready.extend((value.len() as u32).to_be_bytes());
            ready.extend(value.bytes());
        }
        socket.write(&[(COMMAND, &ready)]);
        let (flags, answer) = socket.frame();
        assert!(flags & COMMAND != 0 && answer.starts_with(b"\x05READY"), "{answer:?}");
        socket
    }

    fn write(&mut self, frames: &[(u8, &[u8])]) {
        let mut bytes = Vec::new();
        for (flags, frame) in frames {
            bytes.push(flags | LONG);
            bytes.extend((frame.len() as u64).to_be_bytes());
            bytes.extend(*frame);
        }
        self.0.write_all(&bytes).unwrap();
    }

    fn send<F: AsRef<[u8]>>(&mut self, frames: &[F]) {
        let last = frames.len() - 1;
        let flags = |index: usize| if index < last { MORE } else { 0 };
        let frames = frames.iter().enumerate().map(|(index, frame)| (flags(index), frame.as_ref()));
        self.write(&frames.collect::<Vec<_>>());
    }

    /// The flags of the next frame, and what is in it.
    fn frame(&mut self) -> (u8, Vec<u8>) {
        let mut flags = [0];
        self.0.read_exact(&mut flags).expect("a message comes");
        let mut length = [0; 8];
        let bytes = if flags[0] & LONG == 0 { 7 } else { 0 };
        self.0.read_exact(&mut length[bytes..]).unwrap();
        let mut content = vec![0; u64::from_be_bytes(length) as usize];
        self.0.read_exact(&mut content).unwrap();
        (flags[0], content)
    }

    /// The frames of the next message.
    fn receive(&mut self) -> Vec<String> {
        let mut frames = Vec::new();
        loop {
            let (flags, frame) = self.frame();
            assert_eq!(flags & COMMAND, 0, "{frame:?}");
            frames.push(String::from_utf8_lossy(&frame).into_owned());
            if flags & MORE == 0 {
                return frames;
            }
        }
    }
}

/// A front end.
pub struct Client {
    shell: Socket,
    control: Socket,
    stdin: Socket,
    iopub: Socket,
    heartbeat: Socket,
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

/// A message of the kernel, whose signature is right.
fn read(frames: Vec<String>) -> Value {
    let at = frames.iter().position(|frame| frame == "<IDS|MSG>").unwrap();
    assert_eq!(frames[at + 1], signature(&frames[at + 2..at + 6]));
    let part = |number: usize| serde_json::from_str::<Value>(&frames[at + 2 + number]).unwrap();
    let (header, parent, content) = (part(0), part(1), part(3));
    json!({ "type": header["msg_type"], "parent": parent["msg_id"], "content": content })
}

impl Client {
    fn connect(kernel: &Kernel) -> Client {
        let session = format!("c{:x}", fastrand::u64(..));
        let connect = |name: &str, kind: &str| Socket::connect(kernel.port(name), kind, &session);
        let [shell, control, stdin] = ["shell", "control", "stdin"].map(|name| connect(name, "DEALER"));
        let mut iopub = connect("iopub", "SUB");
        // All that is published.
        iopub.send(&[[1]]);
        let heartbeat = connect("hb", "REQ");
        let mut client = Client { shell, control, stdin, iopub, heartbeat, session, sent: 0 };
        assert_eq!(client.told()["type"], "iopub_welcome");
        client
    }

    fn socket(&mut self, which: To) -> &mut Socket {
        match which {
            To::Shell => &mut self.shell,
            To::Control => &mut self.control,
            To::Stdin => &mut self.stdin,
        }
    }

    pub fn send_frames(&mut self, to: To, frames: Vec<String>) {
        self.socket(to).send(&frames);
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
        read(self.socket(from).receive())
    }

    /// The next message that the kernel publishes.
    pub fn told(&mut self) -> Value {
        read(self.iopub.receive())
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
        self.heartbeat.send(&["", "beat"]);
        assert_eq!(self.heartbeat.receive(), ["", "beat"]);
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
