//! Loads programs, and lets them start.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::api::{
    CellSettings, ChangeReason, Done, Failure, FailureKind, Initialized, Launch, Obstacle, Request,
    RequestId, Response, Restart, Restarted, SetExpectedOutput, SourceText,
};
use crate::debug::breakpoints::line_table::LineTable;
use crate::debug::control::InterruptHandle;
use crate::debug::engine::{Engine, Run};
use crate::debug::history::checkpoints::Pace;
use crate::debug::history::state::{History, Origin};
use crate::debug::history::unfold::statement_observer;
use crate::debug::inspect::changes::ChangeTracker;
use crate::debug::load::{self, LoadFailure, Loaded, Source};
use crate::debug::paths;
use crate::debug::program::DebuggedProgram;
use crate::debug::running::replayed::Replayed;
use crate::debug::running::state::RunState;
use crate::debug::running::stepper::Mode;
use crate::recording::file::Header;
use crate::recording::{Record, RecordHost};
use ez_language::modules::{Snapshot, SnapshotLoader, SourceLoader};
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::vm::Vm;
use ez_runtime::interp::{STACK_SIZE, compile_attached};
use ez_runtime::platform::text_of;
use ez_runtime::program::Program;
use ez_runtime::value::Host;

/// Parameters for creating the host of a program.
pub struct HostSetup<'a> {
    /// The parameters of the program.
    pub launch: &'a Launch,
    /// How the client names the program's file.
    pub name: &'a str,
    /// The program's working directory, absolute.
    pub directory: &'a Path,
    /// Interrupts the program while it waits.
    pub interrupt: &'a InterruptHandle,
}

/// Where the files of a program are.
pub struct Files<'a> {
    loader: &'a dyn SourceLoader,
    /// The program's file, absolute, if the client need not name one.
    file: Option<&'a Path>,
    /// Its name in the words of the client; the path if `None`.
    name: Option<&'a str>,
    /// The base of relative paths, unless the client names a directory.
    directory: &'a Path,
}

impl<'a> Files<'a> {
    /// The files of a recording, if one is played, else those of the setup.
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

/// Creates the host of a program.
pub type MakeHost = dyn Fn(HostSetup) -> Box<dyn Host>;

/// Parameters of an engine.
pub struct Setup {
    /// Reads source files.
    pub loader: Rc<dyn SourceLoader>,
    /// Creates the host of each program.
    pub make_host: Box<MakeHost>,
    /// The program's file, absolute, if the client need not name one.
    pub file: Option<PathBuf>,
    /// The base of relative paths, unless the client names a directory; absolute.
    pub directory: PathBuf,
    /// When to make copies of the process, where the system can, so that going back in time is fast.
    pub checkpoints: Pace,
}

impl Engine {
    /// Starts the program that is loaded.
    pub fn start(&mut self, id: RequestId, stop_on_entry: Option<bool>) {
        match self.state {
            RunState::Ready { .. } => {
                self.run.stop_on_entry = stop_on_entry.or(self.run.stop_on_entry);
                self.respond(id, Ok(Response::Done(Done::Started)));
                self.state.set_starting();
            }
            RunState::Empty | RunState::Idle(_) | RunState::Running { .. } | RunState::Exited { .. } => {
                self.refuse(id, &Request::Start(stop_on_entry));
            }
        }
    }

    /// Called before a program runs.
    pub fn prepare_start(&mut self, vm: &mut Vm) {
        self.inspection.watches.reset();
        self.compare_output(vm);
        let breakpoints = self.breakpoints.borrow();
        breakpoints.table.reset_hits();
        if self.run.stop_on_entry.unwrap_or(breakpoints.table.none_enabled()) {
            self.run.mode = Mode::ToEntry;
            vm.steps.set_all(STEP, true);
        }
    }

    /// Loads the program of a session, or begins a session of cells.
    pub fn initialize(&mut self, setup: &Setup, id: RequestId, mut launch: Launch) {
        if let Some(settings) = launch.cells {
            return self.initialize_cells(setup, id, &launch, settings);
        }
        let expected = launch.expected.take();
        launch.expected = expected.as_ref().filter(|wanted| wanted.is_in_file()).cloned();
        match self.load_and_compile(setup, &launch, expected, Response::Initialized, id) {
            Ok(()) => {}
            Err(failure) => self.respond(id, Err(failure)),
        }
        self.launch = Some(launch);
    }

    fn initialize_cells(&mut self, setup: &Setup, id: RequestId, launch: &Launch, settings: CellSettings) {
        let directory = match self.directory(&*setup.loader, &setup.directory, launch) {
            Ok(directory) => directory,
            Err(failure) => return self.respond(id, Err(failure)),
        };
        self.rebase(&directory);
        let host = self.host(setup, launch, "", &directory);
        self.begin_cells(launch, settings, host);
        let initialized = Initialized { file: String::new(), warnings: Vec::new() };
        self.respond(id, Ok(Response::Initialized(initialized)));
    }

    /// Loads the program again, and lets it start.
    pub fn restart(&mut self, setup: &Setup, id: RequestId, restart: Restart) {
        let Some(mut launch) = self.launch.take() else {
            return self.respond(id, Err(Failure::wrong_state("restart", Obstacle::NotInitialized)));
        };
        if launch.cells.is_some() {
            self.launch = Some(launch);
            self.reset_cells();
            let initialized = Initialized { file: String::new(), warnings: Vec::new() };
            return self.respond(id, Ok(Response::Restarted(Restarted(initialized))));
        }
        launch.args = restart.args.unwrap_or(launch.args);
        launch.env = restart.env.unwrap_or(launch.env);
        launch.stop_on_entry = restart.stop_on_entry.or(launch.stop_on_entry);
        // A thread can have only one [`Vm`] at a time.
        self.inspection.program = None;
        self.state = RunState::Empty;
        let mut gone = self.breakpoints.borrow_mut().data.clear();
        for breakpoint in &mut gone {
            breakpoint.verified = false;
            breakpoint.message =
                Some("the program was started again: what was watched no longer exists".into());
        }
        self.tell_changed(gone, ChangeReason::Removed);
        let answer = |initialized| Response::Restarted(Restarted(initialized));
        match self.load_and_compile(setup, &launch, launch.expected.clone(), answer, id) {
            Ok(()) => self.state.set_starting(),
            Err(failure) => self.respond(id, Err(failure)),
        }
        self.launch = Some(launch);
    }

    /// Prepares a program to start; `expected`: what it is to write, if that changes. The response is sent as soon as nothing
    /// can fail any more.
    pub fn load_and_compile(
        &mut self,
        setup: &Setup,
        launch: &Launch,
        expected: Option<SetExpectedOutput>,
        answer: impl FnOnce(Initialized) -> Response,
        id: RequestId,
    ) -> Result<(), Failure> {
        let replayed = Replayed::open(launch, &*setup.loader, &setup.directory)?;
        let launch = replayed.as_ref().map_or(launch, |replayed| &replayed.launch);
        let files = Files::new(setup, replayed.as_ref());
        let (loaded, name, directory, record) = if launch.history {
            let loader = SnapshotLoader::new(files.loader);
            let (loaded, name, directory) = self.load(&files, &loader, launch)?;
            let record = self.begin_history(&files, launch, loader.into_snapshot(), setup.checkpoints);
            (loaded, name, directory, Some(record))
        } else {
            let (loaded, name, directory) = self.load(&files, files.loader, launch)?;
            self.keep_no_history();
            (loaded, name, directory, None)
        };
        let warnings = loaded.warnings.clone();
        let host = self.host(setup, launch, &name, &directory);
        let (host, playback) = match &replayed {
            Some(replayed) => {
                let (host, playback) = replayed.host(host, &self.inspection.connection.interrupt)?;
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
        if let Some(expected) = expected {
            self.expect_output(expected).map_err(|failure| {
                let message = format!("the expected output cannot be read: {}", failure.message);
                Failure { kind: FailureKind::Unreadable, message, ..failure }
            })?;
        }
        self.file = Some(name.clone());
        self.inspection.watch_code.clear();
        self.respond(id, Ok(answer(Initialized { file: name, warnings })));
        // Compiled only after the response was sent, while the client prepares its next requests.
        let (compiled, observer) = match launch.observe {
            Some(limits) => {
                let (compiled, observer) = statement_observer::compile(&loaded.program, limits);
                (Rc::new(compiled), Some(observer))
            }
            None => (Rc::new(compile_attached(&loaded.program)), None),
        };
        self.inspection.connection.interrupt.attach(compiled.flags.clone());
        vm.sites = compiled.sites.clone();
        let debugged = Rc::new(DebuggedProgram {
            compiled,
            lines: LineTable::new(&loaded.program, &directory),
            own_files: loaded.program.sources.len(),
            own_globals: loaded.own_globals,
            observer,
            observed_size: Cell::new(0),
            program: loaded.program,
            symbols: loaded.symbols,
        });
        let published =
            launch.children.then(|| self.inspection.connection.client.published_breakpoints()).flatten();
        let _ = self.breakpoints.borrow_mut().publish_to(published);
        let changed = self.breakpoints.borrow_mut().place_all(&mut vm, debugged.clone());
        self.tell_placed(changed);
        self.inspection.program = Some(debugged);
        self.inspection.tracker = ChangeTracker::new(launch.limits);
        self.run = Run { stop_on_entry: launch.stop_on_entry, ..Run::default() };
        self.state = RunState::Ready { vm, starts: false };
        Ok(())
    }

    /// Creates the host of the loaded program.
    pub fn host(&self, setup: &Setup, launch: &Launch, name: &str, directory: &Path) -> Box<dyn Host> {
        (setup.make_host)(HostSetup {
            launch,
            name,
            directory,
            interrupt: &self.inspection.connection.interrupt,
        })
    }

    /// Begins to keep the history of a program that was loaded; returns its record.
    fn begin_history(&mut self, files: &Files, launch: &Launch, snapshot: Snapshot, pace: Pace) -> Record {
        self.breakpoints.borrow_mut().keeps_history = true;
        let (record, snapshot) = (Record::default(), Arc::new(snapshot));
        let origin = Origin {
            snapshot,
            launch: launch.clone(),
            file: files.file.map(Path::to_path_buf),
            directory: files.directory.to_path_buf(),
        };
        self.record = Some(record.clone());
        self.history = Some(History::new(record.clone(), origin, pace));
        record
    }

    /// The working directory that a client wants; `base` if it names none.
    fn directory(&self, loader: &dyn SourceLoader, base: &Path, launch: &Launch) -> Result<PathBuf, Failure> {
        let Some(wanted) = &launch.working_dir else { return Ok(base.to_path_buf()) };
        let directory = paths::absolute(base, wanted);
        // The program's files may be in memory.
        if !directory.is_dir() && !loader.is_dir(&directory) {
            return Err(Failure::no_working_directory(wanted));
        }
        Ok(directory)
    }

    /// Loads the program that a client wants; also returns its name in the words of the client, and the
    /// working directory.
    fn load(
        &mut self,
        files: &Files,
        loader: &dyn SourceLoader,
        launch: &Launch,
    ) -> Result<(Loaded, String, PathBuf), Failure> {
        let directory = self.directory(loader, files.directory, launch)?;
        if let Some(SourceText { text, name }) = &launch.source {
            let source = load::Source::Text { text, name, directory: &directory };
            let loaded = load::load(loader, source).map_err(no_program)?;
            self.rebase(&directory);
            return Ok((loaded, name.clone(), directory));
        }
        let (path, name) = match (&launch.file, files.file) {
            (Some(file), _) => (paths::absolute(&directory, file), file.clone()),
            (None, Some(path)) => {
                (path.to_path_buf(), files.name.map_or_else(|| text_of(path.as_os_str()), String::from))
            }
            (None, None) => return Err(Failure::new(FailureKind::BadRequest, "missing parameter 'file'")),
        };
        let loaded = load::load(loader, Source::File(&path, &name)).map_err(no_program)?;
        self.rebase(&directory);
        Ok((loaded, name, directory))
    }

    fn rebase(&self, directory: &Path) {
        let mut breakpoints = self.breakpoints.borrow_mut();
        breakpoints.table.rebase(directory);
        breakpoints.directory = directory.to_path_buf();
    }
}

/// An interpreter for a program that is about to run.
pub fn machine(program: &Rc<Program>, host: Box<dyn Host>) -> Result<Vm, Failure> {
    let vm = Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8);
    vm.map_err(|why| Failure::new(FailureKind::NoProgram, why))
}

/// The failure of a request whose program could not be loaded.
fn no_program(failure: LoadFailure) -> Failure {
    match failure {
        LoadFailure::Unreadable(error) => Failure::of_file(&error.path, error.reason),
        LoadFailure::Problems(problems) => {
            let problems = problems.into_iter().filter(load::is_error).collect();
            let message = "the program has errors";
            Failure { problems, ..Failure::new(FailureKind::NoProgram, message) }
        }
    }
}
