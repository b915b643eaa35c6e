//! Loading a program and running it under the engine: what an interpreter's thread does.

use std::any::Any;
use std::path::Path;
use std::rc::Rc;

use crossbeam_channel::Receiver;

use crate::check::{Symbols, check_program, check_source};
use crate::diagnostics::{Diagnostic, Severity};
use crate::interp::{STACK_SIZE, Vm, compile_attached};
use crate::modules::{LoadError, SourceLoader};
use crate::program::Program;
use crate::source::SourceMap;
use crate::value::Host;

use super::control::InterruptHandle;
use super::engine::{Client, Engine};
use super::inspect::location_in;
use super::line_table::LineTable;
use super::messages::{Ended, Event, Problem, Request};

/// A program that was loaded and checked. Stays on its thread.
pub struct Loaded {
    program: Rc<Program>,
    symbols: Rc<Symbols>,
    /// Its warnings.
    pub warnings: Vec<Problem>,
}

/// Where a program's text comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file and how reports name it.
    File(&'a Path, &'a str),
    /// Text that is in no file, and a name for it.
    Text(&'a str, &'a str),
}

/// Why a program could not be loaded.
#[derive(Clone, Debug)]
pub enum LoadFailure {
    /// It cannot be read.
    Unreadable(LoadError),
    /// It does not check: errors and warnings.
    Problems(Vec<Problem>),
}

/// Loads and checks a program.
///
/// # Errors
/// When it cannot be read or has errors.
pub fn load(loader: &dyn SourceLoader, source: Source) -> Result<Loaded, LoadFailure> {
    let checked = match source {
        Source::File(path, name) => check_program(loader, path, name).map_err(LoadFailure::Unreadable)?,
        Source::Text(text, name) => check_source(text, name),
    };
    let problems: Vec<Problem> = checked.diagnostics.iter().map(|d| problem(&checked.sources, d)).collect();
    match checked.program {
        Some(program) => Ok(Loaded { program, symbols: checked.symbols, warnings: problems }),
        None => Err(LoadFailure::Problems(problems)),
    }
}

/// A diagnostic as data.
pub fn problem(sources: &SourceMap, diagnostic: &Diagnostic) -> Problem {
    Problem {
        message: diagnostic.message.clone(),
        code: diagnostic.code,
        severity: diagnostic.severity(),
        location: diagnostic.span.map(|span| location_in(sources, span)),
        help: diagnostic.help.clone(),
        stack: Vec::new(),
    }
}

/// What is left of a program that has ended: nothing but memory. Who ends the process does not drop it.
#[derive(Debug, Default)]
pub struct KeepAlive(#[allow(dead_code)] Vec<Box<dyn Any>>);

impl KeepAlive {
    /// With this too.
    pub fn and(mut self, more: impl Any) -> KeepAlive {
        self.0.push(Box::new(more));
        self
    }
}

/// Runs a program under the engine until it ends, and tells how ([`Event::Ended`] is the last event).
/// To be called on a thread with [`STACK_SIZE`] bytes of stack. Nothing runs before [`Request::Start`];
/// closing the request channel (with [`InterruptHandle::raise`]) ends the program.
pub fn run(
    loaded: &Loaded,
    host: Box<dyn Host>,
    requests: Receiver<Request>,
    client: impl Client + 'static,
    control: InterruptHandle,
) -> KeepAlive {
    let program = loaded.program.clone();
    let mut vm = match Vm::new(program.clone(), host, STACK_SIZE - STACK_SIZE / 8) {
        Ok(vm) => vm,
        Err(_) => {
            client.event(Event::Ended(Ended { status: 1, error: None, terminated: false }));
            return KeepAlive::default();
        }
    };
    let compiled = Rc::new(compile_attached(&program));
    control.attach(compiled.flags);
    vm.sites = compiled.sites.clone();
    let places = LineTable::of(&program);
    let mut engine =
        Engine::new(requests, Rc::new(client), control, loaded.symbols.clone(), compiled.clone(), places);
    if !engine.wait_for_start(&mut vm) {
        let outcome = crate::interp::Outcome::Terminated;
        engine.ender().ended(&vm, &outcome);
        return KeepAlive::default();
    }
    let ender = engine.ender();
    vm.debugger = Some(Box::new(engine));
    let outcome = crate::interp::run(&mut vm, &compiled);
    ender.ended(&vm, &outcome);
    vm.host.end();
    KeepAlive::default().and(vm).and(compiled)
}

/// Whether a problem keeps the program from running.
pub fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}
