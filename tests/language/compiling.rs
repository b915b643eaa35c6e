//! How programs are compiled: each expression once, within the memory limit, as long as a debugger wants it.

use std::rc::Rc;

use ez_language::check::check_source;
use ez_runtime::interp::compile::Unfinished;
use ez_runtime::interp::compile::testing::{compile_main, most_compiled};
use ez_runtime::interp::{CompiledProgram, Outcome, STACK_SIZE, Vm, compile_plain, run};
use ez_runtime::library::testing::Bench;
use ez_runtime::program::visit::{Visitor, walk};
use ez_runtime::program::{Expr, Program};
use ez_runtime::value::set_memory_limit;
use proptest::prelude::*;

/// Kinds of expressions: an operation of each, with `#` for an expression of the first type; the result has the
/// second. Types: `i`nt, `f`loat, `b`ool, `s`tring, `c`har, `[`int`]`, `m`ap, `p` a struct, `u` a byte, `e`num.
const OPERATIONS: &[(char, &str, char)] = &[
    ('i', "m[#][0]", 'i'),
    ('i', "m[0][#]", 'i'),
    ('i', "a[#]", 'i'),
    ('i', "ra[#]", 'i'),
    ('i', "rm[#][0]", 'i'),
    ('i', "cube[#][0][1]", 'i'),
    ('i', "cube[1][#][0]", 'i'),
    ('i', "ps[#].x", 'i'),
    ('i', "ps[#].a[0]", 'i'),
    ('i', "ps[0].a[#]", 'i'),
    ('i', "p.a[#]", 'i'),
    ('i', "q[#]", 'i'),
    ('i', "qq[#][0]", 'i'),
    ('i', "qq[0][#]", 'i'),
    ('i', "ids(a)[#]", 'i'),
    ('i', "(# + 1)", 'i'),
    ('i', "(i - #)", 'i'),
    ('i', "(# * #)", 'i'),
    ('i', "(# / 2)", 'i'),
    ('i', "(7 % #)", 'i'),
    ('i', "(-#)", 'i'),
    ('i', "id(#)", 'i'),
    ('i', "(id(#) + 1)", 'i'),
    ('i', "(1 - id(#))", 'i'),
    ('i', "two(1, #)", 'i'),
    ('i', "len(m[#])", 'i'),
    ('i', "len(sl[#])", 'i'),
    ('i', "math.max(#, 1)", 'i'),
    ('i', "copy(#)", 'i'),
    ('i', "any_of(#)", 'i'),
    ('i', "ks[#].x", 'i'),
    ('i', "fl[#]", 'f'),
    ('i', "ps[#].f", 'f'),
    ('i', "float(#)", 'f'),
    ('i', "(x + #)", 'f'),
    ('i', "math.sqrt(#)", 'f'),
    ('f', "int(#)", 'i'),
    ('f', "int(x * #)", 'i'),
    ('f', "(# * 2.0)", 'f'),
    ('f', "(# / x)", 'f'),
    ('f', "(-#)", 'f'),
    ('f', "half(#)", 'f'),
    ('f', "(half(#) + 1.0)", 'f'),
    ('f', "math.sin(#)", 'f'),
    ('f', "(# < x)", 'b'),
    ('i', "bl[#]", 'b'),
    ('i', "(!bl[#])", 'b'),
    ('i', "ps[#].b", 'b'),
    ('i', "(# < 3)", 'b'),
    ('i', "(i >= #)", 'b'),
    ('i', "(# == #)", 'b'),
    ('i', "(# in q)", 'b'),
    ('i', "(# !in a)", 'b'),
    ('i', "(# in range(0, #))", 'b'),
    ('b', "(!#)", 'b'),
    ('b', "(# && t)", 'b'),
    ('b', "(t || # || t)", 'b'),
    ('b', "(# == t)", 'b'),
    ('b', "pick(#)", 'i'),
    ('i', "\"a${#}b\"", 's'),
    ('i', "string(#)", 's'),
    ('i', "sl[#]", 's'),
    ('i', "ps[#].s", 's'),
    ('s', "(# + \"x\")", 's'),
    ('s', "(# == \"x\")", 'b'),
    ('s', "strings.upper(#)", 's'),
    ('s', "len(#)", 'i'),
    ('s', "r[#]", 'i'),
    ('s', "rr[#][0]", 'i'),
    ('s', "cast(#, int)", 'i'),
    ('i', "s[#]", 'c'),
    ('c', "(# == 'a')", 'b'),
    ('c', "int(#)", 'i'),
    ('c', "string(#)", 's'),
    ('i', "m[#]", '['),
    ('i', "{#, 2}", '['),
    ('i', "arrays.repeat(#, 2)", '['),
    ('[', "len(#)", 'i'),
    ('[', "ids(#)[0]", 'i'),
    ('[', "(1 in #)", 'b'),
    ('i', "{#: #}", 'm'),
    ('m', "entry(#)[1]", 'i'),
    ('i', "ps[#]", 'p'),
    ('i', "P{x: #, f: 1.0, b: true, s: \"\", a: {}}", 'p'),
    ('p', "same(#).x", 'i'),
    ('p', "same(#).a[0]", 'i'),
    ('i', "bytes_[#]", 'u'),
    ('i', "byte(#)", 'u'),
    ('u', "int(#)", 'i'),
    ('u', "(# + b8)", 'u'),
    ('i', "es[#]", 'e'),
    ('e', "(# == E.A)", 'b'),
    ('e', "kind(#)", 'i'),
    ('i', "cast(#, i8)", 'i'),
];

/// Statements with an `int` expression.
const STATEMENTS: &[&str] = &[
    "println(#)",
    "temp v int = #",
    "temp v float = fl[#]",
    "temp v i8 = #",
    "temp v [int] = m[#]",
    "temp v = ps[#]",
    "i = #",
    "i += #",
    "i8_ -= #",
    "x = fl[#]",
    "x *= fl[#]",
    "t = bl[#]",
    "s = sl[#]",
    "s += sl[#]",
    "a[#] = 1",
    "a[#] += #",
    "a[#]++",
    "ra[#] = 1",
    "m[#][0] = 1",
    "m[#][0] *= 2",
    "m[#][0]--",
    "m[0][#] = #",
    "m[#] = a",
    "rm[#][0] = 1",
    "cube[#][0][1] = 1",
    "fl[#] = x",
    "fl[#] /= 2.0",
    "bl[#] = t",
    "sl[#] = s",
    "sl[#] += s",
    "ps[#].x = #",
    "ps[#].x += #",
    "ps[#].f = x",
    "ps[#].f += x",
    "ps[#].a[0] = 1",
    "ps[#].s = s",
    "ps[#] = p",
    "q[#] = #",
    "q[#] += #",
    "q[#]++",
    "qq[#][0] = #",
    "qq[#][0] += #",
    "r[sl[#]] = #",
    "r[sl[#]] += 1",
    "rr[sl[#]][0] = 1",
    "s[#] = 'c'",
    "ids(a)[#] = 1",
    "es[#] = E.A",
    "bytes_[#] = b8",
    "arrays.append(a, #)",
    "arrays.append(ra, #)",
    "arrays.append(m[#], #)",
    "arrays.append(fl, fl[#])",
    "arrays.append(bl, bl[#])",
    "arrays.append(sl, sl[#])",
    "id(#)",
    "temp _ = two(#, #)",
    "change(m[#][0])",
    "change(ps[#].x)",
    "temp v = ref(m[#][0])",
    "ensure change(i)",
    "if # < 1 { } or i < # { } otherwise { i = # }",
    "if bl[#] { }",
    "as_long_as # < 0 { i = # }",
    "for k in range(#, #) { i = # }",
    "for_each k in m[#] { i = # }",
    "when int(#) { is 1, 2 { i = # } is range(5, 9) { } default { i = # } }",
    "when sl[#] { is \"a\" { i = # } default { } }",
    "return #",
];

const DECLARATIONS: &str = "import @std, @math, @strings, @arrays
using std
const P struct { x int f float b bool s string a [int] }
const E enum { A B }
temp ks [P] = {}
temp g int = 0
do id(n int) -> int { return n }
do two(n int, k int) -> int { return n + k }
do half(n float) -> float { return n }
do pick(c bool) -> int { if c { return 1 } return 0 }
do ids(l [int]) -> [int] { return l }
do entry(l map[int:int]) -> map[int:int] { return l }
do same(l P) -> P { return l }
do kind(l E) -> int { return 1 }
do any_of(l int) -> int { return g }
do change(&l int) { l += 1 }
do f(&ra [int], &rm [[int]]) -> int {
    temp m [[int]] = {{0, 1}, {1, 0}}
    temp cube [[[int]]] = {{{0, 1}, {1, 0}}}
    temp a [int] = {0, 1}
    temp fl [float] = {0.5}
    temp bl [bool] = {true}
    temp sl [string] = {\"a\"}
    temp bytes_ [byte] = {1}
    temp es [E] = {E.A}
    temp p P = new(P)
    temp ps [P] = {p}
    temp q map[int:int] = {0: 0}
    temp qq map[int:map[int:int]] = {0: {0: 0}}
    temp r map[string:int] = {\"a\": 0}
    temp rr map[string:[int]] = {\"a\": {0}}
    temp i int = 0
    temp i8_ i8 = 0
    temp b8 byte = 1
    temp x float = 0.5
    temp t bool = true
    temp s string = \"abc\"
";

/// Nests operations: one of these, chosen by the next number, is put around the expression, `depth` times.
fn nested(choices: &[usize], depth: usize) -> String {
    let (mut e, mut ty) = ("i".to_string(), 'i');
    let mut used = 0;
    // Only one of several `#` gets the expression, so that it grows linearly.
    let put = |template: &str, e: &str| template.replacen('#', e, 1).replace('#', "i");
    while used < depth || ty != 'i' {
        let of_type: Vec<_> = OPERATIONS.iter().filter(|(from, _, _)| *from == ty).collect();
        let choice = choices.get(used % choices.len()).copied().unwrap_or_default();
        // At the end, back to an integer.
        let ends = used >= depth;
        let found = of_type.iter().find(|(_, _, to)| *to == 'i').filter(|_| ends);
        let Some(&&(_, template, to)) = found.or(of_type.get(choice % of_type.len())) else { break };
        let simple = match ty {
            'i' => "i",
            'b' => "t",
            _ => "",
        };
        let template = match simple {
            "" => template.to_string(),
            simple => template.replacen('#', "@", 1).replace('#', simple).replace('@', "#"),
        };
        (e, ty) = (put(&template, &e), to);
        used += 1;
    }
    e
}

/// How often each expression of a program with this statement is compiled at most, and how many there are.
fn compiled(e: &str, statement: &str) -> (u32, u32) {
    struct Count(u32);
    impl Visitor for Count {
        fn expr(&mut self, _: &Expr) {
            self.0 += 1;
        }
    }
    let statement = statement.replace('#', e);
    let source = format!("{DECLARATIONS}    {statement}\n    return i\n}}\ndo main() {{ }}\n");
    let checked = check_source(&source, "nested.ez");
    let program = checked.program.unwrap_or_else(|| panic!("{source}\n{:?}", checked.diagnostics));
    let mut nodes = Count(0);
    program.functions.iter().for_each(|function| walk(&function.body.stmts, &mut nodes));
    (most_compiled(&program), nodes.0)
}

/// An expression may be compiled to a value, which is compiled to a register, or the other way round.
const MOST: u32 = 3;

// invariant 30
#[test]
fn each_expression_is_compiled_once_in_each_operation() {
    for choice in 0..OPERATIONS.len() {
        let (most, _) = compiled(&nested(&[choice], 12), "println(#)");
        assert!(most <= MOST, "{most} times: {}", nested(&[choice], 12));
    }
}

// invariant 30
#[test]
fn each_expression_is_compiled_once_in_each_pair_of_operations() {
    let pairs =
        (0..OPERATIONS.len()).flat_map(|outer| (0..OPERATIONS.len()).map(move |inner| [outer, inner]));
    for choices in pairs {
        let e = nested(&choices, 6);
        let (most, _) = compiled(&e, "println(#)");
        assert!(most <= MOST, "{most} times: {e}");
    }
}

// invariant 30
#[test]
fn each_expression_is_compiled_once_in_each_statement() {
    for statement in STATEMENTS {
        for choices in [&[0], &[2], &[11]] {
            let (most, _) = compiled(&nested(choices, 6), statement);
            assert!(most <= MOST, "{most} times: {statement}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    // invariant 30
    #[test]
    fn each_expression_is_compiled_once(
        choices in prop::collection::vec(0usize..1000, 1..8),
        statement in prop::sample::select(STATEMENTS),
        depth in 1usize..24,
    ) {
        let e = nested(&choices, depth);
        let (most, nodes) = compiled(&e, statement);
        prop_assert!(most <= MOST, "{most} times, of {nodes}: {statement}, {e}");
    }
}

/// A program with many expressions.
fn long_program() -> Rc<Program> {
    let items = vec!["g"; 20_000].join(", ");
    let source =
        format!("import @std\nusing std\ntemp g int = 1\ndo main() {{\n    println(len({{{items}}}))\n}}\n");
    check_source(&source, "long.ez").program.expect("it checks")
}

fn print_it(program: &Rc<Program>, compiled: &CompiledProgram) -> Outcome {
    let mut vm = Vm::new(program.clone(), Box::new(Bench::default()), STACK_SIZE).expect("a machine");
    run(&mut vm, compiled)
}

// invariant 14
#[test]
fn compiling_goes_on_as_long_as_the_debugger_wants() {
    let program = long_program();
    for wanted in [0, 1, 5, usize::MAX] {
        let (unfinished, asked) = compile_main(&program, wanted);
        match wanted {
            usize::MAX => assert!(unfinished.is_none() && asked > 50, "{asked}"),
            _ => assert_eq!((unfinished, asked), (Some(Unfinished::Interrupted), wanted + 1)),
        }
    }
}

// invariant 18
#[test]
fn a_program_that_does_not_fit_into_memory_fails_when_it_runs() {
    let program = std::thread::spawn(|| {
        let program = long_program();
        set_memory_limit(Some(1));
        let compiled = compile_plain(&program);
        set_memory_limit(None);
        match print_it(&program, &compiled) {
            Outcome::Failed(error) => {
                assert!(error.message.starts_with("out of memory"), "{}", error.message)
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(print_it(&program, &compile_plain(&program)), Outcome::Finished));
    });
    program.join().expect("no panic");
}
