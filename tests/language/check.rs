//! The check over the conformance programs: what is found before running, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ez_language::check::{check_program, check_source};
use ez_language::modules::DiskLoader;
use ez_language::syntax::lex;
use ez_runtime::diagnostics::Severity;
use ez_runtime::source::SourceMap;

/// Errors that some programs meet only when they run.
const WHEN_RUN: &str = "E12003 E2032 E3001 E3002 E3014 E3015 E3017 E3020 E3036 E4001 E4002 E4004 E4006 E4007 E4008 E4010 \
                        E5001 E5007 E5011 E5012 E5013 E5015 E5024 E6001 E6002 E6004 E6006 E6007 E2031 E7003 E12001";

type Entry = (String, String, String, u32);

fn found(path: &Path) -> Vec<Entry> {
    let name = path.to_string_lossy();
    let checked = check_program(&DiskLoader, path, &name).expect("readable");
    let mut entries: Vec<Entry> = Vec::new();
    for diagnostic in &checked.diagnostics {
        let span = diagnostic.span.expect("a place");
        let file = checked.sources.get(span.file).expect("a file");
        let base = Path::new(&file.name).file_name().unwrap().to_string_lossy().into_owned();
        let severity = diagnostic.severity().as_str().to_string();
        let entry = (severity, diagnostic.code.as_str().to_string(), base, file.line(span.start));
        if entries.last() != Some(&entry) {
            entries.push(entry);
        }
    }
    let errors = checked.diagnostics.iter().any(|d| d.severity() == Severity::Error);
    assert_eq!(errors, checked.program.is_none(), "{name}: a program exactly if there are no errors");
    entries
}

fn expected(path: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(severity), Some(code), Some(place)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let mut parts = place.split(':');
        let base = Path::new(parts.next().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
        let line = parts.next().and_then(|l| l.parse().ok()).unwrap_or(0);
        let entry = (severity.to_string(), code.to_string(), base, line);
        if entries.last() != Some(&entry) {
            entries.push(entry);
        }
    }
    entries
}

fn cases(area: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut cases = Vec::new();
    for entry in fs::read_dir(area).expect("the area").flatten() {
        let path = entry.path();
        if path.is_dir() && path.join("main.ez").exists() {
            cases.push((path.join("main.ez"), path.join("main.diag")));
        } else if path.extension().is_some_and(|e| e == "ez") {
            cases.push((path.clone(), path.with_extension("diag")));
        }
    }
    cases.sort();
    cases
}

/// What is wrong with the outcome, if anything.
fn differs(got: &[Entry], want: &[Entry], printed: bool) -> bool {
    let is_error = |e: &&Entry| e.0 == "error";
    let errors: Vec<&Entry> = want.iter().filter(is_error).collect();
    // After a syntax error what else is said depends on the recovery.
    let syntax = |e: &Entry| e.1.starts_with("E1") && e.1.len() == 5 || e.1.starts_with("E20");
    if let (Some(first), Some(ours)) = (errors.first(), got.iter().find(is_error))
        && syntax(first)
    {
        return *first != ours;
    }
    if got.iter().any(|e| e.0 == "error") || errors.is_empty() {
        return got != want;
    }
    let runs = errors.len() == 1
        && errors.iter().all(|e| printed || WHEN_RUN.split_whitespace().any(|code| code == e.1));
    let got: BTreeSet<&Entry> = got.iter().collect();
    let warnings: BTreeSet<&Entry> = want.iter().filter(|e| e.0 == "warning").collect();
    !runs || got != warnings
}

fn check_area(area: &str) {
    let root = std::env::var_os("EZ_PROGRAMS").map(PathBuf::from);
    let root = root.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs"));
    let mut wrong = Vec::new();
    for (program, diagnostics) in cases(&root.join(area)) {
        let printed = fs::metadata(program.with_extension("stdout")).is_ok_and(|m| m.len() > 0);
        let (got, want) = (found(&program), expected(&diagnostics));
        if differs(&got, &want, printed) {
            wrong.push(format!("{}\n   got  {got:?}\n   want {want:?}", program.display()));
        }
    }
    assert!(wrong.is_empty(), "{} of area {area}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn types() {
    check_area("types");
}

#[test]
fn names() {
    check_area("names");
}

#[test]
fn modules() {
    check_area("modules");
}

#[test]
fn syntax() {
    check_area("syntax");
}

/// The codes of the warnings in a text, in order; `None` if it has errors.
fn warnings(text: &str) -> Option<Vec<&'static str>> {
    let checked = check_source(text, "lines.ez");
    checked.program?;
    let mut found = checked.diagnostics;
    found.sort_by_key(|found| found.span.map(|span| span.start));
    Some(found.iter().map(|found| found.code.as_str()).collect())
}

/// The tokens of a text, with something else between them; `None` if it has lexical errors.
fn spaced(text: &str, between: &str) -> Option<String> {
    let source = SourceMap::new().add("lines.ez", Path::new("lines.ez"), text);
    let (tokens, found) = lex(&source);
    let spaced = tokens.iter().map(|token| format!("{}{between}", source.slice(token.span)));
    found.is_empty().then(|| spaced.collect())
}

/// Newlines are not significant: a program on one line, or with a line for each token, is the same program.
#[test]
fn line_ends_mean_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs");
    let (mut compared, mut wrong) = (0, Vec::new());
    for area in
        ["types", "names", "syntax", "runtime", "stdlib-core", "own/types", "own/syntax", "own/runtime"]
    {
        for (program, _) in cases(&root.join(area)) {
            let Ok(text) = fs::read_to_string(&program) else { continue };
            // A comment after `#suppress` matters, and is no token.
            if program.ends_with("suppress_before_comment.ez") {
                continue;
            }
            let want = warnings(&text);
            for between in [" ", "\n"] {
                let Some(spaced) = spaced(&text, between) else { continue };
                compared += usize::from(want.is_some());
                let got = warnings(&spaced);
                if got != want {
                    wrong.push(format!(
                        "{} with {between:?}\n   got  {got:?}\n   want {want:?}",
                        program.display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 1000, "only {compared} programs");
}

/// Programs with a line, or the rest, missing: the check says what it likes, but ends.
// invariant 20
#[test]
fn damaged_programs_do_no_harm() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs");
    for area in ["types", "names", "syntax"] {
        for (program, _) in cases(&root.join(area)) {
            let Ok(text) = fs::read_to_string(&program) else { continue };
            let lines: Vec<&str> = text.lines().collect();
            for missing in 0..lines.len() {
                let without: Vec<&str> =
                    lines.iter().enumerate().filter(|(i, _)| *i != missing).map(|(_, l)| *l).collect();
                check_source(&without.join("\n"), "damaged.ez");
                check_source(
                    &text.replace(lines[missing], &lines[missing].replace("int", "P")),
                    "damaged.ez",
                );
            }
        }
    }
}
