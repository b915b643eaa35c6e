//! `inspect_request`: what is known about the name at the cursor.

use serde_json::json;

use super::asked::{Asked, Progress};
use super::cells::media;
use super::dispatch::Kernel;
use crate::protocol::jupyter::content::{ErrorContent, InspectRequest, Inspected, Nothing, Reply};
use ez_engine::api::GetRich;
use ez_runtime::diagnostics::explanation_of;
use ez_runtime::library;

impl Kernel {
    pub fn inspect(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let request: InspectRequest = asked.content()?;
        let name = name_at(&request.code, request.cursor_pos);
        let asked = asked.clone();
        if name.is_empty() {
            self.reply(&asked, &Reply::Ok(inspected(None)));
            return Ok(Progress::Replied);
        }
        // A variable hides what the library calls so.
        let question = GetRich { expression: name.clone(), frame: 0 };
        self.ask(question, move |kernel, value| {
            let data = match value {
                Ok(value) => Some(media(&value)),
                Err(_) => explained(&name).map(|text| json!({ "text/plain": text })),
            };
            kernel.reply(&asked, &Reply::Ok(inspected(data)));
            kernel.status(Some(&asked.message.raw_header), "idle");
        });
        Ok(Progress::Later)
    }
}

fn inspected(data: Option<serde_json::Value>) -> Inspected {
    Inspected { found: data.is_some(), data: data.unwrap_or_else(|| json!({})), metadata: Nothing {} }
}

/// What `ez explain` or `ez man` says about a code or name.
fn explained(name: &str) -> Option<String> {
    explanation_of(name).ok().or_else(|| library::man(name.trim_start_matches('@')).ok())
}

/// The name around a position in code points: a code, or names joined by dots. Between the parentheses of a
/// call without arguments, it is that of the function.
fn name_at(code: &str, cursor: usize) -> String {
    let chars: Vec<char> = code.chars().collect();
    let at = |index: usize| chars.get(index).copied();
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = cursor.min(chars.len());
    if !at(end).is_some_and(part) && end > 0 && at(end - 1) == Some('(') {
        end -= 1;
    }
    while at(end).is_some_and(part) {
        end += 1;
    }
    let mut start = end;
    while start > 0 && at(start - 1).is_some_and(|c| part(c) || c == '.' || c == '@') {
        start -= 1;
    }
    let name: String = chars.iter().skip(start).take(end - start).collect();
    name.trim_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found() {
        assert_eq!(name_at("x = total + 1", 6), "total");
        assert_eq!(name_at("x = total + 1", 9), "total");
        assert_eq!(name_at("math.abs(", 9), "math.abs");
        assert_eq!(name_at("math.abs(-1)", 2), "math");
        assert_eq!(name_at("import @math", 12), "@math");
        assert_eq!(name_at("x + 1", 3), "");
        assert_eq!(name_at("", 5), "");
        assert_eq!(name_at("grün", 99), "grün");
    }

    #[test]
    fn codes_and_functions_are_explained() {
        assert!(explained("E3001").is_some_and(|text| text.starts_with("error E3001")));
        assert!(explained("println").is_some());
        assert!(explained("math.abs").is_some());
        assert_eq!(explained("frobnicate"), None);
    }
}
