//! Where a program writes something else than is expected, it stops: in the present and going back, wherever that is.

use std::path::Path;

use serde_json::{Value, json};
use support::Server;
use support::corpus::{Case, cases, plain};

/// Programs that contain one of these write something else in each run, or read.
const DIFFERENT: &[&str] =
    &["@random", "@time", "@os", "@uuid", "@server", "@http", "@io", "@db", "input(", "read_int("];

/// One program of so many is taken.
const EVERY: usize = 19;

/// A program that has started to run, and its first stop or end.
fn started(directory: &Path, file: &str, history: bool, expected: Option<&str>) -> (Server, String, Value) {
    let mut server = Server::start(directory, &[]);
    let launch = json!({"file": file, "protocolVersion": 2, "history": history, "stopOnEntry": false});
    let (answer, data) = server.ask("initialize", launch);
    assert_eq!(answer, "initialized", "{file}: {data}");
    if let Some(text) = expected {
        assert_eq!(server.ask("setExpectedOutput", json!({ "text": text })).0, "outputExpected");
    }
    server.command("input", json!({"eof": true}));
    let (answer, data) = server.ask("start", json!({}));
    (server, answer, data)
}

/// The number of steps of a program, if it ends without an error.
fn steps(directory: &Path, file: &str) -> Option<u64> {
    let (_server, answer, data) = started(directory, file, true, None);
    (answer == "stopped" && data["reason"] == "end").then(|| data["step"].as_u64().unwrap())
}

/// The index of a character of an output that can be another one, chosen by a number.
fn changeable(output: &str, number: usize) -> Option<usize> {
    let all: Vec<usize> =
        output.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(index, _)| index).collect();
    (!all.is_empty()).then(|| all[number.wrapping_mul(7919) % all.len()])
}

/// A difference without what may come later of its line.
fn as_stopped(difference: &Value) -> Value {
    let mut difference = difference.as_object().expect("a difference").clone();
    difference.retain(|name, _| !["actualLine", "actualMore", "unfinished"].contains(&name.as_str()));
    difference.into()
}

fn check(case: &Case, number: usize) -> Option<()> {
    let (_folder, case) = case.copied();
    let outcome = plain(&case);
    let offset = changeable(&outcome.stdout, number).filter(|_| outcome.status == 0)?;
    let (before, rest) = outcome.stdout.split_at(offset);
    let actual = rest.chars().next()?;
    let expected = format!("{before}{}{}", if actual == 'x' { 'y' } else { 'x' }, &rest[actual.len_utf8()..]);
    let (directory, file) = (case.path.parent()?, case.path.file_name()?.to_str()?);
    let all = steps(directory, file)?;

    let (mut server, answer, stop) = started(directory, file, true, Some(&expected));
    let place = |stop: &Value| (stop["step"].clone(), stop["location"].clone(), stop["difference"].clone());
    let difference = &stop["difference"];
    assert_eq!((&*answer, &stop["reason"]), ("stopped", &json!("output")), "{file}: {stop}");
    assert_eq!((&difference["offset"], &difference["actual"]), (&json!(offset), &json!(actual)), "{file}");
    let (_, written) = server.ask("outputStep", json!({"stream": "stdout", "offset": offset}));
    assert_eq!(written["location"], difference["writtenAt"], "{file}: {difference}");
    if difference["step"].is_u64() {
        assert_eq!(written["step"], difference["step"], "{file}: {difference}");
    }
    assert!(written["step"].as_u64() <= stop["step"].as_u64(), "{file}: {written} {stop}");
    let (answer, end) = server.ask("continue", json!({}));
    if answer == "exited" {
        // It was stopped where it ends.
        let told = &end["output"]["difference"];
        assert_eq!((&stop["step"], as_stopped(told)), (&json!(all), as_stopped(difference)), "{file}: {end}");
        return Some(());
    }
    assert_eq!((&end["reason"], &end["step"]), (&json!("end"), &json!(all)), "{file}: {end}");
    let (_, back) = server.ask("reverseContinue", json!({}));
    assert_eq!((&back["reason"], place(&back)), (&json!("output"), place(&stop)), "{file}");
    server.ask("goToStep", json!({"step": 1}));
    let (_, again) = server.ask("continue", json!({}));
    assert_eq!(place(&again), place(&stop), "{file}: {again}");

    let (mut server, _, without) = started(directory, file, false, Some(&expected));
    assert_eq!(place(&without), place(&stop), "{file}: without a history");
    let (answer, exited) = server.ask("continue", json!({}));
    let told = &exited["output"]["difference"];
    assert_eq!((&*answer, as_stopped(told)), ("exited", as_stopped(difference)), "{file}: {exited}");
    let line = outcome.stdout[..offset].rsplit('\n').next()?.len();
    let line = outcome.stdout[offset - line..].lines().next()?.trim_end();
    assert!(told["actualMore"].is_u64() || told["leftOut"].is_u64() || told["actualLine"] == line, "{told}");

    let tested = tested(&case.path, &expected);
    let at = &tested["results"][0]["at"];
    assert_eq!(
        (&at["step"], &at["line"]),
        (&written["step"], &written["location"]["line"]),
        "{file}: {tested}"
    );
    Some(())
}

/// What `ez test` says of a program that has to print this.
fn tested(program: &Path, expected: &str) -> Value {
    let cases = program.with_extension("cases");
    std::fs::create_dir(&cases).unwrap();
    std::fs::write(cases.join("1.out"), expected).unwrap();
    let output = support::ez().args(["test", "--json", "--time", "50"]).arg(program).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

// invariant 5
#[test]
fn programs_stop_where_their_output_differs() {
    let is_same = |case: &&Case| {
        let text = std::fs::read_to_string(&case.path).unwrap_or_default();
        !DIFFERENT.iter().any(|word| text.contains(word))
    };
    let cases = cases();
    let chosen = cases.iter().filter(is_same).enumerate().filter(|(number, _)| number % EVERY == 0);
    let checked = chosen.filter_map(|(number, case)| check(case, number)).count();
    assert!(checked > 20, "{checked} programs");
}

/// What comes at the same place as other reasons to stop keeps what is known of them.
#[test]
fn breakpoints_and_steps_of_the_same_place_keep_what_they_tell() {
    let directory = tempfile::tempdir().unwrap();
    let program = "import @std\nusing std\n\ndo main() {\n    temp n int = 1\n    println(n)\n    n = 2\n    println(n)\n}\n";
    std::fs::write(directory.path().join("main.ez"), program).unwrap();
    let mut server = Server::start(directory.path(), &[]);
    server.ask("initialize", json!({"file": "main.ez", "protocolVersion": 2, "history": true}));
    server.ask("setExpectedOutput", json!({"text": "3"}));
    server.ask("setBreakpoint", json!({"file": "main.ez", "line": 7}));
    let (_, stop) = server.ask("start", json!({}));
    assert_eq!((&stop["reason"], &stop["breakpointIds"]), (&json!("output"), &json!([1])), "{stop}");
    let (_, step) = server.ask("stepInto", json!({}));
    assert_eq!((&step["reason"], &step["location"]["line"]), (&json!("step"), &json!(8)), "{step}");
    let (_, back) = server.ask("reverseContinue", json!({}));
    assert_eq!((&back["reason"], &back["breakpointIds"]), (&json!("output"), &json!([1])), "{back}");
    assert_eq!(back["difference"], stop["difference"]);
    let (_, entry) = server.ask("reverseContinue", json!({}));
    assert_eq!(entry["reason"], "entry");
    let (_, again) = server.ask("continue", json!({}));
    assert_eq!((&again["reason"], &again["breakpointIds"]), (&json!("output"), &json!([1])), "{again}");
    let (_, present) = server.ask("goToPresent", json!({}));
    assert_eq!((&present["reason"], present["difference"].is_null()), (&json!("present"), true), "{present}");
}

/// An error is told alone, and what evaluations print is no output of the program.
#[test]
fn errors_come_first_and_evaluations_do_not_count() {
    let directory = tempfile::tempdir().unwrap();
    let program = "import @std\nusing std\n\ndo say(n int) -> bool {\n    println(\"say ${n}\")\n    return true\n}\n\ndo main() {\n    temp list [int] = {}\n    println(\"one\")\n    println(list[0])\n    println(\"two\")\n}\n";
    std::fs::write(directory.path().join("main.ez"), program).unwrap();
    let mut server = Server::start(directory.path(), &[]);
    server.ask("initialize", json!({"file": "main.ez", "protocolVersion": 2, "keepAlive": true}));
    server.ask("setExpectedOutput", json!({"text": "one\ntwo"}));
    server.ask("setExceptionBreakpoints", json!({"filters": ["uncaught"]}));
    server.ask("setBreakpoint", json!({"file": "main.ez", "line": 12, "logMessage": "{say(1)}"}));
    let (_, stop) = server.ask("start", json!({}));
    assert_eq!(stop["reason"], "exception", "{stop}");
    server.ask("evaluate", json!({"expression": "println(\"three\")"}));
    let (answer, exited) = server.ask("continue", json!({}));
    assert_eq!((&*answer, &exited["output"]), ("exited", &json!({"matched": 1})), "{exited}");
}

/// A file has to be one that ends.
#[test]
fn only_files_are_read() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("main.ez"), "do main() {\n    temp n int = 1\n}\n").unwrap();
    std::fs::write(directory.path().join("bytes"), b"a\n\xff").unwrap();
    let mut server = Server::start(directory.path(), &[]);
    server.ask("initialize", json!({"file": "main.ez", "protocolVersion": 2}));
    let mut wrong = vec![
        ("bytes", "not UTF-8 text (byte 0xff in line 2)"),
        (".", "irectory"),
        ("nothing", "o such file"),
    ];
    if cfg!(unix) {
        wrong.push(("/dev/zero", "not a regular file"));
    }
    for (file, why) in wrong {
        let (answer, data) = server.ask("setExpectedOutput", json!({ "file": file }));
        let message = data["message"].as_str().unwrap_or_default();
        assert!(answer == "error" && message.starts_with(file) && message.contains(why), "{file}: {data}");
    }
}

#[test]
fn a_program_without_a_statement_has_printed_too_little() {
    let folder = support::scratch();
    std::fs::write(folder.join("empty.ez"), "do main() {}\n").unwrap();
    let (_server, answer, end) = started(&folder, "empty.ez", false, Some("abc\n"));
    let difference = &end["output"]["difference"];
    assert_eq!(
        (&*answer, &difference["line"], &difference["expected"]),
        ("exited", &json!(1), &json!("a")),
        "{end}"
    );
}
