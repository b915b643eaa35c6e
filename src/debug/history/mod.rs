//! Going back in time.
//!
//! A program's past is reached by running it again, in a second instance that cannot affect the outside. The
//! live program stays where it is stopped: that is the *present*. Its input from outside is recorded; a
//! *worker* runs the same program with that record up to a [`position`], and handles requests there. Such a
//! run is a *journey*. If it fails, the live program is not affected.
//!
//! Pure data and decisions are in [`state`], [`messages`], [`position`], [`plan`], [`counts`], [`writes`],
//! [`watch_subject`], [`search`], [`write_search`], [`statement_search`], [`checkpoints`] and [`progress`]. The
//! engine of the live program decides on the goal ([`travel`], [`hits`]), communicates with the worker ([`relay`]),
//! and records the changes that the client makes ([`interventions`]). The question what was written to something
//! ([`value_changes`]) takes a few runs: one to resolve the expression ([`subject`]), one to watch for changes
//! ([`tracking`]; [`write_tracking`] for data breakpoints), one to find the steps of the statements that made them
//! ([`statements`]); the question what has printed something ([`output_steps`]) the last of these and one more; the
//! question how a statement computed its result one ([`unfold`]). The instance that shows the past is in [`worker`]
//! and [`journey`].

pub mod checkpoints;
pub mod counts;
pub mod hits;
pub mod interventions;
pub mod journey;
pub mod journey_state;
pub mod messages;
pub mod output_steps;
pub mod plan;
pub mod position;
pub mod progress;
pub mod relay;
pub mod search;
pub mod state;
pub mod statement_search;
pub mod statements;
pub mod subject;
pub mod tracking;
pub mod travel;
pub mod unfold;
pub mod value_changes;
pub mod watch_subject;
pub mod worker;
pub mod write_search;
pub mod write_tracking;
pub mod writes;
