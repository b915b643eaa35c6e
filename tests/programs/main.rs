//! Runs every program below `testdata/programs`, plain, under the debugger, formatted, with other names and as a case of
//! `ez test`, and compares with the expectations beside it. A test a program and way; with `UPDATE_EXPECTATIONS=1` the plain runs that
//! do something else write it into the files.
//!
//! Each program is a file or a folder (with `main.ez`), with the expected results beside it: `.stdout`, `.exit`
//! (the status; 0 if the file is missing), `.in` (its standard input), and `.diag`, with a line for each
//! diagnostic: severity, code, `file:line:column`, message (expectations that a test has recorded have 1 and `-`
//! for the last two). Compared are output, status, and the severity, code, file and line of each diagnostic; of
//! several syntax errors only the first.
//!
//! To add a program, write it in a folder below `own` (the others were recorded from the reference implementation),
//! let the test record what it does, and check that:
//!
//! ```sh
//! UPDATE_EXPECTATIONS=1 cargo test --test programs own/types/mine    # only those with this in their names
//! cargo test --test programs
//! git diff testdata
//! ```
//!
//! Expectations that were recorded from the reference implementation are not overwritten. `testdata/DEVIATIONS.md`
//! names the programs that behave differently, with the reason; they are not compared.

use std::path::{Path, PathBuf};

use ez_language::analysis::{Analysis, ItemKind, Symbol, edited};
use ez_language::format::format;
use ez_language::modules::DiskLoader;
use ez_runtime::source::SourceMap;
use libtest_mimic::{Arguments, Failed, Trial};
use support::corpus::{Case, Outcome, STACK, attached, plain};

/// Runs a program in one of the ways, and compares.
type Way = fn(&Case) -> Result<(), Failed>;

const WAYS: [(&str, Way); 5] = [
    ("plain", run_plain),
    ("attached", run_attached),
    ("formatted", run_formatted),
    ("renamed", run_renamed),
    ("tested", run_tested),
];

fn main() {
    let arguments = Arguments::from_args();
    let cases = support::corpus::cases();
    let trial = |(name, way): (&str, Way), case: &Case| {
        let case = case.clone();
        // Each in a copy of its own: programs write files.
        Trial::test(format!("{name}/{}", case.name), move || {
            let (_folder, copy) = case.copied();
            std::thread::scope(|scope| {
                let thread =
                    std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || way(&copy))?;
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    };
    let trials = WAYS.into_iter().flat_map(|way| cases.iter().map(move |case| trial(way, case)));
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn run_plain(case: &Case) -> Result<(), Failed> {
    let got = plain(case);
    if std::env::var_os("UPDATE_EXPECTATIONS").is_some() {
        case.record(&got);
        return Ok(());
    }
    compare(&case.expected(), got)
}

fn run_attached(case: &Case) -> Result<(), Failed> {
    let mut wanted = case.expected();
    let got = attached(case);
    // A program that does not check is answered with its errors alone.
    if got.diagnostics.iter().all(|d| d.starts_with("error")) && got.stdout.is_empty() {
        wanted.diagnostics.retain(|d| d.starts_with("error"));
    }
    compare(&wanted, got)
}

fn run_formatted(case: &Case) -> Result<(), Failed> {
    format_all(&case.files());
    let (mut wanted, mut got) = (case.expected(), plain(case));
    // Lines are others; that reports are at the same tokens is tested in `random`.
    without_lines(&mut wanted.diagnostics);
    without_lines(&mut got.diagnostics);
    compare(&wanted, got)
}

fn run_renamed(case: &Case) -> Result<(), Failed> {
    let are_same = rename_some(&case.path)?;
    if are_same { compare(&case.expected(), plain(case)) } else { Ok(()) }
}

/// With what is expected as a case. A program that has errors has no cases, and one that reaches out of its folder prints
/// something else.
fn run_tested(case: &Case) -> Result<(), Failed> {
    let wanted = case.expected();
    let cases = case.path.with_extension("cases");
    std::fs::create_dir(&cases)?;
    for (part, text) in [("out", wanted.stdout.clone()), ("status", wanted.status.to_string())] {
        std::fs::write(cases.join("1").with_extension(part), text)?;
    }
    let input = case.path.with_extension("in");
    if input.exists() {
        std::fs::copy(input, cases.join("1.in"))?;
    }
    let mut command = support::ez();
    command.args(["test", "--json", "--mode", "exact", "--time", "50", "--memory", "4G"]).arg(&case.path);
    let output = command.env("TZ", "UTC").output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    let has_errors = told.contains("\"errors\"") && wanted.status == 1;
    if output.status.success() || has_errors {
        return Ok(());
    }
    let mut confined = support::ez();
    confined
        .args(["run", "--deny", "net", "--root"])
        .arg(case.path.parent().ok_or("no folder")?)
        .arg(&case.path);
    let reaches_out = confined.output()?.stdout != wanted.stdout.as_bytes();
    if reaches_out { Ok(()) } else { Err(told.into_owned().into()) }
}

/// Gives variables and functions of a program other names, and one of them its own again, which gives the same bytes. What
/// is printed is the same. Whether what is reported is the same, too: not if it was that a name is shadowed.
fn rename_some(main: &Path) -> Result<bool, Failed> {
    let mut random = fastrand::Rng::with_seed(7);
    let reports = |analysis: &Analysis| -> usize {
        analysis.files().iter().map(|file| analysis.reports(file).len()).sum()
    };
    let mut are_same = true;
    for number in 0..3 {
        let analysis = Analysis::new(&DiskLoader, main, None)?;
        let is_wanted = |symbol: &&Symbol| match symbol.kind {
            ItemKind::Function | ItemKind::Variable | ItemKind::Constant | ItemKind::Parameter => true,
            ItemKind::Struct | ItemKind::Enum | ItemKind::Field | ItemKind::Member | ItemKind::Module => {
                false
            }
        };
        let symbols: Vec<Symbol> = analysis.index().symbols().filter(is_wanted).cloned().collect();
        let Some(symbol) = random.choice(symbols) else { return Ok(are_same) };
        let Some(file) = analysis.source(symbol.at.file) else { return Err("no file".into()) };
        let (old, new) = (file.slice(symbol.at).to_string(), format!("other_{number}"));
        let edits = match analysis.rename(&DiskLoader, main, (&file, symbol.at.start), &new) {
            Ok(edits) => edits,
            // Nobody else has the new name.
            Err(why) if old == "main" || why.contains("syntax errors") || why.contains("not known") => {
                continue;
            }
            Err(why) => return Err(format!("{old} -> {new}: {why}").into()),
        };
        let mut before = Vec::new();
        for (path, edits) in &edits {
            let file = analysis.file(path).ok_or("no file")?;
            before.push((path, file.text.clone()));
            // With its byte order mark.
            let text = std::fs::read_to_string(path)?;
            let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
            std::fs::write(path, format!("{mark}{}", edited(&file, edits)))?;
        }
        let after = Analysis::new(&DiskLoader, main, None)?;
        if reports(&analysis) != reports(&after) {
            are_same = false;
            continue;
        }
        let own = edits.get(&file.path).ok_or("its declaration is no place")?;
        let before_it = own.iter().filter(|edit| edit.span.start < symbol.at.start).count();
        let start = symbol.at.start as usize + before_it * new.len() - before_it * old.len();
        let file = after.file(&file.path).ok_or("no file")?;
        let back = after.rename(&DiskLoader, main, (&file, start as u32), &old)?;
        for (path, text) in before {
            let file = after.file(path).ok_or("no file")?;
            if back.get(path).is_none_or(|back| edited(&file, back) != *text) {
                return Err(format!("{old} -> {new} -> {old}: {}", path.display()).into());
            }
        }
    }
    Ok(are_same)
}

/// Formats the files of a program that have no syntax errors.
fn format_all(files: &[(PathBuf, String)]) {
    for (path, text) in files {
        if let Ok(formatted) = format(&SourceMap::new().add("a.ez", path, text)) {
            let written = std::fs::write(path, formatted);
            assert!(written.is_ok(), "{written:?}");
        }
    }
}

/// Which reports there are in which files.
fn without_lines(reports: &mut Vec<String>) {
    for report in reports.iter_mut() {
        report.truncate(report.rfind(':').unwrap_or(report.len()));
    }
    reports.sort();
    reports.dedup();
}

/// What differs, as one text.
fn compare(wanted: &Outcome, got: Outcome) -> Result<(), Failed> {
    let mut differences = Vec::new();
    if got.stdout != wanted.stdout {
        differences.push(format!("stdout: {:?}\nwanted: {:?}", got.stdout, wanted.stdout));
    }
    if got.status != wanted.status {
        differences.push(format!("status: {}\nwanted: {}", got.status, wanted.status));
    }
    if got.diagnostics != wanted.diagnostics {
        differences.push(format!("diagnostics: {:?}\nwanted: {:?}", got.diagnostics, wanted.diagnostics));
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n").into()) }
}
