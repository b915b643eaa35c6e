//! io, os, csv.

use std::os::unix::ffi::OsStrExt;

use crate::library::testing::{Bench, call, call_with, strings, text};
use crate::value::{Heap, OrderedMap, Type, Value, display};

/// A temporary directory, removed on drop.
struct Scratch(String, std::cell::RefCell<Bench>);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("ez_test_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("makes a directory");
        Scratch(path.to_string_lossy().into_owned(), std::cell::RefCell::default())
    }

    fn path(&self, name: &str) -> Value {
        Value::str(format!("{}/{name}", self.0))
    }

    /// A result without the scratch directory's own path.
    fn text(&self, name: &str, args: &[Value]) -> String {
        let value = call_with(&mut *self.1.borrow_mut(), name, args).expect("no fatal error");
        let text = match &value {
            Value::Ref(r) => match &**r {
                Heap::Tuple(parts) => parts
                    .iter()
                    .map(|part| match part.as_struct() {
                        Some(error) => {
                            error.fields.borrow().iter().rev().map(display).collect::<Vec<_>>().join(" ")
                        }
                        None => display(part),
                    })
                    .collect::<Vec<_>>()
                    .join("|"),
                _ => display(&value),
            },
            _ => display(&value),
        };
        text.replace(&self.0, "D")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn whole_files() {
    let d = Scratch::new("files");
    let (a, s) = (d.path("a.txt"), Value::str);
    assert_eq!(d.text("io.write_file", &[a.clone(), s("a\r\nb\rc\n\n")]), "true|nil");
    assert_eq!(d.text("io.read_lines", std::slice::from_ref(&a)), "{\"a\", \"b\\rc\", \"\"}|nil");
    assert_eq!(d.text("io.write_file", &[a.clone(), s("x")]), "true|nil");
    assert_eq!(d.text("io.append_line", &[a.clone(), s("y")]), "true|nil");
    assert_eq!(d.text("io.read_file", std::slice::from_ref(&a)), "x\ny\n|nil");
    assert_eq!(d.text("io.copy", &[a.clone(), a.clone()]), "true|nil");
    assert_eq!(d.text("io.file_size", std::slice::from_ref(&a)), "4|nil");
    let no = d.path("no/x");
    for (name, args, wanted) in [
        (
            "read_file",
            vec![no.clone()],
            "nil|E7016 file or directory not found: open D/no/x: no such file or directory",
        ),
        (
            "write_file",
            vec![no.clone(), s("")],
            "nil|E7016 file or directory not found: open D/no/x: no such file or directory",
        ),
        ("write_file", vec![d.path(""), s("")], "nil|E7099 io error during write: open D/: is a directory"),
        ("read_file", vec![d.path("")], "nil|E7042 io.read_file(): cannot read directory as file"),
        ("read_file", vec![s("")], "nil|E7040 io.read_file(): path cannot be empty"),
        (
            "remove",
            vec![d.path("")],
            "false|E7018 io.remove() cannot remove directories, use io.remove_dir() instead",
        ),
        ("mkdir", vec![d.path("")], "nil|E7022 file or directory already exists: mkdir D/: file exists"),
        (
            "mkdir_all",
            vec![d.path("a.txt/b")],
            "nil|E7099 io error during mkdir_all: mkdir D/a.txt: not a directory",
        ),
        (
            "remove_dir",
            vec![d.path(".")],
            "nil|E7099 io error during remove directory: remove D/.: invalid argument",
        ),
        (
            "rename",
            vec![a.clone(), d.path("")],
            "nil|E7022 file or directory already exists: rename D/a.txt D/: file exists",
        ),
        (
            "read_dir",
            vec![a.clone()],
            "nil|E7099 io error during read directory: open D/a.txt: not a directory",
        ),
        ("remove_all", vec![d.path("nothing")], "true|nil"),
        ("glob", vec![s("[")], "nil|E7043 io.glob() invalid pattern: syntax error in pattern"),
    ] {
        assert_eq!(d.text(&format!("io.{name}"), &args), wanted, "{name}");
    }
    assert_eq!(d.text("io.mkdir_all", &[d.path("g/b")]), "true|nil");
    assert_eq!(
        d.text("io.remove_dir", &[d.path("g")]),
        "nil|E7023 directory not empty: remove D/g: directory not empty"
    );
    for name in ["g/b/m.txt", "g/sub.txt", "g/a.txt"] {
        call("io.write_file", &[d.path(name), s("")]).expect("writes");
    }
    assert_eq!(
        d.text("io.walk", &[d.path("./g/")]),
        "{\"D/g/a.txt\", \"D/g/b/m.txt\", \"D/g/sub.txt\"}|nil"
            .replace("D/g", "D/./g")
            .replace("D/./g", "D/g")
    );
    assert_eq!(d.text("io.glob", &[d.path("g/*/*.txt")]), "{\"D/g/b/m.txt\"}|nil");
    // Files whose names are not UTF-8 do not hide others.
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff");
    std::fs::write(std::path::Path::new(&d.0).join("g/b").join(odd), "").expect("writes");
    assert_eq!(
        d.text("io.walk", &[d.path("g")]),
        "{\"D/g/a.txt\", \"D/g/b/m.txt\", \"D/g/b/odd\\uefff\", \"D/g/sub.txt\"}|nil"
    );
}

#[test]
fn open_files() {
    let d = Scratch::new("open");
    let (path, int) = (d.path("f"), Value::Int);
    let open = |mode: i64| match call_with(&mut *d.1.borrow_mut(), "io.open", &[path.clone(), int(mode)])
        .expect("opens")
    {
        Value::Ref(r) => match &*r {
            Heap::Tuple(parts) => parts.first().cloned().unwrap_or_default(),
            _ => Value::Nil,
        },
        _ => Value::Nil,
    };
    // A file whose size is reported as 0.
    let status = [Value::str("/proc/self/status")];
    let status = call_with(&mut *d.1.borrow_mut(), "io.open", &status).expect("opens");
    let Value::Ref(status) = status else { panic!("no pair") };
    let Heap::Tuple(parts) = &*status else { panic!("no pair") };
    let status = parts.first().cloned().unwrap_or_default();
    assert_eq!(d.text("io.read_string", &[status, int(5)]), "Name:|nil");
    let f = open(2 + 64);
    assert_eq!(d.text("io.write", &[f.clone(), Value::str("héllo")]), "6|nil");
    assert_eq!(d.text("io.seek", &[f.clone(), int(-2), int(2)]), "4|nil");
    assert_eq!(d.text("io.read_string", &[f.clone(), int(i64::MAX)]), "lo|nil");
    assert_eq!(
        d.text("io.seek", &[f.clone(), int(-1), int(0)]),
        "nil|E7099 io error during seek: seek D/f: invalid argument"
    );
    let negative = call_with(&mut *d.1.borrow_mut(), "io.read", &[f.clone(), int(-1)]);
    assert_eq!(negative.expect_err("fails"), "E7011 io.read() byte count cannot be negative");
    assert!(display(&f).starts_with("<FileHandle "));
    assert_eq!(d.text("io.close", std::slice::from_ref(&f)), "true|nil");
    assert_eq!(d.text("io.close", std::slice::from_ref(&f)), "true|nil");
    assert_eq!(d.text("io.read", &[f.clone(), int(-1)]), "nil|E7050 io.read(): file handle is closed");
    assert_eq!(d.text("io.flush", std::slice::from_ref(&f)), "false|E7050 io.flush(): file handle is closed");
    let f = open(1 + 1024);
    assert_eq!(d.text("io.tell", std::slice::from_ref(&f)), "0|nil");
    assert_eq!(d.text("io.write", &[f.clone(), Value::str("!")]), "1|nil");
    assert_eq!(d.text("io.tell", std::slice::from_ref(&f)), "7|nil");
    let f = open(0);
    assert_eq!(
        d.text("io.write", &[f, Value::str("!")]),
        "nil|E7099 io error during write: write D/f: bad file descriptor"
    );
    assert_eq!(
        d.text("io.open", &[path.clone(), int(1 + 64 + 128)]),
        "nil|E7022 file or directory already exists: open D/f: file exists"
    );
}

#[test]
fn processes() {
    let d = Scratch::new("processes");
    let run = |name: &str, command: &str| d.text(&format!("os.{name}"), &[Value::str(command)]);
    assert_eq!(run("exec", "exit 3"), "3|E7031 command exited with code 3");
    assert_eq!(run("exec", "kill -9 $$"), "-1|E7031 command exited with code -1");
    assert_eq!(run("exec_output", "echo ' a'; echo b >&2; echo"), " a\nb|nil");
    assert_eq!(run("exec_output", "kill -15 $$"), "|E7031 command exited with error: signal: terminated");
    assert_eq!(
        run("exec", "a\0b"),
        "-1|E7030 command failed to execute: fork/exec /bin/sh: invalid argument"
    );
    assert_eq!(run("get_env", "EZ_NO_SUCH"), "|E7035 environment variable 'EZ_NO_SUCH' is not set");
    assert_eq!(run("chdir", ""), "false|E7026 failed to change directory: chdir : no such file or directory");
    assert_eq!(text("os.exit", &[Value::str("x")]), "E7003 os.exit() requires an integer exit code");
    assert_eq!(text("os.exit", &[]), "halt");
}

#[test]
fn tables() {
    let d = Scratch::new("tables");
    let path = d.path("t.csv");
    let rows = Value::array(&Type::array(Type::Str), [strings(&["a", "b;c"]), strings(&["", ""])]);
    let options = |key: &str, value: Value| {
        let entries: OrderedMap = [(Value::str(key), value)].into_iter().collect();
        Value::map(&Type::Str, &Type::Any, entries)
    };
    let delimiter = options("delimiter", Value::str("é"));
    assert_eq!(d.text("csv.write", &[path.clone(), rows.clone(), delimiter.clone()]), "true|nil");
    assert_eq!(d.text("csv.read", &[path.clone(), delimiter]), "{{\"a\", \"b;c\"}, {\"\", \"\"}}|nil");
    let all = options("quote_all", Value::Bool(true));
    assert_eq!(d.text("csv.write", &[path.clone(), rows.clone(), all]), "true|nil");
    let skip = options("skip_empty", Value::Bool(true));
    assert_eq!(d.text("csv.read", &[path.clone(), skip]), "{{\"a\", \"b;c\"}}|nil");
    let wrong = options("delimiter", Value::str("\""));
    assert_eq!(
        d.text("csv.write", &[path.clone(), rows, wrong]),
        "false|E14002 csv.write() failed: csv: invalid field or comment delimiter"
    );
    assert_eq!(d.text("csv.headers", &[path]), "nil|E14001 csv.headers() failed: EOF");
    assert_eq!(
        d.text("csv.read", &[d.path("")]),
        "nil|E7099 io error during read csv: read D/: is a directory"
    );
    assert_eq!(text("csv.stringify", &[strings(&["a"])]), "E7003 csv data row 0 must be an array");
}

/// A server and its clients, in one process.
#[test]
fn networks() {
    use crate::host::SystemHost;
    use crate::value::{Host, HttpFailure, HttpRequest, InterruptFlag, Job, JobResult, ServedRoute, Waited};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let route = |method: &str, path: &str, status: i64, header: (&str, String)| ServedRoute {
        method: method.into(),
        path: path.into(),
        status,
        headers: vec![(header.0.into(), header.1)],
        body: b"body".to_vec(),
    };
    let routes = vec![
        route("GET", "/a b", 200, ("content-type", "text/plain".into())),
        route("GET", "/gone", 302, ("Location", "/a%20b".into())),
        route("GET", "/loop", 301, ("Location", "loop".into())),
        route("POST", "/odd", 42, ("x", "y".into())),
        route("DELETE", "/none", 204, ("x", "y".into())),
    ];
    let interrupt = InterruptFlag::new();
    let mut server = SystemHost::new(Some(interrupt.clone()));
    let serving = server.start(Job::Serve { port, routes }).unwrap();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::yield_now();
    }
    let mut client = SystemHost::new(None);
    let mut ask = |method: &str, path: &str| {
        let request = HttpRequest {
            method: method.into(),
            url: format!("http://127.0.0.1:{port}{path}"),
            body: (method == "POST").then(|| b"data".to_vec()),
            headers: Vec::new(),
            timeout: 5,
        };
        let job = client.start(Job::Fetch(request)).unwrap();
        match client.finish(job) {
            Waited::Done(JobResult::Reply(reply)) => reply,
            other => panic!("{other:?}"),
        }
    };
    for (method, path, status, body) in [
        ("GET", "/a b?x=1#f", 200, "body"),
        ("GET", "/gone", 200, "body"),
        ("GET", "//x/../a%20b", 200, "body"),
        ("GET", "/nothing", 404, "Not Found\n"),
        ("POST", "/odd", 500, ""),
        ("DELETE", "/none", 204, ""),
        ("HEAD", "/nothing", 404, ""),
    ] {
        let reply = ask(method, path).unwrap_or_else(|failure| panic!("{method} {path}: {failure:?}"));
        assert_eq!(
            (reply.status, String::from_utf8_lossy(&reply.body).as_ref()),
            (status, body),
            "{method} {path}"
        );
    }
    let failure = ask("GET", "/loop").expect_err("too many");
    let url = format!("http://127.0.0.1:{port}/loop");
    let reason = "stopped after 10 redirects".to_string();
    assert_eq!(failure, HttpFailure::Redirected { url, reason });
    let mut second = SystemHost::new(Some(interrupt.clone()));
    let job = second.start(Job::Serve { port, routes: Vec::new() }).unwrap();
    let taken = JobResult::Served(format!("listen tcp :{port}: bind: address already in use"));
    assert_eq!(second.finish(job), Waited::Done(taken));
    interrupt.raise();
    assert_eq!(server.finish(serving), Waited::Interrupted);
    server.cancel(serving);
}

#[test]
fn addresses() {
    let one = |name: &str, argument: &str| text(name, &[Value::str(argument)]);
    assert_eq!(one("http.get", "nota url"), "E14001 invalid url");
    assert_eq!(one("http.get", ""), "E14001 invalid url");
    let ftp = one("http.get", "ftp://x/y");
    assert!(
        ftp.contains("request failed: Get \\\"ftp://x/y\\\": unsupported protocol scheme \\\"ftp\\\""),
        "{ftp}"
    );
    assert!(one("http.delete", "/abs").contains("Delete \\\"/abs\\\": unsupported protocol scheme \\\"\\\""));
    assert!(one("http.get", "http:///x").contains("http: no Host in request URL"));
    assert!(one("http.parse_url", ":x").contains("invalid url: parse \\\":x\\\": missing protocol scheme"));
    let response = call("server.text", &[Value::Int(200), Value::str("hi")]).expect("a response");
    assert_eq!(
        display(&response),
        "{status: 200, body: \"hi\", headers: {\"content-type\": \"text/plain\"}}"
    );
    let router = call("server.router", &[]).expect("a router");
    let route = [router.clone(), Value::str("GET"), Value::str("/"), response];
    call("server.route", &route).expect("routes");
    assert_eq!(
        text("server.listen", &[Value::Int(0), router.clone()]),
        "E18002 port must be between 1 and 65535, got 0"
    );
    assert!(display(&router).contains("method: \"GET\", path: \"/\""));
}
