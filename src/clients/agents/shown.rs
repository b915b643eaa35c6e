//! What answers show of a program: places with their source lines, reports, frames, variables, output.

use serde::Serialize;

use super::answer::{Text, counted, short};
use super::captured::Output;
use super::sources::Sources;
use crate::protocol::value_text::{Notation, preview, type_text};
use ez_engine::api::{Described, Location, Problem, Stopped, Variable};
use ez_runtime::interp::vm::OUT_OF_MEMORY_HELP;
use ez_runtime::visible::{indented, visible_text};

/// Maximum length of the text of a value as JSON, in bytes.
pub const VALUE: usize = 1026;

/// A line of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SourceLine {
    /// The file, relative to the root if it is in it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Its text.
    pub source: String,
}

/// A report of the checker, or a run-time error.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub severity: &'static str,
    pub code: String,
    pub message: String,
    #[serde(flatten)]
    pub location: SourceLine,
    pub column: u32,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A variable or an expression, with its value or the reason why it has none.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A call in progress.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    #[serde(flatten)]
    pub location: SourceLine,
    pub function: String,
    /// Those of the innermost frames, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<Shown>>,
}

/// The text of a value, shortened to take at most `most` bytes as JSON.
pub fn value_text(value: &Described, most: usize) -> String {
    preview(&value.value, Notation::Braces, most).0
}

impl SourceLine {
    /// The line of a location.
    pub fn new(location: &Location, sources: &mut Sources) -> SourceLine {
        // All paths here are UTF-8: they come from the client or an import.
        let file = location.path.to_str().unwrap_or_default();
        let line = location.line.max(1);
        SourceLine { file: sources.name(file), line, source: sources.line(file, line) }
    }

    /// Writes the source line: `   7 | sum += i`.
    pub fn write_source(&self, indent: &str, out: &mut Text) {
        if !self.source.is_empty() {
            out.line(format_args!("{indent}{:>4} | {}", self.line, visible_text(&self.source)));
        }
    }
}

impl Report {
    /// The report of a problem; `None` if it is not in the source.
    pub fn new(problem: &Problem, sources: &mut Sources) -> Option<Report> {
        let location = problem.location.as_ref()?;
        Some(Report {
            severity: problem.severity.as_str(),
            code: problem.code.as_str().into(),
            message: problem.message.clone(),
            location: SourceLine::new(location, sources),
            column: location.column,
            help: help(problem.help.clone()),
        })
    }

    /// The report of the run-time error at which a program has stopped; `None` if it has stopped at none.
    pub fn at_stop(stop: &Stopped, sources: &mut Sources) -> Option<Report> {
        let raised = stop.raised.as_ref()?;
        Some(Report {
            severity: "error",
            code: raised.code.clone().unwrap_or_default(),
            message: stop.description.clone(),
            location: SourceLine::new(&stop.location, sources),
            column: stop.location.column,
            help: help(raised.help.clone()),
        })
    }
}

/// The advice in a report, for a client that has no command line.
pub fn help(help: Option<String>) -> Option<String> {
    help.filter(|help| !help.is_empty()).map(|help| match help.as_str() {
        OUT_OF_MEMORY_HELP => "a larger limit can be set with the argument memory".into(),
        _ => help,
    })
}

impl Shown {
    pub fn value(name: &str, value: &Described) -> Shown {
        Shown {
            name: name.into(),
            value: Some(value_text(value, VALUE)),
            type_name: Some(type_text(value).into()),
            error: None,
        }
    }

    pub fn variable(variable: &Variable) -> Shown {
        Shown::value(&variable.name, &variable.held)
    }

    /// An expression without a value.
    pub fn error(name: &str, why: String) -> Shown {
        Shown { name: name.into(), value: None, type_name: None, error: Some(why) }
    }

    /// On one line: `sum = 6`.
    pub fn one_line(&self) -> String {
        match &self.error {
            Some(error) => format!("{}: {}", self.name, short(error)),
            None => format!("{} = {}", self.name, short(self.value.as_deref().unwrap_or_default())),
        }
    }
}

pub fn write_reports(reports: &[Report], out: &mut Text) {
    for Report { severity, code, message, location, column, help } in reports {
        out.gap();
        let SourceLine { file, line, .. } = location;
        out.line(format_args!("{severity}[{code}] {file}:{line}:{column}: {}", indented(message)));
        location.write_source("", out);
        if let Some(help) = help {
            out.line(format_args!("  help: {}", indented(help).replace('\n', "\n    ")));
        }
    }
}

/// Writes a stack with its variables.
pub fn write_frames(frames: &[Frame], out: &mut Text) {
    for Frame { location, function, variables } in frames {
        out.line(format_args!("in {function} at {}:{}", location.file, location.line));
        location.write_source("", out);
        let lines: Vec<String> = variables.iter().flatten().map(Shown::one_line).collect();
        let together = lines.join(", ");
        match together.chars().count() {
            0 => {}
            1..=100 => out.line(format_args!("       {together}")),
            _ => lines.iter().for_each(|line| out.line(format_args!("       {line}"))),
        }
    }
}

/// Writes the output of a program, and says if there was none.
pub fn write_output(output: &Output, out: &mut Text) {
    out.gap();
    if output.text.is_empty() {
        out.line("It printed nothing.")
    } else {
        out.line(format_args!("It printed {}:", counted(output.bytes as usize, "byte")));
        out.indented("", &output.text);
    }
}
