//! Help about constants, which the checker and the interpreter report.

/// For the change of what an array, map or struct that belongs to a constant holds.
pub const FROZEN_HELP: &str =
    "what a constant holds cannot be changed, either: to compute with a copy, write temp copy = ...";

/// For the change of the constant of this name.
pub fn constant_help(name: &str) -> String {
    format!("'{name}' is a constant; a variable that changes is declared with 'temp': temp {name} = ...")
}
