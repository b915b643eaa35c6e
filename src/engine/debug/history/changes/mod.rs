//! What has changed something: a variable, or a part of an object.
//!
//! The engine of the live program asks ([`question`]): it has what an expression refers to looked up where the question
//! was asked ([`resolve`], [`subject`]), and then one stretch of the past after the other searched ([`aims`]). In each
//! run, [`search`] has what is watched and what was found; [`tracking`] is what the run does at each position. The same
//! search finds the writes that hit data breakpoints ([`writes`], [`write_search`], [`write_tracking`]).

pub mod aims;
pub mod question;
pub mod resolve;
pub mod search;
pub mod subject;
pub mod tracking;
pub mod write_search;
pub mod write_tracking;
pub mod writes;
