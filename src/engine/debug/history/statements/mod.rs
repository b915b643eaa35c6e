//! Which statements were in progress when something happened.
//!
//! The engine of the live program asks ([`question`]), a run finds when the statements began ([`aim`]).

pub mod aim;
pub mod question;
