//! Imports go down only: which folder of which package may know which, read from the source text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use support::source::{PACKAGES, layers, package_of, rust_files};

/// Imports that go down and are not wanted all the same, with the reason.
const FORBIDDEN: [(&str, &str, &str); 9] = [
    ("syntax", "value", "a tree has what is written, not what it means"),
    ("host", "diagnostics", "what is outside of a program knows nothing of its text"),
    ("program", "host", "a checked program is data"),
    ("interp", "platform", "programs reach the outside through the trait `value::Host`"),
    ("check", "interp", "a checked program has in it all that it takes to run it"),
    ("interp", "host", "programs reach the outside through the trait `value::Host`"),
    ("debug", "host", "whoever starts the engine gives it a host"),
    ("protocol", "interp", "front ends translate between bytes and the debug API"),
    ("protocol", "debug", "front ends translate between bytes and the debug API"),
];

/// Folders whose files import each other in one direction only, but for [`CIRCULAR`].
pub const ACYCLIC: [&str; 19] = [
    "analysis",
    "api",
    "cells",
    "check",
    "cli",
    "clients",
    "debug",
    "diagnostics",
    "format",
    "host",
    "interp",
    "library",
    "modules",
    "platform",
    "program",
    "protocol",
    "recording",
    "session",
    "syntax",
];

/// Folders within them whose files import each other in circles, with the reason.
const CIRCULAR: [(&str, &str); 2] = [
    ("clients/agents", "a call of a tool knows the sessions, and these carry out calls"),
    ("clients/terminal", "the debugger knows its processes and commands, and these have it as a whole"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files of all packages.
fn source_files() -> Vec<PathBuf> {
    rust_files(&root().join("src"))
}

/// The folder of a layer.
pub fn folder_of(layer: &str) -> PathBuf {
    let package = PACKAGES.iter().find(|package| package.layers.contains(&layer)).unwrap();
    root().join(package.folder).join(layer)
}

/// The modules on the way to a file within its package: `["interp", "compile", "calls"]`.
pub fn module_path(file: &Path) -> Vec<String> {
    let (_, relative) = package_of(file.strip_prefix(root()).unwrap()).unwrap();
    let relative = relative.with_extension("");
    let mut path: Vec<String> = relative.iter().map(|part| part.to_str().unwrap().to_string()).collect();
    if path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

/// The text without comments and without the unit tests at its end, or in a file of their own.
pub fn code_of(file: &Path) -> String {
    if file.file_name().is_some_and(|name| name == "tests.rs") {
        return String::new();
    }
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The paths that begin with `start` (`crate::`, `super::`), as lists of names; those in braces one by
/// one, to a depth that is enough to name modules.
fn paths_from<'a>(code: &'a str, start: &str) -> Vec<Vec<&'a str>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices(start) {
        let (before, behind) = code.split_at(at);
        if before.ends_with(|c: char| is_name(c) || c == ':' || c == '$') {
            continue;
        }
        let mut path = Vec::new();
        let mut rest = behind.strip_prefix(start).unwrap();
        loop {
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            if let Some(group) = name.is_empty().then(|| rest.strip_prefix('{')).flatten() {
                let group = group.split('}').next().unwrap_or_default();
                for item in group.split(',') {
                    let first = item.trim().split(|c: char| !is_name(c)).next().unwrap_or_default();
                    found.push(path.iter().copied().chain([first]).collect());
                }
                break;
            }
            path.push(name);
            match behind.strip_prefix("::") {
                Some(more) => rest = more,
                None => {
                    found.push(path);
                    break;
                }
            }
        }
    }
    found
}

fn rank(folder: &str) -> Option<usize> {
    layers().iter().position(|layer| *layer == folder)
}

/// What paths to folders begin with: those of the own package, and of the others.
fn starts() -> Vec<String> {
    let others = PACKAGES.iter().map(|package| format!("{}::", package.name));
    ["crate::".to_string()].into_iter().chain(others).collect()
}

/// For each folder, the folders that it imports, each with a file that does.
fn imports() -> BTreeMap<(String, String), PathBuf> {
    let starts = starts();
    let mut found = BTreeMap::new();
    for file in source_files() {
        let Some(folder) = module_path(&file).first().cloned() else { continue };
        if file.file_name().is_some_and(|name| name == "tests.rs") || folder == "lib" || folder == "main" {
            continue;
        }
        let code = code_of(&file);
        for path in starts.iter().flat_map(|start| paths_from(&code, start)) {
            if let Some(target) = path.first().filter(|target| rank(target).is_some()) {
                found.entry((folder.clone(), (*target).to_string())).or_insert_with(|| file.clone());
            }
        }
    }
    found
}

// invariant 1
#[test]
fn every_folder_has_a_layer() {
    let folders = PACKAGES.map(|package| root().join(package.folder));
    for package in &PACKAGES {
        for entry in fs::read_dir(root().join(package.folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.with_extension("").file_name().unwrap().to_str().unwrap().to_string();
            assert!(
                package.layers.contains(&name.as_str())
                    || ["lib", "main", "Cargo"].contains(&name.as_str())
                    || folders.contains(&path),
                "{name} is no layer of {}",
                package.name
            );
        }
        for layer in package.layers {
            let folder = folder_of(layer);
            assert!(folder.exists() || folder.with_extension("rs").exists(), "there is no {layer}");
        }
    }
}

/// What is imported from a package lives there.
#[test]
fn no_package_passes_on_what_is_in_another_one() {
    for file in source_files() {
        let code = code_of(&file);
        for package in &PACKAGES {
            for start in ["pub use ", "pub(crate) use ", "pub(super) use ", "pub extern crate "] {
                let text = format!("{start}{}", package.name);
                assert!(!code.contains(&text), "{} has '{text}' in it", file.display());
            }
        }
    }
}

// invariant 1
#[test]
fn imports_go_down_only() {
    let imports = imports();
    assert!(imports.len() > 40, "only {} imports were found", imports.len());
    for ((folder, target), file) in &imports {
        assert!(rank(target) <= rank(folder), "{} imports {target}", file.display());
    }
}

// invariant 1
#[test]
fn some_imports_are_not_wanted() {
    let imports = imports();
    for (folder, target, why) in FORBIDDEN {
        let file = imports.get(&(folder.to_string(), target.to_string()));
        assert!(file.is_none(), "{} imports {target}: {why}", file.unwrap().display());
    }
}

/// The code without what it passes on.
fn without_reexports(code: &str) -> String {
    let mut parts = code.split("pub");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |kept, part| {
        let statement = part.trim_start_matches("(super)").trim_start_matches("(crate)");
        let rest = statement.strip_prefix(" use ").and_then(|rest| rest.split_once(';'));
        kept + rest.map_or(part, |(_, rest)| rest)
    })
}

/// Which files of a folder import which others of it, by the paths of their modules. A file is said to import the
/// longest path that is a file; `mod.rs` of a folder imports nothing by listing its files. With `children`, it imports
/// those that it uses itself, and these do not import it: they are a part of it.
fn inner_imports(folder: &str, children: bool) -> BTreeMap<String, BTreeSet<String>> {
    let files = rust_files(&folder_of(folder));
    let paths: BTreeSet<Vec<String>> = files.iter().map(|file| module_path(file)).collect();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let path = module_path(&file);
        if path.iter().any(|module| module == "tests") {
            continue;
        }
        let code = code_of(&file);
        let mut targets: Vec<Vec<String>> = Vec::new();
        let owned = |start: &[String], rest: &[&str]| -> Vec<String> {
            start.iter().cloned().chain(rest.iter().map(|name| (*name).to_string())).collect()
        };
        targets.extend(paths_from(&code, "crate::").iter().map(|rest| owned(&[], rest)));
        for up in 1..=path.len() {
            let found = paths_from(&code, &"super::".repeat(up));
            targets.extend(found.iter().map(|rest| owned(&path[..path.len() - up], rest)));
        }
        let own = without_reexports(&code);
        let inner = paths
            .iter()
            .filter(|inner| children && inner.starts_with(&path))
            .filter_map(|inner| inner.get(path.len()));
        for child in inner.collect::<BTreeSet<_>>() {
            let found = paths_from(&own, &format!("{child}::"));
            let start = owned(&path, &[child]);
            targets.extend(found.iter().map(|rest| owned(&start, rest)));
        }
        let known = |target: &Vec<String>| {
            (2..=target.len())
                .rev()
                .map(|length| target[..length].to_vec())
                .find(|known| paths.contains(known))
        };
        let is_other = |target: &Vec<String>| *target != path && !(children && path.starts_with(target));
        let others = targets.iter().filter_map(known).filter(is_other);
        graph.entry(path.join("/")).or_default().extend(others.map(|target| target.join("/")));
    }
    graph
}

/// Modules that import each other in a circle, if there are any: what is left when those that import
/// nothing (more) of the graph are taken away again and again.
fn circle(mut graph: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    graph.values_mut().for_each(|targets| targets.retain(|target| modules.contains(target)));
    loop {
        let done: BTreeSet<String> = graph
            .iter()
            .filter(|(_, targets)| targets.is_empty())
            .map(|(module, _)| module.clone())
            .collect();
        if done.is_empty() {
            return graph;
        }
        graph.retain(|module, _| !done.contains(module));
        graph.values_mut().for_each(|targets| targets.retain(|target| !done.contains(target)));
    }
}

// invariant 1
#[test]
fn modules_of_a_folder_import_in_one_direction() {
    let mut all = Vec::new();
    let is_circular = |module: &str| CIRCULAR.iter().any(|(within, _)| module.starts_with(within));
    for (folder, children) in ACYCLIC.into_iter().flat_map(|folder| [(folder, false), (folder, true)]) {
        let graph = inner_imports(folder, children);
        all.push((folder, circle(graph.into_iter().filter(|(module, _)| !is_circular(module)).collect())));
    }
    all.retain(|(_, circle)| !circle.is_empty());
    assert!(all.is_empty(), "{all:#?}");
    for (within, why) in CIRCULAR {
        let graph = inner_imports(within.split('/').next().unwrap(), false);
        let graph = graph.into_iter().filter(|(module, _)| module.starts_with(within)).collect();
        assert!(!circle(graph).is_empty(), "{within} has no circles (any more): {why}");
    }
}

/// What only some systems have, or what tells systems apart.
const OF_A_SYSTEM: [&str; 14] = [
    "cfg(unix)",
    "cfg(windows)",
    "cfg(not(unix",
    "cfg(not(windows",
    "cfg!(",
    "target_os",
    "target_family",
    "std::os::",
    "libc::",
    "nix::",
    "rustix::",
    "signal_hook::",
    "windows_sys::",
    "raw_os_error",
];

/// The files that choose between threads and a page, each in one place.
const SEAMS: [&str; 4] = ["lib", "clock", "sync", "host"];

// invariant 1
#[test]
fn only_one_folder_knows_the_system() {
    let mut inside = 0;
    for file in source_files() {
        if module_path(&file).iter().any(|module| module == "tests") {
            continue;
        }
        let mut code = code_of(&file);
        if SEAMS.contains(&module_path(&file).join("/").as_str()) {
            code = code.replace("(target_family = \"wasm\"", "");
        }
        let found = OF_A_SYSTEM.iter().find(|text| code.contains(**text));
        if module_path(&file).first().is_some_and(|folder| folder == "platform") {
            inside += usize::from(found.is_some());
        } else {
            assert!(found.is_none(), "{} has {:?} in it", file.display(), found.unwrap());
        }
    }
    assert!(inside > 5, "only {inside} files of the folder do");
}

/// A running program is started again by `platform::own_program`, which knows what becomes of its file meanwhile.
#[test]
fn only_one_file_asks_where_the_program_is() {
    let files = source_files();
    let asks = |file: &&PathBuf| code_of(file).contains("current_exe");
    let found: Vec<String> = files.iter().filter(asks).map(|file| module_path(file).join("/")).collect();
    assert_eq!(found, ["platform/own"]);
}

#[test]
fn paths_are_found() {
    let code = "use crate::a::{b, c::d};\nfn f(x: crate::e::F) {}\nuse super::super::g;\nmycrate::no";
    assert_eq!(paths_from(code, "crate::"), [vec!["a", "b"], vec!["a", "c"], vec!["e", "F"]]);
    assert_eq!(paths_from(code, "super::super::"), [vec!["g"]]);
    assert_eq!(
        without_reexports("pub use a::b;\npub(super) use c::{d,\n e}; c::f(); pub fn g() {}"),
        "\n c::f();  fn g() {}"
    );
    let graph = |edges: &[(&str, &str)]| -> BTreeMap<String, BTreeSet<String>> {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry((*from).into()).or_default().insert((*to).into());
            graph.entry((*to).into()).or_default();
        }
        graph
    };
    assert!(circle(graph(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    assert_eq!(circle(graph(&[("a", "b"), ("b", "a"), ("c", "a")])).len(), 3);
}
