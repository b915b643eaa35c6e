//! The life of a debug engine: an actor on the interpreter's thread that loads a program, runs it, and
//! answers requests before, during and after the run.
//!
//! Requests come in on a channel, in order; responses and events go out through the [`Client`]. While the
//! program runs, requests are looked at when the program's interrupt is raised (see [`InterruptHandle`]);
//! while it is stopped, or not running, the engine waits for them.

use std::any::Any;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crossbeam_channel::Receiver;

use crate::api::{
    BreakpointRequest, Event, Exited, Failure, FailureKind, Initialized, KILLED, Launch, Request, RequestId,
    Response, Restart, SourceText, Status,
};
use crate::interp::flags::STEP;
use crate::interp::vm::Vm;
use crate::interp::{self, Outcome, STACK_SIZE, compile_attached};
use crate::modules::{Snapshot, SnapshotLoader, SourceLoader};
use crate::program::Program;
use crate::recording::file::Header;
use crate::recording::{Record, RecordHost};
use crate::value::Host;

use super::changes::ChangeTracker;
use super::client::Client;
use super::control::InterruptHandle;
use super::engine::{Engine, Instance};
use super::frames::runtime_problem;
use super::line_table::LineTable;
use super::load::{self, LoadFailure, Loaded, Source};
use super::paths;
use super::program::DebuggedProgram;
use super::replayed::{Replayed, is_said};
use super::running::Hook;
use super::stepper::Mode;
use super::time::checkpoints::Pace;
use super::time::history::{History, Origin};
use super::time::position::ErrorValues;

/// What the host of a program is made from.
pub struct HostSetup<'a> {
    /// How the client wants the program to begin.
    pub launch: &'a Launch,
    /// How the client names the program's file.
    pub name: &'a str,
    /// The program's working directory, absolute.
    pub directory: &'a Path,
    /// What interrupts the program while it waits.
    pub interrupt: &'a InterruptHandle,
}

/// Where the files of a program are.
pub(super) struct Files<'a> {
    loader: &'a dyn SourceLoader,
    /// The program's file, absolute, if the client need not name it.
    file: Option<&'a Path>,
    /// What it is called; its path, if nothing is said.
    name: Option<&'a str>,
    /// Where relative paths start, unless the client says so.
    directory: &'a Path,
}

impl<'a> Files<'a> {
    /// Those of the recording, if one is run again.
    fn new(setup: &'a Setup, replayed: Option<&'a Replayed>) -> Files<'a> {
        match replayed.map(|replayed| &replayed.recording.header) {
            Some(Header { sources, path, file, directory, .. }) => {
                Files { loader: sources, file: Some(path), name: Some(file), directory }
            }
            None => Files {
                loader: &*setup.loader,
                file: setup.file.as_deref(),
                name: None,
                directory: &setup.directory,
            },
        }
    }
}

/// Makes the host of a program.
pub type MakeHost = dyn Fn(HostSetup) -> Box<dyn Host>;

/// What an engine needs from whoever starts it.
pub struct Setup {
    /// Reads source files.
    pub loader: Box<dyn SourceLoader>,
    /// Makes the host of each program.
    pub make_host: Box<MakeHost>,
    /// The program's file, absolute, if the client need not name it.
    pub file: Option<PathBuf>,
    /// Where relative paths start, unless the client says so.
    pub directory: PathBuf,
    /// When copies of the process are made, where the system can, so that going back in time is fast.
    pub checkpoints: Pace,
}

/// The memory of programs that have ended. A process that is about to end does not drop it, which may
/// take long.
#[derive(Debug, Default)]
pub struct KeepAlive(#[allow(dead_code)] Vec<Box<dyn Any>>);

/// Runs a debug engine until it is asked to terminate, or its request channel is closed. To be called on a
/// thread with [`STACK_SIZE`] bytes of stack. Whoever sends a request while the program runs, or closes the
/// channel, raises `interrupt` after that.
pub fn serve(
    setup: Setup,
    requests: Receiver<(RequestId, Request)>,
    client: impl Client + 'static,
    interrupt: InterruptHandle,
) -> KeepAlive {
    let engine = Engine::new(requests, Rc::new(client), interrupt, setup.directory.clone());
    let engine = Rc::new(RefCell::new(engine));
    let mut kept = KeepAlive::default();
    while let Some(vm) = Engine::serve_until_start(&engine, &setup) {
        let (vm, outcome) = run(&engine, vm);
        let restart = engine.borrow_mut().restart.take();
        let kill = engine.borrow_mut().kill.take();
        match (restart, kill, outcome) {
            (Some((id, restart)), ..) => {
                // A thread has but one program at a time.
                drop(vm);
                engine.borrow_mut().restart(&setup, id, *restart);
            }
            (None, Some(id), Outcome::Terminated) => engine.borrow_mut().killed(id, vm),
            (None, _, Outcome::Terminated) => {
                kept.0.push(Box::new(vm));
                break;
            }
            (None, ..) => engine.borrow_mut().ended = Some(vm),
        }
    }
    // The compiled program is as large as the data of many.
    kept.0.push(Box::new(engine));
    kept
}

/// Runs the program to its end, and tells how it ended unless it was told to.
fn run(engine: &Rc<RefCell<Engine>>, mut vm: Vm) -> (Vm, Outcome) {
    let Some(debugged) = engine.borrow().debugged() else { return (vm, Outcome::Terminated) };
    vm.debugger = Some(Box::new(Hook::new(engine.clone())));
    let outcome = interp::run(&mut vm, &debugged.compiled);
    // The hook holds the engine, and the engine what the hook is part of.
    vm.debugger = None;
    Engine::end_in_copy(engine, &vm);
    if !matches!(outcome, Outcome::Terminated) {
        engine.borrow_mut().exit_status = Some(outcome.status());
        let error = match &outcome {
            Outcome::Failed(error) => Some(runtime_problem(&vm.program, error)),
            Outcome::Finished | Outcome::Exited(_) | Outcome::Terminated => None,
        };
        engine.borrow().tell_difference(outcome.status());
        let exited = Exited { status: outcome.status(), error };
        engine.borrow().event(Event::Exited(Box::new(exited)));
    }
    vm.host.end();
    (vm, outcome)
}

impl Engine {
    /// Answers requests while no program runs; gives the machine of the program that is to start, or
    /// `None` when the engine is to end.
    fn serve_until_start(engine: &RefCell<Engine>, setup: &Setup) -> Option<Vm> {
        loop {
            let mut engine = engine.borrow_mut();
            if engine.starting
                && let Some(mut vm) = engine.program.as_mut().and_then(|program| program.vm.take())
            {
                engine.prepare_start(&mut vm);
                return Some(vm);
            }
            let (id, request) = engine.next_request()?;
            match request {
                Request::Initialize(launch) => engine.initialize(setup, id, *launch),
                Request::Restart(restart) => engine.restart(setup, id, *restart),
                Request::Start if engine.status() == Status::Ready => {
                    engine.respond(id, Ok(Response::Started));
                    engine.starting = true;
                }
                Request::Breakpoint(request) => {
                    let answer = engine.change_breakpoints(request);
                    engine.respond(id, answer);
                }
                Request::Watch(request) => {
                    let answer = engine.watch_request(request);
                    engine.respond(id, answer);
                }
                Request::Query(query) => engine.respond(id, engine.query(engine.status(), &query)),
                Request::Terminate => {
                    engine.respond(id, Ok(Response::Terminating));
                    return None;
                }
                Request::Start
                | Request::Resume(_)
                | Request::Pause
                | Request::Kill
                | Request::Attach(_)
                | Request::Disconnect
                | Request::Input { .. }
                | Request::Inspect(_) => engine.refuse(id, &request, engine.idle_state()),
            }
        }
    }

    /// The program has ended because it was to.
    fn killed(&mut self, id: RequestId, vm: Vm) {
        self.respond(id, Ok(Response::Killed));
        self.exit_status = Some(KILLED);
        self.event(Event::Exited(Box::new(Exited { status: KILLED, error: None })));
        self.ended = Some(vm);
    }

    fn change_breakpoints(&mut self, request: BreakpointRequest) -> Result<Response, Failure> {
        let mut vm = self.program.as_mut().and_then(|program| program.vm.take());
        let answer = self.placing.borrow_mut().change(vm.as_mut().or(self.ended.as_mut()), request);
        if let Some(program) = &mut self.program {
            program.vm = vm;
        }
        answer
    }

    /// Where a program that does not run stands.
    fn status(&self) -> Status {
        match &self.program {
            None => Status::NotInitialized,
            Some(Instance { vm: Some(_), .. }) => Status::Ready,
            Some(Instance { vm: None, .. }) => Status::Exited,
        }
    }

    /// Why nothing can be asked of a program that does not run.
    fn idle_state(&self) -> &'static str {
        match self.status() {
            Status::NotInitialized => "not initialized",
            Status::Exited => "program has ended",
            Status::Ready | Status::Running | Status::Stopped => "program not started",
        }
    }

    fn prepare_start(&mut self, vm: &mut Vm) {
        self.starting = false;
        self.exit_status = None;
        self.watches.reset();
        let placing = self.placing.borrow();
        placing.breakpoints.reset_hits();
        let Some(program) = &mut self.program else { return };
        if program.stop_on_entry.unwrap_or(placing.breakpoints.none_enabled()) {
            program.mode = Mode::ToEntry;
            vm.steps.set_all(STEP, true);
        }
    }

    fn initialize(&mut self, setup: &Setup, id: RequestId, launch: Launch) {
        match self.load_and_compile(setup, &launch, |initialized| Ok(Response::Initialized(initialized)), id)
        {
            Ok(()) => {}
            Err(failure) => self.respond(id, Err(failure)),
        }
        self.launch = Some(launch);
    }

    /// Reads the program again, and lets it start.
    fn restart(&mut self, setup: &Setup, id: RequestId, restart: Restart) {
        let Some(mut launch) = self.launch.take() else {
            return self.respond(id, Err(Failure::wrong_state("restart", "not initialized")));
        };
        let said = [("args", restart.args.is_some()), ("env", restart.env.is_some())];
        if let Some((name, _)) = said.into_iter().find(|(_, said)| launch.replay.is_some() && *said) {
            self.launch = Some(launch);
            return self.respond(id, Err(is_said(name)));
        }
        launch.args = restart.args.unwrap_or(launch.args);
        launch.env = restart.env.unwrap_or(launch.env);
        // A thread has but one program at a time.
        self.program = None;
        self.ended = None;
        for mut breakpoint in self.placing.borrow_mut().data.clear() {
            breakpoint.verified = false;
            breakpoint.message = Some("the program has begun again: what was watched is gone".into());
            self.event(Event::BreakpointChanged { breakpoint, removed: true });
        }
        match self.load_and_compile(setup, &launch, |initialized| Ok(Response::Restarted(initialized)), id) {
            Ok(()) => self.starting = true,
            Err(failure) => self.respond(id, Err(failure)),
        }
        self.launch = Some(launch);
    }

    /// Makes a program ready to start. The answer goes out as soon as it is certain that this succeeds.
    pub(super) fn load_and_compile(
        &mut self,
        setup: &Setup,
        launch: &Launch,
        answer: impl FnOnce(Initialized) -> Result<Response, Failure>,
        id: RequestId,
    ) -> Result<(), Failure> {
        let replayed = Replayed::open(launch, &setup.directory)?;
        let launch = replayed.as_ref().map_or(launch, |replayed| &replayed.launch);
        let files = Files::new(setup, replayed.as_ref());
        let (loaded, name, directory, record) = match launch.history {
            true => {
                let loader = SnapshotLoader::new(files.loader);
                let (loaded, name, directory) = self.load(&files, &loader, launch)?;
                let record = self.begin_history(&files, launch, loader.into_snapshot(), setup.checkpoints);
                (loaded, name, directory, Some(record))
            }
            false => {
                let (loaded, name, directory) = self.load(&files, files.loader, launch)?;
                self.keep_no_history();
                (loaded, name, directory, None)
            }
        };
        let warnings = loaded.warnings.clone();
        let host = self.host(setup, launch, &name, &directory);
        let (host, playback) = match &replayed {
            Some(replayed) => {
                let (host, playback) = replayed.host(host, &self.interrupt)?;
                (host, Some(playback))
            }
            None => (host, None),
        };
        self.playback = playback;
        let host = match record {
            Some(record) => Box::new(RecordHost::in_memory(host, record)),
            None => host,
        };
        let mut vm = machine(&loaded.program, host)?;
        self.file = Some(name.clone());
        self.exit_status = None;
        self.watch_code.clear();
        self.respond(id, answer(Initialized { file: name, warnings }));
        // The program is compiled while the client gets ready.
        let compiled = Rc::new(compile_attached(&loaded.program));
        self.interrupt.attach(compiled.flags.clone());
        vm.sites = compiled.sites.clone();
        let debugged = Rc::new(DebuggedProgram {
            compiled,
            lines: LineTable::new(&loaded.program, &directory),
            own_files: loaded.program.sources.len(),
            own_globals: loaded.own_globals,
            program: loaded.program,
            symbols: loaded.symbols,
        });
        let changed = self.placing.borrow_mut().place_all(&mut vm, debugged.clone());
        for (breakpoint, is_wrong) in changed {
            self.event(if is_wrong {
                Event::WrongCondition(breakpoint)
            } else {
                Event::BreakpointChanged { breakpoint, removed: false }
            });
        }
        self.program = Some(Instance {
            debugged,
            changes: ChangeTracker::new(launch.limits),
            error_values: ErrorValues::default(),
            mode: Mode::Running,
            stop_on_entry: launch.stop_on_entry,
            pause: false,
            vm: Some(vm),
        });
        Ok(())
    }

    /// The host of the program that is loaded.
    pub(super) fn host(&self, setup: &Setup, launch: &Launch, name: &str, directory: &Path) -> Box<dyn Host> {
        (setup.make_host)(HostSetup { launch, name, directory, interrupt: &self.interrupt })
    }

    /// Begins to keep the history of a program that was loaded; gives its record.
    fn begin_history(&mut self, files: &Files, launch: &Launch, snapshot: Snapshot, pace: Pace) -> Record {
        self.placing.borrow_mut().keeps_history = true;
        let (record, snapshot) = (Record::default(), Arc::new(snapshot));
        let origin = Origin {
            snapshot,
            launch: launch.clone(),
            file: files.file.map(Path::to_path_buf),
            directory: files.directory.to_path_buf(),
        };
        self.history = Some(History::new(record.clone(), origin, pace));
        record
    }

    fn keep_no_history(&mut self) {
        self.history = None;
        let mut placing = self.placing.borrow_mut();
        placing.keeps_history = false;
        placing.settings = None;
    }

    /// Reads and checks the program that a client wants; gives how the client names it, and the working
    /// directory, too.
    fn load(
        &mut self,
        files: &Files,
        loader: &dyn SourceLoader,
        launch: &Launch,
    ) -> Result<(Loaded, String, PathBuf), Failure> {
        let directory = match &launch.working_dir {
            Some(directory) => paths::absolute(files.directory, directory),
            None => files.directory.to_path_buf(),
        };
        if let Some(wanted) = &launch.working_dir
            && !directory.is_dir()
        {
            let message = format!("wrong parameter 'workingDir': no such directory: {wanted}");
            return Err(Failure::new(FailureKind::BadRequest, message));
        }
        if let Some(SourceText { text, name }) = &launch.source {
            let source = load::Source::Text { text, name, directory: &directory };
            let loaded = load::load(loader, source).map_err(no_program)?;
            self.rebase(&directory);
            return Ok((loaded, name.clone(), directory));
        }
        let (path, name) = match (&launch.file, files.file) {
            (Some(file), _) => (paths::absolute(&directory, file), file.clone()),
            (None, Some(path)) => (
                path.to_path_buf(),
                files.name.map_or_else(|| path.to_string_lossy().into_owned(), String::from),
            ),
            (None, None) => return Err(Failure::new(FailureKind::BadRequest, "missing parameter 'file'")),
        };
        let loaded = load::load(loader, Source::File(&path, &name)).map_err(no_program)?;
        self.rebase(&directory);
        Ok((loaded, name, directory))
    }

    fn rebase(&self, directory: &Path) {
        let mut placing = self.placing.borrow_mut();
        placing.breakpoints.rebase(directory);
        placing.directory = directory.to_path_buf();
    }
}

/// A machine that is about to run a program.
pub(super) fn machine(program: &Rc<Program>, host: Box<dyn Host>) -> Result<Vm, Failure> {
    let vm = Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8);
    vm.map_err(|why| Failure::new(FailureKind::NoProgram, why))
}

/// Why there is no program, as the answer to the request for it.
fn no_program(failure: LoadFailure) -> Failure {
    match failure {
        LoadFailure::Unreadable(error) => {
            let message = format!("Error reading file: {}: {}", error.path, error.reason);
            Failure::new(FailureKind::NoProgram, message)
        }
        LoadFailure::Problems(problems) => {
            let problems = problems.into_iter().filter(load::is_error).collect();
            let message = "the program has errors";
            Failure { problems, ..Failure::new(FailureKind::NoProgram, message) }
        }
    }
}
