//! What the program does, as far as the client was told, and what can be asked for then.

use crate::protocol::Messages;
use ez_engine::api::Status;

use super::DapFrontEnd;
use super::writing::Refusal;

impl DapFrontEnd {
    /// Refuses a second `launch` or `attach`.
    pub(super) fn begins(&self) -> Result<(), Refusal> {
        match self.phase {
            Status::NotInitialized => Ok(()),
            Status::Exited => Err("the program has ended".into()),
            Status::Ready | Status::Running | Status::Stopped => Err("a program is launched already".into()),
        }
    }

    /// Refuses a request that needs a stopped program, if it is not stopped.
    pub(super) fn needs_stop(&self) -> Result<(), Refusal> {
        let text = match self.phase {
            Status::Stopped => return Ok(()),
            Status::NotInitialized => "no program is launched",
            Status::Ready => "the program is not started",
            Status::Running if self.waits_for_input => "the program waits for input",
            Status::Running => "the program is running",
            Status::Exited => "the program has ended",
        };
        let word = (self.phase == Status::Running).then_some("notStopped");
        Err(Refusal { word, ..text.into() })
    }

    /// There is no program in the session, which a guest does not end: others can start it again.
    pub(super) fn has_no_program(&mut self, why: &str, out: &mut Messages) {
        self.phase = Status::Exited;
        self.waits_for_input = false;
        self.references.clear();
        self.numbering.output(out, "console", &format!("{why}; the session goes on.\n"));
    }

    /// Tells the client that the session is over for it.
    pub(super) fn end(&mut self, out: &mut Messages) {
        (self.phase, self.is_over) = (Status::Exited, true);
        self.waits_for_input = false;
        self.references.clear();
        self.numbering.bare_event(out, "terminated");
    }
}
