//! Diagnostics as data: the table of codes, what a report holds, and how reports are rendered.
//!
//! Who raises a diagnostic fills in a [`Diagnostic`]; nobody here knows who that was.

mod codes;
mod explain;
mod render;

pub use codes::Code;
pub use explain::{Explanation, explain, explanations};
pub use render::{Colour, render, render_all, render_json, render_with_notes, sort_and_dedup, summary};

use crate::source::Span;

/// How bad it is. Errors stop a program from running; warnings do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// Its code; the severity is the code's.
    pub code: Code,
    /// What is wrong, without a final newline; may have several lines.
    pub message: String,
    /// Where; `None` for what concerns no place in a file.
    pub span: Option<Span>,
    /// What to do, if anything is known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A report with `code` at `span`.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, message: message.into(), span: Some(span), help: None }
    }

    /// The same with a help text.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The same, with a help text if there is one.
    pub fn maybe_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help;
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// The few words shown under the place. Some codes of EZ 2.0 mean several things, which their
    /// messages tell apart.
    pub fn label(&self) -> &'static str {
        let says = |part: &str| self.message.contains(part);
        match self.code {
            Code::E1001 if !says("illegal character") => "not valid inside ${...}",
            Code::E2003 if says("before it") => "closes nothing",
            Code::E4001 if says("dereference") => "refers to nothing",
            Code::E5006 | Code::E5007 | Code::E5008 | Code::E5009
                if says("overflow") || says("underflow") =>
            {
                Code::E5005.label()
            }
            Code::E5006 if says("nil reference") => "nil cannot be calculated with",
            Code::E9001 if says("non-empty") => "array is empty",
            Code::E9003 if says("index") => "index must be an integer",
            Code::E9004 if says("size must") => "invalid size",
            Code::E12001 if says("not found") => Code::E12003.label(),
            code => code.label(),
        }
    }
}
