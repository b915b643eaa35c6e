//! HTTP client: sends requests and follows redirects.

use std::time::Duration;

use ureq::http::{Request, Response};
use ureq::{Agent, Body};

use crate::clock::Instant;
use crate::value::{HttpFailure, HttpReply, HttpRequest};

use crate::host::job_control::JobControl;
use crate::platform;

use super::url::{authority, escaped, has_bad_port, referer, resolved, scheme};

/// Maximum number of redirects followed.
const MAX_REDIRECTS: usize = 10;

/// Maximum size of a decompressed body in bytes: the longest string.
const MAX_BODY: u64 = (1 << 31) - 1;

/// Headers that the client sets itself; values given by the program are ignored.
const DERIVED: [&str; 4] = ["host", "content-length", "transfer-encoding", "trailer"];

/// Headers with secrets: not sent to another host after a redirect.
const SECRET: [&str; 4] = ["authorization", "cookie", "cookie2", "www-authenticate"];

/// Sends a request and follows redirects. Cancelling the job closes its connections. Blocks.
pub fn fetch(mut request: HttpRequest, control: &JobControl) -> Result<HttpReply, HttpFailure> {
    let deadline = Instant::now() + Duration::from_secs(request.timeout);
    request.headers.retain(|(name, _)| !DERIVED.iter().any(|derived| name.eq_ignore_ascii_case(derived)));
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .allow_non_standard_methods(true)
        .user_agent(concat!("ez/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    let connections = agent.clone();
    control.on_cancel(move || connections.shutdown());
    let mut redirects = 0;
    loop {
        let fail = |url: &str, reason: String| match redirects {
            0 => HttpFailure::Request(reason),
            _ => HttpFailure::Redirected { url: url.into(), reason },
        };
        let mut reply = send(&agent, &request, deadline).map_err(|reason| fail(&request.url, reason))?;
        let status = reply.status().as_u16();
        let target = reply.headers().get("location").and_then(|to| to.to_str().ok());
        let (301 | 302 | 303 | 307 | 308, Some(target)) = (status, target.filter(|to| !to.is_empty())) else {
            return finished(status, &mut reply);
        };
        redirects += 1;
        let target = resolved(&request.url, target);
        if let Some(reason) = unreachable(redirects, &target) {
            return Err(HttpFailure::Redirected { url: target, reason });
        }
        redirect(&mut request, status, target);
    }
}

/// Why a redirect is not followed.
fn unreachable(redirects: usize, target: &str) -> Option<String> {
    if redirects > MAX_REDIRECTS {
        return Some(format!("stopped after {MAX_REDIRECTS} redirects"));
    }
    match scheme(target) {
        Some("http" | "https") if target.contains("://") => None,
        Some("http" | "https") => Some("http: no Host in request URL".into()),
        other => Some(format!("unsupported protocol scheme \"{}\"", other.unwrap_or_default())),
    }
}

/// Makes the request that follows a redirect to another URL.
fn redirect(request: &mut HttpRequest, status: u16, target: String) {
    if status < 307 {
        if request.method != "HEAD" {
            request.method = "GET".into();
        }
        request.body = None;
    }
    let elsewhere = authority(&target) != authority(&request.url);
    request.headers.retain(|(name, _)| {
        let secret = SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret));
        !(name.eq_ignore_ascii_case("referer") || secret && elsewhere)
    });
    let referer = referer(&request.url, &target);
    request.headers.extend(referer.map(|referer| ("Referer".into(), referer)));
    request.url = target;
}

fn finished(status: u16, reply: &mut Response<Body>) -> Result<HttpReply, HttpFailure> {
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = reply.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = reply.body_mut().with_config().limit(MAX_BODY).read_to_vec();
    Ok(HttpReply { status, headers, body: body.map_err(|_| HttpFailure::Body)? })
}

fn send(agent: &Agent, request: &HttpRequest, deadline: Instant) -> Result<Response<Body>, String> {
    if has_bad_port(&request.url) {
        // The HTTP library would ignore such a port.
        return Err("invalid port".into());
    }
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err("timed out".into());
    }
    let mut builder = Request::builder().method(request.method.as_str()).uri(escaped(&request.url));
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    match &request.body {
        Some(body) => builder.body(body.as_slice()).map_err(|e| e.to_string()).and_then(|ready| {
            let ready = agent.configure_request(ready).timeout_global(Some(left)).build();
            agent.run(ready).map_err(|e| reason(&e))
        }),
        None => builder.body(()).map_err(|e| e.to_string()).and_then(|ready| {
            let ready = agent.configure_request(ready).timeout_global(Some(left)).build();
            agent.run(ready).map_err(|e| reason(&e))
        }),
    }
}

/// The reason for a failure, in words.
fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => match platform::reason(error) {
            // Not every error has a code of the system.
            text if text.is_empty() => error.to_string(),
            text => text,
        },
        ureq::Error::Timeout(_) => "timed out".into(),
        ureq::Error::LargeResponseHeader(_, most) => {
            format!("the head of the reply is larger than {most} bytes")
        }
        other => other.to_string(),
    }
}
