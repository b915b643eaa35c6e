//! Shows a value as a tree, with each part on a line. Objects that occur more than once are marked.

use std::collections::HashMap;

use crate::protocol::value_text::whole_text;
use ez_engine::api::{Children, Described, GetChildren, Handle, ObjectId, Value, Variable};

use super::command_error::CommandError;
use super::commands::values::SHORT;
use super::debugger::TerminalDebugger;
use super::look::{Look, Role};

/// Maximum number of lines.
const LINES: usize = 400;

/// Maximum number of parts of one value.
const PARTS: usize = 100;

/// Maximum depth.
const DEPTH: usize = 20;

struct Unfolding {
    look: Look,
    text: String,
    lines: usize,
    /// The path where each object was found first.
    objects: HashMap<ObjectId, String>,
}

/// The tree of an expression's value.
///
/// # Errors
/// If the parts cannot be requested.
pub fn unfolded(
    debugger: &mut TerminalDebugger,
    name: &str,
    value: &Described,
) -> Result<String, CommandError> {
    let look = debugger.console.look();
    let mut unfolding = Unfolding { look, text: String::new(), lines: 0, objects: HashMap::new() };
    unfolding.value(debugger, Line { first: "", rest: "", name, path: name }, value, 0)?;
    if unfolding.lines > LINES {
        unfolding.text.push_str("… there is more: 'tree' a part of it\n");
    }
    Ok(unfolding.text)
}

/// A line of the tree: the text before it, and before the lines below.
#[derive(Clone, Copy)]
struct Line<'a> {
    first: &'a str,
    rest: &'a str,
    name: &'a str,
    /// The expression for the value.
    path: &'a str,
}

impl Unfolding {
    fn value(
        &mut self,
        debugger: &mut TerminalDebugger,
        line: Line,
        value: &Described,
        depth: usize,
    ) -> Result<(), CommandError> {
        self.lines += 1;
        if self.lines > LINES {
            return Ok(());
        }
        let known = value.object.and_then(|object| self.objects.get(&object));
        if let Some(known) = known {
            let same = format!("is {known}");
            self.line(line, &same);
            return Ok(());
        }
        if let Some(object) = value.object {
            self.objects.insert(object, line.path.to_string());
        }
        let Some(handle) = value.handle.filter(|_| value.children > 0) else {
            self.line(line, &format!("= {}", whole_text(&value.value)));
            return Ok(());
        };
        if depth == DEPTH {
            self.line(line, "= …");
            return Ok(());
        }
        self.line(line, &head(value));
        self.parts(debugger, line, handle, depth)
    }

    fn parts(
        &mut self,
        debugger: &mut TerminalDebugger,
        line: Line,
        handle: Handle,
        depth: usize,
    ) -> Result<(), CommandError> {
        let question = GetChildren { handle, start: 0, count: PARTS, limits: SHORT };
        let Children { children, total } = debugger.ask(question)?;
        let missing = total.saturating_sub(children.len());
        let last = children.len().saturating_sub(1);
        for (index, child) in children.iter().enumerate() {
            let is_last = index == last && missing == 0;
            let first = format!("{}{}", line.rest, if is_last { "└─ " } else { "├─ " });
            let rest = format!("{}{}", line.rest, if is_last { "   " } else { "│  " });
            let path = path(line.path, child);
            let below = Line { first: &first, rest: &rest, name: &child.name, path: &path };
            self.value(debugger, below, &child.held, depth + 1)?;
        }
        if missing > 0 && self.lines < LINES {
            self.lines += 1;
            self.text.push_str(&format!("{}└─ … {missing} more\n", line.rest));
        }
        Ok(())
    }

    fn line(&mut self, line: Line, what: &str) {
        let front = self.look.paint(Role::Secondary, line.first);
        let used = line.first.chars().count();
        let text = self.look.fit(used, &format!("{} {what}", line.name));
        self.text.push_str(&format!("{front}{text}\n"));
    }
}

/// The text for a value whose parts follow.
fn head(value: &Described) -> String {
    match &value.value {
        Value::Struct { name, .. } => name.to_string(),
        _ => format!("{} with {}", value.declared_type, value.children),
    }
}

/// The expression for a part.
fn path(whole: &str, part: &Variable) -> String {
    if part.name.starts_with('[') {
        format!("{whole}{}", part.name)
    } else {
        format!("{whole}.{}", part.name)
    }
}
