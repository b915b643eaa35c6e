//! Handles breakpoints that execution reaches: evaluates conditions, and writes log messages.

use crate::api::{Event, Purpose, StopReason};
use crate::debug::breakpoints::condition_test::failure;
use crate::debug::breakpoints::table::{Candidate, LogPiece};
use crate::debug::engine::Engine;
use crate::debug::inspect::evaluate::{FrameContext, TIME_LIMIT, took_too_long};
use crate::debug::inspect::frames::FrameView;
use crate::debug::meanwhile::Interruption;
use crate::debug::running::halt::{Halt, terminate};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Pending, Stop, Vm};
use ez_runtime::value::{display, pause_numbers, shown_as};

/// Why an expression in a log message has no value.
fn expression_failure(pending: Pending) -> String {
    match pending {
        Pending::Error(error) => error.message,
        Pending::Exit(_) => "exit() cannot be called in a log message".into(),
        Pending::Terminated => "interrupted".into(),
        Pending::None | Pending::Big(_) | Pending::Nil => "no value".into(),
    }
}

/// What is said of a stop at which a condition was interrupted.
pub(super) const INTERRUPTED: &str = "a condition was interrupted";

/// The result of a breakpoint's condition.
pub(super) enum Verdict {
    Pass,
    Hit,
    /// It has no value, for this reason.
    Failed(String),
    /// A pause has interrupted it.
    Paused,
}

impl Engine {
    /// Finds the breakpoints that are hit here; `Some` also if a condition was interrupted. Writes the messages
    /// of log points.
    pub fn hit(&mut self, vm: &mut Vm, view: &FrameView) -> Result<Option<Halt>, Stop> {
        let mut known = vm.condition_result.take();
        let candidates = self.breakpoints.borrow().table.candidates(view.func, view.stmt, view.back_edge);
        let mut halt: Option<Halt> = None;
        for candidate in candidates {
            let mut text = match self.test(vm, view.fp, &candidate, known.take())? {
                Verdict::Pass => continue,
                Verdict::Hit => None,
                Verdict::Failed(why) => Some(why),
                Verdict::Paused => {
                    let text = Some(INTERRUPTED.into());
                    return Ok(Some(Halt { text, ..StopReason::Pause.into() }));
                }
            };
            if let (Some(message), None) = (&candidate.log, &text) {
                text = self.log(vm, view.fp, message)?;
                if text.is_none() {
                    continue;
                }
            }
            let reason = if candidate.at_function {
                StopReason::FunctionBreakpoint(candidate.id)
            } else {
                StopReason::Breakpoint(candidate.id)
            };
            let halt = halt.get_or_insert_with(|| Halt { text, ..reason.into() });
            halt.breakpoints.push(candidate.id);
        }
        Ok(halt)
    }

    /// Writes a log message. Returns why the program is to stop nevertheless, if it is.
    fn log(&mut self, vm: &mut Vm, fp: Fp, message: &[LogPiece]) -> Result<Option<String>, Stop> {
        let _numbering = pause_numbers();
        let mut text = String::new();
        let mut too_long = None;
        for piece in message {
            match piece {
                LogPiece::Text(piece) => text.push_str(piece),
                LogPiece::Value(value, ty) => {
                    let ensures = vm.ensures.len();
                    let (result, interruption) =
                        self.inspection.uninterrupted(vm, Some(TIME_LIMIT), true, |vm| {
                            vm.evaluate(|vm| value.run(vm, fp))
                        });
                    vm.ensures.truncate(ensures);
                    self.after_interruption(vm, &interruption)?;
                    match result {
                        Ok(value) => text.push_str(&display(&shown_as(ty, value.follow()))),
                        Err(Stop) => {
                            let why = expression_failure(std::mem::take(&mut vm.pending));
                            text.push_str(&format!("<{why}>"));
                            if interruption.timed_out {
                                too_long = Some(took_too_long("log message", TIME_LIMIT));
                            }
                        }
                    }
                }
            }
        }
        text.push('\n');
        let _ = vm.host.flush();
        self.event(Event::Log(text));
        Ok(too_long)
    }

    /// Evaluates a breakpoint's condition; `known` as of [`Inspection::test`](crate::debug::inspect::inspection::Inspection::test).
    fn test(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        candidate: &Candidate,
        known: Option<Pending>,
    ) -> Result<Verdict, Stop> {
        let (result, interruption) = self.inspection.test(vm, fp, candidate, known);
        self.after_interruption(vm, &interruption)?;
        self.verdict(vm, result, &interruption)
    }

    /// Evaluates a condition that is not compiled for a statement, in a frame.
    pub(super) fn condition_verdict(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        condition: &str,
    ) -> Result<Verdict, Stop> {
        let purpose = self.purpose_of_conditions();
        let result = self.inspection.test_text(vm, context, condition, purpose);
        let interruption = self.inspection.latest_interruption;
        self.after_interruption(vm, &interruption)?;
        Ok(match result {
            Err(_) if interruption.paused && self.run.pause => Verdict::Paused,
            // The client that has set the breakpoint has detached.
            Err(_) if interruption.paused => Verdict::Pass,
            Err(why) => Verdict::Failed(why),
            Ok(true) => Verdict::Hit,
            Ok(false) => Verdict::Pass,
        })
    }

    /// Whether conditions compiled at a stop may have side effects.
    pub fn purpose_of_conditions(&self) -> Purpose {
        // In another run of the program with other breakpoints, the effects would be missing.
        if self.record.is_some() { Purpose::Look } else { Purpose::Plain }
    }

    fn verdict(
        &self,
        vm: &mut Vm,
        result: Result<bool, Pending>,
        interruption: &Interruption,
    ) -> Result<Verdict, Stop> {
        match result {
            Ok(false) => Ok(Verdict::Pass),
            Ok(true) => Ok(Verdict::Hit),
            Err(pending) => match failure(pending, interruption) {
                Some(why) => Ok(Verdict::Failed(why)),
                None if self.run.pause => Ok(Verdict::Paused),
                // The client that has set the breakpoint has detached.
                None if interruption.paused => Ok(Verdict::Pass),
                None => Err(terminate(vm)),
            },
        }
    }

    /// Handles what was requested during an evaluation for the debugger.
    fn after_interruption(&mut self, vm: &mut Vm, interruption: &Interruption) -> Result<(), Stop> {
        if interruption.paused {
            self.run.pause = true;
        }
        if interruption.terminated {
            return Err(terminate(vm));
        }
        while let Some((id, request)) = self.inspection.connection.postponed.pop_front() {
            self.handle_running(vm, id, request)?;
        }
        Ok(())
    }
}
