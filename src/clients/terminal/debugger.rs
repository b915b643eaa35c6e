//! The debugger for a terminal: reads commands, makes requests to the session, and shows its messages.
//!
//! It uses one thread. While the program runs it waits for messages of the session; while the program is
//! stopped or waits for input, it reads commands.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::clients::subject::ProgramInfo;
use crate::protocol::radix::Radix;
use crate::protocol::{Sender, SessionHandle};
use ez_engine::api::{
    Attached, BreakpointId, Cell, CellOutcome, Event, ExceptionSpec, Failure, FailureKind, Input, Launch,
    Question, Request, Response, Restart, Resume, RunCell, SetExceptionBreakpoints, Start, WatchId,
};
use ez_engine::session::Item;
use ez_runtime::sync::Mutex;
use ez_runtime::visible::{indented, visible_line};

use super::command_error::CommandError;
use super::commands::changes::Continued;
use super::complete::CompletionState;
use super::console::Console;
use super::lines::{CommandLines, Line, Prompt};
use super::other_clients::{Cause, Part};
use super::printed::PrintedLines;
use super::processes::{Follow, Processes};
use super::repetition::Repetition;
use super::seen::Seen;
use super::sources::Sources;
use super::stops::PresentStop;
use super::typing::Interruptible;

use foldhash::{HashMap, HashSet};

/// The state of the program, as the debugger knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DebuggerState {
    Running,
    /// The program waits for input.
    Input,
    Stopped,
    /// The program has ended with this status, or could not be loaded again.
    Ended(u8),
    /// The debugger is to end with this status.
    Over(u8),
}

/// What the debugger keeps about breakpoints in addition to the session.
#[derive(Default)]
pub struct Marks {
    /// The commands to run at each hit.
    pub commands: HashMap<BreakpointId, Vec<String>>,
    /// Breakpoints that are removed at their first hit.
    pub temporary: HashSet<BreakpointId>,
    /// The breakpoint set last.
    pub last: Option<BreakpointId>,
}

impl Marks {
    /// Forgets a breakpoint that was removed.
    pub fn forget(&mut self, id: BreakpointId) {
        self.commands.remove(&id);
        self.temporary.remove(&id);
    }
}

/// What the debugger knows about a process. It is shown, or put aside while another one is.
pub struct Shown {
    pub(super) link: SessionHandle,
    /// The texts of the program.
    pub sources: Sources,
    /// What is kept about breakpoints.
    pub marks: Marks,
    pub(super) named: ProgramInfo,
    pub(super) arguments: Vec<String>,
    pub(super) status: DebuggerState,
    pub(super) stop: Option<PresentStop>,
    /// Whether the present of the program is a stop at a run-time error.
    pub(super) ends_in_error: bool,
    pub(super) seen: Seen,
    /// Events received while waiting for a response, or for another process.
    pub(super) later: VecDeque<Event>,
    /// Whether the program waits for input.
    pub(super) wants_input: bool,
    /// Where the next `list` continues.
    pub(super) listed: Option<(PathBuf, u32)>,
    /// The list of changes that `changes` alone continues.
    pub(super) continued: Option<Continued>,
    /// What the program has printed last.
    pub(super) printed: PrintedLines,
    /// The command with a count that is being carried out.
    pub(super) repetition: Option<Repetition>,
    /// The displays that were shown, or set here.
    pub(super) displays: HashSet<WatchId>,
    /// The radix in which a display shows integers, unless it is decimal.
    pub(super) display_radix: HashMap<WatchId, Radix>,
    /// Why the program runs, if that is not because of a command.
    pub(super) cause: Option<Cause>,
    /// Whether the next stop at a difference is to lead to the statement that has made it.
    pub(super) is_led: bool,
    /// The client of whom it was said last that it may have changed values.
    pub(super) changed_by: Option<String>,
}

/// The state of the debugger.
pub struct TerminalDebugger {
    /// The process that is shown.
    pub shown: Shown,
    pub(super) processes: Processes,
    /// Where everything is written.
    pub console: Console,
    pub(super) lines: CommandLines,
    pub(super) state_for_completion: Rc<CompletionState>,
    /// The command that an empty line repeats.
    pub(super) repeat: String,
    /// Whether Ctrl+C was pressed, which also ends a repetition when it finds the program stopped.
    pub(super) interrupted: Arc<AtomicBool>,
    /// The session that Ctrl+C pauses.
    pub(super) interrupts: Arc<Mutex<Sender>>,
    /// The line that Ctrl+C ends.
    line: Interruptible,
    /// Whether a command has failed.
    pub(super) command_failed: bool,
    pub(super) cell: DebuggedCell,
    /// What this is in a session that others use, too.
    pub(super) part: Part,
}

/// A cell of a prompt that is debugged.
#[derive(Default)]
pub(super) enum DebuggedCell {
    /// A program is debugged, not a cell.
    #[default]
    None,
    /// It runs. `steps_into`: at its first stop, the call of a function is to be stepped into.
    Running {
        steps_into: bool,
    },
    Ended(CellOutcome),
}

/// How Ctrl+C takes effect.
#[derive(Clone)]
pub struct Interrupts {
    /// See [`TerminalDebugger::interrupted`].
    pub interrupted: Arc<AtomicBool>,
    /// See [`TerminalDebugger::interrupts`].
    pub session: Arc<Mutex<Sender>>,
    /// The line that is being read.
    pub line: Interruptible,
}

impl Interrupts {
    /// What pauses this session.
    pub fn of(link: &SessionHandle) -> Interrupts {
        let (interrupted, session) = (Arc::default(), Arc::new(Mutex::new(link.sender())));
        Interrupts { interrupted, session, line: Interruptible::default() }
    }

    /// What Ctrl+C does while the program runs: pauses it. While a line is read, it ends that.
    pub fn pause(&self) {
        if self.line.interrupt() {
            return;
        }
        self.interrupted.store(true, Ordering::Relaxed);
        // The response is ignored: it is an error if the program does not run.
        self.session.lock().send(Request::Pause);
    }
}

impl TerminalDebugger {
    /// A debugger whose program is not loaded yet. `follow`: what is done about child processes, if they are
    /// noticed.
    pub fn new(
        shown: Shown,
        follow: Option<Follow>,
        console: Console,
        lines: CommandLines,
        state_for_completion: Rc<CompletionState>,
        interrupts: Interrupts,
    ) -> TerminalDebugger {
        let Interrupts { interrupted, session, line } = interrupts;
        TerminalDebugger {
            processes: Processes::new(shown.link.clone(), shown.named.file.clone(), follow),
            shown,
            console,
            lines,
            state_for_completion,
            repeat: "step".into(),
            interrupted,
            interrupts: session,
            line,
            command_failed: false,
            cell: DebuggedCell::None,
            part: Part::Alone,
        }
    }

    /// Runs a program in the debugger; returns the exit status for the process. Blocks.
    pub fn run(&mut self, launch: Launch) -> u8 {
        self.shown.arguments = launch.args.clone();
        if let Err(failure) = self.start(launch) {
            self.console.print_error(&indented(&failure.message));
            self.set_status(DebuggerState::Over(1));
        }
        self.run_to_end()
    }

    /// Uses a session that was joined, until this client leaves or is sent away, or the program ends; returns the exit
    /// status for the process. Blocks.
    pub fn run_joined(&mut self, attached: Attached) -> u8 {
        self.join(attached);
        self.run_to_end()
    }

    fn run_to_end(&mut self) -> u8 {
        loop {
            self.turn();
            if let (DebuggerState::Over(status), true) = (self.shown.status, self.shown.later.is_empty()) {
                self.end();
                return status;
            }
        }
    }

    /// Handles the next event, or reads the next command.
    fn turn(&mut self) {
        if self.console.is_closed() && !matches!(self.shown.status, DebuggerState::Over(_)) {
            self.quit(0);
        }
        self.look_at_others();
        if let Some(event) = self.shown.later.pop_front() {
            return self.event(event);
        }
        if self.show_stopped() {
            return;
        }
        match self.shown.status {
            DebuggerState::Over(_) => {}
            DebuggerState::Running if self.shown.cause.is_some() => self.command(),
            DebuggerState::Running => match self.shown.link.wait() {
                Some(()) => {
                    if let Some(item) = self.shown.link.try_next() {
                        self.take(item);
                    }
                }
                None if self.shows_child() && !self.processes.root.is_over() => self.leave_child(),
                None => self.lost(),
            },
            DebuggerState::Ended(_) if self.shows_child() => self.leave_child(),
            // That of another may be started again.
            DebuggerState::Ended(status) if !self.lines.is_terminal() && !self.is_guest() => {
                self.set_status(DebuggerState::Over(status))
            }
            DebuggerState::Input | DebuggerState::Stopped | DebuggerState::Ended(_) => self.command(),
        }
    }

    /// Runs a cell, and reads commands at its stops until it has ended. A cell of one line is stepped into.
    ///
    /// # Errors
    /// The failure of a cell with errors.
    pub fn run_cell(&mut self, cell: Cell) -> Result<CellOutcome, Failure> {
        let steps_into = !cell.text.trim().contains('\n');
        let started = self.ask(RunCell(Cell { stops_on_entry: true, ..cell }))?;
        if !started.report.is_empty() {
            self.console.print_error(&started.report);
        }
        self.cell = DebuggedCell::Running { steps_into };
        self.set_status(DebuggerState::Running);
        loop {
            self.turn();
            match std::mem::take(&mut self.cell) {
                DebuggedCell::Ended(outcome) => {
                    self.console.finish_line();
                    self.console.flush();
                    return Ok(outcome);
                }
                running => self.cell = running,
            }
            if let DebuggerState::Over(_) = self.shown.status {
                if self.shown.link.is_over() {
                    return Err(self.shown.link.is_gone());
                }
                self.shown.link.send(Request::Kill);
                self.set_status(DebuggerState::Running);
            }
        }
    }

    fn start(&mut self, launch: Launch) -> Result<(), Failure> {
        self.shown.is_led = launch.expected.as_ref().is_some_and(|wanted| wanted.expected.is_some());
        self.ask(launch)?;
        self.stop_at_errors()?;
        self.give_case();
        self.ask(Start { stop_on_entry: self.shown.named.case.as_ref().map(|_| false) }).map(drop)
    }

    /// Gives the program what a case has it read, if it is one.
    fn give_case(&mut self) {
        if let Some(case) = &self.shown.named.case {
            self.shown.link.send(case.given().into_request());
        }
    }

    /// Makes the program stop at run-time errors.
    ///
    /// # Errors
    /// If the session is over.
    pub fn stop_at_errors(&mut self) -> Result<(), Failure> {
        self.ask(SetExceptionBreakpoints::new(vec![ExceptionSpec::UNCAUGHT])).map(drop)
    }

    /// How Ctrl+C takes effect.
    pub fn interrupts(&self) -> Interrupts {
        let (interrupted, session) = (Arc::clone(&self.interrupted), Arc::clone(&self.interrupts));
        Interrupts { interrupted, session, line: self.line.clone() }
    }

    /// Ends the session, or leaves it, and shows the rest of the program's output.
    fn end(&mut self) {
        self.lines.give_up(&mut self.console);
        let root = self.processes.root.clone();
        if self.is_guest() {
            return self.leave();
        }
        root.send(Request::Terminate);
        while let Some(item) = root.next() {
            if let Item::Output { source, text } = item {
                self.console.output(source.stream, &text);
            }
        }
        self.console.finish_line();
        self.console.flush();
    }

    /// The program is in another state.
    pub(super) fn set_status(&mut self, status: DebuggerState) {
        self.lines.program_waits(status == DebuggerState::Input);
        self.shown.status = status;
    }

    /// Makes the debugger end with this status.
    pub fn quit(&mut self, status: u8) {
        self.set_status(DebuggerState::Over(status));
    }

    /// Handles an item from the session.
    pub(super) fn take(&mut self, item: Item) {
        match item {
            // The response to a request that was not waited for.
            Item::Response(..) | Item::Reply(_) => {}
            Item::Output { source, text } => {
                self.shown.printed.add(source.stream, &text);
                self.console.output(source.stream, &text);
            }
            Item::Event(event) => self.event(event),
        }
        // More output may not come for long. Why the debugger ends is written when the line that is being typed is given
        // up: the line editor might not show it in time.
        if !self.shown.link.has_more() && !matches!(self.shown.status, DebuggerState::Over(_)) {
            self.console.flush();
        }
    }

    /// Makes a request and waits for the response; output is shown meanwhile.
    ///
    /// # Errors
    /// The failure of the request.
    pub fn ask<Q: Question>(&mut self, question: Q) -> Result<Q::Answer, Failure> {
        self.response(question.into_request()).and_then(Q::answer_from)
    }

    fn response(&mut self, request: Request) -> Result<Response, Failure> {
        let id = self.shown.link.send(request);
        loop {
            match self.shown.link.next().ok_or_else(|| self.shown.link.is_gone())? {
                Item::Response(of, result) if of == id => return result,
                Item::Event(Event::Log(text)) => self.console.say(&indented(&text)),
                Item::Event(Event::Progress(progress)) => self.progress(&progress),
                Item::Event(event) => self.shown.later.push_back(event),
                item => self.take(item),
            }
        }
    }

    /// Resumes the program.
    pub fn resume(&mut self, how: Resume) -> Result<(), CommandError> {
        let is_continue = how == Resume::Continue;
        let step = if is_continue { None } else { Some(self.step_of_shown()?) };
        self.ask(how)?;
        self.pass_by();
        self.processes.step = step;
        if is_continue {
            // It may wait for them.
            self.processes.continue_others();
        }
        self.goes_on();
        Ok(())
    }

    /// The program has been resumed.
    pub(super) fn goes_on(&mut self) {
        self.lines.drop_queue();
        self.shown.cause = None;
        self.shown.stop = None;
        self.shown.continued = None;
        self.state_for_completion.stopped.set(false);
        // A program that goes on waiting for input asks for it again.
        self.shown.wants_input = false;
        self.set_status(DebuggerState::Running);
    }

    /// Starts the program again.
    pub fn restart(&mut self, restart: Restart) -> Result<(), CommandError> {
        if self.is_at_prompt() {
            return Err("what was typed at the prompt cannot be started again here; 'quit' leads back".into());
        }
        let arguments = restart.args.clone();
        let result = self.ask(restart);
        if let Err(Failure { kind: FailureKind::WrongState, message, .. }) = result {
            return Err(message.into());
        }
        self.pass_by();
        self.shown.arguments = arguments.unwrap_or_else(|| std::mem::take(&mut self.shown.arguments));
        self.shown.wants_input = false;
        self.shown.repetition = None;
        self.processes.step = None;
        self.shown.sources.clear();
        self.shown.seen.clear();
        self.shown.printed = PrintedLines::default();
        self.goes_on();
        match result {
            Ok(_) => {
                self.give_case();
                self.report();
                Ok(())
            }
            Err(failure) => {
                self.set_status(DebuggerState::Ended(1));
                let (what, help) = if failure.problems.is_empty() {
                    let why = failure.unreadable().map(|why| format!("the program cannot be read: {why}"));
                    (why.unwrap_or(failure.message), "'restart' tries again")
                } else {
                    self.report();
                    let what = "the program has errors, and was not started";
                    (what.to_string(), "correct them, then 'restart' again")
                };
                let what = CommandError::new(indented(&what));
                // Commands from a pipe end with the program.
                Err(if self.lines.is_terminal() { what.help(help) } else { what })
            }
        }
    }

    /// Whether what is debugged was typed at the prompt.
    pub fn is_at_prompt(&self) -> bool {
        matches!(self.cell, DebuggedCell::Running { .. })
    }

    /// Provides a line of input, or the end of the input, to the program.
    pub fn give_input(&mut self, text: Option<String>, eof: bool) -> Result<(), CommandError> {
        if let DebuggerState::Ended(_) = self.shown.status {
            return Err(CommandError::new("the program has ended").help(self.how_it_starts_again()));
        }
        self.ask(Input { text, eof })?;
        self.shown.wants_input = false;
        if self.shown.status == DebuggerState::Input {
            self.set_status(DebuggerState::Running);
        }
        Ok(())
    }

    /// Whether a command that was not typed at a terminal has failed.
    pub fn script_failed(&self) -> bool {
        self.command_failed && !self.lines.is_terminal()
    }

    /// Whether the program waits for input.
    pub fn waits_for_input(&self) -> bool {
        self.shown.wants_input
    }

    /// Reads the next line from a script or the user; shows meanwhile what others do. `None`: none is to be read any
    /// more, since the program or the session has ended.
    pub fn next_line(&mut self, prompt: Prompt) -> Option<Line> {
        if let Some(line) = self.lines.at_once(prompt, &mut self.console) {
            return Some(line);
        }
        let is_shared = self.is_shared();
        self.lines.begin(prompt, &mut self.console, is_shared);
        if !is_shared {
            return self.lines.typed(prompt, &mut self.console, true);
        }
        let mut line = None;
        self.show_others_until(|debugger| {
            line = debugger.lines.typed(prompt, &mut debugger.console, false);
            line.is_some()
        });
        line
    }

    /// Makes the lines of a script the next to be read.
    pub fn read_script(&mut self, text: &str) -> Result<(), CommandError> {
        if self.lines.read_script(text) { Ok(()) } else { Err("too many files load each other".into()) }
    }

    /// Reads a command and executes it.
    fn command(&mut self) {
        let prompt = if self.shown.status == DebuggerState::Input { Prompt::Input } else { Prompt::Command };
        let Some(line) = self.next_line(prompt) else { return };
        match line {
            // Several commands that were pasted.
            Line::Command(lines) if lines.contains('\n') => {
                if let Err(complaint) = self.read_script(&lines) {
                    self.complain(&complaint);
                }
            }
            Line::Command(line) => {
                if self.lines.is_terminal() || self.wait_until_possible(&line) {
                    self.execute(&line);
                }
            }
            Line::Late(text) => self.not_given(&text),
            Line::Input(text) if self.shown.status != DebuggerState::Input => self.not_given(&text),
            Line::Input(text) => {
                if let Err(complaint) = self.give_input(Some(text), false) {
                    self.complain(&complaint);
                }
            }
            Line::Interrupted
                if self.shown.status == DebuggerState::Running
                    || self.is_shared() && self.shown.status == DebuggerState::Input =>
            {
                self.pause_for_user();
            }
            Line::Interrupted if self.shown.status == DebuggerState::Input => {
                self.shown.link.send(Request::Pause);
                self.set_status(DebuggerState::Running);
            }
            Line::Interrupted => self.console.say("Type 'quit' or press Ctrl+D to leave."),
            Line::End => self.no_more_commands(),
        }
    }

    /// A line was typed as input for the program, which has got another one from another client meanwhile.
    fn not_given(&mut self, text: &str) {
        let why = "the program does not wait for this input any more: it did not get";
        self.console.print_error(&format!("{why} '{}'", visible_line(text)));
    }

    fn no_more_commands(&mut self) {
        if self.is_guest() {
            return self.quit(0);
        }
        match self.shown.status {
            DebuggerState::Input => {
                let _ = self.give_input(None, true);
            }
            // Resumes a program stopped at a run-time error, so that it ends as it would without a debugger.
            DebuggerState::Stopped if self.has_failed() && !self.lines.is_terminal() => {
                if self.resume(Resume::Continue).is_err() {
                    self.quit(1);
                }
            }
            DebuggerState::Ended(status) if !self.lines.is_terminal() => self.quit(status),
            DebuggerState::Running
            | DebuggerState::Stopped
            | DebuggerState::Ended(_)
            | DebuggerState::Over(_) => self.quit(0),
        }
    }
}

/// The error for commands while the program waits for input.
pub(super) const WAITS: &str = "the program waits for input\n  \
    = help: 'input TEXT' gives it a line, 'eof' says that nothing more comes";
