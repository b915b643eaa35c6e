//! Several processes: the program's, and those of the EZ programs that it starts. One of them is shown at a time.

use std::collections::VecDeque;
use std::mem::swap;
use std::path::{Path, PathBuf};

use ez_runtime::visible::indented;
use foldhash::{HashMap, HashSet};

use super::command_error::CommandError;
use super::debugger::{DebuggerState, Marks, Shown, TerminalDebugger};
use super::sources::Sources;
use crate::clients::subject::ProgramInfo;
use crate::protocol::SessionHandle;
use ez_engine::api::{
    ChildProcess, Event, ExceptionSpec, Exited, Failure, Question, ReleaseChild, Request, RequestId, Resume,
    SetExceptionBreakpoints, Start, StopReason, Stopped,
};
use ez_engine::session::Item;

/// The number of the program's own process.
const ROOT: usize = 1;

/// What is done about a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// It runs without the debugger.
    Parent,
    /// It is shown from its first statement on.
    Child,
    /// It is debugged, too, and shown when the present one does not wait for commands.
    Both,
}

impl Follow {
    /// The names that the command `set follow` takes.
    pub const NAMES: [(&str, Follow); 3] =
        [("parent", Follow::Parent), ("child", Follow::Child), ("both", Follow::Both)];
}

/// A process that is debugged.
struct Process {
    number: usize,
    /// Its process id, and that of the process that has started it.
    pid: u32,
    parent: u32,
    /// Its program and process id, for the user.
    name: String,
    /// What the debugger keeps about it while it is not shown; `None` for the one that is.
    parked: Option<Box<Shown>>,
    /// Whether it has stopped, and the user has not seen that.
    has_news: bool,
    /// Whether its end is known, but not what its own session tells of that.
    ends: bool,
}

/// A step of the process that is shown: nothing but its end, or a process for which it may wait, is shown next.
pub(super) struct StepUnderWay {
    /// Whether it goes on in a command that the process runs, such as one of `os.exec`.
    in_command: bool,
    /// The number of the latest process at its beginning.
    last: usize,
}

/// All processes that are debugged.
pub struct Processes {
    /// What is done about child processes; `None`: they are not noticed.
    pub follow: Option<Follow>,
    /// The link to the session in this process.
    pub root: SessionHandle,
    all: Vec<Process>,
    /// The number of the latest one.
    last: usize,
    pub(super) step: Option<StepUnderWay>,
}

impl Processes {
    /// Only the program's own process; `name` is that of the program.
    pub fn new(root: SessionHandle, name: String, follow: Option<Follow>) -> Processes {
        let own = Process {
            number: ROOT,
            pid: std::process::id(),
            parent: 0,
            name,
            parked: None,
            has_news: false,
            ends: false,
        };
        Processes { follow, root, all: vec![own], last: ROOT, step: None }
    }

    /// The number of the process that is shown.
    fn shown(&self) -> usize {
        self.all.iter().find(|process| process.parked.is_none()).map_or(ROOT, |process| process.number)
    }

    /// Lets the processes go on that the user has seen stopped, and that are not shown.
    pub(super) fn continue_others(&mut self) {
        for process in self.all.iter_mut().filter(|process| !process.has_news) {
            let Some(parked) = &mut process.parked else { continue };
            if parked.status == DebuggerState::Stopped {
                parked.link.send(Resume::Continue.into_request());
                parked.status = DebuggerState::Running;
                parked.stop = None;
                parked.continued = None;
            }
        }
    }

    /// Whether a process may have been started by the one that is shown. That it was started through a shell is not
    /// known.
    fn may_be_started_by_shown(&self, process: &Process) -> bool {
        let shown = self.shown();
        let own = self.all.iter().find(|own| own.number == shown);
        let is_child_of_other = self.all.iter().any(|it| it.number != shown && it.pid == process.parent);
        process.number > shown
            && !is_child_of_other
            && own.is_some_and(|own| own.number == ROOT || own.parent != process.parent)
    }

    /// Whether a stop of a process that is not shown is shown at once while the one that is shown runs.
    fn is_shown_next(&self, process: &Process) -> bool {
        self.step.as_ref().is_none_or(|step| {
            (step.in_command || process.number > step.last) && self.may_be_started_by_shown(process)
        })
    }

    fn at(&mut self, number: usize) -> Option<&mut Process> {
        self.all.iter_mut().find(|process| process.number == number)
    }
}

impl TerminalDebugger {
    /// Whether a child process is shown.
    pub(super) fn shows_child(&self) -> bool {
        self.processes.shown() != ROOT
    }

    /// A child process has announced itself.
    pub(super) fn child_started(&mut self, child: &ChildProcess) {
        let name = name(child);
        let follow = self.processes.follow.unwrap_or(Follow::Parent);
        let Some(entrance) = child.entrance.as_ref().filter(|_| follow != Follow::Parent) else {
            self.console.say(&format!("{name} was started, and runs without the debugger."));
            return self.release(child.pid);
        };
        let attached = self.processes.root.to_child(entrance).map_err(|error| error.to_string());
        let attached = attached.and_then(|link| {
            begin(&link).map_err(|failure| failure.message)?;
            Ok(link)
        });
        let link = match attached {
            Ok(link) => link,
            Err(why) => {
                self.console.print_error(&format!("{name} cannot be debugged: {why}"));
                return self.release(child.pid);
            }
        };
        let directory = PathBuf::from(&child.directory);
        let path = std::path::absolute(directory.join(&child.file)).unwrap_or_default();
        let info = ProgramInfo {
            file: child.file.clone(),
            path,
            directory: Some(directory.clone()),
            style: self.shown.named.style,
            case: None,
        };
        let mut shown = Shown::new(link, info, directory);
        shown.arguments.clone_from(&child.args);
        self.processes.last += 1;
        let number = self.processes.last;
        self.console.say(&format!("{name} was started: process {number}."));
        let (pid, parent) = (child.pid, child.parent);
        let parked = Some(Box::new(shown));
        self.processes.all.push(Process { number, pid, parent, name, parked, has_news: false, ends: false });
        let is_shown = |process: &Process| {
            self.shown.status != DebuggerState::Running || self.processes.is_shown_next(process)
        };
        if follow == Follow::Child && self.processes.all.last().is_some_and(is_shown) {
            self.show_process(number);
        }
    }

    fn release(&self, pid: u32) {
        self.processes.root.send(ReleaseChild(pid).into_request());
    }

    /// Receives what the processes that are not shown have sent.
    pub(super) fn look_at_others(&mut self) {
        let numbers: Vec<usize> = self.processes.all.iter().map(|process| process.number).collect();
        for number in numbers {
            // What a child's own session tells of its end comes first: its parent goes on after that.
            while !(number == ROOT && self.awaits_end())
                && let Some(item) = self.next_of_other(number)
            {
                self.take_of_other(number, item);
            }
            let gone = |process: &mut Process| process.parked.as_ref().is_some_and(|it| it.link.is_closed());
            if self.processes.at(number).is_some_and(gone) {
                self.forget(number, "is gone");
            }
        }
    }

    /// Whether a process has ended whose session has not told so yet.
    fn awaits_end(&self) -> bool {
        let is_open = |process: &Process| {
            let link = process.parked.as_ref().map_or(&self.shown.link, |parked| &parked.link);
            !link.is_closed()
        };
        self.processes.all.iter().any(|process| process.ends && is_open(process))
    }

    fn next_of_other(&mut self, number: usize) -> Option<Item> {
        self.processes.at(number)?.parked.as_ref()?.link.try_next()
    }

    fn take_of_other(&mut self, number: usize, item: Item) {
        match item {
            Item::Response(..) | Item::Reply(_) => {}
            Item::Output { source, text } => self.console.output(source.stream, &text),
            Item::Event(Event::ChildStarted(child)) => self.child_started(&child),
            Item::Event(Event::ChildEnded(end)) => {
                let ended = self.processes.all.iter_mut().filter(|process| process.pid == end.pid);
                ended.for_each(|process| process.ends = true);
            }
            Item::Event(Event::Log(text)) => self.console.say(&indented(&text)),
            Item::Event(Event::Exited(exited)) if number != ROOT => {
                self.forget(number, &format!("has ended with status {}", exit_status(&exited)));
            }
            Item::Event(event) => {
                let Some(process) = self.processes.all.iter().find(|process| process.number == number) else {
                    return;
                };
                let has_stopped = matches!(event, Event::Stopped(_) | Event::Exited(_));
                let is_idle = self.shown.status == DebuggerState::Running;
                if let Event::Stopped(stopped) = &event
                    && !(is_idle && self.processes.is_shown_next(process))
                {
                    let text = announcement(process, stopped);
                    self.console.say(&text);
                }
                if let Some(process) = self.processes.at(number) {
                    process.has_news |= has_stopped;
                    if let Some(parked) = &mut process.parked {
                        parked.later.push_back(event);
                    }
                }
            }
        }
    }

    /// Forgets a process that is not shown.
    fn forget(&mut self, number: usize, what: &str) {
        let Some(at) = self.processes.all.iter().position(|process| process.number == number) else { return };
        let process = self.processes.all.remove(at);
        self.console.say(&format!("Process {number}, {}, {what}.", process.name));
    }

    /// Shows another process that has stopped, if the one that is shown does not wait for commands. Returns
    /// whether that was so.
    pub(super) fn show_stopped(&mut self) -> bool {
        if self.shown.status != DebuggerState::Running || !self.shown.later.is_empty() {
            return false;
        }
        let has_news = |process: &&Process| {
            process.has_news && process.parked.is_some() && self.processes.is_shown_next(process)
        };
        let news = self.processes.all.iter().find(has_news);
        let Some(number) = news.map(|process| process.number) else { return false };
        self.show_process(number);
        true
    }

    /// Shows the process with this number, which exists.
    fn show_process(&mut self, number: usize) {
        let before = self.processes.shown();
        let Some(process) = self.processes.at(number).filter(|process| process.parked.is_some()) else {
            return;
        };
        process.has_news = false;
        self.processes.step = None;
        let Some(process) = self.processes.at(number) else { return };
        let mut parked = process.parked.take();
        if let Some(parked) = &mut parked {
            swap(&mut self.shown, parked);
        }
        if let Some(process) = self.processes.at(before) {
            process.parked = parked;
        }
        self.lines.drop_queue();
        self.lines.process = (number != ROOT).then_some(number);
        self.state_for_completion.link.replace(Some(self.shown.link.clone()));
        self.state_for_completion.stopped.set(self.shown.stop.is_some());
        self.state_for_completion.frame.set(self.shown.stop.as_ref().map_or(0, |stop| stop.frame.index));
        *self.interrupts.lock() = self.shown.link.sender();
        if let Some(process) = self.processes.at(number) {
            let text = format!("[Process {number}: {}]", process.name);
            self.console.say(&text);
        }
    }

    /// The child process that is shown has ended: shows its parent again.
    pub(super) fn leave_child(&mut self) {
        let number = self.processes.shown();
        self.show_process(ROOT);
        self.processes.all.retain(|process| process.number != number);
        self.show_again();
    }

    /// A step of the process that is shown, before it is resumed.
    ///
    /// # Errors
    /// If it may not come to its end because another process is stopped.
    pub(super) fn step_of_shown(&mut self) -> Result<StepUnderWay, CommandError> {
        let step = StepUnderWay { in_command: self.is_in_command(), last: self.processes.last };
        let is_stopped = |process: &&Process| {
            let status = process.parked.as_ref().map(|parked| parked.status);
            (process.has_news || status == Some(DebuggerState::Stopped))
                && status.is_some()
                && self.processes.may_be_started_by_shown(process)
        };
        let waited_for = self.processes.all.iter().find(is_stopped).filter(|_| step.in_command);
        let Some(Process { number, name, .. }) = waited_for else { return Ok(step) };
        let shown = self.processes.shown();
        let what = format!(
            "process {shown} is in a command that waits, perhaps for process {number}, {name}, which is stopped"
        );
        let help = format!("'process {number}' shows that one, 'continue' lets all processes go on");
        Err(CommandError::new(what).help(help))
    }

    /// Whether the process that is shown was paused while it waited for a command.
    fn is_in_command(&mut self) -> bool {
        let is_alone = self.processes.all.len() == 1;
        let reason = self.shown.stop.as_ref().map(|stop| stop.stopped.reason);
        if is_alone || reason != Some(StopReason::Pause) {
            return false;
        }
        let Ok(frame) = self.frame_at(0) else { return false };
        let Ok(source) = self.source(&frame.location.path) else { return false };
        let statement = frame.begin.line..=frame.end.line;
        statement.into_iter().any(|line| source.line(line).is_some_and(|line| line.contains("exec")))
    }

    /// Shows where the process that is shown now is stopped, if it is.
    fn show_again(&mut self) {
        let frame = self.shown.stop.as_ref().map(|stop| stop.frame.clone());
        if let Some(frame) = frame {
            self.show_frame(&frame);
        }
    }

    /// The processes, as lines.
    pub(super) fn list_processes(&mut self) -> String {
        let own = self.shown.status;
        let shown = self.processes.shown();
        let line = |process: &Process| {
            let status = process.parked.as_ref().map_or(own, |parked| parked.status);
            let status = match status {
                _ if process.has_news => "stopped",
                DebuggerState::Running => "running",
                DebuggerState::Input => "waits for input",
                DebuggerState::Stopped => "stopped",
                DebuggerState::Ended(_) | DebuggerState::Over(_) => "ended",
            };
            let mark = if process.number == shown { "→" } else { " " };
            format!("{mark} {:<3} {status:<8} {}\n", process.number, process.name)
        };
        self.processes.all.iter().map(line).collect()
    }

    /// Switches to the process with this number.
    pub(super) fn switch_to(&mut self, number: usize) -> Result<(), CommandError> {
        if number == self.processes.shown() {
            self.show_again();
            return Ok(());
        }
        let Some(process) = self.processes.at(number) else {
            return Err(
                CommandError::new(format!("there is no process {number}")).help("'processes' lists them")
            );
        };
        let has_news = process.has_news;
        self.show_process(number);
        if self.shown.status == DebuggerState::Running && !has_news {
            // It can be looked at only where it stops. No other process is shown meanwhile.
            self.shown.link.send(Request::Pause);
            while self.shown.status == DebuggerState::Running
                && let Some(item) = self.shown.link.next()
            {
                self.take(item);
            }
            return Ok(());
        }
        self.show_again();
        Ok(())
    }
}

/// Attaches to a child process, and lets it run to its first stop.
fn begin(link: &SessionHandle) -> Result<(), Failure> {
    link.response(RequestId(0))?;
    link.ask(SetExceptionBreakpoints::new(vec![ExceptionSpec::UNCAUGHT]))?;
    link.ask(Start::default()).map(drop)
}

/// A child process, for the user: its program, arguments and process id.
fn name(child: &ChildProcess) -> String {
    let file = Path::new(&child.file).file_name().unwrap_or_default().to_string_lossy();
    let arguments: String = child.args.iter().map(|argument| format!(" {argument}")).collect();
    format!("{file}{arguments} ({})", child.pid)
}

fn announcement(process: &Process, stopped: &Stopped) -> String {
    let Process { number, name, .. } = process;
    let description = stopped.description.trim_end_matches('.');
    format!("Process {number}, {name}, has stopped: {description}. 'process {number}' shows it.")
}

/// The exit status, which is a byte.
pub(super) fn exit_status(exited: &Exited) -> u8 {
    exited.status.to_le_bytes().first().copied().unwrap_or(1)
}

impl Shown {
    /// A process that runs.
    pub fn new(link: SessionHandle, named: ProgramInfo, directory: PathBuf) -> Shown {
        Shown {
            link,
            sources: Sources::new(directory),
            marks: Marks::default(),
            named,
            arguments: Vec::new(),
            status: DebuggerState::Running,
            stop: None,
            seen: super::seen::Seen::default(),
            later: VecDeque::new(),
            ends_in_error: false,
            wants_input: false,
            listed: None,
            continued: None,
            printed: super::printed::PrintedLines::default(),
            repetition: None,
            displays: HashSet::default(),
            display_radix: HashMap::default(),
            cause: None,
            is_led: false,
            changed_by: None,
        }
    }
}
