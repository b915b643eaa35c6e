//! Programs that use all memory up end with a run-time error, or their evaluation fails: never an abort,
//! never another text on standard error.

#![cfg(target_os = "linux")] // Other systems do not tell how much memory a process has.

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::json;
use support::Server;
use tempfile::TempDir;

/// What comes before `main`, and what it does for ever.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("append", "", "temp l [int] = {}\n    loop { arrays.append(l, 1) }"),
    (
        "append_texts",
        "",
        "temp l [string] = {}\n    temp i = 0\n    loop { arrays.append(l, \"a text of some length ${i}\")  i += 1 }",
    ),
    ("append_arrays", "", "temp l [[int]] = {}\n    loop { arrays.append(l, {1, 2, 3, 4, 5, 6, 7, 8}) }"),
    ("map", "", "temp m map[int:int] = {:}\n    temp i = 0\n    loop { m[i] = i  i += 1 }"),
    (
        "map_of_texts",
        "",
        "temp m map[string:string] = {:}\n    temp i = 0\n    loop { m[\"key ${i}\"] = \"value ${i}\"  i += 1 }",
    ),
    (
        "map_of_maps",
        "",
        "temp m map[int:map[string:int]] = {:}\n    temp i = 0\n    loop { m[i] = {\"a\": 1, \"b\": 2}  i += 1 }",
    ),
    (
        "structs",
        "const P struct {\n    x int\n    name string\n}\n",
        "temp l [P] = {}\n    temp i = 0\n    loop { arrays.append(l, P{x: i, name: \"n${i}\"})  i += 1 }",
    ),
    ("add", "", "temp s = \"0123456789\"\n    loop { s = s + s }"),
    ("add_to", "", "temp s = \"0123456789\"\n    loop { s += s }"),
    ("interpolate", "", "temp s = \"0123456789\"\n    loop { s = \"${s}${s}\" }"),
    (
        "copies",
        "",
        "temp l [[int]] = {}\n    temp big [int] = arrays.repeat(7, 100000)\n    loop { arrays.append(l, big) }",
    ),
    (
        "recursion",
        "temp kept [string] = {}\n\ndo build(n int, s string) {\n    arrays.append(kept, \"${s} and ${n}\")\n    \
         if n > 0 {\n        build(n - 1, s + \"x\")\n        build(n - 1, s + \"y\")\n    }\n}\n",
        "build(60, \"\")",
    ),
    (
        "library",
        "",
        "temp s = \"abc,\"\n    loop {\n        s = strings.repeat(s, 2)\n        temp parts = strings.split(s, \",\")\n        \
         temp backwards = arrays.reverse(parts)\n        temp joined = strings.join(parts, \"; \")\n    }",
    ),
    (
        "shown",
        "",
        "temp l [int] = {1}\n    loop {\n        l = arrays.concat(l, l)\n        temp shown = \"${l}\"\n    }",
    ),
];

struct Directory(TempDir);

impl Directory {
    fn new() -> Directory {
        let directory = tempfile::tempdir().unwrap();
        Directory(directory)
    }

    fn write(&self, name: &str, before: &str, body: &str) -> String {
        let name = format!("{name}.ez");
        let uses = ["arrays", "strings"]
            .iter()
            .filter(|module| (before.to_string() + body).contains(&format!("{module}.")));
        let uses: String = uses.map(|module| format!(", @{module}")).collect();
        let text = format!(
            "import @std{uses}\nusing std\n\n{before}\ndo main() {{\n    println(\"begins\")\n    {body}\n}}\n"
        );
        fs::write(self.0.path().join(&name), text).unwrap();
        name
    }

    /// Runs a program under `ulimit -v` (in KiB) or without, and with these arguments.
    fn run(&self, address_space: Option<u64>, arguments: &[&str]) -> Output {
        let limit = address_space.map_or("unlimited".to_string(), |limit| limit.to_string());
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {limit}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_ez")]);
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null()).output().unwrap()
    }
}

/// One report of one error with a code, and nothing else.
fn check(name: &str, output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr);
    let first = errors.lines().next().unwrap_or_default();
    assert_eq!(output.status.code(), Some(1), "{name}: {errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "begins\n", "{name}");
    assert!(
        first.starts_with("error[E5018]: out of memory") || first.starts_with("error[E7010]: "),
        "{name}: {errors}"
    );
    assert_eq!(errors.matches("error").count(), 1, "{name}: {errors}");
    assert!(errors.contains(&format!("--> {name}.ez:")), "{name}: {errors}");
}

// invariant 18
#[test]
fn limits_that_are_given() {
    let place = Directory::new();
    for (name, before, body) in PROGRAMS {
        let file = place.write(name, before, body);
        check(name, &place.run(None, &["run", "--memory", "48M", &file]));
    }
}

#[test]
fn limits_of_the_system() {
    let place = Directory::new();
    // With less than 600 MiB nothing begins, and the program itself takes as much as its file.
    let least = 616_000 + fs::metadata(env!("CARGO_BIN_EXE_ez")).unwrap().len() / 1024;
    for (i, (name, before, body)) in PROGRAMS.iter().enumerate() {
        let file = place.write(name, before, body);
        let limit = least + 37_000 * (i as u64 % 7);
        check(name, &place.run(Some(limit), &[&file]));
    }
}

/// Where the address space has no room for a program or its threads, that is an error.
#[test]
fn no_room_to_start() {
    let place = Directory::new();
    let file = place.write("fine", "", "println(1)");
    let size = fs::metadata(env!("CARGO_BIN_EXE_ez")).unwrap().len() / 1024;
    let mut refused = 0;
    for limit in (510_000..720_000).step_by(2_500) {
        for arguments in [&["run", "--time", "60"][..], &["debug"], &["debugserver"]] {
            let output = place.run(Some(size + limit), &[arguments, &[&file]].concat());
            let errors = String::from_utf8_lossy(&output.stderr);
            let first = errors.lines().next().unwrap_or_default();
            let is_known = ["Error: no ", "Error: there is not enough memory", "error[E5018]"];
            assert!(
                first.is_empty() || is_known.iter().any(|known| first.starts_with(known)),
                "{limit} {arguments:?}: {errors}"
            );
            assert!(matches!(output.status.code(), Some(0 | 1)), "{limit} {arguments:?}: {output:?}");
            refused += usize::from(!first.is_empty());
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn sizes() {
    let place = Directory::new();
    let file = place.write("fine", "", "println(1)");
    for size in ["100000000", "512M", "2G", "2GiB", "1T", "600000K"] {
        assert!(place.run(None, &["run", "--memory", size, &file]).status.success(), "{size}");
    }
    for size in ["0", "much", "-1", "1X", "99999999999G", "M"] {
        assert!(!place.run(None, &["run", "--memory", size, &file]).status.success(), "{size}");
    }
}

/// A server whose address space is limited (in KiB), at the first stop of a program.
fn limited(place: &Directory, limit: u64, file: &str) -> Server {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {limit}; exec \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_ez"), "debugserver", file]);
    let mut server = Server::run(command.current_dir(&place.0).stderr(Stdio::piped()));
    server.command("initialize", json!({"protocolVersion": 2}));
    server.wait_for("initialized");
    server.command("start", json!({}));
    server.wait_for("stopped");
    server
}

// invariant 18
#[test]
fn debugged_programs() {
    let place = Directory::new();
    for (name, before, body) in PROGRAMS {
        let file = place.write(name, before, body);
        let mut server = limited(&place, 1_000_000, &file);
        server.command("continue", json!({}));
        let error = server.wait_for("error");
        let code = error["code"].as_str().unwrap();
        assert!(code == "E5018" || code == "E7010", "{name}: {error}");
        assert!(error["location"]["line"].as_u64().unwrap() > 3, "{name}: {error}");
        assert_eq!(server.wait_for("exited")["exitCode"], 1);
        server.command("terminate", json!({}));
        assert_eq!(server.wait().code(), Some(0), "{name}");
        let errors = server.process().stderr.take().map(support::read_all).unwrap_or_default();
        assert_eq!(errors, "", "{name}");
    }
}

/// An evaluation that finds no memory fails; the program goes on.
// invariant 18
#[test]
fn evaluations() {
    let place = Directory::new();
    let before = "do grow() -> int {\n    temp l [string] = {}\n    temp i = 0\n    \
                  loop { arrays.append(l, \"a text of some length ${i}\")  i += 1 }\n    return 0\n}\n";
    let body = "temp s = strings.repeat(\"0123456789\", 10000000)\n    temp kept [int] = {1}\n    \
                println(len(s))\n    println(kept)";
    let file = place.write("evaluated", before, body);
    let mut server = limited(&place, 1_400_000, &file);
    for _ in 0..3 {
        server.command("stepOver", json!({}));
        server.wait_for("stopped");
    }
    for expression in [
        "s + s + s + s + s + s",
        "\"${s}${s}${s}${s}${s}${s}\"",
        "grow()",
        "arrays.repeat(1, 100000000)",
        "grow() + grow()",
    ] {
        // A busy machine may take longer than the usual five seconds.
        server.command("evaluate", json!({"expression": expression, "timeoutMs": 600_000}));
        let message = server.wait_for("error")["message"].as_str().unwrap().to_string();
        assert!(
            message.contains("out of memory") || message.contains("too large"),
            "{expression}: {message}"
        );
    }
    server.command("evaluate", json!({"expression": "len(s) + len(kept)"}));
    assert_eq!(server.wait_for("evaluateResult")["result"], "100000001");
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("output")["text"], "100000000\n");
    assert_eq!(server.wait_for("output")["text"], "{1}\n");
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
}

/// From the error that ends it, a program can be stepped back: what runs its past has memory of its own.
#[test]
fn the_past_of_programs_that_ran_out_of_memory() {
    let place = Directory::new();
    for (name, before, body) in PROGRAMS {
        let file = place.write(name, before, body);
        let mut server = Server::start(place.0.path(), &[&file]);
        let params =
            json!({"protocolVersion": 2, "history": true, "memoryLimit": 60 << 20, "stopOnEntry": false});
        server.command("initialize", params);
        server.wait_for("initialized");
        server.command("start", json!({}));
        let error = server.wait_for("stopped");
        assert_eq!(error["reason"], "exception", "{name}: {error}");
        for _ in 0..2 {
            server.command("stepBack", json!({}));
            let back = server.wait_for("stopped");
            assert_eq!(back["past"], true, "{name}: {back}");
        }
        server.command("goToPresent", json!({}));
        assert_eq!(server.wait_for("stopped")["step"], error["step"], "{name}");
        server.command("continue", json!({}));
        assert_eq!(server.wait_for("error")["code"], error["code"], "{name}");
        assert_eq!(server.wait_for("exited")["exitCode"], 1, "{name}");
    }
}

/// Where there is no memory to run it again, the program does not suffer from that.
#[test]
fn a_past_for_which_there_is_no_memory() {
    let place = Directory::new();
    let body = "temp all [string] = {}\n    for i in range(0, 300) {\n        \
                arrays.append(all, strings.repeat(\"x\", 1000000))\n    }\n    println(len(all))\n    println(1)";
    let file = place.write("large", "", body);
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "ulimit -v 2200000; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_ez"),
        "debugserver",
        &file,
    ]);
    let mut server = Server::run(command.current_dir(&place.0).stderr(Stdio::piped()));
    server.command("initialize", json!({"protocolVersion": 2, "history": true, "stopOnEntry": false}));
    server.wait_for("initialized");
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["reason"], "end");
    for _ in 0..3 {
        server.command("stepBack", json!({}));
        let stop = server.wait_for("stopped");
        let says_why = stop["text"].as_str().is_some_and(|text| text.contains("the past cannot be shown"));
        assert!(stop["past"] == true || (stop["reason"] == "present" && says_why), "{stop}");
    }
    server.command("goToPresent", json!({}));
    server.wait_for("stopped");
    server.command("evaluate", json!({"expression": "len(all)"}));
    assert_eq!(server.wait_for("evaluateResult")["result"], "300");
    server.command("continue", json!({}));
    assert_eq!(server.wait_for("exited")["exitCode"], 0);
}

/// What shows the past has stacks and heaps of its own, which are no memory of the program.
#[test]
fn a_past_takes_nothing_from_the_limit() {
    let place = Directory::new();
    let body = "temp total = 0\n    for i in range(0, 3000) {\n        total += i\n    }\n    println(total)\n    \
                temp all [int] = {}\n    for i in range(0, 1000000) {\n        arrays.append(all, i)\n    }\n    \
                println(len(all))";
    let file = place.write("shown", "", body);
    let mut server = Server::start(place.0.path(), &[&file]);
    let params =
        json!({"protocolVersion": 2, "history": true, "memoryLimit": 300 << 20, "stopOnEntry": false});
    server.command("initialize", params);
    server.wait_for("initialized");
    server.command("setBreakpoint", json!({"file": file, "line": 10}));
    server.wait_for("breakpointSet");
    server.command("start", json!({}));
    for _ in 0..3 {
        assert_eq!(server.wait_for("stopped")["reason"], "breakpoint");
        for expression in ["total", "missing", "total"] {
            server.command("changes", json!({ "expression": expression }));
            let answer = if expression == "total" { "changes" } else { "error" };
            server.wait_for(answer);
        }
        server.command("stepBack", json!({}));
        server.wait_for("stopped");
        server.command("goToPresent", json!({}));
        server.wait_for("stopped");
        server.command("continue", json!({}));
        let end = server.wait_for("stopped");
        assert_eq!(end["reason"], "end", "{end}");
        server.command("restart", json!({}));
    }
}
