//! Errors and warnings of the program, as output.

use serde_json::{Value, json};

use crate::protocol::Messages;
use ez_engine::api::{Failure, Location, Problem, Status};
use ez_runtime::diagnostics::Severity;

use super::DapFrontEnd;
use super::decode::RequestHeader;
use super::writing::Refusal;

impl DapFrontEnd {
    /// Reports errors and warnings of the program as output.
    pub(super) fn problems(&mut self, problems: &[Problem], out: &mut Messages) {
        let client = self.client();
        for problem in problems {
            let category = if problem.severity == Severity::Error { "stderr" } else { "console" };
            let mut tell = |text: String, at: Option<&Location>| {
                let mut body = json!({"category": category, "output": text});
                if let (Some(at), Value::Object(body)) = (at, &mut body) {
                    body.insert("source".into(), json!(client.source(&at.path)));
                    body.insert("line".into(), client.line(at.line).into());
                    body.insert("column".into(), client.column_in(&at.path, at.line, at.column).into());
                }
                self.numbering.event(out, "output", body);
            };
            tell(problem_text(problem), problem.location.as_ref());
            // Editors link each of them to its place.
            for frame in &problem.stack {
                let at = &frame.location;
                let place = format!("{}:{}:{}", at.path.display(), at.line, at.column);
                tell(format!("  in {} at {place}\n", frame.function), Some(at));
            }
        }
    }

    /// The answer to a request to load a program that has failed. `before`: the phase before the request. A program
    /// that ran then has ended, if it cannot be loaded again.
    pub(super) fn not_loaded(
        &mut self,
        from: &RequestHeader,
        failure: &Failure,
        refusal: Refusal,
        before: Status,
        out: &mut Messages,
    ) {
        self.phase = before;
        if !failure.kind.blames_program() {
            return self.numbering.failure(out, from, &refusal);
        }
        self.problems(&failure.problems, out);
        let text = match failure.problems.as_slice() {
            [] => refusal.text,
            [problem] => problem.message.clone(),
            [problem, rest @ ..] => format!("{} (and {} more)", problem.message, rest.len()),
        };
        // Visual Studio Code offers to change launch.json in what it shows.
        let is_told = from.command == "launch" && !failure.problems.is_empty();
        self.numbering.failure(out, from, &Refusal { text, is_told, ..refusal });
        if self.part.is_guest() {
            self.has_no_program("No program is loaded", out);
        } else if before != Status::NotInitialized {
            self.end(out);
        }
    }
}

fn problem_text(problem: &Problem) -> String {
    let kind = if problem.severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{kind}[{}]: {}\n", problem.code.as_str(), problem.message);
    if let Some(at) = &problem.location {
        text += &format!("  at {}:{}:{}\n", at.path.display(), at.line, at.column);
    }
    if let Some(help) = &problem.help {
        text += &format!("  help: {help}\n");
    }
    text
}
