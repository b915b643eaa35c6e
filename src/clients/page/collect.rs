//! Steps through a program and records the state at each stop.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Options;
use super::cells::{Cell, Following, Object, cell, key};
use super::data::{Error, Seen, Trace, Variable};
use super::offsets::Offsets;
use super::parts::parts;
use super::paths::Base;
use super::windows::{MAX_COMPARED, Windows};
use crate::clients::past::Past;
use crate::clients::subject::CaseTexts;
use crate::protocol::{Sender, SessionHandle};
use ez_engine::api::{
    Children, Event, ExceptionSpec, Exited, Failure, FailureKind, Frame, GetChildren, GetSource,
    GetStackTrace, GetVariables, Handle, Launch, Limits, Question, Request, Resume, Scope, SessionRequest,
    SetExceptionBreakpoints, StackTrace, Start, StopReason, Stopped, Value,
};
use ez_engine::session::Item;
use ez_runtime::platform::{end_as_by_signal, on_interrupt, text_of, unify_line_end};
use ez_runtime::threads;
use ez_runtime::value::Stream;

/// Limits for a value that is shown in place.
const CELL: Limits = Limits { parts: 10, bytes: 200 };

/// Limits for the value of a part of a statement.
const PART: Limits = Limits { parts: 8, bytes: 60 };

/// Limits for a value that is not used.
const NOTHING: Limits = Limits { parts: 0, bytes: 0 };

/// Maximum number of frames in a step; the outermost is always among them.
const MAX_FRAMES: usize = 30;

/// Maximum number of objects in a step.
const MAX_OBJECTS: usize = 200;

/// Steps through a program.
pub struct Collector {
    link: SessionHandle,
    most_steps: usize,
    base: Base,
    /// The files, by path.
    files: HashMap<PathBuf, File>,
    /// For each statement at which there is a step: its position in the history, and the index of the step.
    places: Vec<(u64, usize)>,
    /// Where the parts of statements in progress are that were added at an error, by the positions of these: the step,
    /// and the index there.
    unfinished: HashMap<u64, (usize, usize)>,
    /// Which parts of long arrays and maps are shown.
    windows: Windows,
    /// Whether the user has pressed Ctrl+C, or the time is over.
    interrupted: Arc<AtomicBool>,
    /// Whether the time is over.
    timed_out: Arc<AtomicBool>,
}

/// A file of the program.
struct File {
    number: usize,
    text: Rc<str>,
    offsets: Rc<Offsets>,
}

impl Collector {
    /// A collector of at most this many steps. `abandon` is called if the user wants the process to end at
    /// once.
    pub fn new(
        link: SessionHandle,
        base: Base,
        most_steps: usize,
        abandon: impl Fn() + Send + 'static,
    ) -> Collector {
        let interrupted = Arc::<AtomicBool>::default();
        end_at_interrupt(link.sender(), interrupted.clone(), abandon);
        Collector {
            link,
            most_steps,
            base,
            files: HashMap::new(),
            places: Vec::new(),
            unfinished: HashMap::new(),
            windows: Windows::default(),
            interrupted,
            timed_out: Arc::default(),
        }
    }

    /// Runs the program to its end, or until the maximum number of steps. `case`: what it reads, and is expected to print.
    ///
    /// # Errors
    /// A message if it could not be started, or the interpreter failed.
    pub fn run(&mut self, options: &Options, case: Option<&CaseTexts>) -> Result<Trace, String> {
        let mut trace = Trace::new(&self.base.program()).map_err(|error| error.to_string())?;
        if let Some(text) = case.and_then(|case| case.output.as_ref()) {
            trace.expect(text);
        }
        self.start(options, case).map_err(|failure| failure.message)?;
        loop {
            match self.next_event(&mut trace) {
                Some(Event::Stopped(stopped)) => {
                    self.computed(&stopped, &mut trace).map_err(|failure| failure.message)?;
                    if trace.stops() > 0 && stopped.step > self.most_steps as u64 {
                        trace.end(cut(self.most_steps, trace.is_as_expected()));
                        return Ok(trace);
                    }
                    if let Err(failure) = self.stop(&stopped, &mut trace)
                        && !self.interrupted.load(Ordering::Relaxed)
                    {
                        return Err(failure.message);
                    }
                }
                Some(Event::Exited(exited)) => {
                    trace.end(match self.interrupted.load(Ordering::Relaxed) {
                        true if self.timed_out.load(Ordering::Relaxed) => {
                            "The time set with --time is over: the program was ended here.".into()
                        }
                        true => "The program was interrupted here.".into(),
                        false => ended(&exited),
                    });
                    return Ok(trace);
                }
                Some(Event::InputRequested(_)) => self.give_input(),
                Some(Event::Failed(message)) => return Err(message),
                None | Some(Event::Terminated) => return Err(self.link.is_gone().message),
                Some(
                    Event::CellEnded(_)
                    | Event::WrongCondition(_)
                    | Event::BreakpointsChanged { .. }
                    | Event::Log(_)
                    | Event::Progress(_)
                    | Event::Company(_)
                    | Event::ChildStarted(_)
                    | Event::ChildEnded(_)
                    | Event::WatchChanged(_),
                ) => {}
            }
        }
    }

    /// Makes the program end after this time, as Ctrl+C does.
    ///
    /// # Errors
    /// If no thread can be created.
    pub fn end_after(&self, limit: Duration) -> io::Result<()> {
        let (sender, timed_out, interrupted) =
            (self.link.sender(), self.timed_out.clone(), self.interrupted.clone());
        // The thread ends with the process.
        threads::spawn("time limit", move || {
            std::thread::sleep(limit);
            timed_out.store(true, Ordering::Relaxed);
            interrupted.store(true, Ordering::Relaxed);
            sender.send(Request::Kill);
        })
        .map(drop)
    }

    /// Ends the session.
    pub fn finish(&mut self) {
        self.link.send(Request::Terminate);
        while self.link.next().is_some() {}
    }

    fn start(&mut self, options: &Options, case: Option<&CaseTexts>) -> Result<(), Failure> {
        let launch = Launch {
            args: case.map_or_else(|| options.arguments.clone(), |case| case.arguments.clone()),
            stop_on_entry: Some(true),
            keep_alive: true,
            // With a history, the program stops before its end, where its last effects are visible.
            history: true,
            limits: NOTHING,
            observe: Some(PART),
            expected: case.map(CaseTexts::expected),
            ..options.program.launch(options.deny.clone(), options.memory)
        };
        self.link.ask(launch)?;
        self.link.ask(SetExceptionBreakpoints::new(vec![ExceptionSpec::UNCAUGHT]))?;
        if let Some(case) = case {
            self.link.send(case.given().into_request());
        }
        self.link.ask(Start::default()).map(drop)
    }

    /// Waits for the next event; output before it is recorded.
    fn next_event(&mut self, trace: &mut Trace) -> Option<Event> {
        loop {
            match self.link.next()? {
                Item::Event(event) => return Some(event),
                Item::Output { source, text } => print(source.stream, &text, trace),
                Item::Response(..) | Item::Reply(_) => {}
            }
        }
    }

    /// Provides a line of this process's input to the program. The wait can be interrupted.
    fn give_input(&self) {
        let sender = self.link.sender();
        let read = move || {
            let mut line = Vec::new();
            let read = io::stdin().lock().read_until(b'\n', &mut line);
            unify_line_end(&mut line);
            sender.send(match read {
                Ok(count) if count > 0 => {
                    let text = String::from_utf8_lossy(&line);
                    let text = text.strip_suffix('\n').unwrap_or(&text);
                    Request::Session(SessionRequest::Input { text: Some(text.into()), eof: false })
                }
                _ => Request::Session(SessionRequest::Input { text: None, eof: true }),
            });
        };
        if threads::spawn("input", read).is_err() {
            self.link.send(Request::Session(SessionRequest::Input { text: None, eof: true }));
        }
    }

    /// Records a stop, and resumes the program.
    fn stop(&mut self, stopped: &Stopped, trace: &mut Trace) -> Result<(), Failure> {
        let (frames, hidden) = self.frames()?;
        let mut following = Following::default();
        let mut shown = Vec::new();
        let mut globals = BTreeMap::new();
        for frame in &frames {
            let file = self.file(&frame.location.path, trace)?;
            let question = GetVariables { frame: frame.index, scope: None, limits: CELL };
            let variables = self.link.ask(question)?;
            let (global, local): (Vec<_>, Vec<_>) =
                variables.into_iter().partition(|variable| variable.scope == Scope::Global);
            let mut cells = |variables: Vec<ez_engine::api::Variable>| -> Vec<Variable> {
                let rows = variables.into_iter().map(|variable| {
                    let ty = variable.held.declared_type.to_string();
                    Variable(variable.name.into(), following.cell(&variable.held), ty)
                });
                rows.collect()
            };
            if !global.is_empty() {
                globals.insert(file, cells(global));
            }
            shown.push((frame.function.clone(), file, frame.location.line, cells(local)));
        }
        let returned = stopped
            .returned
            .as_ref()
            .map(|returned| (returned.function.clone(), following.cell(&returned.value)));
        self.follow(&mut following, trace)?;
        if hidden > 0 {
            trace.note("Of very deep calls, the outermost and the innermost 29 are shown.");
        }
        let (location, begin, end) = match frames.last() {
            Some(frame) => (&stopped.location, frame.begin, frame.end),
            None => return Ok(()),
        };
        let file = self.file(&location.path, trace)?;
        let error = stopped.raised.as_ref().map(|raised| Error {
            code: raised.code.clone(),
            message: raised.message.clone(),
            help: raised.help.clone(),
        });
        let column = if begin.line == location.line { begin.column } else { location.column };
        let seen = Seen {
            step: stopped.step,
            at: (file, location.line, column, end.line, end.column),
            text: stopped.description.clone(),
            frames: shown,
            hidden,
            globals,
            objects: following.objects,
            more: following.more,
            returned,
            error,
        };
        trace.add(seen).map_err(failed)?;
        self.difference(stopped, trace)?;
        let is_new = self.places.last().is_none_or(|(last, _)| *last < stopped.step);
        let is_place = !matches!(stopped.reason, StopReason::End | StopReason::Exception);
        if stopped.returned.is_none() && is_place && is_new {
            self.places.push((stopped.step, trace.stops() - 1));
        }
        let after_return = stopped.moment.is_some_and(|moment| moment.after_return);
        let how = match stopped.reason {
            StopReason::End => Resume::Continue,
            // The end, where a difference is told instead of it.
            StopReason::Output if !is_new && !after_return => Resume::Continue,
            // An error in a call that was registered by `ensure` does not end the program.
            _ => Resume::StepInto,
        };
        self.link.ask(how).map(drop)
    }

    /// Records where the program has printed something else than is expected.
    fn difference(&mut self, stopped: &Stopped, trace: &mut Trace) -> Result<(), Failure> {
        let Some(difference) = stopped.difference.as_ref().filter(|_| stopped.reason == StopReason::Output)
        else {
            return Ok(());
        };
        let step = match &difference.written {
            Some(written) if written.step.is_none() => {
                let found = self.link.printed_by(difference.offset);
                Some(found.map_err(|why| Failure::new(FailureKind::Internal, why))?.step)
            }
            written => written.as_ref().and_then(|written| written.step),
        };
        trace.differs(difference, step);
        Ok(())
    }

    /// The frames to show, outermost first, and the number of frames left out after the first.
    fn frames(&self) -> Result<(Vec<Frame>, usize), Failure> {
        let (mut frames, total) = self.some_frames(0, MAX_FRAMES)?;
        let hidden = total.saturating_sub(frames.len());
        if hidden > 0 {
            frames.pop();
            frames.extend(self.some_frames(total - 1, 1)?.0);
        }
        frames.reverse();
        Ok((frames, hidden))
    }

    fn some_frames(&self, start: usize, count: usize) -> Result<(Vec<Frame>, usize), Failure> {
        let StackTrace { frames, total } = self.link.ask(GetStackTrace { start, count })?;
        Ok((frames, total))
    }

    /// The number of a file; a new file is added with its text.
    fn file(&mut self, path: &Path, trace: &mut Trace) -> Result<usize, Failure> {
        if let Some(file) = self.files.get(path) {
            return Ok(file.number);
        }
        let text = self.link.ask(GetSource { file: text_of(path.as_os_str()) })?.text;
        let offsets = Rc::new(Offsets::of(&text));
        let number = trace.add_file(self.base.name(path), text.clone());
        self.files.insert(path.to_path_buf(), File { number, text: text.into(), offsets });
        Ok(number)
    }

    /// Adds what statements have computed to the steps at which they began.
    fn computed(&mut self, stopped: &Stopped, trace: &mut Trace) -> Result<(), Failure> {
        for unfolded in &stopped.computed {
            // What comes before the first step is not shown.
            let before = self.places.partition_point(|(step, _)| *step <= unfolded.step);
            let Some((_, step)) = before.checked_sub(1).and_then(|last| self.places.get(last)).copied()
            else {
                continue;
            };
            let path = &unfolded.location.path;
            self.file(path, trace)?;
            let Some(File { number, text, offsets }) = self.files.get(path) else { continue };
            let parts = parts(unfolded, *number, text, offsets);
            let step_of = |position: u64| {
                let next = self.places.partition_point(|(step, _)| *step < position);
                self.places.get(next).map(|(_, step)| *step)
            };
            let replaced = self.unfinished.remove(&unfolded.step).filter(|(known, _)| *known == step);
            let replaced = replaced.map(|(_, index)| index);
            let index = trace.add_parts(step, parts, replaced, step_of).map_err(failed)?;
            if stopped.reason == StopReason::Exception {
                self.unfinished.insert(unfolded.step, (step, index));
            }
            if unfolded.truncated {
                trace.note("Of what a statement computes, 2,000 parts are shown.");
            }
        }
        Ok(())
    }

    /// Describes the objects found, and those reachable from them.
    fn follow(&mut self, following: &mut Following, trace: &mut Trace) -> Result<(), Failure> {
        while let Some((held, id)) = following.queue.pop_front() {
            if following.objects.len() == MAX_OBJECTS {
                following.more = true;
                trace.note("Of very many objects, the 200 nearest to the variables are drawn.");
                return Ok(());
            }
            let Children { children, total } = match held.handle {
                Some(handle) => self.children(handle)?,
                None => Children { children: Vec::new(), total: held.children },
            };
            let all: Vec<Cell> = children.iter().map(|child| cell(&child.held)).collect();
            let (start, last) = self.windows.of(id, &all, total);
            let shown = Windows::range(&children, start);
            let parts: Vec<Cell> = shown.iter().map(|child| following.cell(&child.held)).collect();
            let (kind, name) = match &held.value {
                Value::Array { .. } => ("array", String::new()),
                Value::Map { .. } => ("map", String::new()),
                Value::Struct { name, .. } => ("struct", name.to_string()),
                _ => ("object", String::new()),
            };
            let keys = (kind != "array").then(|| shown.iter().map(|child| key(&child.name)).collect());
            if parts.len() < total {
                trace.note("Of long arrays and maps, 60 parts are shown: those around the last change.");
            }
            let ty = held.declared_type.to_string();
            following.objects.push(Object { id, kind, name, ty, total, start, last, parts, keys });
        }
        Ok(())
    }

    fn children(&self, handle: Handle) -> Result<Children, Failure> {
        self.link.ask(GetChildren { handle, start: 0, count: MAX_COMPARED, limits: CELL })
    }
}

fn failed(error: serde_json::Error) -> Failure {
    Failure::new(FailureKind::Internal, error.to_string())
}

/// Records the program's output, and passes it on.
fn print(stream: Stream, text: &str, trace: &mut Trace) {
    trace.print(stream == Stream::Stderr, text);
    let _ = match stream {
        Stream::Stdout => io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()),
        Stream::Stderr => io::stderr().write_all(text.as_bytes()),
    };
}

fn cut(steps: usize, is_as_expected: bool) -> String {
    let expected = if is_as_expected { " So far, it has printed what is expected (--steps)." } else { "" };
    format!("The page ends here, after {steps} steps; the program goes on.{expected}")
}

fn ended(exited: &Exited) -> String {
    match &exited.error {
        Some(error) => format!("The program has ended with the error {}.", error.code.as_str()),
        None => format!("The program has ended with the status {}.", exited.status),
    }
}

/// The signal number of Ctrl+C.
const INTERRUPT: i32 = 2;

/// Makes Ctrl+C end the program, so that the page shows it up to there; the second one ends the process.
fn end_at_interrupt(sender: Sender, interrupted: Arc<AtomicBool>, abandon: impl Fn() + Send + 'static) {
    // If this fails, Ctrl+C ends the process.
    let _ = on_interrupt(move || {
        if interrupted.swap(true, Ordering::Relaxed) {
            abandon();
            end_as_by_signal(INTERRUPT);
        }
        sender.send(Request::Kill);
    });
}
