//! Going back in time, as data: a program's past is reached by running it again, in a second instance that
//! touches nothing outside.
//!
//! The live program stays where it is stopped, the *present*. What it was told from outside is recorded; a
//! worker on a thread of its own (`debug::past`) runs the same program with that record up to a [`position`]
//! and serves requests there. Which position is wanted is decided in [`plan`], from notes that the worker
//! takes on the way. A journey that fails loses nothing.

pub(super) mod calls;
pub(super) mod checkpoints;
pub(super) mod history;
pub(super) mod plan;
pub(super) mod position;
pub(super) mod progress;
pub(super) mod search;
pub(super) mod underway;
pub(super) mod wire;
