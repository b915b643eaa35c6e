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
    let trial = |name, test| trial(name, "chromium or chrome", there, test);
    vec![
        trial("browser::a_browser_shows_it", a_browser_shows_it),
        trial("browser::a_browser_shows_texts_as_they_are", a_browser_shows_texts_as_they_are),
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
    command.args(["--disable-quic", "--no-first-run"]);
    command.arg(format!("--user-data-dir={}", directory.join("profile").display()));
    command.arg(format!("file://{}#{step}", file.display()));
    String::from_utf8(run(&mut command).stdout).unwrap()
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

fn a_browser_shows_it() {
    let directory = tempfile::tempdir().unwrap();
    let (page, _) = page("aliases", "");
    let total = data(&page)["steps"].as_array().unwrap().len();
    // As it is, with its policy.
    let document = shown(directory.path(), &page, total);
    assert!(document.contains(&format!(">Step {total} of {total}<")), "{document}");
    assert!(document.contains("The program has ended with the status 0."));
    // With a policy that lets a test press keys.
    let (before, rest) = page.split_once("content=\"default-src").unwrap();
    let (_, after) = rest.split_once('"').unwrap();
    let driven = format!("{before}content=\"\"{after}").replace("</body>", &format!("{DRIVER}</body>"));
    let document = shown(directory.path(), &driven, 1);
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
