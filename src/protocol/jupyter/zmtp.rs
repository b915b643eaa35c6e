//! ZMTP 3.0, the protocol of ZeroMQ's connections, as a server speaks it, without encryption.
//!
//! Whoever can reach a port can say anything here: signatures are checked later. So nothing is allocated because
//! a peer says that it is going to send it, and a message has a limit.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufWriter};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// How many bytes the frames of a message may have together.
pub(super) const LIMIT: usize = 64 << 20;

/// What a frame counts besides its bytes: many empty ones need memory, too.
const FRAME: usize = 64;

/// How many bytes are read at once.
const CHUNK: usize = 64 << 10;

/// How large a buffer may be that is kept for the next message.
const KEPT: usize = 1 << 20;

/// How long a peer may take to introduce itself.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// How long a peer may take for a message, at least, and for how many bytes it gets a second more.
const PATIENCE: Duration = Duration::from_secs(20);
const BYTES_PER_SECOND: u64 = 100_000;

/// How long to wait after a connection could not be accepted: the process may have too many files open.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Another frame of the message follows.
const MORE: u8 = 1;
/// The length of the frame has eight bytes.
const LONG: u8 = 2;
/// The frame is a command of the protocol.
const COMMAND: u8 = 4;

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// The peer has gone, or does not speak the protocol.
    Gone,
    /// It sends a message beyond the limit.
    TooLarge,
}

impl From<std::io::Error> for Closed {
    fn from(_: std::io::Error) -> Closed {
        Closed::Gone
    }
}

/// What kind of ZeroMQ's sockets the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SocketKind {
    /// It receives from all peers and sends to the one that it names.
    Router,
    /// It sends to all peers that have subscribed.
    Publisher,
}

impl SocketKind {
    fn name(self) -> &'static [u8] {
        match self {
            SocketKind::Router => b"ROUTER",
            SocketKind::Publisher => b"XPUB",
        }
    }

    /// Whether it talks to a socket of the kind with this name.
    fn talks_to(self, name: &[u8]) -> bool {
        match self {
            SocketKind::Router => matches!(name, b"DEALER" | b"REQ" | b"ROUTER"),
            SocketKind::Publisher => matches!(name, b"SUB" | b"XSUB"),
        }
    }
}

/// A connection that is open.
pub(super) struct Connection {
    pub reader: Reader,
    pub writer: Writer,
    /// How the peer wants to be named, if it does.
    pub identity: Option<Bytes>,
}

/// A listener for the runtime.
pub(super) fn asynchronous(listener: std::net::TcpListener) -> std::io::Result<TcpListener> {
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Waits for the next connection. May be cancelled.
pub(super) async fn accepted(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => sleep(ACCEPT_AGAIN).await,
        }
    }
}

/// Opens a connection that was accepted.
///
/// # Errors
/// If the peer does not introduce itself as one that `kind` talks to.
pub(super) async fn open(stream: TcpStream, kind: SocketKind) -> Result<Connection, Closed> {
    timeout(HANDSHAKE, handshake(stream, kind)).await.unwrap_or(Err(Closed::Gone))
}

async fn handshake(stream: TcpStream, kind: SocketKind) -> Result<Connection, Closed> {
    // Messages are written as a whole.
    stream.set_nodelay(true)?;
    let (mut read, mut write) = stream.into_split();
    write.write_all(&greeting()).await?;
    let mut signature = [0; 10];
    read.read_exact(&mut signature).await?;
    if !matches!(signature, [0xff, .., 0x7f]) {
        return Err(Closed::Gone);
    }
    let mut rest = [0; 54];
    read.read_exact(&mut rest).await?;
    match &rest {
        [major, _, mechanism @ ..] if *major >= 3 && mechanism.starts_with(b"NULL\0") => {}
        _ => return Err(Closed::Gone),
    }
    write.write_all(&ready(kind)).await?;
    let mut reader = Reader { stream: read, decoder: Decoder::default() };
    let Item::Command(command) = reader.next().await? else { return Err(Closed::Gone) };
    let (name, identity) = introduced(&command).ok_or(Closed::Gone)?;
    if !kind.talks_to(name) {
        return Err(Closed::Gone);
    }
    // A name that begins with zero is one that a server has given.
    let identity = identity.filter(|name| !name.is_empty() && name.len() <= 255 && !name.starts_with(&[0]));
    let identity = identity.map(Bytes::copy_from_slice);
    Ok(Connection { reader, writer: Writer(BufWriter::with_capacity(CHUNK, write)), identity })
}

/// Signature, version, mechanism, and zeros for a client.
fn greeting() -> Vec<u8> {
    let mut greeting = b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL".to_vec();
    greeting.resize(64, 0);
    greeting
}

/// The frame with which the server introduces itself.
fn ready(kind: SocketKind) -> Vec<u8> {
    let name = kind.name();
    let command = [b"\x05READY\x0bSocket-Type\0\0\0", &[name.len() as u8][..], name].concat();
    [&[COMMAND, command.len() as u8][..], &command].concat()
}

/// The kind of socket and the identity that a peer introduces itself with.
fn introduced(command: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let (mut kind, mut identity) = (None, None);
    let mut rest = command.strip_prefix(b"\x05READY")?;
    while let Some((length, after)) = rest.split_first() {
        let (name, after) = after.split_at_checked(usize::from(*length))?;
        let (length, after) = after.split_first_chunk()?;
        let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
        let (value, after) = after.split_at_checked(length)?;
        if name.eq_ignore_ascii_case(b"Socket-Type") {
            kind = Some(value);
        } else if name.eq_ignore_ascii_case(b"Identity") {
            identity = Some(value);
        }
        rest = after;
    }
    Some((kind?, identity))
}

/// What a peer sends.
#[derive(Debug, PartialEq, Eq)]
enum Item {
    /// The frames of a message.
    Message(Vec<Bytes>),
    /// A command of the protocol.
    Command(Bytes),
}

/// Receives messages.
pub(super) struct Reader {
    stream: OwnedReadHalf,
    decoder: Decoder,
}

impl Reader {
    /// The next message. Nothing is lost if it is cancelled.
    ///
    /// # Errors
    /// If the connection is to be closed.
    pub async fn message(&mut self) -> Result<Vec<Bytes>, Closed> {
        loop {
            // Later commands ask for what a server need not do.
            if let Item::Message(frames) = self.next().await? {
                return Ok(frames);
            }
        }
    }

    async fn next(&mut self) -> Result<Item, Closed> {
        loop {
            if let Some(item) = self.decoder.next()? {
                return Ok(item);
            }
            self.decoder.buffer.reserve(CHUNK);
            if self.stream.read_buf(&mut self.decoder.buffer).await? == 0 {
                return Err(Closed::Gone);
            }
        }
    }
}

/// Makes messages of bytes.
#[derive(Default)]
struct Decoder {
    /// What has been received of the frame that is not complete.
    buffer: BytesMut,
    /// The frames of the message that is not complete, and what they count.
    frames: Vec<Bytes>,
    size: usize,
}

impl Decoder {
    /// Something complete, if there is one.
    fn next(&mut self) -> Result<Option<Item>, Closed> {
        while let Some((flags, frame)) = self.frame()? {
            if flags & COMMAND != 0 {
                return Ok(Some(Item::Command(frame)));
            }
            self.size += frame.len() + FRAME;
            self.frames.push(frame);
            if flags & MORE == 0 {
                self.size = 0;
                return Ok(Some(Item::Message(std::mem::take(&mut self.frames))));
            }
        }
        Ok(None)
    }

    /// The flags and bytes of the next frame, if it is complete.
    fn frame(&mut self) -> Result<Option<(u8, Bytes)>, Closed> {
        let flags = self.buffer.first().copied().unwrap_or_default();
        if flags & !(MORE | LONG | COMMAND) != 0 || flags & (COMMAND | MORE) == COMMAND | MORE {
            return Err(Closed::Gone);
        }
        let (flags, length, header) = match &self.buffer[..] {
            [flags, rest @ ..] if flags & LONG != 0 => match rest.first_chunk() {
                Some(length) => (*flags, u64::from_be_bytes(*length), 1 + size_of::<u64>()),
                None => return Ok(None),
            },
            [flags, length, ..] => (*flags, u64::from(*length), 2),
            _ => return Ok(None),
        };
        let room = LIMIT.checked_sub(self.size + FRAME).ok_or(Closed::TooLarge)?;
        let length = usize::try_from(length).ok().filter(|length| *length <= room).ok_or(Closed::TooLarge)?;
        let Some(frame) = self.buffer.get(header..header + length) else { return Ok(None) };
        // A copy, as the buffer is large and the frame may be kept.
        let frame = Bytes::copy_from_slice(frame);
        self.buffer.advance(header + length);
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = BytesMut::new();
        }
        Ok(Some((flags, frame)))
    }
}

/// Sends messages.
pub(super) struct Writer(BufWriter<OwnedWriteHalf>);

impl Writer {
    /// Sends a message; it may wait for [`Writer::flush`].
    ///
    /// # Errors
    /// If the peer has gone or takes nothing.
    pub async fn write(&mut self, frames: &[Bytes]) -> Result<(), Closed> {
        let size: usize = frames.iter().map(Bytes::len).sum();
        let more = Duration::from_secs(size as u64 / BYTES_PER_SECOND);
        timeout(PATIENCE + more, self.write_frames(frames)).await.map_err(|_| Closed::Gone)??;
        Ok(())
    }

    async fn write_frames(&mut self, frames: &[Bytes]) -> std::io::Result<()> {
        let last = frames.len().saturating_sub(1);
        for (number, frame) in frames.iter().enumerate() {
            let more = if number == last { 0 } else { MORE };
            match u8::try_from(frame.len()) {
                Ok(length) => self.0.write_all(&[more, length]).await?,
                Err(_) => {
                    self.0.write_u8(more | LONG).await?;
                    self.0.write_u64(frame.len() as u64).await?;
                }
            }
            self.0.write_all(frame).await?;
        }
        Ok(())
    }

    /// Sends what waits.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub async fn flush(&mut self) -> Result<(), Closed> {
        timeout(PATIENCE, self.0.flush()).await.map_err(|_| Closed::Gone)??;
        Ok(())
    }
}

#[cfg(any(test, fuzzing))]
#[path = "../../../fuzz/inside/zmtp.rs"]
pub mod fuzz;

#[cfg(test)]
mod tests {
    use super::*;

    fn decoder(bytes: &[u8]) -> Decoder {
        Decoder { buffer: BytesMut::from(bytes), ..Decoder::default() }
    }

    fn long(flags: u8, length: u64) -> Vec<u8> {
        [&[flags | LONG][..], &length.to_be_bytes()].concat()
    }

    #[test]
    fn messages_are_complete_after_their_last_byte() {
        let mut bytes = b"\x01\x02ab\x01\0".to_vec();
        bytes.extend(long(0, 300));
        bytes.extend([7; 300]);
        let mut decoder = decoder(&[]);
        for byte in &bytes {
            assert_eq!(decoder.next(), Ok(None));
            decoder.buffer.extend_from_slice(&[*byte]);
        }
        let frames = [&b"ab"[..], b"", &[7; 300]].map(Bytes::copy_from_slice).to_vec();
        assert_eq!(decoder.next(), Ok(Some(Item::Message(frames))));
        assert_eq!((decoder.next(), decoder.size), (Ok(None), 0));
    }

    #[test]
    fn frames_beyond_the_limit_are_refused_by_their_header() {
        for length in [LIMIT as u64 + 1, 1 << 40, 1 << 62, u64::MAX] {
            for flags in [0, MORE, COMMAND] {
                let mut decoder = decoder(&long(flags, length));
                let before = decoder.buffer.capacity();
                assert_eq!(decoder.next(), Err(Closed::TooLarge));
                assert_eq!(decoder.buffer.capacity(), before);
            }
        }
        assert_eq!(decoder(&long(0, (LIMIT - FRAME) as u64)).next(), Ok(None));
    }

    #[test]
    fn messages_beyond_the_limit_are_refused() {
        // Many frames, empty or not.
        for length in [0, 255] {
            let frame = [&[MORE, length][..], &vec![0; length.into()]].concat();
            let count = LIMIT / (FRAME + usize::from(length));
            let mut decoder = decoder(&frame.repeat(count));
            assert_eq!(decoder.next(), Ok(None));
            decoder.buffer.extend_from_slice(&frame);
            assert_eq!(decoder.next(), Err(Closed::TooLarge));
        }
    }

    #[test]
    fn what_is_not_the_protocol_is_refused() {
        for bytes in [&b"GET /"[..], &[COMMAND | MORE, 0]] {
            assert_eq!(decoder(bytes).next(), Err(Closed::Gone));
        }
    }

    #[test]
    fn peers_introduce_themselves() {
        let command = b"\x05READY\x0bsocket-type\0\0\0\x03SUB\x08Identity\0\0\0\x02me";
        assert_eq!(introduced(command), Some((&b"SUB"[..], Some(&b"me"[..]))));
        // Any part of it is no introduction, unless it ends with a property.
        for end in 0..command.len() {
            let part = introduced(command.get(..end).unwrap());
            assert_eq!(part, (end == 25).then_some((&b"SUB"[..], None)), "{end}");
        }
        let own = ready(SocketKind::Router);
        assert_eq!(introduced(own.get(2..).unwrap()), Some((&b"ROUTER"[..], None)));
    }
}
