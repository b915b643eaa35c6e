//! Pages of `ez trace` in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::{Value, json};
use support::trace::{data, page};

use crate::tool::{find, run, trial};

pub fn trials() -> Vec<Trial> {
    let there = browser().is_some();
    let trial = |name, test: fn()| trial(name, "chromium or chrome", there, test);
    vec![
        trial("browser::a_browser_shows_it", a_browser_shows_it),
        trial("browser::a_browser_shows_texts_as_they_are", a_browser_shows_texts_as_they_are),
        trial("browser::a_source_reads_in_its_order", a_source_reads_in_its_order),
        trial("browser::a_browser_walks_through_parts", a_browser_walks_through_parts),
        trial("browser::calls_are_compared_with_themselves", calls_are_compared_with_themselves),
        trial("browser::pages_fit_every_width", pages_fit_every_width),
    ]
}

/// A browser that can be run without a window.
fn browser() -> Option<PathBuf> {
    find(&["chromium", "chromium-browser", "google-chrome", "chrome"])
}

/// The document that a browser makes of a page, at a step.
fn shown(directory: &Path, page: &str, step: usize) -> String {
    let file = directory.join("shown.html");
    fs::write(&file, page).unwrap();
    let mut command = Command::new(browser().unwrap());
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
    // It is not to look for its maker's servers.
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.args(["--disable-quic", "--no-first-run", "--virtual-time-budget=10000"]);
    command.arg(format!("--user-data-dir={}", directory.join("profile").display()));
    command.arg(format!("file://{}#{step}", file.display()));
    String::from_utf8(run(&mut command).stdout).unwrap()
}

/// A page with a script of the test at its end, and a policy that allows that.
fn driven(page: &str, driver: &str) -> String {
    let (before, rest) = page.split_once("content=\"default-src").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    format!("{before}content=\"\"{after}")
        .replace("</body>", &format!("<script>{FINISH}{driver}</script></body>"))
}

/// What a script of the test has found.
fn result(document: &str) -> Vec<Value> {
    let result =
        document.split("<pre id=\"result\">").nth(1).expect("a result").split("</pre>").next().unwrap();
    serde_json::from_str(result).unwrap()
}

/// Leaves what a script has found in the document.
const FINISH: &str = r#"
  function finish(seen) {
    const result = document.createElement("pre");
    result.id = "result";
    result.textContent = JSON.stringify(seen).replaceAll("<", "\\u003c").replaceAll("&", "\\u0026").replaceAll(">", "\\u003e");
    document.body.append(result);
  }
"#;

/// Presses keys and notes what is there after each.
const DRIVER: &str = r##"
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
"##;

/// Shows each step, and notes what has changed there, and whether the line is in sight.
const EACH_STEP: &str = r##"
{
  const seen = [];
  const total = document.querySelector("#slider").max;
  for (let step = 1; step <= total; step++) {
    document.querySelector("#slider").value = step;
    document.querySelector("#slider").dispatchEvent(new Event("input"));
    const [line, panel] = ["[aria-current=step]", "#code"].map((one) => document.querySelector(one).getBoundingClientRect());
    seen.push([document.querySelectorAll("#happened .chip").length, line.top >= panel.top && line.bottom <= panel.bottom]);
  }
  for (const key of ["Home", "End"]) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const [line, panel] = ["[aria-current=step]", "#code"].map((one) => document.querySelector(one).getBoundingClientRect());
    seen.push([0, line.top >= panel.top && line.bottom <= panel.bottom]);
  }
  finish(seen);
}
"##;

fn calls_are_compared_with_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("deep", "");
    let seen = result(&shown(directory.path(), &driven(&page, EACH_STEP), 1));
    assert!(seen.len() > 80, "{seen:?}");
    for (step, one) in seen.iter().enumerate() {
        assert!(one[0].as_u64().unwrap() <= 1, "at stop {step} more than one variable has changed: {seen:?}");
        assert_eq!(one[1], true, "at stop {step} the line is out of sight: {seen:?}");
    }
}

fn a_browser_shows_it() {
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("aliases", "");
    // Steps 1 and 2 were before `main`; two stops have the number 7, and two 14.
    let stops = data(&page)["steps"].as_array().unwrap().len();
    assert_eq!(stops, 14);
    // As it is, with its policy.
    let document = shown(directory.path(), &page, 99);
    assert!(document.contains(">After step 14 of 14<"), "{document}");
    assert!(document.contains("The program has ended with the status 0."));
    // With a policy that lets a test press keys.
    let seen = result(&shown(directory.path(), &driven(&page, DRIVER), 1));
    let counts: Vec<&str> = seen.iter().map(|one| one["count"].as_str().unwrap()).collect();
    let step = |number: usize| format!("Step {number} of 14");
    let mut wanted = [3, 14, 14, 3, 4, 13, 4, 7, 7].map(step);
    wanted[1] = "After step 14 of 14".into();
    assert_eq!(counts, wanted);
    let end = &seen[1];
    assert_eq!(end["frames"], json!(["global variables", "main"]));
    assert_eq!(end["objects"].as_array().unwrap().len(), 9, "{end}");
    // Two names of one list, four other variables, an array of arrays, and three structs.
    assert_eq!(end["arrows"], 10, "{end}");
    assert!(end["spoken"].as_str().unwrap().starts_with("After step 14 of 14, line "));
    let second = &seen[4];
    assert_eq!(second["line"], "    temp same [int] = ref(list)");
    assert_eq!(second["changed"], json!(["list"]));
    assert_eq!(second["arrows"], 1);
}

/// Walks through all parts of the program, and back to the beginning; then goes to steps by their addresses and by
/// the output.
const WALK: &str = r##"
{
  const seen = [];
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const note = (what) => seen.push({
    what, at: location.hash, source: [...document.querySelectorAll("mark.part")].map((mark) => mark.textContent).join("") || null, value: document.querySelector("mark[data-value]")?.dataset.value ?? null,
    lines: [...document.querySelectorAll("#lines tr")].map((row) => row.textContent), words: text("#lines p"),
    spoken: text("#live"), mark: text("#lines mark"),
    left: [...document.querySelectorAll(".frame.left td, .frame.left th")].map((cell) => cell.textContent),
  });
  const press = (key, shiftKey) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
  note("start");
  for (let before = null, count = 0; before !== location.hash && count < 500; count++) {
    before = location.hash;
    press("ArrowRight", true);
    note("on");
  }
  for (let count = 0; location.hash !== "#1" && count < 500; count++) press("ArrowLeft", true);
  note("back");
  document.querySelector("#last").click();
  let then = () => {
    note("output");
    document.querySelector("#part-next").click();
    note("button");
    then = () => {
      note("address");
      finish(seen);
    };
    location.hash = "#2.4";
  };
  addEventListener("hashchange", () => then());
  document.querySelector("#output a").click();
}
"##;

fn a_browser_walks_through_parts() {
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("parts", "");
    let seen = result(&shown(directory.path(), &driven(&page, WALK), 1));
    let at = |address: &str| seen.iter().find(|one| one["at"] == address && one["what"] == "on").unwrap();
    // Everything that floats over the source, in order.
    let walked = seen.iter().filter(|one| one["what"] == "on" && !one["source"].is_null());
    let part = |one: &Value| {
        let text = one["source"].as_str().unwrap();
        format!("{} {text} => {}", one["at"].as_str().unwrap(), one["value"].as_str().unwrap_or("?"))
    };
    insta::assert_snapshot!("parts", walked.map(part).collect::<Vec<_>>().join("\n"));
    assert_eq!(
        at("#2.4")["lines"],
        json!([
            "temp total =area(2, 3) + area(w, 5)",
            "=6 + area(w, 5)",
            "=6 + area(4, 5)",
            "=6 + 20",
            "=26",
        ])
    );
    assert_eq!(
        (&at("#2.4")["mark"], &at("#2.4")["words"]),
        (&json!("26"), &json!("area(2, 3) + area(w, 5) is 26"))
    );
    assert_eq!(at("#2.1")["words"], "area(2, 3) is 6  step into it: 3");
    assert_eq!(at("#3-2")["left"], json!(["w", "2", "h", "3", "result", "6"]));
    let find = |what: &str| seen.iter().find(|one| one["what"] == what).unwrap();
    assert_eq!(find("back")["at"], "#1");
    let printing = at(find("output")["at"].as_str().unwrap());
    assert!(printing["spoken"].as_str().unwrap().contains("line "), "{printing}");
    assert_eq!(find("button")["at"], format!("{}.1", find("output")["at"].as_str().unwrap()));
    assert_eq!(find("address")["lines"], at("#2.4")["lines"]);
    // They are rewritten as `ez debug` does it.
    let lasts = seen.windows(2).filter(|two| two[0]["what"] == "on" && two[1]["source"].is_null());
    let rows = lasts.flat_map(|two| two[0]["lines"].as_array().unwrap().clone());
    let rows: Vec<String> = rows.map(|row| row.as_str().unwrap().to_string()).collect();
    let on_page: Vec<&str> = rows.iter().filter_map(|row| row.strip_prefix(['=', '→'])).collect();
    let script = "unfold next\nstep\n".repeat(30);
    let program = support::testdata("trace").join("parts.ez");
    let told = support::with_input(support::ez().args(["debug", "--history"]).arg(program), &script);
    let told = String::from_utf8(told.stdout).unwrap();
    let stages = told.lines().filter(|line| !line.starts_with('→'));
    let stages: Vec<&str> =
        stages.filter_map(|line| line.trim_start().strip_prefix(['=', '→'])).map(str::trim).collect();
    assert!(stages.len() > 20, "{told}");
    for stage in stages {
        assert!(on_page.contains(&stage), "{stage} is not on the page: {rows:#?}\n{told}");
    }
}

/// Shows a page in frames of several widths, and notes what is wider than its frame, or below it.
fn pages_fit_every_width() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["parts", "aliases"] {
        let (page, _) = page(name, "");
        let inside = r##"<script>
  const seen = [];
  for (const key of ["Home", "ArrowRight", "PageDown", "End"]) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const place = (selector) => document.querySelector(selector).getBoundingClientRect();
    seen.push({
      width: innerWidth, wide: document.documentElement.scrollWidth, high: document.documentElement.scrollHeight,
      controls: Math.max(...[...document.querySelectorAll("button[id], #slider, #count")].map((one) => one.getBoundingClientRect().right)),
      state: place("#state").top, code: [place("#code").width, document.querySelector("#code ol").scrollWidth],
    });
  }
  parent.postMessage(seen, "*");
</script></body>"##;
        let (before, rest) = page.split_once("content=\"default-src").unwrap();
        let (_, after) = rest.split_once('"').unwrap();
        let page = format!("{before}content=\"\"{after}").replace("</body>", inside);
        let page = serde_json::to_string(&page).unwrap().replace('<', "\\u003c");
        let outer = format!(
            r#"<html><body><script>
  {FINISH}
  const sizes = [[375, 667], [800, 600], [1200, 800]];
  let all = [];
  addEventListener("message", (event) => {{
    all = all.concat(event.data);
    if (all.length === 12) finish(all);
  }});
  for (const [width, height] of sizes) {{
    const frame = document.createElement("iframe");
    frame.style = `width:${{width}}px;height:${{height}}px;border:0;display:block`;
    frame.srcdoc = {page};
    document.body.append(frame);
  }}
</script></body></html>"#
        );
        let seen = result(&shown(directory.path(), &outer, 1));
        assert_eq!(seen.len(), 12);
        for one in seen {
            let number = |value: &Value| value.as_f64().unwrap();
            let width = number(&one["width"]);
            assert!(number(&one["wide"]) <= width, "{name}: the page is too wide: {one}");
            assert!(number(&one["controls"]) <= width, "{name}: controls cannot be reached: {one}");
            if width >= 800.0 {
                assert!(number(&one["state"]) < 200.0, "{name}: the variables are not at the top: {one}");
                assert!(number(&one["high"]) <= if width < 1000.0 { 600.0 } else { 800.0 }, "{name}: {one}");
            }
            if width >= 1200.0 {
                let (shown, code) = (number(&one["code"][0]), number(&one["code"][1]));
                assert!(shown >= code.min(600.0), "{name}: the source is cut: {one}");
            }
        }
    }
}

// invariant 26
fn a_browser_shows_texts_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("texts", "Zoë 🦊\n");
    let total = data(&page)["steps"].as_array().unwrap().len();
    let document = shown(directory.path(), &page, total);
    for wanted in [
        "&lt;/script&gt;&lt;b&gt; &amp; Zoë 🦊 äß 🙂",
        "E9001: index out of bounds",
        "170141183460469231731687303715884105727",
    ] {
        assert!(document.contains(wanted), "{wanted}");
    }
}

/// What would show a line in another order than that in which it runs is seen.
fn a_source_reads_in_its_order() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("order.ez");
    fs::write(
        &file,
        "do main() {\n    temp a = 1 /* \u{202e} } \u{2066}if a == 1\u{2069} \u{2066} */ + 1\n}\n",
    )
    .unwrap();
    let output = run(support::ez().current_dir(&directory).args(["trace", "order.ez"]));
    assert!(output.status.success());
    let page = fs::read_to_string(directory.path().join("order.html")).unwrap();
    let document = shown(directory.path(), &page, 1);
    let (_, source) = document.split_once("id=\"code\"").unwrap();
    let (source, _) = source.split_once("</ol>").or(source.split_once("id=\"how\"")).unwrap();
    assert!(source.contains("\u{fffd} } \u{fffd}if a == 1\u{fffd} \u{fffd} */"), "{source}");
    assert!(!source.contains(['\u{202e}', '\u{2066}', '\u{2069}']), "{source}");
}
