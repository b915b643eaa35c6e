//! What the parts cost, one by one: `cargo bench`.
//!
//! The text is made of functions with loops, conditions, strings, arrays and structs, so many lines of
//! it as the argument says.

use std::fmt::Write;
use std::path::Path;

use crossbeam_channel::unbounded;
use divan::Bencher;
use divan::counter::BytesCount;
use ez_debugger::check::check_source;
use ez_debugger::debug::{self, Event, InterruptHandle, Request, Source};
use ez_debugger::host::SystemHost;
use ez_debugger::interp::STACK_SIZE;
use ez_debugger::source::SourceMap;
use ez_debugger::syntax::{lex, parse_file};

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
    let (told, events) = unbounded();
    let program = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(move || {
        let text = text(100);
        let Ok(loaded) = debug::load(&ez_debugger::modules::DiskLoader, Source::Text(&text, "a.ez")) else {
            return;
        };
        let control = InterruptHandle::new();
        let host = Box::new(SystemHost::new(None));
        debug::run(&loaded, host, asked, move |event| drop(told.send(event)), control);
    });
    let _ = requests.send(Request::Start { stop_at_entry: true });
    while !matches!(events.recv(), Ok(Event::Stopped(_)) | Err(_)) {}
    bencher.bench_local(|| {
        let _ = requests
            .send(Request::Evaluate { expression: "len(\"abc\") * 7 > 20 && !false".into(), frame: 0 });
        while !matches!(events.recv(), Ok(Event::Evaluated(_)) | Err(_)) {}
    });
    let _ = requests.send(Request::Terminate);
    let _ = program.map(std::thread::JoinHandle::join);
}
