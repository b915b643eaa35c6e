//! Several cases at a time.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crossbeam_channel::{Receiver, unbounded};

use super::folder::Case;
use super::outcome::{Failure, Kind, Outcome};
use super::program::{Program, Settings};
use super::running::run;
use ez_runtime::threads;

/// A program with its cases.
#[derive(Debug)]
pub struct Suite {
    pub program: Program,
    /// Where the cases are.
    pub place: String,
    pub cases: Arc<Vec<Case>>,
    /// Whether the program has no errors, once that is known; else its reports.
    pub checked: OnceLock<Result<(), String>>,
}

impl Suite {
    pub fn new(program: Program, place: String, cases: Arc<Vec<Case>>) -> Suite {
        Suite { program, place, cases, checked: OnceLock::new() }
    }
}

/// Cases that are being run.
pub struct Jobs {
    pub suites: Arc<Vec<Suite>>,
    /// What has become of cases, with the numbers of suite and case, in any order.
    pub outcomes: Receiver<(usize, usize, Outcome)>,
}

struct Shared {
    suites: Arc<Vec<Suite>>,
    settings: Settings,
    /// The numbers of suite and case of each.
    all: Vec<(usize, usize)>,
    next: AtomicUsize,
    fail_fast: bool,
    /// Whether no more is begun.
    is_over: AtomicBool,
}

impl Jobs {
    /// Begins to run the cases of programs, `jobs` at a time, or as many as there are cores. With `fail_fast`, no more is
    /// begun once one has failed.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn start(
        suites: Vec<Suite>,
        settings: Settings,
        jobs: Option<usize>,
        fail_fast: bool,
    ) -> io::Result<Jobs> {
        let all: Vec<(usize, usize)> = suites
            .iter()
            .enumerate()
            .flat_map(|(suite, of)| (0..of.cases.len()).map(move |case| (suite, case)))
            .collect();
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = jobs.unwrap_or_else(cores).min(all.len());
        let suites = Arc::new(suites);
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let shared = Arc::new(Shared { suites: suites.clone(), settings, all, next, fail_fast, is_over });
        let (sender, outcomes) = unbounded();
        for begun in 0..jobs {
            let (shared, sender) = (shared.clone(), sender.clone());
            let work = move || {
                while let Some((suite, case, outcome)) = shared.run_next() {
                    if sender.send((suite, case, outcome)).is_err() {
                        return;
                    }
                }
            };
            match threads::spawn("cases", work) {
                // The others do it.
                Err(_) if begun > 0 => break,
                spawned => drop(spawned?),
            }
        }
        Ok(Jobs { suites, outcomes })
    }
}

impl Shared {
    /// Runs the next case; `None` if there is none.
    fn run_next(&self) -> Option<(usize, usize, Outcome)> {
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (suite, case) = *self.all.get(number)?;
        let of = self.suites.get(suite)?;
        let checked = of.checked.get_or_init(|| of.program.check(self.settings.time));
        let outcome = match checked {
            Ok(()) => run(&of.program, of.cases.get(case)?, &self.settings, number),
            Err(_) => Outcome {
                failure: Some(Failure::new(Kind::NotRun, "the program has errors")),
                time: std::time::Duration::ZERO,
                output: None,
            },
        };
        if self.fail_fast && outcome.failure.is_some() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        Some((suite, case, outcome))
    }
}
