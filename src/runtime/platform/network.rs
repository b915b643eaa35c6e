//! Waiting for sockets, and interrupting that.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::set_socket_send_buffer_size;

use super::system;

/// Shuts down a connection in both directions. Reads and writes fail from now on, also those in progress on
/// other threads.
pub fn disconnect(stream: &TcpStream) {
    // It may be closed already.
    let _ = stream.shutdown(Shutdown::Both);
    system::end_waits(stream);
}

/// Waits until a client tries to connect, but at most for `time`.
pub fn wait_for_client(listener: &TcpListener, time: Duration) {
    let mut waiting = [PollFd::new(listener, PollFlags::IN)];
    let time: Option<Timespec> = time.try_into().ok();
    // The caller tries to accept in any case.
    let _ = poll(&mut waiting, time.as_ref());
}

/// Keeps the system from storing more than about `bytes` that the other side has not taken, as far as this side decides
/// that. Without it, that may be megabytes.
pub fn limit_unsent(stream: &TcpStream, bytes: usize) {
    // It is a wish.
    let _ = set_socket_send_buffer_size(stream, bytes);
}
