//! The text of a program is read by `syntax` and `format`: what else asks for it by hand, where there is a tree, guesses.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use support::source::{PACKAGES, rust_files};

use super::imports::{code_of, folder_of, module_path};

/// Folders in which every text that is asked for a literal may be one of a program; in the others, what is taken from
/// a source ([`SOURCE`]).
const WITH_TREES: [&str; 5] = ["modules", "check", "analysis", "cells", "debug"];

/// Methods that look into a text.
const LOOKS: [&str; 11] = [
    "starts_with",
    "ends_with",
    "contains",
    "split_once",
    "rsplit_once",
    "strip_prefix",
    "strip_suffix",
    "find",
    "rfind",
    "split",
    "trim_start_matches",
];

/// Names by which the text of a program is taken from its source.
const SOURCE: [&str; 5] = ["source", "sources", "slice", "line_text", "file"];

/// The functions that look into texts all the same, with the reason.
const RIGHT: [(&str, &str, &str); 40] = [
    ("analysis/candidates", "candidates", TYPED),
    ("analysis/candidates", "is_in_text", TYPED),
    ("analysis/draft", "near", TYPED),
    (
        "analysis/names",
        "declaration",
        "an index knows where the name of a parameter is, and its mark is before that",
    ),
    ("analysis/signatures", "signature", NAME),
    ("analysis/structure", "folds", BETWEEN),
    ("analysis/words", "attributes", NAME),
    ("cells", "checked", NAME),
    (
        "check/certain_failures",
        "value_text",
        "what is assigned is behind the names, among which there is no other `=`",
    ),
    ("check/collect", "head_comment", BETWEEN),
    ("check/collect", "imports_at", BETWEEN),
    ("check/conversion_help", "short_text", LINES),
    ("check/foreign_lines", "is_declaration", BETWEEN),
    ("check/globals", "misplaced", LINES),
    ("check/when", "cases_fix", BETWEEN),
    ("check/when", "trim_brace", BETWEEN),
    ("clients/lsp/actions", "text_edit", LINES),
    ("clients/lsp/positions", "text_offset", LINES),
    ("clients/terminal/debugger", "run_cell", LINES),
    ("clients/terminal/location_spec", "location_spec", NAME),
    ("clients/terminal/processes", "is_in_command", CLIENT),
    ("debug/breakpoints/data", "gone_name", NAME),
    ("debug/breakpoints/manager", "function_start", NAME),
    ("debug/breakpoints/manager", "is_library_function", NAME),
    ("debug/inspect/completions", "end_of_quoted", TYPED),
    ("debug/inspect/completions", "is_code", TYPED),
    ("debug/inspect/completions", "typed", TYPED),
    ("debug/inspect/frames", "call_end", "an expression of the debugger is not kept, only where its call is"),
    ("debug/inspect/frames", "module_name", NAME),
    ("debug/inspect/handles", "is_constant", NAME),
    ("debug/inspect/handles", "part_key", NAME),
    ("debug/inspect/handles", "part_name", NAME),
    ("debug/inspect/handles", "part_values", NAME),
    ("debug/inspect/leading_digits", "cut_text", TYPED),
    ("debug/inspect/written", "told_write", NAME),
    ("modules/graph", "load_module", NAME),
    ("modules/graph", "siblings", NAME),
    ("modules/graph", "user_module", NAME),
    ("protocol/rewriting", "is_rewritten", CLIENT),
    ("protocol/rewriting", "push_source", CLIENT),
];

const NAME: &str = "it is a name, a path, or a text of our own";
const TYPED: &str = "what is being typed has no tree yet";
const BETWEEN: &str = "comments and what is around tokens are in no tree";
const LINES: &str = "the ends of lines are in no tree";
const CLIENT: &str = "a client has the text of a statement, and no tree";

/// A function that looks into a text.
type Found = BTreeSet<(String, String)>;

/// Whether these tokens, which are before a `.`, take the text of a program from its source.
fn is_source(tokens: &[TokenTree]) -> bool {
    tokens.windows(2).any(|two| match two {
        [TokenTree::Punct(dot), TokenTree::Ident(name)] => dot.as_char() == '.' && name == "text",
        _ => false,
    }) || tokens.iter().any(|token| SOURCE.iter().any(|name| token.to_string() == *name))
}

/// Finds the functions that look into texts. `all`: into any text, `inside`: into what is within a call about a source.
fn looks(code: TokenStream, (file, function): (&str, &str), all: bool, inside: bool, found: &mut Found) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let (mut function, mut start) = (function.to_string(), 0);
    for (at, token) in tokens.iter().enumerate() {
        match (token, tokens.get(at + 1)) {
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "fn" => {
                function = name.to_string();
            }
            (TokenTree::Punct(it), _) if [';', ',', '='].contains(&it.as_char()) => start = at + 1,
            (TokenTree::Ident(name), Some(TokenTree::Group(arguments))) => {
                let is_literal = matches!(arguments.stream().into_iter().next(), Some(TokenTree::Literal(_)));
                let is_method = at > 0 && tokens[at - 1].to_string() == ".";
                if is_literal && is_method && LOOKS.iter().any(|it| name == it) {
                    let is_of_program = all || inside || is_source(&tokens[start..at]);
                    found.extend(is_of_program.then(|| (file.to_string(), function.clone())));
                }
            }
            (TokenTree::Group(group), _) => {
                let is_block = group.delimiter() == Delimiter::Brace;
                let inside = !is_block && (inside || is_source(&tokens[start..at]));
                looks(group.stream(), (file, &function), all, inside, found);
                start = if is_block { at + 1 } else { start };
            }
            _ => {}
        }
    }
}

#[test]
fn programs_are_not_read_by_hand() {
    let mut found = Found::new();
    for layer in PACKAGES[1..].iter().flat_map(|package| package.layers) {
        if ["syntax", "format"].contains(layer) {
            continue;
        }
        for file in rust_files(&folder_of(layer)) {
            let name = module_path(&file).join("/");
            looks(
                code_of(&file).parse().unwrap(),
                (&name, ""),
                WITH_TREES.contains(layer),
                false,
                &mut found,
            );
        }
    }
    let right: Found = RIGHT.iter().map(|it| (it.0.to_string(), it.1.to_string())).collect();
    let wrong: Vec<_> = found.difference(&right).collect();
    assert!(wrong.is_empty(), "{} functions read texts by hand: {wrong:#?}", wrong.len());
    let gone: Vec<_> = right.difference(&found).collect();
    assert!(gone.is_empty(), "these do not (any more): {gone:#?}");
}

#[test]
fn looks_are_found() {
    let of = |all: bool, code: &str| {
        let mut found = Found::new();
        looks(code.parse().unwrap(), ("file", ""), all, false, &mut found);
        found.len()
    };
    assert_eq!(of(false, "fn f() { file.text.trim().starts_with(\"a\") }"), 1);
    assert_eq!(of(false, "fn f() { source.line(2).is_some_and(|line| line.contains('a')) }"), 1);
    assert_eq!(of(false, "fn f() { let a = file.name; let b = path.ends_with(\"a\"); }"), 0);
    assert_eq!(of(true, "fn f() { let b = path.ends_with(\"a\"); }"), 1);
    assert_eq!(of(true, "fn f() { let b = path.ends_with(a) && list.contains(&'a'); }"), 0);
}
