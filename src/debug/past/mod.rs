//! The past of a program: a second instance ([`instance`]) on a thread of its own ([`worker`]), what it does
//! on its way and where it arrives ([`journey`]). The engine of the live program decides where to go
//! ([`travel`]), talks with the worker ([`following`]), and keeps what the debugger changes
//! ([`interventions`]). Where a value comes from ([`last_change`]) is found out on the way, too: what the
//! question means ([`meaning`]), then when that changed ([`tracking`]). Where the system lets a process make
//! copies of itself, an instance need not begin where the program does ([`copy`]).

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
