//! What an aim says about a journey, and what an instance of the past does on it.

use std::cell::RefCell;

use foldhash::HashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::api::{BreakpointId, write_binary};
use crate::debug::history::changes::subject::Subject;
use crate::debug::history::position::RunPosition;
use crate::debug::inspect::frames::FrameView;
use crate::debug::inspect::inspection::Inspection;
use crate::debug::running::halt::{Halt, Returned};
use crate::recording::Replay;
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::Vm;
use ez_runtime::source::Span;
use ez_runtime::value::PartChange;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum JourneyEnd {
    /// It was cancelled.
    Left,
    /// It reached the present.
    Present,
    /// What it was to find, as [`Finds::Found`], in the form of [`write_binary`].
    Found(Vec<u8>),
    /// The past cannot be reached: the instance failed, or did something else than the live program.
    Lost(String),
}

impl JourneyEnd {
    pub fn found(found: &impl Serialize) -> JourneyEnd {
        let mut bytes = Vec::new();
        write_binary(&mut bytes, found);
        JourneyEnd::Found(bytes)
    }
}

/// An aim: plain data, from which a journey is planned.
pub(crate) trait Itinerary {
    /// The position from which on the instance has to run; `None`: from the beginning.
    fn start(&self) -> Option<RunPosition>;

    /// The step at which the journey ends, for reporting progress.
    fn last_step(&self) -> u64;

    /// What an instance does on the journey. It goes no further than `present`.
    fn visit(&self, present: RunPosition) -> Box<dyn Visit>;

    /// Reaches the aim with instances that run from the program's beginning. Most aims need one.
    fn reach(&self, runs: &Runs, present: RunPosition) -> JourneyEnd {
        (runs.run)(self.visit(present))
    }

    /// Whether the client looks at the past where the journey ends.
    fn is_shown(&self) -> bool {
        false
    }
}

/// An aim that is to find something.
pub(crate) trait Finds: Itinerary {
    type Found: Serialize + DeserializeOwned;
}

/// The instances of a worker that runs them from the program's beginning, one after the other.
pub(crate) struct Runs<'a> {
    pub run: &'a dyn Fn(Box<dyn Visit>) -> JourneyEnd,
    /// What earlier runs have found out: what each data breakpoint watches.
    pub subjects: &'a RefCell<HashMap<BreakpointId, Subject>>,
}

/// A point at which an instance has arrived.
pub(crate) struct Here<'a> {
    pub vm: &'a mut Vm,
    pub inspection: &'a mut Inspection,
    /// The innermost frame.
    pub view: &'a FrameView,
    pub position: RunPosition,
    /// The record from which the instance gets what came from outside.
    pub replay: &'a Replay,
    /// The call that has returned, at a position after a return.
    pub returned: Option<Returned>,
}

impl Here<'_> {
    /// Makes sure that the goal is noticed, if it comes before the next place but one: it may be after a return, or
    /// at a place that no flag selects.
    pub fn look_out_for(&mut self, goal: RunPosition) {
        if self.position.step >= goal.step {
            self.look_everywhere();
        }
    }

    /// Makes the next place and the next return positions of the journey.
    pub fn look_everywhere(&mut self) {
        self.vm.watch_return(true);
        self.vm.steps.set_all(STEP, true);
    }
}

/// What an instance does at a position.
pub(crate) enum PositionAction {
    /// Continue as the live program would, which may stop here.
    Proceed,
    /// Continue without stopping.
    Pass,
    /// Stop, as the live program did.
    Arrive(Box<Halt>),
    End,
}

/// An instance of the past on its journey, as far as that depends on the aim.
pub(crate) trait Visit {
    /// The next step at which [`Visit::visit`] has to be called.
    fn goal(&self) -> u64;

    /// The run begins, or continues from a checkpoint.
    fn begin(&mut self, _vm: &mut Vm, _inspection: &mut Inspection, _replay: &Replay) {}

    /// Called at each place that flags or goal select, also at those where a program cannot stop. Returns whether the
    /// goal has changed.
    fn place(&mut self, _vm: &mut Vm, _inspection: &mut Inspection, _view: &FrameView) -> bool {
        false
    }

    /// Called after that at each position: places where the program can stop, and returns and `Error` values that
    /// are watched for.
    fn visit(&mut self, here: &mut Here) -> PositionAction;

    /// A statement has written something watched; `view` is its frame.
    fn wrote(&mut self, _vm: &mut Vm, _inspection: &mut Inspection, _view: &FrameView) {}

    /// A call has returned to the frame `caller`; `call` is where it was made.
    fn returned(&mut self, _vm: &mut Vm, _inspection: &mut Inspection, _caller: Fp, _call: Option<Span>) {}

    /// Whether returns matter after this step.
    fn watches_returns(&self, _step: u64) -> bool {
        false
    }

    /// The program would stop at this position for an error; `_text`: why the condition for that has failed. Returns whether
    /// that was only to be recorded.
    fn hits(&mut self, _position: RunPosition, _text: Option<&str>) -> bool {
        false
    }

    /// Whether changes matter that the client has made in the present.
    fn watches_changes(&self) -> bool {
        false
    }

    /// A change was repeated that the client had made; `changes` are the parts that it has written to.
    fn repeated(
        &mut self,
        _vm: &mut Vm,
        _inspection: &mut Inspection,
        _view: &FrameView,
        _changes: Vec<PartChange>,
    ) {
    }

    /// Whether run-time errors do not concern the visit.
    fn lets_errors_pass(&self) -> bool {
        false
    }

    /// The program waits for something, fails or ends (`is_end`), wherever that is. Returns whether that ends the
    /// visit.
    fn is_cut_short(&mut self, _is_end: bool) -> bool {
        false
    }

    /// The program has come to the present, and can go no further; `view` is the innermost frame, if it is in one.
    fn reaches_present(&mut self, _vm: &mut Vm, _inspection: &mut Inspection, _view: Option<&FrameView>) {}

    /// The result, after the run, whose last step this is; `None` if there is none. `problem` is one with the record;
    /// it is left there if there is no result in spite of it.
    fn end(&mut self, step: u64, problem: &mut Option<String>) -> Option<JourneyEnd>;
}
