//! Runs a program with one case, in a process of its own, and judges what it does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::again;
use super::difference::{Known, headline, remark};
use super::folder::Case;
use super::process::{self, Ended};
use super::reading::{Mode, Reading};
use crate::clients::cause::Line;
use crate::clients::show::meant;
use ez_engine::api::Difference;
use ez_language::modules::{ConfinedLoader, SourceLoader};
use ez_runtime::clock::Instant;
use ez_runtime::host::{Capability, Root};
use ez_runtime::platform::{ending_signal, name_of, own_program, path_of, reason, text_of};
use ez_runtime::visible::quoted;

/// How much longer than its limit a process may live: it has to start, and to end.
const GRACE: Duration = Duration::from_secs(3);

/// How much of the output of a program is kept, in bytes: for what is said of a difference, and where all of it is needed.
const KEPT: usize = 1 << 20;
const KEPT_WHOLE: usize = 64 << 20;

/// How programs are run.
#[derive(Debug)]
pub struct Settings {
    pub mode: Mode,
    pub time: Duration,
    /// The memory limit in bytes.
    pub memory: u64,
    /// What programs must not do.
    pub deny: Vec<Capability>,
    /// Whether what is printed becomes what is expected.
    pub update: bool,
    /// The folder for recordings.
    pub scratch: PathBuf,
}

/// A program whose cases are run.
#[derive(Debug)]
pub struct Program {
    /// Its file as it was typed.
    pub file: String,
    /// Its folder, out of which it reaches no file.
    pub root: Root,
    /// The name of its file in that folder.
    pub name: String,
}

/// What has become of a case.
#[derive(Debug)]
pub struct Outcome {
    /// `None`: it has passed.
    pub failure: Option<Failure>,
    pub time: Duration,
    /// All that was printed, if what is expected is to become that.
    pub output: Option<String>,
}

/// In which way a case has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something else was printed.
    Output,
    /// A run-time error.
    Error,
    /// A limit of time or memory.
    Limit,
    /// Ended by a signal.
    Signal,
    /// Another exit status.
    Status,
    /// It could not be run.
    NotRun,
}

impl Kind {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Output => "output",
            Kind::Error => "error",
            Kind::Limit => "limit",
            Kind::Signal => "signal",
            Kind::Status => "status",
            Kind::NotRun => "notRun",
        }
    }
}

/// Why a case has failed.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    /// What is wrong, in one line.
    pub message: String,
    /// What else there is to say.
    pub remarks: Vec<String>,
    pub difference: Option<Box<Difference>>,
    /// Where that was printed, or the program has ended.
    pub place: Option<Place>,
    /// Where what is wrong comes from.
    pub cause: Vec<Line>,
}

/// A statement of the program.
#[derive(Clone, Debug)]
pub struct Place {
    pub file: String,
    pub line: u32,
    /// Its step, if it has printed the difference.
    pub step: Option<u64>,
    pub text: String,
}

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Failure {
        let (remarks, cause) = (Vec::new(), Vec::new());
        Failure { kind, message: message.into(), remarks, difference: None, place: None, cause }
    }
}

impl Program {
    /// # Errors
    /// A message that says why it cannot be read.
    pub fn new(file: &str) -> Result<Program, String> {
        let path = path_of(file);
        let unreadable = |error| {
            let help = meant(file).map(|meant| format!("\n  = help: did you mean '{meant}'?"));
            format!("{file}: {}{}", reason(&error), help.unwrap_or_default())
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let root = Root::new(folder.unwrap_or(Path::new("."))).map_err(unreadable)?;
        std::fs::metadata(&path).map_err(unreadable)?;
        let name = path.file_name().map(text_of).unwrap_or_default();
        Ok(Program { file: file.into(), root, name })
    }

    /// `ez` in the folder of the program, with its input.
    pub fn ez(&self, input: Stdio) -> Result<Command, String> {
        let mut command = Command::new(own_program()?);
        command.current_dir(self.root.path()).stdin(input);
        Ok(command)
    }

    /// Checks the program, in a process of its own.
    ///
    /// # Errors
    /// The reports.
    pub fn check(&self, time: Duration) -> Result<(), String> {
        let mut command = self.ez(Stdio::null())?;
        command.args(["check", "--color", "never", "--root"]).arg(self.root.path());
        command.args(["--", &self.name]);
        let ended = process::run(&mut command, time + GRACE, |_| ())?;
        match ended {
            Ended { was_killed: true, .. } => Err("it could not be checked in time".into()),
            Ended { status, .. } if status.success() => Ok(()),
            Ended { errors, .. } => Err(errors),
        }
    }

    /// A line of a file of the program, without blanks around it.
    pub fn line(&self, file: &Path, line: u32) -> String {
        let loader = ConfinedLoader { root: Some(self.root.clone()) };
        let text = loader.read(&self.root.path().join(file)).unwrap_or_default();
        quoted(text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default().trim())
    }
}

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
    command.args([&program.name, "--"].map(name_of)).args(case.arguments.iter().map(|text| name_of(text)));
    let is_whole = settings.update || matches!(settings.mode, Mode::Tokens(_));
    let room = if is_whole { KEPT_WHOLE } else { KEPT };
    let mut reading = Reading::new(case.output.clone(), settings.mode, room);
    let ended = process::run(&mut command, settings.time + GRACE, |bytes| reading.add(bytes))?;
    reading.end();
    let mut failure = judge(program, case, settings, &reading, &ended);
    if let Some(failure) = &mut failure
        && let (Some(difference), Kind::Output) = (&failure.difference, failure.kind)
        && !settings.update
        && let Some(found) = again::run(program, case, settings, recording, difference)
    {
        (failure.place, failure.cause) = found;
    }
    Ok((failure, reading))
}

/// What is wrong with a run, if anything is. What was printed wrong comes before how the run has ended, and that before
/// what is missing since it has.
fn judge(
    program: &Program,
    case: &Case,
    settings: &Settings,
    reading: &Reading,
    ended: &Ended,
) -> Option<Failure> {
    let is_whole = !matches!(settings.mode, Mode::Tokens(_)) || reading.text().is_some();
    let difference = reading.difference().filter(|_| is_whole);
    let is_certain = difference.is_some_and(|difference| difference.actual.is_some());
    let end = end(program, case, settings, reading, ended);
    let is_told = is_certain || end.as_ref().is_none_or(|end| end.kind == Kind::Status);
    let Some(difference) = difference.filter(|_| is_told) else {
        let too_much =
            || Failure::new(Kind::Limit, format!("more than {} MiB was printed", KEPT_WHOLE >> 20));
        return end.or_else(|| (!is_whole && case.output.is_some()).then(too_much));
    };
    let input = case.input().unwrap_or_default();
    let texts = case.output.as_deref().zip(reading.text()).filter(|_| end.is_none());
    let mut remarks: Vec<String> = remark(difference, Known { texts, input: &input }).into_iter().collect();
    remarks.extend(end.map(|end| format!("then: {}", end.message)));
    let difference = Some(Box::new(difference.clone()));
    let message = difference.as_deref().map(headline).unwrap_or_default();
    Some(Failure { remarks, difference, ..Failure::new(Kind::Output, message) })
}

/// What is wrong with the end of a run, if anything is.
fn end(
    program: &Program,
    case: &Case,
    settings: &Settings,
    reading: &Reading,
    ended: &Ended,
) -> Option<Failure> {
    let limit = settings.time.as_secs_f64();
    if ended.was_killed {
        return Some(Failure::new(Kind::Limit, format!("it did not end within {limit} s, and was killed")));
    }
    let Some(status) = ended.status.code() else {
        let signal = ending_signal(ended.status).map_or_else(|| "a signal".into(), |signal| signal.name);
        return Some(Failure::new(Kind::Signal, format!("it was ended by a signal: {signal}")));
    };
    if status == case.status {
        return None;
    }
    let Some(error) = run_time_error(&ended.errors) else {
        return Some(Failure::new(
            Kind::Status,
            format!("it ended with status {status}, not {}", case.status),
        ));
    };
    let text = |member: &str| error.get(member).and_then(Value::as_str).unwrap_or_default();
    let (code, message) = (text("code"), text("message").lines().next().unwrap_or_default());
    let is_limit = [TIME, MEMORY].contains(&code);
    let mut failure = match code {
        TIME => Failure::new(Kind::Limit, format!("it did not end within {limit} s")),
        _ if is_limit => Failure::new(Kind::Limit, message),
        _ => Failure::new(Kind::Error, format!("{message} [{code}]")),
    };
    let line = error.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    failure.place = line.map(|line| {
        let file = text("file").to_string();
        Place { line, step: None, text: program.line(&path_of(&file), line), file }
    });
    if code == TIME {
        failure.remarks.push(text("help").to_string());
    }
    failure.remarks.extend(reading.matched_lines().filter(|_| case.output.is_some()).map(so_far));
    Some(failure)
}

/// How much has come as it is expected.
fn so_far(lines: u64) -> String {
    match lines {
        0 => "before that, no line was as it is expected".into(),
        1 => "before that, 1 line was as it is expected".into(),
        _ => format!("before that, {lines} lines were as they are expected"),
    }
}

/// The codes of the errors that limits are.
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
