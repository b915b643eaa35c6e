//! Hosts that record what a program asked of the outside and what it was answered, and that answer from such
//! a record. They reach nothing outside themselves, but for the file of a recording.

mod draws;
pub mod file;
mod record;
mod replay;

pub use record::{HostCall, Mark, OutputHash, Record, RecordHost};
pub use replay::{Replay, ReplayHost};
