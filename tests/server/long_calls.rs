//! Library calls and operators that compute for long are interrupted like everything else: a `pause` stops the
//! program in the call, and `terminate` ends it, both soon.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use support::Server;

/// How soon a program is to stop or end, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(3);

/// What is prepared, and the call.
type Case = (&'static str, &'static str);

const NUMBER: &str = "temp a int = int(math.pow(7, 3000000))";
const INTS: &str = "temp a [int] = arrays.repeat(1, 20000000)";
const TEXT: &str = "temp s string = strings.repeat(\"abc def, \", 20000000)";
const TEXTS: &str = "temp t [string] = strings.split(strings.repeat(\"ab,\", 4000000), \",\")";
const MAP: &str = "temp m map[int:int] = {:}  for i in range(0, 1000000) { m[i] = i }";

/// Calls of each kind.
const SOME: &[Case] = &[
    ("", "math.pow(3, 1000000000)"),
    ("", "math.factorial(1000000)"),
    (NUMBER, "a * a * a * a"),
    (NUMBER, "string(a)"),
    (TEXT, "strings.replace(s, \"c\", \"something else\")"),
    (TEXTS, "strings.join(t, \", and \")"),
    (INTS, "random.shuffle(a)"),
    (TEXTS, "arrays.sort(t)"),
    (TEXT, "regex.find_all(\"[a-c]+ (d|e)+f\", s)"),
    ("temp s string = \"[\" + strings.repeat(\"[1, 2], \", 8000000) + \"3]\"", "json.is_valid(s)"),
    (INTS, "json.encode(a)"),
    (INTS, "copy(a)"),
    (INTS, "println(a)"),
    (INTS, "\"${a}\""),
];

/// All others that may take long.
const OTHERS: &[Case] = &[
    (NUMBER, "a * a / (a + 1)"),
    (NUMBER, "a * a % (a - 2)"),
    (NUMBER, "(a * a * a) == (a * a * a + 1)"),
    (NUMBER, "\"${a}\""),
    (NUMBER, "println(a)"),
    (INTS, "string(a)"),
    (INTS, "arrays.join({a, a}, \", \")"),
    (MAP, "println(m, m)"),
    (NUMBER, "len(string(a * a))"),
    (NUMBER, "math.gcd(a * 3, a + 1)"),
    (NUMBER, "math.mul(a, a * a)"),
    (NUMBER, "math.sum(a, a)"),
    (NUMBER, "json.encode({a, a})"),
    (NUMBER, "{a, a * a}"),
    ("", "math.is_prime(1000000000000000003)"),
    ("temp s string = strings.repeat(\"7\", 3000000)", "strings.to_int(s)"),
    ("", "arrays.product(arrays.repeat(7, 3000000))"),
    ("", "arrays.sum(arrays.repeat(7, 50000000))"),
    (TEXT, "strings.upper(s)"),
    (TEXT, "strings.reverse(s)"),
    (TEXT, "strings.title(s)"),
    (TEXT, "strings.trim(s)"),
    (TEXT, "strings.split(s, \",\")"),
    (TEXT, "strings.words(s)"),
    (TEXT, "strings.lines(s)"),
    (TEXT, "strings.chars(s)"),
    (TEXT, "strings.count(s, \"f\")"),
    (TEXT, "strings.index(s, \"abc def, abc def. \")"),
    (TEXT, "strings.slice(s, 100000000)"),
    (TEXT, "strings.insert(s, 100000000, s)"),
    (TEXT, "strings.is_ascii(s)"),
    (TEXT, "strings.repeat(s, 4)"),
    (TEXT, "strings.pad_left(s, 400000000, \"é\")"),
    (TEXT, "s + s + s"),
    (TEXT, "s == strings.replace(s, \"x\", \"y\")"),
    (TEXT, "len(s)"),
    (TEXT, "s[150000000]"),
    (TEXT, "encoding.base64_encode(s)"),
    (TEXT, "encoding.hex_encode(s)"),
    (TEXT, "encoding.url_encode(s)"),
    (TEXT, "crypto.sha256(s)"),
    (TEXT, "crypto.md5(s)"),
    (TEXT, "bytes.from_string(s)"),
    (TEXT, "regex.replace_all(\"[a-c]+\", s, \"x\")"),
    (TEXT, "regex.split(\" \", s)"),
    (TEXT, "regex.match(\"(abc def, )*x\", s)"),
    (TEXT, "csv.parse(s)"),
    (TEXT, "json.encode(s)"),
    (TEXT, "io.write_file(\"big\", s)"),
    ("temp w, e = io.write_file(\"big\", strings.repeat(\"abc def\\n\", 40000000))", "io.read_file(\"big\")"),
    (
        "temp w, e = io.write_file(\"big\", strings.repeat(\"abc def\\n\", 40000000))",
        "io.read_lines(\"big\")",
    ),
    (
        "temp w, e = io.write_file(\"big\", strings.repeat(\"abc def\\n\", 40000000))",
        "io.read_bytes(\"big\")",
    ),
    (INTS, "arrays.sort(random.shuffle(arrays.concat(a, arrays.repeat(2, 20000000))))"),
    (INTS, "arrays.reverse(a)"),
    (INTS, "arrays.unique(a)"),
    (INTS, "arrays.duplicates(a)"),
    (INTS, "arrays.contains(a, 2)"),
    (INTS, "arrays.last_index(a, 2)"),
    (INTS, "arrays.equals(a, copy(a))"),
    (INTS, "arrays.flatten({a, a, a})"),
    (INTS, "arrays.chunk(a, 3)"),
    (INTS, "arrays.zip(a, a)"),
    (INTS, "arrays.join(a, \", \")"),
    (INTS, "arrays.concat(a, a, a, a)"),
    (INTS, "arrays.fill(a, 3)"),
    (INTS, "arrays.remove_all(a, 1)"),
    (INTS, "arrays.all_equal(a)"),
    (INTS, "arrays.max(a)"),
    (INTS, "random.sample(a, 10000000)"),
    (INTS, "2 in a"),
    (INTS, "string(a)"),
    (INTS, "\"${a}\""),
    (INTS, "println(a)"),
    (INTS, "cast(a, [u8])"),
    (TEXTS, "csv.stringify({t, t})"),
    (INTS, "json.pretty(a, \"  \")"),
    (TEXTS, "copy({t, t})"),
    (TEXTS, "arrays.unique(t)"),
    (TEXTS, "arrays.sort_desc(t)"),
    (TEXTS, "{t, copy(t)}"),
    (MAP, "maps.merge(m, m, m)"),
    (MAP, "maps.keys(m)"),
    (MAP, "maps.to_array(m)"),
    (MAP, "maps.invert(m)"),
    (MAP, "maps.equals(m, copy(m))"),
    (MAP, "json.encode(m)"),
    (MAP, "copy(m)"),
    (MAP, "\"${m}\""),
];

const MODULES: &[&str] = &[
    "arrays", "strings", "maps", "math", "random", "regex", "json", "csv", "crypto", "encoding", "bytes",
    "io",
];

/// Stops and ends a program in the midst of a call; how long each took, and whether it was in the call.
fn interrupted((before, call): &Case, index: usize) -> (Duration, Duration, bool) {
    let directory = std::env::temp_dir().join(format!("ez-long-{}-{index}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let imports: Vec<String> = MODULES.iter().map(|module| format!("@{module}")).collect();
    let statement = match ["arrays.sort", "arrays.fill", "arrays.remove_all", "println"]
        .iter()
        .any(|f| call.starts_with(f))
    {
        true => call.to_string(),
        false => format!("arrays.append(kept, len({{{call}}}))"),
    };
    let several = ["io.", "csv.", "regex.", "json.encode", "json.pretty"].iter().any(|m| call.starts_with(m));
    let statement = if several { format!("temp r1, r2 = {call}") } else { statement };
    let lines = [
        format!("import @std, {}", imports.join(", ")),
        "using std".into(),
        "do main() {".into(),
        "temp kept [int] = {}".into(),
        before.to_string(),
        "println(\"begins\")".into(),
        statement,
        "loop {}".into(),
        "}".into(),
    ];
    std::fs::write(directory.join("a.ez"), lines.join("\n")).unwrap();
    let mut server = Server::start(&directory, &["a.ez"]);
    server.command("initialize", json!({}));
    server.command("start", json!({}));
    server.wait_for("stopped");
    server.command("continue", json!({}));
    while server.wait_for("output")["text"] != "begins\n" {}
    let mut paused = Duration::ZERO;
    let mut within = false;
    for _ in 0..2 {
        let begin = Instant::now();
        server.command("pause", json!({}));
        let stopped = server.wait_for("stopped");
        within |= stopped["location"]["line"] == 7;
        server.command("continue", json!({}));
        paused = paused.max(begin.elapsed());
        // Served at once or after 100 ms, when the program is somewhere else than before.
        let begin = Instant::now();
        server.command("setBreakpoint", json!({"file": "a.ez", "line": 1}));
        server.wait_for("breakpointSet");
        paused = paused.max(begin.elapsed());
    }
    let begin = Instant::now();
    server.command("terminate", json!({}));
    server.wait_for("terminated");
    server.wait();
    let ended = begin.elapsed();
    let _ = std::fs::remove_dir_all(&directory);
    (paused, ended, within)
}

fn all_soon(cases: &[Case], at_once: usize) {
    let next = AtomicUsize::new(0);
    let slow = Mutex::new(Vec::new());
    let paused_within = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(case) = cases.get(index) else { return };
                    let (paused, ended, within) = interrupted(case, index);
                    println!("{paused:?} {ended:?} {within} {case:?}");
                    paused_within.fetch_add(usize::from(within), Ordering::SeqCst);
                    if paused > SOON || ended > SOON {
                        slow.lock()
                            .unwrap()
                            .push(format!("{case:?}: {paused:?}, {ended:?}, in the call: {within}"));
                    }
                }
            });
        }
    });
    let slow = slow.into_inner().unwrap();
    assert!(slow.is_empty(), "{slow:#?}");
    // A busy machine may be past some of the calls when it pauses; more than that, and they are long no more.
    let paused_within = paused_within.into_inner();
    assert!(
        paused_within * 2 > cases.len(),
        "only {paused_within} of {} were paused in their call",
        cases.len()
    );
}

// invariant 14
#[test]
fn long_calls_are_interrupted() {
    all_soon(SOME, 2);
}

#[test]
#[ignore = "takes minutes and several GB of memory"]
fn all_long_calls_are_interrupted() {
    all_soon(OTHERS, 1);
}
