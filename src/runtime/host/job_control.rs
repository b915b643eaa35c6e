//! Cancelling a job from another thread.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::sync::{Mutex, MutexGuard};

type Action = Box<dyn FnOnce() + Send>;

/// Shared by a job's thread and the thread that may cancel the job.
#[derive(Default)]
pub struct JobControl {
    cancelled: AtomicBool,
    /// Called to unblock the job's thread.
    unblock: Mutex<Option<Action>>,
}

impl JobControl {
    fn action(&self) -> MutexGuard<'_, Option<Action>> {
        self.unblock.lock()
    }

    /// Whether the job has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.run_action();
    }

    /// Sets what unblocks the job's thread when the job is cancelled; replaces an earlier action. If the job
    /// has been cancelled already, the action is called at once.
    pub fn on_cancel(&self, action: impl FnOnce() + Send + 'static) {
        *self.action() = Some(Box::new(action));
        if self.is_cancelled() {
            self.run_action();
        }
    }

    fn run_action(&self) {
        let action = self.action().take();
        if let Some(action) = action {
            action();
        }
    }
}
