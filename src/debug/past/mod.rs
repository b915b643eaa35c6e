//! Runs the past of a program: a second instance of it ([`instance`]) on a thread of its own ([`worker`]),
//! which makes a journey to some position ([`journey`]).
//!
//! The engine of the live program decides on the goal ([`travel`]), communicates with the worker
//! ([`following`]), and records the changes that the client makes ([`interventions`]). The question where a
//! value comes from ([`last_change`]) takes two runs: one to resolve the expression ([`meaning`]), one to
//! watch for changes ([`tracking`]). Where the system can copy processes, an instance may begin at a
//! checkpoint instead of the program's start ([`copy`]).

mod copy;
mod following;
mod instance;
mod interventions;
pub(super) mod journey;
mod last_change;
mod meaning;
mod tracking;
mod travel;
mod worker;
