//! `trace`: a table of a run, with a row for each statement that changes one of some expressions.

use std::collections::VecDeque;
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::{Arguments, Tool};
use crate::cli::mcp::answer::{Answer, Text, counted, short};
use crate::cli::mcp::arguments::{Program, max_chars, runnable};
use crate::cli::mcp::call::Call;
use crate::cli::mcp::schema;
use crate::cli::mcp::session::{
    NotLoaded, Session, Set, Stop, location, number, text, write_output, write_reports, write_source,
};
use crate::cli::mcp::sources::SOURCE;
use crate::protocol::params::Params;
use crate::visible::indented;

pub const TOOL: Tool = Tool {
    name: "trace",
    title: "Trace expressions through a run",
    description: "See how variables change while an EZ program runs: a table with a row for each statement that \
                  changed one of the expressions in of, with its line and the new values. Use it for loops that \
                  do something unexpected. from and to are lines that limit it; of long tables the first and last \
                  rows are kept. \
                  Example: {\"file\": \"sort.ez\", \"of\": [\"i\", \"list\"], \"from\": 12}",
    reads_only: false,
    input,
    output,
    run,
};

/// Default and maximum number of steps that are traced.
const STEPS: u32 = 5000;
const MAX_STEPS: u32 = 200_000;

/// Default and maximum number of rows of the table.
const ROWS: u32 = 40;
const MAX_ROWS: u32 = 1000;

const TIME_IS_OVER: &str = "the time was over (see timeLimit)";

/// Maximum number of expressions.
const MAX_EXPRESSIONS: usize = 20;

fn input() -> Value {
    let own = [
        ("of", schema::texts("EZ expressions; without them each statement has a row"), false),
        ("from", schema::whole(1, "The line at which it begins [the first statement of main]"), false),
        ("to", schema::whole(1, "The line at which it ends [the end of the program]"), false),
        ("steps", schema::whole(1, "Maximum number of steps [5000]"), false),
        ("rows", schema::whole(2, "Maximum number of rows [40]"), false),
        max_chars(),
    ];
    schema::object(runnable().into_iter().chain(own))
}

fn output() -> Value {
    let row = schema::at_place([
        ("step", schema::whole(0, "The step of the statement"), true),
        ("depth", schema::whole(0, "How many calls were in progress"), true),
        ("values", schema::any_object("The expressions that it changed, with their new values"), true),
    ]);
    schema::object([
        ("status", schema::word(&["traced", "notRun"], "Whether the program was run"), true),
        ("ending", schema::text("Why the table ends where it does"), true),
        ("steps", schema::whole(0, "How many steps were made"), true),
        ("start", schema::any_object("The values that the expressions have where it begins"), true),
        ("first", schema::list(&row, "The first rows"), true),
        ("between", schema::whole(0, "How many rows are left out"), true),
        ("last", schema::list(&row, "The last rows"), true),
        ("unknown", schema::texts("Expressions that never had a value, with the reason"), true),
        ("errors", schema::list(&schema::report(), "Why it was not run"), true),
        ("output", schema::output(), true),
    ])
}

/// What is traced.
struct Range {
    of: Vec<String>,
    from: Option<u32>,
    to: Option<u32>,
    steps: u32,
    rows: usize,
}

impl Range {
    fn new(arguments: &Arguments) -> Result<Range, String> {
        let params = Params::new(arguments);
        let of = params.texts("of")?.unwrap_or_default();
        if of.len() > MAX_EXPRESSIONS {
            return Err(format!("of has more than {MAX_EXPRESSIONS} expressions"));
        }
        Ok(Range {
            of,
            from: params.number("from", 1, u32::MAX)?,
            to: params.number("to", 1, u32::MAX)?,
            steps: params.number("steps", 1, MAX_STEPS)?.unwrap_or(STEPS),
            rows: params.number("rows", 2, MAX_ROWS)?.unwrap_or(ROWS) as usize,
        })
    }
}

/// The rows of the table, the middle ones of which are forgotten.
struct Rows {
    first: Vec<Map<String, Value>>,
    last: VecDeque<Map<String, Value>>,
    between: u64,
    most: usize,
    /// What there is to say about where it begins.
    note: Option<String>,
    /// The values that the expressions have where it begins.
    start: Map<String, Value>,
}

impl Rows {
    /// Adds the row of a statement, if it has changed something or everything is shown. Without a statement, the
    /// values are those of the beginning.
    fn add_changed(&mut self, row: Option<Map<String, Value>>, changed: Map<String, Value>, range: &Range) {
        let Some(mut row) = row else {
            self.start.extend(changed);
            return;
        };
        if !changed.is_empty() || range.of.is_empty() {
            row.insert("values".into(), changed.into());
            self.add(row);
        }
    }

    fn add(&mut self, row: Map<String, Value>) {
        let half = self.most / 2;
        if self.first.len() < self.most - half {
            return self.first.push(row);
        }
        self.last.push_back(row);
        if self.last.len() > half {
            self.last.pop_front();
            self.between += 1;
        }
    }
}

/// The expressions, and what is known of each.
struct Watches {
    expressions: Vec<String>,
    values: Vec<Option<String>>,
    /// Why an expression has no value, as long as it never had one.
    reasons: Vec<String>,
    ids: Vec<u64>,
}

impl Watches {
    fn add(call: &Call, session: &mut Session, of: &[String]) -> Result<Watches, String> {
        let mut ids = Vec::new();
        for expression in of {
            let added = session.ask(call, "addWatch", json!({"expression": expression}))?;
            ids.push(number(&added, "id"));
        }
        let nothing = || vec![String::new(); of.len()];
        Ok(Watches { expressions: of.to_vec(), values: vec![None; of.len()], reasons: nothing(), ids })
    }

    /// The expressions whose values have changed, from the events that followed a stop.
    fn changed(&mut self, session: &mut Session) -> Map<String, Value> {
        let mut changed = Map::new();
        for event in session.debuggee.events.drain(..).filter(|event| event.name == "watchUpdate") {
            let id = number(&event.data, "id");
            let Some(index) = self.ids.iter().position(|known| *known == id) else { continue };
            self.update(index, &event.data, &mut changed);
        }
        changed
    }

    fn update(&mut self, index: usize, data: &Map<String, Value>, changed: &mut Map<String, Value>) {
        let value = data.get("value").and_then(Value::as_str);
        let (Some(known), Some(reason)) = (self.values.get_mut(index), self.reasons.get_mut(index)) else {
            return;
        };
        match value {
            // In a function where it does not exist, it keeps its value.
            None => *reason = text(data, "error").to_string(),
            Some(value) if known.as_deref() == Some(value) => {}
            Some(value) => {
                *known = Some(value.to_string());
                if let Some(expression) = self.expressions.get(index) {
                    changed.insert(expression.clone(), value.into());
                }
            }
        }
    }

    /// The expressions that never had a value, with the reason.
    fn unknown(&self) -> Vec<String> {
        let all = self.expressions.iter().zip(&self.values).zip(&self.reasons);
        all.filter(|((_, value), _)| value.is_none())
            .map(|((expression, _), reason)| format!("{expression}: {reason}"))
            .collect()
    }
}

fn run(call: &Call, arguments: &Arguments) -> Result<Answer, String> {
    let program = Program::new(arguments, &call.shared.root, call.shared.allow_net)?;
    let range = Range::new(arguments)?;
    let mut session = match Session::load(call, &program, json!({"stopOnEntry": range.from.is_none()})) {
        Ok(session) => session,
        Err(NotLoaded::Failed(reason)) => return Err(reason),
        Err(NotLoaded::Wrong(errors)) => return Ok(not_run(&errors)),
    };
    let most = range.rows;
    let mut rows =
        Rows { first: Vec::new(), last: VecDeque::new(), between: 0, most, note: None, start: Map::new() };
    let mut watches = Watches::add(call, &mut session, &range.of)?;
    let traced = trace(call, &mut session, &program, &range, &mut watches, &mut rows)?;
    // An error before its first statement, such as that of an import.
    let Some((ending, steps)) = traced else { return Ok(not_run(&session.errors())) };
    let unknown = watches.unknown();
    let output = session.debuggee.output().lock().json();
    let mut out = Text::default();
    write(&rows, &ending, steps, &unknown, &mut out);
    write_output(&output, &mut out);
    let structured = json!({
        "status": "traced",
        "ending": ending,
        "steps": steps,
        "start": rows.start,
        "first": rows.first,
        "between": rows.between,
        "last": rows.last,
        "unknown": unknown,
        "errors": [],
        "output": output,
    });
    Ok(Answer::new(structured, out))
}

/// Steps through the program. Returns why that ended, and the number of steps; `None` if the program has failed before
/// its first statement.
fn trace(
    call: &Call,
    session: &mut Session,
    program: &Program,
    range: &Range,
    watches: &mut Watches,
    rows: &mut Rows,
) -> Result<Option<(String, u32)>, String> {
    let deadline = Instant::now() + program.time;
    session.ask(call, "setExceptionBreakpoints", json!({"filters": ["uncaught"]}))?;
    if let Some(from) = range.from {
        let set = session.set_breakpoints(call, &program.name().into(), &[json!({"line": from})])?;
        match set.into_iter().next() {
            Some(Set::Not(why)) => return Err(format!("the table cannot begin at line {from}: {why}")),
            Some(Set::Moved(moved)) => rows.note = Some(format!("About from: {moved}.")),
            Some(Set::There) | None => {}
        }
    }
    let mut stop = session.run(call, program.time, "start", json!({}))?;
    if range.from.is_some() {
        session.ask(call, "setBreakpoints", json!({"file": stop_file(&stop), "breakpoints": []}))?;
    }
    if matches!(stop, Stop::Exited(_)) && session.has_errors() {
        return Ok(None);
    }
    // The statement that was executed before the stop: a row, if it has changed something.
    let mut executed = None;
    let mut steps = 0;
    loop {
        let data = match &stop {
            Stop::Stopped(data) => data,
            Stop::Exited(status) => {
                rows.add_changed(executed, Map::new(), range);
                let error =
                    session.errors().first().and_then(|error| error.get("message")?.as_str().map(short));
                let error = error.map(|error| format!(": {error}")).unwrap_or_default();
                return Ok(Some((format!("the program ended with status {status}{error}"), steps)));
            }
            Stop::TimeIsOver(_) => return Ok(Some((TIME_IS_OVER.into(), steps))),
        };
        let here = row(data, session);
        if let Some(ending) = ending(data, &here, range, steps, deadline) {
            // What has changed follows a stop; the answer of a request comes after it.
            session.ask(call, "getThreads", json!({}))?;
            let changed = watches.changed(session);
            rows.add_changed(executed, changed, range);
            return Ok(Some((ending, steps)));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let next = session.run(call, left, "stepInto", json!({}))?;
        // Those of the stop before: the next ones come after this answer.
        let changed = watches.changed(session);
        rows.add_changed(executed.replace(here), changed, range);
        steps += 1;
        stop = next;
    }
}

/// Why the table ends at a stop, if it does.
fn ending(
    data: &Map<String, Value>,
    here: &Map<String, Value>,
    range: &Range,
    steps: u32,
    deadline: Instant,
) -> Option<String> {
    if text(data, "reason") == "exception" {
        return Some(format!("the program failed: {}", text(data, "description")));
    }
    if steps > 0 && range.to.is_some_and(|to| number(here, "line") == u64::from(to)) {
        return Some(format!("line {} was reached", number(here, "line")));
    }
    if steps == range.steps {
        return Some(format!("{} were made (see steps)", counted(steps as usize, "step")));
    }
    (Instant::now() > deadline).then(|| TIME_IS_OVER.into())
}

fn stop_file(stop: &Stop) -> Value {
    let location = match stop {
        Stop::Stopped(data) => data.get("location"),
        Stop::Exited(_) | Stop::TimeIsOver(_) => None,
    };
    location.and_then(|location| location.get("file")).cloned().unwrap_or_else(|| SOURCE.into())
}

/// The row of the statement at a stop, without values.
fn row(data: &Map<String, Value>, session: &mut Session) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("step".into(), number(data, "step").into());
    row.insert("depth".into(), number(data, "frameCount").into());
    row.extend(location(data, &mut session.sources));
    row
}

fn not_run(errors: &[Value]) -> Answer {
    let mut out = Text::default();
    out.line("The program was not run, because it has errors (check explains them):");
    write_reports(errors, &mut out);
    let structured = json!({
        "status": "notRun", "ending": "the program has errors", "steps": 0, "start": {}, "first": [], "between": 0, "last": [],
        "unknown": [], "errors": errors, "output": {"text": "", "bytes": 0, "cutBytes": 0},
    });
    Answer::new(structured, out)
}

fn write(rows: &Rows, ending: &str, steps: u32, unknown: &[String], out: &mut Text) {
    let count = rows.first.len() + rows.last.len() + rows.between as usize;
    let ending = indented(ending);
    rows.note.iter().for_each(|note| out.line(note));
    out.line(format_args!("{} in {}; {ending}.", counted(count, "row"), counted(steps as usize, "step")));
    for reason in unknown {
        out.line(format_args!("never had a value: {}", indented(reason)));
    }
    if !rows.start.is_empty() {
        out.line(format_args!("At the beginning: {}", values(&rows.start)));
    }
    out.line("A row is a statement, and what it changed:");
    rows.first.iter().for_each(|row| write_row(row, out));
    if rows.between > 0 {
        out.line(format_args!("… {} between …", counted(rows.between as usize, "row")));
    }
    rows.last.iter().for_each(|row| write_row(row, out));
}

fn write_row(row: &Map<String, Value>, out: &mut Text) {
    write_source(row, &format!("step {:>5} ", number(row, "step")), out);
    if let Some(changed) = row.get("values").and_then(Value::as_object).filter(|changed| !changed.is_empty())
    {
        out.line(format_args!("           {}", values(changed)));
    }
}

/// Expressions and their values on one line.
fn values(values: &Map<String, Value>) -> String {
    let value =
        |(name, value): (&String, &Value)| format!("{name} = {}", short(value.as_str().unwrap_or_default()));
    values.iter().map(value).collect::<Vec<_>>().join(", ")
}
