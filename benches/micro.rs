//! What the parts cost, one by one: `cargo bench`.
//!
//! The text is made of functions with loops, conditions, strings, arrays and structs, so many lines of
//! it as the argument says.

use std::fmt::Write;
use std::path::Path;
use std::rc::Rc;

use crossbeam_channel::unbounded;
use divan::Bencher;
use divan::counter::BytesCount;
use ez_engine::api::{Evaluate, Event, Inspect, Launch, Limits, Purpose, Request, RequestId};
use ez_engine::debug::{self, HostSetup, InterruptHandle, Message, Pace, Setup};
use ez_language::check::check_source;
use ez_language::modules::MemoryLoader;
use ez_language::syntax::{lex, parse_file};
use ez_runtime::host::SystemHost;
use ez_runtime::interp::STACK_SIZE;
use ez_runtime::source::SourceMap;

const LINES: [usize; 3] = [100, 1_000, 10_000];

fn main() {
    divan::main();
}

/// A program of about `lines` lines.
fn text(lines: usize) -> String {
    let mut text = String::from(
        "import @std, @arrays\nusing std\n\nconst Point struct {\n    x int\n    y int\n}\n\ndo main() {\n    println(\"hello\")\n}\n",
    );
    for i in 0..lines / 14 {
        let _ = write!(
            text,
            "\ndo work{i}(n int, label string) -> int {{\n    temp total int = 0\n    temp parts [int] = {{1, 2, 3}}\n    \
             for i in range(0, n) {{\n        if i % 3 == 0 && n > {i} {{\n            total += parts[i % 3] * {i}\n        }} \
             otherwise {{\n            arrays.append(parts, total)\n        }}\n    }}\n    temp p = Point{{x: total, y: n}}\n    \
             println(\"${{label}}: ${{p.x + p.y}}\")\n    return total\n}}\n"
        );
    }
    text
}

#[divan::bench(args = LINES)]
fn lexer(bencher: Bencher, lines: usize) {
    let text = text(lines);
    let file = SourceMap::new().add("a.ez", Path::new("a.ez"), &text);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| lex(&file).0.len());
}

#[divan::bench(args = LINES)]
fn parser(bencher: Bencher, lines: usize) {
    let text = text(lines);
    let file = SourceMap::new().add("a.ez", Path::new("a.ez"), &text);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| parse_file(&file));
}

/// Lexer, parser and checker: from text to what runs.
#[divan::bench(args = LINES)]
fn checker(bencher: Bencher, lines: usize) {
    let text = text(lines);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| check_source(&text, "a.ez"));
}

/// An expression asked for at a stop: checked, compiled and evaluated, over channels.
#[divan::bench]
fn evaluate(bencher: Bencher) {
    let (requests, asked) = unbounded();
    let (told, messages) = unbounded();
    let program = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(move || {
        let mut loader = MemoryLoader::new();
        loader.add("/a.ez", text(100));
        let setup = Setup {
            loader: Rc::new(loader),
            make_host: Box::new(|_: HostSetup| Box::new(SystemHost::new(None))),
            file: Some("/a.ez".into()),
            directory: "/".into(),
            checkpoints: Pace::Never,
        };
        debug::serve(setup, asked, move |message| drop(told.send(message)), InterruptHandle::new());
    });
    let mut last = 0;
    let mut send = |request| {
        last += 1;
        let _ = requests.send((RequestId(last), request));
    };
    send(Request::Initialize(Box::new(Launch { stop_on_entry: Some(true), ..Launch::default() })));
    send(Request::Start(None));
    while !matches!(messages.recv(), Ok(Message::Event(Event::Stopped(_))) | Err(_)) {}
    let expression = "len(\"abc\") * 7 > 20 && !false";
    bencher.bench_local(|| {
        let (expression, limits) = (expression.to_string(), Limits::PREVIEW);
        let purpose = Purpose::Plain;
        let request = Evaluate { expression, frame: 0, purpose, timeout_ms: None, limits };
        send(Request::Inspect(Inspect::Evaluate(request)));
        messages.recv()
    });
    send(Request::Terminate);
    let _ = program.map(std::thread::JoinHandle::join);
}
