//! What the adapter does after a while, on a thread of its own.

use std::time::Duration;

use ez_runtime::threads;

use super::DapFrontEnd;
use crate::protocol::Received;

impl DapFrontEnd {
    /// Calls `act` after this time, and as often again as it returns after what time. It adds the requests that it has to
    /// make, and must not block. If no thread can be created, it is not called. `name` is that of the thread.
    pub(super) fn later(
        &self,
        name: &str,
        time: Duration,
        mut act: impl FnMut(&mut DapFrontEnd, &mut Vec<Received>) -> Option<Duration> + Send + 'static,
    ) {
        let this = self.this.clone();
        let main = move || {
            let mut next = Some(time);
            while let Some(time) = next {
                std::thread::sleep(time);
                let Some(this) = this.upgrade() else { return };
                let mut front_end = this.lock();
                let mut work = Vec::new();
                next = act(&mut front_end, &mut work);
                let link = front_end.link.clone().filter(|_| !work.is_empty());
                drop(front_end);
                if let Some(link) = link {
                    link.deliver(work, || ());
                }
            }
        };
        let _ = threads::spawn(name, main);
    }
}
