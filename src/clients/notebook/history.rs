//! The cells that were run.

use serde_json::{Value, json};

use crate::protocol::jupyter::content::{HistoryAccess, HistoryRequest};

/// The number of the session: a kernel remembers only its own.
const SESSION: i64 = 1;

/// A cell that was run.
#[derive(Debug)]
struct Entry {
    number: u64,
    code: String,
    /// The text of its value.
    output: Option<String>,
}

/// The cells of this kernel that belong to the history, in order.
#[derive(Debug, Default)]
pub(super) struct History {
    entries: Vec<Entry>,
}

impl History {
    pub fn add(&mut self, number: u64, code: &str) {
        self.entries.push(Entry { number, code: code.to_string(), output: None });
    }

    /// Keeps the text of the value of the cell that was added last.
    pub fn set_output(&mut self, text: &str) {
        if let Some(last) = self.entries.last_mut() {
            last.output = Some(text.to_string());
        }
    }

    /// The cells that are asked for.
    pub fn find(&self, request: &HistoryRequest) -> Vec<(i64, u64, Value)> {
        let row = |entry: &Entry| {
            let content = if request.output { json!([entry.code, entry.output]) } else { json!(entry.code) };
            (SESSION, entry.number, content)
        };
        self.selected(&request.access).into_iter().map(row).collect()
    }

    fn selected(&self, access: &HistoryAccess) -> Vec<&Entry> {
        match access {
            HistoryAccess::Tail { n } => last(self.entries.iter().collect(), *n),
            HistoryAccess::Range { session, start, stop } => {
                let start = start.unwrap_or(0);
                let within = |entry: &&Entry| {
                    let number = entry.number as i64;
                    number >= start && stop.is_none_or(|stop| number < stop)
                };
                let ours = *session == 0 || *session == SESSION;
                self.entries.iter().filter(within).filter(|_| ours).collect()
            }
            HistoryAccess::Search { n, pattern, unique } => {
                let pattern: Vec<char> = pattern.as_deref().unwrap_or("*").chars().collect();
                let matching = self.entries.iter().filter(|entry| matches(&entry.code, &pattern));
                let mut found: Vec<&Entry> = matching.collect();
                if *unique {
                    // Of equal texts the last one is kept.
                    let mut seen = std::collections::HashSet::new();
                    found.reverse();
                    found.retain(|entry| seen.insert(&entry.code));
                    found.reverse();
                }
                last(found, *n)
            }
        }
    }
}

fn last(mut entries: Vec<&Entry>, n: Option<usize>) -> Vec<&Entry> {
    let surplus = n.map_or(0, |n| entries.len().saturating_sub(n));
    entries.drain(..surplus);
    entries
}

/// Whether the whole text is as the pattern says, in which `*` is any text and `?` any character.
fn matches(text: &str, pattern: &[char]) -> bool {
    // `reached[i]`: whether the text so far can be what the first `i` characters of the pattern stand for.
    let mut reached = vec![false; pattern.len() + 1];
    let mark_stars = |reached: &mut [bool]| {
        for (at, c) in pattern.iter().enumerate() {
            if *c == '*'
                && reached.get(at) == Some(&true)
                && let Some(next) = reached.get_mut(at + 1)
            {
                *next = true;
            }
        }
    };
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    mark_stars(&mut reached);
    for c in text.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (at, wanted) in pattern.iter().enumerate() {
            if reached.get(at) != Some(&true) {
                continue;
            }
            let to = if *wanted == '*' { at } else { at + 1 };
            if (*wanted == '*' || *wanted == '?' || *wanted == c)
                && let Some(flag) = next.get_mut(to)
            {
                *flag = true;
            }
        }
        mark_stars(&mut next);
        reached = next;
    }
    reached.last() == Some(&true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(history: &History, request: Value) -> Vec<String> {
        let request: HistoryRequest = serde_json::from_value(request).unwrap();
        history.find(&request).into_iter().map(|(_, _, code)| code.to_string()).collect()
    }

    #[test]
    fn cells_are_found() {
        let mut history = History::default();
        for (number, code) in ["a", "bb", "a", "cc"].into_iter().enumerate() {
            history.add(number as u64 + 1, code);
        }
        history.set_output("7");
        let tail = json!({"hist_access_type": "tail", "n": 2, "output": true});
        assert_eq!(codes(&history, tail), [r#"["a",null]"#, r#"["cc","7"]"#]);
        let range = |session| json!({"hist_access_type": "range", "session": session, "start": 2, "stop": 4});
        assert_eq!(codes(&history, range(0)), [r#""bb""#, r#""a""#]);
        assert_eq!(codes(&history, range(SESSION)).len(), 2);
        assert_eq!(codes(&history, range(-1)).len(), 0);
        let search =
            |pattern, unique| json!({"hist_access_type": "search", "pattern": pattern, "unique": unique});
        assert_eq!(codes(&history, search("a", false)).len(), 2);
        assert_eq!(codes(&history, search("a", true)).len(), 1);
        assert_eq!(codes(&history, search("?c*", false)), [r#""cc""#]);
        assert_eq!(codes(&history, search("b", false)).len(), 0);
    }

    #[test]
    fn patterns_match_whole_texts() {
        let matches = |text: &str, pattern: &str| matches(text, &pattern.chars().collect::<Vec<_>>());
        assert!(matches("", "*") && matches("", "") && !matches("", "?"));
        assert!(matches("abc", "a*c") && matches("abc", "*b*") && !matches("abc", "a?"));
        // Many stars take no longer.
        assert!(!matches(&"a".repeat(2_000), &format!("{}b", "*a".repeat(50))));
    }
}
