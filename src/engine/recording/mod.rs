//! Hosts that record a program's calls with the answers, and hosts that answer from such a record. The latter
//! do not access the outside, except for the file of a recording.
//!
//! For going back in time calls are kept in memory ([`Record`]), for later in a file (`file`), which consists of a
//! header with the program itself, the calls, and the end, each as a line with a checksum. The file is written
//! before the corresponding output of the program is passed on. Whoever reads it checks the checksums, and accepts
//! a last line that is cut off. A program that does something other than what was recorded, or meets the end of an
//! incomplete recording, departs from it (`Departure`).

mod draws;
pub mod file;
mod output_size;
mod record;
mod replay;
mod words;

pub use output_size::OutputSize;
pub use record::{HostCall, Mark, OutputHash, Record, RecordHost};
pub use replay::{Replay, ReplayHost};
