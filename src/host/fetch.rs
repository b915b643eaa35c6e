//! Requests to web servers.

use std::time::{Duration, Instant};

use ureq::http::{Request, Response};
use ureq::{Agent, Body};

use crate::value::{HttpFailure, HttpReply, HttpRequest};

use super::files::system_error;
use super::jobs::JobControl;

/// Most redirects that are followed.
const MAX_REDIRECTS: usize = 10;

/// Largest body that is taken, unpacked: more than that a string cannot hold.
const MAX_BODY: u64 = (1 << 31) - 1;

/// Headers that follow from the request: those of the program are not sent.
const OURS: [&str; 4] = ["host", "content-length", "transfer-encoding", "trailer"];

/// Headers that are meant for nobody but the computer that was asked.
const PRIVATE: [&str; 4] = ["authorization", "cookie", "cookie2", "www-authenticate"];

/// Sends a request and follows redirects.
pub fn fetch(mut request: HttpRequest, control: &JobControl) -> Result<HttpReply, HttpFailure> {
    let deadline = Instant::now() + Duration::from_secs(request.timeout);
    request.headers.retain(|(name, _)| !OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)));
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .allow_non_standard_methods(true)
        .user_agent(concat!("ez/", env!("CARGO_PKG_VERSION")))
        .build()
        .into();
    control.connects(&agent);
    let mut redirects = 0;
    loop {
        let mut reply = send(&agent, &request, deadline)?;
        let status = reply.status().as_u16();
        let target = reply.headers().get("location").and_then(|to| to.to_str().ok());
        let (301 | 302 | 303 | 307 | 308, Some(target)) = (status, target.filter(|to| !to.is_empty())) else {
            return finished(status, &mut reply);
        };
        redirects += 1;
        if redirects > MAX_REDIRECTS {
            return Err(HttpFailure::Request(format!("stopped after {MAX_REDIRECTS} redirects")));
        }
        let target = resolved(&request.url, target);
        if status < 307 {
            if request.method != "HEAD" {
                request.method = "GET".into();
            }
            request.body = None;
        }
        match scheme(&target) {
            Some("http" | "https") if target.contains("://") => {}
            Some("http" | "https") => {
                return Err(HttpFailure::Request("http: no Host in request URL".into()));
            }
            other => {
                let scheme = other.unwrap_or_default();
                return Err(HttpFailure::Request(format!("unsupported protocol scheme \"{scheme}\"")));
            }
        }
        let elsewhere = authority(&target) != authority(&request.url);
        request.headers.retain(|(name, _)| {
            let private = PRIVATE.iter().any(|private| name.eq_ignore_ascii_case(private));
            !(name.eq_ignore_ascii_case("referer") || private && elsewhere)
        });
        request.headers.push(("Referer".into(), sent(&request.url)));
        request.url = target;
    }
}

fn finished(status: u16, reply: &mut Response<Body>) -> Result<HttpReply, HttpFailure> {
    let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = reply.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let body = reply.body_mut().with_config().limit(MAX_BODY).read_to_vec();
    Ok(HttpReply { status, headers, body: body.map_err(|_| HttpFailure::Body)? })
}

fn send(agent: &Agent, request: &HttpRequest, deadline: Instant) -> Result<Response<Body>, HttpFailure> {
    let fail = |reason: String| HttpFailure::Request(reason);
    let port = authority(&request.url).rsplit_once(':').map(|(_, port)| port);
    if port.is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()) && too_large(port)) {
        // It would be taken for none.
        return Err(fail("invalid port".into()));
    }
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(fail("timed out".into()));
    }
    let mut builder = Request::builder().method(request.method.as_str()).uri(sent(&request.url));
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    match &request.body {
        Some(body) => builder.body(body.as_slice()).map_err(|e| fail(e.to_string())).and_then(|ready| {
            let ready = agent.configure_request(ready).timeout_global(Some(left)).build();
            agent.run(ready).map_err(|e| fail(reason(&e)))
        }),
        None => builder.body(()).map_err(|e| fail(e.to_string())).and_then(|ready| {
            let ready = agent.configure_request(ready).timeout_global(Some(left)).build();
            agent.run(ready).map_err(|e| fail(reason(&e)))
        }),
    }
}

/// Why a request failed, as people say it.
fn reason(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => {
            let mut text = system_error("", "", error).reason;
            // What other libraries say comes without a number of the system.
            if text.is_empty() {
                text = error.to_string();
            }
            text
        }
        ureq::Error::Timeout(_) => "timed out".into(),
        other => other.to_string(),
    }
}

fn too_large(port: &str) -> bool {
    !port.is_empty() && port.parse::<u16>().is_err()
}

/// What stands before the colon of a URL that is complete.
fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (first && rest).then_some(scheme)
}

/// A URL as it goes over the wire: without fragment, with everything odd escaped.
fn sent(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let mut out = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            0..=0x20 | 0x7f.. | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => {
                out.push_str(&format!("%{byte:02X}"));
            }
            byte => out.push(char::from(byte)),
        }
    }
    out
}

/// The computer (and port) that a URL names.
fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Where a redirect from `base` leads.
fn resolved(base: &str, target: &str) -> String {
    let (scheme, rest) = base.split_once("://").unwrap_or(("http", base));
    if self::scheme(target).is_some() {
        return target.into();
    }
    if let Some(host) = target.strip_prefix("//") {
        return format!("{scheme}://{host}");
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let path = tail.split(['?', '#']).next().unwrap_or_default();
    if target.starts_with('/') {
        return format!("{scheme}://{host}{target}");
    }
    if target.starts_with('?') {
        return format!("{scheme}://{host}{path}{target}");
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    let (target, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    for part in target.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.len() > 1 {
                    parts.pop();
                }
            }
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{host}{slash}{path}{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirects_lead_somewhere() {
        for (target, wanted) in [
            ("http://x/y", "http://x/y"),
            ("//x/y", "http://x/y"),
            ("/z", "http://h:1/z"),
            ("?q", "http://h:1/a/b?q"),
            ("c?d=/e", "http://h:1/a/c?d=/e"),
            ("../c", "http://h:1/c"),
            ("mailto:a@b", "mailto:a@b"),
            ("./a:b", "http://h:1/a/a:b"),
        ] {
            assert_eq!(resolved("http://h:1/a/b?x#y", target), wanted);
        }
        assert_eq!(resolved("http://h", "c"), "http://h/c");
        assert_eq!(sent("http://h/a b?é#f"), "http://h/a%20b?%C3%A9");
    }
}
