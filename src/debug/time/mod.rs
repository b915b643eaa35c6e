//! Going back in time: data and decisions, without the parts that run programs (those are in `debug::past`).
//!
//! A program's past is reached by running it again, in a second instance that cannot affect the outside. The
//! live program stays where it is stopped: that is the *present*. Its input from outside is recorded; a
//! *worker* on a thread of its own runs the same program with that record up to a [`position`], and handles
//! requests there. Such a run is a *journey*. The position wanted is decided in [`plan`], from positions
//! recorded by earlier journeys. If a journey fails, the live program is not affected.

pub(super) mod calls;
pub(super) mod checkpoints;
pub(super) mod history;
pub(super) mod journey_state;
pub(super) mod plan;
pub(super) mod position;
pub(super) mod progress;
pub(super) mod search;
pub(super) mod wire;
