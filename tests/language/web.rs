//! Web client and server over the loopback: against each other, and against those of others.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ez_runtime::host::SystemHost;
use ez_runtime::value::{
    Host, HttpFailure, HttpReply, HttpRequest, InterruptFlag, Job, JobResult, ServedRoute, Waited,
};

/// A test that waits longer than this hangs.
const HANG: Duration = Duration::from_secs(60);

fn request(method: &str, url: String, body: Option<&[u8]>, headers: &[(&str, &str)]) -> HttpRequest {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    HttpRequest { method: method.into(), url, body: body.map(<[u8]>::to_vec), headers, timeout: 30 }
}

fn fetch(request: HttpRequest) -> Result<HttpReply, HttpFailure> {
    let mut host = SystemHost::new(None);
    let job = host.start(Job::Fetch(request)).unwrap();
    match host.finish(job) {
        Waited::Done(JobResult::Reply(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

fn get(url: String) -> HttpReply {
    fetch(request("GET", url, None, &[])).unwrap()
}

fn header<'a>(reply: &'a HttpReply, name: &str) -> Option<&'a str> {
    reply.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// A header of a reply that somebody else's client got.
fn field<'a>(reply: &'a minreq::Response, name: &str) -> Option<&'a str> {
    reply.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

// ---- Our client, and servers of others.

/// A server by another hand: says what it was asked, in headers and body.
fn echo_server() -> String {
    let server = Arc::new(tiny_http::Server::http("127.0.0.1:0").unwrap());
    let base = format!("http://{}", server.server_addr().to_ip().unwrap());
    for _ in 0..4 {
        let server = server.clone();
        std::thread::spawn(move || {
            for mut asked in server.incoming_requests() {
                let mut body = Vec::new();
                asked.as_reader().read_to_end(&mut body).unwrap();
                let head: Vec<String> =
                    asked.headers().iter().map(|h| format!("{}: {}", h.field, h.value)).collect();
                let head = format!("{} {}|{}", asked.method(), asked.url(), head.join("|"));
                let say = |name: &str, value: &str| tiny_http::Header::from_bytes(name, value).unwrap();
                let code = match asked.url().rsplit_once("status=") {
                    Some((_, code)) => code.parse().unwrap(),
                    None => 200,
                };
                let mut answer = tiny_http::Response::from_data(body).with_status_code(code);
                answer.add_header(say("X-Asked", &head));
                answer.add_header(say("X-Multi", "a"));
                answer.add_header(say("X-Multi", "b"));
                if asked.url().starts_with("/chunks") {
                    answer = answer.with_chunked_threshold(0);
                }
                let _ = asked.respond(answer);
            }
        });
    }
    base
}

#[test]
fn methods_headers_and_bodies_arrive() {
    let base = echo_server();
    let text = "grüße, 世界 \u{1f600}".as_bytes();
    let binary: Vec<u8> = (0..=255).collect();
    for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
        let reply =
            fetch(request(method, format!("{base}/a?b=c+d&e=%20"), None, &[("X-Own", "y z")])).unwrap();
        let asked = header(&reply, "x-asked").unwrap();
        assert!(asked.starts_with(&format!("{method} /a?b=c+d&e=%20|")), "{asked}");
        assert!(asked.to_lowercase().contains("|x-own: y z"), "{asked}");
        assert!(asked.to_lowercase().contains("|accept-encoding: gzip"), "{asked}");
        assert!(!asked.to_lowercase().contains("content-type"), "{asked}");
        assert_eq!((reply.status, reply.body.len()), (200, 0));
    }
    for method in ["POST", "PUT", "PATCH"] {
        for body in [text, &binary, b""] {
            for path in ["/a", "/chunks"] {
                let reply = fetch(request(method, format!("{base}{path}"), Some(body), &[])).unwrap();
                assert_eq!(reply.body, body, "{method} {path}");
                let asked = header(&reply, "x-asked").unwrap();
                assert!(!asked.to_lowercase().contains("content-type"), "{asked}");
            }
        }
    }
    let reply = get(format!("{base}/"));
    let multi: Vec<&str> = reply
        .headers
        .iter()
        .filter(|(n, _)| n.eq_ignore_ascii_case("x-multi"))
        .map(|(_, v)| v.as_str())
        .collect();
    assert_eq!(multi, ["a", "b"]);
    let odd = get(format!("{base}/é ü?q= \"x\"#part"));
    assert!(header(&odd, "x-asked").unwrap().starts_with("GET /%C3%A9%20%C3%BC?q=%20%22x%22|"));
}

#[test]
fn large_bodies_arrive_both_ways() {
    let base = echo_server();
    let body: Vec<u8> = (0..10_000_000u32).map(|i| (i % 251) as u8).collect();
    for path in ["/a", "/chunks"] {
        let reply = fetch(request("POST", format!("{base}{path}"), Some(&body), &[])).unwrap();
        assert!(reply.body == body, "{path}: {} bytes", reply.body.len());
    }
}

#[test]
fn every_status_is_a_reply() {
    let base = echo_server();
    for status in [200, 201, 202, 204, 304, 400, 401, 404, 409, 418, 500, 503, 599] {
        assert_eq!(get(format!("{base}/?status={status}")).status, status);
    }
}

#[test]
fn many_at_a_time() {
    let base = echo_server();
    let threads: Vec<_> = (0..8)
        .map(|i| {
            let base = base.clone();
            std::thread::spawn(move || {
                for round in 0..10 {
                    let body = format!("{i} {round}").repeat(1000);
                    let reply = fetch(request("POST", base.clone(), Some(body.as_bytes()), &[])).unwrap();
                    assert!(reply.body == body.as_bytes());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A server that answers each connection with the next of these answers, to the letter; gives what it
/// was asked, heads only.
fn canned(answers: Vec<Vec<u8>>) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let own = base.clone();
    let thread = std::thread::spawn(move || {
        let mut heads = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
            heads.push(head);
            let text = String::from_utf8_lossy(&answer);
            let answer = if text.contains("BASE") { text.replace("BASE", &own).into_bytes() } else { answer };
            let _ = stream.write_all(&answer);
        }
        heads
    });
    (base, thread)
}

fn redirect(status: u16, to: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status} x\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").into()
}

const FINE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

#[test]
fn what_follows_from_the_request_is_not_the_programs_to_say() {
    let (base, server) = canned(vec![FINE.to_vec()]);
    let headers = [("Content-Length", "77"), ("transfer-encoding", "chunked"), ("HOST", "evil"), ("X", "y")];
    assert_eq!(fetch(request("PUT", base, Some(b"body"), &headers)).unwrap().body, b"ok");
    let head = server.join().unwrap().remove(0).to_lowercase();
    assert!(head.contains("content-length: 4\r\n") && head.contains("x: y\r\n"), "{head}");
    assert!(
        !head.contains("content-length: 77") && !head.contains("chunked") && !head.contains("evil"),
        "{head}"
    );
}

#[test]
fn redirects_are_followed() {
    for (status, method, then) in [
        (301, "POST", "GET /b"),
        (302, "PUT", "GET /b"),
        (303, "DELETE", "GET /b"),
        (303, "HEAD", "HEAD /b"),
        (307, "POST", "POST /b"),
        (308, "PATCH", "PATCH /b"),
    ] {
        let (base, server) = canned(vec![redirect(status, "/b"), FINE.to_vec()]);
        let body = if matches!(method, "POST" | "PUT" | "PATCH") { Some(b"body".as_slice()) } else { None };
        let reply =
            fetch(request(method, format!("{base}/a"), body, &[("Authorization", "secret")])).unwrap();
        assert_eq!(reply.status, 200);
        let heads = server.join().unwrap();
        assert!(heads[1].starts_with(&format!("{then} HTTP/1.1\r\n")), "{}", heads[1]);
        let second = heads[1].to_lowercase();
        assert!(second.contains(&format!("referer: {base}/a\r\n")), "{second}");
        assert!(second.contains("authorization: secret"), "{second}");
        assert_eq!(second.contains("content-length: 4"), status >= 307, "{second}");
    }
}

#[test]
fn redirects_do_not_tell_others_secrets() {
    let (other, second) = canned(vec![FINE.to_vec()]);
    let (base, first) = canned(vec![redirect(302, &other)]);
    let base = base.replace("http://", "http://user:secret@");
    let headers = [("Authorization", "secret"), ("Cookie", "secret"), ("X-Plain", "told")];
    assert_eq!(fetch(request("GET", format!("{base}/a?key=secret"), None, &headers)).unwrap().body, b"ok");
    first.join().unwrap();
    let head = second.join().unwrap().remove(0).to_lowercase();
    assert!(head.contains("x-plain: told") && !head.contains("secret"), "{head}");
    assert!(head.contains(&format!("referer: {}/\r\n", base.replace("user:secret@", ""))), "{head}");
}

#[test]
fn redirects_end() {
    let (base, server) = canned(vec![redirect(302, "BASE/again"); 11]);
    let reply = fetch(request("GET", base.clone(), None, &[]));
    let reason = "stopped after 10 redirects".to_string();
    assert_eq!(reply, Err(HttpFailure::Redirected { url: format!("{base}/again"), reason }));
    assert_eq!(server.join().unwrap().len(), 11);
    let (base, _) = canned(vec![redirect(302, "ftp://somewhere/")]);
    let reply = fetch(request("GET", base, None, &[]));
    let redirected =
        |url: &str, reason: &str| Err(HttpFailure::Redirected { url: url.into(), reason: reason.into() });
    assert_eq!(reply, redirected("ftp://somewhere/", "unsupported protocol scheme \"ftp\""));
    for (target, wanted) in [
        ("mailto:a@b", "unsupported protocol scheme \"mailto\""),
        ("http:/nowhere", "http: no Host in request URL"),
        ("http://127.0.0.1:99999/", "invalid port"),
    ] {
        let (base, _) = canned(vec![redirect(302, target)]);
        let reply = fetch(request("GET", base, None, &[]));
        assert_eq!(reply, redirected(target, wanted));
    }
    for location in ["", "Location:\r\n"] {
        let answer =
            format!("HTTP/1.1 302 x\r\n{location}Content-Length: 4\r\nConnection: close\r\n\r\nhere");
        let (base, _) = canned(vec![answer.into_bytes()]);
        assert_eq!(get(base).body, b"here");
    }
}

#[test]
fn packed_bodies_are_unpacked() {
    let text = "many words, many words, many words. ".repeat(100);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        packed.len()
    );
    let whole = [head.as_bytes(), &packed].concat();
    let cut = whole[..whole.len() - 20].to_vec();
    let (base, _) = canned(vec![whole, cut]);
    assert_eq!(get(base.clone()).body, text.as_bytes());
    assert_eq!(fetch(request("GET", base, None, &[])), Err(HttpFailure::Body));
}

#[test]
fn bodies_in_chunks_and_without_length() {
    let (base, _) = canned(vec![
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nT: x\r\n\r\n".to_vec(),
        b"HTTP/1.0 200 OK\r\n\r\nuntil the end".to_vec(),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\nzz\r\n".to_vec(),
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nshort".to_vec(),
    ]);
    assert_eq!(get(base.clone()).body, b"abc0123456789");
    assert_eq!(get(base.clone()).body, b"until the end");
    assert_eq!(fetch(request("GET", base.clone(), None, &[])), Err(HttpFailure::Body));
    assert_eq!(fetch(request("GET", base, None, &[])), Err(HttpFailure::Body));
}

#[test]
fn what_is_no_answer_is_an_error() {
    let (base, _) =
        canned(vec![b"".to_vec(), b"nonsense\r\n\r\n".to_vec(), b"HTTP/1.1 999999 x\r\n\r\n".to_vec()]);
    for _ in 0..3 {
        assert!(matches!(fetch(request("GET", base.clone(), None, &[])), Err(HttpFailure::Request(_))));
    }
    let refused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let Err(HttpFailure::Request(reason)) = fetch(request("GET", format!("http://{refused}/"), None, &[]))
    else {
        panic!("somebody is there");
    };
    assert_eq!(reason, "connection refused");
    for (name, value) in [("Bad Name", "x"), ("", "x"), ("X", "a\r\nb")] {
        let reply = fetch(request("GET", "http://127.0.0.1:1/".into(), None, &[(name, value)]));
        assert!(matches!(reply, Err(HttpFailure::Request(_))), "{reply:?}");
    }
}

#[test]
fn heads_have_a_limit_that_is_named() {
    let head = format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 0\r\n\r\n", "x".repeat(70_000));
    let (base, _) = canned(vec![head.into_bytes()]);
    let reply = fetch(request("GET", base, None, &[]));
    assert_eq!(reply, Err(HttpFailure::Request("the head of the reply is larger than 65536 bytes".into())));
}

#[test]
fn silent_and_slow_servers_run_into_the_timeout() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut asked = request("GET", format!("http://{}/", silent.local_addr().unwrap()), None, &[]);
    asked.timeout = 1;
    assert_eq!(fetch(asked.clone()), Err(HttpFailure::Request("timed out".into())));
    let slow = TcpListener::bind("127.0.0.1:0").unwrap();
    asked.url = format!("http://{}/", slow.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (mut stream, _) = slow.accept().unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n").unwrap();
        // A byte now and then, until the client goes away.
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let start = Instant::now();
    assert_eq!(fetch(asked), Err(HttpFailure::Body));
    assert!(start.elapsed() < HANG, "{:?}", start.elapsed());
    server.join().unwrap();
}

#[test]
fn a_request_that_is_given_up_closes_its_connection() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let attention = InterruptFlag::new();
    let mut host = SystemHost::new(Some(attention.clone()));
    let mut asked = request("GET", format!("http://{}/", silent.local_addr().unwrap()), None, &[]);
    asked.timeout = 1_000_000;
    let job = host.start(Job::Fetch(asked)).unwrap();
    let (mut stream, _) = silent.accept().unwrap();
    let mut first = [0];
    stream.read_exact(&mut first).unwrap();
    attention.raise();
    assert_eq!(host.finish(job), Waited::Interrupted);
    host.cancel(job);
    // The end comes although nobody has answered.
    stream.set_read_timeout(Some(HANG)).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.starts_with(b"ET / "), "{rest:?}");
}

// ---- Our server, and clients of others.

/// A server of these routes, until it is dropped.
struct Serving {
    host: SystemHost,
    job: u64,
    port: u16,
}

fn route(method: &str, path: &str, status: i64, headers: &[(&str, &str)], body: &[u8]) -> ServedRoute {
    let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    ServedRoute { method: method.into(), path: path.into(), status, headers, body: body.to_vec() }
}

impl Serving {
    fn start(routes: Vec<ServedRoute>) -> Serving {
        let port = TcpListener::bind("[::]:0").unwrap().local_addr().unwrap().port();
        let mut host = SystemHost::new(Some(InterruptFlag::new()));
        let job = host.start(Job::Serve { port, routes }).unwrap();
        support::wait_until(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
        Serving { host, job, port }
    }

    fn usual() -> Serving {
        let big: Vec<u8> = (0..10_000_000u32).map(|i| (i % 253) as u8).collect();
        Serving::start(vec![
            route("GET", "/", 200, &[("content-type", "text/plain")], "grüße".as_bytes()),
            route("GET", "/", 500, &[], b"never"),
            route(
                "POST",
                "/",
                201,
                &[("x-a", "1"), ("X-A", "2"), ("x bad", "no"), ("x-split", "a\r\nB: c")],
                b"made",
            ),
            route("GET", "/big", 200, &[], &big),
            route("GET", "/none", 204, &[], b"not sent"),
            route("GET", "/wild", 12345, &[], b"not sent"),
            route("GET", "/a b/é", 200, &[], b"decoded"),
            route("HEAD", "/", 200, &[], b"not sent"),
            route("get", "/small", 200, &[], b"odd method"),
        ])
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// What is sent back for these bytes, all of it. The client says no more after them.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        // The server may have had enough before all is said.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.host.cancel(self.job);
    }
}

#[test]
fn fixed_answers_by_method_and_path() {
    let server = Serving::usual();
    let reply = minreq::get(server.url("/?q=1")).send().unwrap();
    assert_eq!((reply.status_code, reply.as_bytes()), (200, "grüße".as_bytes()));
    assert_eq!(field(&reply, "content-type"), Some("text/plain"));
    let reply = minreq::post(server.url("/")).with_body("x".repeat(1_000_000)).send().unwrap();
    assert_eq!((reply.status_code, reply.as_bytes()), (201, b"made".as_slice()));
    assert_eq!(field(&reply, "x-a"), Some("2"));
    assert!(field(&reply, "b").is_none() && field(&reply, "x-split").is_none());
    assert_eq!(minreq::get(server.url("/big")).send().unwrap().as_bytes().len(), 10_000_000);
    let reply = minreq::get(server.url("/none")).send().unwrap();
    assert_eq!((reply.status_code, reply.as_bytes().len()), (204, 0));
    let reply = minreq::get(server.url("/wild")).send().unwrap();
    assert_eq!((reply.status_code, reply.as_bytes().len()), (500, 0));
    assert_eq!(minreq::get(server.url("/a%20b/%C3%A9")).send().unwrap().as_bytes(), b"decoded");
    let reply = minreq::head(server.url("/")).send().unwrap();
    assert_eq!((reply.status_code, reply.as_bytes().len()), (200, 0));
    for reply in
        [minreq::delete(server.url("/")).send().unwrap(), minreq::get(server.url("/nope")).send().unwrap()]
    {
        assert_eq!((reply.status_code, reply.as_bytes()), (404, b"Not Found\n".as_slice()));
        assert_eq!(field(&reply, "x-content-type-options"), Some("nosniff"));
    }
    let reply = minreq::get(server.url("//big/../none/./")).with_follow_redirects(false).send().unwrap();
    assert_eq!((reply.status_code, field(&reply, "location")), (307, Some("/none/")));
}

#[test]
fn both_ends_are_ours() {
    let server = Serving::usual();
    assert_eq!(get(server.url("/")).body, "grüße".as_bytes());
    assert_eq!(get(server.url("/big")).body.len(), 10_000_000);
    assert_eq!(get(server.url("/none")).status, 204);
    assert_eq!(get(server.url("//none")).status, 204);
    let body: Vec<u8> = (0..10_000_000u32).map(|i| i as u8).collect();
    assert_eq!(fetch(request("POST", server.url("/"), Some(&body), &[])).unwrap().body, b"made");
}

#[test]
fn connections_are_kept_as_long_as_both_want() {
    let server = Serving::usual();
    let many = server.raw(&b"GET / HTTP/1.1\r\nHost: h\r\n\r\n".repeat(3));
    assert_eq!(many.matches("HTTP/1.1 200 OK\r\n").count(), 3, "{many}");
    let closed = server
        .raw(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(closed.matches("HTTP/1.1 200 OK\r\n").count(), 1, "{closed}");
    assert!(closed.contains("Connection: close\r\n"));
    let old = server.raw(b"GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n");
    assert_eq!(old.matches("HTTP/1.1 200 OK\r\n").count(), 1, "{old}");
    let old = server.raw(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n");
    assert_eq!(old.matches("HTTP/1.1 200 OK\r\n").count(), 2, "{old}");
    assert!(old.contains("Connection: keep-alive\r\n"));
}

#[test]
fn bodies_end_where_they_say() {
    let server = Serving::usual();
    let then = "GET /none HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    for body in [
        "Content-Length: 5\r\n\r\nGET /",
        "Content-Length: 5\r\nContent-Length: 5\r\n\r\nGET /",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nGET /\r\na;x\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
    ] {
        let answer = server.raw(format!("POST / HTTP/1.1\r\nHost: h\r\n{body}{then}").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 201 ") && answer.contains("HTTP/1.1 204 "), "{body}: {answer}");
    }
    let waits =
        server.raw(b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok");
    assert!(waits.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 "), "{waits}");
}

#[test]
fn what_is_no_request_is_refused_and_the_server_lives() {
    let server = Serving::usual();
    let long = format!("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", "x".repeat(2 << 20));
    let many = format!("GET / HTTP/1.1\r\nHost: h\r\n{}\r\n", "A: b\r\n".repeat(1000));
    let cases: [(&[u8], &str); 21] = [
        (b"", ""),
        (b"\r\n\r\n", ""),
        (b"nonsense\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: h\r\n", "400"),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nHost: x\r\n\r\n", "400"),
        (b"GET / HTTP/2.7\r\n\r\n", "505"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nbad name: x\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\r\nHost: h\r\nA: \x01\r\n\r\n", "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"),
        (b"\xff\xfe\xfd\r\n\r\n", "400"),
        (b"GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        (b"GET /%zz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"),
        (b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "400"),
        (b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
        (b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", "201"),
        (long.as_bytes(), "431"),
        (many.as_bytes(), "431"),
    ];
    for (bytes, status) in cases {
        let answer = server.raw(bytes);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
        // A client that says too much may find the connection closed before it hears why.
        let gone = bytes.len() > 100_000 && answer.is_empty();
        assert!(gone || answer.split(' ').nth(1).unwrap_or("") == status, "{shown:?}: {answer}");
    }
    let mut state: u32 = 1;
    for _ in 0..200 {
        let noise: Vec<u8> = (0..100)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        server.raw(&noise);
    }
    assert_eq!(get(server.url("/")).body, "grüße".as_bytes());
}

#[test]
fn clients_that_say_nothing_do_not_hold_up_others() {
    let server = Serving::usual();
    let silent: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    for mut stream in &silent {
        stream.write_all(b"GET / HT").unwrap();
    }
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let url = server.url("/");
            std::thread::spawn(move || {
                for _ in 0..20 {
                    assert_eq!(minreq::get(&url).send().unwrap().status_code, 200);
                }
            })
        })
        .collect();
    clients.into_iter().for_each(|client| client.join().unwrap());
    for mut stream in silent {
        stream.write_all(b"TP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    }
}

#[test]
fn many_that_finish_nothing_do_not_hold_up_others() {
    let server = Serving::usual();
    let silent: Vec<TcpStream> =
        (0..450).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    for mut stream in &silent {
        // The first ones may be gone already.
        let _ = stream.write_all(b"GET / HT");
    }
    assert_eq!(minreq::get(server.url("/")).send().unwrap().status_code, 200);
    // The oldest was sent away; the newest may go on.
    assert_eq!((&silent[0]).read(&mut [0]).unwrap_or(0), 0);
    let mut newest = silent.last().unwrap();
    newest.write_all(b"TP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    newest.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let server = Serving::usual();
    let mut host = SystemHost::new(None);
    let job = host.start(Job::Serve { port: server.port, routes: Vec::new() }).unwrap();
    let problem = format!("listen tcp :{}: bind: address already in use", server.port);
    assert_eq!(host.finish(job), Waited::Done(JobResult::Served(problem)));
}
