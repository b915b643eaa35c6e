//! Command lines that are wrong: what the user is told.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::args::Line;

/// The status after an error in the command line, as other programs have it; 1 is that of programs which fail.
const WRONG_USAGE: u8 = 2;

/// Commands of EZ 2.0 that this `ez` does not have.
const MISSING: [&str; 2] = ["pz", "update"];

/// A text to be shown instead of an action: help (status 0), or an error in the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Usage {
    pub text: String,
    pub status: u8,
}

impl Usage {
    pub fn error(message: &str) -> Usage {
        Usage { text: format!("Error: {message}\n"), status: WRONG_USAGE }
    }
}

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

/// The error for a word that is neither a command nor a program.
pub(super) fn no_command(word: &str) -> Usage {
    let path = crate::platform::path_of(word);
    let hint = if path.is_dir() {
        let word = word.trim_end_matches('/');
        format!(
            "'{word}' is a directory: 'ez {word}/main.ez' runs the program in it, 'ez check {word}' checks it"
        )
    } else if MISSING.contains(&word) {
        format!("'ez {word}' of EZ 2.0 is not part of ez-debugger; 'ez help' lists the commands")
    } else if path.exists() {
        format!("the name of a program ends in .ez; 'ez run {word}' runs any file")
    } else if crate::platform::path_of(&format!("{word}.ez")).is_file() {
        format!("did you mean 'ez {word}.ez'?")
    } else {
        let mut line = Line::command();
        line.build();
        let names: Vec<String> = line.get_subcommands().map(|c| c.get_name().to_string()).collect();
        match names.iter().find(|name| strsim::osa_distance(name, word) <= 2) {
            Some(near) => format!("did you mean '{near}'?"),
            None => "'ez help' lists the commands; the name of a program ends in .ez".to_string(),
        }
    };
    Usage::error(&format!("unknown command: {word}\n  = help: {hint}"))
}

/// How a command is used; without a name, `ez` itself.
fn usage_of(command: Option<&str>) -> String {
    let mut line = Line::command();
    line.build();
    match command.and_then(|name| line.find_subcommand_mut(name)) {
        Some(command) => command.render_usage().to_string(),
        None => line.render_usage().to_string(),
    }
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
    let usage = match context(ContextKind::Usage) {
        Some(usage) => usage,
        None => usage_of(words(known).next().map(|(_, word)| word)),
    };
    let own =
        error.kind() == ErrorKind::UnknownArgument && words(known).any(|(_, word)| word.ends_with(".ez"));
    let is_flag = context(ContextKind::InvalidArg).is_some_and(|argument| argument.starts_with('-'));
    let help = if own && is_flag {
        "  = help: arguments of the program that begin with '-' follow '--': ez FILE.ez -- -x\n"
    } else {
        ""
    };
    Usage::error(&format!("{message}\n{help}{usage}"))
}
