//! Who passes on `ez` passes on the licences: the texts are those of what is linked, and every form in which it is
//! passed on has them.

use std::collections::{BTreeMap, BTreeSet};

use support::source::PACKAGES;

use super::spec::read;

/// The versions of each crate in Cargo.lock.
fn locked() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in read("Cargo.lock").split("[[package]]").skip(1) {
        let field = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")));
            line.unwrap().trim_end_matches('"').to_string()
        };
        found.entry(field("name")).or_default().insert(field("version"));
    }
    found
}

/// The crates at the heads of the notices, each with its version.
fn noticed() -> BTreeSet<(String, String)> {
    let text = read("THIRD-PARTY.txt");
    let rule = "-".repeat(80);
    let heads = text.split(&rule).skip(1);
    let lines = heads.flat_map(|notice| {
        notice.trim_start().lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>()
    });
    let crates = lines.filter_map(|line| line.split_once(' '));
    let is_version = |version: &str| version.starts_with(|c: char| c.is_ascii_digit());
    crates
        .filter(|(_, version)| is_version(version))
        .map(|(name, version)| (name.to_string(), version.to_string()))
        .collect()
}

/// The crates that our packages name as dependencies of the program.
fn dependencies() -> BTreeSet<String> {
    let ours = PACKAGES.map(|package| package.name.replace('_', "-"));
    let manifests = PACKAGES.map(|package| read(package.manifest)).concat();
    let mut found = BTreeSet::new();
    for section in manifests.split("\n[").skip(1) {
        let (head, lines) = section.split_once(']').unwrap();
        if head != "dependencies" && !(head.starts_with("target.") && head.ends_with(".dependencies")) {
            continue;
        }
        let names = lines.lines().filter_map(|line| line.split_once(" = "));
        let names = names.map(|(name, _)| name.trim_end_matches(".workspace").to_string());
        found.extend(names.filter(|name| !name.starts_with(['#', ' ']) && !ours.contains(name)));
    }
    found
}

#[test]
fn the_notices_are_those_of_the_crates_in_use() {
    let (locked, noticed) = (locked(), noticed());
    assert!(noticed.len() > 100, "only {} crates were found", noticed.len());
    for (name, version) in &noticed {
        let is_used = locked.get(name).is_some_and(|versions| versions.contains(version));
        assert!(is_used, "THIRD-PARTY.txt has {name} {version}, Cargo.lock has not: run .ci/licenses");
    }
    let named: BTreeSet<&str> = noticed.iter().map(|(name, _)| name.as_str()).collect();
    let dependencies = dependencies();
    assert!(dependencies.len() > 40, "{dependencies:?}");
    for name in &dependencies {
        assert!(named.contains(name.as_str()), "THIRD-PARTY.txt has no notice of {name}: run .ci/licenses");
    }
}

#[test]
fn the_same_licenses_are_allowed_everywhere() {
    let list = |file: &str, name: &str| {
        let text = read(file);
        let (_, rest) = text.split_once(&format!("\n{name} = [")).unwrap();
        rest.split_once(']').unwrap().0.trim().to_string()
    };
    assert_eq!(list(".ci/about.toml", "accepted"), list(".ci/deny.toml", "allow"));
    assert_eq!(list(".ci/about.toml", "targets"), list(".ci/deny.toml", "targets"));
}

#[test]
fn crate_and_wheel_have_the_texts() {
    let manifest = read("Cargo.toml");
    let include = manifest.lines().find(|line| line.starts_with("include = ")).unwrap();
    let wheel = read("pyproject.toml");
    let files = wheel.lines().find(|line| line.starts_with("license-files = ")).unwrap();
    for file in ["LICENSE", "THIRD-PARTY.txt"] {
        assert!(include.contains(&format!("\"/{file}\"")), "{include}");
        assert!(files.contains(&format!("\"{file}\"")), "{files}");
    }
}
