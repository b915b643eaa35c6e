//! What a statement read, from the answer of `unfold`.

use serde_json::{Map, Value};

use crate::cli::mcp::session::{list, number, text};

/// Something from which a statement computed its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The expression: `p`, `items[i]`, `price(n)`.
    pub text: String,
    /// Its value at that time.
    pub value: String,
    /// The last step in the body of the function, if it is a call of one of the program's.
    pub returned_at: Option<u64>,
}

/// A statement and what it computed.
pub struct Computation {
    data: Map<String, Value>,
}

impl Computation {
    /// From the data of the event `unfolded`.
    pub fn new(data: Map<String, Value>) -> Computation {
        Computation { data }
    }

    fn parts(&self) -> Vec<&Map<String, Value>> {
        list(&self.data, "parts").iter().filter_map(Value::as_object).collect()
    }

    /// The statement's expression with the values of its variables, if that says more than the source.
    pub fn rewritten(&self) -> Option<&str> {
        let lines = list(&self.data, "lines");
        let source = lines.first()?.get("text")?;
        // After a declaration or `=`, the last line is only the value.
        let last = if text(&self.data, "prefix").is_empty() { 0 } else { 1 };
        let line = lines.iter().rev().nth(last)?.get("text")?;
        (line != source).then(|| line.as_str())?
    }

    /// The step of the statement.
    pub fn step(&self) -> u64 {
        number(&self.data, "step")
    }

    /// The places, line and column, of the heads that decided that the statement runs.
    pub fn conditions(&self) -> Vec<(u64, u64)> {
        let conditions = list(&self.data, "conditions").iter().filter_map(Value::as_object);
        conditions.map(|at| (number(at, "line"), number(at, "column"))).collect()
    }

    /// Where the value comes from, if it is not from variables.
    pub fn outside(&self) -> Option<String> {
        let has = |effect: &str| self.parts().iter().any(|part| text(part, "effect") == effect);
        if has("input") {
            return Some("it came from the program's input".into());
        }
        let is_loop = matches!(text(&self.data, "statement"), "for" | "for_each");
        (is_loop && !has("change")).then(|| "the loop gave it its next value".into())
    }

    /// How this head has decided, as a sentence: `` line 6 `p > 80` was true ``.
    pub fn decision(&self, line: &str) -> Option<String> {
        let at = number(self.data.get("location")?.as_object()?, "line");
        let lines = list(&self.data, "lines");
        let line_text = |line: Option<&Value>| Some(line?.get("text")?.as_str()?.to_string());
        let (source, value) = (line_text(lines.first()), line_text(lines.last()));
        match text(&self.data, "statement") {
            "if" | "as_long_as" => Some(format!("line {at} `{}` was {}", source?, value?)),
            "when" => {
                let parts = self.parts();
                let fits = |part: &&&Map<String, Value>| {
                    text(part, "kind") == "operator"
                        && parent(part).is_none()
                        && text(part, "value") == "true"
                };
                let case = parts.iter().rev().find(fits).map(|case| text(case, "text"));
                Some(match case {
                    Some(case) => format!("line {at} `when {}` was in the case `{case}`", source?),
                    None => format!("line {at} `when {}` was in no case", source?),
                })
            }
            "for" | "for_each" => {
                Some(format!("line {at} `{}` had a round to do", line.trim_end_matches('{').trim()))
            }
            _ => None,
        }
    }

    /// The name that the statement itself has for what a change has written; `None` if a function of the library has
    /// written it, or nobody has.
    pub fn name_of(&self, change: &Map<String, Value>) -> Option<&str> {
        let parts = list(&self.data, "parts").iter().filter_map(Value::as_object);
        let writes: Vec<_> = parts.filter(|part| text(part, "kind") == "write").collect();
        let is_it = |write: &&&Map<String, Value>| {
            write.get("newValue") == change.get("newValue") && write.get("oldValue") == change.get("oldValue")
        };
        match (writes.iter().find(is_it), writes.as_slice()) {
            (Some(write), _) => Some(text(write, "text")),
            (None, [write]) if self.changed_in_place().is_none() => Some(text(write, "text")),
            _ => None,
        }
    }

    /// What a function of the library has changed in place: its first argument.
    pub fn changed_in_place(&self) -> Option<&str> {
        let parts = list(&self.data, "parts");
        let is_change = |part: &Value| part.as_object().is_some_and(|part| text(part, "effect") == "change");
        let call = parts.iter().position(is_change)?;
        let mut parts = parts.iter().filter_map(Value::as_object);
        parts.find(|part| parent(part) == Some(call)).map(|part| text(part, "text"))
    }

    /// Whether the statement computed the new value from the one before: `+=`, a change in place, or because it reads
    /// what it writes to, by this name.
    pub fn reads_itself(&self, change: &Map<String, Value>, name: &str) -> bool {
        match (self.name_of(change), text(change, "cause")) {
            (Some(_), "written") if text(&self.data, "statement") == "update" => return true,
            (None, "written") if self.changed_in_place().is_some() => return true,
            _ => {}
        }
        let parts = self.parts();
        let is_operand = |part: &Map<String, Value>| {
            let mut above = parent(part);
            while let Some(outer) = above.and_then(|above| parts.get(above)) {
                if matches!(text(outer, "kind"), "element" | "field") {
                    return false;
                }
                above = parent(outer);
            }
            true
        };
        let is_it = |part: &Map<String, Value>| {
            matches!(text(part, "kind"), "variable" | "element" | "field") && text(part, "text") == name
        };
        parts.iter().any(|part| is_it(part) && is_operand(part) && !self.is_base_of_write(part))
    }

    /// What the statement reads: variables, elements, fields and calls of the program's functions. Parts of them,
    /// such as the index of an element or the arguments of a call, are not included.
    pub fn reads(&self) -> Vec<Read> {
        self.reads_below(None)
    }

    /// The same of a part of the statement.
    fn reads_below(&self, root: Option<usize>) -> Vec<Read> {
        let parts = self.parts();
        let mut reads: Vec<Read> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if !is_read(part) || part.get("value").is_none() {
                continue;
            }
            let mut above = parent(part);
            let mut is_whole = true;
            let mut is_below = root.is_none() || root == Some(index);
            while let Some(outer) = above.and_then(|above| parts.get(above)) {
                // Parts come before those to which they belong: this one is outside of the root.
                let is_outside = above > root && root.is_some();
                is_whole &= !is_read(outer) || is_outside;
                is_below |= above == root;
                above = parent(outer);
            }
            let read = Read {
                text: text(part, "text").to_string(),
                value: text(part, "value").to_string(),
                returned_at: part.get("stepOut").and_then(Value::as_u64),
            };
            if is_whole && is_below && !reads.contains(&read) && !self.is_base_of_write(part) {
                reads.push(read);
            }
        }
        reads
    }

    /// Whether a part is the array, map or struct of which the statement changes a part.
    fn is_base_of_write(&self, part: &Map<String, Value>) -> bool {
        let covers = |write: &Map<String, Value>| {
            text(write, "kind") == "write"
                && number(write, "line") == number(part, "line")
                && (number(write, "column")..number(write, "endColumn")).contains(&number(part, "column"))
        };
        self.parts().iter().any(|write| covers(write))
    }

    /// The argument with this index of the call at this place; `None` if there is no such call.
    pub fn argument(&self, line: u64, column: u64, index: usize) -> Option<Argument> {
        let parts = self.parts();
        let at = (line, column);
        let contains = |part: &&&Map<String, Value>| {
            let begin = (number(part, "line"), number(part, "column"));
            let end = (number(part, "endLine"), number(part, "endColumn"));
            part.contains_key("arguments") && begin <= at && at < end
        };
        // Parts come before those to which they belong: the first one is the innermost.
        let call = parts.iter().find(contains)?;
        let argument = list(call, "arguments").get(index)?.as_object()?;
        let part = argument.get("part").and_then(Value::as_u64).map(|part| part as usize);
        Some(Argument {
            text: argument.get("text").and_then(Value::as_str).map(str::to_string),
            by_reference: argument.get("byReference") == Some(&true.into()),
            reads: part.map(|part| self.reads_below(Some(part))).unwrap_or_default(),
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

fn parent(part: &Map<String, Value>) -> Option<usize> {
    part.get("parent").and_then(Value::as_u64).map(|parent| parent as usize)
}

fn is_read(part: &Map<String, Value>) -> bool {
    match text(part, "kind") {
        "variable" | "element" | "field" => true,
        "call" => part.contains_key("stepOut"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn computation(data: Value) -> Computation {
        let Value::Object(data) = data else { panic!("an object") };
        Computation::new(data)
    }

    fn texts(reads: &[Read]) -> Vec<&str> {
        reads.iter().map(|read| read.text.as_str()).collect()
    }

    #[test]
    fn reads_are_whole() {
        // temp p int = price(items[i], n + 1)
        let statement = computation(json!({
            "prefix": "temp p int = ",
            "lines": [{"text": "price(items[i], n + 1)"}, {"text": "price(3, 10)"}, {"text": "25"}],
            "parts": [
                {"text": "items", "kind": "variable", "line": 1, "column": 20, "parent": 2, "value": "[3]"},
                {"text": "i", "kind": "variable", "line": 1, "column": 26, "parent": 2, "value": "0"},
                {"text": "items[i]", "kind": "element", "line": 1, "column": 20, "parent": 5, "value": "3"},
                {"text": "n", "kind": "variable", "line": 1, "column": 30, "parent": 4, "value": "9"},
                {"text": "n + 1", "kind": "operator", "line": 1, "column": 30, "parent": 5, "value": "10"},
                {"text": "price(items[i], n + 1)", "kind": "call", "line": 1, "column": 14, "endLine": 1, "endColumn": 36,
                 "value": "25", "stepOut": 6, "arguments": [{"text": "items[i]", "part": 2}, {"text": "n + 1", "part": 4}, {}]},
                {"text": "p", "kind": "write", "line": 1, "column": 6, "endColumn": 7, "target": "p"}
            ]
        }));
        assert_eq!(texts(&statement.reads()), ["price(items[i], n + 1)"]);
        assert_eq!(statement.rewritten(), Some("price(3, 10)"));
        let first = statement.argument(1, 19, 0).expect("the call");
        assert_eq!((first.text.as_deref(), texts(&first.reads)), (Some("items[i]"), vec!["items[i]"]));
        let second = statement.argument(1, 19, 1).expect("the call");
        assert_eq!((second.text.as_deref(), texts(&second.reads)), (Some("n + 1"), vec!["n"]));
        let default = statement.argument(1, 19, 2).expect("the call");
        assert_eq!((default.text, default.reads.len()), (None, 0));
        assert_eq!(statement.argument(1, 19, 3), None);
        assert_eq!(statement.argument(1, 13, 0), None);
    }

    #[test]
    fn what_is_written_to_is_not_read() {
        // items[j] = k
        let statement = computation(json!({"parts": [
            {"text": "k", "kind": "variable", "line": 1, "column": 12, "value": "60"},
            {"text": "items", "kind": "variable", "line": 1, "column": 1, "value": "[3, 4]"},
            {"text": "items[j]", "kind": "write", "line": 1, "column": 1, "endColumn": 9}
        ]}));
        assert_eq!(texts(&statement.reads()), ["k"]);
        assert_eq!(statement.rewritten(), None);
    }

    #[test]
    fn updates_use_the_value_before() {
        let change = json!({"cause": "written", "oldValue": "1", "newValue": "4"});
        let change = change.as_object().expect("an object");
        let statement = |kind: &str, read: &str| {
            computation(
                json!({"statement": kind, "lines": [{"text": "sum += i"}, {"text": "sum += 3"}], "parts": [
                    {"text": read, "kind": "variable", "line": 1, "column": 8, "value": "3"},
                    {"text": "sum", "kind": "write", "line": 1, "column": 1, "endColumn": 4, "oldValue": "1", "newValue": "4"}
                ]}),
            )
        };
        assert!(statement("update", "i").reads_itself(change, "sum"));
        assert!(!statement("assignment", "i").reads_itself(change, "sum"));
        assert!(statement("assignment", "sum").reads_itself(change, "sum"));
        assert_eq!(statement("update", "i").rewritten(), Some("sum += 3"));
    }

    /// `arrays.sort(c)` has changed an element of what the asker knows by another name.
    #[test]
    fn changes_in_place_use_the_value_before() {
        let change = json!({"cause": "written", "oldValue": "5", "newValue": "1"});
        let change = change.as_object().expect("an object");
        let statement = computation(json!({"statement": "expression", "parts": [
            {"text": "c", "kind": "variable", "line": 1, "column": 13, "parent": 1, "value": "[5, 1]"},
            {"text": "arrays.sort(c)", "kind": "call", "line": 1, "column": 1, "effect": "change"}
        ]}));
        assert_eq!((statement.name_of(change), statement.changed_in_place()), (None, Some("c")));
        assert!(statement.reads_itself(change, "scores[0]"));
    }

    #[test]
    fn what_comes_from_outside_is_data() {
        let statement = |kind: &str, parts: Value| {
            computation(json!({"statement": kind, "lines": [{"text": "for input()"}], "parts": parts}))
        };
        assert_eq!(statement("declaration", json!([])).outside(), None);
        let input = json!([{"text": "f()", "kind": "call", "effect": "input"}]);
        assert_eq!(
            statement("declaration", input).outside().as_deref(),
            Some("it came from the program's input")
        );
        assert_eq!(statement("for", json!([])).outside().as_deref(), Some("the loop gave it its next value"));
    }
}
