//! Pages that show a run step by step: what is in them, and that a browser shows it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // A test may panic.

mod support;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{ez, testdata};

fn with_input(command: &mut Command, input: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that reads nothing may have ended already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The page of a program of `testdata/trace`, and what was said about it.
fn page(name: &str, input: &str) -> (String, Output) {
    let kept = tempfile::tempdir().unwrap();
    let page = kept.path().join("page.html");
    let program = format!("{name}.ez");
    let mut command = ez();
    command.current_dir(testdata("trace")).args(["trace", &program, "-o"]).arg(&page);
    let output = with_input(&mut command, input);
    (fs::read_to_string(page).unwrap(), output)
}

/// The data in a page.
fn data(page: &str) -> Value {
    let json = page.split("id=\"trace\">").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(json).unwrap()
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
    assert!(notes.contains(&json!("Of long arrays and maps, the first 60 parts are shown.")), "{notes:?}");
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

/// A browser that can be run without a window, if there is one.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    std::env::split_paths(&path)
        .flat_map(|directory| names.map(|name| directory.join(name)))
        .find(|program| program.is_file())
}

/// The document that a browser makes of a page, at a step.
fn shown(browser: &Path, directory: &Path, page: &str, step: usize) -> String {
    let file = directory.join("shown.html");
    fs::write(&file, page).unwrap();
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"])
        .arg(format!("--user-data-dir={}", directory.join("profile").display()))
        .arg(format!("file://{}#{step}", file.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut document = String::new();
        stdout.read_to_string(&mut document).unwrap();
        document
    });
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    reader.join().unwrap()
}

/// Presses keys and notes what is there after each.
const DRIVER: &str = r##"<script>
{
  const seen = [];
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const note = (what) => seen.push({
    what, count: text("#count"), line: text("[aria-current=step] code"), spoken: text("#live"), output: text("#output"),
    arrows: document.querySelectorAll("path.arrow").length,
    objects: [...document.querySelectorAll(".object h3")].map((title) => title.firstChild.textContent),
    frames: [...document.querySelectorAll(".frame h3")].map((title) => title.firstChild.textContent),
    changed: [...document.querySelectorAll("tr.changed th, tr.new th")].map((name) => name.textContent),
  });
  note("start");
  for (const key of ["End", "ArrowLeft", "Home", "ArrowRight", "PageDown", "PageUp"]) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    note(key);
  }
  document.querySelector("#slider").value = 5;
  document.querySelector("#slider").dispatchEvent(new Event("input"));
  note("slider");
  document.querySelector("#next").click();
  note("next");
  const result = document.createElement("pre");
  result.id = "result";
  result.textContent = JSON.stringify(seen).replaceAll("<", "\\u003c").replaceAll("&", "\\u0026").replaceAll(">", "\\u003e");
  document.body.append(result);
}
</script>"##;

#[test]
fn a_browser_shows_it() {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium or chrome");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("aliases", "");
    let total = data(&page)["steps"].as_array().unwrap().len();
    // As it is, with its policy.
    let document = shown(&browser, directory.path(), &page, total);
    assert!(document.contains(&format!(">Step {total} of {total}<")), "{document}");
    assert!(document.contains("The program has ended with the status 0."));
    // With a policy that lets a test press keys.
    let (before, rest) = page.split_once("content=\"default-src").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    let driven = format!("{before}content=\"\"{after}").replace("</body>", &format!("{DRIVER}</body>"));
    let document = shown(&browser, directory.path(), &driven, 1);
    let result =
        document.split("<pre id=\"result\">").nth(1).expect("a result").split("</pre>").next().unwrap();
    let seen: Vec<Value> = serde_json::from_str(result).unwrap();
    let counts: Vec<&str> = seen.iter().map(|one| one["count"].as_str().unwrap()).collect();
    let step = |number: usize| format!("Step {number} of {total}");
    let wanted = [1, total, total - 1, 1, 2, 12, 2, 5, 6].map(step);
    assert_eq!(counts, wanted);
    let end = &seen[1];
    assert_eq!(end["frames"], json!(["global variables", "main"]));
    assert_eq!(end["objects"].as_array().unwrap().len(), 9, "{end}");
    // Two names of one list, four other variables, an array of arrays, and three structs.
    assert_eq!(end["arrows"], 10, "{end}");
    assert!(end["spoken"].as_str().unwrap().starts_with(&format!("Step {total} of {total}, line ")));
    let second = &seen[4];
    assert_eq!(second["line"], "    temp same [int] = ref(list)");
    assert_eq!(second["changed"], json!(["list"]));
    assert_eq!(second["arrows"], 1);
}

#[test]
fn a_browser_shows_texts_as_they_are() {
    let Some(browser) = browser() else {
        println!("skipped: there is no chromium or chrome");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("texts", "Zoë 🦊\n");
    let total = data(&page)["steps"].as_array().unwrap().len();
    let document = shown(&browser, directory.path(), &page, total);
    for wanted in [
        "&lt;/script&gt;&lt;b&gt; &amp; Zoë 🦊 äß 🙂",
        "E9001: index out of bounds",
        "170141183460469231731687303715884105727",
    ] {
        assert!(document.contains(wanted), "{wanted}");
    }
}
