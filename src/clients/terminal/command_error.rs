//! Errors of commands.

use ez_engine::api::{Failure, FailureKind};
use ez_runtime::visible::indented;

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    pub message: String,
    /// Advice on how to fix it, if there is any.
    pub help: Option<String>,
    /// The expression with the error, and the column in it, from 1.
    pub place: Option<(String, u32)>,
}

impl CommandError {
    /// An error with a message only.
    pub fn new(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), help: None, place: None }
    }

    /// Adds advice.
    pub fn help(self, help: impl Into<String>) -> CommandError {
        CommandError { help: Some(help.into()), ..self }
    }

    pub fn of_expression(expression: &str, failure: Failure) -> CommandError {
        let position = failure.wrong.and_then(|wrong| wrong.position).filter(|at| at.line == 1);
        let place = position.map(|at| (expression.to_string(), at.column));
        CommandError { place, ..CommandError::from(failure) }
    }

    /// The text to be shown after `Error: `.
    pub fn text(&self) -> String {
        let mut text = self.message.clone();
        if let Some((expression, column)) = &self.place
            && let Some(line) = expression.lines().next()
        {
            let blanks: String = line.chars().take(column.saturating_sub(1) as usize).map(blank).collect();
            text.push_str(&format!("\n    {line}\n    {blanks}^"));
        }
        if let Some(help) = &self.help {
            text.push_str(&format!("\n  = help: {help}"));
        }
        text
    }
}

/// As many blanks as the character has columns.
fn blank(c: char) -> String {
    let width = unicode_width::UnicodeWidthChar::width(c).unwrap_or(1);
    " ".repeat(width)
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> CommandError {
        let code = failure.wrong.map(|wrong| format!(" [{}]", wrong.code.as_str()));
        let is_past = failure.kind == FailureKind::Past;
        let help = is_past.then(|| "'present' leads back to where the program is".to_string());
        // A program or another client may have written a part of it.
        CommandError { help, ..CommandError::new(indented(&failure.message) + &code.unwrap_or_default()) }
    }
}

impl From<String> for CommandError {
    fn from(message: String) -> CommandError {
        CommandError::new(message)
    }
}

impl From<&str> for CommandError {
    fn from(message: &str) -> CommandError {
        CommandError::new(message)
    }
}
