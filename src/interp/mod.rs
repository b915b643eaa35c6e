//! The interpreter: compiles a checked program to closures (`compile`), and runs them (`Vm`).
//!
//! A program is compiled either plain or attached; in attached code, each statement checks a flag first, and
//! calls the debugger if it is set. Everything outside the program is reached through a
//! `Host`. The checker, the debug engine and protocols are not known here.

pub(crate) mod access;
mod arith;
mod boxing;
mod builtins;
pub(crate) mod compile;
mod convert;
mod defaults;
mod dynamic;
pub(crate) mod flags;
mod keys;
pub(crate) mod operand;
pub(crate) mod output_watch;
mod parts;
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

/// Bytes of native stack that a thread needs to run programs: the language allows 10,000 nested calls, and
/// their expressions may be deeply nested.
pub const STACK_SIZE: usize = 512 << 20;
