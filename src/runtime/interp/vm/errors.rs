//! Why code stops: run-time errors, control flow, and values that do not fit a register.

use num_bigint::BigInt;

use super::{MAX_DEPTH, Vm};
use crate::diagnostics::Code;
use crate::interp::slots::{Fp, Slot};
use crate::library::Fail;
use crate::program::{FuncId, StmtId};
use crate::source::Span;
use crate::sync::ALONE;
use crate::value::{Value, memory};

/// The help of the error about the memory limit.
pub const OUT_OF_MEMORY_HELP: &str = if ALONE {
    "a page gives a program no more"
} else {
    "a larger limit can be set with --memory (memoryLimit where an editor starts the program)"
};

/// An integer or bool that does not fit a register, or an error: see [`Vm::pending`].
#[derive(Clone, Copy, Debug)]
pub struct Wide;

/// The program ends, or an error was raised: see [`Vm::pending`].
#[derive(Clone, Copy, Debug)]
pub struct Stop;

/// Why the statement that follows is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Break,
    Continue,
    Return,
    Stop,
    /// An arm of an `if` has looked at its places. Those that follow in the segment of the `if` have been taken back, and
    /// look, too. Only within segments of attached code.
    CheckedPlaces,
}

impl From<Stop> for Wide {
    /// An error is one of the things that may be pending. (There is no conversion back: code that reads a
    /// register has to handle a pending value.)
    #[inline(always)]
    fn from(_: Stop) -> Wide {
        Wide
    }
}

impl From<Stop> for Exit {
    #[inline(always)]
    fn from(_: Stop) -> Exit {
        Exit::Stop
    }
}

/// What a [`Wide`], [`Stop`] or [`Exit::Stop`] stands for.
#[derive(Debug, Default)]
pub enum Pending {
    #[default]
    None,
    Error(Box<RunError>),
    Big(BigInt),
    Nil,
    /// The program exits with this status.
    Exit(i32),
    /// The program was told to end.
    Terminated,
}

/// A run-time error.
#[derive(Clone, Debug)]
pub struct RunError {
    /// Its code in the table of diagnostics.
    pub code: Code,
    /// Its message.
    pub message: String,
    /// Advice on how to fix it, if there is any.
    pub help: Option<String>,
    /// Where it was raised.
    pub span: Span,
    /// The calls in progress, innermost first.
    pub calls: Vec<CallSite>,
    /// The statement that was running, if it does not contain `span`, which is in the default value of a parameter.
    pub stmt: Option<StmtId>,
    /// Whether `span` is to be replaced by that of the call in progress.
    pub at_call: bool,
    /// Whether it has been reported to the debugger.
    pub told: bool,
}

/// A call in the program's source.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// The function that contains the call.
    pub caller: FuncId,
    /// The function that is called.
    pub callee: FuncId,
    /// The opening parenthesis of the call.
    pub span: Span,
    /// The statement that contains it.
    pub stmt: StmtId,
    /// Where the callee's frame begins, relative to the caller's.
    pub offset: Slot,
}

impl Vm {
    #[cold]
    #[inline(never)]
    pub(super) fn too_deep(&mut self, site: u32) -> Result<Fp, Stop> {
        let span = self.sites.get(site as usize).map(|s| s.span);
        let message = format!("maximum recursion depth exceeded (limit: {MAX_DEPTH})");
        self.fail(Code::E5018, message, span.unwrap_or(self.nowhere()))
    }

    /// The function that was just entered has no room on the browser's stack, which is the only one.
    pub fn no_stack_left(&mut self) -> Result<(), Stop> {
        let limit = self.depth().saturating_sub(1);
        let message = format!("maximum recursion depth exceeded (limit in this browser: {limit})");
        let result = self.fail(Code::E5018, message, self.nowhere());
        if let Pending::Error(error) = &mut self.pending {
            error.at_call = true;
        }
        result
    }

    /// Checks the memory limit, and in plain code whether there are requests for the debugger; to be called if
    /// [`memory::Gauge::is_low`].
    #[cold]
    #[inline(never)]
    pub fn check_memory(&mut self, at: Span) -> Result<(), Stop> {
        self.memory.take_turn_if_due();
        if memory::is_attention_wanted() {
            // Places look at the interrupt only if they are asked.
            self.steps.ask_at_next();
        }
        if !memory::check() {
            return self.out_of_memory(at);
        }
        let Some(mut debugger) = self.debugger.take() else { return Ok(()) };
        let result = debugger.on_memory_check(self);
        self.debugger = Some(debugger);
        result
    }

    #[cold]
    pub fn out_of_memory<T>(&mut self, at: Span) -> Result<T, Stop> {
        let limit = memory::size_text(memory::limit());
        let result = self.fail(Code::E5018Memory, format!("out of memory (limit: {limit})"), at);
        if let Pending::Error(error) = &mut self.pending {
            error.help = Some(OUT_OF_MEMORY_HELP.into());
        }
        result
    }

    pub fn nowhere(&self) -> Span {
        Span { file: self.program.main_file, start: 0, end: 0 }
    }

    /// Makes a run-time error pending.
    #[cold]
    #[inline(never)]
    pub fn fail<T>(&mut self, code: Code, message: impl Into<String>, span: Span) -> Result<T, Stop> {
        if memory::was_denied() && code != Code::E7010 {
            // The error may be a consequence of an operation that was left out for lack of memory.
            return self.out_of_memory(span);
        }
        self.pending = Pending::Error(Box::new(RunError {
            code,
            message: message.into(),
            help: None,
            span,
            calls: vec![],
            stmt: None,
            at_call: false,
            told: false,
        }));
        Err(Stop)
    }

    /// Makes a run-time error with a help text pending.
    #[cold]
    pub fn fail_with_help<T>(
        &mut self,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
        span: Span,
    ) -> Result<T, Stop> {
        let result = self.fail(code, message, span);
        if let Pending::Error(error) = &mut self.pending
            && error.code == code
        {
            error.help = help;
        }
        result
    }

    /// Makes a run-time error pending, in code that computes an integer or bool.
    #[cold]
    #[inline(never)]
    pub fn fail_wide<T>(&mut self, code: Code, message: impl Into<String>, span: Span) -> Result<T, Wide> {
        let _ = self.fail::<()>(code, message, span);
        Err(Wide)
    }

    /// Makes the error of nil as an operand pending.
    #[cold]
    pub fn nil_operand<T>(&mut self, op: &str, at: Span) -> Result<T, Stop> {
        self.fail(Code::E5006Nil, format!("nil reference: cannot use nil with operator '{op}'"), at)
    }

    /// Takes the pending value (a big integer or nil). If something else is pending, it stays so.
    #[cold]
    pub fn take_value(&mut self) -> Result<Value, Stop> {
        match std::mem::take(&mut self.pending) {
            Pending::Big(big) => Ok(Value::integer(big)),
            Pending::Nil => Ok(Value::Nil),
            other => {
                self.pending = other;
                Err(Stop)
            }
        }
    }

    /// Makes an integer of more than 64 bits, or nil, pending.
    #[cold]
    pub fn set_pending_value(&mut self, value: &Value) -> Wide {
        self.pending = match value.plain().as_bigint() {
            Some(big) => Pending::Big(big),
            None => Pending::Nil,
        };
        Wide
    }

    /// Makes the failure of a library function pending.
    pub fn set_pending_failure<T>(&mut self, fail: Fail, span: Span) -> Result<T, Stop> {
        match fail {
            Fail::Error(failure) => {
                let failure = *failure;
                let _ = self.fail::<()>(failure.code, failure.message, span);
                if let Pending::Error(error) = &mut self.pending {
                    error.help = failure.help;
                }
                Err(Stop)
            }
            Fail::Halt => Err(Stop),
        }
    }
}
