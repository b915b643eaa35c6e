//! What is said when a command cannot be carried out.

use crate::api::Failure;

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What is wrong.
    pub message: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// The expression in which it is wrong, and the column, from 1.
    pub place: Option<(String, u32)>,
}

impl Complaint {
    /// A complaint with nothing but a message.
    pub fn new(message: impl Into<String>) -> Complaint {
        Complaint { message: message.into(), help: None, place: None }
    }

    /// The same with advice.
    pub fn help(self, help: impl Into<String>) -> Complaint {
        Complaint { help: Some(help.into()), ..self }
    }

    /// That an expression is wrong, and where.
    pub fn of_expression(expression: &str, failure: Failure) -> Complaint {
        let position = failure.wrong.and_then(|wrong| wrong.position).filter(|at| at.line == 1);
        let place = position.map(|at| (expression.to_string(), at.column));
        Complaint { place, ..Complaint::from(failure) }
    }

    /// The lines behind `Error: `.
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

/// As many blanks as a character is wide.
fn blank(c: char) -> String {
    let width = unicode_width::UnicodeWidthChar::width(c).unwrap_or(1);
    " ".repeat(width)
}

impl From<Failure> for Complaint {
    fn from(failure: Failure) -> Complaint {
        let code = failure.wrong.map(|wrong| format!(" [{}]", wrong.code.as_str()));
        Complaint::new(failure.message + &code.unwrap_or_default())
    }
}

impl From<String> for Complaint {
    fn from(message: String) -> Complaint {
        Complaint::new(message)
    }
}

impl From<&str> for Complaint {
    fn from(message: &str) -> Complaint {
        Complaint::new(message)
    }
}
