//! Every explanation of a code: its right program runs without errors, its wrong one reports the code.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ez_runtime::diagnostics::{Explanation, Severity, explanations};

/// How long a program may take: those that end by themselves take milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

struct Run {
    success: bool,
    codes: Vec<String>,
    errors: String,
}

/// Runs `ez` on a program in a directory of its own.
fn ez(directory: &Path, program: &str) -> Run {
    std::fs::create_dir_all(directory).expect("makes a directory");
    let file = directory.join("main.ez");
    std::fs::write(&file, program).expect("writes the program");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ez"))
        .args(["--message-format", "json", "run", "main.ez"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut stderr = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("waits") {
            break Some(status);
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let errors = reader.join().expect("reads");
    let reports = errors.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let codes = reports.filter_map(|report| Some(report.get("code")?.as_str()?.to_string())).collect();
    Run { success: status.is_some_and(|s| s.success()), codes, errors }
}

fn problem(directory: &Path, explanation: &Explanation) -> Option<String> {
    let code = explanation.code;
    let right = ez(&directory.join("right"), explanation.right);
    if !right.success || right.codes.iter().any(|c| !c.starts_with('W')) {
        return Some(format!("{code:?}: the right program fails\n{}", right.errors));
    }
    if right.codes.iter().any(|c| c == code.as_str()) {
        return Some(format!("{code:?}: the right program reports the code\n{}", right.errors));
    }
    if !explanation.runnable {
        return None;
    }
    let wrong = ez(&directory.join("wrong"), explanation.wrong);
    if !wrong.codes.iter().any(|c| c == code.as_str()) {
        return Some(format!("{code:?}: the wrong program reports {:?}\n{}", wrong.codes, wrong.errors));
    }
    let fails = code.severity() == Severity::Error;
    (wrong.success == fails).then(|| format!("{code:?}: the wrong program's status is not as it should be"))
}

// invariant 22
#[test]
fn programs_are_right_and_wrong_as_they_say() {
    let root: PathBuf = std::env::temp_dir().join(format!("ez_explain_{}", std::process::id()));
    let all: Vec<&Explanation> = explanations().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut problems = Vec::new();
        while let Some(explanation) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            problems.extend(problem(&root.join(explanation.code.as_str()), explanation));
        }
        problems
    };
    let problems: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("works")).collect()
    });
    let _ = std::fs::remove_dir_all(&root);
    assert!(problems.is_empty(), "{} explanations:\n{}", problems.len(), problems.join("\n"));
}
