//! `ez kernel`: the messages of Jupyter over sockets.

pub mod client;
mod debugger;
mod faults;

use std::time::{Duration, Instant};

use serde_json::json;

use client::{Kernel, To, joined};

#[test]
fn a_kernel_introduces_itself() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    for to in [To::Shell, To::Control] {
        let info = client.ask(to, "kernel_info_request", json!({}));
        assert_eq!(info["status"], "ok");
        assert_eq!(info["protocol_version"], "5.4");
        assert_eq!(info["language_info"]["file_extension"], ".ez");
        assert_eq!(info["debugger"], true);
        assert_eq!(info["limits"], json!({"deny": [], "memory": null}));
        assert_eq!(info["supported_features"], json!(["debugger"]));
    }
    client.beat();
    client.beat();
    client.shut_down(kernel);
}

#[test]
fn cells_share_what_they_declare() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let (reply, told) = client.run("temp n int = 20\ndo twice(x int) -> int {\n    return x * 2\n}");
    assert_eq!(reply["status"], "ok");
    assert_eq!((&reply["execution_count"], told.len()), (&json!(1), 0));
    let (reply, told) = client.run("println(\"a\")\neprintln(\"b\")\nprintln(\"c\")\ntwice(n) + 2");
    assert_eq!(reply["execution_count"], 2);
    let kinds: Vec<&str> = told.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["stream", "stream", "stream", "execute_result"]);
    assert_eq!(told[1].1, json!({"name": "stderr", "text": "b\n"}));
    assert_eq!(told[3].1["data"], json!({"text/plain": "42"}));
    client.shut_down(kernel);
}

#[test]
fn tables_are_html() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    client.run("const Point struct {\n    x int\n    y int\n}");
    let (_, told) = client.run("temp points [Point] = {Point{x: 1, y: 2}, Point{x: 3, y: 4}}\npoints");
    let html = told[0].1["data"]["text/html"].as_str().unwrap();
    assert!(html.starts_with("<table>") && html.contains("<th>x</th><th>y</th>"), "{html}");
    client.shut_down(kernel);
}

#[test]
fn errors_are_reports() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let (reply, told) = client.run("temp n int = 1\nn / 0");
    let (kind, error) = told.last().unwrap();
    assert_eq!((kind.as_str(), &error["ename"]), ("error", &json!("E5001")));
    assert_eq!(reply["traceback"], error["traceback"]);
    let report: Vec<&str> =
        error["traceback"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    assert!(report.iter().any(|line| line.contains("Cell [1]")), "{report:?}");
    assert!(report[0].contains("\u{1b}["), "coloured: {report:?}");
    let (reply, _) = client.run("y");
    assert_eq!((&reply["status"], &reply["ename"]), (&json!("error"), &json!("E4001")));
    client.shut_down(kernel);
}

#[test]
fn an_error_aborts_the_cells_that_wait() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    for stop_on_error in [true, false] {
        // The others wait for the first one, which waits for a line.
        let codes = ["temp zero int = len(input())\nprintln(1 / zero)", "println(1)", "println(2)"];
        let request = |code: &str| json!({"code": code, "stop_on_error": stop_on_error});
        let _ = codes.map(|code| client.send(To::Shell, "execute_request", request(code)));
        client.send(To::Shell, "kernel_info_request", json!({}));
        assert_eq!(client.next(To::Stdin)["type"], "input_request");
        client.send(To::Stdin, "input_reply", json!({"value": ""}));
        let replies = [(); 4].map(|()| client.next(To::Shell)["content"]["status"].clone());
        let second = if stop_on_error { "aborted" } else { "ok" };
        assert_eq!(replies, ["error", second, second, "ok"]);
    }
    client.shut_down(kernel);
}

#[test]
fn cells_ask_for_input() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let id = client.send(
        To::Shell,
        "execute_request",
        json!({"code": "temp name string = input()\nprintln(\"hello ${name}\")", "allow_stdin": true}),
    );
    let asked = client.next(To::Stdin);
    assert_eq!((&asked["type"], &asked["parent"]), (&json!("input_request"), &json!(id)));
    client.send(To::Stdin, "input_reply", json!({"value": "Ann"}));
    assert_eq!(joined(&client.about(&id)), "hello Ann\n");
    assert_eq!(client.next(To::Shell)["content"]["status"], "ok");
    client.shut_down(kernel);
}

#[test]
fn without_a_front_end_that_gives_input_reading_is_an_error() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let code = "temp name string = input()\nprintln(name)";
    let (reply, told) = client.run_with(json!({"code": code, "allow_stdin": false}));
    assert_eq!((&reply["status"], &reply["ename"], told.len()), (&json!("error"), &json!("E7099"), 1));
    assert!(reply["evalue"].as_str().unwrap().starts_with("input cannot be read"), "{reply}");
    // The next cell can ask.
    let id = client.send(To::Shell, "execute_request", json!({"code": code}));
    assert_eq!(client.next(To::Stdin)["type"], "input_request");
    client.send(To::Stdin, "input_reply", json!({"value": "Ann"}));
    assert_eq!(joined(&client.about(&id)), "Ann\n");
    client.shut_down(kernel);
}

#[test]
fn silent_cells_say_nothing_and_do_not_count() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let (reply, told) = client.run_with(json!({"code": "temp x int = 5\nprintln(x)\nx", "silent": true}));
    assert_eq!((&reply["status"], told.len()), (&json!("ok"), 0));
    let (reply, _) = client.run_with(json!({"code": "x", "store_history": false}));
    assert_eq!(reply["execution_count"], 0);
    let expressions = json!({"code": "", "user_expressions": {"twice": "x * 2", "wrong": "y"}});
    let (reply, _) = client.run_with(expressions);
    assert_eq!(reply["user_expressions"]["twice"]["data"]["text/plain"], "10");
    assert_eq!(reply["user_expressions"]["wrong"]["status"], "error");
    let history = json!({"hist_access_type": "tail", "n": 10});
    let history = client.ask(To::Shell, "history_request", history);
    assert_eq!(history["history"], json!([]));
    // Neither does a cell of nothing; the next one is the first.
    let (reply, _) = client.run_with(json!({"code": "  \n"}));
    assert_eq!((&reply["status"], &reply["execution_count"]), (&json!("ok"), &json!(0)));
    let (reply, _) = client.run_with(json!({"code": "x"}));
    assert_eq!(reply["execution_count"], 1);
    client.shut_down(kernel);
}

#[test]
fn an_interrupt_ends_a_cell_and_keeps_variables() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    client.run("temp n int = 1");
    for code in ["loop {\n    n += 1\n}", "loop {\n    println(\"again\")\n}", "input()"] {
        let request = json!({"code": code, "allow_stdin": true});
        client.send(To::Shell, "execute_request", request);
        // It runs.
        while client.told()["type"] != "execute_input" {}
        let begin = Instant::now();
        let reply = client.ask(To::Control, "interrupt_request", json!({}));
        assert_eq!(reply, json!({"status": "ok"}));
        let reply = client.next(To::Shell);
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        assert_eq!(reply["content"]["ename"], "Interrupted", "{code}");
    }
    assert!(client.printed("println(n > 0)").ends_with("true\n"));
    // Nothing runs: nothing happens.
    client.ask(To::Control, "interrupt_request", json!({}));
    assert_eq!(client.printed("println(1)"), "1\n");
    client.shut_down(kernel);
}

#[test]
fn a_cell_is_asked_for_input_after_one_was_interrupted_in_its_wait() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    for round in 0..3 {
        let code = "temp line string = input()\nprintln(\"hi\", line)";
        client.send(To::Shell, "execute_request", json!({"code": code, "allow_stdin": true}));
        let asked = client.next(To::Stdin);
        assert_eq!(asked["type"], "input_request", "{asked}");
        if round < 2 {
            client.ask(To::Control, "interrupt_request", json!({}));
            assert_eq!(client.next(To::Shell)["content"]["ename"], "Interrupted");
        } else {
            client.send(To::Stdin, "input_reply", json!({"value": "Ann"}));
            assert_eq!(client.next(To::Shell)["content"]["status"], "ok");
        }
    }
    client.shut_down(kernel);
}

#[test]
fn texts_are_completed_inspected_and_judged() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    client.run("temp number int = 7");
    let found = client.ask(To::Shell, "complete_request", json!({"code": "1\nnum + 1", "cursor_pos": 5}));
    assert_eq!(found["matches"], json!(["number"]));
    assert_eq!((&found["cursor_start"], &found["cursor_end"]), (&json!(2), &json!(5)));
    let mut inspect =
        |code: &str| client.ask(To::Shell, "inspect_request", json!({"code": code, "cursor_pos": 3}));
    assert_eq!(inspect("number")["data"]["text/plain"], "7");
    assert!(inspect("println(1)")["data"]["text/plain"].as_str().unwrap().contains("println("));
    assert!(inspect("E3001")["data"]["text/plain"].as_str().unwrap().starts_with("error E3001"));
    assert_eq!(inspect("nothing")["found"], false);
    let complete = client.ask(To::Shell, "is_complete_request", json!({"code": "do f() {"}));
    assert_eq!(complete, json!({"status": "incomplete", "indent": "    "}));
    client.shut_down(kernel);
}

#[test]
fn channels_are_refused() {
    let kernel = Kernel::start(&[]);
    let mut client = kernel.client();
    let id = client.send(To::Shell, "comm_open", json!({"comm_id": "7", "target_name": "x", "data": {}}));
    assert_eq!(client.about(&id), [("comm_close".to_string(), json!({"comm_id": "7", "data": {}}))]);
    assert_eq!(client.ask(To::Shell, "comm_info_request", json!({})), json!({"status": "ok", "comms": {}}));
    client.shut_down(kernel);
}

#[test]
fn programs_end_cells_not_the_kernel() {
    let kernel = Kernel::start(&["--deny", "fs", "--memory", "64M"]);
    let mut client = kernel.client();
    let info = client.ask(To::Control, "kernel_info_request", json!({}));
    assert_eq!(info["limits"], json!({"deny": ["fs"], "memory": 64 << 20}));
    assert!(
        info["banner"].as_str().unwrap().ends_with("This kernel denies fs; memory: 67108864 bytes."),
        "{info}"
    );
    assert_eq!(client.run("exit(0)").0["status"], "ok");
    let (reply, _) = client.run("exit(3)");
    assert_eq!((&reply["ename"], &reply["evalue"]), (&json!("exit"), &json!("exit(3)")));
    let (reply, _) = client.run("do down(n int) -> int {\n    return down(n + 1)\n}\ndown(0)");
    assert_eq!(reply["status"], "error");
    let (reply, _) =
        client.run("temp all [string] = {}\nimport @arrays\nloop {\n    arrays.append(all, \"text\")\n}");
    assert_eq!(reply["status"], "error", "{reply}");
    let denied = client.printed("import @io\ntemp text, e = io.read_file(\"x\")\nprintln(e)");
    assert!(denied.contains("denied"), "{denied}");
    assert_eq!(client.printed("println(1)"), "1\n");
    client.shut_down(kernel);
}

#[test]
fn two_front_ends_see_the_same() {
    let kernel = Kernel::start(&[]);
    let (mut one, mut two) = (kernel.client(), kernel.client());
    let id = one.send(To::Shell, "execute_request", json!({"code": "println(7)"}));
    for client in [&mut one, &mut two] {
        assert_eq!(joined(&client.about(&id)), "7\n");
    }
    assert_eq!(two.printed("println(8)"), "8\n");
    one.shut_down(kernel);
}
