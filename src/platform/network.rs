//! Waiting on sockets, and its end.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::system;

/// Ends a connection in both directions: reading and writing fail from now on, also where other threads wait
/// for it.
pub fn disconnect(stream: &TcpStream) {
    // It may be closed already.
    let _ = stream.shutdown(Shutdown::Both);
    system::end_waits(stream);
}

/// Waits until a client wants to connect, for `time` at most.
pub fn wait_for_client(listener: &TcpListener, time: Duration) {
    let mut waiting = [PollFd::new(listener, PollFlags::IN)];
    let time: Option<Timespec> = time.try_into().ok();
    // Whoever waits looks at the listener afterwards.
    let _ = poll(&mut waiting, time.as_ref());
}
