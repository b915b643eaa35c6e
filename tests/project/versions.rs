//! The version and the address of the project are the same wherever they stand; `.ci/version` raises the version.

use std::collections::{BTreeMap, BTreeSet};

use support::source::PACKAGES;

use super::spec::read;

/// What stands between quotes behind `before`, at the first place.
fn quoted(file: &str, before: &str) -> String {
    let text = read(file);
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{file} has no {before}"));
    rest.split('"').nth(1).unwrap().to_string()
}

#[test]
fn all_parts_have_one_version() {
    for package in PACKAGES {
        let name = package.name.replace('_', "-");
        let locked = format!("\nname = \"{name}\"\nversion = ");
        assert_eq!(quoted(package.manifest, "\nversion = "), env!("CARGO_PKG_VERSION"), "{name}");
        assert_eq!(quoted("Cargo.lock", &locked), env!("CARGO_PKG_VERSION"), "{name}");
        if package.folder != "src" {
            let used = format!("\n{name} = {{ path = \"{}\", version = ", package.folder);
            assert_eq!(quoted("Cargo.toml", &used), env!("CARGO_PKG_VERSION"), "{name}");
        }
    }
    for (file, before) in [
        ("tests/support/Cargo.toml", "\nversion = "),
        ("Cargo.lock", "\nname = \"ez-debugger-test-support\"\nversion = "),
        ("python/ez_debugger/__init__.py", "\n__version__ = "),
        ("editors/vscode/package.json", "\"version\": "),
        ("editors/vscode/package-lock.json", "\"version\": "),
        (
            "editors/vscode/package-lock.json",
            "\"\": {\n      \"name\": \"ez-debugger\",\n      \"version\": ",
        ),
        ("editors/zed/Cargo.toml", "\nversion = "),
        ("editors/zed/extension.toml", "\nversion = "),
        ("src/protocol/ez/description/openrpc.json", "\"x-serverVersion\": "),
    ] {
        assert_eq!(quoted(file, before), env!("CARGO_PKG_VERSION"), "{file}");
    }
    let changes = read("CHANGELOG.md");
    let newest = changes.lines().find(|line| line.starts_with("## [") && !line.contains("Unreleased"));
    let heading = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    assert!(newest.is_some_and(|line| line.starts_with(&heading)), "CHANGELOG.md begins with {newest:?}");
}

#[test]
fn all_parts_name_one_repository() {
    let address = quoted("Cargo.toml", "\nrepository = ");
    for file in [
        "README.md",
        "pyproject.toml",
        "CHANGELOG.md",
        "SECURITY.md",
        "editors/vscode/package.json",
        "editors/vscode/README.md",
        ".ci/packing/templates/ez-debugger.rb",
    ] {
        let text = read(file);
        assert!(text.contains(&address), "{file} does not name {address}");
        for (at, _) in text.match_indices("https://github.com/") {
            let named = text[at..].split(|c: char| c.is_whitespace() || "\"')>".contains(c)).next().unwrap();
            let is_own = named.contains("ez-debugger");
            assert!(!is_own || named.starts_with(&address), "{file} names {named}");
        }
    }
}

/// The crates that are compiled for the program on this system, with their features; `edges` as in `cargo tree`.
fn crates_with_features(edges: &str) -> BTreeSet<String> {
    let mut command = std::process::Command::new(env!("CARGO"));
    command.args([
        "tree",
        "--locked",
        "--offline",
        "--edges",
        edges,
        "--prefix",
        "none",
        "--format",
        "{p} {f}",
    ]);
    let done = command.current_dir(super::spec::project(".")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    text.lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.trim_end_matches(" (*)").to_string())
        .collect()
}

/// `cargo test` goes on with what `cargo build` has compiled: what tests need asks for no other features.
#[test]
fn tests_add_no_features_to_what_is_built() {
    let (built, tested) = (crates_with_features("no-dev"), crates_with_features("all"));
    assert!(built.len() > 100, "{built:?}");
    let others: Vec<&String> = built.difference(&tested).collect();
    assert!(others.is_empty(), "tests change the features of {others:#?}");
}

/// Each package of a lock file, as `name version`, with the names of what it depends on.
fn locked(file: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text = read(file);
    let packages = text.split("[[package]]").skip(1).map(|package| {
        let value = |key: &str| package.split_once(key).and_then(|(_, rest)| rest.split('"').next());
        let name = format!("{} {}", value("\nname = \"").unwrap(), value("\nversion = \"").unwrap());
        let list =
            package.split_once("\ndependencies = [").map_or("", |(_, rest)| rest.split(']').next().unwrap());
        let names = list.split('"').skip(1).step_by(2).filter_map(|entry| entry.split(' ').next());
        (name, names.map(str::to_string).collect())
    });
    packages.collect()
}

/// What one of our packages depends on in programs, not in tests, by `cargo metadata`.
fn dependencies_of(package: &serde_json::Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().unwrap();
    all.iter().filter(|d| d["kind"].is_null()).map(|d| d["name"].as_str().unwrap().to_string()).collect()
}

/// The fuzzing package has a lock file of its own, which `.ci/fuzz` does not change: it has what the program is
/// compiled of, in the same versions.
#[test]
fn the_lock_file_of_the_fuzzing_package_is_up_to_date() {
    let (ours, fuzz) = (locked("Cargo.lock"), locked("fuzz/Cargo.lock"));
    let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in crates_with_features("no-dev") {
        let name = line.split(' ').take(2).collect::<Vec<_>>().join(" ").replacen(" v", " ", 1);
        let dependencies = ours.get(&name).cloned().unwrap_or_else(|| panic!("Cargo.lock has no {name}"));
        wanted.insert(name, dependencies);
    }
    let mut command = std::process::Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let done = command.current_dir(super::spec::project(".")).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    for package in metadata["packages"].as_array().unwrap() {
        let name = format!("{} {}", package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        wanted.entry(name).and_modify(|dependencies| *dependencies = dependencies_of(package));
    }
    for (name, dependencies) in &wanted {
        let there = fuzz.get(name).unwrap_or_else(|| panic!("fuzz/Cargo.lock has no {name}"));
        let missing: Vec<&String> = dependencies.difference(there).collect();
        assert!(
            missing.is_empty(),
            "{name} depends on {missing:?}: `cargo metadata --manifest-path fuzz/Cargo.toml` writes fuzz/Cargo.lock"
        );
    }
}
