//! Notices that the process which has started the kernel is gone.

use std::time::Duration;

use ez_runtime::platform::parent_id;
use ez_runtime::threads;

/// The variable by which Jupyter says that it is the parent.
const PARENT: &str = "JPY_PARENT_PID";

const PERIOD: Duration = Duration::from_secs(1);

/// Calls `gone` on a thread of its own when the server that has started this kernel has ended without ending
/// it, where the system shows that.
pub fn watch(gone: impl FnOnce() + Send + 'static) {
    let parent = parent_id();
    let is_parent = std::env::var(PARENT).is_ok_and(|id| id.parse() == Ok(parent));
    if !is_parent {
        return;
    }
    let watching = move || {
        while parent_id() == parent {
            std::thread::sleep(PERIOD);
        }
        gone();
    };
    // Without the thread, the kernel lives until it is ended.
    let _ = threads::spawn("parent", watching);
}
