//! The live engine's side of the connection to a worker.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crossbeam_channel::Receiver;

use crate::debug::history::messages::WorkerMessage;
use crate::debug::history::position::RunPosition;
use crate::debug::history::worker::wire::ToWorker;

/// The connection to a worker, in this process or in a copy.
pub(crate) struct WorkerLink {
    /// Sends it a message; has no effect if the worker has ended.
    pub send: Box<dyn Fn(ToWorker)>,
    pub messages: Receiver<WorkerMessage>,
    /// The step that the instance has reached, approximately.
    pub step: Arc<AtomicU64>,
    /// Number of settings (changes of breakpoints and watches) that it has.
    pub known: usize,
    /// The position of the checkpoint of which it is a copy; `None` for a thread of this process, which runs
    /// instances from the program's beginning.
    pub checkpoint: Option<RunPosition>,
}

impl WorkerLink {
    /// Whether it is a thread of this process.
    pub fn is_nested(&self) -> bool {
        self.checkpoint.is_none()
    }
}
