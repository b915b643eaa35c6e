//! Requests that resume or pause the program.

use serde_json::json;

use ez_engine::api::{Pause, Resume, Status, Travel};

use super::writing::Refusal;
use super::{Call, DapFrontEnd, Handler, THREAD, check_thread};

pub const REQUESTS: &[(&str, Handler)] = &[
    ("threads", DapFrontEnd::threads),
    ("pause", DapFrontEnd::pause),
    ("continue", |this, call| this.resume(Resume::Continue, call)),
    ("next", |this, call| this.resume(Resume::StepOver, call)),
    ("stepIn", DapFrontEnd::step_in),
    ("stepOut", |this, call| this.resume(Resume::StepOut, call)),
    ("stepBack", |this, call| this.travel(Travel::StepBackOver, call)),
    ("reverseContinue", |this, call| this.travel(Travel::ReverseContinue, call)),
    ("restartFrame", DapFrontEnd::restart_frame),
    // These are custom requests.
    ("stepBackInto", |this, call| this.travel(Travel::StepBack, call)),
    ("stepBackOut", |this, call| this.travel(Travel::StepBackOut, call)),
    ("goToStep", DapFrontEnd::go_to_step),
    ("goToPresent", |this, call| this.travel(Travel::GoToPresent, call)),
];

impl DapFrontEnd {
    fn threads(&mut self, Call { from, work, .. }: Call) -> Result<(), Refusal> {
        let threads = match self.phase {
            Status::NotInitialized | Status::Exited => json!([]),
            Status::Ready | Status::Running | Status::Stopped => {
                json!([{"id": THREAD, "name": "main"}])
            }
        };
        self.answer_now(from, Some(json!({ "threads": threads })), work);
        Ok(())
    }

    fn pause(&mut self, Call { from, params, work }: Call) -> Result<(), Refusal> {
        check_thread(params)?;
        if self.debugging.off {
            return Err("the program runs without debugging".into());
        }
        self.ask(from, Pause, work, DapFrontEnd::done);
        Ok(())
    }

    /// Moves through the program's history.
    fn travel(&mut self, travel: Travel, call: Call) -> Result<(), Refusal> {
        self.needs_history()?;
        self.resume(Resume::Travel(travel), call)
    }

    fn restart_frame(&mut self, call: Call) -> Result<(), Refusal> {
        let frame = call.params.required("frameId", call.params.number("frameId", 0, u32::MAX)?)?;
        self.needs_history()?;
        self.resume(Resume::Travel(Travel::RestartFrame(self.references.frame(frame)?)), call)
    }

    fn go_to_step(&mut self, call: Call) -> Result<(), Refusal> {
        let step = call.params.required("step", call.params.count("step", 1)?)?;
        self.travel(Travel::GoToStep(step), call)
    }

    fn step_in(&mut self, call: Call) -> Result<(), Refusal> {
        let target = call.params.number("targetId", 0, u32::MAX)?;
        self.resume(target.map_or(Resume::StepInto, Resume::StepIntoTarget), call)
    }

    pub(super) fn needs_history(&self) -> Result<(), Refusal> {
        self.needs_stop()?;
        if self.debugging.keeps_history {
            return Ok(());
        }
        Err("no history is kept: launch the program with \"history\": true".into())
    }

    fn resume(&mut self, how: Resume, Call { from, params, work }: Call) -> Result<(), Refusal> {
        check_thread(params)?;
        self.needs_stop()?;
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
        Ok(())
    }
}
