//! The past of a program: a second instance ([`instance`]) on a thread of its own ([`worker`]), what it does
//! on its way and where it arrives ([`journey`]). The engine of the live program decides where to go ([`travel`]), talks with
//! the worker ([`following`]), and keeps what the debugger changes ([`interventions`]).

mod following;
mod instance;
mod interventions;
mod journey;
mod travel;
mod worker;
