//! Checking and compiling take time in proportion to the size of a program: instructions, counted by valgrind, which are
//! the same in each run. A program with four times as many parts as a first one may take little more than twice as many
//! beyond those of one with two times as many than that beyond the first.
//!
//! To add a shape, write a row: its name, what stands before its parts, a part, and what stands after. `#` is the number
//! of the part; with a `,` or an operator at its end, a part is joined with others in one line.

use std::fs::write;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use support::ez_path;

use crate::tool::{find, run, trial};

/// Parts of the smallest program.
const PARTS: usize = 150;

/// How much more the second step may take than the first, which is half of it.
const MOST: f64 = 2.15;

/// Makes the files of a program in a folder, with this many parts.
type Files = fn(&Path, usize);

const HEAD: &str = "import @std\nusing std\ndo f(n int) -> int { return n }\n";

const SHAPES: &[(&str, &str, &str, &str)] = &[
    ("variables", "do main() {\n temp i = 1", "temp v# int = i", "}"),
    ("inferred", "do main() {\n temp i = 1", "temp v# = f(i)", "}"),
    ("used", "do main() {\n temp i = 1", "temp v# int = i\n i += v#", "}"),
    ("scopes", "do main() {\n temp i = 1", "if i > 0 { temp v# int = i\n i += v# }", "}"),
    ("loops", "do main() {\n temp i = 1", "for k in range(0, 2) { i += k }", "}"),
    ("references", "do main() {\n temp i = 1", "temp v# int = i\n temp r# = ref(v#)", "}"),
    ("ensure", "do main() {\n temp i = 1", "ensure f(i)", "}"),
    ("ensured_variables", "do main() {", "temp v# = 1\n ensure f(v#)", "}"),
    ("ensure_in_a_scope", "do main() {\n temp i = 1\n if i > 0 {", "temp v# = 1\n ensure f(v#)", "} }"),
    ("ensure_in_scopes", "do main() {\n temp i = 1", "if i > 0 { ensure f(i) }", "}"),
    ("using", "do main() {", "using std\n println(#)", "}"),
    (
        "paths",
        "const Q struct { n int }\nconst P struct { q Q }\ndo main() {",
        "temp p# = P{q: Q{n: 1}}\n println(p#.q.n)",
        "}",
    ),
    ("parameters", "do g(", "p# int,", "last int) { }\ndo main() { }"),
    ("arguments", "do main() {\n println(", "f(#),", "1)\n}"),
    ("globals", "", "temp g# int = 1\n do h#() { g# += 1 }", "do main() { }"),
    ("constants", "", "const C# int = #\n do h#() { println(C#) }", "do main() { }"),
    ("functions", "", "do g#() -> int { return # }\n do h#() { println(g#()) }", "do main() { }"),
    ("array", "do main() {\n temp a [int] = {", "#,", "1}\n}"),
    ("arrays", "do main() {\n temp a [[int]] = {", "{#, 2},", "{1}}\n}"),
    ("strings", "do main() {\n temp a [string] = {", "\"#\",", "\"a\"}\n}"),
    ("map", "do main() {\n temp m map[string:int] = {", "\"#\": #,", "\"a\": 1}\n}"),
    ("map_of_ints", "do main() {\n temp m map[int:int] = {", "#: #,", "1: 1}\n}"),
    ("members", "const P struct {", "m# int", "}\ndo main() { temp p = new(P)\n println(p) }"),
    (
        "given_members",
        "const P struct { n int\n s string }\ndo main() {",
        "temp p# = P{n: #, s: \"\"}\n println(p#.n)",
        "}",
    ),
    ("structs", "", "const P# struct { n int }\n do h#(p P#) -> int { return p.n }", "do main() { }"),
    ("enum", "const E enum {", "M#", "}\ndo main() { println(E.M1000) }"),
    ("enums", "", "const E# enum { A }\n do h#(e E#) -> bool { return e == E#.A }", "do main() { }"),
    ("when", "do main() {\n temp i = 1\n when i {", "is # { i = # }", "default { } }\n}"),
    ("when_of_a_list", "do main() {\n temp i = 1\n when i { is", "#,", "1 { i = 2 }\n default { } }\n}"),
    (
        "when_of_strings",
        "do main() {\n temp s = \"a\"\n when s {",
        "is \"#\" { s = \"\" }",
        "default { } }\n}",
    ),
    (
        "when_of_ranges",
        "do main() {\n temp i = 1\n when i {",
        "is range(#0, #9) { i = # }",
        "default { } }\n}",
    ),
    ("arms", "do main() {\n temp i = 1\n if i == 0 { }", "or i == # { i = # }", "}"),
    ("operands", "do main() {\n temp i = 1\n temp b = ", "i == # ||", "i == 1\n}"),
    ("sum", "do main() {\n temp i = 1\n i = ", "i +", "1\n}"),
    ("text", "do main() {\n temp i = 1\n temp s = \"", "a${i}+", "\"\n}"),
    ("statements", "do main() {\n temp i = 1", "i += #", "}"),
    ("calls", "do main() {\n temp i = 1", "i = f(#)", "}"),
    ("returns", "do g(i int) -> int {", "if i == # { return # }", "return 0 }\ndo main() { }"),
    ("nested_calls", "do main() {", "println(f(f(f(f(#)))))", "}"),
    ("comments", "do main() {", "// a comment", "}"),
    ("errors", "do main() {\n temp i = 1", "i = \"#\"", "}"),
];

const FOLDERS: &[(&str, Files)] = &[("files", star), ("chained_files", chain), ("files_of_a_module", folder)];

pub fn trials() -> Vec<Trial> {
    let has_valgrind = find(&["valgrind"]).is_some();
    let shape = |(name, before, part, after): &'static (&str, &str, &str, &str)| {
        let files = move |folder: &Path, parts| {
            let text = format!("{HEAD}{before}{}{after}\n", repeated(part, parts));
            write(folder.join("main.ez"), text).unwrap();
        };
        trial(&format!("growth::{name}"), "valgrind", has_valgrind, move || {
            is_linear(*name != "errors", files)
        })
    };
    let files = |(name, files): &(&str, Files)| {
        let files = *files;
        trial(&format!("growth::{name}"), "valgrind", has_valgrind, move || is_linear(true, files))
    };
    SHAPES.iter().map(shape).chain(FOLDERS.iter().map(files)).collect()
}

/// The parts, with numbers of as many digits.
fn repeated(part: &str, parts: usize) -> String {
    let between = if part.ends_with([',', '+', '|']) { " " } else { "\n" };
    (0..parts)
        .map(|k| part.replace('#', &(1000 + k).to_string()))
        .fold(between.to_string(), |text, part| text + &part + between)
}

// invariant 30
fn is_linear(is_right: bool, files: impl Fn(&Path, usize)) {
    let [one, two, four] = [1, 2, 4].map(|times| {
        let folder = tempfile::tempdir().unwrap();
        files(folder.path(), times * PARTS);
        let main = folder.path().join("main.ez");
        // Checked, compiled and run.
        instructions(&main, is_right)
    });
    let (first, second) = (two - one, four - two);
    assert!(
        second <= MOST * first,
        "{first} instructions for {PARTS} parts more, {second} for twice as many: {:.2} times",
        second / first,
    );
}

fn instructions(program: &Path, is_right: bool) -> f64 {
    let mut valgrind = Command::new("valgrind");
    // Whether large memory is fresh, or has to be cleared, is the same for all sizes then.
    valgrind.env("MALLOC_MMAP_THRESHOLD_", "131072");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    let output = run(valgrind.arg(ez_path()).arg(program));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.success(), is_right, "{said}");
    let count = said.lines().find_map(|line| line.split("Collected : ").nth(1));
    count.unwrap_or_else(|| panic!("{said}")).trim().parse().unwrap()
}

/// A main file that imports all others.
fn star(folder: &Path, files: usize) {
    let imports = repeated("import \"./m#\"", files);
    let calls = repeated("println(m#.f())", files);
    let main = format!("import @std\n{imports}\nusing std\ndo main() {{\n{calls}\n}}\n");
    write(folder.join("main.ez"), main).unwrap();
    for k in 1000..1000 + files {
        let text = format!("module m{k}\ndo f() -> int {{ return {k} }}\n");
        write(folder.join(format!("m{k}.ez")), text).unwrap();
    }
}

/// Each file imports the next one.
fn chain(folder: &Path, files: usize) {
    write(folder.join("main.ez"), "import \"./m0\"\ndo main() { temp _ = m0.f() }\n").unwrap();
    for k in 0..files {
        let next = k + 1;
        let (import, value) = match next < files {
            true => (format!("import \"./m{next}\""), format!("m{next}.g()")),
            false => (String::new(), "1".to_string()),
        };
        let text = format!(
            "module m{k}\n{import}\ndo f() -> int {{ return {value} }}\ndo g() -> int {{ return {k} }}\n"
        );
        write(folder.join(format!("m{k}.ez")), text).unwrap();
    }
}

/// A module of many files.
fn folder(folder: &Path, files: usize) {
    let calls = repeated("println(lib.f#())", files);
    let main = format!("import @std\nimport \"./lib\"\nusing std\ndo main() {{\n{calls}\n}}\n");
    write(folder.join("main.ez"), main).unwrap();
    std::fs::create_dir(folder.join("lib")).unwrap();
    for k in 1000..1000 + files {
        let text = format!("module lib\ntemp g{k} int = {k}\ndo f{k}() -> int {{ return g{k} }}\n");
        write(folder.join("lib").join(format!("m{k}.ez")), text).unwrap();
    }
}
