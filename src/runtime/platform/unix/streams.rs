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
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use signal_hook::consts;

use super::allocator::keep_one_heap;
use super::memory::address_space_limit;
use crate::platform::{NULL_DEVICE, StandardStreams};

pub fn prepare_process() {
    // A handler, unlike an ignored signal, is not inherited by commands of the program. If `SIGCHLD` were
    // ignored, as the parent may have set it, the system would forget the exit status of children.
    for signal in [consts::SIGXFSZ, consts::SIGCHLD] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    if address_space_limit().is_some() {
        keep_one_heap();
    }
}

pub fn take_standard_streams() -> io::Result<StandardStreams> {
    let reader = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let writer = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let watch = Some(ReaderWatch(writer.try_clone()?));
    let nothing = File::options().read(true).write(true).open(NULL_DEVICE)?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(StandardStreams { reader, writer, watch })
}

/// How the terminal of standard input treats what is typed.
pub struct TerminalMode(rustix::termios::Termios);

impl TerminalMode {
    /// The present one; `None` if standard input is no terminal.
    pub fn present() -> Option<TerminalMode> {
        rustix::termios::tcgetattr(io::stdin()).ok().map(TerminalMode)
    }

    /// Makes it the present one again.
    pub fn restore(&self) {
        let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Drain, &self.0);
    }
}

/// Detects that the other end of an output stream is closed.
pub struct ReaderWatch(File);

impl ReaderWatch {
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

/// The streams of one message.
pub struct Streams {
    pub streams: Vec<OwnedFd>,
    /// Whether more were sent: they are lost if this process may not open that many.
    pub lost: bool,
}

/// Receives the streams of one message; `None` if the other side has closed the socket.
///
/// # Errors
/// If the system cannot receive from the socket.
pub fn receive_streams(socket: &UnixStream) -> io::Result<Option<Streams>> {
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
    Ok(Some(Streams { streams, lost: received.flags.contains(ReturnFlags::CTRUNC) }))
}

/// Standard input of this process, if it is a socket.
pub fn standard_input_socket() -> Option<UnixStream> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    socket.peer_addr().is_ok().then_some(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_that_are_lost_are_noticed() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        send_streams(&ours, &[ours.as_fd(), ours.as_fd()]).expect("a message");
        let whole = receive_streams(&theirs).expect("a message").expect("streams");
        assert_eq!((whole.streams.len(), whole.lost), (2, false));

        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8 * MAX))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let many = [ours.as_fd(); 8 * MAX];
        assert!(control.push(SendAncillaryMessage::ScmRights(&many)));
        sendmsg(&ours, &[IoSlice::new(&[0])], &mut control, SendFlags::empty()).expect("a message");
        let cut = receive_streams(&theirs).expect("a message").expect("streams");
        assert!(cut.lost && cut.streams.len() < 8 * MAX);

        drop((ours, whole, cut));
        assert!(receive_streams(&theirs).expect("the end").is_none());
    }
}
