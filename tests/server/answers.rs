//! What single commands answer, where that depends on more than the command.

use serde_json::{Value, json};
use support::Server;
use tempfile::TempDir;

/// A program that is stopped at its end, its history kept.
fn at_the_end(program: &str) -> (TempDir, Server) {
    let (directory, mut server) = loaded(program, true);
    assert_eq!(server.ask("start", json!({})).1["reason"], "end");
    (directory, server)
}

fn loaded(program: &str, history: bool) -> (TempDir, Server) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.ez"), program).unwrap();
    let mut server = Server::start(directory.path(), &["a.ez"]);
    let (name, data) =
        server.ask("initialize", json!({"protocolVersion": 2, "history": history, "stopOnEntry": !history}));
    assert_eq!(name, "initialized", "{data}");
    (directory, server)
}

fn changes(server: &mut Server, params: Value) -> Vec<Value> {
    let (name, data) = server.ask("changes", params);
    assert_eq!(name, "changes", "{data}");
    data["changes"].as_array().unwrap().clone()
}

/// Step, line and column of a change.
fn place(change: &Value) -> [u64; 3] {
    let number = |value: &Value| value.as_u64().unwrap();
    [number(&change["step"]), number(&change["location"]["line"]), number(&change["location"]["column"])]
}

#[test]
fn what_calls_create_was_created_by_the_statement_that_made_the_calls() {
    let (_directory, mut server) = at_the_end(
        "import @std
using std
do f(n int) -> int {
    println(n)
    return n
}
do g(l [int]) -> [int] {
    temp own [int] = {f(8), f(l[0])}
    return own
}
do deep(n int) -> [int] {
    if n == 0 { return {f(7)} }
    return deep(n - 1)
}
do main() {
    temp m map[int:int] = {f(1): f(2), f(3): f(4)}
    temp a [int] = {f(5), f(6)}
    temp b [int] = g({f(1)})
    temp c [int] = deep(2)
    temp d [[int]] = {{1}, {f(2)}, {3}}
    println(m, a, b, c, d)
}
",
    );
    for (expression, line, column) in [
        ("m[1]", 16, 5),
        ("a[1]", 17, 5),
        ("b[0]", 8, 5),
        ("c[0]", 12, 17),
        ("d[0][0]", 20, 5),
        ("d[1][0]", 20, 5),
    ] {
        let all = changes(&mut server, json!({"expression": expression}));
        assert_eq!(all.len(), 1, "{expression}: {all:?}");
        assert_eq!(all[0]["cause"], "created", "{expression}");
        let [step, at, begins] = place(&all[0]);
        assert_eq!((at, begins), (line, column), "{expression}: {all:?}");
        let (_, stop) = server.ask("goToStep", json!({"step": step}));
        assert_eq!((&stop["location"]["line"], &stop["step"]), (&json!(line), &json!(step)), "{expression}");
        server.ask("goToPresent", json!({}));
    }
}

#[test]
fn changes_have_the_declared_type_and_the_place_of_their_statement() {
    let (_directory, mut server) = at_the_end(
        "import @std, @arrays
using std
const Tree struct { left Tree }
do add(l [int], n int) {
    arrays.append(l, n)
}
do main() {
    temp a i8 = 1
    temp b f32 = 1.5
    temp t Tree = nil
    temp l [int] = {}
    a = 2
    add(l, 3)
    if true { a = a + 1 }
    println(a, b, t, l)
}
",
    );
    for (expression, ty) in [("a", "i8"), ("b", "f32"), ("t", "Tree")] {
        let (_, last) = server.ask("lastChange", json!({"expression": expression}));
        let all = changes(&mut server, json!({"expression": expression}));
        assert!(all.iter().all(|change| change["type"] == ty), "{all:?}");
        assert_eq!((&last["type"], place(&last)), (&json!(ty), place(&all[0])), "{last}");
    }
    assert_eq!(place(&changes(&mut server, json!({"expression": "a"}))[0]), [9, 14, 15]);
    assert_eq!(place(&changes(&mut server, json!({"expression": "l[0]"}))[0])[1..], [5, 5]);
    server.ask("setFunctionBreakpoints", json!({"breakpoints": [{"name": "add"}]}));
    server.ask("reverseContinue", json!({}));
    let passed = changes(&mut server, json!({"expression": "n"}));
    assert_eq!((&passed[0]["cause"], place(&passed[0])), (&json!("passed"), [6, 13, 8]), "{passed:?}");
}

#[test]
fn a_parameter_to_which_something_refers_is_found_among_numbers() {
    let (_directory, mut server) = loaded(
        "import @std
using std
do f(n int, m int, x float) -> int {
    temp r = ref(m)
    return n + r
}
do main() {
    println(f(1, 2, 0.5))
}
",
        true,
    );
    server.ask("setBreakpoint", json!({"file": "a.ez", "line": 5}));
    assert_eq!(server.ask("start", json!({})).1["location"]["line"], 5);
    let passed = changes(&mut server, json!({"expression": "m"}));
    assert_eq!((&passed[0]["cause"], place(&passed[0])[1]), (&json!("passed"), 8), "{passed:?}");
}

#[test]
fn pages_of_changes_of_a_local_are_parts_of_the_list() {
    let (_directory, mut server) = at_the_end(
        "do f(n int) -> int {\n    temp s int = n\n    s += 1\n    s += 2\n    return s\n}\ndo main() {\n    \
         temp x int = f(1)\n    for i in range(0, 5) { x += f(i) }\n}\n",
    );
    server.ask("setBreakpoint", json!({"file": "a.ez", "line": 5}));
    server.ask("reverseContinue", json!({}));
    let whole = changes(&mut server, json!({"expression": "s"}));
    assert_eq!(whole.len(), 3, "{whole:?}");
    for change in &whole {
        let before = change["step"].as_u64().unwrap();
        let earlier: Vec<&Value> = whole.iter().filter(|it| it["step"].as_u64().unwrap() < before).collect();
        let page = changes(&mut server, json!({"expression": "s", "before": before}));
        assert_eq!(page.iter().collect::<Vec<_>>(), earlier, "before {before}");
    }
    assert!(changes(&mut server, json!({"expression": "s", "before": 3})).is_empty());
}

#[test]
fn a_declaration_has_no_old_value_for_a_data_breakpoint() {
    let (_directory, mut server) = at_the_end(
        "do f() -> int {\n    return 42\n}\ndo main() {\n    temp answer int = f()\n    answer = 43\n    \
         temp text string = \"abc\"\n    answer = 44\n    answer = 45\n}\n",
    );
    for (name, changes) in [
        ("answer", [(8, json!("43"), "44"), (6, json!("42"), "43"), (5, Value::Null, "42")].to_vec()),
        ("text", [(7, Value::Null, "\"abc\"")].to_vec()),
    ] {
        server.ask("setDataBreakpoints", json!({"breakpoints": [{"name": name}]}));
        for (line, old, new) in changes {
            let (_, stop) = server.ask("reverseContinue", json!({}));
            assert_eq!(stop["reason"], "data breakpoint", "{stop}");
            assert_eq!((&stop["oldValue"], &stop["newValue"]), (&old, &json!(new)), "{stop}");
            assert_eq!(stop["writtenAt"]["line"], line, "{stop}");
        }
        server.ask("goToPresent", json!({}));
    }
}

#[test]
fn output_of_the_client_counts_at_once() {
    let (_directory, mut server) = at_the_end("import @std\nusing std\ndo main() {\n    println(\"a\")\n}\n");
    assert_eq!(server.ask("getState", json!({})).1["outputLength"], 2);
    server.ask("evaluate", json!({"expression": "println(\"client\")"}));
    assert_eq!(server.ask("getState", json!({})).1["outputLength"], 9);
    assert_eq!(server.ask("stepBack", json!({})).1["outputLength"], 0);
    assert_eq!(server.ask("goToPresent", json!({})).1["outputLength"], 9);
}

#[test]
fn all_calls_of_a_statement_are_step_targets() {
    let calls: Vec<String> = (1..=4_097).map(|n| format!("f({n})")).collect();
    let head = "do f(n int) -> int {\n    return n\n}\ndo main() {\n    temp all [int] = ";
    let (_directory, mut server) = loaded(&format!("{head}{{{}}}\n}}\n", calls.join(", ")), false);
    server.ask("start", json!({}));
    let (_, data) = server.ask("getStepTargets", json!({}));
    let last = data["targets"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["id"], &last["label"]), (&json!(4_097), &json!("f(4097)")));
}

#[test]
fn what_has_no_result_has_an_empty_one() {
    let (_directory, mut server) =
        loaded("import @std\nusing std\ndo main() {\n    temp a int = 1\n    println(a)\n}\n", false);
    server.ask("start", json!({}));
    server.ask("stepOver", json!({}));
    for expression in ["a = 2", "a += 1", "println(a)"] {
        let (_, data) = server.ask("evaluate", json!({"expression": expression}));
        assert_eq!((&data["result"], &data["type"]), (&json!(""), &json!("void")), "{expression}: {data}");
    }
    assert_eq!(server.ask("evaluate", json!({"expression": "nil"})).1["result"], "nil");
    assert_eq!(server.ask("evaluate", json!({"expression": "a"})).1["result"], "3");
}

#[test]
fn what_looks_at_something_holds_up_a_step_for_a_moment_only() {
    let (_directory, mut server) = loaded(
        "do spin(n int) -> int {\n    as_long_as n == 0 { temp m int = n }\n    return n\n}\ndo main() {\n    temp a int = 1\n    a = 2\n}\n",
        false,
    );
    server.ask("start", json!({}));
    for context in ["watch", "hover"] {
        let (name, data) = server.ask("evaluate", json!({"expression": "spin(0)", "context": context}));
        assert_eq!((&*name, &data["message"]), ("error", &json!("evaluation took longer than 500 ms")));
    }
    let (_, data) =
        server.ask("evaluate", json!({"expression": "spin(0)", "context": "watch", "timeoutMs": 600}));
    assert_eq!(data["message"], "evaluation took longer than 600 ms");
}

#[test]
fn conditions_of_filters_are_checked_when_they_are_set() {
    let program = "import @std\nusing std\ntemp limit int = 3\ndo main() {\n    temp e Error = error(\"x\")\n    println(e, limit)\n}\n";
    let set = |server: &mut Server, condition: &str| {
        let options = json!({"filterOptions": [{"filterId": "errorValue", "condition": condition}]});
        let (name, data) = server.ask("setExceptionBreakpoints", options);
        assert_eq!(name, "exceptionBreakpoints", "{data}");
        data["filters"][0]["message"].as_str().unwrap_or_default().to_string()
    };
    let (_directory, mut server) = loaded(program, false);
    for (condition, message) in [
        ("error.code ==", "expected"),
        ("(((", "expected"),
        ("error.code = \"x\"", ""),
        ("error.nosuch == 1", "nosuch"),
        ("1", "condition must be bool, got int"),
        ("error", "condition must be bool, got Error"),
        ("\"a\"", "condition must be bool, got string"),
        ("error.mesage == \"cant\"", "mesage"),
        ("error.mesage == \"can't\"", "mesage"),
        ("error.message + \"can't\"", "condition must be bool, got string"),
        ("error.mesage == `${x}`", "mesage"),
        ("len(error.message)", "condition must be bool, got int"),
        ("len(error.mesage) > 3", "mesage"),
        ("typeof(error) + 1", ""),
        ("string(error.mesage) == \"x\"", "mesage"),
        ("\"${error.mesage}\" == \"limit\"", "mesage"),
    ] {
        let why = set(&mut server, condition);
        assert!(!why.is_empty() && why.contains(message), "{condition}: {why}");
    }
    // What a name means is known where the error happens.
    for condition in [
        "error.code == \"E7001\"",
        "true",
        "n > limit",
        "limit > 2 && error.message != \"\"",
        "limit",
        "error.mesage == \"${x}\"",
        "own(error.mesage)",
        "error.code == lib.CODE",
    ] {
        assert_eq!(set(&mut server, condition), "", "{condition}");
    }
    // One that is wrong never stops the program, also if it was set before the program was loaded.
    set(&mut server, "error.nosuch == 1");
    server.ask("start", json!({}));
    assert_eq!(server.ask("continue", json!({})).0, "exited");
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.ez"), program).unwrap();
    let mut server = Server::start(directory.path(), &["a.ez"]);
    server.ask(
        "setExceptionBreakpoints",
        json!({"filterOptions": [{"filterId": "errorValue", "condition": "1"}]}),
    );
    server.ask("initialize", json!({"protocolVersion": 2, "keepAlive": true}));
    let (_, state) = server.ask("getState", json!({}));
    assert_eq!(state["exceptionFilters"][0]["message"], "condition must be bool, got int", "{state}");
}

#[test]
fn hits_of_another_run_are_not_told_at_a_restart() {
    let program = "do main() {\n    temp n int = 0\n    for i in range(0, 3) {\n        n += 1\n    }\n}\n";
    let (directory, mut server) = loaded(program, false);
    server.ask("setBreakpoint", json!({"file": "a.ez", "line": 4}));
    server.ask("start", json!({}));
    for _ in 0..2 {
        server.ask("continue", json!({}));
    }
    std::fs::write(directory.path().join("a.ez"), format!("\n\n{program}")).unwrap();
    server.command("restart", json!({}));
    let changed = server.wait_for("breakpointChanged");
    assert_eq!(changed["breakpoint"]["column"], 5, "{changed}");
    assert_eq!(changed["breakpoint"]["hits"], 0, "{changed}");
}

/// What never ends cannot be loaded, and what is not there needs no directory.
#[cfg(unix)]
#[test]
fn programs_are_regular_files_of_some_size() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe.ez");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let large = directory.path().join("large.ez");
    std::fs::File::create(&large).unwrap().set_len((64 << 20) + 1).unwrap();
    for (file, why) in [
        ("pipe.ez", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("large.ez", "the file is larger than 64 MiB"),
    ] {
        let mut server = Server::start(directory.path(), &[]);
        let (name, data) = server.ask("initialize", json!({"file": file}));
        assert_eq!(name, "error", "{data}");
        let told = format!("{data}");
        assert!(told.contains(why), "{file}: {told}");
        server.close();
        server.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_server_in_a_deleted_directory_takes_absolute_names() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.ez");
    std::fs::write(&file, "do main() {\n}\n").unwrap();
    let gone = directory.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let script = "cd gone && rmdir ../gone && exec \"$EZ\" debugserver";
    let mut shell = std::process::Command::new("sh");
    let mut server =
        Server::run(shell.args(["-c", script]).env("EZ", support::ez_path()).current_dir(directory.path()));
    let (name, data) = server.ask("initialize", json!({"file": file.to_str().unwrap()}));
    assert_eq!(name, "initialized", "{data}");
    assert_eq!(server.ask("start", json!({})).0, "exited");
}

#[test]
fn what_only_looks_takes_little_memory() {
    let (_directory, mut server) = loaded(
        "import @std, @strings\nusing std\ndo main() {\n    temp a int = 1\n    println(a)\n}\n",
        false,
    );
    server.ask("start", json!({}));
    let question = |context: &str, count: u64| json!({"expression": format!("len(strings.repeat(\"x\", {count}))"), "context": context});
    for context in ["watch", "hover"] {
        let (event, data) = server.ask("evaluate", question(context, 400_000_000));
        assert_eq!(
            (event.as_str(), &data["message"]),
            ("error", &json!("strings.repeat() result is too large"))
        );
        assert_eq!(server.ask("evaluate", question(context, 1_000_000)).1["result"], "1000000");
    }
    assert_eq!(server.ask("evaluate", question("repl", 400_000_000)).1["result"], "400000000");
}
