//! How far compiling has come, and whether it goes on: it obeys the memory limit, and the debugger.

use crate::diagnostics::Code;
use crate::interp::closures::{StmtFn, closure};
use crate::interp::slots::Layout;
use crate::interp::vm::{Stop, Vm};
use crate::program::{Expr, Function, Program};
use crate::source::Span;
use crate::sync::NO_ROOM;
use crate::value::memory;

use super::{Body, CodeCell, Compiler, reference_slots};

/// Number of expressions between two looks at the memory limit and at the debugger.
const BETWEEN: u32 = 256;

/// Bytes that an expression takes as a closure, roughly.
const NODE_SIZE: usize = 400;

/// Why something was not compiled to its end. The closures that were made are of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The program has reached its memory limit.
    OutOfMemory,
    /// The debugger wants it: see [`Vm::pending`].
    Interrupted,
}

/// Asks the debugger whether to go on.
pub type Poll<'p> = &'p mut dyn FnMut() -> Result<(), Stop>;

/// The progress of a [`Compiler`].
#[derive(Default)]
pub struct Progress<'p> {
    /// Number of expressions until the next look.
    left: u32,
    /// Whether there was a first look, before the first expression.
    begun: bool,
    pub poll: Option<Poll<'p>>,
    /// Set once: what is left is not compiled.
    pub unfinished: Option<Unfinished>,
    /// How often each expression was compiled, by address.
    #[cfg(debug_assertions)]
    pub counts: std::collections::HashMap<*const Expr, u32>,
}

impl Compiler<'_> {
    /// To be called for each expression. `false`: it must not be compiled.
    #[inline]
    pub(super) fn goes_on(&mut self, _e: &Expr) -> bool {
        #[cfg(debug_assertions)]
        {
            *self.progress.counts.entry(std::ptr::from_ref(_e)).or_default() += 1;
        }
        match self.progress.left.checked_sub(1) {
            Some(left) => self.progress.left = left,
            None => self.look(),
        }
        self.progress.unfinished.is_none()
    }

    #[cold]
    fn look(&mut self) {
        let progress = &mut self.progress;
        progress.left = BETWEEN - 1;
        if progress.unfinished.is_some() {
            return;
        }
        // What is short is compiled even if the program has reached its limit.
        let is_short = !std::mem::replace(&mut progress.begun, true);
        if !is_short {
            memory::charge(BETWEEN as usize * NODE_SIZE);
        }
        if !is_short && !memory::check() {
            progress.unfinished = Some(Unfinished::OutOfMemory);
        } else if let Some(poll) = &mut progress.poll
            && poll().is_err()
        {
            progress.unfinished = Some(Unfinished::Interrupted);
        }
    }
}

/// What stands for an expression that is not compiled.
pub(super) fn not_compiled(vm: &mut Vm) -> Stop {
    let at = vm.nowhere();
    match vm.fail::<()>(Code::E4002, "function was not compiled", at) {
        Ok(()) | Err(Stop) => Stop,
    }
}

/// What stands for an expression for which there was no stack left to compile it.
pub(super) fn no_room(vm: &mut Vm, at: Span) -> Stop {
    match vm.fail::<()>(Code::E5018, NO_ROOM, at) {
        Ok(()) | Err(Stop) => Stop,
    }
}

/// The code of a program that did not fit into memory: each of its functions fails.
pub(super) fn without_memory(program: &Program) -> Vec<CodeCell> {
    let main = program.function(program.main).map(|main| main.span.head());
    let code = |function: &Function| {
        let run: StmtFn = closure(move |vm, _| {
            let at = main.unwrap_or(vm.nowhere());
            Ok(vm.out_of_memory(at)?)
        });
        let layout = Layout {
            size: function.locals.len() as u32 + 1,
            variables: function.locals.len() as u32,
            parameters: function.params.len() as u32,
            references: reference_slots(function),
        };
        super::Code { body: Body::of(run), layout, handed_on: Box::default(), levels: 0 }
    };
    program.functions.iter().map(|function| CodeCell::new(code(function).into())).collect()
}
