//! Finds the command that a line stands for, and executes it.

use crate::protocol::value_text::whole_text;
use ez_engine::api::{Completion, CompletionKind, GetCompletions};
use ez_runtime::text::slice;

use super::command_error::CommandError;
use super::commands::values::{evaluate, is_nothing, takes_radix};
use super::debugger::{DebuggerState, TerminalDebugger, WAITS};
use super::habits::{counterpart, is_computed};
use super::table::{self, Argument, Repeats, Row, When};
use ez_language::syntax::foreign;
use ez_language::syntax::token::{self, Class, TokenKind};

impl TerminalDebugger {
    /// Executes a line; prints the error if it fails.
    pub(super) fn execute(&mut self, line: &str) {
        let line = line.trim();
        // A comment.
        if line.starts_with('#') {
            return;
        }
        let line = if line.is_empty() { self.repeat.clone() } else { line.to_string() };
        if let Err(complaint) = self.dispatch(&line) {
            if self.is_shared() {
                // They may be why.
                self.catch_up();
            }
            self.complain(&complaint);
            self.command_failed = true;
        }
    }

    fn dispatch(&mut self, line: &str) -> Result<(), CommandError> {
        let (word, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let arguments = arguments.trim();
        if let Some((row, radix)) = self.formatting(word, arguments) {
            return self.carry_out(row, line, &format!("{radix} {arguments}"));
        }
        if let Some(row) = table::find(word) {
            if is_assignment(arguments) {
                return Err(hidden(word, &format!("'set {line}', and 'print {word}'")));
            }
            if self.is_about_variable(row, word, arguments) {
                return Err(hidden(word, &format!("'print {line}'")));
            }
            return self.carry_out(row, line, arguments);
        }
        if is_word(word) && !self.is_name(word) && !is_assignment(arguments) {
            match table::abbreviated(word).as_slice() {
                [] => {}
                [row] => return self.carry_out(row, line, arguments),
                // `brea` means `break`, although it is a prefix of `breakpoints`, too.
                [row, rest @ ..] if rest.iter().all(|other| other.name.starts_with(row.name)) => {
                    return self.carry_out(row, line, arguments);
                }
                several => {
                    let names: Vec<&str> = several.iter().map(|row| row.name).collect();
                    return Err(CommandError::new(format!("'{word}' may be {}", names.join(", "))));
                }
            }
        }
        self.evaluate_typed(line, word)
    }

    /// Whether a line that begins with the name of a command is an expression about a variable of that name.
    fn is_about_variable(&mut self, row: &Row, word: &str, arguments: &str) -> bool {
        match row.argument {
            Argument::Text | Argument::File => false,
            Argument::Expression => is_computed(arguments, true) && self.is_name(word),
            Argument::Nothing | Argument::Function | Argument::Location | Argument::Command => {
                is_computed(arguments, false) && self.is_name(word)
            }
        }
    }

    fn carry_out(&mut self, row: &'static Row, line: &str, rest: &str) -> Result<(), CommandError> {
        if row.when == When::Stopped && self.shown.status != DebuggerState::Stopped {
            return Err(match self.shown.status {
                DebuggerState::Input => WAITS.into(),
                DebuggerState::Running => self.still_runs(&format!("'{}'", row.name)),
                _ => CommandError::new(format!("'{}' needs a program that is stopped", row.name))
                    .help(format!("the program has ended; {}", self.how_it_starts_again())),
            });
        }
        match row.repeats {
            Repeats::No => {}
            Repeats::Same => self.repeat = line.to_string(),
            Repeats::Alone => self.repeat = row.name.to_string(),
        }
        (row.run)(self, rest)
    }

    /// The command and the radix of a word such as `print/x`, unless it is a quotient of a variable.
    fn formatting<'a>(&mut self, word: &'a str, arguments: &str) -> Option<(&'static Row, &'a str)> {
        let at = word.find('/')?;
        let (name, radix) = word.split_at(at);
        let row = table::find(name).filter(|row| takes_radix(row.name))?;
        (!arguments.is_empty() || !self.is_name(name)).then_some((row, radix))
    }

    /// Whether a word is the name of a visible variable.
    fn is_name(&mut self, word: &str) -> bool {
        if self.shown.status != DebuggerState::Stopped {
            return false;
        }
        let column = word.chars().count() as u32 + 1;
        let question = GetCompletions { text: word.to_string(), column, frame: self.frame() };
        let is_this = |completion: &Completion| {
            let is_variable = matches!(completion.kind, CompletionKind::Variable | CompletionKind::Constant);
            is_variable && completion.label == word
        };
        self.ask(question).is_ok_and(|found| found.iter().any(is_this))
    }

    /// Evaluates a line that is not a command.
    fn evaluate_typed(&mut self, line: &str, word: &str) -> Result<(), CommandError> {
        let near = Some(word).filter(|word| is_word(word)).and_then(table::similar);
        let near = near.map(|near| format!("did you mean '{near}'?"));
        let unknown = || {
            let what = CommandError::new(format!("there is no command or variable '{word}'"));
            near.clone().map(|near| what.help(near))
        };
        match self.shown.status {
            DebuggerState::Stopped => {}
            DebuggerState::Running => {
                return Err(unknown().unwrap_or_else(|| self.still_runs(&format!("'{line}'"))));
            }
            DebuggerState::Input => {
                let what = CommandError::new(format!(
                    "there is no command '{word}', and the program waits for input"
                ));
                let near = near.map(|near| format!("; {near}")).unwrap_or_default();
                return Err(what.help(format!("'input {line}' gives it this line{near}")));
            }
            _ => {
                let none = || {
                    let what = CommandError::new(format!(
                        "there is no command '{word}', and no program to evaluate it"
                    ));
                    what.help(format!("{}, 'help' lists the commands", self.how_it_starts_again()))
                };
                return Err(unknown().unwrap_or_else(none));
            }
        }
        match evaluate(self, line) {
            Ok((value, _)) => {
                let counted = TokenKind::all_in(line).last().is_some_and(|(kind, _)| kind.counts());
                if !is_nothing(&value) && !counted {
                    let name = declared(line).unwrap_or(line);
                    self.console.say(&format!("{name} = {}", whole_text(&value.value)));
                }
                Ok(())
            }
            Err(complaint) => Err(match self.unknown_command(line, word) {
                Some(what) => what.help(counterpart(word).map(str::to_string).or(near).unwrap_or_else(lists)),
                None => unknown().unwrap_or(complaint),
            }),
        }
    }

    /// The error for a line that cannot be evaluated, if it has the form of a command that there is not.
    fn unknown_command(&mut self, line: &str, word: &str) -> Option<CommandError> {
        let rest = slice(line, word.len()..).trim_start();
        let has_argument = rest.starts_with(|c: char| c.is_alphanumeric() || "_\"'`".contains(c));
        let is_of_language = || {
            token::words().any(|known| known == word)
                || foreign::translation(word).is_some()
                || foreign::is_type(word)
        };
        let is_command = match counterpart(word) {
            Some(_) => has_argument || rest.is_empty(),
            None => is_word(word) && has_argument && !is_of_language(),
        };
        let what = if has_argument { "command" } else { "command or variable" };
        (is_command && !self.is_name(word)).then(|| CommandError::new(format!("there is no {what} '{word}'")))
    }
}

/// Whether a word has the form of a command.
fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphabetic() || c == '-')
}

/// Whether the text after a word makes the line an assignment.
fn is_assignment(rest: &str) -> bool {
    let first = TokenKind::all_in(rest).next();
    first.is_some_and(|(kind, at)| {
        kind.class() == Class::Assignment && (!kind.counts() || at.end == rest.len())
    })
}

/// The name of the variable that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut tokens = TokenKind::all_in(line);
    let (keyword, _) = tokens.next()?;
    let (kind, at) = tokens.next()?;
    let declares = matches!(keyword, TokenKind::Temp | TokenKind::Const) && kind == TokenKind::Ident;
    declares.then(|| slice(line, at))
}

/// The error for a variable with the name of a command; `instead`: what is to be typed.
fn hidden(word: &str, instead: &str) -> CommandError {
    let what = CommandError::new(format!("'{word}' is a command"));
    what.help(format!("for a variable of that name: {instead}"))
}

/// Where all commands are found.
fn lists() -> String {
    "'help' lists the commands".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_has_the_name_that_is_written() {
        for (line, name) in
            [("const e=5", "e"), ("temp d= 4", "d"), ("temp a int=1", "a"), ("temp\tb = 2", "b")]
        {
            assert_eq!(declared(line), Some(name), "{line}");
        }
        for line in ["", "temp", "e = 5", "temperature + 1", "temp = 3"] {
            assert_eq!(declared(line), None, "{line}");
        }
    }

    #[test]
    fn assignments_are_told_from_arguments() {
        for rest in ["= 3", "+= 1", "%=2", "++", "-- ".trim(), "=3"] {
            assert!(is_assignment(rest), "{rest}");
        }
        for rest in ["", "== 3", "3", "x = 3", "-3", "x++", "++ 3", "!= 3"] {
            assert!(!is_assignment(rest), "{rest}");
        }
    }
}
