//! Every program of the corpus goes through the parser: those with a lexical or syntax error get
//! it first, with the recorded code, file and line; all others parse.
//!
//! `EZ_CORPUS` names another folder to be walked.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ez_language::syntax::{self, ast};
use ez_runtime::diagnostics::{Colour, Diagnostic, Severity, explanations, render};
use ez_runtime::source::{SourceFile, SourceMap};
use proptest::prelude::*;

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

/// On a stack like that of programs, since the height that expressions may have depends on it.
#[test]
fn corpus_parses_as_recorded() {
    crate::plain::on_big_stack(every_program_parses_as_recorded);
}

fn every_program_parses_as_recorded() {
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

/// Programs with more than one mistake, or where one place is open in two ways.
const SEVERAL: &[&str] = &[
    "attributes_misplaced",
    "declared_twice",
    "suppress_bad_codes",
    "e1001_several",
    "e1005_e1009_char_without_end",
    "e1011_hex",
    "e2004_array_literal",
    "e2004_nested",
    "e2005_call",
    "e2006_index",
    "e2006_type",
    "e2010_two_modules",
    "e2010_using_not_imported",
    "e2012_duplicate_parameter",
    "e2052_file_level",
    "e2052_suppress_unknown_code",
    "pos_eof_column",
];

#[test]
fn one_mistake_is_one_report() {
    let mut wrong = Vec::new();
    for (path, text) in corpus() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let map = SourceMap::new();
        let got = errors(&map.add("x.ez", &path, &text));
        if got.len() > 1 && !SEVERAL.contains(&name) && std::env::var_os("EZ_CORPUS").is_none() {
            let lines = got.iter().map(|d| format!("{} {}", map.line(d.span.unwrap()), d.message));
            wrong.push(format!("{name}: {}", lines.collect::<Vec<_>>().join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn parse(text: &str) -> (SourceMap, Vec<Diagnostic>) {
    let map = SourceMap::new();
    let file = map.add("x.ez", Path::new("/x.ez"), text);
    let found = errors(&file);
    (map, found)
}

#[test]
fn explanations_are_programs() {
    let mut wrong = Vec::new();
    for explanation in explanations() {
        let code = explanation.code.as_str();
        let found = parse(explanation.right).1;
        if !found.is_empty() {
            wrong.push(format!("{code}, right: {}", found[0].message));
        }
        if !explanation.runnable {
            continue;
        }
        let found = parse(explanation.wrong).1;
        let ours = (code.starts_with("E1") && code.len() == 5)
            || (code.starts_with("E2") && !LATER.contains(&code))
            || code == "E3039";
        match found.first() {
            Some(first) if !ours || first.code != explanation.code => {
                wrong.push(format!("{code}, wrong: {} {}", first.code.as_str(), first.message));
            }
            None if ours => wrong.push(format!("{code}, wrong: nothing")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is reported, as `CODE line:column`.
fn reports(text: &str) -> Vec<String> {
    let (map, found) = parse(text);
    let show = |d: &Diagnostic| {
        let at = map.position(d.span.unwrap());
        format!("{} {}:{}", d.code.as_str(), at.line, at.column)
    };
    found.iter().map(show).collect()
}

#[test]
fn independent_errors_are_all_found() {
    let text = "\
import @std
do f(a, b) -> int {
    return )
}
do g() {
    temp x int =
    if x = 5 {
        temp 7 = 2
    } or y {
        println(1 2)
    } otherwise {
        for 3 in range(0, 1) {
            call(
            temp ok int = 1
            bad ? 3
        }
    }
    println(\"${x +}\")
}
const P struct {
    x int
    len int
    y
}
do main( { }
";
    let text = text.replace("bad ? 3", "bad ; 3");
    assert_eq!(
        reports(&text),
        [
            "E2014 2:9",
            "E2003 3:12",
            "E2001 7:5",
            "E2002 7:10",
            "E2002 8:14",
            "E2002 10:19",
            "E2002 12:13",
            "E2001 14:13",
            "E2001 15:17",
            "E2003 18:19",
            "E2034 22:5",
            "E2024 24:1",
            "E2002 25:10",
        ]
    );
}

#[test]
fn a_missing_brace_is_one_report() {
    let text = "do f() {\n    if true {\n        g()\n}\n\ndo main() {\n    f()\n    f()\n}\n";
    assert_eq!(reports(text), ["E2004 1:8"]);
}

#[test]
fn places_in_interpolations_are_real() {
    assert_eq!(reports("do main() {\n    f(\"abc ${x +} d\")\n}\n"), ["E2003 2:17"]);
    assert_eq!(reports("do main() {\n    f(\"é\\n ${\"a ${1 2}\"} d\")\n}\n"), ["E2001 2:21"]);
}

// invariant 20
#[test]
fn depth_has_a_limit() {
    let deep = |n: usize| format!("do main() {{ x = {}1{} }}", "(".repeat(n), ")".repeat(n));
    assert!(parse(&deep(300)).1.is_empty());
    assert_eq!(parse(&deep(100_000)).1.len(), 1);
    let blocks = |n: usize| format!("do main() {{ {} {} }}", "if a { ".repeat(n), "}".repeat(n));
    assert!(parse(&blocks(300)).1.is_empty());
    assert_eq!(parse(&blocks(100_000)).1.len(), 1);
    let sum = |n: usize| format!("do main() {{ x = 1{} }}", " + 1".repeat(n));
    assert!(parse(&sum(1900)).1.is_empty());
    assert_eq!(parse(&sum(1_000_000)).1.len(), 1);
    for piece in ["-", "a[", "f(", "{", "[[", "when a { is a { ", "\"${", "a.", "m.T{x: ", "cast("] {
        let (_, found) = parse(&format!("do main() {{ x = {} }}", piece.repeat(20_000)));
        assert!(!found.is_empty(), "{piece}");
    }
    let types = format!("do main() {{ temp a {}int }}", "[".repeat(20_000));
    assert_eq!(parse(&types).1.len(), 1);
    let nested = (0..3000).fold("1".to_string(), |inner, _| format!("\"${{{inner}}}\""));
    assert_eq!(parse(&format!("do main() {{ x = {nested} }}")).1.len(), 1);
}

#[test]
fn fragments_and_expressions() {
    let map = SourceMap::new();
    let add = |text: &str| map.add("input", Path::new("/input"), text);
    let (stmts, found) = syntax::parse_fragment(&add("temp x int = 1 x + 1\ndo f() { }"));
    assert_eq!((stmts.len(), found.len()), (3, 0));
    let (stmts, found) = syntax::parse_fragment(&add("x = = 2"));
    assert_eq!((stmts.len(), found.len()), (0, 1));
    let (expr, found) = syntax::parse_expression(&add("a[0].b + f(1)"));
    assert!(found.is_empty() && matches!(expr.unwrap().kind, ast::ExprKind::Binary(..)));
    assert_eq!(syntax::parse_expression(&add("a b")).1.len(), 1);
    assert_eq!(syntax::parse_expression(&add("")).1.len(), 1);
    assert_eq!(syntax::parse_expression(&add("x = 1")).1.len(), 1);
}

fn check_any_text(text: &str) {
    let map = SourceMap::new();
    let file = map.add("x.ez", Path::new("/x.ez"), text);
    // Without a byte order mark at its beginning.
    let text = &*file.text;
    let (tokens, _) = syntax::lex(&file);
    let mut end = 0;
    for token in &tokens {
        assert!(token.span.start >= end && token.span.end as usize <= text.len(), "{token:?}");
        assert!(text.is_char_boundary(token.span.start as usize));
        assert!(text.is_char_boundary(token.span.end as usize));
        end = token.span.end;
    }
    let parsed = syntax::parse_file(&file);
    for diagnostic in &parsed.diagnostics {
        let span = diagnostic.span.unwrap();
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{diagnostic:?}");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?}");
        let shown = render(diagnostic, &map, Colour::Off);
        assert!(shown.contains(&format!("--> x.ez:{}:", map.line(span))), "{shown}");
    }
    for stmt in &parsed.file.items {
        assert!(stmt.span.start <= stmt.span.end && stmt.span.end as usize <= text.len());
    }
    syntax::parse_fragment(&file);
    syntax::parse_expression(&file);
}

#[test]
fn places_are_those_behind_a_byte_order_mark() {
    for text in ["\u{feff}->", "\u{feff}do main() { é }", "\u{feff}"] {
        check_any_text(text);
    }
}

/// Texts that are nearly programs: pieces of the language in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "do",
        "main",
        "temp",
        "const",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        "\n",
        " ",
        "=",
        "if ",
        "or",
        "when ",
        "is",
        "default",
        "->",
        "int",
        "P",
        "struct",
        "enum",
        "\"",
        "${",
        "}",
        "\\x4",
        "\\",
        "'",
        "`",
        "//",
        "/*",
        "*/",
        "1",
        "_",
        ".",
        "0x",
        "e",
        "#doc",
        "#suppress",
        "#enum",
        "import",
        "@",
        "std",
        "using",
        "é",
        "&",
        "\0",
        "in",
        "for",
        "range",
        "new",
        "cast",
        "map",
        ":",
        "-",
        "!in",
        "++",
        "module",
        "private",
        "return",
        "\"${x}\"",
        "ensure",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_any_text(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_are_survived(text in pieces()) {
        check_any_text(&text);
    }

    #[test]
    fn mutated_programs_are_survived(
        choice in any::<prop::sample::Index>(),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
        insert in pieces(),
    ) {
        let corpus = corpus_once();
        let text = &corpus[choice.index(corpus.len())].1;
        let chars: Vec<char> = text.chars().collect();
        let (a, b) = (cut.0.index(chars.len() + 1), cut.1.index(chars.len() + 1));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 20));
        let mutated: String = chars[..from].iter().collect::<String>() + &insert + &chars[to..].iter().collect::<String>();
        check_any_text(&mutated);
    }
}

fn corpus_once() -> &'static [(PathBuf, String)] {
    static CORPUS: OnceLock<Vec<(PathBuf, String)>> = OnceLock::new();
    CORPUS.get_or_init(corpus)
}
