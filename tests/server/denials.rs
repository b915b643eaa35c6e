//! What is denied cannot be reached by another way in: the table of SECURITY.md, walked.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use support::dap::Dap;
use support::mcp::McpClient;
use support::{Server, ez, project, with_input};

use super::kernel::client::Kernel;

/// What is limited, as the columns of the table are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Net,
    Fs,
    Exec,
    Env,
    Root,
    Memory,
    Time,
}

const LIMITS: [(Limit, &str); 7] = [
    (Limit::Net, "`net`"),
    (Limit::Fs, "`fs`"),
    (Limit::Exec, "`exec`"),
    (Limit::Env, "`env`"),
    (Limit::Root, "root"),
    (Limit::Memory, "memory"),
    (Limit::Time, "time"),
];

impl Limit {
    fn name(self) -> &'static str {
        LIMITS.iter().find(|(limit, _)| *limit == self).unwrap().1.trim_matches('`')
    }

    fn part(self) -> Option<&'static str> {
        matches!(self, Limit::Net | Limit::Fs | Limit::Exec | Limit::Env).then_some(self.name())
    }
}

/// A folder with what programs try to reach.
struct Place {
    folder: tempfile::TempDir,
    /// Connections to a server in the network.
    connections: Arc<AtomicUsize>,
    port: u16,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        fs::write(folder.path().join("outside.txt"), "treasure").unwrap();
        fs::write(folder.path().join("root/inside.txt"), "treasure").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::<AtomicUsize>::default();
        let counted = connections.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntreasure");
            }
        });
        let place = Place { folder, connections, port };
        fs::write(place.root().join("waits.ez"), place.program("\"begun\"")).unwrap();
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// What a program declares to reach something: `NAME()` returns it, or why it does not.
    fn declarations(&self) -> String {
        let reach = |name: &str, call: &str| {
            let found = if name == "net" { "found.body" } else { "found" };
            format!(
                "do {name}() -> string {{\n    temp found, wrong = {call}\n    if wrong != nil {{\n        \
                 return wrong.message\n    }}\n    return {found}\n}}\n\n"
            )
        };
        let port = self.port;
        [
            reach("net", &format!("http.get(\"http://127.0.0.1:{port}/\")")),
            reach("fs", "io.read_file(\"inside.txt\")"),
            reach("root", "io.read_file(\"../outside.txt\")"),
            reach("exec", "os.exec_output(\"echo treas$(echo ure)\")"),
            reach("env", "os.get_env(\"EZ_TREASURE\")"),
            "do memory() -> string {\n    temp long string = \"0123456789abcdef\"\n    for i in range(0, 22) {\n        \
             long = long + long\n    }\n    return \"treas\" + \"ure\"\n}\n\n"
                .into(),
            "do time() -> string {\n    sleep_seconds(20)\n    return \"treas\" + \"ure\"\n}\n\n".into(),
        ]
        .concat()
    }

    fn program(&self, call: &str) -> String {
        let imports = "import @std, @io, @os, @http\nusing std\n\n";
        format!(
            "{imports}{}do main() {{\n    println({call})\n    println(\"end\")\n}}\n",
            self.declarations()
        )
    }

    /// The line of the last statement of each program.
    fn last_line(&self) -> usize {
        self.program("0").lines().count() - 1
    }

    /// A program that tries to reach this, in a file of the root.
    fn trying(&self, limit: Limit) -> String {
        let file = format!("{}.ez", limit.name());
        fs::write(self.root().join(&file), self.program(&format!("{}()", limit.name()))).unwrap();
        file
    }
}

/// What is used to deny; `None`: nothing is denied.
type Denied = Option<Limit>;

fn command(place: &Place, arguments: &[&str]) -> std::process::Command {
    let mut command = ez();
    command.args(arguments).current_dir(place.root()).env("EZ_TREASURE", "treasure");
    command
}

/// Runs `ez` with these arguments; gives all that it says.
fn said(place: &Place, arguments: &[&str], input: &str) -> String {
    let output = with_input(&mut command(place, arguments), input);
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The flags of a command line that deny this.
fn flags(denied: Denied) -> Vec<&'static str> {
    match denied {
        None => Vec::new(),
        Some(Limit::Memory) => vec!["--memory", "16M"],
        Some(Limit::Time) => vec!["--time", "1"],
        Some(Limit::Root) => vec!["--root", "."],
        Some(limit) => vec!["--deny", limit.part().unwrap()],
    }
}

/// The flags of a command that runs programs with cases, which always denies some of it.
fn flags_with_case(wanted: Limit, denied: Denied) -> Vec<&'static str> {
    match (wanted, denied) {
        (Limit::Net, None) => vec!["--allow-net"],
        (Limit::Net | Limit::Exec | Limit::Root, _) => Vec::new(),
        _ => flags(denied),
    }
}

/// The case `1` of the programs, each of which prints something else.
fn with_case(place: &Place, file: &str) {
    let folder = place.root().join(file).with_extension("cases");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("1.out"), "nothing\n").unwrap();
}

fn test(place: &Place, wanted: Limit, denied: Denied) -> String {
    let file = place.trying(wanted);
    with_case(place, &file);
    said(place, &[&["test"], &flags_with_case(wanted, denied)[..], &[&file]].concat(), "")
}

fn run(place: &Place, wanted: Limit, denied: Denied) -> String {
    let file = place.trying(wanted);
    said(place, &[&["run"], &flags(denied)[..], &[&file]].concat(), "")
}

fn trace(place: &Place, wanted: Limit, denied: Denied) -> String {
    let file = place.trying(wanted);
    let told = said(place, &[&["trace", "-o", "page.html"], &flags(denied)[..], &[&file]].concat(), "");
    // The page has the text of the program, too, but not this word.
    told + &fs::read_to_string(place.root().join("page.html")).unwrap_or_default()
}

fn trace_of_case(place: &Place, wanted: Limit, denied: Denied) -> String {
    let file = place.trying(wanted);
    with_case(place, &file);
    let flags = flags_with_case(wanted, denied);
    let told =
        said(place, &[&["trace", "-o", "page.html", "--case", "1"], &flags[..], &[&file]].concat(), "");
    told + &fs::read_to_string(place.root().join("page.html")).unwrap_or_default()
}

/// The program, and all that a person can have evaluated.
fn debug(place: &Place, wanted: Limit, denied: Denied) -> String {
    debug_with(place, wanted, &flags(denied))
}

fn debug_of_case(place: &Place, wanted: Limit, denied: Denied) -> String {
    with_case(place, "waits.ez");
    with_case(place, &place.trying(wanted));
    debug_with(place, wanted, &[&["--case", "1"], &flags_with_case(wanted, denied)[..]].concat())
}

fn debug_with(place: &Place, wanted: Limit, flags: &[&str]) -> String {
    let call = format!("{}()", wanted.name());
    let line = place.last_line();
    let prompt = format!(
        "present\nprint {call}\ndisplay {call}\nbreak {line} if {call} != \"\" log it is {{{call}}}\ntemp x = {call}\ncontinue\n"
    );
    let evaluated = said(place, &[&["debug", "--keep-going"], flags, &["waits.ez"]].concat(), &prompt);
    let file = place.trying(wanted);
    evaluated + &said(place, &[&["debug"], flags, &[&file]].concat(), "continue\n")
}

fn line_protocol(place: &Place, wanted: Limit, denied: Denied) -> String {
    let call = format!("{}()", wanted.name());
    let root = place.root();
    let arguments = match denied {
        Some(Limit::Root) => vec!["debugserver", "--root", root.to_str().unwrap()],
        _ => vec!["debugserver"],
    };
    let mut told = String::new();
    for file in [place.trying(wanted).as_str(), "waits.ez"] {
        let mut server = Server::run(&mut command(place, &arguments));
        let mut launch = json!({"file": file, "protocolVersion": 2});
        match denied {
            Some(Limit::Memory) => launch["memoryLimit"] = json!(16 << 20),
            Some(Limit::Root) | None => {}
            Some(limit) => launch["deny"] = json!([limit.part().unwrap()]),
        }
        told += &format!("{:?}", server.ask("initialize", launch));
        server.command("start", json!({}));
        server.wait_for("stopped");
        let mut ask = |name: &str, params: Value| told += &format!("{:?}", server.ask(name, params));
        if file == "waits.ez" {
            ask("evaluate", json!({"expression": call}));
            ask("evaluate", json!({"expression": call, "context": "watch"}));
            ask("addWatch", json!({"expression": call}));
            let (condition, log) = (format!("{call} != \"\""), format!("{{{call}}}"));
            let line = place.last_line();
            ask(
                "setBreakpoint",
                json!({"file": file, "line": line, "condition": condition, "logMessage": log}),
            );
        }
        server.command("continue", json!({}));
        server.close();
        while let Some(line) = server.line() {
            told += &line;
        }
    }
    told
}

fn dap(place: &Place, wanted: Limit, denied: Denied) -> String {
    let call = format!("{}()", wanted.name());
    let mut told = String::new();
    for file in [place.trying(wanted).as_str(), "waits.ez"] {
        let mut command = ez();
        command.arg("dap");
        if denied == Some(Limit::Root) {
            command.arg("--root").arg(place.root());
        }
        let mut dap = Dap::run(command, &place.root());
        dap.request("initialize", json!({"adapterID": "ez"}));
        let program = place.root().join(file);
        let mut launch = json!({"program": program, "cwd": place.root(), "stopOnEntry": true, "env": {"EZ_TREASURE": "treasure"}});
        match denied {
            Some(Limit::Memory) => launch["memoryLimit"] = json!("16M"),
            Some(Limit::Root) | None => {}
            Some(limit) => launch["deny"] = json!([limit.part().unwrap()]),
        }
        dap.request("launch", launch);
        dap.request("configurationDone", Value::Null);
        dap.stop();
        if file == "waits.ez" {
            let (condition, log) = (format!("{call} != \"\""), format!("{{{call}}}"));
            let at = json!({"line": place.last_line(), "condition": condition, "logMessage": log});
            dap.request("setBreakpoints", json!({"source": {"path": program}, "breakpoints": [at]}));
            for context in ["repl", "watch", "hover"] {
                told +=
                    &dap.response("evaluate", json!({"expression": call, "context": context})).to_string();
            }
        }
        dap.request("setExceptionBreakpoints", json!({"filters": []}));
        dap.request("continue", json!({"threadId": 1}));
        // A condition that fails stops the program, too.
        let mut last = Value::Null;
        while last != "stopped" && last != "terminated" {
            last = dap.any_event()["event"].take();
        }
        // But what the client has said itself.
        told += &dap.disconnect().replace("\"EZ_TREASURE\":\"treasure\"", "");
    }
    told
}

fn kernel(place: &Place, wanted: Limit, denied: Denied) -> String {
    let kernel = Kernel::run(command(place, &[]), tempfile::tempdir().unwrap(), &flags(denied));
    let mut client = kernel.client();
    client.run("import @io, @os, @http");
    client.run(&place.declarations());
    let told = format!("{:?}", client.run(&format!("println({}())", wanted.name())));
    client.shut_down(kernel);
    told
}

fn mcp(place: &Place, wanted: Limit, denied: Denied) -> String {
    let root = place.root();
    // What no flag allows is denied always.
    let mut arguments = vec!["mcp", "--root", root.to_str().unwrap()];
    if wanted == Limit::Net && denied.is_none() {
        arguments.push("--allow-net");
    }
    let mut client = McpClient::of(&mut command(place, &arguments));
    client.initialize("2025-11-25");
    let call = format!("{}()", wanted.name());
    let mut told = String::new();
    let mut about = json!({"file": place.trying(wanted)});
    match denied {
        Some(Limit::Memory) => about["memory"] = json!("16M"),
        Some(Limit::Time) => about["timeLimit"] = json!(1),
        Some(limit @ (Limit::Fs | Limit::Env)) => about["deny"] = json!([limit.name()]),
        _ => {}
    }
    let mut ask = |tool: &str, arguments: Value| {
        let answer = client.call(tool, arguments);
        told += &answer["content"][0]["text"].to_string();
        told += &answer["structuredContent"].to_string();
    };
    ask("run", about.clone());
    if denied != Some(Limit::Time) {
        about["file"] = json!("waits.ez");
        ask("debug_start", about.clone());
        ask("debug_do", json!({"session": "s1", "command": "evaluate", "params": {"expression": call}}));
    }
    told
}

/// A recording, which is replayed where there is nothing any more of what it has received.
fn replay(place: &Place, wanted: Limit, denied: Denied) -> String {
    if denied.is_none() {
        return run(place, wanted, None);
    }
    let file = place.trying(wanted);
    let before = place.connections.load(Ordering::SeqCst);
    said(place, &["run", "--record", "r.ezrun", &file], "");
    place.connections.store(before, Ordering::SeqCst);
    fs::rename(place.root().join("inside.txt"), place.root().join("away.txt")).unwrap();
    let output = with_input(ez().args(["replay", "r.ezrun"]).current_dir(place.root()), "");
    fs::rename(place.root().join("away.txt"), place.root().join("inside.txt")).unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.ends_with("treasure\nend\n"), "as recorded: {told}");
    assert_eq!(place.connections.load(Ordering::SeqCst), before, "nothing is reached");
    String::new()
}

type Way = fn(&Place, Limit, Denied) -> String;

const WAYS: [(&str, Way); 11] = [
    ("`ez run`", run),
    ("`ez debug`", debug),
    ("`ez debug --case`", debug_of_case),
    ("`ez trace`", trace),
    ("`ez trace --case`", trace_of_case),
    ("`ez test`", test),
    ("`ez debugserver`", line_protocol),
    ("`ez dap`", dap),
    ("`ez kernel`", kernel),
    ("`ez mcp`", mcp),
    ("`ez replay`", replay),
];

/// The rows of the table, each with its first cell and the others.
fn table() -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(project("SECURITY.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
    };
    let mut rows = rows.map(cells);
    let columns = rows.next().unwrap();
    let wanted: Vec<&str> = LIMITS.iter().map(|(_, name)| *name).collect();
    assert_eq!(columns[1..], wanted);
    rows.next();
    rows.map(|mut row| (row.remove(0), row)).collect()
}

/// Walks the rows of one way in.
fn walk(name: &str) {
    let way = WAYS.iter().find(|(known, _)| *known == name).unwrap().1;
    let table = table();
    let (_, cells) = table.iter().find(|(way, _)| way.starts_with(name)).unwrap();
    let place = Place::new();
    for ((limit, _), cell) in LIMITS.iter().zip(cells) {
        if cell == "–" {
            continue;
        }
        let reached = |denied: Denied| {
            let before = place.connections.load(Ordering::SeqCst);
            let told = way(&place, *limit, denied);
            let connected = place.connections.load(Ordering::SeqCst) > before;
            (told.contains("treasure") || connected, told)
        };
        // What `ez mcp` always denies cannot be tried without.
        let always = cell == "always";
        if !always && *limit != Limit::Time {
            let (is_reached, told) = reached(None);
            assert!(is_reached, "{name} does not reach {limit:?}, although nothing is denied: {told}");
        }
        let (is_reached, told) = reached(Some(*limit));
        assert!(!is_reached, "{name} reaches {limit:?}: {told}");
    }
}

#[test]
fn every_way_in_is_in_the_table() {
    let listed: BTreeSet<String> = table().into_iter().map(|(way, _)| way).collect();
    let known: BTreeSet<String> = WAYS.iter().map(|(name, _)| name.to_string()).collect();
    let first = |way: &String| way.split(',').next().unwrap().split(':').next().unwrap().to_string();
    assert_eq!(listed.iter().map(first).collect::<BTreeSet<_>>(), known);
}

/// What a client names is within the root, too: the program, the recording of one, what it is to print.
#[test]
fn what_a_client_names_is_within_the_root() {
    let place = Place::new();
    let (root, outside) = (place.root(), place.folder.path().to_path_buf());
    fs::write(root.join("expected.txt"), "begun\n").unwrap();
    fs::write(outside.join("waits.ez"), place.program("\"begun\"")).unwrap();
    said(&place, &["run", "--record", "r.ezrun", "waits.ez"], "");
    fs::copy(root.join("r.ezrun"), outside.join("r.ezrun")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("../r.ezrun", root.join("link.ezrun")).unwrap();
    let named = [
        ("file", "waits.ez", "../waits.ez"),
        ("replay", "r.ezrun", "../r.ezrun"),
        #[cfg(unix)]
        ("replay", "r.ezrun", "link.ezrun"),
        ("replay", "r.ezrun", "../nothing.ezrun"),
        ("expectedOutput", "expected.txt", "../outside.txt"),
    ];
    for (name, inside, outside) in named {
        for (file, is_refused) in [(inside, false), (outside, true)] {
            let mut server = Server::run(&mut command(&place, &["debugserver", "--root", "."]));
            let ours = name == "expectedOutput";
            let launch = if ours { json!({"file": "waits.ez"}) } else { json!({name: file}) };
            let mut told = server.ask("initialize", launch);
            if ours {
                told = server.ask("setExpectedOutput", json!({"file": file}));
            }
            assert_eq!(told.0 == "error", is_refused, "{name} {file}: {told:?}");
            assert_eq!(told.1.to_string().contains("denied files outside of"), is_refused, "{told:?}");

            let mut adapter = ez();
            adapter.args(["dap", "--root", "."]);
            let mut dap = Dap::run(adapter, &root);
            dap.request("initialize", json!({"adapterID": "ez"}));
            let launch = match name {
                "file" => json!({"program": file}),
                "replay" => json!({"replay": file}),
                _ => json!({"program": "waits.ez", "expectedOutput": file}),
            };
            let answer = dap.response("launch", launch).to_string();
            let told = answer + &dap.disconnect();
            assert_eq!(told.contains("denied files outside of"), is_refused, "{name} {file}: {told}");
        }
    }
}

macro_rules! ways {
    ($($test:ident $name:literal)*) => { $(#[test] fn $test() { walk($name); })* };
}

ways! {
    running "`ez run`"
    debugging "`ez debug`"
    debugging_a_case "`ez debug --case`"
    tracing "`ez trace`"
    tracing_a_case "`ez trace --case`"
    testing "`ez test`"
    the_line_protocol "`ez debugserver`"
    the_debug_adapter "`ez dap`"
    cells "`ez kernel`"
    models "`ez mcp`"
    recordings "`ez replay`"
}
