//! Runs a program with one case, in a process of its own, and judges what it does.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use super::again;
use super::difference::{Known, headline, remark};
use super::folder::Case;
use super::outcome::{Failure, Kind, Outcome};
use super::process::Ended;
use super::program::{GRACE, Place, Program, Settings};
use super::reading::{Mode, Reading};
use ez_runtime::clock::Instant;
use ez_runtime::platform::{ending_signal, name_of, path_of};

/// How much of the output of a program is kept, in bytes: for what is said of a difference, and where all of it is needed.
const KEPT: usize = 1 << 20;
const KEPT_WHOLE: usize = 64 << 20;

/// Maximum size of the recording of a run, in bytes: a program that asks for the time without end would fill the disk. A
/// difference before that is found in it.
const RECORDED: u64 = 64 << 20;

/// Runs a program with a case; `number` is that of the run.
pub fn run(program: &Program, case: &Case, settings: &Settings, number: usize) -> Outcome {
    let start = Instant::now();
    let recording = settings.scratch.join(format!("{number}.rec"));
    let (failure, output) = match tried(program, case, settings, &recording) {
        Ok((failure, reading)) => (failure, reading.text().filter(|_| settings.update).map(str::to_string)),
        Err(message) => (Some(Failure::new(Kind::NotRun, message)), None),
    };
    let time = start.elapsed();
    // It is not there if the program could not be loaded.
    let _ = std::fs::remove_file(&recording);
    Outcome { failure, time, output }
}

fn tried(
    program: &Program,
    case: &Case,
    settings: &Settings,
    recording: &Path,
) -> Result<(Option<Failure>, Reading), String> {
    let input = case.open_input()?.map_or_else(Stdio::null, Stdio::from);
    let mut command = program.ez(input)?;
    command.args(["run", "--message-format", "json", "--root"]).arg(program.root.path());
    let deny: Vec<&str> = settings.deny.iter().map(|capability| capability.name()).collect();
    command.args(["--deny", &deny.join(","), "--memory", &settings.memory.to_string()]);
    command.args(["--time", &settings.time.as_secs_f64().to_string(), "--record"]).arg(recording);
    command.args(["--record-at-most", &RECORDED.to_string()]);
    // What follows is no flag.
    command.arg("--").arg(name_of(&program.name)).args(case.arguments.iter().map(|text| name_of(text)));
    let is_whole = settings.update || matches!(settings.mode, Mode::Tokens(_));
    let room = if is_whole { KEPT_WHOLE } else { KEPT };
    let mut reading = Reading::new(case.output.clone(), settings.mode, room);
    let ended = settings.processes.run(&mut command, settings.time + GRACE, |bytes| reading.add(bytes))?;
    reading.end();
    let mut failure = Run { program, case, settings, reading: &reading, ended: &ended }.failure();
    if let Some(failure) = &mut failure
        && let (Some(difference), Kind::Output) = (&failure.difference, failure.kind)
        && !settings.update
        && let Some(found) = again::run(program, case, settings, recording, difference, reading.beginning())
    {
        (failure.place, failure.cause) = (found.place, found.cause);
        if found.reads_on {
            failure.remarks.push("it has read more than there is".into());
        }
    }
    Ok((failure, reading))
}

/// A run that has ended.
struct Run<'a> {
    program: &'a Program,
    case: &'a Case,
    settings: &'a Settings,
    reading: &'a Reading,
    ended: &'a Ended,
}

impl Run<'_> {
    /// What is wrong with it, if anything is. What was printed wrong comes before how the run has ended, and that before
    /// what is missing since it has.
    fn failure(&self) -> Option<Failure> {
        let Run { case, settings, reading, .. } = self;
        let is_whole = !matches!(settings.mode, Mode::Tokens(_)) || reading.text().is_some();
        let difference = reading.difference();
        let is_certain = difference.is_some_and(|difference| difference.actual.is_some());
        let end = self.wrong_end();
        let is_told = is_certain || end.as_ref().is_none_or(|end| end.kind == Kind::Status);
        let Some(difference) = difference.filter(|_| is_told) else {
            let too_much = || format!("more than {} MiB was printed", KEPT_WHOLE >> 20);
            let is_too_much = !is_whole && case.output.is_some();
            return end.or_else(|| is_too_much.then(|| Failure::new(Kind::Limit, too_much())));
        };
        let texts = case.output.as_deref().map(String::as_str).zip(reading.text()).filter(|_| end.is_none());
        let remarks = remark(difference, Known { texts, input: &self.input() }).into_iter().collect();
        let then = end.map(|end| end.message);
        let message = headline(difference);
        let difference = Some(Box::new(difference.clone()));
        Some(Failure { remarks, then, difference, ..Failure::new(Kind::Output, message) })
    }

    /// The beginning of what the program has read.
    fn input(&self) -> String {
        let mut bytes = Vec::new();
        if let Ok(Some(file)) = self.case.open_input() {
            // What cannot be read is not looked at.
            let _ = file.take(KEPT as u64).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// What is wrong with its end, if anything is.
    fn wrong_end(&self) -> Option<Failure> {
        let Run { case, settings, ended, .. } = self;
        let limit = settings.time.as_secs_f64();
        if ended.was_killed {
            let message = format!("it did not end within {limit} s, and was killed");
            return Some(Failure::new(Kind::Limit, message));
        }
        let Some(status) = ended.status.code() else {
            let signal = ending_signal(ended.status).map_or_else(|| "a signal".into(), |signal| signal.name);
            return Some(Failure::new(Kind::Signal, format!("it was ended by a signal: {signal}")));
        };
        let error = run_time_error(&ended.errors);
        let code = error.as_ref().map(|error| member(error, "code")).unwrap_or_default();
        match error {
            // Nobody expects that it would go on.
            Some(error) if code == TIME || status != case.status => Some(self.failed(&error, &code)),
            _ if status == case.status => None,
            _ => {
                let message = format!("it ended with status {status}, not {}", case.status);
                Some(Failure::new(Kind::Status, message))
            }
        }
    }

    /// The failure of a run that a run-time error has ended.
    fn failed(&self, error: &Value, code: &str) -> Failure {
        let message = member(error, "message").lines().next().unwrap_or_default().to_string();
        let mut failure = match code {
            TIME => {
                let limit = self.settings.time.as_secs_f64();
                Failure::new(Kind::Limit, format!("it did not end within {limit} s"))
            }
            MEMORY => Failure::new(Kind::Limit, message),
            _ => Failure::new(Kind::Error, format!("{message} [{code}]")),
        };
        let line = error.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
        failure.place = line.map(|line| {
            let file = member(error, "file");
            Place { line, step: None, text: self.program.line(&path_of(&file), line), file }
        });
        if code == TIME {
            failure.remarks.push(member(error, "help"));
        }
        let so_far = self.reading.matched_lines().filter(|_| self.case.output.is_some()).map(so_far);
        failure.remarks.extend(so_far);
        failure
    }
}

/// A text in a report.
fn member(report: &Value, name: &str) -> String {
    report.get(name).and_then(Value::as_str).unwrap_or_default().into()
}

/// How much has come as it is expected.
fn so_far(lines: u64) -> String {
    match lines {
        0 => "before that, no line was as it is expected".into(),
        1 => "before that, 1 line was as it is expected".into(),
        _ => format!("before that, {lines} lines were as they are expected"),
    }
}

/// The codes of the errors that limits are: of time, and of memory or the depth of calls.
const TIME: &str = "E5098";
const MEMORY: &str = "E5018";

/// The report of a run-time error, as it is in what a process has written to standard error: those of other errors have no
/// stack.
fn run_time_error(errors: &str) -> Option<Value> {
    let reports = errors.lines().rev().filter(|line| line.starts_with('{'));
    reports
        .filter_map(|line| serde_json::from_str(line).ok())
        .find(|report: &Value| report.get("stack").is_some())
}
