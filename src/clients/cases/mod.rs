//! `ez test`: runs programs with the inputs of their cases, and compares what they print with what they have to.
//!
//! A case is a few files of one name ([`folder`]). Each is run in a process of its own ([`running`], [`process`]), several
//! at a time ([`jobs`]), and its output is compared while it comes ([`reading`]); one that fails is run again, from a
//! recording of that run, to find the statement ([`again`]). What is said is in [`difference`] and [`report`].

mod again;
mod csv;
mod difference;
pub mod folder;
mod jobs;
mod junit;
mod outcome;
mod process;
mod program;
mod reading;
mod report;
mod running;
mod tokens;
mod update;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::show::{self, Style, print, print_unchanged};
use ez_runtime::host::Capability;
use ez_runtime::platform::{before_signal_ends, make_directory, process_id, reason, slashed};
use folder::{Case, Cases};
use jobs::{Jobs, Suite};
use process::Processes;
pub use program::Program;
use program::Settings;
pub use reading::Mode;
pub use report::Form;
use report::{Report, Results};

/// The status when all cases have passed, when some have not, and when there is nothing to run.
const PASSED: u8 = 0;
const FAILED: u8 = 1;
const NOTHING: u8 = 2;

/// What `ez test` is to do.
#[derive(Debug, PartialEq)]
pub struct Options {
    /// The files of programs.
    pub programs: Vec<String>,
    /// Folders or files of cases for all of them; empty: each has its own.
    pub cases: Vec<String>,
    /// The cases that are run, by a pattern for their names.
    pub only: Option<glob::Pattern>,
    /// Whether cases are only listed.
    pub list: bool,
    pub mode: Mode,
    pub time: Duration,
    /// The memory limit in bytes.
    pub memory: u64,
    /// What programs must not do.
    pub deny: Vec<Capability>,
    /// How many cases are run at a time; `None`: as many as there are cores.
    pub jobs: Option<usize>,
    pub fail_fast: bool,
    /// Whether what is printed becomes what is expected.
    pub update: bool,
    pub form: Form,
    /// The file for a report that other programs read.
    pub junit: Option<String>,
}

/// The memory limit of a program with a case in bytes, if no other one is wanted.
pub const MEMORY: u64 = 512 << 20;

/// What a program with a case must not do, if it must not do this.
pub fn denied(mut more: Vec<Capability>, allow_net: bool) -> Vec<Capability> {
    more.push(Capability::Exec);
    if !allow_net {
        more.push(Capability::Net);
    }
    more
}

/// Runs the cases of programs; returns the exit status.
pub fn test(options: Options, style: Style) -> u8 {
    let wrong = |message: &str| {
        show::problem(message, style);
        NOTHING
    };
    let processes = Arc::new(Processes::new());
    let scratch = match Scratch::new(processes.clone()) {
        Ok(scratch) => scratch,
        Err(error) => {
            let place = std::env::temp_dir();
            return wrong(&format!("no folder for recordings in {}: {}", slashed(&place), reason(&error)));
        }
    };
    let (suites, problems) = suites(&options);
    problems.iter().for_each(|problem| show::problem(problem, style));
    if suites.is_empty() {
        return NOTHING;
    }
    if options.list {
        let is_single = suites.len() == 1;
        let show = if options.form == Form::Text { print } else { print_unchanged };
        suites.iter().for_each(|suite| show(&report::listed(suite, options.form, is_single)));
        return if problems.is_empty() { PASSED } else { NOTHING };
    }
    let settings = Settings {
        mode: options.mode,
        time: options.time,
        memory: options.memory,
        deny: options.deny,
        update: options.update,
        scratch: scratch.0.clone(),
        processes: processes.clone(),
    };
    let jobs = match Jobs::start(suites, settings, options.jobs, options.fail_fast) {
        Ok(jobs) => jobs,
        Err(error) => return wrong(&format!("no thread to run cases: {}", reason(&error))),
    };
    let shows_progress = io::stderr().is_terminal() && !show::is_dumb();
    let mut report = Report::new(options.form, options.mode, &options.cases, &jobs.suites, shows_progress);
    let results = report.follow(jobs, options.update, options.junit.is_some());
    // What still runs is for nobody.
    processes.end();
    if let Some(file) = &options.junit
        && let Err(message) = junit::write(file, &results)
    {
        return wrong(&message);
    }
    let all_passed = results.iter().all(Results::is_passed);
    match (problems.is_empty(), all_passed) {
        (false, _) => NOTHING,
        (true, true) => PASSED,
        (true, false) => FAILED,
    }
}

/// The programs with their cases, and what is wrong with others.
fn suites(options: &Options) -> (Vec<Suite>, Vec<String>) {
    let (mut suites, mut problems) = (Vec::new(), Vec::new());
    // Read once for all programs.
    let common = match options.programs.first() {
        Some(first) if !options.cases.is_empty() => match cases(first, options) {
            Ok(cases) => Some(cases),
            Err(problem) => return (suites, vec![problem]),
        },
        _ => None,
    };
    for file in &options.programs {
        let cases = || common.clone().map_or_else(|| cases(file, options), Ok);
        let suite = Program::new(file)
            .and_then(|program| cases().map(|(place, cases)| Suite::new(program, place, cases)));
        match suite {
            Ok(suite) => suites.push(suite),
            Err(problem) => problems.push(problem),
        }
    }
    (suites, problems)
}

/// The cases of a program that are to be run, and where they are.
fn cases(program: &str, options: &Options) -> Result<(String, Arc<Vec<Case>>), String> {
    let mut found = Cases::of_program(program, &options.cases)?;
    if let Some(only) = &options.only {
        if !found.cases.iter().any(|case| only.matches(&case.name)) {
            found.named(only.as_str())?;
        }
        found.cases.retain(|case| only.matches(&case.name));
    }
    Ok((found.place, Arc::new(found.cases)))
}

/// A folder for what is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    /// When a signal ends this process, the folder is removed, and what runs is killed.
    fn new(processes: Arc<Processes>) -> io::Result<Scratch> {
        let name = format!("ez-test-{}-{:x}", process_id(), fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        make_directory(&path, 0o700)?;
        let removed = path.clone();
        // If this fails, the folder and what runs stay when a signal ends the process.
        let _ = before_signal_ends(move |_| {
            processes.end();
            let _ = std::fs::remove_dir_all(removed);
        });
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
