//! Runs every program below `testdata/programs`, plain and under the debugger, and compares with the
//! expectations beside it. A test a program and way; with `UPDATE_EXPECTATIONS=1` the plain runs that
//! do something else write it into the files.
//!
//! Each program is a file or a folder (with `main.ez`), with the expected results beside it: `.stdout`, `.exit`
//! (the status; 0 if the file is missing), `.in` (its standard input), and `.diag`, with a line for each
//! diagnostic: severity, code, `file:line:column`, message (expectations that a test has recorded have 1 and `-`
//! for the last two). Compared are output, status, and the severity, code, file and line of each diagnostic; of
//! several syntax errors only the first.
//!
//! To add a program, write it in a folder below `own` (the others were recorded from the reference implementation),
//! let the test record what it does, and check that:
//!
//! ```sh
//! UPDATE_EXPECTATIONS=1 cargo test --test programs own/types/mine    # only those with this in their names
//! cargo test --test programs
//! git diff testdata
//! ```
//!
//! Expectations that were recorded from the reference implementation are not overwritten. `testdata/DEVIATIONS.md`
//! names the programs that behave differently, with the reason; they are not compared.

use libtest_mimic::{Arguments, Failed, Trial};
use support::corpus::{Outcome, attached, plain};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    // A copy for each way: programs write files, and both run at the same time.
    for case in support::corpus::cases(&support::corpus::copy("plain")) {
        trials.push(Trial::test(format!("plain/{}", case.name), move || {
            let got = plain(&case);
            if std::env::var_os("UPDATE_EXPECTATIONS").is_some() {
                case.record(&got);
                return Ok(());
            }
            compare(&case.expected(), got)
        }));
    }
    for case in support::corpus::cases(&support::corpus::copy("attached")) {
        trials.push(Trial::test(format!("attached/{}", case.name), move || {
            let mut wanted = case.expected();
            let got = attached(&case);
            // A program that does not check is answered with its errors alone.
            if got.diagnostics.iter().all(|d| d.starts_with("error")) && got.stdout.is_empty() {
                wanted.diagnostics.retain(|d| d.starts_with("error"));
            }
            compare(&wanted, got)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// What differs, as one text.
fn compare(wanted: &Outcome, got: Outcome) -> Result<(), Failed> {
    let mut differences = Vec::new();
    if got.stdout != wanted.stdout {
        differences.push(format!("stdout: {:?}\nwanted: {:?}", got.stdout, wanted.stdout));
    }
    if got.status != wanted.status {
        differences.push(format!("status: {}\nwanted: {}", got.status, wanted.status));
    }
    if got.diagnostics != wanted.diagnostics {
        differences.push(format!("diagnostics: {:?}\nwanted: {:?}", got.diagnostics, wanted.diagnostics));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}
