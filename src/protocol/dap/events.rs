//! Events of the session, translated to the Debug Adapter Protocol.

use serde_json::json;

use crate::protocol::Messages;
use crate::protocol::expected_output::both_lines;
use ez_engine::api::{ChangeReason, Event, Exited, Progress, Status, StopReason, Stopped};

use super::breakpoints::WireBreakpoint;
use super::expected_output::exception;
use super::wire;
use super::{DapFrontEnd, Stop, THREAD};

/// Text shown when the program waits for input.
const WAITS: &str = "The program waits for input: enter it here.\n";

/// The moves through the history whose progress is reported.
#[derive(Default)]
pub(super) struct Journeys {
    is_under_way: bool,
    /// How many have begun.
    count: u64,
}

impl Journeys {
    /// The `progressId` of the one that is under way.
    pub fn under_way(&self) -> Option<String> {
        self.is_under_way.then(|| format!("journey {}", self.count))
    }
}

impl DapFrontEnd {
    pub(super) fn tell(&mut self, event: &Event, out: &mut Messages) {
        if self.is_over && *event != Event::Terminated {
            return;
        }
        match event {
            // The old run stopped before the restart could end it. A request that followed would wait until the
            // new one stops.
            Event::Stopped(_) if self.is_restarting() => {}
            Event::Stopped(stopped) => self.stopped(stopped, out),
            Event::WrongCondition(breakpoint) => {
                let shown = WireBreakpoint::new(breakpoint, &self.client(), false);
                self.numbering.event(out, "breakpoint", json!({"reason": "changed", "breakpoint": shown}));
            }
            Event::BreakpointsChanged { changes, by } => {
                for (breakpoint, reason) in changes {
                    self.breakpoint_changed(breakpoint, *reason, by.as_deref(), out);
                    if *reason == ChangeReason::Removed {
                        self.data.forget(breakpoint.id);
                    }
                }
            }
            Event::Log(text) => self.numbering.output(out, "console", text),
            Event::ChildStarted(process) => self.child_started(process, out),
            // Its session tells its end.
            Event::ChildEnded(_) => {}
            // Clients evaluate their watches themselves.
            Event::WatchChanged(_) => {}
            Event::Progress(progress) => self.progress(progress, out),
            Event::Company(company) => self.company(company, out),
            Event::InputRequested(reader) => {
                self.waits_for_input = true;
                let mut body =
                    reader.as_ref().map(|reader| self.client().placed(&reader.location)).unwrap_or_default();
                body.insert("category".into(), "console".into());
                body.insert("output".into(), WAITS.into());
                self.numbering.event(out, "output", body);
            }
            Event::CellEnded(_) => self.cell_ended(out),
            Event::Exited(exited) => self.exited(exited, out),
            Event::Failed(message) => self.numbering.output(out, "stderr", &format!("{message}\n")),
            Event::Terminated => {
                if self.phase == Status::NotInitialized || self.is_over {
                    (self.phase, self.is_over) = (Status::Exited, true);
                } else {
                    self.end(out);
                }
                if let Some(from) = self.disconnecting.take() {
                    self.numbering.success(out, &from, None::<()>);
                    self.come_home();
                }
            }
        }
    }

    /// Reports the progress of a move through the history, if the client supports that.
    fn progress(&mut self, progress: &Progress, out: &mut Messages) {
        if !self.client().shows_progress {
            return;
        }
        let Progress { title, percentage, is_over } = progress;
        let begins = !self.journeys.is_under_way;
        self.journeys.count += u64::from(begins);
        self.journeys.is_under_way = true;
        let id = self.journeys.under_way();
        if begins {
            let body =
                json!({"progressId": id, "title": title, "percentage": percentage, "cancellable": true});
            self.numbering.event(out, "progressStart", body);
        } else if !is_over {
            let body = json!({"progressId": id, "percentage": percentage});
            self.numbering.event(out, "progressUpdate", body);
        }
        if *is_over {
            self.numbering.event(out, "progressEnd", json!({ "progressId": id }));
            self.journeys.is_under_way = false;
        }
    }

    pub(super) fn stopped(&mut self, stopped: &Stopped, out: &mut Messages) {
        self.phase = Status::Stopped;
        // A program that is paused while it waits for input continues to wait, without a new event.
        self.waits_for_input &= stopped.reason == StopReason::Pause;
        self.references.clear();
        let raised = stopped.raised.clone();
        let number = self.stop.number + 1;
        let lines = stopped.difference.as_deref().map(both_lines);
        let text = stopped.text.as_ref().or(raised.as_ref().map(|raised| &raised.message)).or(lines.as_ref());
        let numbers = self.client().numbers;
        let body = wire::Stopped {
            reason: reason(stopped.reason),
            description: &stopped.description,
            thread_id: THREAD,
            all_threads_stopped: true,
            text: text.filter(|text| **text != stopped.description).map(String::as_str),
            hit_breakpoint_ids: stopped.breakpoints.iter().map(|id| numbers.of(*id)).collect(),
        };
        self.numbering.event(out, "stopped", body);
        let difference = stopped.difference.as_ref().filter(|_| stopped.reason == StopReason::Output);
        let output = difference.map(|difference| exception(difference, &stopped.description));
        self.stop = Stop { number, returned: stopped.returned.clone(), raised, output };
    }

    fn exited(&mut self, exited: &Exited, out: &mut Messages) {
        // The program ended before the restart could end it: what follows concerns the new run.
        if self.is_restarting() {
            return;
        }
        if let Some(problem) = &exited.error {
            self.problems(std::slice::from_ref(problem), out);
        }
        self.numbering.event(out, "exited", json!({"exitCode": exited.status}));
        if self.part.is_guest() {
            return self.has_no_program("The program has ended", out);
        }
        self.end(out);
    }
}

fn reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::RunTo => "goto",
        // Editors ask for `exceptionInfo`, and show it, for this reason only.
        StopReason::Output => "exception",
        other => other.name(),
    }
}
