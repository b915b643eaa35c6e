//! The program that is debugged, and expressions of the debugger compiled for its frames.

use std::rc::Rc;

use crate::api::{Failure, FailureKind, Position, WrongExpression};
use crate::check::{Allowed, Declared, ExtraVariable, Fragment, FrameScope, Symbols, check_fragment};
use crate::interp::CompiledProgram;
use crate::interp::compile::Compiler;
use crate::interp::operand::{StmtFn, ValueFn};
use crate::interp::slots::Slot;
use crate::interp::store;
use crate::interp::vm::Vm;
use crate::program::visit::{Use, Visitor, walk_expr};
use crate::program::{Expr, ExprKind, LocalId, Place, PlaceKind, Program};
use crate::source::Span;
use crate::value::Type;

use super::breakpoints::{Condition, LogMessage, LogPiece, Piece, pieces};
use super::effects::effect;
use super::frames::{FrameView, location, visible_locals};
use super::line_table::LineTable;

/// A program that was loaded and compiled.
pub(super) struct DebuggedProgram {
    pub program: Rc<Program>,
    pub symbols: Rc<Symbols>,
    pub compiled: Rc<CompiledProgram>,
    pub lines: LineTable,
    /// How many of its texts are files. Those behind are expressions of the debugger's.
    pub own_files: usize,
    /// How many globals the program itself has. Those behind are kept for variables of the debugger's.
    pub own_globals: u32,
}

/// Whether the conditions and log messages of breakpoints may have effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effects {
    Allowed,
    /// The program is run again, perhaps with other breakpoints.
    Refused,
}

/// An expression, assignment, call or declaration that was compiled for one frame.
pub(super) struct Runnable {
    pub statements: Vec<StmtFn>,
    /// The value, with its static type, if it is an expression.
    pub value: Option<(ValueFn, Type)>,
    /// The variable that gets the value, if it is a declaration.
    pub declared: Option<Declared>,
}

/// The failure of an expression.
pub(super) fn wrong(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Evaluation, message)
}

/// What an expression is made of.
#[derive(Default)]
struct Mentioned {
    /// Its locals.
    slots: Vec<Slot>,
    /// Whether it calls anything.
    calls: bool,
}

impl Visitor for Mentioned {
    fn expr(&mut self, e: &Expr) {
        match e.kind {
            ExprKind::Local(id) => self.slots.push(Slot::new(id.0)),
            ExprKind::Call { .. } | ExprKind::Native(_) => self.calls = true,
            _ => {}
        }
    }

    fn place(&mut self, place: &Place, _: Use) {
        if let PlaceKind::Local(id) = place.kind {
            self.slots.push(Slot::new(id.0));
        }
    }
}

impl DebuggedProgram {
    /// How many slots the frame's function uses.
    pub fn frame_size(&self, view: &FrameView) -> u32 {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        code.map_or(0, |code| code.layout.size)
    }

    /// The frame's locals that may be dead, with their object handed on to another place.
    pub fn handed_on(&self, view: &FrameView) -> Vec<Slot> {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        let Some(code) = code.filter(|code| !code.handed_on.is_empty()) else { return Vec::new() };
        let visible = visible_locals(&self.program, view);
        let slots = code.handed_on.iter().copied();
        slots.filter(|slot| visible.contains(&LocalId(slot.number()))).collect()
    }

    /// A fragment, compiled for a frame of `view`'s function; it makes its calls in slots from `free` on.
    pub fn compiled(&self, vm: &mut Vm, view: &FrameView, fragment: &Fragment, free: u32) -> Runnable {
        self.compile(vm, view, free, |compiler| Runnable {
            statements: fragment.stmts.iter().map(|s| compiler.stmt(s)).collect(),
            value: fragment.expr.as_ref().map(|e| (compiler.value(e), e.ty.clone())),
            declared: fragment.declared.clone(),
        })
    }

    /// A condition, for any frame of `view`'s function that is the innermost one.
    pub fn condition(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
        effects: Effects,
    ) -> Result<Condition, Failure> {
        let fragment = self.check(view, text, &[], Allowed::Evaluation)?;
        self.refuse_effects(view, &fragment, effects)?;
        let Some(expr) = &fragment.expr else { return Err(wrong("condition must be an expression")) };
        if !matches!(expr.ty, Type::Bool | Type::Any) {
            return Err(wrong(format!("condition must be bool, got {}", expr.ty)));
        }
        let holds = self.compile(vm, view, self.frame_size(view), |compiler| compiler.boolean(expr));
        let mut parts = Mentioned::default();
        walk_expr(expr, &mut parts);
        let dead = self.handed_on_of(view, parts.slots);
        if dead.is_empty() && !parts.calls {
            return Ok(Condition::from(holds));
        }
        Ok(Rc::new(move |vm: &mut Vm, fp| {
            dead.iter().for_each(|slot| store::unshare(vm, fp, *slot));
            vm.host.set_evaluating(true);
            let result = holds(vm, fp);
            vm.host.set_evaluating(false);
            result
        }))
    }

    fn refuse_effects(&self, view: &FrameView, fragment: &Fragment, effects: Effects) -> Result<(), Failure> {
        if effects == Effects::Refused
            && let Some(effect) = effect(&self.program, view.func, fragment)
        {
            let message = format!("it has an effect, which it may not while a history is kept: {effect}");
            return Err(wrong(message));
        }
        Ok(())
    }

    /// Those of some locals whose object may have been handed on.
    fn handed_on_of(&self, view: &FrameView, mut slots: Vec<Slot>) -> Vec<Slot> {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        slots.retain(|slot| code.is_some_and(|code| code.handed_on.contains(slot)));
        slots
    }

    /// A log message, for any frame of `view`'s function that is the innermost one.
    pub fn log_message(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
        effects: Effects,
    ) -> Result<LogMessage, Failure> {
        let mut compiled = Vec::new();
        for piece in pieces(text).map_err(wrong)? {
            compiled.push(match piece {
                Piece::Text(text) => LogPiece::Text(text),
                Piece::Expression(text) => {
                    let fragment = self.check(view, &text, &[], Allowed::Evaluation)?;
                    self.refuse_effects(view, &fragment, effects)?;
                    let Some(expr) = &fragment.expr else {
                        return Err(wrong(format!("wrong log message: {{{text}}} is no expression")));
                    };
                    let free = self.frame_size(view);
                    LogPiece::Value(self.compile(vm, view, free, |compiler| compiler.value(expr)))
                }
            });
        }
        Ok(compiled.into())
    }

    /// Checks a text for a frame.
    pub fn check(
        &self,
        view: &FrameView,
        text: &str,
        extras: &[ExtraVariable],
        allowed: Allowed,
    ) -> Result<Fragment, Failure> {
        let scope = FrameScope {
            func: view.func,
            stmt: view.stmt,
            visible: visible_locals(&self.program, view),
            file: view.at.file,
            extras: extras.to_vec(),
        };
        let checked = check_fragment(&self.symbols, &self.program, &scope, text, allowed);
        checked.map_err(|diagnostics| match diagnostics.first() {
            Some(diagnostic) => {
                let position = diagnostic.span.map(|at| fragment_position(&self.program, at));
                let expression = Some(WrongExpression { code: diagnostic.code, position });
                Failure { wrong: expression, ..wrong(diagnostic.message.clone()) }
            }
            None => wrong("cannot be evaluated"),
        })
    }

    fn compile<T>(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        free: u32,
        compile: impl FnOnce(&mut Compiler) -> T,
    ) -> T {
        let sites = std::mem::take(&mut vm.sites);
        let codes = self.compiled.codes.clone();
        let mut compiler = Compiler::new(&self.program, codes, sites, Some(self.compiled.flags.clone()));
        if let Some(function) = self.program.function(view.func) {
            compiler.enter(function);
        }
        compiler.at = free;
        compiler.stmt = view.stmt;
        compiler.fragment = true;
        let compiled = compile(&mut compiler);
        vm.sites = compiler.sites;
        compiled
    }
}

/// Where a place of a fragment is, in its text.
fn fragment_position(program: &Program, at: Span) -> Position {
    let location = location(&program.sources, at);
    Position { line: location.line, column: location.column }
}
