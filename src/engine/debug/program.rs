//! The program being debugged, and the compilation of the debugger's expressions for its frames.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use crate::api::{ExceptionFilter, Failure, FailureKind, Position};
use crate::debug::breakpoints::error_code::ErrorCode;
use crate::debug::breakpoints::line_table::LineTable;
use crate::debug::breakpoints::log_message::{Piece, pieces};
use crate::debug::breakpoints::table::{Condition, LogMessage, LogPiece};
use crate::debug::history::unfold::statement_observer::StatementObserver;
use crate::debug::inspect::effects::effect;
use crate::debug::inspect::frames::{FrameView, position, visible_locals};
use crate::debug::inspect::undeclared::{check_of_calls, once_declared};
use ez_language::check::{Allowed, Declared, ExtraVariable, Fragment, FrameScope, Symbols, check_fragment};
use ez_language::syntax::parse_expression;
use ez_language::syntax::token::is_reserved;
use ez_runtime::diagnostics::Code;
use ez_runtime::interp::CompiledProgram;
use ez_runtime::interp::closures::{StmtFn, ValueFn};
use ez_runtime::interp::compile::{Compiler, Unfinished};
use ez_runtime::interp::slots::{Fp, Slot};
use ez_runtime::interp::store;
use ez_runtime::interp::vm::{Stop, Vm};
use ez_runtime::library::Runtime;
use ez_runtime::program::visit::{Use, Visitor, walk_expr};
use ez_runtime::program::{
    Callee, Expr, ExprClass, ExprKind, GlobalId, LocalId, Program, Target, TargetKind,
};
use ez_runtime::source::{SourceMap, Span};
use ez_runtime::value::{Type, builtin, pause_numbers};

/// A program that was loaded and compiled.
pub struct DebuggedProgram {
    pub program: Rc<Program>,
    pub symbols: Rc<Symbols>,
    pub compiled: Rc<CompiledProgram>,
    pub lines: LineTable,
    /// Number of source texts that are files; those after it are expressions of the debugger.
    pub own_files: usize,
    /// Number of the program's own globals; those after it are for variables of the debugger.
    pub own_globals: u32,
    /// Observes its statements, if that is wanted.
    pub observer: Option<Rc<StatementObserver>>,
    /// Number of slots that a statement uses which is run observed, with those of its function; 0 if there is none.
    pub observed_size: Cell<u32>,
}

/// Whether conditions and log messages may have side effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    Allowed,
    /// Refused: in another run of the program with other breakpoints, they would be missing.
    Refused,
}

/// A compiled expression, assignment, call or declaration.
pub struct Runnable {
    pub statements: Vec<StmtFn>,
    /// Computes the value, with its static type; `None` if it is not an expression.
    pub value: Option<(ValueFn, Type)>,
    /// The variable to be declared; `None` if it is not a declaration.
    pub declared: Option<Declared>,
    /// Whether it may have side effects.
    pub has_effect: bool,
}

/// The name of the variable with the error, for conditions and evaluations at an error.
pub const ERROR: &str = "error";

/// An evaluation failure with this message.
pub fn wrong(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Evaluation, message)
}

/// The failure of an expression that is wrong at this place in its text.
fn wrong_at(program: &Program, code: Code, at: Span, message: impl Into<String>) -> Failure {
    Failure::wrong_expression(code, Some(position(&program.sources, at)), message)
}

/// The failure of an expression that begins at this place in a longer text, as one of that text.
fn moved(mut failure: Failure, start: Position) -> Failure {
    if let Some(at) = failure.wrong.as_mut().and_then(|wrong| wrong.position.as_mut()) {
        at.column += if at.line == 1 { start.column - 1 } else { 0 };
        at.line += start.line - 1;
    }
    failure
}

/// What an expression uses.
#[derive(Default)]
struct Mentioned {
    /// The slots of its locals.
    slots: Vec<Slot>,
    /// Whether it has calls, or creates objects.
    calls: bool,
}

impl Visitor for Mentioned {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::Local(id) = e.kind {
            self.slots.push(Slot::new(id.0));
        }
        self.calls |= match e.kind.class() {
            ExprClass::Calls(Callee::Function(..) | Callee::Native(_)) | ExprClass::Creates => true,
            ExprClass::Calls(Callee::Builtin(_)) => false,
            ExprClass::Computes | ExprClass::Reads | ExprClass::Writes => false,
        };
    }

    fn target(&mut self, target: &Target, _: Use) {
        if let TargetKind::Local(id) = target.kind {
            self.slots.push(Slot::new(id.0));
        }
    }
}

impl DebuggedProgram {
    /// Number of slots in the frame of the function, which a stopped program may be using.
    pub fn frame_size(&self, view: &FrameView) -> u32 {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        code.map_or(0, |code| code.layout.size).max(self.observed_size.get())
    }

    /// The slots of locals of the frame that may be dead and share their object with a live value.
    pub fn handed_on(&self, view: &FrameView) -> Vec<Slot> {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        let Some(code) = code.filter(|code| !code.handed_on.is_empty()) else { return Vec::new() };
        let visible = visible_locals(&self.program, view);
        let slots = code.handed_on.iter().copied();
        slots.filter(|slot| visible.contains(&LocalId(slot.number()))).collect()
    }

    /// Compiles a fragment, which may have side effects, for a frame of `view`'s function; calls in it use the
    /// slots from `free` on. Call it from [`Inspection::uninterrupted`](super::inspect::inspection::Inspection::uninterrupted), which
    /// may end it. The error is pending.
    pub fn compiled(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        fragment: &Fragment,
        has_effect: bool,
        free: u32,
    ) -> Result<Runnable, Stop> {
        let compiled = self.compile_while(vm, view, free, true, |compiler| Runnable {
            statements: fragment.stmts.iter().map(|s| compiler.stmt(s)).collect(),
            value: fragment.expr.as_ref().map(|e| (compiler.value(e), e.ty.clone())),
            declared: fragment.declared.clone(),
            has_effect,
        });
        compiled.map_err(|unfinished| match unfinished {
            Unfinished::Interrupted => Stop,
            Unfinished::OutOfMemory => out_of_memory(vm),
        })
    }

    /// Compiles a condition for innermost frames of `view`'s function. Also returns whether it calls functions,
    /// which may not end.
    pub fn condition(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
        effects: Effects,
    ) -> Result<(Condition, bool), Failure> {
        let fragment = self.check(view, text, &[], Allowed::Evaluation)?;
        self.refuse_effects(view, &fragment, effects)?;
        let expr = self.condition_expression(&fragment)?;
        if !matches!(expr.ty, Type::Bool | Type::Any) {
            return Err(self.not_bool(expr));
        }
        let free = self.frame_size(view);
        let holds = self.compile(vm, view, free, |compiler| compiler.boolean(expr)).map_err(no_room)?;
        let mut parts = Mentioned::default();
        walk_expr(expr, &mut parts);
        let dead = self.handed_on_of(view, parts.slots);
        if dead.is_empty() && !parts.calls {
            return Ok((Condition::from(holds), false));
        }
        let check = check_of_calls(&self.program, view, &fragment);
        let condition: Condition = Rc::new(move |vm: &mut Vm, fp: Fp| {
            check.as_ref().map_or(Ok(()), |check| check(vm))?;
            dead.iter().for_each(|slot| store::unshare(vm, fp, *slot));
            vm.host.set_evaluating(true);
            let _numbering = pause_numbers();
            let result = holds.run(vm, fp);
            vm.host.set_evaluating(false);
            result
        });
        Ok((condition, parts.calls))
    }

    /// Checks the condition of an exception filter (see [`DebuggedProgram::condition_anywhere`]), also that what it says of
    /// the error's code can be true.
    pub fn filter_condition(
        &self,
        globals: Fp,
        filter: ExceptionFilter,
        text: &str,
        effects: Effects,
    ) -> Result<(), Failure> {
        let error = ExtraVariable {
            name: ERROR.into(),
            ty: Type::Struct(builtin::builtins().error.clone()),
            constant: true,
            global: GlobalId(self.own_globals),
        };
        let own = error.global;
        self.condition_anywhere(globals, text, &[error], effects, |condition| {
            let code = ErrorCode { error: own, filter };
            match code.wrong(condition) {
                Some((at, why)) => Err(wrong_at(&self.program, Code::E3001, at, why)),
                None => Ok(()),
            }
        })
    }

    /// Checks a condition that may be evaluated anywhere. What its names mean is known only there: here only the names
    /// of globals and of `extras` are. `globals` is the frame of the globals; `judge` may refuse what is understood.
    pub fn condition_anywhere(
        &self,
        globals: Fp,
        text: &str,
        extras: &[ExtraVariable],
        effects: Effects,
        judge: impl FnOnce(&Expr) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // Its text is not needed any more: nothing of it is compiled.
        let known = self.program.sources.len();
        let checked = self.is_condition(globals, text, extras, effects, judge);
        self.program.sources.truncate(known);
        checked
    }

    fn is_condition(
        &self,
        globals: Fp,
        text: &str,
        extras: &[ExtraVariable],
        effects: Effects,
        judge: impl FnOnce(&Expr) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let main = self.program.function(self.program.main);
        let first = main.and_then(|main| {
            self.program.statement(main.body.stmts.first()?.id).zip(main.body.stmts.first())
        });
        let Some((info, stmt)) = first else { return Ok(()) };
        let view = FrameView { fp: globals, func: info.func, stmt: stmt.id, at: info.at, back_edge: false };
        let checked = self.check(&view, text, extras, Allowed::Evaluation);
        let fragment = match checked {
            Ok(fragment) => fragment,
            Err(failure) => {
                return if failure.is_of_syntax() || !mentions_others(text) { Err(failure) } else { Ok(()) };
            }
        };
        let expr = self.condition_expression(&fragment)?;
        self.refuse_effects(&view, &fragment, effects)?;
        match &expr.ty {
            Type::Bool | Type::Any => judge(expr),
            _ if mentions_others(text) => Ok(()),
            _ => Err(self.not_bool(expr)),
        }
    }

    fn condition_expression<'f>(&self, fragment: &'f Fragment) -> Result<&'f Expr, Failure> {
        fragment.expr.as_ref().ok_or_else(|| self.no_expression(fragment, "condition must be an expression"))
    }

    fn not_bool(&self, condition: &Expr) -> Failure {
        let message = format!("condition must be bool, got {}", condition.ty);
        wrong_at(&self.program, Code::E3001, condition.at, message)
    }

    /// The failure of a fragment that is a statement, where an expression has to be.
    pub fn no_expression(&self, fragment: &Fragment, message: impl Into<String>) -> Failure {
        match fragment.statements.first() {
            Some(stmt) => wrong_at(&self.program, Code::E2003, stmt.span, message),
            None => wrong(message),
        }
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

    /// Those of the slots whose local may be dead and share its object with a live value.
    fn handed_on_of(&self, view: &FrameView, mut slots: Vec<Slot>) -> Vec<Slot> {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        slots.retain(|slot| code.is_some_and(|code| code.handed_on.contains(slot)));
        slots
    }

    /// Compiles a log message for innermost frames of `view`'s function.
    pub fn log_message(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
        effects: Effects,
    ) -> Result<LogMessage, Failure> {
        let mut compiled = Vec::new();
        for piece in pieces(text)? {
            compiled.push(match piece {
                Piece::Text(text) => LogPiece::Text(text),
                Piece::Expression(text, start) => {
                    let fragment = self.check(view, &text, &[], Allowed::Evaluation);
                    let fragment = fragment.map_err(|failure| moved(failure, start))?;
                    self.refuse_effects(view, &fragment, effects)?;
                    let Some(expr) = &fragment.expr else {
                        let message = format!("wrong log message: {{{text}}} is not an expression");
                        return Err(moved(self.no_expression(&fragment, message), start));
                    };
                    let free = self.frame_size(view);
                    let value = self.compile(vm, view, free, |compiler| compiler.value(expr));
                    let value = once_declared(&self.program, view, &fragment, value.map_err(no_room)?);
                    LogPiece::Value(value, expr.ty.clone())
                }
            });
        }
        Ok(compiled.into())
    }

    /// Checks a text in the scope of a frame.
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
                let position = diagnostic.span.map(|at| position(&self.program.sources, at));
                Failure::wrong_expression(diagnostic.code, position, diagnostic.message.clone())
            }
            None => wrong("cannot be evaluated"),
        })
    }

    /// Compiles something for a frame of `view`'s function; calls in it use the slots from `free` on.
    pub fn compile<T>(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        free: u32,
        compile: impl FnOnce(&mut Compiler) -> T,
    ) -> Result<T, Unfinished> {
        self.compile_while(vm, view, free, false, compile)
    }

    /// Like [`DebuggedProgram::compile`]. `polls`: as long as the interpreter's debugger does not end it.
    fn compile_while<T>(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        free: u32,
        polls: bool,
        compile: impl FnOnce(&mut Compiler) -> T,
    ) -> Result<T, Unfinished> {
        let _numbering = pause_numbers();
        let sites = std::mem::take(&mut vm.sites);
        let codes = self.compiled.codes.clone();
        let mut compiler = Compiler::new(&self.program, codes, sites, Some(self.compiled.flags.clone()));
        if let Some(function) = self.program.function(view.func) {
            compiler.enter(function);
        }
        compiler.at = free;
        compiler.stmt = view.stmt;
        compiler.fragment = true;
        let mut poll = || vm.on_interrupt().map_err(|_| Stop);
        if polls {
            compiler.poll(&mut poll);
        }
        let compiled = compile(&mut compiler);
        let unfinished = compiler.unfinished();
        vm.sites = compiler.sites;
        match unfinished {
            Some(unfinished) => Err(unfinished),
            None => Ok(compiled),
        }
    }
}

/// Makes the error pending that there is no memory for compiling an expression.
fn out_of_memory(vm: &mut Vm) -> Stop {
    let at = vm.nowhere();
    match vm.out_of_memory::<()>(at) {
        Ok(()) | Err(Stop) => Stop,
    }
}

/// The failure of an expression that was not compiled to its end.
fn no_room(_: Unfinished) -> Failure {
    wrong("out of memory")
}

/// Whether a condition mentions another variable than the error, a function or a type, which may mean something else
/// elsewhere. What no declaration may be called, such as `len`, means the same everywhere.
fn mentions_others(text: &str) -> bool {
    let source = SourceMap::new().add("", Path::new(""), text);
    let (parsed, _) = parse_expression(&source);
    parsed.is_none_or(|expr| expr.names().into_iter().any(|name| **name != *ERROR && !is_reserved(name)))
}
