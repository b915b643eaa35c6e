//! Has every statement of a program observed while the engine steps through it, for `ez trace`.

use std::rc::Rc;

use crate::api::{StopReason, Unfolded};
use crate::debug::inspect::frames::FrameView;
use crate::debug::program::DebuggedProgram;
use ez_runtime::interp::compile::observed::Head;
use ez_runtime::interp::vm::Vm;

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

impl DebuggedProgram {
    /// The program runs on, without being stopped at each statement: statements are not observed then.
    pub fn stop_observing(&self) {
        if let Some(observer) = &self.observer {
            observer.clear();
        }
    }

    /// Begins to observe the statement that a frame has reached, if statements are observed.
    pub fn observe_statement(&self, vm: &mut Vm, view: &FrameView) {
        let Some(observer) = &self.observer else { return };
        let known = observer.known(view.stmt, view.back_edge).or_else(|| self.known(vm, observer, view));
        observer.begin(vm, view.fp, view.stmt, known);
    }

    /// What was computed since the last stop, if statements are observed, at a stop for this reason.
    pub fn computed(&self, vm: &Vm, reason: StopReason) -> Vec<Unfolded> {
        let all = matches!(reason, StopReason::Exception | StopReason::End);
        self.observer.as_ref().map_or(Vec::new(), |observer| observer.take(vm, all))
    }
}
