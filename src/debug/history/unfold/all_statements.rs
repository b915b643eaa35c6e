//! Has every statement of a program observed while the engine steps through it, for `ez trace`.

use std::rc::Rc;

use crate::api::{StopReason, Unfolded};
use crate::debug::engine::Engine;
use crate::debug::inspect::frames::FrameView;
use crate::debug::program::DebuggedProgram;
use crate::interp::compile::observed::Head;
use crate::interp::slots::Fp;
use crate::interp::vm::Vm;
use crate::program::StmtId;

use super::nodes::Nodes;
use super::statement_observer::{Known, StatementObserver};
use super::targets;

impl DebuggedProgram {
    /// Finds out what is the same each time the statement runs before which a frame is.
    fn known(&self, vm: &mut Vm, observer: &StatementObserver, view: &FrameView) -> Option<Rc<Known>> {
        let program = self.program.clone();
        let function = program.function(view.func)?;
        let head = Head::find(function, view.stmt, view.back_edge);
        let span = program.statement(view.stmt)?.span;
        let nodes = Rc::new(Nodes::of(&program, (function, view.stmt), head, span));
        let expression = nodes.expression(head).unwrap_or(span);
        let targets = self.compile(vm, view, self.frame_size(view), |compiler| {
            compiler.fragment = false;
            targets::targets(compiler, head, &nodes).into()
        });
        let targets = targets.ok()?;
        observer.add_known((view.stmt, view.back_edge), nodes, targets, (span, expression))
    }
}

impl Engine {
    /// The program runs on, without being stopped at each statement: statements are not observed then.
    pub fn stop_observing(&self) {
        if let Some(observer) = self.inspection.program.as_ref().and_then(|program| program.observer.as_ref())
        {
            observer.clear();
        }
    }

    /// Begins to observe the statement that a frame has reached, if statements are observed.
    pub fn observe_statement(&mut self, vm: &mut Vm, fp: Fp, stmt: StmtId, back_edge: bool) {
        let Some(debugged) = &self.inspection.program else { return };
        let Some(observer) = &debugged.observer else { return };
        let Some(info) = vm.program.statement(stmt) else { return };
        let view = FrameView { fp, func: info.func, stmt, at: info.at, back_edge };
        let known = observer.known(stmt, back_edge).or_else(|| debugged.known(vm, observer, &view));
        observer.begin(vm, fp, stmt, known);
    }

    /// What was computed since the last stop, if statements are observed, at a stop for this reason.
    pub fn computed(&mut self, vm: &Vm, reason: StopReason) -> Vec<Unfolded> {
        let observer = self.inspection.program.as_ref().and_then(|program| program.observer.as_ref());
        let all = matches!(reason, StopReason::Exception | StopReason::End);
        observer.map_or(Vec::new(), |observer| observer.take(vm, all))
    }
}
