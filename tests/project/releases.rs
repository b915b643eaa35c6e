//! What the documents say of releases: while none is published, nothing that has to be published stands outside of
//! the sections that say so, whose headings are *With a release*. README.md begins with what works.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::spec::{project, read};

/// The heading of such a section, and what each of them says.
const HEADING: &str = "With a release";
const NONE_YET: &str = "No release has been published yet";

/// What installs from an index, if one of our names follows.
const INSTALLERS: [&str; 17] = [
    "pip install",
    "pip3 install",
    "pip download",
    "pipx install",
    "pipx run",
    "uvx",
    "uv tool install",
    "uv add",
    "cargo install",
    "cargo binstall",
    "cargo add",
    "npm install",
    "npx",
    "brew install",
    "winget install",
    "apt install",
    "apt-get install",
];
const OUR_NAMES: [&str; 6] =
    ["ez-debugger", "ez_debugger", "ezdebugger", "ez-runtime", "ez-language", "ez-engine"];

/// What is downloaded from the page of releases: its address, and names of files as documents write them.
const DOWNLOADS: [&str; 4] = ["/ez-debugger/releases", "ez-VERSION", "ez-web-VERSION", "ez-debugger_VERSION"];

/// The documents, and the sources of programs that say what to install. CHANGELOG.md is the list of releases.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    fn walk(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let is_built = ["target", "node_modules", "testdata", "tests", "dist", "build"].contains(&name);
            if path.is_dir() && !is_built && !name.starts_with('.') && !name.starts_with("ez-") {
                walk(&path, extensions, found);
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|one| extension == *one))
            {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&project("."), extensions, &mut found);
    found.retain(|path| path.file_name().unwrap() != "CHANGELOG.md");
    found
}

/// A text in sections, each with its heading (the first one has none) and its lines, of which those of a paragraph are
/// joined.
fn sections(text: &str) -> Vec<(String, String)> {
    let (mut sections, mut fenced) = (vec![(String::new(), String::new())], false);
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        if !fenced && line.starts_with('#') {
            sections.push((line.trim_start_matches('#').trim().to_string(), String::new()));
            continue;
        }
        let (_, content) = sections.last_mut().unwrap();
        let is_end = fenced || is_fence || line.is_empty() || line.starts_with('|');
        content.push_str(line.trim());
        content.push(if is_end { '\n' } else { ' ' });
    }
    sections
}

/// Whether a text has a word, or several, that none continues.
fn places<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(words).filter_map(move |(at, _)| {
        let rest = &text[at + words.len()..];
        let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        (!text[..at].ends_with(is_part) && rest.starts_with([' ', '\n'])).then_some(rest)
    })
}

/// What a text installs from an index under one of our names, or downloads from the page of releases.
fn published_things(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for installer in INSTALLERS {
        for rest in places(text, installer) {
            let arguments = rest.split(['\n', '`', '#', '|', '&', ';']).next().unwrap();
            let is_ours = |argument: &str| {
                let argument = argument.to_lowercase();
                !argument.contains('/') && OUR_NAMES.iter().any(|name| argument.contains(name))
            };
            if arguments.split_whitespace().any(is_ours) {
                found.push(format!("{installer}{arguments}"));
            }
        }
    }
    found.extend(DOWNLOADS.iter().filter(|name| text.contains(*name)).map(|name| name.to_string()));
    found
}

/// What is wrong with a document while no release is published.
fn unmarked(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for (heading, content) in sections(text) {
        if heading != HEADING {
            let found = published_things(&content);
            wrong.extend(found.into_iter().map(|thing| format!("'{thing}' stands below '{heading}'")));
        } else if !content.trim_start().starts_with(NONE_YET) {
            wrong.push(format!("the section '{HEADING}' does not begin with '{NONE_YET}'"));
        }
    }
    wrong
}

#[test]
fn commands_that_need_a_release_are_found() {
    for text in [
        "pip install ez-debugger",
        "so `python -m pip install 'ez-debugger[qt]'` does",
        "```sh\npip install jupyterlab EZ_debugger==1.0 # once\n```",
        "say `pip\ninstall ez-debugger`",
        "| `uvx --from ez-debugger ez` | |",
        "cargo binstall --locked ez-debugger",
        "brew install ez-debugger",
        "[page](https://github.com/ez-debugger/ez-debugger/releases)",
        "unpack `ez-web-VERSION.zip`",
        "## With a release\n\nUse this.",
        "## With a release\n\nNo release has been published yet.\n\n## After it\n\npipx run ez-debugger",
    ] {
        assert_eq!(unmarked(text).len(), 1, "{text}: {:?}", unmarked(text));
    }
    for text in [
        "pip install . jupyterlab",
        "pip install '.[qt]' && python -m ez_debugger.ez_ide FOLDER",
        "pip install --no-index FILE.whl  # ez-debugger",
        "cargo install --locked --path .",
        "[the project](https://github.com/ez-debugger/ez-debugger)",
        "## With a release\n\nNo release has been published yet. `pip install ez-debugger`\n",
    ] {
        assert_eq!(unmarked(text), Vec::<String>::new(), "{text}");
    }
}

/// The documents that say that there is no release yet.
fn waiting(documents: &[PathBuf]) -> Vec<&PathBuf> {
    documents.iter().filter(|path| fs::read_to_string(path).unwrap().contains(NONE_YET)).collect()
}

#[test]
fn nothing_is_installed_that_is_not_published() {
    let documents = files(&["md"]);
    assert!(documents.len() > 30, "only {} documents were found", documents.len());
    if waiting(&documents).is_empty() {
        return;
    }
    let mut wrong = Vec::new();
    for path in &documents {
        let text = fs::read_to_string(path).unwrap();
        wrong.extend(unmarked(&text).iter().map(|problem| format!("{}: {problem}", path.display())));
    }
    for path in files(&["rs", "py", "js", "ts", "mjs", "lua", "el"]) {
        let text = fs::read_to_string(&path).unwrap();
        let found = published_things(&text).into_iter().filter(|thing| !DOWNLOADS.contains(&thing.as_str()));
        wrong.extend(found.map(|thing| format!("{}: '{thing}'", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `.ci/published`, which `.ci/version` and `.ci/tag` ask, names the documents that say that there is no release.
#[cfg(unix)]
#[test]
fn no_version_is_made_while_documents_say_that_there_is_none() {
    let documents = files(&["md"]);
    let waiting = waiting(&documents);
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    for script in [vec![".ci/published"], vec![".ci/tag", version]] {
        let done = Command::new("bash").args(&script).current_dir(project(".")).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.success(), waiting.is_empty(), "{script:?}: {said}");
        for path in &waiting {
            let name = path.strip_prefix(project(".")).unwrap().to_str().unwrap();
            assert!(said.contains(name), "{script:?} does not name {name}: {said}");
        }
    }
    assert!(read(".ci/version").contains("\n.ci/published\n"));
}

/// A script that makes a folder takes no flag for its name: it says how it is used, and makes nothing.
#[cfg(unix)]
#[test]
fn scripts_that_make_folders_tell_their_usage() {
    let copy = tempfile::tempdir().unwrap();
    let scripts = copy.path().join(".ci");
    fs::create_dir(&scripts).unwrap();
    for script in ["release", "web", "std", "collect", "wheel", "pictures", "licenses"] {
        fs::copy(project(&format!(".ci/{script}")), scripts.join(script)).unwrap();
        for arguments in [&["--help"][..], &["-h"], &["--help", "x"]] {
            let mut command = Command::new("bash");
            let done = command.arg(scripts.join(script)).args(arguments).current_dir(copy.path()).output();
            let done = done.unwrap();
            let said = String::from_utf8(done.stderr).unwrap();
            assert!(
                !done.status.success() && said.contains(&format!("usage: .ci/{script}")),
                "{script}: {said}"
            );
        }
    }
    let made: Vec<_> = fs::read_dir(copy.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(made, [".ci"]);
}

/// The first two commands of README.md need nothing that is not in a fresh checkout.
#[test]
fn the_readme_begins_with_what_works() {
    let text = read("README.md");
    let first: Vec<&str> =
        text.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let commands: Vec<&str> = first.iter().map(|block| block.split('#').next().unwrap().trim()).collect();
    assert_eq!(&commands[..2], ["cargo build && sh examples/pipe.sh", "cargo test"]);
    assert!(text.find("cargo test") < text.find(NONE_YET).or(Some(usize::MAX)));
}
