//! Several cases at a time.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use crossbeam_channel::{Receiver, unbounded};

use super::folder::Case;
use super::outcome::{Failure, Kind, Outcome};
use super::program::{NotRun, Program, Settings};
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
    pub checked: OnceLock<Result<(), NotRun>>,
    /// Held alone while a program runs that may change files of its folder, and by several while others run there.
    turn: Arc<RwLock<()>>,
    is_alone: bool,
}

impl Suite {
    pub fn new(program: Program, place: String, cases: Arc<Vec<Case>>) -> Suite {
        let is_alone = program.may_change_files();
        Suite { program, place, cases, checked: OnceLock::new(), turn: Arc::default(), is_alone }
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
        mut suites: Vec<Suite>,
        settings: Settings,
        jobs: Option<usize>,
        fail_fast: bool,
    ) -> io::Result<Jobs> {
        let mut turns = HashMap::<PathBuf, Arc<RwLock<()>>>::new();
        for suite in &mut suites {
            suite.turn = turns.entry(suite.program.root.path().to_path_buf()).or_default().clone();
        }
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
        let checked = of.checked.get_or_init(|| of.program.check(&self.settings));
        let outcome = match checked {
            Ok(()) => {
                let case = of.cases.get(case)?;
                let run = || run(&of.program, case, &self.settings, number);
                if of.is_alone {
                    let _turn = of.turn.write().unwrap_or_else(PoisonError::into_inner);
                    run()
                } else {
                    let _turn = of.turn.read().unwrap_or_else(PoisonError::into_inner);
                    run()
                }
            }
            Err(why) => {
                let why = match why {
                    NotRun::Reports(_) => "the program has errors",
                    NotRun::NotChecked(why) => why,
                };
                let failure = Some(Failure::new(Kind::NotRun, why));
                Outcome { failure, time: std::time::Duration::ZERO, output: None }
            }
        };
        if self.fail_fast && outcome.failure.is_some() {
            self.is_over.store(true, Ordering::Relaxed);
        }
        Some((suite, case, outcome))
    }
}
