//! The results as JUnit has them, in XML, which many programs read.

use std::fmt::Write;
use std::time::Duration;

use super::outcome::{Failure, Outcome};
use super::report::Results;
use crate::clients::overwrite::{is_not_regular, replace, written_before};
use crate::clients::show::absolute;
use ez_runtime::platform::reason;
use ez_runtime::visible::visible_text;

/// How such a file begins.
const BEGINNING: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";

/// Writes the results into a file, or to a pipe or device.
///
/// # Errors
/// A message that says why that is not possible.
pub fn write(file: &str, results: &[Results]) -> Result<(), String> {
    let refused = |why: String| format!("cannot write {file}: {why}");
    written_before(file, &[BEGINNING]).map_err(refused)?;
    let (path, document) = (absolute(file), document(results));
    let written = if is_not_regular(&path) {
        std::fs::write(&path, document).map_err(|error| reason(&error))
    } else {
        // A link stays one.
        let path = dunce::canonicalize(&path).unwrap_or(path);
        replace(&path, document.as_bytes(), || Ok(()))
    };
    written.map_err(refused)
}

fn document(results: &[Results]) -> String {
    let all: Vec<_> = results.iter().flat_map(Results::cases).map(|(_, outcome)| outcome).collect();
    let mut text = format!("{BEGINNING}{}>\n", counts(&all));
    for of in results {
        let program = attribute(of.program());
        let own: Vec<_> = of.cases().map(|(_, outcome)| outcome).collect();
        let _ =
            writeln!(text, "  <testsuite name=\"{program}\"{} skipped=\"{}\">", counts(&own), skipped(&own));
        for (name, outcome) in of.cases() {
            let _ = write!(text, "    <testcase name=\"{}\" classname=\"{program}\"", attribute(name));
            match outcome {
                None => text.push_str(" time=\"0\"><skipped/></testcase>\n"),
                Some(Outcome { failure, time, .. }) => {
                    let _ = write!(text, " time=\"{}\"", seconds(*time));
                    text.push_str(&failure.as_ref().map_or("/>\n".into(), failed));
                }
            }
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

/// The end of the element of a case that has failed.
fn failed(failure: &Failure) -> String {
    let place = failure.place.iter().map(|place| format!("{}:{}: {}", place.file, place.line, place.text));
    let lines: Vec<String> = std::iter::once(failure.message.clone())
        .chain(failure.remarks.iter().cloned())
        .chain(failure.then.iter().map(|then| format!("then {then}")))
        .chain(place)
        .chain(failure.cause.iter().map(ToString::to_string))
        .collect();
    format!(
        ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
        failure.kind.name(),
        attribute(&failure.message),
        escaped(&lines.join("\n"))
    )
}

fn counts(outcomes: &[Option<&Outcome>]) -> String {
    let failures = outcomes.iter().flatten().filter(|outcome| outcome.failure.is_some()).count();
    let time: Duration = outcomes.iter().flatten().map(|outcome| outcome.time).sum();
    format!(" tests=\"{}\" failures=\"{failures}\" errors=\"0\" time=\"{}\"", outcomes.len(), seconds(time))
}

fn skipped(outcomes: &[Option<&Outcome>]) -> usize {
    outcomes.iter().filter(|outcome| outcome.is_none()).count()
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

/// A text without what XML does not allow.
fn escaped(text: &str) -> String {
    let allowed = visible_text(text);
    let allowed = allowed.chars().map(|c| if matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c });
    let text: String = allowed.collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;").replace('\t', "&#9;")
}
