//! Parses the requests of HTTP clients.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use crate::clock::Instant;

use super::url::authority;

/// Maximum size of a request's head in bytes.
const MAX_HEAD: usize = 1 << 20;
/// Maximum number of headers.
const MAX_HEADERS: usize = 256;
/// Maximum size in bytes of a body that is skipped to read the next request.
const MAX_BODY: u64 = 1 << 28;

/// A request without its body.
pub struct Request {
    pub method: String,
    pub target: String,
    /// The host that the client means, with the port if there is one; `None` with HTTP 1.0 only.
    pub host: Option<String>,
    /// Whether the connection is kept open for another request.
    pub keep: bool,
    /// Whether it uses HTTP 1.0.
    pub http_1_0: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub expects_continue: bool,
    pub body: Body,
}

/// The length of the body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Body {
    None,
    Length(u64),
    Chunks,
}

/// The result of reading from a connection.
pub enum Received {
    Request(Request),
    /// The client has closed the connection.
    End,
    /// Not a valid request; the status for the response.
    Wrong(i64),
}

/// Reads the head of the next request, which has to be complete within `patience`.
pub fn read_request(reader: &mut impl BufRead, patience: Duration) -> io::Result<Received> {
    let deadline = Instant::now() + patience;
    let mut head = Vec::new();
    loop {
        let start = head.len();
        if !read_line(reader, &mut head, MAX_HEAD, deadline)? {
            return Ok(match head.len() {
                0 => Received::End,
                length if length > MAX_HEAD => Received::Wrong(431),
                _ => Received::Wrong(400),
            });
        }
        match head.get(start..) {
            // Empty lines before a request are ignored.
            Some(b"\r\n" | b"\n") if start == 0 => head.clear(),
            Some(b"\r\n" | b"\n") => break,
            _ => {}
        }
    }
    Ok(parse(&head))
}

/// Appends a line to `head`; returns `false` if the input ends within it, or `head` reaches `most` bytes.
fn read_line(
    reader: &mut impl BufRead,
    head: &mut Vec<u8>,
    most: usize,
    deadline: Instant,
) -> io::Result<bool> {
    loop {
        if Instant::now() > deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let some = reader.fill_buf()?;
        if some.is_empty() || head.len() > most {
            return Ok(false);
        }
        let end = memchr::memchr(b'\n', some).map(|at| at + 1);
        let taken = end.unwrap_or(some.len());
        head.extend(some.iter().take(taken));
        reader.consume(taken);
        if end.is_some() {
            return Ok(true);
        }
    }
}

fn parse(head: &[u8]) -> Received {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Received::Wrong(431),
        Err(httparse::Error::Version) => return Received::Wrong(505),
        Ok(httparse::Status::Partial) | Err(_) => return Received::Wrong(400),
    }
    let (Some(method), Some(target), Some(version)) = (parsed.method, parsed.path, parsed.version) else {
        return Received::Wrong(400);
    };
    let old = version == 0;
    let mut request = Request {
        method: method.into(),
        target: target.into(),
        host: None,
        keep: !old,
        http_1_0: old,
        expects_continue: false,
        body: Body::None,
    };
    for header in parsed.headers.iter() {
        let value = String::from_utf8_lossy(header.value);
        let value = value.trim();
        match header.name.to_ascii_lowercase().as_str() {
            "content-length" => match (length(value), request.body) {
                (Some(length), Body::Length(known)) if length != known => return Received::Wrong(400),
                // `Transfer-Encoding` takes precedence over `Content-Length`.
                (Some(_), Body::Chunks) => {}
                (Some(length), _) => request.body = Body::Length(length),
                (None, _) => return Received::Wrong(400),
            },
            "transfer-encoding" if value.eq_ignore_ascii_case("chunked") => request.body = Body::Chunks,
            "transfer-encoding" => return Received::Wrong(501),
            "connection" => {
                for word in value.split(',').map(str::trim) {
                    request.keep &= !word.eq_ignore_ascii_case("close");
                    request.keep |= old && word.eq_ignore_ascii_case("keep-alive");
                }
            }
            "expect" if value.eq_ignore_ascii_case("100-continue") => request.expects_continue = !old,
            "expect" => return Received::Wrong(417),
            "host" if request.host.is_some() => return Received::Wrong(400),
            "host" => request.host = Some(value.into()),
            _ => {}
        }
    }
    if !old && request.host.is_none() {
        return Received::Wrong(400);
    }
    // That of an absolute URL counts.
    if !request.target.starts_with('/') && request.target.contains("://") {
        request.host = Some(authority(&request.target).into());
    }
    request.expects_continue &= request.body != Body::None;
    Received::Request(request)
}

/// Parses a length: digits only.
fn length(text: &str) -> Option<u64> {
    text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
}

impl Body {
    /// Skips the body, which is not used; returns `false` if the next request cannot be found.
    pub fn skip(self, reader: &mut impl BufRead) -> io::Result<bool> {
        match self {
            Body::None => Ok(true),
            Body::Length(length) => skip(reader, length),
            Body::Chunks => {
                let mut all: u64 = 0;
                loop {
                    let Some(size) = chunk_size(reader)? else { return Ok(false) };
                    all = all.saturating_add(size);
                    if all > MAX_BODY {
                        return Ok(false);
                    }
                    if size == 0 {
                        return trailers(reader);
                    }
                    if !skip(reader, size)? || line(reader)?.is_none_or(|end| !end.is_empty()) {
                        return Ok(false);
                    }
                }
            }
        }
    }
}

/// Skips this many bytes; returns `false` if there are fewer, or they are too many.
fn skip(reader: &mut impl BufRead, length: u64) -> io::Result<bool> {
    let read = io::copy(&mut reader.by_ref().take(length.min(MAX_BODY)), &mut io::sink())?;
    Ok(read == length)
}

/// Reads a line without its end; `None` if it is too long or the input ends.
fn line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    reader.by_ref().take(1 << 12).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Ok(None);
    }
    Ok(String::from_utf8(line).ok().map(|line| line.trim_end_matches('\r').to_string()))
}

fn chunk_size(reader: &mut impl BufRead) -> io::Result<Option<u64>> {
    let Some(line) = line(reader)? else { return Ok(None) };
    let digits = line.split(';').next().unwrap_or_default().trim();
    Ok(u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+')))
}

/// Skips the trailers after the last chunk.
fn trailers(reader: &mut impl BufRead) -> io::Result<bool> {
    for _ in 0..MAX_HEADERS {
        match line(reader)? {
            Some(line) if line.is_empty() => return Ok(true),
            Some(_) => {}
            None => return Ok(false),
        }
    }
    Ok(false)
}
