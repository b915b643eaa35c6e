//! What must hold for each session.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;

use super::client::{Log, What, event};
use super::programs::{Kind, Program};
use super::script::{Command, Ending, Script};

/// How late an answer may be that is due within 100 ms, on a machine with a great deal to do.
const SLACK: Duration = Duration::from_secs(3);

pub fn check(log: &Log, script: &Script, program: &Program) -> Result<(), String> {
    if !log.errors.is_empty() {
        return Err("text on standard error".into());
    }
    if !log.orphans.is_empty() {
        return Err(format!("process {:?} outlives the server", log.orphans));
    }
    status(log, script, program)?;
    // Whoever stops reading may have got half a line.
    let reads_all = match script.ending {
        Ending::Vanish | Ending::Deaf | Ending::Signal(_) => false,
        Ending::CloseInput => !matches!(program.kind, Kind::Endless),
        Ending::Terminate | Ending::TerminateSlowly | Ending::TerminateLate => true,
    };
    let mut events = Vec::new();
    for entry in &log.entries {
        if let What::Told(line) = &entry.what {
            match event(line) {
                Ok(event) if line.len() < 32 << 10 => events.push((entry.at, event)),
                Ok(_) => return Err(format!("an event of {} bytes", line.len())),
                Err(_) if !reads_all => {}
                Err(wrong) => return Err(wrong),
            }
        }
    }
    terminated(&events, script, program)?;
    output(&events, program, reads_all)?;
    if reads_all {
        answers(log, &events, script, program)?;
    }
    order(log, &events)
}

fn status(log: &Log, script: &Script, program: &Program) -> Result<(), String> {
    let wanted = match (script.ending, &program.kind) {
        (Ending::Signal(number), _) => vec![-number, 0],
        (_, Kind::Wrong) => vec![1, 0],
        _ => vec![0],
    };
    if wanted.contains(&log.status) { Ok(()) } else { Err(format!("status {}", log.status)) }
}

/// `terminated` is the last event, and comes where it is due.
fn terminated(events: &[(Duration, Value)], script: &Script, program: &Program) -> Result<(), String> {
    let position = events.iter().position(|(_, event)| event["event"] == "terminated");
    if position.is_some_and(|position| position + 1 != events.len()) {
        return Err("an event follows 'terminated'".into());
    }
    let exited = events.iter().any(|(_, event)| event["event"] == "exited");
    // A program that ended by itself may have ended the session before the command came.
    let due = terminates(script) && !exited;
    if due && position.is_none() && !matches!(program.kind, Kind::Wrong) {
        return Err("no 'terminated'".into());
    }
    Ok(())
}

/// Output is complete and in order.
fn output(events: &[(Duration, Value)], program: &Program, reads_all: bool) -> Result<(), String> {
    let mut output = String::new();
    let (mut exited, mut killed) = (None, false);
    for (_, event) in events {
        match event["event"].as_str() {
            Some("output") => {
                let text = event["data"]["text"].as_str().ok_or("output without a text")?;
                match event["data"]["category"].as_str() {
                    // What log points tell is not the program's.
                    Some("console") => {}
                    Some("stderr") => output += &format!("\u{1}{text}\u{2}"),
                    _ => output += text,
                }
            }
            Some("exited") => exited = event["data"]["exitCode"].as_i64().filter(|_| !killed),
            Some("killed") => killed = true,
            _ => {}
        }
    }
    let output = output.replace("\u{2}\u{1}", "");
    match &program.kind {
        Kind::Known(outcome) => {
            let whole = outcome.output.replace("\u{2}\u{1}", "");
            let begins = whole.starts_with(output.trim_end_matches('\u{2}'));
            if !begins || (exited.is_some() && reads_all && whole != output) {
                return Err(format!("output {output:?}\ninstead of {whole:?}"));
            }
            if exited.is_some_and(|status| status != i64::from(outcome.status & 255)) {
                return Err(format!("exited with {exited:?} instead of {}", outcome.status));
            }
        }
        Kind::Endless => {
            let mut lines = output.split('\n').enumerate();
            let last = output.matches('\n').count();
            if let Some((index, line)) =
                lines.find(|(index, line)| *index < last && *line != index.to_string())
            {
                return Err(format!("line {index} of the output is {line:?}"));
            }
        }
        Kind::Wrong if !output.is_empty() => return Err("output of a program that does not check".into()),
        Kind::Wrong => {}
    }
    Ok(())
}

/// Each command is answered once; what can be answered while the program runs, soon.
fn answers(
    log: &Log,
    events: &[(Duration, Value)],
    script: &Script,
    program: &Program,
) -> Result<(), String> {
    let ends_itself = !terminates(script) || matches!(program.kind, Kind::Wrong);
    let mut answered: HashMap<&str, Vec<Duration>> = HashMap::new();
    for (at, event) in events {
        let Some(id) = event["id"].as_str() else { continue };
        let times = answered.entry(id).or_default();
        // A program with several errors gets an event for each.
        let again = event["event"] == "error" && event["data"].get("code").is_some() && !times.is_empty();
        if event["event"] != "started" && !again {
            times.push(*at);
        }
    }
    // What is sent when the session ends by itself may be lost.
    let over =
        events.iter().find(|(_, event)| matches!(event["event"].as_str(), Some("terminated" | "exited")));
    let over = over.map_or(Duration::MAX, |(at, _)| at.saturating_sub(SLACK));
    let mut ending = false;
    for entry in &log.entries {
        let What::Sent(command) = &entry.what else { continue };
        let times = answered.get(command.id.as_str()).map_or(0, Vec::len);
        if times > 1 {
            return Err(format!("{command:?} is answered {times} times"));
        }
        let late = ending || (entry.at >= over && ends_itself);
        ending |= command.name == "terminate";
        if command.name == "input" || (late && times == 0) {
            continue;
        }
        if times == 0 {
            return Err(format!("{command:?} is not answered"));
        }
        let taken = answered[command.id.as_str()][0].saturating_sub(entry.at);
        let slow = matches!(script.ending, Ending::TerminateSlowly | Ending::TerminateLate);
        if is_possible_beside_a_run(command) && taken > SLACK && !slow {
            return Err(format!("{command:?} is answered after {taken:?}"));
        }
    }
    Ok(())
}

/// Whether the session ends because the client wants it to.
fn terminates(script: &Script) -> bool {
    matches!(script.ending, Ending::Terminate | Ending::TerminateSlowly | Ending::TerminateLate)
}

fn is_possible_beside_a_run(command: &Command) -> bool {
    const ANY_TIME: [&str; 23] = [
        "fly",
        "setBreakpoint",
        "clearBreakpoint",
        "setBreakpoints",
        "getBreakpoints",
        "enableBreakpoint",
        "disableBreakpoint",
        "removeBreakpoint",
        "setCondition",
        "breakpointLocations",
        "setFunctionBreakpoints",
        "setExceptionBreakpoints",
        "setExpectedOutput",
        "setDataBreakpoints",
        "addWatch",
        "removeWatch",
        "getWatches",
        "getState",
        "getThreads",
        "getModules",
        "getSource",
        "getProcesses",
        "releaseChild",
    ];
    ANY_TIME.contains(&command.name.as_str())
}

/// Whether an event says that a command is not understood, which it may while the program runs.
fn is_about_parameters(event: &Value) -> bool {
    let message = event["data"]["message"].as_str().unwrap_or_default();
    event["event"] == "error"
        && ["missing parameter", "wrong parameter", "wrong type of parameter"]
            .iter()
            .any(|s| message.starts_with(s))
}

/// Commands of the same kind are answered in the order in which they were sent.
fn order(log: &Log, events: &[(Duration, Value)]) -> Result<(), String> {
    let position =
        |id: &str| events.iter().position(|(_, event)| event["id"] == id && event["event"] != "started");
    for beside in [false, true] {
        let mut last = 0;
        for entry in &log.entries {
            let What::Sent(command) = &entry.what else { continue };
            let any_time = ["pause", "kill", "terminate", "input", "initialize", "releaseChild"]
                .contains(&command.name.as_str());
            let Some(position) = position(&command.id).filter(|_| !any_time) else { continue };
            let is_wrong = events.get(position).is_some_and(|(_, event)| is_about_parameters(event));
            if (is_possible_beside_a_run(command) || is_wrong) != beside {
                continue;
            }
            if position < last {
                return Err(format!("{command:?} is answered before a command that was sent before it"));
            }
            last = position;
        }
    }
    Ok(())
}
