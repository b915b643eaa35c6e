//! Results of tools: structured content, and the same as a text that a model reads.

use std::fmt::Display;

use serde_json::{Value, json};

use ez_runtime::text::slice;
use ez_runtime::visible::shortened;

/// Maximum length of the text of a result in characters, unless the client wants another one.
pub const MAX_CHARS: usize = 4000;

/// Maximum length of a value in a text, in characters.
const MAX_VALUE: usize = 200;

/// The result of a tool.
pub struct Answer {
    /// What the tool's output schema describes; `None` if the call has failed.
    structured: Option<Value>,
    text: String,
    failed: bool,
}

impl Answer {
    /// The answer of a call that was carried out.
    pub fn new(structured: Value, text: Text) -> Answer {
        Answer { structured: Some(structured), text: text.0, failed: false }
    }

    /// The answer of a call that could not be carried out: what is wrong, and what to do.
    pub fn failure(message: impl Into<String>) -> Answer {
        Answer { structured: None, text: message.into(), failed: true }
    }

    /// The result of `tools/call`, with a text of at most `most` characters.
    pub fn result(self, most: usize) -> Value {
        let mut result = json!({"content": [{"type": "text", "text": limited(&self.text, most)}]});
        if let Some(members) = result.as_object_mut() {
            if let Some(structured) = self.structured {
                members.insert("structuredContent".into(), structured);
            }
            members.insert("isError".into(), self.failed.into());
        }
        result
    }
}

/// The text cut to `most` characters, at the end of a line if possible; the last line says how much was cut.
pub fn limited(text: &str, most: usize) -> String {
    let text = text.trim_end();
    let all = text.chars().count();
    if all <= most {
        return text.to_string();
    }
    let note = |cut: usize| format!("… {cut} of {all} characters cut; ask for more with maxChars");
    let room = most.saturating_sub(note(all).chars().count() + 1);
    let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
    let kept = slice(text, ..end);
    // A line that is cut says less than it seems to, unless it is most of the text.
    let kept = kept.rfind('\n').filter(|at| *at > end / 2).and_then(|at| kept.get(..at)).unwrap_or(kept);
    let text = format!("{kept}\n{}", note(all - kept.chars().count()));
    text.chars().take(most).collect()
}

/// A value as one line of limited length.
pub fn short(value: &str) -> String {
    shortened(value, MAX_VALUE)
}

/// A text that is being written, line by line.
#[derive(Default)]
pub struct Text(String);

impl Text {
    /// Adds a line.
    pub fn line(&mut self, line: impl Display) {
        self.0.push_str(line.to_string().trim_end());
        self.0.push('\n');
    }

    /// Adds an empty line, unless there is one or the text is empty.
    pub fn gap(&mut self) {
        if !self.0.is_empty() && !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    /// Adds the lines of a text, each after `indent`.
    pub fn indented(&mut self, indent: &str, text: &str) {
        for line in text.lines() {
            self.line(format_args!("{indent}{line}"));
        }
    }
}

/// `1 error`, `2 errors`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_lines() {
        assert_eq!(limited("short\n\n", 10), "short");
        let text: String = (0..1000).map(|line| format!("line {line} é\n")).collect();
        for most in [0, 1, 60, 200, 4000, 10_000, 20_000] {
            let cut = limited(&text, most);
            assert!(cut.chars().count() <= most, "{most}");
            assert_eq!(cut.contains("characters cut"), (60..=10_000).contains(&most), "{most}: {cut}");
        }
        let cut = limited(&text, 200);
        let last = cut.lines().rev().nth(1).unwrap_or_default();
        assert!(last.starts_with("line ") && last.ends_with(" é"), "{cut}");
        assert!(limited(&"x".repeat(5000), 4000).starts_with("xxx"));
    }

    #[test]
    fn values_are_one_line() {
        assert_eq!(short("a\nb"), "a\\nb");
        assert_eq!(short(&"é".repeat(300)).chars().count(), MAX_VALUE + 1);
    }
}
