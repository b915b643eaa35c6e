//! A web server of fixed answers.

mod asked;

use std::io::{BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::value::{ServedRoute, canonical_header};

use super::files::system_error;
use super::jobs::JobControl;
use asked::{Asked, Body, Read, read_request};

/// How often it looks whether it is to end.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// How long a silent client is kept.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many clients are talked to at once; more have to wait.
const CLIENTS: usize = 500;

/// Serves until it is stopped; says why it could not.
pub fn serve(port: u16, routes: Vec<ServedRoute>, control: &JobControl) -> String {
    let listener = TcpListener::bind(("::", port)).or_else(|error| match error.kind() {
        // A machine without IPv6.
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied => Err(error),
        _ => TcpListener::bind(("0.0.0.0", port)),
    });
    let problem = |error| format!("listen tcp :{port}: bind: {}", system_error("", "", &error).reason);
    let listener = match listener.and_then(|l| l.set_nonblocking(true).map(|()| l)) {
        Ok(listener) => listener,
        Err(error) => return problem(error),
    };
    let routes: Arc<[ServedRoute]> = routes.into();
    let clients = Arc::new(AtomicUsize::new(0));
    while !control.stopped.load(Ordering::SeqCst) {
        let full = clients.load(Ordering::SeqCst) >= CLIENTS;
        let stream = if full { None } else { listener.accept().ok() };
        let Some((stream, _)) = stream else {
            let mut waiting = [PollFd::new(&listener, PollFlags::IN)];
            // With too many clients it waits for time to pass, not for more of them.
            let _ = poll(if full { &mut [] } else { &mut waiting }, Some(&PAUSE));
            continue;
        };
        clients.fetch_add(1, Ordering::SeqCst);
        let (routes, client) = (routes.clone(), Client(clients.clone()));
        let talk = move || {
            let _client = client;
            // A client that goes away is nobody's problem.
            let _ = converse(stream, &routes);
        };
        // Without a thread the connection is closed.
        let _ = std::thread::Builder::new().name("client".into()).spawn(talk);
    }
    "server closed".into()
}

/// One of the clients that are counted.
struct Client(Arc<AtomicUsize>);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn converse(stream: TcpStream, routes: &[ServedRoute]) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut asked = match read_request(&mut reader, PATIENCE)? {
            Read::HostRequest(asked) => asked,
            Read::End => return Ok(()),
            Read::Wrong(status) => {
                let text = format!("{status} {}", reason(status));
                return writer.write_all(&HostAnswer::plain(status, &text).bytes("GET", "close"));
            }
        };
        if asked.waits {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if asked.body != Body::None && !asked.body.skip(&mut reader)? {
            asked.keep = false;
        }
        let connection = match (asked.keep, asked.old) {
            (false, _) => "close",
            (true, true) => "keep-alive",
            (true, false) => "",
        };
        writer.write_all(&answer(&asked, routes).bytes(&asked.method, connection))?;
        if !asked.keep {
            return Ok(());
        }
    }
}

struct HostAnswer {
    status: i64,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl HostAnswer {
    fn plain(status: i64, text: &str) -> HostAnswer {
        let headers = [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")];
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_string())).into();
        HostAnswer { status, headers, body: text.as_bytes().to_vec() }
    }

    /// What is sent for a request of this method; `connection` says what becomes of that, if it is not
    /// what both expect.
    fn bytes(mut self, method: &str, connection: &str) -> Vec<u8> {
        if !(100..=999).contains(&self.status) {
            self = HostAnswer { status: 500, headers: Vec::new(), body: Vec::new() };
        }
        let bodiless = matches!(self.status, 100..=199 | 204 | 304);
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let date = jiff::Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S GMT");
        head.push_str(&format!("Date: {date}\r\n"));
        if !bodiless {
            head.push_str(&format!("Content-Length: {}\r\n", self.body.len()));
        }
        if !connection.is_empty() {
            head.push_str(&format!("Connection: {connection}\r\n"));
        }
        head.push_str("\r\n");
        let mut all = head.into_bytes();
        if !bodiless && method != "HEAD" {
            all.extend(self.body);
        }
        all
    }
}

fn answer(asked: &Asked, routes: &[ServedRoute]) -> HostAnswer {
    let target = match asked.target.split_once("://") {
        Some((_, rest)) if !asked.target.starts_with('/') => {
            rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
        }
        _ => &asked.target,
    };
    let (path, query) = target.split_once('?').map_or((target, ""), |(path, query)| (path, query));
    let Some(path) = decoded(path) else { return HostAnswer::plain(400, "400 Bad HostRequest") };
    let cleaned = cleaned(&path);
    if cleaned != path && path.starts_with('/') {
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let place = ("Location".to_string(), format!("{}{query}", encoded(&cleaned)));
        return HostAnswer { status: 307, headers: vec![place], body: Vec::new() };
    }
    match routes.iter().find(|route| route.method == asked.method && route.path == path) {
        Some(route) => {
            let mut headers: Vec<(String, String)> = Vec::new();
            for (name, value) in &route.headers {
                let name = canonical_header(name);
                headers.retain(|(known, _)| *known != name);
                let ours = ["Content-Length", "Date", "Connection", "Transfer-Encoding"];
                if is_name(&name) && !value.contains(['\r', '\n', '\0']) && !ours.contains(&name.as_str()) {
                    headers.push((name, value.clone()));
                }
            }
            HostAnswer { status: route.status, headers, body: route.body.clone() }
        }
        None => HostAnswer::plain(404, "Not Found\n"),
    }
}

/// Whether a header can have this name.
fn is_name(name: &str) -> bool {
    ureq::http::HeaderName::from_bytes(name.as_bytes()).is_ok()
}

/// The path without doubled slashes and dots; a slash at its end stays.
fn cleaned(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let end = if !parts.is_empty() && path.ends_with('/') { "/" } else { "" };
    format!("/{}{end}", parts.join("/"))
}

fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let mut byte = [0];
        hex::decode_to_slice(tail.get(..2)?, &mut byte).ok()?;
        bytes.extend(byte);
        rest = tail.get(2..)?;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

fn reason(status: i64) -> String {
    let known = u16::try_from(status).ok().and_then(|s| ureq::http::StatusCode::from_u16(s).ok());
    let text = known.and_then(|s| s.canonical_reason());
    text.map_or_else(|| format!("status code {status}"), str::to_string)
}
