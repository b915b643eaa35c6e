//! Looking at a stopped program: frames, variables, values, evaluation, watches, and what has changed.
//!
//! All of it is done by an [`Inspection`](inspection::Inspection), which knows the program and the requests that
//! interrupt an evaluation, but neither how the program runs nor its past; stops, breakpoints and journeys use it.
//!
//! # An evaluation
//!
//! 1. `Inspection::inspect` ([`requests`]) finds the frame ([`frames`]) and calls `Inspection::value_of` ([`evaluate`]).
//!    Watches, `setVariable`, conditions of error stops and targets of data breakpoints use it too.
//! 2. `DebuggedProgram::check` has the expression parsed, checked and lowered like any other code, in the scope of
//!    the frame. What an evaluation does to the program's variables and objects is not undone: an expression that
//!    must not change anything is refused if it has an effect ([`effects`]).
//! 3. `DebuggedProgram::compiled` makes closures whose slots begin above the innermost frame, so that calls do not
//!    overwrite live frames. Compiling takes time and memory in proportion to the length of the text, and looks
//!    from time to time at the memory limit, at requests and the time limit (`interp/compile/progress.rs`).
//! 4. `Inspection::uninterrupted` ([`evaluation_hook`]) makes another debugger the interpreter's: statements of called
//!    functions cannot stop meanwhile. It starts the time limit ([`watchdog`]).
//! 5. Statements and waits notice an interrupt, by a request or by the watchdog. A pause, `terminate`, `restart`,
//!    `kill` or the time limit ends the evaluation; other requests are postponed, except that those about
//!    breakpoints are carried out at once if the evaluation is that of a condition.
//! 6. [`describe`] shortens the result to the limits given in the request, and `Handles::describe` ([`handles`])
//!    gives it a handle. The text of the expression and its call sites are removed again.
//!
//! Conditions and log messages are compiled once, when the breakpoint is set, and run under the same guard, without
//! a time limit.

pub mod changes;
pub mod completions;
pub mod describe;
pub mod effects;
pub mod evaluate;
pub mod evaluation_hook;
pub mod failure_report;
pub mod frames;
pub mod handles;
pub mod inspection;
pub mod leading_digits;
pub mod passed;
pub mod queries;
pub mod requests;
pub mod rich;
pub mod temporaries;
pub mod undeclared;
pub mod variable_snapshot;
pub mod variables;
pub mod watch_requests;
pub mod watchdog;
pub mod watches;
pub mod written;
