//! An HTTP server with fixed responses.

use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::platform;
use crate::value::{ServedRoute, canonical_header};

use crate::host::job_control::JobControl;

use super::request::{Body, Received, Request, read_request};
use super::response::{Response, reason};
use super::url::{cleaned_path, decoded_path, encoded_path};

/// How often the server checks whether it has been cancelled.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a connection may be idle before it is closed.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of clients served at a time; others wait.
const CLIENTS: usize = 500;

/// Serves until the job is cancelled; returns the error if serving is not possible.
pub fn serve(port: u16, routes: Vec<ServedRoute>, control: &JobControl) -> String {
    let listener = platform::listen_everywhere(port).or_else(|error| match error.kind() {
        // The computer has no IPv6.
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied => Err(error),
        _ => TcpListener::bind(("0.0.0.0", port)),
    });
    let problem = |error| format!("listen tcp :{port}: bind: {}", platform::reason(&error));
    let listener = match listener.and_then(|l| l.set_nonblocking(true).map(|()| l)) {
        Ok(listener) => listener,
        Err(error) => return problem(error),
    };
    let routes: Arc<[ServedRoute]> = routes.into();
    let clients = Arc::new(AtomicUsize::new(0));
    while !control.is_cancelled() {
        let full = clients.load(Ordering::SeqCst) >= CLIENTS;
        let stream = if full { None } else { listener.accept().ok() };
        let Some((stream, _)) = stream else {
            match full {
                // Too many clients.
                true => std::thread::sleep(PAUSE),
                false => platform::wait_for_client(&listener, PAUSE),
            }
            continue;
        };
        clients.fetch_add(1, Ordering::SeqCst);
        let (routes, client) = (routes.clone(), Client(clients.clone()));
        let talk = move || {
            let _client = client;
            // Errors of a connection end only that.
            let _ = converse(stream, &routes);
        };
        // If no thread can be created, the connection is closed.
        let _ = std::thread::Builder::new().name("client".into()).spawn(talk);
    }
    "server closed".into()
}

/// Counts a connected client; dropped at its end.
struct Client(Arc<AtomicUsize>);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn converse(stream: TcpStream, routes: &[ServedRoute]) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut request = match read_request(&mut reader, PATIENCE)? {
            Received::Request(request) => request,
            Received::End => return Ok(()),
            Received::Wrong(status) => {
                let text = format!("{status} {}", reason(status));
                return writer.write_all(&Response::plain(status, &text).bytes("GET", "close"));
            }
        };
        if request.expects_continue {
            writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        if request.body != Body::None && !request.body.skip(&mut reader)? {
            request.keep = false;
        }
        let connection = match (request.keep, request.http_1_0) {
            (false, _) => "close",
            (true, true) => "keep-alive",
            (true, false) => "",
        };
        writer.write_all(&answer(&request, routes).bytes(&request.method, connection))?;
        if !request.keep {
            return Ok(());
        }
    }
}

fn answer(request: &Request, routes: &[ServedRoute]) -> Response {
    let target = match request.target.split_once("://") {
        Some((_, rest)) if !request.target.starts_with('/') => {
            rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
        }
        _ => &request.target,
    };
    let (path, query) = target.split_once('?').map_or((target, ""), |(path, query)| (path, query));
    let Some(path) = decoded_path(path) else { return Response::plain(400, "400 Bad Request") };
    let cleaned = cleaned_path(&path);
    if cleaned != path && path.starts_with('/') {
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        let place = ("Location".to_string(), format!("{}{query}", encoded_path(&cleaned)));
        return Response { status: 307, headers: vec![place], body: Vec::new() };
    }
    match routes.iter().find(|route| route.method == request.method && route.path == path) {
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
            Response { status: route.status, headers, body: route.body.clone() }
        }
        None => Response::plain(404, "Not Found\n"),
    }
}

/// Whether a header may have this name.
fn is_name(name: &str) -> bool {
    ureq::http::HeaderName::from_bytes(name.as_bytes()).is_ok()
}
