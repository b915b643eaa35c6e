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

    /// Where the value comes from, if it is not from variables.
    pub fn outside(&self) -> Option<String> {
        let source = list(&self.data, "lines").first()?.get("text")?.as_str()?;
        if source.contains("input(") {
            return Some("it came from the program's input".into());
        }
        source.starts_with("for").then(|| "the loop gave it its next value".into())
    }

    /// Whether the statement computes the new value from the one before, as `+=` does.
    pub fn is_compound(&self) -> bool {
        let source = list(&self.data, "lines").first().and_then(|line| line.get("text")?.as_str());
        let targets = self.parts().into_iter().filter(|part| text(part, "kind") == "write");
        let mut rests = targets.filter_map(|write| source?.trim_start().strip_prefix(text(write, "text")));
        let operators = ["+=", "-=", "*=", "/=", "%=", "++", "--"];
        rests.any(|rest| operators.iter().any(|operator| rest.trim_start().starts_with(operator)))
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

    /// What the argument with this index was computed from, of the call whose parenthesis is at this place. The
    /// text of the argument comes first; `None` if there is no such call.
    pub fn argument(&self, line: u64, column: u64, index: usize) -> Option<(String, Vec<Read>)> {
        let parts = self.parts();
        let is_it = |part: &&&Map<String, Value>| {
            let before = column.checked_sub(number(part, "column")).unwrap_or(u64::MAX);
            let name = text(part, "text").find('(').map(|at| at as u64);
            text(part, "kind") == "call" && number(part, "line") == line && name == Some(before)
        };
        let at = parts.iter().position(|part| is_it(&part))?;
        let call = parts.get(at)?;
        let argument = arguments(text(call, "text")).into_iter().nth(index)?;
        let of_argument =
            parts.iter().position(|part| parent(part) == Some(at) && text(part, "text") == argument);
        let reads = of_argument.map(|part| self.reads_below(Some(part))).unwrap_or_default();
        Some((argument, reads))
    }
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

/// The arguments of a call, from its text.
fn arguments(call: &str) -> Vec<String> {
    let Some((_, rest)) = call.split_once('(') else { return Vec::new() };
    let rest = rest.strip_suffix(')').unwrap_or(rest);
    let mut found = vec![String::new()];
    let (mut depth, mut quote, mut escaped) = (0usize, None, false);
    for c in rest.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(String::new());
                continue;
            }
            (None, _) => {}
        }
        if let Some(last) = found.last_mut() {
            last.push(c);
        }
    }
    found.into_iter().map(|argument| argument.trim().to_string()).collect()
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
                {"text": "price(items[i], n + 1)", "kind": "call", "line": 1, "column": 14, "value": "25", "stepOut": 6},
                {"text": "p", "kind": "write", "line": 1, "column": 6, "endColumn": 7, "target": "p"}
            ]
        }));
        assert_eq!(texts(&statement.reads()), ["price(items[i], n + 1)"]);
        assert_eq!(statement.rewritten(), Some("price(3, 10)"));
        let (argument, reads) = statement.argument(1, 19, 0).expect("the call");
        assert_eq!((argument.as_str(), texts(&reads)), ("items[i]", vec!["items[i]"]));
        let (argument, reads) = statement.argument(1, 19, 1).expect("the call");
        assert_eq!((argument.as_str(), texts(&reads)), ("n + 1", vec!["n"]));
        assert_eq!(statement.argument(1, 19, 2), None);
        assert_eq!(statement.argument(1, 18, 0), None);
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
    fn compound_assignments_use_the_value_before() {
        let statement = |source: &str, target: &str| {
            let write = json!({"text": target, "kind": "write", "line": 1, "column": 1, "endColumn": 2});
            computation(json!({"lines": [{"text": source}, {"text": "sum += 3"}], "parts": [write]}))
        };
        assert!(statement("sum += i", "sum").is_compound() && statement("a[i] -= 2", "a[i]").is_compound());
        assert!(!statement("sum = i", "sum").is_compound() && !statement("a = b == c", "a").is_compound());
        assert_eq!(statement("sum += i", "sum").rewritten(), Some("sum += 3"));
    }

    #[test]
    fn arguments_are_divided_at_commas() {
        assert_eq!(arguments("f()"), [""]);
        assert_eq!(
            arguments("f(a, g(b, c), {1, 2}, \"x,)\\\"\", ',')"),
            ["a", "g(b, c)", "{1, 2}", "\"x,)\\\"\"", "','"]
        );
    }
}
