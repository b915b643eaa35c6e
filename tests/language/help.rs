//! What reports say beyond their codes: where they point, and the help they give to somebody who
//! knows other languages, or has mistyped a name.

use ez_language::check::check_source;
use ez_runtime::diagnostics::{Code, Diagnostic};
use ez_runtime::interp::{Outcome, RunError, Vm, compile_plain, run};

/// The first report with this code.
fn first(text: &str, code: Code) -> (Diagnostic, String) {
    let checked = check_source(text, "a.ez");
    let found = checked.diagnostics.iter().find(|d| d.code == code);
    let found = found.unwrap_or_else(|| panic!("no {code:?} in {text}: {:?}", checked.diagnostics)).clone();
    let span = found.span.expect("a place");
    let at = checked.sources.get(span.file).expect("the file").position(span.start);
    (found, format!("{}:{}", at.line, at.column))
}

/// Programs are lines of a `main` unless they have one; help must contain the text.
fn helps(cases: &[(&str, Code, &str, &str)]) {
    for (text, code, place, wanted) in cases {
        let whole =
            if text.contains("main") { text.to_string() } else { format!("do main() {{\n{text}\n}}\n") };
        let (found, at) = first(&whole, *code);
        let help = found.help.unwrap_or_default();
        assert_eq!(at, *place, "{text}");
        assert!(help.contains(wanted), "{text}: {help:?} has no {wanted:?}");
    }
}

#[test]
fn words_of_other_languages_are_translated() {
    helps(&[
        ("if 1 == 1 { } else { }", Code::E2001, "2:15", "'otherwise'"),
        ("if 1 == 1 { } elif 2 == 2 { }", Code::E2001, "2:15", "'or'"),
        ("temp x int = 3\nwhile x > 2 {\n  x -= 1\n}", Code::E2001, "3:1", "as_long_as x > 2"),
        ("while (true) { }", Code::E2001, "2:1", "'loop"),
        ("def f(x int) -> int { return x }\ndo main() {}", Code::E2001, "1:1", "do f(x int) -> int"),
        ("func f() { }\ndo main() {}", Code::E2001, "1:1", "begins with 'do'"),
        ("let x = 5", Code::E4001, "2:1", "begins with 'temp'"),
        ("temp x int = null", Code::E4001, "2:14", "'nil'"),
        ("temp x bool = True", Code::E4001, "2:15", "'true'"),
        ("if true and false { }", Code::E2002, "2:9", "'&&'"),
        ("if true or false { }", Code::E2002, "2:9", "'||'"),
        ("if not true { }", Code::E2002, "2:8", "'!'"),
        ("switch 1 { case 1: f() }", Code::E2001, "2:1", "when 1"),
        ("foreach x in {1} { }", Code::E2001, "2:1", "'for_each'"),
        ("class P { }\ndo main() {}", Code::E2001, "1:1", "const P struct"),
        ("try { f() }", Code::E2001, "2:1", "no exceptions"),
    ]);
}

#[test]
fn constructs_of_other_languages_are_reported_once() {
    for line in [
        "let x int = 5",
        "repeat 3 { f() }",
        "until 1 == 2 { f() }",
        "foreach x in {1} { f(x) }",
        "if 1 == 1 { } else { f() }",
        "if 1 == 1 { } else if 2 == 2 { f() } else { f() }",
        "while (true) { f() }",
        "let x = 5\nx = 6\ng(x)",
    ] {
        let program = format!("do f() {{ }}\ndo g(x int) {{ }}\ndo main() {{\n{line}\n}}\n");
        let found = check_source(&program, "a.ez").diagnostics;
        assert_eq!(found.len(), 1, "{line}: {found:?}");
    }
}

/// A damaged line is told of, not each word of it.
#[test]
fn a_line_has_few_reports() {
    let places = |text: &str| {
        let checked = check_source(text, "a.ez");
        let spans = checked.diagnostics.iter().filter(|d| d.code != Code::W1002).filter_map(|d| d.span);
        spans.map(|span| checked.sources.position(span)).map(|at| (at.line, at.column)).collect::<Vec<_>>()
    };
    assert_eq!(
        places("please run this program now\nx = 1\nplease\ndo main() {}\n"),
        [(1, 1), (2, 1), (3, 1)]
    );
    for word in ["\"\" ", "'a' ", "1 ", "x ", "{1} ", "1 x "] {
        assert_eq!(places(&word.repeat(1000)), [(1, 1)], "{word}");
    }
    for word in ["}", "'", "\\", "é", "if ", "import @", "else "] {
        let damaged = word.repeat(1000);
        for text in [format!("{damaged}\n{damaged}\n"), format!("do main() {{\n{damaged}\n{damaged}\n}}\n")] {
            let found = places(&text);
            // The `}` of `main` may be one too many, too.
            assert!(!found.is_empty() && found.len() <= 11, "{word}: {found:?}");
        }
    }
    // Each is reported that may have been written for itself.
    assert_eq!(places("do main() {\n    f(‘a’, “b”)\n}\n").len(), 4);
}

#[test]
fn except_belongs_to_the_try_of_its_own_block() {
    let codes = |text: &str| {
        let found = check_source(text, "a.ez").diagnostics;
        found.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    let other = "do g() {\n    except:\n    f()\n}\ndo main() { }\n";
    assert_eq!(codes(&format!("do f() {{ }}\n{other}")), [Code::E2001]);
    assert_eq!(codes("do f() {\n    try:\n    f()\n    except:\n    f()\n}\ndo main() { }\n"), [Code::E2001]);
    assert_eq!(codes(&format!("do f() {{\n    try:\n    f()\n}}\n{other}")), [Code::E2001, Code::E2001]);
}

#[test]
fn missing_and_misplaced_parts_are_named() {
    helps(&[
        ("temp o = f(xs, n => n > 2)", Code::E2002, "2:18", "no functions without a name"),
        ("temp o = f(xs, (n) => n > 2)", Code::E2002, "2:20", "no functions without a name"),
        ("temp s = \"a ${i\"", Code::E1004, "2:13", "has no '}'"),
        ("temp s = \"a ${i", Code::E1004, "2:13", "has no '}'"),
        ("temp s = \"a", Code::E1004, "2:10", "\\n for a line end"),
        ("temp t (int, int) = f()", Code::E2024, "2:8", "no tuples"),
        (
            "do f() {}\ndo main() {\ntemp x = 1\ntemp z = x +\nf()\n}",
            Code::E3002,
            "4:10",
            "goes on in line 5",
        ),
        ("do f() {}\ndo f() {}\ndo main() {}", Code::E2023, "2:4", "the first 'f' is in line 1"),
        ("const K = 1\nconst K = 2\ndo main() {}", Code::E2023, "2:7", "the first 'K' is in line 1"),
        ("temp k = 1\ntemp k = 2\ndo main() {}", Code::E2023, "2:6", "k = ..."),
        ("for (temp i = 0; i < 9; i++) { }", Code::E2020, "2:6", "range(0, 9)"),
        ("when 1 { is 1 { } otherwise { } }", Code::E2001, "2:19", "'default"),
        ("temp x = input()\ntemp n = int(x)", Code::E3005, "3:14", "cast(x, int)"),
        ("temp b\nf(b)", Code::E3008, "2:6", "temp x = 0"),
        ("temp b;", Code::E2024, "2:7", "temp b = "),
        ("temp b", Code::E2024, "3:1", "temp b = "),
        ("temp x, y = 1, 2", Code::E2001, "2:14", "declare each"),
        ("f(f\"x\")", Code::E2002, "2:4", "${...}"),
        ("temp m = {\"a\" = 1}", Code::E2002, "2:15", "':'"),
        ("for_each c of \"ab\" { }", Code::E2002, "2:12", "'for_each x in values'"),
        ("temp x = if true { 1 }", Code::E2001, "2:10", "no value"),
        ("do inner() { }", Code::E2019, "2:1", "file level"),
        ("temp x = cast(5, \"string\")", Code::E2024, "2:18", "without quotes: string"),
        ("temp a [int; 3] = {1, 2, 3}", Code::E2002, "2:12", "[int, 3]"),
    ]);
}

#[test]
fn names_of_which_some_have_types_lose_them() {
    for (line, code, place, wanted) in [
        ("temp n int, _ = read_int()", Code::E2024, "2:15", "temp n, _ = read_int()"),
        ("temp n, e Error = read_int() // x", Code::E2002, "2:11", "temp n, e = read_int()"),
        (
            "temp a map[string:[int, 2]], b, c int = f({1}, g(2)[0])",
            Code::E2024,
            "2:31",
            "temp a, b, c = f({1}, g(2)[0])",
        ),
        ("const n int, _ = read_int()", Code::E2011, "2:9", "const n, _ = read_int()"),
        ("if true { temp n int, _ = read_int() }", Code::E2024, "2:25", "temp n, _ = read_int()"),
    ] {
        let (found, at) = first(&format!("do main() {{\n{line}\n}}\n"), code);
        assert_eq!(at, place, "{line}");
        let wanted = format!("the types come from the call, so leave them out: {wanted}");
        assert_eq!(found.help.as_deref(), Some(&*wanted), "{line}");
    }
    // One name, or no value, is another matter.
    for line in ["temp n = = 1", "temp n int,\nf()", "temp n [", "temp n int, e int", "temp a = cast(1, =)"] {
        let found = check_source(&format!("do main() {{\n{line}\n}}\n"), "a.ez").diagnostics;
        assert!(
            found.iter().all(|d| !d.help.as_deref().unwrap_or_default().contains("from the call")),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn what_cannot_be_changed_is_called_by_its_name() {
    let parameter = "'p' is a parameter: to change what f(...) was given, declare it as &p";
    helps(&[
        (
            "const P struct { a int b [int] }\ndo f(p P) { p.a = 1 }\ndo main() { }",
            Code::E5017,
            "2:14",
            parameter,
        ),
        (
            "const P struct { a int b [int] }\ndo f(p P) { p.b[0] = 1 }\ndo main() { }",
            Code::E5016,
            "2:16",
            parameter,
        ),
        ("do f(p int) { p++ }\ndo main() { }", Code::E5016, "1:15", "write temp copy = p"),
        ("do g(&n int) { n = 1 }\ndo f(p int) { g(p) }\ndo main() { }", Code::E3027, "2:17", parameter),
        (
            "do f(p int = 1) { p = 2 }\ndo main() { }",
            Code::E5016,
            "1:19",
            "'p' is a parameter: to compute with a copy",
        ),
        ("for i in range(0, 3) { i = 1 }", Code::E5016, "2:24", "'i' gets its values from the loop"),
        ("for_each i, v in {1} { i = v }", Code::E5016, "2:24", "write temp copy = i"),
        (
            "const P struct { a int }\ndo f(all [P]) { for_each one in all { one.a = 1 } }\ndo main() { }",
            Code::E5017,
            "2:42",
            "'one' gets its values from the loop",
        ),
        ("const c int = 1\nc = 2", Code::E5016, "3:1", "'c' is a constant; a variable that changes"),
        ("do main(x int) { x = 1 }", Code::E5016, "1:18", "main() is called without arguments"),
    ]);
}

/// Help must not advise what fails in another way.
#[test]
fn text_that_is_no_number_gets_no_conversion() {
    let (found, _) = first("do main() {\n  temp n int = 1\n  n = \"one\"\n}\n", Code::E3001);
    assert_eq!(found.help, None);
}

#[test]
fn a_keyword_as_enum_member_is_named() {
    let (found, at) = first("const C enum { do }\ndo main() {}\n", Code::E2002);
    assert_eq!((found.message.as_str(), at.as_str()), ("expected enum value name, got 'do'", "1:16"));
}

/// Keywords that may be names of fields may also come first in a literal.
#[test]
fn a_struct_literal_may_begin_with_a_keyword() {
    let program =
        "const P struct { when int is int }\ndo main() {\n  temp p = P{when: 1, is: 2}\n  p.is = 3\n}\n";
    assert_eq!(check_source(program, "a.ez").diagnostics, []);
}

#[test]
fn syntax_of_other_languages_is_translated() {
    helps(&[
        ("temp x int = 1;", Code::E2001, "2:15", "no ';'"),
        ("# comment", Code::E2001, "2:1", "'//'"),
        ("temp a [int] = [1, 2]", Code::E2001, "2:16", "braces"),
        ("temp a int[] = {1}", Code::E2001, "2:11", "'[int]'"),
        ("temp m map<string, int> = {:}", Code::E2001, "2:11", "'map[string:int]'"),
        ("temp x int = 1\nif x = 1 { }", Code::E2002, "3:6", "'=='"),
        ("if 1 == 1:\n  f()", Code::E2002, "2:10", "'{'"),
        ("temp x: int = 5", Code::E2024, "2:7", "without a ':'"),
        ("do f() : int { return 1 }\ndo main() {}", Code::E2002, "1:8", "'->'"),
        ("do f(x) {}\ndo main() {}", Code::E2014, "1:6", "'x int'"),
        ("for (int i = 0; i < 3; i++) { }", Code::E2002, "2:12", "range(0, 3)"),
        ("if true & false { }", Code::E2002, "2:9", "'&&'"),
        ("println(!inner)", Code::E2001, "2:9", "operator of its own"),
        ("temp x int = 2 ^ 3", Code::E1001, "2:16", "math.pow"),
        ("println('hello')", Code::E1009, "2:9", "double quotes"),
        ("println(“hello”)", Code::E1001, "2:9", "straight quotes"),
        ("struct P { x int }\ndo main() {}", Code::E2001, "1:1", "const Name struct"),
        ("import std\ndo main() {}", Code::E2002, "1:8", "import @std"),
        ("f(1,\n  2", Code::E2002, "4:1", "'(' in line 2"),
        ("f(1 2)", Code::E2002, "2:5", "','"),
        ("f(1,\n  g[2 +", Code::E2003, "4:1", "'[' in line 3"),
        ("const MAX int = 1\ndo main() {\nif 1 == MAX {}\nf()\n}", Code::E2002, "4:1", "parentheses"),
        ("import m\"./m\"\ndo main() { f(m.P{}) }", Code::E2002, "2:18", "new(m.NAME)"),
        ("do f() -> { }\ndo main() {}", Code::E2015, "1:8", "leave '->' out"),
        ("when 1 { otherwise { } }", Code::E2001, "2:10", "'default"),
        ("{ temp x int = 1 }", Code::E2001, "2:3", "begins an array"),
    ]);
}

#[test]
fn loops_and_declarations_of_other_languages_are_translated_wherever_the_text_breaks_off() {
    helps(&[
        ("while true { break }", Code::E2001, "2:1", "'loop"),
        ("while n > 0 {\n  if x { break }\n}", Code::E2001, "2:1", "as_long_as n > 0"),
        ("while n > 0\n{\n  break\n}", Code::E2001, "2:1", "as_long_as n > 0"),
        ("while n > 0:\n  break", Code::E2001, "2:1", "as_long_as n > 0"),
        ("while (i < 3) { i++; }", Code::E2001, "2:1", "as_long_as i < 3"),
        ("until x { break }", Code::E2001, "2:1", "as_long_as !(x)"),
        ("unless x { break }", Code::E2001, "2:1", "if !(x)"),
        ("repeat { break }", Code::E2001, "2:1", "'loop"),
        ("forever { break }", Code::E2001, "2:1", "'loop"),
        ("foreach x in a { continue }", Code::E2001, "2:1", "for_each x in a"),
        ("do { f() } while (x < 3)", Code::E2019, "2:1", "'loop'"),
        ("if true { } else { break }", Code::E2001, "2:13", "'otherwise'"),
        ("if true { } elif false { break }", Code::E2001, "2:13", "or false"),
        ("let x = 5;", Code::E2001, "2:10", "begins with 'temp'"),
        ("let x: int = 5", Code::E2001, "2:6", "begins with 'temp'"),
        ("var x int[] = {1}", Code::E2003, "2:11", "begins with 'temp'"),
        ("auto x = 5;", Code::E2001, "2:11", "no ';'"),
        ("dim x", Code::E4001, "2:1", "begins with 'temp'"),
        ("x := 5", Code::E2001, "2:3", "temp x = ..."),
        ("temp a = 1\nint *p = a", Code::E2008, "3:6", "temp p int = ..."),
        ("int b[5];", Code::E2001, "2:9", "temp b [int] = {...}"),
        ("int b;", Code::E2001, "2:6", "temp b int = ..."),
        ("int b[] = {1, 2}", Code::E2003, "2:7", "temp b [int] = {...}"),
        ("int[] b = {1, 2}", Code::E2003, "2:5", "temp b [int] = {...}"),
        ("const int x = 5", Code::E2020, "2:7", "the name: x int"),
        ("int f(int x) { return x }\ndo main() {}", Code::E2001, "1:1", "do f(x int) -> int"),
        ("void f() { }\ndo main() {}", Code::E2001, "1:1", "do f() {"),
        ("fn f() { break }\ndo main() {}", Code::E2001, "1:1", "begins with 'do'"),
        ("function f(x) { return x }\ndo main() {}", Code::E2001, "1:1", "do f(x int) -> int"),
        ("try { break }", Code::E2001, "2:1", "no exceptions"),
        ("import \"./x\" as y\ndo main() {}", Code::E2056, "1:14", "import y\"./x\""),
        ("if (x) f()", Code::E2002, "2:8", "between '{' and '}'"),
        ("async f()", Code::E4001, "2:1", "one after the other"),
    ]);
}

#[test]
fn ranges_of_other_languages_are_translated() {
    helps(&[
        ("for i in 0..10 { f() }", Code::E1016, "2:10", "range(0, 10)"),
        ("for i in (0..10) { f() }", Code::E1016, "2:11", "range(0, 10)"),
        ("for i in 0..=10 { f() }", Code::E1016, "2:10", "range(0, 11)"),
        ("for i in 0...10 { f() }", Code::E1016, "2:10", "range(0, 11)"),
        ("for i in 1..n { f() }", Code::E1016, "2:10", "range(1, n)"),
        ("for i in 1..=n { f() }", Code::E1016, "2:10", "range(1, n + 1)"),
        ("for i in a..b { f() }", Code::E2002, "2:13", "range(a, b)"),
        ("temp x float = 1.", Code::E1016, "2:16", "write 1.0"),
    ]);
}

#[test]
fn values_of_another_type_come_with_how_to_convert_them() {
    helps(&[
        ("temp t float = 3", Code::E3001, "2:6", "write 3.0"),
        ("temp t float = -3", Code::E3001, "2:6", "write -3.0"),
        ("temp t f32 = 3", Code::E3001, "2:6", "write 3.0"),
        ("temp n int = 3\ntemp t float = n", Code::E3001, "3:6", "write float(n)"),
        ("temp n int = 3\ntemp t float = n + 1", Code::E3001, "3:6", "write float(n + 1)"),
        ("temp t float = 1.5\nt = 3", Code::E3001, "3:1", "write 3.0"),
        ("do f(x float) {}\ndo main() { f(3) }", Code::E3001, "2:15", "write 3.0"),
        ("do f(n int) -> float { return n }\ndo main() { }", Code::E3012, "1:24", "write float(n)"),
        ("const P struct { x float }\ndo main() { temp p P = P{x: 1} }", Code::E3001, "2:29", "write 1.0"),
        ("temp a [float] = {1, 2}", Code::E3001, "2:6", "1.0"),
        ("temp n int = 3.5", Code::E3001, "2:6", "int(3.5)"),
        ("temp n int = 3.0", Code::E3001, "2:6", "write 3"),
        ("temp n int = \"5\"", Code::E3001, "2:6", "without quotes"),
        ("temp s string = \"5\"\ntemp n int = s", Code::E3001, "3:6", "cast(s, int)"),
        ("temp s string = 5", Code::E3001, "2:6", "string(5)"),
        ("temp s string = 'a'", Code::E3001, "2:6", "\"a\""),
        ("temp c char = \"a\"", Code::E3001, "2:6", "'a'"),
        ("temp n int = 3\ntemp b bool = n", Code::E3001, "3:6", "n != 0"),
    ]);
}

#[test]
fn unknown_names_lead_to_where_they_are() {
    helps(&[
        ("println(1)", Code::E4002, "2:1", "add 'import @std' and 'using std'"),
        ("import @std\ndo main() { println(1) }", Code::E4002, "2:13", "'std.println(...)'"),
        ("sqrt(4.0)", Code::E4002, "2:1", "call 'math.sqrt(...)'"),
        ("upper(\"a\")", Code::E4002, "2:1", "@strings"),
        ("contains({1}, 1)", Code::E4002, "2:1", "modules that have a 'contains': @"),
        ("temp total int = 1\ntemp x int = totl", Code::E4001, "3:14", "'total'"),
        ("x = 5", Code::E4001, "2:1", "temp x = ..."),
        ("import & use @std\ndo main() { println \"a\" }", Code::E4001, "2:13", "println(...)"),
        ("temp s string = \"a\"\ntemp n int = s.length", Code::E4011, "3:16", "len("),
        ("temp s string = \"a\" + 1", Code::E3002, "2:17", "string(1)"),
        ("temp s string = input(\"name?\")", Code::E5008, "2:17", "print the question first"),
        ("for_each k in {\"a\": 1} { }", Code::E3017, "2:15", "maps.keys(m)"),
        ("temp s str = \"a\"", Code::E3008, "2:8", "'string'"),
        ("temp s databse", Code::E3008, "2:8", "'Database'"),
        ("temp s fileinfo", Code::E3008, "2:8", "'FileInfo'"),
        ("temp s Eror", Code::E3008, "2:8", "'Error'"),
        ("import @std\nusing std\ndo main() { printn(1) }", Code::E4002, "3:13", "'println'"),
        ("temp c = 'é'", Code::E1009, "2:10", "char(\"é\")"),
        (
            "import @std\nusing std\ndo main() {\n  temp i int = 3\n  println(i)\n  ++i\n}",
            Code::E3001,
            "6:3",
            "i++, not ++i",
        ),
        ("temp i = 3.5\n--i", Code::E3001, "3:1", "i--, not --i"),
        (
            "temp a int = 1\ntemp s = \"a \" + \"b\" + a",
            Code::E3002,
            "3:15",
            "string(a), or inside a text: \"${a}\"",
        ),
        ("const C enum { RED }\ndo main() { temp c = C.RAD }", Code::E4004, "2:24", "'RED'"),
        ("const P struct { size int }\ndo main() { temp p P = P{sise: 1} }", Code::E4003, "2:26", "'size'"),
    ]);
}

#[test]
fn a_division_by_zero_points_at_the_operator() {
    let (constant, at) = first("const X int = 1 / 0\ndo main() {}", Code::E5001);
    assert_eq!((at.as_str(), constant.message.as_str()), ("1:17", "division by zero"));
    let (_, at) =
        first("do main() { temp x int = 7 +\n  f(1) % 0 }\ndo f(n int) -> int { return n }", Code::E5002);
    assert_eq!(at, "2:8");
}

#[test]
fn messages_name_what_was_found() {
    for (text, message) in [
        ("do main() { temp x int = (1 }", "expected ')', got '}' instead"),
        ("do main() { f(1 }", "expected ')', got '}' instead"),
        ("do main() { temp x int = }", "expected expression after '='"),
        ("do main() { return 1 + }", "expected an expression, found '}'"),
        ("do main() { f(1 +", "expected an expression, found the end of the file"),
        ("do main() { temp s string = \"${ }\" }", "expected an expression, found '}'"),
        ("do main() { }\n}", "this '}' has no '{' before it"),
        ("do main() { f(1)) }", "this ')' has no '(' before it"),
        ("do 5() { }", "expected a name, got '5' instead"),
        ("do main() { temp x \\ int }", "illegal character '\\' in source"),
        ("do main() { f(\"a\\\n\") }", "invalid escape sequence: '\\' at the end of the line"),
    ] {
        let checked = check_source(text, "a.ez");
        let messages: Vec<&str> = checked.diagnostics.iter().map(|d| d.message.as_str()).collect();
        assert!(messages.contains(&message), "{text}: {messages:?}");
    }
}

/// The error that ends a program whose `main` has these lines.
fn ends(lines: &str) -> RunError {
    let text = format!("import @arrays, @maps, @strings\n{lines}");
    let checked = check_source(&text, "a.ez");
    let program = checked.program.unwrap_or_else(|| panic!("{lines}: {:?}", checked.diagnostics));
    let host = Box::new(ez_runtime::host::SystemHost::new(None));
    let mut vm = Vm::new(program.clone(), host, 1 << 20).expect("a machine");
    match run(&mut vm, &compile_plain(&program)) {
        Outcome::Failed(error) => *error,
        _ => panic!("{lines}: no error"),
    }
}

#[test]
fn a_missing_part_is_named_when_the_program_runs() {
    let absent = "the map has no entry with the key";
    let long = "x".repeat(1_000);
    for (lines, code, wanted) in [
        (
            "do f(&n int) { n = 1 }\ndo main() { temp m map[string:int] = {:} f(m[\"x\"]) }",
            Code::E4001Reference,
            "no entry with the key \"x\"",
        ),
        (
            "do f(&n int) { n = 1 }\ndo main() { temp a [int] = {1} f(a[7]) }",
            Code::E4001Reference,
            "no element 7",
        ),
        (
            "do main() { temp m map[string:int] = {:} m[\"x\"] += 1 }",
            Code::E12003,
            &format!("{absent} \"x\": store one with '='"),
        ),
        ("do main() { temp m map[char:int] = {:} m['\\n'] -= 1 }", Code::E12003, &format!("{absent} '\\n':")),
        (
            "do main() { temp m map[int:int] = {1: 1} m[2]++ }",
            Code::E12001Missing,
            &format!("{absent} 2: store one"),
        ),
        (&format!("do main() {{ temp m map[string:int] = {{:}} m[\"{long}\"] += 1 }}"), Code::E12003, "x…:"),
        ("do main() { temp a [int] = {1, 2} a[2]++ }", Code::E9001, "valid range is 0-1"),
        ("do main() { temp a [int] = {} a[0]++ }", Code::E9001, "the array is empty"),
        ("do main() { temp m map[int:int] = {1: 1} temp x = m[2] x++ }", Code::E12003, "maps.contains"),
        (
            "do main() { temp a [int] = {1} temp x = arrays.get(a, 3) x++ }",
            Code::E5003,
            "the index is 3, the length 1",
        ),
        (
            "do main() { temp a [int] = {1} arrays.set(a, -1, 3) }",
            Code::E5003,
            "the index is -1, the length 1",
        ),
        (
            "do main() { temp a [int] = {1} arrays.insert(a, 2, 3) }",
            Code::E5003,
            "the index is 2, the length 1",
        ),
        (
            "do main() { temp s = strings.char_at(\"abc\", 3) s += s }",
            Code::E10003,
            "the index is 3, the length 3",
        ),
        ("const A map[int:int] = {:}\ndo main() { A[1] = 2 }", Code::E5006, "'A' is a constant"),
        ("const A = 1\ndo main() { A = 2 }", Code::E5013, "'A' is a constant"),
        ("const A [int, 1] = {1}\ndo main() { arrays.set(A, 0, 2) }", Code::E5007, "what a constant holds"),
        (
            "const A map[int:int] = {:}\ndo main() { maps.set(A, 0, 2) }",
            Code::E12002,
            "what a constant holds",
        ),
    ] {
        let error = ends(lines);
        assert_eq!(error.code, code, "{lines}");
        let help = error.help.unwrap_or_default();
        assert!(help.contains(wanted) && help.len() < 200, "{lines}: {help}");
    }
}

/// Neither a long key nor many of them fill the screen.
#[test]
fn keys_in_reports_are_limited() {
    let long = "x".repeat(1_000);
    let lines = format!(
        "do main() {{ temp m map[string:int] = {{:}} for i in range(0, 1000) {{ m[\"${{i}}\"] = i }} temp x = m[\"{long}\"] x++ }}"
    );
    let error = ends(&lines);
    assert!(error.message.len() < 300 && error.message.ends_with("\"19\" …]"), "{}", error.message);
}

#[test]
fn a_literal_without_its_brace_is_reported_once() {
    for (literal, code, place) in [
        ("temp a [int] = {1, 2", Code::E2002, "3:1"),
        ("temp a [int] = {1, 2,", Code::E2001, "3:1"),
        ("temp a map[string:int] = {\"a\": 1", Code::E2002, "3:1"),
        ("temp a [[int]] = {{1}, {2}", Code::E2002, "3:1"),
    ] {
        let text = format!("do main() {{\n{literal}\ntemp b int = 3\n}}\ndo f() {{\n}}\n");
        let (found, at) = first(&text, code);
        assert_eq!(at, place, "{literal}");
        assert_eq!(found.help.as_deref(), Some("the '{' in line 2 has no '}' yet"), "{literal}");
        let reports = check_source(&text, "a.ez").diagnostics;
        assert_eq!(reports.len(), 1, "{literal}: {reports:?}");
    }
    // Another brace is missing, too.
    let text = "do main() {\nif true {\ntemp a [int] = {1, 2\ntemp b int = 3\n}\n";
    let reports = check_source(text, "a.ez").diagnostics;
    assert_eq!(reports.len(), 2, "{reports:?}");
}

#[test]
fn a_module_that_is_run_says_that_others_import_it() {
    let wanted = "for programs that import it: run the one that has main()";
    for (text, is_module) in [
        ("module helper\n\ndo f() -> int {\n    return 1\n}\n", true),
        ("do f() -> int {\n    return 1\n}\n", false),
        ("module helper\n\ndo mian() {\n}\n", false),
    ] {
        let (found, at) = first(text, Code::E4009);
        assert_eq!(at, "1:1");
        assert_eq!(found.help.unwrap_or_default().contains(wanted), is_module, "{text}");
    }
}
