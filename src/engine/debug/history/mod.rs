//! Going back in time.
//!
//! A program's past is reached by running it again, in a second instance that cannot affect the outside. The
//! live program stays where it is stopped: that is the *present*. Its input from outside is recorded; a
//! *worker* runs the same program with that record up to a [`position`], and handles requests there. Such a
//! run is a *journey*. If it fails, the live program is not affected.
//!
//! [`TimeMachine`](time_machine::TimeMachine) is a client of engines: of the live one and of those of workers. It decides
//! on the goal ([`travel`]), has journeys made ([`journeys`]), passes messages on ([`relay`], [`requests`]), and records
//! the changes that the client makes ([`interventions`]).
//!
//! Each question to the past is a folder: [`changes`], [`hits`], [`output`], [`positions`], [`statements`] and
//! [`unfold`]. In its `question` the engine of the live program asks, and its [`aim`] is what a journey is for:
//! what an instance does on the way ([`visit`]). [`journey`] is what all instances do, and [`worker`] runs them. Pure
//! data and decisions are in [`state`], [`messages`], [`position`], [`checkpoints`] and [`progress`].
//!
//! # Journeys
//!
//! The host of the live program is wrapped in a `RecordHost`, and a `Snapshot` keeps the sources from which it was
//! loaded. A journey records positions or hits of breakpoints, looks for something, or stops at a position;
//! `JourneyState::position` is called at each place that `Steps` selects. While the client is in the past,
//! `TimeMachine::pass_on` passes its requests on to the worker. What the client has changed is repeated at the same
//! position, in the same wait, or at the same run-time error.
//!
//! The target of a step back is looked for in the recorded positions ([`positions::plan`]): a window of a few thousand steps
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
//! are created). Runs then watch that, first through the last few thousand steps, then from one checkpoint to the
//! next, further and further back, until enough is found. A change is known by the last place before it. Hits of data breakpoints are
//! found in the same way, from one checkpoint to the one before it, together with those of others. A run keeps only
//! what is wanted, so that its memory does not grow.
//!
//! What has printed a part of the output is found by an instance that runs from the last checkpoint before that
//! output with an `OutputWatch`, which counts the bytes written.

pub mod aim;
pub mod arrive;
pub mod changes;
pub mod checkpoints;
pub mod hits;
pub mod interventions;
pub mod journey;
pub mod journey_state;
pub mod journeys;
pub mod messages;
pub mod output;
pub mod position;
pub mod positions;
pub mod progress;
pub mod relay;
pub mod requests;
pub mod state;
pub mod statements;
pub mod time_machine;
pub mod travel;
pub mod unfold;
pub mod visit;
pub mod worker;
