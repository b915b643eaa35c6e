//! From syntax trees to a program: names, scopes, types, flow and warnings are checked, and what is
//! sound is lowered to [`crate::program`].
//!
//! Split by the thing checked. Every expression is checked and lowered in one go, so nothing is said
//! twice; what fails gets an unknown type and is not complained about again.

mod assign;
mod assigned;
mod builtins;
mod calls;
mod checker;
mod coercion;
mod collect;
mod conversion_help;
mod expr;
mod flow;
mod fragment;
mod frame;
mod functions;
mod globals;
mod library_calls;
mod literals;
mod loops;
mod members;
mod names;
mod operators;
mod place_expr;
mod program;
mod prompt_entry;
mod ranges;
mod returns;
mod shadow;
mod stmts;
mod suggest;
mod symbols;
mod type_declarations;
mod types;
mod variables;
mod when;

pub use builtins::builtin_names;
pub use fragment::{Fragment, FrameScope, check_fragment};
pub use program::{Checked, ReportScope, check_all, check_program, check_source};
pub use prompt_entry::{PromptGlobal, PromptState, check_entry, declared_types};
pub use symbols::Symbols;
