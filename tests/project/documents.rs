//! What ARCHITECTURE.md and CONTRIBUTING.md say about the source is true of it: the files, types, functions and
//! tests that they name exist, and where they say; no folder and no file of tests is left out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use support::source::{PACKAGES, layers, rust_files};

const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names in backquotes outside of fenced blocks, each with the text up to the next one.
fn names(document: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let prose: String = text.split("```").step_by(2).collect();
    let parts: Vec<&str> = prose.split('`').collect();
    parts[1..].chunks(2).map(|pair| (pair[0].to_string(), pair.get(1).unwrap_or(&"").to_string())).collect()
}

/// A file that a document names: Rust files of the packages go without their folder.
fn file(name: &str) -> Option<PathBuf> {
    let folders = ["."].into_iter().chain(PACKAGES.iter().map(|package| package.folder));
    folders.map(|folder| root().join(folder).join(name)).find(|path| path.exists())
}

/// Whether a name is one of a file or folder of the repository.
fn is_path(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-'));
    // What is built is not there before it is.
    plain && (name.ends_with(".rs") || name.contains('/') && !name.starts_with("target/"))
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether a name is one of a type, function or constant of the source.
fn is_item(name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or_default();
    name.split("::").all(is_word) && (name.contains("::") || last.starts_with(char::is_uppercase))
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = text.match_indices(word);
    places.any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// Whether a text defines a function, or has a name that is none of a function.
fn defines(text: &str, name: &str) -> bool {
    if name.starts_with(char::is_uppercase) {
        return has_word(text, name);
    }
    ["fn ", "mod ", "macro_rules! "].iter().any(|keyword| has_word(text, &format!("{keyword}{name}")))
}

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let files = rust_files(&root().join(folder));
    files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn files_and_names_are_there() {
    let all: Vec<(PathBuf, String)> = ["src", "tests", "benches"].into_iter().flat_map(sources).collect();
    let mut wrong = Vec::new();
    for document in DOCUMENTS {
        let names = names(document);
        assert!(names.len() > 50, "{document} has only {} names", names.len());
        for (index, (name, after)) in names.iter().enumerate() {
            if is_path(name) {
                if file(name).is_none() {
                    wrong.push(format!("{document}: there is no {name}"));
                }
                continue;
            }
            // `Reader::read` (`protocol/transport/reader.rs`)
            let next = names.get(index + 1).map_or("", |(next, _)| next.as_str());
            let place = next.ends_with(".rs") && [" (", ", "].contains(&after.as_str());
            if place && let Some(path) = file(next) {
                let text = fs::read_to_string(path).unwrap();
                let missing = name.rsplit("::").next().filter(|last| is_word(last) && !defines(&text, last));
                wrong.extend(missing.map(|_| format!("{document}: {name} is not in {next}")));
            } else if is_item(name) {
                let known = name.split("::").all(|part| all.iter().any(|(_, text)| defines(text, part)));
                if !known {
                    wrong.push(format!("{document}: there is no {name}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands behind the marker of a list's item: `* `, `12. `.
fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let (marker, rest) = line.split_once(' ')?;
    let number = marker.strip_suffix('.').is_some_and(|digits| digits.parse::<u32>().is_ok());
    (marker == "*" || number).then_some(rest)
}

/// An item that begins with a file names what is in that file, or in others that it names.
#[test]
fn places_to_change_have_what_is_said_of_them() {
    let (mut items, mut wrong) = (0, Vec::new());
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for item in text.lines().filter_map(list_item).filter(|item| item.starts_with('`')) {
            let names: Vec<&str> = item.split('`').skip(1).step_by(2).collect();
            let paths: Vec<PathBuf> =
                names.iter().filter(|name| is_path(name)).filter_map(|name| file(name)).collect();
            let texts: Vec<String> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
            if texts.is_empty() || !is_path(names[0]) {
                continue;
            }
            items += 1;
            for name in names.iter().filter(|name| is_item(name)) {
                let last = name.rsplit("::").next().unwrap();
                if !texts.iter().any(|text| defines(text, last)) {
                    wrong.push(format!("{document}: {name} is in none of the files beside it: {item}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(items > 5, "only {items} items were found");
}

/// The picture has the packages and their folders as `tests/project/imports.rs` has them, the uppermost first.
#[test]
fn the_picture_is_whole() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let picture = text.split("```").nth(1).unwrap();
    // The first word of a line is the name of a group.
    let rows = picture.lines().filter_map(|line| line.strip_prefix("  "));
    let drawn: Vec<&str> = rows.flat_map(|row| row.split_whitespace().skip(1)).collect();
    let mut layers = layers();
    layers.reverse();
    assert_eq!(drawn, layers);
    let headings = picture.lines().filter(|line| line.starts_with("ez-"));
    let headings: Vec<&str> = headings.filter_map(|line| Some(line.split_once(':')?.0)).collect();
    let packages = PACKAGES.iter().rev();
    let packages = packages.map(|it| format!("{} ({})", it.name.replace('_', "-"), it.folder));
    assert_eq!(headings, packages.collect::<Vec<String>>());
    for folder in layers {
        let is_told = [
            format!("**{folder}** "),
            format!("**{folder}**,"),
            format!("**{folder}**:"),
            format!("**{folder}.** "),
        ];
        assert!(is_told.iter().any(|head| text.contains(head)), "nothing is said of {folder}");
    }
}

/// CONTRIBUTING.md has a row for each folder of tests that is a target, which names the files in it.
#[test]
fn no_tests_are_left_out() {
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut targets = 0;
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let folder = entry.unwrap();
        if !folder.path().join("main.rs").exists() {
            continue;
        }
        targets += 1;
        let name = folder.file_name().into_string().unwrap();
        let row = text.lines().find(|line| line.starts_with(&format!("| `{name}` ")));
        let row = row.unwrap_or_else(|| panic!("CONTRIBUTING.md has no row for tests/{name}"));
        let main = fs::read_to_string(folder.path().join("main.rs")).unwrap();
        let modules = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        for module in modules.filter(|module| *module != "plain") {
            // Folders have what the files beside them share.
            let is_file = folder.path().join(module).with_extension("rs").exists();
            let is_named = if is_file { row } else { &text }.contains(&format!("`{module}`"));
            let is_path = text.contains(&format!("`tests/{name}/{module}"));
            assert!(is_named || is_path, "CONTRIBUTING.md does not name {module} of {name}");
        }
    }
    assert!(targets > 5, "only {targets} targets were found");
}

/// The numbers of a comment such as `// invariant 7, invariant 11`.
fn invariants_of(line: &str) -> impl Iterator<Item = u32> {
    let comment = line.trim_start().strip_prefix("// ").filter(|text| text.starts_with("invariant "));
    comment.unwrap_or_default().split(", ").filter_map(|part| part.strip_prefix("invariant ")?.parse().ok())
}

/// Each invariant of ARCHITECTURE.md has a test whose comment gives its number, and no comment gives another one.
#[test]
fn tests_of_invariants_are_there() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("6. Invariants")).unwrap();
    let stated: BTreeSet<u32> =
        section.lines().filter_map(|line| line.split_once(". ")?.0.parse().ok()).collect();
    assert!(stated.len() > 20, "only {} invariants were found", stated.len());
    let mut tested = BTreeSet::new();
    for (path, text) in ["src", "tests"].into_iter().flat_map(sources) {
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let numbers: Vec<u32> = invariants_of(line).collect();
            if numbers.is_empty() {
                continue;
            }
            // Transcripts are listed by name in a macro; properties are functions of one.
            let next = lines.get(index + 1).map_or("", |next| next.trim());
            let is_test =
                next.starts_with("#[") || next.starts_with("fn ") || is_word(next.trim_end_matches(','));
            assert!(is_test, "{}:{}: no test follows", path.display(), index + 1);
            tested.extend(numbers);
        }
    }
    assert_eq!(tested, stated);
}

/// They are to be read as a whole.
#[test]
fn documents_are_short() {
    for (document, most) in [("ARCHITECTURE.md", 20_000), ("CONTRIBUTING.md", 10_000), ("README.md", 12_000)]
    {
        let size = fs::metadata(root().join(document)).unwrap().len();
        assert!(size <= most, "{document} has {size} bytes");
    }
}

/// What the heads of modules say of other files.
#[test]
fn files_named_at_the_heads_of_modules_are_there() {
    let (mut found, mut wrong) = (0, Vec::new());
    for (path, text) in ["src", "tests"].into_iter().flat_map(sources) {
        let head = text.lines().filter(|line| line.starts_with("//!"));
        for name in head.flat_map(|line| line.split('`').skip(1).step_by(2)) {
            if !name.ends_with(".rs") || !name.contains('/') || !is_path(name) {
                continue;
            }
            found += 1;
            if file(name).is_none() {
                wrong.push(format!("{}: there is no {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 30, "only {found} names were found");
}

/// Beginnings of comments that say nothing without the item above: in an editor's hover, in rustdoc and after a move
/// there is none.
const LEANING: [&str; 4] = ["The same", "Likewise", "Ditto", "Of "];

/// The comment of an item says by itself what the item is.
#[test]
fn comments_need_no_neighbours() {
    let (mut found, mut wrong) = (0, Vec::new());
    for (path, text) in sources("src") {
        let mut is_inside = false;
        for (index, line) in text.lines().enumerate() {
            let comment = line.trim_start().strip_prefix("///");
            if let Some(comment) = comment.filter(|_| !is_inside) {
                found += 1;
                let leans = LEANING.iter().any(|beginning| comment.trim_start().starts_with(beginning));
                wrong.extend(leans.then(|| format!("{}:{}:{comment}", path.display(), index + 1)));
            }
            is_inside = comment.is_some();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 5_000, "only {found} comments were found");
}

// invariant 2
#[test]
fn unsafe_code_is_in_few_modules() {
    let mut files = Vec::new();
    for (path, text) in sources("src") {
        let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        if code.any(|line| has_word(line, "unsafe") || has_word(line, "unsafe_code")) {
            files.push(path.strip_prefix(root()).unwrap().to_path_buf());
        }
    }
    files.sort();
    let allowed = [
        "src/runtime/interp/slots/block.rs",
        "src/runtime/interp/slots/mod.rs",
        "src/runtime/page/allocator.rs",
        "src/runtime/page/imports.rs",
        "src/runtime/platform/unix/allocator.rs",
        "src/runtime/platform/unix/fork.rs",
        "src/runtime/platform/windows/system.rs",
        "src/web/exports.rs",
    ];
    assert_eq!(files, allowed.map(PathBuf::from));
}
