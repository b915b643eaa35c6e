//! The debugger for a terminal: reads commands, asks the session, and shows what it tells.
//!
//! It does one thing at a time, on one thread. While the program runs it waits for what the session tells;
//! while the program is stopped, or waits for input, it reads commands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;

use crate::api::{
    BreakpointId, BreakpointRequest, Event, ExceptionFilter, ExceptionSpec, Failure, Launch, Request,
    Response, Restart, Resume,
};
use crate::session::Item;

use super::super::args::Style;
use super::super::local::{Link, session_is_over};
use super::complaint::Complaint;
use super::complete::Standing;
use super::console::Console;
use super::lines::{Line, Lines, Prompt};
use super::seen::Seen;
use super::sources::Sources;
use super::stops::Stop;

/// Where the program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Running,
    /// It waits for input.
    Input,
    Stopped,
    /// It has ended, with this status, or could not be loaded again.
    Ended(u8),
    /// The debugger is to end with this status.
    Over(u8),
}

/// What is kept about breakpoints beside what the session knows.
#[derive(Default)]
pub struct Marks {
    /// What is done at each hit.
    pub commands: BTreeMap<BreakpointId, Vec<String>>,
    /// Those that are removed when they were hit.
    pub temporary: BTreeSet<BreakpointId>,
    /// The one that was set last.
    pub last: Option<BreakpointId>,
}

impl Marks {
    /// A breakpoint is gone.
    pub fn forget(&mut self, id: BreakpointId) {
        self.commands.remove(&id);
        self.temporary.remove(&id);
    }
}

/// The program as the command line names it.
pub struct Named {
    /// Its file.
    pub file: String,
    /// Its path, absolute.
    pub path: PathBuf,
    /// The working directory of a run that was recorded.
    pub directory: Option<PathBuf>,
    /// How its reports look.
    pub style: Style,
}

/// The debugger.
pub struct Debugger {
    pub(super) link: Link,
    /// Where everything is written.
    pub console: Console,
    pub(super) lines: Lines,
    /// The texts of the program.
    pub sources: Sources,
    /// What is kept about breakpoints.
    pub marks: Marks,
    pub(super) named: Named,
    pub(super) arguments: Vec<String>,
    pub(super) standing: Rc<Standing>,
    pub(super) status: Status,
    pub(super) stop: Option<Stop>,
    pub(super) seen: Seen,
    /// Events that came while something else was being done.
    later: VecDeque<Event>,
    /// Whether the program has asked for input that it did not get.
    pub(super) wants_input: bool,
    /// What an empty line does.
    pub(super) repeat: String,
    /// Where `list` goes on.
    pub(super) listed: Option<(PathBuf, u32)>,
}

impl Debugger {
    /// A debugger of a program that is not loaded yet.
    pub fn new(
        link: Link,
        console: Console,
        lines: Lines,
        named: Named,
        directory: PathBuf,
        standing: Rc<Standing>,
    ) -> Debugger {
        Debugger {
            link,
            console,
            lines,
            sources: Sources::new(directory),
            marks: Marks::default(),
            named,
            arguments: Vec::new(),
            standing,
            status: Status::Running,
            stop: None,
            seen: Seen::default(),
            later: VecDeque::new(),
            wants_input: false,
            repeat: "step".into(),
            listed: None,
        }
    }

    /// Debugs the program until the end; gives the status to end with.
    pub fn run(&mut self, launch: Launch) -> u8 {
        self.arguments = launch.args.clone();
        if let Err(failure) = self.start(launch) {
            self.console.complain(&failure.message);
            self.status = Status::Over(1);
        }
        loop {
            if self.console.is_closed() && !matches!(self.status, Status::Over(_)) {
                self.quit(0);
            }
            if let Some(event) = self.later.pop_front() {
                self.event(event);
                continue;
            }
            match self.status {
                Status::Over(status) => {
                    self.end();
                    return status;
                }
                Status::Running => match self.link.next() {
                    Some(item) => self.take(item),
                    None => self.status = Status::Over(1),
                },
                Status::Ended(status) if !self.lines.is_terminal() => self.status = Status::Over(status),
                Status::Input | Status::Stopped | Status::Ended(_) => self.command(),
            }
        }
    }

    fn start(&mut self, launch: Launch) -> Result<(), Failure> {
        self.ask(Request::Initialize(Box::new(launch)))?;
        let uncaught = ExceptionSpec { filter: ExceptionFilter::Uncaught, condition: None };
        self.ask(Request::Breakpoint(BreakpointRequest::SetExceptions(vec![uncaught])))?;
        self.ask(Request::Start).map(|_| ())
    }

    /// Ends the session: what the program still prints is shown.
    fn end(&mut self) {
        self.link.send(Request::Terminate);
        while let Some(item) = self.link.next() {
            if let Item::Output { stream, text } = item {
                self.console.output(stream, &text);
            }
        }
        self.console.finish_line();
        self.console.flush();
    }

    /// The debugger is to end.
    pub fn quit(&mut self, status: u8) {
        self.status = Status::Over(status);
    }

    /// Something that the session tells.
    fn take(&mut self, item: Item) {
        match item {
            // The answer to something that was not waited for.
            Item::Response(..) | Item::Reply(_) => {}
            Item::Output { stream, text } => self.console.output(stream, &text),
            Item::Event(event) => self.event(event),
        }
        // A program that computes for long has shown what it has printed.
        if !self.link.has_more() {
            self.console.flush();
        }
    }

    /// Asks the session and waits for the answer. What is printed meanwhile is shown.
    ///
    /// # Errors
    /// The failure of the request.
    pub fn ask(&mut self, request: Request) -> Result<Response, Failure> {
        let id = self.link.send(request);
        loop {
            match self.link.next().ok_or_else(session_is_over)? {
                Item::Response(of, result) if of == id => return result,
                Item::Event(Event::Log(text)) => self.console.say(&text),
                Item::Event(Event::Progress(progress)) => self.progress(&progress),
                Item::Event(event) => self.later.push_back(event),
                item => self.take(item),
            }
        }
    }

    /// Lets the program go on.
    pub fn resume(&mut self, how: Resume) -> Result<(), Complaint> {
        self.ask(Request::Resume(how))?;
        self.goes_on();
        Ok(())
    }

    /// The program runs from now on.
    pub(super) fn goes_on(&mut self) {
        self.lines.drop_queue();
        self.stop = None;
        self.standing.stopped.set(false);
        // A program that was paused while it waited for input does not ask for it again.
        self.status = if self.wants_input { Status::Input } else { Status::Running };
    }

    /// Starts the program again.
    pub fn restart(&mut self, restart: Restart) -> Result<(), Complaint> {
        if let Some(arguments) = &restart.args {
            self.arguments = arguments.clone();
        }
        self.wants_input = false;
        self.sources.clear();
        self.seen.clear();
        let result = self.ask(Request::Restart(Box::new(restart)));
        self.goes_on();
        match result {
            Ok(_) => {
                self.report();
                Ok(())
            }
            Err(failure) => {
                self.status = Status::Ended(1);
                if failure.problems.is_empty() {
                    return Err(failure.into());
                }
                self.report();
                let what = Complaint::new("the program has errors, and was not started");
                Err(what.help("correct them, then 'restart' again"))
            }
        }
    }

    /// Gives the program a line to read, or says that nothing more comes.
    pub fn give_input(&mut self, text: Option<String>, eof: bool) -> Result<(), Complaint> {
        if let Status::Ended(_) = self.status {
            return Err(Complaint::new("the program has ended").help("'restart' starts it again"));
        }
        self.ask(Request::Input { text, eof })?;
        self.wants_input = false;
        if self.status == Status::Input {
            self.status = Status::Running;
        }
        Ok(())
    }

    /// Whether the program waits for input.
    pub fn waits_for_input(&self) -> bool {
        self.wants_input
    }

    /// The next line from wherever they come.
    pub fn next_line(&mut self, prompt: Prompt) -> Line {
        self.lines.next(prompt, &mut self.console)
    }

    /// The lines of a script come next.
    pub fn read_script(&mut self, text: &str) -> Result<(), Complaint> {
        match self.lines.read_script(text) {
            true => Ok(()),
            false => Err("too many files load each other".into()),
        }
    }

    /// Reads a command and carries it out.
    fn command(&mut self) {
        let prompt = if self.status == Status::Input { Prompt::Input } else { Prompt::Command };
        match self.next_line(prompt) {
            Line::Command(line) => self.execute(&line),
            Line::Input(text) => {
                if let Err(complaint) = self.give_input(Some(text), false) {
                    self.console.complain(&complaint.text());
                }
            }
            Line::Interrupted if self.status == Status::Input => {
                self.link.send(Request::Pause);
                self.status = Status::Running;
            }
            Line::Interrupted => self.console.say("Type 'quit' or press Ctrl+D to leave."),
            Line::End => self.no_more_commands(),
        }
    }

    fn no_more_commands(&mut self) {
        match self.status {
            Status::Input => {
                let _ = self.give_input(None, true);
            }
            // A program that has failed ends as it would have without the debugger.
            Status::Stopped if self.has_failed() && !self.lines.is_terminal() => {
                if self.resume(Resume::Continue).is_err() {
                    self.quit(1);
                }
            }
            Status::Ended(status) if !self.lines.is_terminal() => self.quit(status),
            Status::Running | Status::Stopped | Status::Ended(_) | Status::Over(_) => self.quit(0),
        }
    }
}

/// What is said to commands while the program waits for input.
pub(super) const WAITS: &str = "the program waits for input\n  \
    = help: 'input TEXT' gives it a line, 'eof' says that nothing more comes";
