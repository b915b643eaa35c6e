//! The lessons of the tour (`web/tour`): their programs do what is said, solutions of exercises pass their cases and
//! what they begin with does not, and each lesson uses only what it or one before it introduces. What a lesson consists
//! of is checked when the page is built, too (`web/tour/lessons.mjs`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use ez_language::check::builtin_names;
use ez_language::syntax::TokenKind;
use ez_language::syntax::token::{Class, is_primitive};
use ez_runtime::library;
use serde_json::Value;
use support::{ez, output_within, scratch, with_input};

/// A block of a lesson: its language, with the name of a file if it has one, and its content.
struct Block {
    language: String,
    content: String,
}

struct Lesson {
    name: String,
    /// The names, words and operators of the language that it introduces.
    new: BTreeSet<String>,
    /// The terms that it explains.
    words: Vec<String>,
    /// What is read before the solution, without blocks and code.
    prose: String,
    blocks: Vec<Block>,
    solution: Option<String>,
    /// What is read, and what has to be printed.
    cases: Vec<(String, String)>,
}

impl Lesson {
    fn read(path: &Path) -> Lesson {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).unwrap();
        let (head, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        let field = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.trim_start_matches(':').trim().to_string()
        };
        let (main, solution) = body.split_once("\n## Solution\n").unwrap_or((body, ""));
        let (prose, blocks) = pieces(main);
        let solution = pieces(solution).1.into_iter().next().map(|block| block.content);
        let cases = cases(&path.with_extension("cases"));
        let words = field("words").split(", ").filter(|word| !word.is_empty()).map(str::to_string).collect();
        let new = field("new").split_whitespace().map(str::to_string).collect();
        Lesson { name, new, words, prose, blocks, solution, cases }
    }

    /// The content of the block in this language; nothing if there is none.
    fn block(&self, language: &str) -> &str {
        self.blocks.iter().find(|block| block.language == language).map_or("", |block| &block.content)
    }

    fn program(&self) -> &str {
        self.block("ez")
    }

    /// The folder for a program of the lesson, with the files beside it.
    fn folder(&self, root: &Path, what: &str, program: &str) -> PathBuf {
        let folder = root.join(format!("{}-{what}", self.name));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("main.ez"), program).unwrap();
        for block in &self.blocks {
            if let Some(file) = block.language.strip_prefix("ez ") {
                std::fs::write(folder.join(file), &block.content).unwrap();
            }
        }
        folder
    }
}

fn lessons() -> Vec<Lesson> {
    let folder = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("web/tour")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    assert!(paths.len() > 40);
    paths.iter().map(|path| Lesson::read(path)).collect()
}

/// A text without its fenced blocks, and these.
fn pieces(text: &str) -> (String, Vec<Block>) {
    let mut prose = String::new();
    let mut blocks = Vec::new();
    for (number, piece) in text.split("```").enumerate() {
        if number % 2 == 0 {
            prose += piece;
        } else {
            let (language, content) = piece.split_once('\n').unwrap();
            blocks.push(Block { language: language.into(), content: content.into() });
        }
    }
    (prose, blocks)
}

fn cases(folder: &Path) -> Vec<(String, String)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut outputs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    outputs.retain(|path| path.extension().is_some_and(|extension| extension == "out"));
    outputs.sort();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    outputs.iter().map(|output| (read(&output.with_extension("in")), read(output))).collect()
}

/// What a program prints, and its reports as `LINE:COLUMN SEVERITY CODE: MESSAGE`.
fn run(folder: &Path, input: &str) -> (String, String) {
    let mut command = ez();
    command.args(["--message-format", "json", "main.ez"]).current_dir(folder);
    let ran = with_input(&mut command, input);
    let mut reports = String::new();
    for line in String::from_utf8(ran.stderr).unwrap().lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let word = |name: &str| report[name].as_str().unwrap().to_string();
        let (severity, code, message) = (word("severity"), word("code"), word("message"));
        reports += &format!("{}:{} {severity} {code}: {message}\n", report["line"], report["column"]);
    }
    (String::from_utf8(ran.stdout).unwrap(), reports)
}

/// What `ez` says about a program, if it does not accept it as it is.
fn refused(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut command: Command = ez();
    command.args(arguments).arg("main.ez").current_dir(folder);
    let done = output_within(&mut command, support::HANG);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    (!done.status.success() || said.contains("warning")).then_some(said)
}

/// Blanks at the ends of lines, and line ends at the end, do not count.
fn compared(output: &str) -> String {
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_string()
}

#[test]
fn programs_do_what_their_lessons_say() {
    let root = scratch();
    for lesson in lessons() {
        let folder = lesson.folder(&root, "program", lesson.program());
        let (output, reports) = run(&folder, lesson.block("input"));
        assert_eq!(compared(&output), compared(lesson.block("output")), "{}", lesson.name);
        assert_eq!(reports, lesson.block("diagnostics"), "{}", lesson.name);
        assert_eq!(refused(&folder, &["fmt", "--check"]), None, "{}", lesson.name);
        if lesson.block("diagnostics").is_empty() {
            assert_eq!(refused(&folder, &["check"]), None, "{}", lesson.name);
        }
    }
}

#[test]
fn solutions_pass_and_what_exercises_begin_with_does_not() {
    let root = scratch();
    let mut exercises = 0;
    for lesson in lessons() {
        assert_eq!(lesson.solution.is_some(), !lesson.cases.is_empty(), "{}", lesson.name);
        let Some(solution) = &lesson.solution else { continue };
        exercises += 1;
        let [first, solved] = [("first", lesson.program()), ("solved", solution)]
            .map(|(what, program)| lesson.folder(&root, what, program));
        for arguments in [&["check"][..], &["fmt", "--check"]] {
            assert_eq!(refused(&solved, arguments), None, "{}", lesson.name);
        }
        let mut passed = true;
        for (input, output) in &lesson.cases {
            assert_eq!(compared(&run(&solved, input).0), compared(output), "{}", lesson.name);
            passed &= compared(&run(&first, input).0) == compared(output);
        }
        assert!(!passed, "{}: nothing is left to do", lesson.name);
    }
    assert!((15..=20).contains(&exercises), "{exercises} exercises");
}

/// The names, words and operators of the language that a program uses.
fn used(program: &str) -> BTreeSet<String> {
    let tokens: Vec<_> = TokenKind::all_in(program).map(|(kind, place)| (kind, &program[place])).collect();
    let mut used = BTreeSet::new();
    for (at, (kind, text)) in tokens.iter().enumerate() {
        let is_known = match kind.class() {
            Class::Statement | Class::Reserved | Class::Word | Class::Operator | Class::Assignment => true,
            Class::Form => {
                *kind == TokenKind::Ident
                    && (is_primitive(text)
                        || builtin_names().any(|name| name == *text)
                        || library::row("std", text).is_some())
            }
            Class::Attribute | Class::Opener | Class::Closer | Class::Separator => false,
        };
        if is_known {
            used.insert(text.to_string());
        }
        if *kind == TokenKind::Str && text.contains("${") {
            used.insert("${}".into());
        }
        if let Some([(TokenKind::Dot, _), (TokenKind::Ident, name)]) = tokens.get(at + 1..at + 3)
            && library::row(text, name).is_some()
        {
            used.insert(format!("{text}.{name}"));
        }
    }
    used
}

/// A text without code and without buttons.
fn without_code(text: &str) -> String {
    let outside: Vec<&str> = text.split('`').step_by(2).collect();
    let outside = outside.join(" ");
    outside.split("[[").map(|piece| piece.split_once("]]").map_or(piece, |(_, rest)| rest)).collect()
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase)
}

#[test]
fn lessons_use_what_was_introduced() {
    let lessons = lessons();
    let mut known = BTreeSet::new();
    let mut wrong = Vec::new();
    for (at, lesson) in lessons.iter().enumerate() {
        known.extend(lesson.new.iter().cloned());
        let programs = lesson.blocks.iter().filter(|block| block.language.starts_with("ez"));
        let solution = lesson.solution.iter().map(String::as_str);
        for program in programs.map(|block| block.content.as_str()).chain(solution) {
            let missing: Vec<_> = used(program).difference(&known).cloned().collect();
            if !missing.is_empty() {
                wrong.push(format!("{} uses {missing:?}", lesson.name));
            }
        }
        for word in &lesson.words {
            if !lesson.prose.contains(&format!("**{word}")) {
                wrong.push(format!("{} does not explain '{word}'", lesson.name));
            }
            let plural = format!("{word}s");
            for before in &lessons[..at] {
                let uses = words(&without_code(&before.prose)).any(|found| found == *word || found == plural);
                if uses {
                    wrong.push(format!("{} uses '{word}', which {} explains", before.name, lesson.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Courses have links to lessons: an address that once was there stays.
#[test]
fn lessons_keep_their_addresses() {
    const KNOWN: &str = "hello order numbers variables changing kinds decimals division remainder exactly in-a-text \
        input asking-for-a-number constants if otherwise or true-and-false and-or-not when \
        as-long-as counting steps adding-up leaving loops-in-loops functions parameters results \
        own-boxes two-results and recursion characters through-a-text arrays growing searching \
        copies rows-of-rows maps counting-with-maps working-with-texts structs many-of-them enums \
        several-files reports while-it-runs step-by-step breakpoints watches going-back \
        who-printed-this what-changed-this";
    let lessons = lessons();
    let addresses: Vec<&str> = lessons
        .iter()
        .map(|lesson| lesson.name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-'))
        .collect();
    for known in KNOWN.split_whitespace() {
        assert!(addresses.contains(&known), "there is no lesson '{known}' any more");
    }
}

/// Who reads it may be 13, and English another language.
#[test]
fn sentences_are_short() {
    let mut long = Vec::new();
    for lesson in lessons() {
        let text =
            lesson.prose.split("[[").map(|piece| piece.split_once("]]").map_or(piece, |(_, rest)| rest));
        let text = text.collect::<Vec<_>>().join("button ");
        let text: Vec<&str> =
            text.split('`').enumerate().map(|(at, piece)| if at % 2 == 0 { piece } else { "code" }).collect();
        for sentence in
            text.concat().replace(['(', ')'], "").split(". ").flat_map(|text| text.split(['?', '!', '\n']))
        {
            let words =
                sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
            if words > 20 {
                long.push(format!("{}, {words} words: {sentence}", lesson.name));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// What is new in a lesson is shown in it.
#[test]
fn lessons_show_what_they_introduce() {
    for lesson in lessons() {
        let text = format!("{}{}{}", lesson.prose, lesson.program(), lesson.block("ez dice.ez"));
        for new in &lesson.new {
            let shown = new == "${}" || new == "[]" || new == "{}" || text.contains(new.as_str());
            assert!(shown, "{} does not show '{new}'", lesson.name);
        }
        let length = lesson.prose.split_whitespace().count();
        assert!((60..=230).contains(&length), "{} has {length} words", lesson.name);
    }
}
