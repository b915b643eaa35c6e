//! Sessions that several use, where something is wrong: texts that look like lines of the debugger, lists that cannot be
//! read or written, sessions that go or say nothing, other versions.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};
use support::socket;

use crate::debug_shared::Class;

/// The address and the token in the line with which others join.
fn address_and_token(line: &str) -> (String, String) {
    let words: Vec<&str> = line.split(' ').collect();
    (words[1].to_string(), words[3].to_string())
}

/// A guest that speaks the line protocol.
fn guest(line: &str, name: &str) -> socket::Client {
    let (address, token) = address_and_token(line);
    let mut guest = socket::Client::new(TcpStream::connect(address).unwrap(), &token);
    guest.first("attach", json!({"protocolVersion": 2, "name": name}));
    guest.wait_for("attached");
    guest
}

#[test]
fn what_others_write_is_no_line_of_the_debugger() {
    let class = Class::new();
    let (mut owner, [line, _]) = class.owner("bubble_sort.ez");
    let mut bob = class.join(&line, "Bob");
    bob.see("println(list)");
    let mut eve = guest(&line, "Eve");
    let forged = "x\nError: forged\u{1b}[2J";
    let condition = "\"x\" ==\n\"Error: forged\"";
    let file = "bubble_sort.ez";
    for (at, option, text) in
        [(13, "condition", condition), (14, "hitCondition", ">=\n2"), (15, "logMessage", forged)]
    {
        eve.command("setBreakpoint", json!({"file": file, "line": at, option: text}));
        owner.see("Eve set");
        bob.see("Eve set");
    }
    eve.command("setBreakpoint", json!({"file": file, "line": 16, "logMessage": "long ".repeat(20_000)}));
    eve.command("setFunctionBreakpoints", json!({"breakpoints": [{"name": forged}]}));
    eve.command("setDataBreakpoints", json!({"breakpoints": [{"name": forged}]}));
    eve.command("addWatch", json!({"expression": condition}));
    eve.command("setExceptionBreakpoints", json!({"filters": ["errorValue"], "filterOptions": [{"filterId": "errorValue", "condition": forged}]}));
    eve.command("removeBreakpoint", json!({"id": 1}));
    owner.see("Eve removed");
    bob.see("Eve removed");
    for client in [&mut owner, &mut bob] {
        for command in ["breakpoints", "display", "info", "next", "save saved.txt"] {
            client.server.send(&format!("{command}\n"));
        }
        client.see("Saved in saved.txt, without ");
        assert!(client.transcript.contains(" entries of several lines.\n"), "{}", client.transcript);
        for line in client.transcript.lines() {
            assert!(
                !["Error: forged", "\"Error"].iter().any(|forged| line.trim_start().starts_with(forged)),
                "{}",
                client.transcript
            );
            assert!(line.chars().count() < 500, "{line}");
        }
        assert!(client.transcript.contains(" if \"x\" ==␊\"Error: forged\""), "{}", client.transcript);
    }
    // What is saved is commands.
    let saved = std::fs::read_to_string(class.path().join("saved.txt")).unwrap();
    assert!(!saved.contains("\nError") && !saved.contains("\n\"Error"), "{saved}");
}

/// The program of a guest's session is somebody else's.
#[test]
fn what_somebody_elses_program_prints_does_nothing_to_the_terminal() {
    let class = Class::new();
    let program = r#"import @std
using std

do main() {
    println("\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x1b[2J\x1b[6n\x1b[31mred")
    eprintln("\x1b[1A\x1b[2KBreakpoint 1, first hit.")
    println("end")
}
"#;
    std::fs::write(class.path().join("evil.ez"), program).unwrap();
    let (mut owner, [line, _]) = class.owner("evil.ez");
    let mut bob = class.join(&line, "Bob");
    bob.see("println(\"end\")");
    owner.command("continue", "ended");
    bob.see("end");
    bob.see("ended");
    let (_, text) = bob.quit();
    assert!(text.contains("␛]52;c;ZXZpbA==␇␛]0;title␇␛[2J␛[6n\u{1b}[31mred\n\u{1b}[0m"), "{text}");
    let escapes: Vec<&str> = text.split('\u{1b}').skip(1).collect();
    assert!(escapes.iter().all(|rest| rest.starts_with("[31m") || rest.starts_with("[0m")), "{text}");
}

#[test]
fn a_display_that_another_sets_is_shown() {
    let class = Class::new();
    let (mut owner, [line, _]) = class.owner("bubble_sort.ez");
    let mut bob = class.join(&line, "Bob");
    bob.see("println(list)");
    owner.see("Bob has joined");
    owner.command("display 1 + 1", "1: 1 + 1 = 2");
    bob.see("1: 1 + 1 = 2");
    bob.command("display 2 + 3", "2: 2 + 3 = 5");
    owner.command("next", "2: 2 + 3 = 5");
    bob.see("Stepped to line 22");
    bob.see("2: 2 + 3 = 5");
    bob.command("undisplay", "Display 2 has ended");
    let (_, text) = bob.quit();
    assert_eq!(text.matches("  1: 1 + 1 = 2\n").count(), 2, "{text}");
    assert_eq!(text.matches("  2: 2 + 3 = 5\n").count(), 2, "{text}");
}

#[test]
fn a_session_without_a_program_is_no_program_that_is_not_started() {
    let class = Class::new();
    let mut owner = class.debugserver(&[]);
    std::fs::write(class.path().join("bubble_sort.ez"), "do main( {\n").unwrap();
    let launch = json!({"file": "bubble_sort.ez", "protocolVersion": 2, "keepAlive": true});
    assert_eq!(owner.ask("initialize", launch).0, "error");
    owner.command("share", json!({}));
    let shared = owner.wait_for("shared");
    let token = shared["tokens"]["participant"].as_str().unwrap();
    let line = format!("--join 127.0.0.1:{} --token {token}", shared["port"]);
    let mut bob = class.join(&line, "Bob");
    bob.see("No program is loaded.");
    assert!(!bob.transcript.contains("not started"), "{}", bob.transcript);
    assert_eq!(bob.quit().0, Some(0));
}

#[test]
fn a_list_that_cannot_be_written_is_not_promised() {
    let class = Class::new();
    let list = class.path().join("list");
    std::fs::write(list.join("ez"), "").unwrap();
    let mut owner = class.start(&["bubble_sort.ez"]);
    let text = owner.command("share", "cannot be written");
    assert!(text.contains("ez debug --join 127.0.0.1:"), "{text}");
    let (_, text) = owner.quit();
    assert!(!text.contains("need only"), "{text}");
    let mut owner = class.debugserver(&["bubble_sort.ez"]);
    owner.ask("initialize", json!({"protocolVersion": 2}));
    owner.command("share", json!({}));
    let shared = owner.wait_for("shared");
    let why = shared["message"].as_str().unwrap_or_default();
    assert!(why.starts_with("The list of your shared sessions cannot be written: "), "{shared}");
    assert!(why.ends_with("ez: it is not a directory") && why.matches("list").count() == 2, "{shared}");
}

#[cfg(unix)]
#[test]
fn the_list_is_read_without_waiting() {
    let class = Class::new();
    let (_owner, _) = class.owner("bubble_sort.ez");
    let fifo = class.path().join("list/ez/1-1.json");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::create_dir(class.path().join("list/ez/1-2.json")).unwrap();
    std::os::unix::fs::symlink(&fifo, class.path().join("list/ez/1-3.json")).unwrap();
    class.start(&["--join", "--name", "Bob"]).see("println(list)");
}

#[test]
fn a_list_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    let class = Class::new();
    std::fs::write(class.path().join("list/ez"), "").unwrap();
    let text = class.fails(&["--join"]);
    assert!(text.starts_with("Error: the list of the sessions that you share cannot be read: "), "{text}");
}

#[test]
fn a_restart_that_fails_on_a_pipe_promises_no_other() {
    let class = Class::new();
    for (text, why) in [(Some("do main( {\n"), "has errors, and was not started"), (None, "cannot be read")] {
        std::fs::write(class.path().join("own.ez"), "do main() {\n    temp n int = 1\n}\n").unwrap();
        let mut owner = class.start(&["own.ez"]);
        owner.see("temp n int");
        match text {
            Some(text) => std::fs::write(class.path().join("own.ez"), text).unwrap(),
            None => std::fs::remove_file(class.path().join("own.ez")).unwrap(),
        }
        owner.command("restart", why);
        let (status, text) = owner.end();
        assert_eq!(status, Some(1));
        assert!(!text.contains("'restart'"), "{text}");
    }
}

/// A session that `ez debug --join` reaches through this: what `then` says happens instead of the first request for a
/// source text.
fn cut_at_source(line: &str, then: Then) -> String {
    let (address, token) = address_and_token(line);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let client = listener.accept().unwrap().0;
        let session = TcpStream::connect(address).unwrap();
        let (mut answers, mut to_client) = (session.try_clone().unwrap(), client.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut answers, &mut to_client));
        let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
        while let Some(Ok(line)) = lines.next() {
            if !line.contains("\"Source\"") {
                writeln!(&session, "{line}").unwrap();
                continue;
            }
            match then {
                Then::Dismissed => {
                    writeln!(&client, r#"{{"Event":{{"Company":{{"Dismissed":"TooSlow"}}}}}}"#).unwrap();
                    // The connection stays open.
                    while let Some(Ok(_)) = lines.next() {}
                }
                Then::Closed => client.shutdown(std::net::Shutdown::Both).unwrap(),
            }
            return;
        }
    });
    format!("--join {own} --token {token}")
}

#[derive(Clone, Copy)]
enum Then {
    /// The guest is sent away.
    Dismissed,
    /// The connection is cut.
    Closed,
}

#[test]
fn who_waits_for_an_answer_is_told_that_none_comes() {
    let class = Class::new();
    let (_owner, [line, _]) = class.owner("bubble_sort.ez");
    for (then, why) in [
        (Then::Dismissed, "Error: too much was sent that this client did not read\n"),
        (Then::Closed, "Error: the connection to the program was lost\n"),
    ] {
        let bob = class.join(&cut_at_source(&line, then), "Bob");
        let (status, text) = bob.end();
        assert_eq!(status, Some(1));
        assert!(text.ends_with(why), "{text}");
        assert_eq!(text.matches("Error").count(), 1, "{text}");
    }
}

#[test]
fn another_version_is_named() {
    let class = Class::new();
    // One that closes the connection.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let client = listener.accept().unwrap().0;
        BufReader::new(client).read_line(&mut String::new()).unwrap();
    });
    let text = class.fails(&["--join", &address, "--token", "x"]);
    assert!(text.contains("closed without an answer") && text.contains("another version"), "{text}");
    // One that says something in its first line that this one does not understand.
    let (_owner, [line, _]) = class.owner("bubble_sort.ez");
    let (address, token) = address_and_token(&line);
    for message in [Value::Null, json!({"Ask": [0, {"Unknown": 7}]}), json!({"Unknown": 7})] {
        let mut params = json!({"token": token, "native": "9.9.9"});
        if !message.is_null() {
            params["message"] = message;
        }
        let hello = json!({"type": "command", "command": "attach", "params": params});
        let stream = TcpStream::connect(&address).unwrap();
        writeln!(&stream, "{hello}").unwrap();
        let told = support::read_all(stream);
        assert!(told.contains("the debugger is ez 9.9.9 and the program runs in ez "), "{told}");
    }
}

#[test]
fn a_guest_stays_when_the_program_ends_and_sees_it_started_again() {
    let class = Class::new();
    let mut owner = class.debugserver(&[]);
    owner.ask("initialize", json!({"file": "bubble_sort.ez", "protocolVersion": 2, "keepAlive": true}));
    owner.ask("start", json!({}));
    owner.command("share", json!({}));
    let shared = owner.wait_for("shared");
    let token = shared["tokens"]["participant"].as_str().unwrap();
    let line = format!("--join 127.0.0.1:{} --token {token}", shared["port"]);
    let mut bob = class.join(&line, "Bob");
    owner.wait_for("guestJoined");
    owner.command("continue", json!({}));
    bob.see("The program has ended with status 0.");
    owner.command("restart", json!({}));
    bob.see("owner restarted the program.");
    bob.command("where", "bubble_sort.ez:");
    assert_eq!(bob.quit().0, Some(0));
    owner.wait_for("guestLeft");
}
