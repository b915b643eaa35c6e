//! `--update`: what a program has printed becomes what it has to print.

use super::difference::headline;
use super::folder::Case;
use super::outcome::{Failure, Kind, Outcome};
use crate::clients::overwrite::{replace, unless_changed};
use crate::clients::show::print;
use ez_language::modules::{DiskLoader, SourceLoader};
use ez_runtime::platform::slashed;
use ez_runtime::visible::visible_line;

/// Writes what a program has printed into the file of its case, if it is something else than is expected, after showing
/// what changes. The case has passed then; one that has failed otherwise stays as it is.
pub fn update(case: &Case, outcome: &mut Outcome) {
    let Some(output) = outcome.output.take() else {
        outcome
            .failure
            .get_or_insert_with(|| Failure::new(Kind::Limit, "more was printed than a file is written for"));
        return;
    };
    let what = match (&outcome.failure, &case.output) {
        (None, Some(_)) => return,
        (None, None) => format!("{} is new: {} lines", output_name(case), output.lines().count()),
        (Some(Failure { kind: Kind::Output, difference: Some(difference), then: None, .. }), _) => {
            format!("{} changes: {}", output_name(case), headline(difference))
        }
        (Some(_), _) => return,
    };
    print(&format!("{what}\n"));
    outcome.failure = write(case, &output)
        .err()
        .map(|why| Failure::new(Kind::NotRun, format!("{} is left as it is: {why}", output_name(case))));
}

fn output_name(case: &Case) -> String {
    visible_line(&slashed(&case.output_path())).into_owned()
}

/// Replaces the file of a case, if it is as it was read.
fn write(case: &Case, output: &str) -> Result<(), String> {
    let path = case.output_path();
    let last = || {
        unless_changed(match &case.output {
            Some(before) => DiskLoader.read_data(&path)? == **before,
            None => !path.exists(),
        })
    };
    replace(&path, output.as_bytes(), last)
}
