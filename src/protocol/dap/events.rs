//! What the session tells, as the client is told it.

use serde_json::{Value, json};

use crate::api::{Event, Exited, Progress, StopReason, Stopped};
use crate::protocol::Messages;

use super::answers::Kind;
use super::breakpoints::WireBreakpoint;
use super::{DapFrontEnd, Phase, Stop, THREAD};

/// What a client is told when the program waits for input.
const WAITS: &str = "The program waits for input: enter it here.\n";

/// The name of a journey, for the client.
pub(super) fn progress_id(number: u64) -> String {
    format!("journey {number}")
}

impl DapFrontEnd {
    pub(super) fn tell(&mut self, event: &Event, out: &mut Messages) {
        if self.phase == Phase::Ended && *event != Event::Terminated {
            return;
        }
        match event {
            Event::Stopped(stopped) => self.stopped(stopped, out),
            Event::WrongCondition(breakpoint) => {
                let shown = WireBreakpoint::new(breakpoint, &self.client(), false);
                self.numbering.event(out, "breakpoint", json!({"reason": "changed", "breakpoint": shown}));
            }
            Event::BreakpointChanged { breakpoint, removed } => {
                let shown = WireBreakpoint::new(breakpoint, &self.client(), false);
                let reason = if *removed { "removed" } else { "changed" };
                self.numbering.event(out, "breakpoint", json!({"reason": reason, "breakpoint": shown}));
                if *removed {
                    self.data.forget(breakpoint.id);
                }
            }
            Event::Log(text) => self.numbering.output(out, "console", text),
            // Clients evaluate their watches by themselves.
            Event::WatchChanged(_) => {}
            Event::Progress(progress) => self.progress(progress, out),
            Event::InputRequested => {
                self.waits_for_input = true;
                self.numbering.output(out, "console", WAITS);
            }
            Event::Exited(exited) => self.exited(exited, out),
            Event::Failed(message) => self.numbering.output(out, "stderr", &format!("{message}\n")),
            Event::Terminated => {
                if !matches!(self.phase, Phase::NoProgram | Phase::Ended) {
                    self.numbering.bare_event(out, "terminated");
                }
                self.phase = Phase::Ended;
                if let Some(from) = self.disconnecting.take() {
                    self.numbering.success(out, &from, None::<()>);
                }
            }
        }
    }

    /// Tells how far a journey through time has come, to a client that shows it.
    fn progress(&mut self, progress: &Progress, out: &mut Messages) {
        if !self.client().shows_progress {
            return;
        }
        let Progress { title, percentage, is_over } = progress;
        let begins = self.progress.is_none();
        let number = *self.progress.get_or_insert_with(|| {
            self.journeys += 1;
            self.journeys
        });
        let id = progress_id(number);
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
            self.progress = None;
        }
    }

    pub(super) fn stopped(&mut self, stopped: &Stopped, out: &mut Messages) {
        self.phase = Phase::Stopped;
        // A program that was paused while it waits goes on waiting, without saying so again.
        self.waits_for_input &= stopped.reason == StopReason::Pause;
        self.references.clear();
        let raised = stopped.raised.clone();
        let number = self.stop.number + 1;
        let mut body = json!({
            "reason": reason(stopped.reason),
            "description": stopped.description,
            "threadId": THREAD,
            "allThreadsStopped": true,
        });
        if let Value::Object(body) = &mut body {
            let text = stopped.text.as_ref().or(raised.as_ref().map(|raised| &raised.message));
            let text = text.filter(|text| **text != stopped.description);
            body.extend(text.map(|text| ("text".into(), text.as_str().into())));
            if !stopped.breakpoints.is_empty() {
                let ids: Vec<u32> = stopped.breakpoints.iter().map(|id| id.0).collect();
                body.insert("hitBreakpointIds".into(), ids.into());
            }
        }
        self.stop = Stop { number, returned: stopped.returned.clone(), raised };
        self.numbering.event(out, "stopped", body);
    }

    fn exited(&mut self, exited: &Exited, out: &mut Messages) {
        // The program that was to begin again has been quicker: what follows is about the next one.
        if self.asked.values().any(|asked| matches!(asked.kind, Kind::Restart(_))) {
            return;
        }
        if let Some(problem) = &exited.error {
            self.problems(std::slice::from_ref(problem), out);
        }
        self.numbering.event(out, "exited", json!({"exitCode": exited.status}));
        self.end(out);
    }

    fn end(&mut self, out: &mut Messages) {
        self.phase = Phase::Ended;
        self.waits_for_input = false;
        self.references.clear();
        self.numbering.bare_event(out, "terminated");
    }

    /// A program could not be loaded; `began`: another one, or an earlier form of it, was there.
    pub(super) fn no_program(&mut self, began: bool, out: &mut Messages) {
        if began {
            self.end(out);
        } else {
            self.phase = Phase::NoProgram;
        }
    }
}

fn reason(reason: StopReason) -> &'static str {
    match reason {
        StopReason::RunTo => "goto",
        other => other.name(),
    }
}
