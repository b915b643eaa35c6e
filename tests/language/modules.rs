//! Programs of several files, kept in memory: how they are found, and what is said of them.

use std::path::Path;

use ez_language::analysis::fix;
use ez_language::check::{Checked, check_all, check_program};
use ez_language::modules::MemoryLoader;

fn loader(files: &[(&str, &str)]) -> MemoryLoader {
    let mut loader = MemoryLoader::new();
    for (path, text) in files {
        loader.add(path, *text);
    }
    loader
}

fn check(files: &[(&str, &str)]) -> Checked {
    check_program(&loader(files), Path::new("app/main.ez"), "app/main.ez").unwrap()
}

/// `CODE FILE:LINE` of each report.
fn reports(checked: &Checked) -> Vec<String> {
    let report = |d: &ez_runtime::diagnostics::Diagnostic| {
        let span = d.span.unwrap();
        let file = checked.sources.get(span.file).unwrap();
        format!("{} {}:{}", d.code.as_str(), file.name, file.line(span.start))
    };
    checked.diagnostics.iter().map(report).collect()
}

#[test]
fn files_are_named_as_seen_from_the_main_file() {
    let checked = check(&[
        ("app/main.ez", "import \"./lib\", \"../shared/more\"\ndo main() { lib.f() more.g() }\n"),
        ("app/lib.ez", "module lib\ndo f() { }\n"),
        ("shared/more.ez", "module more\ndo g() { }\n"),
    ]);
    assert!(reports(&checked).is_empty(), "{:?}", checked.diagnostics);
    let names: Vec<String> = checked.sources.files().iter().map(|f| f.name.clone()).collect();
    assert_eq!(names, ["app/main.ez", "app/lib.ez", "app/../shared/more.ez"]);
    assert_eq!(checked.files, 3);
    let program = checked.program.unwrap();
    let functions: Vec<&str> = program.functions.iter().map(|f| &*f.name).collect();
    assert_eq!(functions, ["main", "lib.f", "more.g", "<program>"]);
}

#[test]
fn a_directory_is_a_module_and_wins_over_a_file() {
    let checked = check(&[
        ("app/main.ez", "import \"./lib\"\ndo main() { temp x int = lib.twice(3) }\n"),
        ("app/lib.ez", "module lib\n"),
        ("app/lib/a.ez", "module lib\ndo twice(n int) -> int { return add(n, n) }\n"),
        ("app/lib/b.ez", "module lib\nprivate do add(a, b int) -> int { return a + b }\n"),
    ]);
    assert!(reports(&checked).is_empty(), "{:?}", checked.diagnostics);
}

#[test]
fn an_import_that_fails_is_reported_instead_of_its_consequences() {
    let uses = "import @std\nimport \"./util\"\nusing std, util\nconst S struct { p util.P }\ndo g(q util.P) -> util.P { return q }\ndo main() {\n    println(util.add(1, 1), util.add(1, 2), add(1), LIMIT, util.LIMIT)\n    temp a util.P = new(util.P)\n    for i P in range(0, 2) { println(i, a) }\n    util.x = 1\n    temp s int = \"\"\n}\n";
    let files = [("app/main.ez", uses)];
    let all = check_all(&loader(&files), Path::new("app/main.ez"), "app/main.ez").unwrap();
    assert_eq!(reports(&all)[..2], ["E6001 app/main.ez:2", "E3001 app/main.ez:11"]);
    assert!(all.program.is_none());
    // In what does not use it, everything is reported; of a run, as the import fails only then.
    let other = [(
        "app/main.ez",
        "import @std\nimport \"./util\"\ndo main() {\n    std.println(util.a())\n    b()\n}\n",
    )];
    let all = check_all(&loader(&other), Path::new("app/main.ez"), "app/main.ez").unwrap();
    assert_eq!(reports(&all), ["E6001 app/main.ez:2", "E4002 app/main.ez:5"]);
    assert_eq!(reports(&check(&other)), ["E4002 app/main.ez:4", "E4002 app/main.ez:5"]);
}

#[test]
fn siblings_of_the_main_file_belong_to_it_if_they_say_so() {
    let checked = check(&[
        ("app/main.ez", "module app\ndo main() { helper() }\n"),
        ("app/a.ez", "module app\ndo helper() { temp x int = \"a\" }\n"),
        ("app/b.ez", "module other\ndo helper() { }\n"),
    ]);
    assert_eq!(reports(&checked), ["E3001 app/a.ez:2"]);
}

/// What is wrong in a file beside the main one that does not declare its module is nothing to the program.
#[test]
fn neighbours_of_another_name_are_no_part() {
    for broken in [
        "import @std\ndo main() {\n    std.println(\"x\"\n}\n",
        "module b\ndo f( {\n",
        "/* open",
        "do f() { \"open }",
    ] {
        let files = [("app/main.ez", "module app\ndo main() {\n}\n"), ("app/b.ez", broken)];
        let all = check_all(&loader(&files), Path::new("app/main.ez"), "app/main.ez").unwrap();
        assert_eq!(reports(&all), [""; 0]);
        // A run ends, as in the reference.
        assert!(check(&files).program.is_none());
    }
    // One that declares it is, whatever comes behind.
    let files = [("app/main.ez", "module app\ndo main() {\n}\n"), ("app/b.ez", "module app\ndo f( {\n")];
    let all = check_all(&loader(&files), Path::new("app/main.ez"), "app/main.ez").unwrap();
    assert!(reports(&all).iter().all(|report| report.contains("app/b.ez")), "{:?}", reports(&all));
    assert!(!reports(&all).is_empty());
}

#[test]
fn neighbours_of_another_name_are_not_fixed() {
    let loader = loader(&[
        ("app/main.ez", "module app\nimport @std\ndo main() {\n    std.println(1);\n}\n"),
        ("app/other.ez", "import @std\ndo main() {\n    std.println(1);\n}\n"),
    ]);
    let fixed = fix(&loader, Path::new("/app/main.ez"), "main.ez").unwrap().unwrap();
    assert_eq!(fixed.keys().collect::<Vec<_>>(), [Path::new("/app/main.ez")]);
}

#[test]
fn the_first_file_with_errors_ends_a_run_but_not_a_check() {
    let files = [
        ("app/main.ez", "import \"./a\", \"./b\"\ndo main() { a.f() b.f() x() }\n"),
        ("app/a.ez", "module a\ndo f() { temp x int = 1.5 }\n"),
        ("app/b.ez", "module b\ndo f() { temp x int = 'c' }\n"),
    ];
    assert_eq!(reports(&check(&files)), ["E3001 app/a.ez:2"]);
    let all = check_all(&loader(&files), Path::new("app/main.ez"), "app/main.ez").unwrap();
    assert_eq!(reports(&all), ["E3001 app/a.ez:2", "E3001 app/b.ez:2", "E4002 app/main.ez:2"]);
}

#[test]
fn failing_imports_wait_until_they_are_reached() {
    let files = [("app/main.ez", "import \"./nosuch\", @strin\ndo main() { }\n")];
    let run = check(&files);
    assert_eq!(reports(&run), ["W1002 app/main.ez:1", "W1002 app/main.ez:1"]);
    assert!(run.program.is_some());
    let all = check_all(&loader(&files), Path::new("app/main.ez"), "app/main.ez").unwrap();
    assert!(reports(&all).contains(&"E6001 app/main.ez:1".to_string()), "{:?}", reports(&all));
    assert!(all.diagnostics.iter().any(|d| d.message.ends_with("did you mean @strings?")));
    assert!(all.program.is_none());
}

#[test]
fn internal_directories_are_for_their_neighbours() {
    let checked = check_all(
        &loader(&[
            ("app/main.ez", "import \"./pkg/internal/x\", \"./pkg/y\"\ndo main() { y.f() }\n"),
            ("app/pkg/internal/x.ez", "module x\ndo f() { }\n"),
            ("app/pkg/y.ez", "module y\nimport \"./internal/x\"\ndo f() { x.f() }\n"),
        ]),
        Path::new("app/main.ez"),
        "app/main.ez",
    );
    let checked = checked.unwrap();
    assert_eq!(reports(&checked), ["E6007 app/main.ez:1", "W1002 app/main.ez:1"]);
    let message = &checked.diagnostics[0].message;
    assert!(message.contains("pkg/internal/x is not accessible from main.ez"), "{message}");
}

#[test]
fn modules_may_import_each_other() {
    let checked = check(&[
        ("app/main.ez", "import \"./a\"\ndo main() { temp x int = a.even(4) }\n"),
        (
            "app/a.ez",
            "module a\nimport \"./b\"\ndo even(n int) -> int { if n == 0 { return 1 } return b.odd(n - 1) }\n",
        ),
        (
            "app/b.ez",
            "module b\nimport \"./a\"\ndo odd(n int) -> int { if n == 0 { return 0 } return a.even(n - 1) }\n",
        ),
    ]);
    assert!(reports(&checked).is_empty(), "{:?}", checked.diagnostics);
}

#[test]
fn misnamed_modules_are_told() {
    let checked = check(&[
        ("app/main.ez", "import \"./a\", \"./d\"\ndo main() { a.f() d.f() }\n"),
        ("app/a.ez", "module wrong\ndo f() { }\n"),
        ("app/d/x.ez", "module other\ndo f() { }\n"),
    ]);
    assert_eq!(reports(&checked), ["W4001 app/a.ez:1", "W4001 app/d:1"]);
    assert!(checked.program.is_some());
}
