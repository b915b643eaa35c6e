//! Runs a program within the test, plain and under the debug engine, and says what it did: the output, the
//! status and the error that ended it.

mod client;
mod host;
mod look;
mod returner;
mod tracer;
mod walker;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, unbounded};
use ez_engine::api::{Launch, Problem, Request};
use ez_engine::debug::{self, HostSetup, InterruptHandle, Message, Pace, Setup, runtime_problem};
use ez_language::check::check_program;
use ez_language::modules::{DiskLoader, MemoryLoader, SourceLoader};
use ez_runtime::diagnostics::Severity;
use ez_runtime::interp::{self, STACK_SIZE, Vm, compile_plain};
use ez_runtime::value::{Host, set_memory_limit};

use client::{Client, End, Requests};
pub use client::{Passed, STOPS, Trace, Way};
use host::TestHost;
pub use look::Shown;
pub use returner::Return;
use returner::Returner;
use tracer::{Seen, Tracer};
use walker::{Answers, Walker};

use crate::generator::{DIRECTORY, Program};

/// How often a name is declared in a text, as a variable or parameter.
pub fn declarations(text: &str, name: &str) -> usize {
    let uses = [
        "temp NAME ",
        "const NAME ",
        "(NAME ",
        "(&NAME ",
        ", NAME ",
        ", &NAME ",
        "for NAME ",
        "each NAME ",
        "each NAME, ",
        "temp NAME, ",
    ];
    uses.iter().map(|used| text.matches(&used.replace("NAME", name)).count()).sum()
}

/// A run that takes longer than this hangs: a minute, or as many seconds as `EZ_HANG` says, for slow builds.
fn hang() -> Duration {
    let seconds = std::env::var("EZ_HANG").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(60))
}

/// A program that can be run several times.
pub struct Subject {
    /// Files that are in memory only; none if the program is on disk.
    pub files: Vec<(String, String)>,
    pub main: PathBuf,
    /// The program's working directory.
    pub directory: PathBuf,
    /// What it reads from standard input.
    pub input: String,
    /// Lines of the main file.
    pub lines: u32,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Both streams, in the order in which they were written to.
    pub output: String,
    pub status: i32,
    /// The run-time error that ended it.
    pub error: Option<String>,
}

impl Subject {
    /// A generated program, with a working directory of its own.
    pub fn generated(program: &Program, directory: &Path) -> Subject {
        Subject {
            files: program.files.clone(),
            main: Path::new(DIRECTORY).join("main.ez"),
            directory: directory.to_path_buf(),
            input: "12\nsecond line\nnot a number\nthird é\n".into(),
            lines: program.lines(),
        }
    }

    /// A program on disk, which runs in its directory.
    pub fn on_disk(main: &Path, input: String) -> Subject {
        let lines = std::fs::read_to_string(main).unwrap_or_default().lines().count();
        let directory = main.parent().unwrap_or(Path::new("/")).to_path_buf();
        Subject { files: Vec::new(), main: main.to_path_buf(), directory, input, lines: lines as u32 }
    }

    /// The functions of the main file, each with the number of its parameters.
    pub fn functions(&self) -> Vec<(String, usize)> {
        let on_disk = std::fs::read_to_string(&self.main).unwrap_or_default();
        let text = self.files.iter().find(|(name, _)| name == "main.ez").map_or(on_disk, |it| it.1.clone());
        let function = |line: &str| {
            let (name, rest) = line.strip_prefix("do ")?.split_once('(')?;
            let parameters = rest.split(')').next()?.split(", ").filter(|name| !name.is_empty()).count();
            (name != "main").then(|| (name.to_string(), parameters))
        };
        text.lines().filter_map(function).collect()
    }

    fn loader(&self) -> Box<dyn SourceLoader> {
        if self.files.is_empty() {
            return Box::new(DiskLoader);
        }
        let mut loader = MemoryLoader::new();
        for (name, text) in &self.files {
            loader.add(format!("{DIRECTORY}/{name}"), text.clone());
        }
        Box::new(loader)
    }

    /// The errors that the check finds.
    pub fn errors(&self) -> Vec<String> {
        let checked = check_program(&*self.loader(), &self.main, "main.ez").expect("a file");
        let errors = checked.diagnostics.iter().filter(|d| d.severity() == Severity::Error);
        errors.map(|d| format!("{} {}", d.code.as_str(), d.message)).collect()
    }

    /// Runs the program plain; `memory` limits what this process may hold.
    pub fn plain(self: &Arc<Subject>, memory: Option<u64>) -> Result<Outcome, String> {
        let subject = self.clone();
        let (tell, told) = unbounded();
        let thread = on_program_thread(move || {
            set_memory_limit(memory);
            let checked = check_program(&*subject.loader(), &subject.main, "main.ez").expect("a file");
            let Some(program) = checked.program else { return };
            let output = Arc::default();
            let host = TestHost::new(&subject, Arc::clone(&output), None);
            let mut vm =
                Vm::new(program.clone(), Box::new(host), STACK_SIZE - STACK_SIZE / 8).expect("a machine");
            let outcome = interp::run(&mut vm, &compile_plain(&program));
            let error = match &outcome {
                interp::Outcome::Failed(error) => Some(problem_text(&runtime_problem(&program, error))),
                _ => None,
            };
            let output = std::mem::take(&mut *output.lock().expect("not poisoned"));
            let _ = tell.send(Outcome { output, status: outcome.status(), error });
        });
        let outcome = told.recv_timeout(hang()).map_err(|error| error.to_string());
        match outcome {
            Ok(outcome) => thread.join().map(|()| outcome).map_err(|_| "the interpreter panicked".into()),
            Err(error) => Err(if thread.is_finished() { "the interpreter panicked".into() } else { error }),
        }
    }

    /// Runs the program under the debug engine, with a client that proceeds in a certain way.
    pub fn attached(self: &Arc<Subject>, way: Way, memory: Option<u64>) -> Result<Outcome, String> {
        let launch = Launch { stop_on_entry: Some(way.stop_at_entry), ..Launch::default() };
        let (pauses, subject) = (way.pauses, self.clone());
        let client = move |requests, tell| {
            let mut client = Client::new(requests, subject, way, tell);
            move |message| client.message(message)
        };
        self.debugged(launch, client, pauses, memory, Pace::Never)
    }

    /// Runs the program, its history kept; a client walks back and forth. Also gives the answers to its questions
    /// about changes.
    pub fn walked(
        self: &Arc<Subject>,
        steps: usize,
        checkpoints: Pace,
    ) -> Result<(Outcome, Vec<String>), String> {
        let launch = Launch { stop_on_entry: Some(true), history: true, ..Launch::default() };
        let mut texts: Vec<String> = self.files.iter().map(|(_, text)| text.clone()).collect();
        if texts.is_empty() {
            texts.extend(std::fs::read_to_string(&self.main));
        }
        let answers = Answers::default();
        let of_client = answers.clone();
        let client = move |requests, tell| {
            let mut walker = Walker::new(requests, steps, texts, of_client, tell);
            move |message| walker.message(message)
        };
        let outcome = self.debugged(launch, client, None, None, checkpoints)?;
        let answers = std::mem::take(&mut *answers.lock().expect("not poisoned"));
        Ok((outcome, answers))
    }

    /// Runs the program to its end, its history kept; a client comes back, and goes to the end again.
    pub fn returned(self: &Arc<Subject>, plan: Return, checkpoints: Pace) -> Result<Outcome, String> {
        let launch = Launch { stop_on_entry: Some(true), history: true, ..Launch::default() };
        let plan = Return { file: self.main.display().to_string(), ..plan };
        let client = move |requests, tell| {
            let mut returner = Returner::new(requests, plan, tell);
            move |message| returner.message(message)
        };
        self.debugged(launch, client, None, None, checkpoints)
    }

    /// Steps through the program, its history kept, as `ez trace` does; also gives what the stops show. With
    /// `observed`, all statements are observed, and so many of them are compared with what they compute when they
    /// are run again.
    pub fn traced(self: &Arc<Subject>, observed: Option<usize>) -> Result<(Outcome, Vec<Shown>), String> {
        let launch = Launch {
            stop_on_entry: Some(true),
            history: true,
            observe: observed.map(|_| tracer::LIMITS),
            ..Launch::default()
        };
        let seen = Seen::default();
        let of_client = seen.clone();
        let client = move |requests, tell| {
            let mut tracer = Tracer::new(requests, of_client, observed.unwrap_or(0), tell);
            move |message| tracer.message(message)
        };
        let outcome = self.debugged(launch, client, None, None, Pace::Never)?;
        let seen = std::mem::take(&mut *seen.lock().expect("not poisoned"));
        Ok((outcome, seen))
    }

    fn debugged<C: FnMut(Message) + Send + 'static>(
        self: &Arc<Subject>,
        launch: Launch,
        client: impl FnOnce(Requests, Sender<End>) -> C,
        pauses: Option<u64>,
        memory: Option<u64>,
        checkpoints: Pace,
    ) -> Result<Outcome, String> {
        let (requests, asked) = unbounded();
        let requests = Requests::new(requests);
        let interrupt = InterruptHandle::new();
        let output = Arc::new(Mutex::new(String::new()));
        let (tell, told) = unbounded();
        requests.send(Request::Initialize(Box::new(launch)));
        let client = client(requests.clone(), tell);
        let (subject, handle, captured) = (self.clone(), interrupt.clone(), output.clone());
        let thread = on_program_thread(move || {
            set_memory_limit(memory);
            let host_subject = subject.clone();
            let make_host = move |setup: HostSetup| -> Box<dyn Host> {
                let flag = setup.interrupt.interrupt_flag();
                Box::new(TestHost::new(&host_subject, captured.clone(), Some(flag)))
            };
            let setup = Setup {
                loader: Rc::from(subject.loader()),
                make_host: Box::new(make_host),
                file: Some(subject.main.clone()),
                directory: subject.directory.clone(),
                checkpoints,
            };
            let client = std::cell::RefCell::new(client);
            debug::serve(setup, asked, move |message| (client.borrow_mut())(message), handle);
        });
        let over = Arc::new(AtomicBool::new(false));
        let pauses = pauses.map(|seed| pause_at_random(seed, requests, interrupt, over.clone()));
        let ended = told.recv_timeout(hang());
        over.store(true, Ordering::SeqCst);
        let hangs = ended.is_err() && !thread.is_finished();
        if hangs {
            return Err("nothing happens any more".into());
        }
        let panicked = thread.join().is_err();
        pauses.into_iter().for_each(|thread| drop(thread.join()));
        match ended {
            _ if panicked => Err("the engine panicked".into()),
            Err(_) => Err("the engine ended without a word".into()),
            Ok(Err(wrong)) => Err(wrong),
            Ok(Ok((status, error))) => {
                let output = std::mem::take(&mut *output.lock().expect("not poisoned"));
                Ok(Outcome { output, status, error: error.as_ref().map(problem_text) })
            }
        }
    }
}

fn on_program_thread(work: impl FnOnce() + Send + 'static) -> std::thread::JoinHandle<()> {
    std::thread::Builder::new().stack_size(STACK_SIZE).spawn(work).expect("a thread")
}

/// Interrupts a program again and again, after random times.
fn pause_at_random(
    seed: u64,
    requests: Requests,
    interrupt: InterruptHandle,
    over: Arc<AtomicBool>,
) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut random = fastrand::Rng::with_seed(seed);
        // Each pause costs a stop, and a program in a debug build gets few statements done between two.
        for _ in 0..200 {
            let time = Duration::from_micros(random.u64(0..400));
            let since = Instant::now();
            while since.elapsed() < time {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                std::thread::yield_now();
            }
            requests.send(Request::Pause);
            interrupt.raise();
        }
    })
}

fn problem_text(problem: &Problem) -> String {
    let place = |location: &ez_engine::api::Location| {
        format!("{}:{}:{}", location.path.display(), location.line, location.column)
    };
    let stack: Vec<String> =
        problem.stack.iter().map(|frame| format!("{} {}", frame.function, place(&frame.location))).collect();
    let at = problem.location.as_ref().map(place).unwrap_or_default();
    format!("{} {} at {at} [{}]", problem.code.as_str(), problem.message, stack.join(", "))
}
