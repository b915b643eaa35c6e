//! Rewrites an expression step by step into its value: `area(2, 3) + n`, `6 + n`, `6 + 4`, `10`.

use std::collections::BTreeMap;
use std::ops::Range;

use ez_engine::api::{Part, PartKind, PartResult, Unfolded, Value};
use ez_runtime::text::slice;

use super::radix::Radix;
use super::value_text::{Notation, display_text, text_in};

/// Maximum length of a value in a line, in characters.
const MAX_VALUE: usize = 30;

/// Maximum length of a line, in characters.
const MAX_LINE: usize = 400;

/// Maximum number of lines, and how many of the first and of the last are kept if there are more.
const MAX_LINES: usize = 40;
const FIRST: usize = 36;
const LAST: usize = 3;

/// A stage of the rewriting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The whole expression.
    pub text: String,
    /// Where the part begins that has been rewritten last, in characters.
    pub start: usize,
    /// Its length in characters; 0 in the first line.
    pub length: usize,
    /// The index of the part that has been rewritten last.
    pub part: Option<usize>,
}

/// The stages of a statement's expression: first as it is in the source, then after each rewriting.
/// Variables next to each other are rewritten together.
pub fn lines(unfolded: &Unfolded, radix: Radix, notation: Notation) -> Vec<Line> {
    let mut rewriting = Rewriting { unfolded, notation, replaced: BTreeMap::new() };
    let mut lines = vec![rewriting.line(&[])];
    let mut group: Vec<usize> = Vec::new();
    let parts = unfolded.parts.iter().enumerate();
    let mut parts = parts.filter(|(_, part)| is_rewritten(part, unfolded)).peekable();
    while let Some((index, part)) = parts.next() {
        group.push(rewriting.replace(part, radix));
        let is_variable = |part: &Part| part.kind == PartKind::Variable;
        if is_variable(part) && parts.peek().is_some_and(|(_, next)| is_variable(next)) {
            continue;
        }
        let line = Line { part: Some(index), ..rewriting.line(&group) };
        group.clear();
        if lines.last().is_none_or(|last| last.text != line.text) {
            lines.push(line);
        }
    }
    if lines.len() > MAX_LINES {
        let gap = Line { text: "…".into(), ..Line::default() };
        lines.splice(FIRST..lines.len() - LAST, [gap]);
    }
    lines
}

/// The text of a statement before the expression that is rewritten, on one line: `total = `.
pub fn prefix(unfolded: &Unfolded) -> String {
    let mut text = String::new();
    push_source(&mut text, slice(&unfolded.text, ..unfolded.expression.start));
    text
}

/// The source text of a part, on one line.
pub fn source_text(part: &Part) -> String {
    let mut text = String::new();
    push_source(&mut text, &part.text);
    text
}

/// Whether a part is between `${` and `}` in a string, where its value is as the program prints it.
pub fn is_shown(part: &Part, unfolded: &Unfolded) -> bool {
    let within = &unfolded.expression;
    within.start <= part.range.start
        && part.range.end <= within.end
        && enclosed(&unfolded.text, part.range.clone(), within).1
}

/// Whether a part is replaced by its value. Containers of which an element or field is read are not, and
/// literals look like their parts.
fn is_rewritten(part: &Part, unfolded: &Unfolded) -> bool {
    let PartResult::Value(value) = &part.result else { return false };
    let within = &unfolded.expression;
    let is_inside = within.start <= part.range.start && part.range.end <= within.end;
    let after = slice(&unfolded.text, part.range.end..);
    let is_base = after.starts_with(['[', '.']);
    // `n++` as a statement: its value is the one before.
    let is_count = part.range == *within && (part.text.ends_with("++") || part.text.ends_with("--"));
    let is_container = matches!(value.value, Value::Array { .. } | Value::Map { .. } | Value::Struct { .. });
    is_inside
        && !part.range.is_empty()
        && part.kind != PartKind::Literal
        && !(is_base && is_container)
        && !is_count
}

struct Rewriting<'a> {
    /// How values are written.
    notation: Notation,
    unfolded: &'a Unfolded,
    /// What has been replaced: the end of its text, and what is there instead, by its beginning.
    replaced: BTreeMap<usize, (usize, String)>,
}

impl Rewriting<'_> {
    /// Replaces a part by its value; returns where it begins.
    fn replace(&mut self, part: &Part, radix: Radix) -> usize {
        let PartResult::Value(value) = &part.result else { return part.range.start };
        let (range, is_shown) = enclosed(&self.unfolded.text, part.range.clone(), &self.unfolded.expression);
        let text = if is_shown {
            display_text(&value.value)
        } else {
            text_in(&radix.value(&value.value), self.notation)
        };
        self.replaced.retain(|start, (end, _)| *end <= range.start || *start >= range.end);
        self.replaced.insert(range.start, (range.end, cut(text, MAX_VALUE)));
        range.start
    }

    /// The expression as it is now; `new` are the beginnings of what has just been replaced.
    fn line(&self, new: &[usize]) -> Line {
        let source = |range: Range<usize>| self.unfolded.text.get(range).unwrap_or_default();
        let Range { start: mut at, end } = self.unfolded.expression.clone();
        let (mut text, mut mark) = (String::new(), None::<Range<usize>>);
        for (start, (after, value)) in &self.replaced {
            push_source(&mut text, source(at..*start));
            let before = text.chars().count();
            text.push_str(value);
            if new.contains(start) {
                let begin = mark.map_or(before, |mark| mark.start);
                mark = Some(begin..text.chars().count());
            }
            at = *after;
        }
        push_source(&mut text, source(at..end));
        let text = cut(text, MAX_LINE);
        let length = text.chars().count();
        let mark = mark.unwrap_or(0..0);
        let start = mark.start.min(length);
        Line { text, start, length: mark.end.min(length) - start, part: None }
    }
}

/// The range of a part with the parentheses around it, which its value does not need, or with `${` and `}` in
/// a string; and whether it is the latter.
fn enclosed(text: &str, mut range: Range<usize>, within: &Range<usize>) -> (Range<usize>, bool) {
    loop {
        let before = slice(text, within.start..range.start);
        let after = slice(text, range.end..within.end);
        if before.ends_with("${") && after.starts_with('}') {
            return (range.start - 2..range.end + 1, true);
        }
        let Some(outer) = before.trim_end().strip_suffix('(') else { return (range, false) };
        let Some(rest) = after.trim_start().strip_prefix(')') else { return (range, false) };
        // The parentheses of a call.
        if outer.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']')) {
            return (range, false);
        }
        range = within.start + outer.len()..within.end - rest.len();
    }
}

/// Adds source text on one line.
fn push_source(line: &mut String, source: &str) {
    for (number, text) in source.split('\n').enumerate() {
        let text = text.trim_end_matches('\r');
        match number {
            0 => line.push_str(text),
            _ => {
                line.truncate(line.trim_end().len());
                line.push(' ');
                line.push_str(text.trim_start());
            }
        }
    }
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ez_engine::api::{Described, Location, Position};

    /// A statement whose parts are given by their text and value, in order.
    fn unfolded(text: &str, expression: &str, parts: &[(&str, PartKind, Value)]) -> Unfolded {
        let at = |part: &str| {
            let start = text.find(part).unwrap();
            start..start + part.len()
        };
        let position = Position { line: 1, column: 1 };
        let part = |(source, kind, value): &(&str, PartKind, Value)| Part {
            text: source.to_string(),
            range: at(source),
            start: position,
            end: position,
            kind: *kind,
            parent: None,
            result: PartResult::Value(Described {
                value: value.clone(),
                declared_type: "int".into(),
                handle: None,
                children: 0,
                object: None,
            }),
            steps: None,
            arguments: Vec::new(),
            effect: None,
            place: None,
        };
        Unfolded {
            step: 1,
            location: Location { path: "main.ez".into(), line: 1, column: 1 },
            end: position,
            statement: ez_engine::api::StatementKind::Expression,
            conditions: Vec::new(),
            text: text.into(),
            expression: at(expression),
            parts: parts.iter().map(part).collect(),
            incomplete: None,
            truncated: false,
        }
    }

    fn marked(unfolded: &Unfolded) -> Vec<String> {
        let mark = |line: Line| {
            let text: Vec<char> = line.text.chars().collect();
            let (before, rest) = text.split_at(line.start);
            let (inside, after) = rest.split_at(line.length);
            let text = |part: &[char]| part.iter().collect::<String>();
            match line.length {
                0 => text(&text_of(before, after)),
                _ => format!("{}<{}>{}", text(before), text(inside), text(after)),
            }
        };
        lines(unfolded, Radix::Decimal, Notation::Braces).into_iter().map(mark).collect()
    }

    fn text_of(before: &[char], after: &[char]) -> Vec<char> {
        [before, after].concat()
    }

    #[test]
    fn variables_are_rewritten_together_and_parentheses_vanish() {
        use PartKind::{Operator, Variable};
        let unfolded = unfolded(
            "x = (a + b) * c",
            "(a + b) * c",
            &[
                ("a", Variable, Value::Int(1)),
                ("b", Variable, Value::Int(2)),
                ("a + b", Operator, Value::Int(3)),
                ("c", Variable, Value::Int(-4)),
                ("(a + b) * c", Operator, Value::Int(-12)),
            ],
        );
        assert_eq!(prefix(&unfolded), "x = ");
        assert_eq!(marked(&unfolded), ["(a + b) * c", "(<1 + 2>) * c", "<3> * c", "3 * <-4>", "<-12>"]);
    }

    fn text_value(text: &str) -> Value {
        Value::String(ez_engine::api::Cut { text: text.into(), cut: false })
    }

    #[test]
    fn values_in_a_string_are_as_the_program_prints_them() {
        use PartKind::Variable;
        let member =
            Value::Enum { name: "C".into(), member: Some("B".into()), value: Box::new(Value::Int(1)) };
        let items = Value::Array { shown: vec![Value::Char('x'), member.clone()], total: 3 };
        let entry = (text_value("k"), Value::Nil);
        let map = Value::Map { shown: vec![entry], total: 1 };
        let fields = vec![("at".into(), Value::Float(1.0)), ("of".into(), map)];
        let point = Value::Struct { name: "P".into(), shown: fields, total: 2 };
        let text = "\"${c} ${l} ${p} ${s}\" + c";
        let unfolded = unfolded(
            text,
            text,
            &[
                ("c", Variable, member),
                ("l", Variable, items),
                ("p", Variable, point),
                ("s", Variable, text_value("a\"")),
            ],
        );
        let last = lines(&unfolded, Radix::Hexadecimal, Notation::Braces).pop().map(|line| line.text);
        assert_eq!(last.as_deref(), Some("\"1 {x, 1, …} {at: 1.0, of: {\"k\": nil}} a\"\" + c"));
    }

    #[test]
    fn calls_keep_their_parentheses_and_lines_are_joined() {
        use PartKind::{Call, Variable};
        let unfolded = unfolded(
            "println(len(\n    word))",
            "println(len(\n    word))",
            &[("word", Variable, Value::Int(7)), ("len(\n    word)", Call, Value::Int(1))],
        );
        assert_eq!(marked(&unfolded), ["println(len( word))", "println(len( <7>))", "println(<1>)"]);
    }

    #[test]
    fn many_lines_have_a_gap() {
        let names: Vec<String> = (0..60).map(|i| format!("f{i:02}()")).collect();
        let text = names.join(" + ");
        let parts: Vec<_> = names.iter().map(|name| (name.as_str(), PartKind::Call, Value::Int(1))).collect();
        let lines = lines(&unfolded(&text, &text, &parts), Radix::Decimal, Notation::Braces);
        assert_eq!(lines.len(), MAX_LINES);
        assert_eq!(lines[FIRST].text, "…");
    }
}
