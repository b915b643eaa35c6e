//! What is written of the results: lines while they come, a table, values for programs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::csv::row;
use super::jobs::{Jobs, Suite};
use super::outcome::{Failure, Kind, Outcome};
use super::program::{NotRun, Place};
use super::reading::Mode;
use super::update;
use crate::clients::show::{is_unread, print, print_unchanged, write_report};
use ez_runtime::platform::slashed;
use ez_runtime::visible::{quoted, visible_line};

/// The longest name of a case for which others are aligned, in characters.
const WIDE: usize = 24;

/// How the results are written to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Text,
    Csv,
    /// A value a program.
    Json,
    /// A value a case.
    Each,
}

/// The results of a program's cases.
pub struct Results {
    suites: Arc<Vec<Suite>>,
    number: usize,
    /// In the order of the cases; `None`: it was not run.
    pub outcomes: Vec<Option<Outcome>>,
}

impl Results {
    pub fn suite(&self) -> Option<&Suite> {
        self.suites.get(self.number)
    }

    /// The program's file.
    pub fn program(&self) -> &str {
        self.suite().map_or("", |suite| &suite.program.file)
    }

    /// The names of the cases, and what has become of them.
    pub fn cases(&self) -> impl Iterator<Item = (&str, Option<&Outcome>)> {
        let names = self.suite().map_or(&[][..], |suite| &suite.cases).iter().map(|case| case.name.as_str());
        names.zip(self.outcomes.iter().map(Option::as_ref))
    }

    /// How many cases have passed.
    pub fn passed(&self) -> usize {
        self.outcomes.iter().flatten().filter(|outcome| outcome.failure.is_none()).count()
    }

    pub fn is_passed(&self) -> bool {
        self.passed() == self.outcomes.len()
    }

    /// The first case that has failed, and why.
    fn first_failure(&self) -> Option<(&str, &Failure)> {
        self.cases().find_map(|(name, outcome)| Some((name, outcome?.failure.as_ref()?)))
    }

    /// `2 of 3 cases passed`.
    fn summary(&self) -> String {
        let (passed, all) = (self.passed(), self.outcomes.len());
        let left = self.outcomes.iter().filter(|outcome| outcome.is_none()).count();
        let cases = if all == 1 { "case" } else { "cases" };
        let left = if left > 0 { format!(", {left} not run") } else { String::new() };
        format!("{passed} of {all} {cases} passed{left}")
    }

    /// The reports of a program that has errors.
    fn errors(&self) -> Option<&str> {
        match self.suite()?.checked.get()?.as_ref().err()? {
            NotRun::Reports(reports) => Some(reports),
            NotRun::NotChecked(_) => None,
        }
    }
}

/// Writes results.
pub struct Report {
    form: Form,
    /// The flags by which the same cases are named again.
    cases: String,
    /// Whether lines are compared, as `ez debug` does.
    is_debuggable: bool,
    is_single: bool,
    /// The width of names of cases.
    width: usize,
    /// Whether progress is shown.
    shows_progress: bool,
}

impl Report {
    /// `cases`: where the cases are, as that was typed.
    pub fn new(form: Form, mode: Mode, cases: &[String], suites: &[Suite], shows_progress: bool) -> Report {
        let names = suites.iter().flat_map(|suite| suite.cases.iter()).map(|case| case.name.chars().count());
        Report {
            form,
            cases: cases.iter().map(|place| format!(" --cases {}", word(place))).collect(),
            is_debuggable: mode == Mode::Lines,
            is_single: suites.len() == 1,
            width: names.filter(|width| *width <= WIDE).max().unwrap_or(0),
            shows_progress,
        }
    }

    /// Writes the results as they come, in order; returns all. With `updates`, what was printed becomes what is expected.
    pub fn follow(&mut self, jobs: Jobs, updates: bool, is_reported_elsewhere: bool) -> Vec<Results> {
        let Jobs { suites, outcomes } = jobs;
        let results = |(number, suite): (usize, &Suite)| Results {
            suites: suites.clone(),
            number,
            outcomes: suite.cases.iter().map(|_| None).collect(),
        };
        let mut all: Vec<Results> = suites.iter().enumerate().map(results).collect();
        let count: usize = all.iter().map(|results| results.outcomes.len()).sum();
        if let [suite] = suites.as_slice()
            && self.form == Form::Text
        {
            print(&format!("cases: {} ({})\n", suite.place, suite.cases.len()));
        }
        let mut next = (0, 0);
        let mut early = HashMap::new();
        for (index, (suite, case, outcome)) in outcomes.iter().enumerate() {
            early.insert((suite, case), outcome);
            while let Some(outcome) = early.remove(&next) {
                self.hide_progress();
                self.take(&mut all, next, outcome, updates);
                next.1 += 1;
                if let Some(results) = all.get(next.0).filter(|results| results.outcomes.len() == next.1) {
                    self.program_is_done(results);
                    next = (next.0 + 1, 0);
                }
            }
            if is_unread() && !is_reported_elsewhere {
                return all;
            }
            self.show_progress(index + 1, count);
        }
        self.hide_progress();
        // After the first failure, some later ones may be there, and others not.
        let mut rest: Vec<_> = early.into_iter().collect();
        rest.sort_by_key(|(at, _)| *at);
        for (at, outcome) in rest {
            self.take(&mut all, at, outcome, updates);
        }
        self.finish(&all, next.0);
        all
    }

    /// Takes an outcome.
    fn take(&self, all: &mut [Results], (suite, case): (usize, usize), mut outcome: Outcome, updates: bool) {
        let Some(results) = all.get_mut(suite) else { return };
        if updates && let Some(case) = results.suite().and_then(|suite| suite.cases.get(case)) {
            update::update(case, &mut outcome);
        }
        if self.form == Form::Text && self.is_single && results.errors().is_none() {
            let name = results.suite().and_then(|suite| suite.cases.get(case)).map_or("", |case| &case.name);
            print(&self.lines(name, results.program(), &outcome));
        }
        if let Some(place) = results.outcomes.get_mut(case) {
            *place = Some(outcome);
        }
        if self.form == Form::Each {
            print_unchanged(&format!("{}\n", json_of_one(results, case)));
        }
    }

    /// What is written when all cases of a program were run.
    fn program_is_done(&self, results: &Results) {
        match self.form {
            Form::Json => print_unchanged(&format!("{}\n", json_of(results))),
            Form::Text if !self.is_single => print(&one_line(results)),
            Form::Text | Form::Csv | Form::Each => {}
        }
    }

    /// What is written at the end. The programs from `begun` on were not run to their ends.
    fn finish(&self, all: &[Results], begun: usize) {
        all.iter().skip(begun).for_each(|results| self.program_is_done(results));
        match self.form {
            Form::Json | Form::Each => {}
            Form::Csv => print_unchanged(&csv_of(all)),
            Form::Text => match all {
                [results] => {
                    if let Some(errors) = results.errors() {
                        write_report(errors);
                    }
                    print(&format!("{}\n", results.summary()));
                }
                _ => print(&table(all)),
            },
        }
    }

    /// The lines about a case.
    fn lines(&self, name: &str, program: &str, outcome: &Outcome) -> String {
        let shown = visible_line(name);
        let Some(failure) = &outcome.failure else { return format!("✓ {shown}\n") };
        let mut lines = failure.remarks.clone();
        lines.extend(failure.then.iter().map(|then| format!("then {then}")));
        match &failure.place {
            Some(Place { file, line, step: Some(step), text }) => {
                lines.push(format!("printed in {file}:{line}, step {step}:  {text}"));
            }
            Some(Place { file, line, step: None, text }) => {
                lines.insert(0, format!("in {file}:{line}:  {text}"))
            }
            None => {}
        }
        lines.insert(0, failure.message.clone());
        lines.extend(failure.cause.iter().map(ToString::to_string));
        let is_found = failure.place.is_some() || !failure.cause.is_empty();
        if failure.kind == Kind::Output && is_found && self.is_debuggable {
            let cases = &self.cases;
            lines.push(format!(
                "ez debug --case{}{}{cases} {}{}   stops there, and can go back",
                if name.starts_with('-') { '=' } else { ' ' },
                word(name),
                if program.starts_with('-') { "-- " } else { "" },
                word(program)
            ));
        }
        let indent = " ".repeat(self.width + 4);
        let padding = " ".repeat(self.width.saturating_sub(name.chars().count()) + 2);
        format!("✗ {shown}{padding}{}\n", lines.join(&format!("\n{indent}")))
    }

    fn show_progress(&self, done: usize, of: usize) {
        if self.shows_progress && done < of {
            write_report(&format!("\r{done} of {of}"));
        }
    }

    fn hide_progress(&self) {
        if self.shows_progress {
            write_report("\r\u{1b}[K");
        }
    }
}

/// A program in one line.
fn one_line(results: &Results) -> String {
    let program = visible_line(results.program());
    let why = match (results.errors(), results.first_failure()) {
        (Some(_), _) => format!("; it has errors: ez check {} tells them", word(results.program())),
        (None, Some((name, failure))) => {
            let then = failure.then.iter().map(|then| format!(", then {then}")).collect::<String>();
            format!("; {}: {}{then}", quoted(name), failure.message)
        }
        (None, None) => String::new(),
    };
    format!("{program}: {}{why}\n", results.summary())
}

/// A mark for each case of each program.
fn table(all: &[Results]) -> String {
    let width = all.iter().map(|results| results.program().chars().count()).max().unwrap_or(0);
    let most = all.iter().map(|results| results.outcomes.len()).max().unwrap_or(0);
    let mut table = String::from("\n");
    for results in all {
        let marks: String = results.cases().map(|(_, outcome)| mark(outcome)).collect();
        let (passed, of) = (results.passed(), results.outcomes.len());
        let program = visible_line(results.program());
        let [padding, gap] = [width - results.program().chars().count(), most - of].map(|n| " ".repeat(n));
        table.push_str(&format!("{program}{padding}  {marks}{gap}  {passed} of {of}\n"));
    }
    let passed = all.iter().filter(|results| results.is_passed()).count();
    table.push_str(&format!("{} programs: {passed} passed all of their cases\n", all.len()));
    table
}

fn mark(outcome: Option<&Outcome>) -> char {
    match outcome {
        None => '·',
        Some(Outcome { failure: None, .. }) => '✓',
        Some(Outcome { failure: Some(Failure { kind: Kind::NotRun, .. }), .. }) => '!',
        Some(Outcome { failure: Some(_), .. }) => '✗',
    }
}

/// What has become of a case, for programs.
fn result(outcome: Option<&Outcome>) -> &'static str {
    match outcome {
        None => "notRun",
        Some(outcome) if outcome.failure.is_none() => "passed",
        Some(_) => "failed",
    }
}

fn seconds(time: Duration) -> f64 {
    (time.as_micros() as f64) / 1e6
}

fn json_of(results: &Results) -> Value {
    let cases: Vec<Value> = results.cases().map(|(name, outcome)| json_of_case(name, outcome)).collect();
    let place = results.suite().map(|suite| suite.place.as_str());
    let (passed, of) = (results.passed(), results.outcomes.len());
    let mut value = json!({"program": results.program(), "cases": place, "passed": passed, "of": of});
    if let Value::Object(members) = &mut value {
        members.extend(results.errors().map(|errors| ("errors".to_string(), json!(errors))));
        members.insert("results".into(), json!(cases));
    }
    value
}

/// A case of a program, with what is told of the program.
fn json_of_one(results: &Results, case: usize) -> Value {
    let Some((name, outcome)) = results.cases().nth(case) else { return Value::Null };
    let mut value = json_of_case(name, outcome);
    if let Value::Object(members) = &mut value {
        members.insert("program".into(), json!(results.program()));
        members.insert("number".into(), json!(case + 1));
        members.insert("of".into(), json!(results.outcomes.len()));
        members.extend(results.errors().map(|errors| ("errors".to_string(), json!(errors))));
    }
    value
}

fn json_of_case(name: &str, outcome: Option<&Outcome>) -> Value {
    let mut value = json!({"case": name, "result": result(outcome)});
    let (Value::Object(members), Some(outcome)) = (&mut value, outcome) else { return value };
    members.insert("seconds".into(), json!(seconds(outcome.time)));
    let Some(failure) = &outcome.failure else { return value };
    members.insert("kind".into(), json!(failure.kind.name()));
    members.insert("message".into(), json!(failure.message));
    members.insert("remarks".into(), json!(failure.remarks));
    members.extend(failure.then.iter().map(|then| ("then".to_string(), json!(then))));
    if let Some(difference) = &failure.difference {
        members.insert("line".into(), json!(difference.line));
        members.insert("column".into(), json!(difference.column));
        members.insert("leftOut".into(), json!(difference.left_out));
        members.insert("expected".into(), json!(difference.expected.map(|_| &difference.expected_line)));
        members.insert("printed".into(), json!(difference.actual.map(|_| &difference.actual_line)));
    }
    if let Some(Place { file, line, step, text }) = &failure.place {
        members.insert("at".into(), json!({"file": file, "line": line, "step": step, "text": text}));
    }
    let cause = failure.cause.iter().map(|line| {
        let file = slashed(&line.location.path);
        json!({"text": line.text, "indent": line.indent, "file": file, "line": line.location.line, "step": line.step})
    });
    members.insert("cause".into(), cause.collect());
    value
}

/// The cases of a program, a line each; for programs, an object with their files.
pub fn listed(suite: &Suite, form: Form, is_single: bool) -> String {
    if !matches!(form, Form::Json | Form::Each) {
        let program =
            if is_single { String::new() } else { format!("{}: ", visible_line(&suite.program.file)) };
        return suite.cases.iter().map(|case| format!("{program}{}\n", visible_line(&case.name))).collect();
    }
    let path = |path: Option<PathBuf>| path.map(|path| slashed(&path));
    let cases = suite.cases.iter().map(|case| {
        let output = case.output.is_some().then(|| case.output_path());
        json!({
            "case": case.name,
            "file": path(Some(case.path())),
            "input": path(case.input_path()),
            "output": path(output),
            "arguments": case.arguments,
            "status": case.status,
        })
    });
    let cases: Vec<Value> = cases.collect();
    let (program, place) = (&suite.program.file, &suite.place);
    let files: Vec<String> = suite.program.files().iter().map(|file| slashed(file)).collect();
    format!("{}\n", json!({"program": program, "files": files, "cases": place, "list": cases}))
}

fn csv_of(all: &[Results]) -> String {
    let mut table = String::from("program,case,result,seconds,message\n");
    for results in all {
        for (name, outcome) in results.cases() {
            let message = outcome.and_then(|outcome| outcome.failure.as_ref()).map_or("", |why| &why.message);
            let time = outcome.map_or(String::new(), |outcome| seconds(outcome.time).to_string());
            table.push_str(&row([results.program(), name, result(outcome), &time, message]));
        }
    }
    table
}

/// A word of a command line.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%\\".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
