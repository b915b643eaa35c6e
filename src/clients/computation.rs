//! What a statement read, from how it computed.

use crate::protocol::json::cut_json;
use crate::protocol::radix::Radix;
use crate::protocol::rewriting::{Line, lines, prefix, source_text};
use crate::protocol::value_text::{Notation, preview};
use ez_engine::api::{
    CallEffect, Change, ChangeCause, Described, Part, PartKind, PartResult, Position, StatementKind, Unfolded,
};

/// Maximum length of a value in the past, in bytes as JSON.
const PAST_VALUE: usize = 256;

/// Something from which a statement computed its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The expression: `p`, `items[i]`, `price(n)`.
    pub text: String,
    /// Its value at that time.
    pub value: String,
    /// The last step in the body of the function, if it is a call of one of the program's.
    pub returned_at: Option<u64>,
    /// The array, map or struct, if it is an element, entry or field.
    pub whole: Option<String>,
    /// Whether a function of the program was called before it was read, in the same statement.
    pub is_after_call: bool,
    /// What its index or key was computed from, if it is an element or entry.
    pub index: Vec<Read>,
}

/// A statement and what it computed.
pub struct Computation {
    unfolded: Unfolded,
    /// The stages in which its expression is rewritten into its value.
    lines: Vec<String>,
    /// The index of the last stage before an operator or a conversion is replaced by its value.
    before_operators: usize,
}

/// The text of a value in the past, if there is one.
pub fn past(value: Option<&Described>) -> Option<String> {
    value.map(value_text)
}

fn value_text(value: &Described) -> String {
    preview(&value.value, Notation::Braces, PAST_VALUE).0
}

/// The source text of a part, shortened like a value.
fn source(part: &Part) -> String {
    cut_json(&source_text(part), PAST_VALUE).into_owned()
}

impl Computation {
    /// From the answer of the session.
    pub fn new(unfolded: Unfolded) -> Computation {
        let lines = lines(&unfolded, Radix::Decimal, Notation::Braces);
        let is_operator = |line: &Line| {
            let part = line.part.and_then(|part| unfolded.parts.get(part));
            part.is_some_and(|part| matches!(part.kind, PartKind::Operator | PartKind::Conversion))
        };
        let first = lines.iter().position(is_operator).unwrap_or(lines.len());
        let lines = lines.into_iter().map(|line| line.text).collect();
        Computation { lines, before_operators: first.saturating_sub(1), unfolded }
    }

    /// The statement's expression with the values of its variables, if that says more than the source.
    pub fn rewritten(&self) -> Option<&str> {
        let source = self.lines.first()?;
        // After a declaration or `=`, the last line is only the value.
        let last = if prefix(&self.unfolded).is_empty() { 0 } else { 1 };
        let line = self.lines.iter().rev().nth(last)?;
        (line != source).then_some(line)
    }

    /// What the statement has computed, as the session has told it.
    pub fn unfolded(&self) -> &Unfolded {
        &self.unfolded
    }

    /// The statement's expression with the values of what it reads, before operators are applied; `None` if that is the
    /// source, or only the value that is assigned.
    pub fn with_values(&self) -> Option<&str> {
        let line = self.lines.get(self.before_operators)?;
        let is_result = self.before_operators + 1 == self.lines.len() && !prefix(&self.unfolded).is_empty();
        if is_result { self.rewritten() } else { (line != self.lines.first()?).then_some(line) }
    }

    /// The value of the statement's expression; `None` if it has computed nothing.
    pub fn result(&self) -> Option<&str> {
        self.lines.last().map(String::as_str)
    }

    /// The step of the statement.
    pub fn step(&self) -> u64 {
        self.unfolded.step
    }

    /// The heads that decided that the statement runs.
    pub fn conditions(&self) -> Vec<Position> {
        self.unfolded.conditions.iter().map(|condition| condition.at).collect()
    }

    fn has(&self, effect: CallEffect) -> bool {
        self.unfolded.parts.iter().any(|part| part.effect == Some(effect))
    }

    /// Where the value comes from, if it is not from variables.
    pub fn outside(&self) -> Option<String> {
        if self.has(CallEffect::Input) {
            return Some("it came from the program's input".into());
        }
        let is_loop = matches!(self.unfolded.statement, StatementKind::For | StatementKind::ForEach);
        (is_loop && !self.has(CallEffect::Change)).then(|| "the loop gave it its next value".into())
    }

    /// How this head has decided, as a sentence: `` line 6 `p > 80` was true ``. `line`: the text of its line.
    pub fn decision(&self, line: &str) -> Option<String> {
        let at = self.unfolded.location.line;
        let (source, value) = (self.lines.first()?, self.lines.last()?);
        match self.unfolded.statement {
            StatementKind::If | StatementKind::AsLongAs => Some(format!("line {at} `{source}` was {value}")),
            StatementKind::When => Some(match self.case() {
                Some(case) => format!("line {at} `when {source}` was in the case `{case}`"),
                None => format!("line {at} `when {source}` was in no case"),
            }),
            StatementKind::For | StatementKind::ForEach => {
                Some(format!("line {at} `{}` had a round to do", line.trim_end_matches('{').trim()))
            }
            StatementKind::Declaration
            | StatementKind::Assignment
            | StatementKind::Update
            | StatementKind::Expression
            | StatementKind::Return
            | StatementKind::Other => None,
        }
    }

    /// The case of a `when` that fits.
    pub fn case(&self) -> Option<String> {
        let fits = |part: &&Part| {
            let is_true = matches!(&part.result, PartResult::Value(value) if value.value == ez_engine::api::Value::Bool(true));
            part.kind == PartKind::Operator && part.parent.is_none() && is_true
        };
        self.unfolded.parts.iter().rev().find(fits).map(source)
    }

    /// The name that the statement itself has for what a change has written; `None` if a function of the library has
    /// written it, or nobody has.
    pub fn name_of(&self, change: &Change) -> Option<String> {
        let values = (past(change.old.as_ref()), past(change.new.as_ref()));
        let writes: Vec<_> = self.writes().collect();
        let is_it = |write: &&&Part| match &write.result {
            PartResult::Written { old, new, .. } => (past(old.as_ref()), past(new.as_ref())) == values,
            PartResult::Value(_)
            | PartResult::Nothing
            | PartResult::Skipped(_)
            | PartResult::Failed { .. } => false,
        };
        match (writes.iter().find(is_it), writes.as_slice()) {
            (Some(write), _) => Some(source(write)),
            (None, [write]) if self.changed_in_place().is_none() => Some(source(write)),
            _ => None,
        }
    }

    fn writes(&self) -> impl Iterator<Item = &Part> {
        self.unfolded.parts.iter().filter(|part| part.kind == PartKind::Write)
    }

    /// What a function of the library has changed in place: its first argument.
    pub fn changed_in_place(&self) -> Option<String> {
        let parts = &self.unfolded.parts;
        let call = parts.iter().position(|part| part.effect == Some(CallEffect::Change))?;
        parts.iter().find(|part| part.parent == Some(call)).map(source)
    }

    /// Whether the statement computed the new value from the one before: `+=`, a change in place, or because it reads
    /// what it writes to, by this name.
    pub fn reads_itself(&self, change: &Change, name: &str) -> bool {
        match (self.name_of(change), change.cause) {
            (Some(_), ChangeCause::Written) if self.unfolded.statement == StatementKind::Update => {
                return true;
            }
            (None, ChangeCause::Written) if self.changed_in_place().is_some() => return true,
            _ => {}
        }
        let parts = &self.unfolded.parts;
        let is_operand = |part: &Part| {
            let mut above = part.parent;
            while let Some(outer) = above.and_then(|above| parts.get(above)) {
                if matches!(outer.kind, PartKind::Element | PartKind::Field) {
                    return false;
                }
                above = outer.parent;
            }
            true
        };
        let is_it = |part: &Part| {
            matches!(part.kind, PartKind::Variable | PartKind::Element | PartKind::Field)
                && source(part) == name
        };
        parts.iter().any(|part| is_it(part) && is_operand(part) && !self.is_base_of_write(part))
    }

    /// What the statement reads: variables, elements, fields and calls of the program's functions. Parts of them,
    /// such as the index of an element or the arguments of a call, are not included.
    pub fn reads(&self) -> Vec<Read> {
        self.reads_below(None)
    }

    /// What a part of the statement reads.
    pub fn reads_below(&self, root: Option<usize>) -> Vec<Read> {
        let parts = &self.unfolded.parts;
        let mut reads: Vec<Read> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let (true, PartResult::Value(value)) = (is_read(part), &part.result) else { continue };
            let mut above = part.parent;
            let mut is_whole = true;
            let mut is_below = root.is_none() || root == Some(index);
            while let Some(outer) = above.and_then(|above| parts.get(above)) {
                // Parts come before those to which they belong: this one is outside of the root.
                let is_outside = above > root && root.is_some();
                is_whole &= !is_read(outer) || is_outside;
                is_below |= above == root;
                above = outer.parent;
            }
            if !is_whole || !is_below || self.is_base_of_write(part) {
                continue;
            }
            let read = Read {
                text: source(part),
                value: value_text(value),
                returned_at: part.steps.map(|(_, last)| last),
                whole: self.whole_of(index).map(source),
                is_after_call: parts.iter().take(index).any(|part| part.steps.is_some()),
                index: self.index_reads(index),
            };
            if !reads.contains(&read) {
                reads.push(read);
            }
        }
        reads
    }

    /// The array, map or struct of which a part is an element, entry or field.
    fn whole_of(&self, index: usize) -> Option<&Part> {
        let parts = &self.unfolded.parts;
        let part =
            parts.get(index).filter(|part| matches!(part.kind, PartKind::Element | PartKind::Field))?;
        parts.iter().find(|other| other.parent == Some(index) && other.start == part.start)
    }

    /// What the index or key of an element or entry was computed from.
    fn index_reads(&self, element: usize) -> Vec<Read> {
        let Some(whole) = self.whole_of(element) else { return Vec::new() };
        let parts = self.unfolded.parts.iter().enumerate();
        let of_index = parts.filter(|(_, part)| part.parent == Some(element) && part.start != whole.start);
        of_index.flat_map(|(index, _)| self.reads_below(Some(index))).collect()
    }

    /// Whether a part is the array, map or struct of which the statement changes a part.
    fn is_base_of_write(&self, part: &Part) -> bool {
        self.writes().any(|write| {
            write.start.line == part.start.line
                && (write.start.column..write.end.column).contains(&part.start.column)
        })
    }

    /// The argument with this index of the call at this place; `None` if there is no such call.
    pub fn argument(&self, at: Position, index: usize) -> Option<Argument> {
        let order = |at: Position| (at.line, at.column);
        let contains = |part: &&Part| {
            !part.arguments.is_empty() && order(part.start) <= order(at) && order(at) < order(part.end)
        };
        // Parts come before those to which they belong: the first one is the innermost.
        let argument = self.unfolded.parts.iter().find(contains)?.arguments.get(index)?;
        Some(Argument {
            text: argument.text.as_deref().map(|text| cut_json(text, PAST_VALUE).into_owned()),
            by_reference: argument.by_reference,
            reads: argument.part.map(|part| self.reads_below(Some(part))).unwrap_or_default(),
        })
    }
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its source text; `None` for a default value.
    pub text: Option<String>,
    /// Whether it is passed by reference.
    pub by_reference: bool,
    /// What it was computed from.
    pub reads: Vec<Read>,
}

fn is_read(part: &Part) -> bool {
    match part.kind {
        PartKind::Variable | PartKind::Element | PartKind::Field => true,
        PartKind::Call => part.steps.is_some(),
        PartKind::Operator
        | PartKind::Conversion
        | PartKind::Interpolation
        | PartKind::Range
        | PartKind::Literal
        | PartKind::Write
        | PartKind::Error => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use ez_engine::api::{Cut, Location, PartArgument, Value};

    fn position(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    fn described(value: Value) -> Described {
        Described { value, declared_type: "int".into(), handle: None, children: 0, object: None }
    }

    fn int(value: i64) -> Described {
        described(Value::Int(value))
    }

    fn text(value: &str) -> Described {
        described(Value::String(Cut { text: value.into(), cut: false }))
    }

    /// A statement on line 1 with this text, of which `expression` is computed.
    fn statement(kind: StatementKind, text: &str, expression: &str, parts: Vec<Part>) -> Computation {
        let start = text.find(expression).unwrap();
        Computation::new(Unfolded {
            step: 1,
            location: Location { path: PathBuf::from("a.ez"), line: 1, column: 1 },
            end: position(1, text.len() as u32 + 1),
            statement: kind,
            conditions: Vec::new(),
            text: text.into(),
            expression: start..start + expression.len(),
            parts,
            incomplete: None,
            truncated: false,
        })
    }

    /// The part of a statement with this text.
    fn part(statement: &str, text: &str, kind: PartKind, parent: Option<usize>, result: PartResult) -> Part {
        let start = statement.rfind(text).unwrap();
        Part {
            text: text.into(),
            range: start..start + text.len(),
            start: position(1, start as u32 + 1),
            end: position(1, (start + text.len()) as u32 + 1),
            kind,
            parent,
            result,
            steps: None,
            arguments: Vec::new(),
            effect: None,
            place: None,
        }
    }

    fn texts(reads: &[Read]) -> Vec<&str> {
        reads.iter().map(|read| read.text.as_str()).collect()
    }

    fn change(old: i64, new: i64) -> Change {
        let location = Location { path: PathBuf::from("a.ez"), line: 1, column: 1 };
        let (old, new) = (Some(int(old)), Some(int(new)));
        Change { cause: ChangeCause::Written, step: 1, location, at_end: false, old, new }
    }

    fn write(statement: &str, target: &str, old: i64, new: i64) -> Part {
        let result = PartResult::Written { target: target.into(), old: Some(int(old)), new: Some(int(new)) };
        let mut part = part(statement, target, PartKind::Write, None, result);
        let start = statement.find(target).unwrap();
        (part.start, part.end) =
            (position(1, start as u32 + 1), position(1, (start + target.len()) as u32 + 1));
        part
    }

    #[test]
    fn reads_are_whole() {
        let source = "temp p int = price(items[i], n + 1)";
        let value = |value| PartResult::Value(int(value));
        let parts = |text, kind, parent, result| part(source, text, kind, parent, result);
        let arguments = [(Some("items[i]"), Some(2)), (Some("n + 1"), Some(4)), (None, None)];
        let arguments = arguments.map(|(text, part)| PartArgument {
            text: text.map(String::from),
            part,
            by_reference: false,
        });
        let call = Part {
            steps: Some((5, 6)),
            arguments: arguments.to_vec(),
            ..parts("price(items[i], n + 1)", PartKind::Call, None, value(25))
        };
        let items = PartResult::Value(described(Value::Array { shown: vec![Value::Int(3)], total: 1 }));
        let statement = statement(
            StatementKind::Declaration,
            source,
            "price(items[i], n + 1)",
            vec![
                parts("items", PartKind::Variable, Some(2), items),
                parts("i", PartKind::Variable, Some(2), value(0)),
                parts("items[i]", PartKind::Element, Some(5), value(3)),
                parts("n", PartKind::Variable, Some(4), value(9)),
                parts("n + 1", PartKind::Operator, Some(5), value(10)),
                call,
                write(source, "p", 0, 25),
            ],
        );
        assert_eq!(texts(&statement.reads()), ["price(items[i], n + 1)"]);
        assert_eq!(statement.rewritten(), Some("price(3, 10)"));
        let argument = |index| statement.argument(position(1, 19), index);
        let first = argument(0).unwrap();
        assert_eq!((first.text.as_deref(), texts(&first.reads)), (Some("items[i]"), vec!["items[i]"]));
        let second = argument(1).unwrap();
        assert_eq!((second.text.as_deref(), texts(&second.reads)), (Some("n + 1"), vec!["n"]));
        let default = argument(2).unwrap();
        assert_eq!((default.text, default.reads.len()), (None, 0));
        assert_eq!(argument(3), None);
        assert_eq!(statement.argument(position(1, 13), 0), None);
    }

    #[test]
    fn what_is_written_to_is_not_read() {
        let source = "items[j] = k";
        let parts = vec![
            part(source, "k", PartKind::Variable, None, PartResult::Value(int(60))),
            part(source, "items", PartKind::Variable, None, PartResult::Value(text("any"))),
            write(source, "items[j]", 4, 60),
        ];
        let statement = statement(StatementKind::Assignment, source, "k", parts);
        assert_eq!(texts(&statement.reads()), ["k"]);
        assert_eq!(statement.rewritten(), None);
    }

    #[test]
    fn updates_use_the_value_before() {
        let changed = change(1, 4);
        let statement = |kind: StatementKind, source: &str, read: &str| {
            let read = part(source, read, PartKind::Variable, None, PartResult::Value(int(3)));
            statement(kind, source, source, vec![read, write(source, "sum", 1, 4)])
        };
        let update = statement(StatementKind::Update, "sum += i", "i");
        assert!(update.reads_itself(&changed, "sum"));
        assert_eq!(update.rewritten(), Some("sum += 3"));
        assert!(!statement(StatementKind::Assignment, "sum = i", "i").reads_itself(&changed, "sum"));
        assert!(statement(StatementKind::Assignment, "sum = 1 + sum", "sum").reads_itself(&changed, "sum"));
    }

    /// `arrays.sort(c)` has changed an element of what the asker knows by another name.
    #[test]
    fn changes_in_place_use_the_value_before() {
        let changed = change(5, 1);
        let source = "arrays.sort(c)";
        let call = part(source, source, PartKind::Call, None, PartResult::Nothing);
        let parts = vec![
            part(source, "c", PartKind::Variable, Some(1), PartResult::Value(text("any"))),
            Part { effect: Some(CallEffect::Change), ..call },
        ];
        let statement = statement(StatementKind::Expression, source, source, parts);
        let in_place = statement.changed_in_place();
        assert_eq!((statement.name_of(&changed), in_place.as_deref()), (None, Some("c")));
        assert!(statement.reads_itself(&changed, "scores[0]"));
    }

    #[test]
    fn what_comes_from_outside_is_data() {
        let source = "for input()";
        let statement = |kind: StatementKind, parts| statement(kind, source, source, parts);
        assert_eq!(statement(StatementKind::Declaration, vec![]).outside(), None);
        let call = part(source, "input()", PartKind::Call, None, PartResult::Nothing);
        let input = vec![Part { effect: Some(CallEffect::Input), ..call }];
        assert_eq!(
            statement(StatementKind::Declaration, input).outside().as_deref(),
            Some("it came from the program's input")
        );
        let next = statement(StatementKind::For, vec![]).outside();
        assert_eq!(next.as_deref(), Some("the loop gave it its next value"));
    }
}
