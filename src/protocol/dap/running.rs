//! Requests that resume or pause the program.

use serde_json::json;

use crate::api::{Pause, Resume, Status, Travel};
use crate::protocol::Received;
use crate::protocol::params::Params;

use super::decode::RequestHeader;
use super::writing::Refusal;
use super::{DapFrontEnd, Handler, THREAD, check_thread, unknown};

pub const REQUESTS: &[(&str, Handler)] = &[
    ("threads", DapFrontEnd::threads),
    ("pause", DapFrontEnd::pause),
    ("continue", DapFrontEnd::resume),
    ("next", DapFrontEnd::resume),
    ("stepIn", DapFrontEnd::resume),
    ("stepOut", DapFrontEnd::resume),
    ("stepBack", DapFrontEnd::travel),
    ("reverseContinue", DapFrontEnd::travel),
    ("restartFrame", DapFrontEnd::travel),
    ("stepBackInto", DapFrontEnd::travel),
    ("stepBackOut", DapFrontEnd::travel),
    ("goToStep", DapFrontEnd::travel),
    ("goToPresent", DapFrontEnd::travel),
];

impl DapFrontEnd {
    fn threads(&mut self, from: &RequestHeader, _: &Params, work: &mut Vec<Received>) -> Result<(), Refusal> {
        let threads = match self.phase {
            Status::NotInitialized | Status::Exited => json!([]),
            Status::Ready | Status::Running | Status::Stopped => {
                json!([{"id": THREAD, "name": "main"}])
            }
        };
        self.answer_now(from, Some(json!({ "threads": threads })), work);
        Ok(())
    }

    fn pause(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        if self.no_debug {
            return Err("the program runs without debugging".into());
        }
        self.ask(from, Pause, work, DapFrontEnd::done);
        Ok(())
    }

    /// Requests that move through the program's history. `stepBackInto`, `stepBackOut`, `goToStep` and
    /// `goToPresent` are custom requests.
    fn travel(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        let travel = match from.command.as_str() {
            "stepBack" => Travel::StepBackOver,
            "stepBackInto" => Travel::StepBack,
            "stepBackOut" => Travel::StepBackOut,
            "reverseContinue" => Travel::ReverseContinue,
            "goToPresent" => Travel::GoToPresent,
            "restartFrame" => {
                let frame = params.required("frameId", params.number("frameId", 0, u32::MAX)?)?;
                self.needs_history()?;
                Travel::RestartFrame(self.references.frame(frame)?)
            }
            "goToStep" => Travel::GoToStep(params.required("step", params.count("step", 1)?)?),
            other => return Err(unknown(other)),
        };
        self.needs_history()?;
        self.resume_with(from, Resume::Travel(travel), work);
        Ok(())
    }

    fn needs_history(&self) -> Result<(), Refusal> {
        self.needs_stop()?;
        match self.keeps_history {
            true => Ok(()),
            false => Err("no history is kept: launch the program with \"history\": true".into()),
        }
    }

    fn resume(
        &mut self,
        from: &RequestHeader,
        params: &Params,
        work: &mut Vec<Received>,
    ) -> Result<(), Refusal> {
        check_thread(params)?;
        let how = match from.command.as_str() {
            "continue" => Resume::Continue,
            "next" => Resume::StepOver,
            "stepOut" => Resume::StepOut,
            "stepIn" => match params.number("targetId", 0, u32::MAX)? {
                Some(target) => Resume::StepIntoTarget(target),
                None => Resume::StepInto,
            },
            other => return Err(unknown(other)),
        };
        self.needs_stop()?;
        self.resume_with(from, how, work);
        Ok(())
    }

    fn resume_with(&mut self, from: &RequestHeader, how: Resume, work: &mut Vec<Received>) {
        self.phase = Status::Running;
        self.ask_or(
            from,
            how,
            work,
            |this, from, _, out| {
                this.references.clear();
                let body = (from.command == "continue").then(|| json!({"allThreadsContinued": true}));
                this.numbering.success(out, from, body);
                this.tell_continued(out);
            },
            |this, from, _, refusal, out| {
                if this.phase == Status::Running {
                    this.phase = Status::Stopped;
                }
                this.numbering.failure(out, from, &refusal);
            },
        );
    }
}
