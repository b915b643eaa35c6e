//! Evaluates the conditions of breakpoints, and says why they have no value.

use crate::api::Purpose;
use crate::debug::breakpoints::table::Candidate;
use crate::debug::inspect::evaluate::{FrameContext, TIME_LIMIT, took_too_long};
use crate::debug::inspect::inspection::Inspection;
use crate::debug::meanwhile::Interruption;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Pending, Vm};
use ez_runtime::value::Value;

/// Why a condition has no value; `None`: its evaluation was ended for another reason than the time it has taken.
pub(crate) fn failure(pending: Pending, interruption: &Interruption) -> Option<String> {
    match pending {
        Pending::Terminated if interruption.timed_out => Some(took_too_long("condition", TIME_LIMIT)),
        Pending::Terminated => None,
        pending => Some(text_of(pending)),
    }
}

/// Why a condition has no value.
fn text_of(pending: Pending) -> String {
    match pending {
        Pending::Error(error) => format!("condition failed: {}", error.message),
        Pending::Exit(_) => "condition failed: exit() cannot be called in a condition".into(),
        Pending::None | Pending::Big(_) | Pending::Nil | Pending::Terminated => {
            "condition gave no bool".into()
        }
    }
}

impl Inspection {
    /// Evaluates a breakpoint's condition, unless that is interrupted or takes too long. `known`: what the statement has left
    /// pending that has evaluated it itself, to another result than `false`: its effects must not happen twice.
    pub fn test(
        &mut self,
        vm: &mut Vm,
        fp: Fp,
        candidate: &Candidate,
        known: Option<Pending>,
    ) -> (Result<bool, Pending>, Interruption) {
        match known {
            Some(Pending::None) => return (Ok(true), Interruption::default()),
            Some(pending) => return (Err(pending), Interruption::default()),
            None => {}
        }
        let limit = candidate.may_last.then_some(TIME_LIMIT);
        self.uninterrupted(vm, limit, true, |vm| vm.test_condition(&*candidate.test, fp))
    }

    /// Evaluates a condition that is not compiled for a statement, in a frame.
    ///
    /// # Errors
    /// Why it has no value.
    pub fn test_text(
        &mut self,
        vm: &mut Vm,
        context: FrameContext,
        condition: &str,
        purpose: Purpose,
    ) -> Result<bool, String> {
        // What cannot be compiled is not run.
        self.latest_interruption = Interruption::default();
        match self.value_of(vm, context, condition, purpose, TIME_LIMIT) {
            Err(failure) => Err(format!("condition failed: {}", failure.message)),
            Ok((value, ty)) => match value.follow() {
                Value::Bool(holds) => Ok(holds),
                _ => Err(format!("condition must be bool, got {ty}")),
            },
        }
    }
}
