//! A web server of fixed answers.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::value::{ServedRoute, canonical_header};

use super::files::system_error;
use super::jobs::Control;

/// How often it looks whether it is to end.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a silent client is kept.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest head of a request.
const MAX_HEAD: u64 = 1 << 20;

/// Serves until it is stopped; says why it could not.
pub fn serve(port: u16, routes: Vec<ServedRoute>, control: &Control) -> String {
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
    while !control.stopped.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((stream, _)) => {
                let routes = routes.clone();
                std::thread::spawn(move || {
                    // A client that goes away is nobody's problem.
                    let _ = converse(stream, &routes);
                });
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
    "server closed".into()
}

/// What a request asks for.
struct Asked {
    method: String,
    target: String,
    /// Whether the connection stays.
    keep: bool,
}

fn converse(stream: TcpStream, routes: &[ServedRoute]) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read_request(&mut reader)? {
        let answer = answer(&asked, routes);
        writer.write_all(&answer.bytes(&asked))?;
        if !asked.keep {
            break;
        }
    }
    Ok(())
}

/// The next request; none at the end, or if it is none.
fn read_request(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Asked>> {
    let mut head = reader.by_ref().take(MAX_HEAD);
    let mut line = String::new();
    if head.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Ok(None);
    };
    let mut asked = Asked { method: method.into(), target: target.into(), keep: version != "HTTP/1.0" };
    let mut length = 0;
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => length = value.parse().unwrap_or(0),
            ("connection", value) => asked.keep = !value.eq_ignore_ascii_case("close"),
            // Where such a body ends is not worth knowing.
            ("transfer-encoding", _) => asked.keep = false,
            ("expect", _) => asked.keep = false,
            _ => {}
        }
    }
    std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
    Ok(Some(asked))
}

struct Answer {
    status: i64,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn plain(status: i64, text: &str) -> Answer {
        let headers = [("Content-Type", "text/plain; charset=utf-8"), ("X-Content-Type-Options", "nosniff")];
        let headers = headers.map(|(name, value)| (name.to_string(), value.to_string())).into();
        Answer { status, headers, body: text.as_bytes().to_vec() }
    }

    fn bytes(mut self, asked: &Asked) -> Vec<u8> {
        if !(100..=999).contains(&self.status) {
            self = Answer { status: 500, headers: Vec::new(), body: Vec::new() };
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
        if !asked.keep {
            head.push_str("Connection: close\r\n");
        }
        head.push_str("\r\n");
        let mut all = head.into_bytes();
        if !bodiless && asked.method != "HEAD" {
            all.extend(self.body);
        }
        all
    }
}

fn answer(asked: &Asked, routes: &[ServedRoute]) -> Answer {
    let target = match asked.target.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => &asked.target,
    };
    let (path, query) = target.split_once('?').map_or((target, ""), |(path, query)| (path, query));
    let Some(path) = decoded(path) else { return Answer::plain(400, "400 Bad Request") };
    let cleaned = cleaned(&path);
    if cleaned != path {
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let place = ("Location".to_string(), format!("{}{query}", encoded(&cleaned)));
        return Answer { status: 307, headers: vec![place], body: Vec::new() };
    }
    match routes.iter().find(|route| route.method == asked.method && route.path == path) {
        Some(route) => {
            let mut headers: Vec<(String, String)> = Vec::new();
            for (name, value) in &route.headers {
                let name = canonical_header(name);
                let wild = name.contains(['\r', '\n', ':']) || value.contains(['\r', '\n']);
                headers.retain(|(known, _)| *known != name);
                if !wild && !matches!(name.as_str(), "Content-Length" | "Date") {
                    headers.push((name, value.clone()));
                }
            }
            Answer { status: route.status, headers, body: route.body.clone() }
        }
        None => Answer::plain(404, "Not Found\n"),
    }
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
