//! The programs below `testdata/programs`, each stepped back from its end, and forward again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod corpus;
mod generator;
mod plain;
mod runs;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use corpus::{Case, cases, copy};
use ez_debugger::debug::Pace;
use runs::{Return, Subject};

/// How many steps back are made from the end of each program.
const STEPS: usize = 12;

/// What tells of itself, other processes or the weather: different in each run.
const DIFFERENT: &[&str] = &["os.pid", "os.ppid", "exec", "server.", "http.", "temp_file", "temp_dir"];

fn check(case: &Case, number: usize) -> Result<(), String> {
    let input = String::from_utf8_lossy(&std::fs::read(case.path.with_extension("in")).unwrap_or_default())
        .into_owned();
    let subject = Arc::new(Subject::on_disk(&case.path, input));
    let text = std::fs::read_to_string(&case.path).unwrap_or_default();
    if !subject.errors().is_empty() {
        return Ok(());
    }
    let wanted = subject.plain(None)?;
    let checkpoints =
        if number.is_multiple_of(8) { Pace::Places(500 + number as u64 % 100) } else { Pace::Never };
    let plan = Return { errors: true, stops: 20, steps: STEPS, ..Return::default() };
    let got = subject.returned(plan, checkpoints)?;
    if got != wanted && !DIFFERENT.iter().any(|word| text.contains(word)) {
        return Err(format!("plain: {wanted:#?}\nreturned: {got:#?}"));
    }
    Ok(())
}

#[test]
fn programs_can_be_stepped_back_from_their_ends() {
    let cases = cases(&copy("returned"));
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    let Some(case) = cases.get(number) else { return };
                    if let Err(why) = check(case, number) {
                        wrong.lock().unwrap().push(format!("{}: {why}", case.name));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}
