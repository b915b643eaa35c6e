//! Going back in time.
//!
//! A program's past is reached by running it again, in a second instance that cannot affect the outside. The
//! live program stays where it is stopped: that is the *present*. Its input from outside is recorded; a
//! *worker* runs the same program with that record up to a [`position`], and handles requests there. Such a
//! run is a *journey*. If it fails, the live program is not affected.
//!
//! Pure data and decisions are in [`state`], [`messages`], [`position`], [`plan`], [`counts`], [`writes`],
//! [`search`], [`checkpoints`] and [`progress`]. The engine of the live program decides on the goal ([`travel`], [`hits`]), communicates with
//! the worker ([`relay`]), and records the changes that the client makes ([`interventions`]). The question
//! where a value comes from ([`last_change`]) takes two runs: one to resolve the expression ([`subject`]), one
//! to watch for changes ([`tracking`]); the question how a statement computed its result takes one ([`unfold`]). The instance that shows the past is in [`worker`] and [`journey`].

pub mod checkpoints;
pub mod counts;
pub mod hits;
pub mod interventions;
pub mod journey;
pub mod journey_state;
pub mod last_change;
pub mod messages;
pub mod plan;
pub mod position;
pub mod progress;
pub mod relay;
pub mod search;
pub mod state;
pub mod subject;
pub mod tracking;
pub mod travel;
pub mod unfold;
pub mod worker;
pub mod writes;
