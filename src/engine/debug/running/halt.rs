//! Why and where the program stops.

use crate::api::{BreakpointId, Difference, Raised, StopReason, Written};
use crate::debug::history::position::Phase;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::Inspection;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{CallSite, Pending, Stop, Vm};
use ez_runtime::program::StmtId;
use ez_runtime::value::{Type, Value};

/// The call that has returned, and its result with the static type, if it has one.
pub type Returned = (CallSite, Option<(Value, Type)>);

/// Why the program stops, with details.
#[derive(Debug)]
pub struct Halt {
    pub reason: StopReason,
    /// How much of the statement has been executed.
    pub phase: Phase,
    /// Details of the reason.
    pub text: Option<String>,
    /// All breakpoints that were hit.
    pub breakpoints: Vec<BreakpointId>,
    /// Number of hits of the breakpoint in `reason`, where that breakpoint does not know it.
    pub hits: Option<u32>,
    /// For a stop after a return.
    pub returned: Option<Returned>,
    /// The description, where it cannot be derived from the reason.
    pub sentence: Option<String>,
    /// The write that hit a data breakpoint.
    pub written: Option<Written>,
    /// The error at which the program stops.
    pub raised: Option<Raised>,
    /// The difference of the output for which the program stops, or has stopped here before.
    pub difference: Option<Box<Difference>>,
}

impl From<StopReason> for Halt {
    fn from(reason: StopReason) -> Halt {
        Halt {
            reason,
            phase: Phase::Statement,
            text: None,
            breakpoints: Vec::new(),
            hits: None,
            returned: None,
            sentence: None,
            written: None,
            raised: None,
            difference: None,
        }
    }
}

/// Makes the program end.
pub fn terminate(vm: &mut Vm) -> Stop {
    vm.pending = Pending::Terminated;
    Stop
}

/// Ends an instance of the past whose journey was cancelled while it evaluated a condition.
pub fn end_if_cancelled(vm: &mut Vm, inspection: &Inspection) -> Result<(), Stop> {
    if inspection.latest_interruption.terminated { Err(terminate(vm)) } else { Ok(()) }
}

/// The frame of the caller of the function that has just returned.
pub fn caller(fp: Fp, call: &CallSite) -> FrameView {
    FrameView { fp, func: call.caller, stmt: call.stmt, at: call.span, back_edge: false }
}

/// Whether a statement belongs to `main`.
pub fn is_in_main(vm: &Vm, stmt: StmtId) -> bool {
    vm.program.statement(stmt).is_some_and(|info| info.func == vm.program.main)
}
