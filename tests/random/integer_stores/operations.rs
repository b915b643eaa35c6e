//! Operators on integers of all types, between operands of every kind: results, and errors with their places.

use super::model::{OPERATORS, Ty};
use super::ways::Case;

/// How an operand is got from the parameter `V` of type `T`: what comes before, and the expression.
const OPERANDS: &[(&str, &str)] = &[
    ("", "V"),
    ("temp gV T = V", "gV"),
    ("temp rV = ref(V)", "rV"),
    ("temp aV [T] = {V, V}", "aV[1]"),
    ("temp aV [T] = {V, V}\n temp iV = 1", "aV[iV]"),
    ("temp aV [[T]] = {{V}}", "aV[0][0]"),
    ("temp pV = PV{x: V}", "pV.x"),
    ("temp pV = {PV{x: V}}", "pV[0].x"),
    ("temp mV map[string:T] = {\"k\": V}", "mV[\"k\"]"),
    ("temp mV map[int:T] = {5: V}", "mV[5]"),
    ("temp lV [T] = {V}", "arrays.get(lV, 0)"),
    ("temp lV [T] = {V}", "arrays.last(lV)"),
    ("", "idV(V)"),
    ("", "(V)"),
];

/// What is done with the result; `#` is the operation.
const USES: &[&str] = &[
    "println(\"=\", #)",
    "temp x = #\n println(\"=\", x)",
    "temp l = {#}\n println(\"=\", l[0])",
    "if # == 0 { println(\"=\", 0) } otherwise { println(\"=\", #) }",
    "for_each x in {#} { println(\"=\", x) }",
];

/// A random operation.
pub fn random(rng: &mut fastrand::Rng) -> Option<Case> {
    let all: Vec<Ty> = Ty::all().into_iter().filter(|ty| !ty.is_enum()).collect();
    let (left, right) = (rng.choice(&all)?, rng.choice(&all)?);
    let op = *rng.choice(&OPERATORS)?;
    if op == "%" && (left.is_byte() || right.is_byte()) {
        return None;
    }
    let (x, y) = (left.number(rng, right), right.number(rng, left));
    let ((before, a), (also, b)) = (*rng.choice(OPERANDS)?, *rng.choice(OPERANDS)?);
    let [before, a] = [before, a].map(|text| text.replace('V', "v").replace('T', left.name));
    let [also, b] = [also, b].map(|text| text.replace('V', "w").replace('T', right.name));
    let operation = format!("{a} {op} {b}");
    let used = rng.choice(USES)?.replace('#', &operation);
    let head = format!(
        "import & use @std, @arrays\nconst Pv struct {{ x {0} }}\nconst Pw struct {{ x {1} }}\ndo idv(n {0}) -> {0} {{ return n }}\ndo idw(n {1}) -> {1} {{ return n }}\n",
        left.name, right.name
    );
    let body = format!("do work(v {}, w {}) {{\n {before}\n {also}\n ", left.name, right.name);
    let text = format!("{head}{body}{used}\n}}\ndo main() {{ work({x}, {y}) }}\n");
    // An error is at the operator of the first operation.
    let at = head.len() + body.len() + used.find(&operation)? + a.len() + 1;
    let wanted = match left.arithmetic(op, &x, &y, right) {
        Ok(number) => format!("= {number}\nended 0\n"),
        Err(code) => format!("{code} {}\n", super::place(&text, at)),
    };
    Some(Case { text, wanted })
}
