//! `check`: errors and warnings of a program.

use std::io::{BufRead, BufReader, Write};
use std::process::ChildStderr;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text, counted};
use crate::clients::agents::arguments::{Program, max_chars, named};
use crate::clients::agents::call::Call;
use crate::clients::agents::process::Process;
use crate::clients::agents::schema;
use crate::clients::agents::shown::{self, Report, SourceLine, write_reports};
use crate::clients::agents::sources::{SOURCE, Sources};
use ez_runtime::diagnostics::{self, Code};
use ez_runtime::platform::{slashed, text_of};
use ez_runtime::threads;

pub const TOOL: Tool = Tool {
    name: "check",
    title: "Check an EZ program",
    description: "Find the errors and warnings of an EZ program without running it. Use it after writing or \
                  changing a program, and first of all when one does not start. Each report has its place, its \
                  source line and what to do; each code is explained once. \
                  Example: {\"source\": \"do main() {\\n    temp x int = \\\"a\\\"\\n}\"} or {\"file\": \"sort.ez\"}",
    reads_only: true,
    input,
    output,
    run,
};

/// Maximum number of reports and of explained codes in an answer.
const MAX_REPORTS: usize = 50;
const MAX_EXPLAINED: usize = 8;

/// How long checking a program may take.
const TIME: Duration = Duration::from_secs(60);

fn input() -> Value {
    schema::object(named().into_iter().chain([max_chars()]))
}

fn output() -> Value {
    let explanation = schema::object([
        ("code", schema::text("The code"), true),
        ("text", schema::text("What it means and what to do"), true),
        ("wrong", schema::text("A program with the mistake"), true),
        ("right", schema::text("The same without it"), true),
    ]);
    schema::object([
        ("ok", schema::flag("Whether the program can be run"), true),
        ("errors", schema::whole(0, "How many errors there are"), true),
        ("warnings", schema::whole(0, "How many warnings there are"), true),
        ("reports", schema::list(&schema::report(), "The first 50 of them"), true),
        ("explanations", schema::list(&explanation, "The codes of the reports"), true),
    ])
}

fn run(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let root = &call.shared.root;
    let program = Program::new(arguments, root, call.shared.allow_net)?;
    let mut sources = Sources::new(root, program.source.as_deref());
    let found = found(call, &program)?;
    let errors = found.iter().filter(|found| found.is_error()).count();
    let warnings = found.len() - errors;
    if let Some(problem) = found.iter().find(|found| found.line.is_none()) {
        return Err(format!("{}; name a file of EZ source in the root", problem.message));
    }
    let reports: Vec<Report> =
        found.iter().take(MAX_REPORTS).map(|found| found.report(&mut sources)).collect();
    let explanations = explanations(&reports);
    let mut out = Text::default();
    match (errors, warnings) {
        (0, 0) => out.line("The program has no errors and no warnings."),
        _ => out.line(format_args!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))),
    }
    write_reports(&reports, &mut out);
    if found.len() > reports.len() {
        out.line(format_args!("… {} more", found.len() - reports.len()));
    }
    write_explanations(&explanations, &mut out);
    let structured = json!({
        "ok": errors == 0,
        "errors": errors,
        "warnings": warnings,
        "reports": reports,
        "explanations": explanations,
    });
    Ok(Answer::new(structured, out))
}

/// The explanations of the codes of some reports, each once.
fn explanations(reports: &[Report]) -> Vec<Explained> {
    let mut codes: Vec<&str> = Vec::new();
    for Report { code, .. } in reports {
        if !codes.contains(&code.as_str()) {
            codes.push(code);
        }
    }
    let explained = codes.into_iter().filter_map(|code| {
        let found = diagnostics::explain(Code::parse(code)?)?;
        Some(Explained { code: code.into(), text: found.text, wrong: found.wrong, right: found.right })
    });
    explained.take(MAX_EXPLAINED).collect()
}

fn write_explanations(explanations: &[Explained], out: &mut Text) {
    for Explained { code, text, right, .. } in explanations {
        out.gap();
        out.line(format_args!("{code}: {}", text.replace('\n', " ")));
        out.line("Right:");
        out.indented("    ", right);
    }
}

/// The explanation of a code.
#[derive(Serialize)]
struct Explained {
    code: String,
    text: &'static str,
    wrong: &'static str,
    right: &'static str,
}

/// A line of `ez check --message-format json`.
#[derive(Deserialize)]
struct Found {
    severity: String,
    /// `None` for a program that is not there.
    code: Option<String>,
    message: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    help: Option<String>,
}

impl Found {
    fn is_error(&self) -> bool {
        self.severity == "error"
    }

    fn report(&self, sources: &mut Sources) -> Report {
        let (file, line) = (self.file.as_deref().unwrap_or_default(), self.line.unwrap_or(1));
        Report {
            severity: if self.is_error() { "error" } else { "warning" },
            code: self.code.clone().unwrap_or_default(),
            message: self.message.clone(),
            location: SourceLine { file: sources.name(file), line, source: sources.line(file, line) },
            column: self.column.unwrap_or(1),
            help: shown::help(self.help.clone()),
        }
    }
}

/// The reports of `ez check`, in a process that ends with the call.
fn found(call: &Call, program: &Program) -> Result<Vec<Found>, String> {
    let root = call.shared.root.path();
    // An absolute path is never taken for a flag.
    let file = program.file.as_ref().map_or("-".into(), |file| slashed(file));
    let arguments =
        ["check", "--message-format", "json", "--root", &text_of(root.as_os_str()), &file].map(String::from);
    let mut process = call.shared.processes.start(&call.cancellation, &arguments, root)?;
    call.cancellation.ends(&process);
    let lines = lines(&mut process)?;
    if let (Some(mut stdin), Some(source)) = (process.stdin.take(), program.source.clone()) {
        // A process that does not read its input says why in its reports, or ends with the call.
        let write = move || drop(stdin.write_all(source.as_bytes()));
        threads::spawn("check input", write).map_err(|error| error.to_string())?;
    }
    let deadline = Instant::now() + TIME;
    let mut found = Vec::new();
    loop {
        match lines.recv_deadline(deadline) {
            Ok(line) => {
                let one = serde_json::from_slice::<Found>(line.as_bytes());
                let mut one = one.map_err(|_| format!("the program could not be checked: {line}"))?;
                if one.file.as_deref() == Some("<stdin>") {
                    one.file = Some(SOURCE.into());
                }
                found.push(one);
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("checking the program takes more than {} s", TIME.as_secs()));
            }
        }
    }
}

/// The lines that a process writes to its standard error, read on a thread.
fn lines(process: &mut Process) -> Result<Receiver<String>, String> {
    let stderr: ChildStderr = process.stderr.take().ok_or("the process has no pipes")?;
    let (sender, lines) = bounded(100);
    threads::spawn("check", move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })
    .map_err(|error| error.to_string())?;
    Ok(lines)
}
