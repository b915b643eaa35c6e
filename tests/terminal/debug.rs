//! `ez debug` with commands from a pipe, as snapshots.
//!
//! `testdata/debug/NAME.txt` holds the commands; its first line is the command line, as a comment.
//!
//! New files are listed below; each command occurs in at least one file. The sessions in `docs/debugging.md` are run in
//! the folder `examples`; `.ci/make` writes their answers anew.

use std::path::Path;

use support::debugger::{copy, play, testdata};

fn check(name: &str) {
    let text = std::fs::read_to_string(testdata().join(format!("{name}.txt"))).unwrap();
    let (first, commands) = text.split_once('\n').unwrap();
    let arguments: Vec<&str> = first.strip_prefix("# ez debug ").unwrap().split_whitespace().collect();
    let directory = copy();
    let played = play(directory.path(), &arguments, commands);
    let errors = match played.errors.as_str() {
        "" => String::new(),
        errors => format!("--- standard error\n{errors}"),
    };
    let status = played.status.map_or("a signal".to_string(), |status| status.to_string());
    insta::assert_snapshot!(name, format!("{}{errors}--- ends with {status}\n", played.out));
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        const SCENARIOS: &[&str] = &[$(stringify!($name)),*];
    };
}

scenarios! {
    allowed
    arguments
    arguments_behind_dashes
    back_at_error_at_the_end_of_commands
    backtrace
    beginnings
    beginnings_and_mistakes
    break_conditions
    break_functions
    break_here
    break_lines
    break_numbers
    bubble_sort
    case
    case_passes
    case_unknown
    catch
    catch_conditions
    colours
    commands_at_hits
    commands_without_end
    comments_and_blanks
    counts
    deny
    display
    enable
    end_of_commands
    error_at_the_end_of_commands
    error_goes_on
    expected
    explain
    files_by_name
    foreign_texts
    goes_back
    goes_back_without_history
    errors_in_defaults
    calls_in_conditions
    help
    info
    input
    input_before
    input_by_itself
    input_empty
    input_eof
    input_missing
    input_while_evaluating
    into_calls
    list
    load
    log_points
    man
    memory
    missing_program
    modules
    names_like_commands
    no_colours
    nothing_is_expected
    post_mortem
    print
    print_radix
    processes
    quit
    quit_while_waiting
    repetition
    restart
    restart_while_waiting
    save
    script
    script_missing
    selected_frames
    selected_frames_back
    set
    set_parameters
    sharing
    source
    stepping
    temporary
    to_the_end
    tree
    tree_aliases
    type_of
    typed_expressions
    changes
    changes_by_calls
    changes_without_history
    other_debuggers
    output
    unfold
    unfold_strings
    until
    vars
    watch
    watch_callers
    watch_entries
    watch_out_of_scope
    wrong_program
}

#[test]
fn every_scenario_is_played() {
    for entry in std::fs::read_dir(testdata()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(SCENARIOS.contains(&name), "{name} is not listed in tests/terminal/debug.rs");
        }
    }
}

/// All names of all commands, as `help COMMAND` tells them.
fn commands() -> Vec<Vec<String>> {
    let directory = copy();
    let list = play(directory.path(), &["shapes.ez"], "help\n").out;
    let (_, list) = list.split_once("(debug) help\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty()).filter(|line| line.starts_with("  "));
    let names = lines.map(|line| line.trim().split([',', ' ']).next().unwrap().to_string());
    let mut commands = Vec::new();
    for name in names {
        let help = play(directory.path(), &["shapes.ez"], &format!("help {name}\n")).out;
        let also = help.lines().find_map(|line| line.strip_prefix("Also: ")).unwrap_or_default();
        let also = also.split(", ").filter(|name| !name.is_empty()).map(str::to_string);
        assert!(help.contains("    (debug) "), "'help {name}' shows no example:\n{help}");
        commands.push([name].into_iter().chain(also).collect());
    }
    commands
}

#[test]
fn every_command_is_played() {
    let mut played = String::new();
    for name in SCENARIOS {
        let text = std::fs::read_to_string(testdata().join(format!("{name}.txt"))).unwrap();
        played.push_str(&text);
    }
    let first_words: Vec<&str> = played.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let commands = commands();
    assert!(commands.len() > 40, "only {} commands were found", commands.len());
    for names in &commands {
        let is_played = names.iter().any(|name| first_words.contains(&name.as_str()));
        assert!(is_played, "no scenario plays '{}'", names[0]);
    }
}

#[test]
fn short_forms_mean_what_their_names_mean() {
    for names in commands() {
        for short in &names[1..] {
            let directory = copy();
            let help = |name: &str| play(directory.path(), &["shapes.ez"], &format!("help {name}\n")).out;
            let after = |text: String| text.split_once('\n').map(|(_, rest)| rest.to_string()).unwrap();
            let (named, meant) = (help(&names[0]), help(short));
            let from = |text: &str, name: &str| {
                after(text.split_once(&format!("(debug) help {name}")).unwrap().1.to_string())
            };
            assert_eq!(from(&named, &names[0]), from(&meant, short), "{short}");
        }
    }
}

#[test]
fn a_program_is_read_anew_when_it_restarts() {
    let directory = copy();
    let path = directory.path();
    let program = |what: &str| format!("import @std\nusing std\ndo main() {{\n    println({what})\n}}\n");
    std::fs::write(path.join("new.ez"), program("\"two\"")).unwrap();
    std::fs::write(path.join("broken.ez"), program("two")).unwrap();
    let one = "import @std, @io\nusing std\ndo main() {\n    temp ok, e = \
               io.rename(\"new.ez\", \"one.ez\")\n    println(\"one\")\n}\n";
    std::fs::write(path.join("one.ez"), one).unwrap();
    let played = play(path, &["one.ez"], "next\nrestart\nlist\ncontinue\n");
    let (_, after) = played.out.split_once("(debug) restart\n").unwrap();
    assert!(after.contains("4 ▶     println(\"two\")"), "{}", played.out);
    assert!(after.contains("\ntwo\n"), "{}", played.out);
    assert_eq!(played.status, Some(0));
}

#[test]
fn a_program_that_has_errors_when_it_restarts_is_told() {
    let directory = copy();
    let path = directory.path();
    let breaking = "import @std, @io\nusing std\ndo main() {\n    temp ok, e = \
                    io.rename(\"wrong.ez\", \"one.ez\")\n    println(\"one\")\n}\n";
    std::fs::write(path.join("one.ez"), breaking).unwrap();
    let played = play(path, &["one.ez"], "next\nrestart\nprint 1\n");
    assert!(played.errors.contains("error[E3001]"), "{}", played.errors);
    assert!(played.out.contains("the program has errors, and was not started"), "{}", played.out);
    assert_eq!(played.status, Some(1));
}

#[test]
fn output_comes_whole_and_nothing_is_added_to_it() {
    let directory = copy();
    let path = directory.path();
    let program = "import @std\nusing std\ndo main() {\n    for i in range(0, 20000) {\n        \
                   println(\"line ${i} ${\"x\"}\")\n    }\n}\n";
    std::fs::write(path.join("much.ez"), program).unwrap();
    let played = play(path, &["much.ez"], "continue\n");
    let printed: Vec<&str> = played.out.lines().filter(|line| line.starts_with("line ")).collect();
    assert_eq!(printed.len(), 20000);
    for (i, line) in printed.iter().enumerate() {
        assert_eq!(*line, format!("line {i} x"));
    }
}

/// A document in pieces: text, and the sessions in blocks of the language `debug`.
struct Document {
    pieces: Vec<Piece>,
}

enum Piece {
    Text(String),
    /// What a block shows, without the fences.
    Block(String),
}

const FENCE: &str = "```";

impl Document {
    fn read(path: &Path) -> Document {
        let mut pieces = Vec::new();
        let text = std::fs::read_to_string(path).unwrap();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("```debug\n") {
            let (block, behind) = after.split_once(FENCE).unwrap();
            pieces.push(Piece::Text(before.to_string()));
            pieces.push(Piece::Block(block.to_string()));
            rest = behind;
        }
        pieces.push(Piece::Text(rest.to_string()));
        Document { pieces }
    }

    fn text(&self) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Block(block) => format!("```debug\n{block}{FENCE}"),
        };
        self.pieces.iter().map(text).collect()
    }

    /// The same with what the sessions show when they are played.
    fn played(&self, directory: &Path) -> Document {
        let blocks = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Block(block) => Some(block.as_str()),
            Piece::Text(_) => None,
        });
        let whole: String = blocks.collect();
        let mut shown = Vec::new();
        for session in whole.split("$ ez debug ").skip(1) {
            shown.extend(answers(session, directory));
        }
        let mut shown = shown.into_iter();
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Piece::Text(text.clone()),
            Piece::Block(block) => {
                let typed = block.lines().filter(|line| is_typed(line));
                Piece::Block(typed.map(|line| format!("{line}\n{}", shown.next().unwrap())).collect())
            }
        });
        Document { pieces: pieces.collect() }
    }
}

fn is_typed(line: &str) -> bool {
    line.starts_with("$ ") || line.starts_with("(debug)")
}

/// What is answered to each thing that is typed in a session.
fn answers(session: &str, directory: &Path) -> Vec<String> {
    let (arguments, rest) = session.split_once('\n').unwrap();
    let typed = rest.lines().filter_map(|line| line.strip_prefix("(debug)"));
    let commands: String = typed.map(|command| format!("{}\n", command.trim())).collect();
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    let played = play(directory, &arguments, &commands);
    assert_eq!(played.errors, "");
    let mut answers = vec![String::new()];
    for line in played.out.lines() {
        match is_typed(line) {
            true => answers.push(String::new()),
            false => answers.last_mut().unwrap().push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(answers.len(), commands.lines().count() + 1, "{}", played.out);
    answers
}

#[test]
fn sessions_in_documents_show_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("docs/debugging.md");
    let document = Document::read(&path);
    let blocks = document.pieces.iter().filter(|piece| matches!(piece, Piece::Block(_))).count();
    assert!(blocks > 0, "there is no session");
    let played = document.played(&root.join("examples")).text();
    if std::env::var_os("EZ_MAKE").is_some() {
        std::fs::write(&path, &played).unwrap();
    }
    assert_eq!(Document::read(&path).text(), played);
}
