//! The mistakes of beginners, with the reports that they get: `testdata/beginners`.
//!
//! Each file has programs with the habits of one language: a line `=== TITLE`, the program, a line `--- report`, and
//! the report of `ez check`, or of the run if the check finds nothing. `UPDATE_EXPECTATIONS=1` writes the reports
//! anew; read the difference.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use support::{ez, testdata};

const TITLE: &str = "=== ";
const REPORT: &str = "--- report";

struct Case {
    title: String,
    program: String,
    report: String,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut in_report = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix(TITLE) {
            in_report = false;
            cases.push(Case { title: title.into(), program: String::new(), report: String::new() });
            continue;
        }
        let Some(case) = cases.last_mut() else { panic!("no title before: {line}") };
        if line == REPORT {
            in_report = true;
            continue;
        }
        let part = if in_report { &mut case.report } else { &mut case.program };
        part.push_str(line);
        part.push('\n');
    }
    for case in &mut cases {
        case.report = case.report.trim_end().to_string();
    }
    cases
}

/// What a beginner reads: the report of the check, or else that of the run.
fn report(directory: &Path, program: &str) -> String {
    fs::write(directory.join("main.ez"), program).unwrap();
    let output = |arguments: &[&str]| {
        let mut ez = ez();
        ez.args(arguments).current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null());
        let output = support::output_within(ez.stderr(Stdio::piped()), support::HANG);
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let (checked, found) = output(&["check", "main.ez"]);
    let text = if checked && found.is_empty() { output(&["main.ez"]).1 } else { found };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_string()
}

#[test]
fn mistakes_get_reports_that_teach() {
    let update = std::env::var_os("UPDATE_EXPECTATIONS").is_some();
    let directory = tempfile::tempdir().unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(testdata("beginners")).unwrap() {
        let path = entry.unwrap().path();
        let mut written = String::new();
        for case in cases(&fs::read_to_string(&path).unwrap()) {
            count += 1;
            let found = report(directory.path(), &case.program);
            if found != case.report {
                wrong.push(format!("{}: {}\n{found}\n", path.display(), case.title));
            }
            written += &format!("{TITLE}{}\n{}{REPORT}\n{found}\n\n", case.title, case.program);
        }
        if update {
            fs::write(&path, written).unwrap();
        }
    }
    assert!(count >= 150, "only {count} programs");
    assert!(update || wrong.is_empty(), "{}", wrong.join("\n"));
}
