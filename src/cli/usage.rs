//! Command lines that are wrong: what the user is told.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};

use crate::clients::show;
use ez_runtime::platform::path_of;

use super::args::Line;
use super::options::Usage;

/// The commands that take a program and its arguments, which may follow `--`.
pub(super) const PROGRAM_COMMANDS: [&str; 3] = ["run", "debug", "trace"];

/// Commands of EZ 2.0 that this `ez` does not have.
const MISSING: [&str; 2] = ["pz", "update"];

/// The command line as clap describes it. To make it takes a good part of the start of a program, so it is made once.
static LINE: LazyLock<Command> = LazyLock::new(Line::command);

/// The flags that take a value, of all commands.
fn flags_with_value() -> HashSet<String> {
    let commands = std::iter::once(&*LINE).chain(LINE.get_subcommands());
    let flags = commands.flat_map(Command::get_arguments).filter(|flag| flag.get_action().takes_values());
    flags
        .flat_map(|flag| {
            let long = flag.get_long().map(|long| format!("--{long}"));
            long.into_iter().chain(flag.get_short().map(|short| format!("-{short}")))
        })
        .collect()
}

/// The arguments that are neither flags nor values of flags, with their indices.
pub(super) fn words<'a>(known: &[&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    let with_value = LazyCell::new(flags_with_value);
    let mut value = false;
    known.iter().copied().enumerate().filter(move |(_, argument)| {
        let is_value = std::mem::take(&mut value);
        value = !is_value && argument.starts_with('-') && with_value.contains(*argument);
        !is_value && (!argument.starts_with('-') || *argument == "-")
    })
}

/// Whether a word is the name of a command.
pub(super) fn is_command(word: &str) -> bool {
    word == "help"
        || LINE.get_subcommands().any(|c| c.get_all_aliases().any(|a| a == word) || c.get_name() == word)
}

/// Whether some command has the flag with which a word begins.
pub(super) fn is_flag(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    ["-h", "--help", "-v", "-V", "--version"].contains(&name)
        || std::iter::once(&*LINE).chain(LINE.get_subcommands()).any(|command| flag(command, name).is_some())
}

/// The error for a word that is neither a command nor a program.
pub(super) fn no_command(word: &str) -> Usage {
    let path = path_of(word);
    let hint = if path.is_dir() {
        let checks = format!("'ez check {}' checks what is in it", word.trim_end_matches('/'));
        match show::meant(word) {
            Some(program) => {
                format!("'{word}' is a directory: 'ez {program}' runs the program in it, {checks}")
            }
            None => format!("'{word}' is a directory: {checks}"),
        }
    } else if MISSING.contains(&word) {
        format!("'ez {word}' of EZ 2.0 is not part of ez-debugger; 'ez help' lists the commands")
    } else if path.exists() {
        format!("the name of a program ends in .ez; 'ez run {word}' runs any file")
    } else if path_of(&format!("{word}.ez")).is_file() {
        format!("did you mean 'ez {word}.ez'?")
    } else {
        let mut line = Line::command();
        line.build();
        let shown = line.get_subcommands().filter(|command| !command.is_hide_set());
        let names: Vec<String> = shown.map(|command| command.get_name().to_string()).collect();
        match (names.iter().find(|name| is_like(name, word)), show::meant(word)) {
            (Some(near), _) => format!("did you mean '{near}'?"),
            (None, Some(program)) => format!("did you mean 'ez {program}'?"),
            (None, None) => "'ez help' lists the commands; the name of a program ends in .ez".to_string(),
        }
    };
    Usage::error(&format!("unknown command: {word}\n  = help: {hint}"))
}

/// Whether a name may be meant by a word: a slip of the finger or two, in a word that is long enough for them.
fn is_like(name: &str, word: &str) -> bool {
    strsim::osa_distance(name, word) <= 2.min(word.chars().count() / 2)
}

/// The command that words name (those that are no flags), and its arguments among them; a program is run.
pub(super) fn command_of<'c, 'w>(line: &'c Command, words: &'w [&'w str]) -> (&'c Command, &'w [&'w str]) {
    let (mut command, mut rest) = (line, words);
    if words.first().is_some_and(|word| is_program(word)) {
        return (line.find_subcommand("run").unwrap_or(line), words);
    }
    while let Some((name, others)) = rest.split_first()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, rest) = (found, others);
    }
    (command, rest)
}

/// Whether the first word of a command line means a program, which is then run.
pub(super) fn is_program(word: &str) -> bool {
    word.ends_with(".ez") || word == "-"
}

/// The flag of a command with this name.
pub(super) fn flag<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|argument| match name.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => argument.get_short().is_some_and(|short| name == format!("-{short}")),
    })
}

/// What flags of other debugger programs do, said for the flags here.
fn counterpart(flag: &str) -> Option<&'static str> {
    Some(match flag {
        "--args" => "the program's arguments follow its name: ez debug FILE.ez ARGUMENTS",
        "-c" | "-e" | "--batch" | "--command" | "--commands" | "--eval-command" | "--ex" => {
            "commands come from a file (-x FILE) or from standard input"
        }
        _ => return None,
    })
}

/// Advice for a flag that the command does not have.
fn about_flag(line: &Command, command: &Command, flag: &str, known: &[&str]) -> Vec<String> {
    let mut advice = Vec::new();
    let name = flag.trim_start_matches('-');
    let shown = |command: &Command| match command.get_name() {
        "run" => "ez".to_string(),
        name => format!("ez {name}"),
    };
    let own = command.get_arguments().filter(|own| !own.is_hide_set()).filter_map(Arg::get_long);
    let begun = |own: &str| name.len() > 2 && own.starts_with(name);
    let near = own.min_by_key(|own| (!begun(own), strsim::osa_distance(own, name)));
    let near = near.filter(|own| begun(own) || is_like(own, name));
    let others =
        line.get_subcommands().filter(|other| !other.is_hide_set() && self::flag(other, flag).is_some());
    let others: Vec<String> = others.map(|other| format!("'{}'", shown(other))).collect();
    if command.get_name() == "run" && is_command(name) {
        advice.push(format!("did you mean 'ez {name}'?"));
    } else if let Some(meant) = near {
        advice.push(format!("did you mean '--{meant}'?"));
    } else if let Some(text) = counterpart(flag).filter(|_| command.get_name() == "debug") {
        advice.push(text.into());
    } else if !others.is_empty() {
        advice.push(format!("{flag} is a flag of {}", others.join(", ")));
    }
    // `run` stands before a program that is run.
    let program = words(known).nth(1).map(|(at, _)| at);
    let at = known.iter().position(|word| word.starts_with(flag));
    if PROGRAM_COMMANDS.contains(&command.get_name()) && program.is_some() && program < at {
        let command = shown(command);
        advice.push(format!(
            "arguments of the program that begin with '-' follow '--': {command} FILE.ez -- {flag}"
        ));
    }
    advice
}

/// An error of clap in the style of EZ.
pub(super) fn usage(error: &clap::Error, known: &[&str]) -> Usage {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::StyledStr(text)) => Some(text.to_string()),
        _ => None,
    };
    let message = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            return Usage { text: error.render().to_string(), status: 0 };
        }
        ErrorKind::UnknownArgument => match context(ContextKind::InvalidArg) {
            Some(flag) if flag.starts_with('-') => format!("unknown flag: {flag}"),
            Some(word) => format!("unexpected argument: {word}"),
            None => "unexpected argument".to_string(),
        },
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) => format!("missing argument: {}", missing.join(", ")),
            _ => "missing argument".to_string(),
        },
        _ => {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default();
            let message = first.strip_prefix("error: ").unwrap_or(first);
            match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(valid)) if !valid.is_empty() => {
                    format!("{message}: it is one of {}", valid.join(", "))
                }
                _ => message.to_string(),
            }
        }
    };
    let mut line = Line::command();
    line.build();
    let names: Vec<&str> = words(known).map(|(_, word)| word).collect();
    let (command, _) = command_of(&line, &names);
    let invalid = context(ContextKind::InvalidArg).filter(|argument| argument.starts_with('-'));
    let advice = match (error.kind(), invalid) {
        (ErrorKind::UnknownArgument, Some(flag)) => about_flag(&line, command, &flag, known),
        _ => Vec::new(),
    };
    let help: String = advice.iter().map(|advice| format!("  = help: {advice}\n")).collect();
    let usage = match context(ContextKind::Usage) {
        Some(usage) if error.kind() != ErrorKind::UnknownArgument => usage,
        // That of clap is about the flag that it takes for the one that is meant.
        _ => command.clone().render_usage().to_string(),
    };
    Usage::error(&format!("{message}\n{help}{usage}"))
}
