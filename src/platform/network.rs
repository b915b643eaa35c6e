//! Waiting on sockets.

use std::net::TcpListener;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Waits until a client wants to connect, for `time` at most.
pub fn wait_for_client(listener: &TcpListener, time: Duration) {
    let mut waiting = [PollFd::new(listener, PollFlags::IN)];
    let time: Option<Timespec> = time.try_into().ok();
    // Whoever waits looks at the listener afterwards.
    let _ = poll(&mut waiting, time.as_ref());
}
