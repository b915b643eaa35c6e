//! Which breakpoints were hit, and how often.
//!
//! The engine of the live program asks ([`question`]), a run records the hits in a part of the past ([`aim`]), and
//! [`counts`] says which of them stop the program.

pub mod aim;
pub mod counts;
pub mod question;
