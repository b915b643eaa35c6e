//! Command lines that are wrong: what the user is told.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::args::Line;

/// A text to be shown instead of an action: help (status 0), or an error in the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Usage {
    pub text: String,
    pub status: u8,
}

impl Usage {
    /// An error with this message.
    pub fn error(message: &str) -> Usage {
        Usage { text: format!("Error: {message}\n"), status: 1 }
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
        format!("'{word}' is a directory: 'ez check {word}' checks the program in it")
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
    let received = words(known).count().saturating_sub(1);
    let most = match words(known).next() {
        Some((_, "man")) => "at most 1",
        Some((_, "repl" | "version")) => "0",
        _ => "1",
    };
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
            _ => format!("accepts {most} arg(s), received {received}"),
        },
        ErrorKind::MissingRequiredArgument => match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::Strings(missing)) if missing.iter().any(|m| m.contains("...")) => {
                "requires at least 1 arg(s), only received 0".to_string()
            }
            _ => "accepts 1 arg(s), received 0".to_string(),
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
    let help = match own && message.starts_with("unknown flag") {
        true => "  = help: arguments of the program that begin with '-' follow '--': ez FILE.ez -- -x\n",
        false => "",
    };
    Usage::error(&format!("{message}\n{help}{usage}"))
}
