//! Matches that name every variant: those over enums of ours where a variant that is new and falls under a
//! silent default would be a fault.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use support::source::{package_of, rust_files};

/// The enums, as `CONTRIBUTING.md` lists them.
const ENUMS: [&str; 20] = [
    "StmtKind",
    "ExprKind",
    "TargetKind",
    "UnaryOp",
    "BinaryOp",
    "Operator",
    "ArithOp",
    "CompareOp",
    "PartKind",
    "StatementKind",
    "Request",
    "Query",
    "Inspect",
    "Event",
    "Stage",
    "Head",
    "Class",
    "StmtClass",
    "ExprClass",
    "RequestClass",
];

/// Functions with a default for all other variants, with the reason why it is right for new ones, too.
const DEFAULTS: [(&str, &str, &str); 18] = [
    ("interp/compile/bools.rs", "boolean_closure", GENERAL),
    ("interp/compile/ints.rs", "int_closure", GENERAL),
    ("interp/compile/floats.rs", "float_closure", GENERAL),
    ("interp/compile/refs.rs", "reference_closure", GENERAL),
    ("interp/compile/stmts.rs", "expression", GENERAL),
    ("interp/compile/body.rs", "instructions", GENERAL),
    ("interp/compile/assign.rs", "assign", GENERAL),
    ("interp/compile/mod.rs", "is_pure", "what is not known to be pure is evaluated once, and in order"),
    ("check/certain_failures.rs", "stmt", "what is not known to fail for certain is reported when it fails"),
    ("check/literals.rs", "literal_text", NO_LITERAL),
    ("check/type_declarations.rs", "literal_base", NO_LITERAL),
    ("check/type_declarations.rs", "fold", NO_LITERAL),
    ("check/library_calls.rs", "is_untyped", KNOWN_TYPE),
    ("check/coercion.rs", "is_library_int", KNOWN_TYPE),
    ("check/coercion.rs", "is_unchecked_number", KNOWN_TYPE),
    ("check/coercion.rs", "is_from_elsewhere", KNOWN_TYPE),
    ("debug/meanwhile.rs", "from", "any other request is carried out afterwards"),
    ("debug/history/interventions.rs", "intervention", "a change that cannot be repeated ends the past"),
];

const GENERAL: &str =
    "what has no closure of its own is compiled by the general one, which names every variant";
const NO_LITERAL: &str = "the others are no literals";
const KNOWN_TYPE: &str = "the others are values of exactly the type that the checker has found";

/// A match with a default, and where it is.
#[derive(Debug, PartialEq, Eq)]
struct CatchAll {
    /// The innermost named function, or macro, around it.
    function: String,
    line: usize,
    of: &'static str,
}

/// The arms of what may be the body of a match: the tokens of each pattern with its guard. Also of other groups,
/// where these are no patterns.
fn patterns(body: &[TokenTree]) -> Vec<&[TokenTree]> {
    let is = |at: usize, c: char| matches!(body.get(at), Some(TokenTree::Punct(it)) if it.as_char() == c);
    let (mut found, mut start) = (Vec::new(), 0);
    for at in 0..body.len() {
        if is(at, ',') {
            start = at + 1;
        } else if is(at, '=') && is(at + 1, '>') {
            found.push(&body[start.min(at)..at]);
            start = at + 2;
            // The end of an arm whose body is a block.
            if matches!(body.get(start), Some(TokenTree::Group(it)) if it.delimiter() == Delimiter::Brace) {
                start += 1;
            }
        }
    }
    found
}

/// The enum that a pattern names a variant of, if it is one of [`ENUMS`].
fn named(pattern: &[TokenTree]) -> Option<&'static str> {
    let end = pattern.iter().position(|token| matches!(token, TokenTree::Ident(it) if it == "if"));
    let pattern = &pattern[..end.unwrap_or(pattern.len())];
    pattern.windows(3).find_map(|tokens| match tokens {
        [TokenTree::Ident(name), TokenTree::Punct(a), TokenTree::Punct(b)]
            if a.as_char() == ':' && b.as_char() == ':' =>
        {
            ENUMS.into_iter().find(|it| name == it)
        }
        _ => None,
    })
}

/// Whether a pattern fits everything: `_`, or a name.
fn fits_everything(pattern: &[TokenTree]) -> bool {
    matches!(pattern, [TokenTree::Ident(name)] if !name.to_string().starts_with(char::is_uppercase))
}

/// Whether an arm asks for the class of what its pattern fits (`kind => match kind.class() {`). Its match names
/// every class, so that a new variant gets one by name.
fn is_classified(pattern: &[TokenTree], body: &[TokenTree]) -> bool {
    let Some(at) = body.iter().position(|token| std::ptr::eq(token, &pattern[0])) else { return false };
    let text = |token: &TokenTree| token.to_string();
    let words: Vec<String> = body[at..].iter().take(7).map(text).collect();
    words[1..] == ["=", ">", "match", &words[0], ".", "class"]
}

/// The enum whose variants are imported, if it is one of [`ENUMS`].
fn imported(tokens: &[TokenTree]) -> Option<&'static str> {
    tokens.windows(5).find_map(|tokens| {
        let words = tokens.iter().map(ToString::to_string).collect::<Vec<_>>();
        (words[1..] == [":", ":", "*", ";"]).then(|| ENUMS.into_iter().find(|name| *name == words[0]))?
    })
}

/// Finds the matches over [`ENUMS`] that have a default, also in macros. One over a tuple or a variant's content is
/// not found. Where `all` variants of an enum are imported, every match counts.
fn defaults(code: TokenStream, function: &str, all: Option<&'static str>, found: &mut Vec<CatchAll>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let all = imported(&tokens).or(all);
    let patterns = patterns(&tokens);
    if let Some(of) = patterns.iter().find_map(|pattern| named(pattern)).or(all)
        && let Some(default) = patterns.iter().find(|pattern| fits_everything(pattern))
        && !is_classified(default, &tokens)
    {
        let line = default[0].span().start().line;
        found.push(CatchAll { function: function.to_string(), line, of });
    }
    let mut function = function.to_string();
    for (at, token) in tokens.iter().enumerate() {
        match (token, tokens.get(at + 1)) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "fn" => {
                function = name.to_string()
            }
            (TokenTree::Group(group), _) => defaults(group.stream(), &function, all, found),
            _ => {}
        }
    }
}

fn in_code(code: &str) -> Vec<CatchAll> {
    let mut found = Vec::new();
    defaults(code.parse().unwrap(), "", None, &mut found);
    found
}

#[test]
fn matches_name_every_variant() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for file in rust_files(&root.join("src")) {
        let name = file.strip_prefix(root).unwrap();
        let (_, module) = package_of(name).unwrap();
        let module = module.to_str().unwrap().replace('\\', "/");
        for CatchAll { function, line, of } in in_code(&fs::read_to_string(&file).unwrap()) {
            match DEFAULTS.iter().position(|it| (it.0, it.1) == (module.as_str(), &function)) {
                Some(number) => drop(used.insert(number)),
                None => wrong.push(format!("{}:{line}: {function}: a default for {of}", name.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{} matches do not name every variant:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(used.len(), DEFAULTS.len(), "some functions have no default (any more): {used:?}");
}

#[test]
fn contributing_lists_the_enums() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md")).unwrap();
    let list = ENUMS.map(|name| format!("`{name}`")).join(", ");
    assert!(text.contains(&list), "CONTRIBUTING.md does not have the list {list}");
}

#[test]
fn defaults_are_found() {
    let of = |code: &str| in_code(code).iter().map(|it| (it.function.clone(), it.line)).collect::<Vec<_>>();
    let place = |function: &str, line| vec![(function.to_string(), line)];
    assert_eq!(of("fn f() { match op {\nBinaryOp::Add => 1,\n_ => 2 } }"), place("f", 3));
    assert_eq!(
        of("fn f() { match &e.kind { ast::ExprKind::Int(i) if a => {} other => {} } }"),
        place("f", 1)
    );
    assert_eq!(
        of("macro_rules! m { ($x:expr) => { match $x { $crate::ArithOp::Add => 1, _ => 2 } } }").len(),
        1
    );
    assert_eq!(
        of("fn f() { g(|a, b| match op { BinaryOp::Add | BinaryOp::Sub => h(a, b), _ => 2 }) }"),
        place("f", 1)
    );
    assert_eq!(of("fn f() { use a::StmtKind::*; match s { If { .. } => 1, _ => 2 } }"), place("f", 1));
    let class = "match k { StmtKind::If { .. } => 1, k => match k.class() { StmtClass::Jump => 2";
    assert_eq!(of(&format!("fn f() {{ {class} }} }} }}")), []);
    assert_eq!(of(&format!("fn f() {{ {class}, _ => 3 }} }} }}")), place("f", 1));
    assert_eq!(of("fn f() { match k { StmtKind::If { .. } => 1, k => other.class() } }"), place("f", 1));
    let exhaustive = "match op { BinaryOp::Add => match 1 { 1 => 2, _ => 3 }, BinaryOp::Sub if x => 2, BinaryOp::Sub => 3 }";
    assert_eq!(of(&format!("fn f() {{ {exhaustive} }}")), []);
    assert_eq!(of("fn f() { match token { Some(_) => BinaryOp::Add, _ => BinaryOp::Sub } }"), []);
    assert_eq!(of("fn f() { match op { BinaryOp::Add => 1, _ if x => 3, BinaryOp::Sub => 2 } }"), []);
}
