//! The programs below `testdata/programs`, how they are run, and what is expected of them.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{ez_path, scratch, testdata};

/// Bytes of stack that it takes to check the deepest program, also with the large frames of a sanitizer.
pub const STACK: usize = 64 << 20;

/// A program with its expectations.
#[derive(Clone)]
pub struct Case {
    /// Area and name: `runtime/aliasing.ez`.
    pub name: String,
    /// The program.
    pub path: PathBuf,
    excepted: bool,
}

/// What a run did: of each diagnostic severity, code and `file:line`, repetitions once, and of syntax
/// errors only the first (what follows depends on recovery).
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub stdout: String,
    pub status: i32,
    pub diagnostics: Vec<String>,
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// All programs: each `.ez` file, or `main.ez` of a folder that has one.
pub fn cases() -> Vec<Case> {
    let root = &testdata("programs");
    let list = |name: &str| {
        let path = testdata(name);
        std::fs::read_to_string(path).unwrap_or_default()
    };
    let deviations = list("DEVIATIONS.md") + &if cfg!(windows) { list("WINDOWS.md") } else { String::new() };
    let mut found = Vec::new();
    collect(root, root, &mut found);
    found.sort();
    let case = |path: PathBuf| {
        let name = path.strip_prefix(root).expect("below").to_string_lossy().replace('\\', "/");
        let excepted = deviations.contains(&format!("- {name}:"));
        Case { name, path, excepted }
    };
    found.into_iter().map(case).filter(|c| !c.excepted).collect()
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    let main = folder.join("main.ez");
    if main.exists() && folder != root {
        found.push(main);
        return;
    }
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, found);
        } else if path.extension().is_some_and(|e| e == "ez") {
            found.push(path);
        }
    }
}

impl Case {
    /// The program alone in a folder where it may write files, which is there as long as what is returned first.
    pub fn copied(&self) -> (tempfile::TempDir, Case) {
        let temporary = tempfile::tempdir_in(scratch()).expect("a folder");
        let path = temporary.path().join(&self.name);
        let folder = path.parent().expect("a folder");
        if self.file() == "main.ez" {
            copy_folder(self.folder(), folder);
        } else {
            std::fs::create_dir_all(folder).expect("a folder");
            for entry in std::fs::read_dir(self.folder()).expect("a folder").flatten() {
                if entry.path().file_stem() == self.path.file_stem() && entry.path().is_file() {
                    std::fs::copy(entry.path(), folder.join(entry.file_name())).expect("a copy");
                }
            }
        }
        (temporary, Case { path, ..self.clone() })
    }

    fn beside(&self, extension: &str) -> Vec<u8> {
        std::fs::read(self.path.with_extension(extension)).unwrap_or_default()
    }

    /// Its own files, with their texts: all in its folder if it has one.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let mut paths = vec![self.path.clone()];
        let mut folders = Vec::new();
        if self.file() == "main.ez" {
            paths.clear();
            folders.push(self.folder().to_path_buf());
        }
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "ez") {
                    paths.push(path);
                }
            }
        }
        let read = |path: PathBuf| std::fs::read_to_string(&path).ok().map(|text| (path, text));
        paths.into_iter().filter_map(read).collect()
    }

    fn folder(&self) -> &Path {
        self.path.parent().expect("a folder")
    }

    fn file(&self) -> String {
        self.path.file_name().expect("a name").to_string_lossy().into_owned()
    }

    /// What the files beside it say.
    pub fn expected(&self) -> Outcome {
        let text = String::from_utf8_lossy(&self.beside("diag")).into_owned();
        let diagnostics =
            text.lines().filter(|l| l.starts_with("error ") || l.starts_with("warning ")).map(|l| {
                let mut words = l.split(' ');
                let (severity, code) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
                let place = words.next().unwrap_or("");
                let mut parts = place.split(':');
                let (file, line) = (parts.next().unwrap_or("?"), parts.next().unwrap_or("?"));
                format!("{severity} {code} {file}:{line}")
            });
        Outcome {
            stdout: String::from_utf8_lossy(&self.beside("stdout")).into_owned(),
            status: String::from_utf8_lossy(&self.beside("exit")).trim().parse().unwrap_or(0),
            diagnostics: settle(diagnostics.collect()),
        }
    }

    /// Makes what a run did the expectation, if it is another one.
    pub fn record(&self, got: &Outcome) {
        if self.expected() == *got {
            return;
        }
        let base = testdata("programs").join(&self.name);
        // Columns and messages are information for readers; what is compared is here.
        let lines = |lines: &[String]| lines.iter().map(|l| format!("{l}:1 -\n")).collect::<String>();
        let status = if got.status == 0 { String::new() } else { format!("{}\n", got.status) };
        for (extension, text) in
            [("stdout", got.stdout.clone()), ("diag", lines(&got.diagnostics)), ("exit", status)]
        {
            let path = base.with_extension(extension);
            if text.is_empty() {
                let _ = std::fs::remove_file(path);
            } else {
                std::fs::write(path, text).expect("written");
            }
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(ez_path());
        command.current_dir(self.folder()).env("TZ", "UTC").env("NO_COLOR", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// Repetitions once; only the first of syntax errors.
fn settle(mut diagnostics: Vec<String>) -> Vec<String> {
    diagnostics.dedup();
    let first = diagnostics.first().cloned().unwrap_or_default();
    let code = first.split(' ').nth(1).unwrap_or("");
    if code.len() == 5 && (code.starts_with("E1") || code.starts_with("E2")) {
        diagnostics.truncate(1);
    }
    diagnostics
}

/// What Wine says, about once in thousands of processes, when it could not start one. Windows does not.
const INTERNAL_ERROR: i32 = 1359;

fn started(command: &mut Command) -> Child {
    let started = command.spawn();
    let again = cfg!(windows) && started.as_ref().is_err_and(|e| e.raw_os_error() == Some(INTERNAL_ERROR));
    if again { command.spawn() } else { started }.expect("ez starts")
}

/// Runs the program as `ez FILE`.
pub fn plain(case: &Case) -> Outcome {
    let mut child = started(case.command().arg(case.file()));
    let _ = child.stdin.take().expect("a pipe").write_all(&case.beside("in"));
    let output = child.wait_with_output().expect("ez ends");
    let mut diagnostics = Vec::new();
    let mut head = String::new();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        if let Some((start, _)) = line.split_once("]: ")
            && let Some((severity @ ("error" | "warning"), code)) = start.split_once('[')
        {
            head = format!("{severity} {code}");
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && !head.is_empty()
        {
            let mut parts = place.rsplitn(3, ':');
            let (_, line, file) = (parts.next(), parts.next().unwrap_or("?"), parts.next().unwrap_or("?"));
            let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
            diagnostics.push(format!("{} {file}:{line}", std::mem::take(&mut head)));
        }
    }
    Outcome {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        status: output.status.code().unwrap_or(-1),
        diagnostics: settle(diagnostics),
    }
}

/// Runs the program in a debug session from start to end.
pub fn attached(case: &Case) -> Outcome {
    let file = case.file();
    let mut child = started(case.command().args(["debugserver", &file]));
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = String::from_utf8_lossy(&case.beside("in")).into_owned();
    let mut say = |name: &str, params: serde_json::Value| {
        let line = serde_json::json!({"type": "command", "command": name, "params": params});
        let _ = writeln!(stdin, "{line}");
    };
    say("initialize", serde_json::json!({"file": file}));
    // Text that ends with the input is taken to the letter: its last line need not be finished.
    match input.is_empty() {
        true => say("input", serde_json::json!({"eof": true})),
        false => say("input", serde_json::json!({"text": input, "eof": true})),
    }
    say("start", serde_json::json!({}));
    say("continue", serde_json::json!({}));
    let mut outcome = Outcome { stdout: String::new(), status: 1, diagnostics: Vec::new() };
    let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for line in stdout.lines().map_while(Result::ok) {
        let event: serde_json::Value = serde_json::from_str(&line).expect("an event");
        if take(&mut outcome, &event) {
            break;
        }
    }
    drop(stdin);
    child.wait().expect("ez ends");
    outcome.diagnostics = settle(outcome.diagnostics);
    outcome
}

/// Takes an event into the outcome; whether it is the last that matters.
fn take(outcome: &mut Outcome, event: &serde_json::Value) -> bool {
    let data = &event["data"];
    match event["event"].as_str().unwrap_or("") {
        "output" if data["category"] == "stdout" => {
            outcome.stdout.push_str(data["text"].as_str().unwrap_or(""))
        }
        "initialized" => {
            for warning in data["warnings"].as_array().into_iter().flatten() {
                outcome.diagnostics.push(place(warning));
            }
        }
        // Commands behind a program that does not check are refused.
        "error" if data.get("command").is_none() => outcome.diagnostics.push(place(data)),
        "exited" => {
            outcome.status = data["exitCode"].as_i64().unwrap_or(-1) as i32;
            return true;
        }
        "terminated" => return true,
        _ => {}
    }
    false
}

fn place(problem: &serde_json::Value) -> String {
    let location = &problem["location"];
    let file = location["file"].as_str().unwrap_or("?");
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let (severity, code) =
        (problem["severity"].as_str().unwrap_or("?"), problem["code"].as_str().unwrap_or("?"));
    format!("{severity} {code} {file}:{}", location["line"])
}
