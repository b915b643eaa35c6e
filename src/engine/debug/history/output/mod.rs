//! What has printed parts of the output.
//!
//! The engine of the live program asks ([`question`]), a run counts the bytes that are written ([`aim`]).

pub mod aim;
pub mod question;
