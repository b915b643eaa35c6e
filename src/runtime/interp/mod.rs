//! The interpreter: compiles a checked program to closures (`compile`), and runs them (`Vm`).
//!
//! A program is compiled either plain or attached; in attached code, each statement checks a flag first, and
//! calls the debugger if it is set. Everything outside the program is reached through a
//! `Host`. The checker, the debug engine and protocols are not known here.
//!
//! # How a statement runs
//!
//! How `total = total + price(items[i])` is executed.
//!
//! 1. `compile_plain` or `compile_attached` has made a closure of each function's body, a list of steps
//!    (`interp/compile/body.rs`). `interp/compile/stmts.rs` chooses the closure of a statement; assignments,
//!    declarations, loops and `when` have files of their own.
//! 2. A variable is a *slot* of its function's frame ([`slots`]): an integer, float or bool in one word, or a
//!    counted reference. A variable to which something refers (`&`) is boxed: its slot refers to an object with the
//!    value. The checker marks these; `program/escape.rs` takes the box away where nobody can notice. Globals are
//!    in slots too.
//! 3. An expression is compiled by its representation: integers, floats, bools and references each in their file,
//!    everything rare as a whole `Value`. Operands that are constants or slots are part of the closure
//!    ([`operand`]). Elements and fields are read by the closures of [`parts`], which try the frequent case without
//!    a call; the slow path uses the same operands, so that no expression is compiled twice.
//! 4. Arithmetic on integers is done in 64 bits; on overflow the slow path ([`arith`]) computes with integers of
//!    any size, and then the type of the result decides. A value too large for a word, and an error, both return as
//!    `Wide`, with the value in the field `pending` of the [`vm`].
//! 5. A store converts the value to the declared type, or reports that it does not fit ([`store`]). Arrays, maps
//!    and structs are copied where the language says so, which the checker decides, unless nobody can notice
//!    (`interp/compile/moves.rs`), neither the program nor, in attached code, a debugger. Parts of objects change
//!    only through `ObjectCell::change` and [`targets`], or the fast paths of `value/object_mut.rs`.
//! 6. A loop evaluates its bounds once ([`ranges`]); what happens besides in each round is in
//!    `interp/compile/headers.rs`.
//! 7. A call evaluates its arguments into the slots of the new frame, whose depth is limited, and runs the body of
//!    the callee. A library function is called by its row (`interp/compile/natives.rs`), a few of them directly
//!    (`interp/compile/quick.rs`, `interp/compile/containers.rs`).
//! 8. A run-time error passes through all callers, each of which adds its call, to [`run()`], which returns the
//!    `Outcome`.

mod absent;
pub mod access;
mod arith;
mod boxing;
mod builtins;
pub mod closures;
mod comparison;
pub mod compile;
mod conditions;
mod convert;
mod defaults;
mod dynamic;
pub mod expected_output;
pub mod flags;
mod formula;
mod int_sum;
mod keys;
mod lvalues;
pub mod operand;
pub mod output_watch;
mod parts;
mod ranges;
mod run;
pub mod slots;
pub mod steps;
pub mod store;
mod targets;
pub mod vm;
pub mod watch;
mod watch_table;

pub use compile::{CompiledProgram, compile_attached, compile_plain};
pub use run::{Outcome, run};
pub use vm::{CallSite, RunError, Vm};

/// Bytes of native stack that a thread needs to run programs: the language allows 10,000 nested calls, and
/// their expressions may be deeply nested.
pub const STACK_SIZE: usize = 512 << 20;
