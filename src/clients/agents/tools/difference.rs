//! What a program is to print, and where it has printed something else.

use serde::Serialize;
use serde_json::Value;

use super::Arguments;
use crate::clients::agents::answer::Text;
use crate::clients::agents::call::Call;
use crate::clients::agents::schema::{self, Property};
use crate::clients::agents::session::{Asking, ProgramSession};
use crate::clients::agents::shown::SourceLine;
use crate::clients::cause;
use crate::protocol::expected_output::both_lines;
use crate::protocol::params::Params;
use ez_engine::api::{Difference, ExpectedText, OutputMode, STEP, SetExpectedOutput};

/// The property with what a program is to print.
pub fn expected() -> Property {
    let text =
        "What it has to print; blanks at ends of lines do not count. The answer has the first difference";
    ("expected", schema::text(text), false)
}

/// The schema of a difference.
pub fn schema() -> Value {
    let line = schema::at_place([
        ("text", schema::text("What was computed there, or decided"), true),
        ("step", schema::whole(0, STEP), true),
        ("indent", schema::whole(0, "It explains the line above it that is indented less"), true),
    ]);
    schema::object([
        ("line", schema::whole(1, "The line of the output"), true),
        ("column", schema::whole(1, "Its column, in characters"), true),
        ("expected", schema::text("The line that is expected; missing: nothing more"), false),
        ("printed", schema::text("The line that was printed; missing: nothing more"), false),
        (
            "cause",
            schema::list(&line, "What has caused it: the statement that printed it comes first"),
            false,
        ),
    ])
}

/// The first difference between what a program has printed and what it has to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Different {
    line: u64,
    column: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    printed: Option<String>,
    /// As far as it was looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cause: Vec<CauseLine>,
    /// What has happened, as a sentence.
    #[serde(skip)]
    sentence: String,
    /// Both lines, one below the other.
    #[serde(skip)]
    lines: String,
}

/// A line of the explanation.
#[derive(Serialize)]
struct CauseLine {
    text: String,
    step: u64,
    indent: usize,
    #[serde(flatten)]
    location: SourceLine,
}

/// Has what a program prints compared with the argument `expected`; returns whether that is given.
///
/// # Errors
/// If the argument is wrong, or there is no answer.
pub fn expect(call: &Call, session: &mut ProgramSession, arguments: &Arguments) -> Result<bool, String> {
    let Some(text) = Params::new(arguments).text("expected")? else { return Ok(false) };
    let expected = Some(ExpectedText::Text(text.into()));
    session.ask(call, SetExpectedOutput { expected, mode: OutputMode::default() })?;
    Ok(true)
}

impl Different {
    /// A difference whose cause is not looked for. `sentence` is the description of the stop.
    pub fn new(difference: &Difference, sentence: &str) -> Different {
        let Difference { line, column, expected, actual, expected_line, actual_line, .. } = difference;
        Different {
            line: *line,
            column: *column,
            expected: expected.map(|_| expected_line.clone()),
            printed: actual.map(|_| actual_line.clone()),
            cause: Vec::new(),
            sentence: sentence.into(),
            lines: both_lines(difference),
        }
    }

    /// A difference with its cause. The program is stopped somewhere else afterwards. `sentence`: see [`Different::new`].
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn explained(
        call: &Call,
        session: &mut ProgramSession,
        difference: &Difference,
        sentence: &str,
    ) -> Result<Different, String> {
        let lines = cause::explain(&mut Asking { call, session }, difference)?;
        let cause = lines.into_iter().map(|cause::Line { indent, text, location, step }| CauseLine {
            text,
            step,
            indent,
            location: SourceLine::new(&location, &mut session.sources),
        });
        Ok(Different { cause: cause.collect(), ..Different::new(difference, sentence) })
    }

    /// The step of the statement that has printed it, or of the last one if nothing more came.
    pub fn step(&self) -> Option<u64> {
        self.cause.first().map(|line| line.step)
    }

    pub fn write(&self, out: &mut Text) {
        out.gap();
        out.line(format_args!("{} (column {}):", self.sentence, self.column));
        self.lines.lines().for_each(|line| out.line(format_args!("  {line}")));
        for CauseLine { text, step, indent, .. } in &self.cause {
            out.line(format_args!("{:indent$}  {text} (step {step})", "", indent = 2 * indent));
        }
    }
}
