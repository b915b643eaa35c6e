//! Small pieces of programs that random statements rarely make: recursive structures, aliases, values that
//! are changed while they are in use, input, files.

use super::Generator;
use super::types::INT;

/// Statements, with the declarations that they need, by name. `#` is a number of their own.
struct Idiom {
    needs: &'static [(&'static str, &'static str)],
    lines: &'static [&'static str],
}

const NODE: (&str, &str) =
    ("Node", "const Node struct {\n    value int\n    next Node\n    kids [Node]\n}\n");

const GROW: (&str, &str) = (
    "grow",
    "do grow(&s string) -> int {\n    s = strings.repeat(\"z\", 3)\n    temp a string = strings.repeat(\"q\", 50)\n    \
     return len(a) % 3\n}\n",
);

const EMPTY: (&str, &str) = (
    "refill",
    "do refill(&a [int]) -> int {\n    a = arrays.repeat(7, 4)\n    temp b [int] = arrays.repeat(8, 30)\n    \
     return len(b) % 4\n}\n",
);

const REPLACE: (&str, &str) = (
    "replace_map",
    "do replace_map(&m map[string:int]) -> string {\n    m = {\"x\": 1, \"y\": 2}\n    \
     temp n map[string:int] = {\"q\": 5}\n    return \"x\"\n}\n",
);

const IDIOMS: &[Idiom] = &[
    // A list, built at its front.
    Idiom {
        needs: &[NODE],
        lines: &[
            "temp head# Node = nil",
            "for i# in range(0, 4) {",
            "    temp node# = Node{value: i#, next: head#, kids: {}}",
            "    head# = node#",
            "}",
            "temp walk# = ref(head#)",
            "temp steps# int = 0",
            "as_long_as steps# < 6 && walk# != nil {",
            "    println(walk#.value)",
            "    steps# += 1",
            "    walk# = walk#.next",
            "}",
        ],
    },
    // A tree, and a walk over it.
    Idiom {
        needs: &[
            NODE,
            (
                "tree",
                "do tree(depth int) -> Node {\n    temp n = Node{value: depth, next: nil, kids: {}}\n    \
                 if depth > 0 {\n        arrays.append(n.kids, tree(depth - 1))\n        \
                 arrays.append(n.kids, tree(depth - 1), tree(0))\n    }\n    return n\n}\n",
            ),
            (
                "total",
                "do total(n Node) -> int {\n    temp sum int = n.value\n    for_each kid in n.kids {\n        \
                 sum += total(kid)\n    }\n    return sum\n}\n",
            ),
        ],
        lines: &["temp tree# = tree(2)", "tree#.kids[0].value = 100", "println(total(tree#), tree#)"],
    },
    // An object that holds itself.
    Idiom {
        needs: &[NODE],
        lines: &[
            "temp own# = Node{value: 1, next: nil, kids: {}}",
            "arrays.append(own#.kids, own#)",
            "println(len(own#.kids[0].kids), own#)",
            "own#.kids[0].value = 2",
            "println(own#.value)",
        ],
    },
    // Values that are changed between their use and the end of the expression.
    Idiom {
        needs: &[GROW],
        lines: &[
            "temp s# string = strings.repeat(\"a\", 60)",
            "println(\"${s#[grow(s#)]} ${s#}\")",
            "s# = strings.repeat(\"b\", 60)",
            "println(s# + string(grow(s#)) + s#)",
            "s# = strings.repeat(\"c\", 60)",
            "println({s#, string(grow(s#)), s#})",
            "s# = strings.repeat(\"d\", 60)",
            "println(strings.slice(s#, grow(s#)), s# == s#)",
        ],
    },
    Idiom {
        needs: &[EMPTY],
        lines: &[
            "temp a# [int] = {1, 2, 3, 4}",
            "println(a#[refill(a#)], a#)",
            "a#[refill(a#)] += refill(a#)",
            "a#[1] = a#[2] + refill(a#)",
            "for_each e# in a# {",
            "    temp _ = refill(a#)",
            "    println(e#)",
            "}",
            "println(arrays.concat(a#, {refill(a#)}), (a#[0] in a#))",
        ],
    },
    Idiom {
        needs: &[REPLACE],
        lines: &[
            "temp m# map[string:int] = {\"x\": 5, \"z\": 6}",
            "println(m#[replace_map(m#)], m#)",
            "m#[replace_map(m#)] += len(replace_map(m#))",
            "println(maps.get(m#, replace_map(m#), 4), m#)",
        ],
    },
    // References to elements that outlive what they are in.
    Idiom {
        needs: &[
            ("swap", "do swap(&a int, &b int) {\n    temp old int = a\n    a = b\n    b = old\n}\n"),
            (
                "keep",
                "do keep(&n int, &all [int]) {\n    all = {9, 9}\n    n += 1\n    arrays.append(all, n)\n    n = 5\n}\n",
            ),
        ],
        lines: &[
            "temp l# [int] = {1, 2, 3}",
            "swap(l#[0], l#[2])",
            "keep(l#[1], l#)",
            "println(l#)",
            "temp x# int = 1",
            "swap(x#, x#)",
            "temp refs# = {ref(x#), ref(x#)}",
            "println(refs#, typeof(x#))",
        ],
    },
    // Shared objects: elements that are appended are the same objects.
    Idiom {
        needs: &[],
        lines: &[
            "temp inner# [int] = {1}",
            "temp outer# [[int]] = {inner#, inner#}",
            "arrays.append(outer#, inner#)",
            "arrays.append(inner#, 2)",
            "println(outer#, (inner# in outer#), (outer#[2] == inner#))",
            "temp again# = copy(outer#)",
            "again#[2][0] = 7",
            "println(outer#, again#)",
        ],
    },
    // Input.
    Idiom {
        needs: &[],
        lines: &[
            "temp number#, wrong# = read_int()",
            "println(number#, wrong#)",
            "temp line# string = input()",
            "println(\"<${line#}>\")",
        ],
    },
    // Files.
    Idiom {
        needs: &[],
        lines: &[
            "temp done#, e# = io.write_file(\"note#\", \"some text\\nand more\")",
            "temp text#, f# = io.read_file(\"note#\")",
            "println(done#, e#, text#, f#)",
            "temp gone#, g# = io.remove(\"note#\")",
            "if (g# != nil) { println(g#.message) }",
        ],
    },
    Idiom {
        needs: &[(
            "Pair",
            "const Pair struct {\n    message string\n    code int\n    tags [string]\n    more map[string:int]\n}\n",
        )],
        lines: &[
            "temp p#, e# = json.decode(\"{\\\"message\\\": \\\"é\\\", \\\"code\\\": 7, \\\"tags\\\": [\\\"a\\\"], \\\"more\\\": {\\\"k\\\": 1}}\", Pair)",
            "if e# == nil { println(p#.tags, p#.more) } otherwise { println(e#) }",
        ],
    },
    // Calls in calls, until the fuel is used up.
    Idiom {
        needs: &[
            ("even", "do even(n int) -> bool {\n    if n <= 0 { return true }\n    return odd(n - 1)\n}\n"),
            (
                "odd",
                "do odd(n int) -> bool {\n    ensure count(1)\n    if n <= 0 { return false }\n    return even(n - 1)\n}\n",
            ),
            ("count", "temp counted int = 0\n\ndo count(n int) {\n    counted += n\n}\n"),
        ],
        lines: &["println(even(9), odd(4), counted)"],
    },
    Idiom { needs: &[], lines: &["sleep_milliseconds(1)"] },
];

/// Run-time errors, each certain.
const FAILURES: &[&str] = &[
    "{1, 2}[zero + 5]",
    "10 / zero",
    "10 % zero",
    "{\"a\": 1}[string(zero)]",
    "len(strings.repeat(\"x\", zero - 1))",
    "i8(zero + 1000)",
    "9223372036854775807 + 1 + zero",
    "cast(\"x\", int) + zero",
    "int(char(zero - 1))",
];

impl Generator {
    /// One of the pieces.
    pub fn idiom(&mut self) {
        if self.choices.one_in(12) {
            let failure = *self.choices.pick(FAILURES);
            self.need("zero", "const zero int = 0\n");
            return self.line(&format!("println({failure})"));
        }
        let idiom = self.choices.pick(IDIOMS);
        for (name, text) in idiom.needs {
            self.need(name, text);
        }
        let number = self.name("_");
        let input = idiom.lines[0].contains("read_int");
        // Ends in ones of these are many, so not in each round of a loop.
        if self.loops > 0 && input {
            let value = self.expression(&INT, 1);
            return self.line(&format!("println({value})"));
        }
        for line in idiom.lines {
            self.line(&line.replace('#', &number));
        }
    }
}
