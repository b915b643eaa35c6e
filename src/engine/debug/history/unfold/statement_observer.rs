//! Collects what every statement of a program computes while it runs, for `ez trace`.
//!
//! The program is compiled so that all its expressions report their values. The engine says which statement a
//! frame has reached ([`StatementObserver::begin`]); what is reported then belongs to that statement, until the
//! frame reaches another one or has returned. It says so while it steps through the program. Calls in a statement have frames, and thus observations, of
//! their own: the observations in progress form a stack, like the frames.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use crate::api::{Limits, Unfolded};
use ez_runtime::interp::CompiledProgram;
use ez_runtime::interp::compile::compile_observed;
use ez_runtime::interp::compile::observed::{ExprObserver, Observed, heads};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Exit, Vm};
use ez_runtime::program::{Program, StmtId};
use ez_runtime::source::Span;
use ez_runtime::value::{Value, pause_numbers};

use super::nodes::{Nodes, number_expressions};
use super::observation::Observation;
use super::targets::WriteTarget;

/// Compiles a program so that all its statements are observed; this much is described of each value.
pub(crate) fn compile(program: &Program, limits: Limits) -> (CompiledProgram, Rc<StatementObserver>) {
    let (mut numbers, mut first, mut next) = (HashMap::new(), HashMap::new(), 0);
    for function in &program.functions {
        for (id, head) in heads(function) {
            first.insert(id, next);
            next = number_expressions(head, next, &mut numbers);
        }
    }
    let observer = Rc::new(StatementObserver {
        first,
        limits,
        known: RefCell::default(),
        open: RefCell::default(),
        done: RefCell::default(),
    });
    let observed = Observed { numbers: Rc::new(numbers), observer: observer.clone(), statements: true };
    (compile_observed(program, observed), observer)
}

/// Collects what the statements of a program compute.
pub(crate) struct StatementObserver {
    /// The number of the first expression of each statement.
    first: HashMap<StmtId, usize>,
    limits: Limits,
    /// The statements that have been reached, by number and whether it was by a back edge.
    known: RefCell<HashMap<(StmtId, bool), Rc<Known>>>,
    /// The observations in progress, at most one for each frame, outermost first.
    open: RefCell<Vec<Open>>,
    /// Those that have ended.
    done: RefCell<Vec<Unfolded>>,
}

/// What does not change from one run of a statement to the next.
pub(crate) struct Known {
    nodes: Rc<Nodes>,
    targets: Rc<[WriteTarget]>,
    span: Span,
    expression: Span,
    /// The number of its first expression.
    first: usize,
}

#[derive(Clone)]
struct Open {
    /// The depth of its frame.
    depth: u32,
    id: StmtId,
    known: Rc<Known>,
    observation: Rc<Observation>,
}

impl StatementObserver {
    /// What is known of a statement that has been reached before, in the same way.
    pub fn known(&self, id: StmtId, back_edge: bool) -> Option<Rc<Known>> {
        self.known.borrow().get(&(id, back_edge)).cloned()
    }

    /// Adds what is known of a statement; `None` if its expressions are not observed.
    pub fn add_known(
        &self,
        (id, back_edge): (StmtId, bool),
        nodes: Rc<Nodes>,
        targets: Rc<[WriteTarget]>,
        (span, expression): (Span, Span),
    ) -> Option<Rc<Known>> {
        let first = *self.first.get(&id)?;
        let known = Rc::new(Known { nodes, targets, span, expression, first });
        self.known.borrow_mut().insert((id, back_edge), known.clone());
        Some(known)
    }

    /// A frame has reached a statement, or has come back to a loop's header: what was under way there has ended.
    pub fn begin(&self, vm: &mut Vm, fp: Fp, id: StmtId, known: Option<Rc<Known>>) {
        let _numbering = pause_numbers();
        let depth = vm.depth();
        self.close_from(vm, depth);
        let Some(known) = known else { return };
        let observation = Rc::new(Observation::new(
            known.nodes.clone(),
            known.targets.clone(),
            (known.span, known.expression),
            vm.steps.now(),
            self.limits,
            Rc::new(Cell::new(false)),
        ));
        observation.begin(vm, fp);
        self.open.borrow_mut().push(Open { depth, id, known, observation });
    }

    /// Forgets what is under way, and what has ended.
    pub fn clear(&self) {
        self.open.borrow_mut().clear();
        self.done.borrow_mut().clear();
    }

    /// Ends the observations of the frames at this depth and of those called from there.
    fn close_from(&self, vm: &Vm, depth: u32) {
        while let Some(ended) = self.open.borrow_mut().pop_if(|open| open.depth >= depth) {
            self.add(ended.observation.computed_so_far(vm));
        }
    }

    fn add(&self, unfolded: Unfolded) {
        if !unfolded.parts.is_empty() {
            self.done.borrow_mut().push(unfolded);
        }
    }

    /// The observation of the running frame, after those of frames that have returned were ended.
    fn current(&self, vm: &Vm) -> Option<Open> {
        let depth = vm.depth();
        self.close_from(vm, depth + 1);
        self.open.borrow().last().filter(|open| open.depth == depth).cloned()
    }

    /// The observation to which an expression belongs, and the number that the expression has there.
    fn of(&self, vm: &Vm, node: usize) -> Option<(Rc<Observation>, usize)> {
        let Open { known, observation, .. } = self.current(vm)?;
        let number = node.checked_sub(known.first)?;
        (number < known.nodes.all.len()).then_some((observation, number))
    }

    /// What was computed since this was called last. `all`: also what statements in progress have computed so far.
    pub fn take(&self, vm: &Vm, all: bool) -> Vec<Unfolded> {
        // Frames that have returned are over.
        self.close_from(vm, vm.depth() + 1);
        let mut done = std::mem::take(&mut *self.done.borrow_mut());
        if all {
            let open = self.open.borrow();
            let so_far = open.iter().map(|open| open.observation.computed_so_far(vm));
            done.extend(so_far.filter(|unfolded| !unfolded.parts.is_empty()));
        }
        done
    }
}

impl ExprObserver for StatementObserver {
    fn begins(&self, vm: &mut Vm, node: usize) {
        if let Some((observation, node)) = self.of(vm, node) {
            observation.begins(vm, node);
        }
    }

    fn computed(&self, vm: &mut Vm, node: usize, value: Value) {
        let _numbering = pause_numbers();
        if let Some((observation, node)) = self.of(vm, node) {
            observation.computed(vm, node, value);
        }
    }

    fn failed(&self, vm: &mut Vm, node: usize) {
        if let Some((observation, node)) = self.of(vm, node) {
            observation.failed(vm, node);
        }
    }

    fn tested(&self, vm: &mut Vm, case: usize, fits: bool) {
        if let Some(Open { observation, .. }) = self.current(vm) {
            observation.tested(vm, case, fits);
        }
    }

    fn ran(&self, vm: &mut Vm, fp: Fp, id: StmtId, result: Result<(), Exit>) {
        let _numbering = pause_numbers();
        let Some(open) = self.current(vm).filter(|open| open.id == id) else { return };
        self.open.borrow_mut().pop();
        let unfolded = open.observation.result(vm, fp, result);
        self.add(unfolded);
    }
}
