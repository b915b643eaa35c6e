//! How a statement computed its result.
//!
//! An instance of the past is brought to the place before the statement. There it runs the statement's head,
//! compiled anew so that each expression reports its value ([`nodes`], [`observation`]), and ends: calls in it
//! run as always, and neither the live program nor its code is concerned.
//!
//! With [`Launch::observe`](crate::api::Launch::observe), the whole program is compiled so, and every
//! statement is observed while it runs ([`all_statements`], [`statement_observer`]).

pub mod aim;
pub mod all_statements;
pub mod context;
pub mod nodes;
pub mod observation;
pub mod question;
pub mod statement_observer;
pub mod targets;
pub mod text_lengths;
mod texts;
pub mod visits;
