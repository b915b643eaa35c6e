//! Copies of the process of a program whose history is kept: going back does not need them, and none is left.

#![cfg(target_os = "linux")] // Processes are found in /proc.

use serde_json::{Value, json};
use support::{Server, testdata, wait_for_end};

/// Runs long enough that checkpoints are made.
const PROGRAM: &str = "
import @std
using std

do main() {
    temp total int = 0
    for i in range(0, 3000000) {
        total += i % 7
    }
    println(\"${total}\")
    temp last int = total
    last += 1
}
";

/// The copies of a process that it has made itself. (Its guard runs another command.)
fn copies(parent: u32) -> Vec<String> {
    let command = |process: &str| std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let of_parent = command(&parent.to_string());
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let is_copy = |process: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // Behind the name, which stands in parentheses: state, parent.
        let parts = stat.rsplit(") ").next().unwrap_or_default();
        let is_child = parts.split(' ').nth(1).and_then(|number| number.parse().ok()) == Some(parent);
        is_child && command(process) == of_parent
    };
    processes.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_copy).collect()
}

/// A server whose program stands at its end.
fn at_the_end() -> Server {
    let mut server = Server::start(&testdata("transcripts"), &[]);
    let params = json!({"source": {"text": PROGRAM, "name": "long.ez"}, "history": true, "protocolVersion": 2, "stopOnEntry": false});
    server.command("initialize", params);
    server.wait_for("initialized");
    server.command("start", json!({}));
    assert_eq!(server.wait_for("stopped")["reason"], "end");
    server
}

fn step_back(server: &mut Server) -> Value {
    server.command("stepBack", json!({}));
    server.wait_for("stopped")
}

// invariant 27
#[test]
fn nothing_is_left_of_a_session() {
    let mut server = at_the_end();
    let checkpoints = copies(server.process().id());
    assert!(!checkpoints.is_empty(), "the program runs long enough for a checkpoint");
    assert_eq!(step_back(&mut server)["past"], true);
    server.command("terminate", json!({}));
    server.wait_for("terminated");
    server.close();
    server.wait();
    wait_for_end(&checkpoints);
}

// invariant 27
#[test]
fn nothing_is_left_of_a_server_that_was_killed() {
    let mut server = at_the_end();
    let mut all = copies(server.process().id());
    assert_eq!(step_back(&mut server)["past"], true);
    all.extend(all.clone().iter().flat_map(|copy| copies(copy.parse().unwrap())));
    server.process().kill().unwrap();
    server.wait();
    wait_for_end(&all);
}

fn kill(processes: &[String]) {
    for process in processes {
        // It may have ended by itself.
        std::process::Command::new("kill")
            .args(["-9", process])
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
    }
}

// invariant 27
#[test]
fn a_checkpoint_that_was_killed_is_not_missed() {
    let mut server = at_the_end();
    kill(&copies(server.process().id()));
    let back = step_back(&mut server);
    assert_eq!((&back["past"], &back["location"]["line"]), (&json!(true), &json!(12)));
    server.command("evaluate", json!({"expression": "total"}));
    assert_eq!(server.wait_for("evaluateResult")["result"], "8999994");
}

// invariant 27
#[test]
fn a_past_that_was_killed_can_be_left() {
    let mut server = at_the_end();
    let checkpoints = copies(server.process().id());
    assert_eq!(step_back(&mut server)["past"], true);
    let workers: Vec<String> = checkpoints.iter().flat_map(|copy| copies(copy.parse().unwrap())).collect();
    assert_eq!(workers.len(), 1, "one process shows the past");
    kill(&workers);
    wait_for_end(&workers);
    server.command("evaluate", json!({"expression": "total"}));
    assert!(server.wait_for("error")["message"].as_str().unwrap().contains("has ended"));
    let back = step_back(&mut server);
    assert_eq!((&back["past"], &back["location"]["line"]), (&json!(true), &json!(11)));
}

/// Whatever copies are killed, and whenever: each journey ends at a stop, in the past or, with the reason, in
/// the present, and the program ends as it would have.
#[test]
fn copies_that_are_killed_at_random_do_no_harm() {
    for seed in 0..3 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut server = at_the_end();
        let id = server.process().id();
        let mut is_past = false;
        for _ in 0..12 {
            let (command, params) = match random.u8(0..6) {
                0 => ("stepBack", json!({})),
                1 => ("stepBackOver", json!({})),
                2 => ("reverseContinue", json!({})),
                3 => ("goToStep", json!({"step": random.u32(1..6_000_000)})),
                4 if is_past => ("stepInto", json!({})),
                _ => ("goToStep", json!({"step": random.u32(5_999_000..6_000_005)})),
            };
            server.command(command, params);
            let mut victims = copies(id);
            victims.extend(victims.clone().iter().flat_map(|copy| copies(copy.parse().unwrap_or(0))));
            victims.retain(|_| random.u8(..) < 40);
            kill(&victims);
            let stop = server.wait_for("stopped");
            is_past = stop["past"] == true;
            assert!(is_past || stop["reason"] == "present", "seed {seed}: {stop}");
        }
        server.command("goToPresent", json!({}));
        assert_eq!(server.wait_for("stopped")["reason"], "present", "seed {seed}");
        server.command("evaluate", json!({"expression": "total"}));
        assert_eq!(server.wait_for("evaluateResult")["result"], "8999994", "seed {seed}");
        let all = copies(id);
        server.command("continue", json!({}));
        assert_eq!(server.wait_for("exited")["exitCode"], 0, "seed {seed}");
        server.command("terminate", json!({}));
        server.wait();
        wait_for_end(&all);
    }
}
