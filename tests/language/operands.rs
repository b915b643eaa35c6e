//! What is computed from locals, for which there are closures of special forms, is what is computed from fields; what
//! library functions do with registers is what they do with values.

use std::cell::RefCell;
use std::rc::Rc;

use crate::plain::run;
use ez_engine::recording::ReplayHost;
use proptest::prelude::*;

const INTS: &[&str] =
    &["0", "1", "2", "-1", "-7", "9223372036854775807", "-9223372036854775808", "4611686018427387904"];

const FLOATS: &[&str] = &["0.0", "1.0", "-2.5", "3.0", "1e-300", "1e200", "1e308", "-1e308"];

/// Uses of an integer `#`, in a function with an array `t` of nine integers and one of bools.
const INT_USES: &[&str] = &[
    "println(#)",
    "println(t[#])",
    "println(s[#])",
    "t[#] = t[#] + 1",
    "t[1] = t[#]",
    "t[#] = t[a]",
    "s[#] = true",
    "println(t[#] < b && t[b] >= #)",
    "if # != b || b > a { println(\"yes\") }",
    "temp n@ int = t[#]\nprintln(n@)",
    "temp n@ int = 0\nas_long_as n@ < # {\nn@ += 3\nif n@ > 9 { break }\n}\nprintln(n@)",
    "println(t[b] == a)",
    "println(3 <= t[#])",
    "println(# * b + c, (# * 3) % 7, (a * b - #) / 5, (a * 2) * (#))",
    "println((a * b) % #)",
    "if a == 1 || a == 2 || a == -7 { println(#) }",
    "println(b != 0 && b != -7 && b != 9223372036854775807)",
    "if t[#] > 0 && s[b] && t[c] >= t[b] { println(\"yes\") } otherwise { println(\"no\") }",
    "if s[b] || t[c] != # { println(\"yes\") }",
    "temp n@ int = a\nn@ += b\nn@ *= #\nn@ -= 5\nprintln(n@)",
    "temp n@ int = b\nas_long_as n@ < 9 && t[n@] != # {\nn@ += 1\nif n@ < 0 { break }\n}\nprintln(n@)",
];

/// The same of a float.
const FLOAT_USES: &[&str] = &[
    "println(#)",
    "temp n@ float = #\nprintln(n@)",
    "temp n@ float = 1.0\nn@ = #\nn@ -= #\nprintln(n@)",
    "println(# < y)",
    "if z >= # { println(\"yes\") }",
    "if # > 1.5 { println(\"yes\") } otherwise { println(\"no\") }",
    "if # <= z || y != # { println(\"yes\") }",
    "temp n@ float = # + float(a)\nprintln(n@)",
];

/// Calls of the library that are done with registers; `I` is an integer, `F` a float.
const CALLS: &[&str] = &[
    "math.abs(I)",
    "math.abs(F)",
    "math.sign(I)",
    "math.min(I, I)",
    "math.max(I, I)",
    "math.min(F, I)",
    "math.max(F, F)",
    "math.is_even(I)",
    "math.is_odd(I)",
    "math.pow(F, F)",
    "math.pow(F, I)",
    "math.floor(F)",
    "math.ceil(F)",
    "math.round(F)",
    "math.trunc(F)",
    "math.sqrt(F)",
    "math.sqrt(I)",
    "math.sin(F)",
    "math.cos(I)",
    "arrays.get(t, I)",
    "arrays.first(t)",
    "arrays.last(t)",
    "arrays.first(w)",
    "arrays.get(w, I)",
    "arrays.get(s, I)",
    "maps.get(m, I, I)",
    "maps.get(n, I, F)",
    "maps.get(l, \"a\", I)",
    "maps.contains(l, \"a\")",
];

/// Statements of that kind.
const CHANGES: &[&str] = &[
    "arrays.set(t, I, I)",
    "arrays.set(w, I, F)",
    "arrays.set(u, I, I)",
    "arrays.append(t, I)",
    "arrays.append(u, I)",
    "arrays.append(u, g)",
    "maps.set(m, I, I)",
    "maps.set(n, I, F)",
    "maps.set(l, \"a\", I)",
    "maps.remove(m, I)",
    "maps.remove(n, I)",
    "maps.remove(l, \"a\")",
];

fn sum() -> impl Strategy<Value = String> {
    let number = prop::sample::select(&["a", "b", "c", "a", "b", "c", "1", "2", "9223372036854775807"][..]);
    prop::collection::vec((number, prop::sample::select(&[" + ", " - "][..])), 1..11).prop_map(|terms| {
        terms
            .iter()
            .enumerate()
            .map(|(i, (number, sign))| format!("{}{number}", if i > 0 { sign } else { "" }))
            .collect()
    })
}

fn formula() -> impl Strategy<Value = String> {
    let number =
        prop::sample::select(&["x", "y", "z", "x", "y", "z", "2.0", "0.5"][..]).prop_map(String::from);
    number.prop_recursive(5, 20, 2, |inner| {
        (inner.clone(), prop::sample::select(&["+", "-", "*", "*", "/", "/"][..]), inner, any::<bool>())
            .prop_map(
                |(left, op, right, both)| {
                    if both { format!("({left}) {op} ({right})") } else { format!("({left}) {op} x") }
                },
            )
    })
}

/// How a program ends that uses these numbers in such ways, and what it prints. `fields`: they are fields.
fn outcome(ints: &[&str], floats: &[&str], uses: &[String], fields: bool) -> String {
    let names = ["a", "b", "c", "x", "y", "z"];
    let mut body = uses.join("\n");
    if fields {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        body = body
            .split_inclusive(|c| !is_name(c))
            .map(|part| match names.iter().find(|name| part.trim_end_matches(|c| !is_name(c)) == **name) {
                Some(_) => format!("o.{part}"),
                _ => part.to_string(),
            })
            .collect();
    }
    let (parameters, values) = if fields {
        ("o O".to_string(), format!("O{{{}}}", zip(&names, &[ints, floats].concat(), ": ")))
    } else {
        ("a int, b int, c int, x float, y float, z float".to_string(), [ints, floats].concat().join(", "))
    };
    let program = format!(
        "import @std\nusing std\nconst O struct {{\na int\nb int\nc int\nx float\ny float\nz float\n}}\ndo f({parameters}) {{\n\
         temp t [int] = {{0, 1, 2, -1, 4, 9223372036854775807, 6, 7, 8}}\n\
         temp s [bool] = {{true, false, true, false, true, false, true, false, true}}\n{body}\nprintln(t, s)\n}}\n\
         do main() {{\nf({values})\n}}\n"
    );
    ended(&program)
}

/// How a program ends that has these calls, with these numbers, and what it prints. `values`: their types are not known
/// before it runs.
fn called(ints: &[&str], floats: &[&str], calls: &[&str], values: bool) -> String {
    let body: String = (0..)
        .zip(calls)
        .map(|(i, call)| {
            let (mut call, mut next) = (call.to_string(), 0..);
            for (letter, names) in [("I", ["a", "b"]), ("F", ["x", "y"])] {
                while let Some(at) = call.find(&format!("({letter}")).or(call.find(&format!(" {letter}"))) {
                    let number: usize = next.next().unwrap_or_default();
                    call.replace_range(at + 1..at + 2, names[number % 2]);
                }
            }
            let result = if CHANGES.contains(&calls[i]) { String::new() } else { format!("temp r{i} = ") };
            let shown = if result.is_empty() { String::new() } else { format!("println(r{i})\n") };
            format!("{result}{call}\n{shown}")
        })
        .collect();
    let declarations = [
        ("a int", ints[0]),
        ("b int", ints[1]),
        ("x float", floats[0]),
        ("y float", floats[1]),
        ("t [int]", "{0, 7, -7}"),
        ("u [u8]", "{1, 2}"),
        ("w [float]", "{}"),
        ("s [bool]", "{true, false}"),
        ("m map[int:int]", "{1: 2, -7: 9}"),
        ("n map[int:float]", "{2: 0.5}"),
        ("l map[string:int]", "{\"a\": 1, \"b\": 2}"),
        ("g u8", "200"),
    ];
    let declared = declarations.map(|(name, value)| {
        let (name, ty) = name.split_once(' ').unwrap_or_default();
        match values {
            true => {
                format!("temp {name}_ {ty} = {value}\ntemp {name} = maps.to_array({{0: {name}_}})[0][1]\n")
            }
            false => format!("temp {name} {ty} = {value}\n"),
        }
    });
    let declared = declared.concat();
    ended(&format!(
        "import @std, @math, @arrays, @maps\nusing std\ndo main() {{\n{declared}ensure println(t, u, w, m, n, l)\n{body}}}\n"
    ))
}

/// How a program ends, and what it prints.
fn ended(program: &str) -> String {
    let printed = Rc::<RefCell<String>>::default();
    let output = printed.clone();
    let print = move |_, text: &str| output.borrow_mut().push_str(text);
    let (host, _) = ReplayHost::new(Box::new(|| Ok(None)), Box::new(print));
    let end = run(program, Box::new(host));
    format!("{}{end}", printed.borrow())
}

fn zip(names: &[&str], values: &[&str], between: &str) -> String {
    let pairs: Vec<String> =
        names.iter().zip(values).map(|(name, value)| format!("{name}{between}{value}")).collect();
    pairs.join(", ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn locals_are_as_good_as_fields(
        ints in prop::collection::vec(prop::sample::select(INTS), 3),
        floats in prop::collection::vec(prop::sample::select(FLOATS), 3),
        int_uses in prop::collection::vec((prop::sample::select(INT_USES), sum()), 0..3),
        float_uses in prop::collection::vec((prop::sample::select(FLOAT_USES), formula()), 0..3),
    ) {
        let uses = int_uses.iter().chain(&float_uses);
        let uses: Vec<String> = uses
            .enumerate()
            .map(|(i, (form, number))| form.replace('#', &format!("({number})")).replace('@', &i.to_string()))
            .collect();
        prop_assert_eq!(
            outcome(&ints, &floats, &uses, false), outcome(&ints, &floats, &uses, true), "{}", uses.join("\n")
        );
    }

    #[test]
    fn calls_on_registers_are_as_calls_with_values(
        ints in prop::collection::vec(prop::sample::select(INTS), 2),
        floats in prop::collection::vec(prop::sample::select(FLOATS), 2),
        calls in prop::collection::vec(prop::sample::select([CALLS, CHANGES].concat()), 1..5),
    ) {
        prop_assert_eq!(
            called(&ints, &floats, &calls, false), called(&ints, &floats, &calls, true), "{}", calls.join("\n")
        );
    }
}
