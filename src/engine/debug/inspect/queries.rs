//! Requests that can be answered in every state.

use std::path::Path;
use std::rc::Rc;

use crate::api::{
    Breakpoint, BreakpointLocation, Failure, FailureKind, GetModules, GetSource, GetState, GetThreads,
    ModuleInfo, ModuleKind, Obstacle, Queried, Query, QueryAnswer, Response, SourceFile, State, Status,
    StoppedAt,
};
use crate::debug::engine::Engine;
use crate::debug::paths;
use crate::debug::program::DebuggedProgram;
use ez_language::check::UsedModule;
use ez_runtime::platform::path_of;

impl Engine {
    /// Answers a request; `status` is that of the program.
    pub fn query(&self, status: Status, query: Query) -> Result<Response, Failure> {
        query.answered_by(&mut Asking { engine: self, status })
    }

    fn program_for(&self, verb: &str) -> Result<Rc<DebuggedProgram>, Failure> {
        self.debugged().ok_or_else(|| Failure::wrong_state(verb, Obstacle::NotInitialized))
    }

    fn state(&self, status: Status) -> State {
        let breakpoints = self.breakpoints.borrow();
        let mut all = breakpoints.table.ids(|_| true);
        all.extend(breakpoints.data.ids());
        all.sort_unstable();
        State {
            status,
            file: self.file.clone(),
            stop: self.stop_now().filter(|_| status == Status::Stopped),
            exit_status: self.state.exit_status(),
            breakpoints: breakpoints.all_described(&all),
            exceptions: breakpoints.exceptions.all(),
            watches: self.inspection.watches.all(),
            keeps_history: self.launch.as_ref().is_some_and(|launch| launch.history)
                || self.journey.is_some(),
            output: self.expected_output.so_far(),
        }
    }

    /// The present stop, with the output so far: the client may have printed something there.
    fn stop_now(&self) -> Option<StoppedAt> {
        let mut stop = self.state.stop()?.clone();
        if let Some((moment, output_length)) = stop.moment.as_mut().zip(self.output_length()) {
            moment.output_length = output_length;
        }
        Some(stop)
    }

    /// Adds to the state of an instance of the past what only this engine has: how far the output is as it is expected,
    /// and the data breakpoints, whose hits in the past are found by searches.
    pub fn with_data_breakpoints(&self, response: Response) -> Response {
        match response {
            Response::Query(QueryAnswer::State(mut state)) => {
                let own = self.breakpoints.borrow();
                state.breakpoints.retain(|there| !matches!(there.place, BreakpointLocation::Data { .. }));
                // Their hits are those of the present.
                let present = own.all_described(&own.data.ids()).into_iter();
                state.breakpoints.extend(present.map(|breakpoint| Breakpoint { hits: None, ..breakpoint }));
                state.breakpoints.sort_unstable_by_key(|breakpoint| breakpoint.id);
                state.output = self.expected_output.so_far();
                Response::Query(QueryAnswer::State(state))
            }
            other => other,
        }
    }
}

/// The engine that is asked, and the status of its program.
struct Asking<'a> {
    engine: &'a Engine,
    status: Status,
}

impl Queried for Asking<'_> {
    fn state(&mut self, _: GetState) -> Result<Box<State>, Failure> {
        Ok(Box::new(self.engine.state(self.status)))
    }

    fn threads(&mut self, _: GetThreads) -> Result<Status, Failure> {
        Ok(self.status)
    }

    fn source(&mut self, GetSource { file }: GetSource) -> Result<SourceFile, Failure> {
        let program = self.engine.program_for("get the source")?;
        source(&program, &self.engine.breakpoints.borrow().directory, &file)
    }

    fn modules(&mut self, _: GetModules) -> Result<Vec<ModuleInfo>, Failure> {
        Ok(modules(&*self.engine.program_for("get modules")?))
    }
}

/// The text of a file of the program.
fn source(program: &DebuggedProgram, directory: &Path, file: &str) -> Result<SourceFile, Failure> {
    let path = paths::absolute(directory, file);
    let identity = paths::identity(&path);
    let files = program.program.sources.files();
    let own = files.iter().take(program.own_files);
    // A program that is not in a file is found by its name.
    let mut found =
        own.filter(|f| f.path == path_of(file) || f.path == path || paths::identity(&f.path) == identity);
    match found.next() {
        Some(file) => Ok(SourceFile { path: file.path.clone(), text: file.text.to_string() }),
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
