//! Completion of command lines in shells.
//!
//! The scripts for bash, zsh and fish (in `shells`) pass the words of a line, up to the one that is typed, to
//! `ez __complete`, which answers with a line that says which files are meant ([`Files`]), and a line for each word that
//! is possible: the word, a tab, and what it is for. The scripts for other shells are made by clap, and know less.

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use ez_runtime::diagnostics::Code;
use ez_runtime::host::Capability;
use ez_runtime::library;

use super::args::Line;
use super::usage::{command_of, flag, words};

/// The first argument of the process by which a shell asks.
pub(super) const ARGUMENT: &str = "__complete";

/// The script that completes command lines in a shell.
pub(super) fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => include_str!("shells/ez.bash").into(),
        Shell::Zsh => include_str!("shells/_ez").into(),
        Shell::Fish => include_str!("shells/ez.fish").into(),
        other => {
            let line = Line::command();
            let shown = line.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
            let mut shown = Command::new("ez").args(line.get_arguments().cloned()).subcommands(shown);
            let mut script = Vec::new();
            clap_complete::generate(other, &mut shown, "ez", &mut script);
            String::from_utf8_lossy(&script).into_owned()
        }
    }
}

/// Which names of files the last word may go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    Nothing,
    /// Those that end in `.ez`, and folders.
    Programs,
    All,
    Folders,
}

impl Files {
    /// What the scripts call such files.
    fn name(self) -> &'static str {
        match self {
            Files::Nothing => "nothing",
            Files::Programs => "programs",
            Files::All => "files",
            Files::Folders => "folders",
        }
    }
}

/// What a word may be.
struct Offer {
    files: Files,
    /// Words, and what they are for, whether they begin with what is typed or not.
    words: Vec<(String, String)>,
}

/// The answer for these words of a command line, without the name of the program; the last one is typed.
pub(super) fn complete(given: &[String]) -> String {
    let mut line = Line::command();
    line.build();
    let given = unsplit(given);
    let (typed, before) = given.split_last().map_or(("", [].as_slice()), |(typed, before)| (*typed, before));
    let (offer, typed) = offer(&line, before, typed);
    let mut text = format!("{}\n", offer.files.name());
    for (word, about) in offer.words.iter().filter(|(word, _)| word.starts_with(typed)) {
        text.push_str(&format!("{word}\t{}\n", about.lines().next().unwrap_or_default()));
    }
    text
}

/// The words without quotes around them, and without the `=` by which bash takes `--flag=value` for three words.
fn unsplit(given: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for (index, word) in given.iter().enumerate() {
        let is_last = index + 1 == given.len();
        let follows_flag = words.last().is_some_and(|before| before.starts_with("--"));
        match word.as_str() {
            "=" if follows_flag && is_last => words.push(""),
            "=" if follows_flag => {}
            word => words.push(word.trim_matches(['"', '\''])),
        }
    }
    words
}

/// What is possible, and the part of `typed` that it stands for.
fn offer<'t>(line: &Command, before: &[&str], typed: &'t str) -> (Offer, &'t str) {
    let all_files = Offer { files: Files::All, words: Vec::new() };
    if before.contains(&"--") {
        return (all_files, typed);
    }
    let names: Vec<&str> = words(before).map(|(_, word)| word).collect();
    let (command, arguments) = command_of(line, &names);
    let is_unnamed = names.is_empty();
    if let Some((name, value)) = typed.split_once('=')
        && let Some(found) = flag(command, name)
    {
        return (values_of(command, found, value), value);
    }
    if let Some(found) = before.last().and_then(|last| flag(command, last))
        && found.get_action().takes_values()
    {
        return (values_of(command, found, typed), typed);
    }
    if typed.starts_with('-') {
        let mut flags = flags_of(command);
        if is_unnamed {
            // `ez --memory 1G FILE.ez`
            let run = line.find_subcommand("run").map(flags_of).unwrap_or_default();
            flags.extend(
                run.into_iter().filter(|(name, _)| command.get_arguments().all(|own| !is_flag(own, name))),
            );
        }
        return (Offer { files: Files::Nothing, words: flags }, typed);
    }
    let mut possible =
        match command.get_positionals().nth(arguments.len()).or(command.get_positionals().last()) {
            Some(argument) if arguments.is_empty() || takes_more(command, arguments.len()) => {
                values_of(command, argument, typed)
            }
            _ => Offer { files: Files::Nothing, words: Vec::new() },
        };
    if arguments.is_empty() {
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        possible.words.extend(shown.map(|command| (command.get_name().into(), about(command.get_about()))));
    }
    if is_unnamed {
        possible.files = Files::Programs;
    }
    (possible, typed)
}

/// Whether a command takes another argument after this many.
fn takes_more(command: &Command, given: usize) -> bool {
    let arguments: Vec<&Arg> = command.get_positionals().collect();
    given < arguments.len()
        || arguments
            .last()
            .is_some_and(|last| last.get_num_args().is_some_and(|range| range.max_values() > 1))
}

fn flags_of(command: &Command) -> Vec<(String, String)> {
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    shown
        .flat_map(|argument| {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let short = argument.get_short().map(|short| format!("-{short}"));
            long.into_iter().chain(short).map(|name| (name, about(argument.get_help())))
        })
        .collect()
}

fn is_flag(argument: &Arg, name: &str) -> bool {
    argument.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long))
}

fn about(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// What the value of an argument or flag may be; `typed` is its beginning.
fn values_of(command: &Command, argument: &Arg, typed: &str) -> Offer {
    let id = argument.get_id().as_str();
    let named = argument.get_value_names().and_then(|names| names.first());
    let files = match named.map_or_else(|| id.to_uppercase(), ToString::to_string).as_str() {
        "FILE" | "PATH" | "PATHS" | "PROGRAMS" | "ARGUMENTS" | "RECORDING" | "PAGE" | "SCRIPT"
        | "CONNECTION_FILE" => Files::All,
        "DIR" | "FOLDER" => Files::Folders,
        _ => Files::Nothing,
    };
    let plain = |names: Vec<String>| names.into_iter().map(|name| (name, String::new())).collect();
    let words = match (command.get_name(), id) {
        (_, "deny") => {
            let named = typed.rsplit_once(',').map_or("", |(named, _)| named);
            let others = Capability::ALL.iter().map(|part| part.name());
            let others = others.filter(|part| named.split(',').all(|one| one != *part));
            plain(
                others
                    .map(|part| if named.is_empty() { part.into() } else { format!("{named},{part}") })
                    .collect(),
            )
        }
        ("explain", "code") => {
            Code::ALL.iter().map(|code| (code.as_str().to_string(), code.label().to_string())).collect()
        }
        ("man", "name") => plain(library::names(typed.contains('.'))),
        _ => {
            let shown = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
            shown.map(|value| (value.get_name().to_string(), about(value.get_help()))).collect()
        }
    };
    Offer { files, words }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which files are offered, and the words.
    fn offered(line: &str) -> (String, Vec<String>) {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        let answer = complete(&words);
        let (files, words) = answer.split_once('\n').unwrap();
        let words = words.lines().map(|line| line.split_once('\t').unwrap().0.to_string());
        (files.into(), words.collect())
    }

    fn only_words(line: &str) -> Vec<String> {
        let (files, words) = offered(line);
        assert_eq!(files, "nothing", "{line}");
        words
    }

    #[test]
    fn a_line_begins_with_a_command_or_a_program() {
        let (files, words) = offered("");
        assert_eq!(files, "programs");
        assert!(words.contains(&"debug".into()) && words.contains(&"help".into()), "{words:?}");
        assert!(
            !words.contains(&"lex".into()) && !words.iter().any(|word| word.starts_with('-')),
            "{words:?}"
        );
        assert_eq!(offered("bub"), ("programs".into(), vec![]));
        assert_eq!(offered("--color never bub"), ("programs".into(), vec![]));
        assert_eq!(offered("deb"), ("programs".into(), vec!["debugserver".into(), "debug".into()]));
        assert_eq!(only_words("--mem"), ["--memory"]);
        assert_eq!(only_words("help deb"), ["debugserver", "debug"]);
    }

    #[test]
    fn files_are_offered_where_a_command_takes_them() {
        for line in [
            "run ",
            "run bub",
            "debug ",
            "debug a.ez ",
            "trace ",
            "check ",
            "check a.ez b",
            "fmt ",
            "a.ez ",
            "a.ez x -- --y",
            "debug a.ez -- ",
            "debugserver ",
            "trace -o ",
            "run --record ",
            "run --record=x",
            "run --record = ",
            "run --record = x",
            "kernel c",
            "'prog.ez' ",
            "watch ",
            "test ",
            "test a.ez b",
            "test --junit ",
        ] {
            assert_eq!(offered(line), ("files".into(), vec![]), "{line}");
        }
        assert_eq!(offered("mcp --root "), ("folders".into(), vec![]));
        for line in
            ["explain E1001 ", "man math ", "version ", "dap --listen ", "run --memory ", "frobnicate "]
        {
            assert_eq!(only_words(line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn values_that_are_known_are_offered() {
        assert_eq!(only_words("run --deny "), ["net", "fs", "exec", "env"]);
        assert_eq!(only_words("run --deny net,e"), ["net,exec", "net,env"]);
        assert_eq!(only_words("kernel install --deny=f"), ["fs"]);
        assert_eq!(only_words("--color "), ["auto", "always", "never"]);
        assert_eq!(only_words("--color=al"), ["always"]);
        assert_eq!(only_words("run --color = al"), ["always"]);
        assert_eq!(only_words("run --color ="), ["auto", "always", "never"]);
        assert_eq!(only_words("completion f"), ["fish"]);
        assert_eq!(only_words("explain E500")[0], "E5001");
        assert_eq!(only_words("man ma"), ["map", "maps", "math"]);
        assert_eq!(only_words("man math.ab"), ["math.abs"]);
        assert_eq!(offered("kernel in"), ("files".into(), vec!["install".into()]));
        assert_eq!(only_words("kernel install --na"), ["--name"]);
        assert_eq!(only_words("debug --repl"), ["--replay"]);
    }
}
