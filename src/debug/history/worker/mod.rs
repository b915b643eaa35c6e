//! The instance of a program that shows its past: on a thread of its own ([`thread`]), or in a copy of the
//! process ([`copy`]), where the system can make one.

pub mod copy;
pub mod instance;
pub mod link;
pub mod thread;
pub mod wire;
