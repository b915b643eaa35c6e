//! Diagnostics as data: the table of codes, what a report holds, and how reports are rendered.
//!
//! Every phase reports by making a [`Diagnostic`].
//!
//! The texts of `ez explain` are in the folder `explain`, a Markdown file for each group of codes (those of
//! run-time errors in `running.md`), with one section for each code.

mod codes;
mod explain;
mod fix;
mod immutable;
mod render;

pub use codes::Code;
pub use explain::{Explanation, explain, explanation_of, explanations};
pub use fix::{Edit, Fix, Help, apply};
pub use immutable::{FROZEN_HELP, constant_help};
pub use render::{
    Colour, json_problem, json_report, render, render_all, render_json, render_with_notes, summary,
};

use crate::source::Span;
use serde::{Deserialize, Serialize};

/// How bad it is. Errors stop a program from running; warnings do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The program cannot run (or go on).
    Error,
    /// The program runs.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One report: what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    /// The severity, if it is not the code's: a warning of an error that will happen when the program runs.
    severity: Option<Severity>,
    /// What is wrong, without a final newline; may have several lines.
    pub message: String,
    /// Where; `None` if it does not concern a position in a file.
    pub span: Option<Span>,
    /// What to do about it, if there is a suggestion.
    pub help: Option<String>,
    /// What to write instead, if the help says that.
    pub fix: Option<Fix>,
    /// Another place that it is about, and what is there.
    pub related: Option<(Span, &'static str)>,
}

/// Whether there is an error, not only warnings.
pub fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|diagnostic| diagnostic.severity() == Severity::Error)
}

impl Diagnostic {
    /// A report with `code` at `span`.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic { code, severity: None, message, span: Some(span), help: None, fix: None, related: None }
    }

    /// This report with a help text.
    pub fn help(mut self, help: impl Into<Help>) -> Diagnostic {
        let (text, fix) = help.into().at(self.span);
        (self.help, self.fix) = (Some(text), fix);
        self
    }

    /// This report with a help text if there is one.
    pub fn maybe_help(self, help: Option<impl Into<Help>>) -> Diagnostic {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// This report with what to write instead, if that is known.
    pub fn fixed_by(self, fix: impl Into<Option<Fix>>) -> Diagnostic {
        Diagnostic { fix: fix.into(), ..self }
    }

    /// This report with another place that it is about, if there is one.
    pub fn about(self, place: Option<Span>, what: &'static str) -> Diagnostic {
        Diagnostic { related: place.map(|at| (at, what)), ..self }
    }

    /// This report with another severity than that of its code.
    pub fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = Some(severity);
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.severity.unwrap_or(self.code.severity())
    }
}
