//! The instance of a program that shows its past: on a thread of its own ([`thread`]), or in a copy of the
//! process ([`copy`]), where the system can make one. Where there is only one thread, it is in another instance of this
//! program ([`instances`]).

pub mod copy;
pub mod instance;
pub mod instances;
pub mod link;
pub mod thread;
pub mod wire;

use crate::debug::history::state::Origin;
use crate::recording::Record;
use ez_runtime::sync::ALONE;

/// Starts a worker for a program, which runs it from its beginning.
///
/// # Errors
/// If no thread can be created.
pub(crate) fn start(origin: Origin, record: Record) -> Result<link::WorkerLink, String> {
    if ALONE { instances::start(origin, record) } else { thread::start(origin, record) }
}
