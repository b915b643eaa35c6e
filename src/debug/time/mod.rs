//! Going back in time: a program's past is reached by running it again, in a second instance that touches
//! nothing outside.
//!
//! The live program stays where it is stopped, the *present*. What it was told from outside is recorded; a
//! [`worker`] on a thread of its own runs the same program with that record up to a [`position`] and serves
//! requests there. Which position is wanted is decided in [`plan`], from notes that the worker takes on the
//! way. A journey that fails loses nothing.

pub(super) mod history;
mod journey;
pub(super) mod plan;
pub(super) mod position;
mod travel;
pub(super) mod underway;
mod worker;
