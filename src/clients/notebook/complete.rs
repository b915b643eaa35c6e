//! `complete_request`: ways to complete the name before the cursor.

use serde_json::json;

use super::asked::{Asked, Progress};
use super::dispatch::Kernel;
use crate::protocol::jupyter::content::{CompleteRequest, Completed, ErrorContent, Reply};
use ez_engine::api::{Completion, CompletionKind, GetCompletions};
use ez_language::syntax::lex;
use ez_language::syntax::token::TokenKind;
use ez_runtime::source::SourceMap;

/// How many completions are sent at most.
const MOST: usize = 500;

impl Kernel {
    pub fn complete(&mut self, asked: &Asked) -> Result<Progress, ErrorContent> {
        let request: CompleteRequest = asked.content()?;
        let at = Cursor::new(&request);
        let question = GetCompletions { text: at.line.clone(), column: at.column as u32 + 1, frame: 0 };
        let asked = asked.clone();
        self.ask(question, move |kernel, found| {
            let found = found.unwrap_or_default();
            kernel.reply(&asked, &Reply::Ok(at.completed(&found)));
            kernel.status(Some(&asked.message.raw_header), "idle");
        });
        Ok(Progress::Later)
    }
}

/// The cursor in a cell.
struct Cursor {
    line: String,
    /// Its position in that line, in code points from 0.
    column: usize,
    /// Position of the line in the cell, likewise.
    line_start: usize,
    /// The names in the cell.
    names: Vec<String>,
}

impl Cursor {
    fn new(request: &CompleteRequest) -> Cursor {
        let before: String = request.code.chars().take(request.cursor_pos).collect();
        let position = before.chars().count();
        let column = before.chars().rev().take_while(|c| *c != '\n').count();
        let line_start = position - column;
        let line: String = request.code.chars().skip(line_start).take_while(|c| *c != '\n').collect();
        let rest: String = request.code.chars().skip(position).collect();
        Cursor { line, column, line_start, names: names_in(&before, &rest) }
    }

    /// The part of a name before the cursor.
    fn begun(&self) -> String {
        let before: Vec<char> = self.line.chars().take(self.column).collect();
        let length = before.iter().rev().take_while(|c| c.is_alphanumeric() || **c == '_').count();
        before.iter().skip(before.len() - length).collect()
    }

    /// The completions that the engine has found, and after them other names of the cell, which was not run.
    fn completed(&self, found: &[Completion]) -> Completed {
        let begun = self.begun();
        let start =
            found.first().map_or(self.column - begun.chars().count(), |first| first.start as usize - 1);
        let length = found.first().map_or(begun.chars().count(), |first| first.length as usize);
        let mut rows: Vec<(&str, &str, &str)> =
            // A cell is a `main` itself, which nobody calls.
            found
                .iter()
                .filter(|one| one.label != "main")
                .map(|one| (one.label.as_str(), kind(one.kind), one.detail.as_str()))
                .collect();
        let after_dot = self.line.chars().nth(start.wrapping_sub(1)) == Some('.');
        if !begun.is_empty() && !after_dot {
            for name in &self.names {
                if name.starts_with(&begun) && *name != begun && rows.iter().all(|(label, ..)| label != name)
                {
                    rows.push((name, "text", ""));
                }
            }
        }
        rows.truncate(MOST);
        let cursor_start = self.line_start + start;
        let cursor_end = cursor_start + length;
        let types: Vec<_> = rows
            .iter()
            .map(|(text, kind, signature)| {
                json!({ "text": text, "type": kind, "signature": signature, "start": cursor_start, "end": cursor_end })
            })
            .collect();
        Completed {
            matches: rows.iter().map(|(label, ..)| label.to_string()).collect(),
            cursor_start,
            cursor_end,
            metadata: json!({ "_jupyter_types_experimental": types }),
        }
    }
}

fn kind(kind: CompletionKind) -> &'static str {
    match kind {
        CompletionKind::Variable => "variable",
        CompletionKind::Constant => "constant",
        CompletionKind::Function => "function",
        CompletionKind::Field => "property",
        CompletionKind::Member => "enum",
        CompletionKind::Type => "class",
        CompletionKind::Module => "module",
        CompletionKind::Keyword => "keyword",
    }
}

/// The names in a text, once each, in order.
fn names_in(before: &str, after: &str) -> Vec<String> {
    let mut names = Vec::new();
    for text in [before, after] {
        let source = SourceMap::new().add("", std::path::Path::new(""), text);
        for token in lex(&source).0 {
            let name = source.slice(token.span);
            if token.kind == TokenKind::Ident && !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
    }
    names
}
