//! Standard streams, and sending open streams to another process.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv6Addr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

use crate::platform::{NULL_DEVICE, StandardStreams};

pub fn prepare_process() {
    // A handler, unlike a signal that is ignored, does not go on to the commands that a program runs.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

pub fn take_standard_streams() -> io::Result<StandardStreams> {
    let reader = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let writer = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let watch = Some(OutputWatch(writer.try_clone()?));
    let nothing = File::options().read(true).write(true).open(NULL_DEVICE)?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(StandardStreams { reader, writer, watch })
}

/// A stream that is written to, watched for being closed at its other end.
pub struct OutputWatch(File);

impl OutputWatch {
    /// Waits until nobody can read what is written; `false` if that cannot be found out.
    pub fn wait_closed(&self) -> bool {
        // Not all systems tell that a pipe is closed without being asked. Of streams with two directions
        // some then tell that there is something to read, too.
        let is_pipe = self.0.metadata().is_ok_and(|data| data.file_type().is_fifo());
        let asked = if is_pipe { PollFlags::HUP } else { PollFlags::empty() };
        loop {
            let mut streams = [PollFd::new(&self.0, asked)];
            match poll(&mut streams, None) {
                Ok(_) => {
                    let [watched] = streams;
                    // Streams that cannot be watched, such as terminals of some systems, are told as invalid.
                    return watched.revents().intersects(PollFlags::ERR | PollFlags::HUP);
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }
}

/// Received streams are not inherited by processes that other threads spawn in the meantime, where the
/// system can see to that.
#[cfg(not(target_vendor = "apple"))]
const NOT_INHERITED: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(target_vendor = "apple")]
const NOT_INHERITED: RecvFlags = RecvFlags::empty();

/// Sockets of the sixth version take connections of both.
pub fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
}

/// A connection that is shut down wakes whoever waits for it by itself.
pub fn end_waits(_: &TcpStream) {}

/// Most streams in one message.
const MOST: usize = 2;

/// Sends streams, at most two, as one message.
///
/// # Errors
/// When the other side is gone.
pub fn send_streams(socket: &UnixStream, streams: &[BorrowedFd]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(streams)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // Streams travel beside at least one byte.
    // A closed socket is an error: Rust's library ignores the signal for it.
    sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives the streams of one message; `None` when the other side is gone.
///
/// # Errors
/// When the system has no room for more streams.
pub fn receive_streams(socket: &UnixStream) -> io::Result<Option<Vec<OwnedFd>>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = loop {
        let mut parts = [IoSliceMut::new(&mut byte)];
        match recvmsg(socket, &mut parts, &mut control, NOT_INHERITED) {
            Err(rustix::io::Errno::INTR) => {}
            other => break other?,
        }
    };
    if received.bytes == 0 {
        return Ok(None);
    }
    let rights = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(streams) => Some(streams),
        _ => None,
    });
    let streams: Vec<OwnedFd> = rights.flatten().collect();
    for stream in &streams {
        // For systems without the flag; on others it is so already.
        fcntl_setfd(stream, FdFlags::CLOEXEC)?;
    }
    Ok(Some(streams))
}

/// Standard input of this process, if it is a socket.
pub fn standard_input_socket() -> Option<UnixStream> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    socket.peer_addr().is_ok().then_some(socket)
}
