//! A stopped program whose history is kept, wherever its session is: what explanations of its past are made of.

use crate::protocol::SessionHandle;
use ez_engine::api::{
    Change, ChangeCause, Event, GetOutputSteps, GetVariables, Limits, OutputStep, Question, Resume, Scope,
    StatementKind, Stopped, Travel, Unfold, UnfoldTarget, Unfolded,
};
use ez_engine::session::Item;
use ez_runtime::value::Stream;

/// A session with a stopped program whose history is kept.
pub trait Past {
    /// Asks a question, and waits for the answer.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask<Q: Question>(&mut self, question: Q) -> Result<Q::Answer, String>;

    /// Moves to another point of the history.
    ///
    /// # Errors
    /// Why that is not possible.
    fn travel(&mut self, travel: Travel) -> Result<Box<Stopped>, String>;

    /// What a statement has computed. With `condition_steps`, the steps of the conditions around it are looked for, which
    /// takes another run.
    ///
    /// # Errors
    /// Why that is not known.
    fn unfold(
        &mut self,
        target: UnfoldTarget,
        frame: usize,
        condition_steps: bool,
    ) -> Result<Box<Unfolded>, String> {
        self.ask(Unfold { target, frame, limits: Limits::PREVIEW, condition_steps })
    }

    /// What has written the byte with this number of what the program itself has written to standard output.
    ///
    /// # Errors
    /// Why that is not known.
    fn printed_by(&mut self, offset: u64) -> Result<OutputStep, String> {
        let asked = GetOutputSteps { offsets: vec![offset], stream: Some(Stream::Stdout) };
        self.ask(asked)?.pop().ok_or_else(|| "it is not known what has printed it".into())
    }

    /// The index of a parameter among those of the function in which the program is stopped, if that is what an expression is
    /// and the change is that it was passed.
    ///
    /// # Errors
    /// Why that is not known.
    fn parameter_index(&mut self, expression: &str, change: &Change) -> Result<Option<usize>, String> {
        if change.cause != ChangeCause::Passed {
            return Ok(None);
        }
        let limits = Limits { parts: 0, bytes: 0 };
        let parameters = self.ask(GetVariables { frame: 0, scope: Some(Scope::Parameter), limits })?;
        Ok(parameters.iter().position(|variable| variable.name == expression))
    }

    /// The `return` that has ended a call: `caller` is the step of the statement with the call, `last` the last step in the
    /// body of the function, which is in another function if the `return` has called one. The program is stopped somewhere
    /// else afterwards.
    ///
    /// # Errors
    /// Why it is not known.
    fn return_statement(&mut self, caller: u64, last: u64) -> Result<Box<Unfolded>, String> {
        let depth = self.travel(Travel::GoToStep(caller))?.frame_count;
        let end = self.travel(Travel::GoToStep(last))?;
        let step = match end.frame_count.saturating_sub(depth + 1) {
            0 => last,
            frame => self.unfold(UnfoldTarget::Last, frame, false)?.step,
        };
        let found = self.unfold(UnfoldTarget::Step(step), 0, true)?;
        // What was registered by `ensure` is executed after the `return`.
        if found.statement == StatementKind::Return {
            Ok(found)
        } else {
            Err("its return is not known".into())
        }
    }
}

impl Past for SessionHandle {
    fn ask<Q: Question>(&mut self, question: Q) -> Result<Q::Answer, String> {
        SessionHandle::ask(self, question).map_err(|failure| failure.message)
    }

    fn travel(&mut self, travel: Travel) -> Result<Box<Stopped>, String> {
        SessionHandle::ask(self, Resume::Travel(travel)).map_err(|failure| failure.message)?;
        loop {
            match self.next() {
                Some(Item::Event(Event::Stopped(stop))) => return Ok(stop),
                Some(Item::Event(Event::Exited(_) | Event::Failed(_) | Event::Terminated)) | None => {
                    return Err("the program has ended".into());
                }
                Some(Item::Event(_) | Item::Output { .. } | Item::Response(..) | Item::Reply(_)) => {}
            }
        }
    }
}
