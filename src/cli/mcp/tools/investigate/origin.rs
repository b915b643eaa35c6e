//! Where a value came from: the writes that made it, followed back from variable to variable.

use serde_json::{Map, Value, json};

use super::decisions::{Decision, decide};
use super::parts::{Argument, Computation, Read};
use crate::cli::mcp::answer::{Text, short};
use crate::cli::mcp::call::Call;
use crate::cli::mcp::session::{Session, list, location, number, text, write_source};

/// Maximum number of rows of a chain.
const MAX_ROWS: usize = 24;

/// How many writes of one variable that depend on each other are shown: the latest and the first ones.
const LATEST: usize = 3;
const FIRST: usize = 2;

/// How many writes of one variable are looked at.
const MAX_CHANGES: u64 = 1000;

/// Maximum number of variables of a statement that are compared to find the one to follow.
const MAX_COMPARED: usize = 4;

/// The chain that leads to a value.
pub struct Chain {
    expression: String,
    rows: Vec<Map<String, Value>>,
    /// For each row, the step of its statement and the places of the heads that let that run.
    heads: Vec<(u64, Vec<(u64, u64)>)>,
    /// What is followed was there before this step: calls that have returned later have nothing to do with it.
    before: u64,
    /// Why it ends.
    end: String,
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
    session: &mut Session,
    expression: &str,
    stop: &Map<String, Value>,
) -> Result<Chain, String> {
    // An error stops the program within a statement, of which the calls may have returned.
    let within = u64::from(text(stop, "reason") == "exception");
    let mut chain = Chain {
        expression: expression.into(),
        rows: Vec::new(),
        heads: Vec::new(),
        before: number(stop, "step") + within,
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
                    Decision::Because(why) => drop(row.insert("conditions".into(), why.into())),
                    Decision::Unknown => {
                        let why = "a condition further back than was looked for";
                        row.insert("conditions".into(), json!([why]));
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
        session: &mut Session,
        expression: &str,
        why: &str,
    ) -> Result<Next, String> {
        let next = match self.variable(call, session, expression, why)? {
            Next::Follow(target) => self.calls(call, session, target)?,
            end => end,
        };
        if let Next::Follow(target) = &next {
            session.ask(call, "goToStep", json!({"step": target.step}))?;
            self.before = target.step;
        }
        Ok(next)
    }

    /// Adds the writes of a variable that its value at this stop depends on. Returns what to follow from there,
    /// or why the chain ends.
    fn variable(
        &mut self,
        call: &Call,
        session: &mut Session,
        expression: &str,
        why: &str,
    ) -> Result<Next, String> {
        let asked = json!({"expression": expression, "count": MAX_CHANGES});
        let answer = session.ask(call, "changes", asked)?;
        let changes: Vec<Map<String, Value>> =
            list(&answer, "changes").iter().filter_map(Value::as_object).cloned().collect();
        let Some(latest) = changes.first() else {
            return Ok(Next::End(format!("nothing has written {expression}")));
        };
        if self.has(expression, number(latest, "step")) {
            return Ok(Next::End(format!("where {expression} came from is shown above")));
        }
        let mut computation = computation(call, session, latest)?;
        self.add(session, expression, latest, computation.as_ref(), why);
        let first = target(call, session, expression, latest, computation.as_ref(), self.before)?;
        // Earlier values of the variable, as far as the later ones were computed from them.
        let mut dependent = 0;
        for pair in changes.windows(2) {
            let [later, earlier] = pair else { break };
            if self.has(expression, number(earlier, "step")) {
                break;
            }
            let same_statement = later.get("location") == earlier.get("location");
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
        let is_cut = answer.contains_key("next") && dependent.len() + 1 == changes.len();
        self.earlier(call, session, expression, dependent, is_cut)?;
        match (first, dependent.last()) {
            // What the first of them was computed from is the origin of all.
            (Next::End(_), Some(oldest)) if !is_cut => {
                let computation = self::computation(call, session, oldest)?;
                target(call, session, expression, oldest, computation.as_ref(), self.before)
            }
            (first, _) => Ok(first),
        }
    }

    /// Adds earlier writes of the same variable: the latest and the first of them. `is_cut`: there are even earlier
    /// ones.
    fn earlier(
        &mut self,
        call: &Call,
        session: &mut Session,
        expression: &str,
        changes: &[Map<String, Value>],
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
            self.add(session, expression, change, computation.as_ref(), &why);
        }
        if let (true, Some(row), Some(first)) = (is_cut, self.rows.last_mut(), changes.last()) {
            let step = number(first, "step");
            let what = format!(
                "{left_out} earlier writes, and all before step {step}, are left out; stop there to see them"
            );
            row.insert("before".into(), what.into());
        }
        Ok(())
    }

    /// Follows a call into the function, to what the statement that returned has read.
    fn calls(&mut self, call: &Call, session: &mut Session, mut target: Target) -> Result<Next, String> {
        while let Some(step) = target.read.returned_at {
            if self.rows.len() >= MAX_ROWS {
                break;
            }
            if self.has(&target.read.text, step) {
                return Ok(Next::End(format!("what {} returned is shown above", target.read.text)));
            }
            let unfolded = session.ask(call, "unfold", json!({"step": step}))?;
            let returned = json!({"step": step, "cause": "returned", "newValue": target.read.value});
            let mut change = if let Value::Object(change) = returned { change } else { Map::new() };
            change.insert("location".into(), unfolded.get("location").cloned().unwrap_or_default());
            let computation = Computation::new(unfolded);
            self.add(session, &target.read.text, &change, Some(&computation), &target.why);
            session.ask(call, "goToStep", json!({"step": step}))?;
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
        Ok(match self.rows.len() >= MAX_ROWS {
            true => Next::End(format!(
                "after {MAX_ROWS} rows; to go on, ask for {} at step {}",
                target.read.text, target.step
            )),
            false => Next::Follow(target),
        })
    }

    /// Whether there is a row of what was written at this step.
    fn has(&self, what: &str, step: u64) -> bool {
        self.rows.iter().any(|row| text(row, "what") == what && number(row, "step") == step)
    }

    fn add(
        &mut self,
        session: &mut Session,
        what: &str,
        change: &Map<String, Value>,
        computation: Option<&Computation>,
        why: &str,
    ) {
        let mut row = Map::new();
        row.insert("step".into(), number(change, "step").into());
        row.extend(location(change, &mut session.sources));
        row.insert("what".into(), what.into());
        row.insert("cause".into(), text(change, "cause").into());
        for (name, from) in [("oldValue", "oldValue"), ("newValue", "newValue")] {
            if let Some(value) = change.get(from) {
                row.insert(name.into(), value.clone());
            }
        }
        if text(change, "cause") != "passed"
            && let Some(computation) = computation
        {
            if let Some(rewritten) = computation.rewritten() {
                row.insert("computed".into(), rewritten.into());
            }
            let reads = computation.reads().into_iter();
            let reads: Vec<Value> =
                reads.map(|read| json!({"name": read.text, "value": read.value})).collect();
            row.insert("read".into(), reads.into());
        }
        if !why.is_empty() {
            row.insert("because".into(), why.into());
        }
        let heads = computation.map(|statement| (statement.step(), statement.conditions()));
        self.heads.push(heads.unwrap_or_default());
        self.rows.push(row);
    }

    /// The chain as a part of a result.
    pub fn json(&self) -> Value {
        json!({"expression": self.expression, "rows": self.rows, "end": self.end})
    }

    /// Writes the chain.
    pub fn write(&self, out: &mut Text) {
        out.gap();
        out.line(format_args!("Where {} came from, the latest write first:", self.expression));
        for row in &self.rows {
            let because = text(row, "because");
            if !because.is_empty() {
                out.line(format_args!("  <- {because}"));
            }
            write_source(row, &format!("step {:>5} ", number(row, "step")), out);
            let value = |name: &str| row.get(name).and_then(Value::as_str).map(short);
            let change = match (value("oldValue"), value("newValue")) {
                (Some(old), Some(new)) => format!("{old} → {new}"),
                (None, Some(new)) => new,
                _ => "nothing".into(),
            };
            let computed =
                row.get("computed").and_then(Value::as_str).map(|text| format!(", from {}", short(text)));
            out.line(format_args!(
                "           {} {}: {change}{}",
                text(row, "what"),
                text(row, "cause"),
                computed.unwrap_or_default()
            ));
            let conditions: Vec<&str> = list(row, "conditions").iter().filter_map(Value::as_str).collect();
            if !conditions.is_empty() {
                out.line(format_args!("           ran because {}", conditions.join(", ")));
            }
            if !text(row, "before").is_empty() {
                out.line(format_args!("  … {} …", text(row, "before")));
            }
        }
        out.line(format_args!("  The chain ends: {}.", self.end));
    }
}

/// The index of a parameter among those of its function, if that is what the expression is.
fn parameter_index(
    call: &Call,
    session: &mut Session,
    expression: &str,
    change: &Map<String, Value>,
) -> Result<Option<usize>, String> {
    if text(change, "cause") != "passed" {
        return Ok(None);
    }
    let parameters = session.ask(call, "getVariables", json!({"scope": "parameter"}))?;
    let is_it = |variable: &Value| variable.get("name").and_then(Value::as_str) == Some(expression);
    Ok(list(&parameters, "variables").iter().position(is_it))
}

/// What the statement that made a change computed; `None` if there is none.
fn computation(
    call: &Call,
    session: &mut Session,
    change: &Map<String, Value>,
) -> Result<Option<Computation>, String> {
    if text(change, "cause") == "client" {
        return Ok(None);
    }
    let unfolded = session.ask(call, "unfold", json!({"step": number(change, "step")}))?;
    Ok(Some(Computation::new(unfolded)))
}

/// Whether the statement of a change to an expression has used the value before.
fn reads_itself(statement: &Computation, change: &Map<String, Value>, expression: &str) -> bool {
    statement.reads_itself(change, statement.name_of(change).unwrap_or(expression))
}

/// What to follow from a write: what its statement has read, other than the variable itself, `before` a step.
fn target(
    call: &Call,
    session: &mut Session,
    expression: &str,
    change: &Map<String, Value>,
    computation: Option<&Computation>,
    before: u64,
) -> Result<Next, String> {
    let parameter = parameter_index(call, session, expression, change)?;
    let Some(computation) = computation else { return Ok(Next::End("the client has written it".into())) };
    let step = number(change, "step");
    let value = text(change, "newValue");
    let mut found = if text(change, "cause") == "passed" {
        let none = Map::new();
        let at = change.get("location").and_then(Value::as_object).unwrap_or(&none);
        let argument =
            parameter.and_then(|index| computation.argument(number(at, "line"), number(at, "column"), index));
        match passed(expression, argument, value) {
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
        let own = name.or_else(|| computation.changed_in_place()).unwrap_or(expression);
        found.retain(|read| read.text != own);
        found
    };
    let all = found.len();
    found.retain(|read| read.returned_at.is_none_or(|step| step < before));
    if found.is_empty() && all > 0 {
        return Ok(Next::End(format!("{expression} was there before that statement had computed anything")));
    }
    session.ask(call, "goToStep", json!({"step": step}))?;
    let chosen = choose(call, session, found, step, value)?;
    let uses_old = reads_itself(computation, change, expression);
    let old = uses_old.then(|| text(change, "oldValue").to_string());
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
            Ok(vec![Read { text, value: value.into(), returned_at: None }])
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
    session: &mut Session,
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
                let change = session.ask(call, "lastChange", json!({"expression": read.text}));
                change.map_or(0, |change| number(&change, "step"))
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
