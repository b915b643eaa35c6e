//! Handles breakpoints that execution reaches: evaluates conditions, and writes log messages.

use crate::api::{Event, StopReason};
use crate::interp::slots::Fp;
use crate::interp::vm::{Pending, Stop, Vm};
use crate::value::display;

use super::breakpoints::{Candidate, Condition, LogPiece};
use super::engine::Engine;
use super::frames::FrameView;
use super::guard::Interruption;
use super::stops::{Halt, terminate};

/// Why a condition has no value.
fn condition_failure(pending: Pending) -> String {
    match pending {
        Pending::Error(error) => format!("condition failed: {}", error.message),
        Pending::Exit(_) => "condition failed: exit() cannot be called in a condition".into(),
        Pending::None | Pending::Big(_) | Pending::Nil | Pending::Terminated => {
            "condition gave no bool".into()
        }
    }
}

/// Why an expression in a log message has no value.
fn expression_failure(pending: Pending) -> String {
    match pending {
        Pending::Error(error) => error.message,
        Pending::Exit(_) => "exit() cannot be called in a log message".into(),
        Pending::Terminated => "interrupted".into(),
        Pending::None | Pending::Big(_) | Pending::Nil => "no value".into(),
    }
}

impl Engine {
    /// Finds the breakpoints that are hit here; `Some` also if a pause has interrupted a condition. Writes
    /// the messages of log points.
    pub(super) fn hit(&mut self, vm: &mut Vm, view: &FrameView) -> Result<Option<Halt>, Stop> {
        // The statement may have evaluated the condition itself: its effects must not happen twice.
        let mut tested = vm.tested.take();
        let candidates = self.placing.borrow().breakpoints.candidates(view.func, view.stmt, view.back_edge);
        let mut halt: Option<Halt> = None;
        for Candidate { id, at_function, test, log } in candidates {
            let result = match tested.take() {
                Some(Pending::None) => Ok(true),
                Some(pending) => Err(pending),
                None => self.test(vm, view.fp, &test)?,
            };
            let text = match result {
                Ok(false) => continue,
                Ok(true) => None,
                Err(Pending::Terminated) if self.is_pausing() => {
                    let text = Some("a condition was interrupted".into());
                    return Ok(Some(Halt { text, ..StopReason::Pause.into() }));
                }
                Err(Pending::Terminated) => return Err(terminate(vm)),
                Err(pending) => Some(condition_failure(pending)),
            };
            if let (Some(message), None) = (&log, &text) {
                self.log(vm, view.fp, message)?;
                continue;
            }
            let reason =
                if at_function { StopReason::FunctionBreakpoint(id) } else { StopReason::Breakpoint(id) };
            let halt = halt.get_or_insert_with(|| Halt { text, ..reason.into() });
            halt.breakpoints.push(id);
        }
        Ok(halt)
    }

    /// Writes a log message.
    fn log(&mut self, vm: &mut Vm, fp: Fp, message: &[LogPiece]) -> Result<(), Stop> {
        let mut text = String::new();
        for piece in message {
            match piece {
                LogPiece::Text(piece) => text.push_str(piece),
                LogPiece::Value(value) => {
                    let ensures = vm.ensures.len();
                    let (result, interruption) =
                        self.uninterrupted(vm, None, |vm| vm.evaluate(|vm| value(vm, fp)));
                    vm.ensures.truncate(ensures);
                    self.after_interruption(vm, &interruption)?;
                    match result {
                        Ok(value) => text.push_str(&display(&value.follow())),
                        Err(Stop) => {
                            let why = expression_failure(std::mem::take(&mut vm.pending));
                            text.push_str(&format!("<{why}>"));
                        }
                    }
                }
            }
        }
        text.push('\n');
        let _ = vm.host.flush();
        self.event(Event::Log(text));
        Ok(())
    }

    /// Evaluates a condition; the inner error is why it has no value.
    fn test(&mut self, vm: &mut Vm, fp: Fp, condition: &Condition) -> Result<Result<bool, Pending>, Stop> {
        let (result, interruption) = self.uninterrupted(vm, None, |vm| vm.test_condition(&**condition, fp));
        self.after_interruption(vm, &interruption)?;
        Ok(result)
    }

    /// Handles what was requested during an evaluation for the debugger.
    fn after_interruption(&mut self, vm: &mut Vm, interruption: &Interruption) -> Result<(), Stop> {
        if interruption.paused {
            self.set_pausing(true);
        }
        if interruption.terminated {
            return Err(terminate(vm));
        }
        while let Some((id, request)) = self.postponed.pop_front() {
            self.running_request(vm, id, request)?;
        }
        Ok(())
    }
}
