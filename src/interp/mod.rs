//! Frames and evaluation: `program` made into closures and, outside of loops, steps (`build`), and the
//! machine that runs them.
//!
//! A program is compiled plain, or attached: then each statement looks at a flag first, and asks the machine's
//! debugger where it is set. Uses a `Host` for everything outside. Knows nothing of the checker, of what
//! the debugger does, of JSON or streams.

mod access;
mod arith;
mod boxing;
mod builtins;
pub(crate) mod compile;
mod convert;
mod defaults;
mod dynamic;
mod enums;
pub(crate) mod flags;
mod keys;
pub(crate) mod operand;
mod places;
mod ranges;
mod run;
pub(crate) mod slots;
pub(crate) mod steps;
pub(crate) mod store;
pub(crate) mod vm;
pub(crate) mod watch;
mod watch_table;

pub use compile::{CompiledProgram, compile_attached, compile_plain};
pub use run::{Outcome, run};
pub use vm::{CallSite, RunError, Vm};

/// Bytes of native stack that a thread running programs needs: the language allows 10,000 nested
/// calls, and expressions in them may be deep.
pub const STACK_SIZE: usize = 512 << 20;
