//! What a program is expected to write: the parameters that say it, and how a difference is told, in all protocols.

use super::parameter::{Optional, Path, TextOrNull, Word, parameters};
use super::params::Params;
use ez_engine::api::{Difference, ExpectedText, OutputMode, SetExpectedOutput};
use ez_runtime::visible::visible_line;

parameters! {
    /// The output; `null`: nothing is expected any more.
    pub TEXT: Optional<TextOrNull> = "text", TextOrNull, unless(&["file"]);
    /// The file with the output, instead of `text`.
    pub FILE: Optional<Path> = "file", Path;
    /// `lines` (default): blanks at ends of lines and line ends at the end do not count; `exact`: every byte counts.
    pub MODE: Optional<Word<OutputMode>> = "mode", Word(&[("lines", OutputMode::Lines), ("exact", OutputMode::Exact)]);
}

/// What the parameters say.
///
/// # Errors
/// What is wrong with them, for the client.
pub fn expected_output(params: &Params) -> Result<SetExpectedOutput, String> {
    let mode = MODE.read(params)?.unwrap_or_default();
    let expected = match (TEXT.read(params)?, FILE.read(params)?) {
        (Some(_), Some(_)) => return Err(params.wrong("file", "'text' is given, too")),
        (Some(text), None) => text.map(ExpectedText::Text),
        (None, Some(file)) => Some(ExpectedText::File(file)),
        (None, None) => return Err(TEXT.missing(params)),
    };
    Ok(SetExpectedOutput { expected, mode })
}

/// The two lines of a difference, one below the other.
pub fn both_lines(difference: &Difference) -> String {
    let begin = if difference.left_out > 0 { "…" } else { "" };
    let line = |nothing: bool, text: &str, more: u64| match (nothing, more) {
        (true, _) => "(nothing more)".to_string(),
        (false, 0) => format!("{begin}{}", visible_line(text)),
        (false, _) => format!("{begin}{}…", visible_line(text)),
    };
    let Difference { expected, actual, expected_line, actual_line, .. } = difference;
    let expected =
        line(expected.is_none() && expected_line.is_empty(), expected_line, difference.expected_more);
    let actual = line(actual.is_none() && actual_line.is_empty(), actual_line, difference.actual_more);
    let so_far = if difference.is_unfinished && difference.actual.is_some() { " (so far)" } else { "" };
    format!("expected: {expected}\nprinted:  {actual}{so_far}")
}
