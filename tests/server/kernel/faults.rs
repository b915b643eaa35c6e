//! What must not harm a kernel: wrong messages, large ones, front ends that do not read, wrong connection files.

use std::io::Write;
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
