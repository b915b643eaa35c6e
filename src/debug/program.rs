//! The program that is debugged, and expressions of the debugger compiled for its frames.

use std::rc::Rc;

use crate::api::{Failure, FailureKind};
use crate::check::{Fragment, FrameScope, Symbols, check_fragment};
use crate::interp::CompiledProgram;
use crate::interp::compile::Compiler;
use crate::interp::operand::{StmtFn, ValueFn};
use crate::interp::vm::Vm;
use crate::program::Program;
use crate::value::Type;

use super::breakpoints::Condition;
use super::frames::{FrameView, visible_locals};
use super::line_table::LineTable;

/// A program that was loaded and compiled.
pub(super) struct DebuggedProgram {
    pub program: Rc<Program>,
    pub symbols: Rc<Symbols>,
    pub compiled: Rc<CompiledProgram>,
    pub lines: LineTable,
}

/// An expression, assignment or call that was compiled for one frame.
pub(super) struct Runnable {
    pub statements: Vec<StmtFn>,
    /// The value, with its static type, if it is an expression.
    pub value: Option<(ValueFn, Type)>,
}

/// The failure of an expression.
pub(super) fn wrong(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Evaluation, message)
}

impl DebuggedProgram {
    /// How many slots the frame's function uses.
    pub fn frame_size(&self, view: &FrameView) -> u32 {
        let code = self.compiled.codes.get(view.func.0 as usize).and_then(|code| code.get());
        code.map_or(0, |code| code.layout.size)
    }

    /// A fragment for a frame of `view`'s function, which makes its calls in slots from `free` on.
    pub fn fragment(
        &self,
        vm: &mut Vm,
        view: &FrameView,
        text: &str,
        free: u32,
    ) -> Result<Runnable, Failure> {
        let fragment = self.check(view, text)?;
        Ok(self.compile(vm, view, free, |compiler| Runnable {
            statements: fragment.stmts.iter().map(|s| compiler.stmt(s)).collect(),
            value: fragment.expr.as_ref().map(|e| (compiler.value(e), e.ty.clone())),
        }))
    }

    /// A condition, for any frame of `view`'s function that is the innermost one.
    pub fn condition(&self, vm: &mut Vm, view: &FrameView, text: &str) -> Result<Condition, Failure> {
        let fragment = self.check(view, text)?;
        let Some(expr) = &fragment.expr else { return Err(wrong("condition must be an expression")) };
        if !matches!(expr.ty, Type::Bool | Type::Any) {
            return Err(wrong(format!("condition must be bool, got {}", expr.ty)));
        }
        Ok(self.compile(vm, view, self.frame_size(view), |compiler| Condition::from(compiler.boolean(expr))))
    }

    fn check(&self, view: &FrameView, text: &str) -> Result<Fragment, Failure> {
        let scope = FrameScope {
            func: view.func,
            stmt: view.stmt,
            visible: visible_locals(&self.program, view),
            file: view.at.file,
        };
        check_fragment(&self.symbols, &self.program, &scope, text).map_err(|diagnostics| {
            wrong(
                diagnostics.first().map_or_else(|| "cannot be evaluated".to_string(), |d| d.message.clone()),
            )
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
        let mut compiler = Compiler::new(&self.program, codes, sites, Some(self.compiled.flags));
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
