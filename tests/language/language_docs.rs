//! The examples of the language reference are run: each `ez` block of `docs/language` prints and
//! reports exactly what the blocks behind it show (`docs/language/README.md` says how they are
//! written). `.ci/make` writes those blocks anew. Links of the reference and of the documents about the project, and
//! from comments of the source to it, lead to headings that exist.

use std::collections::HashSet;
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ez_runtime::diagnostics::{Code, explanations};

/// Languages of blocks that are neither run nor compared.
const FREE: &[&str] = &["ebnf", "sh", "text", "json"];

/// Blocks that belong to the example before them, in the order in which they are written.
const RESULTS: &[&str] = &["output", "diagnostics", "report"];

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn chapters() -> Vec<PathBuf> {
    documents("docs/language")
}

/// The documents in a folder, without those in folders of it.
fn documents(folder: &str) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files
}

/// A chapter's text, cut at its fenced blocks.
enum Piece {
    Prose(String),
    Block { language: String, line: usize, content: String },
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Prose(String::new())];
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            fenced = !fenced;
            pieces.push(match fenced {
                true => Piece::Block { language: language.into(), line: number + 1, content: String::new() },
                false => Piece::Prose(String::new()),
            });
            continue;
        }
        let (Piece::Prose(content) | Piece::Block { content, .. }) = pieces.last_mut().expect("a piece");
        content.push_str(line);
        content.push('\n');
    }
    assert!(!fenced, "a block is never closed");
    pieces
}

/// A runnable example: the program, the files beside it, and what it reads.
#[derive(Default)]
struct Example {
    line: usize,
    program: String,
    /// Whether nothing is added to the program.
    whole: bool,
    beside: Vec<(String, String)>,
    input: String,
}

/// The program's whole text, and for each of its lines the line of the block (0: not in it).
fn whole_program(block: &str) -> (String, Vec<usize>) {
    let lines: Vec<&str> = block.lines().collect();
    let mut text = Vec::new();
    let mut origins = Vec::new();
    let mut add = |line: &str, origin: usize| {
        text.push(line.to_string());
        origins.push(origin);
    };
    let imports = lines.iter().take_while(|line| line.starts_with("import")).count();
    let complete = lines.iter().any(|line| line.starts_with("do main("));
    if !block.contains("import ") && !lines.first().is_some_and(|line| line.starts_with("module ")) {
        add("import & use @std", 0);
    }
    for (number, line) in lines.iter().enumerate() {
        if number == imports && !complete {
            add("do main() {", 0);
        }
        add(line, number + 1);
    }
    if !complete {
        add("}", 0);
    }
    (text.join("\n") + "\n", origins)
}

/// What a run did: the content of each of the [`RESULTS`].
fn run(example: &Example, folder: &Path) -> [String; 3] {
    std::fs::create_dir_all(folder).expect("a folder");
    let (text, origins) = match example.whole {
        true => (example.program.clone(), (1..=example.program.lines().count()).collect()),
        false => whole_program(&example.program),
    };
    std::fs::write(folder.join("main.ez"), text).expect("the program");
    for (name, content) in &example.beside {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file beside the program");
    }
    let (output, report, _) = start(example, folder, "text");
    let (_, reports, status) = start(example, folder, "json");
    let report = report.replace(&folder.join("").display().to_string(), "");
    [ended(output), diagnostics(&reports, &origins, folder, status), report]
}

/// Standard output, standard error and exit status of a run of the example.
fn start(example: &Example, folder: &Path, format: &str) -> (String, String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ez"))
        .args(["--message-format", format, "main.ez"])
        .current_dir(folder)
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ez starts");
    let _ = child.stdin.take().expect("a pipe").write_all(example.input.as_bytes());
    let run = child.wait_with_output().expect("ez ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&run.stdout), text(&run.stderr), run.status.code().unwrap_or(-1))
}

/// With a line end, if there is any text.
fn ended(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The reports in short form, `LINE:COLUMN SEVERITY CODE: MESSAGE`, and an unusual exit status.
fn diagnostics(reports: &str, origins: &[usize], folder: &Path, status: i32) -> String {
    let mut text = String::new();
    let mut failed = false;
    for line in reports.lines() {
        let Ok(report) = serde_json::from_str::<serde_json::Value>(line) else {
            let _ = writeln!(text, "standard error: {line}");
            continue;
        };
        let word = |name: &str| report[name].as_str().unwrap_or("").to_string();
        let number = |name: &str| report[name].as_u64().unwrap_or(0) as usize;
        let file = word("file");
        let file = Path::new(&file).strip_prefix(folder).unwrap_or(Path::new(&file)).to_path_buf();
        let place = match file.to_str() {
            Some("main.ez") => {
                let line = origins.get(number("line").wrapping_sub(1)).copied().unwrap_or(0);
                format!("{line}:{}", number("column"))
            }
            _ => format!("{} {}:{}", file.display(), number("line"), number("column")),
        };
        failed |= word("severity") == "error";
        let message = word("message").replace('\n', "\n    ").replace("\n    \n", "\n\n");
        let _ = writeln!(text, "{place} {} {}: {message}", word("severity"), word("code"));
        if let Some(help) = report["help"].as_str() {
            let _ = writeln!(text, "    help: {}", help.replace('\n', "\n    "));
        }
    }
    if status != i32::from(failed) {
        let _ = writeln!(text, "exit status {status}");
    }
    text
}

/// Runs a chapter's examples; gives the chapter as it should be, and what is wrong with it.
fn chapter(path: &Path, folder: &Path) -> (String, Vec<String>) {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(path).expect("a chapter");
    let mut result = String::new();
    let mut wrong = Vec::new();
    let mut beside: Vec<(String, String)> = Vec::new();
    let all = pieces(&text);
    let mut rest = all.iter().enumerate().peekable();
    while let Some((index, piece)) = rest.next() {
        let (language, line, content) = match piece {
            Piece::Prose(prose) => {
                result.push_str(prose);
                continue;
            }
            Piece::Block { language, line, content } => (language, *line, content),
        };
        let _ = write!(result, "```{language}\n{content}```\n");
        if let Some(file) = language.strip_prefix("ez ").filter(|file| *file != "main.ez") {
            beside.push((file.to_string(), content.clone()));
            continue;
        }
        if !language.starts_with("ez") {
            if !FREE.contains(&language.as_str()) {
                wrong.push(format!("{name}:{line}: a block of `{language}` that belongs to no example"));
            }
            continue;
        }
        let mut example = Example {
            line,
            program: content.clone(),
            whole: language != "ez",
            beside: std::mem::take(&mut beside),
            input: String::new(),
        };
        let mut shown: [Option<&str>; 3] = [None; 3];
        // Result blocks follow with nothing but an empty line between.
        let mut next = index + 1;
        while let [Piece::Prose(space), Piece::Block { language, content, .. }, ..] = &all[next..]
            && space.trim().is_empty()
        {
            if let Some(kind) = RESULTS.iter().position(|kind| kind == language) {
                shown[kind] = Some(content);
            } else if language == "input" {
                example.input = content.clone();
                let _ = write!(result, "```input\n{content}```\n");
            } else {
                break;
            }
            next += 2;
        }
        while rest.peek().is_some_and(|(index, _)| *index < next) {
            rest.next();
        }
        let did = run(&example, &folder.join(format!("{name}-{line}")));
        for (kind, (did, shown)) in did.iter().zip(shown).enumerate() {
            // The full report is compared only where it is shown; the short form goes without it.
            let skipped = (kind == 2 && shown.is_none()) || (kind == 1 && example_shows_report(&all, next));
            if skipped {
                continue;
            }
            if shown.unwrap_or("") != did {
                let wanted = shown.unwrap_or("");
                wrong.push(format!(
                    "{name}:{}: {} should be\n{did}but is\n{wanted}",
                    example.line, RESULTS[kind]
                ));
            }
            if !did.is_empty() {
                let _ = write!(result, "```{}\n{did}```\n", RESULTS[kind]);
            }
        }
    }
    (result, wrong)
}

/// Whether the last block before piece `next` is a full report.
fn example_shows_report(pieces: &[Piece], next: usize) -> bool {
    pieces[..next].iter().rev().find_map(|piece| match piece {
        Piece::Block { language, .. } => Some(language == "report"),
        Piece::Prose(_) => None,
    }) == Some(true)
}

// invariant 23
#[test]
fn examples_do_what_is_shown() {
    let folder = std::env::temp_dir().join(format!("ez_language_docs_{}", std::process::id()));
    let update = std::env::var_os("EZ_MAKE").is_some();
    let mut wrong = Vec::new();
    for path in chapters() {
        let (text, problems) = chapter(&path, &folder);
        if update {
            std::fs::write(&path, text).expect("written");
        }
        wrong.extend(problems);
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(update || wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
}

/// The table of codes in `reports.md`: those that something raises, with the words for all their
/// meanings.
fn code_table() -> String {
    let mut table = String::from("| code | |\n|---|---|\n");
    for explanation in explanations() {
        let code = explanation.code;
        let others = Code::MEANINGS.iter().filter(|meaning| meaning.base() == code);
        let mut labels: Vec<&str> = std::iter::once(&code).chain(others).map(|code| code.label()).collect();
        labels.dedup();
        let _ = writeln!(table, "| {} | {} |", code.as_str(), labels.join("; ").replace('|', "\\|"));
    }
    table
}

#[test]
fn the_table_of_codes_is_complete() {
    let path = root("docs/language/reports.md");
    let text = std::fs::read_to_string(&path).expect("the chapter");
    let heading = "## Codes\n\n";
    let (before, table) = text.split_once(heading).expect("the heading");
    if std::env::var_os("EZ_MAKE").is_some() {
        std::fs::write(&path, format!("{before}{heading}{}", code_table())).expect("written");
    } else {
        assert_eq!(table, code_table());
    }
}

/// The anchors of a chapter's headings, as GitHub makes them.
fn anchors(text: &str) -> HashSet<String> {
    let prose = pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Prose(prose) => Some(prose),
        Piece::Block { .. } => None,
    });
    let headings = prose.collect::<String>();
    let headings = headings.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let letters = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = letters.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// Every text between `before` and the first of `ends`.
fn between<'t>(text: &'t str, before: &str, ends: &[char]) -> Vec<&'t str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(ends).next()).collect()
}

/// What stands before the files of the project in absolute links.
const OWN_ADDRESSES: [&str; 2] = [
    "https://github.com/ez-debugger/ez-debugger/blob/main/",
    "https://raw.githubusercontent.com/ez-debugger/ez-debugger/main/",
];

fn leads_somewhere(link: &str, from: &Path) -> bool {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = if file.is_empty() { from.to_path_buf() } else { from.with_file_name(file) };
    let Ok(text) = std::fs::read_to_string(&path) else { return path.exists() };
    anchor.is_empty() || anchors(&text).contains(anchor)
}

/// On the page of a package index, relative links lead nowhere.
#[test]
fn links_of_the_readme_are_absolute() {
    let text = std::fs::read_to_string(root("README.md")).expect("a document");
    let links = between(&text, "](", &[')']);
    assert!(links.len() > 20, "{links:?}");
    let relative: Vec<_> =
        links.iter().filter(|link| !link.starts_with("https://") && !link.starts_with('#')).collect();
    assert!(relative.is_empty(), "{relative:?}");
}

#[test]
fn links_lead_to_headings() {
    let mut wrong = Vec::new();
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SPEC.md", "web/README.md"].map(root);
    for path in documents("docs").into_iter().chain(chapters()).chain(others) {
        let text = std::fs::read_to_string(&path).expect("a document");
        for link in between(&text, "](", &[')']) {
            let leads = match OWN_ADDRESSES.iter().find_map(|address| link.strip_prefix(address)) {
                Some(file) => leads_somewhere(file, &root("README.md")),
                None => link.starts_with("http") || leads_somewhere(link, &path),
            };
            if !leads {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => sources(&path, found),
            path if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            _ => {}
        }
    }
}

// invariant 23
#[test]
fn comments_cite_headings() {
    let mut files = Vec::new();
    ["src", "tests", "benches"].iter().for_each(|folder| sources(&root(folder), &mut files));
    let mut wrong = Vec::new();
    for path in files.iter().filter(|path| !path.ends_with("language_docs.rs")) {
        let text = std::fs::read_to_string(path).expect("a source");
        for link in between(&text, "docs/language/", &[' ', ')', '`', '\n', ',', ';', '"', ':']) {
            let link = link.trim_end_matches('.');
            if !leads_somewhere(link, &root("docs/language/README.md")) {
                wrong.push(format!("{}: docs/language/{link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
