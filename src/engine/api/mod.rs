//! The debug API: what a front end asks of a session ([`Request`]), how it is answered ([`Response`] or
//! [`Failure`]), and what it is sent without a request ([`Event`]).
//!
//! Plain data in the terms of a debugger's user. Every message exists once, here: the session passes requests
//! on, the engine (`crate::debug`) carries them out, and each front end encodes them for its protocol. How a program
//! runs and how messages are encoded is not known here. All types may be sent to other threads.

mod binary;
mod breakpoint;
mod cell;
mod changes;
mod event;
mod expected_output;
mod failure;
mod inspect;
mod json;
mod launch;
mod location;
mod output_source;
mod output_step;
mod process;
mod query;
mod question;
mod request;
mod response;
mod sharing;
mod state;
mod unfold;
mod value;
mod watch;

pub use binary::{Damaged, read_binary, write_binary};
pub use breakpoint::*;
pub use cell::*;
pub use changes::*;
pub use event::*;
pub use expected_output::*;
pub use failure::*;
pub use inspect::*;
pub use json::*;
pub use launch::*;
pub use location::*;
pub use output_source::*;
pub use output_step::*;
pub use process::*;
pub use query::*;
pub use question::*;
pub use request::*;
pub use response::*;
pub use sharing::*;
pub use state::*;
pub use unfold::{
    CallEffect, Condition, MAX_PARTS, Part, PartArgument, PartKind, PartResult, StatementKind, Unfold,
    UnfoldTarget, Unfolded,
};
pub use value::*;
pub use watch::*;
