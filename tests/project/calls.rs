//! Circles of calls: methods of a type may stand in several files of a folder, which then call each other without
//! importing each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use support::source::rust_files;

use super::imports::{ACYCLIC, code_of, folder_of, module_path};

/// The number of files in the largest circle of a folder, where there is one, with the reason.
const CIRCLES: [(&str, usize, &str); 7] = [
    (
        "analysis",
        3,
        "what can be written depends on the chain before it, and a chain on what its names can be",
    ),
    ("check", 11, "an expression is checked by its parts, of all kinds"),
    ("clients", 7, "a command leads to a stop, and a stop to the commands of its breakpoints"),
    ("interp", 29, "the closure of a node is made from those of its parts, of all kinds"),
    ("protocol", 6, "what an editor asks for leads to questions, and their answers to further ones"),
    (
        "session",
        6,
        "what becomes of a request depends on clients, guests, engine and child processes, and changes them",
    ),
    ("syntax", 17, "the rules of a grammar are defined by each other"),
];

/// The code of one `impl`, or outside of all.
struct Block {
    file: String,
    /// The type, if it is an `impl`.
    of: Option<String>,
    body: TokenStream,
    /// The methods that are defined here, unless they are those of a trait.
    methods: BTreeSet<String>,
}

fn is_ident(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(it)) if it == word)
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == c)
}

fn group(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<TokenStream> {
    match token {
        Some(TokenTree::Group(it)) if it.delimiter() == delimiter => Some(it.stream()),
        _ => None,
    }
}

/// The type that the head of an `impl` names, and whether it is for a trait: the last name outside of angle brackets,
/// before a `where`.
fn head(tokens: &[TokenTree]) -> (Option<String>, bool) {
    let (mut depth, mut of, mut is_trait) = (0, None, false);
    for token in tokens {
        match token {
            TokenTree::Punct(it) if it.as_char() == '<' => depth += 1,
            TokenTree::Punct(it) if it.as_char() == '>' => depth -= 1,
            TokenTree::Ident(it) if depth == 0 && it == "where" => break,
            TokenTree::Ident(it) if depth == 0 && it == "for" => is_trait = true,
            TokenTree::Ident(it) if depth == 0 => of = Some(it.to_string()),
            _ => {}
        }
    }
    (of, is_trait)
}

/// The methods that the body of an `impl` defines.
fn methods(body: &TokenStream) -> BTreeSet<String> {
    let tokens: Vec<TokenTree> = body.clone().into_iter().collect();
    let functions = tokens.windows(2).filter(|two| is_ident(two.first(), "fn"));
    functions.map(|two| two[1].to_string()).collect()
}

fn blocks(file: &str, code: &str) -> Vec<Block> {
    let tokens: Vec<TokenTree> = code.parse::<TokenStream>().unwrap().into_iter().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if is_ident(tokens.get(at), "impl") {
            let length = tokens[at..].iter().position(|it| group(Some(it), Delimiter::Brace).is_some());
            let end = at + length.unwrap();
            let (of, is_trait) = head(&tokens[at + 1..end]);
            let body = group(tokens.get(end), Delimiter::Brace).unwrap();
            let methods = if is_trait { BTreeSet::new() } else { methods(&body) };
            found.push(Block { file: file.to_string(), of, body, methods });
            at = end;
        } else if let Some(TokenTree::Group(it)) = tokens.get(at) {
            let (body, methods) = (it.stream(), BTreeSet::new());
            found.push(Block { file: file.to_string(), of: None, body, methods });
        }
        at += 1;
    }
    found
}

/// The methods that are called: each with what stands before it, if that is a name.
fn calls(code: &TokenStream, found: &mut Vec<(String, String)>) {
    let tokens: Vec<TokenTree> = code.clone().into_iter().collect();
    for at in 0..tokens.len() {
        if let Some(TokenTree::Group(it)) = tokens.get(at) {
            calls(&it.stream(), found);
        }
        let Some(TokenTree::Ident(name)) = tokens.get(at) else { continue };
        let before = match at.checked_sub(1).and_then(|at| tokens.get(at)) {
            token if is_punct(token, '.') => at.checked_sub(2),
            token if is_punct(token, ':') => at.checked_sub(3),
            _ => continue,
        };
        if group(tokens.get(at + 1), Delimiter::Parenthesis).is_some() {
            let before = before.and_then(|at| tokens.get(at)).map(TokenTree::to_string).unwrap_or_default();
            found.push((before, name.to_string()));
        }
    }
}

/// Which files of a folder call methods that are defined in which others, of types whose methods stand in several
/// files. A call through something else than `self` counts if only one type has a method of that name, and the file
/// names the type.
fn graph(blocks: &[Block], code: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let mut owners: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for block in blocks {
        let Some(of) = block.of.as_deref() else { continue };
        for method in &block.methods {
            owners.entry(method).or_default().entry(of).or_default().insert(&block.file);
            files.entry(of).or_default().insert(&block.file);
        }
    }
    let is_spread = |of: &str| files.get(of).is_some_and(|files| files.len() > 1);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for block in blocks {
        let mut called = Vec::new();
        calls(&block.body, &mut called);
        let targets = graph.entry(block.file.clone()).or_default();
        for (before, name) in called {
            let Some(known) = owners.get(name.as_str()) else { continue };
            let own = block.of.as_deref().filter(|_| before == "self" || before == "Self");
            let named = [own, Some(before.as_str())].into_iter().flatten().find(|of| known.contains_key(of));
            let only = known.keys().next().filter(|of| known.len() == 1 && code[&block.file].contains(**of));
            let Some(of) = named.or(only.copied()).filter(|of| is_spread(of)) else { continue };
            let others = known[of].iter().filter(|file| **file != block.file);
            targets.extend(others.map(|file| file.to_string()));
        }
    }
    graph
}

/// What can be reached from a file.
fn reached(graph: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        for target in graph.get(next).into_iter().flatten() {
            if reached.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    reached
}

/// The largest set of files that can all be reached from each other.
fn largest_circle(graph: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let reached: BTreeMap<&String, BTreeSet<String>> =
        graph.keys().map(|file| (file, reached(graph, file))).collect();
    let circle = |file: &&String| -> BTreeSet<String> {
        let there = reached[*file].iter();
        there.filter(|other| reached.get(other).is_some_and(|back| back.contains(*file))).cloned().collect()
    };
    graph.keys().map(|file| circle(&file)).max_by_key(BTreeSet::len).unwrap_or_default()
}

fn circle_of(folder: &Path) -> BTreeSet<String> {
    let mut code = BTreeMap::new();
    for file in rust_files(folder) {
        let path = module_path(&file);
        if !path.iter().any(|module| module == "tests") {
            code.insert(path.join("/"), code_of(&file));
        }
    }
    let blocks: Vec<Block> = code.iter().flat_map(|(file, code)| blocks(file, code)).collect();
    largest_circle(&graph(&blocks, &code))
}

// invariant 1
#[test]
fn files_of_a_folder_call_each_other_in_one_direction() {
    let mut wrong = Vec::new();
    for folder in ACYCLIC {
        let circle = circle_of(&folder_of(folder));
        let allowed = CIRCLES.iter().find(|it| it.0 == folder).map_or(0, |it| it.1);
        wrong.extend((circle.len() != allowed).then_some((folder, allowed, circle.len(), circle)));
    }
    assert!(wrong.is_empty(), "the largest circles of calls: {wrong:#?}");
}

#[test]
fn circles_are_found() {
    let circle = |files: &[(&str, &str)]| {
        let code = files.iter().map(|(file, code)| (file.to_string(), code.to_string())).collect();
        let blocks: Vec<Block> = files.iter().flat_map(|(file, code)| blocks(file, code)).collect();
        largest_circle(&graph(&blocks, &code)).into_iter().collect::<Vec<String>>()
    };
    let a = ("a", "impl<'a> E<'a> { fn f(&mut self) { if x { self.g(1) } } }");
    assert_eq!(circle(&[a, ("b", "impl E<'_> { fn g(&self) { E::f(self) } }")]), ["a", "b"]);
    assert_eq!(circle(&[a, ("b", "impl E<'_> { fn g(&self) {} fn h(&self) { self.g() } }")]), [""; 0]);
    let through = ("c", "impl Debugger for Hook { fn h(&self, e: E) { e.f() } }\nimpl E { fn k() {} }");
    let back = ("b", "impl E<'_> { fn g(&self) { self.k() } }");
    assert_eq!(circle(&[a, back, through]), ["a", "b", "c"]);
    let other = ("b", "impl E<'_> { fn g(&self) { self.k() } }\nimpl D { fn f(&self) {} }");
    assert_eq!(circle(&[a, other, through]), [""; 0], "it is not known whose method is called");
}
