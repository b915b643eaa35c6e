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

use crossbeam_channel::Receiver;

use crate::api::{Event, Exited, Failure, FailureKind, Initialized, Launch, Request, RequestId, Response};
use crate::interp::flags::STEP;
use crate::interp::vm::Vm;
use crate::interp::{self, Outcome, STACK_SIZE, compile_attached};
use crate::modules::SourceLoader;
use crate::value::Host;

use super::changes::ChangeTracker;
use super::control::InterruptHandle;
use super::engine::{Client, Engine, Instance};
use super::frames::runtime_problem;
use super::line_table::LineTable;
use super::load::{self, LoadFailure, Loaded, Source};
use super::paths;
use super::program::DebuggedProgram;
use super::running::Hook;
use super::stepper::Mode;

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
    loop {
        let next = engine.borrow_mut().serve_until_start(&setup);
        let Some(vm) = next else { break };
        let (vm, outcome) = run(&engine, vm);
        kept.0.push(Box::new(vm));
        if let Outcome::Terminated = outcome {
            break;
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
    if !matches!(outcome, Outcome::Terminated) {
        let error = match &outcome {
            Outcome::Failed(error) => Some(runtime_problem(&vm.program, error)),
            Outcome::Finished | Outcome::Exited(_) | Outcome::Terminated => None,
        };
        let exited = Exited { status: outcome.status(), error };
        engine.borrow().event(Event::Exited(Box::new(exited)));
    }
    vm.host.end();
    (vm, outcome)
}

impl Engine {
    /// Answers requests while no program runs; gives the machine of the program that is to start, or
    /// `None` when the engine is to end.
    fn serve_until_start(&mut self, setup: &Setup) -> Option<Vm> {
        while let Some((id, request)) = self.next_request() {
            match request {
                Request::Initialize(launch) => self.initialize(setup, id, &launch),
                Request::Start => match self.program.as_mut().and_then(|program| program.vm.take()) {
                    Some(vm) => {
                        self.respond(id, Ok(Response::Started));
                        self.prepare_start();
                        return Some(vm);
                    }
                    None => self.refuse(id, &Request::Start, self.idle_state()),
                },
                Request::Breakpoint(request) => {
                    let mut vm = self.program.as_mut().and_then(|program| program.vm.take());
                    let answer = self.placing.borrow_mut().change(vm.as_mut(), request);
                    if let Some(program) = &mut self.program {
                        program.vm = vm;
                    }
                    self.respond(id, answer);
                }
                Request::Terminate => {
                    self.respond(id, Ok(Response::Terminating));
                    return None;
                }
                Request::Resume(_) | Request::Pause | Request::Input { .. } | Request::Inspect(_) => {
                    self.refuse(id, &request, self.idle_state());
                }
            }
        }
        None
    }

    /// Why nothing can be asked of a program that does not run.
    fn idle_state(&self) -> &'static str {
        match &self.program {
            None => "not initialized",
            Some(Instance { vm: Some(_), .. }) => "program not started",
            Some(Instance { vm: None, .. }) => "program has ended",
        }
    }

    fn prepare_start(&mut self) {
        let Some(program) = &mut self.program else { return };
        if program.stop_on_entry.unwrap_or(self.placing.borrow().breakpoints.is_empty()) {
            program.mode = Mode::ToEntry;
            self.interrupt.set_for_all(STEP, true);
        }
    }

    fn initialize(&mut self, setup: &Setup, id: RequestId, launch: &Launch) {
        let (loaded, name, directory) = match self.load(setup, launch) {
            Ok(loaded) => loaded,
            Err(failure) => return self.respond(id, Err(failure)),
        };
        let warnings = loaded.warnings.clone();
        let host = (setup.make_host)(HostSetup {
            launch,
            name: &name,
            directory: &directory,
            interrupt: &self.interrupt,
        });
        let vm = Vm::new(loaded.program.clone(), host, STACK_SIZE - STACK_SIZE / 8);
        let mut vm = match vm {
            Ok(vm) => vm,
            Err(why) => return self.respond(id, Err(Failure::new(FailureKind::NoProgram, why))),
        };
        self.respond(id, Ok(Response::Initialized(Initialized { file: name, warnings })));
        // The program is compiled while the client gets ready.
        let compiled = Rc::new(compile_attached(&loaded.program));
        self.interrupt.attach(compiled.flags.clone());
        vm.sites = compiled.sites.clone();
        let debugged = Rc::new(DebuggedProgram {
            compiled,
            lines: LineTable::new(&loaded.program),
            program: loaded.program,
            symbols: loaded.symbols,
        });
        let wrong = self.placing.borrow_mut().place_all(&mut vm, debugged.clone());
        wrong.into_iter().for_each(|breakpoint| self.event(Event::BreakpointChanged(breakpoint)));
        self.program = Some(Instance {
            debugged,
            changes: ChangeTracker::new(launch.limits),
            mode: Mode::Running,
            stop_on_entry: launch.stop_on_entry,
            pause: false,
            vm: Some(vm),
        });
    }

    /// Reads and checks the program that a client wants; gives how the client names it, and the working
    /// directory, too.
    fn load(&mut self, setup: &Setup, launch: &Launch) -> Result<(Loaded, String, PathBuf), Failure> {
        let directory = match &launch.working_dir {
            Some(directory) => paths::absolute(&setup.directory, directory),
            None => setup.directory.clone(),
        };
        if !directory.is_dir() {
            let wrong = launch.working_dir.as_deref().unwrap_or_default();
            let message = format!("wrong parameter 'workingDir': no such directory: {wrong}");
            return Err(Failure::new(FailureKind::BadRequest, message));
        }
        let (path, name) = match (&launch.file, &setup.file) {
            (Some(file), _) => (paths::absolute(&directory, file), file.clone()),
            (None, Some(path)) => (path.clone(), path.to_string_lossy().into_owned()),
            (None, None) => return Err(Failure::new(FailureKind::BadRequest, "missing parameter 'file'")),
        };
        let loaded = load::load(&*setup.loader, Source::File(&path, &name)).map_err(no_program)?;
        let mut placing = self.placing.borrow_mut();
        placing.breakpoints.rebase(&directory);
        placing.directory.clone_from(&directory);
        Ok((loaded, name, directory))
    }
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
            let message = "the program has errors".into();
            Failure { kind: FailureKind::NoProgram, message, problems }
        }
    }
}
