//! Requests that can be answered in every state.

use std::path::Path;

use crate::api::{Failure, FailureKind, ModuleInfo, ModuleKind, Query, Response, State, Status};
use crate::check::UsedModule;

use super::engine::Engine;
use super::paths;
use super::program::DebuggedProgram;

impl Engine {
    /// Answers a request; `status` is that of the program.
    pub(super) fn query(&self, status: Status, query: &Query) -> Result<Response, Failure> {
        match query {
            Query::State => Ok(Response::State(Box::new(self.state(status)))),
            Query::Threads => Ok(Response::Threads(status)),
            Query::Source { file } => {
                let program = self.debugged().ok_or_else(|| no_program("get the source"))?;
                source(&program, &self.placing.borrow().directory, file)
            }
            Query::Modules => {
                let program = self.debugged().ok_or_else(|| no_program("get modules"))?;
                Ok(Response::Modules(modules(&program)))
            }
        }
    }

    fn state(&self, status: Status) -> State {
        let placing = self.placing.borrow();
        let mut all = placing.breakpoints.ids(|_| true);
        all.extend(placing.data.ids());
        all.sort_unstable();
        State {
            status,
            file: self.file.clone(),
            stop: self.stopped_at.clone().filter(|_| status == Status::Stopped),
            exit_status: self.exit_status.filter(|_| status == Status::Exited),
            breakpoints: placing.all_described(&all),
            exceptions: placing.exceptions.all(),
            watches: self.watches.all(),
            keeps_history: self.launch.as_ref().is_some_and(|launch| launch.history)
                || self.journey_state.is_some(),
        }
    }
}

fn no_program(verb: &str) -> Failure {
    Failure::wrong_state(verb, "not initialized")
}

/// The text of a file of the program.
fn source(program: &DebuggedProgram, directory: &Path, file: &str) -> Result<Response, Failure> {
    let path = paths::absolute(directory, file);
    let identity = paths::identity(&path);
    let files = program.program.sources.files();
    let own = files.iter().take(program.own_files);
    // A program that is not in a file is found by its name.
    let mut found =
        own.filter(|f| f.path == Path::new(file) || f.path == path || paths::identity(&f.path) == identity);
    match found.next() {
        Some(file) => Ok(Response::Source { path: file.path.clone(), text: file.text.to_string() }),
        None => {
            let message = format!("{file}: the program does not use this file");
            Err(Failure::new(FailureKind::NotFound, message))
        }
    }
}

/// The program's files, and the library modules that it imports.
fn modules(program: &DebuggedProgram) -> Vec<ModuleInfo> {
    let sources = &program.program.sources;
    let main = program.program.main_file;
    let mut found = Vec::new();
    for module in program.symbols.used_modules() {
        match module {
            UsedModule::User { name, files } => {
                for file in files.iter().filter_map(|file| sources.get(*file)) {
                    let kind = if file.id == main { ModuleKind::Main } else { ModuleKind::User };
                    let name = if name.is_empty() { "main".to_string() } else { name.to_string() };
                    found.push(ModuleInfo { name, path: Some(file.path.clone()), kind });
                }
            }
            UsedModule::Library(name) => {
                found.push(ModuleInfo { name: name.to_string(), path: None, kind: ModuleKind::Library });
            }
        }
    }
    found
}
