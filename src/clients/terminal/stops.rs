//! Shows stops and the end of the program.

use crate::protocol::expected_output::both_lines;
use crate::protocol::value_text::whole_text;
use ez_engine::api::{
    Breakpoint, BreakpointLocation, CellEnded, ChangeReason, Event, ExceptionFilter, Exited, Frame, Limits,
    Progress, Raised, RemoveBreakpoint, Resume, Returned, StopReason, Stopped,
};
use ez_runtime::visible::{indented, quoted};

use super::commands::why;
use super::debugger::{DebuggedCell, DebuggerState, TerminalDebugger};
use super::look::Role;
use super::printed::PrintedLines;
use super::processes::exit_status;

pub(super) struct PresentStop {
    pub stopped: Stopped,
    /// The selected frame.
    pub frame: Frame,
}

impl TerminalDebugger {
    /// Handles an event.
    pub(super) fn event(&mut self, event: Event) {
        match event {
            Event::Stopped(stopped) if self.steps_into_cell(&stopped) => {}
            Event::Stopped(stopped) => self.stopped(*stopped),
            Event::CellEnded(ended) => self.cell_ended(*ended),
            Event::Exited(exited) => self.exited(&exited),
            // Child processes are the owner's.
            Event::ChildStarted(_) if self.is_guest() => {}
            Event::ChildStarted(child) => self.child_started(&child),
            // Its own session tells its end.
            Event::ChildEnded(_) => {}
            Event::InputRequested(_) if self.is_observer() => {
                self.console.say("The program waits for input.")
            }
            Event::InputRequested(_) => {
                if self.lines.is_reading() {
                    self.console.say("The program waits for input: 'input TEXT' gives it a line.");
                }
                self.shown.wants_input = true;
                self.set_status(DebuggerState::Input);
            }
            Event::Log(text) => self.console.say(&indented(&text)),
            Event::WrongCondition(breakpoint) => self.breakpoint_changed(&breakpoint, false),
            Event::BreakpointsChanged { changes, by } => {
                for (breakpoint, reason) in changes {
                    match self.other(by.as_deref()) {
                        Some(name) => self.breakpoint_by(&breakpoint, reason, name),
                        None => self.breakpoint_changed(&breakpoint, reason == ChangeReason::Removed),
                    }
                }
            }
            Event::Failed(message) => self.console.print_error(&indented(&message)),
            Event::Progress(progress) => self.progress(&progress),
            Event::Company(company) => self.company(company),
            Event::WatchChanged(watch) => self.watch_changed(&watch),
            Event::Terminated
                if self.is_guest()
                    && let DebuggerState::Ended(status) = self.shown.status =>
            {
                self.quit(status);
            }
            Event::Terminated if self.is_guest() => {
                self.console.print_error("the owner has ended the session");
                self.quit(1);
            }
            Event::Terminated if self.shows_child() => self.set_status(DebuggerState::Ended(1)),
            Event::Terminated => self.set_status(DebuggerState::Over(1)),
        }
    }

    fn stopped(&mut self, mut stopped: Stopped) {
        if self.is_shared() && stopped.reason == StopReason::Entry {
            // Another client may have started the program again.
            self.shown.seen.clear();
            self.shown.printed =
                PrintedLines::begin_at(stopped.moment.map_or(0, |moment| moment.output_length));
        }
        // Back in the present, it is the stop that was told before.
        if !is_past(&stopped) && stopped.reason != StopReason::Present {
            let is_uncaught = |raised: &Raised| raised.filter == ExceptionFilter::Uncaught;
            self.shown.ends_in_error = stopped.raised.as_ref().is_some_and(is_uncaught);
        }
        self.shown.changed_by = None;
        self.shown.seen.stopped(stopped.frame_count);
        if self.repeat_after(&mut stopped) {
            return;
        }
        self.set_status(DebuggerState::Stopped);
        self.state_for_completion.stopped.set(true);
        self.state_for_completion.frame.set(0);
        self.shown.listed = None;
        let look = self.console.look();
        self.console.say(&look.paint(Role::Headline, &self.headline(&stopped)));
        if let Some(difference) = stopped.difference.as_ref().filter(|_| stopped.reason == StopReason::Output)
        {
            self.console.say(&format!("  {}", both_lines(difference).replace('\n', "\n  ")));
        }
        if let Some(help) = stopped.raised.as_ref().and_then(|raised| raised.help.clone()) {
            self.console.say(&format!("  = help: {}", indented(&help)));
        }
        match self.frame_at(0) {
            Ok(frame) => {
                self.show_frame(&frame);
                self.shown.stop = Some(PresentStop { stopped, frame });
            }
            // Another client lets it go on.
            Err(_) if self.was_resumed() => return,
            Err(complaint) => return self.complain(&complaint),
        }
        self.show_changed();
        if self.has_failed() && self.lines.is_terminal() {
            let next = if self.is_at_prompt() { "'quit' leads back" } else { "'restart' starts again" };
            self.console.say(&format!("'print', 'vars' and 'backtrace' show how it came about; {next}."));
        }
        self.show_displays();
        self.end_temporary();
        self.queue_commands();
        self.lead_to_difference();
    }

    /// Shows the progress of a move through the history.
    pub(super) fn progress(&mut self, progress: &Progress) {
        let Progress { title, percentage, is_over } = progress;
        let text = format!("{title}: {percentage} % (Ctrl+C ends it)");
        self.console.show_for_now(if *is_over { None } else { Some(&text) });
    }

    /// Shows what has changed since the last stop.
    fn show_changed(&mut self) {
        let Some(stop) = &self.shown.stop else { return };
        let (depth, look) = (stop.stopped.frame_count, self.console.look());
        if stop.stopped.reason == StopReason::Entry {
            // The initial values are not changes.
            for variable in self.variables(0, None, Limits::PREVIEW).unwrap_or_default() {
                self.shown.seen.note(&variable, depth);
            }
            return;
        }
        let changes =
            stop.stopped.changed.iter().map(|variable| self.shown.seen.note(variable, depth).line(look));
        let text: String = changes.collect();
        if !text.is_empty() {
            self.console.say(&text);
        }
    }

    fn show_displays(&mut self) {
        let text = self.displays().unwrap_or_default();
        if !text.is_empty() {
            self.console.say(&text);
        }
    }

    /// Removes the temporary breakpoints that were hit.
    fn end_temporary(&mut self) {
        let hit = self.shown.stop.as_ref().map(|stop| stop.stopped.breakpoints.clone()).unwrap_or_default();
        for id in hit {
            if self.shown.marks.temporary.remove(&id) {
                // The user may have removed it.
                let _ = self.ask(RemoveBreakpoint(id));
            }
        }
    }

    /// Queues the commands of the breakpoints that were hit.
    fn queue_commands(&mut self) {
        let hit = self.shown.stop.as_ref().map(|stop| stop.stopped.breakpoints.clone()).unwrap_or_default();
        for id in hit {
            let commands = self.shown.marks.commands.get(&id).cloned().unwrap_or_default();
            self.lines.queue(commands);
        }
    }

    /// At the first difference of a case: leads to its cause.
    fn lead_to_difference(&mut self) {
        let differs = |stop: &PresentStop| stop.stopped.reason == StopReason::Output;
        if self.shown.is_led && self.shown.stop.as_ref().is_some_and(differs) {
            self.shown.is_led = false;
            if let Err(complaint) = why::lead(self) {
                self.complain(&complaint);
            }
        }
    }

    /// At the first stop of a cell that is to be stepped into: does so.
    fn steps_into_cell(&mut self, stopped: &Stopped) -> bool {
        let DebuggedCell::Running { steps_into } = &mut self.cell else { return false };
        let goes_on = std::mem::take(steps_into) && stopped.reason == StopReason::Entry;
        goes_on && self.resume(Resume::StepInto).is_ok()
    }

    fn cell_ended(&mut self, ended: CellEnded) {
        self.shown.stop = None;
        self.shown.repetition = None;
        self.state_for_completion.stopped.set(false);
        self.shown.wants_input = false;
        self.lines.drop_queue();
        self.cell = DebuggedCell::Ended(ended.outcome);
    }

    fn exited(&mut self, exited: &Exited) {
        let status = exit_status(exited);
        self.set_status(DebuggerState::Ended(status));
        self.shown.stop = None;
        self.shown.repetition = None;
        self.state_for_completion.stopped.set(false);
        self.shown.wants_input = false;
        self.lines.drop_queue();
        let cause = exited.error.as_ref().map(|error| {
            let place = error.location.as_ref().map(|at| format!(" at {}", self.shown.sources.place(at)));
            format!(", by the error {}{}", error.code.as_str(), place.unwrap_or_default())
        });
        let look = self.console.look();
        let text = format!("The program has ended with status {status}{}.", cause.unwrap_or_default());
        self.console.say(&look.paint(Role::Headline, &text));
        if self.lines.is_terminal() && !self.shows_child() {
            self.console.say(match self.is_observer() {
                true => "'quit' leaves; if it is started again, that is shown.",
                false => "'restart' starts it again, 'quit' leaves.",
            });
        }
    }

    fn breakpoint_changed(&mut self, breakpoint: &Breakpoint, removed: bool) {
        let id = breakpoint.id;
        let why = breakpoint.message.as_ref().map(|why| format!(": {}", quoted(why))).unwrap_or_default();
        let what = match (&breakpoint.place, &breakpoint.location) {
            _ if removed => "is gone".to_string(),
            (BreakpointLocation::Data { description }, _) => format!("watches {}", quoted(description)),
            (_, Some(at)) if breakpoint.verified => format!("is at {}", self.shown.sources.place(at)),
            _ => "stops nowhere".to_string(),
        };
        if removed {
            self.shown.marks.forget(id);
        }
        let kind =
            if let BreakpointLocation::Data { .. } = breakpoint.place { "Watchpoint" } else { "Breakpoint" };
        self.console.say(&format!("{kind} {} {what}{why}.", id.0));
    }

    /// Whether the program is stopped at a run-time error.
    pub(super) fn has_failed(&self) -> bool {
        self.shown.ends_in_error && self.shown.stop.as_ref().is_some_and(|stop| !is_past(&stop.stopped))
    }

    /// The code of the error at which the program is stopped.
    pub fn code(&self) -> Option<String> {
        self.shown.stop.as_ref()?.stopped.raised.as_ref()?.code.clone()
    }

    /// The result of the function that has just returned.
    pub fn returned(&self) -> Option<&Returned> {
        self.shown.stop.as_ref()?.stopped.returned.as_ref()
    }
}

/// Whether a stop is in the past.
pub(super) fn is_past(stopped: &Stopped) -> bool {
    stopped.moment.is_some_and(|moment| moment.is_past)
}

/// The position of a stop in the history, if one is kept: `step 3 of 16`, `in step 3 of 3` for an error in it, `after
/// step 16 of 16` at the end.
pub(super) fn step(stopped: &Stopped) -> String {
    match stopped.moment {
        Some(moment) => {
            // A stop before a statement has the number of that statement's step.
            let place = match stopped.reason {
                StopReason::End => "after ",
                StopReason::Exception if stopped.raised.is_some() => "in ",
                _ => "",
            };
            format!(" ({place}step {} of {})", stopped.step, moment.present)
        }
        None => String::new(),
    }
}

/// Why the program stopped, as a sentence.
pub(super) fn sentence(stopped: &Stopped) -> String {
    let mut sentence = match (&stopped.raised, &stopped.returned) {
        (Some(raised), _) => {
            let what = match raised.filter {
                ExceptionFilter::Uncaught => "Run-time error",
                ExceptionFilter::ErrorValue => "An Error was created:",
            };
            let code = raised.code.as_ref().map(|code| format!(" {code}")).unwrap_or_default();
            let code = if raised.filter == ExceptionFilter::Uncaught { format!("{code}:") } else { code };
            format!("{what}{code} {}", indented(&raised.message))
        }
        (None, Some(returned)) => {
            format!("{} with {}", indented(&stopped.description), whole_text(&returned.value.value))
        }
        (None, None) => indented(&stopped.description),
    };
    // The description of a breakpoint has this text already.
    if let Some(text) = stopped.text.as_ref().filter(|text| !stopped.description.contains(*text)) {
        sentence.push_str(&format!(" ({})", indented(text)));
    }
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}
