//! Hosts that record a program's calls with the answers, and hosts that answer from such a record. The latter
//! do not access the outside, except for the file of a recording.

mod draws;
pub mod file;
mod record;
mod replay;
mod words;

pub use record::{HostCall, Mark, OutputHash, Record, RecordHost};
pub use replay::{Replay, ReplayHost};
