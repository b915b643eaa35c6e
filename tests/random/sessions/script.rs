//! What the client of a session does.

use std::time::Duration;

use serde_json::{Value, json};

use super::programs::{Kind, Program};

/// A command that is to be sent, and its parameters.
pub type Sending = (&'static str, Value);

/// A command that was sent.
#[derive(Clone, Debug)]
pub struct Command {
    pub name: String,
    pub id: String,
}

#[derive(Debug)]
pub enum Action {
    /// Writes bytes: whole commands, parts of them, or several.
    Write(Vec<u8>),
    /// With the last bytes, this command was complete.
    Sent(Command),
    Delay(Duration),
    /// Waits for the answer to a command, but not for long.
    Await {
        id: String,
        most: Duration,
    },
}

/// How the client leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The last command is `terminate`; everything is read.
    Terminate,
    /// So it is, and the client reads slowly.
    TerminateSlowly,
    /// So it is, and nothing was read until then.
    TerminateLate,
    /// Closes the server's input, reads to the end; then, if the program is endless, closes that too.
    CloseInput,
    /// Closes both.
    Vanish,
    /// Closes what it reads, and nothing else.
    Deaf,
    /// Sends the server a signal.
    Signal(i32),
}

pub struct Script {
    pub actions: Vec<Action>,
    pub ending: Ending,
    pub arguments: Vec<&'static str>,
}

impl Script {
    pub fn new(random: &mut fastrand::Rng, program: &Program) -> Script {
        let mut ending = match random.u8(0..20) {
            0..10 => Ending::Terminate,
            10 | 11 => Ending::TerminateSlowly,
            12 => Ending::TerminateLate,
            13..16 => Ending::CloseInput,
            16 => Ending::Vanish,
            17 => Ending::Deaf,
            _ => Ending::Signal([1, 2, 3, 15, 9][random.usize(0..5)]),
        };
        // A program that does not check ends the server by itself.
        if let Kind::Wrong = program.kind {
            ending = Ending::Terminate;
        }
        let mut commands = commands(random, program);
        if matches!(ending, Ending::Terminate | Ending::TerminateSlowly | Ending::TerminateLate) {
            commands.push(("terminate", json!({})));
            // What comes behind it gets no answer.
            if random.u8(0..6) == 0 {
                commands.push(("getVariables", json!({})));
            }
        }
        Script {
            actions: actions(random, commands, ""),
            ending,
            arguments: vec!["debugserver", "--linger", "2"],
        }
    }
}

/// The commands, in order.
fn commands(random: &mut fastrand::Rng, program: &Program) -> Vec<Sending> {
    let mut commands = beginning(random, program);
    let count = random.usize(0..25);
    commands.extend(some(random, program, count));
    commands
}

/// Commands up to the start of the program, as a rule.
pub fn beginning(random: &mut fastrand::Rng, program: &Program) -> Vec<Sending> {
    let mut commands = Vec::new();
    let before = random.usize(0..3);
    for _ in 0..before {
        commands.push(at_any_time(random, program));
    }
    commands.push(("initialize", json!({"file": "main.ez", "protocolVersion": random.u8(1..4)})));
    if let Some(input) = &program.input {
        commands.push(("input", json!({"text": input, "eof": true})));
    }
    for _ in 0..random.usize(0..3) {
        commands.push(at_any_time(random, program));
    }
    if random.u8(0..30) > 0 {
        commands.push(("start", json!({})));
    }
    commands
}

/// Some commands for a program that was started.
pub fn some(random: &mut fastrand::Rng, program: &Program, count: usize) -> Vec<Sending> {
    let mut commands = Vec::new();
    for _ in 0..count {
        let next = match random.u8(0..12) {
            0..3 => (*random.choice(&["stepInto", "stepOver", "stepOut"]).unwrap(), json!({})),
            3 | 4 => ("continue", json!({})),
            5 => ("pause", json!({})),
            6 => (*random.choice(&["pause", "pause", "pause", "kill"]).unwrap(), json!({})),
            7 => ("getVariables", json!({"frameIndex": random.u8(0..2)})),
            8 => ("getStackTrace", json!({})),
            9 => (
                "evaluate",
                json!({"expression": random.choice(["n", "fuel", "n +", "{n, n}", "exit(1)", "n / 0"])}),
            ),
            10 => at_a_stop(random, program),
            _ => at_any_time(random, program),
        };
        commands.push(next);
        // Without a pause, nobody would get far in a program that does not stop.
        if matches!(program.kind, Kind::Endless) && next_is_run(&commands) && random.bool() {
            commands.push(("pause", json!({})));
        }
    }
    commands
}

fn next_is_run(commands: &[Sending]) -> bool {
    commands.last().is_some_and(|(name, _)| matches!(*name, "continue" | "stepOut" | "start"))
}

/// Commands of version 2 for a stopped program, valid or not. None of them changes what the program does.
fn at_a_stop(random: &mut fastrand::Rng, program: &Program) -> Sending {
    let line = random.u32(1..program.lines.max(2));
    let expression = random.choice(["n", "fuel", "n + 1", "n +", "temp t = n", "len(n)", "n = n"]);
    match random.u8(0..13) {
        0 => ("getStepTargets", json!({"frameIndex": random.u8(0..2)})),
        1 => ("stepInto", json!({"targetId": random.u8(0..4)})),
        2 => ("runTo", json!({"file": "main.ez", "line": line})),
        3 => ("getChildren", json!({"reference": random.u8(0..20), "start": 1})),
        4 => ("getVariables", json!({"scope": random.choice(["local", "global", "parameter", "x"])})),
        5 => ("getStackTrace", json!({"start": random.u8(0..3), "count": random.u8(0..3)})),
        6 => ("evaluate", json!({"expression": expression, "context": random.choice(["hover", "watch"])})),
        7 => ("completions", json!({"text": "n.le", "column": random.u8(0..9)})),
        8 => ("setVariable", json!({"name": random.choice(["n", "nothing"]), "value": "n"})),
        9 => ("changes", json!({"expression": expression, "count": random.u8(0..3)})),
        10 => ("outputStep", json!({"offset": random.u8(0..3)})),
        11 => ("setExpectedOutput", json!({"text": random.choice(["", "0\n1", "x"])})),
        _ => {
            let watched: Vec<Value> = (0..random.usize(0..3))
                .map(|_| json!({"name": random.choice(["n", "fuel", "x"]), "hitCondition": "> 3"}))
                .collect();
            ("setDataBreakpoints", json!({ "breakpoints": watched }))
        }
    }
}

/// Commands of version 2 that need no stopped program, valid or not.
fn of_version_2(random: &mut fastrand::Rng, program: &Program) -> Sending {
    let line = random.u32(1..program.lines.max(2));
    let id = random.u8(0..5);
    match random.u8(0..15) {
        0..3 => {
            let breakpoints: Vec<Value> =
                (0..random.usize(0..4)).map(|_| breakpoint(random, program)).collect();
            ("setBreakpoints", json!({"file": "main.ez", "breakpoints": breakpoints}))
        }
        3 => ("getBreakpoints", json!({})),
        4 => ("enableBreakpoint", json!({ "id": id })),
        5 => ("disableBreakpoint", json!({ "id": id })),
        6 => ("removeBreakpoint", json!({ "id": id })),
        7 => ("setCondition", json!({"id": id, "condition": random.choice([Some("n > 3"), None])})),
        8 => ("breakpointLocations", json!({"file": "main.ez", "line": line, "endLine": line + 3})),
        9 => {
            let functions: Vec<Value> = ["main", "f1", "std.println"]
                .map(|name| json!({"name": name, "hitCondition": "% 3"}))
                .to_vec();
            ("setFunctionBreakpoints", json!({ "breakpoints": functions }))
        }
        10 => (
            "setExceptionBreakpoints",
            json!({"filters": random.choice([vec!["uncaught"], vec!["errorValue"], vec![], vec!["x"]])}),
        ),
        11 => ("addWatch", json!({"expression": random.choice(["n", "fuel + 1", "n +", "nothing"])})),
        12 => {
            const QUESTIONS: &[&str] =
                &["getWatches", "getState", "getThreads", "getModules", "getProcesses"];
            (*random.choice(QUESTIONS).unwrap(), json!({}))
        }
        13 => ("releaseChild", json!({ "pid": id })),
        _ => ("removeWatch", json!({ "id": id })),
    }
}

fn breakpoint(random: &mut fastrand::Rng, program: &Program) -> Value {
    let line = random.u32(1..program.lines.max(2));
    match random.u8(0..6) {
        0 => json!({"line": line, "hitCondition": random.choice([">= 3", "% 5", "x"])}),
        1 => json!({"line": line, "logMessage": random.choice(["n = {n}", "{n / 0}", "{", "plain"])}),
        2 => json!({"line": line, "column": random.u8(1..30)}),
        3 => json!({"line": line, "enabled": false}),
        4 => json!({"line": line, "condition": random.choice(["n > 10", "nothing", "n / 0 == 1"])}),
        _ => json!({ "line": line }),
    }
}

/// What needs no stopped program.
fn at_any_time(random: &mut fastrand::Rng, program: &Program) -> Sending {
    if random.bool() {
        return of_version_2(random, program);
    }
    let line = random.u32(1..program.lines.max(2));
    match random.u8(0..10) {
        0..3 => ("setBreakpoint", json!({"file": "main.ez", "line": line})),
        3 => {
            let conditions = ["n > 10", "n % 1000 == 7", "true", "n / 0 == 1", "nothing"];
            (
                "setBreakpoint",
                json!({"file": "main.ez", "line": line, "condition": random.choice(conditions)}),
            )
        }
        4..6 => ("clearBreakpoint", json!({"file": "main.ez", "line": line})),
        6 => ("setBreakpoint", json!({"file": "main.ez"})),
        7 => ("fly", json!({})),
        8 if program.input.is_none() => ("input", json!({"text": "a line"})),
        _ => ("setBreakpoint", json!({"file": "other.ez", "line": 1})),
    }
}

/// The commands as bytes in writes of any size, with delays and waits between. Their numbers stand behind
/// `prefix` in their `id`s.
pub fn actions(random: &mut fastrand::Rng, commands: Vec<Sending>, prefix: &str) -> Vec<Action> {
    let mut actions = Vec::new();
    let mut pending: Vec<u8> = Vec::new();
    let mut complete: Vec<Command> = Vec::new();
    // How a client writes is a habit of it.
    let (whole, waits, delay) = (random.u8(0..3), random.u8(0..3), random.u64(0..3));
    for (index, (name, params)) in commands.into_iter().enumerate() {
        let id = format!("{prefix}{index}");
        let line = json!({"type": "command", "command": name, "params": params, "id": id});
        pending.extend_from_slice(format!("{line}\n").as_bytes());
        complete.push(Command { name: name.into(), id: id.clone() });
        if random.u8(0..3) < whole {
            continue;
        }
        // The last line may be left unfinished for a while.
        let kept = if random.u8(0..4) == 0 { random.usize(1..pending.len()) } else { 0 };
        let rest = pending.split_off(pending.len() - kept);
        actions.push(Action::Write(std::mem::replace(&mut pending, rest)));
        // Commands whose ends are still to be written were not sent.
        let last = if kept > 0 { complete.pop() } else { None };
        actions.extend(complete.drain(..).map(Action::Sent));
        complete.extend(last);
        if waits > 0 && random.u8(0..3) < waits && complete.is_empty() {
            actions.push(Action::Await { id, most: Duration::from_millis(random.u64(1..40)) });
        }
        if delay > 0 {
            actions.push(Action::Delay(Duration::from_micros(random.u64(0..delay * 1000))));
        }
    }
    if !pending.is_empty() {
        actions.push(Action::Write(pending));
    }
    actions.extend(complete.into_iter().map(Action::Sent));
    actions
}
