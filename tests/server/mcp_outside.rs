//! What programs and clients of `ez mcp` cannot reach: files outside of the root, the network, other programs. And
//! that nothing of a program remains.

use std::fs;

use serde_json::{Value, json};
use support::mcp::McpClient;
use tempfile::TempDir;

/// A root with a program beside it, and links from one to the other.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("root");
    fs::create_dir_all(root.join("inner")).unwrap();
    fs::write(place.path().join("secret.ez"), "do secret() -> string {\n    return \"secret\"\n}\n").unwrap();
    fs::write(place.path().join("secret.txt"), "secret").unwrap();
    fs::write(root.join("own.txt"), "own").unwrap();
    #[cfg(unix)]
    for (target, name) in [
        ("../secret.ez", "link.ez"),
        ("../secret.txt", "link.txt"),
        ("..", "up"),
        ("../made.txt", "dangling.txt"),
        ("own.txt", "fine.txt"),
    ] {
        std::os::unix::fs::symlink(target, root.join(name)).unwrap();
    }
    place
}

fn client(place: &TempDir) -> McpClient {
    McpClient::start(&place.path().join("root"))
}

/// A program that tries one expression which returns a result and an Error, and prints the latter.
fn trying(expression: &str) -> String {
    format!(
        "import @std, @io, @os, @http\nusing std\n\ndo main() {{\n    temp _, e = {expression}\n    \
         if e == nil {{\n        println(\"done\")\n    }} otherwise {{\n        println(e.message)\n    }}\n}}\n"
    )
}

fn printed(client: &mut McpClient, source: &str) -> String {
    let result = client.call("run", json!({"source": source}));
    let printed = &result["structuredContent"]["output"]["text"];
    assert_eq!(result["structuredContent"]["status"], "ended", "{result}");
    printed.as_str().unwrap().trim().to_string()
}

// invariant 29
#[test]
fn files_outside_of_the_root() {
    let place = place();
    let mut client = client(&place);
    let outside = place.path().join("secret.txt");
    let outside = outside.to_str().unwrap();
    let mut refused = vec![
        "io.read_file(\"../secret.txt\")".to_string(),
        "io.read_file(\"inner/../../secret.txt\")".into(),
        format!("io.read_file({outside:?})"),
        "io.write_file(\"../made.txt\", \"x\")".into(),
        "io.append_file(\"../secret.txt\", \"x\")".into(),
        "io.copy(\"../secret.txt\", \"mine.txt\")".into(),
        "io.copy(\"own.txt\", \"../made.txt\")".into(),
        "io.rename(\"own.txt\", \"../made.txt\")".into(),
        "io.remove(\"../secret.txt\")".into(),
        "io.remove_all(\"..\")".into(),
        "io.mkdir(\"../made\")".into(),
        "io.mkdir_all(\"inner/../../made/more\")".into(),
        "io.read_dir(\"..\")".into(),
    ];
    if cfg!(unix) {
        refused.extend(
            [
                "io.read_file(\"link.txt\")",
                "io.read_file(\"up/secret.txt\")",
                "io.write_file(\"link.txt\", \"x\")",
                "io.write_file(\"dangling.txt\", \"x\")",
                "io.remove(\"up/secret.txt\")",
                "io.read_dir(\"up\")",
            ]
            .map(String::from),
        );
    }
    for expression in refused {
        let told = printed(&mut client, &trying(&expression));
        assert!(told.contains("the program is denied files outside of"), "{expression}: {told}");
    }
    if cfg!(target_os = "linux") {
        let told = printed(&mut client, &trying("io.read_file(\"/proc/self/environ\")"));
        assert!(told.contains("the program is denied"), "{told}");
    }
    for expression in
        ["io.read_file(\"own.txt\")", "io.write_file(\"inner/new.txt\", \"x\")", "io.read_dir(\".\")"]
    {
        assert_eq!(printed(&mut client, &trying(expression)), "done", "{expression}");
    }
    if cfg!(unix) {
        assert_eq!(printed(&mut client, &trying("io.read_file(\"fine.txt\")")), "done");
    }
    assert_eq!(fs::read_to_string(place.path().join("secret.txt")).unwrap(), "secret");
    let mut left: Vec<_> =
        fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["root", "secret.ez", "secret.txt"]);
}

// invariant 29
#[test]
fn programs_outside_of_the_root() {
    let place = place();
    let mut client = client(&place);
    let absolute = place.path().join("secret.ez");
    let mut files = vec!["../secret.ez", "inner/../../secret.ez", absolute.to_str().unwrap()];
    if cfg!(unix) {
        files.extend(["link.ez", "up/secret.ez"]);
    }
    for file in files {
        for tool in ["check", "run", "investigate", "trace", "debug_start"] {
            let text = client.failure(tool, json!({"file": file}));
            assert!(text.contains("is outside of the root"), "{tool} {file}: {text}");
        }
        let import = file.trim_end_matches(".ez");
        let source = format!(
            "import @std, \"{import}\"\nusing std\n\ndo main() {{\n    println(secret.secret())\n}}\n"
        );
        for tool in ["check", "run"] {
            let result = client.call(tool, json!({"source": source}));
            assert!(!result.to_string().contains("return \\\"secret"), "{tool} {import}: {result}");
            assert!(result.to_string().contains("denied files outside of"), "{tool} {import}: {result}");
        }
    }
    // Folders that are missing in the root are not outside of it; what is missing elsewhere is nobody's business.
    for (file, missing) in [
        ("nowhere/../own.ez", "there is no folder nowhere in the root"),
        ("inner/nowhere/../own.ez", "there is no folder inner/nowhere in the root"),
        ("own.txt/../own.ez", "there is no folder own.txt in the root"),
        ("../nowhere/../root/own.ez", "is outside of the root"),
    ] {
        let text = client.failure("check", json!({"file": file}));
        assert!(text.contains(missing), "{file}: {text}");
    }
}

#[test]
fn the_network_and_other_programs() {
    let place = place();
    let mut client = client(&place);
    for (expression, denied) in
        [("http.get(\"http://127.0.0.1:1/\")", "net"), ("os.exec(\"echo hello\")", "exec")]
    {
        let told = printed(&mut client, &trying(expression));
        assert!(told.contains(&format!("the program is denied {denied}")), "{expression}: {told}");
    }
    let mut allowing = McpClient::without_handshake(&place.path().join("root"), &["--allow-net"]);
    allowing.initialize("2025-11-25");
    let told = printed(&mut allowing, &trying("http.get(\"http://127.0.0.1:1/\")"));
    assert!(!told.contains("denied") && told != "done", "{told}");
    let denied = json!({"source": trying("io.read_file(\"own.txt\")"), "deny": ["fs"]});
    assert!(client.text("run", denied).contains("denied fs"));
}

/// The processes that a process has started, and theirs.
#[cfg(target_os = "linux")]
fn descendants(process: u32) -> Vec<String> {
    let children = |process: &str| -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let lists = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
        lists.flat_map(|list| list.split_whitespace().map(str::to_string).collect::<Vec<_>>()).collect()
    };
    let mut found = children(&process.to_string());
    let mut next = 0;
    while let Some(process) = found.get(next).cloned() {
        found.extend(children(&process));
        next += 1;
    }
    found
}

#[cfg(target_os = "linux")]
const ENDLESS: &str = "do main() {\n    temp n int = 0\n    loop {\n        n += 1\n    }\n}\n";

/// Calls in progress, one with checkpoints of its past, and a session.
#[cfg(target_os = "linux")]
fn busy(client: &mut McpClient) -> Vec<u64> {
    client.text("debug_start", json!({"source": ENDLESS}));
    let source = json!({"source": ENDLESS, "timeLimit": 600});
    let calls = ["run", "investigate"].map(|tool| client.begin_call(tool, source.clone()));
    calls.iter().for_each(|call| client.wait_for_progress(*call));
    calls.to_vec()
}

// invariant 29
#[cfg(target_os = "linux")]
#[test]
fn a_cancelled_call_leaves_nothing_behind() {
    let place = place();
    let mut client = client(&place);
    client.request("ping", json!({}));
    let server = client.server().process().id();
    // Its threads and open files.
    let held = || ["task", "fd"].map(|of| fs::read_dir(format!("/proc/{server}/{of}")).unwrap().count());
    let before_calls = held();
    let calls = busy(&mut client);
    let before = descendants(server);
    assert!(before.len() >= 3, "{before:?}");
    for call in &calls {
        client.notify("notifications/cancelled", json!({"requestId": call}));
    }
    client.call("debug_stop", json!({"session": "s1"}));
    support::wait_for_end(&before);
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert!(!client.pending().iter().any(|message| calls.iter().any(|call| message["id"] == *call)));
    // Processes that were started meanwhile end, too.
    support::wait_until(|| held() == before_calls && descendants(server).is_empty());
    let left = |directory: &std::path::Path| fs::read_dir(directory).unwrap().count();
    assert_eq!(left(&place.path().join("root")), 7);
}

// invariant 29
#[cfg(target_os = "linux")]
#[test]
fn everything_ends_with_the_input() {
    let place = place();
    let mut client = client(&place);
    busy(&mut client);
    let processes = descendants(client.server().process().id());
    client.server().close();
    assert!(client.server().wait().success());
    support::wait_for_end(&processes);
}

// invariant 29
#[cfg(target_os = "linux")]
#[test]
fn everything_ends_with_a_server_that_is_killed() {
    let place = place();
    let mut client = client(&place);
    busy(&mut client);
    let processes = descendants(client.server().process().id());
    client.server().process().kill().unwrap();
    support::wait_for_end(&processes);
}

/// Sends a signal to a process.
#[cfg(target_os = "linux")]
fn signal(process: &str, signal: rustix::process::Signal) {
    let process = rustix::process::Pid::from_raw(process.parse().unwrap()).unwrap();
    rustix::process::kill_process(process, signal).unwrap();
}

/// The system may hold up a process before it runs any program.
// invariant 29
#[cfg(target_os = "linux")]
#[test]
fn processes_that_do_not_come_up_are_ended() {
    use rustix::process::Signal;
    let place = place();
    let mut client = client(&place);
    let server = client.server().process().id();
    let arguments = |process: &str| std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    // Until it is another program, the server waits for it.
    let is_started = |process: &String| {
        let own = arguments(process);
        !own.is_empty() && own != arguments(&server.to_string())
    };
    let stop = |client: &mut McpClient, tool: &str| {
        loop {
            support::wait_until(|| descendants(server).is_empty());
            let call = client.begin_call(tool, json!({"source": ENDLESS}));
            let mut seen = None;
            // A process that only checks may be over before it is seen.
            support::wait_until(|| {
                seen = descendants(server).pop().filter(is_started);
                seen.is_some() || client.is_answered(call)
            });
            if let Some(process) = seen {
                signal(&process, Signal::STOP);
                return (call, process);
            }
        }
    };
    for tool in ["run", "check", "debug_start"] {
        let (call, process) = stop(&mut client, tool);
        client.notify("notifications/cancelled", json!({"requestId": call}));
        support::wait_for_end(&[process]);
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    }
    let answer = client.text("check", json!({"source": ENDLESS}));
    assert!(answer.contains("no errors"), "{answer}");
    let (_, process) = stop(&mut client, "run");
    client.server().close();
    assert!(client.server().wait().success());
    support::wait_for_end(&[process]);
}

/// What a model may do is not handed on: no port is opened, and nothing stands in the user's list.
#[test]
fn sessions_of_models_are_not_shared() {
    let place = place();
    let list = place.path().join("list");
    fs::create_dir(&list).unwrap();
    let mut command = support::ez();
    command.arg("mcp").arg("--root").arg(place.path().join("root")).env("XDG_RUNTIME_DIR", &list);
    let mut client = McpClient::of(&mut command);
    client.initialize("2025-11-25");
    client.text("debug_start", json!({"source": ENDLESS}));
    for params in [json!({}), json!({"listen": "0.0.0.0:0", "allowRemote": true})] {
        let share = json!({"session": "s1", "command": "share", "params": params});
        let refused = client.failure("debug_do", share);
        assert!(refused.contains("share is not possible here"), "{refused}");
    }
    assert!(!list.join("ez").exists());
}

/// A session whose process does not answer, or is gone.
#[cfg(target_os = "linux")]
#[test]
fn a_session_whose_process_is_held_up_or_killed() {
    use rustix::process::Signal;
    let place = place();
    let mut client = client(&place);
    client.text("debug_start", json!({"source": ENDLESS}));
    let process = descendants(client.server().process().id()).pop().unwrap();
    let command = json!({"session": "s1", "command": "getVariables", "timeLimit": 0.1});
    signal(&process, Signal::STOP);
    let held_up = client.failure("debug_do", command.clone());
    assert!(held_up.contains("does not answer"), "{held_up}");
    signal(&process, Signal::CONT);
    client.text("debug_do", json!({"session": "s1", "command": "getStackTrace"}));
    signal(&process, Signal::KILL);
    support::wait_for_end(&[process]);
    let gone = client.failure("debug_do", command.clone());
    assert!(gone.ends_with("and with it the session s1: start the program again with debug_start"), "{gone}");
    assert!(client.failure("debug_do", command).contains("start one with debug_start"));
}

/// A run of which nothing is known is not one that has reached its time limit.
#[cfg(target_os = "linux")]
#[test]
fn a_run_whose_process_is_held_up_or_killed() {
    use rustix::process::Signal;
    let place = place();
    let mut client = client(&place);
    let cases = [
        (
            Signal::KILL,
            600,
            "the program's process has ended unexpectedly: it may have been killed; try again",
        ),
        (
            Signal::STOP,
            2,
            "does not answer, not even to a pause: it may be stopped or held up by the system; it was ended",
        ),
    ];
    for (sent, limit, expected) in cases {
        let call = client.begin_call("run", json!({"source": ENDLESS, "timeLimit": limit}));
        client.wait_for_progress(call);
        let process = descendants(client.server().process().id()).pop().unwrap();
        signal(&process, sent);
        let answer = client.answer(call);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = support::mcp::text_of(&answer["result"]);
        assert!(text.contains(expected), "{text}");
        support::wait_for_end(&[process]);
    }
}

/// A client that reads nothing cannot hold up the end.
#[cfg(target_os = "linux")]
#[test]
fn everything_ends_with_the_input_of_a_client_that_does_not_read() {
    use std::io::Write;
    use std::process::Stdio;
    let place = place();
    let mut command = support::ez();
    command.arg("mcp").arg("--root").arg(place.path().join("root"));
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = server.stdin.take().unwrap();
    let meta = support::mcp::stateless();
    let mut request = |id: u32, method: &str, params: Value| {
        let mut params = params;
        params["_meta"] = meta.clone();
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    };
    request(1, "tools/call", json!({"name": "run", "arguments": {"source": ENDLESS, "timeLimit": 600}}));
    for id in 2..8 {
        // Each answer is more than a pipe takes.
        request(id, "resources/read", json!({"uri": "ez://library"}));
    }
    drop(stdin);
    assert!(support::wait(&mut server).success());
}

#[test]
fn a_server_ends_whose_input_ends_at_once() {
    let place = place();
    let output = support::with_input(support::ez().arg("mcp").current_dir(&place), "");
    assert!(output.status.success() && output.stdout.is_empty());
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let output = support::with_input(support::ez().arg("mcp").current_dir(&place), &ping);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

/// What an upgrade does while an editor has its server: another file at the path of the program, or none.
#[test]
#[cfg(target_os = "linux")]
fn the_program_may_be_replaced_while_the_server_runs() {
    let place = place();
    let ez = support::copied_ez(place.path());
    let mut client = McpClient::of(
        std::process::Command::new(&ez).arg("mcp").arg("--root").arg(place.path().join("root")),
    );
    client.initialize("2025-11-25");
    let hello = json!({"source": "import @std\ndo main() { std.println(\"hello\") }\n"});
    let before = client.text("run", hello.clone());
    assert!(before.contains("hello"), "{before}");
    fs::write(place.path().join("new"), "another program").unwrap();
    fs::rename(place.path().join("new"), &ez).unwrap();
    assert_eq!(client.text("run", hello.clone()), before);
    fs::remove_file(&ez).unwrap();
    assert_eq!(client.text("run", hello), before);
}
