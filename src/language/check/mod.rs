//! The checker: checks names, scopes, types and flow, and lowers correct syntax trees to [`ez_runtime::program`].
//!
//! There is one file per construct. An expression is checked and lowered in one pass, so that an error is
//! reported once; an expression with an error has the type [`Failed`](ez_runtime::value::Type::Failed), which is equal to
//! `any` and causes no further reports.
//!
//! `check_program` runs the passes over a graph: declarations, file levels, bodies, and at the end unused imports.
//! Other warnings are reported where their construct is checked, unless `Checker::suppressed` finds a `#suppress`.
//! `check_fragment` checks an expression that the debugger evaluates, in the scope of a frame, for which `Symbols`
//! is kept; `check_cell` a cell together with the functions and types of earlier ones. Help texts are made in
//! `suggest` (names) and `help` (operators, conditions, calls); `certain_failures` finds statements that can only
//! fail, for `ez check`.

mod assign;
mod assigned;
mod builtins;
mod calls;
mod cell;
mod certain_failures;
mod checker;
mod coercion;
mod collect;
mod conversion_help;
mod declared;
mod expr;
mod flow;
mod foreign_lines;
mod fragment;
mod frame;
mod functions;
mod globals;
mod help;
mod library_calls;
mod literals;
mod loops;
mod members;
mod mutability;
mod names;
mod operators;
mod program;
mod ranges;
mod references;
mod returns;
mod scopes;
mod shadow;
mod stmts;
mod suggest;
mod symbols;
mod target_expr;
mod type_declarations;
mod types;
mod variables;
mod visible;
mod when;

pub use builtins::builtin_names;
pub use cell::{DeclaredGlobal, DeclaredNames, check_cell, declared_types};
pub use declared::Declaration;
pub use fragment::{Allowed, Declared, Fragment, FrameScope, check_fragment};
pub use frame::ExtraVariable;
pub use program::{Checked, ReportScope, check_all, check_loaded, check_program, check_source};
pub use references::References;
pub use suggest::did_you_mean;
pub use symbols::Symbols;
pub use types::library_types;
pub use visible::{NameKind, UsedModule, VisibleName, library_names};
