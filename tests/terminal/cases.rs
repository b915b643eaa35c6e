//! `ez test`: what is printed for cases that pass and fail, and what bad cases and bad programs come to.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use support::{HANG, ez_path};

/// A folder with files.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn ez(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(ez_path());
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// What `ez test` prints, and its status.
    fn test(&self, arguments: &[&str]) -> String {
        let arguments: Vec<&str> = std::iter::once("test").chain(arguments.iter().copied()).collect();
        let (status, out, errors) = self.ez(&arguments);
        let errors = if errors.is_empty() { errors } else { format!("--- standard error\n{errors}") };
        format!("{out}{errors}--- ends with {status}\n")
    }
}

/// A program in which `body` is the body of `main`.
fn program(imports: &str, body: &str) -> String {
    format!("import @std{imports}\nusing std\n\ndo main() {{\n{body}\n}}\n")
}

fn average() -> (&'static str, String) {
    let body = "    temp marks [int] = {7, 8}\n    temp sum = 0\n    for_each mark in marks {\n        sum += mark\n    }\n    println(\"marks ${len(marks)}\")\n    println(\"average ${float(sum / len(marks))}\")";
    ("average.ez", program("", body))
}

/// A program of one line, with a case in which `x` and a line end are expected.
fn wrong(imports: &str, body: &str) -> Folder {
    Folder::new(&[("a.ez", &program(imports, body)), ("a.cases/1.out", "x\n")])
}

#[test]
fn cases_pass_and_fail() {
    let (file, text) = average();
    let folder = Folder::new(&[
        (file, &text),
        ("average.cases/one.out", "marks 2\r\naverage 7.0 \n\n"),
        ("average.cases/two.out", "marks 2\naverage 7.5\n"),
        ("average.cases/10 capital.ans", "marks 2\nAverage 7.0\n"),
        ("average.cases/9.out", "marks 2\n"),
        ("average.cases/any.in", "not read\n"),
        ("average.cases/more.out", "marks 2\naverage 7.0\nend\n"),
        ("average.cases/status.out", "marks 2\naverage 7.0\n"),
        ("average.cases/status.status", "3"),
    ]);
    insta::assert_snapshot!("cases_pass_and_fail", folder.test(&["average.ez"]));
    insta::assert_snapshot!("cases_chosen", folder.test(&["--only", "*o*", "--mode", "exact", "average.ez"]));
    let named =
        folder.test(&["--cases", "average.cases/two.out", "--fail-fast", "--jobs", "1", "average.ez"]);
    assert!(named.contains("ez debug --case two --cases average.cases/two.out average.ez"), "{named}");
    assert!(folder.test(&["--only", "one", "average.ez"]).ends_with("1 of 1 case passed\n--- ends with 0\n"));
    let wrong = folder.test(&["--only", "won", "average.ez"]);
    assert!(
        wrong.contains("there is no case 'won' in average.cases\n  = help: did you mean 'one'?"),
        "{wrong}"
    );
}

#[test]
fn names_are_no_flags_and_stay_what_they_are() {
    let text = program("", "    println(\"x\")");
    let folder =
        Folder::new(&[("-a.ez", &text), ("-a.cases/1.out", "x\n"), ("-a.cases/b\u{200b}.out", "y\n")]);
    let told = folder.test(&["--", "-a.ez"]);
    assert!(told.ends_with("1 of 2 cases passed\n--- ends with 1\n"), "{told}");
    assert!(told.contains(" -- -a.ez   stops there"), "{told}");
    assert!(folder.test(&["--json", "--list", "--", "-a.ez"]).contains("b\u{200b}"));
}

#[test]
fn the_files_of_a_program_are_listed_with_its_cases() {
    let parts = "import @std, \"./shapes\"\nimport c\"./colours\", \"./gone\"\n// import \"./not\"\n";
    let folder = Folder::new(&[
        ("a.ez", &format!("{parts}using std\ndo main() {{\n    println(\"import \\\"./nor\\\"\")\n}}\n")),
        ("a.cases/1.out", "x\n"),
        ("shapes/circle.ez", "module shapes\nimport \"./inner.ez\"\n"),
        ("shapes/inner.ez", "module shapes\n"),
        ("colours.ez", "module colours\n"),
    ]);
    let (_, listed, errors) = folder.ez(&["test", "--list", "--json", "a.ez"]);
    let listed: serde_json::Value =
        serde_json::from_str(&listed).unwrap_or_else(|_| panic!("{listed}{errors}"));
    let files: Vec<&str> =
        listed["files"].as_array().unwrap().iter().filter_map(|file| file.as_str()).collect();
    let here = folder.path("");
    let inside = |file: &&str| PathBuf::from(file).strip_prefix(&here).unwrap().display().to_string();
    let files: Vec<String> = files.iter().map(inside).collect();
    let expected =
        ["a.ez", "colours", "colours.ez", "gone", "gone.ez", "shapes", "shapes/circle.ez", "shapes/inner.ez"];
    assert_eq!(files, expected, "{listed}");
}

/// Who follows `ez test` to where something else was printed runs a program that may do no more.
#[test]
fn a_debugged_case_is_as_confined_as_a_tested_one() {
    let body = "    temp _, _ = os.exec(\"touch ran\")\n    temp text, problem = io.read_file(\"../secret\")\n    println(problem == nil)";
    let folder = Folder::new(&[
        ("secret", "s"),
        ("class/a.ez", &program(", @io, @os", body)),
        ("class/a.cases/1.out", "x\n"),
    ]);
    for command in ["debug", "trace"] {
        let (_, out, errors) = folder.ez(&[command, "--case", "1", "class/a.ez"]);
        assert!(!folder.path("ran").exists() && !folder.path("class/ran").exists(), "{out}{errors}");
        let told = if command == "trace" { folder.read("a.html") } else { out };
        assert!(told.contains("false") && !told.contains("printed:  true"), "{told}");
    }
}

/// Wherever the command is given, the program runs in its folder.
#[test]
fn a_debugged_case_runs_where_it_is_tested() {
    let body = "    temp text, problem = io.read_file(\"data\")\n    if problem == nil { println(text) }\n    println(\"x\")";
    let folder = Folder::new(&[
        ("class/a.ez", &program(", @io", body)),
        ("class/data", "from the file"),
        ("class/a.cases/1.out", "y\n"),
    ]);
    assert!(folder.test(&["class/a.ez"]).contains("printed \"from the file\""));
    let (_, out, errors) = folder.ez(&["debug", "--case", "1", "class/a.ez"]);
    assert!(out.contains("printed:  from the file"), "{out}{errors}");
    let (_, out, errors) = folder.ez(&["trace", "--case", "1", "class/a.ez"]);
    assert!(folder.read("a.html").contains("from the file"), "{out}{errors}");
}

/// What is no regular file is written into, and a link stays one.
#[test]
fn a_report_goes_into_a_pipe() {
    let folder = wrong("", "    println(\"x\")");
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    let reading = std::thread::spawn({
        let pipe = folder.path("pipe");
        move || std::fs::read_to_string(pipe).unwrap()
    });
    assert!(folder.test(&["--junit", "pipe", "a.ez"]).ends_with("--- ends with 0\n"));
    assert!(reading.join().unwrap().contains("<testcase name=\"1\""));
    std::os::unix::fs::symlink("report.xml", folder.path("link")).unwrap();
    folder.write("report.xml", "");
    assert!(folder.test(&["--junit", "link", "a.ez"]).ends_with("--- ends with 0\n"));
    assert!(std::fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
    assert!(folder.read("report.xml").contains("<testcase name=\"1\""));
}

/// Nothing more is begun when nobody reads what comes of it.
#[test]
fn a_reader_that_goes_ends_it() {
    let body = "    temp _, _ = io.append_file(\"runs\", \"x\")\n    time.sleep_ms(30)\n    println(\"x\")";
    let folder = Folder::new(&[("a.ez", &program(", @io, @time", body))]);
    const COUNT: usize = 100;
    (0..COUNT).for_each(|number| folder.write(&format!("a.cases/{number}.out"), "x\n"));
    let mut command = Command::new(ez_path());
    command.args(["test", "--json", "--each", "a.ez"]).current_dir(folder.0.path()).stdin(Stdio::null());
    let mut command = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(command.stdout.take().unwrap()).read_line(&mut first).unwrap();
    command.wait().unwrap();
    assert!(first.contains("passed"), "{first}");
    assert!(folder.read("runs").len() < COUNT);
}

/// Who ends the command ends what it runs, and nothing of it is left.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_programs_too() {
    let folder = wrong(", @io", "    temp _, _ = io.write_file(\"begun\", \"\")\n    loop {}");
    let temporary = folder.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = Command::new(ez_path());
    command.args(["test", "--time", "1000", "a.ez"]).current_dir(folder.0.path()).env("TMPDIR", &temporary);
    let mut command = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let until = |holds: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !holds() {
            assert!(start.elapsed() < HANG);
            std::thread::yield_now();
        }
    };
    until(&|| folder.path("begun").exists());
    let children = |id: u32| -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
        let of_task =
            |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).unwrap();
        let all: String = tasks.map(|task| of_task(task.unwrap())).collect();
        all.split_whitespace().map(|id| id.parse().unwrap()).collect()
    };
    let [program] = children(command.id())[..] else { panic!("there is one process for each case") };
    let killed = Command::new("kill").args(["-TERM", &command.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(command.wait().unwrap().code(), None);
    until(&|| !std::path::Path::new(&format!("/proc/{program}/exe")).exists());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn what_a_program_reads_and_how_it_ends() {
    let body = "    temp name = input()\n    println(\"${name} ${os.args()[2]}\")\n    os.exit(3)";
    let folder = Folder::new(&[
        ("main.ez", &program(", @os", body)),
        ("cases/1.in", "Ann\n"),
        ("cases/1.args", "a b\n-x\n"),
        ("cases/1.status", "3\n"),
        ("cases/1.out", "Ann a b\n"),
        ("cases/2.in", ""),
        ("cases/2.args", "c"),
        ("cases/2.out", " c\n"),
    ]);
    insta::assert_snapshot!("what_a_program_reads", folder.test(&["."]));
}

#[test]
fn words_are_compared_with_an_error() {
    let (file, text) = average();
    let folder = Folder::new(&[(file, &text), ("tests/1.out", "marks\n2 average 7.0001\n")]);
    let test = |arguments: &[&str]| folder.test(&[arguments, &["average.ez"]].concat());
    insta::assert_snapshot!("words_are_compared", test(&["--mode", "tokens"]));
    assert!(test(&["--mode", "tokens", "--float-error", "1e-3"]).ends_with("ends with 0\n"));
    assert!(test(&["--float-error", "1e-3"]).contains("--float-error is of no use without --mode tokens"));
    assert!(test(&["--mode", "tokens", "--float-error", "inf"]).contains("expected a number such as 1e-6"));
}

#[test]
fn a_class_is_a_line_a_program_and_a_table() {
    let (_, text) = average();
    let folder = Folder::new(&[
        ("class/anna.ez", &text.replace("float(sum / len(marks))", "float(sum) / float(len(marks))")),
        ("class/ben.ez", &text),
        ("class/carla/main.ez", &text.replace("sum +=", "som +=")),
        ("class/david.ez", &program("", "    temp n [int] = {}\n    println(n[0])")),
        ("exercise/1.out", "marks 2\naverage 7.5\n"),
        ("exercise/2.out", "marks 2\naverage 7.5\n"),
    ]);
    let test = |form: &[&str]| folder.test(&[&["class", "--cases", "exercise"], form].concat());
    insta::assert_snapshot!("a_class", test(&[]));
    let without_times = |text: String| {
        let seconds =
            regex::Regex::new(r#"(failed|passed),[0-9.e-]+|"seconds":[0-9.e-]+|time="[0-9.]+""#).unwrap();
        seconds.replace_all(&text, "$1 TIME").into_owned()
    };
    insta::assert_snapshot!("a_class_as_csv", without_times(test(&["--csv"])));
    insta::assert_snapshot!("a_class_as_json", without_times(test(&["--json"])));
    insta::assert_snapshot!("each_case_as_json", without_times(test(&["--json", "--each"])));
    test(&["--junit", "out.xml"]);
    insta::assert_snapshot!("a_class_as_junit", without_times(folder.read("out.xml")));
    assert!(
        test(&["--junit", "class/ben.ez"]).contains("something else is in it"),
        "a program is not replaced"
    );
    insta::assert_snapshot!("a_program_with_errors", folder.test(&["class/carla", "--cases", "exercise"]));
}

#[test]
fn what_is_printed_becomes_what_is_expected() {
    let (file, text) = average();
    let folder = Folder::new(&[
        (file, &text),
        ("average.cases/1.out", "marks 2\naverage 7.5\n"),
        ("average.cases/2.in", ""),
        ("average.cases/3.ans", "marks  2\n"),
        ("average.cases/4.out", "marks 2 \naverage 7.0"),
        ("average.cases/5.out", "x"),
        ("average.cases/5.status", "1"),
    ]);
    std::os::unix::fs::symlink("4.out", folder.path("average.cases/link.out")).unwrap();
    std::fs::write(folder.path("average.cases/4.out"), "old").unwrap();
    insta::assert_snapshot!("updated", folder.test(&["average.ez", "--update"]));
    let printed = "marks 2\naverage 7.0\n";
    for name in ["1.out", "2.out", "3.ans", "4.out"] {
        assert_eq!(folder.read(&format!("average.cases/{name}")), printed, "{name}");
    }
    assert_eq!(folder.read("average.cases/5.out"), "x");
    folder.write("other.ez", &text);
    assert!(folder.test(&[".", "--update"]).contains("--update takes one program"));
}

/// What is wrong with a word is told, whatever follows it, and its statement is found where it was printed.
#[test]
fn a_word_differs_before_endless_output() {
    let body = "    println(\"wrong\")\n    loop {\n        println(\"round and round\")\n    }";
    let told = wrong("", body).test(&["--mode", "tokens", "--time", "0.2", "a.ez"]);
    assert!(told.contains("line 1: expected \"x\", printed \"wrong\""), "{told}");
    assert!(told.contains("printed in a.ez:5, step 1:"), "{told}");
}

#[test]
fn a_program_that_reads_more_than_there_is_is_told_so() {
    let body = "    temp n int = 1\n    as_long_as n > 0 {\n        temp x string = input()\n        n += len(x) + 1\n    }";
    let told = wrong("", body).test(&["a.ez"]);
    assert!(told.contains("it has read more than there is"), "{told}");
}

#[test]
fn new_files_are_as_private_as_any() {
    use std::os::unix::fs::PermissionsExt;
    let folder = wrong("", "    println(\"x\")");
    std::fs::rename(folder.path("a.cases/1.out"), folder.path("a.cases/1.in")).unwrap();
    for arguments in ["--update a.ez", "--junit results.xml a.ez"] {
        let line = format!("umask 027; exec \"$0\" test {arguments}");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).arg(ez_path()).current_dir(folder.0.path()).stdin(Stdio::null());
        assert!(command.output().unwrap().status.success(), "{arguments}");
    }
    for file in ["a.cases/1.out", "results.xml"] {
        let mode = std::fs::metadata(folder.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{file}");
    }
}

/// Somebody else may know a file by another name, or have written it since it was read.
#[test]
fn what_is_somebody_elses_is_not_updated() {
    let write = "    temp _, _ = io.write_file(\"a.cases/1.out\", \"mine\")\n    println(\"printed\")";
    let folder = wrong(", @io", write);
    let told = folder.test(&["a.ez", "--update"]);
    assert!(told.contains("a.cases/1.out is left as it is: it has changed meanwhile"), "{told}");
    assert_eq!(folder.read("a.cases/1.out"), "mine");
    let folder = wrong("", "    println(\"printed\")");
    std::fs::hard_link(folder.path("a.cases/1.out"), folder.path("kept")).unwrap();
    let told = folder.test(&["a.ez", "--update"]);
    assert!(told.contains("left as it is: it is a link: the file has another name, too"), "{told}");
    assert_eq!(folder.read("kept"), "x\n");
}

#[test]
fn wrong_cases_are_refused() {
    let (file, text) = average();
    let folder =
        Folder::new(&[(file, &text), ("a/1.out", ""), ("b/1.ans", ""), ("empty/x.txt", ""), ("c/1.out", "")]);
    let refused = |cases: &[&str]| {
        let flags: Vec<&str> = cases.iter().flat_map(|place| ["--cases", place]).collect();
        folder.test(&[&["average.ez"], flags.as_slice()].concat())
    };
    let mut all = folder.test(&["average.ez"]) + &folder.test(&["averag.ez"]) + &folder.test(&["a"]);
    all += &(refused(&["empty"]) + &refused(&["a", "b"]) + &refused(&["no"]) + &refused(&["empty/x.txt"]));
    std::os::unix::fs::symlink("/etc/passwd", folder.path("c/1.in")).unwrap();
    all += &refused(&["c"]);
    std::fs::remove_file(folder.path("c/1.in")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, folder.path("c/1.in"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    all += &refused(&["c"]);
    std::fs::remove_file(folder.path("c/1.in")).unwrap();
    std::fs::write(folder.path("c/1.out"), b"a\n\xff").unwrap();
    all += &refused(&["c"]);
    for number in 0..10_001 {
        std::fs::File::create(folder.path(&format!("empty/{number}.out"))).unwrap();
    }
    all += &refused(&["empty"]);
    insta::assert_snapshot!("wrong_cases_are_refused", all);
}

#[test]
fn limits_say_where_the_program_was() {
    let test = |folder: Folder, flags: &[&str]| folder.test(&[&["a.ez"], flags].concat());
    let wait = test(wrong(", @time", "    println(\"x\")\n    time.sleep(100)"), &["--time", "0.3"]);
    let forever = test(wrong("", "    as_long_as true { println(\"x\") }"), &["--time", "0.5"]);
    let spin = test(wrong("", "    temp n = 0\n    as_long_as true { n = 1 - n }"), &["--time", "0.3"]);
    let grow = "    temp list [string] = {}\n    as_long_as true { arrays.append(list, \"xxxxxxxxxxxxxxxxxxxxxxxx\") }";
    let grow = test(wrong(", @arrays", grow), &["--memory", "20M"]);
    let deep = Folder::new(&[
        (
            "a.ez",
            "import @std\nusing std\n\ndo f(n int) -> int { return f(n + 1) + 1 }\n\ndo main() { println(f(0)) }\n",
        ),
        ("a.cases/1.out", "x"),
    ]);
    let deep = test(deep, &[]);
    insta::assert_snapshot!("limits", format!("{wait}{forever}{spin}{grow}{deep}"));
    let expected = Folder::new(&[
        ("a.ez", &program("", "    as_long_as true { temp n = 1 }")),
        ("a.cases/1.status", "1"),
    ]);
    assert!(test(expected, &["--time", "0.3"]).contains("it did not end within 0.3 s"));
}

#[test]
fn a_large_output_is_read_and_not_kept() {
    let body = "    temp line = strings.repeat(\"0123456789abcde\", 4096)\n    for i in range(0, 3500) { println(line) }";
    let folder = wrong(", @strings", body);
    let start = Instant::now();
    let printed = folder.test(&["a.ez", "--time", "20"]);
    assert!(printed.contains("expected \"x\", printed \"0123456789abcde0123"), "{printed}");
    assert!(start.elapsed() < HANG);
}

/// What a program may do to its cases and to what is outside of its folder.
#[test]
fn programs_reach_no_case_that_is_elsewhere() {
    let read = "    temp text, _ = io.read_file(os.args()[2])\n    print(text)";
    let folder = Folder::new(&[
        ("p/a.ez", &program(", @io, @os", read)),
        ("cases/1.out", "secret"),
        ("cases/2.out", "s"),
    ]);
    std::os::unix::fs::symlink("../cases", folder.path("p/link")).unwrap();
    std::os::unix::fs::symlink("../cases/1.out", folder.path("p/file")).unwrap();
    let absolute = folder.path("cases/1.out").display().to_string();
    let proc = format!("/proc/{}/cwd/cases/1.out", std::process::id());
    for path in ["../cases/1.out", "link/1.out", "file", "/proc/self/cwd/../cases/1.out", &absolute, &proc] {
        folder.write("cases/1.args", path);
        let printed = folder.test(&["p/a.ez", "--cases", "cases/1.out"]);
        assert!(printed.contains("printed \"nil\""), "{path}: {printed}");
    }
}

#[test]
fn a_program_that_changes_its_cases_changes_no_result() {
    let change = "    temp all, _ = io.read_dir(\"a.cases\")\n    for_each name in all {\n        if strings.ends_with(name, \".out\") { temp _, _ = io.write_file(\"a.cases/\" + name, \"y\") }\n        otherwise { temp _, _ = io.remove(\"a.cases/\" + name) }\n    }\n    print(\"y\")";
    let folder = Folder::new(&[
        ("a.ez", &program(", @io, @strings", change)),
        ("a.cases/1.out", "x"),
        ("a.cases/2.out", "x"),
        ("a.cases/2.in", ""),
        ("a.cases/3.out", "x"),
    ]);
    insta::assert_snapshot!("changed_cases", folder.test(&["a.ez", "--jobs", "1"]));
}

#[test]
fn nothing_is_left_and_pipes_get_no_progress() {
    let (file, text) = average();
    let folder = Folder::new(&[(file, &text), ("average.cases/1.out", "x")]);
    std::fs::create_dir(folder.path("tmp")).unwrap();
    let mut command = Command::new(ez_path());
    command.args(["test", file]).current_dir(folder.0.path()).env("TMPDIR", folder.path("tmp"));
    let output = command.output().unwrap();
    assert!(!output.stdout.contains(&b'\r') && output.stderr.is_empty());
    assert_eq!(std::fs::read_dir(folder.path("tmp")).unwrap().count(), 0);
}

#[test]
fn many_cases_pass() {
    let (file, text) = average();
    let folder = Folder::new(&[(file, &text)]);
    for number in 0..200 {
        folder.write(&format!("average.cases/{number}.out"), "marks 2\naverage 7.0\n");
    }
    let (status, out, _) = folder.ez(&["test", file]);
    assert!(status == 0 && out.ends_with("200 of 200 cases passed\n"), "{out}");
}

/// What runs at the same time writes no files that others read.
#[test]
fn programs_that_use_files_take_turns() {
    let body = "    temp text string = input()\n    temp _, e1 = io.write_file(\"kept.txt\", text)\n    temp sum = 0\n    for i in range(0, 100000) {\n        sum += i\n    }\n    temp read, e2 = io.read_file(\"kept.txt\")\n    println(\"${read} ${e1 == nil} ${e2 == nil} ${sum}\")";
    let text = program(", @io", body);
    let folder = Folder::new(&[("a.ez", &text), ("b.ez", &text)]);
    for number in 0..12 {
        folder.write(&format!("all/{number}.in"), &format!("{number}\n"));
        folder.write(&format!("all/{number}.out"), &format!("{number} true true 4999950000\n"));
    }
    let (status, out, errors) = folder.ez(&["test", "a.ez", "b.ez", "--cases", "all", "--jobs", "6"]);
    assert_eq!(status, 0, "{out}{errors}");
}
