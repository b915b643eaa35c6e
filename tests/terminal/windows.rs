//! What has to be seen to on Windows: processes that end together, names of files, line ends, texts of other
//! programs.

#![cfg(windows)]

use std::fs;
use std::io::{BufRead, BufReader, PipeReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use support::{Server, ez};
use tempfile::TempDir;
use windows_sys::Win32::System::Threading::DETACHED_PROCESS;

/// Shorter than the time after which a request to a web server fails by itself.
const PATIENCE: Duration = Duration::from_secs(20);

struct Directory(TempDir);

impl Directory {
    fn new() -> Directory {
        let directory = tempfile::tempdir().unwrap();
        Directory(directory)
    }

    /// A folder in it whose path is longer than old programs take.
    fn deep(&self) -> PathBuf {
        let mut deep = self.0.path().to_path_buf();
        while deep.as_os_str().len() < 400 {
            deep.push("größer-学校-".repeat(4));
        }
        fs::create_dir_all(&deep).unwrap();
        deep
    }

    /// A server whose program runs a command; a pipe of which it and all processes of that command have the
    /// other end; what keeps the command running.
    fn running(&self) -> (Child, PipeReader, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let asks = format!("import @http\ndo main() {{\n    temp reply, e = http.get(\"{url}\")\n}}\n");
        fs::write(self.0.path().join("asks.ez"), asks).unwrap();
        // The outer shell is not the one that asks.
        let command = format!("cmd /c \"{}\" run asks.ez", env!("CARGO_BIN_EXE_ez"));
        let runs = format!("import @os\ndo main() {{\n    temp status, e = os.exec(`{command}`)\n}}\n");
        fs::write(self.0.path().join("runs.ez"), runs).unwrap();
        let mut server = ez();
        server.args(["debugserver", "runs.ez"]).current_dir(self.0.path());
        let (reader, writer) = std::io::pipe().unwrap();
        let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(writer).spawn().unwrap();
        for command in ["initialize", "start", "continue"] {
            say(&mut server, command);
        }
        // All of them run when the last one asks.
        let (stream, _) = listener.accept().unwrap();
        (server, reader, stream)
    }
}

fn say(server: &mut Child, command: &str) {
    let line = format!("{}\n", json!({"type": "command", "command": command}));
    server.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
}

/// Programs that never end by themselves, each in another way. All say `ready` first.
const ENDLESS: [(&str, &str); 4] = [
    ("loop", "loop {}"),
    ("sleep", "sleep_seconds(100000)"),
    ("input", "temp line string = input()\n    println(line)"),
    ("command", "temp status, e = os.exec(\"cmd /c ping -n 100000 127.0.0.1\")"),
];

/// Names the program to a process that [`a_client`] is to be.
const PROGRAM: &str = "EZ_TEST_PROGRAM";

/// Debugs a program until it says that it is ready, says so too, and does nothing more.
fn a_client(program: &Path) -> ! {
    let mut server = ez();
    server.arg("debugserver").arg(program).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    for command in ["initialize", "start", "continue"] {
        say(&mut server, command);
    }
    let lines = BufReader::new(server.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("ready")));
    println!("\nready");
    loop {
        std::thread::park();
    }
}

#[test]
fn all_ends_with_a_client_that_is_killed() {
    if let Some(program) = std::env::var_os(PROGRAM) {
        a_client(Path::new(&program));
    }
    for (name, body) in ENDLESS {
        let place = Directory::new();
        let program = place.0.path().join("endless.ez");
        let text =
            format!("import @std, @os\nusing std\ndo main() {{\n    println(\"ready\")\n    {body}\n}}\n");
        fs::write(&program, text).unwrap();
        // The client's standard error becomes that of the server and of all that this starts.
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "all_ends_with_a_client_that_is_killed", "--nocapture"]);
        command.env(PROGRAM, program).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(writer);
        let mut client = command.spawn().unwrap();
        // It has the writing end too.
        drop(command);
        let lines = BufReader::new(client.stdout.take().unwrap()).lines();
        assert!(lines.map_while(Result::ok).any(|line| line == "ready"), "{name}");
        client.kill().unwrap();
        client.wait().unwrap();
        assert!(ends(reader), "{name}: something lives on");
    }
}

/// Whether all processes end that have the other end of a pipe.
fn ends(mut pipe: PipeReader) -> bool {
    let (ended, end) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut errors = String::new();
        let _ = ended.send(pipe.read_to_string(&mut errors).map(|_| errors));
    });
    end.recv_timeout(PATIENCE).is_ok_and(|errors| errors.unwrap().is_empty())
}

#[test]
fn commands_end_with_a_server_that_is_killed() {
    let place = Directory::new();
    let (mut server, pipe, _stream) = place.running();
    server.kill().unwrap();
    support::wait(&mut server);
    assert!(ends(pipe));
}

#[test]
fn commands_and_server_end_with_the_client() {
    let place = Directory::new();
    let (mut server, pipe, _stream) = place.running();
    drop((server.stdin.take(), server.stdout.take()));
    assert!(ends(pipe));
    support::wait(&mut server);
}

#[test]
fn commands_end_with_the_program() {
    let place = Directory::new();
    let (mut server, pipe, _stream) = place.running();
    say(&mut server, "terminate");
    assert!(ends(pipe));
    assert!(support::wait(&mut server).success());
}

#[test]
fn long_paths_names_in_any_script_and_line_ends() {
    let place = Directory::new();
    let deep = place.deep();
    let file = deep.join("über.ez");
    let text = "import @std, @io, @os\nusing std\n\ndo main() {\n    temp path = os.args()[2] + \"/ä.txt\"\n    \
                println(io.write_file(path, \"ö\\n\"))\n    println(io.read_file(path))\n}\n";
    fs::write(&file, text.replace('\n', "\r\n")).unwrap();
    let output = ez().arg("run").arg(&file).arg(&deep).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "true, nil\n\"ö\\n\", nil\n", "{errors}");
    assert_eq!(fs::read_to_string(deep.join("ä.txt")).unwrap(), "ö\n");
    let report = text.replace("os.args()[2]", "missing").replace('\n', "\r\n");
    fs::write(&file, report).unwrap();
    let output = ez().arg("check").arg(&file).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("über.ez:5:"), "{errors}");
}

#[test]
fn a_file_is_one_however_it_is_written() {
    let place = Directory::new();
    fs::write(place.0.path().join("Main.ez"), "do main() {\n    temp a = 1\n    a = 2\n    a = 3\n}\n")
        .unwrap();
    let main = place.0.path().join("Main.ez").to_string_lossy().into_owned();
    let mut server = Server::start(place.0.path(), &[&main]);
    server.command("initialize", json!({}));
    server.wait_for("initialized");
    server.command("setBreakpoint", json!({"file": main.replace('\\', "/"), "line": 3}));
    server.command("setBreakpoint", json!({"file": main.to_lowercase(), "line": 4}));
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 3);
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("stopped")["location"]["line"], 4);
    server.command("terminate", json!({}));
    assert!(server.wait().success());
}

#[test]
fn breakpoints_and_columns_in_long_paths_with_other_line_ends() {
    let place = Directory::new();
    let deep = place.deep();
    let text = "import @std\nusing std\n\ndo main() {\n    temp a string = \"ö\"\n    println(a)\n}\n";
    fs::write(deep.join("über.ez"), text.replace('\n', "\r\n")).unwrap();
    let file = deep.join("über.ez").to_string_lossy().into_owned();
    let mut server = Server::start(place.0.path(), &[&file]);
    server.command("initialize", json!({"version": 2}));
    server.wait_for("initialized");
    server.command("setBreakpoint", json!({"file": file, "line": 6}));
    server.command("start", json!({}));
    let stopped = server.wait_for("stopped");
    assert_eq!((&stopped["location"]["line"], &stopped["location"]["column"]), (&json!(6), &json!(5)));
    server.command("getVariables", json!({}));
    let variables = server.wait_for("variables");
    assert_eq!(variables["variables"][0]["value"], "\"ö\"");
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("output")["text"], "ö\n");
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
}

#[test]
fn lines_of_input_end_as_the_system_ends_them() {
    let place = Directory::new();
    let text = "import @std\nusing std\n\ndo main() {\n    println(read_int())\n    println(input())\n}\n";
    fs::write(place.0.path().join("asks.ez"), text).unwrap();
    for command in [&["run"][..], &["trace", "--output", "page.html"]] {
        let mut run = ez();
        run.args(command).arg("asks.ez").current_dir(&place.0);
        let mut run = run.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        run.stdin.take().unwrap().write_all(b"12\r\nsome words\r\n").unwrap();
        let output = run.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "12, nil\nsome words\n", "{command:?}");
    }
}

#[test]
fn output_of_commands_is_text() {
    let place = Directory::new();
    // What the shell itself writes to a pipe is in the code page of consoles.
    fs::write(place.0.path().join("größer.txt"), "UTF-8: größer\r\n").unwrap();
    let text = "import @std, @os\nusing std\n\ndo main() {\n    \
                println(os.exec_output(`dir /b *.txt & type größer.txt`))\n}\n";
    fs::write(place.0.path().join("lists.ez"), text).unwrap();
    let output = ez().args(["run", "lists.ez"]).current_dir(&place.0).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text, "\"größer.txt\\r\\nUTF-8: größer\", nil\n");
}

/// Runs a program whose `main` is this in the directory of a test; gives what it prints.
fn printed(place: &Directory, body: &str, arguments: &[&Path]) -> String {
    let text = format!("import @std, @io, @os\nusing std\n\ndo main() {{\n{body}\n}}\n");
    fs::write(place.0.path().join("prints.ez"), text).unwrap();
    let mut run = ez();
    run.args(["run", "prints.ez"]).args(arguments).current_dir(&place.0).stdin(Stdio::null());
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn commands_in_directories_with_long_paths() {
    let place = Directory::new();
    let deep = place.deep();
    let body = "    println(os.chdir(os.args()[2]))\n    println(os.exec(\"echo made> made.txt\"))\n    \
                println(io.read_file(\"made.txt\"))\n    println(os.exec_output(\"type made.txt\"))";
    let made = "true, nil\n0, nil\n\"made\\r\\n\", nil\n\"made\", nil\n";
    assert_eq!(printed(&place, body, &[&deep]), made);
    assert!(deep.join("made.txt").is_file());
}

#[test]
fn directories_are_entered_and_files_are_not() {
    let place = Directory::new();
    fs::create_dir(place.0.path().join("inner")).unwrap();
    let body = "    println(os.chdir(\"prints.ez\"))\n    println(os.chdir(\"inner\"))\n    \
                println(os.chdir(\"../missing\"))\n    println(os.cwd())";
    let failed = |name: &str, why: &str| {
        format!("false, {{message: \"failed to change directory: chdir {name}: {why}\", code: \"E7026\"}}\n")
    };
    let mut expected = failed("prints.ez", "not a directory") + "true, nil\n";
    expected += &failed("../missing", "no such file or directory");
    expected +=
        &format!("\"{}\", nil\n", place.0.path().join("inner").display().to_string().replace('\\', "/"));
    assert_eq!(printed(&place, body, &[]), expected);
}

#[test]
fn a_directory_replaces_no_file() {
    let place = Directory::new();
    fs::create_dir(place.0.path().join("folder")).unwrap();
    fs::write(place.0.path().join("file"), "kept").unwrap();
    let message = "io error during rename: rename folder file: not a directory";
    let expected = format!("nil, {{message: \"{message}\", code: \"E7099\"}}\n");
    assert_eq!(printed(&place, "    println(io.rename(\"folder\", \"file\"))", &[]), expected);
    assert_eq!(fs::read_to_string(place.0.path().join("file")).unwrap(), "kept");
}

#[test]
fn devices_are_files_without_anything() {
    let place = Directory::new();
    let body = "    println(io.read_file(os.dev_null))\n    println(io.write_file(os.dev_null, \"x\"))\n    \
                println(io.append_file(os.dev_null, \"x\"))\n    temp handle, e = io.open(os.dev_null)\n    \
                println(e, io.read(handle, 3), io.read_all(handle))";
    let expected = "\"\", nil\ntrue, nil\ntrue, nil\nnil {}, nil {}, nil\n";
    assert_eq!(printed(&place, body, &[]), expected);
}

#[test]
fn positions_before_a_file_are_refused() {
    let place = Directory::new();
    let body =
        "    temp handle, e = io.open(\"prints.ez\")\n    println(e, io.seek(handle, -1, io.SEEK_START))";
    let message = "io error during seek: seek prints.ez: invalid argument";
    let expected = format!("nil nil, {{message: \"{message}\", code: \"E7099\"}}\n");
    assert_eq!(printed(&place, body, &[]), expected);
}

/// No test by itself: what [`commands_open_no_windows`] has the program run.
#[test]
fn a_command() {
    println!("<{}>", crate::pseudo::console::own());
}

#[test]
fn commands_open_no_windows() {
    let place = Directory::new();
    let test = std::env::current_exe().unwrap();
    let command = format!("\"{}\" --exact a_command --nocapture", test.display());
    let text = format!(
        "import @std, @os\nusing std\n\ndo main() {{\n    temp told, e = os.exec_output(`{command}`)\n    \
         println(told)\n}}\n"
    );
    fs::write(place.0.path().join("windows.ez"), text).unwrap();
    for command in ["run", "debugserver"] {
        let mut ez = ez();
        ez.args([command, "windows.ez"]).current_dir(&place.0);
        // Without a console, like the processes of a program that has windows itself.
        ez.stdin(Stdio::piped()).stdout(Stdio::piped()).creation_flags(DETACHED_PROCESS);
        let mut ez = ez.spawn().unwrap();
        if command == "debugserver" {
            for command in ["initialize", "start", "continue"] {
                say(&mut ez, command);
            }
        }
        let output = ez.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("<a console without a window>"), "{command}: {text}");
    }
}
