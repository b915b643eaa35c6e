//! What becomes of a program when its debugger goes: one to which it has attached goes on, one that it has launched ends.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use support::dap::Dap;
use support::socket::{Listening, Says};
use support::{ez, wait};

use crate::attach::{adapter, client, on_pipes, run};

const TICKS: &str = "import @std
using std

do main() {
    temp n int = 0
    as_long_as n < 3 {
        n += 1
        println(\"tick ${n}\")
    }
}
";

const ALL: &str = "tick 1\ntick 2\ntick 3\n";

/// The exit status of a program that was ended.
const KILLED: Option<i32> = Some(143);

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ticks.ez"), TICKS).unwrap();
    directory
}

fn held(directory: &Path) -> Listening {
    Listening::start(directory, &["run", "--debug-listen", "127.0.0.1:0", "--wait", "ticks.ez"], Says::Stderr)
}

/// Sets a breakpoint in the loop, starts the program, and waits for the stop there.
fn stop_in_loop(dap: &mut Dap, directory: &Path) {
    let source = json!({"path": directory.join("ticks.ez")});
    dap.request("setBreakpoints", json!({"source": source, "breakpoints": [{"line": 8}]}));
    dap.request("configurationDone", Value::Null);
    assert_eq!(dap.stop(), ("breakpoint".into(), "main".into(), 8));
}

/// The program has run to its end, without another stop.
fn assert_goes_on(server: Listening) {
    let (status, stdout, _) = server.end();
    assert_eq!((status.code(), stdout.as_str()), (Some(0), ALL));
}

// invariant 31
#[test]
fn a_program_goes_on_when_a_client_on_its_socket_leaves() {
    let directory = directory();
    for arguments in [json!({}), json!({"terminateDebuggee": false}), json!({"suspendDebuggee": false})] {
        let server = held(directory.path());
        let mut dap = client(&server, directory.path());
        // The address that it has is no other one.
        let address = json!({"host": server.host, "port": server.port, "token": server.token});
        dap.request("attach", address);
        stop_in_loop(&mut dap, directory.path());
        dap.request("disconnect", arguments);
        dap.event("terminated");
        assert_goes_on(server);
    }
    let server = held(directory.path());
    let stream = server.stream();
    let mut dap = Dap::over(&stream, directory.path());
    dap.request("initialize", json!({"adapterID": "ez"}));
    dap.request("attach", json!({"token": server.token}));
    stop_in_loop(&mut dap, directory.path());
    let _ = stream.shutdown(Shutdown::Both);
    assert_goes_on(server);
}

// invariant 31
#[test]
fn a_program_goes_on_when_an_adapter_between_goes() {
    let directory = directory();
    let attached = |server: &Listening| {
        let mut dap = on_pipes(directory.path());
        dap.request("attach", json!({"port": server.port, "token": server.token}));
        stop_in_loop(&mut dap, directory.path());
        dap
    };
    let server = held(directory.path());
    attached(&server).disconnect();
    assert_goes_on(server);
    let server = held(directory.path());
    attached(&server).end();
    assert_goes_on(server);
    // It is killed.
    let server = held(directory.path());
    drop(attached(&server));
    assert_goes_on(server);
}

// invariant 31
#[test]
fn a_program_with_a_history_does_not_wait_at_its_end_for_nobody() {
    let directory = directory();
    assert_goes_on(Listening::run(directory.path(), &["--history", "ticks.ez"]));
    let server = Listening::run(directory.path(), &["--wait", "--history", "ticks.ez"]);
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token}));
    stop_in_loop(&mut dap, directory.path());
    dap.request("continue", json!({"threadId": 1}));
    dap.stop();
    // In the past.
    dap.request("stepBack", json!({"threadId": 1}));
    dap.stop();
    dap.leave(false);
    assert_goes_on(server);
}

#[test]
fn a_program_stays_stopped_for_a_client_that_wants_it() {
    let directory = directory();
    let server = held(directory.path());
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token}));
    stop_in_loop(&mut dap, directory.path());
    dap.suspend();
    let mut dap = client(&server, directory.path());
    dap.request("attach", json!({"token": server.token}));
    assert_eq!(dap.stop().2, 8);
    dap.leave(false);
    assert_goes_on(server);
}

#[test]
fn what_a_lost_client_has_launched_over_a_socket_ends() {
    let directory = directory();
    let server = adapter(directory.path());
    let stream = server.stream();
    let mut dap = Dap::over(&stream, directory.path());
    dap.request("initialize", json!({"adapterID": "ez"}));
    dap.request("launch", json!({"program": "ticks.ez", "token": server.token}));
    stop_in_loop(&mut dap, directory.path());
    let _ = stream.shutdown(Shutdown::Both);
    let mut dap = client(&server, directory.path());
    dap.refused("attach", json!({"token": server.token}));
    let mut dap = client(&server, directory.path());
    dap.request("launch", json!({"program": "ticks.ez", "token": server.token}));
    stop_in_loop(&mut dap, directory.path());
    dap.leave(true);
}

/// A program that was launched in a terminal, and the terminal's process.
fn in_terminal(directory: &Path) -> (Dap, std::process::Child) {
    let mut dap = on_pipes(directory);
    let launch =
        json!({"program": directory.join("ticks.ez"), "cwd": directory, "console": "integratedTerminal"});
    let launched = dap.send("launch", launch);
    let request = dap.asked();
    let program = run(&request);
    dap.answer_asked(&request, true);
    assert_eq!(dap.answer(launched)["success"], true);
    (dap, program)
}

// invariant 31
#[test]
fn a_program_in_a_terminal_ends_with_its_session() {
    let directory = directory();
    let end: [fn(Dap); 3] = [|dap| drop(dap.disconnect()), |dap| drop(dap.end()), drop];
    for end in end {
        let (mut dap, mut program) = in_terminal(directory.path());
        stop_in_loop(&mut dap, directory.path());
        end(dap);
        assert_eq!(wait(&mut program).code(), KILLED);
        // Before it was started.
        let (dap, mut program) = in_terminal(directory.path());
        end(dap);
        assert_eq!(wait(&mut program).code(), KILLED);
    }
    let (mut dap, program) = in_terminal(directory.path());
    stop_in_loop(&mut dap, directory.path());
    dap.leave(false);
    let done = program.wait_with_output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8(done.stdout).unwrap().as_str()), (Some(0), ALL));
}

/// A client can leave a program that cannot answer, and that does afterwards what was asked of it.
// invariant 31
#[cfg(unix)]
#[test]
fn a_program_whose_process_is_stopped_can_be_left() {
    use rustix::process::{Pid, Signal, kill_process};
    let directory = directory();
    let send = |process: u32, signal| kill_process(Pid::from_raw(process as i32).unwrap(), signal).unwrap();
    let (mut dap, mut program) = in_terminal(directory.path());
    stop_in_loop(&mut dap, directory.path());
    send(program.id(), Signal::STOP);
    dap.disconnect();
    send(program.id(), Signal::CONT);
    assert_eq!(wait(&mut program).code(), KILLED);
    let server = held(directory.path());
    let mut dap = on_pipes(directory.path());
    dap.request("attach", json!({"port": server.port, "token": server.token}));
    stop_in_loop(&mut dap, directory.path());
    send(server.process(), Signal::STOP);
    dap.disconnect();
    send(server.process(), Signal::CONT);
    assert_goes_on(server);
}

#[test]
fn what_accepts_a_connection_and_says_nothing_is_given_up() {
    let directory = directory();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut dap = on_pipes(directory.path());
    let why = dap.refused("attach", json!({"port": silent.local_addr().unwrap().port(), "token": "t"}));
    assert!(why.contains("nothing was answered within ten seconds"), "{why}");
    dap.disconnect();
}

/// The adapter may be killed as soon as it has attached.
// invariant 31
#[test]
fn the_first_line_of_an_adapter_says_what_becomes_of_the_program() {
    let directory = directory();
    let session = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = session.local_addr().unwrap().port();
    let first_line = || {
        let mut line = String::new();
        BufReader::new(session.accept().unwrap().0).read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()["params"]["farewell"].take()
    };
    let mut dap = on_pipes(directory.path());
    dap.send("attach", json!({"port": port, "token": "t"}));
    assert_eq!(first_line(), json!({"Session": {"Disconnect": {"resume": true}}}));
    let mut dap = on_pipes(directory.path());
    let launch = json!({"program": "ticks.ez", "cwd": directory.path(), "console": "integratedTerminal"});
    dap.send("launch", launch);
    let arguments = dap.asked()["arguments"]["args"].take();
    let mut words = arguments.as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let place = std::fs::read_to_string(words.find(|word| *word == "--announce").and(words.next()).unwrap());
    let place = place.unwrap();
    let (address, key) = place.split_once('/').unwrap();
    let announcement = json!({"data": {"port": port, "token": "t"}});
    let mut announced = std::net::TcpStream::connect(address).unwrap();
    announced.write_all(format!("{key}\n{announcement}\n").as_bytes()).unwrap();
    assert_eq!(first_line(), "Terminate");
}

// invariant 31
#[test]
fn a_program_in_a_terminal_ends_if_the_adapter_never_comes() {
    let directory = directory();
    let run = ["run", "--debug-listen", "127.0.0.1:0", "--wait", "--announce", "place", "ticks.ez"];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = directory.path().join("place");
    std::fs::write(&place, format!("{}/key", listener.local_addr().unwrap())).unwrap();
    let mut command = ez();
    command.args(run).current_dir(directory.path());
    let mut program = command.stdout(Stdio::piped()).spawn().unwrap();
    let (stream, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(stream).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "key");
    assert!(lines.next().unwrap().unwrap().contains("listening"));
    drop(lines);
    assert_eq!(wait(&mut program).code(), KILLED);
    std::fs::remove_file(place).unwrap();
    let without = ez().args(run).current_dir(directory.path()).output().unwrap();
    assert!(!without.status.success());
    let text = String::from_utf8(without.stderr).unwrap();
    assert!(text.contains("place: "), "{text}");
}

#[test]
fn nobody_else_learns_how_to_announce_a_program() {
    let directory = directory();
    let mut dap = on_pipes(directory.path());
    let launch = json!({"program": "ticks.ez", "cwd": directory.path(), "console": "integratedTerminal"});
    let launched = dap.send("launch", launch);
    let request = dap.asked();
    let arguments: Vec<&str> =
        request["arguments"]["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let at = arguments.iter().position(|word| *word == "--announce").unwrap();
    let file = Path::new(arguments[at + 1]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let place = std::fs::read_to_string(file).unwrap();
    let (address, key) = place.split_once('/').unwrap();
    let line = arguments.join(" ");
    assert!(!line.contains(key) && !line.contains(address), "{line}");
    // Connections without the key change nothing.
    drop(std::net::TcpStream::connect(address).unwrap());
    let program = run(&request);
    dap.answer_asked(&request, true);
    assert_eq!(dap.answer(launched)["success"], true);
    assert!(!file.exists());
    dap.request("configurationDone", Value::Null);
    dap.event("terminated");
    dap.disconnect();
    assert_eq!(String::from_utf8(program.wait_with_output().unwrap().stdout).unwrap(), ALL);
}
