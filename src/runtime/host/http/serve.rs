//! An HTTP server with fixed responses.

use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use crate::platform;
use crate::threads;
use crate::value::{ServedRoute, canonical_header};

use crate::host::job_control::JobControl;

use super::clients::{Client, Clients, HEAD, PATIENCE};
use super::request::{Body, Received, Request, read_request};
use super::response::{Response, reason};
use super::url::{cleaned_path, decoded_path, encoded_path, is_local};

/// How often the server checks whether it has been cancelled.
const PAUSE: Duration = Duration::from_millis(20);

/// Serves until the job is cancelled; returns the error if serving is not possible.
pub fn serve(port: u16, routes: Vec<ServedRoute>, control: &JobControl) -> String {
    let listener = platform::listen_everywhere(port).or_else(|error| match error.kind() {
        // The computer has no IPv6.
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied => Err(error),
        _ => TcpListener::bind(("0.0.0.0", port)),
    });
    let ended = listener.and_then(|listener| serve_at(&listener, Site { routes, is_local: false }, control));
    match ended {
        Ok(()) => "server closed".into(),
        Err(error) => format!("listen tcp :{port}: bind: {}", platform::reason(&error)),
    }
}

/// Serves until the process ends, at the name `localhost` and at addresses: a page of somebody else, whose name leads here
/// for the moment, would be one of this server otherwise.
///
/// # Errors
/// When the system cannot listen.
pub fn serve_here_for_ever(listener: &TcpListener, routes: Vec<ServedRoute>) -> io::Result<()> {
    serve_at(listener, Site { routes, is_local: true }, &JobControl::default())
}

/// What is served.
struct Site {
    routes: Vec<ServedRoute>,
    /// Whether it is at no other name than `localhost`.
    is_local: bool,
}

fn serve_at(listener: &TcpListener, site: Site, control: &JobControl) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let site = Arc::new(site);
    let clients = Arc::new(Clients::default());
    while !control.is_cancelled() {
        if clients.is_full() {
            std::thread::sleep(PAUSE);
            continue;
        }
        match listener.accept() {
            Ok((stream, _)) => welcome(Arc::new(stream), &clients, &site),
            Err(error) if error.kind() == ErrorKind::WouldBlock => platform::wait_for_client(listener, PAUSE),
            // No more connections can be opened.
            Err(_) => {
                clients.close_oldest();
                std::thread::sleep(PAUSE);
            }
        }
    }
    Ok(())
}

/// Serves a client on a thread of its own. If there can be none, the connection is closed.
fn welcome(stream: Arc<TcpStream>, clients: &Arc<Clients>, site: &Arc<Site>) {
    let (client, site) = (Client::new(clients.clone(), stream), site.clone());
    // Errors of a connection end only that.
    let talk = move || drop(converse(client, &site));
    let _ = threads::spawn("client", talk);
}

fn converse(mut client: Client, site: &Site) -> io::Result<()> {
    let stream = client.stream();
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let (mut writer, mut reader) = (&*stream, BufReader::new(&*stream));
    loop {
        client.waits();
        stream.set_read_timeout(Some(PATIENCE))?;
        if reader.fill_buf()?.is_empty() {
            return Ok(());
        }
        stream.set_read_timeout(Some(HEAD))?;
        let received = read_request(&mut reader, HEAD)?;
        if !client.asks() {
            return Ok(());
        }
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut request = match received {
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
        writer.write_all(&answer(&request, site).bytes(&request.method, connection))?;
        if !request.keep {
            return Ok(());
        }
    }
}

fn answer(request: &Request, site: &Site) -> Response {
    if site.is_local && !request.host.as_deref().is_none_or(is_local) {
        return Response::plain(
            421,
            "Misdirected Request: this is at localhost, or at an address in digits\n",
        );
    }
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
    match site.routes.iter().find(|route| route.method == request.method && route.path == path) {
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
