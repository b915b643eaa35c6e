//! Where steps back lead.
//!
//! The engine of the live program asks ([`question`]), a run records the positions in a part of the past ([`aim`]), and
//! [`plan`] finds the goal among them.

pub mod aim;
pub mod plan;
pub mod question;
