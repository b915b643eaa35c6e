//! Runs of the programs below `testdata/programs` in ways that must not change what they do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::runs::{Outcome, Subject};
use support::corpus::{Case, STACK, cases};

/// Programs that contain one of these tell of themselves, of other processes or of the network: their output
/// differs from run to run.
const DIFFERENT: &[&str] = &["os.pid", "os.ppid", "exec", "server.", "http.", "temp_file", "temp_dir"];

/// Runs each program that checks plain and with `run`, which gets the number of the program, too, and panics
/// with all programs that did not do the same.
pub fn all_are_as_plain(run: impl Fn(&Arc<Subject>, usize) -> Result<Outcome, String> + Send + Sync) {
    let cases = cases();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    let run_cases = || loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let Some(case) = cases.get(number) else { return };
        let (_folder, copy) = case.copied();
        if let Err(why) = is_as_plain(&copy, |subject| run(subject, number)) {
            wrong.lock().unwrap().push(format!("{}: {why}", case.name));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run_cases).unwrap();
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_as_plain(case: &Case, run: impl Fn(&Arc<Subject>) -> Result<Outcome, String>) -> Result<(), String> {
    let input = std::fs::read(case.path.with_extension("in")).unwrap_or_default();
    let subject = Arc::new(Subject::on_disk(&case.path, String::from_utf8_lossy(&input).into_owned()));
    let text = std::fs::read_to_string(&case.path).unwrap_or_default();
    if !subject.errors().is_empty() {
        return Ok(());
    }
    let wanted = subject.plain(None)?;
    let got = run(&subject)?;
    if got != wanted && !DIFFERENT.iter().any(|word| text.contains(word)) {
        return Err(format!("plain: {wanted:#?}\nhere: {got:#?}"));
    }
    Ok(())
}
