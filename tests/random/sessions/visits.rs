//! Sessions of several clients, one after the other, with a server that listens: each disconnects or is just
//! gone, and what it was not told is kept for the next one.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Instant;

use fastrand::Rng;
use serde_json::{Value, json};

use super::HANG;
use super::client::{event, orphans};
use super::programs::{Kind, Pool, Program};
use super::script::{Action, Command, Sending, actions, beginning, some};
use super::written::Written;
use support::socket::Listening;

/// How a client goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// It says so, and reads all that it is told until the server closes the connection.
    Disconnect,
    /// It closes the connection, whatever it has not read.
    Vanish,
    /// It ends the session.
    Terminate,
}

/// What a client has sent, and what it was told.
pub struct Visit {
    pub leaving: Leaving,
    sent: Vec<Command>,
    told: Vec<String>,
}

/// What a client is to do.
struct Plan {
    leaving: Leaving,
    actions: Vec<Action>,
}

/// Plays the session of a seed; an `Err` says what was wrong, with all that was said.
pub fn play(seed: u64, pool: &Pool) -> Result<(), String> {
    let mut random = Rng::with_seed(seed);
    let program = loop {
        let program = pool.pick(&mut random);
        // One that does not check ends the server with its first client.
        if !matches!(program.kind, Kind::Wrong) {
            break program;
        }
    };
    let place = pool.place(seed);
    program.write(&place);
    let server = Listening::debugserver(&place, &["--linger", "60", "main.ez"]);
    let count = random.usize(2..6);
    let mut visits = Vec::new();
    for number in 0..count {
        let plan = plan(&mut random, program, &server.token, number, number + 1 == count);
        visits.push(visit(&server, &plan).map_err(|wrong| format!("seed {seed}: {wrong}"))?);
    }
    let (status, stdout, stderr) = server.end();
    let orphans = orphans(&place);
    let _ = std::fs::remove_dir_all(&place);
    let is_quiet = stdout.is_empty() && stderr.is_empty() && orphans.is_empty();
    let result = match status.success() && is_quiet {
        true => check(&visits, program),
        false => Err(format!("{status}, {stdout:?}, {stderr:?}, {orphans:?}")),
    };
    result.map_err(|wrong| format!("seed {seed}, {}: {wrong}\n{}", program.name, text(&visits)))
}

fn plan(random: &mut Rng, program: &Program, token: &str, number: usize, is_last: bool) -> Plan {
    let leaving = match random.u8(0..3) {
        _ if is_last => Leaving::Terminate,
        0 => Leaving::Vanish,
        _ => Leaving::Disconnect,
    };
    let mut commands: Vec<Sending> = match number {
        0 => beginning(random, program),
        _ => vec![("attach", json!({"protocolVersion": 2}))],
    };
    let more = random.usize(0..12);
    commands.extend(some(random, program, more));
    match leaving {
        Leaving::Disconnect => commands.push(("disconnect", json!({}))),
        Leaving::Terminate => commands.push(("terminate", json!({}))),
        Leaving::Vanish => {}
    }
    // What comes behind that may get no answer.
    if leaving == Leaving::Disconnect && random.u8(0..6) == 0 {
        commands.push(("getVariables", json!({})));
    }
    commands[0].1["token"] = token.into();
    Plan { leaving, actions: actions(random, commands, &format!("{number}.")) }
}

/// A client comes, does what is planned, and goes.
fn visit(server: &Listening, plan: &Plan) -> Result<Visit, String> {
    loop {
        let visit = try_visit(server, plan)?;
        // The server may not know yet that the client before is gone.
        let is_refused = |line: &String| line.contains("another client is connected");
        if plan.leaving == Leaving::Vanish || !visit.told.first().is_some_and(is_refused) {
            return Ok(visit);
        }
    }
}

fn try_visit(server: &Listening, plan: &Plan) -> Result<Visit, String> {
    let mut stream = server.stream();
    let reading = stream.try_clone().unwrap();
    let (sender, lines) = channel();
    std::thread::spawn(move || read(reading, &sender));
    let mut visit = Visit { leaving: plan.leaving, sent: Vec::new(), told: Vec::new() };
    for action in &plan.actions {
        match action {
            // A server that has closed the connection needs no more.
            Action::Write(bytes) => drop(stream.write_all(bytes)),
            Action::Sent(command) => visit.sent.push(command.clone()),
            Action::Delay(time) => std::thread::sleep(*time),
            Action::Await { id, most } => {
                let since = Instant::now();
                let wanted = format!("\"id\":\"{id}\"");
                while let Ok(line) = lines.recv_timeout(most.saturating_sub(since.elapsed())) {
                    let is_answer = line.contains(&wanted);
                    visit.told.push(line);
                    // Lines of a program that prints without an end are always there, also without waiting.
                    if is_answer || since.elapsed() >= *most {
                        break;
                    }
                }
            }
        }
    }
    if plan.leaving == Leaving::Vanish {
        let _ = stream.shutdown(Shutdown::Both);
    }
    // A program that prints without an end must not keep the connection open.
    let since = Instant::now();
    loop {
        match lines.recv_timeout(HANG.saturating_sub(since.elapsed())) {
            Ok(line) if since.elapsed() < HANG => visit.told.push(line),
            Err(RecvTimeoutError::Disconnected) => return Ok(visit),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {
                let shown = visit.told.len().saturating_sub(100);
                visit.told.drain(..shown);
                return Err(format!("the connection is not closed:\n{}", text(&[visit])));
            }
        }
    }
}

/// Passes on lines up to the end of the stream.
fn read(stream: TcpStream, lines: &Sender<String>) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line).trim_end_matches('\n').to_string();
        line.clear();
        if lines.send(text).is_err() {
            return;
        }
    }
}

fn text(visits: &[Visit]) -> String {
    let mut text = String::new();
    for visit in visits {
        let names: Vec<String> = visit.sent.iter().map(|c| format!("{} {}", c.name, c.id)).collect();
        text += &format!("{:?}, sent {}\n", visit.leaving, names.join(", "));
        for line in &visit.told {
            text += &format!("  < {}\n", line.chars().take(300).collect::<String>());
        }
    }
    text
}

fn check(visits: &[Visit], program: &Program) -> Result<(), String> {
    let mut written = Written::default();
    let mut comes_late = false;
    for (number, visit) in visits.iter().enumerate() {
        let mut events = Vec::new();
        for (index, line) in visit.told.iter().enumerate() {
            match event(line) {
                Ok(event) => events.push(event),
                // Whoever stops reading may have got half a line.
                Err(_) if visit.leaving == Leaving::Vanish && index + 1 == visit.told.len() => {}
                Err(wrong) => return Err(wrong),
            }
        }
        if number > 0 {
            begins(visit, &events)?;
        }
        // The program has ended, and the client came too late: it is told that, and nothing else.
        if let (1.., [only]) = (number, events.as_slice())
            && only["data"]["message"] == "the session is over"
        {
            continue;
        }
        ends(visit, &events)?;
        answers(number, visit, &events)?;
        for event in &events {
            written.told(event)?;
        }
        // On a busy machine, a client that has vanished without having been told anything may be let in after one
        // that came later, and is told what comes then.
        let vanishes = visit.leaving == Leaving::Vanish;
        comes_late |= vanishes && visit.told.is_empty();
        if vanishes || comes_late {
            written.gap();
        }
    }
    written.check(program)
}

/// A client that comes to a session hears first what there is, and of an end that has been.
fn begins(visit: &Visit, events: &[Value]) -> Result<(), String> {
    let vanishes = visit.leaving == Leaving::Vanish;
    let Some(first) = events.first() else {
        return if vanishes { Ok(()) } else { Err("a client is told nothing".into()) };
    };
    // The session may have ended, or the client have left, before there was an answer.
    if first["data"]["command"] == "attach" && first["event"] == "error" {
        return Ok(());
    }
    if first["event"] != "attached" {
        // It may have come too early, and gone without having been let in.
        return if vanishes { Ok(()) } else { Err(format!("it begins with {first}")) };
    }
    let has_ended = first["data"]["status"] == "exited";
    let is_told = events.iter().any(|event| event["event"] == "exited");
    if has_ended && !is_told && !vanishes {
        return Err("the client is not told of the end of the program".into());
    }
    Ok(())
}

/// Nothing follows the end of a connection, or of the session.
fn ends(visit: &Visit, events: &[Value]) -> Result<(), String> {
    let last = match visit.leaving {
        Leaving::Vanish => return Ok(()),
        Leaving::Disconnect => "disconnected",
        Leaving::Terminate => "terminated",
    };
    let at = events.iter().position(|event| event["event"] == last);
    match at {
        Some(at) if at + 1 == events.len() => Ok(()),
        Some(_) => Err(format!("an event follows '{last}'")),
        None => Err(format!("no '{last}'")),
    }
}

/// Each command of a client is answered once, to that client.
fn answers(number: usize, visit: &Visit, events: &[Value]) -> Result<(), String> {
    let mut answered: HashMap<&str, usize> = HashMap::new();
    for event in events {
        let Some(id) = event["id"].as_str() else { continue };
        if !id.starts_with(&format!("{number}.")) {
            return Err(format!("the answer to another client: {event}"));
        }
        if event["event"] != "started" {
            *answered.entry(id).or_default() += 1;
        }
    }
    let mut is_over = false;
    for command in &visit.sent {
        let times = answered.get(command.id.as_str()).copied().unwrap_or(0);
        // Clients of version 1 are not told that input was taken.
        let may_be_silent = is_over || visit.leaving == Leaving::Vanish || command.name == "input";
        if times > 1 || (times == 0 && !may_be_silent) {
            return Err(format!("{command:?} is answered {times} times"));
        }
        is_over |= matches!(command.name.as_str(), "disconnect" | "terminate");
    }
    Ok(())
}
