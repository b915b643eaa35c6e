//! Wrong programs of beginners, and what `ez test` says about them.
//!
//! Of each program of `testdata/causes`, a text beside it has the number of the line with the mistake, the numbers of other
//! lines that lead to it, and what the mistake is. Most were written by somebody who did not know how causes are found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Programs of which no line is named that leads to the mistake.
const UNNAMED: [&str; 1] = ["row_and_column"];

/// How many lines are at most said about one.
const MOST: usize = 4;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/causes"))
}

/// The programs in a folder, without their ending.
fn programs(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".ez")?.to_string()))
        .collect();
    names.sort();
    names
}

fn tested(folder: &Path, name: &str, flags: &[&str]) -> String {
    let (program, case) = (format!("{name}.ez"), format!("{name}.out"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_ez"));
    command.current_dir(folder).args(["test", &program, "--cases", &case]).args(flags);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn wrong_programs_are_explained() {
    insta::assert_snapshot!(explained(&folder()));
}

/// What is said is true where a statement is executed several times, calls itself, or changes what it reads.
#[test]
fn no_line_is_about_another_call_or_value() {
    insta::assert_snapshot!(explained(&folder().join("more")));
}

/// Words have the causes of the characters in them that differ.
#[test]
fn differences_between_words_are_explained() {
    for name in ["integer_division", "more/several_arguments", "more/part_of_an_entry"] {
        let path = folder().join(name);
        let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap().to_str().unwrap());
        let causes = |flags: &[&str]| -> Vec<String> {
            let told = tested(folder, name, flags);
            told.lines().filter(|line| line.contains('⟵')).map(str::to_string).collect()
        };
        let lines = causes(&[]);
        assert!(!lines.is_empty(), "{name}");
        assert_eq!(causes(&["--mode", "tokens"]), lines, "{name}");
    }
}

/// Files of causes are named as that of the statement that has printed what is wrong: from the folder of the program.
#[test]
fn files_of_causes_can_be_found() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("parts")).unwrap();
    let main = "import @std\nimport \"./parts\"\nusing std\n\ndo main() {\n    parts.show(3)\n}\n";
    let part = "module parts\n\nimport @std\nusing std\n\ndo show(n int) {\n    temp m int = n * 2\n    println(m)\n}\n";
    fs::write(folder.join("main.ez"), main).unwrap();
    fs::write(folder.join("parts").join("show.ez"), part).unwrap();
    fs::write(folder.join("main.out"), "7\n").unwrap();
    let told: Value = serde_json::from_str(&tested(folder, "main", &["--json"])).unwrap();
    let result = &told["results"][0];
    let places = [&result["at"], &result["cause"][0], &result["cause"][1]];
    let places = places.map(|at| format!("{}:{}", at["file"].as_str().unwrap(), at["line"]));
    assert_eq!(places, ["parts/show.ez:8", "parts/show.ez:7", "main.ez:6"]);
}

fn explained(folder: &Path) -> String {
    let texts: Vec<String> = programs(folder).iter().map(|name| tested(folder, name, &[])).collect();
    texts.join("\n")
}

/// Calls that were registered by `ensure` are made by no statement at which a program stops.
#[test]
fn what_an_ensure_has_printed() {
    let folder = tempfile::tempdir().unwrap();
    let source = "import @std\nusing std\n\ndo bye(n int) {\n    println(\"bye\")\n    println(\"${n}\")\n}\n\ndo work(n int) {\n    ensure println(\"end ${n}\")\n    ensure bye(n + 1)\n    if n > 2 {\n        println(\"large\")\n    }\n}\n\ndo main() {\n    work(3)\n}\n";
    fs::write(folder.path().join("e.ez"), source).unwrap();
    for (case, output) in [("1", "large\nBye\n"), ("2", "large\nbye\n5\n"), ("3", "large\nbye\n4\nend 2")] {
        fs::write(folder.path().join(case).with_extension("out"), output).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_ez"));
    let output = command.current_dir(&folder).args(["test", "e.ez", "--cases", "."]).output().unwrap();
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

/// Of a call that calls itself thousands of times, only the outermost ones are followed.
#[test]
fn a_deep_recursion_is_not_followed_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let source = "import @std\nusing std\n\ndo f(n int) -> int {\n    if n == 0 {\n        return 0\n    }\n    return 1 + f(n - 1)\n}\n\ndo main() {\n    println(f(9000))\n}\n";
    fs::write(folder.path().join("deep.ez"), source).unwrap();
    fs::write(folder.path().join("1.out"), "9001\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ez"));
    command.current_dir(&folder).args(["test", "deep.ez", "--cases", "1.out"]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("f(9000) = 9000  ⟵ 8: return 1 + f(n - 1)"), "{text}");
}

#[test]
fn the_line_with_the_mistake_is_named() {
    let mut exact = 0;
    let mut unnamed = Vec::new();
    let folder = folder();
    for name in programs(&folder) {
        let told: Value = serde_json::from_str(&tested(&folder, &name, &["--json"])).unwrap();
        let result = &told["results"][0];
        let cause = result["cause"].as_array().unwrap();
        let all = cause.iter().chain(result.get("at")).map(|line| line["line"].as_u64().unwrap());
        let named: BTreeSet<u64> = all.collect();
        assert!(cause.len() + usize::from(result.get("at").is_some()) <= MOST + 1, "{name}: {told}");
        let right = fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
        let mut lines = right.lines();
        let mistake: u64 = lines.next().unwrap().parse().unwrap();
        let others = lines.next().unwrap().split(',').filter(|other| !other.is_empty());
        let others: BTreeSet<u64> = others.map(|other| other.trim().parse().unwrap()).collect();
        if named.contains(&mistake) {
            exact += 1;
        } else if named.is_disjoint(&others) {
            unnamed.push(name);
        }
    }
    assert_eq!(unnamed, UNNAMED);
    assert!(exact >= 31, "{exact}");
}
