//! Pages that show a run step by step: what is in them. (That a browser shows it is in `tests/tools`.)

use std::fs;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::trace::{data, page};
use support::{ez, testdata, with_input};

#[path = "trace_grammar.rs"]
mod grammar;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The data as lines that can be read.
fn lines(data: &Value) -> String {
    let mut lines = String::new();
    for (name, value) in data.as_object().unwrap() {
        match value {
            Value::Array(items) if name != "files" => {
                for (number, item) in items.iter().enumerate() {
                    lines.push_str(&format!("{name} {number}: {item}\n"));
                }
            }
            Value::Array(files) => {
                let names: Vec<&Value> = files.iter().map(|file| &file["name"]).collect();
                lines.push_str(&format!("{name}: {names:?}\n"));
            }
            other => lines.push_str(&format!("{name}: {other}\n")),
        }
    }
    lines
}

/// A page of a case is opened where something else is printed, or at the end if nothing more comes.
#[test]
fn a_case_leads_to_its_difference() {
    let folder = testdata("debug");
    let opened = |arguments: &[&str]| {
        let page = tempfile::NamedTempFile::with_suffix(".html").unwrap();
        let mut all = vec!["trace", "-o", page.path().to_str().unwrap(), "--case"];
        all.extend(arguments);
        let output = ez().args(&all).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        data(&fs::read_to_string(page.path()).unwrap())
    };
    let expected = &opened(&["negative", "wrong_sum.ez"])["expected"];
    assert_eq!(
        expected["difference"],
        json!({"step": 13, "line": 3, "lines": "expected: another one\nprinted:  sum: 3"}),
    );
    let passed = opened(&["positive", "wrong_sum.ez"]);
    assert_eq!(passed["expected"]["text"], "a number, 0 ends\nanother one\nanother one\nsum: 7\n");
    assert_eq!(passed["expected"].get("difference"), None);
    assert_eq!(
        opened(&["negative", "--steps", "3", "wrong_sum.ez"])["end"]["text"],
        "The page ends here, after 3 steps; the program goes on. So far, it has printed what is expected (--steps)."
    );
    let causes = testdata("causes");
    let (program, case) = (causes.join("too_few_lines.ez"), causes.join("too_few_lines.out"));
    let data = opened(&["too_few_lines", "--cases", case.to_str().unwrap(), program.to_str().unwrap()]);
    let difference = &data["expected"]["difference"];
    assert_eq!((difference.get("step"), &difference["line"]), (None, &json!(2)));
}

#[test]
fn aliases() {
    let (page, output) = page("aliases", "");
    assert!(output.status.success());
    insta::assert_snapshot!("aliases", lines(&data(&page)));
}

#[test]
fn recursion() {
    let (page, output) = page("recursion", "");
    assert_eq!(text(&output.stdout), "6\n");
    insta::assert_snapshot!("recursion", lines(&data(&page)));
}

#[test]
fn texts() {
    let (page, output) = page("texts", "Zoë 🦊\n");
    assert_eq!(text(&output.stdout), "</script><b> & Zoë 🦊 äß 🙂\n");
    assert!(text(&output.stderr).ends_with("The program has ended with the error E9001.\n"));
    let data = data(&page);
    let program = fs::read_to_string(testdata("trace").join("texts.ez")).unwrap();
    assert_eq!(data["files"][0]["text"], program);
    insta::assert_snapshot!("texts", lines(&data));
}

/// A program with much to show, and without an end.
const LONG: &str = r#"import @std, @arrays
using std
do deep(n int) -> int {
    if n == 0 { return 0 }
    return deep(n - 1) + 1
}
do main() {
    temp list [int] = {}
    temp texts map[string:string] = {}
    for i in range(0, 300) { arrays.append(list, i) }
    temp a string = "one"
    temp b string = "two"
    temp depth int = deep(100)
    temp i int = 0
    as_long_as true {
        i += 1
        list[i % 300] = i * i
        texts["key ${i % 50}"] = "${a} ${b} ${i}"
        println("line ${i}")
    }
}
"#;

/// Traces a program until it has written `sign`, and interrupts it then; gives the page and what was said.
#[cfg(unix)]
fn interrupted(program: &str, sign: &str) -> (Value, String) {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("own.ez"), program).unwrap();
    let mut command = ez();
    command.current_dir(&directory).args(["trace", "own.ez"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut written = Vec::new();
    while !text(&written).contains(sign) {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        written.extend(byte);
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // What it reads from stays open: it is not that which ends it.
    let status = support::wait(&mut child);
    let said = support::read_all(child.stderr.take().unwrap());
    assert!(status.success(), "{status}: {said}");
    (data(&fs::read_to_string(directory.path().join("own.html")).unwrap()), said)
}

#[test]
#[cfg(unix)]
fn an_interrupted_run_is_shown_as_far_as_it_came() {
    let begin = "using std\ndo main() {\n    temp n int = 1\n    n += 1\n    ";
    for (import, wait, sign) in [
        ("import @std, @time\n", "println(\"ready\")\n    time.sleep(1000)\n}\n", "ready"),
        (
            "import @std\n",
            "print(\"Name?\")\n    temp name string = input()\n    println(name)\n}\n",
            "Name?",
        ),
        (
            "import @std, @math\n",
            "println(\"ready\")\n    temp big = math.pow(3, 1000000000)\n    println(big)\n}\n",
            "ready",
        ),
    ] {
        let (data, said) = interrupted(&format!("{import}{begin}{wait}"), sign);
        let steps = data["steps"].as_array().unwrap();
        assert!(steps.len() >= 3, "{data}");
        assert_eq!(data["end"]["text"], "The program was interrupted here.");
        assert!(
            said.starts_with("own.html: ") && said.ends_with(" steps. The program was interrupted here.\n")
        );
    }
}

#[test]
fn long_runs_are_cut_and_pages_stay_small() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("long.ez"), LONG).unwrap();
    let output = with_input(ez().current_dir(&directory).args(["trace", "long.ez"]), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(directory.path().join("long.html")).unwrap();
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    let data = data(&page);
    let numbers = data["steps"].as_array().unwrap().iter();
    let last = numbers.fold(0, |last, stop| stop["n"].as_u64().unwrap_or(last + 1));
    assert_eq!(last, 5000);
    assert_eq!(data["end"]["text"], "The page ends here, after 5000 steps; the program goes on.");
    let notes = data["notes"].as_array().unwrap();
    assert!(
        notes.contains(&json!("Of long arrays and maps, 60 parts are shown: those around the last change.")),
        "{notes:?}"
    );
    assert!(notes.contains(&json!("Of very deep calls, the outermost and the innermost 29 are shown.")));
    let few = with_input(
        ez().current_dir(&directory).args(["trace", "--steps", "7", "long.ez", "-o", "few.html"]),
        "",
    );
    assert_eq!(
        text(&few.stderr),
        "few.html: 7 steps. The page ends here, after 7 steps; the program goes on.\n"
    );
}

/// The category of each UTF-16 code unit of a file, as the page colours it; blanks have none.
fn colored(file: &Value) -> Vec<(char, Option<char>)> {
    let letters: Vec<u16> = file["text"].as_str().unwrap().encode_utf16().collect();
    let mut categories = vec![None; letters.len()];
    let mut at = 0;
    for color in file["colors"].as_str().unwrap().split(' ').filter(|color| !color.is_empty()) {
        let (length, gap) = color[1..].split_once(',').unwrap_or((&color[1..], "0"));
        at += gap.parse::<usize>().unwrap();
        let end = at + length.parse::<usize>().unwrap();
        categories[at..end].fill(color.chars().next());
        at = end;
    }
    visible(letters.into_iter().zip(categories))
}

fn visible(letters: impl Iterator<Item = (u16, Option<char>)>) -> Vec<(char, Option<char>)> {
    let shown = letters.map(|(letter, category)| (char::from_u32(letter.into()).unwrap_or('?'), category));
    shown.filter(|(letter, _)| !letter.is_whitespace()).collect()
}

/// Code with everything that has a colour.
const COLORFUL: &str = r##"import @std, @arrays
using std
/* a comment
   over two lines */
const Point struct {
    x int
    y float
} // 🙂 ${no}
const Kind enum {
    ONE
    TWO
}
private const LIMIT int = 0xFF + 1_000 - 2
#doc("é 🙂")
do f(&list [int], names map[string:Point]) -> (int, bool) {
    temp p = Point{x: 1, y: -2.5e3}
    temp raw = `raw ${p} \n`
    temp c = '\n'
    temp _ = 'x' in "xyz" && !true || p == nil
    println("a \"b\" \x41 ${f(list, {"k": p})} ${"${p.x + 1}"} {}", raw, c)
    when p.x { is 1, 2 { } default { list[0]++ } }
    for_each e in list { if e !in list { continue } or e >= 3 { break } otherwise { return 1, cast(e, bool) } }
    for i in range(0, 3) { list[i] *= int("1") / 2 % 1 }
    ensure println(Kind.ONE)
    return LIMIT, false
}
do main() { println("") }
"##;

#[test]
fn sources_are_coloured_as_in_editors() {
    let directory = tempfile::tempdir().unwrap();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let grammar = grammar::Grammar::read(&root.join("editors/vscode/syntaxes/ez.tmLanguage.json"));
    let mut programs = Vec::new();
    for folder in ["examples", "testdata/trace"] {
        let files = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        programs.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "ez")));
    }
    assert!(programs.len() > 8, "{programs:?}");
    let mut texts: Vec<String> = programs.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    texts.push(COLORFUL.into());
    for text in &texts {
        fs::write(directory.path().join("own.ez"), text).unwrap();
        let output =
            with_input(ez().current_dir(&directory).args(["trace", "--steps", "1", "own.ez"]), "5\n");
        assert!(output.status.success(), "{text}");
        let data = data(&fs::read_to_string(directory.path().join("own.html")).unwrap());
        let wanted = visible(grammar.categories(text).into_iter());
        let found = colored(&data["files"][0]);
        assert_eq!(found, wanted, "{text}");
        let has = |category| found.iter().any(|(_, found)| *found == Some(category));
        assert!(text != COLORFUL || "cseiaktlnfmo".chars().all(has));
    }
}

// invariant 26
#[test]
fn no_page_has_an_absolute_path() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().canonicalize().unwrap();
    let (work, elsewhere) = (folder.join("work"), folder.join("secret"));
    fs::create_dir_all(work.join("tasks")).unwrap();
    fs::create_dir_all(elsewhere.join("lib")).unwrap();
    let main = "import @std\nimport \"./lib\"\nusing std\ndo main() {\n    println(lib.half(0))\n}\n";
    let lib = "module lib\ndo half(n int) -> int {\n    temp list [int] = {}\n    return list[n]\n}\n";
    for place in [work.join("tasks"), elsewhere.clone()] {
        fs::create_dir_all(place.join("lib")).unwrap();
        fs::write(place.join("main.ez"), main).unwrap();
        fs::write(place.join("lib/half.ez"), lib).unwrap();
    }
    let run = |arguments: &[&str], at: &std::path::Path| {
        let output = with_input(ez().current_dir(at).args(arguments), "");
        (output.status.code(), text(&output.stderr))
    };
    let absolute = work.join("tasks/main.ez").display().to_string();
    let outside = elsewhere.join("main.ez").display().to_string();
    assert_eq!(run(&["run", "--record", "one.ezr", "tasks/main.ez"], &work).0, Some(1));
    let record = work.join("one.ezr").display().to_string();
    let ways: [(&[&str], &std::path::Path, [&str; 2]); 5] = [
        (&["tasks/main.ez"], &work, ["tasks/main.ez", "tasks/lib/half.ez"]),
        (&[&absolute], &work, ["tasks/main.ez", "tasks/lib/half.ez"]),
        (&[&outside], &work, ["main.ez", "lib/half.ez"]),
        (&["../secret/main.ez"], &work, ["main.ez", "lib/half.ez"]),
        (&["--replay", &record], &elsewhere, ["tasks/main.ez", "tasks/lib/half.ez"]),
    ];
    for (arguments, at, names) in ways {
        let (status, said) = run(&[&["trace", "-o", "page.html"], arguments].concat(), at);
        assert_eq!(status, Some(0), "{arguments:?}: {said}");
        let page = fs::read_to_string(at.join("page.html")).unwrap();
        let data = data(&page);
        let found: Vec<&str> =
            data["files"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{arguments:?}");
        assert_eq!(data["program"], names[0]);
        assert!(page.contains(&format!("<title>{}, step by step</title>", names[0])));
        assert!(page.contains("E9004"), "the error is there");
        let folder = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!page.contains(&folder) && !page.contains("secret"), "{arguments:?}");
    }
}

#[test]
fn an_error_that_does_not_end_the_program_does_not_end_the_steps() {
    let program = r#"import @std
using std
do bad(n int) {
    temp list [int] = {1}
    println("bad ${list[n]}")
}
do clean(n int) -> int {
    ensure bad(n)
    temp k int = n * 2
    return k + 1
}
do main() {
    temp a = clean(5) + clean(0)
    println(a)
}
"#;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("own.ez"), program).unwrap();
    let output = with_input(ez().current_dir(&directory).args(["trace", "own.ez"]), "");
    assert_eq!(text(&output.stdout), "bad 1\n12\n");
    let data = data(&fs::read_to_string(directory.path().join("own.html")).unwrap());
    assert_eq!(data["steps"].as_array().unwrap().len(), 16);
    // The statement in which the error happened has been told once, and whole.
    let how = data["steps"][0]["how"].as_array().unwrap();
    let form = &data["forms"][how[0][0].as_u64().unwrap() as usize];
    let kinds: Vec<&str> = form[3].as_array().unwrap().iter().map(|part| part[0].as_str().unwrap()).collect();
    assert_eq!((how.len(), kinds), (1, vec!["entered", "entered", "operator", "write"]));
}

#[test]
fn what_cannot_be_traced_is_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.ez"), "import @std\ndo main() { }\n").unwrap();
    fs::write(directory.path().join("wrong.ez"), "do main() { temp x int = \"\" }\n").unwrap();
    let says = |arguments: &[&str]| {
        let output = with_input(ez().current_dir(&directory).arg("trace").args(arguments), "");
        assert_eq!(output.status.code(), Some(if arguments.contains(&"--steps") { 2 } else { 1 }));
        text(&output.stderr)
    };
    assert!(says(&["missing.ez"]).contains("Error reading file: missing.ez: no such file"));
    assert!(says(&["wrong.ez"]).contains("E3001"));
    assert!(!directory.path().join("wrong.html").exists());
    assert!(says(&["a.ez", "-o", "no/a.html"]).contains("cannot write the page no/a.html"));
    assert!(says(&["a.ez", "-o", "a.ez"]).contains("that is the name of a program"));
    assert!(says(&["a.ez", "-o", "b.ez"]).contains("that is the name of a program"));
    assert!(
        says(&["a.ez", "-o", "-"])
            .contains("cannot write the page -: standard output is for what the program")
    );
    assert!(!directory.path().join("-").exists());
    assert!(says(&["a.ez", "--steps", "0"]).contains("--steps"));
}

/// A page replaces what is there, but not what it was made from, by whatever name.
#[test]
fn a_page_never_replaces_what_is_traced() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let program = "import \"./part.ez\"\ndo main() { part.f() }\n";
    for name in ["a.ez", "program"] {
        fs::write(at(name), program).unwrap();
    }
    fs::write(at("part.ez"), "module part\ndo f() { }\n").unwrap();
    let record = ["run", "--record", "a.ezrun", "a.ez"];
    assert!(with_input(ez().current_dir(&directory).args(record), "").status.success());
    fs::hard_link(at("part.ez"), at("hard.html")).unwrap();
    let mut attempts = vec![
        vec!["program", "-o", "program"],
        vec!["a.ez", "-o", "hard.html"],
        vec!["--replay", "a.ezrun", "-o", "a.ezrun"],
    ];
    #[cfg(unix)] // Links take a privilege elsewhere.
    {
        std::os::unix::fs::symlink("a.ez", at("link.html")).unwrap();
        attempts.extend([vec!["a.ez", "-o", "link.html"], vec!["program", "-o", "link.html"]]);
    }
    let names = ["a.ez", "part.ez", "program", "a.ezrun"];
    let before = names.map(|name| fs::read(at(name)).unwrap());
    for arguments in attempts {
        let output = with_input(ez().current_dir(&directory).arg("trace").args(&arguments), "");
        let said = text(&output.stderr);
        assert!(said.starts_with("Error: cannot write the page "), "{arguments:?}: {said}");
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{arguments:?}: {said}");
        assert!(before == names.map(|name| fs::read(at(name)).unwrap()), "{arguments:?}");
    }
}
