//! Why a program has written something else than is expected: from the wrong output to the statements that have caused it.
//!
//! Each line states what the session knows: nothing is guessed from texts. Which facts are shown depends on what differs:
//!
//! * A line end is missing: what was printed before it.
//! * A value: where it got that value (`origin`): the `return` of a function, the last change, the argument of a call.
//! * A text that stands in the program, or more than is expected: the conditions that have led there (`decision`).
//! * Nothing more came: the last statement, and the conditions that have led there.

mod decision;
mod origin;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::clients::computation::Computation;
use crate::clients::past::Past;
use ez_engine::api::{Difference, Location, Part, PartKind, Travel, UnfoldTarget, Unfolded, WriteStatement};
use ez_runtime::clock::Instant;
use ez_runtime::visible::{shortened, visible_line};

/// Maximum number of lines.
const MAX_LINES: usize = 4;

/// Maximum number of statements that are looked at.
const MAX_STATEMENTS: usize = 60;

/// After this time no more questions are asked: in a long run, each may take as long as the run.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum length of a statement or a value in a line, in characters.
const MAX_TEXT: usize = 70;

/// A line of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How far it is indented: it explains the line above it that is indented less.
    pub indent: usize,
    pub text: String,
    /// The statement of which it speaks.
    pub location: Location,
    /// Its step.
    pub step: u64,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:indent$}{}", "", self.text, indent = 2 * self.indent)
    }
}

/// Explains the first difference between what a program has written and what is expected. The program is stopped after
/// that, at the end if nothing more has come; it is stopped somewhere else afterwards.
///
/// # Errors
/// Why there is no explanation.
pub fn explain(past: &mut impl Past, difference: &Difference) -> Result<Vec<Line>, String> {
    let mut explaining =
        Explaining { past, file: PathBuf::new(), lines: Vec::new(), asked: 0, begun: Instant::now() };
    let explained =
        if difference.actual.is_some() { explaining.written(difference) } else { explaining.end() };
    // What is known so far is true, whatever cannot be found besides.
    if explaining.lines.is_empty() { explained.map(|()| Vec::new()) } else { Ok(explaining.lines) }
}

/// An explanation that is being made.
struct Explaining<'a, P> {
    past: &'a mut P,
    /// The file whose lines are told by number only.
    file: PathBuf,
    lines: Vec<Line>,
    /// How many statements were looked at.
    asked: usize,
    begun: Instant,
}

impl<P: Past> Explaining<'_, P> {
    /// Explains something that was written.
    fn written(&mut self, difference: &Difference) -> Result<(), String> {
        if let (Some('\n'), Some(0), Some(before)) =
            (difference.expected, difference.within, &difference.before)
        {
            return self.no_line_end(difference, before);
        }
        let printed = self.printed_by(difference.written.as_ref(), difference.offset, "printed")?;
        let Some(statement) = printed else { return Ok(()) };
        self.add(0, &statement, |at, text| format!("printed in {at}: {text}"));
        let begins = difference.within == Some(0);
        match difference.within.and_then(|within| wrong_part(&statement, within, difference)) {
            Some(part) => {
                self.parts(0, &statement, part)?;
                // What begins with the wrong value may be what should not have been printed.
                if begins { self.decisions(0, &statement, true) } else { Ok(()) }
            }
            None => self.decisions(0, &statement, begins),
        }
    }

    /// Says which statement has printed the text after which a line end is expected.
    fn no_line_end(&mut self, difference: &Difference, before: &WriteStatement) -> Result<(), String> {
        let no_end = "no line end after what was printed";
        let printed = self.printed_by(Some(before), difference.offset.saturating_sub(1), no_end)?;
        let Some(statement) = printed else { return Ok(()) };
        self.add(0, &statement, |at, text| format!("{no_end} in {at}: {text}"));
        self.decisions(0, &statement, false)
    }

    /// Explains that nothing more has come. The program is stopped at its end.
    fn end(&mut self) -> Result<(), String> {
        let last = self.past.travel(Travel::StepBack)?;
        self.file.clone_from(&last.location.path);
        let statement = self.statement(last.step)?;
        if decision::decided(&statement).is_some() {
            let inner = self.head(0, &statement, "the last that was computed is");
            return inner.map_or(Ok(()), |inner| self.reads_of(inner, &statement));
        }
        self.add(0, &statement, |at, text| format!("the last statement that began was {at}: {text}"));
        self.decisions(0, &statement, false)
    }

    /// The statement that has written the byte with this number of standard output; `written` is that statement, as far as
    /// it is known. `None` if it was an `ensure`, of which a line is added that begins with `what`: what it computed is not
    /// known.
    fn printed_by(
        &mut self,
        written: Option<&WriteStatement>,
        offset: u64,
        what: &str,
    ) -> Result<Option<Computation>, String> {
        let step = match written.and_then(|written| written.step) {
            Some(step) => step,
            None => {
                let found = self.past.printed_by(offset)?;
                if found.at_end {
                    self.file.clone_from(&found.location.path);
                    self.line(0, found.location, found.step, |at| format!("{what} by the ensure in {at}"));
                    return Ok(None);
                }
                found.step
            }
        };
        let statement = self.statement(step)?;
        self.file.clone_from(&statement.unfolded().location.path);
        Ok(Some(statement))
    }

    /// What the statement at a step has computed, with the steps of the conditions around it.
    fn statement(&mut self, step: u64) -> Result<Computation, String> {
        self.looks_at_one_more()?;
        Ok(Computation::new(*self.past.unfold(UnfoldTarget::Step(step), 0, true)?))
    }

    /// Like [`Explaining::statement`], where nobody asks what has led there.
    fn computed_at(&mut self, step: u64) -> Result<Computation, String> {
        self.looks_at_one_more()?;
        Ok(Computation::new(*self.past.unfold(UnfoldTarget::Step(step), 0, false)?))
    }

    /// Counts a statement that is looked at.
    ///
    /// # Errors
    /// If enough was asked.
    fn looks_at_one_more(&mut self) -> Result<(), String> {
        self.asked += 1;
        self.goes_on()
    }

    /// # Errors
    /// If enough was asked.
    fn goes_on(&self) -> Result<(), String> {
        let is_over = self.asked > MAX_STATEMENTS || self.begun.elapsed() > PATIENCE;
        if is_over { Err("it is too far away".into()) } else { Ok(()) }
    }

    fn has_room(&self) -> bool {
        self.lines.len() < MAX_LINES
    }

    /// Adds a line about a statement, if there is room and none about that statement. `text` gets where it is, and its
    /// source. Returns how far what explains this line is indented; `None` if there is no line.
    fn add(
        &mut self,
        indent: usize,
        statement: &Computation,
        text: impl FnOnce(String, String) -> String,
    ) -> Option<usize> {
        let unfolded = statement.unfolded();
        let source = first_line(&unfolded.text);
        self.line(indent, unfolded.location.clone(), unfolded.step, |at| text(at, source))
    }

    /// Adds a line, as [`Explaining::add`] does. `text` gets where the statement is.
    fn line(
        &mut self,
        indent: usize,
        location: Location,
        step: u64,
        text: impl FnOnce(String) -> String,
    ) -> Option<usize> {
        if !self.has_room() || self.is_shown(&location) {
            return None;
        }
        let text = text(self.place(&location));
        self.lines.push(Line { indent, text, location, step });
        Some(indent + 1)
    }

    /// Whether there is a line about the statement at a place.
    fn is_shown(&self, location: &Location) -> bool {
        self.lines.iter().any(|line| line.location == *location)
    }

    /// The number of a line, with the file if it is another one.
    fn place(&self, location: &Location) -> String {
        let name = location.path.file_name().unwrap_or_default().to_string_lossy();
        let line = location.line;
        if location.path == self.file { line.to_string() } else { format!("{}:{line}", visible_line(&name)) }
    }
}

/// The first line of a statement.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim_end().trim_end_matches('{');
    short(line.trim_end())
}

/// A text that is not too long, on one line.
fn short(text: &str) -> String {
    shortened(text, MAX_TEXT)
}

/// The part of a statement whose value has the byte with this number of what the statement has printed; `None` if that
/// byte stands in the program. Where the text of a value ends, and is expected to go on, it is the value, too: with a letter
/// or digit, or with the character that came last.
fn wrong_part(statement: &Computation, within: u64, difference: &Difference) -> Option<usize> {
    // A whole line that is more than is expected has no right value; one that only goes on has.
    let expected = difference.expected.or((difference.column > 1).then_some('\n'))?;
    let within = usize::try_from(within).ok()?;
    let unfolded = statement.unfolded();
    let before = usize::try_from(difference.column - difference.left_out).ok()?.checked_sub(2);
    let last = before.and_then(|before| difference.actual_line.chars().nth(before));
    let goes_on = expected.is_alphanumeric() || matches!(expected, '.' | '-') || Some(expected) == last;
    let mut best: Option<(usize, usize)> = None;
    for (index, part) in unfolded.parts.iter().enumerate() {
        let Some((start, end)) = place_in_output(unfolded, part) else { continue };
        if part.kind == PartKind::Interpolation {
            continue;
        }
        let is_here = (start..end).contains(&within) || within == end && goes_on;
        let length = end - start;
        if is_here && best.is_none_or(|(_, shortest)| length < shortest || within < end && length == shortest)
        {
            best = Some((index, length));
        }
    }
    best.map(|(index, _)| index)
}

/// Where the text of a part begins and ends in what its statement has printed.
fn place_in_output(unfolded: &Unfolded, part: &Part) -> Option<(usize, usize)> {
    let place = part.place.clone()?;
    let outer = unfolded.parts.get(part.parent?)?;
    let begin = if outer.parent.is_some() { place_in_output(unfolded, outer)?.0 } else { 0 };
    Some((begin + place.start, begin + place.end))
}
