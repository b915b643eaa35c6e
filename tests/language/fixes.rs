//! What reports say to write instead: the table of certain fixes, and that a fix, where it is applied, does away with
//! its report.

use std::path::Path;

use ez_language::check::{Checked, check_all};
use ez_language::modules::MemoryLoader;
use ez_runtime::diagnostics::{Diagnostic, Fix, apply};

fn checked(text: &str) -> Checked {
    let mut loader = MemoryLoader::new();
    loader.add("main.ez", text);
    check_all(&loader, Path::new("/main.ez"), "main.ez").expect("a program")
}

fn certain(found: &[Diagnostic]) -> Vec<&Fix> {
    found.iter().filter_map(|report| report.fix.as_ref()).filter(|fix| fix.certain).collect()
}

/// The text after all certain fixes, and those that they uncover.
fn fixed(text: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..100 {
        let found = checked(&text).diagnostics;
        let (next, applied) = apply(&text, certain(&found));
        if applied == 0 {
            return text;
        }
        text = next;
    }
    panic!("no end: {text}");
}

/// Lines of a `main` unless there is one in them.
fn whole(text: &str) -> String {
    let text = if text.contains("main") { text.to_string() } else { format!("do main() {{\n{text}\n}}\n") };
    if text.contains("import") { text } else { format!("import & use @std\n{text}") }
}

#[test]
fn what_can_only_be_meant_is_written() {
    for (wrong, right) in [
        // Words of other languages.
        ("if 1 == 1 { } else { }", "if 1 == 1 { } otherwise { }"),
        ("if 1 == 1 { } else if 2 == 2 { } else { }", "if 1 == 1 { } or 2 == 2 { } otherwise { }"),
        ("if 1 == 1 { } elif 2 == 2 { }", "if 1 == 1 { } or 2 == 2 { }"),
        ("temp x int = 3\nwhile (x > 2) {\n  x -= 1\n}", "temp x int = 3\nas_long_as (x > 2) {\n  x -= 1\n}"),
        ("while (true) { break }", "loop { break }"),
        ("temp x = 1\nuntil x == 1 { x++ }", "temp x = 1\nas_long_as !(x == 1) { x++ }"),
        ("unless 1 == 2 { }", "if !(1 == 2) { }"),
        ("foreach x in {1} { println(x) }", "for_each x in {1} { println(x) }"),
        ("let x = 5\nprintln(x)", "temp x = 5\nprintln(x)"),
        ("val x = 5\nprintln(x)", "const x = 5\nprintln(x)"),
        ("int x = 5;\nprintln(x);", "temp x int = 5\nprintln(x)"),
        ("temp x Error = null\nprintln(x)", "temp x Error = nil\nprintln(x)"),
        ("temp x bool = True\nprintln(x, False)", "temp x bool = true\nprintln(x, false)"),
        ("if true and false or true { }", "if true && false || true { }"),
        ("temp x = true\nif not x { }", "temp x = true\nif !x { }"),
        ("temp a = {1}\nif 1 not in a { }", "temp a = {1}\nif 1 !in a { }"),
        ("if 1 === 1 { }", "if 1 == 1 { }"),
        ("if 1 !== 1 { }", "if 1 != 1 { }"),
        ("if 1 => 1 { }", "if 1 >= 1 { }"),
        ("function main() { println(1) }", "do main() { println(1) }"),
        // Punctuation.
        ("println(1);println(2);", "println(1) println(2)"),
        ("temp a = {1, 2,}\nprintln(a, )", "temp a = {1, 2}\nprintln(a )"),
        ("temp a = [1, 2]\nprintln(a[0])", "temp a = {1, 2}\nprintln(a[0])"),
        ("temp x: int = 1\nprintln(x)", "temp x int = 1\nprintln(x)"),
        ("x := 1\nprintln(x)", "temp x = 1\nprintln(x)"),
        ("temp int x = 1\nprintln(x)", "temp x int = 1\nprintln(x)"),
        ("temp a [int; 3] = {1, 2, 3}\nprintln(a)", "temp a [int, 3] = {1, 2, 3}\nprintln(a)"),
        ("temp x = 1\n++x\nprintln(x)", "temp x = 1\nx++\nprintln(x)"),
        ("when 1 { is 1 { } otherwise { } }", "when 1 { is 1 { } default { } }"),
        ("do f(int a) {}\ndo main() { f(1) }", "do f(a int) {}\ndo main() { f(1) }"),
        (
            "do f() int { return 1 }\ndo main() { println(f()) }",
            "do f() -> int { return 1 }\ndo main() { println(f()) }",
        ),
        (
            "do f(): int { return 1 }\ndo main() { println(f()) }",
            "do f() -> int { return 1 }\ndo main() { println(f()) }",
        ),
        ("const P struct { x int,\n y int }\ndo main() {}", "const P struct { x int\n y int }\ndo main() {}"),
        (
            "const P struct { x int }\ndo main() { temp p = P{x = 1}\nprintln(p) }",
            "const P struct { x int }\ndo main() { temp p = P{x : 1}\nprintln(p) }",
        ),
        // Characters.
        ("println(“hi”)", "println(\"hi\")"),
        ("println(3 – 2 × 1)", "println(3 - 2 * 1)"),
        ("println('hi')", "println(\"hi\")"),
        ("println('é')", "println(char(\"é\"))"),
        ("println(5. + 1.0)", "println(5.0 + 1.0)"),
        ("for i in 0..5 { println(i) }", "for i in range(0, 5) { println(i) }"),
        ("for i in 0..=5 { println(i) }", "for i in range(0, 6) { println(i) }"),
        ("temp name = 1\nprintln(\"hi $name\")", "temp name = 1\nprintln(\"hi ${name}\")"),
        // Values and names.
        ("temp x float = 1\nprintln(x)", "temp x float = 1.0\nprintln(x)"),
        ("temp c char = \"a\"\nprintln(c)", "temp c char = 'a'\nprintln(c)"),
        ("temp s string = 'a'\nprintln(s)", "temp s string = \"a\"\nprintln(s)"),
        ("temp s String = \"a\"\nprintln(s)", "temp s string = \"a\"\nprintln(s)"),
        ("do main() { println(1) }\nimport", "do main() { println(1) }\nimport"),
    ] {
        assert_eq!(fixed(&whole(wrong)), whole(right), "{wrong}");
    }
}

#[test]
fn what_may_be_meant_otherwise_is_not_certain() {
    for text in [
        // The value after counting, not the one before.
        "temp x = 3\nprintln(++x)",
        "temp x = 3\nprintln(5 - --x)",
        "temp i = 0\nas_long_as ++i < 3 { println(i) }",
        "temp x = 3\nx = ++x\nprintln(x)",
        "temp a = {1}\n++a[0]\nprintln(a)",
        // An assignment, where the variable is known.
        "temp x = 3\nx := 4\nprintln(x)",
        // Ends that are more than one token.
        "temp n = 3\nfor i in 0..n-1 { println(i) }",
        "for i in 0..2 * 3 { println(i) }",
        // Texts whose end is not clear.
        "println('it''s')",
        "temp c char = ''\nprintln(c)",
        // Comments are not what is wrong.
        "temp x = true\nif x { } else /* kept */ if x { }",
        "int /* kept */ y = 4\nprintln(y)",
        "while (true) /* kept */ { break }",
        "import \"std\"\ndo main() { println(1) }",
    ] {
        let text = whole(text);
        assert_eq!(fixed(&text), text);
    }
    let mixed = whole("println(“a \"b\" c”)");
    assert_eq!(fixed(&mixed), mixed);
}

#[test]
fn missing_imports_are_added() {
    let main = "do main() { println(math.sqrt(4.0)) }\n";
    assert_eq!(
        fixed(&format!("import & use @std\n{main}")),
        format!("import @math\nimport & use @std\n{main}")
    );
    assert_eq!(fixed(main), format!("import @math\nimport @std\nusing std\n{main}"));
    let script = "#!/usr/bin/ez\ndo main() { println(1) }";
    assert_eq!(fixed(script), "#!/usr/bin/ez\nimport @std\nusing std\ndo main() { println(1) }");
}

#[test]
fn guesses_are_not_certain() {
    for text in
        ["prnitln(1)", "temp x int = \"5\"\nprintln(x)", "if 1 { }", "temp total = 1\nprintln(totl)", "x = 1"]
    {
        let text = whole(text);
        let found = checked(&text).diagnostics;
        assert!(found.iter().any(|report| report.fix.is_some()), "{text}: {found:?}");
        assert!(certain(&found).is_empty(), "{text}");
    }
}

/// The types of results are known, but another may have been meant.
#[test]
fn types_of_several_names_are_left_out_perhaps() {
    for (wrong, right) in [
        ("temp n int, _ = read_int()\nprintln(n)", "temp n, _ = read_int()\nprintln(n)"),
        ("temp n, e Error = read_int()\nprintln(n, e)", "temp n, e = read_int()\nprintln(n, e)"),
    ] {
        let found = checked(&whole(wrong)).diagnostics;
        let fixes: Vec<&Fix> = found.iter().filter_map(|report| report.fix.as_ref()).collect();
        assert_eq!(apply(&whole(wrong), fixes), (whole(right), 1), "{found:?}");
        assert!(certain(&found).is_empty() && checked(&whole(right)).diagnostics.is_empty(), "{found:?}");
    }
}

/// Lines that begin as in other languages and go on in another way: there is no knowing what was meant.
#[test]
fn half_of_a_declaration_is_not_certain() {
    for line in [
        "int x int = 5",
        "int x += 5",
        "temp m float float float = 1.5",
        "int int x = 5",
        "println(1) int int = 5",
        "int int = 5",
        "int len = 3",
        "let x += 5",
        "let len = 5",
        "let x",
        "let x[0] = 5",
        "int x[2] = {1, 2}",
        "temp m float let x = 5",
    ] {
        let text = whole(line);
        assert_eq!(fixed(&text), text);
    }
    assert_eq!(fixed(&whole("int x // a\nprintln(x)")), whole("temp x int // a\nprintln(x)"));
}

#[test]
fn what_can_be_parsed_can_be_parsed_after_fixes() {
    let mut random = fastrand::Rng::with_seed(7);
    let words = [
        "int",
        "float",
        "x",
        "y",
        "len",
        "let",
        "val",
        "var",
        "const",
        "temp",
        "=",
        "+=",
        "5",
        "1.5",
        "{",
        "}",
        "println(x)",
        "\n",
        "//",
        "[",
        "]",
        "string",
        "\"a\"",
        "if",
        "x[0]",
        ",",
    ];
    for _ in 0..3000 {
        let line: Vec<&str> = (0..random.usize(1..8)).map(|_| *random.choice(&words).unwrap()).collect();
        let text = whole(&line.join(" "));
        if checked(&text).is_parsed {
            let after = fixed(&text);
            assert!(checked(&after).is_parsed, "{text}\n->\n{after}");
        }
    }
}

/// Programs with mistakes: those of the documents, of beginners, and the conformance programs.
fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    let mut folders =
        vec![root.join("docs"), root.join("testdata"), root.join("src/runtime/diagnostics/explain")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                match extension {
                    "ez" => texts.push(text),
                    "md" => texts.extend(text.split("```ez\n").skip(1).map(until_fence)),
                    "txt" if path.to_string_lossy().contains("beginners") => {
                        let programs = text.split("=== ").skip(1);
                        texts.extend(programs.map(|part| {
                            let program = part.split_once('\n').map_or("", |(_, program)| program);
                            program.split("--- report").next().unwrap_or_default().to_string()
                        }));
                    }
                    _ => {}
                }
            }
        }
    }
    texts
}

fn until_fence(text: &str) -> String {
    text.split("```").next().unwrap_or_default().to_string()
}

// invariant 32
#[test]
fn a_fix_does_away_with_its_report() {
    let (mut fixes, mut stays) = (0, Vec::new());
    for text in programs() {
        for text in [format!("do main() {{\n{text}\n}}\n"), text] {
            let before = checked(&text).diagnostics;
            for report in &before {
                let Some(fix) = &report.fix else { continue };
                fixes += 1;
                let (after, applied) = apply(text.strip_prefix('\u{feff}').unwrap_or(&text), [fix]);
                assert_eq!(applied, 1, "{report:?} in {text}");
                let left = checked(&after).diagnostics;
                // Another of its kind may have been hidden.
                let stays_there = left.iter().any(|left| {
                    let place = |report: &Diagnostic| report.span.map(|span| span.start);
                    (left.code, &left.message, place(left)) == (report.code, &report.message, place(report))
                });
                if fix.certain && stays_there {
                    let what = format!("{:?} {} {fix:?}", report.code, report.message);
                    stays.push(format!("{what} in\n{text}\n->\n{after}"));
                }
            }
            // And all together come to an end.
            fixed(text.strip_prefix('\u{feff}').unwrap_or(&text));
        }
    }
    assert!(stays.is_empty(), "{} of {fixes}:\n{}", stays.len(), stays[..stays.len().min(5)].join("\n\n"));
    assert!(fixes > 500, "{fixes}");
}
