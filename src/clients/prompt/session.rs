//! The prompt's side of a session of cells: runs entries as cells, and shows what comes of them.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use crate::clients::show::{Style, print, print_unchanged, write_error, write_report};
use crate::clients::subject::ProgramInfo;
use crate::clients::terminal::{
    CommandLines, Completions, Console, Editor, Interruptible, Interrupts, LineSource, Shown,
    TerminalDebugger,
};
use crate::protocol::SessionHandle;
use ez_engine::api::{
    Cell, CellOutcome, CellSettings, Event, Failure, GetRich, GetType, GetVariables, Input, Launch, Limits,
    Question, Request, Response, Restart, RunCell, Variable,
};
use ez_engine::session::{Item, Session};
use ez_runtime::diagnostics::Colour;
use ez_runtime::value::Stream;

use super::interrupt::{Interrupt, Running};
use super::lines::{LineReader, PromptLine};

/// The name of entries in reports.
const NAME: &str = "<repl>";

/// How an entry ended.
pub(super) enum EntryOutcome {
    /// The next one can follow.
    Next,
    /// The next one can follow, but there was an error.
    Failed,
    /// By ending the session, with this exit status.
    Ended(u8),
}

/// The session in which entries run.
pub(super) struct PromptSession {
    style: Style,
    link: SessionHandle,
    interrupt: Arc<Interrupt>,
    /// Counts the entries.
    entries: usize,
    /// Shows the stops of entries that are debugged.
    debugger: Option<TerminalDebugger>,
}

impl PromptSession {
    /// Begins a session of cells with this memory limit in bytes. `line`: what Ctrl+C ends where it is no key.
    ///
    /// # Errors
    /// Why it cannot be begun.
    pub fn begin(
        session: Session,
        memory: Option<u64>,
        style: Style,
        line: Interruptible,
    ) -> Result<PromptSession, Failure> {
        let link = SessionHandle::own(session);
        let interrupt = Interrupt::listen(link.sender(), line);
        let settings = CellSettings { colours: style.colour == Colour::On, json: style.json };
        let launch =
            Launch { cells: Some(settings), keep_alive: true, memory_limit: memory, ..Launch::default() };
        link.ask(launch)?;
        Ok(PromptSession { style, link, interrupt, entries: 0, debugger: None })
    }

    /// Forgets all declarations and variables.
    pub fn reset(&mut self) {
        let _ = self.link.ask(Restart::default());
    }

    /// Ends the session, and shows the rest of the output.
    pub fn end(&self) {
        self.link.send(Request::Terminate);
        while let Some(item) = self.link.next() {
            if let Item::Output { source, text } = item {
                show_output(source.stream, &text);
            }
        }
    }

    fn variables(&self) -> Vec<Variable> {
        let question = GetVariables { frame: 0, scope: None, limits: Limits { parts: 0, bytes: 0 } };
        self.link.ask(question).unwrap_or_default()
    }

    pub fn has_variable(&self, name: &str) -> bool {
        self.variables().iter().any(|variable| variable.name == name)
    }

    /// Shows names, types and values of the variables.
    pub fn show_variables(&self) {
        for variable in self.variables() {
            let question = GetRich { expression: variable.name.to_string(), frame: 0 };
            let Ok(value) = self.link.ask(question) else { continue };
            print(&format!("{} {} = {}\n", variable.name, variable.held.declared_type, value.text));
        }
    }

    /// Shows the type of an expression.
    pub fn show_type(&self, text: &str) -> EntryOutcome {
        let question = GetType { expression: text.into(), frame: 0 };
        match self.link.ask(question) {
            Ok(ty) => {
                print(&format!("{}\n", ty.0));
                EntryOutcome::Next
            }
            Err(failure) => {
                show_failure(&failure);
                EntryOutcome::Failed
            }
        }
    }

    fn cell(&mut self, text: &str) -> Cell {
        self.entries += 1;
        Cell {
            text: text.into(),
            name: NAME.into(),
            path: format!("<repl {}>", self.entries),
            shows_value: true,
            stops_on_entry: false,
            refuses_input: false,
        }
    }

    /// Checks and runs an entry, until Ctrl+C.
    pub fn enter(&mut self, text: &str, lines: &mut LineReader) -> EntryOutcome {
        let cell = self.cell(text);
        self.interrupt.set_running(Running::Entry);
        let begun = self.link.send(RunCell(cell).into_request());
        let outcome = loop {
            let Some(item) = self.link.next() else { break None };
            match item {
                Item::Response(of, Err(failure)) if of == begun => {
                    show_failure(&failure);
                    self.interrupt.set_running(Running::Nothing);
                    return EntryOutcome::Failed;
                }
                Item::Response(of, Ok(Response::CellStarted(started))) if of == begun => {
                    write_report(&started.report);
                }
                Item::Output { source, text } => show_output(source.stream, &text),
                Item::Event(Event::InputRequested(_)) => self.give_input(lines),
                Item::Event(Event::CellEnded(ended)) => break Some(ended.outcome),
                Item::Event(Event::Failed(message)) => write_error(&format!("Error: {message}\n")),
                Item::Event(Event::Exited(_)) => break None,
                Item::Response(..) | Item::Reply(_) | Item::Event(_) => {}
            }
        };
        self.interrupt.set_running(Running::Nothing);
        outcome.map_or(EntryOutcome::Ended(1), show_outcome)
    }

    /// Gives the entry that runs a line of input.
    fn give_input(&self, lines: &mut LineReader) {
        let input = match lines.read("") {
            PromptLine::Text(line) if self.has_ended() => return lines.put_back(line),
            PromptLine::Text(line) => Input { text: Some(line), eof: false },
            PromptLine::End => Input { text: None, eof: true },
            PromptLine::Cancelled => {
                self.link.send(Request::Kill);
                return;
            }
        };
        self.link.send(input.into_request());
    }

    /// Whether the entry was interrupted while it waited for input.
    fn has_ended(&self) -> bool {
        self.link.is_ahead(|item| matches!(item, Item::Event(Event::CellEnded(_))))
    }

    /// Runs an entry in the debugger.
    pub fn debug(&mut self, text: &str, lines: &LineReader) -> EntryOutcome {
        let cell = self.cell(text);
        let debugger = match &mut self.debugger {
            Some(debugger) => debugger,
            none => {
                let mut new = debugger(&self.link, self.style, lines.is_terminal());
                // It is refused only if the session is over, as running the cell is then.
                let _ = new.stop_at_errors();
                none.insert(new)
            }
        };
        let running =
            if lines.is_terminal() { Running::Debugged(debugger.interrupts()) } else { Running::Entry };
        self.interrupt.set_running(running);
        let outcome = debugger.run_cell(cell);
        self.interrupt.set_running(Running::Nothing);
        match outcome {
            Ok(outcome) => show_outcome(outcome),
            Err(failure) => {
                show_failure(&failure);
                EntryOutcome::Failed
            }
        }
    }
}

fn debugger(link: &SessionHandle, style: Style, terminal: bool) -> TerminalDebugger {
    let state = Rc::default();
    let completions = Completions::new(link.clone(), Rc::clone(&state));
    let own = match terminal.then(Editor::new).flatten() {
        Some(editor) => LineSource::Terminal(Box::new(editor)),
        None => LineSource::Pipe,
    };
    let interrupts = Interrupts::of(link);
    let lines = CommandLines::new(own, completions, Arc::new(link.waker()), interrupts.line.clone());
    let console = Console::new(terminal, style.colour == Colour::On);
    let named =
        ProgramInfo { file: NAME.into(), path: PathBuf::from(NAME), directory: None, style, case: None };
    let shown = Shown::new(link.clone(), named, std::env::current_dir().unwrap_or_default());
    TerminalDebugger::new(shown, None, console, lines, state, interrupts)
}

fn show_output(stream: Stream, text: &str) {
    match stream {
        Stream::Stdout => print_unchanged(text),
        Stream::Stderr => write_report(text),
    }
}

fn show_failure(failure: &Failure) {
    match &failure.report {
        Some(report) => write_report(report),
        None => write_error(&format!("Error: {}\n", failure.message)),
    }
}

fn show_outcome(outcome: CellOutcome) -> EntryOutcome {
    match outcome {
        CellOutcome::Finished { value } => {
            if let Some(value) = value {
                print(&(value.text + "\n"));
            }
        }
        CellOutcome::Failed { report, .. } => {
            write_report(&report);
            return EntryOutcome::Failed;
        }
        CellOutcome::Interrupted => {
            write_error("interrupted\n");
            return EntryOutcome::Failed;
        }
        CellOutcome::Exited(status) => {
            return EntryOutcome::Ended(status.to_le_bytes().first().copied().unwrap_or(1));
        }
    }
    EntryOutcome::Next
}
