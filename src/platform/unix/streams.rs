//! Standard streams, and passing open streams to another process.

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
    // A handler, unlike an ignored signal, is not inherited by commands of the program.
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

/// Detects that the other end of an output stream is closed.
pub struct OutputWatch(File);

impl OutputWatch {
    /// Waits until the other end is closed; returns `false` if that cannot be detected.
    pub fn wait_closed(&self) -> bool {
        // On some systems, the end of a pipe is reported only if asked for. For bidirectional streams, that
        // would also report data to read.
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

/// Prevents that processes spawned by other threads meanwhile inherit received streams, where the system can
/// do so.
#[cfg(not(target_vendor = "apple"))]
const NOT_INHERITED: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(target_vendor = "apple")]
const NOT_INHERITED: RecvFlags = RecvFlags::empty();

/// An IPv6 socket also accepts IPv4 connections on Unix.
pub fn listen_everywhere(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv6Addr::UNSPECIFIED, port))
}

/// Nothing to do: shutting down a connection wakes threads that wait for it.
pub fn end_waits(_: &TcpStream) {}

/// Maximum number of streams in a message.
const MAX: usize = 2;

/// Sends streams, at most two, as one message.
///
/// # Errors
/// If the other side has closed the socket.
pub fn send_streams(socket: &UnixStream, streams: &[BorrowedFd]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(streams)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // A message needs at least one byte. (On a closed socket this fails: Rust's runtime ignores SIGPIPE.)
    sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// Receives the streams of one message; `None` if the other side has closed the socket.
///
/// # Errors
/// If no more descriptors are available.
pub fn receive_streams(socket: &UnixStream) -> io::Result<Option<Vec<OwnedFd>>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX))];
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
        // Needed on systems without the flag.
        fcntl_setfd(stream, FdFlags::CLOEXEC)?;
    }
    Ok(Some(streams))
}

/// Standard input of this process, if it is a socket.
pub fn standard_input_socket() -> Option<UnixStream> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    socket.peer_addr().is_ok().then_some(socket)
}
