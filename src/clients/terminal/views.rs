//! Access of commands to frames, variables and files.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::command_error::CommandError;
use super::commands::values::SHORT;
use super::debugger::{DebuggerState, TerminalDebugger};
use super::functions::Function;
use super::look::Role;
use super::window::{AROUND, Marked, SourceText, around, window};
use crate::clients::show;
use crate::protocol::value_text::whole_text;
use ez_engine::api::{
    Container, Described, Evaluate, Failure, FailureKind, Frame, GetModules, GetSource, GetStackTrace,
    GetState, GetVariables, GetWatches, Limits, ModuleKind, Position, Purpose, Scope, State, Value, Variable,
    Watch,
};
use ez_language::check::check_program;
use ez_language::modules::DiskLoader;
use ez_runtime::visible::quoted;

impl TerminalDebugger {
    /// The state of the session.
    pub fn state(&mut self) -> Result<State, CommandError> {
        Ok(*self.ask(GetState)?)
    }

    /// The program and its arguments, as on a command line.
    pub fn program(&self) -> String {
        let quoted = |argument: &String| {
            if argument.is_empty() || argument.contains(char::is_whitespace) {
                format!(" \"{argument}\"")
            } else {
                format!(" {argument}")
            }
        };
        let arguments: String = self.shown.arguments.iter().map(quoted).collect();
        format!("{}{arguments}", self.shown.named.file)
    }

    /// Prints the reports of the checker.
    pub(super) fn report(&mut self) {
        self.console.finish_line();
        self.console.flush();
        if let Ok(checked) = check_program(&DiskLoader, &self.shown.named.path, &self.shown.named.file) {
            show::report(&checked.diagnostics, &checked.sources, self.shown.named.style);
        }
    }

    /// Index of the selected frame.
    pub fn frame(&self) -> usize {
        self.shown.stop.as_ref().map_or(0, |stop| stop.frame.index)
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.shown.stop.as_ref().map_or(0, |stop| stop.stopped.frame_count)
    }

    pub fn frame_at(&mut self, index: usize) -> Result<Frame, CommandError> {
        if self.shown.status != DebuggerState::Stopped {
            return Err("the program is not stopped".into());
        }
        let missing =
            || CommandError::new(format!("there is no frame {index}")).help("'backtrace' lists them");
        self.ask(GetStackTrace { start: index, count: 1 })?.frames.pop().ok_or_else(missing)
    }

    /// Selects a frame, and shows its source.
    pub fn select(&mut self, index: usize) -> Result<(), CommandError> {
        let frame = self.frame_at(index)?;
        self.shown.listed = None;
        self.state_for_completion.frame.set(index);
        self.console.say(&format!("Frame {index}:"));
        self.show_frame(&frame);
        if let Some(stop) = &mut self.shown.stop {
            stop.frame = frame;
        }
        Ok(())
    }

    /// Shows the source around the position of a frame.
    pub(super) fn show_frame(&mut self, frame: &Frame) {
        let look = self.console.look();
        let place = self.shown.sources.place(&frame.location);
        self.console.say(&look.fit(0, &format!("→ {place} in {}", frame.function)));
        match self.source(&frame.location.path) {
            Ok(source) => {
                let marked = Some(marked(frame));
                let text = window(&source, around(frame.location.line, &source), marked, look);
                self.console.say(&text);
            }
            Err(complaint) => self.complain(&complaint),
        }
    }

    /// The file of the selected frame; the main file if there is none.
    pub fn current_file(&self) -> String {
        let path = self.shown.stop.as_ref().map_or(&self.shown.named.path, |stop| &stop.frame.location.path);
        path.to_string_lossy().into_owned()
    }

    /// The line of the selected frame.
    pub fn current_line(&self) -> Option<u32> {
        self.shown.stop.as_ref().map(|stop| stop.frame.location.line)
    }

    /// Shows the source around the selected frame, or continues after the lines shown last.
    pub fn list_here(&mut self) -> Result<(), CommandError> {
        if let Some((path, next)) = self.shown.listed.clone() {
            let source = self.source(&path)?;
            if next > source.line_count() {
                return Err(
                    CommandError::new("that was the end of the file").help("'list 1' shows the beginning")
                );
            }
            return self.show_lines(&path, next..=next + 2 * AROUND);
        }
        let (path, line) = match &self.shown.stop {
            Some(stop) => (stop.frame.location.path.clone(), stop.frame.location.line),
            None => (self.shown.named.path.clone(), 1),
        };
        let source = self.source(&path)?;
        self.show_lines(&path, around(line, &source))
    }

    /// Shows lines of a file; the next `list` continues after them.
    pub fn show_lines(&mut self, path: &Path, lines: RangeInclusive<u32>) -> Result<(), CommandError> {
        let source = self.source(path)?;
        let here =
            self.shown.stop.as_ref().map(|stop| &stop.frame).filter(|frame| frame.location.path == path);
        let here = here.map(marked);
        let text = window(&source, lines.clone(), here, self.console.look());
        self.shown.listed = Some((path.to_path_buf(), lines.end() + 1));
        self.console.say(&text);
        Ok(())
    }

    /// Says that a command is about the innermost frame, if another one is selected.
    pub fn note_innermost(&mut self, command: &str) {
        if self.frame() > 0 {
            self.console.say(&format!("'{command}' is about frame 0, where the program is."));
        }
    }

    /// The file that is meant where a line is named: that of the selected frame if none is named, or the only file of
    /// the program whose path ends so.
    pub fn file_meant(&mut self, named: Option<String>) -> Result<String, CommandError> {
        let Some(file) = named else { return Ok(self.current_file()) };
        // The owner of a session that was joined may be in another directory.
        if !self.is_guest() && Path::new(&file).exists() {
            return Ok(file);
        }
        let paths = self.files().unwrap_or_default().into_iter().map(|(_, path)| path);
        let found: Vec<PathBuf> = paths.filter(|path| path.ends_with(&file)).collect();
        match found.as_slice() {
            [] => Ok(file),
            [path] => Ok(path.to_string_lossy().into_owned()),
            several => {
                let names: Vec<String> = several.iter().map(|path| self.shown.sources.shown(path)).collect();
                let what = CommandError::new(format!("several files of the program are called '{file}'"));
                Err(what.help(names.join(", ")))
            }
        }
    }

    /// The absolute path of a file in the words of the user.
    pub fn path_of(&self, file: &str) -> Result<PathBuf, CommandError> {
        std::path::absolute(file).map_err(|error| format!("{file}: {error}").into())
    }

    /// The text of a file of the program.
    pub fn source(&mut self, path: &Path) -> Result<Rc<SourceText>, CommandError> {
        if let Some(text) = self.shown.sources.text(path) {
            return Ok(text);
        }
        let file = path.to_string_lossy().into_owned();
        let text = self.ask(GetSource { file }).map_err(about_program)?.text;
        Ok(self.shown.sources.add(path, text))
    }

    /// The program's files, with the names of their modules.
    pub fn files(&mut self) -> Result<Vec<(String, PathBuf)>, CommandError> {
        let modules = self.ask(GetModules).map_err(about_program)?;
        let own = modules.into_iter().filter(|module| module.kind != ModuleKind::Library);
        Ok(own.filter_map(|module| Some((module.name, module.path?))).collect())
    }

    /// The functions of a file of the program.
    pub fn functions(&mut self, path: &Path) -> Result<Vec<Function>, CommandError> {
        self.source(path)?;
        Ok(self.shown.sources.functions(path).to_vec())
    }

    /// The variables of a frame.
    pub fn variables(
        &mut self,
        frame: usize,
        scope: Option<Scope>,
        limits: Limits,
    ) -> Result<Vec<Variable>, CommandError> {
        Ok(self.ask(GetVariables { frame, scope, limits })?)
    }

    /// Shows the variables of a frame that have changed; returns whether there are any.
    pub fn show_changes(&mut self, frame: usize, before: &[Variable]) -> Result<bool, CommandError> {
        let depth = self.frame_count().saturating_sub(frame);
        let mut text = String::new();
        for mut variable in self.variables(frame, None, Limits::PREVIEW)? {
            let same = |old: &&Variable| old.name == variable.name && old.scope == variable.scope;
            let old = before.iter().find(same);
            // The value remembered at the stop may be older than one set since.
            if let Some(old) = old {
                self.shown.seen.note(&Variable { new: false, ..old.clone() }, depth);
            }
            variable.new = old.is_none();
            let change = self.shown.seen.note(&variable, depth);
            if change.is_seen() {
                text.push_str(&change.line(self.console.look()));
            }
        }
        if !text.is_empty() {
            self.console.say(&text);
        }
        Ok(!text.is_empty())
    }

    /// Evaluates an expression, which must not have side effects.
    pub fn look_at(&mut self, expression: &str) -> Result<Described, CommandError> {
        let question = Evaluate {
            expression: expression.to_string(),
            frame: self.frame(),
            purpose: Purpose::Look,
            timeout_ms: None,
            limits: SHORT,
        };
        self.ask(question).map_err(|failure| CommandError::of_expression(expression, failure))
    }

    /// The value of an expression, to name one of its parts.
    pub fn container(&mut self, owner: &str) -> Result<Container, CommandError> {
        let value = self.look_at(owner)?;
        value.handle.map(Container::Value).ok_or_else(|| format!("{owner} has no parts").into())
    }

    /// An index or key as it occurs in the name of an element or entry.
    pub fn constant(&mut self, index: &str) -> Result<String, CommandError> {
        match self.look_at(index)?.value {
            Value::Enum { value, .. } => Ok(whole_text(&value)),
            value => Ok(whole_text(&value)),
        }
    }

    /// The watches (displays) of the session.
    pub fn watches(&mut self) -> Result<Vec<Watch>, CommandError> {
        Ok(self.ask(GetWatches)?)
    }

    /// The displays with their values, one per line.
    pub fn displays(&mut self) -> Result<String, CommandError> {
        let mut text = String::new();
        for watch in self.watches()? {
            self.shown.displays.insert(watch.id);
            text.push_str(&self.display(&watch));
        }
        Ok(text)
    }

    /// The line for a display.
    pub fn display(&self, watch: &Watch) -> String {
        // Another client may have added it.
        let (id, expression) = (watch.id.0, quoted(&watch.expression));
        match &watch.shown {
            Some(Ok(value)) => {
                let radix = self.shown.display_radix.get(&watch.id).copied().unwrap_or_default();
                let line = format!("  {id}: {expression} = {}", whole_text(&radix.value(&value.value)));
                format!("{}\n", self.console.look().fit(0, &line))
            }
            Some(Err(failure)) => {
                let why =
                    self.console.look().paint(Role::Secondary, &format!("({})", quoted(&failure.message)));
                format!("  {id}: {expression} {why}\n")
            }
            None => format!("  {id}: {expression}\n"),
        }
    }
}

/// The part of the source that is next, or has failed, in a frame.
fn marked(frame: &Frame) -> Marked {
    let here = Position { line: frame.location.line, column: frame.location.column };
    // The window shows the line of the location.
    let start = if frame.begin.line == here.line { frame.begin } else { here };
    Marked { start, end: frame.end }
}

/// The error of a question about the program's files. No program is loaded if it could not be read when it was to be
/// started again.
fn about_program(failure: Failure) -> CommandError {
    match failure.kind {
        FailureKind::WrongState => {
            CommandError::new("no program is loaded").help("'restart' reads its file again")
        }
        _ => failure.into(),
    }
}
