//! The past of a program: a second instance on a thread of its own ([`worker`]), what it does on its way and
//! where it arrives ([`journey`]), and what the engine of the live program has to do with it ([`travel`]).

mod journey;
mod travel;
mod worker;
