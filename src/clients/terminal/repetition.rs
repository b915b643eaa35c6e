//! Commands with a count: `next 5`, `continue 3`.

use std::sync::atomic::Ordering;

use super::command_error::CommandError;
use super::debugger::TerminalDebugger;
use ez_engine::api::{Resume, Scope, StopReason, Stopped, Travel, Variable};

/// A resumption that is repeated at the next stops.
pub(super) struct Repetition {
    /// The latest one.
    how: Resume,
    /// How many more times.
    left: u64,
    /// What follows, and how many times.
    then: Option<(Resume, u64)>,
    /// What has changed at the stops that were not shown, with the number of frames there; each variable once.
    changed: Vec<(usize, Variable)>,
}

impl TerminalDebugger {
    /// Resumes the program `times` times. Stops in between are not shown; one for another reason, such as a
    /// breakpoint during steps, ends the repetition.
    pub fn resume_times(&mut self, how: Resume, times: u64) -> Result<(), CommandError> {
        self.resume_in_turn((how, times), None)
    }

    /// Resumes the program as a command about the selected frame does: the frames inside of it are left with `leave`,
    /// then it is resumed `times` times.
    pub fn resume_selected(&mut self, leave: Resume, how: Resume, times: u64) -> Result<(), CommandError> {
        match self.frame() as u64 {
            0 => self.resume_times(how, times),
            inner => self.resume_in_turn((leave, inner), Some((how, times))),
        }
    }

    fn resume_in_turn(
        &mut self,
        (how, times): (Resume, u64),
        then: Option<(Resume, u64)>,
    ) -> Result<(), CommandError> {
        self.interrupted.store(false, Ordering::Relaxed);
        self.resume(how.clone())?;
        let left = times.saturating_sub(1);
        self.shown.repetition = Some(Repetition { how, left, then, changed: Vec::new() });
        Ok(())
    }

    /// Resumes the program after a stop if the command is to be repeated. If not, the stop is to be shown, with
    /// all changes since the last one that was.
    pub(super) fn repeat_after(&mut self, stopped: &mut Stopped) -> bool {
        let Some(mut repetition) = self.shown.repetition.take() else { return false };
        repetition.forget_ended_calls(stopped.frame_count);
        let next = if repetition.is_done_by(stopped) { repetition.next() } else { None };
        if let Some(next) = next
            && !self.interrupted.swap(false, Ordering::Relaxed)
        {
            repetition.note(stopped);
            if self.resume(next).is_ok() {
                self.shown.repetition = Some(repetition);
                return true;
            }
        }
        repetition.note(stopped);
        let here = stopped.frame_count;
        let visible = |(depth, variable): (usize, Variable)| {
            (variable.scope == Scope::Global || depth == here).then_some(variable)
        };
        stopped.changed = repetition.changed.into_iter().filter_map(visible).collect();
        false
    }
}

impl Repetition {
    /// The next resumption, if there is one.
    fn next(&mut self) -> Option<Resume> {
        if self.left == 0 {
            (self.how, self.left) = self.then.take()?;
        }
        self.left = self.left.checked_sub(1)?;
        Some(self.how.clone())
    }

    /// Whether the latest resumption has done what it is for.
    fn is_done_by(&self, stopped: &Stopped) -> bool {
        match self.how {
            Resume::Continue | Resume::Travel(Travel::ReverseContinue) => {
                stopped.reason.breakpoint().is_some()
            }
            _ => stopped.reason == StopReason::Step,
        }
    }

    fn forget_ended_calls(&mut self, frame_count: usize) {
        self.changed.retain(|(depth, variable)| variable.scope == Scope::Global || *depth <= frame_count);
    }

    fn note(&mut self, stopped: &Stopped) {
        for new in &stopped.changed {
            let depth = stopped.frame_count;
            let is_same = |(at, old): &&mut (usize, Variable)| {
                old.name == new.name && old.scope == new.scope && (*at == depth || old.scope == Scope::Global)
            };
            match self.changed.iter_mut().find(is_same) {
                Some((_, old)) => *old = new.clone(),
                None => self.changed.push((depth, new.clone())),
            }
        }
    }
}

/// The number of times in the arguments of a command; 1 if there are none.
pub fn times(rest: &str) -> Result<u64, CommandError> {
    match rest {
        "" => Ok(1),
        rest => match rest.parse() {
            Ok(times @ 1..) => Ok(times),
            _ => Err(CommandError::new(format!("'{rest}' is not a number of times"))
                .help("a whole number from 1, or nothing for once")),
        },
    }
}
