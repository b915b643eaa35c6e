//! Several clients at one session: what the others do is shown while the prompt waits.

use std::time::Duration;

use ez_engine::api::{
    Attached, Breakpoint, BreakpointLocation, ChangeReason, Company, Disconnect, Event, Failure, Guest,
    Question, Request, Role, Status, Stopped, Watch,
};
use ez_engine::session::Item;
use ez_runtime::clock::Instant;
use ez_runtime::visible::{indented, quoted, visible_line};

use super::command_error::CommandError;
use super::commands::breakpoints::{numbered, what_it_does};
use super::commands::values::never_right;
use super::debugger::{DebuggerState, TerminalDebugger};
use super::lines::{Line, Prompt};
use super::printed::PrintedLines;
use super::stops::{sentence, step};
use super::table::{self, When};

/// How long a session may take to answer a guest that leaves.
const LEAVING: Duration = Duration::from_secs(2);

/// What this debugger is in a session that it shares with others.
#[derive(Default)]
pub(super) enum Part {
    /// The session is not shared.
    #[default]
    Alone,
    /// The owner of a session that is shared, with this name for the others.
    Owner(String),
    Guest(Guest),
}

/// Who has made the program run that does not run because of a command of this debugger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Nobody: there is none, or it could not be loaded.
    NotLoaded,
    /// Nobody: it is not started.
    NotStarted,
    /// It ran before this debugger came.
    Before,
    /// A client with this name.
    Client(String),
}

impl TerminalDebugger {
    /// Whether others may use the session.
    pub(super) fn is_shared(&self) -> bool {
        !matches!(self.part, Part::Alone)
    }

    pub(super) fn is_guest(&self) -> bool {
        matches!(self.part, Part::Guest(_))
    }

    pub(super) fn is_observer(&self) -> bool {
        matches!(self.part, Part::Guest(Guest { role: Role::Observer, .. }))
    }

    /// What this client can do when the program has ended, as help.
    pub(super) fn how_it_starts_again(&self) -> &'static str {
        if self.is_observer() {
            "if another client starts it again, that is shown"
        } else {
            "'restart' starts it again"
        }
    }

    /// A client's name, unless it is this one.
    pub(super) fn other<'a>(&self, name: Option<&'a str>) -> Option<&'a str> {
        let own = match &self.part {
            Part::Alone => None,
            Part::Owner(name) => Some(name.as_str()),
            Part::Guest(guest) => Some(guest.name.as_str()),
        };
        name.filter(|name| Some(*name) != own)
    }

    /// Joins the session: shows where the program is.
    pub(super) fn join(&mut self, attached: Attached) {
        let Attached { state, stop, guest, .. } = attached;
        let role = guest.as_ref().map(|guest| format!(" as {} ({})", quoted(&guest.name), guest.role.name()));
        let file = visible_line(&self.shown.named.file);
        let text = format!("Joined the session of {file}{}.", role.unwrap_or_default());
        self.console.say(&text);
        if let Some(guest) = guest {
            self.part = Part::Guest(guest);
        }
        match (state.status, stop) {
            (_, Some(stop)) => {
                self.shown.printed =
                    PrintedLines::begin_at(stop.moment.map_or(0, |moment| moment.output_length));
                self.event(Event::Stopped(stop));
            }
            (Status::NotInitialized, None) => {
                self.console.say("No program is loaded.");
                self.shown.cause = Some(Cause::NotLoaded);
            }
            (Status::Ready, None) => {
                self.console.say("The program is not started.");
                self.shown.cause = Some(Cause::NotStarted);
            }
            (Status::Running | Status::Stopped, None) => {
                self.console.say("The program runs.");
                self.shown.cause = Some(Cause::Before);
            }
            // An event tells that.
            (Status::Exited, None) => {}
        }
    }

    /// Leaves the session, which goes on.
    pub(super) fn leave(&mut self) {
        let link = self.shown.link.clone();
        let id = link.send(Disconnect { resume: false }.into_request());
        let deadline = Some(Instant::now() + LEAVING);
        while let Ok(item) = link.next_until(deadline) {
            if let Item::Output { source, text } = item {
                self.console.output(source.stream, &text);
            } else if matches!(item, Item::Response(of, _) if of == id) {
                break;
            }
        }
    }

    /// The session is not there any more.
    pub(super) fn lost(&mut self) {
        if self.is_guest() {
            let why = self.shown.link.is_gone().message;
            self.console.print_error(&indented(&why));
        }
        self.quit(1);
    }

    /// Prints why a command has failed; not if the session has gone, which is told as such.
    pub(super) fn complain(&mut self, complaint: &CommandError) {
        if !(self.is_guest() && self.shown.link.is_lost()) {
            self.console.print_error(&complaint.text());
        }
    }

    /// Handles what has come, without waiting for more.
    pub(super) fn catch_up(&mut self) {
        while !matches!(self.shown.status, DebuggerState::Over(_)) {
            self.look_at_others();
            if let Some(event) = self.shown.later.pop_front() {
                self.event(event);
            } else if self.lines.has_queue() {
                // Those of a breakpoint that was hit.
                if let Some(Line::Command(line)) = self.lines.at_once(Prompt::Command, &mut self.console) {
                    self.execute(&line);
                }
            } else if let Some(item) = self.shown.link.try_next() {
                self.take(item);
            } else {
                break;
            }
        }
    }

    /// Shows what others do until the condition is true. Returns whether it is: if not, the debugger is to end.
    pub(super) fn show_others_until(
        &mut self,
        mut is_over: impl FnMut(&mut TerminalDebugger) -> bool,
    ) -> bool {
        loop {
            self.catch_up();
            match self.shown.status {
                DebuggerState::Over(_) => return false,
                DebuggerState::Ended(_) if !self.lines.is_terminal() && !self.is_guest() => return false,
                DebuggerState::Running
                | DebuggerState::Input
                | DebuggerState::Stopped
                | DebuggerState::Ended(_) => {}
            }
            if is_over(self) {
                return true;
            }
            self.console.flush();
            if self.shown.link.wait().is_none() {
                self.lost();
            }
        }
    }

    /// A command from a pipe that needs a stop waits for it, if somebody else lets the program run.
    pub(super) fn wait_until_possible(&mut self, line: &str) -> bool {
        let word = line.split_whitespace().next().unwrap_or("#");
        let is_possible =
            word.starts_with('#') || table::find(word).is_some_and(|row| row.when == When::Always);
        let runs = |debugger: &TerminalDebugger| debugger.shown.status == DebuggerState::Running;
        is_possible || !runs(self) || self.show_others_until(|debugger| !runs(debugger))
    }

    /// Why a command that needs a stop is not possible while the program runs.
    pub(super) fn still_runs(&self, what: &str) -> CommandError {
        let (why, runs) = match &self.shown.cause {
            Some(Cause::NotLoaded) => ("none is loaded".to_string(), false),
            Some(Cause::NotStarted) => ("it is not started".to_string(), false),
            Some(Cause::Client(name)) => (format!("{} has let it go on", quoted(name)), true),
            Some(Cause::Before) | None => ("it runs".to_string(), true),
        };
        let what = CommandError::new(format!("{what} needs a program that is stopped, and {why}"));
        if runs && !self.is_observer() { what.help("Ctrl+C stops a program that runs") } else { what }
    }

    /// Ctrl+C at the prompt while the program runs or waits for input. The next prompt is that of the stop.
    pub(super) fn pause_for_user(&mut self) {
        let id = self.shown.link.send(Request::Pause);
        match self.shown.link.response(id) {
            Ok(_) => {
                self.shown.cause = None;
                self.set_status(DebuggerState::Running);
            }
            Err(Failure { message, .. }) => self.console.print_error(&message),
        }
    }

    /// What others have done before a request that resumed the program: it is shown, and is over.
    pub(super) fn pass_by(&mut self) {
        if !self.is_shared() {
            return;
        }
        for event in std::mem::take(&mut self.shown.later) {
            if let Event::Stopped(stopped) = &event {
                let headline = self.headline(stopped);
                self.console.say(&headline);
            } else if let Event::Company(Company::Resumed(name)) = &event {
                self.console.say(&format!("{} continued.", quoted(name)));
            } else if let Event::Company(Company::Restarted(name)) = &event {
                self.console.say(&format!("{} restarted the program.", quoted(name)));
            } else if !matches!(event, Event::InputRequested(_)) {
                self.event(event);
            }
        }
    }

    /// Why and where the program has stopped, in a line, with the name of the client that is behind it.
    pub(super) fn headline(&self, stopped: &Stopped) -> String {
        let mut text = sentence(stopped);
        if let Some(name) = self.other(stopped.by.as_deref()) {
            let end = if text.ends_with('.') { text.pop() } else { None };
            text.push_str(&format!(" ({})", quoted(name)));
            text.extend(end);
        }
        text + &step(stopped)
    }

    /// Another client has done something.
    pub(super) fn company(&mut self, company: Company) {
        match company {
            Company::Joined(guest) => {
                self.console.say(&format!(
                    "{} has joined as {}.",
                    quoted(&guest.name),
                    with_article(guest.role)
                ));
            }
            Company::Left(guest) => self.console.say(&format!("{} has left.", quoted(&guest.name))),
            Company::Resumed(name) => {
                self.goes_on_by(name.clone());
                self.console.say(&format!("{} continued.", quoted(&name)));
            }
            Company::Restarted(name) => {
                // Its files may be others.
                self.shown.sources.clear();
                self.goes_on_by(name.clone());
                self.console.say(&format!("{} restarted the program.", quoted(&name)));
            }
            Company::Changed(name) => {
                // Evaluations come in great number.
                if self.shown.changed_by.replace(name.clone()).as_ref() != Some(&name) {
                    self.console.say(&format!("{} may have changed values.", quoted(&name)));
                }
            }
            Company::Dismissed(why) => {
                self.console.print_error(&why.to_string());
                self.quit(1);
            }
        }
    }

    /// Another client lets the program run.
    fn goes_on_by(&mut self, name: String) {
        self.shown.repetition = None;
        self.goes_on();
        self.shown.cause = Some(Cause::Client(name));
    }

    /// Another client has set, changed or removed a breakpoint.
    pub(super) fn breakpoint_by(&mut self, breakpoint: &Breakpoint, reason: ChangeReason, name: &str) {
        let (numbered, name) = (numbered(breakpoint).to_lowercase(), quoted(name));
        if reason == ChangeReason::Removed {
            self.shown.marks.forget(breakpoint.id);
            return self.console.say(&format!("{name} removed {numbered}."));
        }
        let sources = &self.shown.sources;
        let place = match (&breakpoint.place, &breakpoint.location) {
            (BreakpointLocation::Data { description }, _) => format!(" on {}", quoted(description)),
            (BreakpointLocation::Function { name }, _) => format!(" at {}", quoted(name)),
            (BreakpointLocation::Line { .. }, Some(at)) => format!(" at {}", sources.place(at)),
            (BreakpointLocation::Line { file, place, .. }, None) => {
                format!(" at {}:{}", sources.shown(file.as_ref()), place.line)
            }
        };
        let what = if reason == ChangeReason::New { "set" } else { "changed" };
        let muted = if breakpoint.options.enabled { "" } else { ", disabled" };
        let does = what_it_does(&breakpoint.options);
        self.console.say(&format!("{name} {what} {numbered}{place}{does}{muted}."));
    }

    /// The value of a display has changed, which is shown at each stop, or another client has added one.
    pub(super) fn watch_changed(&mut self, watch: &Watch) {
        let is_new = self.shown.displays.insert(watch.id);
        let is_wrong = matches!(&watch.shown, Some(Err(failure)) if never_right(failure));
        if is_new && self.is_shared() && !is_wrong {
            let text = self.display(watch);
            self.console.say(&text);
        }
    }

    /// Whether the program was resumed again before its stop could be shown.
    pub(super) fn was_resumed(&self) -> bool {
        let resumes = |event: &Event| {
            matches!(event, Event::Company(Company::Resumed(_) | Company::Restarted(_)) | Event::Exited(_))
        };
        self.is_shared() && self.shown.later.iter().any(resumes)
    }
}

fn with_article(role: Role) -> &'static str {
    match role {
        Role::Participant => "a participant",
        Role::Observer => "an observer",
    }
}
