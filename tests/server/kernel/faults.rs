//! What must not harm a kernel: wrong messages, large ones, front ends that do not read, wrong connection files.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde_json::json;

use super::client::{Kernel, To, connection_file, frames};

/// How `ez kernel` ends with this connection file: its status, and standard error.
fn refused(path: &Path) -> (Option<i32>, String) {
    let output = support::output_within(support::ez().arg("kernel").arg(path), support::HANG);
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).replace(&path.display().to_string(), "FILE"),
    )
}

#[test]
fn wrong_connection_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("connection.json");
    let message = |text: &str| (Some(1), format!("Error: {text}\n"));
    assert_eq!(refused(&path), message("the connection file FILE cannot be read: no such file or directory"));
    let with = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let (status, text) = refused(&path);
        assert_eq!((status, text.lines().count()), (Some(1), 1), "{text}");
        text
    };
    assert!(with("{").contains("FILE is not valid JSON"));
    let mut file = connection_file();
    file["shell_port"] = json!(70_000);
    assert!(with(&file.to_string()).contains("invalid value: integer `70000`"));
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    file["shell_port"] = json!(port);
    let text = with(&file.to_string());
    assert!(text.starts_with(&format!("Error: cannot listen at 127.0.0.1:{port} for shell: ")), "{text}");
}

#[test]
fn wrong_messages_are_ignored() {
    let mut kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    // Not a message of ZeroMQ, and half of one.
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0xff, 0, 0]] {
        for name in ["shell", "control", "stdin", "iopub", "hb"] {
            let mut stream = TcpStream::connect(("127.0.0.1", kernel.port(name))).unwrap();
            stream.write_all(bytes).unwrap();
        }
    }
    let mut forged = frames("f", "execute_request", &json!({"code": "println(1)"}));
    forged[5] = json!({"code": "println(2)"}).to_string();
    client.send_frames(To::Shell, forged);
    client.send_frames(To::Shell, frames("t", "execute_request", &json!({}))[..4].to_vec());
    client.send_frames(To::Shell, vec!["".into()]);
    let reply = client.ask(To::Shell, "frobnicate_request", json!({}));
    assert_eq!(reply["status"], "error");
    let reply = client.ask(To::Shell, "execute_request", json!({"cod": 1}));
    assert_eq!((&reply["status"], &reply["ename"]), (&json!("error"), &json!("BadRequest")));
    client.send(To::Shell, "frobnicate", json!({}));
    client.send(To::Stdin, "input_reply", json!({"value": "nobody asked"}));
    assert_eq!(client.printed("println(3)"), "3\n");
    client.ask(To::Control, "shutdown_request", json!({"restart": true}));
    let status = support::wait(&mut kernel.child);
    let errors = support::read_all(kernel.child.stderr.take().unwrap());
    assert_eq!(status.code(), Some(0));
    assert_eq!(
        errors,
        "ez kernel: a message has a wrong signature; it is ignored\n\
         ez kernel: a message is incomplete; it is ignored\n\
         ez kernel: a message is incomplete; it is ignored\n"
    );
}

#[test]
fn large_cells_and_much_output_come_through() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let comment = format!("// {}\nprintln(1)", "x".repeat(10_000_000));
    assert_eq!(client.printed(&comment), "1\n");
    let text = client.printed("for i in range(0, 100000) {\n    println(i)\n}");
    assert_eq!(text.lines().count(), 100_000);
    assert!(text.ends_with("99999\n"));
    client.shut_down(kernel);
}

#[test]
fn front_ends_that_leave_or_do_not_read_hold_up_nothing() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    drop(kernel.client());
    let _asleep = kernel.client();
    let text = client.printed("for i in range(0, 100000) {\n    println(\"a line of text\")\n}");
    assert_eq!(text.lines().count(), 100_000);
    client.beat();
    client.shut_down(kernel);
}

/// The ports of a kernel, and what kind of socket connects to each.
const PORTS: [(&str, &str); 5] =
    [("shell", "DEALER"), ("control", "DEALER"), ("stdin", "DEALER"), ("iopub", "SUB"), ("hb", "REQ")];

/// A connection of somebody who knows the protocol, and not the key.
fn introduced(kernel: &Kernel, port: &str, kind: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", kernel.port(port))).unwrap();
    stream.set_read_timeout(Some(support::HANG)).unwrap();
    stream.set_write_timeout(Some(support::HANG)).unwrap();
    let mut greeting = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\x01NULL".to_vec();
    greeting.resize(64, 0);
    stream.write_all(&greeting).unwrap();
    let mut command = b"\x05READY\x0bSocket-Type\0\0\0".to_vec();
    command.push(kind.len().try_into().unwrap());
    command.extend(kind.as_bytes());
    stream.write_all(&[4, command.len().try_into().unwrap()]).unwrap();
    stream.write_all(&command).unwrap();
    let mut answer = [0; 66];
    stream.read_exact(&mut answer).unwrap();
    let mut ready = vec![0; answer[65].into()];
    stream.read_exact(&mut ready).unwrap();
    assert!(ready.starts_with(b"\x05READY"));
    stream
}

/// The connection has been closed by the kernel.
fn assert_closed(mut stream: TcpStream) {
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
    }
}

#[test]
fn messages_that_are_too_large_end_their_connection_only() {
    let mut kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    client.run("temp n int = 5");
    let mut refused = 0;
    for (port, kind) in PORTS {
        // Frames that claim to be large, in a message or a command.
        for length in [1u64 << 27, 1 << 40, 1 << 62, 1 << 63, u64::MAX] {
            for flags in [2, 3, 6] {
                let mut stream = introduced(&kernel, port, kind);
                stream.write_all(&[&[flags][..], &length.to_be_bytes()].concat()).unwrap();
                assert_closed(stream);
                refused += 1;
            }
        }
        // One that is in many frames.
        let mut stream = introduced(&kernel, port, kind);
        let part = [&[3][..], &(1u64 << 20).to_be_bytes(), &vec![b'x'; 1 << 20]].concat();
        assert!((0..1_000).any(|_| stream.write_all(&part).is_err()), "{port}");
        refused += 1;
    }
    assert_eq!(client.printed("println(n)"), "5\n");
    client.beat();
    client.ask(To::Control, "shutdown_request", json!({"restart": false}));
    assert_eq!(support::wait(&mut kernel.child).code(), Some(0));
    // Somebody who tries it again and again does not fill the log.
    let errors = support::read_all(kernel.child.stderr.take().unwrap());
    assert!(refused > 20);
    assert_eq!(errors, "ez kernel: a message is larger than 64 MiB; it is ignored\n".repeat(20));
}

#[test]
fn a_message_that_comes_again_is_ignored() {
    let mut kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    client.run("temp n int = 0");
    let request = frames("again", "execute_request", &json!({"code": "n += 1"}));
    client.send_frames(To::Shell, request.clone());
    assert_eq!(client.next(To::Shell)["content"]["execution_count"], 2);
    client.send_frames(To::Shell, request.clone());
    client.send_frames(To::Control, request);
    assert_eq!(client.printed("println(n)"), "1\n");
    client.ask(To::Control, "shutdown_request", json!({"restart": false}));
    assert_eq!(support::wait(&mut kernel.child).code(), Some(0));
    let errors = support::read_all(kernel.child.stderr.take().unwrap());
    assert_eq!(errors, "ez kernel: a message has come twice; it is ignored\n".repeat(2));
}
