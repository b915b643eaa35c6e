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
//!
//! # Journeys
//!
//! The host of the live program is wrapped in a `RecordHost`, and a `Snapshot` keeps the sources from which it was
//! loaded. A journey records positions or hits of breakpoints, looks for something, or stops at a position;
//! `Engine::visit_position` is called at each place that `Steps` selects. While the client is in the past,
//! `Engine::request_in_past` passes its requests on to the worker. What the client has changed is repeated at the
//! same position, in the same wait, or at the same run-time error.
//!
//! The target of a step back is looked for in the recorded positions ([`plan`]): a window of a few thousand steps
//! before the present one, so that a series of steps back needs one run and not one each.
//!
//! So that a journey need not begin at the program's start, copies of the process are made while the program runs,
//! on systems that have `fork` ([`worker::copy`]): one waits at its place until a journey begins from there, which
//! a copy of it carries out. [`checkpoints`] decides when to make a copy, which ones to keep, and from which a
//! journey starts. The engines communicate over a socket as they do over channels. If a copy fails, the journey is
//! made without it.
//!
//! # Questions about the past
//!
//! What is asked about is resolved at the position of the question to something that is the same in every run: a
//! local of a certain call, a global, or a part of the object with a certain number (objects are numbered as they
//! are created). Runs then watch that, first through the last few thousand steps, then from earlier and earlier
//! checkpoints, until enough is found. A change is known by the last place before it. Hits of data breakpoints are
//! found in the same way, from one checkpoint to the one before it, together with those of others. A run keeps only
//! what is wanted, so that its memory does not grow.
//!
//! What has printed a part of the output is found by an instance that runs from the last checkpoint before that
//! output with an `OutputWatch`, which counts the bytes written.

pub mod aims;
pub mod checkpoints;
pub mod counts;
pub mod hits;
pub mod interventions;
pub mod journey;
pub mod journey_state;
pub mod journeys;
pub mod messages;
pub mod output_steps;
pub mod plan;
pub mod position;
pub mod positions;
pub mod progress;
pub mod relay;
pub mod requests;
pub mod search;
pub mod state;
pub mod statements;
pub mod subject;
pub mod time_machine;
pub mod tracking;
pub mod travel;
pub mod unfold;
pub mod value_changes;
pub mod watch_subject;
pub mod worker;
pub mod write_search;
pub mod write_tracking;
pub mod writes;
