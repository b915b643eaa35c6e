//! Every example of the library and of the words of the language is run and prints what it says.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::plain::example;
use ez_runtime::library::{MODULES, RowKind, word, words};

/// Examples that never end by themselves.
const ENDLESS: &[&str] = &["server.listen"];

/// Examples whose output is otherwise on Windows.
const OTHERWISE_ON_WINDOWS: &[&str] = &["io.path_abs", "os.dev_null", "os.line_separator"];

/// An empty directory of this process for the examples of one test.
fn directory(name: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("ez_examples_{name}_{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("makes a directory");
    directory
}

/// Runs a program; what is wrong if it fails or prints something else.
fn problem(directory: &Path, file: &str, program: &str, wanted: Option<&str>) -> Option<String> {
    let path = directory.join(file);
    std::fs::write(&path, program).expect("writes the program");
    let run = Command::new(env!("CARGO_BIN_EXE_ez"))
        .arg(&path)
        .current_dir(directory)
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .output()
        .expect("runs");
    let out = String::from_utf8_lossy(&run.stdout);
    let errors = String::from_utf8_lossy(&run.stderr);
    let as_said = wanted.is_none_or(|wanted| wanted == out);
    (!as_said || !run.status.success() || errors.contains("error["))
        .then(|| format!("{file}: printed {out:?}, wanted {wanted:?}\n{errors}"))
}

// invariant 21
#[test]
fn examples_print_what_they_say() {
    let directory = directory("rows");
    let mut wrong = Vec::new();
    for module in MODULES {
        for row in module.rows {
            let name = format!("{}.{}", module.name, row.name);
            if ENDLESS.contains(&name.as_str()) {
                continue;
            }
            let kind = if row.kind == RowKind::Constant { "constant" } else { "function" };
            let file = format!("{kind}_{}_{}.ez", module.name, row.name);
            let is_otherwise = cfg!(windows) && OTHERWISE_ON_WINDOWS.contains(&name.as_str());
            let wanted = row.output.filter(|_| !is_otherwise);
            wrong.extend(problem(&directory, &file, &example(module, row), wanted));
        }
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn examples_of_words_print_what_they_say() {
    let directory = directory("words");
    let mut wrong = Vec::new();
    for (number, word) in words().iter().enumerate() {
        wrong.extend(problem(&directory, &format!("word_{number}.ez"), &word.program(), Some(word.output)));
    }
    let _ = std::fs::remove_dir_all(&directory);
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every keyword, type and builtin function of the language can be looked up.
#[test]
fn no_word_is_missing() {
    for name in ez_language::syntax::token::words().chain(ez_language::check::builtin_names()) {
        assert!(word(name).is_some(), "{name}");
    }
}
