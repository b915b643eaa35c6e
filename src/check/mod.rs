//! From syntax trees to a program: names, scopes, types, flow and warnings are checked, and what is
//! sound is lowered to [`crate::program`].
//!
//! Split by the thing checked. Every expression is checked and lowered in one go, so nothing is said
//! twice; what fails gets an unknown type and is not complained about again.

mod assign;
mod builtins;
mod calls;
mod checker;
mod collect;
mod conversions;
mod declarations;
mod declare;
mod entry;
mod expr;
mod flow;
mod fragment;
mod frame;
mod functions;
mod globals;
mod literals;
mod loops;
mod members;
mod names;
mod natives;
mod operators;
mod places;
mod program;
mod ranges;
mod returns;
mod scan;
mod shadow;
mod stmts;
mod store;
mod suggest;
mod symbols;
mod types;
mod visible;
mod when;

pub use builtins::builtin_names;
pub use entry::{Kept, KeptGlobal, check_entry, declared_types};
pub use fragment::{Allowed, Declared, Fragment, FrameScope, check_fragment};
pub use frame::ExtraVariable;
pub use program::{Checked, Report, check_all, check_program, check_source};
pub use symbols::Symbols;
pub use visible::{NameKind, UsedModule, VisibleName};
