//! The functions.

use crate::diagnostics::Code;
use crate::library::args::{bad, good, saturated, string_array, work};
use crate::library::encoding::encode_url;
use crate::library::json::{EncodeError, encode};
use crate::library::outside::ask_patiently;
use crate::library::{Call, Fail};
use crate::text::text_from;
use crate::value::{
    HostRequest, HttpFailure, HttpReply, HttpRequest, Job, JobResult, OrderedMap, Type, Value, builtin,
    canonical_header, inspect,
};

use super::url::{self, Url};

/// Default time limit of a request in seconds.
const TIMEOUT: u64 = 30;

/// The URL argument at `index`; an error if it is not a valid URL.
fn url_at<'a>(call: &Call<'a>, index: usize, text: &str) -> Result<&'a str, Fail> {
    let text = call.text(index, text)?;
    match url::parse(text) {
        Ok(parsed) if !parsed.scheme.is_empty() || text.starts_with('/') || text == "*" => Ok(text),
        _ => call.fail(Code::E14001, "invalid url"),
    }
}

/// Sends the request and gives the reply; the inner `Err` is the message of the `Error` to return.
fn exchange(call: &mut Call, request: HttpRequest) -> Result<Result<HttpReply, String>, Fail> {
    let mut verb = request.method.to_lowercase();
    if let Some(first) = verb.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let url = request.url.clone();
    let failed_at = |url: &str, reason: &str| {
        let shown = inspect(&Value::str(url));
        Ok(Err(format!("request failed: {verb} {shown}: {reason}")))
    };
    let failed = |reason: &str| failed_at(&url, reason);
    let parts = url::parse(&url).unwrap_or_default();
    if parts.scheme != "http" && parts.scheme != "https" {
        return failed(&format!("unsupported protocol scheme \"{}\"", parts.scheme));
    }
    if !parts.has_host {
        return failed("http: no Host in request URL");
    }
    match work(call.runtime, Job::Fetch(request))? {
        JobResult::Reply(Ok(reply)) => Ok(Ok(reply)),
        JobResult::Reply(Err(HttpFailure::Body)) => Ok(Err("could not read body".into())),
        JobResult::Reply(Err(HttpFailure::Request(reason))) => failed(&reason),
        JobResult::Reply(Err(HttpFailure::Redirected { url, reason })) => failed_at(&url, &reason),
        _ => failed("no network"),
    }
}

/// The reply as a value.
fn response(reply: HttpReply) -> Value {
    let mut headers: Vec<(String, Vec<String>)> = Vec::new();
    for (name, value) in reply.headers {
        let name = canonical_header(&name);
        match headers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => headers.push((name, vec![value])),
        }
    }
    headers.sort();
    let entries: OrderedMap =
        headers.into_iter().map(|(name, values)| (Value::str(name), string_array(values))).collect();
    let headers = Value::map(&Type::Str, &Type::array(Type::Str), entries);
    let status = Value::Int(i64::from(reply.status));
    let body = Value::str(text_from(reply.body));
    Value::structure(&builtin::builtins().http_response, [status, body, headers])
}

fn answered(call: &mut Call, request: HttpRequest) -> Result<Value, Fail> {
    match exchange(call, request)? {
        Ok(reply) => good(response(reply)),
        Err(message) => bad(Value::Nil, Code::E14002, &message),
    }
}

/// A request whose method is the function's name.
pub fn fetch(call: &mut Call, with_body: bool) -> Result<Value, Fail> {
    call.exactly(if with_body { 2 } else { 1 }, "")?;
    let text =
        if with_body { "requires a string URL as first argument" } else { "requires a string argument" };
    let url = url_at(call, 0, text)?.to_string();
    let body = if with_body {
        Some(call.text(1, "requires a string body as second argument")?.as_bytes().to_vec())
    } else {
        None
    };
    let method = call.name.to_uppercase();
    answered(call, HttpRequest { method, url, body, headers: Vec::new(), timeout: TIMEOUT })
}

pub fn request(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(5, "")?;
    let method = call.text(0, "requires a string method as first argument")?;
    let url = call.text(1, "requires a string URL as second argument")?;
    let body = call.text(2, "requires a string body as third argument")?;
    let map = call.map(3, "requires a map of headers as fourth argument")?;
    let timeout = call.index(4, "requires an integer timeout as fifth argument")?;
    if !matches!(method, "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "OPTIONS" | "HEAD") {
        return call.fail(Code::E14004, format!("invalid HTTP method: `{method}`"));
    }
    url_at(call, 1, "")?;
    let with_body = matches!(method, "POST" | "PUT" | "PATCH");
    // The map may be changed while the program is paused, so it is copied.
    let pair = |(k, v): (&Value, &Value)| Some((k.as_str()?.to_string(), v.as_str()?.to_string()));
    let headers = map.borrow().entries.iter().filter_map(pair).collect();
    let timeout = if timeout == 0 { TIMEOUT } else { timeout.unsigned_abs() };
    let body = with_body.then(|| body.as_bytes().to_vec());
    // About 30 years, which can still be added to a point in time.
    let timeout = timeout.min(1_000_000_000);
    answered(call, HttpRequest { method: method.into(), url: url.into(), body, headers, timeout })
}

pub fn download(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(2, "")?;
    let url = call.text(0, "requires a string URL as first argument")?.to_string();
    let path = call.text(1, "requires a string path as second argument")?.to_string();
    url_at(call, 0, "")?;
    let request =
        HttpRequest { method: "GET".into(), url, body: None, headers: Vec::new(), timeout: TIMEOUT };
    let reply = match exchange(call, request)? {
        Ok(reply) => reply,
        Err(message) => return bad(0, Code::E14002, &message),
    };
    let size = reply.body.len() as i64;
    let file = HostRequest::WriteFile { path, data: reply.body, mode: 0o666, atomic: false };
    match ask_patiently(call, file)? {
        Ok(_) => good(size),
        Err(error) => {
            let text = format!("could not create file: {} {}: {}", error.operation, error.path, error.reason);
            bad(0, Code::E14003, &text)
        }
    }
}

pub fn build_query(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let map = call.map(0, "requires a map argument")?.borrow();
    let mut pairs = Vec::new();
    for (key, value) in map.entries.iter() {
        let (Some(key), Some(value)) = (key.as_str(), value.as_str()) else {
            return call.wrong(Code::E7003, "requires a map of strings");
        };
        pairs.push((key, value));
    }
    pairs.sort_unstable();
    let pairs = pairs.iter().map(|(key, value)| format!("{}={}", encode_url(key), encode_url(value)));
    Ok(Value::str(pairs.collect::<Vec<_>>().join("&")))
}

pub fn json_body(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    call.map(0, "requires a map argument")?;
    let value = call.arg(0);
    match encode(call.runtime, &value, None)? {
        Ok(text) => Ok(Value::str(text)),
        Err(EncodeError { code: Code::E5018, text }) => call.fail(Code::E5018, text),
        Err(EncodeError { text, .. }) => call.fail(Code::E14006, text),
    }
}

pub fn parse_url(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let text = call.text(0, "requires a string argument")?;
    match url::parse(text) {
        Ok(url) => {
            let port = Value::Int(url.port);
            let texts = [url.path, url.query, url.fragment].map(Value::str);
            let fields = [Value::str(url.scheme), Value::str(url.host), port].into_iter().chain(texts);
            good(Value::structure(&builtin::builtins().url, fields))
        }
        Err(reason) => {
            let text = format!("invalid url: parse {}: {reason}", inspect(&call.arg(0)));
            bad(Value::Nil, Code::E14001, &text)
        }
    }
}

pub fn build_url(call: &mut Call) -> Result<Value, Fail> {
    call.exactly(1, "")?;
    let Some(parts) = call.args.first().and_then(Value::as_struct) else {
        return call.wrong(Code::E7001, "requires a struct argument");
    };
    let fields = parts.fields.borrow();
    let field = |name: &str| parts.def.field_index(name).and_then(|i| fields.get(i)).map(Value::follow);
    let text = |name: &str| field(name).and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default();
    Ok(Value::str(url::build(&Url {
        scheme: text("scheme"),
        host: text("host"),
        has_host: true,
        port: field("port").as_ref().and_then(saturated).unwrap_or(0),
        path: text("path"),
        query: text("query"),
        fragment: text("fragment"),
    })))
}
