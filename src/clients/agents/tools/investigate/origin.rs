//! Where a value came from: the writes that made it, followed back from variable to variable.

use serde::Serialize;

use super::decisions::{Decision, decide};
use crate::clients::agents::answer::{Text, short};
use crate::clients::agents::call::Call;
use crate::clients::agents::session::{Asking, ProgramSession};
use crate::clients::agents::shown::SourceLine;
use crate::clients::computation::{Argument, Computation, Read, past};
use crate::clients::past::Past;
use ez_engine::api::{
    Change, ChangeCause, GetChanges, LastChangeQuery, Limits, Location, Position, StopReason, Stopped,
    Travel, UnfoldTarget,
};

/// Maximum number of rows of a chain.
const MAX_ROWS: usize = 24;

/// How many writes of one variable that depend on each other are shown: the latest and the first ones.
const LATEST: usize = 3;
const FIRST: usize = 2;

/// How many writes of one variable are looked at.
const MAX_CHANGES: usize = 1000;

/// Maximum number of variables of a statement that are compared to find the one to follow.
const MAX_COMPARED: usize = 4;

/// The chain that leads to a value.
#[derive(Serialize)]
pub struct Chain {
    expression: String,
    rows: Vec<Row>,
    /// For each row: the step of its statement, and where the conditions are that have let it run.
    #[serde(skip)]
    heads: Vec<(u64, Vec<Position>)>,
    /// The value that is followed existed before this step: calls that have returned later have nothing to do with it.
    #[serde(skip)]
    before: u64,
    /// Why it ends.
    end: String,
}

/// A write, or a call that has returned.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    step: u64,
    #[serde(flatten)]
    location: SourceLine,
    what: String,
    cause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    computed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Vec<ReadValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<String>,
}

/// Something that a statement read.
#[derive(Serialize)]
struct ReadValue {
    name: String,
    value: String,
}

/// What a row is about.
struct Written<'a> {
    what: &'a str,
    cause: &'static str,
    step: u64,
    location: &'a Location,
    old: Option<String>,
    new: Option<String>,
}

impl<'a> Written<'a> {
    /// A write of an expression.
    fn new(what: &'a str, change: &'a Change) -> Written<'a> {
        Written {
            what,
            cause: change.cause.name(),
            step: change.step,
            location: &change.location,
            old: past(change.old.as_ref()),
            new: past(change.new.as_ref()),
        }
    }
}

/// What is to be followed: something that is read by the statement at a step.
struct Target {
    read: Read,
    step: u64,
    why: String,
    /// The value before, if the statement computed the new one from that: it is not followed into a function.
    old: Option<String>,
}

/// What comes after a row of a chain.
enum Next {
    Follow(Target),
    /// Nothing, for this reason.
    End(String),
}

/// Follows the value of an expression at a stop, the data of which is `stop`, back to where it began. The program is
/// stopped somewhere else afterwards.
///
/// # Errors
/// Why there is no answer.
pub fn chain(
    call: &Call,
    session: &mut ProgramSession,
    expression: &str,
    stop: &Stopped,
) -> Result<Chain, String> {
    // An error stops the program within a statement, of which the calls may have returned.
    let within = u64::from(stop.reason == StopReason::Exception);
    let mut chain = Chain {
        expression: expression.into(),
        rows: Vec::new(),
        heads: Vec::new(),
        before: stop.step + within,
        end: String::new(),
    };
    let mut following = (expression.to_string(), String::new());
    loop {
        let (expression, why) = &following;
        match chain.follow(call, session, expression, why) {
            Ok(Next::Follow(target)) => following = (target.read.text, target.why),
            Ok(Next::End(end)) => chain.end = end,
            Err(reason) if chain.rows.is_empty() => return Err(reason),
            Err(reason) => chain.end = format!("it cannot be followed further: {reason}"),
        }
        if !chain.end.is_empty() {
            let decided = decide(call, session, &chain.heads);
            for (row, decision) in chain.rows.iter_mut().zip(decided) {
                match decision {
                    Decision::Always => {}
                    Decision::Because(why) => row.conditions = why,
                    Decision::Unknown => {
                        row.conditions = vec!["a condition further back than was looked for".into()];
                    }
                }
            }
            return Ok(chain);
        }
    }
}

impl Chain {
    /// Adds the rows of a variable, and of the calls that it leads to. The program is then stopped where what is to
    /// be followed next can be asked for.
    fn follow(
        &mut self,
        call: &Call,
        session: &mut ProgramSession,
        expression: &str,
        why: &str,
    ) -> Result<Next, String> {
        let next = match self.variable(call, session, expression, why)? {
            Next::Follow(target) => self.calls(call, session, target)?,
            end => end,
        };
        if let Next::Follow(target) = &next {
            session.travel(call, Travel::GoToStep(target.step))?;
            self.before = target.step;
        }
        Ok(next)
    }

    /// Adds the writes of a variable that its value at this stop depends on. Returns what to follow from there,
    /// or why the chain ends.
    fn variable(
        &mut self,
        call: &Call,
        session: &mut ProgramSession,
        expression: &str,
        why: &str,
    ) -> Result<Next, String> {
        let asked = GetChanges {
            expression: expression.into(),
            frame: 0,
            before: None,
            count: MAX_CHANGES,
            limits: Limits::PREVIEW,
        };
        let answer = session.ask(call, asked)?;
        let changes = &answer.changes;
        let Some(latest) = changes.first() else {
            return Ok(Next::End(format!("nothing has written {expression}")));
        };
        if self.has(expression, latest.step) {
            return Ok(Next::End(format!("where {expression} came from is shown above")));
        }
        let mut computation = computation(call, session, latest)?;
        self.add(session, Written::new(expression, latest), computation.as_ref(), why);
        let first = target(call, session, expression, latest, computation.as_ref(), self.before)?;
        // Earlier values of the variable, as far as the later ones were computed from them.
        let mut dependent = 0;
        for pair in changes.windows(2) {
            let [later, earlier] = pair else { break };
            if self.has(expression, earlier.step) {
                break;
            }
            let same_statement = later.location == earlier.location;
            if dependent == 0 || !same_statement {
                computation = self::computation(call, session, later)?;
            }
            let reads_itself =
                computation.as_ref().is_some_and(|statement| reads_itself(statement, later, expression));
            if !reads_itself {
                break;
            }
            dependent += 1;
        }
        let dependent = changes.get(1..=dependent).unwrap_or_default();
        let is_cut = answer.next.is_some() && dependent.len() + 1 == changes.len();
        self.earlier(call, session, expression, dependent, is_cut)?;
        match (first, dependent.last()) {
            // What the first of them was computed from is the origin of all.
            (Next::End(_), Some(oldest)) if !is_cut => {
                let computation = self::computation(call, session, oldest)?;
                target(call, session, expression, oldest, computation.as_ref(), self.before)
            }
            (Next::End(_), Some(oldest)) => {
                Ok(Next::End(format!("what was before step {} is left out", oldest.step)))
            }
            (first, _) => Ok(first),
        }
    }

    /// Adds earlier writes of the same variable: the latest and the first of them. `is_cut`: there are even earlier
    /// ones.
    fn earlier(
        &mut self,
        call: &Call,
        session: &mut ProgramSession,
        expression: &str,
        changes: &[Change],
        is_cut: bool,
    ) -> Result<(), String> {
        let shown_at_end = if is_cut { 0 } else { FIRST };
        let left_out = changes.len().saturating_sub(LATEST + shown_at_end);
        for (index, change) in changes.iter().enumerate() {
            let from_end = changes.len() - index;
            if index >= LATEST && from_end > shown_at_end {
                continue;
            }
            let why = match (left_out, from_end) {
                (1, FIRST) => format!("1 write is left out here; {expression} before it"),
                (1.., FIRST) => format!("{left_out} writes are left out here; {expression} before them"),
                _ => format!("{expression} before that"),
            };
            let computation = computation(call, session, change)?;
            self.add(session, Written::new(expression, change), computation.as_ref(), &why);
        }
        if let (true, Some(row), Some(first)) = (is_cut, self.rows.last_mut(), changes.last()) {
            let step = first.step;
            let what = format!(
                "{left_out} earlier writes, and all before step {step}, are left out; stop there to see them"
            );
            row.before = Some(what);
        }
        Ok(())
    }

    /// Follows a call into the function, to what the statement that returned has read.
    fn calls(
        &mut self,
        call: &Call,
        session: &mut ProgramSession,
        mut target: Target,
    ) -> Result<Next, String> {
        while let Some(step) = target.read.returned_at {
            if self.rows.len() >= MAX_ROWS {
                break;
            }
            if self.has(&target.read.text, step) {
                return Ok(Next::End(format!("what {} returned is shown above", target.read.text)));
            }
            let unfolded = Asking { call, session }.return_statement(target.step, step)?;
            let (step, location) = (unfolded.step, unfolded.location.clone());
            let computation = Computation::new(*unfolded);
            let Read { text, value, .. } = &target.read;
            let (what, new) = (text.as_str(), Some(value.clone()));
            let returned = Written { what, cause: "returned", step, location: &location, old: None, new };
            self.add(session, returned, Some(&computation), &target.why);
            session.travel(call, Travel::GoToStep(step))?;
            self.before = step;
            let mut reads = computation.reads();
            if reads.is_empty()
                && let Some(end) = computation.outside()
            {
                return Ok(Next::End(end));
            }
            if reads.len() > 1
                && let Some(old) = &target.old
            {
                reads.retain(|read| read.value != *old);
            }
            match choose(call, session, reads, step, &target.read.value)? {
                Next::Follow(next) => target = next,
                end => return Ok(end),
            }
        }
        Ok(if self.rows.len() >= MAX_ROWS {
            Next::End(format!(
                "after {MAX_ROWS} rows; to go on, ask for {} at step {}",
                target.read.text, target.step
            ))
        } else {
            Next::Follow(target)
        })
    }

    /// Whether there is a row of what was written at this step.
    fn has(&self, what: &str, step: u64) -> bool {
        self.rows.iter().any(|row| row.what == what && row.step == step)
    }

    fn add(
        &mut self,
        session: &mut ProgramSession,
        written: Written,
        computation: Option<&Computation>,
        why: &str,
    ) {
        let Written { what, cause, step, location, old, new } = written;
        let shown = computation.filter(|_| cause != ChangeCause::Passed.name());
        let read = |statement: &Computation| {
            let reads = statement.reads().into_iter();
            reads.map(|read| ReadValue { name: read.text, value: read.value }).collect()
        };
        self.rows.push(Row {
            step,
            location: SourceLine::new(location, &mut session.sources),
            what: what.into(),
            cause,
            old_value: old,
            new_value: new,
            computed: shown.and_then(|statement| statement.rewritten().map(str::to_string)),
            read: shown.map(read),
            because: Some(why.to_string()).filter(|why| !why.is_empty()),
            before: None,
            conditions: Vec::new(),
        });
        let heads = computation.map(|statement| (statement.step(), statement.conditions()));
        self.heads.push(heads.unwrap_or_default());
    }

    pub fn write(&self, out: &mut Text) {
        out.gap();
        out.line(format_args!("Where {} came from, the latest write first:", self.expression));
        for row in &self.rows {
            if let Some(because) = &row.because {
                out.line(format_args!("  <- {because}"));
            }
            row.location.write_source(&format!("step {:>5} ", row.step), out);
            let change = match (&row.old_value, &row.new_value) {
                (Some(old), Some(new)) => format!("{} → {}", short(old), short(new)),
                (None, Some(new)) => short(new),
                (_, None) => "nothing".into(),
            };
            let computed = row.computed.as_ref().map(|text| format!(", from {}", short(text)));
            out.line(format_args!(
                "           {} {}: {change}{}",
                row.what,
                row.cause,
                computed.unwrap_or_default()
            ));
            if !row.conditions.is_empty() {
                out.line(format_args!("           ran because {}", row.conditions.join(", ")));
            }
            if let Some(before) = &row.before {
                out.line(format_args!("  … {before} …"));
            }
        }
        out.line(format_args!("  The chain ends: {}.", self.end));
    }
}

/// What the statement that made a change computed; `None` if there is none.
fn computation(
    call: &Call,
    session: &mut ProgramSession,
    change: &Change,
) -> Result<Option<Computation>, String> {
    if change.cause == ChangeCause::Client {
        return Ok(None);
    }
    let unfolded = session.unfold(call, UnfoldTarget::Step(change.step))?;
    Ok(Some(Computation::new(*unfolded)))
}

/// Whether the statement of a change to an expression has used the value before.
fn reads_itself(statement: &Computation, change: &Change, expression: &str) -> bool {
    statement.reads_itself(change, statement.name_of(change).as_deref().unwrap_or(expression))
}

/// What to follow from a write: what its statement has read, other than the variable itself, `before` a step.
fn target(
    call: &Call,
    session: &mut ProgramSession,
    expression: &str,
    change: &Change,
    computation: Option<&Computation>,
    before: u64,
) -> Result<Next, String> {
    let parameter = Asking { call, session }.parameter_index(expression, change)?;
    let Some(computation) = computation else { return Ok(Next::End("the client has written it".into())) };
    let step = change.step;
    let value = past(change.new.as_ref()).unwrap_or_default();
    let mut found = if change.cause == ChangeCause::Passed {
        let Location { line, column, .. } = change.location;
        let argument = parameter.and_then(|index| computation.argument(Position { line, column }, index));
        match passed(expression, argument, &value) {
            Ok(reads) => reads,
            Err(end) => return Ok(Next::End(end)),
        }
    } else {
        let mut found = computation.reads();
        if found.is_empty()
            && let Some(end) = computation.outside()
        {
            return Ok(Next::End(end));
        }
        let name = computation.name_of(change);
        let own = name.or_else(|| computation.changed_in_place()).unwrap_or_else(|| expression.into());
        found.retain(|read| read.text != own);
        found
    };
    let all = found.len();
    found.retain(|read| read.returned_at.is_none_or(|step| step < before));
    if found.is_empty() && all > 0 {
        return Ok(Next::End(format!("{expression} was there before that statement had computed anything")));
    }
    session.travel(call, Travel::GoToStep(step))?;
    let chosen = choose(call, session, found, step, &value)?;
    let uses_old = reads_itself(computation, change, expression);
    let old = uses_old.then(|| past(change.old.as_ref()).unwrap_or_default());
    Ok(match chosen {
        Next::Follow(target) => Next::Follow(Target { old, ..target }),
        end => end,
    })
}

/// What to follow from an argument that was passed for a parameter; or why there is nothing.
fn passed(parameter: &str, argument: Option<Argument>, value: &str) -> Result<Vec<Read>, String> {
    match argument {
        None => Err(format!("the argument for {parameter} is not known")),
        Some(Argument { text: Some(text), by_reference: true, .. }) => {
            Ok(vec![Read { text, value: value.into(), ..Read::default() }])
        }
        Some(Argument { text, reads, .. }) if reads.is_empty() => Err(match text {
            Some(text) => format!("the argument {text} was passed for {parameter}"),
            None => format!("{parameter} got its default value"),
        }),
        Some(Argument { reads, .. }) => Ok(reads),
    }
}

/// Chooses which of the things that a statement has read to follow; or why there is nothing. The program is
/// stopped before the statement.
fn choose(
    call: &Call,
    session: &mut ProgramSession,
    mut reads: Vec<Read>,
    step: u64,
    value: &str,
) -> Result<Next, String> {
    if reads.is_empty() {
        return Ok(Next::End("that statement reads no other variables".into()));
    }
    if let [_] = reads.as_slice() {
        let read = reads.remove(0);
        let why = format!("step {step} read {} = {}", read.text, short(&read.value));
        return Ok(Next::Follow(Target { read, step, why, old: None }));
    }
    let names: Vec<String> =
        reads.iter().map(|read| format!("{} = {}", read.text, short(&read.value))).collect();
    let equal: Vec<&Read> = reads.iter().filter(|read| read.value == value).collect();
    if let [equal] = equal.as_slice() {
        let why = format!("step {step} read {}; of these, {} has this value", names.join(", "), equal.text);
        return Ok(Next::Follow(Target { read: (*equal).clone(), step, why, old: None }));
    }
    let mut newest: Option<(u64, &Read)> = None;
    for read in reads.iter().take(MAX_COMPARED) {
        let written = match read.returned_at {
            Some(step) => step,
            None => {
                let expression = read.text.clone();
                let limits = Limits { parts: 0, bytes: 0 };
                let change = session.ask(call, LastChangeQuery { expression, frame: 0, limits });
                change.map_or(0, |change| change.step)
            }
        };
        if newest.is_none_or(|(latest, _)| written > latest) {
            newest = Some((written, read));
        }
    }
    Ok(match newest {
        Some((_, read)) => {
            let why =
                format!("step {step} read {}; of these, {} was written last", names.join(", "), read.text);
            Next::Follow(Target { read: read.clone(), step, why, old: None })
        }
        None => Next::End(format!("that statement reads {}", names.join(", "))),
    })
}
