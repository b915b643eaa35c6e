//! What `ez fmt` keeps, for the programs of `testdata` and for random ones: formatting again changes nothing; tokens and
//! comments are the same in the same order; so are the tree and, at their tokens, the reports. (That programs do the
//! same is a way to run them in the target `programs`.)

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ez_language::check::check_source;
use ez_language::format::format;
use ez_language::syntax::{Token, lex, parse_file};
use ez_runtime::diagnostics::has_errors;
use regex::Regex;

use crate::generator::Program;
use crate::targets::format::{comments_of, file, tree};

/// Random programs of a short run.
const COUNT: u64 = 20;

/// The reports, with the numbers of their tokens instead of places and lines. Helps quote the program as it is written:
/// they are left out unless `with_help`. With the number of the token of each, if it has one.
fn reports(text: &str, with_help: bool) -> Vec<(Option<usize>, String)> {
    let file = file(text);
    let (tokens, _) = lex(&file);
    static LINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"line \d+").unwrap());
    let report = |found: &ez_runtime::diagnostics::Diagnostic| {
        // The beginning of a file is the place of what is nowhere in it.
        let place = found.span.filter(|span| span.end > 0).map(|span| {
            let token = tokens.partition_point(|token| token.span.end <= span.start);
            let start = tokens.get(token).map_or(0, |token| token.span.start);
            (token, i64::from(span.start) - i64::from(start))
        });
        let help = found.help.as_ref().filter(|_| with_help);
        let whole = format!("{:?} {place:?} {} {help:?}", found.code, found.message);
        (place.map(|(token, _)| token), LINE.replace_all(&whole, "line").into_owned())
    };
    check_source(text, "a.ez").diagnostics.iter().map(report).collect()
}

/// What differs from the promise, for one text.
fn wrong(text: &str, with_help: bool) -> Option<String> {
    let before = file(text);
    if has_errors(&parse_file(&before).diagnostics) {
        assert!(format(&before).is_err());
        return None;
    }
    let formatted = match format(&before) {
        Ok(formatted) => formatted,
        Err(reports) => return Some(format!("refused: {reports:?}")),
    };
    let after = file(&formatted);
    let (old, new) = (lex(&before).0, lex(&after).0);
    let texts = |tokens: &[Token<'_>]| -> Vec<String> {
        tokens.iter().map(|token| format!("{:?} {}", token.kind, token.text)).collect()
    };
    let same = |what: &str, old: &[String], new: &[String]| {
        let at = (0..old.len().max(new.len())).find(|at| old.get(*at) != new.get(*at))?;
        Some(format!("{what} {at}: {:?} became {:?} in\n{formatted}", old.get(at), new.get(at)))
    };
    let again = format(&after).unwrap_or_default();
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    same("token", &texts(&old), &texts(&new))
        .or_else(|| same("comment", &comments_of(&before, &old), &comments_of(&after, &new)))
        .or_else(|| same("tree", &[tree(&before)], &[tree(&after)]))
        .or_else(|| {
            let (first, mut all) = (reports(text, with_help), reports(&formatted, with_help));
            // Of the errors of a line only the first is reported; formatting puts them on lines of their own.
            let line = |token: Option<usize>| {
                let start = old.get(token?)?.span.start;
                Some(before.position(start).line)
            };
            let has_first = |token: Option<usize>| {
                line(token).is_some_and(|at| first.iter().any(|(it, _)| line(*it) == Some(at)))
            };
            all.retain(|report| with_help || first.contains(report) || !has_first(report.0));
            let texts =
                |reports: Vec<(Option<usize>, String)>| reports.into_iter().map(|(_, text)| text).collect();
            let (first, all): (Vec<String>, Vec<String>) = (texts(first), texts(all));
            same("report", &first, &all)
        })
        .or_else(|| same("line, formatted again,", &lines(&formatted), &lines(&again)))
        .or_else(|| (again != formatted).then(|| "the end of the text".to_string()))
        .or_else(|| {
            let blank = formatted.lines().find(|line| line.ends_with([' ', '\t']) && !line.contains('`'));
            blank.filter(|_| !formatted.contains('`')).map(|line| format!("blanks at the end of {line:?}"))
        })
}

fn files_below(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

/// The texts of all programs in this repository, with their names.
fn corpus() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["testdata", "examples", "benches"] {
        files_below(&root.join(folder), "ez", &mut paths);
    }
    let read = |path: &PathBuf| Some((path.display().to_string(), std::fs::read_to_string(path).ok()?));
    let mut texts: Vec<(String, String)> = paths.iter().filter_map(read).collect();
    let mut documents = Vec::new();
    files_below(&root.join("docs"), "md", &mut documents);
    for path in documents {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, part) in text.split("```ez").enumerate().skip(1) {
            let program = part.split_once('\n').map_or("", |(_, rest)| rest);
            let program = program.split("```").next().unwrap_or_default().to_string();
            // Statements are in a function, else they are reported.
            let whole = format!("do main() {{\n{program}}}\n");
            texts.push((format!("{} {number}", path.display()), program));
            texts.push((format!("{} {number} in main", path.display()), whole));
        }
    }
    texts
}

/// Fails with all texts for which the promise does not hold.
fn all_hold(texts: impl IntoIterator<Item = (String, String)>, with_help: bool) {
    let (mut count, mut failed) = (0, Vec::new());
    for (name, text) in texts {
        count += 1;
        failed.extend(wrong(&text, with_help).map(|what| format!("{name}: {what}")));
    }
    let shown = failed.iter().take(10).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(failed.is_empty(), "{} of {count}:\n{shown}", failed.len());
    assert!(count > 0);
}

// invariant 32
#[test]
fn programs_stay_what_they_are() {
    ez_stack(|| all_hold(corpus(), true));
}

/// What is put between the tokens of a program.
const BETWEEN: [(&str, &str); 7] = [
    ("blanks", "  "),
    ("lines", "\n"),
    ("crlf", "\r\n\r\n\r\n"),
    ("line comments", " // c\n\t"),
    ("comments", " /* c */ "),
    ("own lines", "\n// c\n\n\n"),
    ("blocks", "\n/* c\n c */"),
];

/// The same where all is in one line, or each token in a line of its own, or with comments between them: each program
/// in one of these ways, or with `EZ_COUNT` in all.
#[test]
fn programs_stay_what_they_are_however_they_are_written() {
    let all = std::env::var_os("EZ_COUNT").is_some();
    ez_stack(|| {
        let respaced = corpus().into_iter().flat_map(|(name, text)| {
            // By its name, so that it is the same way on each machine, whatever is added to the programs.
            let own = name.strip_prefix(&support::project("").display().to_string()).unwrap_or(&name);
            let number: usize = own.bytes().map(usize::from).sum();
            let ways =
                BETWEEN.iter().enumerate().filter(move |(way, _)| all || number % BETWEEN.len() == *way);
            let written = |(way, between): (&str, &str)| (format!("{name} {way}"), joined(&text, between));
            ways.map(|(_, way)| written(*way)).collect::<Vec<_>>()
        });
        all_hold(respaced, false);
    });
}

#[test]
fn what_follows_a_block_in_the_line_of_a_word_of_another_language_is_in_a_line_of_its_own() {
    let text = "do main() {\n    temp x = 1\n    while(2) if x > 1 { x = 0 } x = 2 when x { is 0 { x = 6 } } x = 3\n}\n";
    ez_stack(|| all_hold([("one line".to_string(), text.to_string())], false));
}

/// A file begins with a line, whether it is empty or not.
#[test]
fn a_comment_that_begins_a_file_is_like_one_below_an_empty_line() {
    ez_stack(|| {
        let comments = ["/* a */ ", "/* a */\n", "// a\n", "/* a */ /* b */ ", "/* a\n*/ "];
        let begins = comments.map(|comment| ["", "\n", "\n\n"].map(|before| format!("{before}{comment}")));
        let text =
            |begin: String| (format!("{begin:?}"), format!("{begin}do main() {{\n    temp x = 1\n}}\n"));
        all_hold(begins.into_iter().flatten().map(text), false);
    });
}

/// Whatever begins and ends comments, between two statements.
#[test]
fn comments_stay_what_they_are() {
    let mut ends = vec![String::new()];
    for length in 0..5 {
        let longest: Vec<String> = ends.iter().filter(|end| end.len() == length).cloned().collect();
        ends.extend(
            longest.iter().flat_map(|end| ["/", "*", "a", " ", "\n"].map(|next| format!("{end}{next}"))),
        );
    }
    let text = |end: String| {
        (end.clone(), format!("do main() {{\n    temp x = 1 {end}\n    temp y = 2 /*/ */\n}}\n"))
    };
    ez_stack(|| all_hold(ends.into_iter().map(text), false));
}

/// The tokens of a text with `between` between any two of them.
fn joined(text: &str, between: &str) -> String {
    let file = file(text);
    let (tokens, _) = lex(&file);
    let written = |token: &Token<'_>| &file.text[token.span.start as usize..token.span.end as usize];
    tokens.iter().map(written).collect::<Vec<_>>().join(between)
}

#[test]
fn random_programs_stay_what_they_are() {
    let number =
        |name: &str, other| std::env::var(name).map_or(other, |text| text.parse().expect("a number"));
    let first = number("EZ_SEED", 1);
    let texts = (first..first + number("EZ_COUNT", COUNT)).flat_map(|seed| {
        let program = Program::from_seed(seed);
        program.files.into_iter().map(move |(name, text)| (format!("seed {seed} {name}"), text))
    });
    ez_stack(|| {
        let written = texts.flat_map(|(name, text)| {
            [joined(&text, " "), joined(&text, "\n"), text].map(|text| (name.clone(), text))
        });
        all_hold(written, false);
    });
}

/// Runs on a stack for deeply nested programs.
fn ez_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(512 << 20).spawn_scoped(scope, work);
        if let Err(panic) = thread.unwrap().join() {
            std::panic::resume_unwind(panic);
        }
    });
}
