//! Collects what the head of a statement computes.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt};

use crate::api::{
    Condition, Described, Limits, MAX_PARTS, ObjectId, Part, PartArgument, PartKind, PartResult, Position,
    Unfolded, Value as Shown,
};
use crate::debug::inspect::describe::{describe, part_count, type_text};
use crate::debug::inspect::frames::{end_position, location};
use ez_language::syntax::ast::BinaryOp;
use ez_runtime::interp::compile::observed::{ExprObserver, HeadFn};
use ez_runtime::interp::slots::Fp;
use ez_runtime::interp::vm::{Exit, Pending, Vm};
use ez_runtime::source::Span;
use ez_runtime::value::{Type, Value, object_number};

use super::context::DecidingHead;
use super::nodes::{Argument, Node, Nodes};
use super::targets::WriteTarget;
use super::text_lengths::TextLengths;
use super::texts::places as places_in_text;

/// What is seen while a head is run.
pub(crate) struct Observation {
    pub nodes: Rc<Nodes>,
    pub targets: Rc<[WriteTarget]>,
    /// The text of the head.
    pub span: Span,
    /// The part of it whose value is computed.
    pub expression: Span,
    pub step: u64,
    pub limits: Limits,
    progress: Progress,
    /// Set where a call returns after which nothing more is wanted but its result.
    returns: Rc<Cell<bool>>,
}

#[derive(Default)]
struct Progress {
    /// The frame of the statement.
    frame: Cell<Option<Fp>>,
    /// The values, by number of the expression.
    values: RefCell<HashMap<usize, Described>>,
    /// The first and the last step during each expression, without those of its parts.
    steps: RefCell<HashMap<usize, (u64, u64)>>,
    /// The values of expressions in targets.
    kept: RefCell<HashMap<usize, Value>>,
    /// The values of the targets before they are written to, by number.
    old: RefCell<HashMap<usize, Option<Described>>>,
    /// How long the texts are of which a text is made.
    lengths: TextLengths,
    /// The expression after which nothing more is wanted.
    last: Cell<Option<usize>>,
    /// The innermost expression that has failed.
    failed: Cell<Option<usize>>,
    /// The error with which it has failed, if it was one: its place, message and code.
    error: RefCell<Option<(Span, String, String)>>,
    /// Whether each case of a `when` fits, as far as they were compared.
    tests: RefCell<Vec<bool>>,
}

/// The place, message and code of the error that is pending.
fn pending_error(vm: &Vm) -> Option<(Span, String, String)> {
    match &vm.pending {
        Pending::Error(error) => Some((error.span, error.message.clone(), error.code.as_str().to_string())),
        _ => None,
    }
}

/// Describes a value without a handle.
fn described(value: &Value, ty: &Type, limits: Limits) -> Described {
    let value = value.follow();
    let object = value.as_ref().and_then(object_number).and_then(NonZeroU64::new).map(ObjectId);
    Described {
        value: describe(&value, ty, limits),
        declared_type: type_text(ty),
        handle: None,
        children: part_count(&value),
        object,
    }
}

impl Observation {
    pub fn new(
        nodes: Rc<Nodes>,
        targets: Rc<[WriteTarget]>,
        (span, expression): (Span, Span),
        step: u64,
        limits: Limits,
        returns: Rc<Cell<bool>>,
    ) -> Observation {
        let progress = Progress::default();
        Observation { nodes, targets, span, expression, step, limits, progress, returns }
    }

    /// Notes the values of the variables that the head is going to write to.
    pub fn begin(&self, vm: &mut Vm, fp: Fp) {
        self.progress.frame.set(Some(fp));
        self.note_variables(vm, fp);
    }

    fn note_variables(&self, vm: &mut Vm, fp: Fp) {
        for (number, target) in self.targets.iter().enumerate() {
            if target.is_in_variable() {
                let old = if target.is_new { None } else { self.read(vm, Some(fp), target) };
                self.progress.old.borrow_mut().insert(number, old);
            }
        }
    }

    fn read(&self, vm: &mut Vm, fp: Option<Fp>, target: &WriteTarget) -> Option<Described> {
        let value = target.read(vm, fp, &self.progress.kept.borrow())?;
        Some(described(&value, &target.ty, self.limits))
    }

    /// What was computed, after the head has run with this result.
    pub fn result(&self, vm: &mut Vm, fp: Fp, result: Result<(), Exit>) -> Unfolded {
        let writes = match result {
            Ok(()) if !self.returns.get() => self.writes(vm, fp),
            _ => Vec::new(),
        };
        // What happens after the return that the client looks at is of the future.
        let error = if result.is_err() && !self.returns.get() { pending_error(vm) } else { None };
        self.unfolded(vm, writes, error)
    }

    /// What was computed by a head that has no targets, or has not come to its end.
    pub fn computed_so_far(&self, vm: &Vm) -> Unfolded {
        self.unfolded(vm, Vec::new(), self.progress.error.borrow().clone())
    }

    fn unfolded(&self, vm: &Vm, writes: Vec<Part>, error: Option<(Span, String, String)>) -> Unfolded {
        let (mut parts, places) = self.parts(vm);
        parts.extend(writes);
        if let Some((span, message, code)) = error {
            let failed = self.progress.failed.get().and_then(|node| self.nodes.all.get(node));
            let span = failed.filter(|node| node.kind.is_some()).map_or(span, |node| node.span);
            let result = PartResult::Failed { message, code };
            // Of a call that the error has ended, as of one that has returned.
            let arguments = failed.map(|node| self.arguments(vm, node, &places)).unwrap_or_default();
            parts.push(Part { arguments, ..self.part(vm, span, PartKind::Error, result) });
        }
        let truncated = parts.len() > MAX_PARTS;
        parts.truncate(MAX_PARTS);
        for part in &mut parts {
            part.parent = part.parent.filter(|parent| *parent < MAX_PARTS);
            part.arguments.iter_mut().for_each(|it| it.part = it.part.filter(|part| *part < MAX_PARTS));
        }
        let sources = vm.program.sources.clone();
        let condition = |((_, holds), at): &(DecidingHead, Span)| {
            let at = location(&sources, *at);
            Condition { at: Position { line: at.line, column: at.column }, holds: *holds, step: None }
        };
        Unfolded {
            step: self.step,
            location: location(&sources, self.span),
            end: end_position(&sources, self.span),
            statement: self.nodes.statement,
            conditions: self.nodes.conditions.iter().map(condition).collect(),
            text: vm.source_text(self.span),
            expression: self.range(self.expression),
            parts,
            incomplete: None,
            truncated,
        }
    }

    /// The text of the expression that could not be computed to its end, or of the whole head.
    pub fn unfinished(&self, vm: &Vm) -> String {
        let node = self.progress.failed.get().and_then(|node| self.nodes.all.get(node));
        let text = vm.source_text(node.map_or(self.span, |node| node.span));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let length = self.span.end.saturating_sub(self.span.start);
        let offset = |at: u32| at.saturating_sub(self.span.start).min(length) as usize;
        offset(span.start)..offset(span.end)
    }

    fn part(&self, vm: &Vm, span: Span, kind: PartKind, result: PartResult) -> Part {
        let sources = &vm.program.sources;
        let start = location(sources, span);
        let is_here = self.span.start <= span.start && span.end <= self.span.end;
        Part {
            text: vm.source_text(span),
            range: if is_here { self.range(span) } else { 0..0 },
            start: Position { line: start.line, column: start.column },
            end: end_position(sources, span),
            kind,
            parent: None,
            result,
            steps: None,
            arguments: Vec::new(),
            effect: None,
            place: None,
        }
    }

    /// The expressions, in the order in which they were computed, and the indices of their parts by number.
    fn parts(&self, vm: &Vm) -> (Vec<Part>, HashMap<usize, usize>) {
        let (mut parts, mut places) = (Vec::new(), HashMap::new());
        for (number, node) in self.nodes.all.iter().enumerate() {
            if let Some((operator, right)) = node.right
                && let Some(part) = self.skipped(vm, number, operator, right)
            {
                places.insert(right, parts.len());
                parts.push(part);
            }
            let values = self.progress.values.borrow();
            let Some(kind) = node.kind else { continue };
            let Some(value) = values.get(&number) else {
                if node.calls && self.is_in_progress(number) {
                    places.insert(number, parts.len());
                    parts.push(self.part(vm, node.span, kind, PartResult::Nothing));
                }
                continue;
            };
            if node.converted.is_some_and(|inner| !self.differs(inner, value)) {
                continue;
            }
            let result = match node.ty {
                Type::Void => PartResult::Nothing,
                _ => PartResult::Value(value.clone()),
            };
            let steps = self.progress.steps.borrow().get(&number).copied();
            let steps = steps.filter(|(first, last)| node.calls && first <= last);
            places.insert(number, parts.len());
            parts.push(Part { steps, effect: node.effect, ..self.part(vm, node.span, kind, result) });
        }
        for (number, place) in &places {
            let parent = self.ancestors(*number).find_map(|ancestor| places.get(&ancestor));
            if let Some(part) = parts.get_mut(*place) {
                part.parent = parent.copied();
                let node = self.nodes.all.get(*number);
                part.arguments = node.map(|node| self.arguments(vm, node, &places)).unwrap_or_default();
            }
        }
        for node in &self.nodes.all {
            for (piece, range) in
                places_in_text(&node.pieces, |number| self.progress.lengths.get(&self.nodes.all, number))
            {
                let part = self.part_of(piece, &places).filter(|_| !self.may_have_changed(piece));
                let part = part.and_then(|part| parts.get_mut(part));
                part.into_iter().for_each(|part: &mut Part| part.place = Some(range.clone()));
            }
        }
        parts.extend(self.cases(vm));
        (parts, places)
    }

    /// The arguments of a call; `places` has the parts by number of the expression.
    fn arguments(&self, vm: &Vm, call: &Node, places: &HashMap<usize, usize>) -> Vec<PartArgument> {
        call.arguments.iter().map(|argument| self.argument(vm, argument, places)).collect()
    }

    fn argument(&self, vm: &Vm, argument: &Argument, places: &HashMap<usize, usize>) -> PartArgument {
        let Argument { span, node } = argument;
        let is_here =
            span.file == self.span.file && self.span.start <= span.start && span.end <= self.span.end;
        let part = node.and_then(|node| self.part_of(node, places));
        PartArgument { text: is_here.then(|| vm.source_text(*span)), part, by_reference: node.is_none() }
    }

    /// The index of the part that has the value of an expression, or of what that converts.
    fn part_of(&self, node: usize, places: &HashMap<usize, usize>) -> Option<usize> {
        let inner = |node: &usize| self.nodes.all.get(*node).and_then(|node| node.converted);
        std::iter::successors(Some(node), inner).find_map(|node| places.get(&node)).copied()
    }

    /// Whether the text that was made of a value may not be that of the value when it was computed.
    fn may_have_changed(&self, number: usize) -> bool {
        let is_object =
            || self.progress.values.borrow().get(&number).is_none_or(|value| value.object.is_some());
        self.nodes
            .all
            .get(number)
            .is_none_or(|node| node.is_shown_later && node.constant.is_none() && is_object())
    }

    /// Whether the run was ended while this call was in progress, and not by an error.
    fn is_in_progress(&self, call: usize) -> bool {
        self.progress.failed.get() == Some(call) && self.progress.error.borrow().is_none()
    }

    fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> {
        let parent = |node: &usize| self.nodes.all.get(*node).and_then(|node| node.parent);
        std::iter::successors(parent(&node), parent)
    }

    /// The right side of an operator, if that was decided by the left side.
    fn skipped(&self, vm: &Vm, node: usize, operator: BinaryOp, right: usize) -> Option<Part> {
        let values = self.progress.values.borrow();
        let right_node = self.nodes.all.get(right)?;
        let kind = right_node.kind.filter(|_| values.contains_key(&node) && !values.contains_key(&right))?;
        let left = if operator == BinaryOp::And { "false" } else { "true" };
        let why = PartResult::Skipped(format!("the left side is {left}"));
        Some(self.part(vm, right_node.span, kind, why))
    }

    /// Whether a converted value looks different from what was converted.
    fn differs(&self, inner: usize, value: &Described) -> bool {
        let values = self.progress.values.borrow();
        let constant = self.nodes.all.get(inner).and_then(|node| node.constant.as_ref());
        let constant = constant.map(|constant| describe(constant, &Type::Any, self.limits));
        let inner = constant.or_else(|| values.get(&inner).map(|inner| inner.value.clone()));
        match (inner, &value.value) {
            (None, _) => true,
            (Some(Shown::Int(int)), Shown::Byte(byte)) => int != i64::from(*byte),
            (Some(Shown::Byte(byte)), Shown::Int(int)) => *int != i64::from(byte),
            (Some(inner), value) => inner != *value,
        }
    }

    /// The comparisons of a `when`.
    fn cases(&self, vm: &Vm) -> Vec<Part> {
        let tests = self.progress.tests.borrow();
        let has_fitted = tests.last() == Some(&true);
        let case = |(number, span): (usize, &Span)| {
            let result = match tests.get(number) {
                Some(fits) => PartResult::Value(described(&Value::Bool(*fits), &Type::Bool, self.limits)),
                None if has_fitted => PartResult::Skipped("an earlier case fits".into()),
                None => return None,
            };
            Some(self.part(vm, *span, PartKind::Operator, result))
        };
        self.nodes.cases.iter().enumerate().filter_map(case).collect()
    }

    fn writes(&self, vm: &mut Vm, fp: Fp) -> Vec<Part> {
        let mut parts = Vec::new();
        for (number, target) in self.targets.iter().enumerate() {
            let old = self.progress.old.borrow_mut().remove(&number).flatten();
            let new = self.read(vm, Some(fp), target);
            let result = PartResult::Written { target: target.name.clone(), old, new };
            parts.push(self.part(vm, target.span, PartKind::Write, result));
        }
        parts
    }
}

impl ExprObserver for Observation {
    fn begins(&self, vm: &mut Vm, node: usize) {
        self.progress.steps.borrow_mut().insert(node, (vm.steps.now() + 1, 0));
    }

    fn computed(&self, vm: &mut Vm, node: usize, value: Value) {
        if self.returns.get() {
            let last = self.progress.last.get();
            if last.is_some_and(|last| last != node) {
                return;
            }
            self.progress.last.set(Some(node));
        }
        let now = vm.steps.now();
        let Some(info) = self.nodes.all.get(node) else { return };
        {
            let mut steps = self.progress.steps.borrow_mut();
            steps.entry(node).or_insert((now, 0)).1 = now;
            if let Some(parent) = info.parent {
                steps.insert(parent, (now + 1, 0));
            }
        }
        self.progress.values.borrow_mut().insert(node, described(&value, &info.ty, self.limits));
        self.progress.lengths.note(&self.nodes.all, node, &value);
        // A function that was called may have written to the variables, too.
        if let Some(fp) = self.progress.frame.get().filter(|_| info.calls) {
            self.note_variables(vm, fp);
        }
        let ready: Vec<usize> = (0..self.targets.len())
            .filter(|it| self.targets.get(*it).is_some_and(|it| it.uses(node)))
            .collect();
        if ready.is_empty() {
            return;
        }
        self.progress.kept.borrow_mut().insert(node, value.follow());
        for number in ready {
            let Some(target) = self.targets.get(number) else { continue };
            let old = self.read(vm, self.progress.frame.get(), target);
            self.progress.old.borrow_mut().insert(number, old);
        }
    }

    fn failed(&self, vm: &mut Vm, node: usize) {
        if self.progress.failed.get().is_none() && !self.returns.get() {
            self.progress.failed.set(Some(node));
            *self.progress.error.borrow_mut() = pending_error(vm);
        }
    }

    fn tested(&self, _: &mut Vm, _: usize, fits: bool) {
        if self.returns.get() {
            return;
        }
        self.progress.tests.borrow_mut().push(fits);
    }
}

/// The observation of a journey, and how it ended.
#[derive(Default)]
pub(crate) struct Unfolding {
    /// What was found.
    pub result: RefCell<Option<Unfolded>>,
    /// Whether the client's position was reached, which is the return of a call: only its result is still
    /// wanted.
    pub returns: Rc<Cell<bool>>,
    /// Why the run was ended before the statement was, if the instance has ended it.
    pub ended: RefCell<Option<EndOfUnfolding>>,
}

/// Why the run of a statement was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndOfUnfolding {
    /// The client's position was reached.
    Reached,
    /// It waits for something from outside.
    Waits,
    ProgramEnds,
}

impl Unfolding {
    /// Runs the head, and keeps what it computes.
    pub fn run(&self, vm: &mut Vm, fp: Fp, observation: &Rc<Observation>, head: &HeadFn) {
        observation.begin(vm, fp);
        let result = head.run(vm, fp);
        let is_interrupted = matches!(vm.pending, Pending::Terminated | Pending::Exit(_));
        let unfolded = observation.result(vm, fp, result);
        let text = observation.unfinished(vm);
        let incomplete = match *self.ended.borrow() {
            _ if self.returns.get() => Some("the statement is still in progress".into()),
            _ if !is_interrupted => None,
            Some(EndOfUnfolding::Reached) => Some(format!("{text} is still in progress")),
            Some(EndOfUnfolding::Waits) => {
                Some(format!("{text} needs something from outside that the program has not been given yet"))
            }
            Some(EndOfUnfolding::ProgramEnds) => Some(format!("{text} ends the program")),
            // Somebody has cancelled the journey.
            None => return,
        };
        *self.result.borrow_mut() = Some(Unfolded { incomplete, ..unfolded });
    }
}
