//! Pages that show a run step by step: what is in them. (That a browser shows it is in `tests/tools`.)

use std::fs;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::trace::{data, page};
use support::{ez, testdata, with_input};

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
        assert_eq!(said, format!("own.html: {} steps. The program was interrupted here.\n", steps.len()));
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
    assert_eq!(data["steps"].as_array().unwrap().len(), 5000);
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

#[test]
fn what_cannot_be_traced_is_said() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.ez"), "import @std\ndo main() { }\n").unwrap();
    fs::write(directory.path().join("wrong.ez"), "do main() { temp x int = \"\" }\n").unwrap();
    let says = |arguments: &[&str]| {
        let output = with_input(ez().current_dir(&directory).arg("trace").args(arguments), "");
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    };
    assert!(says(&["missing.ez"]).contains("Error reading file: missing.ez: no such file"));
    assert!(says(&["wrong.ez"]).contains("E3001"));
    assert!(!directory.path().join("wrong.html").exists());
    assert!(says(&["a.ez", "-o", "no/a.html"]).contains("cannot write the page no/a.html"));
    assert!(says(&["a.ez", "-o", "a.ez"]).contains("that is the name of a program"));
    assert!(says(&["a.ez", "--steps", "0"]).contains("--steps"));
}
