//! The programs below `testdata/programs` do the same when a debugger stops them at random and asks for
//! variables and evaluations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod corpus;
mod generator;
mod plain;
mod runs;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use corpus::{Case, cases, copy};
use ez_debugger::api::Resume::{Continue, StepInto, StepOut, StepOver};
use runs::{Subject, Way};

/// What tells of itself, other processes or the weather: different in each run.
const DIFFERENT: &[&str] = &["os.pid", "os.ppid", "exec", "server.", "http.", "temp_file", "temp_dir"];

fn check(case: &Case, seed: u64) -> Result<(), String> {
    let input = String::from_utf8_lossy(&std::fs::read(case.path.with_extension("in")).unwrap_or_default())
        .into_owned();
    let subject = Arc::new(Subject::on_disk(&case.path, input));
    let text = std::fs::read_to_string(&case.path).unwrap_or_default();
    if !subject.errors().is_empty() {
        return Ok(());
    }
    let wanted = subject.plain(None)?;
    let way = Way {
        stop_at_entry: true,
        resumes: vec![StepInto, StepInto, StepInto, StepOver, StepOut, Continue],
        questions: 3,
        breakpoints: 4,
        seed,
        ..Way::default()
    };
    let got = subject.attached(way, None)?;
    if got != wanted && !DIFFERENT.iter().any(|word| text.contains(word)) {
        return Err(format!("plain: {wanted:#?}\nasked: {got:#?}"));
    }
    Ok(())
}

#[test]
fn questions_change_nothing() {
    let cases = cases(&copy("asked"));
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if let Err(why) = check(case, next.load(Ordering::SeqCst) as u64) {
                        wrong.lock().unwrap().push(format!("{}: {why}", case.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}
