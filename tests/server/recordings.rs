//! Runs that are kept in a file and run again: the same to the byte, with nothing outside.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use support::dap::Dap;
use support::ez;
use tempfile::TempDir;

/// A directory with a program in it.
fn program(text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("p.ez"), text).unwrap();
    directory
}

fn with_input(command: &mut Command, input: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that reads nothing may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn record(directory: &Path, input: &str, arguments: &[&str]) -> Output {
    let mut command = ez();
    command.current_dir(directory).env("EZ_RECORDED", "yes").args(["p.ez", "--record", "r"]).args(arguments);
    with_input(&mut command, input)
}

/// Runs a recording again, somewhere else, and with another environment.
fn replay(recording: &Path) -> Output {
    let elsewhere = tempfile::tempdir().unwrap();
    let kept = elsewhere.path().join("kept");
    fs::copy(recording, &kept).unwrap();
    let output = with_input(
        ez().env_remove("EZ_RECORDED").current_dir(&elsewhere).args(["replay", "kept"]),
        "other\n",
    );
    let left: Vec<_> = fs::read_dir(&elsewhere).unwrap().collect();
    assert_eq!(left.len(), 1, "the replay has made files: {left:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn same(first: &Output, again: &Output) {
    assert_eq!(text(&again.stdout), text(&first.stdout));
    assert_eq!(text(&again.stderr), text(&first.stderr));
    assert_eq!(again.status, first.status);
}

#[cfg(not(windows))]
const COMMAND: &str = "echo $$; echo ran >> ran; exit 3";
#[cfg(windows)]
const COMMAND: &str = "echo %RANDOM%& echo ran>>ran& exit 3";

/// With COMMAND in it.
const EVERYTHING: &str = r#"
import @std, @io, @os, @time, @random, @crypto, @uuid, @math, @arrays, @db
using std

do main() {
    temp name = input()
    println("hello ${name}")
    temp n, e0 = read_int()
    println(n)
    eprintln("then", n)
    println(time.now_ns(), " ", random.int(1000000), " ", random.float(), " ", uuid.create())
    println(crypto.random_hex(8), " ", math.random())
    temp mixed [int] = {1, 2, 3, 4, 5}
    arrays.shuffle(mixed)
    println(mixed)
    println(io.write_file("made", "one\n"))
    println(io.append_line("made", "three"))
    println(io.read_lines("made"))
    temp h, e = io.open("made", io.READ_WRITE)
    println(h, " ", io.read_string(h, 3))
    println(io.seek(h, 0, io.SEEK_END), io.write(h, "four"), io.close(h))
    println(io.file_mod_time("made"), io.file_size("made"), io.read_file("made"), io.exists("made"))
    println(io.read_file("made/none"))
    temp s, e2 = db.open("made.ezdb")
    db.set(s, "k", "v")
    db.close(s)
    println(io.read_file("made.ezdb"), db.exists("made.ezdb"))
    println(os.exec_output("COMMAND"))
    println(os.set_env("EZ_SET", "x"), os.get_env("EZ_SET"))
    println(os.get_env("EZ_RECORDED"), os.args(), os.pid(), os.cwd())
    time.sleep(0.01)
    println(time.elapsed_ms(time.tick()), time.format("YYYY-MM-DD HH:mm:ss.SSS"))
    for i in range(0, 20000) {
        println(i, random.int(10))
    }
    println(mixed[7])
}
"#;

// invariant 6, invariant 25
#[test]
fn everything_is_the_same_again() {
    let directory = program(&EVERYTHING.replace("COMMAND", COMMAND));
    let first = record(directory.path(), "Ann\n12\n", &["one", "two"]);
    assert_eq!(first.status.code(), Some(1), "{}", text(&first.stderr));
    assert!(text(&first.stdout).starts_with("hello Ann\n12\n") && text(&first.stderr).contains("E9001"));
    same(&first, &replay(&directory.path().join("r")));
    // The program may have changed meanwhile, or be gone.
    let recording = directory.path().join("r");
    fs::write(directory.path().join("p.ez"), "do main() {}").unwrap();
    same(&first, &replay(&recording));
}

#[test]
fn imports_warnings_and_exit_statuses_are_kept() {
    let directory = program(
        "import \"./sums\"\nimport @std, @os\nusing std\ndo main() {\n    temp unused int = 3\n    println(sums.twice(4))\n    exit(41)\n}\n",
    );
    fs::write(directory.path().join("sums.ez"), "module sums\ndo twice(x int) -> int { return 2 * x }\n")
        .unwrap();
    let first = record(directory.path(), "", &[]);
    assert_eq!(
        (text(&first.stdout).as_str(), first.status.code()),
        ("8\n", Some(41)),
        "{}",
        text(&first.stderr)
    );
    same(&first, &replay(&directory.path().join("r")));
}

/// A run that waits for its end after it has read a line and written another.
fn waiting(directory: &Path) -> Child {
    let mut child = ez()
        .current_dir(directory)
        .args(["p.ez", "--record", "r"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"Ann\n").unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready Ann");
    child
}

const WAITS: &str = "import @std, @time\nusing std\ndo main() {\n    println(\"ready\", input())\n    time.sleep(0.0)\n    as_long_as true { }\n}\n";

#[cfg(unix)]
#[test]
fn runs_that_are_ended_by_signals_are_kept_as_far_as_they_were_seen() {
    use std::os::unix::process::ExitStatusExt;
    for (signal, why, status) in [
        ("-INT", "the run was interrupted (Ctrl+C, signal 2)", 2),
        ("-TERM", "the run was ended by the signal 15", 15),
    ] {
        let directory = program(WAITS);
        let mut child = waiting(directory.path());
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        child.wait().unwrap();
        let again = replay(&directory.path().join("r"));
        assert_eq!(text(&again.stdout), "ready Ann\n", "{signal}: {}", text(&again.stderr));
        assert_eq!(text(&again.stderr), format!("note: the recording ends here: {why}\n"));
        assert_eq!(again.status.signal(), Some(status));
    }
}

// invariant 25
#[test]
fn a_run_that_is_killed_is_kept_as_far_as_it_was_seen() {
    let directory = program(WAITS);
    let mut child = waiting(directory.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let again = replay(&directory.path().join("r"));
    assert_eq!(text(&again.stdout), "ready Ann\n", "{}", text(&again.stderr));
    assert_eq!(
        text(&again.stderr),
        "note: the recording ends here: how the run ended is not known (it was killed, or nothing more could \
         be written)\n"
    );
    assert_eq!(again.status.code(), Some(1));
}

#[test]
fn two_runs_are_not_recorded_in_one_file() {
    let directory = program(WAITS);
    let mut child = waiting(directory.path());
    let second = record(directory.path(), "Bob\n", &[]);
    assert_eq!(second.status.code(), Some(1));
    assert_eq!(
        text(&second.stderr).trim_end(),
        "Error: cannot write the recording r: the file is in use, as while another run is being recorded in it"
    );
    assert!(second.stdout.is_empty(), "the program was started");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(text(&replay(&directory.path().join("r")).stdout), "ready Ann\n");
    // What a killed run has left does not keep the file.
    let mut child = waiting(directory.path());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn several_runs_are_recorded_in_a_device() {
    let directory = program(WAITS);
    let record = || {
        let mut command = ez();
        command.current_dir(directory.path()).args(["p.ez", "--record", "/dev/null"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let mut children = [record(), record()];
    for child in &mut children {
        child.stdin.as_mut().unwrap().write_all(b"Ann\n").unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready Ann\n");
    }
    for child in &mut children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_recording_is_never_behind_what_was_printed() {
    let counts = "import @std\nusing std\ndo main() {\n    temp i int = 0\n    as_long_as true {\n        eprintln(i)\n        i += 1\n    }\n}\n";
    for lines in [1, 500, 3000] {
        let directory = program(counts);
        let mut command = ez();
        command.current_dir(directory.path()).args(["p.ez", "--record", "r"]);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut printed = BufReader::new(child.stderr.take().unwrap());
        let mut seen = String::new();
        for _ in 0..lines {
            printed.read_line(&mut seen).unwrap();
        }
        child.kill().unwrap();
        printed.read_to_string(&mut seen).unwrap();
        child.wait().unwrap();
        let again = text(&replay(&directory.path().join("r")).stderr);
        assert!(again.starts_with(&seen), "{} of {} bytes are left", again.len(), seen.len());
    }
}

#[test]
fn output_that_fails_is_kept() {
    let counts = "import @std\nusing std\ndo main() {\n    for i in range(0, 100000) {\n        println(i)\n    }\n    eprintln(\"end\")\n}\n";
    let directory = program(counts);
    let mut command = ez();
    command.current_dir(directory.path()).args(["p.ez", "--record", "r"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 4];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let first = child.wait_with_output().unwrap();
    let again = replay(&directory.path().join("r"));
    assert_eq!(text(&again.stderr), text(&first.stderr));
    assert_eq!(again.status, first.status);
    let all: String = (0..100_000).map(|i| format!("{i}\n")).collect();
    assert!(again.stdout.len() < all.len() && all.as_bytes().starts_with(&again.stdout));
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let directory = program("import @std\nusing std\ndo main() { println(1) }\n");
    record(directory.path(), "", &[]);
    let recording = fs::read_to_string(directory.path().join("r")).unwrap();
    let says = |contents: &str| {
        let path = directory.path().join("changed");
        fs::write(&path, contents).unwrap();
        let output = ez().current_dir(&directory).args(["replay", "changed"]).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""));
        text(&output.stderr)
    };
    assert_eq!(
        says(&recording.replace("println(1)", "println(2)")),
        "Error: changed: the recording is damaged: wrong checksum in line 1\n"
    );
    assert_eq!(
        says(&recording.replace("bytes", "bites")),
        "Error: changed: the recording is damaged: wrong checksum in line 3\n"
    );
    let foreign = "Error: changed: it is not a recording ('ez run --record FILE program.ez' makes one)\n";
    assert_eq!(says("do main() {}"), foreign);
    assert_eq!(says(""), foreign);
    let newer = "{\"ezRecording\":3}";
    let sum = crc(newer);
    assert!(
        says(&format!("{newer}\t{sum:08x}\n"))
            .contains("a recording of version 3, and this ez reads versions up to 2")
    );
    let run = |arguments: &[&str]| {
        let output = ez().current_dir(&directory).args(arguments).output().unwrap();
        let is_usage = arguments == ["debug", "--replay", "r", "p.ez"];
        assert_eq!(output.status.code(), Some(if is_usage { 2 } else { 1 }));
        assert_eq!(text(&output.stdout), "");
        text(&output.stderr)
    };
    assert_eq!(run(&["replay", "missing"]), "Error reading file: missing: no such file or directory\n");
    assert_eq!(run(&["replay", "."]), "Error reading file: .: is a directory\n");
    assert_eq!(
        run(&["run", "--record", "p.ez", "p.ez"]),
        "Error: cannot write the recording p.ez: the file exists, and is not a recording\n"
    );
    assert!(run(&["p.ez", "--record", "no/r"]).starts_with("Error: cannot write the recording no/r: "));
    assert!(run(&["debug", "--replay", "p.ez"]).contains("it is not a recording"));
    assert!(run(&["debug", "--replay", "r", "p.ez"]).contains("cannot be used with"));
}

/// The checksum of the first line of a recording.
fn crc(json: &str) -> u32 {
    let mut crc = !0u32;
    for byte in json.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (0u32.wrapping_sub(crc & 1)));
        }
    }
    !crc
}

/// A recording whose calls are others than those of the program.
fn forged(directory: &Path, calls: &[&str]) -> String {
    record(directory, "", &[]);
    let recording = fs::read_to_string(directory.join("r")).unwrap();
    let header = recording.lines().next().unwrap().rsplit_once('\t').unwrap().0;
    let (mut before, mut forged) = (String::new(), String::new());
    for json in [&[header], calls].concat() {
        before.push_str(json);
        forged.push_str(&format!("{json}\t{:08x}\n", crc(&before)));
    }
    forged
}

const ASKS: &str = "import @std, @time\nusing std\ndo main() {\n    temp x = time.now_ns()\n    println(\"x\")\n    println(\"y\")\n}\n";

// invariant 25
#[test]
fn differences_are_told_in_words() {
    let directory = program(ASKS);
    let differs = |calls: &[&str]| {
        fs::write(directory.path().join("forged"), forged(directory.path(), calls)).unwrap();
        let again = replay(&directory.path().join("forged"));
        assert_eq!(again.status.code(), Some(1));
        text(&again.stderr)
            .strip_prefix("Error: the replay differs from the recording: ")
            .unwrap()
            .to_string()
    };
    let (seed, asked, ended) = ("{\"Seed\":1}", "{\"Now\":[1,2]}", "{\"Ended\":{\"Status\":0}}");
    assert_eq!(
        differs(&[seed, "{\"Sleep\":{\"secs\":1,\"nanos\":0}}", ended]),
        "the program asks for the time, but line 3 of the record has sleep for 1s\n"
    );
    assert_eq!(
        differs(&[seed, asked, "{\"Wrote\":{\"bytes\":2,\"hash\":1}}", ended]),
        "the program prints something that it had not printed before: \"x\\n\"\n"
    );
    assert_eq!(
        differs(&[seed, asked, ended]),
        "the program asks for the output \"x\\n\", but line 4 of the record is the end\n"
    );
    let whole: Vec<String> = {
        let recording = fs::read_to_string(directory.path().join("r")).unwrap();
        recording.lines().skip(1).map(|line| line.rsplit_once('\t').unwrap().0.to_string()).collect()
    };
    let [seed, asked, wrote, _] = whole.as_slice() else { panic!("{whole:?}") };
    assert_eq!(
        differs(&[seed, asked, wrote, "{\"Ended\":{\"Status\":3}}"]),
        "the program ended with the status 0, and not with 3 as it did before\n"
    );
    assert_eq!(
        differs(&[seed, asked, wrote, asked, ended]),
        "the program ended before it had done all that it did\n"
    );
}

/// A forged or damaged answer is not taken for success, and nothing of it reaches the terminal as it is.
#[test]
fn answers_of_another_kind_are_differences() {
    let directory = program(
        "import @std, @os\nusing std\ndo main() {\n    temp value, _ = os.get_env(\"A\")\n    println(value)\n}\n",
    );
    let differs = |call: &str| {
        let calls = ["{\"Seed\":1}", call, "{\"Ended\":{\"Status\":0}}"];
        fs::write(directory.path().join("forged"), forged(directory.path(), &calls)).unwrap();
        text(&replay(&directory.path().join("forged")).stderr).to_string()
    };
    let asks = "Error: the replay differs from the recording: the program asks for the environment variable \"A\", but line 3 of the record has";
    assert_eq!(
        differs("{\"Request\":[{\"Variable\":\"A\"},{\"Ok\":{\"Number\":3}}]}"),
        format!("{asks} another kind of call or answer\n")
    );
    assert_eq!(
        differs("{\"Request\":[{\"Variable\":\"\\u001b[2J\"},{\"Ok\":{\"MaybeText\":null}}]}"),
        format!("{asks} the environment variable \"\\u{{1b}}[2J\"\n")
    );
}

#[test]
fn recordings_are_debugged() {
    let directory = program(&EVERYTHING.replace("COMMAND", COMMAND));
    let first = record(directory.path(), "Ann\n12\n", &[]);
    let drawn = text(&first.stdout).lines().nth(4).unwrap().to_string();
    fs::remove_file(directory.path().join("made")).unwrap();
    let debugged = with_input(
        ez().current_dir(&directory).args(["debug", "--history", "--replay", "r"]),
        "break 16\ncontinue\nprint name\nprint mixed\nback\ngoto 99999999\ncontinue\ncontinue\n",
    );
    let said = text(&debugged.stdout);
    assert!(said.contains("name = \"Ann\"") && said.contains(&drawn), "{said}");
    assert!(said.contains("hello Ann\n") && said.contains("Run-time error E9001"), "{said}");
    assert!(!said.contains("differs") && !directory.path().join("made").exists());
    assert_eq!(fs::read_to_string(directory.path().join("ran")).unwrap().trim_end(), "ran");
}

#[test]
fn a_recording_that_breaks_off_stops_where_it_does() {
    let directory = program(
        "import @std, @time\nusing std\ndo main() {\n    for i in range(0, 3) {\n        println(i, time.now_ns() > 0)\n    }\n}\n",
    );
    let debug = |calls: &[&str], commands: &str| {
        fs::write(directory.path().join("forged"), forged(directory.path(), calls)).unwrap();
        let mut command = ez();
        command.current_dir(&directory).args(["debug", "--history", "--replay", "forged"]);
        text(&with_input(&mut command, commands).stdout)
    };
    let said = debug(
        &["{\"Seed\":1}", "{\"Now\":[1,2]}"],
        "continue\nprint i\nback\ncontinue\ncontinue\ncontinue\ncontinue\ncontinue\n",
    );
    let why = "Paused in line 4 (the recording ends here: how the run ended is not known";
    assert!(said.contains("0 true\n") && said.contains(why) && said.contains("i = 0"), "{said}");
    assert!(said.contains("ended with status 0"), "{said}");
    let said = debug(
        &["{\"Seed\":1}", "{\"Sleep\":{\"secs\":1,\"nanos\":0}}", "{\"Ended\":{\"Status\":0}}"],
        "continue\n",
    );
    assert!(said.contains("(the replay differs from the recording: the program asks for the time"), "{said}");
}

/// What a client of the line protocol asks, and what it is told.
fn session(directory: &Path, commands: &[serde_json::Value]) -> Vec<serde_json::Value> {
    let input: String = commands.iter().map(|command| format!("{command}\n")).collect();
    let output = with_input(ez().current_dir(directory).arg("debugserver"), &input);
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn clients_get_the_program_from_the_recording() {
    let directory = program(ASKS);
    record(directory.path(), "", &[]);
    let program = fs::read_to_string(directory.path().join("p.ez")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::copy(directory.path().join("r"), elsewhere.path().join("r")).unwrap();
    drop(directory);
    let command = |id: u32, name: &str, params: serde_json::Value| serde_json::json!({"type": "command", "command": name, "params": params, "id": id});
    let initialize = serde_json::json!({"replay": "r", "history": true, "protocolVersion": 2});
    let told = session(
        elsewhere.path(),
        &[
            command(1, "initialize", serde_json::json!({"replay": "r", "args": ["x"]})),
            command(2, "initialize", initialize),
            command(3, "setBreakpoint", serde_json::json!({"file": "p.ez", "line": 6})),
            command(4, "getSource", serde_json::json!({"file": "p.ez"})),
            command(5, "start", serde_json::json!({})),
            command(6, "stepBack", serde_json::json!({})),
            command(7, "terminate", serde_json::json!({})),
        ],
    );
    let answer =
        |id: u32| &told.iter().find(|event| event["id"] == id).unwrap_or_else(|| panic!("{told:?}"))["data"];
    assert_eq!(answer(1)["message"], "wrong parameter 'args': with 'replay' it is in the recording");
    assert_eq!(answer(2)["file"], "p.ez");
    assert_eq!(answer(3)["verified"], true);
    assert_eq!(answer(4)["text"], program.as_str());
    let stopped: Vec<_> = told.iter().filter(|event| event["event"] == "stopped").collect();
    assert_eq!(
        (&stopped[0]["data"]["location"]["line"], &stopped[1]["data"]["location"]["line"]),
        (&6.into(), &5.into())
    );
}

#[test]
fn editors_debug_recordings() {
    let directory = program(ASKS);
    record(directory.path(), "", &[]);
    let launch = serde_json::json!({"replay": "r", "stopOnEntry": true});
    let mut dap = Dap::launched(directory.path(), launch);
    dap.request("configurationDone", serde_json::Value::Null);
    assert_eq!(dap.stop(), ("entry".into(), "main".into(), 4));
    dap.request("next", serde_json::json!({"threadId": 1}));
    assert_eq!(dap.stop(), ("step".into(), "main".into(), 5));
    dap.disconnect();
}

/// Memory does not grow with what is recorded.
#[cfg(target_os = "linux")]
#[test]
fn recording_takes_little_memory() {
    use std::io::Read;
    let directory = program(
        "import @std, @time, @io\nusing std\ndo main() {\n    temp sum int = 0\n    for i in range(0, 300000) {\n        sum += time.now_ns() % 5\n    }\n    temp text, _ = io.read_file(\"/proc/self/status\")\n    println(text)\n}\n",
    );
    let output = record(directory.path(), "", &[]);
    let peak = text(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:").map(str::to_string))
        .unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    let recorded = fs::metadata(directory.path().join("r")).unwrap().len();
    assert!(recorded > 10 << 20, "{recorded} bytes");
    assert!(kilobytes < 60 << 10, "{kilobytes} kB");
    let mut read = String::new();
    fs::File::open(directory.path().join("r")).unwrap().take(16).read_to_string(&mut read).unwrap();
    assert_eq!(read, "{\"ezRecording\":2");
}

/// A program whose recording finds no more room on the disk runs on.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_recording_only() {
    let text_of_program = "import @std, @time, @io, @strings\nusing std\n\ndo main() {\n    temp last = 0\n    for i in range(0, 100000) {\n        \
         last = time.now()\n    }\n    temp _, problem = io.write_file(\"big\", strings.repeat(\"x\", 100000))\n    \
         println(problem != nil)\n}\n";
    let directory = program(text_of_program);
    let limited =
        ["-c", "ulimit -f 64; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_ez"), "run", "--record", "r", "p.ez"];
    let output = Command::new("sh").args(limited).current_dir(directory.path()).output().unwrap();
    let errors = text(&output.stderr);
    assert_eq!(text(&output.stdout), "true\n", "{errors}");
    assert!(output.status.success() && errors.contains("the program continues without it"), "{errors}");
    let replayed = replay(&directory.path().join("r"));
    let errors = text(&replayed.stderr);
    assert!(replayed.status.code().is_some_and(|status| status != 0), "{errors}");
    assert!(!errors.contains("panicked"), "{errors}");
}
