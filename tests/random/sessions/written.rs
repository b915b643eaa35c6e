//! What a program wrote, as its clients were told it, one after the other.

use serde_json::Value;

use super::programs::{Kind, Program};

/// The streams of a program, each in pieces between which something may be missing.
pub struct Written {
    stdout: Vec<String>,
    stderr: Vec<String>,
    exited: Option<i64>,
    killed: bool,
}

impl Default for Written {
    fn default() -> Written {
        let begun = vec![String::new()];
        Written { stdout: begun.clone(), stderr: begun, exited: None, killed: false }
    }
}

impl Written {
    /// Something of what comes next may not have been told.
    pub fn gap(&mut self) {
        self.stdout.push(String::new());
        self.stderr.push(String::new());
    }

    /// A client was told this.
    pub fn told(&mut self, event: &Value) -> Result<(), String> {
        let data = &event["data"];
        match event["event"].as_str() {
            Some("attached") if data.get("droppedOutput").is_some() => self.gap(),
            Some("output") => {
                let text = data["text"].as_str().ok_or("output without a text")?;
                let pieces = match data["category"].as_str() {
                    Some("stdout") => &mut self.stdout,
                    Some("stderr") => &mut self.stderr,
                    // What log points tell is not the program's.
                    _ => return Ok(()),
                };
                pieces.last_mut().ok_or("no piece")?.push_str(text);
            }
            Some("killed") => self.killed = true,
            Some("exited") => {
                let status = data["exitCode"].as_i64().ok_or("no exit code")?;
                if self.exited.is_some_and(|before| before != status) {
                    return Err(format!("exited with {:?}, and with {status}", self.exited));
                }
                self.exited = Some(status);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether that is what the program writes, complete but for the gaps.
    pub fn check(&self, program: &Program) -> Result<(), String> {
        match &program.kind {
            Kind::Known(outcome) => {
                let (stdout, stderr) = streams(&outcome.output);
                let has_ended = self.exited.is_some() && !self.killed;
                // Somebody who has vanished may have killed it.
                let is_whole = has_ended && self.exited == Some(i64::from(outcome.status & 255));
                if has_ended && !is_whole && self.exited != Some(143) {
                    return Err(format!("exited with {:?} instead of {}", self.exited, outcome.status));
                }
                contains(&stdout, &self.stdout, is_whole)?;
                contains(&stderr, &self.stderr, is_whole)
            }
            Kind::Endless => counts(&self.stdout),
            Kind::Wrong => Ok(()),
        }
    }
}

/// The two streams of an output in which that to standard error stands between marks.
fn streams(output: &str) -> (String, String) {
    let (mut stdout, mut stderr, mut is_error) = (String::new(), String::new(), false);
    for c in output.chars() {
        match c {
            '\u{1}' => is_error = true,
            '\u{2}' => is_error = false,
            c if is_error => stderr.push(c),
            c => stdout.push(c),
        }
    }
    (stdout, stderr)
}

/// Whether the pieces stand in a text, in order, from its beginning, and up to its end if it `is_whole`.
fn contains(whole: &str, pieces: &[String], is_whole: bool) -> Result<(), String> {
    let wrong = |piece: &str| Err(format!("{piece:?} is not there, or not there any more, in {whole:?}"));
    let mut rest = whole;
    for (number, piece) in pieces.iter().enumerate() {
        let at = rest.find(piece.as_str());
        match at.and_then(|at| rest.get(at + piece.len()..)) {
            Some(behind) if number > 0 || at == Some(0) => rest = behind,
            _ => return wrong(piece),
        }
    }
    let last = pieces.last().map_or("", String::as_str);
    if is_whole && !whole.ends_with(last) { wrong(last) } else { Ok(()) }
}

/// Whether each piece counts on, one number a line.
fn counts(pieces: &[String]) -> Result<(), String> {
    let mut next = 0;
    for (number, piece) in pieces.iter().enumerate() {
        let whole = piece.rsplit_once('\n').map_or("", |(whole, _)| whole);
        // The first line behind a gap may not be whole.
        let lines = whole.lines().skip(usize::from(number > 0));
        for (index, line) in lines.enumerate() {
            let is_first = number > 0 && index == 0;
            match line.parse::<u64>() {
                Ok(count) if count == next || (is_first && count > next) => next = count + 1,
                _ => return Err(format!("{line:?} instead of {next}")),
            }
        }
    }
    Ok(())
}

#[test]
fn pieces_are_found_in_order() {
    let pieces = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(contains("abcabd", &pieces(&["ab", "ab", "d"]), true).is_ok());
    assert!(contains("abcabd", &pieces(&["b"]), false).is_err(), "it does not begin there");
    assert!(contains("abcabd", &pieces(&["abc", "c"]), false).is_err(), "it was told already");
    assert!(contains("abcabd", &pieces(&["abc"]), true).is_err(), "the end is missing");
    assert!(counts(&pieces(&["0\n1\n2", "7\n8\n9\n"])).is_ok());
    assert!(counts(&pieces(&["0\n2\n"])).is_err() && counts(&pieces(&["0\n1\n", "x\n1\n"])).is_err());
}
