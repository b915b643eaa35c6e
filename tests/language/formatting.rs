//! How `ez fmt` lays programs out. What it keeps, for every program: `formatted` in the target `random`.

use std::path::Path;

use ez_language::format::format;
use ez_runtime::source::SourceMap;

fn formatted(text: &str) -> String {
    let file = SourceMap::new().add("a.ez", Path::new("/a.ez"), text);
    format(&file).unwrap_or_else(|reports| panic!("{text}: {reports:?}"))
}

/// Statements in a `main`, without its lines and their indentation.
fn statements(text: &str) -> String {
    let whole = formatted(&format!("do main() {{\n{text}\n}}"));
    let lines = whole.lines().map(|line| line.strip_prefix("    ").unwrap_or(line));
    let lines: Vec<&str> = lines.collect();
    lines[1..lines.len() - 1].join("\n")
}

fn becomes(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(statements(text), *expected, "{text}");
    }
}

#[test]
fn blanks() {
    becomes(&[
        ("temp x=1+2*-3", "temp x = 1 + 2 * -3"),
        ("x=- -1  y = !  inside", "x = - -1\ny = ! inside"),
        ("x ++   y=a [ 0 ] . b ( 1,2 )", "x++\ny = a[0].b(1, 2)"),
        ("temp a [ int , 3 ]={1,2 , 3}", "temp a [int, 3] = {1, 2, 3}"),
        (
            "temp m map [ string : int ] = { \"a\" :1 , \"b\":2}",
            "temp m map[string:int] = {\"a\": 1, \"b\": 2}",
        ),
        ("temp m map[int:int]={ : }", "temp m map[int:int] = {:}"),
        ("temp p=Point { x :1,y: 2 } q = new ( Point )", "temp p = Point{x: 1, y: 2}\nq = new(Point)"),
        ("for i in range (0 ,3) {}", "for i in range(0, 3) {}"),
        ("for(i in range(3)){}", "for (i in range(3)) {}"),
        ("if (a&&b)||x!in c{}", "if (a && b) || x !in c {}"),
        ("return(1)", "return (1)"),
        ("x = 0x1F .size", "x = 0x1F .size"),
    ]);
}

#[test]
fn declarations() {
    let text = "import&use @std\nimport m@math,y\"./y\"\nprivate const P struct{x,y int name string `json`}\n\
                #doc(\"Adds.\") do add(a,&b int,c int=1)->(sum int,err Error){return a+b,nil}\n\
                #flags\nconst F enum:int{A B=2,C}";
    let expected = "import & use @std\nimport m@math, y\"./y\"\nprivate const P struct { x, y int name string `json` }\n\
                    #doc(\"Adds.\") do add(a, &b int, c int = 1) -> (sum int, err Error) { return a + b, nil }\n\
                    #flags\nconst F enum: int { A B = 2, C }\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn one_statement_a_line() {
    becomes(&[
        ("f() g()", "f()\ng()"),
        ("temp p P f() g()", "temp p P\nf()\ng()"),
        ("temp n int x = 1 if a { f() }", "temp n int\nx = 1\nif a { f() }"),
        ("if a { f() }", "if a { f() }"),
        ("if a { f() g() }", "if a {\n    f()\n    g()\n}"),
        ("if a { if b { f() } }", "if a {\n    if b { f() }\n}"),
        (
            "if a {\nf()\n}\nor b\n{ g() }\notherwise { h() }",
            "if a {\n    f()\n} or b { g() }\notherwise { h() }",
        ),
        ("when x{is 1,2{f()}default{}}", "when x {\n    is 1, 2 { f() }\n    default {}\n}"),
        // Words of other languages are reported with what is in their line.
        ("let x = 1 y = 2\nz = 3", "let x = 1 y = 2\nz = 3"),
        ("let #flags x = 1 y = 2", "let\n#flags x = 1\ny = 2"),
    ]);
}

#[test]
fn empty_lines() {
    becomes(&[("\n\n\na()\n\n\n\nb()\nc()\n\n", "a()\n\nb()\nc()")]);
    assert_eq!(formatted("\n\n\ndo main() {}\n\n\n\ndo f() {}\n\n\n"), "do main() {}\n\ndo f() {}\n");
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n\n"), "");
}

#[test]
fn comments_stay() {
    becomes(&[
        ("a()// one\n   // two\n\n\n/* three */\nb()", "a() // one\n// two\n\n/* three */\nb()"),
        ("/* x */ a() /* y */ b()", "/* x */ a() /* y */\nb()"),
        ("if a { // why\nb()\n// last\n}", "if a { // why\n    b()\n    // last\n}"),
        ("if a {\nb()\n}\n// else\nor c {\nd()\n}", "if a {\n    b()\n}\n// else\nor c {\n    d()\n}"),
        ("f(1, // one\n2)", "f(\n    1, // one\n    2\n)"),
        ("f(/* a */ 1, 2 /* b */)", "f(/* a */ 1, 2 /* b */)"),
        ("x = // why\n1", "x = // why\n    1"),
        (
            "temp a = {\n// first\n1,\n\n2 // last\n// end\n}",
            "temp a = {\n    // first\n    1,\n\n    2 // last\n    // end\n}",
        ),
        ("loop {\n/* nothing\n   yet */\n}", "loop {\n    /* nothing\n   yet */\n}"),
        // The `*` of `/*` does not close it.
        ("a()/*/ x */\nb()/*/*/", "a() /*/ x */\nb() /*/*/"),
    ]);
    assert_eq!(formatted("// only\n\n\n// this"), "// only\n\n// this\n");
}

#[test]
fn lists_that_are_too_long() {
    let (a, b, c) = ("a".repeat(40), "b".repeat(40), "c".repeat(40));
    becomes(&[
        (&format!("f({a}, {b}, {c})"), &format!("f(\n    {a},\n    {b},\n    {c}\n)")),
        (&format!("f(g({a}, {b}, {c}))"), &format!("f(g(\n    {a},\n    {b},\n    {c}\n))")),
        // Nothing is gained by breaking a list of one element.
        (&format!("f({a} + {b} + {c})"), &format!("f({a} + {b} + {c})")),
        ("temp a = {{1, 2},\n{3, 4}}", "temp a = {\n    {1, 2},\n    {3, 4}\n}"),
        ("temp a = {\n1, 2,\n3, 4\n}", "temp a = {\n    1, 2,\n    3, 4\n}"),
        ("f(P{\nx: 1,\ny: 2\n})", "f(P{\n    x: 1,\n    y: 2\n})"),
    ]);
    let head = format!("do f({a} int, {b} int, c int) {{ g() }}\n");
    assert_eq!(formatted(&head), format!("do f(\n    {a} int,\n    {b} int,\n    c int\n) {{ g() }}\n"));
}

#[test]
fn chosen_line_ends_stay() {
    becomes(&[
        ("x = a +\nb\n+ c", "x = a +\n    b\n    + c"),
        ("if a\n&& b {\nf()\n}", "if a\n        && b {\n    f()\n}"),
        ("x =\nf()", "x =\n    f()"),
        ("x = a\n.b\n.c()", "x = a\n    .b\n    .c()"),
        ("x\n= 1", "x = 1"),
    ]);
}

#[test]
fn what_is_not_the_program_stays() {
    assert_eq!(formatted("#!/usr/bin/ez\ndo main(){}"), "#!/usr/bin/ez\ndo main() {}\n");
    assert_eq!(formatted("do main(){}\0 rest  "), "do main() {}\n\0 rest  ");
    assert_eq!(formatted("do main(){\r\nf()}\r\n"), "do main() {\r\n    f()\r\n}\r\n");
    assert_eq!(formatted("do main(){f(`a \n  b`)}"), "do main() {\n    f(`a \n  b`)\n}\n");
}

#[test]
fn texts_with_errors_are_refused() {
    let file = SourceMap::new().add("a.ez", Path::new("/a.ez"), "do main( {}");
    assert!(format(&file).is_err_and(|reports| !reports.is_empty()));
}
