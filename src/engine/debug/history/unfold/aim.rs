//! To report what a statement computes.

use std::cell::Cell;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::api::{Limits, Unfolded};
use crate::debug::history::position::{Phase, RunPosition};
use crate::debug::history::unfold::nodes::Nodes;
use crate::debug::history::unfold::observation::{EndOfUnfolding, Observation, Unfolding};
use crate::debug::history::unfold::targets;
use crate::debug::history::visit::{Finds, Here, Itinerary, JourneyEnd, PositionAction, Visit};
use crate::debug::inspect::frames::FrameView;
use crate::debug::program::DebuggedProgram;
use crate::debug::running::halt::terminate;
use ez_runtime::interp::compile::observed::{Head, HeadFn, Observed};
use ez_runtime::interp::flags::STEP;
use ez_runtime::interp::vm::Vm;
use ez_runtime::program::StmtId;

/// To report what the first statement from a position on computes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnfoldStatement {
    /// The place before the statement, or one before that.
    pub position: RunPosition,
    /// Where to end if the statement is still in progress; `None`: only where it needs something from outside
    /// that is not in the record.
    pub until: Option<RunPosition>,
    /// How much of each value to describe.
    pub limits: Limits,
}

impl Itinerary for UnfoldStatement {
    fn start(&self) -> Option<RunPosition> {
        Some(self.position)
    }

    fn last_step(&self) -> u64 {
        self.position.step
    }

    fn visit(&self, _: RunPosition) -> Box<dyn Visit> {
        Box::new(Observing { aim: self.clone(), unfolding: None, place: (0, Vec::new()) })
    }
}

/// A statement whose expressions were reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct UnfoldedStatement {
    pub unfolded: Unfolded,
    /// Number of calls in progress where it is.
    pub depth: u32,
    /// The statements whose heads are its [`Unfolded::conditions`].
    pub heads: Vec<StmtId>,
}

impl Finds for UnfoldStatement {
    type Found = UnfoldedStatement;
}

struct Observing {
    aim: UnfoldStatement,
    /// What is found about the statement, once the journey has come to it.
    unfolding: Option<Rc<Unfolding>>,
    /// See [`UnfoldedStatement`].
    place: (u32, Vec<StmtId>),
}

impl Visit for Observing {
    fn goal(&self) -> u64 {
        match &self.unfolding {
            Some(_) => self.aim.until.map_or(u64::MAX, |until| until.step),
            None => self.aim.position.step,
        }
    }

    fn visit(&mut self, here: &mut Here) -> PositionAction {
        let position = here.position;
        let Some(unfolding) = &self.unfolding else {
            if position >= self.aim.position && position.phase == Phase::Statement {
                return self.begin_unfolding(here);
            }
            here.look_out_for(self.aim.position);
            return PositionAction::Pass;
        };
        let Some(until) = self.aim.until else { return PositionAction::Pass };
        if position == until && until.phase.is_return() {
            unfolding.returns.set(true);
        } else if position >= until {
            *unfolding.ended.borrow_mut() = Some(EndOfUnfolding::Reached);
            return PositionAction::End;
        }
        here.look_out_for(until);
        PositionAction::Pass
    }

    /// An error is what the statement computes.
    fn lets_errors_pass(&self) -> bool {
        self.unfolding.is_some()
    }

    fn is_cut_short(&mut self, is_end: bool) -> bool {
        let Some(unfolding) = &self.unfolding else { return false };
        let why = if is_end { EndOfUnfolding::ProgramEnds } else { EndOfUnfolding::Waits };
        unfolding.ended.borrow_mut().get_or_insert(why);
        true
    }

    fn end(&mut self, _: u64, problem: &mut Option<String>) -> Option<JourneyEnd> {
        let unfolded = self.unfolding.as_ref()?.result.take()?;
        let incomplete = unfolded.incomplete.or(problem.take());
        problem.take();
        let unfolded = Unfolded { incomplete, ..unfolded };
        let (depth, heads) = std::mem::take(&mut self.place);
        Some(JourneyEnd::found(&UnfoldedStatement { unfolded, depth, heads }))
    }
}

impl Observing {
    /// Makes an instance that is before the statement run that statement, and end.
    fn begin_unfolding(&mut self, here: &mut Here) -> PositionAction {
        let UnfoldStatement { until, limits, .. } = self.aim;
        here.vm.steps.set_all(STEP, false);
        let Some(program) = here.inspection.program.clone() else { return PositionAction::End };
        let unfolding = Rc::<Unfolding>::default();
        self.unfolding = Some(unfolding.clone());
        match until {
            None => here.replay.go_beyond(),
            Some(until) => here.look_out_for(until),
        }
        let returns = unfolding.returns.clone();
        let Some((observation, head)) = program.observed(here.vm, here.view, limits, returns) else {
            return PositionAction::End;
        };
        let heads = observation.nodes.conditions.iter().map(|((head, _), _)| *head).collect();
        self.place = (here.vm.depth(), heads);
        here.vm.instead = Some(Box::new(move |vm, fp| {
            unfolding.run(vm, fp, &observation, &head);
            Err(terminate(vm))
        }));
        PositionAction::Pass
    }
}

impl DebuggedProgram {
    /// Compiles the head of the statement before which a frame is, so that its expressions are observed.
    fn observed(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        limits: Limits,
        returns: Rc<Cell<bool>>,
    ) -> Option<(Rc<Observation>, HeadFn)> {
        let program = self.program.clone();
        let function = program.function(view.func)?;
        let head = Head::find(function, view.stmt, view.back_edge);
        let span = program.statement(view.stmt)?.span;
        let nodes = Rc::new(Nodes::of(&program, (function, view.stmt), head, span));
        let expression = nodes.expression(head).unwrap_or(span);
        let (step, free) = (vm.steps.now(), self.frame_size(view));
        let compiled = self.compile(vm, view, free, |compiler| {
            compiler.fragment = false;
            let targets = targets::targets(compiler, head, &nodes).into();
            let numbers = nodes.numbers.clone();
            let observation = Observation::new(nodes, targets, (span, expression), step, limits, returns);
            let observation = Rc::new(observation);
            let observed = Observed { numbers, observer: observation.clone(), statements: false };
            let head = compiler.observed_head(function, (view.stmt, free), head, observed);
            // The client may have evaluated something while the statement was in progress.
            self.observed_size.set(compiler.max + 1);
            (observation, head)
        });
        compiled.ok()
    }
}
