//! `trace`: a table of a run, with a row for each statement that changes one of some expressions.

use std::collections::VecDeque;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Arguments, Tool};
use crate::clients::agents::answer::{Answer, Text, counted, short};
use crate::clients::agents::arguments::{Program, max_chars, runnable};
use crate::clients::agents::call::Call;
use crate::clients::agents::captured::Output;
use crate::clients::agents::schema;
use crate::clients::agents::session::{NotLoaded, ProgramSession, Set, Stop};
use crate::clients::agents::shown::{Report, SourceLine, VALUE, value_text, write_output, write_reports};
use crate::protocol::params::Params;
use ez_engine::api::{
    AddWatch, BreakpointOptions, Event, GetThreads, Launch, Request, Resume, StopReason, Stopped, Watch,
    WatchId,
};
use ez_runtime::visible::indented;

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
    first: Vec<Row>,
    last: VecDeque<Row>,
    between: u64,
    most: usize,
    /// What there is to say about where it begins.
    note: Option<String>,
    /// The values that the expressions have where it begins.
    start: Values,
}

/// Expressions with their values.
type Values = Map<String, Value>;

/// The row of a statement.
#[derive(Serialize)]
struct Row {
    step: u64,
    depth: usize,
    #[serde(flatten)]
    location: SourceLine,
    /// What it has changed.
    values: Values,
}

impl Rows {
    /// Adds the row of a statement, if it has changed something or everything is shown. Without a statement, the
    /// values are those of the beginning.
    fn add_changed(&mut self, row: Option<Row>, changed: Values, range: &Range) {
        let Some(row) = row else {
            self.start.extend(changed);
            return;
        };
        if !changed.is_empty() || range.of.is_empty() {
            self.add(Row { values: changed, ..row });
        }
    }

    fn add(&mut self, row: Row) {
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
    ids: Vec<WatchId>,
}

impl Watches {
    fn add(call: &Call, session: &mut ProgramSession, of: &[String]) -> Result<Watches, String> {
        let mut ids = Vec::new();
        for expression in of {
            ids.push(session.ask(call, AddWatch(expression.clone()))?.0.id);
        }
        let nothing = || vec![String::new(); of.len()];
        Ok(Watches { expressions: of.to_vec(), values: vec![None; of.len()], reasons: nothing(), ids })
    }

    /// The expressions whose values have changed, from the events that followed a stop.
    fn changed(&mut self, session: &mut ProgramSession) -> Values {
        let mut changed = Map::new();
        for event in session.debuggee.events.drain(..) {
            if let Event::WatchChanged(watch) = event
                && let Some(index) = self.ids.iter().position(|known| *known == watch.id)
            {
                self.update(index, &watch, &mut changed);
            }
        }
        changed
    }

    fn update(&mut self, index: usize, watch: &Watch, changed: &mut Values) {
        let (Some(known), Some(reason)) = (self.values.get_mut(index), self.reasons.get_mut(index)) else {
            return;
        };
        let shown = watch.shown.as_ref().map(|shown| shown.as_ref().map(|value| value_text(value, VALUE)));
        match shown {
            // In a function where it does not exist, it keeps its value.
            Some(Err(why)) => reason.clone_from(&why.message),
            None => reason.clear(),
            Some(Ok(value)) if known.as_ref() == Some(&value) => {}
            Some(Ok(value)) => {
                *known = Some(value.clone());
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
    let options = Launch { stop_on_entry: Some(range.from.is_none()), ..Launch::default() };
    let mut session = match ProgramSession::load(call, &program, options) {
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
    let output = session.debuggee.output().lock().output();
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
    session: &mut ProgramSession,
    program: &Program,
    range: &Range,
    watches: &mut Watches,
    rows: &mut Rows,
) -> Result<Option<(String, u32)>, String> {
    let deadline = Instant::now() + program.time;
    session.stop_at_errors(call)?;
    if let Some(from) = range.from {
        let set =
            session.set_breakpoints(call, program.name(), vec![(from, BreakpointOptions::default())])?;
        match set.into_iter().next() {
            Some(Set::Not(why)) => return Err(format!("the table cannot begin at line {from}: {why}")),
            Some(Set::Moved(moved)) => rows.note = Some(format!("About from: {moved}.")),
            Some(Set::There) | None => {}
        }
    }
    let mut stop = session.run(call, program.time, Request::Start(None))?;
    if range.from.is_some() {
        session.set_breakpoints(call, program.name(), Vec::new())?;
    }
    if matches!(stop, Stop::Exited(_)) && session.has_errors() {
        return Ok(None);
    }
    // The statement that was executed before the stop: a row, if it has changed something.
    let mut executed = None;
    let mut steps = 0;
    loop {
        let here = match &stop {
            Stop::Stopped(stop) => stop,
            Stop::Exited(status) => {
                rows.add_changed(executed, Map::new(), range);
                let error = session.errors().first().map(|error| format!(": {}", short(&error.message)));
                let error = error.unwrap_or_default();
                return Ok(Some((format!("the program ended with status {status}{error}"), steps)));
            }
            Stop::TimeIsOver(_) => return Ok(Some((TIME_IS_OVER.into(), steps))),
        };
        let row = row(here, session);
        if let Some(ending) = ending(here, range, steps, deadline) {
            // What has changed follows a stop; the answer of a request comes after it.
            session.ask(call, GetThreads)?;
            let changed = watches.changed(session);
            rows.add_changed(executed, changed, range);
            return Ok(Some((ending, steps)));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let next = session.run(call, left, Request::Resume(Resume::StepInto))?;
        // Those of the stop before: the next ones come after this answer.
        let changed = watches.changed(session);
        rows.add_changed(executed.replace(row), changed, range);
        steps += 1;
        stop = next;
    }
}

/// Why the table ends at a stop, if it does.
fn ending(here: &Stopped, range: &Range, steps: u32, deadline: Instant) -> Option<String> {
    if here.reason == StopReason::Exception {
        return Some(format!("the program failed: {}", here.description));
    }
    let line = here.location.line;
    if steps > 0 && range.to == Some(line) {
        return Some(format!("line {line} was reached"));
    }
    if steps == range.steps {
        return Some(format!("{} were made (see steps)", counted(steps as usize, "step")));
    }
    (Instant::now() > deadline).then(|| TIME_IS_OVER.into())
}

/// The row of the statement at a stop, without values.
fn row(here: &Stopped, session: &mut ProgramSession) -> Row {
    let location = SourceLine::new(&here.location, &mut session.sources);
    Row { step: here.step, depth: here.frame_count, location, values: Map::new() }
}

fn not_run(errors: &[Report]) -> Answer {
    let mut out = Text::default();
    out.line("The program was not run, because it has errors (check explains them):");
    write_reports(errors, &mut out);
    let structured = json!({
        "status": "notRun", "ending": "the program has errors", "steps": 0, "start": {}, "first": [], "between": 0, "last": [],
        "unknown": [], "errors": errors, "output": Output::default(),
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

fn write_row(row: &Row, out: &mut Text) {
    row.location.write_source(&format!("step {:>5} ", row.step), out);
    if !row.values.is_empty() {
        out.line(format_args!("           {}", values(&row.values)));
    }
}

/// Expressions and their values on one line.
fn values(values: &Values) -> String {
    let value =
        |(name, value): (&String, &Value)| format!("{name} = {}", short(value.as_str().unwrap_or_default()));
    values.iter().map(value).collect::<Vec<_>>().join(", ")
}
